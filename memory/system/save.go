package system

import (
	"fmt"

	"kith/graph"
	"kith/graph/neo"
	"kith/graph/searchscope"
	"kith/internal/fault"
)

var (
	createSystemEntities      = neo.Load[int64]("system_entity_create")
	updateSystemEntities      = neo.Load[int64]("system_entity_update")
	createSystemRelationships = neo.Load[int64]("system_relationship_create")
	updateSystemRelationships = neo.Load[int64]("system_relationship_update")
)

// save stores the plan.
func (j *job) save() error {
	if err := j.bound(); err != nil {
		return err
	}
	changed := j.fresh || j.result.Removed != nil && *j.result.Removed != Counts{}
	created, updated := j.nodeRows()
	newLinks, changedLinks := j.linkRows()
	for _, step := range []struct {
		statement neo.Query[int64]
		rows      []map[string]any
	}{
		{createSystemEntities, created}, {updateSystemEntities, updated},
		{createSystemRelationships, newLinks}, {updateSystemRelationships, changedLinks},
	} {
		if err := j.write(step.statement, step.rows); err != nil {
			return err
		}
		changed = changed || len(step.rows) > 0
	}
	if !changed {
		return nil
	}
	return j.touch()
}

// write runs a statement for rows and checks that all were written: another caller, who does not hold the system, can
// change or delete an entity as a node. Then the whole write is done again.
func (j *job) write(statement neo.Query[int64], rows []map[string]any) error {
	if len(rows) == 0 {
		return nil
	}
	j.tx.Sign(rows)
	written, err := statement.ExecOne(j.tx, map[string]any{"team_id": j.team, "rows": rows})
	if err == nil && written != int64(len(rows)) {
		return fmt.Errorf("write system: an entity was changed or deleted in the meantime: %w", neo.ErrRace)
	}
	return err
}

// touch records that the system has changed.
func (j *job) touch() error {
	return saveSystem.Run(j.tx, map[string]any{
		"team_id": j.team, "system": j.system, "next_seq": j.nextSeq, "now": j.now,
	})
}

// bound refuses a system that has more items than its file could restore. Numbers are never reused, so counting is
// needed only when they reach the limit.
func (j *job) bound() error {
	added := int64(0)
	for _, n := range j.order {
		if n.isNew {
			added++
		}
	}
	for _, l := range j.linkOrder {
		if l.isNew {
			added++
		}
	}
	if j.nextSeq <= graph.MaxSystemItems || added == 0 || j.result.Removed != nil {
		return nil
	}
	stored, err := countSystem.ExecOne(j.tx, map[string]any{"team_id": j.team, "system": j.system})
	if err != nil {
		return err
	}
	if stored.Entities+stored.Relationships+added > graph.MaxSystemItems {
		return fault.Invalid(fault.At("entities"), fault.Conflict, "the system must have at most %d entities and relationships", graph.MaxSystemItems)
	}
	return nil
}

func (j *job) nodeRows() (created, updated []map[string]any) {
	for _, n := range j.order {
		switch {
		case n.isNew:
			p := j.newNodeProperties(n)
			j.tx.EmbedNew(graph.SystemEntityKind, p)
			created = append(created, map[string]any{"entity_key": n.EntityKey, "properties": p})
		case n.changed:
			n.Version++
			n.UpdatedAt = j.now
			row := map[string]any{"entity_key": n.EntityKey, "stored_version": n.Version - 1, "properties": j.properties(n), "former_text": n.former}
			if n.retold {
				j.tx.EmbedEntity(row)
			}
			updated = append(updated, row)
		case n.moved:
			updated = append(updated, j.moved(map[string]any{"entity_key": n.EntityKey}, n.Version, n.Seq))
		}
	}
	return created, updated
}

// moved returns the row of something that only has another place in the system.
func (j *job) moved(row map[string]any, version, seq int64) map[string]any {
	row["stored_version"] = version
	row["properties"], row["moved_at"], row["thin_at"] = map[string]any{"seq": seq}, j.now.UnixMilli(), graph.ThinAt(j.now)
	return row
}

// Properties returns the properties that a write may change.
func (j *job) properties(n *plannedNode) map[string]any {
	p := graph.Properties{
		"name": n.Name, "natural_key": naturalKey(j.system, n.Name), "search_name": nil,
		"description": n.Description, "type": n.Type, "tags": n.Tags, "properties": string(n.Properties),
		"seq": n.Seq, "version": n.Version, "updated_at": n.UpdatedAt,
	}
	if name := graph.NameKey(n.Name); name != "" { // otherwise an older one is removed
		p["search_name"] = name
	}
	return p
}

// newNodeProperties returns all properties of a new entity. Those of the lifecycle are for readers of any node: the
// knowledge of systems does not decay.
func (j *job) newNodeProperties(n *plannedNode) map[string]any {
	p := j.properties(n)
	p["system"], p["created_at"] = j.system, j.now
	p["search_scope"] = searchscope.Node(j.team, "", graph.SystemEntityKind.Name)
	p["state"], p["ttl_policy"], p["access_count"] = "active", "keep_forever", 0
	p["salience"], p["confidence"] = graph.DefaultSalience, graph.DefaultConfidence
	if j.user != "" {
		p["created_by"] = j.user
	}
	return p
}

func (j *job) linkRows() (created, updated []map[string]any) {
	for _, l := range j.linkOrder {
		switch {
		case l.isNew:
			created = append(created, l.row(map[string]any{
				"system": j.system, "from_key": l.fromKey, "to_key": l.toKey, "relationship_type": l.Type,
				"properties": string(l.Properties), "seq": l.Seq, "version": l.Version, "valid_from": j.now, "recorded_at": j.now, "updated_at": j.now,
				"state": "active", "salience": graph.DefaultSalience, "confidence": graph.DefaultRelationshipConfidence,
			}))
		case l.changed:
			l.Version++
			row := l.row(map[string]any{"properties": string(l.Properties), "seq": l.Seq, "version": l.Version, "updated_at": j.now})
			row["stored_version"], row["former_text"] = l.Version-1, l.former
			updated = append(updated, row)
		case l.moved:
			updated = append(updated, j.moved(l.row(nil), l.Version, l.Seq))
		}
	}
	return created, updated
}

// row returns the row with which statements find the relationship and set properties.
func (l *plannedLink) row(properties map[string]any) map[string]any {
	return map[string]any{
		"from_key": l.fromKey, "to_key": l.toKey, "relationship_type": l.Type, "key": l.Key, "version": l.Version, "properties": properties,
	}
}
