package graph

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"kith/graph/neo"
	"kith/graph/trust"
	"kith/internal/fault"
)

var (
	changedLinks  = neo.Load[changedLink]("links_changed")
	versionsSince = neo.Load[keyedVersion]("history_since")
)

// Bounds of what NodeChanges reads.
const (
	changedRecords  = 500   // relationships
	changedEach     = 100   // versions of each
	changedVersions = 2_000 // versions of all
)

// ChangePeriod selects changes after Since, until Until, at most Limit. A zero Since stands for all that is kept, a zero Until for now.
type ChangePeriod struct {
	Since, Until time.Time
	Limit        int
}

// ChangeList has the changes of a node in a period, the newest first. More reports that there are others that it does not have.
type ChangeList struct {
	Node    NodeRef      `json:"node"`
	Told    trust.Told   `json:"-"` // of the node
	Changes []NodeChange `json:"changes"`
	More    bool         `json:"more" doc:"there are other changes in the period, which limit or another bound leaves out"`
}

// keyedVersion is a former version with the key of its record.
type keyedVersion struct {
	Key string
	formerVersion
}

// NodeChanges returns what changed about a node that the scope may see: its own fields, and its relationships. It returns ErrNotFound
// for a node that is not stored, unless it was deleted in the period.
func (s *Store) NodeChanges(ctx context.Context, scope Scope, kind Kind, key string, p ChangePeriod) (ChangeList, error) {
	list := ChangeList{Node: NodeRef{EntityKey: key, Kind: kind.Name}, Changes: []NodeChange{}}
	if p.Until.IsZero() {
		p.Until = s.Now()
	}
	var stored *formerVersion
	row, err := s.nodeRow(ctx, scope, kind, key, NodeQuery{})
	switch {
	case err == nil:
		stored = &formerVersion{Kind: kind.Name, Until: math.MaxInt64, Properties: row.Properties}
		list.Node.EntityKey = row.Properties.Text("entity_key")
	case !errors.Is(err, fault.ErrNotFound):
		return list, err
	}
	links, err := changedLinks.Read(ctx, s.db, map[string]any{
		"team_id": scope.TeamID, "user_id": scope.User(), "entity_key": list.Node.EntityKey, "since_ms": sinceMillis(p.Since), "limit": changedRecords,
	})
	if err != nil {
		return list, err
	}
	versions, cut, err := s.versionsSince(ctx, scope, list.Node.EntityKey, links, p)
	if err != nil {
		return list, err
	}
	own := slices.DeleteFunc(versions[recordKey{list.Node.EntityKey, false}], func(v formerVersion) bool { return v.Kind != kind.Name })
	if stored == nil && len(own) == 0 {
		return list, fmt.Errorf("%s: %w", kind.Name, fault.ErrNotFound)
	}
	if stored != nil {
		own = append(own, *stored)
	}
	last := own[len(own)-1].Properties
	list.Node.Name, list.Told = last.Text("name"), last.Told()
	list.Changes = append(list.Changes, changesOf(own)...)
	for i := range links {
		list.Changes = append(list.Changes, links[i].changes(versions[recordKey{links[i].Key, true}])...)
	}
	list.keep(p, cut || len(links) == changedRecords)
	return list, s.nameSources(ctx, scope, list.Changes)
}

// recordKey identifies a record among nodes and relationships.
type recordKey struct {
	key            string
	isRelationship bool
}

// versionsSince returns the former versions of a node and of relationships that ended after a time, the oldest first, and whether a
// bound cut some.
func (s *Store) versionsSince(ctx context.Context, scope Scope, node string, links []changedLink, p ChangePeriod) (map[recordKey][]formerVersion, bool, error) {
	records := []map[string]any{{"key": node, "is_relationship": false}}
	for i := range links {
		records = append(records, map[string]any{"key": links[i].Key, "is_relationship": true})
	}
	rows, err := versionsSince.Read(ctx, s.db, map[string]any{
		"team_id": scope.TeamID, "user_id": scope.User(), "changed": records, "since_ms": sinceMillis(p.Since), "until_ms": p.Until.UnixMilli(),
		"each": changedEach, "limit": changedVersions,
	})
	versions, cut := map[recordKey][]formerVersion{}, len(rows) == changedVersions
	for _, row := range slices.Backward(rows) {
		of := recordKey{row.Key, row.Kind == RelationshipRecord}
		versions[of] = append(versions[of], row.formerVersion)
		cut = cut || len(versions[of]) == changedEach
	}
	return versions, cut, err
}

// sinceMillis returns the start of a period as stored; the zero time is before everything.
func sinceMillis(since time.Time) int64 { return max(0, since.UnixMilli()) }

// keep orders the changes, the newest first, and keeps those of the period. cut reports that some were not read.
func (l *ChangeList) keep(p ChangePeriod, cut bool) {
	l.Changes = slices.DeleteFunc(l.Changes, func(c NodeChange) bool { return !c.At.After(p.Since) || c.At.After(p.Until) })
	slices.SortStableFunc(l.Changes, func(a, b NodeChange) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(b.Version, a.Version)) })
	l.More = cut || len(l.Changes) > p.Limit
	l.Changes = l.Changes[:min(len(l.Changes), p.Limit)]
}

// nameSources adds the sources of changes that the scope may see.
func (s *Store) nameSources(ctx context.Context, scope Scope, changes []NodeChange) error {
	var keys []string
	for i := range changes {
		if changes[i].source != "" {
			keys = append(keys, changes[i].source)
		}
	}
	sources, err := s.NodesByKey(ctx, scope, Distinct(keys))
	for i := range sources {
		n := &sources[i]
		source := &ChangeSource{EntityKey: n.EntityKey}
		if n.OwnFields != nil {
			source.ContentType, source.StartedAt = n.ContentType.Value, n.StartedAt.Pointer()
		}
		for j := range changes {
			if changes[j].source == n.EntityKey {
				changes[j].Source = source
			}
		}
	}
	return err
}
