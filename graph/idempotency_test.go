package graph

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"
)

func keyed(key, description string) *MemoryWrite {
	return &MemoryWrite{
		IdempotencyKey: key, Nodes: []NodeWrite{{Kind: "concept", Name: Some("tides"), Description: Some(description), Properties: json.RawMessage(`{"a": 1}`)},
			{Kind: "concept", EntityKey: "gone"}},
	}
}

func TestTheSameRequestIsAnsweredOnce(t *testing.T) {
	e := fresh(t)
	first, err := e.store.Write(t.Context(), e.as("u1"), keyed("k", "d"))
	if err != nil || first.Repeated {
		t.Fatal(first, err)
	}
	e.write("u1", []NodeWrite{{Kind: "concept", Name: Some("tides"), Description: Some("changed since")}})
	before := e.stored()
	e.now = noon.Add(23 * time.Hour)
	e.changedUsers()
	again, err := e.store.Write(t.Context(), e.as("u1"), keyed("k", "d"))
	if err != nil || !again.Repeated {
		t.Fatal(again, err)
	}
	e.same("whose caches go again", []string{"", "u1"}, e.changedUsers())
	again.Repeated, again.Refused = false, first.Refused // not part of the answer
	e.same("answer", first, again)
	e.same("stored", before, e.stored())

	for name, try := range map[string]func() error{
		"another body": func() error { _, err := e.store.Write(t.Context(), e.as("u1"), keyed("k", "x")); return err },
		"strict": func() error {
			w := keyed("k", "d")
			w.Strict = true
			_, err := e.store.Write(t.Context(), e.as("u1"), w)
			return err
		},
	} {
		err := try()
		if !errors.Is(err, ErrConflict) || conflicts(err) != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	e.same("stored", before, e.stored())
	other := e.neighbour()
	other.now = e.now
	result, err := other.store.Write(t.Context(), other.as("u1"), keyed("k", "x"))
	e.same("another team has keys of its own", []any{nil, false}, []any{err, result.Repeated})

	e.now = noon.Add(24*time.Hour + time.Millisecond)
	late, err := e.store.Write(t.Context(), e.as("u2"), keyed("k", "x"))
	e.same("after a day", []any{nil, false, Created}, []any{err, late.Repeated, late.Nodes[0].Status})
	late, err = e.store.Write(t.Context(), e.as("u2"), keyed("k", "x"))
	e.same("and from then on", []any{nil, true}, []any{err, late.Repeated})
}

// TestIdempotencyKeysAreOfAUserAndAKind checks that the keys of one user or kind of request do not affect those of others.
func TestIdempotencyKeysAreOfAUserAndAKind(t *testing.T) {
	e := fresh(t)
	for _, user := range []string{"u1", "u2", ""} {
		first, err := e.store.Write(t.Context(), e.as(user), keyed("daily", "of "+user))
		e.same("the first of "+user, []any{nil, false, Created}, []any{err, first.Repeated, first.Nodes[0].Status})
		again, err := e.store.Write(t.Context(), e.as(user), keyed("daily", "of "+user))
		e.same("the second of "+user, []any{nil, true, first.Nodes[0].EntityKey}, []any{err, again.Repeated, again.Nodes[0].EntityKey})
		if _, err := e.store.Write(t.Context(), e.as(user), keyed("daily", "another")); !errors.Is(err, ErrConflict) {
			t.Errorf("another body of %q: %v", user, err)
		}
	}
	for range 2 {
		e.source("u1", SourceWrite{IdempotencyKey: "daily", Messages: []MessageWrite{said("", "x")}})
	}
	receipt, err := e.store.EraseUser(t.Context(), e.as("u2"))
	e.same("erased with its user", []any{nil, int64(1), int64(0)}, []any{err, receipt.Records, receipt.Remaining})
}

func TestSourcesAreWrittenOnce(t *testing.T) {
	e := fresh(t)
	write := func() SourceResult {
		return e.source("u1", SourceWrite{IdempotencyKey: "k", Messages: []MessageWrite{said("", "x")}})
	}
	first := write()
	before := e.stored()
	again := write()
	e.same("repeated", []bool{false, true}, []bool{first.Repeated, again.Repeated})
	again.Repeated = false
	e.same("answer", first, again)
	e.same("stored", before, e.stored())
}

func TestAFailureLeavesItsKeyFree(t *testing.T) {
	e := fresh(t)
	for name, w := range map[string]*MemoryWrite{
		"strict":        {IdempotencyKey: "k", Strict: true, Nodes: []NodeWrite{change("concept", "gone")}},
		"another fault": {IdempotencyKey: "k", Nodes: []NodeWrite{{Kind: "x"}}},
		"version":       {IdempotencyKey: "k", Nodes: []NodeWrite{node("concept", "c", 0.5, ifVersion(4))}},
	} {
		if _, err := e.store.Write(t.Context(), e.as("u1"), w); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	result, err := e.store.Write(t.Context(), e.as("u1"), keyed("k", "d"))
	e.same("free", []any{nil, false}, []any{err, result.Repeated})
}

func TestTheSameRequestAtOnceIsWrittenOnce(t *testing.T) {
	e := fresh(t)
	var worked atomic.Int64
	var keys [writers]string
	atOnce(t, func(i int) error {
		result, err := e.store.Write(t.Context(), e.as("u1"), keyed("k", "d"))
		if err != nil {
			return fmt.Errorf("writer %d: %w", i, err)
		}
		if !result.Repeated {
			worked.Add(1)
		}
		keys[i] = result.Nodes[0].EntityKey
		if result.Nodes[0].Status != Created {
			return fmt.Errorf("writer %d got %s", i, result.Nodes[0].Status)
		}
		return nil
	})
	e.same("written, with the user's own person", []any{int64(1), int64(2)}, []any{worked.Load(), e.stored()[0]})
	for _, key := range keys {
		e.same("key", keys[0], key)
	}
}
