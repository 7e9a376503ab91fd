package graph

import (
	"slices"
	"time"

	"kith/graph/neo"
)

// compareStorylines compares storylines with a source.
var compareStorylines = neo.Load[storylineSimilarity]("story_similarity")

// storylineSimilarity is a storyline, whether it includes the source, and the number of mentions it shares with it.
type storylineSimilarity struct {
	EntityKey string
	Included  bool
	Shared    int64
}

const storylineText = "Sources about"

// join adds the source to the storyline that it belongs to, if there is one about its mentions.
func (j *storyJob) join() error {
	candidates, err := j.candidates()
	if err != nil || len(candidates) == 0 {
		return err
	}
	chosen := chooseStoryline(candidates, j.started, len(j.mentions))
	if chosen == nil {
		return nil
	}
	j.joined++
	j.touched = append(j.touched, chosen.key())
	if err := j.link(chosen.key(), includesType, j.source); err != nil {
		return err
	}
	return j.change(chosen, j.withSource(chosen))
}

// candidate is a storyline that a source may join. included is true if the source is part of it already; shared is
// the number of the source's mentions that the storyline's newest sources mention too.
type candidate struct {
	*stored
	included bool
	shared   int64
}

// candidates locks the storylines about the source's mentions, so that concurrent runs count one after the other.
func (j *storyJob) candidates() ([]candidate, error) {
	var keys, mentions []string
	for _, m := range j.mentions {
		mentions = append(mentions, m.Key)
		if m.Storyline != "" {
			keys = append(keys, m.Storyline)
		}
	}
	if len(keys) == 0 {
		return nil, nil
	}
	found, err := j.tx.find(j.team, lookups{entityKeys: keys})
	if err != nil {
		return nil, err
	}
	rows, err := compareStorylines.Exec(j.tx, map[string]any{
		"team_id": j.team, "entity_keys": keys, "source_key": j.source, "mentions": mentions, "window": storyWindow, "now": j.now,
	})
	var all []candidate
	for _, row := range rows {
		if n := found.byKey[row.EntityKey]; n != nil {
			all = append(all, candidate{n, row.Included, row.Shared})
		}
	}
	return all, err
}

// chooseStoryline returns the only storyline that was active within 90 days of the source. Of several it returns one
// within 30 days whose similarity is more than 0.7: the most similar, then the nearest, then the one with the least
// key. It returns nil if there is none or the source is part of one already.
//
// Similarity is the share of the source's mentions that the storyline's newest sources mention too. A measure by
// embeddings may replace it.
func chooseStoryline(all []candidate, started time.Time, mentions int) *stored {
	var near []candidate
	for _, c := range all {
		if c.included {
			return nil
		}
		if c.distance(started) <= joinWithin {
			near = append(near, c)
		}
	}
	if len(near) == 1 {
		return near[0].stored
	}
	near = slices.DeleteFunc(near, func(c candidate) bool {
		return c.distance(started) > joinChosen || float64(c.shared)/float64(mentions) <= joinSimilarity
	})
	if len(near) == 0 {
		return nil
	}
	return slices.MinFunc(near, func(a, b candidate) int { return a.compare(b, started) }).stored
}

func (c candidate) compare(other candidate, started time.Time) int {
	switch near, far := c.distance(started), other.distance(started); {
	case c.shared != other.shared:
		return int(other.shared - c.shared)
	case near < far:
		return -1
	case near > far:
		return 1
	case c.key() < other.key():
		return -1
	}
	return 1
}

// distance returns how far a time is from the storyline's span, before or after it: sources may arrive late.
func (c candidate) distance(at time.Time) time.Duration {
	first, last := *c.Moment("first_source_at"), *c.Moment("last_source_at")
	return max(0, at.Sub(last), first.Sub(at))
}

// withSource returns the storyline's properties with the source added. It gets the salience of a new storyline, and
// it is active.
func (j *storyJob) withSource(old *stored) Properties {
	next := old.clone()
	next["source_count"] = old.integer("source_count") + 1
	for _, m := range j.mentions {
		if m.Key == old.Text("anchor_key") {
			next["name"] = m.Name
			next.putSearchName()
		}
	}
	next.period(storylineText, earlier(*old.Moment("first_source_at"), j.started), later(*old.Moment("last_source_at"), j.started))
	v := old.vitality()
	v.rebase(j.now)
	v.salience = max(v.salience, DefaultSalience)
	if v.state == "archived" {
		v.state = "active"
	}
	v.settle()
	next.putVitality(v)
	return next
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
