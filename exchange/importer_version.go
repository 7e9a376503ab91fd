package exchange

import (
	"context"

	"kith/graph"
	"kith/internal/fault"
)

// addVersion adds a former version to the batch. It is of the record under the key that the team has for it.
func (i *importer) addVersion(ctx context.Context, item Item) error {
	var l struct {
		graph.VersionLine
		inTeam
	}
	if err := decodeItem(item.Raw, &l, &l.inTeam, i.scope.TeamID); err != nil {
		return i.recordFaults(ctx, item, fault.Fields(err)...)
	}
	if fields := i.Memory.CheckVersion(&l.VersionLine, i.scope); len(fields) > 0 {
		return i.recordFaults(ctx, item, fields...)
	}
	if err := i.followAliases(&l.Of); err != nil {
		return err
	}
	i.batch.Versions = append(i.batch.Versions, l.VersionLine)
	i.batch.versionLines = append(i.batch.versionLines, item.Line)
	i.batch.bytes += len(item.Raw)
	return nil
}
