package loader

import (
	"encoding/json"
	"fmt"
	"time"

	"kith/graph"
	"kith/graph/neo"
	"kith/graph/trust"
)

// knowledge are the labels that statements return as a number.
var knowledge = [...]string{graph.PersonKind.Label, graph.ConceptKind.Label, graph.EntityKind.Label}

func knowledgeLabel(v any) string {
	if i, ok := v.(int64); ok && i >= 0 && int(i) < len(knowledge) {
		return knowledge[i]
	}
	return ""
}

// nodeFields is the number of list values of a node.
const nodeFields = 20

// trustedFrom reads the trust and the origin.
func trustedFrom(l []any) trust.Told { return trust.NewTold(l[0], neo.Text(l[1])) }

// fixedLists reads lists of known lengths. It keeps the first error.
type fixedLists struct{ err error }

// of returns a list of n values. Any other value is an error, and n nulls are returned.
func (f *fixedLists) of(v any, n int) []any {
	l := neo.List(v)
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
func nodeFrom(l []any, user *string, now time.Time) graph.Node {
	salience, state := graph.Lifetime{
		Salience: neo.Number(l[10]), DecayRate: neo.Number(l[11]), SalienceAt: neo.Integer(l[12]), State: neo.Text(l[8]), EndsAt: neo.OptionalMillis(l[13]),
	}.At(now)
	n := graph.Node{
		EntityKey: neo.Text(l[0]), UserID: user, Name: neo.Text(l[2]), CanonicalName: neo.Text(l[3]),
		Type: neo.Text(l[4]), Description: neo.Text(l[5]), IsOwner: neo.Bool(l[6]), IsGoal: neo.Bool(l[7]),
		State: state, TTLPolicy: neo.Text(l[9]), Salience: salience, Confidence: neo.Number(l[14]),
		AccessCount: neo.Integer(l[15]), LastAccessedAt: neo.OptionalMillis(l[16]),
		CreatedAt: neo.Millis(l[17]), UpdatedAt: neo.Millis(l[18]),
	}
	if neo.Bool(l[1]) {
		n.UserID = nil
	}
	if properties := neo.Text(l[19]); properties != "" {
		n.Properties = json.RawMessage(properties)
	}
	return n
}
