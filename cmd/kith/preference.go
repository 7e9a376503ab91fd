package main

import (
	"context"

	"kith/graph"
	"kith/preference"
)

// preferences is what handlers and loader need of either store.
type preferences interface {
	Preferences(ctx context.Context, scope graph.Scope) ([]graph.Preference, error)
	ReplacePreferences(ctx context.Context, scope graph.Scope, preferences []graph.Preference) error
	TeamPreferences(ctx context.Context, teamID, afterUser, afterKey string, limit int) ([]graph.UserPreference, error)
	ErasePreferences(ctx context.Context, scope graph.Scope) (int64, error)
	EraseTeamPreferences(ctx context.Context, teamID string) (int64, error)
}

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
func (o ownPreferences) orIn(g *graph.Store) preferences {
	if o.store == nil {
		return g
	}
	return o.store
}

// orNil is the store of their own, or an interface that is nil.
func (o ownPreferences) orNil() preferences {
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

func (o ownPreferences) close() {
	if o.store != nil {
		o.store.Close()
	}
}
