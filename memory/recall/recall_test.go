package recall

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"kith/graph"
	"kith/graph/neo"
	"kith/tests/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// A flush returns when what was queued before is stored, also what another flush has taken from the queue.
func TestFlushesAtOnce(t *testing.T) {
	db := testenv.Neo4j(t)
	store, err := graph.Open(neo.Connection{URI: db.URI, User: db.User, Password: db.Password, Database: db.Database}, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close(t.Context()) })
	var stored atomic.Int64
	q := New(store, Options{Observe: func(e Event, reads int) {
		if e == Stored {
			stored.Add(int64(reads))
		}
	}})
	const reads = 1000
	scope := graph.Scope{TeamID: testenv.Team(t), UserID: "u"}
	for i := range reads {
		q.Recalled(scope, graph.Recall{Nodes: []string{fmt.Sprint(i)}})
	}
	var flushing sync.WaitGroup
	for range 4 {
		flushing.Go(func() {
			q.Flush(t.Context())
			if n := stored.Load(); n != reads {
				t.Errorf("%d stored of %d", n, reads)
			}
		})
	}
	flushing.Wait()
}
