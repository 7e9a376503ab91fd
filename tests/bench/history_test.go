package bench

import (
	"fmt"
	"testing"
	"time"

	"kith/graph"
	"kith/tests/testenv"
)

// historyTurns is how often BenchmarkHistory updates the same nodes and relationships.
const historyTurns = 40

// BenchmarkHistory measures what former versions cost: writes of 100 nodes and 100 relationships, new ones and updates, and reads of what was.
func BenchmarkHistory(b *testing.B) {
	store := openStore(b, testenv.Neo4j(b), graph.Options{})
	scope := graph.Scope{TeamID: testenv.Team(b), UserID: "u"}
	writeMemory(b, store, scope, &graph.MemoryWrite{Nodes: []graph.NodeWrite{{Kind: "person", EntityKey: "owner", Name: graph.Some("Ada"), IsOwner: graph.Some(true)}}})
	for range b.N {
		var created, updated []time.Duration
		for turn := range historyTurns {
			fresh := versionOf(fmt.Sprintf("t%d", turn), 0)
			created = append(created, measureCall(b, func() error { _, err := store.Write(b.Context(), scope, fresh); return err }))
			again := versionOf("same", turn)
			took := measureCall(b, func() error { _, err := store.Write(b.Context(), scope, again); return err })
			if turn > 0 {
				updated = append(updated, took)
			}
		}
		b.ReportMetric(milliseconds(median(created)), "ms/new")
		b.ReportMetric(milliseconds(median(updated)), "ms/update")
		b.ReportMetric(float64(median(updated))/float64(median(created)), "update÷new")
		reportReads(b, store, scope)
	}
}

// versionOf returns a write of 100 nodes and of a relationship of the owner with each, with texts that differ by turn.
func versionOf(name string, turn int) *graph.MemoryWrite {
	w := neighbours(0, 100, 100)
	for i := range w.Nodes {
		key := fmt.Sprintf("%s-%d", name, i)
		w.Nodes[i].EntityKey, w.Nodes[i].Name, w.Relationships[i].To = key, graph.Some(key), key
		w.Nodes[i].Description = graph.Some(fmt.Sprintf("Somebody whom one has met at the quay %d times.", turn))
		w.Relationships[i].Description = graph.Some(fmt.Sprintf("Met long ago, and %d times since, in good weather and in bad.", turn))
	}
	return w
}

// reportReads measures reads of a node with a version for each turn, and of the owner with all relationships.
func reportReads(b *testing.B, store *graph.Store, scope graph.Scope) {
	b.Helper()
	then := time.Now().Add(-time.Second)
	for name, read := range map[string]func() error{
		"ms/node": func() error {
			_, err := store.Node(b.Context(), scope, graph.PersonKind, "same-7", graph.NodeQuery{Relationships: 10})
			return err
		},
		"ms/as_of": func() error {
			_, err := store.Node(b.Context(), scope, graph.PersonKind, "same-7", graph.NodeQuery{AsOf: &then, Relationships: 10})
			return err
		},
		"ms/history": func() error {
			_, err := store.NodeVersions(b.Context(), scope, graph.PersonKind, "same-7", "", 20)
			return err
		},
		"ms/changes": func() error {
			_, err := store.NodeChanges(b.Context(), scope, graph.PersonKind, "same-7", graph.ChangePeriod{Limit: 50})
			return err
		},
		"ms/changes-of-owner": func() error {
			_, err := store.NodeChanges(b.Context(), scope, graph.PersonKind, "owner", graph.ChangePeriod{Limit: 50})
			return err
		},
	} {
		var took []time.Duration
		for range 50 {
			took = append(took, measureCall(b, read))
		}
		b.ReportMetric(milliseconds(median(took)), name)
	}
}
