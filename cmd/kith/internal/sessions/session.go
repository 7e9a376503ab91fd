package sessions

import (
	"errors"
	"slices"
	"time"

	"kith/graph"
	"kith/internal/fault"
)

// Limits of one request, well below the service's defaults.
const (
	chunkMessages = 1_000
	chunkBytes    = 4 << 20
	messageFrame  = 512 // estimated bytes of a message's key, role and time
)

// spreadTimes sets turns that all have the same time one second apart, so that they keep their order. Many files have
// only the time at which a session began.
func (s *session) spreadTimes() {
	for _, t := range s.turns {
		if !t.at.Equal(s.turns[0].at) {
			return
		}
	}
	for i := range s.turns {
		s.turns[i].at = s.turns[i].at.Add(time.Duration(i) * time.Second)
	}
}

// timeRange returns the times of the earliest and the latest turn.
func (s *session) timeRange() (from, to time.Time) {
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

// speakers returns the speakers of the session in the order of their first turns.
func (s *session) speakers() []string {
	var names []string
	for _, t := range s.turns {
		if !slices.Contains(names, t.speaker) {
			names = append(names, t.speaker)
		}
	}
	return names
}

// speakerUserID returns the user id of a speaker. A speaker of two conversations becomes two users.
func speakerUserID(conversation, speaker string) string { return conversation + "/" + speaker }

func personKey(user, name string) string { return user + "/person/" + name }

// sourceWrites returns the requests that store the session in a speaker's memory, as one source. Only the last request
// sets the end of the source, so that an incomplete source stays open. Appending messages to an open conversation would
// not work for a second import, because an ended conversation accepts no messages.
func (s *session) sourceWrites(speaker string) []graph.SourceWrite {
	user := speakerUserID(s.conversation, speaker)
	key := user + "/session-" + s.name
	from, to := s.timeRange()
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
		last.Messages = append(last.Messages, t.messageWrite(key, speaker))
	}
	chunks[len(chunks)-1].EndedAt = graph.Some(to)
	return chunks
}

// messageWrite returns the turn as a message in the speaker's memory.
func (t *turn) messageWrite(source, speaker string) graph.MessageWrite {
	role := "other"
	if t.speaker == speaker {
		role = "user"
	}
	return graph.MessageWrite{
		EntityKey: source + "/" + t.id, Role: role, Name: t.speaker, Text: t.text, At: graph.Some(t.at),
	}
}

// check reports, by line, what the service would refuse of the requests for a speaker. It returns whether there is nothing.
func (s *session) check(speaker string, persons *graph.MemoryWrite, now time.Time, report func(line int, message string)) bool {
	scope := graph.Scope{UserID: speakerUserID(s.conversation, speaker)}
	faults := fieldErrors(persons.Validate(scope, now))
	for _, f := range faults {
		report(s.line, "persons of the session: "+f.Path.String()+" "+f.Message)
	}
	done := 0
	for _, chunk := range s.sourceWrites(speaker) {
		found := fieldErrors(chunk.Validate(scope, now))
		for _, f := range found {
			s.reportChunk(f, done, report)
		}
		faults = append(faults, found...)
		done += len(chunk.Messages)
	}
	return len(faults) == 0
}

// reportChunk reports a fault of a request whose first message is the turn with index done.
func (s *session) reportChunk(f fault.FieldError, done int, report func(line int, message string)) {
	if i, field, ok := f.Path.Item("messages"); ok {
		report(s.turns[done+i].line, field.String()+" "+f.Message)
		return
	}
	report(s.line, f.Path.String()+" "+f.Message)
}

func fieldErrors(err error) []fault.FieldError {
	var invalid *fault.InvalidError
	if errors.As(err, &invalid) {
		return invalid.Fields
	}
	return nil
}
