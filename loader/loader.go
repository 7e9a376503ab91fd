// Package loader builds the context that an agent gets at the start of a conversation. It loads the sections of an
// AgentContext, renders them as JSON or as text within a token budget, and caches the result. It does not depend on HTTP;
// only package graph accesses the database.
package loader

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"kith/graph"
	"kith/graph/neo"
	"kith/internal/cache"
	"kith/memory/preference"
	"kith/memory/replay"
	"kith/text/tokens"
)

type store interface {
	ReadSections(ctx context.Context, scope graph.Scope, sections []Section, q SectionQuery) (*Sections, error)
	ReadSection(ctx context.Context, scope graph.Scope, section Section, q SectionQuery, found *Sections) error
	OfPast(ctx context.Context, scope graph.Scope, q SectionQuery, found *Sections) error
	CurrentKeys(ctx context.Context, scope graph.Scope, keys []string) (map[string]string, error)
	Node(ctx context.Context, scope graph.Scope, key string, q SectionQuery) (graph.NodeView, error)
	Origins(ctx context.Context, scope graph.Scope, keys, mentioned []string, q SectionQuery) (map[string]Origin, error)
}

// preferences reads preferences that the store of the sections does not have.
type preferences interface {
	Preferences(ctx context.Context, scope graph.Scope) ([]preference.Preference, error)
}

type byteCache interface {
	Get(ctx context.Context, team, user, view string, load cache.Loader) ([]byte, error)
}

// replays keeps which contexts are served, and finds them again.
type replays interface {
	Served(scope graph.Scope, view string, e replay.Entry) (time.Time, bool)
	Find(ctx context.Context, scope graph.Scope, view string, moment time.Time) (replay.Found, error)
}

// Mode says how sections are loaded. It does not change the answer.
type Mode string

// Combined loads all sections in one statement; Parallel each in its own, at the same time.
const (
	Combined Mode = "combined"
	Parallel Mode = "parallel"
)

// Options configure a Loader.
type Options struct {
	Mode        Mode             // default Combined
	Now         func() time.Time // default time.Now
	Log         *slog.Logger     // default: discards
	Degraded    func(section Section)
	Preferences preferences // reads them; nil: the store does, with the other sections
	Trace       neo.Trace   // default: none
	Replays     replays     // default: nothing is kept
	Replayed    func(Replay)
	// NextBorder returns when the next relationship of a team begins or ends: answers are cached until then. Default: never.
	NextBorder func(ctx context.Context, team string, at time.Time) (time.Time, error)
}

// Loader assembles agent contexts. It is safe for concurrent use.
type Loader struct {
	store   store
	cache   byteCache
	counts  *tokens.Counts // of the lines of texts
	options Options
}

// New returns a Loader.
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
		o.Trace = neo.NoTrace
	}
	if o.Degraded == nil {
		o.Degraded = func(Section) {}
	}
	if o.Replays == nil {
		o.Replays = forgetful{}
	}
	if o.Replayed == nil {
		o.Replayed = func(Replay) {}
	}
	if o.NextBorder == nil {
		o.NextBorder = func(context.Context, string, time.Time) (time.Time, error) { return time.Time{}, nil }
	}
	return &Loader{store: s, cache: c, counts: tokens.NewCounts(), options: o}
}

// Rendered returns an answer from the cache, or from make, which reports whether its bytes can be cached.
func (l *Loader) Rendered(ctx context.Context, scope graph.Scope, view string, format Format, make cache.Loader) (Answer, error) {
	what, _, _ := strings.Cut(view, "\x1f")
	body, err := l.cache.Get(ctx, scope.TeamID, scope.UserID, view, func(ctx context.Context) (body []byte, keep bool, err error) {
		ctx, end := l.options.Trace(ctx, "load "+what)
		defer func() { end(err) }()
		return l.untilBorder(ctx, scope, make)
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

// untilBorder runs a load whose result is cached until the next relationship begins or ends. It reads when that is
// meanwhile, and does not cache the result if it cannot be read.
func (l *Loader) untilBorder(ctx context.Context, scope graph.Scope, load cache.Loader) (value []byte, keep bool, err error) {
	type border struct {
		at  time.Time
		err error
	}
	next, now := make(chan border, 1), l.options.Now()
	go func() {
		at, err := l.options.NextBorder(ctx, scope.TeamID, now)
		next <- border{at, err}
	}()
	value, keep, err = load(ctx)
	b := <-next
	if !b.at.IsZero() {
		cache.Until(ctx, b.at)
	}
	return value, keep && b.err == nil, err
}

// load reads sections, and at the same time the preferences if they have a store of their own. A failed section is tried again
// alone, unless the database is unavailable; if that fails too, it is in degraded. An error means that the identity or the
// focus could not be read.
func (l *Loader) load(ctx context.Context, scope graph.Scope, sections []Section, q SectionQuery) (found *Sections, degraded []Section, err error) {
	ctx, end := l.options.Trace(ctx, "load context")
	defer func() { end(err) }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	sections, result := l.startPreferences(ctx, scope, sections)
	found, failed := l.loadFromStore(ctx, scope, sections, q)
	err = errors.Join(failed[OwnerSection], failed[FocusSection])
	if err == nil && q.AsOf != nil {
		err = l.store.OfPast(ctx, scope, q, found)
	}
	if err != nil {
		cancel()
		<-result
		return nil, nil, err
	}
	if p := <-result; p.err != nil {
		failed[PreferencesSection] = p.err
	} else if p.loaded {
		found.Preferences = p.found
	}
	if failed[borderSection] != nil {
		delete(failed, borderSection)
		found.Border = q.Now // not cached
	}
	for section, err := range failed {
		l.options.Log.Warn("section not loaded, context is incomplete", "section", section, "error", err)
		l.options.Degraded(section)
	}
	return found, sorted(failed), nil
}

// loadFromStore reads sections in one statement or in parallel. failed has the errors of missing sections.
func (l *Loader) loadFromStore(ctx context.Context, scope graph.Scope, sections []Section, q SectionQuery) (found *Sections, failed map[Section]error) {
	if len(sections) == 0 {
		return &Sections{}, map[Section]error{}
	}
	if l.options.Mode == Combined {
		found, err := l.store.ReadSections(ctx, scope, sections, q)
		if err == nil {
			return found, map[Section]error{}
		}
		if errors.Is(err, graph.ErrUnavailable) { // nine statements instead of one would keep a slow database slow
			return &Sections{}, failAll(sections, err)
		}
		l.options.Log.Warn("combined context statement failed, loading each section alone", "error", err)
	}
	found = &Sections{}
	failed = l.loadEach(ctx, scope, sections, q, found)
	if l.options.Mode == Parallel {
		again := slices.DeleteFunc(sorted(failed), func(s Section) bool { return errors.Is(failed[s], graph.ErrUnavailable) })
		for _, section := range again {
			delete(failed, section)
		}
		maps.Copy(failed, l.loadEach(ctx, scope, again, q, found))
	}
	return found, failed
}

// Warm plans what is read for a context, with focus also what a focus needs, so that no caller waits for it.
func (l *Loader) Warm(ctx context.Context, focus bool) error {
	sections := slices.Clone(AllSections)
	if l.options.Preferences != nil {
		sections = slices.DeleteFunc(sections, func(s Section) bool { return s == PreferencesSection })
	}
	if focus {
		sections = append(sections, FocusSection)
	}
	_, failed := l.loadFromStore(ctx, graph.Nobody(), withBorder(sections), SectionQuery{Now: l.options.Now()})
	return errors.Join(slices.Collect(maps.Values(failed))...)
}

// failAll returns the error of a statement as that of all its sections.
func failAll(sections []Section, err error) map[Section]error {
	failed := make(map[Section]error, len(sections))
	for _, section := range sections {
		failed[section] = err
	}
	return failed
}

// loadEach reads sections in parallel, and returns the errors of those that failed. It stops if the owner cannot be
// read because the database is unavailable.
func (l *Loader) loadEach(ctx context.Context, scope graph.Scope, sections []Section, q SectionQuery, found *Sections) map[Section]error {
	var (
		mu     sync.Mutex
		wait   sync.WaitGroup
		failed = map[Section]error{}
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
			if section == OwnerSection && errors.Is(err, graph.ErrUnavailable) {
				cancel()
			}
		})
	}
	wait.Wait()
	return failed
}

func sorted(failed map[Section]error) []Section {
	sections := make([]Section, 0, len(failed))
	for section := range failed {
		sections = append(sections, section)
	}
	slices.Sort(sections)
	return sections
}
