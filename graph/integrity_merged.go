package graph

import (
	"context"

	"kith/graph/neo"
)

var (
	integrityMerged = neo.Load[keyPage[ledAstray]]("integrity_merged")
	deleteMerged    = neo.Load[neo.None]("integrity_merged_delete")
)

// ledAstray is a key, and the node to which it leads though it must not.
type ledAstray struct{ Key, Into string }

// merged reports keys that lead to nodes with which they were never merged.
func (c *checker) merged(ctx context.Context, team string) error {
	return checkPages(ctx, c, integrityMerged, team, func(wrong ledAstray) error {
		f := Finding{Check: "merged", TeamID: team, Key: wrong.Key, Detail: "leads to a node into which it was not merged: " + wrong.Into}
		return c.report(ctx, f, c.run(deleteMerged, map[string]any{"team_id": team, "key": wrong.Key, "into": wrong.Into}))
	})
}
