package graph_test

import (
	"errors"
	"strings"
	"testing"

	"kith/graph"
	"kith/internal/fault"
	"kith/memory/erasure"
)

// A team's own quota overrides that of the service, and may be removed again. It is deleted with the team.
func TestQuotaOfATeam(t *testing.T) {
	e := limited(t, graph.Quota{Nodes: 1})
	set := func(own graph.OwnQuota) {
		t.Helper()
		if err := e.Store.SetTeamQuota(t.Context(), e.Team, own); err != nil {
			t.Fatal(err)
		}
		(*e.Store.FullField()).InvalidateAll()
	}
	none, two := int64(0), int64(3) // with the user's own person
	set(graph.OwnQuota{Nodes: &two})
	if err := errors.Join(e.add("a"), e.add("b")); err != nil { // texts are not counted yet
		t.Error(err)
	}
	text := e.usage().Text
	set(graph.OwnQuota{Nodes: &two, Text: &text})
	if err := e.add("c"); !errors.Is(err, graph.ErrQuota) || !strings.Contains(err.Error(), "is 3 nodes") {
		t.Errorf("a third: %v", err)
	}
	set(graph.OwnQuota{Nodes: &none, Text: &text})
	if err := e.add("c", described("xxx")); !errors.Is(err, graph.ErrQuota) || !strings.Contains(err.Error(), "characters of text") {
		t.Errorf("a long text: %v", err)
	}
	set(graph.OwnQuota{Nodes: &none, Relationships: &none})
	if err := e.add("c", described("xxx")); err != nil {
		t.Errorf("any number: %v", err)
	}
	if own, has, err := e.Store.TeamQuota(t.Context(),
		e.Team); err != nil || own.Nodes == nil || *own.Nodes != 0 || own.Relationships == nil || own.Text != nil || has.Nodes != 4 {
		t.Errorf("%+v, %+v, %v", own, has, err)
	}
	set(graph.OwnQuota{})
	if err := e.add("d"); !errors.Is(err, graph.ErrQuota) || !strings.Contains(err.Error(), "is 1 nodes") {
		t.Errorf("that of the service: %v", err)
	}
	less := int64(-1)
	if err := e.Store.SetTeamQuota(t.Context(), e.Team, graph.OwnQuota{Text: &less}); !errors.Is(err, fault.ErrInvalid) {
		t.Errorf("less than nothing: %v", err)
	}
	if _, err := erasure.NewStore(e.Store).EraseTeam(t.Context(), e.Team, erasure.Beside{}); err != nil {
		t.Error(err)
	}
	e.Same("with the team", [][]any{{int64(0)}}, e.Raw(`MATCH (n {team_id: $team}) RETURN count(n)`))
	set(graph.OwnQuota{Nodes: &none})
	if _, err := erasure.NewStore(e.Store).EraseTeam(t.Context(), e.Team, erasure.Beside{}); err != nil {
		t.Error(err)
	}
	own, has, err := e.Store.TeamQuota(t.Context(), e.Team)
	e.Same("the own quota stays, as it is the operator's", []any{&none, graph.Usage{}, nil}, []any{own.Nodes, has, err})
}
