package system

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"kith/graph"
	"kith/graph/neo"
	"kith/internal/bounds"
	"kith/internal/fault"
)

var (
	listSystemEntities   = neo.Load[foundSystemNode]("system_entity_list")
	findSystemEntities   = neo.Load[foundSystemNode]("system_entity_find")
	findSystemAlias      = neo.Load[foundSystemNode]("system_entity_alias")
	removeSystemEntities = neo.Load[Counts]("system_entity_delete")
)

// EntityQuery selects entities of a system: of a type, with a tag, from a position on.
type EntityQuery struct {
	Type, Tag string // empty: any
	From      int64  // Seq of the first possible entity
	Limit     int64
}

// SystemEntities returns entities of a system, in the order in which they were added.
func (s *Store) SystemEntities(ctx context.Context, scope graph.Scope, system string, q EntityQuery) ([]Node, error) {
	if err := utf8Faults("type", q.Type, "tag", q.Tag); err != nil {
		return nil, err
	}
	rows, err := listSystemEntities.Read(ctx, s.db, map[string]any{
		"team_id": scope.TeamID, "system": system, "from": q.From, "type": graph.OrNil(q.Type), "tag": graph.OrNil(q.Tag), "limit": q.Limit,
	})
	all := make([]Node, len(rows))
	for i := range rows {
		all[i] = rows[i].Entity.node()
	}
	return all, err
}

// utf8Faults checks texts that are only compared, such as names and values: invalid UTF-8 cannot be sent either.
func utf8Faults(namesAndValues ...string) error {
	f := &graph.Faults{}
	for i := 0; i < len(namesAndValues); i += 2 {
		f.Text(fault.At(namesAndValues[i]), namesAndValues[i+1], bounds.TextLength)
	}
	return f.Err()
}

// SystemEntity returns the entity with exactly this name, else the one with this alias, or ErrNotFound.
func (s *Store) SystemEntity(ctx context.Context, scope graph.Scope, system, name string) (Node, error) {
	n, err := s.named(ctx, scope, system, name)
	if !errors.Is(err, fault.ErrNotFound) || !validSystemName(name) {
		return n, err
	}
	rows, failed := findSystemAlias.Read(ctx, s.db, map[string]any{"team_id": scope.TeamID, "system": system, "name": name, "query": graph.AliasQuery(scope.TeamID, name)})
	if failed != nil || len(rows) != 1 {
		return n, cmp.Or(failed, err)
	}
	return rows[0].Entity.node(), nil
}

func (s *Store) named(ctx context.Context, scope graph.Scope, system, name string) (Node, error) {
	if !validSystemName(name) {
		return Node{}, fmt.Errorf("find entity: %w", fault.ErrNotFound)
	}
	row, err := findSystemEntities.ReadOne(ctx, s.db, map[string]any{
		"team_id": scope.TeamID, "natural_keys": []string{naturalKey(system, name)},
	})
	if err != nil {
		return Node{}, err
	}
	return row.Entity.node(), nil
}

// ChangeSystemEntity updates an existing entity, found by the write's name. Errors: ErrNotFound, InvalidError.
func (s *Store) ChangeSystemEntity(ctx context.Context, scope graph.Scope, system string, w *EntityWrite) (Node, error) {
	f := &graph.Faults{}
	w.check(f, fault.Path{})
	if err := f.Err(); err != nil && validSystemName(w.Name) {
		return Node{}, err
	}
	return s.changeEntity(ctx, scope, system, w.Name, func(j *job, _ *plannedNode) error {
		j.mergeNode(w, fault.Path{})
		return j.faults.Err()
	})
}

func validSystemName(name string) bool {
	f := &graph.Faults{}
	checkName(f, fault.Path{}, name)
	return f.Len() == 0
}

// RenameSystemEntity changes the name of an entity; its relationships stay. Errors: ErrNotFound, InvalidError,
// ErrConflict if another entity has the name.
func (s *Store) RenameSystemEntity(ctx context.Context, scope graph.Scope, system, name, next string) (Node, error) {
	f := &graph.Faults{}
	if checkName(f, fault.At("name"), next); f.Err() != nil {
		return Node{}, f.Err()
	}
	return s.changeEntity(ctx, scope, system, name, func(j *job, n *plannedNode) error {
		if err := j.loadNodes([]string{next}); err != nil || next == name {
			return err
		}
		if j.nodes[next] != nil {
			return fmt.Errorf("rename: the system already has an entity of that name: %w", fault.ErrConflict)
		}
		j.adopt(n)
		n.Name, n.changed = next, true
		return nil
	})
}

// loadNode loads one entity by its name, or returns ErrNotFound.
func (j *job) loadNode(name string) (*plannedNode, error) {
	if validSystemName(name) {
		if err := j.loadNodes([]string{name}); err != nil {
			return nil, err
		}
	}
	if n := j.nodes[name]; n != nil {
		return n, nil
	}
	return nil, fmt.Errorf("find entity: %w", fault.ErrNotFound)
}

// changeEntity changes one entity and returns the changed entity.
func (s *Store) changeEntity(ctx context.Context, scope graph.Scope, system, name string, change func(*job, *plannedNode) error) (Node, error) {
	var changed Node
	err := s.systemWrite(ctx, scope, system, func(j *job) error {
		n, err := j.loadNode(name)
		if err != nil {
			return err
		}
		if err := change(j, n); err != nil {
			return err
		}
		if err := j.save(); err != nil {
			return err
		}
		changed = n.Node
		return nil
	})
	return changed, err
}

// DeleteSystemEntity deletes an entity with its relationships and returns their numbers, or ErrNotFound.
func (s *Store) DeleteSystemEntity(ctx context.Context, scope graph.Scope, system, name string) (Counts, error) {
	var deleted Counts
	err := s.systemWrite(ctx, scope, system, func(j *job) error {
		n, err := j.loadNode(name)
		if err != nil {
			return err
		}
		if deleted, err = j.deleteNodes([]string{n.EntityKey}); err != nil {
			return err
		}
		return j.touch()
	})
	return deleted, err
}
