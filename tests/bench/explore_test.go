package bench

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"kith/graph"
	"kith/graph/searchscope"
	"kith/internal/vector"
	"kith/memory/embedding"
	"kith/memory/explore"
	"kith/memory/statement"
	"kith/tests/testenv"
)

// searchEnv is a store with an explorer.
type searchEnv struct {
	*graph.Store
	searches *lastSearch
	explorer *explore.Explorer
	embedder *clustered
	vectors  *vector.Index
}

// lastSearch keeps the last search of a store, and how long its statements took.
type lastSearch struct {
	*explore.Store
	asked           explore.Search
	search, details time.Duration
}

func (s *lastSearch) Search(ctx context.Context, scope graph.Scope, q explore.Search) (explore.Found, error) {
	s.asked = q
	begun := time.Now()
	found, err := s.Store.Search(ctx, scope, q)
	s.search = time.Since(begun)
	return found, err
}

func (s *lastSearch) Details(ctx context.Context, scope graph.Scope, w explore.Wanted) (explore.Details, error) {
	begun := time.Now()
	details, err := s.Store.Details(ctx, scope, w)
	s.details = time.Since(begun)
	return details, err
}

func newSearchEnv(b testing.TB, db testenv.Database) *searchEnv {
	b.Helper()
	s := &searchEnv{embedder: newClustered(), vectors: vector.New(4 << 30)}
	s.Store = openStore(b, db, graph.Options{Embedder: s.embedder, Said: statement.Listener()})
	s.searches = &lastSearch{Store: explore.NewStore(s.Store, s.embedder)}
	s.explorer = explore.New(s.searches, explore.Options{Embedder: s.embedder, Vectors: s.vectors})
	return s
}

// embedAll embeds all pending nodes.
func (s *searchEnv) embedAll(b testing.TB) {
	b.Helper()
	vectors := embedding.NewStore(s.Store, s.embedder)
	if err := vectors.Prepare(b.Context()); err != nil {
		b.Fatal(err)
	}
	if err := embedding.NewWorker(vectors, embedding.Options{}).Finish(b.Context(), func() {}); err != nil {
		b.Fatal(err)
	}
}

func (s *searchEnv) ask(b testing.TB, scope graph.Scope, r explore.Request) *explore.Result {
	b.Helper()
	result, _, err := s.explorer.Explore(b.Context(), scope, &r)
	if err != nil {
		b.Fatal(err)
	}
	return result
}

// loadVectors loads the vectors of a scope into memory.
func (s *searchEnv) loadVectors(b testing.TB, scope graph.Scope) {
	b.Helper()
	for s.ask(b, scope, question("everything")).Meta.Semantic != explore.MeaningOn {
	}
}

// question returns a search for ten nodes, sources and messages each.
func question(text string) explore.Request {
	return explore.Request{Queries: []explore.Query{{Query: text}}, Limit: 10}
}

const (
	memorySize = 10_000 // nodes
	talks      = 190    // of 50 messages each
	talkLength = 50
)

// fullMemory writes a memory of 10,000 nodes with vectors: conversations, and the nodes they mention.
func (s *searchEnv) fullMemory(b testing.TB, scope graph.Scope) {
	b.Helper()
	said := newSpeech(1)
	write := &graph.MemoryWrite{}
	concepts := memorySize - talks*(talkLength+1)
	key := func(i int) string { return fmt.Sprintf("c-%d", i%concepts) }
	for i := range concepts {
		write.Nodes = append(write.Nodes, graph.NodeWrite{
			Kind: "concept", EntityKey: key(i), Name: graph.Some(fmt.Sprintf("%s %d", said.words(2), i)), Description: graph.Some(said.words(15)),
		})
		write.Relationships = append(write.Relationships, graph.RelationshipWrite{
			From: key(i), To: key(i + 1), Type: "relates_to", Description: graph.Some(said.words(10)),
		})
	}
	writeMemory(b, s.Store, scope, write)
	for i := range talks {
		talk := &graph.SourceWrite{
			EntityKey: fmt.Sprintf("s-%d", i), Summary: graph.Some(said.words(20)), StartedAt: graph.Some(time.Now().Add(-time.Duration(i) * time.Hour)),
			Mentions: []string{key(i), key(i + 50), key(i + 100)}, Messages: messages(said, talkLength),
		}
		if _, err := s.WriteSource(b.Context(), scope, talk); err != nil {
			b.Fatal(err)
		}
	}
	s.embedAll(b)
}

func messages(said speech, count int) []graph.MessageWrite {
	all := make([]graph.MessageWrite, count)
	for i := range all {
		all[i] = graph.MessageWrite{Role: "user", Name: []string{"Ada", "Jon"}[i%2], Text: said.words(25)}
	}
	return all
}

// copyMemory copies a memory to another team, with its words and vectors.
func copyMemory(b *testing.B, db testenv.Database, from, to graph.Scope, first, last int) {
	b.Helper()
	driver, err := neo4j.NewDriverWithContext(db.URI, neo4j.BasicAuth(db.User, db.Password, ""))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = driver.Close(context.Background()) }()
	session := driver.NewSession(b.Context(), neo4j.SessionConfig{DatabaseName: db.Database})
	defer func() { _ = session.Close(b.Context()) }()
	result, err := session.Run(b.Context(), `UNWIND range($first, $last) AS i
		CALL (i) {
		  MATCH (n:Memory {team_id: $from})
		  CREATE (c:$(labels(n)))
		  SET c = n {.*, team_id: $to, entity_key: n.entity_key + '/' + i, natural_key: n.natural_key + '/' + i,
		    source_key: n.source_key + '/' + i, search_scope: replace(n.search_scope, $token, $other), vector_scope: $other,
		    vector_seq: n.vector_seq + i * 1000000, owner_of: null}
		  WITH i, count(c) AS copies
		  MATCH (a:Memory {team_id: $from})-[r {team_id: $from}]->(b:Memory)
		  MATCH (x:Memory {team_id: $to, entity_key: a.entity_key + '/' + i})
		  MATCH (y:Memory {team_id: $to, entity_key: b.entity_key + '/' + i})
		  CREATE (x)-[c:$(type(r))]->(y)
		  SET c = r {.*, team_id: $to, key: r.key + '/' + i, search_scope: replace(r.search_scope, $token, $other)}
		} IN TRANSACTIONS OF 1 ROW`, map[string]any{
		"from": from.TeamID, "to": to.TeamID, "first": first, "last": last,
		"token": searchscope.Visible(from.TeamID, from.UserID)[1], "other": searchscope.Visible(to.TeamID, to.UserID)[1],
	})
	if err == nil {
		_, err = result.Consume(b.Context())
	}
	if err != nil {
		b.Fatal(err)
	}
}

// compare measures searches, their statement, and their vector scan, in turns.
func (s *searchEnv) compare(b *testing.B, scope graph.Scope, rounds int) (whole, slower time.Duration) {
	b.Helper()
	s.loadVectors(b, scope)
	said, texts, asked := newSpeech(2), make([]string, rounds), make([]explore.Search, rounds)
	for i := range rounds { // plans, JIT
		texts[i] = said.words(6)
		s.ask(b, scope, question(texts[i]))
		asked[i] = s.searches.asked
	}
	var all, within, details, rest, statement, scan []time.Duration
	for i, text := range texts {
		unit, other := s.embedder.unit(text), (i+rounds/2)%rounds // not what was just found
		took := measureCall(b, func() error { s.ask(b, scope, question(text)); return nil })
		all, within, details = append(all, took), append(within, s.searches.search), append(details, s.searches.details)
		rest = append(rest, took-s.searches.search-s.searches.details)
		statement = append(statement, measureCall(b, func() error {
			_, err := s.searches.Search(b.Context(), scope, asked[other])
			return err
		}))
		scan = append(scan, measureCall(b, func() error {
			_, err := s.vectors.Search(searchscope.Visible(scope.TeamID, scope.UserID), unit, 50, nil)
			return err
		}))
	}
	b.Logf("%s: p50 %.2f ms, of which statement beside vectors %.2f, details %.2f, all else %.2f ms; statement alone %.2f ms, vectors alone %.2f ms",
		scope.TeamID, milliseconds(median(all)), milliseconds(median(within)), milliseconds(median(details)), milliseconds(median(rest)),
		milliseconds(median(statement)), milliseconds(median(scan)))
	return median(all), max(median(statement), median(scan))
}

// besideLookUp compares searches, in turns, with what a memory without its own ranking does: embed the words, ask a vector index of
// the same store for the ten nearest nodes, and read their texts and vectors.
func (s *searchEnv) besideLookUp(b *testing.B, db testenv.Database, scope graph.Scope, rounds int) float64 {
	b.Helper()
	driver, err := neo4j.NewDriverWithContext(db.URI, neo4j.BasicAuth(db.User, db.Password, ""))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = driver.Close(context.Background()) }()
	session := driver.NewSession(b.Context(), neo4j.SessionConfig{DatabaseName: db.Database, AccessMode: neo4j.AccessModeRead})
	defer func() { _ = session.Close(context.Background()) }()
	run := func(text string, params map[string]any) []*neo4j.Record {
		records, err := neo4j.ExecuteQuery(b.Context(), driver, text, params, neo4j.EagerResultTransformer, neo4j.ExecuteQueryWithDatabase(db.Database))
		if err != nil {
			b.Fatal(err)
		}
		return records.Records
	}
	var rows []map[string]any
	for _, r := range run(`MATCH (n:Memory {team_id: $team}) WHERE n.vector IS NOT NULL RETURN elementId(n), n.vector`, map[string]any{"team": scope.TeamID}) {
		stored, _ := r.Values[1].([]byte)
		unit, err := vector.Decode(stored)
		if err != nil {
			b.Fatal(err)
		}
		rows = append(rows, map[string]any{"id": r.Values[0], "unit": unit})
	}
	if len(rows) < memorySize/2 {
		b.Fatalf("%d vectors", len(rows))
	}
	for part := range slices.Chunk(rows, 500) {
		run(`UNWIND $rows AS row MATCH (n) WHERE elementId(n) = row.id SET n:Looked, n.looked = row.unit`, map[string]any{"rows": part})
	}
	run("CREATE VECTOR INDEX looked FOR (n:Looked) ON n.looked OPTIONS {indexConfig: {`vector.dimensions`: "+strconv.Itoa(dimensions)+", `vector.similarity_function`: 'cosine'}}", nil)
	run("CALL db.awaitIndexes(600)", nil)
	lookUp := func(text string) error {
		result, err := session.Run(b.Context(), "CALL db.index.vector.queryNodes('looked', 10, $unit) YIELD node, score RETURN node, score", map[string]any{"unit": s.embedder.unit(text)})
		if err != nil {
			return err
		}
		found, err := result.Collect(b.Context())
		if err == nil && len(found) != 10 {
			err = fmt.Errorf("%d nodes, want 10", len(found))
		}
		return err
	}
	said := newSpeech(5)
	var searches, lookUps []time.Duration
	for i := range 2 * rounds {
		text := said.words(6)
		search := measureCall(b, func() error { s.ask(b, scope, question(text)); return nil })
		look := measureCall(b, func() error { return lookUp(text) })
		if i >= rounds { // plans, JIT
			searches, lookUps = append(searches, search), append(lookUps, look)
		}
	}
	run("DROP INDEX looked", nil)
	run("MATCH (n:Looked) REMOVE n:Looked, n.looked", nil)
	b.Logf("search p50 %.2f ms, look-up p50 %.2f ms", milliseconds(median(searches)), milliseconds(median(lookUps)))
	return float64(median(searches)) / float64(median(lookUps))
}

// BenchmarkExplore compares searches with the slower of their two parts, with a look-up in a vector index, and with searches in a
// store that others fill up to KITH_BENCH_FILL nodes: of a team of 10,000, and of the team with all the others.
func BenchmarkExplore(b *testing.B) {
	db := testenv.StartNeo4j(b).Database()
	s := newSearchEnv(b, db)
	own, others := graph.Scope{TeamID: "own", UserID: "u1"}, graph.Scope{TeamID: "others", UserID: "u1"}
	s.fullMemory(b, own)
	rounds := max(b.N, 200)
	report := func(nodes int, whose string, scope graph.Scope) time.Duration {
		whole, slower := s.compare(b, scope, rounds)
		name := fmt.Sprintf("%s/%d", whose, nodes)
		b.ReportMetric(milliseconds(whole), "ms/"+name)
		b.ReportMetric(float64(whole)/float64(slower), "÷slower/"+name)
		return whole
	}
	small := report(memorySize, "own", own)
	b.ReportMetric(s.besideLookUp(b, db, own, rounds), "÷look-up/own")
	allocs, bytes := s.countAllocations(b, own)
	b.ReportMetric(allocs, "client-allocs")
	b.ReportMetric(bytes/1024, "client-KB")
	full := sizeFromEnv("KITH_BENCH_FILL", 200_000)
	copies, large := 0, small
	for _, nodes := range slices.Compact([]int{min(100_000, full), full}) {
		copyMemory(b, db, own, others, copies+1, nodes/memorySize-1)
		copies = nodes/memorySize - 1
		large = report(nodes, "own", own)
		report(nodes, "others", others)
	}
	b.ReportMetric(float64(large)/float64(small), "full÷10000")
	b.ReportMetric(float64(s.vectors.Size())/(1<<20), "vectors-MB")
	b.ReportMetric(0, "ns/op")
}

// countAllocations returns the allocations of one search, and their bytes.
func (s *searchEnv) countAllocations(b *testing.B, scope graph.Scope) (allocs, bytes float64) {
	b.Helper()
	const rounds = 100
	asking := newSpeech(4)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range rounds {
		s.ask(b, scope, question(asking.words(6)))
	}
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / rounds, float64(after.TotalAlloc-before.TotalAlloc) / rounds
}

// BenchmarkExploreBesideWrites compares searches with and without concurrent writes for the same user: 1,000 messages
// a second, 50 in a request, all of which are embedded.
func BenchmarkExploreBesideWrites(b *testing.B) {
	s := newSearchEnv(b, testenv.StartNeo4j(b).Database())
	scope, others := graph.Scope{TeamID: "own", UserID: "u1"}, graph.Scope{TeamID: "others", UserID: "u1"}
	s.fullMemory(b, scope)
	s.fullMemory(b, others)
	s.loadVectors(b, scope)
	ctx, stop := context.WithCancel(b.Context())
	var group sync.WaitGroup
	b.Cleanup(func() { stop(); group.Wait() })
	group.Go(func() { _ = embedding.NewWorker(embedding.NewStore(s.Store, s.embedder), embedding.Options{}).Run(ctx) })
	var whose atomic.Pointer[graph.Scope] // nil: no writes
	var begun, written atomic.Int64
	for w := range 4 {
		said := newSpeech(uint64(10 + w))
		group.Go(func() {
			for tick := time.NewTicker(200 * time.Millisecond); ctx.Err() == nil; <-tick.C {
				whose := whose.Load()
				if whose == nil {
					continue
				}
				key := fmt.Sprintf("s-%d", begun.Add(1)%talks)
				if _, err := s.AppendMessages(ctx, *whose, key, messages(said, 50)); err != nil && ctx.Err() == nil {
					b.Error(err)
				}
				written.Add(50)
			}
		})
	}
	embedded := func() {
		for backlog := int64(1); backlog > 0; time.Sleep(100 * time.Millisecond) {
			left, err := embedding.NewStore(s.Store, s.embedder).Backlog(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			backlog = left.Due
		}
	}
	asking := newSpeech(2)
	measure := func() (all []time.Duration) {
		for begun := time.Now(); time.Since(begun) < 5*time.Second; {
			text := asking.words(6)
			all = append(all, measureCall(b, func() error { s.ask(b, scope, question(text)); return nil }))
		}
		return all
	}
	whose.Store(&others)
	for range 12 { // plans, JIT; and the memory that is searched stays as large
		measure()
	}
	whose.Store(nil)
	embedded()
	var quiet, busy []time.Duration
	var rate []float64
	for range max(b.N, 4) {
		quiet = append(quiet, measure()...)
		before, begun := written.Load(), time.Now()
		whose.Store(&scope)
		busy = append(busy, measure()...)
		whose.Store(nil)
		rate = append(rate, float64(written.Load()-before)/time.Since(begun).Seconds())
		embedded()
	}
	b.ReportMetric(milliseconds(median(quiet)), "ms/quiet")
	b.ReportMetric(milliseconds(median(busy)), "ms/busy")
	b.ReportMetric(float64(median(busy))/float64(median(quiet)), "busy÷quiet")
	b.ReportMetric(median(rate), "messages/s")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkRecall compares the ten messages found by meaning alone with the ten nearest of a full comparison in
// float32, for users with 0.1 %, 1 % and 50 % of KITH_BENCH_VECTORS vectors.
func BenchmarkRecall(b *testing.B) {
	s := newSearchEnv(b, testenv.StartNeo4j(b).Database())
	vectors := sizeFromEnv("KITH_BENCH_VECTORS", 50_000)
	shares := []float64{0.001, 0.01, 0.5, 0.489}
	for _, share := range shares {
		scope := graph.Scope{TeamID: fmt.Sprintf("team-%v", share), UserID: "u1"}
		s.writeUtterances(b, scope, int(share*float64(vectors)))
	}
	begun := time.Now()
	s.embedAll(b)
	b.Logf("embedding all took %.0f s", time.Since(begun).Seconds())
	for _, share := range shares[:3] {
		scope := graph.Scope{TeamID: fmt.Sprintf("team-%v", share), UserID: "u1"}
		begun := time.Now()
		s.loadVectors(b, scope)
		loaded := time.Since(begun)
		recall, times := s.measureRecall(b, scope, int(share*float64(vectors)))
		name := fmt.Sprintf("%v%%", share*100)
		b.Logf("%s: loaded in %.1f s", name, loaded.Seconds())
		b.ReportMetric(recall, "recall@10/"+name)
		b.ReportMetric(milliseconds(median(times)), "ms/"+name)
	}
	b.ReportMetric(float64(s.vectors.Size())/(1<<20), "vectors-MB")
	b.ReportMetric(0, "ns/op")
}

// writeUtterances writes messages without vectors, whose words are in no question.
func (s *searchEnv) writeUtterances(b *testing.B, scope graph.Scope, count int) {
	b.Helper()
	now := time.Now()
	for from := 0; from < count; from += 2000 {
		talk := &graph.SourceWrite{EntityKey: fmt.Sprintf("s-%d", from)}
		for i := from; i < min(count, from+2000); i++ {
			talk.Messages = append(talk.Messages, graph.MessageWrite{EntityKey: utterance(i), Role: "user", Text: utterance(i), At: graph.Some(now)})
		}
		if _, err := s.WriteSource(b.Context(), scope, talk); err != nil {
			b.Fatal(err)
		}
	}
}

func utterance(i int) string { return fmt.Sprintf("utterance%d", i) }

// measureRecall returns the share of the ten nearest messages that searches find, and their times.
func (s *searchEnv) measureRecall(b *testing.B, scope graph.Scope, count int) (recall float64, times []time.Duration) {
	b.Helper()
	units := make([][]float32, count)
	for i := range units {
		units[i] = s.embedder.unit(utterance(i))
	}
	const questions, k = 50, 10
	found := 0
	for q := range questions {
		text := fmt.Sprintf("question%d", q)
		nearest := nearestKeys(s.embedder.unit(text), units, k)
		times = append(times, measureCall(b, func() error {
			asked := question(text)
			asked.Kinds, asked.Limit = []string{"message"}, k
			for _, m := range s.ask(b, scope, asked).Episodic.Messages {
				if slices.Contains(nearest, m.EntityKey) {
					found++
				}
			}
			return nil
		}))
	}
	return float64(found) / (questions * k), times
}

// nearestKeys returns the keys of the k utterances with the largest cosines.
func nearestKeys(unit []float32, units [][]float32, k int) []string {
	cosines, places := make([]float32, len(units)), make([]int, len(units))
	for i, v := range units {
		places[i] = i
		for d := range v {
			cosines[i] += unit[d] * v[d]
		}
	}
	slices.SortFunc(places, func(x, y int) int {
		if cosines[x] > cosines[y] {
			return -1
		}
		return 1
	})
	keys := make([]string, k)
	for i := range keys {
		keys[i] = utterance(places[i])
	}
	return keys
}

// A search asks the database twice, and a deep one three times.
func TestExploreRoundTrips(t *testing.T) {
	db := testenv.Neo4j(t)
	wire := countRoundTrips(t, db.URI)
	db.URI = wire.uri
	s := newSearchEnv(t, db)
	scope := graph.Scope{TeamID: testenv.Team(t), UserID: "u1"}
	writeMemory(t, s.Store, scope, &graph.MemoryWrite{Nodes: []graph.NodeWrite{
		{Kind: "concept", EntityKey: "c", Name: graph.Some("the pier"), Description: graph.Some("costs more to mend than it brings")},
	}})
	for mode, want := range map[explore.Mode]int64{explore.Fast: 2, explore.Deep: 3} {
		asked := question("what does it cost to mend")
		asked.Mode = mode
		s.ask(t, scope, asked) // its statements are planned
		before := wire.trips.Load()
		if found := s.ask(t, scope, asked); len(found.Semantic.Concepts) != 1 || found.Meta.Semantic != explore.MeaningPartial {
			t.Errorf("%s: %+v", mode, found)
		}
		if got := wire.trips.Load() - before; got != want {
			t.Errorf("%s: %d round trips, want %d", mode, got, want)
		}
	}
}
