package graph_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"kith/cypher"
	"kith/graph"
	"kith/internal/fault"
	"kith/tests/graphtest"
)

// conflicts returns the stored versions of a fault.VersionError by location; nil for any other error.
func conflicts(err error) map[string]int64 {
	var version *fault.VersionError
	if !errors.As(err, &version) || !errors.Is(err, fault.ErrConflict) {
		return nil
	}
	at := map[string]int64{}
	for _, f := range version.Fields {
		at[f.Path.String()] = *f.Version
	}
	return at
}

func ifVersion(v int64) func(*graph.NodeWrite) {
	return func(w *graph.NodeWrite) { w.IfVersion = graph.Some(v) }
}

func linkIf(v int64, from, to string, salience float64) graph.RelationshipWrite {
	w := link(from, "relates_to", to, salience)
	w.IfVersion = graph.Some(v)
	return w
}

func TestWritesOfAVersion(t *testing.T) {
	e := fresh(t)
	first := e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.5, ifVersion(0)), node("concept", "b", 0.5)}, linkIf(0, "a", "b", 0.5))
	e.Same("versions", []int64{1, 1, 1}, []int64{first.Nodes[0].Version, first.Nodes[1].Version, first.Relationships[0].Version})
	second := e.Write("u1", []graph.NodeWrite{change("concept", "a", ifVersion(1), described("d"))}, linkIf(1, "a", "b", 0.6))
	e.Same("versions", []int64{2, 2}, []int64{second.Nodes[0].Version, second.Relationships[0].Version})
	e.Same("what changes nothing keeps its version", graph.NodeResult{EntityKey: "a", Status: graph.Unchanged, Version: 2},
		e.Write("u1", []graph.NodeWrite{change("concept", "a", ifVersion(2), described("d"))}).Nodes[0])

	source := e.Source("u1", graph.SourceWrite{EntityKey: "s", Messages: []graph.MessageWrite{said("m", "x")}})
	message := graph.NodeWrite{Kind: "message", EntityKey: "m", OwnFields: &graph.OwnFields{SourceKey: graph.Some("s")}}
	if _, err := e.Store.AddNotes(t.Context(), e.As("u1"), graph.MessageKind, "m", []graph.NoteWrite{{Content: "n"}}); err != nil {
		t.Fatal(err)
	}
	e.Same("the version of a message with a note", graph.NodeResult{EntityKey: "m", Status: graph.Unchanged, Version: 2}, e.Write("u1", []graph.NodeWrite{message}).Nodes[0])
	message.IfVersion = graph.Some(int64(1))

	before := e.Stored()
	e.Now = noon.Add(time.Hour)
	for name, c := range map[string]struct {
		nodes []graph.NodeWrite
		links []graph.RelationshipWrite
		want  map[string]int64
	}{
		"an old one":   {[]graph.NodeWrite{change("concept", "a", ifVersion(1), described("x"))}, nil, map[string]int64{"nodes[0].if_version": 2}},
		"one to come":  {[]graph.NodeWrite{change("concept", "a", ifVersion(3), described("x"))}, nil, map[string]int64{"nodes[0].if_version": 2}},
		"none, by key": {[]graph.NodeWrite{change("concept", "a", ifVersion(0))}, nil, map[string]int64{"nodes[0].if_version": 2}},
		"none, by name": {[]graph.NodeWrite{{Kind: "concept", Name: graph.Some("the a"), IfVersion: graph.Some(int64(0))}}, nil,
			map[string]int64{"nodes[0].if_version": 2}},
		"of what is not there": {[]graph.NodeWrite{node("concept", "new", 0.5, ifVersion(1))}, nil, map[string]int64{"nodes[0].if_version": 0}},
		"of a source": {[]graph.NodeWrite{{Kind: "source", EntityKey: source.EntityKey, IfVersion: graph.Some(int64(7))}}, nil,
			map[string]int64{"nodes[0].if_version": 1}},
		"of a message":             {[]graph.NodeWrite{message}, nil, map[string]int64{"nodes[0].if_version": 2}},
		"a relationship's old one": {nil, []graph.RelationshipWrite{linkIf(1, "a", "b", 0.7)}, map[string]int64{"relationships[0].if_version": 2}},
		"no relationship":          {nil, []graph.RelationshipWrite{linkIf(0, "a", "b", 0.7)}, map[string]int64{"relationships[0].if_version": 2}},
		"a relationship not there": {nil, []graph.RelationshipWrite{linkIf(1, "b", "a", 0.7)}, map[string]int64{"relationships[0].if_version": 0}},
		"a version that moves on": {[]graph.NodeWrite{change("concept", "a", described("y")),
			{Kind: "concept", Name: graph.Some("the a"), IfVersion: graph.Some(int64(2))}}, nil, map[string]int64{"nodes[1].if_version": 3}},
		"several, and what is fine": {[]graph.NodeWrite{node("concept", "c", 0.5), change("concept", "b", ifVersion(9))},
			[]graph.RelationshipWrite{link("b", "involves", "a", 1), linkIf(5, "a", "b", 1)}, map[string]int64{"nodes[1].if_version": 1, "relationships[1].if_version": 2}},
	} {
		_, err := e.Store.Write(t.Context(), e.As("u1"), &graph.MemoryWrite{Nodes: c.nodes, Relationships: c.links})
		e.Same(name, c.want, conflicts(err))
		e.Same(name+": stored", before, e.Stored())
	}
	_, err := e.Store.Write(t.Context(), e.As("u1"), &graph.MemoryWrite{Nodes: []graph.NodeWrite{change("concept", "a", ifVersion(-1))},
		Relationships: []graph.RelationshipWrite{{From: "a", Type: "relates_to", To: "b", IfVersion: graph.Null[int64]()}}})
	e.Same("no versions", []string{"nodes[0].if_version", "relationships[0].if_version"}, graphtest.Locations(err))
}

func TestPatchOfAVersion(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.5)})
	_, err := e.Store.PatchNode(t.Context(), e.As("u1"), change("concept", "a", ifVersion(2), described("x")), graph.NodeQuery{})
	e.Same("conflict", map[string]int64{"if_version": 1}, conflicts(err))
	for name, w := range map[string]graph.NodeWrite{"gone": change("concept", "gone"), "another kind": change("person", "a"),
		"a new name": {Kind: "concept", EntityKey: "x", Name: graph.Some("x")}} {
		if _, err := e.Store.PatchNode(t.Context(), e.As("u1"), w, graph.NodeQuery{}); !errors.Is(err, fault.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err = e.Store.PatchNode(t.Context(), e.As("u1"), change("concept", "a", inState("x")), graph.NodeQuery{})
	e.Same("fault", []string{"state"}, graphtest.Locations(err))
	if _, err := e.Store.PatchNode(t.Context(), e.As("u2"), change("concept", "a", described("x")), graph.NodeQuery{}); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("another user: %v", err)
	}
	patched, err := e.Store.PatchNode(t.Context(), e.As("u1"), change("concept", "a", ifVersion(1), described("x")), graph.NodeQuery{})
	e.Same("patched", []any{nil, "x", int64(2)}, []any{err, patched.Description, patched.Version})
}

// Each of many changes at the same time is answered with what it made of the node, and not with what the next one did: its version is good
// for if_version.
func TestPatchReturnsItsOwnWrite(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.5)})
	var (
		writers sync.WaitGroup
		mu      sync.Mutex
		by      = map[int64]string{1: ""}
	)
	for i := range 8 {
		writers.Go(func() {
			for j := range 5 {
				text := fmt.Sprintf("%d of %d", j, i)
				patched, err := e.Store.PatchNode(t.Context(), e.As("u1"), change("concept", "a", described(text)), graph.NodeQuery{})
				mu.Lock()
				if before, again := by[patched.Version]; again || patched.Description != text || err != nil {
					t.Errorf("%q was answered with version %d, %q (%q before), %v", text, patched.Version, patched.Description, before, err)
				}
				by[patched.Version] = text
				mu.Unlock()
			}
		})
	}
	writers.Wait()
}

// A create that waits for a delete of the same key does not bring back half of what was deleted.
func TestCreateWaitsForADelete(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("concept", "k", 0.5)})
	session := e.Store.DB().Session(t.Context(), neo4j.AccessModeWrite, "", neo4j.FetchAll)
	defer func() { _ = session.Close(t.Context()) }()
	deleting, err := session.BeginTransaction(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	deleted, err := deleting.Run(t.Context(), cypher.Language+`MATCH (n:Memory {team_id: $team, entity_key: 'k'})
		REMOVE n:Memory:Concept SET n:Deleted, n.deleted_kind = 'concept', n.deleted_at = $now`, map[string]any{"team": e.Team, "now": e.Now})
	if err == nil {
		_, err = deleted.Consume(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	created := make(chan error)
	go func() {
		_, err := e.Store.Write(t.Context(), e.As("u1"), &graph.MemoryWrite{Nodes: []graph.NodeWrite{change("concept", "k", ifVersion(0))}})
		created <- err
	}()
	for waiting := false; !waiting; {
		waiting = len(e.Raw(`SHOW TRANSACTIONS YIELD status, currentQuery WHERE status STARTS WITH 'Blocked' AND currentQuery CONTAINS 'natural_keys' RETURN status`)) > 0
	}
	if err := deleting.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-created; err != nil && !errors.Is(err, fault.ErrConflict) {
		t.Error(err)
	}
	e.Same("labels", [][]any{{[]any{"Deleted"}}}, e.Raw(`MATCH (n {team_id: $team, entity_key: 'k'}) WHERE n.deleted_at IS NOT NULL RETURN labels(n)`))
	_, read := e.Store.Node(t.Context(), e.As("u1"), graph.ConceptKind, "k", graph.NodeQuery{})
	_, restored := e.Store.RestoreNode(t.Context(), e.As("u1"), graph.ConceptKind, "k")
	if (read == nil) == (restored == nil) {
		t.Errorf("read %v, restored %v", read, restored)
	}
}

// A restore brings back what was deleted last, also if the clock was set back between two deletes of one key.
func TestRestoreAfterTheClockWasSetBack(t *testing.T) {
	e := fresh(t)
	for _, at := range []time.Time{noon, noon.Add(-time.Hour)} {
		e.Now = at
		e.Write("u1", []graph.NodeWrite{change("concept", "k", func(w *graph.NodeWrite) { w.Name, w.Description = graph.Some("k"), graph.Some(at.String()) })})
		if _, err := e.Store.DeleteNode(t.Context(), e.As("u1"), graph.ConceptKind, "k", 0); err != nil {
			t.Fatal(err)
		}
	}
	restored, err := e.Store.RestoreNode(t.Context(), e.As("u1"), graph.ConceptKind, "k")
	if err != nil {
		t.Fatal(err)
	}
	e.Same("restored", noon.Add(-time.Hour).String(), restored.Description)
}

func TestDeletesOfAVersion(t *testing.T) {
	e := fresh(t)
	key := e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)}, link("a", "relates_to", "b", 0.5)).Relationships[0].Key
	e.Write("u1", []graph.NodeWrite{change("concept", "a", described("d"))}, link("a", "relates_to", "b", 0.6))
	before := e.Stored()
	for _, v := range []int64{1, 3} {
		_, err := e.Store.DeleteNode(t.Context(), e.As("u1"), graph.ConceptKind, "a", v)
		e.Same("node", map[string]int64{"if_version": 2}, conflicts(err))
		_, err = e.Store.DeleteRelationship(t.Context(), e.As("u1"), key, v)
		e.Same("relationship", map[string]int64{"if_version": 2}, conflicts(err))
	}
	e.Same("stored", before, e.Stored())
	if _, err := e.Store.DeleteRelationship(t.Context(), e.As("u1"), key, 2); err != nil {
		t.Error(err)
	}
	if _, err := e.Store.DeleteNode(t.Context(), e.As("u1"), graph.ConceptKind, "a", 2); err != nil {
		t.Error(err)
	}
	e.Same("left", []any{int64(2), int64(0)}, e.Stored()[:2]) // with the user's own person
}

// Of many writers of one version one wins, whether they write or delete a node or a relationship. All values differ: a write
// of the stored value changes nothing and may succeed as well.
func TestOneWriterWinsEachVersion(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)}, link("a", "relates_to", "b", 0))
	for version := int64(1); version <= 3; version++ {
		var nodes, links atomic.Int64
		atOnce(t, func(i int) error {
			w := &graph.MemoryWrite{Nodes: []graph.NodeWrite{change("concept", "a", ifVersion(version), described(fmt.Sprint(version, i)))}}
			won, lost := &nodes, "nodes[0].if_version"
			if i%2 == 0 {
				w = &graph.MemoryWrite{Relationships: []graph.RelationshipWrite{linkIf(version, "a", "b", float64(version)/10+float64(i+1)/1000)}}
				won, lost = &links, "relationships[0].if_version"
			}
			_, err := e.Store.Write(t.Context(), e.As("u1"), w)
			if err == nil {
				won.Add(1)
				return nil
			}
			if c := conflicts(err); c[lost] != version+1 {
				return fmt.Errorf("writer %d: %w (%v)", i, err, c)
			}
			return nil
		})
		e.Same("winners", []int64{1, 1}, []int64{nodes.Load(), links.Load()})
	}
}

// Of a delete and a write of the same version only one happens.
func TestADeleteLosesAgainstAWriteOfItsVersion(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)})
	for round := range 6 {
		key := e.Write("u1", nil, linkIf(0, "a", "b", 0)).Relationships[0].Key
		var deleted, written atomic.Int64
		atOnce(t, func(i int) error {
			var err error
			won := &written
			if i%4 == 0 {
				_, err = e.Store.DeleteRelationship(t.Context(), e.As("u1"), key, 1)
				won = &deleted
			} else {
				_, err = e.Store.Write(t.Context(), e.As("u1"), &graph.MemoryWrite{Relationships: []graph.RelationshipWrite{linkIf(1, "a", "b", float64(i)/100)}})
			}
			switch {
			case err == nil:
				won.Add(1)
			case !errors.Is(err, fault.ErrConflict) && !errors.Is(err, fault.ErrNotFound):
				return err
			}
			return nil
		})
		e.Same("winners", int64(1), deleted.Load()+written.Load())
		if written.Load() > 0 {
			if _, err := e.Store.DeleteRelationship(t.Context(), e.As("u1"), key, 2); err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
		}
	}
}
