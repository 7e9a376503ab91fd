package graph_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"kith/graph"
	"kith/internal/bounds"
	"kith/internal/fault"
)

// conversation opens a conversation of a user.
func (e *env) conversation(user, key string) {
	e.Helper()
	if _, err := e.Store.WriteSource(e.Context(), e.As(user), &graph.SourceWrite{EntityKey: key}); err != nil {
		e.Fatal(err)
	}
}

func (e *env) say(user, conversation string, messages ...graph.MessageWrite) graph.SourceResult {
	e.Helper()
	result, err := e.Store.AppendMessages(e.Context(), e.As(user), conversation, messages)
	if err != nil {
		e.Fatal(err)
	}
	return result
}

func (e *env) partsOf(conversation string) []graph.Message {
	e.Helper()
	messages, err := e.Store.Messages(e.Context(), e.As("u1"), conversation, 0, 1000)
	if err != nil {
		e.Fatal(err)
	}
	return messages
}

func TestMessagesOfParts(t *testing.T) {
	e := fresh(t)
	e.conversation("u1", "c")
	for i, c := range []struct{ parts, text string }{
		{`[{"type":"text","text":"What is this?"},{"type":"image","url":"https://example.org/a.png"}]`, "What is this?"},
		{`[{"type":"function_call","name":"search","arguments":"{\"q\":\"tea\"}","call_id":"1"}]`, "[function_call search]"},
		{`[{"role":"assistant","content":[{"type":"output_text","text":"A boat."},{"type":"x","content":{"text":"Red."}}]}]`, "A boat.\nRed."},
		{`[{"type":"tool_result","content":"found 3"},{}]`, "found 3"},
		{`[{}]`, "[part]"},
	} {
		write := graph.MessageWrite{EntityKey: fmt.Sprintf("m-%d", i), Role: "user", Parts: json.RawMessage(c.parts)}
		e.say("u1", "c", write)
		m := e.partsOf("c")[i]
		e.Same(c.parts, []string{c.text, c.parts}, []string{m.Text, string(m.Parts)})
		e.Same("again", graph.Unchanged, e.say("u1", "c", write).Messages[0].Status)
		write.Parts = json.RawMessage(`[{"type":"other"}]`)
		e.Same("with other parts", 1, len(e.say("u1", "c", write).Warnings))
	}
	for parts, place := range map[string]string{
		`{}`: "messages[0].parts", `[]`: "messages[0].parts", `["x"]`: "messages[0].parts[0]", `[{"a":}]`: "messages[0].parts",
		`[{"a":"` + strings.Repeat("x", bounds.ValueSize) + `"}]`: "messages[0].parts",
	} {
		_, err := e.Store.AppendMessages(t.Context(), e.As("u1"), "c", []graph.MessageWrite{{Role: "user", Parts: json.RawMessage(parts)}})
		if !errors.Is(err, fault.ErrInvalid) || !strings.Contains(err.Error(), place) {
			t.Errorf("%.20s: %v", parts, err)
		}
	}
}

// Roles are stored in the words of Kith, whatever a program calls them, appended or written as nodes. Another word for the stored role is
// no other role.
func TestRolesOfOtherPrograms(t *testing.T) {
	e := fresh(t)
	e.conversation("u1", "c")
	for i, c := range []struct{ role, stored, again string }{
		{"human", "user", "User"}, {"HUMAN", "user", "user"}, {"User", "user", "human"}, {"AI", "assistant", "bot"}, {"model", "assistant", "Assistant"},
		{"Tool", "tool", "TOOL"}, {"Ada", "Ada", "Ada"},
	} {
		key, node := fmt.Sprintf("m-%d", i), fmt.Sprintf("n-%d", i)
		e.say("u1", "c", graph.MessageWrite{EntityKey: key, Role: c.role, Text: "Tea."})
		e.Write("u1", []graph.NodeWrite{{
			Kind: "message", EntityKey: node,
			OwnFields: &graph.OwnFields{SourceKey: graph.Some("c"), Role: graph.Some(c.role), Text: graph.Some("Tea.")},
		}})
		for _, m := range e.partsOf("c")[2*i:] {
			e.Same(c.role, c.stored, m.Role)
		}
		again := e.say("u1", "c", graph.MessageWrite{EntityKey: key, Role: c.again, Text: "Tea."}, graph.MessageWrite{EntityKey: node, Role: c.again, Text: "Tea."})
		e.Same(c.role+" again", 0, len(again.Warnings))
	}
	other := e.say("u1", "c", graph.MessageWrite{EntityKey: "m-0", Role: "assistant", Text: "Tea."})
	e.Same("another role", 1, len(other.Warnings))
}

// A page of messages with large parts ends early, and none is lost.
func TestPagesOfLargeMessages(t *testing.T) {
	e := fresh(t)
	e.conversation("u1", "c")
	parts := json.RawMessage(`[{"data":"` + strings.Repeat("x", 250_000) + `"}]`)
	for range 4 {
		e.say("u1", "c", slices.Repeat([]graph.MessageWrite{{Role: "tool", Parts: parts}}, 10)...)
	}
	first := e.partsOf("c")
	rest, err := e.Store.Messages(t.Context(), e.As("u1"), "c", first[len(first)-1].Seq+1, 1000)
	e.Same("in two pages", []int{34, 6}, []int{len(first), len(rest)})
	if err != nil {
		t.Error(err)
	}
}

func TestMessagesArePopped(t *testing.T) {
	e := fresh(t)
	e.conversation("u1", "c")
	pop := func(count int64) (keys []string) {
		t.Helper()
		popped, err := e.Store.PopMessages(t.Context(), e.As("u1"), "c", count)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range popped {
			keys = append(keys, m.EntityKey)
		}
		return keys
	}
	e.Same("of none", 0, len(pop(1)))
	e.say("u1", "c", said("m-0", "zero"), said("m-1", "one"), said("m-2", "two"), said("m-3", "three"))
	e.Same("the last", []string{"m-3"}, pop(1))
	e.Same("two, oldest first", []string{"m-1", "m-2"}, pop(2))
	e.say("u1", "c", said("m-4", "four"))
	rest := e.partsOf("c")
	e.Same("numbers go on", []int64{0, 4}, []int64{rest[0].Seq, rest[1].Seq})
	source, err := e.Store.Source(t.Context(), e.As("u1"), "c")
	e.Same("counted", int64(2), source.MessageCount)
	if err != nil {
		t.Error(err)
	}
	if _, err := e.Store.RestoreNode(t.Context(), e.As("u1"), graph.MessageKind, "m-2"); err != nil {
		t.Errorf("restored: %v", err)
	}
	e.Same("restored at its place", "two", e.partsOf("c")[1].Text)
	e.Same("all", []string{"m-0", "m-2", "m-4"}, pop(100))

	for name, pop := range map[string]func() error{
		"of another user": func() error {
			_, err := e.Store.PopMessages(t.Context(), e.As("u2"), "c", 1)
			return err
		},
		"of another team": func() error {
			_, err := e.neighbour().Store.PopMessages(t.Context(), graph.Scope{TeamID: "elsewhere", UserID: "u1"}, "c", 1)
			return err
		},
	} {
		if err := pop(); !errors.Is(err, fault.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := e.Store.EndConversation(t.Context(), e.As("u1"), "c", &graph.ConversationEnd{}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Store.PopMessages(t.Context(), e.As("u1"), "c", 1); !errors.Is(err, fault.ErrConflict) {
		t.Errorf("of an ended one: %v", err)
	}
}
