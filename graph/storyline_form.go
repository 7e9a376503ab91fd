package graph

import (
	"slices"
	"time"

	"kith/graph/neo"
)

// findAnchors finds what a storyline may be about.
var findAnchors = neo.Load[anchorRow]("story_mentions")

// anchorRow is a node with the sources that mention it.
type anchorRow struct {
	Labels     Labels
	Properties Properties
	Sources    telling
}

// form creates storylines about mentions of the source that have none yet.
func (j *storyJob) form() error {
	var keys []string
	for _, m := range j.mentions {
		if m.Storyline == "" {
			keys = append(keys, m.Key)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	if _, err := j.tx.find(j.team, lookups{ends: slices.Clone(keys)}); err != nil { // so that nobody deletes or merges them meanwhile
		return err
	}
	rows, err := findAnchors.Exec(j.tx, map[string]any{
		"team_id": j.team, "user_id": j.user, "entity_keys": keys, "limit": storyHistory, "now": j.now,
	})
	if err != nil {
		return err
	}
	again := false
	for _, row := range rows {
		anchor := &stored{kind: row.Labels.Kind(), Properties: row.Properties}
		waits, err := j.formAbout(anchor, row.Sources.distinct())
		if err != nil {
			return err
		}
		again = again || waits
	}
	if again {
		return j.tx.lookAgain(j.team, j.source, j.now)
	}
	return nil
}

// formAbout creates a storyline if the thresholds are reached. If only the anchor's state is missing, it reports that
// the newest source has to wait, because a state changes without a mention. A source does not wait for an anchor that
// is no longer mentioned.
func (j *storyJob) formAbout(anchor *stored, sources telling) (waits bool, err error) {
	if !isKnowledge(anchor.kind.Label) || !sources.ripe() {
		return false, nil
	}
	alive := anchor.vitality()
	if state := alive.stateAt(j.now); state != "active" && state != "core" {
		return sources[0].Key == j.source && j.now.Sub(sources.last()) <= joinWithin, nil
	}
	n := j.storyNode(StorylineKind, anchor, vitality{salience: DefaultSalience, state: "candidate", ttl: "decay"})
	n.Properties["source_count"] = int64(len(sources))
	n.period(storylineText, sources.first(), sources.last())
	j.storylines++
	j.touched = append(j.touched, n.key())
	if err := j.create(n); err != nil {
		return false, err
	}
	if err := j.link(n.key(), aboutType, anchor.key()); err != nil {
		return false, err
	}
	return false, j.link(n.key(), includesType, sources.keys()...)
}

// telling has the sources that mention one node, newest first. Their fields are in the order of story_mentions.
type telling []struct {
	Key     string
	Started time.Time
}

// Distinct returns the sources without duplicates.
func (t telling) distinct() telling {
	var all telling
	seen := map[string]bool{}
	for _, s := range t {
		if !seen[s.Key] {
			seen[s.Key] = true
			all = append(all, s)
		}
	}
	return all
}

func (t telling) first() time.Time { return t[len(t)-1].Started }
func (t telling) last() time.Time  { return t[0].Started }

func (t telling) keys() []string {
	keys := make([]string, len(t))
	for i := range t {
		keys[i] = t[i].Key
	}
	return keys
}

// ripe reports whether the sources are enough for a storyline.
func (t telling) ripe() bool {
	if len(t) < storySources || t.last().Sub(t.first()) < storySpan {
		return false
	}
	days := map[string]bool{}
	for i := range t {
		days[t[i].Started.Format(time.DateOnly)] = true
	}
	return len(days) >= storyDays
}
