package graph_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"kith/graph"
	"kith/internal/fault"
)

// content returns the fields of a node or relationship that a restored version has, of its view.
func content(t rapid.TB, view any) map[string]any {
	t.Helper()
	raw, err := json.Marshal(view)
	if err != nil {
		t.Fatal(err)
	}
	fields := map[string]any{}
	if err := json.Unmarshal(raw, &fields); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"version", "updated_at", "last_accessed_at", "access_count", "salience", "recalls", "decay_rate", "archives_at", "last_write", "notes", "recorded_at",
		"source_count", "created_at",
	} {
		delete(fields, name)
	}
	if properties, _ := fields["properties"].(map[string]any); len(properties) == 0 {
		delete(fields, "properties")
	}
	return fields
}

// drawn returns a field that is omitted, null or one of some values.
func drawn[T any](r *rapid.T, name string, values ...T) graph.Optional[T] {
	switch n := rapid.IntRange(-2, len(values)-1).Draw(r, name); n {
	case -2:
		return graph.Optional[T]{}
	case -1:
		return graph.Null[T]()
	default:
		return graph.Some(values[n])
	}
}

// given returns a field that is omitted or one of some values.
func given[T any](r *rapid.T, name string, values ...T) graph.Optional[T] {
	if f := drawn(r, name, values...); !f.Null {
		return f
	}
	return graph.Optional[T]{}
}

func drawnProperties(r *rapid.T) json.RawMessage {
	return rapid.SampledFrom([]json.RawMessage{nil, json.RawMessage(`{}`), json.RawMessage(`{"a":1}`), json.RawMessage(`{"b":[]}`)}).Draw(r, "properties")
}

// nodeWrites draw changes of a node of each kind.
var nodeWrites = map[string]func(r *rapid.T) graph.NodeWrite{
	"person": func(r *rapid.T) graph.NodeWrite {
		return graph.NodeWrite{CanonicalName: given(r, "canonical", "ada", "ada l"), IsOwner: drawn(r, "owner", true, false)}
	},
	"concept": func(r *rapid.T) graph.NodeWrite { return graph.NodeWrite{IsGoal: drawn(r, "goal", true, false)} },
	"entity":  func(r *rapid.T) graph.NodeWrite { return graph.NodeWrite{Type: drawn(r, "type", "boat", "mill")} },
	"task": func(r *rapid.T) graph.NodeWrite {
		return graph.NodeWrite{OwnFields: &graph.OwnFields{
			StateKey: drawn(r, "state_key", "todo", "done"), DueAt: drawn(r, "due", noon, noon.Add(time.Hour)), Priority: drawn[int64](r, "priority", 1, 5),
		}}
	},
	"risk": func(r *rapid.T) graph.NodeWrite {
		return graph.NodeWrite{OwnFields: &graph.OwnFields{
			Title: given(r, "title", "Flood", "Fire"), Probability: drawn(r, "probability", 0.1, 0.9), Content: drawn(r, "content", "x", "y"),
		}}
	},
	"requirement": func(r *rapid.T) graph.NodeWrite {
		return graph.NodeWrite{OwnFields: &graph.OwnFields{Text: given(r, "text", "Must float", "Must fly")}}
	},
	"source": func(r *rapid.T) graph.NodeWrite {
		return graph.NodeWrite{OwnFields: &graph.OwnFields{
			Summary: drawn(r, "summary", "x", "y"), Keywords: drawn(r, "keywords", []string{"a"}, []string{}), EndedAt: drawn(r, "ended", noon.Add(time.Hour)),
			Sensitivity: drawn(r, "sensitivity", "low", "high"),
		}}
	},
}

// TestRestoredNodesAreWhatTheyWere changes a node at random, and restores versions of it: the content is that of the version, a restore
// is one more version, which can be undone, and salience and accesses do not go back.
func TestRestoredNodesAreWhatTheyWere(t *testing.T) {
	twice(t, func(r *rapid.T, e *env) {
		name := rapid.SampledFrom([]string{"person", "concept", "entity", "task", "risk", "requirement", "source"}).Draw(r, "kind")
		kind, _ := graph.KindOf(name)
		for i := range rapid.IntRange(2, 8).Draw(r, "writes") {
			e.Now = e.Now.Add(time.Hour)
			w := nodeWrites[name](r)
			w.Kind, w.EntityKey = name, "n"
			if w.Name = given(r, "name", "Ada", "Ada L", "goal"); i == 0 && !w.Name.Given {
				w.Name = graph.Some("first")
			}
			w.Description, w.State = drawn(r, "description", "x", "a goal"), given(r, "state", "candidate", "active", "core", "archived")
			w.TTLPolicy, w.Confidence = given(r, "ttl", "decay", "keep_forever", "ephemeral"), drawn(r, "confidence", 0.1, 0.9)
			w.Properties = drawnProperties(r)
			if _, err := e.Store.Write(e.Context(), e.As("u"), &graph.MemoryWrite{Nodes: []graph.NodeWrite{w}}); err != nil {
				r.Fatal(err)
			}
		}
		for range rapid.IntRange(1, 4).Draw(r, "restores") {
			e.Now = e.Now.Add(time.Minute)
			before := e.versions(r, kind)
			chosen := rapid.SampledFrom(before).Draw(r, "version")
			got, err := e.Store.RestoreNodeVersion(e.Context(), e.As("u"), kind, "n", chosen.Version)
			if err != nil {
				r.Fatalf("restore %d: %v", chosen.Version, err)
			}
			if diff := cmp.Diff(content(r, chosen.Node), content(r, got)); diff != "" {
				r.Fatalf("version %d (-want +got):\n%s", chosen.Version, diff)
			}
			after := e.versions(r, kind)
			if same := cmp.Equal(content(r, chosen.Node), content(r, before[0].Node)); !same && len(after) != len(before)+1 {
				r.Errorf("%d versions before, %d after", len(before), len(after))
			}
			becomesOwner := chosen.Node.IsOwner && !before[0].Node.IsOwner // in place of a generated one, whose salience is greater
			if got.AccessCount != before[0].Node.AccessCount || got.Salience > before[0].Node.Salience+1e-4 && !becomesOwner {
				r.Errorf("salience %v → %v, accesses %d → %d", before[0].Node.Salience, got.Salience, before[0].Node.AccessCount, got.AccessCount)
			}
		}
	})
}

// versions returns all versions of the node n, the newest first.
func (e *env) versions(r *rapid.T, kind graph.Kind) []graph.Version {
	page, err := e.Store.NodeVersions(e.Context(), e.As("u"), kind, "n", "", 100)
	if err != nil {
		r.Fatal(err)
	}
	return page.Versions
}

// TestRestoredRelationshipsAreWhatTheyWere does the same for relationships of fixed types and of the team's own, whose start and end change too.
func TestRestoredRelationshipsAreWhatTheyWere(t *testing.T) {
	twice(t, func(r *rapid.T, e *env) {
		e.Write("u", []graph.NodeWrite{owner1("me"), {Kind: "person", EntityKey: "bo", Name: graph.Some("Bo")}})
		kind, key := rapid.SampledFrom([]string{"has_relationship_with", "sails_with"}).Draw(r, "type"), ""
		for i := range rapid.IntRange(2, 7).Draw(r, "writes") {
			e.Now = e.Now.Add(time.Hour)
			w := graph.RelationshipWrite{
				From: "me", To: "bo", Type: kind, Description: drawn(r, "description", "x", "y"), RelationshipType: drawn(r, "word", "sister", kind),
				Attitude: drawn[int64](r, "attitude", 1, 5), Proximity: drawn[int64](r, "proximity", 2), Confidence: drawn(r, "confidence", 0.1, 0.9),
				State: given(r, "state", "candidate", "active", "core"), Properties: drawnProperties(r),
			}
			if i == 0 {
				w.ValidFrom = graph.Some(noon.Add(-time.Hour))
			} else {
				w.ValidFrom = given(r, "from", noon.Add(-time.Duration(i+1)*time.Hour)) // a later one would be of another relationship
			}
			result, err := e.Store.Write(e.Context(), e.As("u"), &graph.MemoryWrite{Relationships: []graph.RelationshipWrite{w}})
			if err != nil {
				r.Fatal(err)
			}
			if got := result.Relationships[0]; got.Status != graph.Refused && key == "" {
				key = got.Key
			}
		}
		if rapid.Bool().Draw(r, "ends") {
			end := graph.RelationshipWrite{From: "me", To: "bo", Type: kind, ValidTo: graph.Some(e.Now.Add(time.Minute))}
			if _, err := e.Store.Write(e.Context(), e.As("u"), &graph.MemoryWrite{Relationships: []graph.RelationshipWrite{end}}); err != nil {
				r.Fatal(err)
			}
		}
		for range rapid.IntRange(1, 4).Draw(r, "restores") {
			e.Now = e.Now.Add(time.Minute)
			page, err := e.Store.RelationshipVersions(e.Context(), e.As("u"), key, "", 100)
			if err != nil {
				r.Fatal(err)
			}
			chosen := rapid.SampledFrom(page.Versions).Draw(r, "version")
			got, err := e.Store.RestoreRelationshipVersion(e.Context(), e.As("u"), key, chosen.Version)
			if err != nil {
				r.Fatalf("restore %d: %v", chosen.Version, err)
			}
			if diff := cmp.Diff(content(r, chosen.Relationship), content(r, got)); diff != "" {
				r.Fatalf("version %d (-want +got):\n%s", chosen.Version, diff)
			}
		}
	})
}

// TestRestoresThatAreRefused has versions that do not exist, and such that what is stored by now does not allow.
func TestRestoresThatAreRefused(t *testing.T) {
	e := fresh(t)
	ctx, scope := t.Context(), e.As("u")
	named := func(key, name string) graph.NodeWrite {
		return graph.NodeWrite{Kind: "concept", EntityKey: key, Name: graph.Some(name)}
	}
	e.Write("u", []graph.NodeWrite{named("a", "Tea"), named("b", "Milk")})
	e.hour(1)
	e.Write("u", []graph.NodeWrite{named("a", "Coffee")})
	e.Write("u", []graph.NodeWrite{named("c", "Tea")})
	l := link("a", "relates_to", "b", 0.5)
	l.ValidFrom = graph.Some(noon)
	e.Write("u", nil, l)
	key := e.relationshipKey("a")
	e.hour(2)
	l.ValidTo = graph.Some(e.Now)
	e.Write("u", nil, l)
	e.hour(3)
	l.ValidFrom, l.ValidTo = graph.Some(e.Now), graph.Optional[time.Time]{}
	e.Write("u", nil, l)

	node := func(who graph.Scope, kind graph.Kind, key string, version int64) error {
		_, err := e.Store.RestoreNodeVersion(ctx, who, kind, key, version)
		return err
	}
	relationship := func(who graph.Scope, key string, version int64) error {
		_, err := e.Store.RestoreRelationshipVersion(ctx, who, key, version)
		return err
	}
	for name, c := range map[string]struct{ got, want error }{
		"the name is taken":         {node(scope, graph.ConceptKind, "a", 1), fault.ErrConflict},
		"no such version":           {node(scope, graph.ConceptKind, "a", 9), fault.ErrNotFound},
		"the stored version":        {node(scope, graph.ConceptKind, "a", 2), nil},
		"no such node":              {node(scope, graph.ConceptKind, "x", 1), fault.ErrNotFound},
		"another kind":              {node(scope, graph.PersonKind, "a", 1), fault.ErrNotFound},
		"another user's":            {node(e.As("other"), graph.ConceptKind, "a", 1), fault.ErrNotFound},
		"another team's":            {node(e.neighbour().As("u"), graph.ConceptKind, "a", 1), fault.ErrNotFound},
		"a later one is current":    {relationship(scope, key, 1), fault.ErrConflict},
		"no such version of it":     {relationship(scope, key, 9), fault.ErrNotFound},
		"the stored version of it":  {relationship(scope, key, 2), nil},
		"no such relationship":      {relationship(scope, "x", 1), fault.ErrNotFound},
		"another user's of it":      {relationship(e.As("other"), key, 1), fault.ErrNotFound},
		"a node as a relationship":  {relationship(scope, "a", 1), fault.ErrNotFound},
		"a relationship as a node":  {node(scope, graph.ConceptKind, key, 1), fault.ErrNotFound},
		"another team's of it":      {relationship(e.neighbour().As("u"), key, 1), fault.ErrNotFound},
		"a version that was before": {node(scope, graph.ConceptKind, "b", 2), fault.ErrNotFound},
	} {
		if !errors.Is(c.got, c.want) {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
}

// relationshipKey returns the key of the only relationship of a concept.
func (e *env) relationshipKey(node string) string {
	e.Helper()
	page, err := e.Store.Relationships(e.Context(), e.As("u"), graph.RelationshipList{Kind: graph.ConceptKind, Key: node, Limit: 10})
	if err != nil || len(page.Relationships) != 1 {
		e.Fatalf("%+v, %v", page, err)
	}
	return page.Relationships[0].Key
}

// A version that is restored beside writes has nothing of them.
func TestRestoredVersionsHaveNothingOfOthers(t *testing.T) {
	e := fresh(t)
	tea := graph.NodeWrite{Kind: "concept", EntityKey: "a", Name: graph.Some("Tea")}
	e.Write("u", []graph.NodeWrite{tea})
	atOnce(t, func(i int) (err error) {
		for j := range 5 {
			if i%2 == 0 {
				with := tea
				with.Properties = json.RawMessage(fmt.Sprintf(`{"x":"%d of %d"}`, j, i))
				_, err = e.Store.Write(e.Context(), e.As("u"), &graph.MemoryWrite{Nodes: []graph.NodeWrite{with}})
			} else if n, failed := e.Store.RestoreNodeVersion(e.Context(), e.As("u"), graph.ConceptKind, "a", 1); failed == nil && strings.Contains(string(n.Properties), "of") {
				err = fmt.Errorf("version 1 was restored with %s", n.Properties)
			} else if !errors.Is(failed, fault.ErrConflict) { // too much at once
				err = failed
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// A change of a relationship that waits for a merge, which gives the relationship another end, finds it there.
func TestRelationshipsThatAMergeMovesAreFound(t *testing.T) {
	for name, change := range map[string]func(*env, string) error{
		"delete": func(e *env, key string) error {
			_, err := e.Store.DeleteRelationship(e.Context(), e.As("u"), key, 0)
			return err
		},
		"note": func(e *env, key string) error {
			_, err := e.Store.AddRelationshipNotes(e.Context(), e.As("u"), key, []graph.NoteWrite{{Content: "once"}})
			return err
		},
		"restore": func(e *env, key string) error {
			_, err := e.Store.RestoreRelationshipVersion(e.Context(), e.As("u"), key, 1)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := fresh(t)
			l := link("a", "relates_to", "b", 0.5)
			e.Write("u", []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5), node("concept", "c", 0.5)}, l)
			l.Description = graph.Some("changed")
			e.Write("u", nil, l)
			key, changed := e.relationshipKey("a"), make(chan error, 1)
			err := e.Store.Transaction(t.Context(), "node_merge", func(tx *graph.Tx) error {
				_, err := tx.MergeNodes(e.As("u"), graph.ConceptKind, "c", graph.MergeWrite{Other: "a"})
				if err != nil {
					return err
				}
				go func() { changed <- change(e, key) }()
				for blocked := false; !blocked; time.Sleep(10 * time.Millisecond) {
					if len(changed) > 0 {
						t.Fatal("it did not wait for the merge")
					}
					blocked = e.Blocked() == 1
				}
				return nil
			})
			if err := errors.Join(err, <-changed); err != nil {
				t.Fatal(err)
			}
			want := map[string][][]any{"delete": {}, "note": {{"changed", int64(1)}}, "restore": {{"a relates_to b", nil}}}[name]
			e.Same("what leads from the other node", want, e.Raw(`MATCH (:Concept {team_id: $team, entity_key: 'c'})-[r]->() RETURN r.description, size(r.notes)`))
		})
	}
}
