package command

import (
	"context"
	"time"

	"kith/cmd/kith/internal/metrics"
	"kith/graph"
	"kith/memory/preference"
	"kith/memory/preference/postgres"
)

// preferenceStore is an optional store of preferences outside the graph. With the zero value they are in the graph.
type preferenceStore struct{ store *postgres.Store }

func (c *config) openPreferences(ctx context.Context, registry *metrics.Registry, listener *changeListener) (preferenceStore, error) {
	if c.PostgresURI == "" {
		return preferenceStore{}, nil
	}
	store, err := postgres.Open(ctx, c.PostgresURI, postgres.Options{
		Observe: registry.ObserveStatement, Committing: listener.committing, InDoubt: listener.inDoubt, Changed: listener.changed, KeepHistory: time.Duration(c.History),
	})
	return preferenceStore{store}, err
}

// orGraph returns the store of preferences: the one outside the graph if there is one, or the graph.
func (o preferenceStore) orGraph(g *graph.Store) preference.Storage {
	if o.store == nil {
		return preference.NewStore(g)
	}
	return o.store
}

// orNil returns the store outside the graph, or a nil interface.
func (o preferenceStore) orNil() preference.Storage {
	if o.store == nil {
		return nil
	}
	return o.store
}

func (o preferenceStore) migrate(ctx context.Context) error {
	if o.store == nil {
		return nil
	}
	return o.store.Migrate(ctx)
}

// guard makes the store refuse writes for users who were erased since the write began, and report changes to the feed.
func (o preferenceStore) guard(g *graph.Store) {
	if o.store == nil {
		return
	}
	o.store.Guard(g.Fence().Admit)
	o.store.Report(func(ctx context.Context, team string, changes []preference.Change) error {
		return g.RecordChanges(ctx, team, func(t *graph.Tx) { preference.Record(t, changes) })
	})
}

// run gives late changes to the feed until ctx is done.
func (o preferenceStore) run(ctx context.Context) error {
	if o.store == nil {
		return nil
	}
	return o.store.Run(ctx)
}

func (o preferenceStore) close() {
	if o.store != nil {
		o.store.Close()
	}
}
