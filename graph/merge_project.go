package graph

import (
	"slices"

	"kith/graph/neo"
	"kith/internal/fault"
)

var (
	removeWorkspace = neo.Load[neo.None]("workspace_remove")
	lockMergedNodes = neo.Load[string]("workspace_merged_keys")
)

// maxMergedNodes is the most nodes of a project that is merged: they move in one transaction, each with a version.
const maxMergedNodes = 5_000

// moveProject makes the nodes of a project that is merged belong to the other one, and places them and the ends of moved relationships in
// its workspace. It returns how many nodes have moved. Of other kinds it does nothing.
func (t *Tx) moveProject(team string, from, to *stored, links []movedLink) (int64, error) {
	if from.kind != ProjectKind {
		return 0, nil
	}
	count, users := 0, []string{""}
	err := t.eachIn(team, from.key(), func(keys []string) error {
		if count += len(keys); count > maxMergedNodes {
			return fault.Invalid(fault.At("other"), fault.WrongCount, "has more than %d nodes", maxMergedNodes)
		}
		return t.changeProject(team, keys, func(n *stored) bool {
			users = append(users, n.user())
			n.Properties["project_id"], n.Properties["merged_from"] = to.key(), append(n.Texts("merged_from"), from.key())
			return true
		})
	})
	if err != nil {
		return 0, err
	}
	if err := t.settleMoved(team, links, to.key()); err != nil {
		return 0, err
	}
	return int64(count), removeWorkspace.Run(t, map[string]any{"team_id": team, "project_id": from.key(), "users": Distinct(users)})
}

// moveProjectBack gives a restored project back the nodes that a merge has moved, unless they belong to another one since.
func (t *Tx) moveProjectBack(team, from, to string) error {
	return t.eachOf(lockMergedNodes, map[string]any{"team_id": team, "project_id": from, "to": to}, func(keys []string) error {
		return t.changeProject(team, keys, func(n *stored) bool {
			sources := n.Texts("merged_from")
			if !slices.Contains(sources, to) { // somebody has moved it while this waited for its lock
				return false
			}
			left := slices.DeleteFunc(slices.Clone(sources), func(key string) bool { return key == to })
			n.Properties["project_id"] = to
			n.putUnless(len(left) == 0, "merged_from", left)
			return true
		})
	})
}

// changeProject changes to which project nodes belong, and places them there. Each gets a version, but no later time of its last change:
// lists of what was changed last do not show it for this.
func (t *Tx) changeProject(team string, keys []string, change func(*stored) bool) error {
	found, err := t.find(team, lookups{entityKeys: slices.Clone(keys)})
	if err != nil {
		return err
	}
	var rows []map[string]any
	var moved []string
	for _, key := range keys {
		n := found.byKey[key]
		if n == nil {
			continue
		}
		next := &stored{n.kind, n.clone()}
		if !change(next) {
			continue
		}
		next.Properties["version"] = n.version() + 1
		rows, moved = append(rows, n.row(n.changesTo(next.Properties))), append(moved, key)
		t.Changes([]string{n.user()}, key)
	}
	if err := t.writeRows(updateNodes, team, rows); err != nil {
		return err
	}
	return t.settle(team, moved)
}

// settleMoved locks and updates the places of the ends of moved relationships, whose links with their project may be others now, and of some projects.
func (t *Tx) settleMoved(team string, links []movedLink, projects ...string) error {
	keys := projects
	for _, l := range links {
		keys = append(keys, l.From, l.To)
	}
	for some := range slices.Chunk(Distinct(keys), renewBatch) {
		if _, err := t.find(team, lookups{ends: slices.Clone(some)}); err != nil {
			return err
		}
		if err := t.settle(team, some); err != nil {
			return err
		}
	}
	return nil
}

// rehome makes a restored node belong to the project into which its own one was merged while it was deleted, or back to its own one if
// that merge was undone.
func (t *Tx) rehome(team string, n *stored) error {
	project, sources := n.Text("project_id"), n.Texts("merged_from")
	if project == "" {
		return nil
	}
	found, err := t.find(team, lookups{ends: append([]string{project}, sources...)})
	if err != nil {
		return err
	}
	next := &stored{n.kind, n.clone()}
	i := slices.IndexFunc(sources, func(key string) bool { return found.byKey[key] != nil && found.byKey[key].key() == key })
	switch now := found.byKey[project]; {
	case i >= 0:
		next.Properties["project_id"] = sources[i]
		next.putUnless(i == 0, "merged_from", sources[:i])
	case now != nil && now.kind == ProjectKind && now.key() != project:
		next.Properties["project_id"], next.Properties["merged_from"] = now.key(), append(sources, project)
	default:
		return nil
	}
	return t.writeRows(updateNodes, team, []map[string]any{{"entity_key": n.key(), "properties": map[string]any(n.changesTo(next.Properties))}})
}

// findProjects looks once more for the projects of a write that were not found: one that was merged while the write waited for its lock is
// found by its key only then.
func (j *memoryJob) findProjects() error {
	written := map[string]bool{}
	for i := range j.write.Nodes {
		written[j.write.Nodes[i].EntityKey] = true
	}
	var missing []string
	for i := range j.write.Nodes {
		n := &j.write.Nodes[i]
		if n.OwnFields != nil && n.ProjectID.Value != "" && !written[n.ProjectID.Value] && j.found.byKey[n.ProjectID.Value] == nil {
			missing = append(missing, n.ProjectID.Value)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return j.tx.findMore(j.scope.TeamID, lookups{ends: missing}, j.found)
}

// settleProject stores the key of a project that is given by the key of one that was merged into it. A node that moves to another project
// is none of those that an undo of a merge moves back.
func (p *nodePlan) settleProject(n, old *stored) {
	project, was := n.Text("project_id"), ""
	if old != nil {
		was = old.Text("project_id")
	}
	if project == was {
		return
	}
	now := p.job.found.byKey[project]
	if now.visible(p.job.scope) && now.kind == ProjectKind {
		n.Properties["project_id"] = now.key()
	}
	if n.Text("project_id") != was {
		delete(n.Properties, "merged_from")
	}
}
