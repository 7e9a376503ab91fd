package graph

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"kith/graph/neo"
	"kith/graph/trust"
	"kith/internal/bounds"
	"kith/internal/fault"
)

var (
	lockNumbers       = neo.Load[lockedNumbers]("system_lock")
	saveNumbers       = neo.Load[neo.None]("system_save")
	countItems        = neo.Load[itemCounts]("system_count")
	findSystemNumbers = neo.Load[[]int64]("system_numbers") // that items of a system have
)

// SystemRelationshipType is the type of all relationships within systems. It is not for callers of POST /v1/memory.
const SystemRelationshipType = "system_relationship"

// MaxSystemItems is the maximum number of entities and relationships of a system, so that one write can always store
// its file.
const MaxSystemItems = bounds.Items

// lockedNumbers is the number of a system's next item, and its version; 0 if it is new.
type lockedNumbers struct {
	NextSeq, Version int64
	UpdatedAt        time.Time
}

// itemCounts are the numbers of entities and relationships of a system.
type itemCounts struct{ Entities, Relationships int64 }

// systemIsFull is the refusal of items for which a system has no room.
var systemIsFull = fmt.Sprintf("the system is full: it may have at most %d entities and relationships", MaxSystemItems)

// bySystem holds new entities or relationships by system, in the order of the write.
type bySystem map[string][]Properties

func (b bySystem) add(row map[string]any) {
	p, _ := row["properties"].(map[string]any)
	system := neo.Text(p["system"])
	b[system] = append(b[system], p)
}

// numberSystems gives new system entities a number (seq) in their system, and refuses those without room.
func (j *memoryJob) numberSystems(plan *nodePlan) error {
	added := bySystem{}
	for _, row := range plan.create {
		if row["label"] == SystemEntityKind.Label {
			added.add(row)
		}
	}
	beyond, err := j.number(added, "entity_key")
	if err != nil || len(beyond) == 0 {
		return err
	}
	plan.create = slices.DeleteFunc(plan.create, func(row map[string]any) bool { return beyond[neo.Text(row["entity_key"])] })
	for i := range j.result.Nodes {
		if r := &j.result.Nodes[i]; beyond[r.EntityKey] && r.Status != Refused {
			r.EntityKey, r.Version = j.write.Nodes[i].EntityKey, 0
			r.Status, r.Error = j.refuse(fault.At("nodes").Index(i), refusal{"system", fault.Conflict, systemIsFull})
		}
	}
	for key := range beyond {
		delete(j.found.byNatural, j.found.byKey[key].Text("natural_key"))
		delete(j.found.byKey, key)
	}
	return nil
}

// numberRelationships does the same for relationships.
func (j *memoryJob) numberRelationships(plan *relationshipPlan) error {
	added := bySystem{}
	for _, row := range plan.create {
		if row["type"] == SystemRelationshipType {
			added.add(row)
		}
	}
	beyond, err := j.number(added, "key")
	if err != nil || len(beyond) == 0 {
		return err
	}
	plan.create = slices.DeleteFunc(plan.create, func(row map[string]any) bool { return beyond[neo.Text(row["key"])] })
	for i := range j.result.Relationships {
		if r := &j.result.Relationships[i]; beyond[r.Key] {
			r.Key, r.Version = "", 0
			r.Status, r.Error = j.refuse(fault.At("relationships").Index(i).Field("history"), refusal{"system", fault.Conflict, systemIsFull})
		}
	}
	return nil
}

// number numbers the items that a write adds to systems. It returns those without room, the last ones, by the
// property key.
func (j *memoryJob) number(added bySystem, key string) (map[string]bool, error) {
	beyond := map[string]bool{}
	for _, system := range slices.Sorted(maps.Keys(added)) { // sorted, since each is locked
		all := added[system]
		room, err := j.numberSystem(system, all)
		if err != nil {
			return nil, err
		}
		for _, p := range all[room:] {
			beyond[p.Text(key)] = true
		}
	}
	return beyond, nil
}

// numberSystem numbers as many items as the system has room for and returns their count.
func (j *memoryJob) numberSystem(system string, added []Properties) (int, error) {
	locked, err := lockNumbers.ExecOne(j.tx, map[string]any{"team_id": j.scope.TeamID, "system": system, "now": j.now})
	if err != nil {
		return 0, err
	}
	j.tx.NotBefore(locked.UpdatedAt)
	next := locked.NextSeq
	room, err := j.room(system, next, len(added))
	if err != nil || room == 0 {
		return 0, err
	}
	added = added[:room]
	n := numbersTaken(next, nil)
	if given := numbersOf(added); len(given) > 0 {
		taken, err := findSystemNumbers.ExecOne(j.tx, map[string]any{"team_id": j.scope.TeamID, "system": system, "numbers": given})
		if err != nil {
			return 0, err
		}
		n = numbersTaken(next, taken)
	}
	n.settle(added)
	if j.grown == nil {
		j.grown = map[string]int64{}
	}
	j.grown[system] += int64(room)
	err = saveNumbers.Run(j.tx, map[string]any{"team_id": j.scope.TeamID, "system": system, "next_seq": n.next, "now": j.now})
	return room, err
}

// room returns how many of the added items a system has room for. Numbers are never reused, so counting is needed
// only when they reach the limit.
func (j *memoryJob) room(system string, next int64, added int) (int, error) {
	planned, err := j.write.plan.added(system)
	if err != nil || next+planned+int64(added) <= MaxSystemItems {
		return added, err
	}
	stored, err := countItems.ExecOne(j.tx, map[string]any{"team_id": j.scope.TeamID, "system": system})
	if err != nil {
		return 0, err
	}
	left := MaxSystemItems - planned - stored.Entities - stored.Relationships
	return int(min(max(left, 0), int64(added))), nil
}

// NamedEntity is the name of an entity of a system, and how far the entity is believed.
type NamedEntity struct {
	Name string
	trust.Told
}

// SystemAliases returns the entities of a system by their aliases among some names, which are compared exactly. A name of several is not
// one.
func (t *Tx) SystemAliases(team, system string, names []string) (map[string]NamedEntity, error) {
	var keys []string
	for _, name := range names {
		keys = append(keys, aliasKey("", name))
	}
	found, err := t.find(team, lookups{aliases: keys})
	known := map[string]NamedEntity{}
	for _, name := range names {
		of := slices.DeleteFunc(slices.Clone(found.byAlias[aliasKey("", name)]), func(n *stored) bool {
			return n.kind != SystemEntityKind || n.Text("system") != system || !slices.Contains(n.Texts("aliases"), name)
		})
		if len(of) == 1 {
			known[name] = NamedEntity{of[0].Text("name"), of[0].Told()}
		}
	}
	return known, err
}
