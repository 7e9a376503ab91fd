package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

const (
	longestLine    = 1 << 20   // bytes
	largestSession = 256 << 20 // bytes of its lines; a session is held in memory, so that one with a fault is not half stored
)

// importSession are the lines of one session of a conversation.
type importSession struct {
	conversation, name string
	line               int // its first
	turns              []importTurn
	faulty             bool           // nothing of it may be stored
	size               int            // bytes of its lines
	ids                map[string]int // → line
}

type importTurn struct {
	line, size        int    // number and bytes of the line
	id, speaker, text string // id: the position in the session where none is given
	at                time.Time
}

// sessionReader reads sessions from lines, one at a time. Faults go to report; a session that may have one is marked.
type sessionReader struct {
	lines  *bufio.Reader
	layout string
	report func(line int, message string)
	line   int               // number of the last line read
	next   *importSession    // begun by the last line read
	seen   map[[2]string]int // conversation and session → first line
	stray  bool              // since the last good line there was one that nobody can assign
}

func newSessionReader(in io.Reader, layout string, report func(line int, message string)) *sessionReader {
	return &sessionReader{
		lines: bufio.NewReaderSize(in, longestLine+2), layout: layout, report: report, seen: map[[2]string]int{},
	}
}

// read is the next session; io.EOF after the last.
func (r *sessionReader) read() (*importSession, error) {
	session := r.next
	r.next = nil
	for {
		raw, err := r.readLine()
		switch {
		case errors.Is(err, io.EOF) && session != nil:
			return session, nil
		case errors.Is(err, bufio.ErrBufferFull):
			r.lost(session, fmt.Sprintf("has more than %d bytes", longestLine))
			continue
		case err != nil:
			return nil, err
		case len(raw) == 0:
			continue
		}
		where, turn, faults := r.parse(raw)
		if where == [2]string{} {
			r.lost(session, strings.Join(faults, "; "))
			continue
		}
		if session != nil && where == [2]string{session.conversation, session.name} {
			r.add(session, turn, faults)
			r.stray = false
			continue
		}
		begun := r.begin(where)
		r.add(begun, turn, faults)
		if session != nil {
			r.next = begun
			return session, nil
		}
		session = begun
	}
}

// readLine is the next line without blanks around it. One that is too long is read to its end, and ErrBufferFull.
func (r *sessionReader) readLine() ([]byte, error) {
	raw, err := r.lines.ReadSlice('\n')
	if errors.Is(err, io.EOF) && len(raw) == 0 {
		return nil, io.EOF
	}
	r.line++
	tooLong := errors.Is(err, bufio.ErrBufferFull)
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = r.lines.ReadSlice('\n')
	}
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return nil, err
	case tooLong:
		return nil, bufio.ErrBufferFull
	}
	return bytes.TrimSpace(raw), nil
}

// lost tells of a line that nobody can assign: it may belong to the session before it or to the one after.
func (r *sessionReader) lost(session *importSession, message string) {
	r.report(r.line, message)
	r.stray = true
	if session != nil {
		session.drop()
	}
}

func (r *sessionReader) begin(where [2]string) *importSession {
	session := &importSession{
		conversation: where[0], name: where[1], line: r.line, faulty: r.stray, ids: map[string]int{},
	}
	r.stray = false
	if first, again := r.seen[where]; again {
		r.report(r.line, fmt.Sprintf("belongs to the session that began in line %d; lines of a session must stand together", first))
		session.faulty = true
	} else {
		r.seen[where] = r.line
	}
	return session
}

func (r *sessionReader) add(session *importSession, turn importTurn, faults []string) {
	if session.size += turn.size; session.size > largestSession && !session.faulty {
		faults = append(faults, fmt.Sprintf("the session has more than %d bytes", largestSession))
	}
	if turn.id == "" {
		turn.id = strconv.Itoa(len(session.turns) + 1)
	}
	if first, again := session.ids[turn.id]; again {
		faults = append(faults, fmt.Sprintf("id is that of line %d", first))
	}
	if len(faults) > 0 {
		r.report(r.line, strings.Join(faults, "; "))
		session.drop()
	}
	if !session.faulty {
		session.ids[turn.id] = turn.line
		session.turns = append(session.turns, turn)
	}
}

// drop marks a session as faulty, and forgets what would not be stored.
func (s *importSession) drop() { s.faulty, s.turns, s.ids = true, nil, nil }
