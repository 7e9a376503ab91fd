package graph

import (
	"context"
	"fmt"

	"kith/neo"
)

var (
	listSystemRelationships   = neo.Load[foundSystemLink]("system_relationship_list")
	findSystemRelationships   = neo.Load[foundSystemLink]("system_relationship_find")
	removeSystemRelationships = neo.Load[neo.None]("system_relationship_delete")
)

// SystemRelationshipQuery selects relationships of a system by any of from, to and type, from a position on.
type SystemRelationshipQuery struct {
	FromName, ToName, Type string // empty: any
	From                   int64  // Seq of the first possible relationship
	Limit                  int64
}

// SystemRelationships returns relationships of a system, in the order in which they were added.
func (s *Store) SystemRelationships(ctx context.Context, scope Scope, system string, q SystemRelationshipQuery) ([]SystemLink, error) {
	if err := utf8Faults("type", q.Type, "from", q.FromName, "to", q.ToName); err != nil {
		return nil, err
	}
	rows, err := listSystemRelationships.Read(ctx, s.db, map[string]any{
		"team_id": scope.TeamID, "system": system, "from": q.From, "type": OrNil(q.Type),
		"from_name": OrNil(q.FromName), "to_name": OrNil(q.ToName), "limit": q.Limit,
	})
	all := make([]SystemLink, len(rows))
	for i := range rows {
		all[i] = rows[i].Relationship.link()
	}
	return all, err
}

// DeleteSystemRelationship deletes the relationship of a type between two entities, or returns ErrNotFound.
func (s *Store) DeleteSystemRelationship(ctx context.Context, scope Scope, system, from, to, relationship string) error {
	if utf8Faults("type", relationship) != nil {
		return fmt.Errorf("delete relationship: %w", ErrNotFound)
	}
	wanted := SystemRelationshipWrite{From: from, To: to, Type: relationship}
	return s.systemWrite(ctx, scope, system, func(j *systemJob) error {
		for _, name := range []string{from, to} {
			if _, err := j.loadNode(name); err != nil {
				return err
			}
		}
		if err := j.loadLinks([]SystemRelationshipWrite{wanted}); err != nil {
			return err
		}
		l := j.links[wanted.triple()]
		if l == nil {
			return fmt.Errorf("delete relationship: %w", ErrNotFound)
		}
		if err := j.tx.writeRows(removeSystemRelationships, j.team, []map[string]any{l.row(nil)}); err != nil {
			return err
		}
		return j.touch()
	})
}
