package graph

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// places reports nodes whose place in their workspace is wrong.
func (a *auditor) places(ctx context.Context, p auditedPage) error {
	var keys []string
	for i := range p.nodes {
		if p.nodes[i].kind.group == projectGroup {
			keys = append(keys, p.nodes[i].key())
		}
	}
	if len(keys) == 0 {
		return nil
	}
	rows, err := a.rows(ctx, "workspace_look", lookParams(p.team, keys))
	if err != nil {
		return err
	}
	for _, m := range movesFrom(rows) {
		a.counted(m.to.counts)
		changed := m.changed()
		if len(changed) == 0 {
			continue
		}
		f := Finding{
			Check: "place", TeamID: p.team, Kind: m.node.kind.Name, Key: m.node.key(),
			Detail: "has a wrong " + strings.Join(slices.Sorted(maps.Keys(changed)), ", "),
		}
		err := a.report(ctx, f, func(ctx context.Context) error {
			return a.store.transaction(ctx, "workspace_look", func(t *tx) error { return t.settle(p.team, []string{f.Key}) })
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// counted records the workspace in which a node is counted.
func (a *auditor) counted(as string) {
	if parts := strings.SplitN(as, keySeparator, 3); len(parts) == 3 {
		a.workspaces[[2]string{parts[0], parts[1]}] = true
	}
}

// workspacesOf reports workspaces whose counts differ from their nodes. It checks the workspaces of the nodes read before, and
// those that have counts.
func (a *auditor) workspacesOf(ctx context.Context, team string) error {
	var project, user string
	for {
		rows, err := a.rows(ctx, "audit_workspaces", map[string]any{"team_id": team, "project_id": project, "user_id": user, "limit": auditPage})
		if err != nil {
			return err
		}
		for _, row := range rows {
			project, user = text(row.Values[0]), text(row.Values[1])
			a.workspaces[[2]string{project, user}] = true
		}
		if len(rows) < auditPage {
			break
		}
	}
	for w := range a.workspaces {
		if err := a.workspace(ctx, team, w[0], w[1]); err != nil {
			return err
		}
	}
	return nil
}

// auditReads is how often wrong counts are read again: a write may have happened between the two parts of the read.
const auditReads = 3

func (a *auditor) workspace(ctx context.Context, team, project, user string) error {
	wrong := map[string]int64{}
	for range auditReads {
		rows, err := a.rows(ctx, "audit_workspace", workspaceCountParams(team, project, user))
		if err != nil {
			return err
		}
		if wrong = miscounted(rows[0].Values); len(wrong) == 0 {
			return nil
		}
	}
	f := Finding{
		Check: "workspace_count", TeamID: team, Kind: projectKind.Name, Key: project,
		Detail: fmt.Sprintf("has a wrong count of %s for %s", strings.Join(slices.Sorted(maps.Keys(wrong)), ", "), orAll(user)),
	}
	return a.report(ctx, f, func(ctx context.Context) error {
		return a.store.transaction(ctx, "workspace_count", func(t *tx) error { return t.recount(team, project, user) })
	})
}

func orAll(user string) string {
	if user == "" {
		return "everybody"
	}
	return "one user"
}

// recount corrects the counts of a workspace under its lock.
func (t *tx) recount(team, project, user string) error {
	row := map[string]any{"project": project, "user": user, "counts": []any{}}
	if err := t.rows("workspace_count", team, []map[string]any{row}); err != nil {
		return err
	}
	rows, err := t.exec("audit_workspace", workspaceCountParams(team, project, user))
	if err != nil {
		return err
	}
	var changes []any
	for name, by := range miscounted(rows[0].Values) {
		changes = append(changes, []any{name, by})
	}
	row["counts"] = changes
	return t.rows("workspace_count", team, []map[string]any{row})
}

func workspaceCountParams(team, project, user string) map[string]any {
	return map[string]any{
		"team_id": team, "project_id": project, "user_id": user, "separator": keySeparator,
		"counted": project + keySeparator + user + keySeparator, "list": projectKind.Name + keySeparator + user,
	}
}

// miscounted returns by how much each count has to change, from pairs of stored and counted values.
func miscounted(v []any) map[string]int64 {
	wrong := map[string]int64{}
	for _, pair := range items(v[0]) {
		wrong[text(items(pair)[0])] -= integer(items(pair)[1])
	}
	for _, pair := range items(v[1]) {
		wrong[text(items(pair)[0])] += integer(items(pair)[1])
	}
	maps.DeleteFunc(wrong, func(_ string, by int64) bool { return by == 0 })
	return wrong
}
