package bench

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"kith/cypher/guard"
	"kith/graph"
	"kith/memory/traverse"
	"kith/tests/testenv"
)

// walkEnv is a memory of randomly linked nodes, a hub, and a node with 10,000 relationships within two steps.
type walkEnv struct {
	*traverse.Traverser
	store   *graph.Store
	walks   *traverse.Store
	session neo4j.SessionWithContext
	scope   graph.Scope
}

const linkedProperties = `team_id: $team, key: randomUUID(), description: 'why it matters', state: 'active', salience: rand(),
	salience_at: timestamp(), decay_rate: 0.02, confidence: 0.8, access_count: 0, version: 1, recorded_at: datetime()`

func newWalkEnv(b testing.TB, db testenv.Database) *walkEnv {
	b.Helper()
	store := openStore(b, db, graph.Options{})
	driver, err := neo4j.NewDriverWithContext(db.URI, neo4j.BasicAuth(db.User, db.Password, ""))
	if err != nil {
		b.Fatal(err)
	}
	session := driver.NewSession(b.Context(), neo4j.SessionConfig{DatabaseName: db.Database})
	b.Cleanup(func() {
		_ = session.Close(context.Background())
		_ = driver.Close(context.Background())
	})
	walks := traverse.NewStore(store, slog.New(slog.DiscardHandler))
	b.Cleanup(walks.Close)
	return &walkEnv{traverse.New(walks, func(traverse.Mode, traverse.Outcome) {}), store, walks, session, graph.Scope{TeamID: testenv.Team(b), UserID: "u1"}}
}

func (w *walkEnv) run(b testing.TB, text string, params map[string]any) {
	b.Helper()
	params["team"], params["description"] = w.scope.TeamID, description
	result, err := w.session.Run(b.Context(), text, params)
	if err == nil {
		_, err = result.Consume(b.Context())
	}
	if err != nil {
		b.Fatal(err)
	}
}

// fill writes the memory. Nodes are persons and concepts in turn.
func (w *walkEnv) fill(b testing.TB, nodes, degree int) {
	b.Helper()
	w.run(b, `UNWIND range(0, $nodes - 1) AS i
		CALL (i) {
		  CREATE (n:Memory:$(CASE i % 2 WHEN 0 THEN 'Person' ELSE 'Concept' END) {team_id: $team, entity_key: 'n' + i, user_id: 'u1',
		    natural_key: CASE i % 2 WHEN 0 THEN 'person' ELSE 'concept' END + '\u001fu1\u001fname ' + i, name: 'name ' + i, search_name: 'name ' + i, description: $description,
		    state: 'active', ttl_policy: 'decay', salience: rand(), salience_at: timestamp(), decay_rate: 0.02, confidence: 0.5, access_count: 0,
		    version: 1, created_at: datetime(), updated_at: datetime()})
		} IN TRANSACTIONS OF 10000 ROWS`, map[string]any{"nodes": nodes})
	link := func(rows, from, to string, params map[string]any) {
		w.run(b, `UNWIND `+rows+` AS i
			CALL (i) {
			  MATCH (a:Memory {team_id: $team, entity_key: 'n' + toInteger(`+from+`)}), (c:Memory {team_id: $team, entity_key: 'n' + toInteger(`+to+`)})
			  CREATE (a)-[:relates_to {`+linkedProperties+`}]->(c)
			} IN TRANSACTIONS OF 10000 ROWS`, params)
	}
	link("range(0, 3 * $nodes - 1)", "i % $nodes", "rand() * $nodes", map[string]any{"nodes": nodes})
	link("range(1, $degree)", "1", "i % $nodes", map[string]any{"nodes": nodes, "degree": degree})             // n1 is the hub
	link("range(1, 100)", "2", "10 + i", map[string]any{})                                                     // n2 has a hundred more
	link("range(0, 9999)", "10 + i / 100 % 100", "1000 + i % ($nodes - 1000)", map[string]any{"nodes": nodes}) // and those have a hundred each
}

func (w *walkEnv) ask(b testing.TB, r traverse.Request) traverse.Result {
	b.Helper()
	result, _, err := w.Traverse(b.Context(), w.scope, &r)
	if err != nil {
		b.Fatal(err)
	}
	return result
}

// BenchmarkTraverse measures walks in a memory of KITH_BENCH_FILL nodes with a hub of KITH_BENCH_DEGREE relationships.
func BenchmarkTraverse(b *testing.B) {
	w := newWalkEnv(b, testenv.Neo4j(b))
	nodes, degree := sizeFromEnv("KITH_BENCH_FILL", 200_000), sizeFromEnv("KITH_BENCH_DEGREE", 200_000)
	w.fill(b, nodes, degree)
	around := func(key string) func() error {
		return func() error { w.ask(b, traverse.Request{Mode: traverse.Neighbors, EntityKey: key}); return nil }
	}
	var hub, hundred, ppr, path, slowest []time.Duration
	for i := range max(b.N, 100) + 50 {
		h, s := measureCall(b, around("n1")), measureCall(b, around("n2"))
		p := measureCall(b, func() error {
			w.ask(b, traverse.Request{Mode: traverse.PPR, SeedNodes: []string{"n2"}, MaxDepth: 2})
			return nil
		})
		q := measureCall(b, func() error {
			w.ask(b, traverse.Request{Mode: traverse.Path, From: fmt.Sprintf("n%d", 5000+i), To: fmt.Sprintf("n%d", nodes-1-i)})
			return nil
		})
		if i >= 50 {
			hub, hundred, ppr, path = append(hub, h), append(hundred, s), append(ppr, p), append(path, q)
		}
	}
	slowest = append(slowest, path...)
	b.ReportMetric(milliseconds(median(hub)), "neighbors-hub-p50-ms")
	b.ReportMetric(float64(median(hub))/float64(median(hundred)), "neighbors-hub/100")
	b.ReportMetric(milliseconds(median(ppr)), "ppr-p50-ms")
	b.ReportMetric(milliseconds(median(path)), "path-p50-ms")
	b.ReportMetric(milliseconds(maxOf(slowest)), "path-slowest-ms")
	b.ReportMetric(0, "ns/op")
}

func maxOf(all []time.Duration) (most time.Duration) {
	for _, d := range all {
		most = max(most, d)
	}
	return most
}

// asked holds statements like those of agents.
var asked = []string{
	"MATCH (p:Person {name: $name})-[r:relates_to]->(c) RETURN c.name AS name, r.salience AS salience ORDER BY salience DESC LIMIT 10",
	"MATCH (p:Person)-[:relates_to]->(c:Concept) WHERE p.name = $name RETURN count(c) AS n",
	"MATCH (c:Concept) WHERE c.name CONTAINS '99' RETURN c.name AS name ORDER BY name LIMIT 10",
	"MATCH (p:Person {entity_key: 'n10'})-[:relates_to*1..2]->(c) RETURN DISTINCT c.name AS name ORDER BY name LIMIT 20",
	"MATCH (c:Concept) RETURN c.state AS state, count(*) AS n, avg(c.salience) AS salience",
}

// BenchmarkCypher compares statements that go through the guard with the same statements unchanged, in a store with
// only this team. Both run in their own transaction, which is rolled back.
func BenchmarkCypher(b *testing.B) {
	w := newWalkEnv(b, testenv.Neo4j(b))
	w.fill(b, sizeFromEnv("KITH_BENCH_TEAM", 10_000), 100)
	parameters := map[string]any{"name": "name 10"}
	bare := func(text string) func() error {
		return func() error {
			tx, err := w.session.BeginTransaction(b.Context())
			if err != nil {
				return err
			}
			defer func() { _ = tx.Rollback(b.Context()) }()
			result, err := tx.Run(b.Context(), text, parameters)
			if err != nil {
				return err
			}
			_, err = result.Collect(b.Context())
			return err
		}
	}
	guarded := func(text string) func() error {
		return func() error {
			_, _, err := w.walks.Cypher(b.Context(), w.scope, text, parameters)
			return err
		}
	}
	worst, logs := 0.0, []string{}
	for _, text := range asked {
		var with, without []time.Duration
		for i := range max(b.N, 100) + 50 {
			g, p := measureCall(b, guarded(text)), measureCall(b, bare(text))
			if i >= 50 {
				with, without = append(with, g), append(without, p)
			}
		}
		ratio := float64(median(with)) / float64(median(without))
		worst = max(worst, ratio)
		logs = append(logs, fmt.Sprintf("%.2f (%.2f / %.2f ms) %s", ratio, milliseconds(median(with)), milliseconds(median(without)), text))
	}
	b.Log("\n" + strings.Join(logs, "\n"))
	b.ReportMetric(worst, "guarded/bare-worst")
	var rewrites []time.Duration
	for range 2000 {
		rewrites = append(rewrites, measureCall(b, func() error {
			_, err := guard.Rewrite(asked[0], parameters, guard.Rules{Base: "Memory", Rows: 1000, Index: &guard.Index{Label: "Memory"}})
			return err
		}))
	}
	b.ReportMetric(float64(median(rewrites).Nanoseconds())/1000, "guard-µs")
	b.ReportMetric(0, "ns/op")
}

// Neighbors take one round trip to find and one to read, at each step. A caller's statement takes three, and two more
// when its form is new.
func TestTraverseRoundTrips(t *testing.T) {
	db := testenv.Neo4j(t)
	wire := countRoundTrips(t, db.URI)
	db.URI = wire.uri
	w := newWalkEnv(t, db)
	writeMemory(t, w.store, w.scope, &graph.MemoryWrite{
		Nodes: []graph.NodeWrite{
			{Kind: "person", EntityKey: "a", Name: graph.Some("a")}, {Kind: "person", EntityKey: "b", Name: graph.Some("b")},
			{Kind: "concept", EntityKey: "c", Name: graph.Some("c")},
		},
		Relationships: []graph.RelationshipWrite{{From: "a", Type: "thinks_about", To: "c"}, {From: "b", Type: "thinks_about", To: "c"}},
	})
	for name, c := range map[string]struct {
		ask  traverse.Request
		want int64
	}{
		"neighbors":           {traverse.Request{Mode: traverse.Neighbors, EntityKey: "a"}, 2},
		"neighbors, two hops": {traverse.Request{Mode: traverse.Neighbors, EntityKey: "a", MaxHops: 2, Direction: "both"}, 3},
		"path":                {traverse.Request{Mode: traverse.Path, From: "a", To: "b"}, 4},
		"ppr":                 {traverse.Request{Mode: traverse.PPR, SeedNodes: []string{"a"}, MaxDepth: 2}, 3},
		"cypher":              {traverse.Request{Mode: traverse.Cypher, Cypher: "MATCH (n:Person {entity_key: 'a'}) RETURN n.name AS name"}, 3},
	} {
		w.ask(t, c.ask)
		fewest := int64(math.MaxInt64) // while a statement is slow, what it holds is looked at on another connection
		for range 5 {
			before := wire.trips.Load()
			w.ask(t, c.ask)
			fewest = min(fewest, wire.trips.Load()-before)
		}
		if fewest != c.want {
			t.Errorf("%s: %d round trips, want %d", name, fewest, c.want)
		}
	}
}
