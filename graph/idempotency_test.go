package graph_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"kith/graph"
	"kith/internal/fault"
)

func keyed(key, description string) *graph.MemoryWrite {
	return &graph.MemoryWrite{
		IdempotencyKey: key, Nodes: []graph.NodeWrite{{Kind: "concept", Name: graph.Some("tides"), Description: graph.Some(description), Properties: json.RawMessage(`{"a": 1}`)},
			{Kind: "concept", EntityKey: "gone"}},
	}
}

func TestTheSameRequestIsAnsweredOnce(t *testing.T) {
	e := fresh(t)
	first, err := e.Store.Write(t.Context(), e.As("u1"), keyed("k", "d"))
	if err != nil || first.Repeated {
		t.Fatal(first, err)
	}
	e.Write("u1", []graph.NodeWrite{{Kind: "concept", Name: graph.Some("tides"), Description: graph.Some("changed since")}})
	before := e.Stored()
	e.Now = noon.Add(23 * time.Hour)
	e.ChangedUsers()
	again, err := e.Store.Write(t.Context(), e.As("u1"), keyed("k", "d"))
	if err != nil || !again.Repeated {
		t.Fatal(again, err)
	}
	e.Same("whose caches go again", []string{"", "u1"}, e.ChangedUsers())
	again.Repeated, again.Refused = false, first.Refused // not part of the answer
	e.Same("answer", first, again)
	e.Same("stored", before, e.Stored())

	for name, try := range map[string]func() error{
		"another body": func() error { _, err := e.Store.Write(t.Context(), e.As("u1"), keyed("k", "x")); return err },
		"strict": func() error {
			w := keyed("k", "d")
			w.Strict = true
			_, err := e.Store.Write(t.Context(), e.As("u1"), w)
			return err
		},
	} {
		err := try()
		if !errors.Is(err, fault.ErrConflict) || conflicts(err) != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	e.Same("stored", before, e.Stored())
	other := e.neighbour()
	other.Now = e.Now
	result, err := other.Store.Write(t.Context(), other.As("u1"), keyed("k", "x"))
	e.Same("another team has keys of its own", []any{nil, false}, []any{err, result.Repeated})

	e.Now = noon.Add(24*time.Hour + time.Millisecond)
	late, err := e.Store.Write(t.Context(), e.As("u2"), keyed("k", "x"))
	e.Same("after a day", []any{nil, false, graph.Created}, []any{err, late.Repeated, late.Nodes[0].Status})
	late, err = e.Store.Write(t.Context(), e.As("u2"), keyed("k", "x"))
	e.Same("and from then on", []any{nil, true}, []any{err, late.Repeated})
}

// TestIdempotencyKeysAreOfAUserAndAKind checks that the keys of one user or kind of request do not affect those of others.
func TestIdempotencyKeysAreOfAUserAndAKind(t *testing.T) {
	e := fresh(t)
	for _, user := range []string{"u1", "u2", ""} {
		first, err := e.Store.Write(t.Context(), e.As(user), keyed("daily", "of "+user))
		e.Same("the first of "+user, []any{nil, false, graph.Created}, []any{err, first.Repeated, first.Nodes[0].Status})
		again, err := e.Store.Write(t.Context(), e.As(user), keyed("daily", "of "+user))
		e.Same("the second of "+user, []any{nil, true, first.Nodes[0].EntityKey}, []any{err, again.Repeated, again.Nodes[0].EntityKey})
		if _, err := e.Store.Write(t.Context(), e.As(user), keyed("daily", "another")); !errors.Is(err, fault.ErrConflict) {
			t.Errorf("another body of %q: %v", user, err)
		}
	}
	for range 2 {
		e.Source("u1", graph.SourceWrite{IdempotencyKey: "daily", Messages: []graph.MessageWrite{said("", "x")}})
	}
	receipt, err := e.eraseUser(t.Context(), "u2")
	e.Same("erased with its user and its commit", []any{nil, int64(2), int64(0)}, []any{err, receipt.Records, receipt.Remaining})
}

func TestSourcesAreWrittenOnce(t *testing.T) {
	e := fresh(t)
	write := func() graph.SourceResult {
		return e.Source("u1", graph.SourceWrite{IdempotencyKey: "k", Messages: []graph.MessageWrite{said("", "x")}})
	}
	first := write()
	before := e.Stored()
	again := write()
	e.Same("repeated", []bool{false, true}, []bool{first.Repeated, again.Repeated})
	again.Repeated = false
	e.Same("answer", first, again)
	e.Same("stored", before, e.Stored())
}

func TestAFailureLeavesItsKeyFree(t *testing.T) {
	e := fresh(t)
	for name, w := range map[string]*graph.MemoryWrite{
		"strict":        {IdempotencyKey: "k", Strict: true, Nodes: []graph.NodeWrite{change("concept", "gone")}},
		"another fault": {IdempotencyKey: "k", Nodes: []graph.NodeWrite{{Kind: "x"}}},
		"version":       {IdempotencyKey: "k", Nodes: []graph.NodeWrite{node("concept", "c", 0.5, ifVersion(4))}},
	} {
		if _, err := e.Store.Write(t.Context(), e.As("u1"), w); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	result, err := e.Store.Write(t.Context(), e.As("u1"), keyed("k", "d"))
	e.Same("free", []any{nil, false}, []any{err, result.Repeated})
}

func TestTheSameRequestAtOnceIsWrittenOnce(t *testing.T) {
	e := fresh(t)
	var worked atomic.Int64
	var keys [writers]string
	atOnce(t, func(i int) error {
		result, err := e.Store.Write(t.Context(), e.As("u1"), keyed("k", "d"))
		if err != nil {
			return fmt.Errorf("writer %d: %w", i, err)
		}
		if !result.Repeated {
			worked.Add(1)
		}
		keys[i] = result.Nodes[0].EntityKey
		if result.Nodes[0].Status != graph.Created {
			return fmt.Errorf("writer %d got %s", i, result.Nodes[0].Status)
		}
		return nil
	})
	e.Same("written, with the user's own person", []any{int64(1), int64(2)}, []any{worked.Load(), e.Stored()[0]})
	for _, key := range keys {
		e.Same("key", keys[0], key)
	}
}
