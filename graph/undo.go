package graph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"kith/internal/fault"
	"kith/neo"
)

var findVersion = neo.Load[formerVersion]("version_find")

// RestoreNodeVersion makes a new version of a stored node, with the content of a former one. Its salience, accesses and notes stay. It
// returns ErrNotFound for an unknown node or version, and ErrConflict if what is stored by now does not allow the content.
func (s *Store) RestoreNodeVersion(ctx context.Context, scope Scope, kind Kind, key string, number int64) (NodeView, error) {
	stored, err := s.Node(ctx, scope, kind, key, NodeQuery{})
	if err != nil || stored.Version == number {
		return stored, err
	}
	former, err := s.formerVersion(ctx, scope, stored.EntityKey, number, false)
	if err == nil && former.Kind != kind.Name {
		err = fmt.Errorf("version: %w", fault.ErrNotFound)
	}
	if err != nil {
		return NodeView{}, err
	}
	view, err := s.PatchNode(ctx, scope, former.nodeWrite(kind, stored.Properties != nil), NodeQuery{})
	return view, clashes(err)
}

// formerVersion returns a former version of a record by its number, or ErrNotFound.
func (s *Store) formerVersion(ctx context.Context, scope Scope, key string, number int64, isRelationship bool) (formerVersion, error) {
	v, err := findVersion.ReadOne(ctx, s.db, map[string]any{
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

// nodeWrite returns the write that gives a node the content of the version. Fields that the version does not have are cleared.
func (v *formerVersion) nodeWrite(kind Kind, hasProperties bool) NodeWrite {
	p := v.Properties
	w := NodeWrite{Kind: kind.Name, EntityKey: p.Text("entity_key"), Name: orCleared(someText(p, "name")), OwnFields: ownContent(kind, p)}
	if kind == MessageKind {
		return w
	}
	w.Description = orCleared(someText(p, "description"))
	w.State, w.TTLPolicy, w.Confidence = someText(p, "state"), someText(p, "ttl_policy"), someNumber(p, "confidence")
	w.Properties = rawOf(p)
	if w.Properties == nil && hasProperties {
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
