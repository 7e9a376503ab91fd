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
	var view RelationshipView
	err := s.withRelationship(ctx, scope, key, "relationship_undo", func(t *Tx, r *located) error {
		t.Changes(nil)
		if version(r.Properties) != number {
			if err := t.restoreRelationship(scope, r, number); err != nil {
				return err
			}
			var err error
			if r.Properties, err = t.lockRelationship(scope, *r); err != nil {
				return err
			}
		}
		view = r.view(s.Now())
		return nil
	})
	return view, clashes(err)
}

// restoreRelationship gives a locked relationship the content of a former version.
func (t *Tx) restoreRelationship(scope Scope, r *located, number int64) error {
	key := r.Text("key")
	former, err := t.formerVersion(scope, key, number, true)
	if err != nil {
		return err
	}
	w := former.relationshipWrite(r)
	if r.Properties["valid_to"] != nil && w.ValidTo.Null && slices.Contains(containmentTypes, w.Type) {
		return fmt.Errorf("restore: a containment that ended cannot be opened again: %w", fault.ErrConflict)
	}
	now := t.store.Now()
	b := &batch{existing: true, MemoryWrite: MemoryWrite{Strict: true, Relationships: []RelationshipWrite{w}}}
	if err = b.validate(scope, now); err == nil {
		b.Relationships[0].Key = key // of a caller's write it would be refused
		err = b.job(t, scope, now).run()
	}
	return fault.Within(err, fault.At("relationships").Index(0))
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
