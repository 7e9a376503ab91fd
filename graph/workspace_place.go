package graph

import (
	"slices"
	"strings"
	"time"

	"kith/graph/neo"
)

// A workspace is a project with all nodes that belong to it. Every node stores its place there, and the workspace
// stores counts. So a view costs no more than the nodes that it shows.

// ProjectKind is the kind of projects.
var ProjectKind, _ = KindOf("project")

// WorkspaceKinds lists the kinds of nodes that belong to a project, in the order in which agents see them.
var WorkspaceKinds = []string{
	"goal", "risk", "decision", "requirement", "document", "milestone", "plan", "output", "signal", "insight", "task",
}

// place is the position of a node in its workspace.
type place struct {
	list   string   // the list that shows it; empty: none
	at     int64    // its order in the list, ascending
	direct string   // its kind and user if it is linked with the project
	rank   int64    // its order in a picture of the workspace, ascending
	links  []string // with the project
	counts string   // how it is counted; empty: not counted
}

// PlaceNames are the properties of a place.
var PlaceNames = []string{"workspace_list", "workspace_at", "workspace_direct", "workspace_rank", "workspace_links", "workspace_counted"}

// placeSources are the properties that determine a place.
var placeSources = []string{
	"entity_key", "user_id", "project_id", "state_key", "type_key", "priority", "due_at", "target_date", "impact", "decision_at",
	"ts", "created_at", "updated_at",
}

// placeOf returns the place of a node with some links with its project.
func placeOf(n *stored, links []string) place {
	scope := KeySeparator + n.user()
	if n.kind == ProjectKind {
		return place{list: n.kind.Name + scope, at: n.order(), counts: countedAs("", n.user(), n.kind.Name, "total")}
	}
	project := n.Text("project_id")
	if n.kind.group != projectGroup || project == "" || n.isScratch() {
		return place{}
	}
	p := place{rank: -n.score(), links: links}
	counted := []string{"total"}
	if len(links) > 0 {
		p.direct = n.kind.Name + scope
		counted = append(counted, "direct")
	}
	if n.isShown(len(links) > 0) {
		p.list, p.at = n.kind.Name+scope, n.order()
		counted = append(counted, "listed")
	}
	p.counts = countedAs(project, n.user(), n.kind.Name, counted...)
	return p
}

func (p place) properties() Properties {
	all := Properties{}
	all.putUnless(p.list == "", "workspace_list", p.list)
	all.putUnless(p.list == "", "workspace_at", p.at)
	all.putUnless(p.direct == "", "workspace_direct", p.direct)
	all.putUnless(p.counts == "", "workspace_rank", p.rank)
	all.putUnless(len(p.links) == 0, "workspace_links", p.links)
	all.putUnless(p.counts == "", "workspace_counted", p.counts)
	return all
}

// isScratch reports whether the node is a scratch document, which is never shown.
func (s *stored) isScratch() bool {
	kind := strings.ToLower(s.Text("type_key"))
	return s.kind.Name == "document" && (strings.Contains(kind, "scratch") || strings.Contains(kind, "workspace"))
}

// isShown reports whether the node is listed for agents.
func (s *stored) isShown(direct bool) bool {
	state := s.Text("state_key")
	switch s.kind.Name {
	case "goal", "document", "output":
		return true
	case "task":
		return state != "done" && state != "blocked"
	case "risk":
		return direct && state != "mitigated" && state != "closed"
	}
	return direct
}

// order returns the order of the node within its kind: mostly newest first.
func (s *stored) order() int64 {
	first := func(names ...string) int64 {
		for _, name := range append(names, "created_at") {
			if t := s.Moment(name); t != nil {
				return t.UnixMilli()
			}
		}
		return time.Time{}.UnixMilli()
	}
	switch s.kind.Name {
	case "milestone":
		return first("due_at")
	case "decision":
		return -first("decision_at")
	case "signal":
		return -first("ts")
	case "risk", "requirement", "insight":
		return -first()
	}
	return -first("updated_at")
}

// score returns the weight of the node in a picture of the workspace.
func (s *stored) score() (score int64) {
	add := func(points int64, when bool) {
		if when {
			score += points
		}
	}
	state := s.Text("state_key")
	switch s.kind.Name {
	case "task":
		priority := s.Properties["priority"]
		add(50, state == "blocked")
		add(20, state == "in_progress")
		add(30, priority != nil && neo.Integer(priority) <= 2)
		add(15, s.Properties["due_at"] != nil)
	case "risk":
		add(40, s.Text("impact") == "critical")
		add(30, s.Text("impact") == "high")
		add(10, state == "identified")
	case "goal":
		add(20, state == "active")
		add(10, s.Properties["target_date"] != nil)
	case "output":
		add(25, state == "review")
		add(15, state != "" && state != "published")
	}
	return score
}

// countedAs returns the workspace in which a node is counted, for whom, and as what: task_total.
func countedAs(project, user, kind string, as ...string) string {
	names := make([]string, len(as))
	for i := range as {
		names[i] = kind + "_" + as[i]
	}
	return strings.Join(append([]string{project, user}, names...), KeySeparator)
}

// tally sums the changes of counts.
type tally map[[2]string]map[string]int64 // by project and user

func (t tally) add(counted string, by int64) {
	parts := strings.Split(counted, KeySeparator)
	if len(parts) < 3 {
		return
	}
	workspace := [2]string{parts[0], parts[1]}
	if t[workspace] == nil {
		t[workspace] = map[string]int64{}
	}
	for _, name := range parts[2:] {
		t[workspace][name] += by
	}
}

// rows returns the rows of workspace_count, in the order in which every writer locks them.
func (t tally) rows() []map[string]any {
	var rows []map[string]any
	for workspace, counts := range t {
		var changes []any
		for name, by := range counts {
			if by != 0 {
				changes = append(changes, []any{name, by})
			}
		}
		if len(changes) > 0 {
			rows = append(rows, map[string]any{"project": workspace[0], "user": workspace[1], "counts": changes})
		}
	}
	slices.SortFunc(rows, func(a, b map[string]any) int {
		return strings.Compare(neo.Text(a["project"])+KeySeparator+neo.Text(a["user"]), neo.Text(b["project"])+KeySeparator+neo.Text(b["user"]))
	})
	return rows
}

var (
	findPlaces         = neo.Load[placeRow]("workspace_look")
	lockProjectNodes   = neo.Load[string]("workspace_keys")
	addWorkspaceCounts = neo.Load[neo.None]("workspace_count")
)

// placeRow is a node with what decides its place in its workspace.
type placeRow struct {
	Labels     Labels
	Properties Properties
	Links      [][]string // to its project: direction, type and key
}

// settle updates the places in workspaces of nodes that the transaction has locked.
func (t *Tx) settle(team string, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	rows, err := findPlaces.Exec(t, lookParams(team, keys, t.store.Now()))
	if err != nil {
		return err
	}
	return t.move(team, movesFrom(rows))
}

func lookParams(team string, keys []string, now time.Time) map[string]any {
	return map[string]any{"team_id": team, "keys": Distinct(keys), "fields": slices.Concat(placeSources, PlaceNames), "now": now}
}

// movesFrom reads nodes and computes their places.
func movesFrom(rows []placeRow) []move {
	moves := make([]move, len(rows))
	for i, row := range rows {
		n := &stored{row.Labels.Kind(), row.Properties}
		var links []string
		for _, link := range row.Links {
			links = append(links, strings.Join(link, KeySeparator))
		}
		moves[i] = move{n, placeOf(n, links)}
	}
	return moves
}

// enter places a restored node in its workspace; for a project, all nodes that belong to it.
func (t *Tx) enter(team string, n *stored) error {
	if n.kind.group != projectGroup {
		return nil
	}
	if err := t.rehome(team, n); err != nil {
		return err
	}
	if err := t.settle(team, []string{n.key()}); err != nil || n.kind != ProjectKind {
		return err
	}
	return t.eachIn(team, n.key(), func(keys []string) error { return t.settle(team, keys) })
}

// eachIn locks the nodes of a project in batches and calls visit with their keys.
func (t *Tx) eachIn(team, project string, visit func(keys []string) error) error {
	return t.eachOf(lockProjectNodes, map[string]any{"team_id": team, "project_id": project}, visit)
}

func (t *Tx) eachOf(lock neo.Query[string], params map[string]any, visit func(keys []string) error) error {
	for after := ""; ; {
		params["after"], params["limit"] = after, renewBatch
		keys, err := lock.Exec(t, params)
		if err != nil || len(keys) == 0 {
			return err
		}
		after = keys[len(keys)-1]
		if err := visit(keys); err != nil {
			return err
		}
	}
}

// leave removes a node from its workspace before it is deleted.
func (t *Tx) leave(team string, n *stored) error {
	if n.kind.group != projectGroup {
		return nil
	}
	return t.move(team, []move{{n, place{}}})
}

// move is a node with its new place.
type move struct {
	node *stored
	to   place
}

// changed returns the changed properties of the place.
func (m *move) changed() Properties {
	old := Properties{}
	for _, name := range PlaceNames {
		old.putUnless(m.node.Properties[name] == nil, name, m.node.Properties[name])
	}
	return old.changesTo(m.to.properties())
}

// move stores the places of nodes and updates the counts.
func (t *Tx) move(team string, moves []move) error {
	counts, changes := tally{}, []map[string]any{}
	for _, m := range moves {
		changed := m.changed()
		if len(changed) == 0 {
			continue
		}
		changes = append(changes, map[string]any{"entity_key": m.node.key(), "properties": map[string]any(changed)})
		counts.add(m.node.Text("workspace_counted"), -1)
		counts.add(m.to.counts, 1)
	}
	if err := t.writeRows(updateNodes, team, changes); err != nil {
		return err
	}
	return t.writeRows(addWorkspaceCounts, team, counts.rows())
}
