package graph

import (
	"fmt"
	"maps"
	"slices"
)

// numberSystems gives new entities of systems the place in their system that those of system writes have.
func (j *memoryJob) numberSystems(plan *nodePlan) error {
	bySystem, restored := map[string][]map[string]any{}, restoredNumbers{}
	for _, row := range plan.create {
		p, _ := row["properties"].(map[string]any)
		switch {
		case row["label"] != systemEntityKind.Label:
		case p["seq"] != nil: // an export has their numbers
			restored.note(p)
		default:
			system := text(p["system"])
			bySystem[system] = append(bySystem[system], p)
		}
	}
	if err := j.restoreNumbers(restored, nil); err != nil {
		return err
	}
	for _, system := range slices.Sorted(maps.Keys(bySystem)) {
		if err := j.numberSystem(system, bySystem[system]); err != nil {
			return err
		}
	}
	return nil
}

func (j *memoryJob) numberSystem(system string, entities []map[string]any) error {
	rows, err := j.tx.exec("system_lock", map[string]any{"team_id": j.scope.TeamID, "system": system, "now": j.now})
	if err != nil {
		return err
	}
	next := integer(rows[0].Values[0])
	for _, p := range entities {
		p["seq"] = next
		next++
	}
	if next > MaxSystemItems {
		rows, err := j.tx.exec("system_count", map[string]any{"team_id": j.scope.TeamID, "system": system})
		if err != nil {
			return err
		}
		if integer(rows[0].Values[0])+integer(rows[0].Values[1])+int64(len(entities)) > MaxSystemItems {
			message := fmt.Sprintf("a system would have more than %d entities and relationships", MaxSystemItems)
			return &InvalidError{Fields: []FieldError{{Location: "nodes", Message: message}}}
		}
	}
	_, err = j.tx.exec("system_save", map[string]any{"team_id": j.scope.TeamID, "system": system, "next_seq": next, "now": j.now})
	return err
}
