package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"kith/internal/bounds"
	"kith/internal/fault"
)

// passage is a text to find: a passage of a document, or a turn of a conversation. Only turns have the fields from
// Conversation on.
type passage struct {
	ID, Text, Title                      string
	Conversation, Speaker, Time, Caption string
	Role                                 string          // user or assistant; empty: user for the first speaker of the conversation
	Session                              json.RawMessage // a number or a string
}

func (p passage) id() (field, value string) { return "id", p.ID }

func (p passage) check(set *dataset) error {
	if len(set.known) == 0 {
		set.dialogue = p.Conversation != ""
	}
	set.known[p.ID] = p.Conversation
	switch {
	case !fault.ValidKey(p.ID):
		return errors.New("id must have 1 to 256 characters and no control characters")
	case strings.TrimSpace(p.Text) == "":
		return errors.New("text is missing")
	case set.dialogue != (p.Conversation != ""):
		return errors.New("all lines must have a conversation, or none")
	case set.dialogue:
		return p.checkTurn()
	}
	return errors.Join(checkText("text", p.Text, bounds.MessageLength), checkText("title", p.Title, bounds.NameLength))
}

func (p passage) checkTurn() error {
	if _, err := p.parseTime(); err != nil {
		return err
	}
	switch {
	case !fault.ValidKey(p.Conversation):
		return errors.New("conversation must have at most 256 characters and no control characters")
	case len(p.Session) == 0:
		return errors.New("session is missing")
	case p.Speaker == "":
		return errors.New("speaker is missing")
	case p.Role != "" && p.Role != userRole && p.Role != assistantRole:
		return errors.New("role must be user or assistant")
	}
	return errors.Join(checkText("speaker", p.Speaker, bounds.NameLength), checkText("text with caption", p.spokenText(), bounds.MessageLength))
}

// timeLayouts lists the accepted layouts of times.
var timeLayouts = []string{time.RFC3339, "3:04 pm on 2 January, 2006"}

func (p passage) parseTime() (time.Time, error) {
	for _, layout := range timeLayouts {
		if at, err := time.Parse(layout, p.Time); err == nil {
			return at.UTC(), nil
		}
	}
	return time.Time{}, errors.New("time is not written as " + strings.Join(timeLayouts, " or "))
}

// spokenText returns the text of a turn, with the caption of its photo.
func (p passage) spokenText() string {
	if p.Caption == "" {
		return p.Text
	}
	return p.Text + " [photo: " + p.Caption + "]"
}

// checkText checks an optional text.
func checkText(field, value string, limit int) error {
	switch {
	case utf8.RuneCountInString(value) > limit:
		return fmt.Errorf("%s must have at most %d characters", field, limit)
	case strings.ContainsRune(value, 0):
		return fmt.Errorf("%s must not contain NUL characters", field)
	}
	return nil
}

// question is a question with the ids of the passages that answer it.
type question struct {
	QID, Question, Conversation, Category string
	Asked                                 string // RFC 3339; empty: now
	Answer                                string
	Says                                  string // the words of the instruction or preference that the question is about
	Gold                                  []string
}

func (q question) id() (field, value string) { return "qid", q.QID }

func (q question) check(set *dataset) error {
	switch {
	case q.QID == "":
		return errors.New("qid is missing")
	case strings.TrimSpace(q.Question) == "":
		return errors.New("question is missing")
	case len(q.Gold) == 0:
		return errors.New("gold is missing")
	}
	if _, err := time.Parse(time.RFC3339, q.Asked); q.Asked != "" && err != nil {
		return errors.New("asked is not written as " + time.RFC3339)
	}
	for i, id := range q.Gold {
		conversation, known := set.known[id]
		switch {
		case !known:
			return fmt.Errorf("gold[%d] is not the id of a passage", i)
		case conversation != q.Conversation:
			return fmt.Errorf("gold[%d] belongs to another conversation", i)
		}
	}
	return nil
}

// passageTriples holds the entities of a passage, and triples of subject, predicate and object.
type passageTriples struct {
	Passage  string
	Entities []string
	Triples  [][]string
}

func (t passageTriples) id() (field, value string) { return "passage", t.Passage }

func (t passageTriples) check(set *dataset) error {
	if _, known := set.known[t.Passage]; !known {
		return errors.New("passage is not the id of a passage")
	}
	if set.dialogue {
		return errors.New("triples are not allowed for turns of conversations")
	}
	for i, name := range t.Entities {
		if err := checkName(fmt.Sprintf("entities[%d]", i), name); err != nil {
			return err
		}
	}
	for i, triple := range t.Triples {
		if len(triple) != 3 {
			return fmt.Errorf("triples[%d] must have a subject, a predicate and an object", i)
		}
		for n, name := range triple {
			if err := checkName(fmt.Sprintf("triples[%d][%d]", i, n), name); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkName(field, value string) error {
	if strings.TrimSpace(value) == "" {
		return errors.New(field + " is missing")
	}
	return checkText(field, value, bounds.NameLength)
}
