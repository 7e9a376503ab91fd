package loader

import (
	"cmp"
	"context"
	"slices"
	"time"

	"kith/graph"
	"kith/memory/preference"
)

// preferencesBudget is the longest wait for a store of preferences.
const preferencesBudget = 2 * time.Second

// preferencesResult is the outcome of reading preferences; loaded is false if there was nothing to read.
type preferencesResult struct {
	found  []preference.Preference
	loaded bool
	err    error
}

// startPreferences starts to read the preferences if they are wanted and have their own store. It returns the other
// sections, and a channel with the result.
func (l *Loader) startPreferences(ctx context.Context, scope graph.Scope, sections []Section) ([]Section, <-chan preferencesResult) {
	outcome := make(chan preferencesResult, 1)
	at := slices.Index(sections, PreferencesSection)
	if l.options.Preferences == nil || at < 0 {
		outcome <- preferencesResult{}
		return sections, outcome
	}
	go func() {
		found, err := l.readPreferences(ctx, scope)
		outcome <- preferencesResult{found, true, err}
	}()
	return slices.Delete(slices.Clone(sections), at, at+1), outcome
}

// Preferences reads a user's preferences. Error: graph.ErrUnavailable, also if only they could not be read.
func (l *Loader) Preferences(ctx context.Context, scope graph.Scope) ([]preference.Preference, error) {
	found, degraded, err := l.load(ctx, scope, []Section{PreferencesSection}, SectionQuery{Now: l.options.Now()})
	if err != nil || len(degraded) > 0 {
		return nil, cmp.Or(err, graph.ErrUnavailable)
	}
	return found.Preferences, nil
}

// readPreferences reads the preferences, and tries again once after an error.
func (l *Loader) readPreferences(ctx context.Context, scope graph.Scope) ([]preference.Preference, error) {
	ctx, cancel := context.WithTimeout(ctx, preferencesBudget)
	defer cancel()
	found, err := l.options.Preferences.Preferences(ctx, scope)
	if err != nil && ctx.Err() == nil {
		l.options.Log.Warn("reading preferences failed, trying again", "error", err)
		found, err = l.options.Preferences.Preferences(ctx, scope)
	}
	return found, err
}
