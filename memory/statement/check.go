package statement

import (
	"fmt"
	"strings"
	"time"

	"kith/graph"
	"kith/internal/bounds"
	"kith/internal/fault"
	"kith/text/recognise"
)

// Bounds of statements of an import, beside those of their texts.
const (
	maxKey     = 300   // characters of a key: that of the message, and where the statement begins there
	maxSubject = 1_000 // bytes, more than a search makes: an index has the topic, which names the subject
)

// keyOf returns the key of the statement that begins at a place in a message.
func keyOf(message string, from int64) string { return fmt.Sprintf("%s#%d", message, from) }

// CheckStatement returns the faults of a statement of an import that can be found without the database. One that names no user is
// the scope's.
func (s *Store) CheckStatement(l *Line, scope graph.Scope) []fault.FieldError {
	f := &fault.List{}
	if !l.UserID.Given {
		l.UserID = graph.Some(scope.UserID)
	}
	if user := l.UserID.Value; !fault.ValidKey(user) {
		f.Add(fault.At("user_id"), fault.Required, "is required for a statement")
	} else {
		scope.CheckImported(f, user)
	}
	f.OneOf(fault.At("kind"), l.Kind, string(recognise.Instruction), string(recognise.Preference), string(recognise.Fact), string(recognise.Plan))
	f.OneOf(fault.At("polarity"), l.Polarity, Polarity(false), Polarity(true))
	f.OneOf(fault.At("state"), l.State, Candidate, Active, Confirmed, Refused)
	f.Share(fault.At("confidence"), l.Confidence)
	f.Between(fault.At("renewals"), l.Renewals, 0, graph.MaxNumber)
	l.checkPlace(f)
	l.checkTexts(f)
	l.checkTimes(f, s.graph.Now())
	return f.Fields()
}

// checkPlace checks where the statement is. Its key follows from that: another one could take the key of another statement.
func (l *Line) checkPlace(f *fault.List) {
	f.Key(fault.At("source"), l.Source)
	f.Key(fault.At("message"), l.Message)
	if l.From < 0 || l.From >= bounds.MessageLength {
		f.Between(fault.At("from"), l.From, 0, bounds.MessageLength-1)
	} else {
		f.Between(fault.At("to"), l.To, l.From+1, bounds.MessageLength)
	}
	if f.Word(fault.At("key"), l.Key, maxKey) && l.Key != keyOf(l.Message, l.From) {
		f.Add(fault.At("key"), fault.Malformed, "must be the key of the message, # and from")
	}
}

func (l *Line) checkTexts(f *fault.List) {
	if checkText(f, "text", l.Text, recognise.MaxBytes) {
		f.NotBlank(fault.At("text"), l.Text)
	}
	checkText(f, "subject", l.Subject, maxSubject)
	group := groupOf(l.Kind)
	if checkText(f, "topic", l.Topic, len(group)+1+maxSubject) && l.Topic != "" && !strings.HasPrefix(l.Topic, group+" ") {
		f.Add(fault.At("topic"), fault.Malformed, "must begin with %s, which follows from the kind", group)
	}
}

// checkText checks a text of at most some bytes, and reports whether it is one.
func checkText(f *fault.List, field, text string, most int) bool {
	return f.Bytes(fault.At(field), len(text), most) && f.Text(fault.At(field), text, most)
}

func (l *Line) checkTimes(f *fault.List, now time.Time) {
	f.Past(fault.At("at"), l.At, now)
	l.checkLater(f, "renewed_at", l.RenewedAt, now)
	l.checkLater(f, "valid_to", l.ValidTo, now)
}

// checkLater checks an optional time that is not before that of the statement.
func (l *Line) checkLater(f *fault.List, field string, t *time.Time, now time.Time) {
	if t == nil {
		return
	}
	if f.Past(fault.At(field), *t, now); t.Before(l.At) {
		f.Add(fault.At(field), fault.OutOfRange, "must not be before at")
	}
}
