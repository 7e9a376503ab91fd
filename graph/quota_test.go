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
	return open(t, testenv.Neo4j(t), Options{Quota: q})
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
	if err := e.add("c"); !errors.Is(err, ErrQuota) {
		t.Errorf("a moment later it was asked for again: %v", err)
	}
	e.store.full.InvalidateAll() // as if a second had passed
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

// Writers at once, in two processes, fill a team to its last node, and not further.
func TestQuotaUnderConcurrency(t *testing.T) {
	e := limited(t, Quota{Nodes: 20})
	var shares atomic.Int64
	other := open(t, testenv.Neo4j(t), Options{Quota: Quota{Nodes: 20}, ObserveQuota: func(share float64) {
		if share > 1 {
			shares.Add(1)
		}
	}})
	other.team = e.team
	var stored, refused atomic.Int64
	var writers sync.WaitGroup
	for i := range 12 {
		writers.Go(func() {
			for n := range 3 {
				switch err := []*env{e, other}[i%2].add(fmt.Sprintf("n-%d-%d", i, n)); {
				case err == nil:
					stored.Add(1)
				case errors.Is(err, ErrQuota):
					refused.Add(1)
				default:
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	e.same("counted", [][]any{{int64(20)}}, e.raw(`MATCH (n:Memory {team_id: $team}) RETURN count(n)`))
	if stored.Load() != 20 || refused.Load() != 16 || shares.Load() == 0 {
		t.Errorf("%d were stored, %d refused, %d times a share above 1 was told", stored.Load(), refused.Load(), shares.Load())
	}
}

// A team's own quota goes before that of the service, and may be taken away again; it goes with the team.
func TestQuotaOfATeam(t *testing.T) {
	e := limited(t, Quota{Nodes: 1})
	set := func(own OwnQuota) {
		t.Helper()
		if err := e.store.SetTeamQuota(t.Context(), e.team, own); err != nil {
			t.Fatal(err)
		}
		e.store.full.InvalidateAll()
	}
	none, two, ten := int64(0), int64(2), int64(10)
	set(OwnQuota{Nodes: &two})
	if err := errors.Join(e.add("a"), e.add("b")); err != nil { // texts are not counted yet
		t.Error(err)
	}
	set(OwnQuota{Nodes: &two, Text: &ten})
	if err := e.add("c"); !errors.Is(err, ErrQuota) || !strings.Contains(err.Error(), "may have 2 nodes") {
		t.Errorf("a third: %v", err)
	}
	set(OwnQuota{Nodes: &none, Text: &ten})
	if err := e.add("c", described("xxx")); !errors.Is(err, ErrQuota) || !strings.Contains(err.Error(), "may have 10 characters") {
		t.Errorf("a long text: %v", err)
	}
	set(OwnQuota{Nodes: &none})
	if err := e.add("c", described("xxx")); err != nil {
		t.Errorf("any number: %v", err)
	}
	if own, nodes, characters, err := e.store.TeamQuota(t.Context(), e.team); err != nil || own.Nodes == nil || *own.Nodes != 0 || own.Text != nil || nodes != 3 || characters != 18 {
		t.Errorf("%+v, %d, %d, %v", own, nodes, characters, err)
	}
	set(OwnQuota{})
	if err := e.add("d"); !errors.Is(err, ErrQuota) || !strings.Contains(err.Error(), "may have 1 nodes") {
		t.Errorf("that of the service: %v", err)
	}
	less := int64(-1)
	if err := e.store.SetTeamQuota(t.Context(), e.team, OwnQuota{Text: &less}); !errors.Is(err, ErrInvalid) {
		t.Errorf("less than nothing: %v", err)
	}
	if _, err := e.store.EraseTeam(t.Context(), e.team); err != nil {
		t.Error(err)
	}
	e.same("with the team", [][]any{{int64(0)}}, e.raw(`MATCH (n {team_id: $team}) RETURN count(n)`))
}
