package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"kith/internal/fault"
)

// RestoreRelationshipVersion does the same as RestoreNodeVersion for a relationship, current or past.
func (s *Store) RestoreRelationshipVersion(ctx context.Context, scope Scope, key string, number int64) (RelationshipView, error) {
	stored, err := s.locate(ctx, scope, key)
	if err != nil {
		return RelationshipView{}, err
	}
	if version(stored.Properties) == number {
		return s.Relationship(ctx, scope, key, nil)
	}
	former, err := s.formerVersion(ctx, scope, key, number, true)
	if err != nil {
		return RelationshipView{}, err
	}
	w := former.relationshipWrite(&stored)
	if stored.Properties["valid_to"] != nil && w.ValidTo.Null && slices.Contains(containmentTypes, w.Type) {
		return RelationshipView{}, fmt.Errorf("restore: a containment that ended cannot be opened again: %w", fault.ErrConflict)
	}
	if err := s.writeStored(ctx, scope, w, key); err != nil {
		return RelationshipView{}, clashes(fault.Within(err, fault.At("relationships").Index(0)))
	}
	return s.Relationship(ctx, scope, key, nil)
}

// relationshipWrite returns the write that gives a stored relationship the content of the version. Fields that the version does not
// have are cleared.
func (v *formerVersion) relationshipWrite(stored *located) RelationshipWrite {
	p := v.Properties
	w := RelationshipWrite{
		From: stored.from, To: stored.to, Type: stored.typeOf(stored.kind), Properties: rawOf(p),
		Description: orCleared(someText(p, "description")), Attitude: orCleared(someInteger(p, "attitude")), Proximity: orCleared(someInteger(p, "proximity")),
		Confidence: someNumber(p, "confidence"), State: someText(p, "state"), RecordedBy: orCleared(someText(p, "recorded_by")),
		ValidFrom: someTime(p, "valid_from"), ValidTo: orCleared(someTime(p, "valid_to")), RelationshipType: Null[string](),
	}
	if given := p.typeText(); given != "" {
		w.RelationshipType = Some(given)
	}
	if w.Properties == nil && rawOf(stored.Properties) != nil {
		w.Properties = json.RawMessage(noProperties)
	}
	return w
}

// writeStored changes the stored relationship with a key. It must exist.
func (s *Store) writeStored(ctx context.Context, scope Scope, w RelationshipWrite, key string) error {
	b := &batch{existing: true, MemoryWrite: MemoryWrite{Strict: true, Relationships: []RelationshipWrite{w}}}
	if err := b.validate(scope, s.Now()); err != nil {
		return err
	}
	b.Relationships[0].Key = key // of a caller's write it would be refused
	return s.Transaction(ctx, "relationship_undo", func(t *Tx) error { return b.job(t, scope, s.Now()).run() })
}
