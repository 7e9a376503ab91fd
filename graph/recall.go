package graph

import (
	"context"
	"slices"
	"time"

	"kith/graph/neo"
)

// Recall has the entity keys of nodes, and the relationships, that a read returned to an agent.
type Recall struct {
	Nodes         []string
	Relationships []RelationshipRef
}

// Size returns the number of records that a read returned.
func (r *Recall) Size() int { return len(r.Nodes) + len(r.Relationships) }

// RelationshipRef identifies a relationship by its ends, type and key, as a read returned it.
type RelationshipRef struct{ From, Type, To, Key string }

// Read has the results of a read of a scope at a time.
type Read struct {
	Scope  Scope
	At     time.Time
	Recall Recall
}

// MaxReads is the maximum number of reads that one call of Recall stores.
const MaxReads = 256

// Recall stores reads of a team in the order in which they happened.
func (s *Store) Recall(ctx context.Context, teamID string, all []Read) error {
	var keys []string
	for _, told := range all {
		keys = append(keys, told.Recall.Nodes...)
		for _, r := range told.Recall.Relationships {
			keys = append(keys, r.From, r.To)
		}
	}
	return s.Transaction(ctx, "recall", func(t *Tx) error {
		found, err := t.find(teamID, lookups{entityKeys: keys})
		if err != nil {
			return err
		}
		rows, moved, users := recallNodes(all, found)
		t.Changes(users)
		if err := t.writeRows(updateNodes, teamID, rows); err != nil {
			return err
		}
		if err := t.recallRelationships(teamID, all, found); err != nil {
			return err
		}
		return moved.renew(t, teamID, t.store.Now())
	})
}

// recallNodes returns the rows of a statement, the nodes whose position in contexts has changed, and the users for
// whom a node entered the contexts.
func recallNodes(all []Read, found known) (rows []map[string]any, moved ranks, users []string) {
	next := map[string]Properties{}
	for _, told := range all {
		for _, key := range Distinct(told.Recall.Nodes) { // an answer recalls a node once, however often it has it
			n := found.byKey[key]
			if n == nil || n.kind == MessageKind || !n.isSeenBy(told.Scope) {
				continue
			}
			if next[key] == nil {
				next[key] = n.clone()
			}
			v := next[key].vitality()
			v.recall(told.At)
			next[key].putVitality(v)
		}
	}
	for key, p := range next {
		n := found.byKey[key]
		rows = append(rows, map[string]any{"entity_key": key, "properties": map[string]any(n.changesTo(p))})
		if p.Text("state") != n.Text("state") {
			users = append(users, n.user())
		}
		if p.Text("state") != n.Text("state") || neo.Bool(n.Properties["ranked"]) { // otherwise it has no position to leave
			moved.changed(n, p.Text("state"))
		}
	}
	return rows, moved, Distinct(users)
}

// isSeenBy reports whether only this scope sees a node: for a team a shared node, for a user a private node without
// other participants.
func (s *stored) isSeenBy(scope Scope) bool {
	others := func(p string) bool { return p != s.user() }
	return s.user() == scope.UserID && (s.user() == "" || !slices.ContainsFunc(s.Texts("participants"), others))
}

// isSeenBy reports whether only this scope sees a relationship: for a team one between shared nodes, for a user one
// with an end that only the user sees.
func (k known) isSeenBy(r RelationshipRef, scope Scope) bool {
	from, to := k.byKey[r.From], k.byKey[r.To]
	if from == nil || to == nil {
		return false
	}
	if scope.UserID == "" {
		return from.isSeenBy(scope) && to.isSeenBy(scope)
	}
	return from.isSeenBy(scope) || to.isSeenBy(scope)
}

// recallRelationships is recallNodes for relationships whose ends are locked.
func (t *Tx) recallRelationships(teamID string, all []Read, found known) error {
	var refs []RelationshipRef
	var times []time.Time
	var asked []map[string]any
	for _, told := range all {
		for _, r := range told.Recall.Relationships {
			if !found.isSeenBy(r, told.Scope) {
				continue
			}
			asked = append(asked, map[string]any{
				"position": len(refs), "from": r.From, "to": r.To, "type": r.Type, "valid_to": nil, "key": r.Key, "since": nil,
			})
			refs, times = append(refs, r), append(times, told.At)
		}
	}
	if len(asked) == 0 {
		return nil
	}
	records, err := findRelationships.Exec(t, map[string]any{"team_id": teamID, "rows": asked})
	if err != nil {
		return err
	}
	was, next := map[string]Properties{}, map[string]Properties{}
	for _, record := range records {
		p, ref := record.Properties, refs[record.Position]
		if p.Text("key") != ref.Key || p["salience"] == nil {
			continue
		}
		if next[ref.Key] == nil {
			was[ref.Key], next[ref.Key] = p, p.clone()
		}
		v := next[ref.Key].vitality()
		v.recall(times[record.Position])
		next[ref.Key].putVitality(v)
	}
	var rows []map[string]any
	done := map[string]bool{}
	for _, ref := range refs {
		if next[ref.Key] != nil && !done[ref.Key] {
			done[ref.Key] = true
			rows = append(rows, relationshipRow(ref.From, ref.Type, ref.To, ref.Key, was[ref.Key].changesTo(next[ref.Key])))
		}
	}
	return t.writeRows(updateRelationships, teamID, rows)
}
