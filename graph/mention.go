package graph

import (
	"time"

	"kith/graph/neo"
)

var (
	countMentions   = neo.Load[neo.None]("mention_count") // new ones
	recountMentions = neo.Load[neo.None]("mention_recount")
)

// weights holds the weight of a mention by the content type of its source; other types weigh 1 (docs/lifecycle.md).
var weights = map[string]float64{"slack-thread": 0.25, "email": 0.5}

// counts reports whether a mention is counted at a node. It is not at a shared node, because its readers do not see
// all sources.
func counts(mentioned *stored) bool { return mentioned.user() != "" }

// dropHiddenMentions removes the mention counts from a shared node: sources are private, and its readers do not see
// all of them.
func (p Properties) dropHiddenMentions() {
	if p.Text("user_id") != "" {
		return
	}
	for _, name := range []string{"source_count", "first_mentioned_at", "last_mentioned_at", "mention_weight", "distinct_source_days"} {
		delete(p, name)
	}
}

func (j *memoryJob) mentionRow(from, to string) map[string]any {
	source := j.found.byKey[from]
	started := *source.Moment("started_at")
	weight, ok := weights[source.Text("content_type")]
	if !ok {
		weight = 1
	}
	n := j.found.byKey[to]
	row := map[string]any{
		"entity_key": to, "source_key": from, "counted": counts(n), "at": started, "day": started.Format(time.DateOnly), "weight": weight, "due": j.now.UnixMilli(),
		"properties": map[string]any{}, "user": n.user(), "moved": false,
	}
	if counts(n) {
		changed := n.mention(started, j.now)
		_, moved := changed["state"]
		row["properties"], row["moved"] = map[string]any(changed), moved || neo.Bool(n.Properties["ranked"])
	}
	return row
}

// mention adds one source to the mentions of a node and returns the changes of its vitality.
func (s *stored) mention(began, now time.Time) Properties {
	next := s.clone()
	v := next.vitality()
	v.mention(began, now, s.integer("source_count") > 0)
	next.putVitality(v)
	changed := s.changesTo(next)
	next["source_count"] = s.integer("source_count") + 1
	s.Properties = next
	return changed
}

// recountMentions computes the times of mentions again of what deleted sources mention, and of the nodes of deleted mentions.
func (t *Tx) recountMentions(teamID string, deleted []*stored, mentions []map[string]any) error {
	sources := []string{}
	for _, n := range deleted {
		if n.kind == SourceKind {
			sources = append(sources, n.key())
		}
	}
	if len(sources)+len(mentions) == 0 {
		return nil
	}
	return recountMentions.Run(t, map[string]any{"team_id": teamID, "source_keys": sources, "rows": mentions})
}

// endedMention is the row of a deleted mention of a node.
func endedMention(node string, p Properties) map[string]any {
	return map[string]any{"entity_key": node, "at": p["started_at"]}
}
