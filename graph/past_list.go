package graph

import (
	"context"
	"time"

	"kith/graph/cursors"
	"kith/graph/neo"
	"kith/internal/fault"
)

var listNodesAt = neo.Load[nodesAtRow]("node_list_past")

// nodesAtRow is a page of a list at a time, and how many versions were read for it.
type nodesAtRow struct {
	Read  int64
	Nodes []placeAt
}

// placeAt is a node of a list at a time, in the order of node_list_past.
type placeAt struct{ Place, Key string }

// mostPast is the maximum number of versions that are read for a list at a time.
const mostPast = 20_000

// nodesAt returns a page of the nodes that were there at the time of the list.
func (s *Store) nodesAt(ctx context.Context, scope Scope, l *NodeList, after string) (NodePage, error) {
	if l.ProjectID == "" {
		return s.ownThenShared(ctx, scope, *l, after, s.pastPage)
	}
	return s.pastPage(ctx, scope, *l, "", after)
}

// pastPage returns a page of a list at a time: by natural keys with a prefix, or of a project.
func (s *Store) pastPage(ctx context.Context, scope Scope, l NodeList, prefix, after string) (NodePage, error) {
	params := s.pastParams(scope, *l.AsOf, l.Limit+1)
	params["kind"], params["label"], params["prefix"], params["end"], params["after"] = l.Kind.Name, l.Kind.Label, prefix, PrefixEnd(prefix), after
	if l.ProjectID != "" {
		params["project_id"] = l.ProjectID
	}
	if l.State != "" {
		params["state"] = l.State
	}
	places, err := s.placesAt(ctx, params)
	if err != nil {
		return NodePage{}, err
	}
	page := NodePage{Nodes: []NodeView{}}
	if int64(len(places)) > l.Limit {
		places = places[:l.Limit]
		page.Next = cursors.Encode(places[l.Limit-1].Place)
	}
	nodes, err := s.StoredAt(ctx, scope, keysOfPlaces(places), *l.AsOf)
	for _, p := range places {
		if n, ok := nodes[p.Key]; ok {
			page.Nodes = append(page.Nodes, n.View(*l.AsOf))
		}
		page.places = append(page.places, p.Place)
	}
	return page, err
}

// ProjectAt returns the nodes of a project, of all kinds, as they were at a time, by key.
func (s *Store) ProjectAt(ctx context.Context, scope Scope, project string, at time.Time) (map[string]StoredNode, error) {
	params := s.pastParams(scope, at, mostPast)
	params["project_id"] = project
	places, err := s.placesAt(ctx, params)
	if err != nil {
		return nil, err
	}
	return s.StoredAt(ctx, scope, keysOfPlaces(places), at)
}

func (s *Store) pastParams(scope Scope, at time.Time, limit int64) map[string]any {
	return map[string]any{
		"team_id": scope.TeamID, "user_id": scope.User(), "kind": nil, "label": nil, "project_id": nil, "prefix": "", "end": "", "state": nil,
		"at": at.UnixMilli(), "archive_below": archiveBelow, "after": "", "most": mostPast, "limit": limit,
	}
}

// placesAt returns a page of nodes, or an InvalidError if too many versions have to be read.
func (s *Store) placesAt(ctx context.Context, params map[string]any) ([]placeAt, error) {
	row, err := listNodesAt.ReadOne(ctx, s.db, params)
	if err == nil && row.Read >= mostPast {
		err = fault.Invalid(fault.At("as_of"), fault.OutOfRange, "more than %d versions would have to be read: ask for a later time, or for single nodes", mostPast)
	}
	return row.Nodes, err
}

func keysOfPlaces(places []placeAt) []string {
	keys := make([]string, len(places))
	for i := range places {
		keys[i] = places[i].Key
	}
	return keys
}
