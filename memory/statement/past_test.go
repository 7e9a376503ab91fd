package statement_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"kith/graph"
	"kith/internal/fault"
	"kith/memory/statement"
)

// TestThePastOfStatements says, renews, closes, confirms and refuses, and compares the statements of each time with those of then.
func TestThePastOfStatements(t *testing.T) {
	e := fresh(t)
	type moment struct {
		at   time.Time
		list []string
	}
	var moments []moment
	all := statement.Query{Closed: true}
	then := func() {
		moments = append(moments, moment{e.Now, append(e.list("u1", all), e.list("u1", statement.Query{})...)})
		e.Now = e.Now.Add(time.Hour)
	}
	decide := func(text, state string) {
		t.Helper()
		page, err := e.statements.Statements(t.Context(), e.As("u1"), statement.Query{Closed: true, Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(page.Statements, func(s statement.Statement) bool { return s.Text == text })
		if err := e.statements.Decide(t.Context(), e.As("u1"), []statement.Decision{{Key: page.Statements[at].Key, State: state}}); err != nil {
			t.Fatal(err)
		}
	}
	then()
	e.say("u1", "s1", "I live in Lyon.", "I love jazz.")
	e.say("u2", "s9", "I love jazz.")
	then()
	e.say("u1", "s2", "I really love jazz.")
	then()
	e.say("u1", "s3", "I moved to Porto.")
	then()
	decide("I love jazz.", statement.Refused)
	then()
	decide("I love jazz.", statement.Confirmed)
	then()
	decide("I love jazz.", statement.Confirmed) // again
	then()
	for i, m := range moments {
		q := statement.Query{AsOf: &m.at}
		closed := q
		closed.Closed = true
		e.Same(fmt.Sprintf("as of moment %d", i), append([]string{}, m.list...), append(append([]string{}, e.list("u1", closed)...), e.list("u1", q)...))
	}
	refused := moments[4].at
	e.Same("refused then", 1, len(e.list("u1", statement.Query{AsOf: &refused, States: []string{statement.Refused}})))
	e.Same("refused now", 0, len(e.list("u1", statement.Query{States: []string{statement.Refused}})))
}

// TestVersionsOfAStatement reads the versions of a statement page by page.
func TestVersionsOfAStatement(t *testing.T) {
	e := fresh(t)
	e.say("u1", "s1", "I love jazz.")
	page, err := e.statements.Statements(t.Context(), e.As("u1"), statement.Query{Limit: 1})
	if err != nil || len(page.Statements) != 1 {
		t.Fatalf("%+v %v", page, err)
	}
	key, ctx := page.Statements[0].Key, graph.WithWriter(t.Context(), graph.Writer{KeyID: "k1", Through: "change-statements"})
	for _, state := range []string{statement.Refused, statement.Confirmed, statement.Confirmed} {
		e.Now = e.Now.Add(time.Hour)
		if err := e.statements.Decide(ctx, e.As("u1"), []statement.Decision{{Key: key, State: state}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, limit := range []int{1, 2, 3, 4} {
		var got []string
		for cursor := ""; len(got) < 5; {
			page, err := e.statements.Versions(t.Context(), e.As("u1"), key, cursor, limit)
			if err != nil || len(page.Versions) > limit {
				t.Fatalf("%+v, %v", page, err)
			}
			for _, v := range page.Versions {
				end := "now"
				if v.Until != nil {
					end = v.Until.Format("15:04")
				}
				got = append(got, fmt.Sprintf("%s–%s %s %s%s", v.From.Format("15:04"), end, v.Statement.State, v.By, v.Through))
			}
			if cursor = page.Next; cursor == "" {
				break
			}
		}
		e.Same(fmt.Sprintf("pages of %d", limit), []string{
			"14:01–now confirmed k1change-statements", "13:01–14:01 refused k1change-statements", "12:01–13:01 active ",
		}, got)
	}
	for _, scope := range []graph.Scope{e.As("u2"), e.Neighbour().As("u1")} {
		if _, err := e.statements.Versions(t.Context(), scope, key, "", 10); !errors.Is(err, fault.ErrNotFound) {
			t.Errorf("%+v sees it: %v", scope, err)
		}
	}
	if _, err := e.statements.Versions(t.Context(), e.As("u1"), key, "x", 10); !errors.Is(err, fault.ErrInvalid) {
		t.Errorf("a bad cursor: %v", err)
	}
	if _, err := e.Store.DeleteNode(t.Context(), e.As("u1"), graph.SourceKind, "s1", 0); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Store.PurgeTeam(t.Context(), e.Team); err != nil {
		t.Fatal(err)
	}
	e.Same("purged with the message", [][]any{{int64(0)}}, e.Raw(`MATCH (f:Former {team_id: $team, former_kind: 'statement'}) RETURN count(f)`))
}
