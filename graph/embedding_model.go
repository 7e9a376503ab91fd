package graph

import (
	"context"
	"fmt"

	"kith/vector"
)

// embeddingState says by which model the vectors in the database are: those numbered above base. Until it is walked, the
// nodes after team and key may lack one.
type embeddingState struct {
	model     string
	base      int64
	walked    bool
	team, key string
}

// embeddingState reads it; without a model where nothing was ever embedded.
func (s *Store) embeddingState(ctx context.Context) (embeddingState, error) {
	rows, err := s.read(ctx, s.queries["embedding_state"], nil)
	if err != nil || len(rows) == 0 {
		return embeddingState{}, err
	}
	v := rows[0].Values
	return embeddingState{model: text(v[0]), base: integer(v[1]), walked: truth(v[2]), team: text(v[3]), key: text(v[4])}, nil
}

// PrepareEmbedding makes sure that the embedder's vectors may be compared with those in the database, before anything is
// written: ErrModel. Without an embedder it sees to it that the next one finds what was written meanwhile.
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
		model, dimensions := text(rows[0].Values[0]), int(integer(rows[0].Values[1]))
		own := s.options.Embedder.Dimensions() // of an endpoint they are known after its first answer
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
	return fmt.Errorf("%w: they are of %q (%d numbers), and %q (%d) is configured; configure the first again, or let `kith reindex` embed everything anew",
		ErrModel, model, dimensions, own.Model(), own.Dimensions())
}

// RenewEmbeddings lets everything be embedded anew, by the embedder's model. Vectors from before are found no more, and
// embedding by another model stops. It says whether that had begun before: then it goes on.
func (s *Store) RenewEmbeddings(ctx context.Context) (resumed bool, err error) {
	err = s.transaction(ctx, "embedding_renew", func(t *tx) error {
		rows, err := t.exec("embedding_renew", s.embedderParams())
		if err == nil {
			resumed = truth(rows[0].Values[0])
		}
		return err
	})
	return resumed, err
}

// Vectors are the next vectors of a scope (a word of scopeToken) after a number, in the order of their numbers, and at
// most limit; none: there are no more. A row's Kind is the place of its node's kind in Kinds, At the time of a message,
// the start of a source, or when another node was created. ErrModel where they are not of the embedder's model.
func (s *Store) Vectors(ctx context.Context, scope string, after int64, limit int) ([]vector.Row, error) {
	for {
		row, err := s.readOne(ctx, "embedding_vectors", map[string]any{"vector_scope": scope, "after": after, "limit": limit})
		if err != nil {
			return nil, err
		}
		found, base := items(row.Values[0]), integer(row.Values[2])
		if len(found) == 0 {
			return nil, nil
		}
		if model := text(row.Values[1]); s.options.Embedder == nil || model != s.options.Embedder.Model() {
			return nil, fmt.Errorf("vectors: %w", ErrModel)
		}
		if after >= base {
			return vectorRows(found), nil
		}
		after = base // those up to it are of another model
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

// KindNumber is the place of a kind in Kinds, by which vectors are told apart.
func KindNumber(kind Kind) uint8 {
	for i := range Kinds {
		if Kinds[i] == kind {
			return uint8(i) //nolint:gosec // there are some twenty
		}
	}
	return 0
}

// EmbeddingBacklog is how many nodes wait for their vectors, counted as far as backlogCounted, and for how many seconds
// the first of them has.
type EmbeddingBacklog struct {
	Due int64
	Lag float64
}

// backlogCounted bounds what a look at the backlog costs.
const backlogCounted = 10_000

// EmbeddingBacklog counts it.
func (s *Store) EmbeddingBacklog(ctx context.Context) (EmbeddingBacklog, error) {
	row, err := s.readOne(ctx, "embedding_backlog", map[string]any{"limit": backlogCounted})
	if err != nil || row.Values[1] == nil {
		return EmbeddingBacklog{}, err
	}
	waiting := s.now().Sub(millis(row.Values[1])).Seconds()
	return EmbeddingBacklog{Due: integer(row.Values[0]), Lag: max(0, waiting)}, nil
}
