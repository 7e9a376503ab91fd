package graph

import (
	"slices"
	"time"
)

const storylineText = "Sources about"

// join adds the source to the storyline it belongs to, if there is one among those about what it mentions.
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

// candidate is a storyline that a source may join. Included says that the source is part of it already, shared is how
// many of the source's mentions its newest sources mention too.
type candidate struct {
	*stored
	included bool
	shared   int64
}

// candidates locks the storylines about what the source mentions, so that two runs count one after the other.
func (j *storyJob) candidates() ([]candidate, error) {
	var keys, mentions []string
	for _, m := range j.mentions {
		mentions = append(mentions, m.key)
		if m.storyline != "" {
			keys = append(keys, m.storyline)
		}
	}
	if len(keys) == 0 {
		return nil, nil
	}
	found, err := j.tx.find(j.team, lookups{entityKeys: keys})
	if err != nil {
		return nil, err
	}
	rows, err := j.tx.exec("story_similarity", map[string]any{
		"team_id": j.team, "entity_keys": keys, "source_key": j.source, "mentions": mentions, "window": storyWindow,
	})
	var all []candidate
	for _, row := range rows {
		if n := found.byKey[text(row.Values[0])]; n != nil {
			all = append(all, candidate{n, truth(row.Values[1]), integer(row.Values[2])})
		}
	}
	return all, err
}

// chooseStoryline is the only storyline that was active within 90 days of the source; of several the one within 30 days
// whose similarity is more than 0.7, of several such the most similar, then the nearest, then the one of the least key.
// Nil: none, or the source is part of one already.
//
// Similarity is the share of the source's mentions that the storyline's newest sources mention too. A measure by
// embeddings may take its place.
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

// distance is how far a time is from what a storyline spans: a source may be told late.
func (c candidate) distance(at time.Time) time.Duration {
	first, last := *c.moment("first_source_at"), *c.moment("last_source_at")
	return max(0, at.Sub(last), first.Sub(at))
}

// withSource is a storyline with the source. It is as present as a new one again, and awake.
func (j *storyJob) withSource(old *stored) properties {
	next := old.clone()
	next["source_count"] = old.integer("source_count") + 1
	for _, m := range j.mentions {
		if m.key == old.text("anchor_key") {
			next["name"] = m.name
		}
	}
	next.period(storylineText, earlier(*old.moment("first_source_at"), j.started), later(*old.moment("last_source_at"), j.started))
	v := old.vitality()
	v.rebase(j.now)
	v.salience = max(v.salience, defaultSalience)
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

// form makes storylines about what the source mentions and no storyline is about yet.
func (j *storyJob) form() error {
	var keys []string
	for _, m := range j.mentions {
		if m.storyline == "" {
			keys = append(keys, m.key)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	rows, err := j.tx.exec("story_mentions", map[string]any{
		"team_id": j.team, "user_id": j.user, "entity_keys": keys, "limit": storyHistory,
	})
	if err != nil {
		return err
	}
	again := false
	for _, row := range rows {
		anchor := &stored{kind: kindOfLabel(kindLabel(texts(row.Values[0]))), properties: pairsFrom(row.Values[1])}
		waits, err := j.formAbout(anchor, tellingFrom(row.Values[2]))
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

// formAbout makes a storyline where the thresholds are reached. Where only the anchor's state is missing, its newest
// source waits: a state changes without a mention. It does not wait for what nobody speaks of any more.
func (j *storyJob) formAbout(anchor *stored, sources telling) (waits bool, err error) {
	if !isKnowledge(anchor.kind.Label) || !sources.ripe() {
		return false, nil
	}
	alive := anchor.vitality()
	if state := alive.stateAt(j.now); state != "active" && state != "core" {
		return sources[0].key == j.source && j.now.Sub(sources.last()) <= joinWithin, nil
	}
	n := j.storyNode(storylineKind, anchor, vitality{salience: defaultSalience, state: "candidate", ttl: "decay"})
	n.properties["source_count"] = int64(len(sources))
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

// telling are sources that mention one thing, the newest first, each once.
type telling []struct {
	key     string
	started time.Time
}

func tellingFrom(v any) telling {
	var all telling
	seen := map[string]bool{}
	for _, item := range items(v) {
		if l := items(item); !seen[text(l[0])] {
			seen[text(l[0])] = true
			all = append(all, struct {
				key     string
				started time.Time
			}{text(l[0]), moment(l[1])})
		}
	}
	return all
}

func (t telling) first() time.Time { return t[len(t)-1].started }
func (t telling) last() time.Time  { return t[0].started }

func (t telling) keys() []string {
	keys := make([]string, len(t))
	for i := range t {
		keys[i] = t[i].key
	}
	return keys
}

// ripe says whether they are enough for a storyline.
func (t telling) ripe() bool {
	if len(t) < storySources || t.last().Sub(t.first()) < storySpan {
		return false
	}
	days := map[string]bool{}
	for i := range t {
		days[t[i].started.Format(time.DateOnly)] = true
	}
	return len(days) >= storyDays
}
