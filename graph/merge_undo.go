package graph

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"kith/graph/neo"
	"kith/internal/fault"
)

// mergeRecord has what an undo needs.
type mergeRecord struct {
	Into   string                     `json:"into"`
	Was    map[string]json.RawMessage `json:"was"` // properties that the merge has changed, without those that did not exist
	Now    map[string]json.RawMessage `json:"now"`
	Notes  []string                   `json:"notes"`  // ids of the notes that came
	Others []string                   `json:"others"` // keys of earlier merges
}

// unreverted are properties that follow from others, or that an undo reverts otherwise.
var unreverted = []string{"version", "updated_at", "written", "search_scope", "search_name", "natural_key", "embed_due", "ends_at", "notes", "notes_expire_at", "is_dirty"}

// undoOf returns what an undo of a merge needs, as JSON.
func undoOf(n, other *stored, changed Properties) (string, error) {
	changed = changed.clone()
	for _, name := range []string{"salience", "salience_at"} { // one value: time changes both
		if _, ok := changed[name]; !ok {
			changed[name] = n.Properties[name]
		}
	}
	r := mergeRecord{Into: n.key(), Was: map[string]json.RawMessage{}, Now: map[string]json.RawMessage{}, Notes: []string{}, Others: other.mergedKeys()}
	for _, note := range allNotes(other.Texts("notes")) {
		r.Notes = append(r.Notes, note.ID)
	}
	for name, value := range changed {
		if slices.Contains(unreverted, name) {
			continue
		}
		var errs [2]error
		if was, ok := n.Properties[name]; ok {
			r.Was[name], errs[0] = storedJSON(was)
		}
		if value != nil {
			r.Now[name], errs[1] = storedJSON(value)
		}
		if err := errors.Join(errs[:]...); err != nil {
			return "", fmt.Errorf("merge: %w", err)
		}
	}
	raw, err := json.Marshal(r)
	return string(raw), err
}

// unmerge undoes a merge before the node that it has deleted is restored: the node into which it was merged gets back the values that
// nobody has changed since. It returns the kind of the deleted node, which the caller may not know, and nil if it was only deleted.
func (t *Tx) unmerge(scope Scope, kind Kind, key string) (Kind, *mergeRecord, error) {
	found, err := findMerged.ExecOne(t, map[string]any{
		"team_id": scope.TeamID, "user_id": scope.User(), "entity_key": key, "kind": OrNil(kind.Name), "cutoff": t.store.cutoff(),
	})
	if err != nil {
		return kind, nil, err
	}
	if found.Kind == "" { // while the statement waited for its lock, the node was restored
		return kind, nil, neo.ErrRace
	}
	kind, known := KindOf(found.Kind)
	if !known {
		return kind, nil, fmt.Errorf("restore: %w", fault.ErrNotFound)
	}
	if found.Into == nil {
		return kind, nil, nil
	}
	record, err := t.revert(scope, key, *found.Into, found.Undo)
	return kind, record, err
}

// revert takes from the node into which another one was merged what it has taken over.
func (t *Tx) revert(scope Scope, key, into, undo string) (*mergeRecord, error) {
	var record mergeRecord
	if err := json.Unmarshal([]byte(undo), &record); err != nil {
		return nil, fmt.Errorf("restore: the record of a merge cannot be read: %w", err)
	}
	nodes, err := t.find(scope.TeamID, lookups{entityKeys: []string{record.Into}})
	if err != nil {
		return nil, err
	}
	n := nodes.byKey[record.Into]
	switch {
	case into != record.Into:
		return nil, fmt.Errorf("restore: the node into which it was merged was merged as well: restore %s first: %w", record.Into, fault.ErrConflict)
	case n == nil || n.key() != record.Into:
		return nil, fmt.Errorf("restore: the node into which it was merged is deleted: restore %s first: %w", record.Into, fault.ErrConflict)
	}
	if err := t.refuseBefore(scope.TeamID, n, &record, key); err != nil {
		return nil, err
	}
	next := record.reverted(n, t.store.Now())
	next.renewed(n, scope.TeamID, t.store.Now())
	t.embedLater(n, next)
	t.Changes([]string{n.user()}, n.key())
	return &record, t.writeRows(updateNodes, scope.TeamID, []map[string]any{n.row(n.changesTo(next.Properties))})
}

// reverted returns the node into which another one was merged without what it has taken over: properties that have the same values as
// after the merge get the earlier ones, and names, notes and keys that came with the other go.
func (r *mergeRecord) reverted(n *stored, now time.Time) *stored {
	next := &stored{n.kind, n.clone()}
	changed := Properties{}
	for name := range r.Was {
		changed[name] = nil
	}
	for name := range r.Now {
		changed[name] = nil
	}
	for name := range changed {
		before, _ := storedValue(r.Was[name])
		after, _ := storedValue(r.Now[name])
		switch {
		case name == "salience" || name == "salience_at": // maintenance has decayed them
			if r.isDecayed(n, now) {
				next.putUnless(before == nil, name, before)
			}
		case Same(n.Properties[name], after):
			next.putUnless(before == nil, name, before)
		case slices.Contains([]string{"aliases", "doubted_aliases", "merged_keys", "tags"}, name):
			left := withoutMerged(n.Texts(name), Properties{name: before}.Texts(name), Properties{name: after}.Texts(name))
			next.putUnless(len(left) == 0 && before == nil, name, left)
		}
	}
	next.putNotes(slices.DeleteFunc(allNotes(n.Texts("notes")), func(note Note) bool { return slices.Contains(r.Notes, note.ID) }))
	return next
}

// withoutMerged returns the items of a list without those that a merge has added, and with those that it has dropped.
func withoutMerged(now, before, after []string) []string {
	left := []string{}
	for _, item := range now {
		if !slices.Contains(after, item) || slices.Contains(before, item) {
			left = append(left, item)
		}
	}
	for _, item := range before {
		if !slices.Contains(after, item) {
			left = append(left, item)
		}
	}
	return left
}

// moveBack gives the restored node back its relationships.
func (t *Tx) moveBack(scope Scope, r *mergeRecord, n *stored) error {
	if err := t.renewSystem(scope.TeamID, n); err != nil {
		return err
	}
	moved, err := mergeNode.ExecOne(t, map[string]any{
		"team_id": scope.TeamID, "from": r.Into, "to": n.key(), "others": r.Others, "moved": nil, "into": nil, "undo": nil, "now": t.store.Now(),
	})
	if err != nil {
		return err
	}
	t.recordMoved(scope, moved.Links)
	if err := t.rank(scope.TeamID, r.Into, n.key()); err != nil || n.kind != ProjectKind {
		return err
	}
	if err := t.moveProjectBack(scope.TeamID, r.Into, n.key()); err != nil {
		return err
	}
	return t.settleMoved(scope.TeamID, moved.Links, r.Into, n.key())
}
