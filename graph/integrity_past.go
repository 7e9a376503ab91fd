package graph

import (
	"context"

	"kith/graph/neo"
)

var (
	integrityVersions = neo.Load[keyPage[lostRecord]]("integrity_versions")
	purgeVersions     = neo.Load[neo.None]("integrity_version_purge")
	integrityFeed     = neo.Load[int64]("integrity_feed")
	countInTheFeed    = neo.Load[neo.None]("integrity_feed_count")
)

// lostRecord is a node that is neither stored nor deleted.
type lostRecord struct{ Key, Kind string }

// past reports versions of nodes that are gone, and a feed that would use a number again.
func (c *checker) past(ctx context.Context, team string) error {
	err := checkPages(ctx, c, integrityVersions, team, func(lost lostRecord) error {
		f := Finding{Check: "versions", TeamID: team, Kind: lost.Kind, Key: lost.Key, Detail: "has former versions, but the node is gone"}
		return c.report(ctx, f, c.run(purgeVersions, map[string]any{"team_id": team, "key": lost.Key}))
	})
	if err != nil {
		return err
	}
	return c.feed(ctx, team)
}

func (c *checker) feed(ctx context.Context, team string) error {
	behind, err := integrityFeed.Read(ctx, c.store.db, map[string]any{"team_id": team})
	if err != nil || len(behind) == 0 {
		return err
	}
	f := Finding{Check: "feed", TeamID: team, Detail: "its feed of changes does not count its last commit"}
	return c.report(ctx, f, c.run(countInTheFeed, map[string]any{"team_id": team, "last": behind[0]}))
}
