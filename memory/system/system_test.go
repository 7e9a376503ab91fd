package system

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"kith/graph"
	"kith/internal/fault"
	"kith/tests/graphtest"
)

// contextFile returns a memory file in its canonical form.
func contextFile(t *testing.T) ([]byte, *Memory) {
	t.Helper()
	raw, err := os.ReadFile("testdata/context.json")
	if err != nil {
		t.Fatal(err)
	}
	var m Memory
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	return raw, &m
}

// put replaces a system and expects that all of it is accepted.
func (e *env) put(system string, m *Memory) Result {
	e.Helper()
	result, err := e.systems.ReplaceSystem(e.Context(), e.As(""), system, m, true)
	if err != nil {
		e.Fatal(err)
	}
	return result
}

// merge adds to a system; refused items are in the result.
func (e *env) merge(system string, w Write) Result {
	e.Helper()
	result, err := e.systems.MergeSystem(e.Context(), e.As(""), system, &w)
	if err != nil {
		e.Fatal(err)
	}
	return result
}

func (e *env) file(system string) string {
	e.Helper()
	m, err := e.systems.SystemMemory(e.Context(), e.As(""), system)
	if err != nil {
		e.Fatal(err)
	}
	return string(m.File())
}

func (e *env) systemEntity(system, name string) Node {
	e.Helper()
	n, err := e.systems.SystemEntity(e.Context(), e.As(""), system, name)
	if err != nil {
		e.Fatal(err)
	}
	return n
}

// named returns an entity of type service.
func named(name string) EntityWrite {
	return EntityWrite{Name: name, Type: graph.Some("service")}
}

func uses(from, to string) RelationshipWrite {
	return RelationshipWrite{From: from, To: to, Type: "uses"}
}

func systemStatuses(r Result) string {
	var all []string
	for _, e := range r.Entities {
		all = append(all, string(e.Status))
	}
	for _, l := range r.Relationships {
		all = append(all, string(l.Status))
	}
	return strings.Join(all, " ")
}

func TestSystemUnknownIsEmpty(t *testing.T) {
	e := fresh(t)
	e.Same("file", "{\n  \"entities\": [],\n  \"relationships\": []\n}", e.file("never written"))
	systems, err := e.systems.Systems(t.Context(), e.As(""), "", 10)
	e.Same("systems", []any{[]System{}, nil}, []any{systems, err})
}

// A canonical file comes back byte for byte, also when it replaces another memory, and stored items keep their keys.
func TestSystemFileRoundTrip(t *testing.T) {
	e := fresh(t)
	raw, m := contextFile(t)
	first := e.put("orders", m)
	e.Same("file", string(raw), e.file("orders"))
	e.Same("statuses", "added", strings.Join(graph.Distinct(strings.Fields(systemStatuses(first))), " "))
	node := e.systemEntity("orders", m.Entities[0].Name)
	again := e.put("orders", m)
	e.Same("statuses", "unchanged", strings.Join(graph.Distinct(strings.Fields(systemStatuses(again))), " "))
	e.Same("node", node, e.systemEntity("orders", m.Entities[0].Name))

	e.put("orders", &Memory{Entities: []Entity{{Name: "new", Type: "x"}, m.Entities[1], m.Entities[0]}})
	if e.systemEntity("orders", m.Entities[0].Name).EntityKey != node.EntityKey {
		t.Error("an entity that stayed has another key")
	}
	back := e.put("orders", m)
	e.Same("removed", &Counts{1, 0}, back.Removed)
	e.Same("file", string(raw), e.file("orders"))
}

// JSON.stringify defines the canonical form: needless escapes are removed, numbers and the order of keys stay.
func TestSystemPropertiesAreKept(t *testing.T) {
	e := fresh(t)
	given := `{ "b" : 1.0, "a": -0, "n": 12345678901234567890, "e": 1E+2, "t": "\u00e9\u2028\/<&>", "b": [ ], "o": {}, "d": {"x":[1,{"y":null}]}, "1":true }`
	e.merge("s", Write{Entities: []EntityWrite{{Name: "x", Type: graph.Some("t"), Properties: json.RawMessage(given)}}})
	want := "{\"b\":[],\"a\":-0,\"n\":12345678901234567890,\"e\":1E+2,\"t\":\"é\u2028/<&>\",\"o\":{},\"d\":{\"x\":[1,{\"y\":null}]},\"1\":true}"
	e.Same("properties", want, string(e.systemEntity("s", "x").Properties))
}

func TestSystemReplaceLeavesDanglingRelationshipsOut(t *testing.T) {
	e := fresh(t)
	m := &Memory{
		Entities: []Entity{{Name: "a", Type: "t"}, {Name: "b", Type: "t"}},
		Relationships: []Relationship{
			{From: "a", To: "b", Type: "uses"}, {From: "a", To: "gone", Type: "uses"}, {From: "gone", To: "b", Type: "uses"},
		},
	}
	_, err := e.systems.ReplaceSystem(t.Context(), e.As(""), "s", m, true)
	e.Same("strict", []string{"relationships[1].to", "relationships[2].from"}, graphtest.Locations(err))
	if systems, err := e.systems.Systems(t.Context(), e.As(""), "", 10); len(systems) != 0 || err != nil {
		t.Errorf("written in spite of its faults: %v %v", systems, err)
	}
	result, err := e.systems.ReplaceSystem(t.Context(), e.As(""), "s", m, false)
	e.Same("error", nil, err)
	e.Same("statuses", "added added added refused refused", systemStatuses(result))
	e.Same("warnings", []string{"relationships[1].to: entity not found", "relationships[2].from: entity not found"}, result.Warnings)
	e.Same("relationships", 1, strings.Count(e.file("s"), `"from"`))
}

func TestSystemsAreListedAndDeleted(t *testing.T) {
	e := fresh(t)
	for _, name := range []string{"b", "a", "c"} {
		e.merge(name, Write{
			Entities:      []EntityWrite{named("x"), named("y")},
			Relationships: []RelationshipWrite{uses("x", "y"), uses("y", "x"), uses("x", "x")},
		})
	}
	systems, err := e.systems.Systems(t.Context(), e.As(""), "a", 1)
	e.Same("second", []any{[]System{{"b", Counts{2, 3}, 1, noon, noon}}, nil}, []any{systems, err})
	deleted, err := e.systems.DeleteSystem(t.Context(), e.As(""), "b")
	e.Same("deleted", []any{Counts{2, 3}, nil}, []any{deleted, err})
	if _, err := e.systems.DeleteSystem(t.Context(), e.As(""), "b"); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("deleted again: %v", err)
	}
	systems, err = e.systems.Systems(t.Context(), e.As(""), "", 10)
	e.Same("left", []any{2, nil}, []any{len(systems), err})
	e.Same("nodes left", int64(4), e.Stored()[0])
}
