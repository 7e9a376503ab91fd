// Package statement keeps what users said to remember: standing instructions, preferences, facts about themselves and plans. Listener
// finds statements in messages, and stores them in the transaction that stores the messages.
package statement

import (
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"kith/text/recognise"
)

// Statement is something that a user said to remember, as callers see it.
type Statement struct {
	Key        string     `json:"key"`
	Kind       string     `json:"kind" enum:"instruction,preference,fact,plan"`
	Text       string     `json:"text" doc:"the user's words"`
	Polarity   string     `json:"polarity" enum:"positive,negative" doc:"negative: a dislike, or something that should not be done"`
	State      string     `json:"state" enum:"candidate,active,confirmed,refused" doc:"candidate or active by confidence; confirmed or refused by a caller"`
	Confidence float64    `json:"confidence" doc:"0 to 1"`
	Renewals   int64      `json:"renewals" doc:"how often the user said it again"`
	Source     string     `json:"source" doc:"key of the source of the message"`
	Message    string     `json:"message" doc:"key of the message"`
	From       int64      `json:"from" doc:"where the text begins in the message, in code points"`
	To         int64      `json:"to" doc:"where it ends"`
	At         time.Time  `json:"at" doc:"when it was said"`
	ValidTo    *time.Time `json:"valid_to" doc:"when something else was said instead; null: it holds"`
}

// The states of a statement.
const (
	Candidate = "candidate"
	Active    = "active"
	Confirmed = "confirmed"
	Refused   = "refused"
)

// sure is the confidence from which a statement is active.
const sure = 0.7

// The groups of statements in contexts: instructions and preferences; facts and plans.
const (
	standing = "standing"
	facts    = "facts"
)

// Stands reports whether a statement is a standing instruction or a preference.
func (s *Statement) Stands() bool { return stands(s.Kind) }

func stands(kind string) bool {
	return kind == string(recognise.Instruction) || kind == string(recognise.Preference)
}

// row is a stored statement, with all that a change needs.
type row struct {
	Key, Topic, Subject, Text string
	Negative                  bool
	State, Kind               string
	Confidence                float64
	Renewals                  int64
	At                        time.Time
	RenewedAt                 *time.Time
}

// said is the last time at which the user said it.
func (r *row) said() time.Time {
	if r.RenewedAt != nil && r.RenewedAt.After(r.At) {
		return *r.RenewedAt
	}
	return r.At
}

// groupOf returns the group of the statements of a kind.
func groupOf(kind string) string {
	if stands(kind) {
		return standing
	}
	return facts
}

// group returns the group in which contexts show a statement that holds; nil if they do not.
func (r *row) group() any {
	if r.State == Refused {
		return nil
	}
	return groupOf(r.Kind)
}

// Salience of statements: that of instructions and preferences fades slower than that of facts and plans.
const (
	standingTime = 2 * 365 * 24 * time.Hour // in which it falls to 1/e
	factTime     = 180 * 24 * time.Hour
	renewalWorth = 0.3
	leastWorth   = 0.01 // of a statement with the confidence 0: a logarithm needs more than nothing
)

// weights has the worth of a sure statement of a kind.
var weights = map[string]float64{ //nolint:gochecknoglobals // a constant table
	string(recognise.Instruction): 4, string(recognise.Preference): 3, string(recognise.Plan): 1, string(recognise.Fact): 1,
}

// rank orders the statements of a group: by kind, confidence, renewals and time. As all of a group fade alike, the order never
// changes, and the rank is the logarithm of the salience at a fixed time.
func (r *row) rank() float64 {
	worth := weights[r.Kind]*r.Confidence + renewalWorth*float64(r.Renewals)
	fading := standingTime
	if r.group() == facts {
		worth, fading = (worth+details(r.Text))/math.Sqrt(math.Max(1, float64(len(strings.Fields(r.Text)))/16)), factTime
	}
	return math.Log(math.Max(worth, leastWorth)) + float64(r.said().UnixMilli())/float64(fading.Milliseconds())
}

// details returns the worth of numbers and names in a text: questions ask for them later.
func details(text string) float64 {
	numbers, names := 0, 0
	for i, word := range strings.Fields(text) {
		first := []rune(word)[0]
		switch {
		case strings.IndexFunc(word, unicode.IsDigit) >= 0:
			numbers++
		case i > 0 && unicode.IsUpper(first):
			names++
		}
	}
	return 0.15*float64(min(numbers, 4)) + 0.1*float64(min(names, 4))
}

// topicOf returns what a statement is about, whatever it says about it: a new statement about the same renews the older one or
// takes its place. Empty: nothing in particular.
func topicOf(s *recognise.Statement) string {
	group := groupOf(string(s.Kind))
	if s.Single {
		return group + " " + s.About
	}
	return topicOfWords(group, s.Subject)
}

func topicOfWords(group, subject string) string {
	words := strings.Fields(subject)
	slices.Sort(words)
	if len(words) == 0 {
		return ""
	}
	return group + " " + strings.Join(words, " ")
}

// topicsBack returns the topics of the statements that a statement may take back, in the order in which they are tried: those of
// all its words, then those without one of them, which may be the verb of "I work at …".
func topicsBack(s *recognise.Statement) (tries [][]string) {
	words := strings.Fields(s.Subject)
	tries = append(tries, bothTopics(words))
	var without []string
	for i := range words {
		without = append(without, bothTopics(slices.Delete(slices.Clone(words), i, i+1))...)
	}
	for _, about := range single {
		without = append(without, facts+" "+about)
	}
	return append(tries, without)
}

func bothTopics(words []string) []string {
	if len(words) == 0 {
		return nil
	}
	subject := strings.Join(words, " ")
	return []string{topicOfWords(standing, subject), topicOfWords(facts, subject)}
}

// single has the facts that a user has only one of.
var single = []string{"name", "birthday", "age", "home"}
