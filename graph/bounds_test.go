package graph_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"kith/graph"
	"kith/tests/testenv"
)

// TestLittleMemory_slow has the tests with a database that gives little memory to a transaction.
func TestLittleMemory_slow(t *testing.T) {
	t.Parallel()
	server := testenv.StartNeo4j(t, "db.memory.transaction.max=8m")
	e := open(t, server.Database(), graph.Options{})
	if err := e.Store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Run("a large write", func(t *testing.T) {
		e.T = t
		largeWrite(t, e)
	})
	t.Run("maintenance of a hub", func(t *testing.T) {
		e.T = t
		hubIsMaintained(t, e)
	})
}

// A write that needs more memory than a transaction gets is refused for good, and the next one is stored.
func largeWrite(t *testing.T, e *env) {
	concepts := func(n int) *graph.MemoryWrite {
		w := &graph.MemoryWrite{}
		for i := range n {
			w.Nodes = append(w.Nodes, node("concept", fmt.Sprint("c-", i), 0.5))
		}
		return w
	}
	_, err := e.Store.Write(t.Context(), e.As("u1"), concepts(3000))
	if !errors.Is(err, graph.ErrTooLarge) || errors.Is(err, graph.ErrInDoubt) || errors.Is(err, graph.ErrUnavailable) {
		t.Errorf("a large write: %v", err)
	}
	e.Same("stored of it", [][]any{{int64(0)}}, e.Raw(`MATCH (n:Memory {team_id: $team}) RETURN count(n)`))
	if _, err := e.Store.Write(t.Context(), e.As("u1"), concepts(30)); err != nil {
		t.Errorf("a small write: %v", err)
	}
}

// hub stores a node with n relationships from and n to it.
func (e *env) hub(n int) {
	e.Helper()
	e.Write("", []graph.NodeWrite{node("entity", "hub", 0.5), node("entity", "leaf", 0.5)}, link("hub", "relates_to", "leaf", 0.5))
	e.Raw(fmt.Sprintf(`MATCH (a:Memory {team_id: $team, entity_key: 'hub'})-[r]->(b:Memory {team_id: $team, entity_key: 'leaf'})
		WITH a, b, type(r) AS type, properties(r) AS p
		UNWIND range(1, %d) AS i
		CALL (a, b, type, p, i) {
			CREATE (a)-[x:$(type)]->(b)
			SET x = p, x.key = 'out-' + i, x.owner_key = null
			CREATE (b)-[y:$(type)]->(a)
			SET y = p, y.key = 'in-' + i, y.owner_key = null
		} IN TRANSACTIONS OF 50 ROWS`, n))
	e.Cleanup(func() { // they are more than a check of the team allows
		e.Raw(`MATCH (:Memory {team_id: $team, entity_key: 'hub'})-[r]-() WHERE r.key STARTS WITH 'out-' OR r.key STARTS WITH 'in-' CALL (r) { DELETE r } IN TRANSACTIONS OF 1000 ROWS`)
	})
}

// A node with more relationships than a transaction can change is maintained and purged, and what comes after it too.
func hubIsMaintained(t *testing.T, e *env) {
	e.Now = longAgo
	const links = 6_000
	e.Team = "~a"
	e.hub(links)
	next := e.of(t, "~b")
	next.Write("u1", []graph.NodeWrite{node("concept", "fading", 0.5)})
	e.Now = longAgo.Add(10 * graph.Day)
	counted := map[string]int64{}
	m := graph.NewMaintenance(e.Store, graph.MaintenanceOptions{Observe: func(step string, n int64) { counted[step] += n }})
	*m.StoriesField() = func(context.Context, int) (graph.StoryResult, error) { return graph.StoryResult{}, nil }
	pass := func() {
		t.Helper()
		e.Now = e.Now.Add(2 * graph.Day)
		counted = map[string]int64{}
		if done, err := m.Pass(t.Context()); !done || err != nil {
			t.Fatal(done, err)
		}
		e.Same("left", []int64{1, 0, 0}, []int64{counted["passes_ended"], counted["failed"], counted["skipped"]})
		now := e.Now.UnixMilli()
		e.Same("relationships", [][]any{{now, int64(2*links + 1)}}, e.Raw(`MATCH (:Memory {team_id: $team})-[r]->() RETURN r.salience_at, count(*)`))
		next.Same("the next team", [][]any{{now}}, next.Raw(`MATCH (n:Memory {team_id: $team, entity_key: 'fading'}) RETURN n.salience_at`))
	}
	pass()
	e.Same("deleted", int64(2*links+1), int64(e.delete("", "entity", "hub").Relationships))
	if _, err := e.Store.RestoreNode(t.Context(), e.As(""), graph.EntityKind, "hub"); err != nil {
		t.Fatal(err)
	}
	e.delete("", "entity", "hub")
	e.Raw(`MATCH (n:Deleted {team_id: $team, entity_key: 'hub'}) SET n.deleted_at = datetime('2019-01-01T00:00:00Z')`)
	next.Raw(`CREATE (:IdempotencyKey {team_id: $team, key: 'k', created_at: datetime('2019-01-01T00:00:00Z')})`)
	counted = map[string]int64{}
	if err := m.PurgeForTest(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.Same("purged", []int64{1, 1, 0, 0}, []int64{counted["purge_nodes"], counted["purge_answers"], counted["failed"], counted["skipped"]})
	e.Same("of the hub", [][]any{{int64(0)}}, e.Raw(`MATCH (n:Deleted {team_id: $team}) RETURN count(n)`))
}

// What fails for one team, or in one step, does not stop the others.
func TestAPassGoesOnAfterAFailure(t *testing.T) {
	p := pass(t)
	next := p.of(t, p.Team+"~")
	p.Write("u1", []graph.NodeWrite{node("concept", "broken", 0.5)})
	next.Write("u1", []graph.NodeWrite{node("concept", "fine", 0.5)})
	p.Raw(`MATCH (n:Memory {team_id: $team, entity_key: 'broken'}) SET n.salience = 'much'`)
	p.Raw(`CREATE (:IdempotencyKey {team_id: $team, key: 'k', created_at: datetime('2019-01-01T00:00:00Z')})`)
	p.Now = longAgo.Add(10 * graph.Day)
	m := p.process(graph.MaintenanceOptions{})
	p.Same("a pass", true, p.passed(m))
	p.Same("the next team", [][]any{{p.Now.UnixMilli()}}, next.Raw(`MATCH (n:Memory {team_id: $team, entity_key: 'fine'}) RETURN n.salience_at`))
	p.Same("failed, ended", []int64{1, 0}, []int64{p.counted["failed"], p.counted["passes_ended"]})
	p.Same("purged", [][]any{{int64(0)}}, p.Raw(`MATCH (k:IdempotencyKey {team_id: $team}) RETURN count(k)`))
	p.Same("it is not due at once", false, p.passed(m))
	p.Raw(`MATCH (n:Memory {team_id: $team, entity_key: 'broken'}) DETACH DELETE n`)
}

// Whatever the size of the pieces, a pass does the same.
func TestPiecesOfAPass(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {1, 3}, {2, 5}, {2, 6}, {100, 100}} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			p := pass(t)
			p.hub(3)
			p.Now = longAgo.Add(10 * graph.Day)
			m := p.process(graph.MaintenanceOptions{})
			m.SizesForTest(size[0], size[1])
			p.Same("a pass", true, p.passed(m))
			p.Same("relationships", [][]any{{p.Now.UnixMilli(), int64(7)}}, p.Raw(`MATCH (:Memory {team_id: $team})-[r]->() RETURN r.salience_at, count(*)`))
			p.Same("nodes", [][]any{{p.Now.UnixMilli(), int64(2)}}, p.Raw(`MATCH (n:Memory {team_id: $team}) RETURN n.salience_at, count(*)`))
			p.Same("ended", int64(1), p.counted["passes_ended"])
		})
	}
}

// TestDocumentedBounds_slow writes, with the settings that Kith's own Neo4j has by default, as much as the contract admits.
func TestDocumentedBounds_slow(t *testing.T) {
	t.Parallel()
	server := testenv.StartNeo4j(t)
	e := open(t, server.Database(), graph.Options{})
	if err := e.Store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	words := strings.Repeat("The quick brown fox jumps over the lazy dog near the river. ", 200)
	text := func(i, size int) string { return fmt.Sprint(i, " ", words[i%60:i%60+size]) }
	nodes := func(prefix string, n int) (all []graph.NodeWrite) {
		for i := range n {
			all = append(all, graph.NodeWrite{Kind: "concept", EntityKey: fmt.Sprintf("%s-%d", prefix, i), Name: graph.Some(fmt.Sprint(prefix, i))})
		}
		return all
	}
	source := func(key string, n, size int) *graph.SourceWrite {
		w := &graph.SourceWrite{EntityKey: key}
		for i := range n {
			w.Messages = append(w.Messages, graph.MessageWrite{Role: "user", Text: text(i, size)})
		}
		return w
	}
	memory := func(w *graph.MemoryWrite) error { _, err := e.Store.Write(e.Context(), e.As("u1"), w); return err }
	said := func(w *graph.SourceWrite) error {
		_, err := e.Store.WriteSource(e.Context(), e.As("u1"), w)
		return err
	}
	links := func(to string) (all []graph.RelationshipWrite) {
		for i := range 10_000 {
			all = append(all, graph.RelationshipWrite{From: fmt.Sprintf("short-%d", i), Type: "relates_to", To: to, Description: graph.Some(text(i, 1000))})
		}
		return all
	}
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"10,000 nodes of a word", func() error { return memory(&graph.MemoryWrite{Nodes: nodes("short", 10_000)}) }},
		{"two nodes", func() error { return memory(&graph.MemoryWrite{Nodes: nodes("hub", 2)}) }},
		{"10,000 relationships of 1 KB", func() error { return memory(&graph.MemoryWrite{Relationships: links("hub-0")}) }},
		{"10,000 messages of 80 characters", func() error { return said(source("short", 10_000, 80)) }},
		{"a merge of 10,000 relationships", func() error {
			_, err := e.Store.MergeNodes(e.Context(), e.As("u1"), graph.ConceptKind, "hub-1", graph.MergeWrite{Other: "hub-0"})
			return err
		}},
		{"a delete of a source of 10,000 messages", func() error {
			_, err := e.Store.DeleteNode(e.Context(), e.As("u1"), graph.SourceKind, "short", 0)
			return err
		}},
		{"3,500 messages of 8 KB", func() error { return said(source("longest", 3_500, 8000)) }},
		{"one node", func() error { return memory(&graph.MemoryWrite{Nodes: nodes("last", 1)}) }},
	} {
		began := time.Now()
		err := step.do()
		t.Logf("%s: %s, %v", step.name, time.Since(began).Round(time.Millisecond), err)
		if err != nil {
			t.Errorf("%s: %v", step.name, err)
		}
	}
}
