package sessions

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"kith/internal/jsonline"
)

// fields is a line of the file. Its pointers distinguish missing from empty fields.
type fields struct {
	Conversation, Time, Speaker, Text *string
	Session, ID                       json.RawMessage
}

// lineParser parses the fields of a line and collects their faults.
type lineParser struct {
	fields
	faults     []string
	wrongField string // the first field with another type than string
}

// parse parses a line. Where is its conversation and session, empty if one of them is missing.
func (r *reader) parse(raw []byte) (where [2]string, parsed turn, faults []string) {
	p := &lineParser{}
	if fault := p.decode(raw); fault != "" {
		return where, parsed, []string{fault}
	}
	where = [2]string{p.requiredText("conversation", p.Conversation), p.sessionName()}
	if slices.Contains(where[:], "") {
		where = [2]string{}
	}
	parsed = turn{line: r.lines.Number, size: len(raw), id: p.textOrNumber("id", p.ID), speaker: p.requiredText("speaker", p.Speaker)}
	if strings.Contains(parsed.speaker, "/") {
		p.fault("speaker must not contain a slash") // it separates the parts of a user id
	}
	if p.Text == nil && p.wrongField != "text" {
		p.fault("text is missing")
	} else if p.Text != nil {
		parsed.text = *p.Text
	}
	if written := p.requiredText("time", p.Time); written != "" {
		at, err := time.Parse(r.layout, written)
		if err != nil {
			p.fault("time does not match the layout " + r.layout)
		}
		parsed.at = at.UTC()
	}
	return where, parsed, p.faults
}

// decode decodes the line. It returns the fault of a line that cannot be decoded, and records a field of a wrong type.
func (p *lineParser) decode(raw []byte) string {
	wrong, fault := jsonline.Decode(raw, &p.fields)
	if wrong != nil {
		p.wrongField = strings.ToLower(wrong.Field)
		p.fault(p.wrongField + " must be a string")
	}
	return fault
}

func (p *lineParser) fault(message string) { p.faults = append(p.faults, message) }

// requiredText returns the value of a required field. It records a fault if the value is missing or blank.
func (p *lineParser) requiredText(name string, value *string) string {
	if value != nil && strings.TrimSpace(*value) != "" {
		return *value
	}
	if p.wrongField != name {
		p.fault(name + " is missing")
	}
	return ""
}

func (p *lineParser) sessionName() string {
	faults := len(p.faults)
	name := p.textOrNumber("session", p.Session)
	if len(p.faults) > faults {
		return ""
	}
	return p.requiredText("session", &name)
}

// textOrNumber returns the text of a JSON string or number, or "" if it is missing.
func (p *lineParser) textOrNumber(name string, raw json.RawMessage) (text string) {
	switch {
	case len(raw) == 0 || string(raw) == "null":
	case raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9':
		return string(raw)
	case raw[0] != '"' || json.Unmarshal(raw, &text) != nil:
		p.fault(name + " must be a number or a string")
	}
	return text
}
