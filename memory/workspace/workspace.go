package workspace

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"kith/graph"
	"kith/graph/neo"
	"kith/graph/trust"
	"kith/internal/fault"
)

var (
	findWorkspace  = neo.Load[workspaceRow]("workspace_project")
	findWorkspaces = neo.Load[workspacesRow]("workspace_global")
	findLinks      = neo.Load[workspaceLinksRow]("workspace_links")
)

// workspaceRow is a project with what agents see of it. Lists of lists have one for the shared part and one for the
// user's.
type workspaceRow struct {
	Project       graph.Properties
	Counts        [][]namedCount
	Document      []documentRow
	Shown         [][]listedRow
	Recent        [][]listedRow
	RecentTotal   int64 `neo:"recents"`
	Upcoming      []listedRow
	UpcomingTotal int64 `neo:"upcomings"`
	Picture       [][]nearRow
	Linked        []directRow
}

// workspacesRow has the projects that a scope may see.
type workspacesRow struct {
	Projects []graph.Properties
	Count    int64
	Counts   []namedCount
}

// namedCount is a stored count with its name: a kind and what is counted.
type namedCount struct {
	Name  string
	Count int64
}

// documentRow is the context document of a project.
type documentRow struct {
	Key, Name string
	Trust     any
	Origin    string
}

// directRow is a node linked with the project itself, with the direction, type and key of each relationship.
type directRow struct {
	Kind, Key, Name string
	Links           []string
	Trust           any
	Origin          string
}

// workspaceLinksRow has the links of some nodes of a project within it, and what they lead to.
type workspaceLinksRow struct {
	Derived []derivedRow
	Edges   []edgeRow
	Further []furtherRow
}

// derivedRow has the counts of the links of a node and, for the node in focus, the first keys of each.
type derivedRow struct {
	Key    string
	Counts linkCounts
	First  firstLinks
}

// linkCounts are counts of a node's links, in the order of workspace_links.
type linkCounts struct{ Tasks, Done, Plans, Goals, Outputs, Dependencies, Dependents int64 }

// firstLinks are the keys of the first nodes that a node is linked with, in the order of workspace_links.
type firstLinks struct{ Plans, Goals, Outputs, Dependencies, Dependents, Tasks []string }

// Counts has the numbers of nodes of a kind in a project that the scope may see: all, those linked with the
// project itself, and those listed for agents.
type Counts struct{ Total, Direct, Listed int64 }

// Item is a node of a project as agents see it: the fields shown for its kind, texts cut to 1,000
// characters, and counts of its links.
type Item struct {
	graph.NodeView
	Direct bool   // linked with the project itself
	Raw    string // payload of a signal, props of an insight: JSON, cut to 1,000 characters
	Links  Links
}

// Links counts the links of a node within its project.
type Links struct {
	Tasks, Done              int64 // of a goal, plan or output
	Plans, Goals, Outputs    int64
	Dependencies, Dependents int64
}

// Edge is a current relationship between nodes of a workspace.
type Edge struct {
	Key      string
	From, To string // entity keys
	Type     string
}

// Node is a node in the picture of a workspace. Hops is its distance from the project.
type Node struct {
	Key, Kind, Name, State, Type string
	UpdatedAt                    time.Time
	Direct                       bool
	Score                        int64
	Hops                         int
	trust.Told
}

// Ref identifies a node, with how far it is believed.
type Ref struct {
	graph.NodeRef
	trust.Told
}

// Workspace is the view of a project for agents.
type Workspace struct {
	Project       graph.NodeView
	Document      *Ref              // its context document
	Counts        map[string]Counts // by kind
	Shown         map[string][]Item // by kind, in display order
	Recent        []Item            // open tasks that changed within a week
	Upcoming      []Item            // open tasks that start or are due within a week, and are not in Recent
	RecentTotal   int64
	UpcomingTotal int64
	Nodes         []Node // the picture: the project first
	Edges         []Edge // between these nodes
	Linked        []Edge // of the project, highest score first
	LinkedNames   map[string]Ref
}

// Limits of the view of a workspace.
const (
	pictureNodes  = 60
	pictureEdges  = 80
	pictureOfKind = 10
	linkedShown   = 50
	recentShown   = 10
	upcomingShown = 5
	projectsShown = 50
	edgesShown    = 20
	pictureWalked = 1000 // relationships examined per node when a picture grows
)

// shownOf has the number of nodes of a kind to show, and their fields.
type shownOf struct {
	most          int
	fields, texts []string
}

var workspaceShown = map[string]shownOf{
	"goal":        {10, []string{"target_date", "completed_at"}, []string{"description", "goal"}},
	"risk":        {6, []string{"impact", "probability", "mitigated_at"}, []string{"content", "description"}},
	"decision":    {6, []string{"decision_at"}, []string{"outcome", "rationale", "description"}},
	"requirement": {8, []string{"priority"}, []string{"text"}},
	"document":    {10, nil, []string{"description"}},
	"milestone":   {6, []string{"due_at", "completed_at"}, []string{"description"}},
	"plan":        {6, nil, []string{"description"}},
	"output":      {10, nil, []string{"description"}},
	"signal":      {6, []string{"channel", "ts", "payload"}, nil},
	"insight":     {6, []string{"derived_from_signal_id"}, []string{"description", "props"}},
}

var (
	shownFields = []string{"entity_key", "user_id", "name", "state_key", "type_key", "created_at", "updated_at", "workspace_links", "trust", "origin"}
	taskFields  = append(slices.Clone(shownFields), "priority", "start_at", "due_at", "completed_at", "facet_scale")
	// Fields of a project.
	projectFields = append(slices.Clone(shownFields), "description", "facet_context", "facet_scale", "facet_stage", "start_at", "end_at",
		"next_step_short", "next_step_long")
)

// WorkspaceOf returns the view of a project, in two round trips, or ErrNotFound.
func (s *Store) WorkspaceOf(ctx context.Context, scope graph.Scope, project string) (*Workspace, error) {
	return graph.AtCurrentKeys(ctx, s.graph, scope, []*string{&project}, func() (*Workspace, error) {
		w, _, err := s.workspace(ctx, scope, project, "")
		return w, err
	})
}

// links reads counts of the links of some nodes, and the nodes that a picture leads to.
func (s *Store) links(ctx context.Context, scope graph.Scope, project string, derived []string, focus string, p *picture) (workspaceLinksRow, error) {
	keys, open := []string{}, []string{}
	if p != nil {
		keys, open = p.keys(), p.open()
	}
	return findLinks.ReadOne(ctx, s.db, map[string]any{
		"team_id": scope.TeamID, "user_id": scope.User(), "project_id": project, "derived": derived, "focus": focus,
		"picture": keys, "open": open, "walk": pictureWalked, "now": s.graph.Now(),
	})
}

// workspace reads a project, and counts of the links of all shown nodes and of the node in focus.
func (s *Store) workspace(ctx context.Context, scope graph.Scope, project, focus string) (*Workspace, []derivedRow, error) {
	if err := s.graph.SettleDue(ctx, scope.TeamID); err != nil {
		return nil, nil, err
	}
	now := s.graph.Now()
	row, err := findWorkspace.ReadOne(ctx, s.db, workspaceParams(scope, project, now))
	if err != nil {
		return nil, nil, err
	}
	w := row.view(project, now)
	p := newPicture(project, w.Project, row.Picture)
	derived := w.derived()
	if focus != "" {
		derived = append(derived, focus)
	}
	links, err := s.links(ctx, scope, project, derived, focus, p)
	if err != nil {
		return nil, nil, err
	}
	w.derive(links.Derived)
	w.Nodes, w.Edges = p.grow(links.Edges, links.Further)
	return w, links.Derived, nil
}

// view returns the part of the view of a project that its row has.
func (row *workspaceRow) view(project string, now time.Time) *Workspace {
	w := &Workspace{
		Project: graph.NewNodeView(graph.ProjectKind, row.Project, now), Counts: countsFrom(row.Counts), Shown: shownFrom(row.Shown, now),
		RecentTotal: row.RecentTotal, UpcomingTotal: row.UpcomingTotal, LinkedNames: map[string]Ref{},
	}
	for _, d := range row.Document {
		w.Document = &Ref{graph.NodeRef{EntityKey: d.Key, Kind: "document", Name: d.Name}, trust.NewTold(d.Trust, d.Origin)}
	}
	w.tasks(row.Recent, row.Upcoming, now)
	w.linked(project, row.Linked)
	return w
}

// Workspaces is the view of all projects that a scope may see.
type Workspaces struct {
	Projects []graph.NodeView // the 50 changed last
	Total    int64
	Counts   map[string]Counts // of all projects, by kind; only Total is set
}

// Workspaces returns the view of all projects, in one round trip.
func (s *Store) Workspaces(ctx context.Context, scope graph.Scope) (*Workspaces, error) {
	if err := s.graph.SettleDue(ctx, scope.TeamID); err != nil {
		return nil, err
	}
	now, users := s.graph.Now(), usersOf(scope)
	lists := make([]string, len(users))
	for i, user := range users {
		lists[i] = graph.ProjectKind.Name + graph.KeySeparator + user
	}
	row, err := findWorkspaces.ReadOne(ctx, s.db, map[string]any{
		"team_id": scope.TeamID, "user_id": scope.User(), "users": users, "lists": lists, "project_fields": projectFields,
	})
	if err != nil {
		return nil, err
	}
	w := &Workspaces{Total: row.Count, Counts: countsFrom([][]namedCount{row.Counts})}
	for _, p := range row.Projects {
		w.Projects = append(w.Projects, graph.NewNodeView(graph.ProjectKind, p, now))
	}
	return w, nil
}

// usersOf returns the users whose part of a workspace the scope sees; the empty one stands for the shared part.
func usersOf(s graph.Scope) []string {
	if s.UserID == "" {
		return []string{""}
	}
	return []string{"", s.UserID}
}

func workspaceParams(scope graph.Scope, project string, now time.Time) map[string]any {
	users := usersOf(scope)
	var lists []map[string]any
	var tasks []string
	for _, kind := range graph.WorkspaceKinds {
		shown := workspaceShown[kind] // none for tasks
		for _, user := range users {
			list := kind + graph.KeySeparator + user
			lists = append(lists, map[string]any{"kind": kind, "list": list, "limit": shown.most, "fields": shown.fields, "texts": shown.texts})
			if kind == "task" {
				tasks = append(tasks, list)
			}
		}
	}
	return map[string]any{
		"team_id": scope.TeamID, "user_id": scope.User(), "project_id": project, "users": users, "lists": lists, "tasks": tasks, "now": now,
		"fields": shownFields, "task_fields": taskFields, "project_fields": projectFields,
		"recent_at": -now.Add(-graph.Week).UnixMilli(), "from": now, "to": now.Add(graph.Week),
	}
}

// countsFrom adds the shared counts of a workspace and those of the user.
func countsFrom(workspaces [][]namedCount) map[string]Counts {
	all := map[string]Counts{}
	for _, counts := range workspaces {
		for _, n := range counts {
			kind, what, _ := strings.Cut(n.Name, "_")
			c := all[kind]
			switch what {
			case "total":
				c.Total += n.Count
			case "direct":
				c.Direct += n.Count
			case "listed":
				c.Listed += n.Count
			}
			all[kind] = c
		}
	}
	return all
}

// linked reads the nodes linked with the project itself, in the order received.
func (w *Workspace) linked(project string, nodes []directRow) {
	for _, n := range nodes {
		w.LinkedNames[n.Key] = Ref{graph.NodeRef{EntityKey: n.Key, Kind: n.Kind, Name: n.Name}, trust.NewTold(n.Trust, n.Origin)}
		for _, e := range edgesOf(project, n.Key, n.Links) {
			if len(w.Linked) < linkedShown {
				w.Linked = append(w.Linked, e)
			}
		}
	}
}

// edgesOf returns the relationships between a project and a node from the direction, type and key stored at the node.
func edgesOf(project, key string, links []string) []Edge {
	edges := make([]Edge, len(links))
	for i, link := range links {
		parts := strings.SplitN(link, graph.KeySeparator, 3)
		edges[i] = Edge{Key: parts[2], From: project, To: key, Type: parts[1]}
		if parts[0] == "out" {
			edges[i].From, edges[i].To = key, project
		}
	}
	return edges
}

// derived returns the keys of the shown nodes that have counts of their links.
func (w *Workspace) derived() []string {
	keys := []string{}
	for _, shown := range [][]Item{w.Shown["goal"], w.Shown["plan"], w.Shown["output"], w.Recent, w.Upcoming} {
		for i := range shown {
			keys = append(keys, shown[i].EntityKey)
		}
	}
	return keys
}

func (w *Workspace) derive(rows []derivedRow) {
	links := map[string]linkCounts{}
	for i := range rows {
		links[rows[i].Key] = rows[i].Counts
	}
	for _, shown := range [][]Item{w.Shown["goal"], w.Shown["plan"], w.Shown["output"], w.Recent, w.Upcoming} {
		for i := range shown {
			if counts, ok := links[shown[i].EntityKey]; ok {
				shown[i].Links = counts.ofKind(shown[i].Kind)
			}
		}
	}
}

// ofKind returns the counts of links that a kind has.
func (c *linkCounts) ofKind(kind string) Links {
	links := Links{Dependencies: c.Dependencies, Dependents: c.Dependents}
	switch kind {
	case "goal", "plan":
		links.Tasks, links.Done = c.Tasks, c.Done
	case "output":
		links.Tasks, links.Goals = c.Tasks, c.Goals
	case "task":
		links.Plans, links.Goals, links.Outputs = c.Plans, c.Goals, c.Outputs
	}
	return links
}

// Warm plans the statements with queries for a user that does not exist.
func (s *Store) Warm(ctx context.Context) error {
	const key = "warm-up"
	nobody := graph.Nobody()
	_, global := s.Workspaces(ctx, nobody)
	_, project := s.WorkspaceOf(ctx, nobody, key)
	_, links := s.links(ctx, nobody, key, []string{}, key, newPicture(key, graph.NodeView{}, nil))
	_, element := s.Focus(ctx, nobody, graph.ProjectKind, key)
	_, linked := s.LinkedWith(ctx, nobody, LinkedQuery{Kind: graph.ProjectKind, Key: key})
	for _, err := range []error{global, project, links, element, linked} {
		if err != nil && !errors.Is(err, fault.ErrNotFound) {
			return err
		}
	}
	return nil
}
