package bench

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"kith/graph"
	"kith/loader"
	"kith/loader/ontology"
	"kith/memory/workspace"
	"kith/tests/testenv"
	"kith/text/tokens"
)

// writeWorkspace writes a project with the given number of entities and three times as many links: a fifth of its
// entities belongs to the project itself, tasks to plans and goals, the rest at random.
func writeWorkspace(b testing.TB, store *graph.Store, scope graph.Scope, project string, entities int) {
	b.Helper()
	random := rand.New(rand.NewPCG(1, uint64(entities))) //nolint:gosec // reproducible
	write := func(w graph.MemoryWrite) { writeMemory(b, store, scope, &w) }
	write(graph.MemoryWrite{Nodes: []graph.NodeWrite{{Kind: "project", EntityKey: project, Name: graph.Some(project)}}})
	const batch = 2_000
	key := func(i int) string { return fmt.Sprintf("%s-%d", project, i) }
	kinds := append([]string{"task", "task", "task", "task", "task"}, graph.WorkspaceKinds...)
	states := []string{"todo", "in_progress", "blocked", "done"}
	for start := 0; start < entities; start += batch {
		var w graph.MemoryWrite
		for i := start; i < min(start+batch, entities); i++ {
			n := graph.NodeWrite{
				Kind: kinds[i%len(kinds)], EntityKey: key(i), Name: graph.Some(fmt.Sprintf("Entity %d of %s", i, project)),
				Description: graph.Some(description), OwnFields: &graph.OwnFields{ProjectID: graph.Some(project)},
			}
			if n.Kind == "task" {
				due := time.Now().Add(time.Duration(random.IntN(60*24)) * time.Hour)
				n.StateKey, n.Priority, n.DueAt = graph.Some(states[random.IntN(4)]), graph.Some(int64(1+random.IntN(5))), graph.Some(due)
			}
			w.Nodes = append(w.Nodes, n)
		}
		write(w)
	}
	seen := map[[2]string]bool{}
	var links []graph.RelationshipWrite
	link := func(from, kind, to string) {
		if from != to && !seen[[2]string{from, to}] && !seen[[2]string{to, from}] {
			seen[[2]string{from, to}] = true
			links = append(links, graph.RelationshipWrite{From: from, Type: kind, To: to})
		}
	}
	for len(links) < 3*entities && len(seen) < 10*entities {
		from, to := random.IntN(entities), random.IntN(entities)
		switch i := len(links); {
		case i < entities/5:
			link(project, "contains", key(i*5))
		default:
			link(key(from), []string{"supports_goal", "depends_on", "relates_to", "references"}[i%4], key(to))
		}
	}
	for start := 0; start < len(links); start += batch {
		write(graph.MemoryWrite{Relationships: links[start:min(start+batch, len(links))]})
	}
}

// BenchmarkWorkspace compares the contexts of a large and a small project.
func BenchmarkWorkspace(b *testing.B) {
	store := openStore(b, testenv.Neo4j(b), graph.Options{})
	scope := graph.Scope{TeamID: testenv.Team(b), UserID: "u1"}
	small, large := 100, sizeFromEnv("KITH_BENCH_WORKSPACE", 10_000)
	writeWorkspace(b, store, scope, "small", small)
	writeWorkspace(b, store, scope, "large", large)
	read := func(project string) func() error {
		return func() error {
			_, err := workspace.NewStore(store).WorkspaceOf(b.Context(), scope, project)
			return err
		}
	}
	var of [2][]time.Duration
	for i := range max(b.N, 100) + 50 {
		s, l := measureCall(b, read("small")), measureCall(b, read("large"))
		if i >= 50 {
			of[0], of[1] = append(of[0], s), append(of[1], l)
		}
	}
	b.ReportMetric(milliseconds(median(of[0])), "project-100-p50-ms")
	b.ReportMetric(milliseconds(median(of[1])), "project-10000-p50-ms")
	b.ReportMetric(float64(median(of[1]))/float64(median(of[0])), "10000/100")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkLinked compares the context of a task with its linked entities to the context without them. It counts
// their statements, which are round trips, and the tokens of the text.
func BenchmarkLinked(b *testing.B) {
	var statements atomic.Int64
	store := openStore(b, testenv.Neo4j(b), graph.Options{Observe: func(string, time.Duration, error) { statements.Add(1) }})
	scope := graph.Scope{TeamID: testenv.Team(b), UserID: "u1"}
	writeWorkspace(b, store, scope, "p", 1000)
	w := graph.MemoryWrite{}
	for i, kind := range workspace.LinkedKinds { // three of each kind
		for n := range 3 {
			key := fmt.Sprintf("linked-%d-%d", i, n)
			w.Nodes = append(w.Nodes, graph.NodeWrite{Kind: kind, EntityKey: key, Name: graph.Some("Repair the northern part of the quay"), OwnFields: &graph.OwnFields{ProjectID: graph.Some("p")}})
			w.Relationships = append(w.Relationships, graph.RelationshipWrite{From: "p-0", Type: "relates_to", To: key})
		}
	}
	writeMemory(b, store, scope, &w)
	l := ontology.New(uncached(store, loader.Combined), workspace.NewStore(store), ontology.Options{})
	ask := func(r ontology.Request) (body []byte) {
		r.Scope, r.ContextType, r.FocusKind, r.FocusID = scope, "ontology", "task", "p-0"
		answer, err := l.Ontology(b.Context(), r)
		if err != nil {
			b.Fatal(err)
		}
		return answer.Body()
	}
	count := func(r ontology.Request) float64 {
		before := statements.Load()
		ask(r)
		return float64(statements.Load() - before)
	}
	bare, linked := ontology.Request{WithoutLinked: true}, ontology.Request{}
	var of [2][]time.Duration
	for i := range max(b.N, 200) + 50 {
		without, with := measureCall(b, func() error { ask(bare); return nil }), measureCall(b, func() error { ask(linked); return nil })
		if i >= 50 {
			of[0], of[1] = append(of[0], without), append(of[1], with)
		}
	}
	text := func(r ontology.Request) int {
		r.Format = loader.Text
		n, err := tokens.Count(string(ask(r)))
		if err != nil {
			b.Fatal(err)
		}
		return n
	}
	b.ReportMetric(float64(median(of[1]))/float64(median(of[0])), "linked/bare")
	b.ReportMetric(count(linked)-count(bare), "statements-more")
	b.ReportMetric(float64(text(linked)-text(bare)), "tokens-more")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkCachedOntology compares a cached project with a cached agent context, in turns.
func BenchmarkCachedOntology(b *testing.B) {
	s := newServer(b)
	writeWorkspace(b, s.store, s.scope, "p", 100)
	const path = "/v1/ontology?user_id=u1&format=text&max_tokens=1000&context_type=project&project_id=p"
	s.measureRate(b, contextPath, 4000)
	s.measureRate(b, path, 4000)
	var ratios []float64
	for range 15 {
		ratios = append(ratios, s.measureRate(b, path, 4000)/s.measureRate(b, contextPath, 4000))
	}
	b.ReportMetric(median(ratios), "ontology/context")
	b.ReportMetric(0, "ns/op")
}
