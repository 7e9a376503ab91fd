package chatlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"kith/internal/transcript"
)

// maxSessions is how many bytes the texts of a file of sessions may have. They are held in memory until the file has been read, as
// the lines of two sessions may be mixed.
const maxSessions = 256 << 20

const maxSessionID = 100 // characters; it is a part of the keys of messages

// sessions reads sessions of Claude Code. A line with a fault is refused alone: each line is a message.
type sessions struct {
	in     *transcript.Reader
	lines  *lineCounter
	now    time.Time
	faults []*Fault
	ready  []*Conversation // in the order of their first messages
	ended  bool
}

func newSessions(in io.Reader, now time.Time) *sessions {
	s := &sessions{lines: &lineCounter{in: in}, now: now}
	s.in = transcript.NewReader(s.lines, 0, func(f transcript.Fault) {
		s.faults = append(s.faults, &Fault{fmt.Sprintf("line %d", f.Line), f.Message})
	})
	return s
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
		}
		messages++
		if at := [2]string{m.Session, m.ID}; !known[at] {
			known[at] = true
			c.Messages = append(c.Messages, Message{ID: m.ID, Role: m.Role, Text: m.Text, At: m.At})
		}
		if size += len(m.Text); size > maxSessions {
			return fmt.Errorf("the texts of the file exceed %d bytes", maxSessions)
		}
	}
	if others := s.lines.count() - messages - len(s.faults); others > 0 {
		if len(s.ready) == 0 {
			s.ready = []*Conversation{{Place: "the file", NotTaken: map[Reason]int64{}}}
		}
		s.ready[0].NotTaken[OtherLines] = int64(others)
	}
	return nil
}

// lineCounter counts the lines that are read. The last one may lack its line break.
type lineCounter struct {
	in    io.Reader
	ended int
	open  bool
}

// Read reads from the underlying reader.
func (l *lineCounter) Read(p []byte) (int, error) {
	n, err := l.in.Read(p)
	l.ended += bytes.Count(p[:n], []byte("\n"))
	if n > 0 {
		l.open = p[n-1] != '\n'
	}
	return n, err
}

func (l *lineCounter) count() int {
	if l.open {
		return l.ended + 1
	}
	return l.ended
}
