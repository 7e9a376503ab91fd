package graph

import (
	"context"

	"kith/graph/neo"
)

var (
	auditVersions  = neo.Load[keyPage[lostRecord]]("audit_versions")
	purgeVersions  = neo.Load[neo.None]("audit_version_purge")
	auditFeed      = neo.Load[int64]("audit_feed")
	countInTheFeed = neo.Load[neo.None]("audit_feed_count")
)

// lostRecord is a node that is neither stored nor deleted.
type lostRecord struct{ Key, Kind string }

// past reports versions of nodes that are gone, and a feed that would use a number again.
func (a *auditor) past(ctx context.Context, team string) error {
	err := auditPages(ctx, a, auditVersions, team, func(lost lostRecord) error {
		f := Finding{Check: "versions", TeamID: team, Kind: lost.Kind, Key: lost.Key, Detail: "has former versions, but the node is gone"}
		return a.report(ctx, f, a.run(purgeVersions, map[string]any{"team_id": team, "key": lost.Key}))
	})
	if err != nil {
		return err
	}
	return a.feed(ctx, team)
}

func (a *auditor) feed(ctx context.Context, team string) error {
	behind, err := auditFeed.Read(ctx, a.store.db, map[string]any{"team_id": team})
	if err != nil || len(behind) == 0 {
		return err
	}
	f := Finding{Check: "feed", TeamID: team, Detail: "its feed of changes does not count its last commit"}
	return a.report(ctx, f, a.run(countInTheFeed, map[string]any{"team_id": team, "last": behind[0]}))
}
