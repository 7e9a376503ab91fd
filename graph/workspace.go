package graph

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

// WorkspaceCounts are how many nodes of a kind a project has that the scope may see, how many of these are linked with the
// project itself, and how many stand among what agents are shown.
type WorkspaceCounts struct{ Total, Direct, Listed int64 }

// WorkspaceItem is a node of a project as an agent is shown it: with the fields of its kind that are shown, its texts cut
// to 1,000 characters, and what follows from its links.
type WorkspaceItem struct {
	NodeView
	Direct bool   // linked with the project itself
	Raw    string // of a signal its payload, of an insight its props: JSON, cut to 1,000 characters
	Links  WorkspaceLinks
}

// WorkspaceLinks count what a node of a project is linked with in it (S3-16).
type WorkspaceLinks struct {
	Tasks, Done              int64 // of a goal, plan or output
	Plans, Goals, Outputs    int64
	Dependencies, Dependents int64
}

// WorkspaceFocus is a node of a project that a user looks at.
type WorkspaceFocus struct {
	Node    NodeView
	Project *NodeRef       // nil: it belongs to none that the scope may see
	State   string         // of the project
	Edges   []WorkspaceEnd // its relationships: at most 20, those that lead to the highest scores first
	Direct  bool           // linked with the project itself
	Level   *int           // steps from the project along incoming relationships; nil: none of five
	Links   WorkspaceLinks
	First   map[string][]string // keys of the first three of what it is linked with: plans, goals, outputs, dependencies, dependents, tasks
}

// WorkspaceEnd is a relationship of a node with the node at its other end.
type WorkspaceEnd struct {
	Type     string
	Outgoing bool
	Node     NodeRef
}

// WorkspaceEdge is a current relationship between nodes of a workspace.
type WorkspaceEdge struct {
	Key      string
	From, To string // entity keys
	Type     string
}

// WorkspaceNode is a node in the picture of a workspace. Hops is its distance from the project.
type WorkspaceNode struct {
	Key, Kind, Name, State, Type string
	UpdatedAt                    time.Time
	Direct                       bool
	Score                        int64
	Hops                         int
}

// Workspace is what an agent is shown of a project.
type Workspace struct {
	Project       NodeView
	Document      *NodeRef                   // its context document
	Counts        map[string]WorkspaceCounts // by kind
	Shown         map[string][]WorkspaceItem // by kind, in the order of S3-13
	Recent        []WorkspaceItem            // open tasks that changed within a week
	Upcoming      []WorkspaceItem            // open tasks that start or are due within a week, and are not in Recent
	RecentTotal   int64
	UpcomingTotal int64
	Nodes         []WorkspaceNode // the picture: the project first
	Edges         []WorkspaceEdge // between them
	Linked        []WorkspaceEdge // of the project, those with the highest score first
	LinkedNames   map[string]NodeRef
}

// What of a workspace is shown (S3-12, S3-17, S3-20).
const (
	pictureNodes  = 60
	pictureEdges  = 80
	pictureOfKind = 10
	linkedShown   = 50
	recentShown   = 10
	upcomingShown = 5
	pictureWalked = 1000 // relationships of one node, when a picture grows
)

// shownOf is how many of a kind are shown, and what of them (S3-7, S3-12).
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
	shownFields = []string{"entity_key", "user_id", "name", "state_key", "type_key", "created_at", "updated_at", "workspace_links"}
	taskFields  = append(slices.Clone(shownFields), "priority", "start_at", "due_at", "completed_at", "facet_scale")
	// Those of a project (S3-7).
	projectFields = append(slices.Clone(shownFields), "description", "facet_context", "facet_scale", "facet_stage", "start_at", "end_at", "next_step_short", "next_step_long")
)

// WorkspaceOf reads what an agent is shown of a project, in two round trips. ErrNotFound.
func (s *Store) WorkspaceOf(ctx context.Context, scope Scope, project string) (*Workspace, error) {
	w, _, err := s.workspace(ctx, scope, project, nil)
	return w, err
}

// WorkspaceWith is WorkspaceOf with a node in focus, which must belong to the project: ErrNotFound. It takes no more round
// trips one after the other.
func (s *Store) WorkspaceWith(ctx context.Context, scope Scope, project string, kind Kind, key string) (*Workspace, *WorkspaceFocus, error) {
	var focus *WorkspaceFocus
	read := make(chan error, 1)
	go func() {
		var err error
		focus, err = s.focus(ctx, scope, kind, key)
		if err == nil && (focus.Project == nil || focus.Project.EntityKey != project) {
			err = fmt.Errorf("focus: %w", ErrNotFound)
		}
		read <- err
	}()
	w, derived, err := s.workspace(ctx, scope, project, &key)
	if err = errors.Join(<-read, err); err != nil {
		return nil, nil, err
	}
	focus.derive(derived)
	return w, focus, nil
}

// Focus reads a node of a kind of projects that a user looks at. ErrNotFound.
func (s *Store) Focus(ctx context.Context, scope Scope, kind Kind, key string) (*WorkspaceFocus, error) {
	f, err := s.focus(ctx, scope, kind, key)
	if err != nil || f.Project == nil {
		return f, err
	}
	row, err := s.links(ctx, scope, f.Project.EntityKey, []string{key}, key, nil)
	if err != nil {
		return nil, err
	}
	f.derive(row.Values[0])
	return f, nil
}

func (s *Store) focus(ctx context.Context, scope Scope, kind Kind, key string) (*WorkspaceFocus, error) {
	row, err := s.readOne(ctx, "workspace_element", map[string]any{
		"team_id": scope.TeamID, "user_id": scope.user(), "entity_key": key, "label": kind.Label, "walk": pictureWalked,
	})
	if err != nil {
		return nil, err
	}
	f := &WorkspaceFocus{Node: nodeView(kind, pairsFrom(row.Values[0]), s.now()), First: map[string][]string{}}
	f.Direct = len(texts(row.Values[4])) > 0
	for _, project := range items(row.Values[1]) {
		p := items(project)
		f.Project, f.State = &NodeRef{EntityKey: text(p[0]), Kind: projectKind.Name, Name: text(p[1])}, text(p[2])
	}
	for _, edge := range items(row.Values[2]) {
		e := items(edge)
		f.Edges = append(f.Edges, WorkspaceEnd{text(e[0]), truth(e[1]), refFrom(e[2:])})
	}
	if level, ok := row.Values[3].(int64); ok {
		steps := int(level)
		f.Level = &steps
	}
	return f, nil
}

// derive reads what follows from the links of the node in focus.
func (f *WorkspaceFocus) derive(v any) {
	for _, item := range items(v) {
		l := items(item)
		if text(l[0]) != f.Node.EntityKey {
			continue
		}
		f.Links = linksFrom(f.Node.Kind, items(l[1]))
		for i, name := range []string{"plans", "goals", "outputs", "dependencies", "dependents", "tasks"} {
			f.First[name] = texts(items(l[2])[i])
		}
	}
}

// links reads what follows from the links of some nodes, and what a picture leads to.
func (s *Store) links(ctx context.Context, scope Scope, project string, derived []string, focus string, p *picture) (*neo4j.Record, error) {
	keys, open := []string{}, []string{}
	if p != nil {
		keys, open = p.keys(), p.open()
	}
	return s.readOne(ctx, "workspace_links", map[string]any{
		"team_id": scope.TeamID, "user_id": scope.user(), "project_id": project, "derived": derived, "focus": focus,
		"picture": keys, "open": open, "walk": pictureWalked,
	})
}

// workspace reads a project, and what follows from the links of all that is shown, of the node in focus too.
func (s *Store) workspace(ctx context.Context, scope Scope, project string, focus *string) (*Workspace, any, error) {
	now := s.now()
	row, err := s.readOne(ctx, "workspace_project", workspaceParams(scope, project, now))
	if err != nil {
		return nil, nil, err
	}
	v := row.Values
	w := &Workspace{
		Project: nodeView(projectKind, pairsFrom(v[0]), now), Counts: countsFrom(v[1]), Shown: map[string][]WorkspaceItem{},
		RecentTotal: integer(v[5]), UpcomingTotal: integer(v[7]), LinkedNames: map[string]NodeRef{},
	}
	for _, document := range items(v[2]) {
		d := items(document)
		w.Document = &NodeRef{EntityKey: text(d[0]), Kind: "document", Name: text(d[1])}
	}
	w.Shown = shownFrom(v[3], now)
	w.tasks(v[4], v[6], now)
	w.linked(project, v[9])
	p := newPicture(project, w.Project, v[8])
	derived, focused := w.derived(), ""
	if focus != nil {
		derived, focused = append(derived, *focus), *focus
	}
	row, err = s.links(ctx, scope, project, derived, focused, p)
	if err != nil {
		return nil, nil, err
	}
	w.derive(row.Values[0])
	w.Nodes, w.Edges = p.grow(row.Values[1], row.Values[2])
	return w, row.Values[0], nil
}

// Workspaces are the projects that a scope may see.
type Workspaces struct {
	Projects []NodeView // the last changed 50
	Total    int64
	Counts   map[string]WorkspaceCounts // what all of them have, by kind: only Total is told
}

// Workspaces reads what an agent is shown of all projects, in one round trip.
func (s *Store) Workspaces(ctx context.Context, scope Scope) (*Workspaces, error) {
	now, users := s.now(), scope.users()
	lists := make([]string, len(users))
	for i, user := range users {
		lists[i] = projectKind.Name + keySeparator + user
	}
	row, err := s.readOne(ctx, "workspace_global", map[string]any{
		"team_id": scope.TeamID, "user_id": scope.user(), "users": users, "lists": lists, "project_fields": projectFields,
	})
	if err != nil {
		return nil, err
	}
	w := &Workspaces{Total: integer(row.Values[1]), Counts: countsFrom([]any{row.Values[2]})}
	for _, p := range items(row.Values[0]) {
		w.Projects = append(w.Projects, nodeView(projectKind, pairsFrom(p), now))
	}
	return w, nil
}

// users are those whose part of a workspace the scope sees: what everybody sees has the empty one.
func (s Scope) users() []string {
	if s.UserID == "" {
		return []string{""}
	}
	return []string{"", s.UserID}
}

func workspaceParams(scope Scope, project string, now time.Time) map[string]any {
	users := scope.users()
	var lists []map[string]any
	var tasks []string
	for _, kind := range WorkspaceKinds {
		shown := workspaceShown[kind] // none of tasks
		for _, user := range users {
			list := kind + keySeparator + user
			lists = append(lists, map[string]any{"kind": kind, "list": list, "limit": shown.most, "fields": shown.fields, "texts": shown.texts})
			if kind == "task" {
				tasks = append(tasks, list)
			}
		}
	}
	return map[string]any{
		"team_id": scope.TeamID, "user_id": scope.user(), "project_id": project, "users": users, "lists": lists, "tasks": tasks,
		"fields": shownFields, "task_fields": taskFields, "project_fields": projectFields,
		"recent_at": -now.Add(-Week).UnixMilli(), "from": now, "to": now.Add(Week),
	}
}

// countsFrom adds up what a workspace has for everybody and for the user.
func countsFrom(v any) map[string]WorkspaceCounts {
	all := map[string]WorkspaceCounts{}
	for _, workspace := range items(v) {
		for _, pair := range items(workspace) {
			kind, what, _ := strings.Cut(text(items(pair)[0]), "_")
			n, c := integer(items(pair)[1]), all[kind]
			switch what {
			case "total":
				c.Total += n
			case "direct":
				c.Direct += n
			case "listed":
				c.Listed += n
			}
			all[kind] = c
		}
	}
	return all
}

// listed is an item with its place in its list.
type listed struct {
	kind string
	at   int64
	item WorkspaceItem
}

func listedFrom(v any, now time.Time) listed {
	l := items(v)
	p := pairsFrom(l[2])
	for name, value := range pairsFrom(l[3]) {
		p[name] = value
	}
	kind, _ := KindOf(text(l[0]))
	item := WorkspaceItem{Direct: len(p.texts("workspace_links")) > 0}
	for _, name := range []string{"payload", "props"} { // of which only the beginning is here
		item.Raw += p.text(name)
		delete(p, name)
	}
	item.NodeView = nodeView(kind, p, now)
	return listed{kind.Name, integer(l[1]), item}
}

// shownFrom merges the lists of what everybody sees and of what is the user's own.
func shownFrom(v any, now time.Time) map[string][]WorkspaceItem {
	byKind := map[string][]listed{}
	for _, list := range items(v) {
		for _, item := range items(list) {
			l := listedFrom(item, now)
			byKind[l.kind] = append(byKind[l.kind], l)
		}
	}
	shown := map[string][]WorkspaceItem{}
	for kind, all := range byKind {
		shown[kind] = firstOf(all, workspaceShown[kind].most)
	}
	return shown
}

// firstOf are the first of a list.
func firstOf(all []listed, most int) []WorkspaceItem {
	slices.SortFunc(all, func(a, b listed) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.item.EntityKey, b.item.EntityKey))
	})
	var shown []WorkspaceItem
	for _, l := range all[:min(most, len(all))] {
		shown = append(shown, l.item)
	}
	return shown
}

// tasks chooses those that changed lately, and of the others those that start or are due soon, the earliest first.
func (w *Workspace) tasks(recent, upcoming any, now time.Time) {
	var all []listed
	for _, list := range items(recent) {
		for _, item := range items(list) {
			all = append(all, listedFrom(item, now))
		}
	}
	w.Recent = firstOf(all, recentShown)
	isRecent := map[string]bool{}
	for i := range w.Recent {
		isRecent[w.Recent[i].EntityKey] = true
		if soon(&w.Recent[i], now) != nil {
			w.UpcomingTotal--
		}
	}
	all = slices.DeleteFunc(listedAll(items(upcoming), now), func(l listed) bool { return isRecent[l.item.EntityKey] })
	slices.SortFunc(all, func(a, b listed) int {
		return cmp.Or(soon(&a.item, now).Compare(*soon(&b.item, now)), cmp.Compare(a.at, b.at), cmp.Compare(a.item.EntityKey, b.item.EntityKey))
	})
	for _, l := range all[:min(upcomingShown, len(all))] {
		w.Upcoming = append(w.Upcoming, l.item)
	}
}

func listedAll(list []any, now time.Time) []listed {
	all := make([]listed, len(list))
	for i := range list {
		all[i] = listedFrom(list[i], now)
	}
	return all
}

// soon is when a task starts or is due within a week, the earlier of both; nil: neither.
func soon(task *WorkspaceItem, now time.Time) *time.Time {
	if task.OwnFields == nil {
		return nil
	}
	var first *time.Time
	for _, at := range []Optional[time.Time]{task.StartAt, task.DueAt} {
		if at.Given && !at.Null && !at.Value.Before(now) && !at.Value.After(now.Add(Week)) && (first == nil || at.Value.Before(*first)) {
			first = &at.Value
		}
	}
	return first
}

// linked reads what is linked with the project itself, in the order in which it comes.
func (w *Workspace) linked(project string, v any) {
	for _, item := range items(v) {
		n := items(item)
		w.LinkedNames[text(n[1])] = NodeRef{EntityKey: text(n[1]), Kind: text(n[0]), Name: text(n[2])}
		for _, e := range edgesOf(project, text(n[1]), texts(n[3])) {
			if len(w.Linked) < linkedShown {
				w.Linked = append(w.Linked, e)
			}
		}
	}
}

// edgesOf are the relationships between a project and a node, of which the node keeps direction, type and key.
func edgesOf(project, key string, links []string) []WorkspaceEdge {
	edges := make([]WorkspaceEdge, len(links))
	for i, link := range links {
		parts := strings.SplitN(link, keySeparator, 3)
		edges[i] = WorkspaceEdge{Key: parts[2], From: project, To: key, Type: parts[1]}
		if parts[0] == "out" {
			edges[i].From, edges[i].To = key, project
		}
	}
	return edges
}

// derived are the keys of what is shown with counts of its links.
func (w *Workspace) derived() []string {
	keys := []string{}
	for _, shown := range [][]WorkspaceItem{w.Shown["goal"], w.Shown["plan"], w.Shown["output"], w.Recent, w.Upcoming} {
		for i := range shown {
			keys = append(keys, shown[i].EntityKey)
		}
	}
	return keys
}

func (w *Workspace) derive(v any) {
	links := map[string][]any{}
	for _, item := range items(v) {
		links[text(items(item)[0])] = items(items(item)[1])
	}
	for _, shown := range [][]WorkspaceItem{w.Shown["goal"], w.Shown["plan"], w.Shown["output"], w.Recent, w.Upcoming} {
		for i := range shown {
			if l, ok := links[shown[i].EntityKey]; ok {
				shown[i].Links = linksFrom(shown[i].Kind, l)
			}
		}
	}
}

// linksFrom reads counts of links, as far as a kind has them.
func linksFrom(kind string, l []any) WorkspaceLinks {
	links := WorkspaceLinks{Dependencies: integer(l[5]), Dependents: integer(l[6])}
	switch kind {
	case "goal", "plan":
		links.Tasks, links.Done = integer(l[0]), integer(l[1])
	case "output":
		links.Tasks, links.Goals = integer(l[0]), integer(l[3])
	case "task":
		links.Plans, links.Goals, links.Outputs = integer(l[2]), integer(l[3]), integer(l[4])
	}
	return links
}
