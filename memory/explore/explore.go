// Package explore searches a memory by words, by meaning and by links, and ranks the hits together. It decides what to
// search for and how to rank it. Package vector has the vectors in memory. It does
// not depend on HTTP or a database driver.
package explore

import (
	"context"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"kith/graph"
	"kith/graph/searchscope"
	"kith/internal/llm"
	"kith/internal/vector"
)

// store is the part of the memory that a search reads.
type store interface {
	Search(ctx context.Context, scope graph.Scope, q Search) (Found, error)
	Details(ctx context.Context, scope graph.Scope, w Wanted) (Details, error)
	Vectors(ctx context.Context, scope string, after int64, limit int) ([]vector.Row, error)
}

// Explorer searches a memory. It is safe for concurrent use.
type Explorer struct {
	store   store
	options Options
	tuning  *tuning
}

// Options configure an Explorer. An Embedder requires Vectors.
type Options struct {
	Embedder llm.Embedder // nil: searches are by words and links
	Vectors  *vector.Index
	Log      *slog.Logger                      // default: discards
	Observe  func(semantic Meaning, mode Mode) // called after every answer
	Now      func() time.Time
}

// New returns an Explorer of a store.
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
	return &Explorer{store: s, options: o, tuning: defaultTuning()}
}

// Explore answers a request. It also returns the nodes and relationships of the answer, for counting recalls. Errors:
// InvalidError, ErrUnavailable.
func (e *Explorer) Explore(ctx context.Context, scope graph.Scope, r *Request) (*Result, graph.Recall, error) {
	if err := r.Validate(); err != nil {
		return nil, graph.Recall{}, err
	}
	p, m := e.newPlan(scope, r), e.newMeaning(scope, r.uses(byMeaning))
	found, seen, err := e.search(ctx, p, m, p.asks)
	if err != nil {
		return nil, graph.Recall{}, err
	}
	if second := p.secondAsks(found, seen); len(second) > 0 {
		again, more, err := e.search(ctx, p, m, second)
		if err != nil {
			return nil, graph.Recall{}, err
		}
		seen = seen.merge(more)
		found.Relationships = append(found.Relationships, again.Relationships...)
		found.Messages, found.Nodes = append(found.Messages, again.Messages...), append(found.Nodes, again.Nodes...)
		found.Links = append(found.Links, again.Links...)
		p.used = append(p.used, second...)
	}
	best := seen.fuse(p.tuning)
	a := &assembly{plan: p, found: found, best: &best}
	wanted := p.wantedDetails(found, seen, &best)
	details, err := e.store.Details(ctx, scope, wanted)
	if a.details = &details; err == nil && a.lacksHits(&wanted) {
		p.spare = mostSpare
		wanted = p.wantedDetails(found, seen, &best)
		details, err = e.store.Details(ctx, scope, wanted)
	}
	if err != nil {
		return nil, graph.Recall{}, err
	}
	m.dropGone(&wanted, &details)
	seen.addDetails(&details)
	best.sources = fuse(seen.sources, p.tuning) // the details add evidence to sources only
	a.meaning = m.status
	result := a.result()
	if err := a.explainMarks(ctx, result); err != nil {
		return nil, graph.Recall{}, err
	}
	result.keyed = r.Format == Keyed
	if r.MaxTokens > 0 {
		if err := result.fitBudget(r.MaxTokens, r.Format); err != nil {
			return nil, graph.Recall{}, err
		}
	}
	e.options.Observe(result.Meta.Semantic, result.Meta.Mode)
	return result, a.recall(result), nil
}

// Forget drops the cached vectors of an erased user. Without a user id a team was erased: its users are no longer
// known, so Forget drops all vectors. The vectors of others are read again when needed.
func (e *Explorer) Forget(scope graph.Scope) {
	switch {
	case e.options.Vectors == nil:
	case scope.UserID == "":
		e.options.Vectors.Clear()
	default:
		for _, name := range searchscope.Visible(scope.TeamID, scope.UserID) {
			e.options.Vectors.Drop(name)
		}
	}
}

// search searches by words and by vectors at the same time, and ranks the hits of both.
func (e *Explorer) search(ctx context.Context, p *plan, m *meaning, asks []ask) (*Found, *rankings, error) {
	var units [][]float32
	var near []nearest
	var found Found
	var embedErr error
	q := p.searchQuery(asks, m)
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() error {
		if units, embedErr = m.embed(groupCtx, asks); embedErr == nil {
			near, _ = m.findNearest(units, p, asks) // on failure vectors are missing, and the statement returns them
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
	more := m.addVectors(ctx, &found)
	if embedErr != nil {
		m.status = MeaningUnavailable
		e.options.Log.WarnContext(ctx, "embedder unavailable, searching without vectors", "error", embedErr)
	}
	if more || near == nil {
		near = m.findNearestAgain(units, p, asks)
	}
	return &found, p.rank(&found, asks, units, near, m), nil
}
