package graph

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// The thresholds of storylines and macros (requirements.md, "Lifecycle facts"). The user's own person is part of
// everything, and so of no story: it is never an anchor, and counts for no similarity.
const (
	storySources   = 5       // at least so many sources mention an anchor
	storyDays      = 3       // on at least so many days (UTC)
	storySpan      = 3 * day // from the first to the last at least
	joinWithin     = 90 * day
	joinChosen     = 30 * day // of several storylines, one as near as this
	joinSimilarity = 0.7      // and more similar than this
	macroStories   = 2
	macroSpan      = 30 * day
)

// Bounds of the work for one source.
const (
	storyBatch   = 100   // sources read from the queue at once
	storyWindow  = 200   // a storyline's newest sources, which similarity and themes are about
	storyHistory = 1_000 // sources that a new storyline includes, the newest
	storyAgain   = day   // until an anchor that lacks nothing but its state is looked at again
)

// StoryResult is what a run of FormStories did.
type StoryResult struct {
	Sources    int     // looked at
	Joined     int     // that became part of a storyline
	Storylines int     // formed
	Macros     int     // formed
	Changed    []Scope // the users whose memory changed, each once
}

// FormStories looks at sources with new mentions, of all teams, the longest waiting first and at most limit of them, and
// forms storylines and macros of what reaches the thresholds. Each source is one short transaction. It may run again, or
// twice at once, without harm. A source whose turn fails is put off for a day and told of in the error, the others are
// done; ErrUnavailable ends the run.
func (s *Store) FormStories(ctx context.Context, limit int) (StoryResult, error) {
	var (
		result StoryResult
		failed []error
	)
	now := s.now()
	for result.Sources < limit {
		rows, err := s.read(ctx, s.queries["story_due"], map[string]any{
			"now_ms": now.UnixMilli(), "limit": min(storyBatch, limit-result.Sources),
		})
		if err != nil || len(rows) == 0 {
			return result, errors.Join(append(failed, err)...)
		}
		for _, row := range rows {
			team, source := text(row.Values[0]), text(row.Values[1])
			err := s.formStory(ctx, team, source, now, &result)
			if err != nil && (errors.Is(err, ErrUnavailable) || ctx.Err() != nil) {
				return result, errors.Join(append(failed, err)...)
			}
			if err != nil {
				failed = append(failed, err)
				if err := s.putOff(ctx, team, source, now); err != nil {
					return result, errors.Join(append(failed, err)...)
				}
			}
		}
	}
	return result, errors.Join(failed...)
}

// formStory looks at one source, and adds to the result what became of it.
func (s *Store) formStory(ctx context.Context, team, source string, now time.Time, result *StoryResult) error {
	var job *storyJob
	result.Sources++
	err := s.transaction(ctx, "story_form", func(t *tx) error {
		job = &storyJob{tx: t, now: now, team: team, source: source}
		return job.run()
	})
	if err != nil {
		return fmt.Errorf("form story: %w", err)
	}
	result.Joined += job.joined
	result.Storylines += job.storylines
	result.Macros += job.macros
	if len(job.touched) > 0 {
		result.changed(Scope{TeamID: team, UserID: job.user})
	}
	return nil
}

func (r *StoryResult) changed(scope Scope) {
	for _, known := range r.Changed {
		if known == scope {
			return
		}
	}
	r.Changed = append(r.Changed, scope)
}

// putOff makes a source wait for a day, so that it does not keep others from their turn.
func (s *Store) putOff(ctx context.Context, team, source string, now time.Time) error {
	return s.transaction(ctx, "story_put_off", func(t *tx) error { return t.lookAgain(team, source, now) })
}

func (t *tx) lookAgain(team, source string, now time.Time) error {
	return t.rows("node_update", team, []map[string]any{
		{"entity_key": source, "properties": map[string]any{"story_due": now.Add(storyAgain).UnixMilli()}},
	})
}
