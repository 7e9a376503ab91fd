package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kith/cypher/guard"
)

const (
	attackHeap    = 256 // MiB
	attackers     = 10
	attackedTeams = 5 // whose keys the attackers use
	valuesAtWorst = attackHeap << 20 / 32
)

// worstForms lists statements whose values take as much as the guard allows. %d becomes the largest accepted number.
var worstForms = []string{
	"RETURN size([a IN range(1, %d) | a]) AS s",
	"RETURN size([a IN range(1, %d) | {a: a, b: [a, a], c: toString(a)}]) AS s",
	"WITH [a IN range(1, %d) | [b IN range(1, 30) | {a: a, b: b, c: [a, b], d: toString(a)}]] AS l RETURN size(l) AS s",
	"WITH [a IN range(1, %d) | {a: a}] AS k, [a IN range(1, %d) | {a: a}] AS l, [a IN range(1, %d) | {a: a}] AS m UNWIND range(1, 10000) AS x UNWIND range(1, 10000) AS y WITH * WHERE x + y < 0 RETURN k, l, m",
	"WITH [a IN range(1, %d) | toString(a * 7)] AS k WITH k, [a IN range(1, %d) | toString(a * 9)] AS l WITH k, l, [x IN k | x + '!'] AS m RETURN size(k) + size(l) + size(m) AS s",
	"UNWIND range(1, 1000) AS i RETURN [a IN range(1, %d) | [a]] AS l",
	"RETURN size([a IN range(1, %d) | a]) AS s UNION ALL RETURN size([a IN range(1, %d) | {a: a}]) AS s",
	"UNWIND range(1, 100) AS i CALL (i) { RETURN [a IN range(1, %d) | {a: a, i: i}] AS l } RETURN sum(size(l)) AS s",
	"RETURN COLLECT { UNWIND range(1, 10000) AS i RETURN size([a IN range(1, %d) | [a]]) } AS l",
	"RETURN size(reduce(l = [], a IN range(1, %d) | l + [a, a])) AS s",
	"RETURN [a IN range(1, %d) | $pairs] AS l",
	"RETURN size([a IN range(1, %d) | split($words, ' ')]) AS s",
	"RETURN size([a IN range(1, %d) | replace($words, ' ', '____')]) AS s",
	"RETURN size([a IN range(1, %d) | duration({days: a})]) AS s, size([a IN range(1, %d) | point({x: a, y: a, z: a})]) AS t",
	"UNWIND range(1, 10000) AS a UNWIND range(1, 10000) AS b WITH [x IN range(1, %d) | {a: a, x: x}] AS l ORDER BY size(l) RETURN size(l) AS s",
}

// rowForms lists statements that hold as many rows as they get, or lists whose length is known only at run time.
var rowForms = []string{
	"UNWIND range(1, 10000) AS a UNWIND range(1, 10000) AS b RETURN size(collect({a: a, b: b, c: [a, b]})) AS s",
	"UNWIND range(1, 10000) AS a UNWIND range(1, 10000) AS b WITH DISTINCT a, [a, b] AS l RETURN count(l) AS s",
	"UNWIND range(1, 10000) AS a UNWIND range(1, 10000) AS b WITH a, b ORDER BY b, a RETURN count(*) AS s",
	"RETURN [x IN [1, 2] | head(reverse(COLLECT { UNWIND range(1, 10000) AS a UNWIND range(1, 10000) AS b RETURN [a, b] }))] AS l",
	"UNWIND range(1, 10000) AS a UNWIND range(1, 10000) AS b RETURN percentileCont(a, 0.5) AS p",
	"UNWIND range(1, 5000) AS a WITH collect(a) AS l RETURN size([x IN l | [y IN range(1, 300) | {x: x, y: y}]]) AS s",
	"MATCH (n:Concept) UNWIND range(1, 9000) AS a WITH n, collect(a) AS l RETURN size([x IN l | n.description]) AS s",
	"MATCH (n:Concept) UNWIND range(1, 9000) AS a WITH n, collect(a) AS l RETURN size([x IN l | properties(n)]) AS s",
	"MATCH (n:Concept) RETURN [x IN range(1, 10000) | n.name] AS l",
	"MATCH (n:Concept) RETURN [x IN range(1, 300) | [y IN range(1, 30) | n.description + n.name]] AS l",
}

var attackParameters = map[string]any{"words": strings.Repeat("ab ", 1000), "pairs": slices.Repeat([]any{[]any{int64(1), "a"}}, 20)}

// worst returns a form with the largest accepted number.
func worst(t *testing.T, form string) string {
	t.Helper()
	with := func(n int) string { return strings.ReplaceAll(form, "%d", fmt.Sprint(n)) }
	least, most := 1, 10_000
	for least < most {
		n := (least + most + 1) / 2
		if _, err := guard.Rewrite(with(n), attackParameters, guard.Rules{Base: "Memory", Rows: 1000, Memory: valuesAtWorst}); err == nil {
			least = n
		} else {
			most = n - 1
		}
	}
	if least < 10 {
		t.Fatalf("only %d are accepted: %s", least, form)
	}
	return with(least)
}

// attack collects the outcomes of an attack.
type attack struct {
	mu       sync.Mutex
	statuses map[int]int            // of the statements
	writes   []time.Duration        // of the other team
	failed   []string               // writes
	answers  map[string]map[int]int // by statement
}

// Ten callers of several teams send the worst accepted statements to a Neo4j with a small heap. It stays alive, and another
// team's writes all succeed. ATTACK sets the duration: make attack takes ten minutes.
func TestStatementsDoNotStopTheDatabase_slow(t *testing.T) {
	lasts := 20 * time.Second
	if d, err := time.ParseDuration(os.Getenv("ATTACK")); err == nil {
		lasts = d
	}
	data := filepath.Join(t.TempDir(), "data")
	s := start(t, []string{
		"KITH_LISTEN=127.0.0.1:0", "KITH_ADMIN_LISTEN=", "KITH_DATA=" + data, "KITH_BOOTSTRAP_KEY=" + bootstrapKey,
		fmt.Sprintf("KITH_NEO4J_HEAP=%d", attackHeap),
	})
	before := neo4jProcess(t, data)
	statements := append(slices.Clone(rowForms), "")[:len(rowForms)]
	for _, form := range worstForms {
		statements = append(statements, worst(t, form))
	}
	writer := s.as(s.newKey(t, "writer", "read", "write"))
	writer.must(t, http.MethodGet, "/v1/context?user_id=u", "") // so that its statement is planned
	a := &attack{statuses: map[int]int{}, answers: map[string]map[int]int{}}
	ctx, cancel := context.WithTimeout(t.Context(), lasts)
	defer cancel()
	var running sync.WaitGroup
	for i := range attackers {
		team := fmt.Sprintf("attacker-%d", i%attackedTeams)
		key := s.newKey(t, team, "read", "write")
		s.as(key).must(t, http.MethodPost, "/v1/memory", fmt.Sprintf(`{"user_id":"u","nodes":[{"kind":"concept","entity_key":"c","name":"long","description":%q}]}`, strings.Repeat("a description ", 1000)))
		running.Go(func() { a.send(ctx, s.as(key), statements[i*len(statements)/attackers:], statements) })
	}
	running.Go(func() { a.write(ctx, writer) })
	running.Wait()
	a.report(t)
	if after := neo4jProcess(t, data); after != before {
		t.Errorf("Neo4j was process %d, and is %d", before, after)
	}
	writer.must(t, http.MethodGet, "/v1/context?user_id=other", "")
}

// neo4jProcess returns the id of the embedded Neo4j's process.
func neo4jProcess(t *testing.T, data string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(data, "neo4j.json"))
	var state struct {
		PID int `json:"pid"`
	}
	if err == nil {
		err = json.Unmarshal(text, &state)
	}
	if err != nil || state.PID == 0 {
		t.Fatalf("the process of Neo4j: %s (%v)", text, err)
	}
	return state.PID
}

// send sends statements one after the other until ctx ends, the first ones first.
func (a *attack) send(ctx context.Context, c caller, first, all []string) {
	for i := 0; ctx.Err() == nil; i++ {
		statement := all[i%len(all)]
		if i < len(first) {
			statement = first[i]
		}
		body, _ := json.Marshal(map[string]any{"user_id": "u", "mode": "cypher", "cypher": statement, "parameters": attackParameters})
		r, err := c.try(ctx, http.MethodPost, "/v1/traverse", string(body))
		if err != nil {
			continue // the time is over
		}
		a.mu.Lock()
		a.statuses[r.status]++
		if a.answers[statement] == nil {
			a.answers[statement] = map[int]int{}
		}
		a.answers[statement][r.status]++
		a.mu.Unlock()
	}
}

// write writes one node after the other.
func (a *attack) write(ctx context.Context, c caller) {
	for i := 0; ctx.Err() == nil; i++ {
		begin := time.Now()
		r, err := c.try(context.WithoutCancel(ctx), http.MethodPost, "/v1/memory", fmt.Sprintf(`{"user_id":"u","nodes":[{"kind":"concept","entity_key":"c%d","name":"a concept"}]}`, i))
		a.writes = append(a.writes, time.Since(begin))
		if err != nil || r.status >= 300 {
			a.failed = append(a.failed, fmt.Sprintf("%d %s %v", r.status, r.body, err))
		}
	}
}

// report checks that no write failed, and that each statement was answered, refused or turned away.
func (a *attack) report(t *testing.T) {
	t.Helper()
	if len(a.failed) > 0 {
		t.Errorf("%d of %d writes failed, first: %s", len(a.failed), len(a.writes), a.failed[0])
	}
	if len(a.writes) == 0 || a.statuses[http.StatusOK] == 0 {
		t.Fatalf("it shows nothing: %d writes, statements by status: %v", len(a.writes), a.statuses)
	}
	for status, n := range a.statuses {
		if !slices.Contains([]int{http.StatusOK, http.StatusUnprocessableEntity, http.StatusTooManyRequests}, status) {
			t.Errorf("%d statements got %d", n, status)
		}
	}
	slices.Sort(a.writes)
	n := len(a.writes)
	t.Logf("%d writes, p50 %v, p99 %v, longest %v; statements by status: %v", n, a.writes[n/2], a.writes[n*99/100], a.writes[n-1], a.statuses)
	for statement, by := range a.answers {
		t.Logf("%v %.110s", by, statement)
	}
}
