package chatlog

import (
	"errors"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"kith/exchange/transcript"
	"kith/internal/jsonline"
)

// maxSessions is how many bytes the messages of a file of sessions may have, each with its id and messageFrame. They are held in
// memory until the file has been read, as the lines of two sessions may be mixed.
const (
	maxSessions  = 256 << 20
	messageFrame = 256 // what is held of a message or a session beside its texts
	linkFrame    = 64  // what is held of a line beside its id and that of the line before
)

const maxSessionID = 100 // characters; it is a part of the keys of messages

// maxFaults is how many lines with a fault are held with what is wrong with them.
const maxFaults = 1000

// sessions reads sessions of Claude Code. A line with a fault is refused alone: each line is a message.
type sessions struct {
	in        *transcript.Reader
	lines     jsonline.Counter
	limit     int // bytes of messages
	now       time.Time
	parents   map[string]string // of lines, by their ids
	followed  int               // bytes of parents
	faults    []*Fault
	more      int             // lines with a fault after those
	wrongTime bool            // of the message that is being read
	ready     []*Conversation // in the order of their first messages
	ended     bool
}

func newSessions(in io.Reader, now time.Time) *sessions {
	s := &sessions{limit: maxSessions, now: now, parents: map[string]string{}}
	s.in = transcript.NewReader(io.TeeReader(in, &s.lines), 0, s.record)
	s.in.Follows = func(id, parent string) {
		s.parents[id] = parent
		s.followed += len(id) + len(parent) + linkFrame
	}
	return s
}

// record records a fault. A line whose time is wrong is not refused: its message is taken.
func (s *sessions) record(f transcript.Fault) {
	switch {
	case f.Time:
		s.wrongTime = true
	case len(s.faults) < maxFaults:
		s.faults = append(s.faults, &Fault{fmt.Sprintf("line %d", f.Line), f.Message})
	default:
		s.more++
	}
}

func (s *sessions) next() (*Conversation, error) {
	if !s.ended {
		if err := s.readAll(); err != nil {
			return nil, err
		}
		s.ended = true
	}
	switch {
	case len(s.faults) > 0:
		f := s.faults[0]
		s.faults = s.faults[1:]
		return nil, f
	case s.more > 0:
		s.more--
		return nil, &Fault{"a further line", "has a fault"}
	case len(s.ready) == 0:
		return nil, io.EOF
	}
	c := s.ready[0]
	s.ready = s.ready[1:]
	if utf8.RuneCountInString(c.ID) > maxSessionID {
		return nil, &Fault{c.Place, fmt.Sprintf("its session id must have at most %d characters", maxSessionID)}
	}
	if err := c.settle(s.now); err != nil {
		return nil, err
	}
	return c, nil
}

func (s *sessions) readAll() error {
	byID := map[string]*Conversation{}
	known := map[[2]string]bool{}
	messages, size := 0, 0
	for {
		s.wrongTime = false
		m, err := s.in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		c := byID[m.Session]
		if c == nil {
			c = &Conversation{Place: fmt.Sprintf("the session of line %d", m.Line), ID: m.Session, NotTaken: map[Reason]int64{}}
			byID[m.Session], s.ready = c, append(s.ready, c)
			size += len(m.Session) + messageFrame
		}
		messages++
		if at := [2]string{c.ID, m.ID}; !known[at] {
			known[at] = true
			size += len(m.ID) + len(m.Text) + messageFrame
			c.Messages = append(c.Messages, Message{ID: m.ID, Role: m.Role, Text: m.Text, At: m.At})
			c.parents = append(c.parents, m.Parent)
			if s.wrongTime {
				c.NotTaken[WrongTime]++
			}
		}
		if size+s.followed > s.limit {
			return fmt.Errorf("the messages of the file exceed %d bytes; each counts with its id and %d bytes more", s.limit, messageFrame)
		}
	}
	for _, c := range s.ready {
		s.dropRewound(c)
	}
	if others := s.lines.Lines() - messages - len(s.faults) - s.more; others > 0 {
		if len(s.ready) == 0 {
			s.ready = []*Conversation{{Place: "the file", NotTaken: map[Reason]int64{}}}
		}
		s.ready[0].NotTaken[OtherLines] = int64(others)
	}
	return nil
}

// dropRewound removes the messages of branches that the user went back from: of several messages of the user that follow the same line
// only that with the last message after it, or the last one, was what the user went on with. Tools also answer beside the branch.
func (s *sessions) dropRewound(c *Conversation) {
	on := map[string]bool{} // lines before the last message
	if n := len(c.Messages); n > 0 {
		for id := c.Messages[n-1].ID; id != "" && !on[id]; id = s.parents[id] {
			on[id] = true
		}
	}
	taken := map[string]string{} // message of the user by the line that it follows
	for i, m := range c.Messages {
		if parent := c.parents[i]; m.Role == userRole && parent != "" && !on[taken[parent]] {
			taken[parent] = m.ID
		}
	}
	left := map[string]bool{} // whether a line is on such a branch
	for i, m := range c.Messages {
		if parent := c.parents[i]; m.Role == userRole && parent != "" && taken[parent] != m.ID {
			left[m.ID] = true
		}
	}
	if len(left) == 0 {
		return
	}
	kept := c.Messages[:0]
	for _, m := range c.Messages {
		if s.isLeft(m.ID, left) {
			c.NotTaken[OtherBranches]++
			continue
		}
		kept = append(kept, m)
	}
	c.Messages = kept
}

// isLeft reports whether a line follows one that is left, at any distance.
func (s *sessions) isLeft(id string, left map[string]bool) bool {
	var passed []string
	answer, known := left[id]
	for !known {
		passed, left[id] = append(passed, id), false // also ends a ring
		parent, follows := s.parents[id]
		if !follows {
			break
		}
		id = parent
		answer, known = left[id]
	}
	for _, id := range passed {
		left[id] = answer
	}
	return answer
}
