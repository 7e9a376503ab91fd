package eval

import (
	"slices"
	"time"

	"kith/graph"
)

// write is a request that stores a part of a set. It is idempotent.
type write struct {
	path  string
	body  any
	items int
}

const (
	reader    = "reader" // the user of passages without a conversation
	batchSize = 200      // items per request
)

// writes returns the requests that store the set. Passages without a time get now.
func (s *dataset) writes(now time.Time) []write {
	if s.dialogue {
		return s.sessionWrites()
	}
	g := &memory{now: now, seen: map[string]bool{}, facts: map[[2]string]int{}}
	for i := range s.passages {
		g.addPassage(&s.passages[i])
	}
	for i := range s.triples {
		g.addTriples(&s.triples[i])
	}
	return g.writes()
}

// sessionWrites returns the requests that store a source per session. Each conversation is a user.
func (s *dataset) sessionWrites() (writes []write) {
	for _, source := range s.sessions() {
		for messages := range slices.Chunk(source.Messages, batchSize) {
			piece := *source
			piece.Messages = messages
			writes = append(writes, write{"/v1/sources", &piece, len(messages)})
		}
	}
	return writes
}

// sessions returns the sessions of all conversations. A turn that is not later than the one before follows it by a second.
func (s *dataset) sessions() (all []*graph.SourceWrite) {
	byKey, users := map[string]*graph.SourceWrite{}, map[string]string{}
	for i := range s.passages {
		p := &s.passages[i]
		at, _ := p.parseTime() // checked before
		key := hashKey("session", p.Conversation, string(p.Session))
		source := byKey[key]
		if source == nil {
			source = &graph.SourceWrite{
				UserID: p.Conversation, Strict: true, EntityKey: key,
				ContentType: graph.Some(graph.Conversation), StartedAt: graph.Some(at),
			}
			byKey[key], all = source, append(all, source)
		} else if last := source.EndedAt.Value; !at.After(last) {
			at = last.Add(time.Second)
		}
		if users[p.Conversation] == "" {
			users[p.Conversation] = p.Speaker // the first speaker
		}
		role := "assistant"
		if p.Speaker == users[p.Conversation] {
			role = "user"
		}
		source.EndedAt = graph.Some(at)
		source.Messages = append(source.Messages, graph.MessageWrite{
			EntityKey: p.ID, Role: role, Name: p.Speaker, Text: p.spokenText(), At: graph.Some(at),
		})
	}
	return all
}
