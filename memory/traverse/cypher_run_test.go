package traverse

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"kith/graph"
	"kith/internal/fault"
)

// TestCypherReadableOrHidden checks that every stored property is either listed in GET /v1/schema or hidden.
func TestCypherReadableOrHidden(t *testing.T) {
	e := fresh(t)
	var nodes []graph.NodeWrite
	for _, kind := range graph.WritableKinds() {
		if kind != "source" && kind != "message" {
			nodes = append(nodes, node(kind, kind, 0.5, func(w *graph.NodeWrite) { w.Notes = []graph.NoteWrite{{Content: "a note"}} }))
		}
	}
	e.Write("u", nodes, link("person", "thinks_about", "concept", 0.5))
	e.Source("u", graph.SourceWrite{EntityKey: "s", StartedAt: graph.Some(noon), Messages: []graph.MessageWrite{said("m", "x")}, Mentions: []string{"concept"}})
	known := slices.Clone(hiddenProperties)
	for _, p := range CommonProperties() {
		known = append(known, p.Name)
	}
	for _, k := range graph.Kinds {
		for _, p := range OwnProperties(k) {
			known = append(known, p.Name)
		}
	}
	for _, row := range e.Raw(`MATCH (n:Memory {team_id: $team}) UNWIND keys(n) AS key RETURN DISTINCT labels(n), key`) {
		if key := row[1].(string); !slices.Contains(known, key) {
			t.Errorf("%v have %s, which is neither listed nor hidden", row[0], key)
		}
	}
	known = slices.Clone(hiddenProperties)
	for _, p := range RelationshipProperties {
		known = append(known, p.Name)
	}
	for _, row := range e.Raw(`MATCH (:Memory {team_id: $team})-[r]->() UNWIND keys(r) AS key RETURN DISTINCT type(r), key`) {
		if key := row[1].(string); !slices.Contains(known, key) {
			t.Errorf("%v have %s, which is neither listed nor hidden", row[0], key)
		}
	}
}

func (e *env) ask(text string, parameters map[string]any) (Records, error) {
	e.Helper()
	table, _, err := e.walkStore.Cypher(e.Context(), e.As("u"), text, parameters)
	return table, err
}

// TestCypherEndsInTime checks that an endless statement is ended and leaves nothing running.
func TestCypherEndsInTime(t *testing.T) {
	e := fresh(t)
	const column = "without_end"
	start := time.Now()
	_, err := e.ask("UNWIND range(1, 10000) AS a UNWIND range(1, 10000) AS b UNWIND range(1, 10000) AS c RETURN count(*) AS "+column, nil)
	took := time.Since(start)
	if !errors.Is(err, fault.ErrInvalid) || !strings.Contains(err.Error(), "2 seconds") {
		t.Errorf("after %v: %v", took, err)
	}
	if took < cypherTime || took > cypherTime+planTime {
		t.Errorf("it took %v", took)
	}
	for {
		left := e.Raw(`SHOW TRANSACTIONS YIELD currentQuery, transactionId WHERE currentQuery CONTAINS '` + column + `' AND NOT currentQuery CONTAINS 'SHOW' RETURN transactionId`)
		if len(left) == 0 {
			break
		}
		if time.Since(start) > took+planTime {
			t.Fatalf("still there: %v", left)
		}
	}
}

func TestCypherAtOnce(t *testing.T) {
	t.Parallel()
	g := &gate{atOnce: cypherAtOnce, wait: 10 * time.Millisecond}
	var leave []func()
	for range cypherAtOnce {
		l, err := g.enter(t.Context(), "t", 1, 100)
		if err != nil {
			t.Fatal(err)
		}
		leave = append(leave, l)
	}
	if _, err := g.enter(t.Context(), "t", 1, 100); !errors.Is(err, graph.ErrBusy) {
		t.Errorf("one too many: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := g.enter(ctx, "t", 1, 100); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
	other, err := g.enter(t.Context(), "other", 1, 100)
	if err != nil {
		t.Errorf("another team: %v", err)
	}
	for _, l := range append(leave, other) {
		l()
	}
	if len((g.teams)) != 0 || len((g.turns)) != 0 || (g.held) != 0 {
		t.Errorf("%d teams are kept, %d wait, %d bytes are held", len((g.teams)), len((g.turns)), (g.held))
	}
}

// TestCypherRoomIsShared checks that one team gets at most half of the room, and that waiting teams take turns.
func TestCypherRoomIsShared(t *testing.T) {
	t.Parallel()
	g := &gate{atOnce: cypherAtOnce, wait: time.Minute}
	in := make(chan string, 10)
	leaves := make(chan func(), 10)
	enter := func(team string, weight int64) {
		t.Helper()
		waits := waiting(g)
		go func() {
			leave, err := g.enter(t.Context(), team, weight, 100)
			if err != nil {
				t.Error(err)
				return
			}
			leaves <- leave
			in <- team
		}()
		for waiting(g) == waits && len(in) == 0 { // until it is in, or waits
			runtime.Gosched()
		}
	}
	enter("flood", 50)
	if first := <-in; first != "flood" {
		t.Fatalf("%s is in", first)
	}
	enter("flood", 50)
	enter("flood", 50)
	enter("other", 40)
	if second := <-in; second != "other" {
		t.Fatalf("%s has more than half", second)
	}
	enter("third", 30)
	for _, want := range []string{"flood", "third", "flood"} {
		(<-leaves)()
		if next := <-in; next != want {
			t.Errorf("%s is next, not %s", next, want)
		}
	}
}

// waiting returns how many statements wait.
func waiting(g *gate) (n int) {
	(g.mu).Lock()
	defer (g.mu).Unlock()
	for _, c := range g.teams {
		n += len((c.waiting))
	}
	return n
}

// TestCypherEndsWhatHoldsTooMuch checks that rows held by sorting, grouping and collecting are bounded, and that a statement
// above the bound ends early.
func TestCypherEndsWhatHoldsTooMuch(t *testing.T) {
	e := fresh(t)
	e.walkStore.heap.bytes.Store(assumedHeap)
	_, err := e.ask("UNWIND range(1, 10000) AS a UNWIND range(1, 10000) AS b RETURN size(collect({a: a, b: [a, b]})) AS held_too_much", nil)
	if !errors.Is(err, fault.ErrInvalid) || !strings.Contains(err.Error(), "memory") {
		t.Errorf("it ended with %v", err)
	}
}

// TestCypherKnowsTheHeap checks that the size of the heap is known after the first statement.
func TestCypherKnowsTheHeap(t *testing.T) {
	e := fresh(t)
	if _, err := e.ask("RETURN 1 AS one", nil); err != nil {
		t.Fatal(err)
	}
	if size := e.walkStore.heap.bytes.Load(); size < 64<<20 {
		t.Errorf("the heap has %d bytes", size)
	}
}

func TestCypherBounds(t *testing.T) {
	e := fresh(t)
	big := map[string]any{"big": strings.Repeat("x", 10_000)}
	if _, err := e.ask("RETURN [x IN range(1, 200) | $big] AS much", big); !errors.Is(err, fault.ErrInvalid) || !strings.Contains(err.Error(), "first row") {
		t.Errorf("a row of 2 MB: %v", err)
	}
	for text, want := range map[string]int{
		"UNWIND range(1, 500) AS x RETURN $big AS b":                                    104,
		"UNWIND range(1, 5000) AS x RETURN x":                                           cypherRows,
		"UNWIND range(1, 5000) AS x RETURN x UNION UNWIND range(1, 5000) AS x RETURN x": cypherRows,
	} {
		if table, err := e.ask(text, big); err != nil || !table.Truncated || len(table.Rows) != want {
			t.Errorf("%s: %d rows, truncated %t: %v", text, len(table.Rows), table.Truncated, err)
		}
	}
	for text, want := range map[string]int{
		"UNWIND range(1, 1000) AS x RETURN x":                                 cypherRows,
		"UNWIND range(0, 5000) AS i RETURN i / 2000 AS x UNION RETURN 7 AS x": 4,
	} {
		if table, err := e.ask(text, nil); err != nil || table.Truncated || len(table.Rows) != want {
			t.Errorf("%s: %d rows, truncated %t: %v", text, len(table.Rows), table.Truncated, err)
		}
	}
}

// TestCypherFaults checks that a failed statement is the caller's fault, with advice.
func TestCypherFaults(t *testing.T) {
	e := fresh(t)
	e.Write("u", []graph.NodeWrite{node("person", "p", 0.5)})
	for text, want := range map[string]string{
		"RETURN 1 / 0":                                                  "division by 0",
		"RETURN 9223372036854775807 + 1":                                "64 bits",
		"MATCH (n) RETURN n.name * 2":                                   "wrong type",
		"RETURN range(1, 2, 0)":                                         "step of 0",
		"MATCH (n) RETURN range(0, size(n.name) * 10000)":               "longer than 10,000",
		"RETURN size(reduce(s = '', x IN range(1, 10000) | s + $text))": "longer than 10,000",
		"MATCH (n) RETURN substring(n.name, -1)":                        "does not take",
		"MATCH (n) RETURN date.truncate('month', n.nothing)":            "IS NOT NULL",
		"RETURN date('tomorrow')":                                       "does not take",
		"RETURN toLower([1])":                                           "rejects the statement",
		"MATCH (n) RETURN n.name.first":                                 "wrong type",
	} {
		_, err := e.ask(text, map[string]any{"text": strings.Repeat("x", 1000)})
		if !errors.Is(err, fault.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestCypherPlansOnce checks that statements of one form are planned once, for all callers and parameters.
func TestCypherPlansOnce(t *testing.T) {
	e := fresh(t)
	e.Write("u", []graph.NodeWrite{node("person", "p", 0.5)})
	before := len(e.walkStore.plans.seen)
	for i := range 5 {
		if _, err := e.ask("MATCH (n:Person {name: $name}) RETURN n.name AS planned_once", map[string]any{"name": fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if after := len(e.walkStore.plans.seen); after != before+1 {
		t.Errorf("%d forms are kept, then %d", before, after)
	}
}
