package main

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// importLine is a line as it is written. Pointers tell what is missing from what is empty.
type importLine struct {
	Conversation, Time, Speaker, Text *string
	Session, ID                       json.RawMessage
}

// lineParser reads the fields of one line, and collects what is wrong with them.
type lineParser struct {
	importLine
	faults []string
	wrong  string // the field that is not a string
}

// parse reads a line. Where is empty if the line does not say to which session it belongs.
func (r *sessionReader) parse(raw []byte) (where [2]string, turn importTurn, faults []string) {
	p := &lineParser{}
	if fault := p.decode(raw); fault != "" {
		return where, turn, []string{fault}
	}
	where = [2]string{p.needed("conversation", p.Conversation), p.sessionName()}
	if slices.Contains(where[:], "") {
		where = [2]string{}
	}
	turn = importTurn{line: r.line, size: len(raw), id: p.word("id", p.ID), speaker: p.needed("speaker", p.Speaker)}
	if strings.Contains(turn.speaker, "/") {
		p.fault("speaker must not contain a slash") // it separates the parts of a user's id
	}
	if p.Text == nil && p.wrong != "text" {
		p.fault("text is missing")
	} else if p.Text != nil {
		turn.text = *p.Text
	}
	if written := p.needed("time", p.Time); written != "" {
		at, err := time.Parse(r.layout, written)
		if err != nil {
			p.fault("time is not written as " + r.layout)
		}
		turn.at = at.UTC()
	}
	return where, turn, p.faults
}

// decode returns what makes the line unreadable as a whole; a field of a wrong type is noted.
func (p *lineParser) decode(raw []byte) string {
	wrong, fault := decodeLine(raw, &p.importLine)
	if wrong != nil {
		p.wrong = strings.ToLower(wrong.Field)
		p.fault(p.wrong + " must be a string")
	}
	return fault
}

// decodeLine reads a JSON object. Fault is what makes it unreadable as a whole, wrong tells of a field of another type.
func decodeLine(raw []byte, into any) (wrong *json.UnmarshalTypeError, fault string) {
	if !utf8.Valid(raw) { // the decoder would quietly replace what is not
		return nil, "is not valid UTF-8"
	}
	switch err := json.Unmarshal(raw, into); {
	case errors.As(err, &wrong) && wrong.Field != "":
		return wrong, ""
	case wrong != nil:
		return nil, "is not a JSON object"
	case err != nil:
		return nil, "is not valid JSON: " + err.Error()
	}
	return nil, ""
}

func (p *lineParser) fault(message string) { p.faults = append(p.faults, message) }

// needed is the value of a field that must not be left out or blank.
func (p *lineParser) needed(name string, value *string) string {
	if value != nil && strings.TrimSpace(*value) != "" {
		return *value
	}
	if p.wrong != name {
		p.fault(name + " is missing")
	}
	return ""
}

func (p *lineParser) sessionName() string {
	faults := len(p.faults)
	name := p.word("session", p.Session)
	if len(p.faults) > faults {
		return ""
	}
	return p.needed("session", &name)
}

// word is the text of a JSON string or number; of what is left out, an empty one.
func (p *lineParser) word(name string, raw json.RawMessage) (text string) {
	switch {
	case len(raw) == 0 || string(raw) == "null":
	case raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9':
		return string(raw)
	case raw[0] != '"' || json.Unmarshal(raw, &text) != nil:
		p.fault(name + " must be a number or a string")
	}
	return text
}
