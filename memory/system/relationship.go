package system

import (
	"context"
	"fmt"

	"kith/graph"
	"kith/graph/neo"
	"kith/internal/fault"
)

var (
	listSystemRelationships   = neo.Load[foundSystemLink]("system_relationship_list")
	findSystemRelationships   = neo.Load[foundSystemLink]("system_relationship_find")
	removeSystemRelationships = neo.Load[neo.None]("system_relationship_delete")
)

// RelationshipQuery selects relationships of a system by any of from, to and type, from a position on.
type RelationshipQuery struct {
	FromName, ToName, Type string // empty: any
	From                   int64  // Seq of the first possible relationship
	Limit                  int64
}

// SystemRelationships returns relationships of a system, in the order in which they were added.
func (s *Store) SystemRelationships(ctx context.Context, scope graph.Scope, system string, q RelationshipQuery) ([]Link, error) {
	if err := utf8Faults("type", q.Type, "from", q.FromName, "to", q.ToName); err != nil {
		return nil, err
	}
	rows, err := listSystemRelationships.Read(ctx, s.db, map[string]any{
		"team_id": scope.TeamID, "system": system, "from": q.From, "type": graph.OrNil(q.Type),
		"from_name": graph.OrNil(q.FromName), "to_name": graph.OrNil(q.ToName), "limit": q.Limit,
	})
	all := make([]Link, len(rows))
	for i := range rows {
		all[i] = rows[i].Relationship.link()
	}
	return all, err
}

// DeleteSystemRelationship deletes the relationship of a type between two entities, or returns ErrNotFound.
func (s *Store) DeleteSystemRelationship(ctx context.Context, scope graph.Scope, system, from, to, relationship string) error {
	if utf8Faults("type", relationship) != nil {
		return fmt.Errorf("delete relationship: %w", fault.ErrNotFound)
	}
	wanted := RelationshipWrite{From: from, To: to, Type: relationship}
	return s.systemWrite(ctx, scope, system, func(j *job) error {
		for _, name := range []string{from, to} {
			if _, err := j.loadNode(name); err != nil {
				return err
			}
		}
		if err := j.loadLinks([]RelationshipWrite{wanted}); err != nil {
			return err
		}
		l := j.links[wanted.triple()]
		if l == nil {
			return fmt.Errorf("delete relationship: %w", fault.ErrNotFound)
		}
		if err := removeSystemRelationships.Run(j.tx, j.removal("rows", []map[string]any{l.row(nil)})); err != nil {
			return err
		}
		return j.touch()
	})
}
