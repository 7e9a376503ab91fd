package graph

import (
	"context"

	"kith/neo"
)

var (
	auditMerged  = neo.Load[mergedPage]("audit_merged")
	deleteMerged = neo.Load[neo.None]("audit_merged_delete")
)

// mergedPage is a page of the keys of deleted nodes: how many were read, the last one, and those that lead to a wrong node.
type mergedPage struct {
	Seen  int64
	Last  string
	Wrong []ledAstray
}

// ledAstray is a key, and the node to which it leads though it must not.
type ledAstray struct{ Key, Into string }

// merged reports keys that lead to nodes with which they were never merged.
func (a *auditor) merged(ctx context.Context, team string) error {
	for after := ""; ; {
		page, err := auditMerged.ReadOne(ctx, a.store.db, map[string]any{"team_id": team, "after": after, "limit": auditPage})
		if err != nil {
			return err
		}
		for _, wrong := range page.Wrong {
			f := Finding{Check: "merged", TeamID: team, Key: wrong.Key, Detail: "leads to a node into which it was not merged: " + wrong.Into}
			if err := a.report(ctx, f, a.run(deleteMerged, map[string]any{"team_id": team, "key": wrong.Key, "into": wrong.Into})); err != nil {
				return err
			}
		}
		if page.Seen < auditPage {
			return nil
		}
		after = page.Last
	}
}
