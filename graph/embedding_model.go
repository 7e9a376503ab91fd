package graph

import (
	"context"
	"fmt"

	"kith/vector"
)

// embeddingState holds the model of the vectors in the database: those with a number above base. Until the walk is done, the
// nodes after team and key may lack a vector of the model.
type embeddingState struct {
	model     string
	base      int64
	walked    bool
	team, key string
}

// embeddingState returns the state; without a model if nothing was ever embedded.
func (s *Store) embeddingState(ctx context.Context) (embeddingState, error) {
	rows, err := s.read(ctx, s.queries["embedding_state"], nil)
	if err != nil || len(rows) == 0 {
		return embeddingState{}, err
	}
	v := rows[0]
	return embeddingState{model: text(v[0]), base: integer(v[1]), walked: truth(v[2]), team: text(v[3]), key: text(v[4])}, nil
}

// PrepareEmbedding makes sure that the embedder's vectors may be compared with those in the database, before anything is written.
// It returns ErrModel if they may not. Without an embedder it records that the next one has to embed what is written meanwhile.
func (s *Store) PrepareEmbedding(ctx context.Context) error {
	if s.options.Embedder == nil {
		return s.transaction(ctx, "embedding_pause", func(t *tx) error {
			_, err := t.exec("embedding_pause", nil)
			return err
		})
	}
	return s.transaction(ctx, "embedding_begin", func(t *tx) error {
		rows, err := t.exec("embedding_begin", s.embedderParams())
		if err != nil {
			return err
		}
		model, dimensions := text(rows[0][0]), int(integer(rows[0][1]))
		own := s.options.Embedder.Dimensions() // an endpoint's dimensions are known after its first answer
		if model != s.options.Embedder.Model() || own > 0 && dimensions > 0 && own != dimensions {
			return s.otherModel(model, dimensions)
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

func (s *Store) otherModel(model string, dimensions int) error {
	own := s.options.Embedder
	return fmt.Errorf("%w: %q (%d dimensions) instead of the configured %q (%d); configure the former again, or run `kith reindex` to embed everything anew",
		ErrModel, model, dimensions, own.Model(), own.Dimensions())
}

// RenewEmbeddings starts to embed everything anew by the embedder's model. Searches ignore the earlier vectors, and embedding by
// another model stops. resumed reports whether this had been started before; then it continues.
func (s *Store) RenewEmbeddings(ctx context.Context) (resumed bool, err error) {
	err = s.transaction(ctx, "embedding_renew", func(t *tx) error {
		rows, err := t.exec("embedding_renew", s.embedderParams())
		if err == nil {
			resumed = truth(rows[0][0])
		}
		return err
	})
	return resumed, err
}

// Vectors returns at most limit vectors of a scope (a scope token) with numbers above after, in the order of their numbers; none:
// there are no more. A row's Kind is the position of its node's kind in Kinds. Its At is the time of a message, the start of a
// source, or when another node was created. It returns ErrModel if the vectors belong to a different model than the embedder's.
func (s *Store) Vectors(ctx context.Context, scope string, after int64, limit int) ([]vector.Row, error) {
	for {
		row, err := s.readOne(ctx, "embedding_vectors", map[string]any{"vector_scope": scope, "after": after, "limit": limit})
		if err != nil {
			return nil, err
		}
		found, base := items(row[0]), integer(row[2])
		if len(found) == 0 {
			return nil, nil
		}
		if model := text(row[1]); s.options.Embedder == nil || model != s.options.Embedder.Model() {
			return nil, fmt.Errorf("vectors: %w", ErrModel)
		}
		if after >= base {
			return vectorRows(found), nil
		}
		after = base // vectors up to base belong to another model
	}
}

func vectorRows(found []any) []vector.Row {
	rows := make([]vector.Row, len(found))
	for i := range found {
		l := items(found[i])
		bytes, _ := l[4].([]byte)
		rows[i] = vector.Row{
			Seq: integer(l[0]), Key: text(l[1]), Kind: KindNumber(kindFrom(l[2])), At: integer(l[3]), Vector: bytes, Parent: text(l[5]),
		}
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
	row, err := s.readOne(ctx, "embedding_backlog", map[string]any{"limit": backlogCounted})
	if err != nil || row[1] == nil {
		return EmbeddingBacklog{}, err
	}
	waiting := s.now().Sub(millis(row[1])).Seconds()
	return EmbeddingBacklog{Due: integer(row[0]), Lag: max(0, waiting)}, nil
}
