package graph

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// SystemEntity is a technical or process artifact of a software system, in the form of the memory file. Its name is
// unique in the system.
type SystemEntity struct {
	Name        string          `json:"name" max:"512" word:"trimmed" doc:"unique in the system; 1 to 512 characters, no blanks around them"`
	Description string          `json:"description" max:"16384" required:"false" doc:"at most 16,384 characters"`
	Type        string          `json:"type" max:"128" word:"true" doc:"the class of the entity; 1 to 128 characters"`
	Tags        []string        `json:"tags" max:"100" required:"false" doc:"at most 100, of 1 to 256 characters"`
	Properties  json.RawMessage `json:"properties" required:"false" doc:"an object; at most 16,384 bytes, 8 levels; numbers are kept as they are written"`
}

// SystemRelationship leads from an entity of a system to another, both by name. There is at most one of a type
// between two entities.
type SystemRelationship struct {
	From       string          `json:"from" max:"512" word:"trimmed" doc:"name of an entity"`
	To         string          `json:"to" max:"512" word:"trimmed" doc:"name of an entity"`
	Type       string          `json:"type" max:"128" word:"trimmed" doc:"free text; 1 to 128 characters, no blanks around them"`
	Properties json.RawMessage `json:"properties" required:"false" doc:"an object; at most 16,384 bytes, 8 levels"`
}

// SystemMemory has all entities and relationships of a system, in the order in which they were added. Its lists are
// never null.
type SystemMemory struct {
	Entities      []SystemEntity       `json:"entities" maxItems:"10000" doc:"each name once; entities and relationships together are at most 10,000"`
	Relationships []SystemRelationship `json:"relationships" maxItems:"10000" doc:"between these entities, one of a type from an entity to another"`
}

// SystemCounts are numbers of entities and relationships.
type SystemCounts struct {
	Entities      int64 `json:"entities"`
	Relationships int64 `json:"relationships"`
}

// System is an entry in the list of systems.
type System struct {
	System string `json:"system"`
	SystemCounts
	Version   int64     `json:"version" doc:"grows with every write that changes something"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// MaxSystemItems is the maximum number of entities and relationships of a system, so that one write can always store
// its file.
const MaxSystemItems = MaxItems

const (
	systemEntityLabel      = "SystemEntity"
	systemRelationshipType = "system_relationship" // not for callers of POST /v1/memory
	maxTypeLength          = 128
)

// systemNaturalKey returns the natural key of a system entity. Its parts cannot contain the separator, because they
// have no control characters.
func systemNaturalKey(system, name string) string {
	return "system_entity\x1f\x1f" + system + "\x1f" + name
}

// settled is the time after a write after which a system can be read without a lock. The database makes a committing
// transaction visible piece by piece. The recorded time of a write is its beginning, and it takes less than this.
const settled = 30 * time.Second

// SystemMemory returns a consistent copy of a system, without partial writes. It is empty for a system that was never
// written.
func (s *Store) SystemMemory(ctx context.Context, scope Scope, system string) (SystemMemory, error) {
	rows, err := s.read(ctx, s.queries["system_load"], map[string]any{"team_id": scope.TeamID, "system": system})
	if err != nil {
		return SystemMemory{}, err
	}
	v := rows[0]
	entities, relationships := items(v[1]), items(v[2])
	unchanged := v[0] == v[3] && s.now().Sub(moment(v[4])) > settled
	if v[0] == nil && len(entities)+len(relationships) > 0 {
		unchanged = false // it was written and deleted in between
	}
	if unchanged {
		return systemMemoryFrom(entities, relationships), nil
	}
	return s.heldMemory(ctx, scope, system)
}

// heldMemory is SystemMemory for a system that may be written at the moment: its writers wait.
func (s *Store) heldMemory(ctx context.Context, scope Scope, system string) (m SystemMemory, err error) {
	err = s.systemWrite(ctx, scope, system, func(j *systemJob) error {
		if j.fresh {
			return ErrNotFound // deleted; reading does not restore it
		}
		rows, err := j.tx.exec("system_load", map[string]any{"team_id": scope.TeamID, "system": system})
		if err == nil {
			m = systemMemoryFrom(items(rows[0][1]), items(rows[0][2]))
		}
		return err
	})
	if errors.Is(err, ErrNotFound) {
		return systemMemoryFrom(nil, nil), nil
	}
	return m, err
}

func systemMemoryFrom(entities, relationships []any) SystemMemory {
	m := SystemMemory{Entities: make([]SystemEntity, len(entities)), Relationships: []SystemRelationship{}}
	names := make(map[string]string, len(entities))
	for i, row := range entities {
		n := systemNodeFrom(row)
		m.Entities[i], names[n.EntityKey] = n.SystemEntity, n.Name
	}
	for _, row := range relationships {
		l := systemLinkFrom(row)
		from, fromFound := names[l.fromKey]
		to, toFound := names[l.toKey]
		if fromFound && toFound {
			l.From, l.To = from, to // from the entities: one may have been renamed in between
			m.Relationships = append(m.Relationships, l.SystemRelationship)
		}
	}
	return m
}

// Systems returns the systems of the team whose names come after the given one, by name.
func (s *Store) Systems(ctx context.Context, scope Scope, after string, limit int64) ([]System, error) {
	if err := utf8Faults("cursor", after); err != nil {
		return nil, err
	}
	rows, err := s.read(ctx, s.queries["system_list"], map[string]any{
		"team_id": scope.TeamID, "after_name": after, "limit": limit,
	})
	all := make([]System, len(rows))
	for i, row := range rows {
		l := items(row[0])
		all[i] = System{
			System: text(l[0]), SystemCounts: SystemCounts{integer(l[1]), integer(l[2])},
			Version: integer(l[3]), CreatedAt: millis(l[4]), UpdatedAt: millis(l[5]),
		}
	}
	return all, err
}

// DeleteSystem deletes a system with its entities and relationships and returns their numbers, or ErrNotFound.
func (s *Store) DeleteSystem(ctx context.Context, scope Scope, system string) (SystemCounts, error) {
	var deleted SystemCounts
	err := s.systemWrite(ctx, scope, system, func(j *systemJob) error {
		if j.fresh {
			return ErrNotFound
		}
		rows, err := j.tx.exec("system_delete", map[string]any{"team_id": scope.TeamID, "system": system})
		if err != nil {
			return err
		}
		deleted = SystemCounts{integer(rows[0][0]), integer(rows[0][1])}
		return nil
	})
	return deleted, err
}
