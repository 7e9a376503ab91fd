package system

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"kith/graph"
	"kith/tests/graphtest"
)

// TestThePastOfASystem writes, renames, moves, deletes and restores at random, and compares the file of each time with what it was then.
func TestThePastOfASystem(t *testing.T) {
	graphtest.Twice(t, func(r *rapid.T, g *graphtest.Env) {
		e := withSystems(g)
		type version struct {
			at   time.Time
			file string
		}
		versions := []version{{e.Now, e.file("s")}}
		for range rapid.IntRange(1, 15).Draw(r, "steps") {
			e.Now = e.Now.Add(rapid.SampledFrom([]time.Duration{time.Millisecond, time.Hour}).Draw(r, "later"))
			e.step(r)
			versions = append(versions, version{e.Now, e.file("s")})
		}
		for _, v := range versions {
			m, err := e.systems.SystemMemoryAt(e.Context(), e.As(""), "s", &v.at)
			if err != nil {
				r.Fatal(err)
			}
			if got := string(m.File()); got != v.file {
				r.Fatalf("as of %s:\n%s\nwant:\n%s", v.at.Format(time.RFC3339Nano), got, v.file)
			}
		}
	})
}

// step changes a system at random. What the store refuses changes nothing.
func (e *env) step(r *rapid.T) {
	names := []string{"a", "b", "c", "d"}
	ctx, scope := e.Context(), e.As("")
	name, other := rapid.SampledFrom(names).Draw(r, "name"), rapid.SampledFrom(names).Draw(r, "other")
	text := rapid.StringMatching("[a-z]{1,4}").Draw(r, "text")
	properties := json.RawMessage(fmt.Sprintf(`{"n":%q}`, text))
	var err error
	switch rapid.SampledFrom([]string{"put", "put", "merge", "merge", "link", "link", "delete", "unlink", "rename", "drop", "hide", "write"}).Draw(r, "step") {
	case "put":
		m := &Memory{}
		for _, n := range rapid.SliceOfDistinct(rapid.SampledFrom(names), rapid.ID[string]).Draw(r, "file") {
			m.Entities = append(m.Entities, Entity{Name: n, Type: "t", Description: rapid.SampledFrom([]string{"", text}).Draw(r, "description")})
		}
		for i := range m.Entities {
			m.Relationships = append(m.Relationships, Relationship{From: m.Entities[i].Name, To: m.Entities[0].Name, Type: "uses", Properties: properties})
		}
		_, err = e.systems.ReplaceSystem(ctx, scope, "s", m, true)
	case "merge":
		_, err = e.systems.MergeSystem(ctx, scope, "s", &Write{Entities: []EntityWrite{{Name: name, Type: graph.Some("t"), Description: graph.Some(text)}}})
	case "link":
		_, err = e.systems.MergeSystem(ctx, scope, "s", &Write{Relationships: []RelationshipWrite{{From: name, To: other, Type: "uses", Properties: properties}}})
	case "delete":
		_, err = e.systems.DeleteSystemEntity(ctx, scope, "s", name)
	case "unlink":
		err = e.systems.DeleteSystemRelationship(ctx, scope, "s", name, other, "uses")
	case "rename":
		_, err = e.systems.RenameSystemEntity(ctx, scope, "s", name, other)
	case "drop":
		_, err = e.systems.DeleteSystem(ctx, scope, "s")
	case "hide": // as a node, and back
		key := e.keyOf(name)
		if _, err = e.Store.DeleteNode(ctx, scope, graph.SystemEntityKind, key, 0); err == nil && rapid.Bool().Draw(r, "back") {
			e.Now = e.Now.Add(time.Second)
			_, err = e.Store.RestoreNode(ctx, scope, graph.SystemEntityKind, key)
		}
	case "write": // as a node, which has no place in the file before it is merged
		w := graph.NodeWrite{Kind: "system_entity", Name: graph.Some(name), Description: graph.Some(text), OwnFields: &graph.OwnFields{System: graph.Some("s")}}
		_, err = e.Store.Write(ctx, scope, &graph.MemoryWrite{Nodes: []graph.NodeWrite{w}})
	}
	_ = err // such as of an entity that is not there
}

// keyOf returns the key of an entity; empty if there is none.
func (e *env) keyOf(name string) string {
	n, err := e.systems.SystemEntity(e.Context(), e.As(""), "s", name)
	if err != nil {
		return ""
	}
	return n.EntityKey
}

// TestVersionsInASystem reads the versions of an entity and of a relationship, also after they were deleted for good.
func TestVersionsInASystem(t *testing.T) {
	e := fresh(t)
	e.merge("s", Write{Entities: []EntityWrite{named("a"), named("b")}, Relationships: []RelationshipWrite{uses("a", "b")}})
	links, err := e.systems.SystemRelationships(t.Context(), e.As(""), "s", RelationshipQuery{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	entity, link := e.keyOf("a"), links[0].Key
	for i, text := range []string{"one", "two"} {
		e.Now = noon.Add(time.Duration(i+1) * time.Hour)
		e.merge("s", Write{
			Entities:      []EntityWrite{{Name: "a", Description: graph.Some(text)}},
			Relationships: []RelationshipWrite{{From: "a", To: "b", Type: "uses", Properties: json.RawMessage(`{"how":"` + text + `"}`)}},
		})
	}
	e.Now = noon.Add(3 * time.Hour)
	if _, err := e.systems.DeleteSystemEntity(t.Context(), e.As(""), "s", "a"); err != nil {
		t.Fatal(err)
	}
	nodes, err := e.Store.NodeVersions(t.Context(), e.As("u"), graph.SystemEntityKind, entity, "", 10)
	e.Same("entity", []any{[]string{"3 14–15 deleted", "2 13–14", "1 12–13"}, nil}, []any{spans(nodes.Versions), err})
	relationships, err := e.Store.RelationshipVersions(t.Context(), e.As("u"), link, "", 10)
	e.Same("relationship", []any{[]string{"3 14–15 deleted", "2 13–14", "1 12–13"}, nil}, []any{spans(relationships.Versions), err})
	e.Same("properties", `{"how":"one"}`, string(relationships.Versions[1].Relationship.Properties))
	at := noon.Add(90 * time.Minute)
	n, err := e.Store.Node(t.Context(), e.As("u"), graph.SystemEntityKind, entity, graph.NodeQuery{AsOf: &at})
	e.Same("entity then", []any{"one", nil}, []any{n.Description, err})
	r, err := e.Store.Relationship(t.Context(), e.As("u"), link, &at)
	e.Same("relationship then", []any{`{"how":"one"}`, nil}, []any{string(r.Properties), err})
	if _, err := e.Store.Relationship(t.Context(), e.neighbour().As("u"), link, &at); err == nil {
		t.Error("another team sees the relationship")
	}
}

// spans returns each version with its hours.
func spans(versions []graph.Version) (all []string) {
	for _, v := range versions {
		line := fmt.Sprintf("%d %d–%d", v.Version, v.From.Hour(), v.Until.Hour())
		if v.Deleted {
			line += " deleted"
		}
		all = append(all, line)
	}
	return slices.Clip(all)
}
