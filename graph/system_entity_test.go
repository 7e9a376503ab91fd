package graph

import (
	"errors"
	"strings"
	"testing"
)

// abc stores a system of three entities in a row.
func (e *env) abc() {
	e.Helper()
	e.merge("s", SystemWrite{
		Entities: []SystemEntityWrite{named("a"), {Name: "b", Type: Some("store"), Tags: []string{"x", "y"}},
			{Name: "c", Type: Some("store"), Tags: []string{"y"}}},
		Relationships: []SystemRelationshipWrite{uses("a", "b"), uses("b", "c"), {From: "a", To: "b", Type: "calls; drop"}},
	})
}

func linkNames(links []SystemLink) string {
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
		q    SystemEntityQuery
		want string
	}{
		{SystemEntityQuery{Limit: 9}, "a b c"}, {SystemEntityQuery{Limit: 2}, "a b"}, {SystemEntityQuery{Limit: 9, From: 1}, "b c"},
		{SystemEntityQuery{Limit: 9, Type: "store"}, "b c"}, {SystemEntityQuery{Limit: 9, Tag: "x"}, "b"},
		{SystemEntityQuery{Limit: 9, Type: "service", Tag: "x"}, ""},
	} {
		found, err := e.store.SystemEntities(t.Context(), e.as(""), "s", c.q)
		names := make([]string, len(found))
		for i, n := range found {
			names[i] = n.Name
		}
		e.same("entities", []any{c.want, nil}, []any{strings.Join(names, " "), err})
	}
	for _, c := range []struct {
		q    SystemRelationshipQuery
		want string
	}{
		{SystemRelationshipQuery{}, "a uses b, b uses c, a calls; drop b"}, {SystemRelationshipQuery{From: 4}, "b uses c, a calls; drop b"},
		{SystemRelationshipQuery{FromName: "a"}, "a uses b, a calls; drop b"}, {SystemRelationshipQuery{ToName: "c"}, "b uses c"},
		{SystemRelationshipQuery{Type: "uses"}, "a uses b, b uses c"}, {SystemRelationshipQuery{FromName: "a", ToName: "b", Type: "uses"}, "a uses b"},
		{SystemRelationshipQuery{FromName: "a", ToName: "c"}, ""}, {SystemRelationshipQuery{FromName: "A"}, ""},
	} {
		c.q.Limit = 9
		found, err := e.store.SystemRelationships(t.Context(), e.as(""), "s", c.q)
		e.same("relationships", []any{c.want, nil}, []any{linkNames(found), err})
	}
	for _, name := range []string{"A", "d", "", " a", "\xff"} {
		if _, err := e.store.SystemEntity(t.Context(), e.as(""), "s", name); !errors.Is(err, ErrNotFound) {
			t.Errorf("entity %q: %v", name, err)
		}
	}
	_, err := e.store.SystemEntities(t.Context(), e.as(""), "s", SystemEntityQuery{Tag: "\xff", Limit: 1})
	e.same("tag", []string{"tag"}, locations(err))
}

func TestSystemEntityIsChanged(t *testing.T) {
	e := fresh(t)
	e.abc()
	changed, err := e.store.ChangeSystemEntity(t.Context(), e.as(""), "s", &SystemEntityWrite{Name: "b", RemoveTags: []string{"x"}, Description: Some("new")})
	e.same("error", nil, err)
	e.same("changed", e.systemEntity("s", "b"), changed)
	e.same("fields", []any{"store", "new", []string{"y"}, int64(2)}, []any{changed.Type, changed.Description, changed.Tags, changed.Version})
	_, err = e.store.ChangeSystemEntity(t.Context(), e.as(""), "s", &SystemEntityWrite{Name: "b", Type: Some(" ")})
	e.same("type", []string{"type"}, locations(err))
	if _, err = e.store.ChangeSystemEntity(t.Context(), e.as(""), "s", named0("d")); !errors.Is(err, ErrNotFound) {
		t.Errorf("unknown: %v", err)
	}
}

func named0(name string) *SystemEntityWrite { w := named(name); return &w }

func TestSystemEntityIsRenamed(t *testing.T) {
	e := fresh(t)
	e.abc()
	before := e.systemEntity("s", "b")
	if _, err := e.store.RenameSystemEntity(t.Context(), e.as(""), "s", "b", "c"); !errors.Is(err, ErrConflict) {
		t.Errorf("taken name: %v", err)
	}
	_, err := e.store.RenameSystemEntity(t.Context(), e.as(""), "s", "b", "")
	e.same("no name", []string{"name"}, locations(err))
	renamed, err := e.store.RenameSystemEntity(t.Context(), e.as(""), "s", "b", "d")
	e.same("renamed", []any{"d", before.EntityKey, int64(2), nil}, []any{renamed.Name, renamed.EntityKey, renamed.Version, err})
	found, err := e.store.SystemRelationships(t.Context(), e.as(""), "s", SystemRelationshipQuery{Limit: 9})
	e.same("relationships", []any{"a uses d, d uses c, a calls; drop d", nil}, []any{linkNames(found), err})
	same, err := e.store.RenameSystemEntity(t.Context(), e.as(""), "s", "d", "d")
	e.same("to itself", []any{int64(2), nil}, []any{same.Version, err})
	e.same("the old name is free", "added unchanged", systemStatuses(e.merge("s", SystemWrite{
		Entities: []SystemEntityWrite{named("b")}, Relationships: []SystemRelationshipWrite{uses("a", "d")},
	})))
}

func TestSystemDeletes(t *testing.T) {
	e := fresh(t)
	e.abc()
	for range 2 {
		err := e.store.DeleteSystemRelationship(t.Context(), e.as(""), "s", "a", "b", "calls; drop")
		if found, _ := e.store.SystemRelationships(t.Context(), e.as(""), "s", SystemRelationshipQuery{Limit: 9}); linkNames(found) != "a uses b, b uses c" {
			t.Errorf("relationships: %s (%v)", linkNames(found), err)
		}
	}
	if err := e.store.DeleteSystemRelationship(t.Context(), e.as(""), "s", "a", "b", "calls; drop"); !errors.Is(err, ErrNotFound) {
		t.Errorf("deleted again: %v", err)
	}
	deleted, err := e.store.DeleteSystemEntity(t.Context(), e.as(""), "s", "b")
	e.same("deleted", []any{SystemCounts{1, 2}, nil}, []any{deleted, err})
	if _, err := e.store.DeleteSystemEntity(t.Context(), e.as(""), "s", "b"); !errors.Is(err, ErrNotFound) {
		t.Errorf("deleted again: %v", err)
	}
	e.same("left", []any{int64(2), int64(0)}, e.stored()[:2])
}

// An entity without a place was written as a node: the system adopts it when it is written or read by name.
func TestSystemTakesEntitiesIn(t *testing.T) {
	e := fresh(t)
	for _, name := range []string{"a", "b", "c"} {
		e.raw(`CREATE (:Memory:SystemEntity {team_id: $team, entity_key: '` + name + `', natural_key: 'system_entity\u001f\u001fs\u001f` + name + `',
			system: 's', name: '` + name + `', type: 'service', description: '', version: 1, created_at: datetime(), updated_at: datetime(),
			search_scope: '` + scopeToken(e.team, "") + ` xsystementity0', search_name: '` + name + `'})`)
	}
	e.same("merged", "unchanged added", systemStatuses(e.merge("s", SystemWrite{
		Entities: []SystemEntityWrite{named("a")}, Relationships: []SystemRelationshipWrite{uses("a", "b")},
	})))
	if _, err := e.store.RenameSystemEntity(t.Context(), e.as(""), "s", "c", "d"); err != nil {
		t.Fatal(err)
	}
	e.same("names", "a d", strings.Join(namesOf(e.system("s")), " "))
	m := &SystemMemory{Entities: []SystemEntity{{Name: "b", Type: "service"}, {Name: "a", Type: "service"}}}
	e.same("replaced", "unchanged unchanged", systemStatuses(e.put("s", m)))
	e.same("key", "b", e.systemEntity("s", "b").EntityKey)
	e.same("names", "b a", strings.Join(namesOf(e.system("s")), " "))
}

// system returns everything in a system.
func (e *env) system(system string) SystemMemory {
	e.Helper()
	m, err := e.store.SystemMemory(e.Context(), e.as(""), system)
	if err != nil {
		e.Fatal(err)
	}
	return m
}

func namesOf(m SystemMemory) []string {
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
	_, err := e.store.Write(t.Context(), e.as(""), &MemoryWrite{Relationships: []RelationshipWrite{{From: key, To: other, Type: systemRelationshipType}}})
	e.same("relationship", []string{"relationships[0].type"}, locations(err))
	result := e.try("", []NodeWrite{{Kind: "entity", EntityKey: key, Name: Some("x")}})
	e.same("node", Refused, result.Nodes[0].Status)
}
