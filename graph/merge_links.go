package graph

import (
	"slices"
	"time"

	"kith/internal/fault"
)

// mergedLinks are relationships that a merge, or its undo, has moved.
type mergedLinks struct{ Links []movedLink }

// mergedLink is a relationship of a node that is to be merged, with its other end.
type mergedLink struct {
	Type       string
	Leads      bool
	Other      string
	Deleted    bool       // the other end: it may be restored
	Properties Properties // key, type_word, qualifier, valid_from, valid_to, user_id, relationship_type
}

// movedLink is a relationship with its new ends.
type movedLink struct {
	Key, Type, From, To string
	Version             int64
	User                string
	Open                bool // it has not ended
	OfSystem            bool
	Hidden              bool // its other end is deleted
}

// mergedLinks returns how many relationships that the scope may see a node has that is merged into another one, and the keys of all that
// move there: not what only repeats one of that node's, or leads to it.
func (t *Tx) mergedLinks(scope Scope, key, other string) (count int64, moving []string, err error) {
	links, err := findMergedLinks.Exec(t, map[string]any{
		"team_id": scope.TeamID, "entity_key": other, "stay": []string{aboutType, rootedInType, groupsType, includesType}, "limit": maxMergedLinks + 1,
	})
	if err == nil && len(links) > maxMergedLinks {
		err = fault.Invalid(fault.At("other"), fault.WrongCount, "has more than %d relationships", maxMergedLinks)
	}
	if err != nil {
		return 0, nil, err
	}
	repeated, err := t.repeatedLinks(scope.TeamID, key, other, links)
	if err != nil {
		return 0, nil, err
	}
	moving = []string{}
	for i, l := range links {
		if user := l.Properties.Text("user_id"); user == "" || user == scope.UserID {
			count++
		}
		if l.Other != key && !repeated[i] {
			moving = append(moving, l.Properties.Text("key"))
		}
	}
	return count, moving, nil
}

// repeatedLinks returns which relationships of a node that is merged into another one only repeat one of that node's, by their places.
func (t *Tx) repeatedLinks(teamID, key, other string, links []mergedLink) (map[int]bool, error) {
	var rows, ofSystem, hidden []map[string]any
	for i, l := range links {
		from, to := key, l.Other
		if l.Other == other { // it leads from the node to itself
			to = key
		}
		if !l.Leads {
			from, to = to, from
		}
		if l.Deleted {
			hidden = append(hidden, map[string]any{"other": l.Other, "type": l.Properties.shownType(l.Type), "leads": l.Leads, "position": i})
			continue
		}
		if l.Type == SystemRelationshipType {
			ofSystem = append(ofSystem, map[string]any{"from": from, "to": to, "type": l.Properties.shownType(l.Type), "position": i})
			continue
		}
		row := findRow(from, l.Properties.shownType(l.Type), to)
		row["position"], row["since"] = i, time.Time{}
		rows = append(rows, row)
	}
	repeated := map[int]bool{}
	if len(ofSystem) > 0 {
		positions, err := findSystemLinks.Exec(t, map[string]any{"team_id": teamID, "rows": ofSystem})
		if err != nil {
			return nil, err
		}
		for _, i := range positions {
			repeated[int(i)] = true
		}
	}
	found, err := findRelationships.Exec(t, map[string]any{"team_id": teamID, "rows": rows})
	if err == nil && len(hidden) > 0 {
		var more []foundRelationship
		more, err = findHiddenLinks.Exec(t, map[string]any{"team_id": teamID, "entity_key": key, "rows": hidden})
		found = append(found, more...)
	}
	if err != nil {
		return nil, err
	}
	for _, r := range found {
		p := links[r.Position].Properties
		if p.Text("qualifier") != r.Properties.Text("qualifier") {
			continue
		}
		repeated[r.Position] = repeated[r.Position] || r.Properties.holdsWithin(p.start(), p.Moment("valid_to"))
	}
	return repeated, nil
}

// refuseMergedRings refuses relationships with new ends that close a ring of containment.
func (t *Tx) refuseMergedRings(teamID string, links []movedLink) error {
	var rows []map[string]any
	for _, l := range links {
		if l.Open && slices.Contains(containmentTypes, l.Type) {
			rows = append(rows, relationshipRow(l.From, l.Type, l.To, l.Key, Properties{}))
		}
	}
	if len(rows) == 0 {
		return nil
	}
	rings, err := t.rings(teamID, rows)
	if err == nil && len(rings) > 0 {
		err = fault.Invalid(fault.At("other"), fault.Contrary, "would contain itself: the two nodes contain each other through others")
	}
	return err
}

// recordMoved adds relationships with new ends to the feed, and returns how many of them the scope may see.
func (t *Tx) recordMoved(scope Scope, links []movedLink) (visible int64) {
	for _, l := range links {
		if l.User == "" || l.User == scope.UserID {
			visible++
		}
		if l.Hidden { // the feed told of it with the deleted node, and will when that is restored
			continue
		}
		kind := RelationshipRecord
		if l.OfSystem {
			kind = SystemRelationshipRecord
		}
		t.Record(l.User, FeedItem{Op: UpdatedOp, Kind: kind, Key: l.Key, Version: l.Version, Type: l.Type, From: l.From, To: l.To})
	}
	return visible
}
