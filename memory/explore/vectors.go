package explore

import (
	"context"
	"fmt"

	"kith/graph"
	"kith/graph/neo"
	"kith/internal/vector"
)

// readVectors reads a page of vectors.
var readVectors = neo.Load[vectorPage]("embedding_vectors")

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
	Labels graph.Labels
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
		if s.embedder == nil || page.Model != s.embedder.Model() {
			return nil, fmt.Errorf("vectors: %w", graph.ErrModel)
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
func KindNumber(kind graph.Kind) uint8 {
	for i := range graph.Kinds {
		if graph.Kinds[i] == kind {
			return uint8(i) // there are some twenty
		}
	}
	return 0
}
