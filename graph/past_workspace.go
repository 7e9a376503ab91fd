package graph

import (
	"context"
	"time"
)

// WorkspacePlace is how a node stands in its project.
type WorkspacePlace struct {
	Counted, Listed bool
	Order, Score    int64 // in its list, ascending; in a picture, descending
}

// WorkspacePlace returns how the node stands in its project, with some links with the project.
func (n StoredNode) WorkspacePlace(links []string) WorkspacePlace {
	p := placeOf(&stored{n.Kind, n.Properties}, links)
	return WorkspacePlace{p.counts != "", p.list != "", p.at, -p.rank}
}

// IsScratch reports whether the node is a scratch document, which is never shown.
func (n StoredNode) IsScratch() bool { return (&stored{n.Kind, n.Properties}).isScratch() }

// ProjectsAt returns the keys of the projects that were there at a time.
func (s *Store) ProjectsAt(ctx context.Context, scope Scope, at time.Time) ([]string, error) {
	places, err := s.ofKindAt(ctx, scope, ProjectKind, at)
	return keysOfPlaces(places), err
}

// CountsAt returns how many nodes of each workspace kind some projects had at a time.
func (s *Store) CountsAt(ctx context.Context, scope Scope, projects []string, at time.Time) (map[string]int64, error) {
	in := map[string]bool{}
	for _, key := range projects {
		in[key] = true
	}
	counts := map[string]int64{}
	for _, name := range WorkspaceKinds {
		kind, _ := KindOf(name)
		places, err := s.ofKindAt(ctx, scope, kind, at)
		if err != nil {
			return nil, err
		}
		for _, p := range places {
			if in[p.Project] && !(StoredNode{kind, Properties{"type_key": p.Type}}).IsScratch() {
				counts[name]++
			}
		}
	}
	return counts, nil
}

// ofKindAt returns all nodes of a kind at a time: the user's, then the shared ones.
func (s *Store) ofKindAt(ctx context.Context, scope Scope, kind Kind, at time.Time) ([]placeAt, error) {
	var all []placeAt
	for _, prefix := range Distinct([]string{ListPrefix(kind, scope.UserID), ListPrefix(kind, "")}) {
		params := s.pastParams(scope, at, mostPast)
		params["kind"], params["label"], params["prefix"], params["end"], params["after"] = kind.Name, kind.Label, prefix, PrefixEnd(prefix), prefix
		places, err := s.placesAt(ctx, params)
		if err != nil {
			return nil, err
		}
		all = append(all, places...)
	}
	return all, nil
}
