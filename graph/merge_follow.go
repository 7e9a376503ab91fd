package graph

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"kith/graph/neo"
	"kith/internal/fault"
)

var findMergeUndos = neo.Load[mergeUndo]("merge_undos")

// mergeUndo is a merged node, and the record of its merge as JSON.
type mergeUndo struct{ Key, Undo string }

// mergedInto returns into which nodes some deleted ones were merged that can be restored, by their keys, and into which these were.
func (t *Tx) mergedInto(teamID string, keys []string) (map[string]string, error) {
	into := map[string]string{}
	for len(keys) > 0 {
		found, err := findMergeUndos.Exec(t, map[string]any{"team_id": teamID, "keys": Distinct(keys)})
		if err != nil {
			return nil, err
		}
		keys = nil
		for _, m := range found {
			var record mergeRecord
			if err := json.Unmarshal([]byte(m.Undo), &record); err != nil {
				return nil, fmt.Errorf("restore: the record of a merge cannot be read: %w", err)
			}
			if into[m.Key] == "" {
				into[m.Key], keys = record.Into, append(keys, record.Into)
			}
		}
	}
	return into, nil
}

// refuseBefore returns ErrConflict for the undo of a merge before that of a later one into the same node: both may have changed a field,
// and the record of each has the value before it.
func (t *Tx) refuseBefore(teamID string, n *stored, r *mergeRecord, key string) error {
	keys := n.mergedKeys()
	later := keys[min(slices.Index(keys, key)+1+len(r.Others), len(keys)):]
	into, err := t.mergedInto(teamID, slices.Clone(later))
	for _, other := range slices.Backward(later) {
		if err == nil && into[other] == n.key() {
			return fmt.Errorf("restore: another node was merged into the same one later: restore %s first: %w", other, fault.ErrConflict)
		}
	}
	return err
}

// isDecayed reports whether a node has the salience that the merge gave it, or what decay has left of it.
func (r *mergeRecord) isDecayed(n *stored, now time.Time) bool {
	v := n.vitality()
	merged := v
	if salience, ok := storedValue(r.Now["salience"]); ok {
		merged.salience, _ = salience.(float64)
	}
	if at, ok := storedValue(r.Now["salience_at"]); ok {
		merged.at = neo.Millis(at)
	}
	return !v.at.Before(merged.at) && math.Abs(merged.current(now)-v.current(now)) < exact
}

// exact is how far two saliences differ that were computed in other ways.
const exact = 1e-9

// followMerges makes deleted relationships lead to the nodes that have taken the places of their ends: those into which these were
// merged, and owners. As for relationships that a merge has moved, merged_from has the merged nodes, for an undo. It returns ErrConflict
// for one whose ends are one node by now.
func (t *Tx) followMerges(teamID string, deleted []Properties, found known) error {
	var old []string
	for _, p := range deleted {
		old = append(old, found.formerKeys(p.Text("from_key"), p.Text("to_key"))...)
	}
	into, err := t.mergedInto(teamID, old)
	if err != nil || len(old) == 0 {
		return err
	}
	for _, p := range deleted {
		for _, end := range []string{"from_key", "to_key"} {
			for _, key := range found.formerKeys(p.Text(end)) {
				p[end] = found.byKey[key].key()
				if path := pathOf(into, key, p.Text(end)); len(path) > 0 {
					p["merged_from"] = united(p.Texts("merged_from"), path)
				}
			}
		}
		if p.Text("from_key") == p.Text("to_key") {
			return fmt.Errorf("restore: its ends were merged, and are one node: %w", fault.ErrConflict)
		}
	}
	return nil
}

// pathOf returns the keys by which one leads to another, without that.
func pathOf(into map[string]string, key, last string) (path []string) {
	for key != last && into[key] != "" && !slices.Contains(path, key) {
		path, key = append(path, key), into[key]
	}
	return path
}

// formerKeys returns the keys by which nodes are found that have others by now.
func (k known) formerKeys(keys ...string) []string {
	return slices.DeleteFunc(keys, func(key string) bool { return k.byKey[key] == nil || k.byKey[key].key() == key })
}
