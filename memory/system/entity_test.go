package system

import (
	"errors"
	"strings"
	"testing"

	"kith/graph"
	"kith/graph/searchscope"
	"kith/internal/fault"
	"kith/tests/graphtest"
)

// abc stores a system of three entities in a row.
func (e *env) abc() {
	e.Helper()
	e.merge("s", Write{
		Entities: []EntityWrite{named("a"), {Name: "b", Type: graph.Some("store"), Tags: []string{"x", "y"}},
			{Name: "c", Type: graph.Some("store"), Tags: []string{"y"}}},
		Relationships: []RelationshipWrite{uses("a", "b"), uses("b", "c"), {From: "a", To: "b", Type: "calls; drop"}},
	})
}

func linkNames(links []Link) string {
	all := make([]string, len(links))
	for i, l := range links {
		all[i] = l.From + " " + l.Type + " " + l.To
	}
	return strings.Join(all, ", ")
}

func TestSystemFinds(t *testing.T) {
	e := fresh(t)
	e.abc()
	for _, c := range []struct {
		q    EntityQuery
		want string
	}{
		{EntityQuery{Limit: 9}, "a b c"}, {EntityQuery{Limit: 2}, "a b"}, {EntityQuery{Limit: 9, From: 1}, "b c"},
		{EntityQuery{Limit: 9, Type: "store"}, "b c"}, {EntityQuery{Limit: 9, Tag: "x"}, "b"},
		{EntityQuery{Limit: 9, Type: "service", Tag: "x"}, ""},
	} {
		found, err := e.systems.SystemEntities(t.Context(), e.As(""), "s", c.q)
		names := make([]string, len(found))
		for i, n := range found {
			names[i] = n.Name
		}
		e.Same("entities", []any{c.want, nil}, []any{strings.Join(names, " "), err})
	}
	for _, c := range []struct {
		q    RelationshipQuery
		want string
	}{
		{RelationshipQuery{}, "a uses b, b uses c, a calls; drop b"}, {RelationshipQuery{From: 4}, "b uses c, a calls; drop b"},
		{RelationshipQuery{FromName: "a"}, "a uses b, a calls; drop b"}, {RelationshipQuery{ToName: "c"}, "b uses c"},
		{RelationshipQuery{Type: "uses"}, "a uses b, b uses c"}, {RelationshipQuery{FromName: "a", ToName: "b", Type: "uses"}, "a uses b"},
		{RelationshipQuery{FromName: "a", ToName: "c"}, ""}, {RelationshipQuery{FromName: "A"}, ""},
	} {
		c.q.Limit = 9
		found, err := e.systems.SystemRelationships(t.Context(), e.As(""), "s", c.q)
		e.Same("relationships", []any{c.want, nil}, []any{linkNames(found), err})
	}
	for _, name := range []string{"A", "d", "", " a", "\xff"} {
		if _, err := e.systems.SystemEntity(t.Context(), e.As(""), "s", name); !errors.Is(err, fault.ErrNotFound) {
			t.Errorf("entity %q: %v", name, err)
		}
	}
	_, err := e.systems.SystemEntities(t.Context(), e.As(""), "s", EntityQuery{Tag: "\xff", Limit: 1})
	e.Same("tag", []string{"tag"}, graphtest.Locations(err))
}

func TestSystemEntityIsChanged(t *testing.T) {
	e := fresh(t)
	e.abc()
	changed, err := e.systems.ChangeSystemEntity(t.Context(), e.As(""), "s", &EntityWrite{Name: "b", RemoveTags: []string{"x"}, Description: graph.Some("new")})
	e.Same("error", nil, err)
	e.Same("changed", e.systemEntity("s", "b"), changed)
	e.Same("fields", []any{"store", "new", []string{"y"}, int64(2)}, []any{changed.Type, changed.Description, changed.Tags, changed.Version})
	_, err = e.systems.ChangeSystemEntity(t.Context(), e.As(""), "s", &EntityWrite{Name: "b", Type: graph.Some(" ")})
	e.Same("type", []string{"type"}, graphtest.Locations(err))
	if _, err = e.systems.ChangeSystemEntity(t.Context(), e.As(""), "s", named0("d")); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("unknown: %v", err)
	}
}

func named0(name string) *EntityWrite { w := named(name); return &w }

func TestSystemEntityIsRenamed(t *testing.T) {
	e := fresh(t)
	e.abc()
	before := e.systemEntity("s", "b")
	if _, err := e.systems.RenameSystemEntity(t.Context(), e.As(""), "s", "b", "c"); !errors.Is(err, fault.ErrConflict) {
		t.Errorf("taken name: %v", err)
	}
	_, err := e.systems.RenameSystemEntity(t.Context(), e.As(""), "s", "b", "")
	e.Same("no name", []string{"name"}, graphtest.Locations(err))
	renamed, err := e.systems.RenameSystemEntity(t.Context(), e.As(""), "s", "b", "d")
	e.Same("renamed", []any{"d", before.EntityKey, int64(2), nil}, []any{renamed.Name, renamed.EntityKey, renamed.Version, err})
	found, err := e.systems.SystemRelationships(t.Context(), e.As(""), "s", RelationshipQuery{Limit: 9})
	e.Same("relationships", []any{"a uses d, d uses c, a calls; drop d", nil}, []any{linkNames(found), err})
	same, err := e.systems.RenameSystemEntity(t.Context(), e.As(""), "s", "d", "d")
	e.Same("to itself", []any{int64(2), nil}, []any{same.Version, err})
	e.Same("the old name is free", "added unchanged", systemStatuses(e.merge("s", Write{
		Entities: []EntityWrite{named("b")}, Relationships: []RelationshipWrite{uses("a", "d")},
	})))
}

func TestSystemDeletes(t *testing.T) {
	e := fresh(t)
	e.abc()
	for range 2 {
		err := e.systems.DeleteSystemRelationship(t.Context(), e.As(""), "s", "a", "b", "calls; drop")
		if found, _ := e.systems.SystemRelationships(t.Context(), e.As(""), "s", RelationshipQuery{Limit: 9}); linkNames(found) != "a uses b, b uses c" {
			t.Errorf("relationships: %s (%v)", linkNames(found), err)
		}
	}
	if err := e.systems.DeleteSystemRelationship(t.Context(), e.As(""), "s", "a", "b", "calls; drop"); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("deleted again: %v", err)
	}
	deleted, err := e.systems.DeleteSystemEntity(t.Context(), e.As(""), "s", "b")
	e.Same("deleted", []any{Counts{1, 2}, nil}, []any{deleted, err})
	if _, err := e.systems.DeleteSystemEntity(t.Context(), e.As(""), "s", "b"); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("deleted again: %v", err)
	}
	e.Same("left", []any{int64(2), int64(0)}, e.Stored()[:2])
}

// An entity without a place was written as a node: the system adopts it when it is written or read by name.
func TestSystemTakesEntitiesIn(t *testing.T) {
	e := fresh(t)
	for _, name := range []string{"a", "b", "c"} {
		e.Raw(`CREATE (:Memory:SystemEntity {team_id: $team, entity_key: '` + name + `', natural_key: 'system_entity\u001f\u001fs\u001f` + name + `',
			system: 's', name: '` + name + `', type: 'service', description: '', version: 1, created_at: datetime(), updated_at: datetime(),
			search_scope: '` + searchscope.Node(e.Team, "", graph.SystemEntityKind.Name) + `', search_name: '` + name + `'})`)
	}
	e.Same("merged", "unchanged added", systemStatuses(e.merge("s", Write{
		Entities: []EntityWrite{named("a")}, Relationships: []RelationshipWrite{uses("a", "b")},
	})))
	if _, err := e.systems.RenameSystemEntity(t.Context(), e.As(""), "s", "c", "d"); err != nil {
		t.Fatal(err)
	}
	e.Same("names", "a d", strings.Join(namesOf(e.system("s")), " "))
	m := &Memory{Entities: []Entity{{Name: "b", Type: "service"}, {Name: "a", Type: "service"}}}
	e.Same("replaced", "unchanged unchanged", systemStatuses(e.put("s", m)))
	e.Same("key", "b", e.systemEntity("s", "b").EntityKey)
	e.Same("names", "b a", strings.Join(namesOf(e.system("s")), " "))
}

// system returns everything in a system.
func (e *env) system(system string) Memory {
	e.Helper()
	m, err := e.systems.SystemMemory(e.Context(), e.As(""), system)
	if err != nil {
		e.Fatal(err)
	}
	return m
}

func namesOf(m Memory) []string {
	names := make([]string, len(m.Entities))
	for i := range m.Entities {
		names[i] = m.Entities[i].Name
	}
	return names
}

// Other writes reach neither the entities of systems nor their relationships.
func TestSystemIsNotWrittenAsMemory(t *testing.T) {
	e := fresh(t)
	e.abc()
	key, other := e.systemEntity("s", "a").EntityKey, e.systemEntity("s", "b").EntityKey
	_, err := e.Store.Write(t.Context(), e.As(""), &graph.MemoryWrite{Relationships: []graph.RelationshipWrite{{From: key, To: other, Type: graph.SystemRelationshipType}}})
	e.Same("relationship", []string{"relationships[0].type"}, graphtest.Locations(err))
	result := e.Try("", []graph.NodeWrite{{Kind: "entity", EntityKey: key, Name: graph.Some("x")}})
	e.Same("node", graph.Refused, result.Nodes[0].Status)
}
