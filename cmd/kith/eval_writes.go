package main

import (
	"slices"
	"time"

	"kith/graph"
)

// evalWrite is a request that stores a part of a set. It is idempotent.
type evalWrite struct {
	path  string
	body  any
	items int
}

const (
	evalUser      = "reader" // the user of passages without a conversation
	evalBatchSize = 200      // items per request
)

// writes returns the requests that store the set. Passages without a time get now.
func (s *evalSet) writes(now time.Time) []evalWrite {
	if s.dialogue {
		return s.sessionWrites()
	}
	g := &evalGraph{now: now, seen: map[string]bool{}, facts: map[[2]string]int{}}
	for i := range s.passages {
		g.addPassage(&s.passages[i])
	}
	for i := range s.triples {
		g.addTriples(&s.triples[i])
	}
	return g.writes()
}

// sessionWrites returns the requests that store a source per session. Each conversation is a user.
func (s *evalSet) sessionWrites() (writes []evalWrite) {
	for _, source := range s.sessions() {
		for messages := range slices.Chunk(source.Messages, evalBatchSize) {
			piece := *source
			piece.Messages = messages
			writes = append(writes, evalWrite{"/v1/sources", &piece, len(messages)})
		}
	}
	return writes
}

// sessions returns the sessions of all conversations. A turn that is not later than the one before follows it by a second.
func (s *evalSet) sessions() (all []*graph.SourceWrite) {
	byKey, users := map[string]*graph.SourceWrite{}, map[string]string{}
	for i := range s.passages {
		p := &s.passages[i]
		at, _ := p.parseTime() // checked before
		key := evalKey("session", p.Conversation, string(p.Session))
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
