package graph_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"kith/graph"
	"kith/internal/fault"
)

// changeLines returns the changes of a node in a period as lines.
func (e *env) changeLines(kind graph.Kind, key string, since, until time.Time, limit int) []string {
	e.Helper()
	list, err := e.Store.NodeChanges(e.Context(), e.As("u"), kind, key, graph.ChangePeriod{Since: since, Until: until, Limit: limit})
	if err != nil || list.Changes == nil {
		e.Fatalf("%+v, %v", list, err)
	}
	lines := []string{}
	for _, c := range list.Changes {
		line := c.At.Format("15:04 ") + string(c.What)
		if r := c.Relationship; r != nil {
			line += fmt.Sprintf(" %s %s %s %q", r.Direction, r.Type, r.Node.Kind, r.Node.Name)
		}
		if c.Description != "" {
			line += fmt.Sprintf(" %q", c.Description)
		}
		for _, f := range c.Changes {
			line += fmt.Sprintf(" %s: %s → %s", f.Field, f.Was, f.Is)
		}
		if c.Through != "" {
			line += " through " + c.Through
		}
		lines = append(lines, line)
	}
	if list.More {
		lines = append(lines, "more")
	}
	return lines
}

// hour sets the clock to an hour after noon, and returns the time.
func (e *env) hour(n int) time.Time {
	e.Now = noon.Add(time.Duration(n) * time.Hour)
	return e.Now
}

// TestNodeChanges writes, ends, deletes and restores, and reads what changed.
func TestNodeChanges(t *testing.T) {
	e := fresh(t)
	write := func(w graph.MemoryWrite) graph.MemoryResult {
		t.Helper()
		ctx := graph.WithWriter(t.Context(), graph.Writer{KeyID: "k1", Through: "write-memory"})
		result, err := e.Store.Write(ctx, e.As("u"), &w)
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	person := func(key, name, text string) graph.NodeWrite {
		return graph.NodeWrite{Kind: "person", EntityKey: key, Name: graph.Some(name), Description: graph.Some(text)}
	}
	sister := link("ada", "has_relationship_with", "sarah", 0.5)
	sister.Description = graph.Some("her sister")
	write(graph.MemoryWrite{Nodes: []graph.NodeWrite{person("ada", "Ada", "works at A"), person("sarah", "Sarah", "")}})
	e.hour(1)
	write(graph.MemoryWrite{Nodes: []graph.NodeWrite{person("ada", "Ada", "works at B")}})
	e.hour(2)
	key := write(graph.MemoryWrite{Relationships: []graph.RelationshipWrite{sister}}).Relationships[0].Key
	e.hour(3)
	sister.Description = graph.Some("her elder sister")
	write(graph.MemoryWrite{Relationships: []graph.RelationshipWrite{sister}})
	e.hour(4)
	if _, err := e.Store.DeleteRelationship(t.Context(), e.As("u"), key, 0); err != nil {
		t.Fatal(err)
	}
	e.hour(5)
	if _, err := e.Store.RestoreRelationship(t.Context(), e.As("u"), key); err != nil {
		t.Fatal(err)
	}
	e.hour(6)
	sister.ValidTo = graph.Some(e.Now)
	write(graph.MemoryWrite{Relationships: []graph.RelationshipWrite{sister}})
	e.hour(7)
	if _, err := e.Store.DeleteNode(t.Context(), e.As("u"), graph.PersonKind, "sarah", 0); err != nil {
		t.Fatal(err)
	}
	all := []string{
		`19:00 deleted outgoing has_relationship_with person "Sarah"`,
		`18:00 ended outgoing has_relationship_with person "Sarah" valid_to: null → "` + noon.Add(6*time.Hour).Format(time.RFC3339) + `" through write-memory`,
		`17:00 restored outgoing has_relationship_with person "Sarah"`,
		`16:00 deleted outgoing has_relationship_with person "Sarah"`,
		`15:00 updated outgoing has_relationship_with person "Sarah" description: "her sister" → "her elder sister" through write-memory`,
		`14:00 created outgoing has_relationship_with person "Sarah" "her sister" through write-memory`,
		`13:00 updated description: "works at A" → "works at B" through write-memory`,
		`12:00 created "works at A" through write-memory`,
	}
	never := time.Time{}
	e.Same("all", all, e.changeLines(graph.PersonKind, "ada", never, e.hour(8), 100))
	e.Same("since one", all[:4], e.changeLines(graph.PersonKind, "ada", noon.Add(3*time.Hour), e.Now, 100))
	e.Same("until one", all[4:], e.changeLines(graph.PersonKind, "ada", never, noon.Add(3*time.Hour), 100))
	e.Same("between", all[3:6], e.changeLines(graph.PersonKind, "ada", noon.Add(time.Hour), noon.Add(4*time.Hour), 100))
	e.Same("a limit", []string{all[0], all[1], "more"}, e.changeLines(graph.PersonKind, "ada", never, e.Now, 2))
	e.Same("nothing", []string{}, e.changeLines(graph.PersonKind, "ada", noon.Add(7*time.Hour), e.Now, 100))

	period := graph.ChangePeriod{Until: e.Now, Limit: 10}
	for _, who := range []graph.Scope{e.As("other"), e.As(""), e.neighbour().As("u")} {
		if list, err := e.Store.NodeChanges(t.Context(), who, graph.PersonKind, "ada", period); !errors.Is(err, fault.ErrNotFound) {
			t.Errorf("%+v sees %+v, %v", who, list, err)
		}
	}
	if _, err := e.Store.NodeChanges(t.Context(), e.As("u"), graph.ConceptKind, "ada", period); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("as another kind: %v", err)
	}
	if _, err := e.Store.DeleteNode(t.Context(), e.As("u"), graph.PersonKind, "ada", 0); err != nil {
		t.Fatal(err)
	}
	e.Same("a deleted node", `20:00 deleted`, e.changeLines(graph.PersonKind, "ada", never, e.hour(9), 100)[0])
}

// TestChangesKeepWhatIsPrivate has another user's relationship to a shared node, and a source of another user.
func TestChangesKeepWhatIsPrivate(t *testing.T) {
	e := fresh(t)
	e.Write("", []graph.NodeWrite{{Kind: "concept", EntityKey: "tea", Name: graph.Some("Tea")}})
	for _, user := range []string{"u", "v"} {
		key := "c-" + user
		e.Write(user, []graph.NodeWrite{{Kind: "concept", EntityKey: key, Name: graph.Some("of " + user)}}, link(key, "relates_to", "tea", 0.5))
		e.Source(user, graph.SourceWrite{EntityKey: "s-" + user, Summary: graph.Some("x")})
	}
	e.hour(1)
	for _, user := range []string{"u", "v"} {
		ctx := graph.WithWriter(t.Context(), graph.Writer{Through: "end-conversation", Source: "s-" + user})
		l := link("c-"+user, "relates_to", "tea", 0.5)
		l.Description = graph.Some("of " + user)
		if _, err := e.Store.Write(ctx, e.As(user), &graph.MemoryWrite{Relationships: []graph.RelationshipWrite{l}}); err != nil {
			t.Fatal(err)
		}
	}
	list, err := e.Store.NodeChanges(t.Context(), e.As("u"), graph.ConceptKind, "tea", graph.ChangePeriod{Since: noon, Until: e.hour(2), Limit: 10})
	if err != nil || len(list.Changes) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	c := list.Changes[0]
	if c.Relationship.Node.Name != "of u" || c.Source == nil || c.Source.EntityKey != "s-u" || c.Source.ContentType != "conversation" || c.Source.StartedAt == nil {
		t.Errorf("%+v", c)
	}
	if _, err := e.Store.DeleteNode(t.Context(), e.As("u"), graph.SourceKind, "s-u", 0); err != nil {
		t.Fatal(err)
	}
	list, err = e.Store.NodeChanges(t.Context(), e.As("u"), graph.ConceptKind, "tea", graph.ChangePeriod{Since: noon, Until: e.Now, Limit: 10})
	if err != nil || len(list.Changes) != 1 || list.Changes[0].Source != nil || list.Changes[0].Through != "end-conversation" {
		t.Errorf("without its source: %+v, %v", list, err)
	}
}
