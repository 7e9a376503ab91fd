package graph

import (
	"context"
	"errors"
	"fmt"
	"time"

	"kith/graph/neo"
)

// The thresholds of storylines and macros (docs/lifecycle.md). The user's own person is part of everything, and so is
// never an anchor and not counted for similarity.
const (
	storySources   = 5       // minimum number of sources that mention an anchor
	storyDays      = 3       // minimum number of days (UTC) with such a source
	storySpan      = 3 * day // minimum span from the first to the last
	joinWithin     = 90 * day
	joinChosen     = 30 * day // of several storylines, one at most this far away
	joinSimilarity = 0.7      // and more similar than this is joined
	macroStories   = 2
	macroSpan      = 30 * day
)

// Limits of the work for one source.
const (
	storyBatch   = 100   // sources read from the queue at once
	storyWindow  = 200   // the newest sources of a storyline, for similarity and themes
	storyHistory = 1_000 // the newest sources that a new storyline includes
	storyAgain   = day   // time until an anchor without the required state is checked again
)

// findDueSources finds the sources that wait for their storylines.
var findDueSources = neo.Load[dueSource]("story_due")

// dueSource is a source that waits for its storylines.
type dueSource struct{ TeamID, EntityKey string }

// storyResult is the result of a run of formStories.
type storyResult struct {
	Sources    int // processed
	Joined     int // added to a storyline
	Storylines int // created
	Macros     int // created
}

// formStories processes at most limit sources with new mentions, of all teams, longest waiting first. It forms
// storylines and macros that reach the thresholds. Each source is one short transaction. Repeated and concurrent runs
// are safe. A source that fails is postponed for a day and reported in the error, and the others are processed;
// ErrUnavailable ends the run.
func (s *Store) formStories(ctx context.Context, limit int) (storyResult, error) {
	var (
		result storyResult
		failed []error
	)
	now := s.Now()
	for result.Sources < limit {
		sources, err := findDueSources.Read(ctx, s.db, map[string]any{
			"now_ms": now.UnixMilli(), "limit": min(storyBatch, limit-result.Sources),
		})
		if err != nil || len(sources) == 0 {
			return result, errors.Join(append(failed, err)...)
		}
		for _, due := range sources {
			team, source := due.TeamID, due.EntityKey
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

// formStory processes one source and adds the outcome to the result.
func (s *Store) formStory(ctx context.Context, team, source string, now time.Time, result *storyResult) error {
	var job *storyJob
	result.Sources++
	err := s.Transaction(ctx, "story_form", func(t *Tx) error {
		job = &storyJob{tx: t, now: now, team: team, source: source}
		err := job.run()
		if len(job.touched) > 0 {
			t.Changes([]string{job.user})
		} else {
			t.Changes(nil)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("form story: %w", err)
	}
	result.Joined += job.joined
	result.Storylines += job.storylines
	result.Macros += job.macros
	return nil
}

// putOff postpones a source for a day, so that it does not block others.
func (s *Store) putOff(ctx context.Context, team, source string, now time.Time) error {
	return s.Transaction(ctx, "story_put_off", func(t *Tx) error { return t.lookAgain(team, source, now) })
}

func (t *Tx) lookAgain(team, source string, now time.Time) error {
	return t.writeRows(updateNodes, team, []map[string]any{
		{"entity_key": source, "properties": map[string]any{"story_due": now.Add(storyAgain).UnixMilli()}},
	})
}
