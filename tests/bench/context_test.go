package bench

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"kith/graph"
	"kith/internal/cache"
	"kith/loader"
	"kith/memory/statement"
	"kith/tests/testenv"
)

// noCache loads anew for every request.
type noCache struct{}

func (noCache) Get(ctx context.Context, _, _, _ string, load cache.Loader) ([]byte, error) {
	value, _, err := load(ctx)
	return value, err
}

// uncached returns the contexts of a store, which are loaded anew for every request.
func uncached(store *graph.Store, mode loader.Mode) *loader.Loader {
	return loader.New(loader.NewStore(store), noCache{}, loader.Options{Mode: mode})
}

// coldContexts returns calls for the context of a user, which load its sections in one statement and side by side.
func coldContexts(b *testing.B, store *graph.Store, scope graph.Scope) (combined, parallel func() error) {
	b.Helper()
	cold := func(mode loader.Mode) func() error {
		l := uncached(store, mode)
		return func() error {
			_, err := l.Context(b.Context(), loader.Request{Scope: scope}, nil)
			return err
		}
	}
	return cold(loader.Combined), cold(loader.Parallel)
}

// BenchmarkColdContext compares a cold context with its slowest section, in both ways of loading it. It counts the
// client's allocations and round trips.
func BenchmarkColdContext(b *testing.B) {
	db := testenv.Neo4j(b)
	wire := countRoundTrips(b, db.URI)
	db.URI = wire.uri
	store := openStore(b, db, graph.Options{Said: statement.Listener()})
	scope, talker := graph.Scope{TeamID: testenv.Team(b), UserID: "u1"}, graph.Scope{TeamID: testenv.Team(b), UserID: "u1"}
	for _, s := range []graph.Scope{scope, talker} {
		fullUser(b, store, s, 100)
	}
	writeStatements(b, store, talker)
	combined, parallel := coldContexts(b, store, scope)
	ofTalker, _ := coldContexts(b, store, talker)
	reader := loader.NewStore(store)
	section := func(s loader.Section) func() error {
		return func() error {
			return reader.ReadSection(b.Context(), scope, s, loader.SectionQuery{Now: time.Now()}, &loader.Sections{})
		}
	}
	for range 300 { // plans, JIT
		measureCall(b, combined)
		measureCall(b, ofTalker)
		for _, s := range loader.AllSections {
			measureCall(b, section(s))
		}
	}
	rounds := max(b.N, 300)
	var whole, apart, withStatements []time.Duration
	sections := map[loader.Section][]time.Duration{}
	for range rounds {
		whole, withStatements = append(whole, measureCall(b, combined)), append(withStatements, measureCall(b, ofTalker))
		apart = append(apart, measureCall(b, parallel))
		for _, s := range loader.AllSections {
			sections[s] = append(sections[s], measureCall(b, section(s)))
		}
	}
	slowest := time.Duration(0)
	for section, times := range sections {
		slowest = max(slowest, median(times))
		b.Logf("section %s: p50 %.2f ms", section, milliseconds(median(times)))
	}
	before := wire.trips.Load()
	for range 100 {
		measureCall(b, combined)
	}
	trips := float64(wire.trips.Load()-before) / 100
	b.ReportMetric(milliseconds(median(whole)), "cold-p50-ms")
	b.ReportMetric(milliseconds(median(apart)), "parallel-p50-ms")
	b.ReportMetric(milliseconds(slowest), "slowest-section-p50-ms")
	b.ReportMetric(float64(median(whole))/float64(slowest), "cold/slowest-section")
	b.ReportMetric(trips, "round-trips")
	b.ReportMetric(testing.AllocsPerRun(100, func() { measureCall(b, combined) }), "client-allocs")
	b.ReportMetric(float64(median(withStatements))/float64(median(whole)), "with-110-statements/without")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkContextLoad compares the two ways of loading the sections of a cold context, with delays between Kith and the database.
func BenchmarkContextLoad(b *testing.B) {
	for _, delay := range []time.Duration{0, time.Millisecond, 5 * time.Millisecond, 20 * time.Millisecond} {
		b.Run(delay.String(), func(b *testing.B) {
			db := testenv.Neo4j(b)
			u, err := url.Parse(db.URI)
			if err != nil {
				b.Fatal(err)
			}
			proxy := toxiproxy.NewProxy(toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop()), "neo4j", "127.0.0.1:0", u.Host)
			if err := proxy.Start(); err != nil {
				b.Fatal(err)
			}
			b.Cleanup(proxy.Stop)
			toxic := fmt.Sprintf(`{"name":"delay","type":"latency","stream":"downstream","attributes":{"latency":%d}}`, delay.Milliseconds())
			if _, err := proxy.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
				b.Fatal(err)
			}
			db.URI = "bolt://" + proxy.Listen
			store := openStore(b, db, graph.Options{})
			scope := graph.Scope{TeamID: testenv.Team(b), UserID: "u1"}
			fullUser(b, store, scope, 100)
			combined, parallel := coldContexts(b, store, scope)
			const warmUp = 300 // plans, JIT
			var inOne, inParallel []time.Duration
			for range warmUp + max(b.N, 300) {
				inOne, inParallel = append(inOne, measureCall(b, combined)), append(inParallel, measureCall(b, parallel))
			}
			b.ReportMetric(milliseconds(median(inOne[warmUp:])), "combined-p50-ms")
			b.ReportMetric(milliseconds(median(inParallel[warmUp:])), "parallel-p50-ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkExplainedContext compares a cold context as text within a budget with the same as JSON, and with its receipt.
func BenchmarkExplainedContext(b *testing.B) {
	store := openStore(b, testenv.Neo4j(b), graph.Options{})
	scope := graph.Scope{TeamID: testenv.Team(b), UserID: "u1"}
	fullUser(b, store, scope, 100)
	l := uncached(store, loader.Combined)
	cold := func(r loader.Request) func() error {
		r.Scope = scope
		return func() error {
			_, err := l.Context(b.Context(), r, nil)
			return err
		}
	}
	asJSON := cold(loader.Request{Format: loader.JSON})
	asText := cold(loader.Request{Format: loader.Text, MaxTokens: 1300})
	withReceipt := cold(loader.Request{Format: loader.Text, MaxTokens: 1300, Explain: true})
	var object, plain, explained []time.Duration
	for i := range max(b.N, 300) + 300 {
		o, p, e := measureCall(b, asJSON), measureCall(b, asText), measureCall(b, withReceipt)
		if i >= 300 { // plans, JIT
			object, plain, explained = append(object, o), append(plain, p), append(explained, e)
		}
	}
	b.ReportMetric(milliseconds(median(plain)), "cold-p50-ms")
	b.ReportMetric(float64(median(plain))/float64(median(object)), "text/JSON")
	b.ReportMetric(milliseconds(median(explained)), "explained-p50-ms")
	b.ReportMetric(float64(median(explained))/float64(median(plain)), "explained/cold")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkFirstContext reports how long the first context after a start of Neo4j takes, and one when Neo4j has just dropped its plans,
// alone and with 31 others.
func BenchmarkFirstContext(b *testing.B) {
	f := newTeams(b, testenv.StartNeo4j(b).Database())
	cold := func() error {
		_, err := f.contexts.Context(b.Context(), loader.Request{Scope: f.model}, nil)
		return err
	}
	b.ReportMetric(milliseconds(measureCall(b, cold)), "first-ms")
	var again, planned, together []time.Duration
	for range 7 {
		f.run(b, "CALL db.clearQueryCaches()", nil)
		again = append(again, measureCall(b, cold))
		planned = append(planned, measureCall(b, cold))
		f.run(b, "CALL db.clearQueryCaches()", nil)
		together = append(together, measureCall(b, func() error {
			var all errgroup.Group
			for range 32 {
				all.Go(cold)
			}
			return all.Wait()
		}))
	}
	b.ReportMetric(milliseconds(median(again)), "without-plan-p50-ms")
	b.ReportMetric(milliseconds(median(planned)), "with-plan-p50-ms")
	b.ReportMetric(milliseconds(median(together)), "32-without-plan-p50-ms")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkColdCallers reports how many cold contexts a second one and eight callers get, as JSON and as text of 1,300 tokens, and how much
// processor time of the whole machine each takes.
func BenchmarkColdCallers(b *testing.B) {
	store := openStore(b, testenv.Neo4j(b), graph.Options{})
	scope := graph.Scope{TeamID: testenv.Team(b), UserID: "u1"}
	fullUser(b, store, scope, 100)
	l := uncached(store, loader.Combined)
	rate := func(r loader.Request, callers int, lasting time.Duration) (perSecond, processorMS float64) {
		var group sync.WaitGroup
		var served atomic.Int64
		begun, busy := time.Now(), busyTime(b)
		for range callers {
			group.Go(func() {
				for time.Since(begun) < lasting {
					if _, err := l.Context(b.Context(), r, nil); err != nil {
						b.Error(err)
						return
					}
					served.Add(1)
				}
			})
		}
		group.Wait()
		n := float64(served.Load())
		return n / time.Since(begun).Seconds(), milliseconds(busyTime(b)-busy) / n
	}
	for name, r := range map[string]loader.Request{"JSON": {Scope: scope}, "text": {Scope: scope, Format: loader.Text, MaxTokens: 1300}} {
		rate(r, callers, 15*time.Second) // plans, JIT
		for _, n := range []int{1, callers} {
			perSecond, processorMS := rate(r, n, 10*time.Second)
			b.ReportMetric(perSecond, fmt.Sprintf("contexts/s/%s/%d", name, n))
			b.ReportMetric(processorMS, fmt.Sprintf("processor-ms/%s/%d", name, n))
		}
	}
	b.ReportMetric(0, "ns/op")
}

// busyTime returns how long the processors of the machine have worked since its start.
func busyTime(b *testing.B) time.Duration {
	b.Helper()
	const jiffy = 10 * time.Millisecond
	all, err := os.ReadFile("/proc/stat")
	if err != nil {
		b.Fatal(err)
	}
	line, _, _ := strings.Cut(string(all), "\n")
	busy := time.Duration(0)
	for i, field := range strings.Fields(line)[1:] { // user, nice, system, idle, waiting for disks, interrupts …
		n, err := strconv.Atoi(field)
		if err != nil {
			b.Fatal(err)
		}
		if i != 3 && i != 4 && i < 7 {
			busy += time.Duration(n) * jiffy
		}
	}
	return busy
}

// BenchmarkTopRelationships compares the strongest relationships of owners with a hundred and with a hundred
// thousand.
func BenchmarkTopRelationships(b *testing.B) {
	db := testenv.Neo4j(b)
	store := openStore(b, db, graph.Options{})
	small := graph.Scope{TeamID: testenv.Team(b), UserID: "u1"}
	large := graph.Scope{TeamID: testenv.Team(b), UserID: "u1"}
	fullUser(b, store, small, 100)
	fullUser(b, store, large, 100_000)
	reader := loader.NewStore(store)
	read := func(scope graph.Scope) func() error {
		return func() error {
			found := &loader.Sections{}
			err := reader.ReadSection(b.Context(), scope, loader.RelationshipsSection, loader.SectionQuery{Now: time.Now()}, found)
			if err == nil && len(found.Relationships) != 10 {
				err = fmt.Errorf("%d relationships", len(found.Relationships))
			}
			return err
		}
	}
	var few, many []time.Duration
	for i := range max(b.N, 300) + 200 {
		f, m := measureCall(b, read(small)), measureCall(b, read(large))
		if i >= 200 {
			few, many = append(few, f), append(many, m)
		}
	}
	walk, all := countHits(b, db, large)
	b.ReportMetric(milliseconds(median(many)), "degree-100000-p50-ms")
	b.ReportMetric(float64(median(many))/float64(median(few)), "degree-100000/100")
	b.ReportMetric(walk, "db-hits-top-10")
	b.ReportMetric(all, "db-hits-with-nodes")
	b.ReportMetric(0, "ns/op")
}
