// Package explore finds what a memory has about a question: by words, by meaning and by links, ranked together. It decides
// what is asked for and how it is ranked; statements and indexes are the part of graph, vectors in memory that of vector.
// It knows nothing of HTTP, and no database driver.
package explore

import (
	"context"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"kith/graph"
	"kith/llm"
	"kith/vector"
)

// store is what a search asks of the memory.
type store interface {
	Search(ctx context.Context, scope graph.Scope, q graph.Search) (graph.Found, error)
	Details(ctx context.Context, scope graph.Scope, w graph.Wanted) (graph.Details, error)
	Vectors(ctx context.Context, scope string, after int64, limit int) ([]vector.Row, error)
}

// Explorer searches a memory. It is safe for concurrent use.
type Explorer struct {
	store   store
	options Options
	tuning  *tuning
}

// Options are what an explorer may be given. An Embedder needs Vectors to be kept in.
type Options struct {
	Embedder llm.Embedder // nil: searches are by words and links
	Vectors  *vector.Index
	Log      *slog.Logger                      // default: discards
	Observe  func(semantic Meaning, mode Mode) // called after every answer
	Now      func() time.Time
}

// New makes an explorer of a store.
func New(s store, o Options) *Explorer {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Observe == nil {
		o.Observe = func(Meaning, Mode) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Explorer{store: s, options: o, tuning: usualTuning()}
}

// Explore answers a request, and says what it returned, for whoever counts recalls. Errors: InvalidError, ErrUnavailable.
func (e *Explorer) Explore(ctx context.Context, scope graph.Scope, r *Request) (*Result, graph.Recall, error) {
	if err := r.Validate(); err != nil {
		return nil, graph.Recall{}, err
	}
	p, m := e.plan(scope, r), e.understand(scope, r.uses(byMeaning))
	found, seen, err := e.search(ctx, p, m, p.asks)
	if err != nil {
		return nil, graph.Recall{}, err
	}
	if second := p.second(found, seen); len(second) > 0 {
		again, more, err := e.search(ctx, p, m, second)
		if err != nil {
			return nil, graph.Recall{}, err
		}
		seen = seen.with(more)
		found.Relationships = append(found.Relationships, again.Relationships...)
		found.Messages, found.Nodes = append(found.Messages, again.Messages...), append(found.Nodes, again.Nodes...)
		found.Links = append(found.Links, again.Links...)
		p.used = append(p.used, second...)
	}
	best := seen.fuse(p.tuning)
	wanted := p.wanted(found, seen, &best)
	details, err := e.store.Details(ctx, scope, wanted)
	if err != nil {
		return nil, graph.Recall{}, err
	}
	m.forget(&wanted, &details)
	seen.complete(&details)
	best.sources = fuse(seen.sources, p.tuning) // the only ones of which more became known
	a := &assembly{plan: p, meaning: m.status, found: found, best: &best, details: &details}
	result := a.result()
	result.keyed = r.Format == Keyed
	if r.MaxTokens > 0 {
		if err := result.within(r.MaxTokens, r.Format); err != nil {
			return nil, graph.Recall{}, err
		}
	}
	e.options.Observe(result.Meta.Semantic, result.Meta.Mode)
	return result, a.recall(result), nil
}

// Forget drops the vectors that the process keeps of a user who was erased, or those of everybody where a team was: which
// users it had, nobody knows any more. Whoever is still there has them read again.
func (e *Explorer) Forget(scope graph.Scope) {
	switch {
	case e.options.Vectors == nil:
	case scope.UserID == "":
		e.options.Vectors.Clear()
	default:
		for _, name := range graph.SearchScopes(scope) {
			e.options.Vectors.Drop(name)
		}
	}
}

// search asks for the words and, at the same time, for the vectors of some asks, and ranks what both have found.
func (e *Explorer) search(ctx context.Context, p *plan, m *meaning, asks []ask) (*graph.Found, *look, error) {
	var units [][]float32
	var near []nearest
	var found graph.Found
	var embedErr error
	q := p.search(asks, m)
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() error {
		if units, embedErr = m.embed(groupCtx, asks); embedErr == nil {
			near, _ = m.scan(units, p) // where that fails there are vectors missing, which the statement brings
		}
		return nil
	})
	group.Go(func() (err error) {
		found, err = e.store.Search(groupCtx, p.scope, q)
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, nil, err
	}
	more := m.take(ctx, &found)
	if embedErr != nil {
		m.status = MeaningUnavailable
		e.options.Log.WarnContext(ctx, "a search goes without meaning", "error", embedErr)
	}
	if more || near == nil {
		near = m.rescan(units, p)
	}
	return &found, p.look(&found, asks, units, near, m), nil
}
