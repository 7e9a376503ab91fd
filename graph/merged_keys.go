package graph

import (
	"fmt"
	"slices"
	"time"

	"kith/graph/neo"
	"kith/internal/bounds"
	"kith/internal/fault"
)

// maxMergedKeys is the most nodes of which one node takes the places.
const maxMergedKeys = 1000

// findClaims finds what has the keys that an import gives as those of merged nodes.
var findClaims = neo.Load[claim]("merged_known")

// claim is who has a key: a stored node, or what was deleted, merged into a node or replaced by it.
type claim struct {
	Key, User string
	Into      string // the node to which the key leads; empty: none
	Stored    bool   // a stored node has it
}

// checkFormerKeys checks the keys that lead to the node of an import instead of to nodes that are no more.
func (w *NodeWrite) checkFormerKeys(f *Faults, at fault.Path) {
	at = at.Field("history")
	f.formerKeys(at.Field("merged_keys"), w.History.MergedKeys.Value, w.kind().isMergeable(), "is only of kinds whose nodes are merged")
	if w.History.FormerKey.Given && !w.History.FormerKey.Null {
		f.formerKeys(at.Field("former_key"), []string{w.History.FormerKey.Value}, w.kind() == PersonKind, "is only of a person")
	}
}

func (f *Faults) formerKeys(at fault.Path, keys []string, allowed bool, only string) {
	if len(keys) > 0 && !allowed {
		f.Add(at, fault.NotAllowed, "%s", only)
		return
	}
	if !f.Items(at, len(keys), maxMergedKeys) {
		return
	}
	for i, key := range keys {
		f.Word(at.Index(i), key, bounds.KeyLength)
	}
}

// formerKeys returns the keys that a history lets lead to its node; none without a history.
func (h *History) formerKeys() (keys []string) {
	if h == nil {
		return nil
	}
	keys = slices.Clone(h.MergedKeys.Value)
	if h.FormerKey.Value != "" {
		keys = append(keys, h.FormerKey.Value)
	}
	return keys
}

// findMergedKeys finds what has the former keys that an import gives.
func (j *memoryJob) findMergedKeys() error {
	if !j.write.restoring {
		return nil
	}
	var keys []string
	for i := range j.write.Nodes {
		keys = append(keys, j.write.Nodes[i].History.formerKeys()...)
	}
	j.claims = map[string][]claim{}
	keys = Distinct(keys)
	for some := range slices.Chunk(keys, maxMergedKeys) {
		found, err := findClaims.Exec(j.tx, map[string]any{"team_id": j.scope.TeamID, "keys": some})
		if err != nil {
			return err
		}
		for _, c := range found {
			j.claims[c.Key] = append(j.claims[c.Key], c)
		}
	}
	return j.write.plan.claimed(keys, j.claims)
}

// mergedKeysRefusal refuses a node of an import whose former keys are not its own: keys of stored nodes, of what others have deleted, or
// of what leads to another node. Otherwise what is written under such a key would lead to it.
func (j *memoryJob) mergedKeysRefusal(w *NodeWrite, old *stored) refusal {
	if !j.write.restoring || w.History == nil {
		return refusal{}
	}
	n := old
	if n == nil {
		n = &stored{w.kind(), Properties{"entity_key": w.EntityKey, "user_id": owner(w, j.scope)}}
	}
	given := w.History.MergedKeys.Value
	if len(united(n.mergedKeys(), given)) > maxMergedKeys {
		return refusal{"history.merged_keys", fault.WrongCount, fmt.Sprintf("must have at most %d items, with those of the stored node", maxMergedKeys)}
	}
	for i, key := range given {
		if j.isClaimed(key, n) && !(w.IsOwner.Value && j.isGenerated(key, n.user())) {
			return refusal{fmt.Sprintf("history.merged_keys[%d]", i), fault.Conflict, takenKey}
		}
	}
	if key := w.History.FormerKey.Value; key != "" && !j.isGenerated(key, n.user()) && j.isClaimed(key, n) {
		return refusal{"history.former_key", fault.Conflict, takenKey}
	}
	return refusal{}
}

// isGenerated reports whether a key is that of the generated owner of a user, whom another person may replace.
func (j *memoryJob) isGenerated(key, user string) bool {
	made := j.found.byOwner[user]
	return made.generated() && made.key() == key
}

// isClaimed reports whether something else than a node has a key, or somebody else had it.
func (j *memoryJob) isClaimed(key string, n *stored) bool {
	if key == n.key() || j.found.has(key) {
		return true
	}
	return slices.ContainsFunc(j.claims[key], func(c claim) bool {
		return c.Stored || c.User != n.user() || c.Into != "" && c.Into != n.key()
	})
}

// claim lets later nodes of the same import see the former keys of a node.
func (j *memoryJob) claim(n *stored) {
	if !j.write.restoring {
		return
	}
	for _, key := range n.formerKeys() {
		j.claims[key] = append(j.claims[key], claim{Key: key, User: n.user(), Into: n.key()})
	}
}

// claimed adds what the pieces of a dry run before would have stored under some keys.
func (p *RestorePlan) claimed(keys []string, claims map[string][]claim) error {
	if p == nil {
		return nil
	}
	for _, key := range keys {
		_, stored, err := p.table.Get(planNode + key)
		if err != nil {
			return err
		}
		into, merged, err := p.table.Get(planMerged + key)
		if err != nil {
			return err
		}
		if !stored && !merged {
			continue
		}
		c := claim{Key: key, Into: into, Stored: stored}
		if n, err := p.node(into, time.Time{}); err != nil {
			return err
		} else if n != nil {
			c.User = n.user()
		}
		claims[key] = append(claims[key], c)
	}
	return nil
}
