package system

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"kith/graph"
	"kith/graph/neo"
	"kith/graph/trust"
	"kith/internal/fault"
)

var (
	lockSystem   = neo.Load[lockedSystem]("system_lock")
	loadSystem   = neo.Load[loadedSystem]("system_load")
	listSystems  = neo.Load[listedSystem]("system_list")
	countSystem  = neo.Load[Counts]("system_count")
	saveSystem   = neo.Load[neo.None]("system_save")
	removeSystem = neo.Load[Counts]("system_delete")
)

// lockedSystem is the number of a system's next item, and its version; 0 if it is new.
type lockedSystem struct {
	NextSeq, Version int64
	UpdatedAt        time.Time
}

// loadedSystem is everything in a system, with its version before and after reading.
type loadedSystem struct {
	Before        *int64
	Entities      []systemNodeRow
	Relationships []systemLinkRow
	After         *int64
	UpdatedAt     time.Time
}

// listedSystem is a row of a list of systems.
type listedSystem struct{ System systemRow }

// systemRow is a system, in the order of system_list.
type systemRow struct {
	Name                             string
	Entities, Relationships, Version int64
	CreatedAt, UpdatedAt             time.Time
}

// Entity is a technical or process artifact of a software system, in the form of the memory file. Its name is
// unique in the system.
type Entity struct {
	Name        string          `json:"name" max:"512" word:"trimmed" doc:"unique in the system; 1 to 512 characters, no blanks around them"`
	Description string          `json:"description" max:"16384" required:"false" doc:"at most 16,384 characters"`
	Type        string          `json:"type" max:"128" word:"true" doc:"the class of the entity; 1 to 128 characters"`
	Tags        []string        `json:"tags" max:"100" required:"false" doc:"at most 100, of 1 to 256 characters"`
	Properties  json.RawMessage `json:"properties" required:"false" doc:"an object; at most 16,384 bytes, 8 levels; numbers are kept as they are written"`
	Told        trust.Told      `json:"-"` // of a stored one that was written as a node
}

// Relationship leads from an entity of a system to another, both by name. There is at most one of a type
// between two entities.
type Relationship struct {
	From       string          `json:"from" max:"512" word:"trimmed" doc:"name of an entity"`
	To         string          `json:"to" max:"512" word:"trimmed" doc:"name of an entity"`
	Type       string          `json:"type" max:"128" word:"trimmed" doc:"free text; 1 to 128 characters, no blanks around them"`
	Properties json.RawMessage `json:"properties" required:"false" doc:"an object; at most 16,384 bytes, 8 levels"`
}

// Memory has all entities and relationships of a system, in the order in which they were added. Its lists are
// never null.
type Memory struct {
	Entities      []Entity       `json:"entities" maxItems:"10000" doc:"each name once; entities and relationships together are at most 10,000"`
	Relationships []Relationship `json:"relationships" maxItems:"10000" doc:"between these entities, one of a type from an entity to another"`
}

// Counts are numbers of entities and relationships.
type Counts struct {
	Entities      int64 `json:"entities"`
	Relationships int64 `json:"relationships"`
}

// System is an entry in the list of systems.
type System struct {
	System string `json:"system"`
	Counts
	Version   int64     `json:"version" doc:"grows with every write that changes something"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

const (
	systemEntityLabel = "SystemEntity"
	maxTypeLength     = 128
)

// naturalKey returns the natural key of a system entity. Its parts cannot contain the separator, because they
// have no control characters.
func naturalKey(system, name string) string {
	return "system_entity\x1f\x1f" + system + "\x1f" + name
}

// settled is the time after a write after which a system can be read without a lock. The database makes a committing
// transaction visible piece by piece. The recorded time of a write is its beginning, and it takes less than this.
const settled = 30 * time.Second

// SystemMemory returns a consistent copy of a system, without partial writes. It is empty for a system that was never
// written.
func (s *Store) SystemMemory(ctx context.Context, scope graph.Scope, system string) (Memory, error) {
	loaded, err := loadSystem.ReadOne(ctx, s.db, map[string]any{"team_id": scope.TeamID, "system": system})
	if err != nil {
		return Memory{}, err
	}
	if loaded.unchanged() && s.graph.Now().Sub(loaded.UpdatedAt) > settled {
		return loaded.memory(), nil
	}
	return s.heldMemory(ctx, scope, system, loadSystem, map[string]any{"team_id": scope.TeamID, "system": system})
}

// heldMemory reads a system that may be written at the moment: its writers wait.
func (s *Store) heldMemory(ctx context.Context, scope graph.Scope, system string, load neo.Query[loadedSystem], params map[string]any) (m Memory, err error) {
	err = s.systemWrite(ctx, scope, system, func(j *job) error {
		loaded, err := load.ExecOne(j.tx, params)
		m = loaded.memory()
		if err == nil && j.fresh {
			return errNotWritten // never written, or deleted; reading does not restore it
		}
		return err
	})
	if errors.Is(err, errNotWritten) {
		err = nil
	}
	return m, err
}

var errNotWritten = fmt.Errorf("the system was not written: %w", fault.ErrNotFound)

// unchanged reports whether nobody wrote the system while it was read.
func (s *loadedSystem) unchanged() bool {
	if s.Before == nil || s.After == nil { // with items, it was written and deleted in between
		return s.Before == s.After && len(s.Entities)+len(s.Relationships) == 0
	}
	return *s.Before == *s.After
}

func (s *loadedSystem) memory() Memory {
	m := Memory{Entities: make([]Entity, len(s.Entities)), Relationships: []Relationship{}}
	names := make(map[string]string, len(s.Entities))
	for i := range s.Entities {
		n := s.Entities[i].node()
		m.Entities[i], names[n.EntityKey] = n.Entity, n.Name
	}
	for i := range s.Relationships {
		l := s.Relationships[i].link()
		from, fromFound := names[l.fromKey]
		to, toFound := names[l.toKey]
		if fromFound && toFound {
			l.From, l.To = from, to // from the entities: one may have been renamed in between
			m.Relationships = append(m.Relationships, l.Relationship)
		}
	}
	return m
}

// Systems returns the systems of the team whose names come after the given one, by name.
func (s *Store) Systems(ctx context.Context, scope graph.Scope, after string, limit int64) ([]System, error) {
	if err := utf8Faults("cursor", after); err != nil {
		return nil, err
	}
	rows, err := listSystems.Read(ctx, s.db, map[string]any{
		"team_id": scope.TeamID, "after_name": after, "limit": limit,
	})
	all := make([]System, len(rows))
	for i, row := range rows {
		r := row.System
		all[i] = System{
			System: r.Name, Counts: Counts{r.Entities, r.Relationships},
			Version: r.Version, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
		}
	}
	return all, err
}

// DeleteSystem deletes a system with its entities and relationships and returns their numbers, or ErrNotFound.
func (s *Store) DeleteSystem(ctx context.Context, scope graph.Scope, system string) (Counts, error) {
	var deleted Counts
	err := s.systemWrite(ctx, scope, system, func(j *job) (err error) {
		if j.fresh {
			return fault.ErrNotFound
		}
		deleted, err = removeSystem.ExecOne(j.tx, j.removal("system", system))
		return err
	})
	return deleted, err
}
