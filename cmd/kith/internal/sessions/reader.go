package sessions

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"kith/internal/jsonline"
)

// maxSession is the most bytes of the lines of a session. A session is buffered, so that a session with a fault is not
// stored in part.
const maxSession = 256 << 20

// session is a session of a conversation with its lines.
type session struct {
	conversation, name string
	line               int // number of its first line
	turns              []turn
	faulty             bool           // it has a fault and is not stored
	size               int            // bytes of its lines
	ids                map[string]int // id of a turn → line
}

type turn struct {
	line, size        int    // number and bytes of the line
	id, speaker, text string // id defaults to the position in the session
	at                time.Time
}

// reader reads sessions from lines, one at a time. It reports faults and marks the sessions that they may belong to.
type reader struct {
	lines  *jsonline.Reader
	layout string
	report func(line int, message string)
	next   *session          // the session begun by the last line read
	seen   map[[2]string]int // conversation and session → first line
	stray  bool              // a line after the last good one belongs to an unknown session
}

func newReader(in io.Reader, layout string, report func(line int, message string)) *reader {
	return &reader{lines: jsonline.NewReader(in, jsonline.Max), layout: layout, report: report, seen: map[[2]string]int{}}
}

// read returns the next session, or io.EOF after the last.
func (r *reader) read() (*session, error) {
	session := r.next
	r.next = nil
	for {
		raw, err := r.lines.Read()
		switch {
		case errors.Is(err, io.EOF) && session != nil:
			return session, nil
		case errors.Is(err, jsonline.ErrTooLong):
			r.reportStray(session, fmt.Sprintf("line exceeds %d bytes", jsonline.Max))
			continue
		case err != nil:
			return nil, err
		case len(raw) == 0:
			continue
		}
		where, turn, faults := r.parse(raw)
		if where == [2]string{} {
			r.reportStray(session, strings.Join(faults, "; "))
			continue
		}
		if session != nil && where == [2]string{session.conversation, session.name} {
			r.addTurn(session, turn, faults)
			r.stray = false
			continue
		}
		begun := r.newSession(where)
		r.addTurn(begun, turn, faults)
		if session != nil {
			r.next = begun
			return session, nil
		}
		session = begun
	}
}

// reportStray reports a line without a session. It may belong to the session before it or after it, so both are skipped.
func (r *reader) reportStray(session *session, message string) {
	r.report(r.lines.Number, message)
	r.stray = true
	if session != nil {
		session.markFaulty()
	}
}

func (r *reader) newSession(where [2]string) *session {
	session := &session{
		conversation: where[0], name: where[1], line: r.lines.Number, faulty: r.stray, ids: map[string]int{},
	}
	r.stray = false
	if first, again := r.seen[where]; again {
		r.report(r.lines.Number, fmt.Sprintf("belongs to the session that began in line %d; the lines of a session must be adjacent", first))
		session.faulty = true
	} else {
		r.seen[where] = r.lines.Number
	}
	return session
}

func (r *reader) addTurn(session *session, turn turn, faults []string) {
	if session.size += turn.size; session.size > maxSession && !session.faulty {
		faults = append(faults, fmt.Sprintf("session exceeds %d bytes", maxSession))
	}
	if turn.id == "" {
		turn.id = strconv.Itoa(len(session.turns) + 1)
	}
	if first, again := session.ids[turn.id]; again {
		faults = append(faults, fmt.Sprintf("id repeats that of line %d", first))
	}
	if len(faults) > 0 {
		r.report(r.lines.Number, strings.Join(faults, "; "))
		session.markFaulty()
	}
	if !session.faulty {
		session.ids[turn.id] = turn.line
		session.turns = append(session.turns, turn)
	}
}

// markFaulty marks a session as faulty and frees its turns.
func (s *session) markFaulty() { s.faulty, s.turns, s.ids = true, nil, nil }
