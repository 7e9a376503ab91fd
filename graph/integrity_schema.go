package graph

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"kith/cypher"
	"kith/graph/neo"
)

var (
	countKeyed  = neo.Load[keyedNodes]("integrity_keyed")
	findUnkeyed = neo.Load[unkeyedNode]("integrity_unkeyed")
	setKey      = neo.Load[neo.None]("integrity_key")
)

// keyedNodes is the number of nodes with a team and a key, and of all nodes before and after these were counted.
type keyedNodes struct{ Before, Keyed, After int64 }

// unkeyedNode is a node without a team or a key. ID is the element id.
type unkeyedNode struct{ ID, TeamID string }

// schema reports a database whose schema differs from the schema of this binary.
func (c *checker) schema(ctx context.Context) error {
	stored, err := c.store.SchemaVersion(ctx)
	if err != nil {
		return err
	}
	if known := len(cypher.Migrations()); stored != known {
		f := Finding{Check: "schema", Detail: fmt.Sprintf("the schema has version %d, this kith needs %d", stored, known)}
		if stored > known { // only the newer version knows what belongs there
			f.Advice = "use a newer kith"
			return c.report(ctx, f, nil)
		}
		if err := c.report(ctx, f, c.store.renewSchema); err != nil || !c.options.Fix { // missing names belong to the newer version
			return err
		}
	}
	there, err := findSchemaNames.ReadOne(ctx, c.store.db, nil)
	if err != nil {
		return err
	}
	for _, part := range schemaParts() {
		if slices.Contains(there, part.name) {
			continue
		}
		f := Finding{Check: "schema", Key: part.name, Detail: "an index or constraint is missing",
			Advice: "a constraint cannot be created while nodes break it: repair the other findings, then run kith check --fix"}
		if err := c.report(ctx, f, c.store.renewSchema); err != nil {
			return err
		}
	}
	return nil
}

// unkeyed reports nodes without a team or a key. No index has them. All nodes are read only if the counts differ: there are such nodes, or
// others were written meanwhile.
func (c *checker) unkeyed(ctx context.Context) error {
	nodes, err := countKeyed.ReadOne(ctx, c.store.db, nil)
	if err != nil || nodes.Before == nodes.Keyed && nodes.Keyed == nodes.After {
		return err
	}
	rows, err := findUnkeyed.Read(ctx, c.store.db, map[string]any{"team_id": OrNil(c.options.TeamID), "limit": readCheckedPage})
	for _, row := range rows {
		f := Finding{Check: "unkeyed", TeamID: row.TeamID, Key: "element " + row.ID, Detail: "has no entity_key"}
		repair := c.run(setKey, map[string]any{"team_id": row.TeamID, "id": row.ID, "entity_key": uuid.Must(uuid.NewV7()).String()})
		if row.TeamID == "" {
			f.Detail, f.Advice, repair = "has no team_id", "its team is unknown: delete it by hand", nil
		}
		if err := c.report(ctx, f, repair); err != nil {
			return err
		}
	}
	return err
}
