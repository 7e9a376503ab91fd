package graph

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
)

// contextFile returns a memory file in its canonical form.
func contextFile(t *testing.T) ([]byte, *SystemMemory) {
	t.Helper()
	raw, err := os.ReadFile("testdata/context.json")
	if err != nil {
		t.Fatal(err)
	}
	var m SystemMemory
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	return raw, &m
}

// put replaces a system and expects that all of it is accepted.
func (e *env) put(system string, m *SystemMemory) SystemResult {
	e.Helper()
	result, err := e.store.ReplaceSystem(e.Context(), e.as(""), system, m, true)
	if err != nil {
		e.Fatal(err)
	}
	return result
}

// merge adds to a system; refused items are in the result.
func (e *env) merge(system string, w SystemWrite) SystemResult {
	e.Helper()
	result, err := e.store.MergeSystem(e.Context(), e.as(""), system, &w)
	if err != nil {
		e.Fatal(err)
	}
	return result
}

func (e *env) file(system string) string {
	e.Helper()
	m, err := e.store.SystemMemory(e.Context(), e.as(""), system)
	if err != nil {
		e.Fatal(err)
	}
	return string(m.File())
}

func (e *env) systemEntity(system, name string) SystemNode {
	e.Helper()
	n, err := e.store.SystemEntity(e.Context(), e.as(""), system, name)
	if err != nil {
		e.Fatal(err)
	}
	return n
}

// named returns an entity of type service.
func named(name string) SystemEntityWrite {
	return SystemEntityWrite{Name: name, Type: Some("service")}
}

func uses(from, to string) SystemRelationshipWrite {
	return SystemRelationshipWrite{From: from, To: to, Type: "uses"}
}

func systemStatuses(r SystemResult) string {
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
	e.same("file", "{\n  \"entities\": [],\n  \"relationships\": []\n}", e.file("never written"))
	systems, err := e.store.Systems(t.Context(), e.as(""), "", 10)
	e.same("systems", []any{[]System{}, nil}, []any{systems, err})
}

// A canonical file comes back byte for byte, also when it replaces another memory, and stored items keep their keys.
func TestSystemFileRoundTrip(t *testing.T) {
	e := fresh(t)
	raw, m := contextFile(t)
	first := e.put("orders", m)
	e.same("file", string(raw), e.file("orders"))
	e.same("statuses", "added", strings.Join(Distinct(strings.Fields(systemStatuses(first))), " "))
	node := e.systemEntity("orders", m.Entities[0].Name)
	again := e.put("orders", m)
	e.same("statuses", "unchanged", strings.Join(Distinct(strings.Fields(systemStatuses(again))), " "))
	e.same("node", node, e.systemEntity("orders", m.Entities[0].Name))

	e.put("orders", &SystemMemory{Entities: []SystemEntity{{Name: "new", Type: "x"}, m.Entities[1], m.Entities[0]}})
	if e.systemEntity("orders", m.Entities[0].Name).EntityKey != node.EntityKey {
		t.Error("an entity that stayed has another key")
	}
	back := e.put("orders", m)
	e.same("removed", &SystemCounts{1, 0}, back.Removed)
	e.same("file", string(raw), e.file("orders"))
}

// JSON.stringify defines the canonical form: needless escapes are removed, numbers and the order of keys stay.
func TestSystemPropertiesAreKept(t *testing.T) {
	e := fresh(t)
	given := `{ "b" : 1.0, "a": -0, "n": 12345678901234567890, "e": 1E+2, "t": "\u00e9\u2028\/<&>", "b": [ ], "o": {}, "d": {"x":[1,{"y":null}]}, "1":true }`
	e.merge("s", SystemWrite{Entities: []SystemEntityWrite{{Name: "x", Type: Some("t"), Properties: json.RawMessage(given)}}})
	want := "{\"b\":[],\"a\":-0,\"n\":12345678901234567890,\"e\":1E+2,\"t\":\"é\u2028/<&>\",\"o\":{},\"d\":{\"x\":[1,{\"y\":null}]},\"1\":true}"
	e.same("properties", want, string(e.systemEntity("s", "x").Properties))
}

func TestSystemReplaceLeavesDanglingRelationshipsOut(t *testing.T) {
	e := fresh(t)
	m := &SystemMemory{
		Entities: []SystemEntity{{Name: "a", Type: "t"}, {Name: "b", Type: "t"}},
		Relationships: []SystemRelationship{
			{From: "a", To: "b", Type: "uses"}, {From: "a", To: "gone", Type: "uses"}, {From: "gone", To: "b", Type: "uses"},
		},
	}
	_, err := e.store.ReplaceSystem(t.Context(), e.as(""), "s", m, true)
	e.same("strict", []string{"relationships[1].to", "relationships[2].from"}, locations(err))
	if systems, err := e.store.Systems(t.Context(), e.as(""), "", 10); len(systems) != 0 || err != nil {
		t.Errorf("written in spite of its faults: %v %v", systems, err)
	}
	result, err := e.store.ReplaceSystem(t.Context(), e.as(""), "s", m, false)
	e.same("error", nil, err)
	e.same("statuses", "added added added refused refused", systemStatuses(result))
	e.same("warnings", []string{"relationships[1].to: entity not found", "relationships[2].from: entity not found"}, result.Warnings)
	e.same("relationships", 1, strings.Count(e.file("s"), `"from"`))
}

func TestSystemsAreListedAndDeleted(t *testing.T) {
	e := fresh(t)
	for _, name := range []string{"b", "a", "c"} {
		e.merge(name, SystemWrite{
			Entities:      []SystemEntityWrite{named("x"), named("y")},
			Relationships: []SystemRelationshipWrite{uses("x", "y"), uses("y", "x"), uses("x", "x")},
		})
	}
	systems, err := e.store.Systems(t.Context(), e.as(""), "a", 1)
	e.same("second", []any{[]System{{"b", SystemCounts{2, 3}, 1, noon, noon}}, nil}, []any{systems, err})
	deleted, err := e.store.DeleteSystem(t.Context(), e.as(""), "b")
	e.same("deleted", []any{SystemCounts{2, 3}, nil}, []any{deleted, err})
	if _, err := e.store.DeleteSystem(t.Context(), e.as(""), "b"); !errors.Is(err, ErrNotFound) {
		t.Errorf("deleted again: %v", err)
	}
	systems, err = e.store.Systems(t.Context(), e.as(""), "", 10)
	e.same("left", []any{2, nil}, []any{len(systems), err})
	e.same("nodes left", int64(4), e.stored()[0])
}
