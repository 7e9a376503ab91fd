package neo

import (
	"context"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"kith/internal/indoubt"
)

var listWriters = Load[[]string]("erasure_writers")

// Writers returns the ids of the open write transactions of all processes. In a cluster they are on the leader.
func (d *DB) Writers(ctx context.Context) ([]string, error) {
	return listWriters.ReadOne(ctx, d.Leader(), nil)
}

// inDoubt waits for the end of transactions whose commit was not answered.
type inDoubt struct {
	*indoubt.Settler

	seen neo4j.Bookmarks // of the last look
}

func newInDoubt(d *DB) *inDoubt {
	i := &inDoubt{}
	look := leader{d, func(seen neo4j.Bookmarks) { i.seen = seen }}
	i.Settler = indoubt.New(func(ctx context.Context) ([]string, error) { return listWriters.ReadOne(ctx, look, nil) })
	return i
}

// Settle calls settled in the background when the transaction is over after ErrInDoubt: no attempt of it can be committed any more, and
// later reads of its team see it if it was.
func (t *Tx) Settle(settled func()) {
	d := t.db.inDoubt
	d.Await(t.id, func() {
		t.db.marks.wrote(t.team, nil, nil, d.seen)
		settled()
	})
}
