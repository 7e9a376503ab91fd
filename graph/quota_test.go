package graph

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"kith/internal/testenv"
)

// limited is a store whose teams have quotas.
func limited(t *testing.T, q Quota) *env {
	t.Helper()
	fresh(t)
	return open(t, testenv.Neo4j(t), Options{MaxTypes: 5000, Quota: q})
}

func (e *env) add(key string, change ...func(*NodeWrite)) error {
	_, err := e.store.Write(e.Context(), e.as("u1"), &MemoryWrite{Nodes: []NodeWrite{node("concept", key, 0.5, change...)}})
	return err
}

// A team that is full can change and delete what it has, and write again when there is room.
func TestQuotaOfNodes(t *testing.T) {
	e := limited(t, Quota{Nodes: 4})
	e.source("u1", SourceWrite{EntityKey: "s", Messages: []MessageWrite{said("m-1", "x")}})
	e.write("u1", []NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)})
	for what, try := range map[string]func() error{
		"a node":   func() error { return e.add("c") },
		"a source": func() error { _, err := e.store.WriteSource(t.Context(), e.as("u1"), &SourceWrite{}); return err },
		"a message": func() error {
			_, err := e.store.AppendMessages(t.Context(), e.as("u1"), "s", []MessageWrite{said("", "x")})
			return err
		},
		"an element": func() error {
			_, err := e.store.MergeSystem(t.Context(), e.as(""), "sys", &SystemWrite{Entities: []SystemEntityWrite{{Name: "x", Type: Some("y")}}})
			return err
		},
		"all or nothing": func() error {
			_, err := e.store.Write(t.Context(), e.as("u1"), &MemoryWrite{Nodes: []NodeWrite{change("concept", "a", described("changed")), node("concept", "c", 0.5)}})
			return err
		},
	} {
		if err := try(); !errors.Is(err, ErrQuota) || !strings.Contains(err.Error(), "may have 4 nodes") {
			t.Errorf("%s: %v", what, err)
		}
	}
	e.same("nothing was written", [][]any{{int64(4), ""}}, e.raw(`MATCH (n:Memory {team_id: $team}) RETURN count(n), max(CASE n.entity_key WHEN 'a' THEN n.description END)`))
	e.write("u1", []NodeWrite{change("concept", "a", described("changed"))})
	if err := e.neighbour().add("c"); err != nil {
		t.Errorf("another team: %v", err)
	}
	if _, err := e.store.DeleteNode(t.Context(), e.as("u1"), conceptKind, "b", 0); err != nil {
		t.Fatal(err)
	}
	e.store.usages.of(e.team).measured = e.store.usages.of(e.team).measured.Add(-usageFresh) // as if a second had passed
	if err := e.add("c"); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

func TestQuotaOfText(t *testing.T) {
	e := limited(t, Quota{Text: 100})
	e.write("u1", []NodeWrite{node("concept", "a", 0.5, described(strings.Repeat("ä", 80)))})
	if err := e.add("b", described(strings.Repeat("x", 20))); !errors.Is(err, ErrQuota) {
		t.Errorf("too much: %v", err)
	}
	if err := e.add("b"); err != nil {
		t.Errorf("what there is room for: %v", err)
	}
	other := open(t, testenv.Neo4j(t), Options{Quota: Quota{Text: 100}})
	other.team = e.team
	if err := other.add("c", described("xxxxxx")); !errors.Is(err, ErrQuota) { // 85 + 5 + 5 + 6
		t.Errorf("what another process wrote: %v", err)
	}
}

// Writers at once do not pass the quota of their process; what is refused while others write finds its room after them.
func TestQuotaUnderConcurrency(t *testing.T) {
	e := limited(t, Quota{Nodes: 20})
	var stored atomic.Int64
	var writers sync.WaitGroup
	for i := range 16 {
		writers.Go(func() {
			for n := range 3 {
				switch err := e.add(fmt.Sprintf("n-%d-%d", i, n)); {
				case err == nil:
					stored.Add(1)
				case !errors.Is(err, ErrQuota):
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	e.same("counted", [][]any{{stored.Load()}}, e.raw(`MATCH (n:Memory {team_id: $team}) RETURN count(n)`))
	u := e.store.usages.of(e.team)
	u.measured = u.measured.Add(-usageFresh) // as if a second had passed
	for n := stored.Load(); n < 20; n++ {
		if err := e.add(fmt.Sprint("last-", n)); err != nil {
			t.Errorf("node %d: %v", n, err)
		}
	}
	if err := e.add("one-more"); !errors.Is(err, ErrQuota) || stored.Load() > 20 || u.open != (amount{}) {
		t.Errorf("%v, %d were stored, %+v open", err, stored.Load(), u.open)
	}
}
