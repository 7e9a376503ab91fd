package neo

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"golang.org/x/sync/singleflight"

	"kith/cypher"
)

// planTimeout is how long the database may take to plan a statement after its start. Callers do not wait for longer than they want to.
const planTimeout = 2 * time.Minute

// planAgain is how long one run of a statement holds up those who come later. It may hang, for example at a lock or a broken connection.
const planAgain = 10 * time.Second

// planning runs each statement whose plan is kept (cypher.Query.KeepPlan) once by itself before callers run it. The database has
// no plans after a start. Planning takes it some seconds, it does so for every caller at the same time, and it gives up when
// the caller does: 32 callers of a context kept both processors busy for 23 seconds instead of 3. It is safe for concurrent use.
type planning struct {
	ctx     context.Context //nolint:containedctx // ends with the DB
	stop    context.CancelFunc
	running sync.WaitGroup
	planned sync.Map // names of statements
	first   singleflight.Group
}

func newPlanning() *planning {
	p := &planning{}
	p.ctx, p.stop = context.WithCancel(context.Background())
	return p
}

// close ends what runs.
func (p *planning) close() {
	p.stop()
	p.running.Wait()
}

// has reports whether callers may run a statement at once.
func (p *planning) has(q cypher.Query) bool {
	if !q.KeepPlan {
		return true
	}
	_, ok := p.planned.Load(q.Name)
	return ok
}

// await returns when the database has planned a statement or failed to. run runs it; it does not end with the caller. If the database
// is unavailable, that is the error of all who wait: their own attempts would have it plan the statement for each of them.
func (p *planning) await(ctx context.Context, q cypher.Query, run func(context.Context) error) error {
	if p.has(q) {
		return nil
	}
	done := p.first.DoChan(q.Name, func() (any, error) { //nolint:contextcheck // it outlives the caller
		p.running.Add(1)
		defer p.running.Done()
		defer time.AfterFunc(planAgain, func() { p.first.Forget(q.Name) }).Stop() // the next caller starts another run
		ctx, cancel := context.WithTimeout(Unobserved(p.ctx), planTimeout)
		defer cancel()
		err := run(ctx)
		if err == nil {
			p.planned.Store(q.Name, true)
		}
		return nil, err
	})
	select {
	case planned := <-done:
		if errors.Is(planned.Err, ErrUnavailable) {
			return planned.Err
		}
		return nil // the caller's own attempt shows another error
	case <-ctx.Done():
		return ctx.Err()
	}
}

// see notes an error of a statement: the database may have been started anew.
func (p *planning) see(err error) {
	var db *neo4j.Neo4jError
	if lostConnection(err) || errors.As(err, &db) && db.Code == "Neo.TransientError.General.DatabaseUnavailable" {
		p.planned.Clear()
	}
}
