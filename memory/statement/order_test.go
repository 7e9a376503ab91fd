package statement

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"kith/graph"
	"kith/text/recognise"
)

// sayings are sentences about few things, so that they say the same, something else, and the opposite.
var sayings = []string{
	"I live in Porto.", "I live in Lyon.", "I live in Rome.", "My name is Ann.", "My name is Bea.", "I love jazz.", "I don't like jazz.", "I love opera.",
}

// drawMessages draws messages of different times.
func drawMessages(r *rapid.T) []graph.Message {
	var messages []graph.Message
	for i := range rapid.IntRange(1, 10).Draw(r, "messages") {
		messages = append(messages, graph.Message{
			EntityKey: fmt.Sprint("m", i), Text: rapid.SampledFrom(sayings).Draw(r, "text"), At: time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC),
		})
	}
	return messages
}

// mustStatements returns what a text says.
func mustStatements(t fataler, text string) []recognise.Statement {
	all, err := recognise.Statements(context.Background(), text)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// memory is what recordings have stored.
type memory struct {
	open        map[string]*row
	holding     []*row
	ended, last map[string]time.Time
	stored      map[string]map[string]any // properties by key
}

// record stores a batch as Record does.
func (m *memory) record(t fataler, batch []graph.Message) {
	r := &recording{open: m.open, holding: m.holding, ended: m.ended, last: m.last, byKey: map[string]map[string]any{}}
	for _, message := range batch {
		for _, s := range mustStatements(t, message.Text) {
			n := &spoken{Statement: s, message: message}
			n.prepare()
			r.found = append(r.found, n)
			r.add(n)
		}
	}
	m.holding = r.holding
	for _, c := range slices.Concat(r.created, r.changed) {
		if m.stored[c.key] == nil {
			m.stored[c.key] = map[string]any{}
		}
		maps.Copy(m.stored[c.key], c.properties)
	}
	for key, p := range m.stored {
		if end, closed := p["valid_to"].(time.Time); closed && end.Before(p["at"].(time.Time)) {
			t.Fatalf("%s was said at %v, and ends at %v", key, p["at"], end)
		}
	}
}

func nothing() *memory {
	return &memory{open: map[string]*row{}, ended: map[string]time.Time{}, last: map[string]time.Time{}, stored: map[string]map[string]any{}}
}

// hear stores messages in batches.
func (m *memory) hear(r *rapid.T, messages []graph.Message) {
	for len(messages) > 0 {
		n := rapid.IntRange(1, len(messages)).Draw(r, "batch")
		m.record(r, messages[:n])
		messages = messages[n:]
	}
}

// holds returns what the open statements say, by topic, and when it was said last.
func (m *memory) holds() map[string]string {
	all := map[string]string{}
	for topic, open := range m.open {
		all[topic] = open.Text + " " + open.said().Format(time.DateOnly)
	}
	return all
}

// Messages in any order and in any batches leave the same open statements: what was said last about each topic.
func TestTheOrderOfMessagesDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		messages, want := drawMessages(r), map[string]string{}
		for _, m := range messages {
			for _, s := range mustStatements(r, m.Text) {
				want[topicOf(&s)] = s.Text + " " + m.At.Format(time.DateOnly)
			}
		}
		m := nothing()
		m.hear(r, rapid.Permutation(messages).Draw(r, "order"))
		if got := m.holds(); !maps.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// A wish to forget takes back what was said before it, whatever arrives late, and nothing that was said after it.
func TestForgetsOfWhatIsStored(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		messages := drawMessages(r)
		last := messages[rapid.IntRange(0, len(messages)-1).Draw(r, "forget")].At
		porto := graph.Message{EntityKey: "p", Text: sayings[0], At: last.Add(time.Hour)}
		forget := graph.Message{EntityKey: "f", Text: "Forget that I live in Porto.", At: last.Add(3 * time.Hour)}
		inOrder := nothing()
		inOrder.record(r, slices.SortedFunc(slices.Values(append([]graph.Message{porto, forget}, messages...)), func(a, b graph.Message) int { return a.At.Compare(b.At) }))

		shuffled := rapid.Permutation(messages).Draw(r, "order")
		before := rapid.IntRange(0, len(shuffled)).Draw(r, "stored before")
		m := nothing()
		m.hear(r, rapid.Permutation(append([]graph.Message{porto}, shuffled[:before]...)).Draw(r, "order before"))
		m.record(r, []graph.Message{forget})
		m.hear(r, shuffled[before:])
		if got, want := m.holds(), inOrder.holds(); !maps.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// fataler ends a test.
type fataler interface {
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}
