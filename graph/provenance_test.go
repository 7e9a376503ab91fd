package graph_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"kith/graph"
	"kith/internal/fault"
)

// as returns a context that writes through something.
func (e *env) through(what string) context.Context {
	return graph.WithWriter(e.Context(), graph.Writer{KeyID: "k1", Through: what})
}

func TestLastWrite(t *testing.T) {
	e := fresh(t)
	write := func(ctx context.Context, w graph.MemoryWrite) graph.MemoryResult {
		t.Helper()
		result, err := e.Store.Write(ctx, e.As("u"), &w)
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	by := func(what, key string) {
		t.Helper()
		got := e.get("u", "concept", key).LastWrite
		switch {
		case what == "" && got != nil:
			t.Errorf("%s was written through %+v", key, got)
		case what != "" && (got == nil || got.By != "k1" || got.Through != what || got.At == nil || !got.At.Equal(e.Store.Now())):
			t.Errorf("%s was written through %+v, want %s", key, got, what)
		}
	}
	result := write(e.through("write-memory"), graph.MemoryWrite{
		Nodes:         []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)},
		Relationships: []graph.RelationshipWrite{{From: "a", Type: "has_goal", To: "b", Description: graph.Some("x")}},
	})
	key := result.Relationships[0].Key
	by("write-memory", "a")
	relationship := func() *graph.LastWrite {
		t.Helper()
		view, err := e.Store.Relationship(t.Context(), e.As("u"), key, nil)
		if err != nil {
			t.Fatal(err)
		}
		return view.LastWrite
	}
	if w := relationship(); w == nil || w.Through != "write-memory" {
		t.Errorf("the relationship: %+v", w)
	}
	// What changes nothing, and what only touches, leaves the writer.
	write(e.through("mcp:remember"), graph.MemoryWrite{Nodes: []graph.NodeWrite{{Kind: "concept", EntityKey: "a"}}})
	if err := e.Store.Recall(e.through("get-context"), e.Team, []graph.Read{{Scope: e.As("u"), At: noon, Recall: graph.Recall{Nodes: []string{"a"}}}}); err != nil {
		t.Fatal(err)
	}
	by("write-memory", "a")
	e.Same("recalls", []int64{1, 0}, []int64{*e.get("u", "concept", "a").Recalls, *e.get("u", "concept", "b").Recalls})
	write(e.through("mcp:remember"), graph.MemoryWrite{
		Nodes:         []graph.NodeWrite{{Kind: "concept", EntityKey: "a", Description: graph.Some("y")}},
		Relationships: []graph.RelationshipWrite{{From: "a", Type: "has_goal", To: "b", Description: graph.Some("z")}},
	})
	by("mcp:remember", "a")
	by("write-memory", "b")
	if w := relationship(); w.Through != "mcp:remember" {
		t.Errorf("the relationship after a change: %+v", w)
	}
	if _, err := e.Store.AddNotes(e.through("add-node-note"), e.As("u"), graph.ConceptKind, "b", []graph.NoteWrite{{Content: "n"}}); err != nil {
		t.Fatal(err)
	}
	by("add-node-note", "b")
	if _, err := e.Store.WriteSource(e.through("write-source"), e.As("u"), &graph.SourceWrite{
		EntityKey: "s", Messages: []graph.MessageWrite{said("m", "hello")}, Mentions: []string{"a"},
	}); err != nil {
		t.Fatal(err)
	}
	by("mcp:remember", "a") // a mention is no change of what it says
	for kind, key := range map[string]string{"source": "s", "message": "m"} {
		if w := e.get("u", kind, key).LastWrite; w == nil || w.Through != "write-source" {
			t.Errorf("the %s: %+v", kind, w)
		}
	}
	e.Write("u", []graph.NodeWrite{node("concept", "quiet", 0.5)})
	by("", "quiet")
	// The source of what a language model derived is private.
	shared := node("concept", "shared", 0.5)
	shared.UserID = graph.Null[string]()
	derived := graph.WithWriter(t.Context(), graph.Writer{KeyID: "k1", Through: "end-conversation", Source: "s 1"})
	write(derived, graph.MemoryWrite{Nodes: []graph.NodeWrite{shared, node("concept", "own", 0.5)}})
	e.Same("sources", []string{"", "s 1"}, []string{e.get("u", "concept", "shared").LastWrite.Source, e.get("u", "concept", "own").LastWrite.Source})
}

func TestMentions(t *testing.T) {
	e := fresh(t)
	samir, mill := node("person", "p", 0.5), node("entity", "m", 0.5)
	samir.Name, mill.Name = graph.Some("Samir Haddou"), graph.Some("The Mill")
	shared := node("concept", "shared", 0.5)
	shared.UserID = graph.Null[string]()
	result := e.Write("u", []graph.NodeWrite{samir, mill, shared}, graph.RelationshipWrite{From: "p", Type: "has_relationship_with", To: "m", Description: graph.Some("works there")})
	for i, text := range []string{"Samira is not he", "… then SAMIR said", "Samir and the mill", "nobody", "I met Samir Haddou at The Mill."} {
		e.Source("u", graph.SourceWrite{
			EntityKey: fmt.Sprintf("s-%d", i), StartedAt: graph.Some(noon.Add(time.Duration(i/2) * time.Minute)),
			Messages: []graph.MessageWrite{said(fmt.Sprintf("m-%d", i), text)}, Mentions: []string{"p", "m", "shared"},
		})
	}
	all := func(list func(cursor string) (graph.MentionPage, error)) (found []string) {
		t.Helper()
		for cursor := ""; ; {
			page, err := list(cursor)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range page.Mentions {
				found = append(found, fmt.Sprintf("%s %s %d-%d %s", m.Source, m.Message, m.From, m.To, m.Quote))
			}
			if cursor = page.Next; cursor == "" {
				return found
			}
		}
	}
	for limit := 1; limit < 7; limit++ {
		e.Same(fmt.Sprintf("of the person by %d", limit), []string{
			"s-4 m-4 6-11 I met Samir Haddou at The Mill.", "s-3  0-0 ", "s-2 m-2 0-5 Samir and the mill", "s-1 m-1 7-12 … then SAMIR said", "s-0  0-0 ",
		}, all(func(cursor string) (graph.MentionPage, error) {
			return e.Store.NodeMentions(t.Context(), e.As("u"), graph.PersonKind, "p", cursor, limit)
		}))
		e.Same(fmt.Sprintf("of the relationship by %d", limit), []string{
			"s-4 m-4 6-30 I met Samir Haddou at The Mill.", "s-3  0-0 ", "s-2 m-2 0-18 Samir and the mill", "s-1  0-0 ", "s-0  0-0 ",
		}, all(func(cursor string) (graph.MentionPage, error) {
			return e.Store.RelationshipMentions(t.Context(), e.As("u"), result.Relationships[0].Key, cursor, limit)
		}))
	}
	theirs, err := e.Store.NodeMentions(t.Context(), e.As("other"), graph.ConceptKind, "shared", "", 10)
	if err != nil || len(theirs.Mentions) > 0 {
		t.Errorf("another user sees %d mentions of what is shared: %v", len(theirs.Mentions), err)
	}
	if _, err := e.Store.NodeMentions(t.Context(), e.As("other"), graph.PersonKind, "p", "", 10); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("of another user's node: %v", err)
	}
	if _, err := e.Store.NodeMentions(t.Context(), e.As("u"), graph.PersonKind, "p", "eA", 10); !errors.Is(err, fault.ErrInvalid) {
		t.Errorf("a wrong cursor: %v", err)
	}
}

func TestListsByState(t *testing.T) {
	e := fresh(t)
	states := []string{"candidate", "active", "core", "archived"}
	for i := range 8 {
		n := node("concept", fmt.Sprintf("c-%d", i), 0.5)
		n.State = graph.Some(states[i%4])
		n.Confidence = graph.Some(0.9)
		if i != 5 { // which fades within a year
			n.TTLPolicy = graph.Some("keep_forever")
		}
		e.Write("u", []graph.NodeWrite{n})
	}
	for state, want := range map[string][]string{
		"": {"c-0", "c-1", "c-2", "c-3", "c-4", "c-5", "c-6", "c-7"}, "candidate": {"c-0", "c-4"}, "active": {"c-1", "c-5"}, "core": {"c-2", "c-6"}, "archived": {"c-3", "c-7"},
	} {
		for size := int64(1); size < 4; size++ {
			got := e.pages("u", graph.NodeList{Kind: graph.ConceptKind, State: state}, size)
			e.Same(state, want, got)
		}
	}
	e.Now = e.Now.AddDate(1, 0, 0)
	e.Same("active after a year", []string{"c-1"}, e.pages("u", graph.NodeList{Kind: graph.ConceptKind, State: "active"}, 10))
	page, err := e.Store.Nodes(t.Context(), e.As("u"), graph.NodeList{Kind: graph.ConceptKind, State: "archived", Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, n := range page.Nodes {
		keys = append(keys, n.EntityKey)
		e.Same(n.EntityKey, "archived", n.State)
	}
	e.Same("archived after a year", []string{"c-3", "c-5", "c-7"}, keys)
}
