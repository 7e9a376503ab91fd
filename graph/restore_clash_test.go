package graph_test

import (
	"errors"
	"strings"
	"testing"

	"kith/graph"
	"kith/internal/fault"
)

// A deleted node whose key, name, place as the user or message's key has been taken meanwhile is not restored. The error says what was taken,
// and by whom if the caller may see that.
func TestRestoreSaysWhatWasTaken(t *testing.T) {
	e := fresh(t)
	named := func(kind, key, name string, change ...func(*graph.NodeWrite)) graph.NodeWrite {
		w := graph.NodeWrite{Kind: kind, EntityKey: key, Name: graph.Some(name)}
		for _, c := range change {
			c(&w)
		}
		return w
	}
	owner := func(w *graph.NodeWrite) { w.IsOwner = graph.Some(true) }
	source := func(key, message string) {
		e.Source("u1", graph.SourceWrite{EntityKey: key, Messages: []graph.MessageWrite{{EntityKey: message, Role: "user", Text: "hello"}}})
	}
	e.Write("u1", []graph.NodeWrite{
		named("concept", "c", "Tea"), named("entity", "e", "Mill"), named("task", "t", "Grind"), named("person", "me", "Ada", owner), named("concept", "kept", "Milk"),
	})
	source("s", "m")
	for key, kind := range map[string]string{"c": "concept", "e": "entity", "t": "task", "me": "person", "s": "source", "kept": "concept"} {
		e.delete("u1", kind, key)
	}
	e.Write("u1", []graph.NodeWrite{named("entity", "e2", "Mill"), named("entity", "t", "Another"), named("person", "me2", "Grace", owner)})
	e.Write("u2", []graph.NodeWrite{named("concept", "kept", "Coffee")}) // a key of the user's own
	source("s2", "m")
	for _, c := range []struct{ kind, key, want string }{
		{"entity", "e", "restore: the name belongs to another node now, e2"},
		{"task", "t", "restore: the key belongs to another node now, t"},
		{"person", "me", "restore: the place as the user belongs to another node now, me2"},
		{"source", "s", "restore: the key of a message belongs to another node now, m"},
	} {
		kind, _ := graph.KindOf(c.kind)
		_, err := e.Store.RestoreNode(t.Context(), e.As("u1"), kind, c.key)
		if got := strings.TrimSuffix(errText(err), ": "+fault.ErrConflict.Error()); !errors.Is(err, fault.ErrConflict) || got != c.want {
			t.Errorf("%s %s: %v, want %s", c.kind, c.key, err, c.want)
		}
	}
	e.restore("u1", "concept", "kept")
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
