package command

import (
	"context"
	"time"
	"unicode/utf8"

	"kith/cmd/kith/internal/metrics"
	"kith/graph"
	"kith/loader"
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
	return meteredPreferences{o.store, g}
}

// meteredPreferences is a store of preferences outside the graph that enforces the quota of the team in the graph.
type meteredPreferences struct {
	*postgres.Store
	graph *graph.Store
}

// ReplacePreferences replaces a user's preferences if the quota of the team allows it.
func (c meteredPreferences) ReplacePreferences(ctx context.Context, scope graph.Scope, preferences []preference.Preference) error {
	store, err := c.meteredFor(scope, preferences)
	if err != nil {
		return err
	}
	return store.ReplacePreferences(ctx, scope, preferences)
}

// SetPreferences sets some of a user's preferences if the quota of the team allows it.
func (c meteredPreferences) SetPreferences(ctx context.Context, scope graph.Scope, preferences []preference.Preference) error {
	store, err := c.meteredFor(scope, preferences)
	if err != nil {
		return err
	}
	return store.SetPreferences(ctx, scope, preferences)
}

// meteredFor returns the store for one write of some preferences.
func (c meteredPreferences) meteredFor(scope graph.Scope, preferences []preference.Preference) (*postgres.Store, error) {
	keys, values, err := preference.Encode(scope, preferences)
	if err != nil {
		return nil, err
	}
	var text int64
	for i := range keys {
		text += preferenceLength(scope, keys[i], values[i])
	}
	has := func(ctx context.Context) (int64, error) { return c.OthersText(ctx, scope, keys, values) }
	return c.metered(scope.TeamID, text, has), nil
}

// SetPreference sets a preference if the quota of the team allows it.
func (c meteredPreferences) SetPreference(ctx context.Context, scope graph.Scope, p preference.Preference) error {
	value, err := preference.EncodeOne(scope, p)
	if err != nil {
		return err
	}
	has := func(ctx context.Context) (int64, error) {
		return c.OthersText(ctx, scope, []string{p.Key}, []string{value})
	}
	return c.metered(scope.TeamID, preferenceLength(scope, p.Key, value), has).SetPreference(ctx, scope, p)
}

// metered returns the store for one write of a text.
func (c meteredPreferences) metered(team string, text int64, others func(context.Context) (int64, error)) *postgres.Store {
	return c.Within(func(ctx context.Context, write func(context.Context) error) error {
		return c.graph.StoreElsewhere(ctx, team, text, others, write)
	})
}

// preferenceLength returns how many characters of a team's quota a preference uses.
func preferenceLength(scope graph.Scope, key, value string) int64 {
	return int64(utf8.RuneCountInString(scope.UserID) + utf8.RuneCountInString(key) + utf8.RuneCountInString(value))
}

// orNil returns the store outside the graph, or a nil interface.
func (o preferenceStore) orNil() preference.Storage {
	if o.store == nil {
		return nil
	}
	return o.store
}

// sections returns the sections of a context that do not come from the graph.
func (o preferenceStore) sections() []loader.Section {
	if o.store == nil {
		return nil
	}
	return []loader.Section{loader.PreferencesSection}
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
		return g.RecordElsewhere(ctx, team, func(t *graph.Tx) { preference.Record(t, changes) })
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
