package system

import (
	"context"
	"time"

	"kith/graph"
	"kith/graph/neo"
)

var loadSystemAt = neo.Load[loadedSystem]("system_load_at")

// listed is the key under which the keys of what was deleted from a system are kept.
func listed(system string) string { return "system" + graph.KeySeparator + system }

// SystemMemoryAt does the same as SystemMemory for a system as it was at a time; nil stands for the present. It has what was deleted
// since, in the places of that time.
func (s *Store) SystemMemoryAt(ctx context.Context, scope graph.Scope, system string, at *time.Time) (Memory, error) {
	if at == nil {
		return s.SystemMemory(ctx, scope, system)
	}
	params := map[string]any{"team_id": scope.TeamID, "system": system, "listed": listed(system), "at": at.UnixMilli()}
	loaded, err := loadSystemAt.ReadOne(ctx, s.db, params)
	if err != nil {
		return Memory{}, err
	}
	if loaded.Before != nil && loaded.unchanged() && s.graph.Now().Sub(loaded.UpdatedAt) > settled {
		return loaded.memory(), nil
	}
	return s.heldMemory(ctx, scope, system, loadSystemAt, params)
}
