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
	reader        = "reader" // the user of passages without a conversation
	batchSize     = 200      // items per request
	userRole      = "user"
	assistantRole = "assistant"
)

// writes returns the requests that store the set. Passages without a time get now.
func (s *dataset) writes(now time.Time) []write {
	if s.dialogue {
		return s.sessionWrites(nil)
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

// sessionWrites returns the requests that store a source per session. Each conversation is a user, whose times are moved by a duration.
func (s *dataset) sessionWrites(moved map[string]time.Duration) (writes []write) {
	for _, source := range s.sessions(moved) {
		for messages := range slices.Chunk(source.Messages, batchSize) {
			piece := *source
			piece.Messages = messages
			writes = append(writes, write{"/v1/sources", &piece, len(messages)})
		}
	}
	return writes
}

// sessions returns the sessions of all conversations. A turn that is not later than the one before follows it by a second.
func (s *dataset) sessions(moved map[string]time.Duration) (all []*graph.SourceWrite) {
	byKey := map[string]*graph.SourceWrite{}
	role := s.roles()
	for i := range s.passages {
		p := &s.passages[i]
		at, _ := p.parseTime() // checked before
		at = at.Add(moved[p.Conversation])
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
		source.EndedAt = graph.Some(at)
		source.Messages = append(source.Messages, graph.MessageWrite{
			EntityKey: p.ID, Role: role(p), Name: p.Speaker, Text: p.spokenText(), At: graph.Some(at),
		})
	}
	return all
}

// roles returns a function that returns the role of a turn: its own, or user for the first speaker of its conversation.
func (s *dataset) roles() func(*passage) string {
	first := map[string]string{} // conversation → speaker
	for i := range s.passages {
		if p := &s.passages[i]; first[p.Conversation] == "" {
			first[p.Conversation] = p.Speaker
		}
	}
	return func(p *passage) string {
		switch {
		case p.Role != "":
			return p.Role
		case p.Speaker == first[p.Conversation]:
			return userRole
		}
		return assistantRole
	}
}

// endAt returns for each conversation the duration by which its times are moved so that it ends at a time.
func (s *dataset) endAt(end time.Time) map[string]time.Duration {
	moved := map[string]time.Duration{}
	for i := range s.passages {
		at, _ := s.passages[i].parseTime() // checked before
		by, later := moved[s.passages[i].Conversation]
		if d := end.Sub(at); !later || d < by {
			moved[s.passages[i].Conversation] = d
		}
	}
	return moved
}
