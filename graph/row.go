package graph

import (
	"encoding/json"
	"fmt"
	"time"

	"kith/neo"
)

// Statements return lists instead of maps, so that field names are not sent and allocated with every row. The order
// of each list is defined in its .cypher file.

func text(v any) string {
	s, _ := v.(string)
	return s
}

func optionalText(v any) *string {
	if s, ok := v.(string); ok {
		return &s
	}
	return nil
}

func number(v any) float64 {
	switch n := v.(type) {
	case float64:
		return n
	case int64:
		return float64(n)
	}
	return 0
}

func integer(v any) int64 {
	n, _ := v.(int64)
	return n
}

func optionalInteger(v any) *int64 {
	if n, ok := v.(int64); ok {
		return &n
	}
	return nil
}

func truth(v any) bool {
	b, _ := v.(bool)
	return b
}

func moment(v any) time.Time {
	t, _ := v.(time.Time)
	return t.UTC()
}

func optionalMoment(v any) *time.Time {
	if t, ok := v.(time.Time); ok {
		t = t.UTC()
		return &t
	}
	return nil
}

func items(v any) []any {
	l, _ := v.([]any)
	return l
}

func texts(v any) []string {
	l := items(v)
	out := make([]string, len(l))
	for i := range l {
		out[i] = text(l[i])
	}
	return out
}

// millis converts milliseconds since 1970 to a time. They cost a third of the driver's date values.
func millis(v any) time.Time { return time.UnixMilli(integer(v)).UTC() }

func optionalMillis(v any) *time.Time {
	if ms, ok := v.(int64); ok {
		t := time.UnixMilli(ms).UTC()
		return &t
	}
	return nil
}

// knowledge are the labels that statements return as a number.
var knowledge = [...]string{personKind.Label, conceptKind.Label, entityKind.Label}

func knowledgeLabel(v any) string {
	if i, ok := v.(int64); ok && i >= 0 && int(i) < len(knowledge) {
		return knowledge[i]
	}
	return ""
}

// nodeFields is the number of list values of a node.
const nodeFields = 20

// fixedLists reads lists of known lengths. It keeps the first error.
type fixedLists struct{ err error }

// of returns a list of n values. Any other value is an error, and n nulls are returned.
func (f *fixedLists) of(v any, n int) []any {
	l := items(v)
	if len(l) == n {
		return l
	}
	if f.err == nil {
		f.err = fmt.Errorf("a list of %d values, want %d: %w", len(l), n, neo.ErrStatement)
	}
	return make([]any, n)
}

// nodeFrom reads the fields of a node at the start of a list, with current salience and state. A node that is not
// shared belongs to user.
func nodeFrom(l []any, user *string, now time.Time) Node {
	alive := vitality{salience: number(l[10]), rate: number(l[11]), at: millis(l[12]), state: text(l[8]), expires: optionalMillis(l[13])}
	n := Node{
		EntityKey: text(l[0]), UserID: user, Name: text(l[2]), CanonicalName: text(l[3]),
		Type: text(l[4]), Description: text(l[5]), IsOwner: truth(l[6]), IsGoal: truth(l[7]),
		State: alive.stateAt(now), TTLPolicy: text(l[9]), Salience: told(alive.current(now)), Confidence: number(l[14]),
		AccessCount: integer(l[15]), LastAccessedAt: optionalMillis(l[16]),
		CreatedAt: millis(l[17]), UpdatedAt: millis(l[18]),
	}
	if truth(l[1]) {
		n.UserID = nil
	}
	if properties := text(l[19]); properties != "" {
		n.Properties = json.RawMessage(properties)
	}
	return n
}
