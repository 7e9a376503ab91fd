package loader

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"kith/graph"
	"kith/memory/preference"
)

// preferencesFunc is a store of preferences.
type preferencesFunc func(ctx context.Context, attempt int64) ([]preference.Preference, error)

// counting makes a store of it that counts its calls.
func (f preferencesFunc) counting() *countedPreferences { return &countedPreferences{do: f} }

type countedPreferences struct {
	do    preferencesFunc
	calls atomic.Int64
}

func (c *countedPreferences) Preferences(ctx context.Context, asked graph.Scope) ([]preference.Preference, error) {
	if asked != scope {
		return nil, errors.New("asked for somebody else")
	}
	return c.do(ctx, c.calls.Add(1))
}

// graphWithout is a graph that knows no preferences, and notes what it was asked for.
type graphWithout struct {
	*fakeStore
	asked atomic.Pointer[[]Section]
}

func newGraphWithout() *graphWithout {
	found := full()
	found.Preferences = nil
	return &graphWithout{fakeStore: &fakeStore{found: found}}
}

func (g *graphWithout) ReadSections(ctx context.Context, scope graph.Scope, sections []Section, q SectionQuery) (*Sections, error) {
	g.asked.Store(&sections)
	return g.fakeStore.ReadSections(ctx, scope, sections, q)
}

// Wherever the preferences are, and however the rest is loaded, the context is the same to the byte.
func TestPreferencesElsewhereMakeTheSameContext(t *testing.T) {
	t.Parallel()
	for _, request := range []Request{
		{Scope: scope}, {Scope: scope, Format: Text}, {Scope: scope, Format: Text, MaxTokens: 300}, {Scope: scope, Sections: []string{"temporal"}},
		{Scope: scope, Sections: []string{"relationships"}},
	} {
		var bodies []string
		for _, mode := range []Mode{Combined, Parallel} {
			inGraph, _ := newLoader(&fakeStore{found: full()}, Options{Mode: mode})
			elsewhere, kept := newLoader(newGraphWithout(), Options{Mode: mode, Preferences: preferencesFunc(
				func(context.Context, int64) ([]preference.Preference, error) { return full().Preferences, nil }).counting()})
			for _, l := range []*Loader{inGraph, elsewhere} {
				answer, err := l.Context(t.Context(), request, nil)
				if err != nil {
					t.Fatal(err)
				}
				bodies = append(bodies, string(answer.Body()))
			}
			if !kept.kept {
				t.Error("a whole context is not kept")
			}
		}
		for i, body := range bodies {
			if diff := cmp.Diff(bodies[0], body); diff != "" {
				t.Errorf("way %d of %+v: %s", i, request, diff)
			}
		}
	}
}

// The graph is still asked once, without the preferences; a store of preferences only when they are wanted.
func TestPreferencesElsewhereAreNotAskedOfTheGraph(t *testing.T) {
	t.Parallel()
	for wanted, parts := range map[int64][]string{1: nil, 0: {"relationships"}} {
		g := newGraphWithout()
		p := preferencesFunc(func(context.Context, int64) ([]preference.Preference, error) { return nil, nil }).counting()
		l, _ := newLoader(g, Options{Preferences: p})
		if _, err := l.Context(t.Context(), Request{Scope: scope, Sections: parts}, nil); err != nil {
			t.Fatal(err)
		}
		if asked := g.asked.Load(); asked == nil || slices.Contains(*asked, PreferencesSection) || g.attempts != nil {
			t.Errorf("the graph was asked for %v, and %v", asked, g.attempts)
		}
		if got := p.calls.Load(); got != wanted {
			t.Errorf("%v: %d calls of the store of preferences, want %d", parts, got, wanted)
		}
	}
	if !slices.Contains(AllSections, PreferencesSection) {
		t.Error("the list of all sections was changed")
	}
}

// Both are read at the same time: each waits here until the other has begun.
func TestPreferencesAreReadBesideTheGraph(t *testing.T) {
	t.Parallel()
	inGraph, elsewhere := make(chan struct{}), make(chan struct{})
	g := newGraphWithout()
	l, _ := newLoader(waitingStore{g.fakeStore, func() { close(inGraph); <-elsewhere }}, Options{
		Preferences: preferencesFunc(func(context.Context, int64) ([]preference.Preference, error) {
			close(elsewhere)
			<-inGraph
			return full().Preferences, nil
		}).counting(),
	})
	if _, err := l.Context(t.Context(), Request{Scope: scope}, nil); err != nil {
		t.Error(err)
	}
}

type waitingStore struct {
	*fakeStore
	wait func()
}

func (w waitingStore) ReadSections(ctx context.Context, scope graph.Scope, sections []Section, q SectionQuery) (*Sections, error) {
	w.wait()
	return w.fakeStore.ReadSections(ctx, scope, sections, q)
}

func TestPreferencesThatFailAreTriedAgainThenMissing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fails    int64
		degraded []any
	}{"mended by the retry": {1, nil}, "broken": {2, []any{"preferences"}}} {
		for _, mode := range []Mode{Combined, Parallel} {
			var told []Section
			l, kept := newLoader(newGraphWithout(), Options{
				Mode: mode, Degraded: func(s Section) { told = append(told, s) },
				Preferences: preferencesFunc(func(_ context.Context, attempt int64) ([]preference.Preference, error) {
					return full().Preferences, when(attempt <= c.fails, graph.ErrUnavailable)
				}).counting(),
			})
			answer, err := l.Context(t.Context(), Request{Scope: scope}, nil)
			if err != nil {
				t.Fatal(name, err)
			}
			object := decode(t, answer.Body())
			got, _ := object["degraded"].([]any)
			if diff := cmp.Diff(c.degraded, got); diff != "" || kept.kept != (c.degraded == nil) || len(told) != len(c.degraded) {
				t.Errorf("%s, %s: %s, kept %v, told %v", name, mode, diff, kept.kept, told)
			}
			found, _ := object["user"].(map[string]any)["preferences"].([]any)
			if (len(found) == 0) != (c.degraded != nil) {
				t.Errorf("%s, %s: preferences %v", name, mode, found)
			}
		}
	}
}

// A store that says nothing costs a context its budget, once.
func TestPreferencesThatHang(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := preferencesFunc(func(ctx context.Context, _ int64) ([]preference.Preference, error) {
			<-ctx.Done()
			return nil, graph.ErrUnavailable
		}).counting()
		l, _ := newLoader(newGraphWithout(), Options{Preferences: p})
		begun := time.Now()
		answer, err := l.Context(t.Context(), Request{Scope: scope}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begun); took != preferencesBudget || p.calls.Load() != 1 {
			t.Errorf("it took %v and %d calls", took, p.calls.Load())
		}
		if got := decode(t, answer.Body())["degraded"]; !cmp.Equal(got, any([]any{"preferences"})) {
			t.Errorf("degraded: %v", got)
		}
	})
}

// Without an identity there is no context, and nobody waits for preferences to say so.
func TestIdentityFailingDoesNotWaitForPreferences(t *testing.T) {
	t.Parallel()
	g := newGraphWithout()
	g.combined = graph.ErrUnavailable
	g.fail = func(s Section, _ int) error { return when(s == OwnerSection, graph.ErrUnavailable) }
	l, _ := newLoader(g, Options{Preferences: preferencesFunc(func(ctx context.Context, _ int64) ([]preference.Preference, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}).counting()})
	begun := time.Now()
	if _, err := l.Context(t.Context(), Request{Scope: scope}, nil); !errors.Is(err, graph.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
	if took := time.Since(begun); took >= preferencesBudget {
		t.Errorf("it took %v", took)
	}
}
