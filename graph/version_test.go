package graph

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"kith/internal/fault"
)

// conflicts returns the stored versions of a fault.VersionError by location; nil for any other error.
func conflicts(err error) map[string]int64 {
	var version *fault.VersionError
	if !errors.As(err, &version) || !errors.Is(err, ErrConflict) {
		return nil
	}
	at := map[string]int64{}
	for _, f := range version.Fields {
		at[f.Path.String()] = *f.Version
	}
	return at
}

func ifVersion(v int64) func(*NodeWrite) { return func(w *NodeWrite) { w.IfVersion = Some(v) } }

func linkIf(v int64, from, to string, salience float64) RelationshipWrite {
	w := link(from, "relates_to", to, salience)
	w.IfVersion = Some(v)
	return w
}

func TestWritesOfAVersion(t *testing.T) {
	e := fresh(t)
	first := e.write("u1", []NodeWrite{node("concept", "a", 0.5, ifVersion(0)), node("concept", "b", 0.5)}, linkIf(0, "a", "b", 0.5))
	e.same("versions", []int64{1, 1, 1}, []int64{first.Nodes[0].Version, first.Nodes[1].Version, first.Relationships[0].Version})
	second := e.write("u1", []NodeWrite{change("concept", "a", ifVersion(1), described("d"))}, linkIf(1, "a", "b", 0.6))
	e.same("versions", []int64{2, 2}, []int64{second.Nodes[0].Version, second.Relationships[0].Version})
	e.same("what changes nothing keeps its version", NodeResult{EntityKey: "a", Status: Unchanged, Version: 2},
		e.write("u1", []NodeWrite{change("concept", "a", ifVersion(2), described("d"))}).Nodes[0])

	source := e.source("u1", SourceWrite{EntityKey: "s", Messages: []MessageWrite{said("m", "x")}})
	message := NodeWrite{Kind: "message", EntityKey: "m", OwnFields: &OwnFields{SourceKey: Some("s")}}
	if _, err := e.store.AddNotes(t.Context(), e.as("u1"), MessageKind, "m", []NoteWrite{{Content: "n"}}); err != nil {
		t.Fatal(err)
	}
	e.same("the version of a message with a note", NodeResult{EntityKey: "m", Status: Unchanged, Version: 2}, e.write("u1", []NodeWrite{message}).Nodes[0])
	message.IfVersion = Some(int64(1))

	before := e.stored()
	e.now = noon.Add(time.Hour)
	for name, c := range map[string]struct {
		nodes []NodeWrite
		links []RelationshipWrite
		want  map[string]int64
	}{
		"an old one":   {[]NodeWrite{change("concept", "a", ifVersion(1), described("x"))}, nil, map[string]int64{"nodes[0].if_version": 2}},
		"one to come":  {[]NodeWrite{change("concept", "a", ifVersion(3), described("x"))}, nil, map[string]int64{"nodes[0].if_version": 2}},
		"none, by key": {[]NodeWrite{change("concept", "a", ifVersion(0))}, nil, map[string]int64{"nodes[0].if_version": 2}},
		"none, by name": {[]NodeWrite{{Kind: "concept", Name: Some("the a"), IfVersion: Some(int64(0))}}, nil,
			map[string]int64{"nodes[0].if_version": 2}},
		"of what is not there": {[]NodeWrite{node("concept", "new", 0.5, ifVersion(1))}, nil, map[string]int64{"nodes[0].if_version": 0}},
		"of a source": {[]NodeWrite{{Kind: "source", EntityKey: source.EntityKey, IfVersion: Some(int64(7))}}, nil,
			map[string]int64{"nodes[0].if_version": 1}},
		"of a message":             {[]NodeWrite{message}, nil, map[string]int64{"nodes[0].if_version": 2}},
		"a relationship's old one": {nil, []RelationshipWrite{linkIf(1, "a", "b", 0.7)}, map[string]int64{"relationships[0].if_version": 2}},
		"no relationship":          {nil, []RelationshipWrite{linkIf(0, "a", "b", 0.7)}, map[string]int64{"relationships[0].if_version": 2}},
		"a relationship not there": {nil, []RelationshipWrite{linkIf(1, "b", "a", 0.7)}, map[string]int64{"relationships[0].if_version": 0}},
		"a version that moves on": {[]NodeWrite{change("concept", "a", described("y")),
			{Kind: "concept", Name: Some("the a"), IfVersion: Some(int64(2))}}, nil, map[string]int64{"nodes[1].if_version": 3}},
		"several, and what is fine": {[]NodeWrite{node("concept", "c", 0.5), change("concept", "b", ifVersion(9))},
			[]RelationshipWrite{link("b", "involves", "a", 1), linkIf(5, "a", "b", 1)}, map[string]int64{"nodes[1].if_version": 1, "relationships[1].if_version": 2}},
	} {
		_, err := e.store.Write(t.Context(), e.as("u1"), &MemoryWrite{Nodes: c.nodes, Relationships: c.links})
		e.same(name, c.want, conflicts(err))
		e.same(name+": stored", before, e.stored())
	}
	_, err := e.store.Write(t.Context(), e.as("u1"), &MemoryWrite{Nodes: []NodeWrite{change("concept", "a", ifVersion(-1))},
		Relationships: []RelationshipWrite{{From: "a", Type: "relates_to", To: "b", IfVersion: Null[int64]()}}})
	e.same("no versions", []string{"nodes[0].if_version", "relationships[0].if_version"}, locations(err))
}

func TestPatchOfAVersion(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{node("concept", "a", 0.5)})
	_, err := e.store.PatchNode(t.Context(), e.as("u1"), change("concept", "a", ifVersion(2), described("x")))
	e.same("conflict", map[string]int64{"if_version": 1}, conflicts(err))
	for name, w := range map[string]NodeWrite{"gone": change("concept", "gone"), "another kind": change("person", "a"),
		"a new name": {Kind: "concept", EntityKey: "x", Name: Some("x")}} {
		if _, err := e.store.PatchNode(t.Context(), e.as("u1"), w); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err = e.store.PatchNode(t.Context(), e.as("u1"), change("concept", "a", inState("x")))
	e.same("fault", []string{"state"}, locations(err))
	if _, err := e.store.PatchNode(t.Context(), e.as("u2"), change("concept", "a", described("x"))); !errors.Is(err, ErrNotFound) {
		t.Errorf("another user: %v", err)
	}
	result, err := e.store.PatchNode(t.Context(), e.as("u1"), change("concept", "a", ifVersion(1), described("x")))
	e.same("patched", []any{nil, NodeResult{EntityKey: "a", Status: Updated, Version: 2}}, []any{err, result.Nodes[0]})
}

func TestDeletesOfAVersion(t *testing.T) {
	e := fresh(t)
	key := e.write("u1", []NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)}, link("a", "relates_to", "b", 0.5)).Relationships[0].Key
	e.write("u1", []NodeWrite{change("concept", "a", described("d"))}, link("a", "relates_to", "b", 0.6))
	before := e.stored()
	for _, v := range []int64{1, 3} {
		_, err := e.store.DeleteNode(t.Context(), e.as("u1"), ConceptKind, "a", v)
		e.same("node", map[string]int64{"if_version": 2}, conflicts(err))
		_, err = e.store.DeleteRelationship(t.Context(), e.as("u1"), key, v)
		e.same("relationship", map[string]int64{"if_version": 2}, conflicts(err))
	}
	e.same("stored", before, e.stored())
	if _, err := e.store.DeleteRelationship(t.Context(), e.as("u1"), key, 2); err != nil {
		t.Error(err)
	}
	if _, err := e.store.DeleteNode(t.Context(), e.as("u1"), ConceptKind, "a", 2); err != nil {
		t.Error(err)
	}
	e.same("left", []any{int64(2), int64(0)}, e.stored()[:2]) // with the user's own person
}

// Of many writers of one version one wins, whether they write or delete a node or a relationship. All values differ: a write
// of the stored value changes nothing and may succeed as well.
func TestOneWriterWinsEachVersion(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)}, link("a", "relates_to", "b", 0))
	for version := int64(1); version <= 3; version++ {
		var nodes, links atomic.Int64
		atOnce(t, func(i int) error {
			w := &MemoryWrite{Nodes: []NodeWrite{change("concept", "a", ifVersion(version), described(fmt.Sprint(version, i)))}}
			won, lost := &nodes, "nodes[0].if_version"
			if i%2 == 0 {
				w = &MemoryWrite{Relationships: []RelationshipWrite{linkIf(version, "a", "b", float64(version)/10+float64(i+1)/1000)}}
				won, lost = &links, "relationships[0].if_version"
			}
			_, err := e.store.Write(t.Context(), e.as("u1"), w)
			if err == nil {
				won.Add(1)
				return nil
			}
			if c := conflicts(err); c[lost] != version+1 {
				return fmt.Errorf("writer %d: %w (%v)", i, err, c)
			}
			return nil
		})
		e.same("winners", []int64{1, 1}, []int64{nodes.Load(), links.Load()})
	}
}

// Of a delete and a write of the same version only one happens.
func TestADeleteLosesAgainstAWriteOfItsVersion(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)})
	for round := range 6 {
		key := e.write("u1", nil, linkIf(0, "a", "b", 0)).Relationships[0].Key
		var deleted, written atomic.Int64
		atOnce(t, func(i int) error {
			var err error
			won := &written
			if i%4 == 0 {
				_, err = e.store.DeleteRelationship(t.Context(), e.as("u1"), key, 1)
				won = &deleted
			} else {
				_, err = e.store.Write(t.Context(), e.as("u1"), &MemoryWrite{Relationships: []RelationshipWrite{linkIf(1, "a", "b", float64(i)/100)}})
			}
			switch {
			case err == nil:
				won.Add(1)
			case !errors.Is(err, ErrConflict) && !errors.Is(err, ErrNotFound):
				return err
			}
			return nil
		})
		e.same("winners", int64(1), deleted.Load()+written.Load())
		if written.Load() > 0 {
			if _, err := e.store.DeleteRelationship(t.Context(), e.as("u1"), key, 2); err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
		}
	}
}
