package recall

import (
	"fmt"
	"sync"
	"testing"

	"kith/graph"
	"kith/internal/testenv"
	"kith/neo"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// Flushes at the same time return when what was queued is stored, and do not wait for each other's reads.
func TestFlushesAtOnce(t *testing.T) {
	db := testenv.Neo4j(t)
	store, err := graph.Open(neo.Connection{URI: db.URI, User: db.User, Password: db.Password, Database: db.Database}, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close(t.Context()) })
	stored := 0
	q := New(store, Options{Observe: func(e Event, reads int) {
		if e == Stored {
			stored += reads
		}
	}})
	const reads = 1000
	scope := graph.Scope{TeamID: testenv.Team(t), UserID: "u"}
	for i := range reads {
		q.Recalled(scope, graph.Recall{Nodes: []string{fmt.Sprint(i)}})
	}
	var flushing sync.WaitGroup
	for range 4 {
		flushing.Go(func() { q.Flush(t.Context()) })
	}
	flushing.Wait()
	if stored != reads {
		t.Errorf("%d stored of %d", stored, reads)
	}
}
