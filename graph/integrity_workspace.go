package graph

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kith/graph/neo"
)

var (
	listCountedWorkspaces = neo.Load[countedWorkspace]("integrity_workspaces")
	integrityWorkspace    = neo.Load[checkedWorkspace]("integrity_workspace")
)

// countedWorkspace is a workspace that has counts.
type countedWorkspace struct{ ProjectID, UserID string }

// checkedWorkspace has the stored counts of a workspace and those of its nodes.
type checkedWorkspace struct{ Stored, Counted []workspaceCount }

// workspaceCount is a count of a workspace and its name.
type workspaceCount struct {
	Name  string
	Count int64
}

// places reports nodes whose place in their workspace is wrong.
func (c *checker) places(ctx context.Context, p checkedPage) error {
	var keys []string
	for i := range p.nodes {
		if p.nodes[i].kind.group == projectGroup {
			keys = append(keys, p.nodes[i].key())
		}
	}
	if len(keys) == 0 {
		return nil
	}
	rows, err := findPlaces.Read(ctx, c.store.db, lookParams(p.team, keys, c.store.Now()))
	if err != nil {
		return err
	}
	for _, m := range movesFrom(rows) {
		c.counted(m.to.counts)
		changed := m.changed()
		if len(changed) == 0 {
			continue
		}
		f := Finding{
			Check: "place", TeamID: p.team, Kind: m.node.kind.Name, Key: m.node.key(),
			Detail: "has a wrong " + strings.Join(slices.Sorted(maps.Keys(changed)), ", "),
		}
		err := c.report(ctx, f, func(ctx context.Context) error {
			return c.store.Transaction(ctx, "workspace_look", func(t *Tx) error { return t.settle(p.team, []string{f.Key}) })
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// counted records the workspace in which a node is counted.
func (c *checker) counted(as string) {
	if parts := strings.SplitN(as, KeySeparator, 3); len(parts) == 3 {
		c.workspaces[[2]string{parts[0], parts[1]}] = true
	}
}

// workspacesOf reports workspaces whose counts differ from their nodes. It checks the workspaces of the nodes read before, and
// those that have counts.
func (c *checker) workspacesOf(ctx context.Context, team string) error {
	var project, user string
	for {
		rows, err := listCountedWorkspaces.Read(ctx, c.store.db, map[string]any{"team_id": team, "project_id": project, "user_id": user, "limit": readCheckedPage})
		if err != nil {
			return err
		}
		for _, row := range rows {
			project, user = row.ProjectID, row.UserID
			c.workspaces[[2]string{project, user}] = true
		}
		if len(rows) < readCheckedPage {
			break
		}
	}
	for w := range c.workspaces {
		if err := c.workspace(ctx, team, w[0], w[1]); err != nil {
			return err
		}
	}
	return nil
}

// checkReads is how often wrong counts are read again: a write may have happened between the two parts of the read.
const checkReads = 3

func (c *checker) workspace(ctx context.Context, team, project, user string) error {
	wrong := map[string]int64{}
	for range checkReads {
		row, err := integrityWorkspace.ReadOne(ctx, c.store.db, workspaceCountParams(team, project, user))
		if err != nil {
			return err
		}
		if wrong = row.miscounted(); len(wrong) == 0 {
			return nil
		}
	}
	f := Finding{
		Check: "workspace_count", TeamID: team, Kind: ProjectKind.Name, Key: project,
		Detail: fmt.Sprintf("has a wrong count of %s for %s", strings.Join(slices.Sorted(maps.Keys(wrong)), ", "), orAll(user)),
	}
	return c.report(ctx, f, func(ctx context.Context) error {
		return c.store.Transaction(ctx, "workspace_count", func(t *Tx) error { return t.recount(team, project, user) })
	})
}

func orAll(user string) string {
	if user == "" {
		return "everybody"
	}
	return "one user"
}

// recount corrects the counts of a workspace under its lock.
func (t *Tx) recount(team, project, user string) error {
	row := map[string]any{"project": project, "user": user, "counts": []any{}}
	if err := t.writeRows(addWorkspaceCounts, team, []map[string]any{row}); err != nil {
		return err
	}
	counts, err := integrityWorkspace.ExecOne(t, workspaceCountParams(team, project, user))
	if err != nil {
		return err
	}
	var changes []any
	for name, by := range counts.miscounted() {
		changes = append(changes, []any{name, by})
	}
	row["counts"] = changes
	return t.writeRows(addWorkspaceCounts, team, []map[string]any{row})
}

func workspaceCountParams(team, project, user string) map[string]any {
	return map[string]any{
		"team_id": team, "project_id": project, "user_id": user, "separator": KeySeparator,
		"counted": project + KeySeparator + user + KeySeparator, "list": ProjectKind.Name + KeySeparator + user,
	}
}

// miscounted returns by how much each count has to change.
func (w *checkedWorkspace) miscounted() map[string]int64 {
	wrong := map[string]int64{}
	for _, c := range w.Stored {
		wrong[c.Name] -= c.Count
	}
	for _, c := range w.Counted {
		wrong[c.Name] += c.Count
	}
	maps.DeleteFunc(wrong, func(_ string, by int64) bool { return by == 0 })
	return wrong
}
