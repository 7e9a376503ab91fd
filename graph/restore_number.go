package graph

import (
	"maps"
	"slices"
)

// maxNumber is the highest number that an import may give to what is numbered: the next ones are still exact in JSON.
const maxNumber = 1 << 53

func (f *faults) number(location string, o Optional[int64]) {
	if o.Given && !o.Null && (o.Value < 0 || o.Value > maxNumber) {
		f.add(location, "must be from 0 to %d", maxNumber)
	}
}

// numbers keeps what an import adds from getting a number that something else of the same list has: where two stores are
// put together it is numbered on, as if it were new, and nothing is lost.
type numbers struct {
	next  int64
	taken map[int64]bool
}

func numbersTaken(next int64, taken any) *numbers {
	n := &numbers{next: next, taken: map[int64]bool{}}
	for _, number := range items(taken) {
		n.taken[integer(number)] = true
	}
	return n
}

// settle takes the number that properties have, in the order of the file, or gives another one.
func (n *numbers) settle(p properties) {
	seq := p.integer("seq")
	if n.taken[seq] {
		seq = n.next
		p["seq"] = seq
	}
	n.taken[seq] = true
	n.next = max(n.next, seq+1)
}

func numbersOf(all []properties) []int64 {
	given := make([]int64, len(all))
	for i, p := range all {
		given[i] = p.integer("seq")
	}
	return given
}

// numberMessages settles the numbers of the messages that an import adds to a source. Of a source that a dry run only
// assumes no number is known.
func (j *memoryJob) numberMessages(source *stored, restored []restoredMessage) error {
	added := make([]properties, len(restored))
	for i, m := range restored {
		added[i], _ = m.row["properties"].(map[string]any)
	}
	rows, err := j.tx.exec("message_numbers", map[string]any{
		"team_id": j.scope.TeamID, "source_key": source.key(), "numbers": numbersOf(added),
	})
	if err != nil || len(rows) == 0 {
		return err
	}
	n := numbersTaken(integer(rows[0].Values[0]), rows[0].Values[1])
	for _, p := range added {
		n.settle(p)
	}
	return nil
}

// restoredNumbers are the entities of a system that an import adds with numbers, or its relationships.
type restoredNumbers map[string][]properties

func (r restoredNumbers) note(p properties) {
	system := p.text("system")
	r[system] = append(r[system], p)
}

// restoreNumbers settles the numbers of what an import adds to systems, and makes the systems number on after them.
func (j *memoryJob) restoreNumbers(entities, relationships restoredNumbers) error {
	systems := slices.Concat(slices.Collect(maps.Keys(entities)), slices.Collect(maps.Keys(relationships)))
	rows := []map[string]any{}
	for _, system := range distinct(systems) { // in one order, since each is locked
		next, err := j.restoreSystem(system, entities[system], relationships[system])
		if err != nil {
			return err
		}
		rows = append(rows, map[string]any{"system": system, "next_seq": next})
	}
	return j.tx.rows("system_restore", j.scope.TeamID, rows)
}

// numberRelationships settles the numbers of the relationships that an import adds to systems.
func (j *memoryJob) numberRelationships(plan *relationshipPlan) error {
	restored := restoredNumbers{}
	for _, row := range plan.create {
		if p, _ := row["properties"].(map[string]any); row["type"] == systemRelationshipType {
			restored.note(p)
		}
	}
	return j.restoreNumbers(nil, restored)
}

func (j *memoryJob) restoreSystem(system string, entities, relationships []properties) (int64, error) {
	locked, err := j.tx.exec("system_lock", map[string]any{"team_id": j.scope.TeamID, "system": system, "now": j.now})
	if err != nil {
		return 0, err
	}
	rows, err := j.tx.exec("system_numbers", map[string]any{
		"team_id": j.scope.TeamID, "system": system, "entities": numbersOf(entities), "relationships": numbersOf(relationships),
	})
	if err != nil {
		return 0, err
	}
	next := integer(locked[0].Values[0])
	for i, list := range [][]properties{entities, relationships} {
		n := numbersTaken(next, rows[0].Values[i])
		for _, p := range list {
			n.settle(p)
		}
		next = n.next
	}
	return next, nil
}
