package graph

import (
	"context"
	"errors"
)

type rehearsalKey struct{}

// isRehearsal reports whether the transactions of a context are taken back when all is done but the commit.
func isRehearsal(ctx context.Context) bool { return ctx.Value(rehearsalKey{}) != nil }

// Warm plans the statements of the most frequent writes: it writes for a user that does not exist, and takes that back.
func (s *Store) Warm(ctx context.Context) error {
	const key = "warm-up"
	nobody, ctx := Scope{TeamID: key, UserID: key}, context.WithValue(ctx, rehearsalKey{}, true)
	_, written := s.Write(ctx, nobody, &MemoryWrite{
		Nodes:         []NodeWrite{{Kind: PersonKind.Name, EntityKey: "a", Name: Some(key)}, {Kind: ConceptKind.Name, EntityKey: "b", Name: Some(key)}},
		Relationships: []RelationshipWrite{{From: "a", To: "b", Type: "relates_to"}},
	})
	_, said := s.WriteSource(ctx, nobody, &SourceWrite{Messages: []MessageWrite{{Role: "user", Text: key}}})
	return errors.Join(written, said)
}
