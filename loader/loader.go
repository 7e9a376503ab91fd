// Package loader makes what an agent is given at the start of a conversation: it loads the sections of an AgentContext,
// keeps the final bytes, and renders them as JSON or as text within a token budget. It knows nothing of HTTP, and
// only package graph knows the database.
package loader

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"kith/cache"
	"kith/graph"
)

type store interface {
	ReadSections(ctx context.Context, scope graph.Scope, sections []graph.Section, q graph.SectionQuery) (*graph.Sections, error)
	ReadSection(ctx context.Context, scope graph.Scope, section graph.Section, q graph.SectionQuery, found *graph.Sections) error
	CurrentKeys(ctx context.Context, scope graph.Scope, keys []string) (map[string]string, error)
	Workspaces(ctx context.Context, scope graph.Scope) (*graph.Workspaces, error)
	WorkspaceOf(ctx context.Context, scope graph.Scope, project string) (*graph.Workspace, error)
	WorkspaceWith(ctx context.Context, scope graph.Scope, project string, kind graph.Kind, key string) (*graph.Workspace, *graph.WorkspaceFocus, error)
	Focus(ctx context.Context, scope graph.Scope, kind graph.Kind, key string) (*graph.WorkspaceFocus, error)
	LinkedWith(ctx context.Context, scope graph.Scope, q graph.LinkedQuery) (*graph.LinkedEntities, error)
	Available(ctx context.Context, scope graph.Scope, project, key string, kinds []string) (map[string][]graph.Available, error)
}

// preferences is where users' preferences are when they are not in the graph.
type preferences interface {
	Preferences(ctx context.Context, scope graph.Scope) ([]graph.Preference, error)
}

type byteCache interface {
	Get(ctx context.Context, team, user, view string, load cache.Loader) ([]byte, error)
}

// Mode says how sections are loaded: the answer is the same.
type Mode string

// Combined loads all sections in one statement; Parallel each in its own, at the same time.
const (
	Combined Mode = "combined"
	Parallel Mode = "parallel"
)

// Options are what a loader may be given.
type Options struct {
	Mode        Mode             // default Combined
	Now         func() time.Time // default time.Now
	Log         *slog.Logger     // default: discards
	Degraded    func(section graph.Section)
	Preferences preferences // where users' preferences are; nil: in the graph
	Trace       graph.Trace // of what is loaded; default: none
}

// Loader assembles agent contexts. It is safe for concurrent use.
type Loader struct {
	store   store
	cache   byteCache
	options Options
}

// New makes a loader.
func New(s store, c byteCache, o Options) *Loader {
	if o.Mode == "" {
		o.Mode = Combined
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Trace == nil {
		o.Trace = graph.NoTrace
	}
	if o.Degraded == nil {
		o.Degraded = func(graph.Section) {}
	}
	return &Loader{store: s, cache: c, options: o}
}

// rendered is an answer of bytes that are ready: from the cache, or as make makes them, which says whether they may be kept.
func (l *Loader) rendered(ctx context.Context, scope graph.Scope, view string, format Format, make cache.Loader) (Answer, error) {
	what, _, _ := strings.Cut(view, "\x1f")
	body, err := l.cache.Get(ctx, scope.TeamID, scope.UserID, view, func(ctx context.Context) (body []byte, keep bool, err error) {
		ctx, end := l.options.Trace(ctx, "load "+what)
		defer func() { end(err) }()
		return make(ctx)
	})
	if err != nil {
		return Answer{}, err
	}
	answer := Answer{Head: body, ContentType: "application/json", ETag: `W/"` + sum(body) + `"`}
	if format == Text {
		answer.ContentType = "text/markdown; charset=utf-8"
	}
	return answer, nil
}

// load reads sections, and beside them the preferences where these are not in the graph. What fails is tried again alone;
// if it still fails it is in degraded. The error is that of the identity, without which there is no context.
func (l *Loader) load(ctx context.Context, scope graph.Scope, sections []graph.Section, q graph.SectionQuery) (found *graph.Sections, degraded []graph.Section, err error) {
	ctx, end := l.options.Trace(ctx, "load context")
	defer func() { end(err) }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	sections, beside := l.readBeside(ctx, scope, sections)
	found, failed := l.fromGraph(ctx, scope, sections, q)
	if err := errors.Join(failed[graph.OwnerSection], failed[graph.FocusSection]); err != nil {
		cancel()
		<-beside
		return nil, nil, err
	}
	if p := <-beside; p.err != nil {
		failed[graph.PreferencesSection] = p.err
	} else if p.there {
		found.Preferences = p.found
	}
	for section, err := range failed {
		l.options.Log.Warn("context: a section is missing", "section", section, "error", err)
		l.options.Degraded(section)
	}
	return found, sorted(failed), nil
}

// fromGraph reads sections, if any, in one statement or side by side. failed has the errors of those that are missing.
func (l *Loader) fromGraph(ctx context.Context, scope graph.Scope, sections []graph.Section, q graph.SectionQuery) (found *graph.Sections, failed map[graph.Section]error) {
	if len(sections) == 0 {
		return &graph.Sections{}, map[graph.Section]error{}
	}
	if l.options.Mode == Combined {
		found, err := l.store.ReadSections(ctx, scope, sections, q)
		if err == nil {
			return found, map[graph.Section]error{}
		}
		l.options.Log.Warn("context: the combined statement failed, trying each section alone", "error", err)
	}
	found = &graph.Sections{}
	failed = l.each(ctx, scope, sections, q, found)
	if l.options.Mode == Parallel && len(failed) > 0 {
		failed = l.each(ctx, scope, sorted(failed), q, found)
	}
	return found, failed
}

// each reads sections side by side, and returns the errors of those that failed. A database that does not even know
// the user is not asked for the rest.
func (l *Loader) each(ctx context.Context, scope graph.Scope, sections []graph.Section, q graph.SectionQuery, found *graph.Sections) map[graph.Section]error {
	var (
		mu     sync.Mutex
		wait   sync.WaitGroup
		failed = map[graph.Section]error{}
	)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for _, section := range sections {
		wait.Go(func() {
			ctx, end := l.options.Trace(ctx, "load "+string(section))
			err := l.store.ReadSection(ctx, scope, section, q, found)
			end(err)
			if err == nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			failed[section] = err
			if section == graph.OwnerSection && errors.Is(err, graph.ErrUnavailable) {
				cancel()
			}
		})
	}
	wait.Wait()
	return failed
}

func sorted(failed map[graph.Section]error) []graph.Section {
	sections := make([]graph.Section, 0, len(failed))
	for section := range failed {
		sections = append(sections, section)
	}
	slices.Sort(sections)
	return sections
}
