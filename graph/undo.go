package graph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"kith/graph/neo"
	"kith/internal/fault"
)

var findVersion = neo.Load[formerVersion]("version_find")

// RestoreNodeVersion makes a new version of a stored node, with the content of a former one. Its salience, accesses and notes stay. It
// returns ErrNotFound for an unknown node or version, and ErrConflict if what is stored by now does not allow the content.
func (s *Store) RestoreNodeVersion(ctx context.Context, scope Scope, kind Kind, key string, number int64) (NodeView, error) {
	var view NodeView
	err := s.Transaction(ctx, "node_undo", func(t *Tx) error {
		n, err := t.lock(scope, kind, key)
		if err != nil {
			return err
		}
		t.Changes(nil)
		if n.version() != number {
			former, err := t.formerVersion(scope, n.key(), number, false)
			if err != nil {
				return err
			}
			if former.Kind != kind.Name {
				return fmt.Errorf("version: %w", fault.ErrNotFound)
			}
			b := &batch{existing: true, MemoryWrite: MemoryWrite{Strict: true, Nodes: []NodeWrite{former.nodeWrite(n)}}}
			if err = b.validate(scope, s.Now()); err == nil {
				err = b.job(t, scope, s.Now()).run()
			}
			if err != nil {
				return fault.Within(err, fault.At("nodes").Index(0))
			}
		}
		view, err = t.view(scope, kind, n.key(), NodeQuery{})
		return err
	})
	return view, clashes(err)
}

// formerVersion returns a former version of a record by its number, or ErrNotFound. The record must be locked: Neo4j shows a new
// version before the index has the former one.
func (t *Tx) formerVersion(scope Scope, key string, number int64, isRelationship bool) (formerVersion, error) {
	v, err := findVersion.ExecOne(t, map[string]any{
		"team_id": scope.TeamID, "user_id": scope.User(), "key": key, "is_relationship": isRelationship, "version": number,
	})
	if err != nil {
		return v, fmt.Errorf("version: %w", err)
	}
	return v, nil
}

// clashes returns ErrConflict for faults of a write that was valid once: what is stored by now does not allow it.
func clashes(err error) error {
	fields := fault.Fields(err)
	if !errors.Is(err, fault.ErrInvalid) || len(fields) == 0 {
		return err
	}
	return fmt.Errorf("restore: %s: %w", fields[0].String(), fault.ErrConflict)
}

// noProperties is an empty object of a caller's properties, which is the same as none.
const noProperties = "{}"

// nodeWrite returns the write that gives a stored node the content of the version. Fields that the version does not have are cleared.
func (v *formerVersion) nodeWrite(n *stored) NodeWrite {
	p, kind := v.Properties, n.kind
	w := NodeWrite{Kind: kind.Name, EntityKey: n.key(), Name: orCleared(someText(p, "name")), OwnFields: ownContent(kind, p)}
	if kind == MessageKind {
		return w
	}
	w.Description = orCleared(someText(p, "description"))
	w.State, w.TTLPolicy, w.Confidence = someText(p, "state"), someText(p, "ttl_policy"), someNumber(p, "confidence")
	w.Properties = rawOf(p)
	if w.Properties == nil && rawOf(n.Properties) != nil {
		w.Properties = json.RawMessage(noProperties)
	}
	switch kind {
	case PersonKind:
		w.CanonicalName, w.IsOwner = someText(p, "canonical_name"), Some(neo.Bool(p["is_owner"]))
	case ConceptKind:
		w.IsGoal = Null[bool]()
		if given, ok := p["is_goal_given"].(bool); ok {
			w.IsGoal = Some(given)
		}
	case EntityKind, SystemEntityKind:
		w.Type = orCleared(someText(p, "type"))
	}
	return w
}

// orCleared returns a field that is given as null if it has no value.
func orCleared[T any](field Optional[T]) Optional[T] {
	if !field.Given {
		return Null[T]()
	}
	return field
}

// ownContent returns all fields of a kind that callers write, with null for those that the properties do not have.
func ownContent(kind Kind, p Properties) *OwnFields {
	own := ownOf(kind, p)
	if own == nil {
		own = &OwnFields{}
	}
	for _, field := range ownFields() {
		slot := reflect.ValueOf(own).Elem().Field(field.index)
		switch {
		case field.readOnly, field.name == "title":
			slot.SetZero()
		case slices.Contains(field.kinds, kind.Name) && p[field.name] == nil:
			slot.FieldByName("Given").SetBool(true)
			slot.FieldByName("Null").SetBool(true)
		}
	}
	return own
}
