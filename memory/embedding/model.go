package embedding

import (
	"context"
	"fmt"
	"time"

	"kith/graph"
	"kith/graph/neo"
)

var (
	readEmbeddingState   = neo.Load[state]("embedding_state")
	pauseEmbedding       = neo.Load[neo.None]("embedding_pause")
	beginEmbedding       = neo.Load[model]("embedding_begin")
	renewEmbedding       = neo.Load[bool]("embedding_renew")
	readEmbeddingBacklog = neo.Load[backlogRow]("embedding_backlog")
)

// model is the model of the vectors in the database. Dimensions is 0 if they are unknown.
type model struct {
	Model      string
	Dimensions int
}

// backlogRow counts the nodes that wait for vectors. Oldest is nil if there are none.
type backlogRow struct {
	Due    int64
	Oldest *time.Time
}

// state holds the model of the vectors in the database: those with a number above base. Until the walk is done, the
// nodes after team and key may lack a vector of the model.
type state struct {
	Model     string
	Base      int64
	Walked    bool
	Team, Key string
}

// readState returns the state; without a model if nothing was ever embedded.
func (s *Store) readState(ctx context.Context) (state, error) {
	rows, err := readEmbeddingState.Read(ctx, s.db, nil)
	if err != nil || len(rows) == 0 {
		return state{}, err
	}
	return rows[0], nil
}

// Prepare makes sure that the embedder's vectors may be compared with those in the database, before anything is written.
// It returns ErrModel if they may not. Without an embedder it records that the next one has to embed what is written meanwhile.
func (s *Store) Prepare(ctx context.Context) error {
	if s.embedder == nil {
		return s.graph.Transaction(ctx, "embedding_pause", func(t *graph.Tx) error {
			return pauseEmbedding.Run(t, nil)
		})
	}
	return s.graph.Transaction(ctx, "embedding_begin", func(t *graph.Tx) error {
		stored, err := beginEmbedding.ExecOne(t, s.embedderParams())
		if err != nil {
			return err
		}
		own := s.embedder.Dimensions() // an endpoint's dimensions are known after its first answer
		if stored.Model != s.embedder.Model() || own > 0 && stored.Dimensions > 0 && own != stored.Dimensions {
			return s.otherModel(stored)
		}
		return nil
	})
}

func (s *Store) embedderParams() map[string]any {
	own := s.embedder
	params := map[string]any{"model": own.Model(), "dimensions": nil}
	if d := own.Dimensions(); d > 0 {
		params["dimensions"] = d
	}
	return params
}

func (s *Store) otherModel(stored model) error {
	own := s.embedder
	return fmt.Errorf("%w: %q (%d dimensions) instead of the configured %q (%d); configure the former again, or run `kith reindex` to embed everything anew",
		graph.ErrModel, stored.Model, stored.Dimensions, own.Model(), own.Dimensions())
}

// Renew starts to embed everything anew by the embedder's model. Searches ignore the earlier vectors, and embedding by
// another model stops. resumed reports whether this had been started before; then it continues.
func (s *Store) Renew(ctx context.Context) (resumed bool, err error) {
	err = s.graph.Transaction(ctx, "embedding_renew", func(t *graph.Tx) (err error) {
		resumed, err = renewEmbedding.ExecOne(t, s.embedderParams())
		return err
	})
	return resumed, err
}

// Backlog holds how many nodes wait for their vectors, counted up to backlogCounted, and for how many seconds the first
// of them has waited.
type Backlog struct {
	Due int64
	Lag float64
}

// backlogCounted bounds the cost of counting the backlog.
const backlogCounted = 10_000

// Backlog counts the backlog.
func (s *Store) Backlog(ctx context.Context) (Backlog, error) {
	backlog, err := readEmbeddingBacklog.ReadOne(ctx, s.db, map[string]any{"limit": backlogCounted})
	if err != nil || backlog.Oldest == nil {
		return Backlog{}, err
	}
	return Backlog{Due: backlog.Due, Lag: max(0, s.graph.Now().Sub(*backlog.Oldest).Seconds())}, nil
}
