package graph

import (
	"context"

	"kith/neo"
)

var (
	auditVersions  = neo.Load[versionsPage]("audit_versions")
	purgeVersions  = neo.Load[neo.None]("audit_version_purge")
	auditFeed      = neo.Load[int64]("audit_feed")
	countInTheFeed = neo.Load[neo.None]("audit_feed_count")
)

// versionsPage is a page of the records with former versions: how many were read, the last one's key, and those that are gone.
type versionsPage struct {
	Seen  int64
	Last  string
	Wrong []lostRecord
}

// lostRecord is a node that is neither stored nor deleted.
type lostRecord struct{ Key, Kind string }

// past reports versions of nodes that are gone, and a feed that would use a number again.
func (a *auditor) past(ctx context.Context, team string) error {
	for after := ""; ; {
		page, err := auditVersions.ReadOne(ctx, a.store.db, map[string]any{"team_id": team, "after": after, "limit": auditPage})
		if err != nil {
			return err
		}
		for _, lost := range page.Wrong {
			f := Finding{Check: "versions", TeamID: team, Kind: lost.Kind, Key: lost.Key, Detail: "has former versions, but the node is gone"}
			if err := a.report(ctx, f, a.run(purgeVersions, map[string]any{"team_id": team, "key": lost.Key})); err != nil {
				return err
			}
		}
		if page.Seen < auditPage {
			return a.feed(ctx, team)
		}
		after = page.Last
	}
}

func (a *auditor) feed(ctx context.Context, team string) error {
	behind, err := auditFeed.Read(ctx, a.store.db, map[string]any{"team_id": team})
	if err != nil || len(behind) == 0 {
		return err
	}
	f := Finding{Check: "feed", TeamID: team, Detail: "its feed of changes does not count its last commit"}
	return a.report(ctx, f, a.run(countInTheFeed, map[string]any{"team_id": team, "last": behind[0]}))
}
