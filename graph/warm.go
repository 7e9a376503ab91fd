package graph

import (
	"context"
	"errors"

	"github.com/google/uuid"
)

// Nobody returns the scope of a user that does not exist, for reads that only have a statement planned.
func Nobody() Scope { return Scope{TeamID: "warm-up", UserID: "warm-up"} }

// Warm plans the statements of the most frequent writes: it writes for a team that does not exist, and rolls back.
func (s *Store) Warm(ctx context.Context) error {
	nobody, ctx := Scope{TeamID: "warm-up " + uuid.NewString(), UserID: "warm-up"}, withDryRun(ctx)
	_, written := s.Write(ctx, nobody, &MemoryWrite{
		Nodes: []NodeWrite{{Kind: PersonKind.Name, EntityKey: "a", Name: Some("a")}, {Kind: ConceptKind.Name, EntityKey: "b", Name: Some("b")}},
		// A word of the team's own: the first use of a type of the vocabulary creates an index.
		Relationships: []RelationshipWrite{{From: "a", To: "b", Type: "warms_up"}},
		Strict:        true,
	})
	_, said := s.WriteSource(ctx, nobody, &SourceWrite{Messages: []MessageWrite{{Role: "user", Text: "I always prefer tea."}}}) // a statement of the user, too
	return errors.Join(written, said)
}
