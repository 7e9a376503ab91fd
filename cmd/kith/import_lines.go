package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	faulty             bool // nothing of it may be stored
	size               int  // bytes of its lines
	ids                map[string]int
}

type importTurn struct {
	line, size        int // number and bytes of the line
	id, speaker, text string
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
	if first, again := session.ids[turn.id]; again && turn.id != "" {
		faults = append(faults, fmt.Sprintf("id is that of line %d", first))
	}
	session.ids[turn.id] = turn.line
	if session.size += turn.size; session.size > largestSession && session.size-turn.size <= largestSession {
		faults = append(faults, fmt.Sprintf("the session has more than %d bytes", largestSession))
	}
	if len(faults) > 0 {
		r.report(r.line, strings.Join(faults, "; "))
		session.drop()
	}
	if !session.faulty {
		session.turns = append(session.turns, turn)
	}
}

// drop marks a session as faulty, and forgets what would not be stored.
func (s *importSession) drop() { s.faulty, s.turns = true, nil }

// importLine is a line as it is written. Pointers tell what is missing from what is empty.
type importLine struct {
	Conversation, Time, Speaker, Text *string
	Session, ID                       json.RawMessage
}

// parse reads a line. Where is empty if the line does not say to which session it belongs.
func (r *sessionReader) parse(raw []byte) (where [2]string, turn importTurn, faults []string) {
	var (
		line  importLine
		wrong *json.UnmarshalTypeError
	)
	if err := json.Unmarshal(raw, &line); errors.As(err, &wrong) && wrong.Field != "" {
		faults = append(faults, strings.ToLower(wrong.Field)+" must be a string")
	} else if err != nil {
		return where, turn, []string{"is not a JSON object: " + err.Error()}
	}
	needed := func(name string, value *string) string {
		if value == nil || strings.TrimSpace(*value) == "" {
			faults = append(faults, name+" is missing")
			return ""
		}
		return *value
	}
	word := func(name string, value json.RawMessage) string {
		text, ok := stringOrNumber(value)
		if !ok {
			faults = append(faults, name+" must be a number or a string")
		}
		return text
	}
	turn = importTurn{line: r.line, size: len(raw), id: word("id", line.ID)}
	conversation, session := needed("conversation", line.Conversation), word("session", line.Session)
	session = needed("session", &session)
	if turn.speaker = needed("speaker", line.Speaker); strings.Contains(turn.speaker, "/") {
		faults = append(faults, "speaker must not contain a slash") // it separates the parts of a user's id
	}
	if line.Text == nil {
		faults = append(faults, "text is missing")
	} else {
		turn.text = *line.Text
	}
	if written := needed("time", line.Time); written != "" {
		at, err := time.Parse(r.layout, written)
		if err != nil {
			faults = append(faults, "time is not written as "+r.layout)
		}
		turn.at = at.UTC()
	}
	if conversation != "" && session != "" {
		where = [2]string{conversation, session}
	}
	return where, turn, faults
}

// stringOrNumber is the text of a JSON string or number; of what is missing, an empty one.
func stringOrNumber(raw json.RawMessage) (text string, ok bool) {
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return "", true
	case raw[0] == '"':
		return text, json.Unmarshal(raw, &text) == nil
	case raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9':
		return string(raw), true
	}
	return "", false
}
