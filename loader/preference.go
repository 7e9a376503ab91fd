package loader

import (
	"context"
	"slices"
	"time"

	"kith/graph"
)

// preferencesBudget is what a context waits for preferences that are not in the graph: one without them now is better
// than one with them much later.
const preferencesBudget = 2 * time.Second

// besides is what was read beside the graph; not there: nothing was to be read.
type besides struct {
	found []graph.Preference
	there bool
	err   error
}

// readBeside begins to read the preferences, if they are wanted and have a store of their own. It returns the sections
// that are left for the graph, and where to take the one outcome from.
func (l *Loader) readBeside(ctx context.Context, scope graph.Scope, sections []graph.Section) ([]graph.Section, <-chan besides) {
	outcome := make(chan besides, 1)
	at := slices.Index(sections, graph.PreferencesSection)
	if l.options.Preferences == nil || at < 0 {
		outcome <- besides{}
		return sections, outcome
	}
	go func() {
		found, err := l.readPreferences(ctx, scope)
		outcome <- besides{found, true, err}
	}()
	return slices.Delete(slices.Clone(sections), at, at+1), outcome
}

// readPreferences tries twice, as other sections are.
func (l *Loader) readPreferences(ctx context.Context, scope graph.Scope) ([]graph.Preference, error) {
	ctx, cancel := context.WithTimeout(ctx, preferencesBudget)
	defer cancel()
	found, err := l.options.Preferences.Preferences(ctx, scope)
	if err != nil && ctx.Err() == nil {
		l.options.Log.Warn("context: reading the preferences failed, trying again", "error", err)
		found, err = l.options.Preferences.Preferences(ctx, scope)
	}
	return found, err
}
