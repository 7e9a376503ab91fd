package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"kith/graph"
)

// Bounds of one request: well below what a service takes by default, and soon done.
const (
	chunkMessages = 1_000
	chunkBytes    = 4 << 20
	messageFrame  = 512 // bytes of a message's key, role and time
)

// spread puts seconds between turns that all have the same time, so that they keep their order: files often know only
// when a session began.
func (s *importSession) spread() {
	for _, t := range s.turns {
		if !t.at.Equal(s.turns[0].at) {
			return
		}
	}
	for i := range s.turns {
		s.turns[i].at = s.turns[i].at.Add(time.Duration(i) * time.Second)
	}
}

// span is from the earliest turn to the latest.
func (s *importSession) span() (from, to time.Time) {
	from, to = s.turns[0].at, s.turns[0].at
	for _, t := range s.turns {
		if t.at.Before(from) {
			from = t.at
		}
		if t.at.After(to) {
			to = t.at
		}
	}
	return from, to
}

// speakers are who took part, in the order of their first words.
func (s *importSession) speakers() []string {
	var names []string
	for _, t := range s.turns {
		if !slices.Contains(names, t.speaker) {
			names = append(names, t.speaker)
		}
	}
	return names
}

// userOf is the id of a speaker's memory; a speaker of two conversations is two users.
func userOf(conversation, speaker string) string { return conversation + "/" + speaker }

func personKey(user, name string) string { return user + "/person/" + name }

// sources are the requests that store the session in a speaker's memory: one, or several that add to it. All are the
// same source. Only the last says that it has ended: until then it is open, and what is there is not taken for all.
// (Appending to an open conversation would say the same, but not bear a second import: an ended one takes no more.)
func (s *importSession) sources(speaker string) []graph.SourceWrite {
	user := userOf(s.conversation, speaker)
	key := user + "/session-" + s.name
	from, to := s.span()
	base := graph.SourceWrite{
		UserID: user, Strict: true, EntityKey: key, SourceType: graph.Some("text-import"), StartedAt: graph.Some(from),
	}
	for _, name := range s.speakers() {
		if name != speaker {
			base.Mentions = append(base.Mentions, personKey(user, name))
		}
	}
	chunks, size := []graph.SourceWrite{base}, 0
	for _, t := range s.turns {
		last := &chunks[len(chunks)-1]
		if size += t.size + messageFrame; len(last.Messages) == chunkMessages || size > chunkBytes {
			chunks, size = append(chunks, base), t.size+messageFrame
			last = &chunks[len(chunks)-1]
		}
		last.Messages = append(last.Messages, t.message(key, speaker))
	}
	chunks[len(chunks)-1].EndedAt = graph.Some(to)
	return chunks
}

// message is the turn as the speaker's memory has it.
func (t *importTurn) message(source, speaker string) graph.MessageWrite {
	role := "other"
	if t.speaker == speaker {
		role = "user"
	}
	return graph.MessageWrite{
		EntityKey: source + "/" + t.id, Role: role, Name: t.speaker, Text: t.text, At: graph.Some(t.at),
	}
}

// check finds what the service would refuse of the requests for a speaker, and reports it by line.
func (s *importSession) check(speaker string, persons *graph.MemoryWrite, now time.Time, report func(line int, message string)) bool {
	scope := graph.Scope{UserID: userOf(s.conversation, speaker)}
	faults := faultsOf(persons.Validate(scope, now))
	for _, f := range faults {
		report(s.line, "the persons of the session: "+f.Location+" "+f.Message)
	}
	done := 0
	for _, chunk := range s.sources(speaker) {
		found := faultsOf(chunk.Validate(scope, now))
		for _, f := range found {
			s.reportChunk(f, done, report)
		}
		faults = append(faults, found...)
		done += len(chunk.Messages)
	}
	return len(faults) == 0
}

// reportChunk reports a fault of a request whose first message is the turn of number done.
func (s *importSession) reportChunk(f graph.FieldError, done int, report func(line int, message string)) {
	var (
		index int
		field string
	)
	if n, _ := fmt.Sscanf(f.Location, "messages[%d].%s", &index, &field); n == 2 {
		report(s.turns[done+index].line, field+" "+f.Message)
		return
	}
	report(s.line, f.Location+" "+f.Message)
}

func faultsOf(err error) []graph.FieldError {
	var invalid *graph.InvalidError
	if errors.As(err, &invalid) {
		return invalid.Fields
	}
	return nil
}
