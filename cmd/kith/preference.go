package main

import (
	"context"

	"kith/graph"
	"kith/preference"
)

// ownPreferences is the store of preferences outside the graph. Its zero value is none: they are in the graph.
type ownPreferences struct{ store *preference.Store }

func (c *config) openPreferences(ctx context.Context, m *metrics) (ownPreferences, error) {
	if c.PostgresURI == "" {
		return ownPreferences{}, nil
	}
	store, err := preference.Open(ctx, c.PostgresURI, preference.Options{Observe: m.statement})
	return ownPreferences{store}, err
}

// orIn is the store of their own, else the graph.
func (o ownPreferences) orIn(g *graph.Store) graph.PreferenceStore {
	if o.store == nil {
		return g
	}
	return o.store
}

// orNil is the store of their own, or an interface that is nil.
func (o ownPreferences) orNil() graph.PreferenceStore {
	if o.store == nil {
		return nil
	}
	return o.store
}

// sections are those of a context that do not come from the graph.
func (o ownPreferences) sections() []graph.Section {
	if o.store == nil {
		return nil
	}
	return []graph.Section{graph.PreferencesSection}
}

func (o ownPreferences) migrate(ctx context.Context) error {
	if o.store == nil {
		return nil
	}
	return o.store.Migrate(ctx)
}

// guard keeps writes for users away who were erased meanwhile.
func (o ownPreferences) guard(g *graph.Store) {
	if o.store != nil {
		o.store.Guard(g.Admit)
	}
}

func (o ownPreferences) close() {
	if o.store != nil {
		o.store.Close()
	}
}
