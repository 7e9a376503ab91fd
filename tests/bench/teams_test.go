package bench

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"kith/graph"
	"kith/graph/searchscope"
	"kith/loader"
	"kith/memory/explore"
	"kith/memory/preference"
	"kith/tests/testenv"
)

const (
	firstTeams  = 10 // teams of the smaller store
	teamsAtOnce = 50

	adminAddress = "127.0.0.1:29464" // of the binary
)

// BenchmarkTeams compares a store of 10 teams with one of KITH_BENCH_TEAMS. Each team has a user with 30 nodes, a conversation and a
// key. It reports what a context and a search of a random team take, what making a team takes, and how long a start, a check and a
// pass of the maintenance take in the larger store.
func BenchmarkTeams(b *testing.B) {
	db := testenv.StartNeo4j(b).Database()
	teams := sizeFromEnv("KITH_BENCH_TEAMS", 10_000)
	f := newTeams(b, db)
	f.fill(b, 0, firstTeams)
	f.measure(b, firstTeams, 300) // plans, JIT
	few := f.measure(b, firstTeams, 1000)
	begun := time.Now()
	f.fill(b, firstTeams, teams)
	b.Logf("%d teams after %v", teams, time.Since(begun).Round(time.Second))
	f.run(b, "CALL db.awaitIndexes(300)", nil)
	f.measure(b, teams, 300)
	many := f.measure(b, teams, 1000)
	for _, what := range []string{"context", "search"} {
		for _, p := range []int{50, 99} {
			a, z := percentile(few[what], p), percentile(many[what], p)
			b.ReportMetric(milliseconds(a), fmt.Sprintf("%s-p%d-ms/%d", what, p, firstTeams))
			b.ReportMetric(milliseconds(z), fmt.Sprintf("%s-p%d-ms/%d", what, p, teams))
			b.ReportMetric(float64(z)/float64(a), fmt.Sprintf("%s-p%d-ratio", what, p))
		}
	}
	f.operate(b, db, teams)
	b.ReportMetric(0, "ns/op")
}

// bareDatabase is a database without Kith.
type bareDatabase struct {
	driver   neo4j.DriverWithContext
	database string
}

func newBareDatabase(b *testing.B, db testenv.Database) bareDatabase {
	b.Helper()
	driver, err := neo4j.NewDriverWithContext(db.URI, neo4j.BasicAuth(db.User, db.Password, ""))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = driver.Close(context.Background()) })
	return bareDatabase{driver, db.Database}
}

// run runs a statement without Kith and returns its rows.
func (d bareDatabase) run(b *testing.B, text string, params map[string]any) [][]any {
	b.Helper()
	result, err := neo4j.ExecuteQuery(b.Context(), d.driver, text, params, neo4j.EagerResultTransformer, neo4j.ExecuteQueryWithDatabase(d.database))
	if err != nil {
		b.Fatal(err)
	}
	rows := make([][]any, len(result.Records))
	for i, r := range result.Records {
		rows[i] = r.Values
	}
	return rows
}

// teamCopier fills a store with copies of a team.
type teamCopier struct {
	bareDatabase
	store    *graph.Store
	contexts *loader.Loader
	explorer *explore.Explorer
	model    graph.Scope // the copied team
	nodes    []map[string]any
	edges    []map[string]any
}

func teamName(i int) string { return fmt.Sprintf("team-%06d", i) }

const teamUser = "u1"

// teamKey returns the API key of a team.
func teamKey(team string) (secret, hash string) {
	secret = "kith_key-of-the-" + team + "-in-the-benchmarks"
	sum := sha256.Sum256([]byte(secret))
	return secret, hex.EncodeToString(sum[:])
}

func newTeams(b *testing.B, db testenv.Database) *teamCopier {
	b.Helper()
	f := &teamCopier{bareDatabase: newBareDatabase(b, db), store: openStore(b, db, graph.Options{})}
	f.contexts = uncached(f.store, loader.Combined)
	f.explorer = explore.New(explore.NewStore(f.store, nil), explore.Options{})
	f.model = graph.Scope{TeamID: "model", UserID: teamUser}
	f.writeModel(b)
	return f
}

// writeModel writes the team that is copied, and reads it back as it is stored.
func (f *teamCopier) writeModel(b *testing.B) {
	b.Helper()
	said, now := newSpeech(3), time.Now()
	write := &graph.MemoryWrite{Nodes: []graph.NodeWrite{{Kind: "person", EntityKey: "owner", Name: graph.Some("Ada"), IsOwner: graph.Some(true)}}}
	for i := range 29 {
		kind, key := []string{"person", "concept", "entity"}[i%3], fmt.Sprintf("n-%d", i)
		write.Nodes = append(write.Nodes, graph.NodeWrite{
			Kind: kind, EntityKey: key, Name: graph.Some(said.words(2)), Description: graph.Some(said.words(15)), State: graph.Some("active"),
			Salience: graph.Some(float64(i) / 30),
		})
		write.Relationships = append(write.Relationships, graph.RelationshipWrite{
			From: "owner", To: key, Type: ownerTypes[i%len(ownerTypes)], Salience: graph.Some(float64(i) / 30), Description: graph.Some(said.words(10)),
		})
	}
	writeMemory(b, f.store, f.model, write)
	if _, err := f.store.WriteSource(b.Context(), f.model, &graph.SourceWrite{
		EntityKey: "s-1", StartedAt: graph.Some(now.Add(-2 * time.Hour)), EndedAt: graph.Some(now.Add(-time.Hour)), Summary: graph.Some(said.words(12)),
		Mentions: []string{"n-0", "n-1", "n-2"}, Messages: messages(said, 10),
	}); err != nil {
		b.Fatal(err)
	}
	preferences := []preference.Preference{{Key: "conversation_style", Value: []byte(`"direct"`)}}
	if err := preference.NewStore(f.store).ReplacePreferences(b.Context(), f.model, preferences); err != nil {
		b.Fatal(err)
	}
	places := map[string]int{}
	for _, row := range f.run(b, "MATCH (n {team_id: $team}) RETURN elementId(n), labels(n), properties(n)", map[string]any{"team": f.model.TeamID}) {
		places[row[0].(string)] = len(f.nodes)
		f.nodes = append(f.nodes, map[string]any{"labels": row[1], "properties": row[2]})
	}
	for _, row := range f.run(b, `MATCH (n {team_id: $team})-[r]->(m) RETURN elementId(n), elementId(m), type(r), properties(r)`, map[string]any{"team": f.model.TeamID}) {
		f.edges = append(f.edges, map[string]any{"from": places[row[0].(string)], "to": places[row[1].(string)], "type": row[2], "properties": row[3]})
	}
}

// copied returns properties of the copied team for another one.
func (f *teamCopier) copied(properties any, team string) map[string]any {
	c := map[string]any{}
	for name, value := range properties.(map[string]any) {
		if text, ok := value.(string); ok {
			for _, user := range []string{"", teamUser} {
				text = strings.ReplaceAll(text, searchscope.Owner(f.model.TeamID, user), searchscope.Owner(team, user))
			}
			value = text
			if name == "team_id" {
				value = team
			}
		}
		c[name] = value
	}
	return c
}

// fill makes the teams from first up to last.
func (f *teamCopier) fill(b *testing.B, first, last int) {
	b.Helper()
	for from := first; from < last; from += teamsAtOnce {
		var teams []map[string]any
		for i := from; i < min(from+teamsAtOnce, last); i++ {
			team := teamName(i)
			_, hash := teamKey(team)
			nodes := []map[string]any{}
			for _, n := range f.nodes {
				nodes = append(nodes, map[string]any{"labels": n["labels"], "properties": f.copied(n["properties"], team)})
			}
			edges := []map[string]any{}
			for _, r := range f.edges {
				edges = append(edges, map[string]any{"from": r["from"], "to": r["to"], "type": r["type"], "properties": f.copied(r["properties"], team)})
			}
			teams = append(teams, map[string]any{"nodes": nodes, "edges": edges, "key": map[string]any{
				"key_id": hash[:12], "hash": hash, "team_id": team, "scopes": []string{"read", "write"}, "created_at": time.Now().UTC(),
			}})
		}
		f.run(b, `UNWIND $teams AS team
			CALL (team) {
			  CREATE (k:ApiKey)
			  SET k = team.key
			  WITH team
			  CALL (team) {
			    UNWIND team.nodes AS row
			    CREATE (n:$(row.labels))
			    SET n = row.properties
			    RETURN collect(n) AS nodes
			  }
			  UNWIND team.edges AS row
			  WITH nodes[row.from] AS a, nodes[row.to] AS b, row
			  CREATE (a)-[r:$(row.type)]->(b)
			  SET r = row.properties
			}`, map[string]any{"teams": teams})
	}
}

// measure returns how long contexts and searches of random teams take.
func (f *teamCopier) measure(b *testing.B, teams, rounds int) map[string][]time.Duration {
	b.Helper()
	random, said, took := rand.New(rand.NewPCG(7, uint64(teams))), newSpeech(3), map[string][]time.Duration{} //nolint:gosec // a choice of the benchmark
	for range rounds {
		scope := graph.Scope{TeamID: teamName(random.IntN(teams)), UserID: teamUser}
		took["context"] = append(took["context"], measureCall(b, func() error {
			answer, err := f.contexts.Context(b.Context(), loader.Request{Scope: scope}, nil)
			if err == nil && len(answer.Head)+len(answer.Tail) < 1000 {
				err = fmt.Errorf("the context of %s is empty", scope.TeamID)
			}
			return err
		}))
		r := question(said.words(4))
		took["search"] = append(took["search"], measureCall(b, func() error {
			_, _, err := f.explorer.Explore(b.Context(), scope, &r)
			return err
		}))
	}
	return took
}

// operate starts the binary on the store and measures what depends on the number of teams.
func (f *teamCopier) operate(b *testing.B, db testenv.Database, teams int) {
	b.Helper()
	binary := buildBinary(b)
	environ := append(os.Environ(), "KITH_NEO4J_URI="+db.URI, "KITH_NEO4J_USER="+db.User, "KITH_NEO4J_PASSWORD="+db.Password, "KITH_NEO4J_DATABASE="+db.Database)
	begun := time.Now()
	s, process := startBinaryOn(b, db, binary, "KITH_ADMIN_LISTEN="+adminAddress)
	b.ReportMetric(time.Since(begun).Seconds(), "start-s")

	random := rand.New(rand.NewPCG(8, 0)) //nolint:gosec // a choice of the benchmark
	var answers []time.Duration
	for range min(teams, 5000) {
		team := teamName(random.IntN(teams))
		secret, _ := teamKey(team)
		of := &server{url: s.url, key: secret, client: s.client}
		answers = append(answers, measureCall(b, func() error { _, err := of.tryGet(contextPath); return err }))
	}
	b.ReportMetric(milliseconds(percentile(answers, 99)), "http-context-p99-ms")
	b.ReportMetric(residentMB(b, process.Pid, "VmRSS"), "resident-MB")
	w, made := &writer{url: s.url, key: s.key}, []time.Duration{}
	for i := range 200 {
		made = append(made, measureCall(b, func() error {
			w.post(b, "/v1/keys", "application/json", strings.NewReader(fmt.Sprintf(`{"team_id":"new-%d","scopes":["read","write"]}`, i)))
			return nil
		}))
	}
	b.ReportMetric(milliseconds(median(made)), "make-team-p50-ms")
	b.ReportMetric(float64(strings.Count(string((&server{url: "http://" + adminAddress, client: s.client}).get(b, "/metrics")), "\n")), "metrics-lines")

	b.ReportMetric(measureCall(b, func() error {
		check := exec.Command(binary, "check") //nolint:gosec // built above
		check.Env = environ
		out, err := check.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%w: %s", err, out)
		}
		return err
	}).Seconds(), "check-s")

	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	passed := time.Duration(0)
	begun = time.Now()
	m := graph.NewMaintenance(f.store, graph.MaintenanceOptions{})
	ended := make(chan error, 1)
	go func() { ended <- m.Run(ctx) }()
	for passed == 0 {
		time.Sleep(time.Second)
		if rows := f.run(b, "MATCH (l:Lease {name: 'maintenance'}) WHERE l.due_at > datetime() RETURN l.due_at", nil); len(rows) == 1 {
			passed = time.Since(begun)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(passed.Seconds(), "maintenance-s")
}

// percentile returns the p-th percentile.
func percentile(values []time.Duration, p int) time.Duration {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return sorted[len(sorted)*p/100]
}
