package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"kith/graph"
)

// called returns the write of a node by its name, with aliases.
func called(kind, key, name string, aliases ...string) graph.NodeWrite {
	w := graph.NodeWrite{Kind: kind, EntityKey: key, Name: graph.Some(name)}
	if aliases != nil {
		w.OwnFields = &graph.OwnFields{Aliases: graph.Some(aliases)}
	}
	return w
}

// A write by an alias is one of the node that has it: of the same user, kind and type. The node keeps its name.
func TestWritesByAlias(t *testing.T) {
	e := fresh(t)
	system := func(name, system string, aliases ...string) graph.NodeWrite {
		w := called("system_entity", "", name, aliases...)
		if w.OwnFields == nil {
			w.OwnFields = &graph.OwnFields{}
		}
		w.System = graph.Some(system)
		return w
	}
	company := func(name, typ string, aliases ...string) graph.NodeWrite {
		w := called("entity", "", name, aliases...)
		w.Type = graph.Some(typ)
		return w
	}
	made := e.Write("u1", []graph.NodeWrite{
		called("person", "bob", "Robert Miller", "Bob", "Bobby Miller (work)"), company("Acme Corporation", "company", "Acme", "ACME Corp."), system("ledger-service", "shop", "ledger"),
	})
	keys := map[string]string{"bob": "bob", "acme": made.Nodes[1].EntityKey, "ledger": made.Nodes[2].EntityKey}
	e.Same("aliases", []string{"Bob", "Bobby Miller (work)"}, e.get("u1", "person", "bob").Aliases.Value)
	for what, c := range map[string]struct {
		user  string
		write graph.NodeWrite
		found string // key in keys; empty: a new node
	}{
		"another case":         {"u1", called("person", "", "bob"), "bob"},
		"blanks, and a remark": {"u1", called("person", "", " BOBBY  miller (private)"), "bob"},
		"without a type":       {"u1", called("entity", "", "Acme"), "acme"},
		"of the type":          {"u1", company("acme corp.", "company"), "acme"},
		"of a system":          {"u1", system("ledger", "shop"), "ledger"},
		"another type":         {"u1", company("Acme", "band"), ""},
		"another system":       {"u1", system("ledger", "bank"), ""},
		"another kind":         {"u1", called("concept", "", "Bob"), ""},
		"another user":         {"u2", called("person", "", "Bob"), ""},
		"part of it":           {"u1", called("person", "", "Bobby"), ""},
	} {
		c.write.Description = graph.Some(what)
		result := e.Write(c.user, []graph.NodeWrite{c.write})
		n := result.Nodes[0]
		if c.found == "" {
			e.Same(what, graph.Created, n.Status)
			e.Same(what, 0, len(result.Warnings))
			continue
		}
		e.Same(what, keys[c.found], n.EntityKey)
		e.Same(what, graph.Updated, n.Status)
		e.Same(what, true, len(result.Warnings) == 1 && strings.Contains(result.Warnings[0], "is an alias"))
		stored := e.get(c.user, c.write.Kind, n.EntityKey)
		e.Same(what, what, stored.Description)
		e.Same(what, false, strings.EqualFold(stored.Name, c.write.Name.Value))
	}

	result := e.Write("u1", []graph.NodeWrite{called("person", "k", "Bob")})
	e.Same("with a key", graph.Created, result.Nodes[0].Status)
	e.Same("a name comes before an alias", "k", e.Write("u1", []graph.NodeWrite{called("person", "", "Bob")}).Nodes[0].EntityKey)
	e.Remove("u1", "person", "k")
	e.Same("after a delete", "bob", e.Write("u1", []graph.NodeWrite{called("person", "", "Bob")}).Nodes[0].EntityKey)
	e.Write("u1", []graph.NodeWrite{called("person", "bob", "Robert Miller", "Rob")})
	e.Same("an alias that is gone", graph.Created, e.Write("u1", []graph.NodeWrite{called("person", "", "Bob")}).Nodes[0].Status)
	e.Remove("u1", "person", "bob")
	e.Same("of a deleted node", graph.Created, e.Write("u1", []graph.NodeWrite{called("person", "", "Rob")}).Nodes[0].Status)
	e.CheckIntegrity()
}

// Within one write, too, a later node is found by the aliases of an earlier one.
func TestAliasesWithinAWrite(t *testing.T) {
	e := fresh(t)
	result := e.Write("u1", []graph.NodeWrite{called("person", "bob", "Robert", "Bob"), called("person", "", "BOB")})
	e.Same("key", "bob", result.Nodes[1].EntityKey)
	many := make([]graph.NodeWrite, 600) // more than one query of the index
	for i := range many {
		many[i] = called("person", fmt.Sprint("p", i), fmt.Sprint("Person ", i), fmt.Sprint("Alias ", i))
	}
	e.Write("u1", many)
	for i := range many {
		many[i] = called("person", "", fmt.Sprint("alias ", i))
	}
	for i, n := range e.Write("u1", many).Nodes {
		if n.EntityKey != fmt.Sprint("p", i) {
			t.Fatalf("alias %d finds %s", i, n.EntityKey)
		}
	}
}

// An alias of two nodes finds neither by name. The writer of a double alias, or of one that is a name, is warned.
func TestDoubleAliases(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{called("person", "a", "Robert Miller", "Bob"), called("person", "c", "Carla")})
	result := e.Write("u1", []graph.NodeWrite{called("person", "b", "Robert Smith", "bob", "CARLA", "Bert")})
	e.Same("warnings", 2, len(result.Warnings))
	e.Same("double", true, strings.HasPrefix(result.Warnings[0], "nodes[0].aliases[0]: is also an alias"))
	e.Same("a name", true, strings.HasPrefix(result.Warnings[1], "nodes[0].aliases[1]: is the name"))
	refused := e.Try("u1", []graph.NodeWrite{called("person", "", "Bob"), called("person", "", "Bert"), called("person", "", "Carla")}).Nodes
	e.Same("refused", graph.Refused, refused[0].Status)
	e.Same("the other alias", "b", refused[1].EntityKey)
	e.Same("the name", "c", refused[2].EntityKey)

	_, err := e.Store.Write(t.Context(), e.As("u1"), &graph.MemoryWrite{Nodes: []graph.NodeWrite{called("person", "d", "Dan", "Danny", " danny ")}})
	if err == nil || !strings.Contains(err.Error(), "aliases[1]") {
		t.Errorf("an alias twice: %v", err)
	}
	_, err = e.Store.Write(t.Context(), e.As("u1"), &graph.MemoryWrite{Nodes: []graph.NodeWrite{called("concept", "d", "Dan", "Danny")}})
	if err == nil || !strings.Contains(err.Error(), "aliases") {
		t.Errorf("of a concept: %v", err)
	}
}

// A language model that names a known node by an alias adds none.
func TestProposalsByAlias(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{owner1("me"), called("person", "jonathan", "Jonathan Smith", "Jon")})
	e.Source("u1", graph.SourceWrite{EntityKey: "s", Messages: []graph.MessageWrite{said("m", "Jon is back.")}})
	result := e.accept("u1", "s", proposal())
	e.Same("key", "jonathan", result.Nodes[0].EntityKey)
	e.Same("status", graph.Unchanged, result.Nodes[0].Status)
	e.Same("name", "Jonathan Smith", e.get("u1", "person", "jonathan").Name)
}

// Names that callers give in place of keys may be aliases, of their own nodes and of those that the team shares.
func TestNodesNamedByAlias(t *testing.T) {
	e := fresh(t)
	e.Write("", []graph.NodeWrite{called("project", "pier", "Pier renewal", "P1")})
	e.Write("u1", []graph.NodeWrite{called("person", "bob", "Robert", "Bob"), called("entity", "b", "Bob")})
	e.Write("u2", []graph.NodeWrite{called("person", "theirs", "Roberta", "Bob")})
	named, err := e.Store.NodesNamed(t.Context(), e.As("u1"), []string{"BOB", "p1", "Robert"})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{"bob": {"b", "bob"}, "p1": {"pier"}, "robert": {"bob"}} {
		var keys []string
		for _, n := range named[name] {
			keys = append(keys, n.EntityKey)
		}
		slices.Sort(keys)
		e.Same(name, want, keys)
	}
}
