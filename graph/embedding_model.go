package graph

import (
	"context"
	"fmt"
	"time"

	"kith/neo"
	"kith/vector"
)

var (
	readEmbeddingState   = neo.Load[embeddingState]("embedding_state")
	pauseEmbedding       = neo.Load[neo.None]("embedding_pause")
	beginEmbedding       = neo.Load[embeddingModel]("embedding_begin")
	renewEmbedding       = neo.Load[bool]("embedding_renew")
	readVectors          = neo.Load[vectorPage]("embedding_vectors")
	readEmbeddingBacklog = neo.Load[embeddingBacklog]("embedding_backlog")
)

// embeddingModel is the model of the vectors in the database. Dimensions is 0 if they are unknown.
type embeddingModel struct {
	Model      string
	Dimensions int
}

// vectorPage is a page of vectors, and the model of those with a number above Base.
type vectorPage struct {
	Rows  []vectorRow
	Model string
	Base  int64
}

// vectorRow is a node's vector with its number. Parent is the source of a message.
type vectorRow struct {
	Seq    int64
	Key    string
	Labels Labels
	At     int64
	Vector vectorBytes
	Parent string
}

// vectorBytes is an encoded vector.
type vectorBytes []byte

// DecodeNeo reads bytes.
func (b *vectorBytes) DecodeNeo(v any) error {
	bytes, ok := v.([]byte)
	if !ok {
		return fmt.Errorf("%T where a vector is expected: %w", v, neo.ErrStatement)
	}
	*b = bytes
	return nil
}

// embeddingBacklog counts the nodes that wait for vectors. Oldest is nil if there are none.
type embeddingBacklog struct {
	Due    int64
	Oldest *time.Time
}

// embeddingState holds the model of the vectors in the database: those with a number above base. Until the walk is done, the
// nodes after team and key may lack a vector of the model.
type embeddingState struct {
	Model     string
	Base      int64
	Walked    bool
	Team, Key string
}

// embeddingState returns the state; without a model if nothing was ever embedded.
func (s *Store) embeddingState(ctx context.Context) (embeddingState, error) {
	rows, err := readEmbeddingState.Read(ctx, s.db, nil)
	if err != nil || len(rows) == 0 {
		return embeddingState{}, err
	}
	return rows[0], nil
}

// PrepareEmbedding makes sure that the embedder's vectors may be compared with those in the database, before anything is written.
// It returns ErrModel if they may not. Without an embedder it records that the next one has to embed what is written meanwhile.
func (s *Store) PrepareEmbedding(ctx context.Context) error {
	if s.options.Embedder == nil {
		return s.Transaction(ctx, "embedding_pause", func(t *Tx) error {
			return pauseEmbedding.Run(t, nil)
		})
	}
	return s.Transaction(ctx, "embedding_begin", func(t *Tx) error {
		stored, err := beginEmbedding.ExecOne(t, s.embedderParams())
		if err != nil {
			return err
		}
		own := s.options.Embedder.Dimensions() // an endpoint's dimensions are known after its first answer
		if stored.Model != s.options.Embedder.Model() || own > 0 && stored.Dimensions > 0 && own != stored.Dimensions {
			return s.otherModel(stored)
		}
		return nil
	})
}

func (s *Store) embedderParams() map[string]any {
	own := s.options.Embedder
	params := map[string]any{"model": own.Model(), "dimensions": nil}
	if d := own.Dimensions(); d > 0 {
		params["dimensions"] = d
	}
	return params
}

func (s *Store) otherModel(stored embeddingModel) error {
	own := s.options.Embedder
	return fmt.Errorf("%w: %q (%d dimensions) instead of the configured %q (%d); configure the former again, or run `kith reindex` to embed everything anew",
		ErrModel, stored.Model, stored.Dimensions, own.Model(), own.Dimensions())
}

// RenewEmbeddings starts to embed everything anew by the embedder's model. Searches ignore the earlier vectors, and embedding by
// another model stops. resumed reports whether this had been started before; then it continues.
func (s *Store) RenewEmbeddings(ctx context.Context) (resumed bool, err error) {
	err = s.Transaction(ctx, "embedding_renew", func(t *Tx) (err error) {
		resumed, err = renewEmbedding.ExecOne(t, s.embedderParams())
		return err
	})
	return resumed, err
}

// Vectors returns at most limit vectors of a scope (a scope token) with numbers above after, in the order of their numbers; none:
// there are no more. A row's Kind is the position of its node's kind in Kinds. Its At is the time of a message, the start of a
// source, or when another node was created. It returns ErrModel if the vectors belong to a different model than the embedder's.
func (s *Store) Vectors(ctx context.Context, scope string, after int64, limit int) ([]vector.Row, error) {
	for {
		page, err := readVectors.ReadOne(ctx, s.db, map[string]any{"vector_scope": scope, "after": after, "limit": limit})
		if err != nil {
			return nil, err
		}
		if len(page.Rows) == 0 {
			return nil, nil
		}
		if s.options.Embedder == nil || page.Model != s.options.Embedder.Model() {
			return nil, fmt.Errorf("vectors: %w", ErrModel)
		}
		if after >= page.Base {
			return vectorsOf(page.Rows), nil
		}
		after = page.Base // vectors up to there belong to another model
	}
}

// vectorsOf returns the vectors of some rows.
func vectorsOf(found []vectorRow) []vector.Row {
	rows := make([]vector.Row, len(found))
	for i, r := range found {
		rows[i] = vector.Row{Seq: r.Seq, Key: r.Key, Kind: KindNumber(r.Labels.Kind()), At: r.At, Vector: r.Vector, Parent: r.Parent}
	}
	return rows
}

// KindNumber returns the position of a kind in Kinds, which marks its vectors.
func KindNumber(kind Kind) uint8 {
	for i := range Kinds {
		if Kinds[i] == kind {
			return uint8(i) // there are some twenty
		}
	}
	return 0
}

// EmbeddingBacklog holds how many nodes wait for their vectors, counted up to backlogCounted, and for how many seconds the first
// of them has waited.
type EmbeddingBacklog struct {
	Due int64
	Lag float64
}

// backlogCounted bounds the cost of counting the backlog.
const backlogCounted = 10_000

// EmbeddingBacklog counts the backlog.
func (s *Store) EmbeddingBacklog(ctx context.Context) (EmbeddingBacklog, error) {
	backlog, err := readEmbeddingBacklog.ReadOne(ctx, s.db, map[string]any{"limit": backlogCounted})
	if err != nil || backlog.Oldest == nil {
		return EmbeddingBacklog{}, err
	}
	return EmbeddingBacklog{Due: backlog.Due, Lag: max(0, s.Now().Sub(*backlog.Oldest).Seconds())}, nil
}
