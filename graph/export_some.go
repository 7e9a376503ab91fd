package graph

import (
	"context"
	"slices"

	"kith/graph/neo"
)

// An export reads again what has changed while it read the rest.

var (
	exportSomeNodes         = neo.Load[exportedNode]("export_some_nodes")
	exportSomeRelationships = neo.Load[exportedRelationship]("export_some_relationships")
	exportSomeFormer        = neo.Load[formerRecord]("former_export_some")
	exportLinks             = neo.Load[ExportLink]("export_links")
)

// Keys of one read: a record has many former versions.
const (
	exportedAtOnce       = 200
	exportedFormerAtOnce = 20
)

// ExportLink is a relationship with its ends; one between a source and its message has no key.
type ExportLink struct{ Key, From, To string }

// ExportSomeNodes is ExportNodes for the nodes with some keys that are stored.
func (s *Store) ExportSomeNodes(ctx context.Context, teamID string, keys []string, visit func(*NodeWrite) error) error {
	for some := range slices.Chunk(keys, exportedAtOnce) {
		rows, err := exportSomeNodes.Read(ctx, s.db, map[string]any{"team_id": teamID, "keys": some})
		if err != nil {
			return err
		}
		for i := range rows {
			if err := visit(rows[i].line()); err != nil {
				return err
			}
		}
	}
	return nil
}

// ExportSomeRelationships is ExportRelationships for some relationships, as far as they are stored between these ends.
func (s *Store) ExportSomeRelationships(ctx context.Context, teamID string, links []ExportLink, visit func(*RelationshipWrite) error) error {
	for some := range slices.Chunk(links, exportedAtOnce) {
		asked := make([]map[string]any, len(some))
		for i, l := range some {
			asked[i] = map[string]any{"key": l.Key, "from": l.From, "to": l.To}
		}
		rows, err := exportSomeRelationships.Read(ctx, s.db, map[string]any{"team_id": teamID, "rows": asked})
		if err != nil {
			return err
		}
		for _, row := range rows {
			if err := visit(relationshipLine(row.From, row.Type, row.To, row.Properties)); err != nil {
				return err
			}
		}
	}
	return nil
}

// ExportSomeVersions is ExportVersions for the records with some keys.
func (s *Store) ExportSomeVersions(ctx context.Context, teamID string, of []string, visit func(*VersionLine) error) error {
	for some := range slices.Chunk(of, exportedFormerAtOnce) {
		rows, err := exportSomeFormer.Read(ctx, s.db, map[string]any{"team_id": teamID, "of": some})
		if err != nil {
			return err
		}
		for i := range rows {
			line, err := rows[i].line()
			if err == nil {
				err = visit(line)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// ExportLinks returns the relationships of nodes, stored or deleted, and those between sources and messages; at most limit.
func (s *Store) ExportLinks(ctx context.Context, teamID string, keys []string, limit int) (all []ExportLink, err error) {
	for some := range slices.Chunk(keys, exportedAtOnce) {
		rows, err := exportLinks.Read(ctx, s.db, map[string]any{"team_id": teamID, "keys": some, "limit": limit - len(all)})
		if err != nil {
			return nil, err
		}
		if all = append(all, rows...); len(all) >= limit {
			break
		}
	}
	return all, nil
}
