package loader

import (
	"context"
	"sync"

	"kith/graph"
	"kith/internal/cache"
	"kith/internal/fault"
)

// fakeStore answers with fixed sections; fail says which reads fail, and combined whether the one statement does.
type fakeStore struct {
	found    Sections
	combined error
	fail     func(section Section, attempt int) error

	mu       sync.Mutex
	attempts map[Section]int
}

func (f *fakeStore) ReadSections(context.Context, graph.Scope, []Section, SectionQuery) (*Sections, error) {
	if f.combined != nil {
		return nil, f.combined
	}
	found := f.found
	return &found, nil
}

func (f *fakeStore) ReadSection(_ context.Context, _ graph.Scope, section Section, _ SectionQuery, found *Sections) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.attempts == nil {
		f.attempts = map[Section]int{}
	}
	f.attempts[section]++
	if f.fail != nil {
		if err := f.fail(section, f.attempts[section]); err != nil {
			return err
		}
	}
	switch section {
	case OwnerSection:
		found.Owner = f.found.Owner
	case CoreBeliefsSection:
		found.CoreBeliefs = f.found.CoreBeliefs
	case PrimaryGoalsSection:
		found.PrimaryGoals = f.found.PrimaryGoals
	case PreferencesSection:
		found.Preferences = f.found.Preferences
	case RelationshipsSection:
		found.Relationships, found.Known = f.found.Relationships, f.found.Known
	case SourcesSection:
		found.Sources, found.OlderConversations = f.found.Sources, f.found.OlderConversations
	case LastConversationSection:
		found.LastConversation = f.found.LastConversation
	case FocusSection:
		found.Focus = f.found.Focus
	}
	return nil
}

func (f *fakeStore) OfPast(context.Context, graph.Scope, SectionQuery, *Sections) error { return nil }

func (f *fakeStore) CurrentKeys(context.Context, graph.Scope, []string) (map[string]string, error) {
	return map[string]string{}, nil
}

func (f *fakeStore) Origins(_ context.Context, _ graph.Scope, keys, _ []string, _ SectionQuery) (map[string]Origin, error) {
	origins := map[string]Origin{}
	for _, key := range keys {
		origins[key] = Origin{Version: 2, Sources: []string{"s-new", "s-old"}, Recent: 1}
	}
	return origins, nil
}

func (f *fakeStore) Node(context.Context, graph.Scope, string, SectionQuery) (graph.NodeView, error) {
	return graph.NodeView{}, fault.ErrNotFound
}

// passThrough keeps nothing, and notes whether the bytes could be kept.
type passThrough struct {
	mu   sync.Mutex
	kept bool
}

func (p *passThrough) Get(ctx context.Context, _, _, _ string, load cache.Loader) ([]byte, error) {
	value, keep, err := load(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kept = keep
	return value, err
}
