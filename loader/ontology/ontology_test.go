package ontology

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kith/graph"
	"kith/loader"
	"kith/memory/workspace"
	"kith/tests/golden"
	"kith/text/tokens"
)

func view(kind, key, name string, own *graph.OwnFields) graph.NodeView {
	n := graph.NodeView{Kind: kind, Node: node(key, name), OwnFields: own}
	n.CreatedAt, n.UpdatedAt = at.AddDate(0, 0, -20), at.AddDate(0, 0, -2)
	return n
}

func shown(kind, key, name, description string, own *graph.OwnFields, links workspace.Links) workspace.Item {
	n := view(kind, key, name, own)
	n.Description = description
	return workspace.Item{NodeView: n, Direct: len(key)%2 == 0, Links: links}
}

// survey is a workspace in which something of everything is shown.
func survey() *workspace.Workspace {
	day := func(days int) graph.Optional[time.Time] { return graph.Some(at.AddDate(0, 0, days)) }
	some := graph.Some[string]
	long := strings.Repeat("Read off at the gauge each hour. ", 20)
	w := &workspace.Workspace{
		Project: view("project", "proj-1", "Harbour Survey", &graph.OwnFields{
			StateKey: some("active"), TypeKey: some("project.service.survey"), FacetContext: some("client"), FacetScale: some("medium"),
			StartAt: day(-17), NextStepShort: some("Book the boat"), NextStepLong: some(long),
		}),
		Document: &workspace.Ref{NodeRef: graph.NodeRef{EntityKey: "doc-1", Kind: "document", Name: "Survey Brief"}},
		Counts: map[string]workspace.Counts{
			"goal": {Total: 8, Direct: 6, Listed: 8}, "task": {Total: 40, Direct: 3, Listed: 20}, "risk": {Total: 1, Direct: 1, Listed: 1},
		},
		Shown: map[string][]workspace.Item{
			"goal": {
				shown("goal", "goal-2", "Map the basin", long, &graph.OwnFields{TypeKey: some("goal.outcome"), StateKey: some("active"), TargetDate: day(100)}, workspace.Links{Tasks: 4, Done: 2}),
				shown("goal", "goal-11", "Nobody's goal", "", nil, workspace.Links{}),
			},
			"risk":        {shown("risk", "risk-1", "Fog", "", &graph.OwnFields{Impact: some("high"), Probability: graph.Some(0.25), Content: some("No sight for days")}, workspace.Links{})},
			"decision":    {shown("decision", "dec-1", "Two boats", "kept short", &graph.OwnFields{DecisionAt: day(-4), Outcome: some("Hire both"), Rationale: some("One may fail")}, workspace.Links{})},
			"requirement": {shown("requirement", "req-1", "To the centimetre", "", &graph.OwnFields{Text: some("Depths are given to the centimetre"), Priority: graph.Some(int64(1))}, workspace.Links{})},
			"document":    {shown("document", "doc-1", "Survey Brief", "What is asked for", nil, workspace.Links{})},
			"milestone":   {shown("milestone", "mile-1", "First chart", "", &graph.OwnFields{DueAt: day(30)}, workspace.Links{})},
			"plan":        {shown("plan", "plan-07", "Quay Repair", "Before the winter", &graph.OwnFields{StateKey: some("active")}, workspace.Links{Tasks: 3, Done: 1})},
			"output":      {shown("output", "out-1", "Chart", "", &graph.OwnFields{StateKey: some("review")}, workspace.Links{Tasks: 2, Goals: 1})},
			"signal":      {{NodeView: view("signal", "sig-1", "gauge", &graph.OwnFields{Channel: some("gauge"), TS: day(-1)}), Raw: `{"level":4.2}`}},
			"insight":     {{NodeView: view("insight", "ins-1", "Tides run late", &graph.OwnFields{DerivedFromSignalID: some("sig-1")}), Raw: `{"minutes":20}`}},
		},
		Recent:      []workspace.Item{shown("task", "task-31", "Inspect pier 4", "", &graph.OwnFields{StateKey: some("in_progress"), Priority: graph.Some(int64(2)), DueAt: day(3)}, workspace.Links{Plans: 1, Dependencies: 2})},
		Upcoming:    []workspace.Item{shown("task", "task-4", strings.Repeat("Sound ", 30), "", &graph.OwnFields{StartAt: day(2)}, workspace.Links{Goals: 1, Dependents: 1})},
		RecentTotal: 14, UpcomingTotal: 1,
		Nodes:       []workspace.Node{{Key: "proj-1", Kind: "project", Name: "Harbour Survey", State: "active", UpdatedAt: at}},
		LinkedNames: map[string]workspace.Ref{},
	}
	for i := range 7 {
		key := fmt.Sprintf("goal-%d", i)
		w.Nodes = append(w.Nodes, workspace.Node{Key: key, Kind: "goal", Name: "Goal " + key, State: "active", UpdatedAt: at, Direct: true, Hops: 1, Score: int64(10 * i)})
		w.Edges = append(w.Edges, workspace.Edge{Key: "e" + key, From: "proj-1", To: key, Type: "has_goal"})
		w.LinkedNames[key] = workspace.Ref{NodeRef: graph.NodeRef{EntityKey: key, Kind: "goal", Name: "Goal " + key}}
	}
	w.Linked = append(w.Linked, w.Edges...)
	w.Linked[6] = workspace.Edge{Key: "x", From: "goal-6", To: "proj-1", Type: "part_of_it"}
	return w
}

func inFocus() *workspace.Element {
	level, project := 2, survey().Project
	f := &workspace.Element{
		Node: view("task", "task-31", "Inspect pier 4", &graph.OwnFields{
			StateKey: graph.Some("in_progress"), TypeKey: graph.Some("task.check"), Priority: graph.Some(int64(2)), DueAt: graph.Some(at.AddDate(0, 0, 3)),
		}),
		Project: &project, Level: &level,
		Links: workspace.Links{Plans: 1, Outputs: 5}, First: map[string][]string{"plans": {"plan-07"}, "outputs": {"o0", "o1", "o2"}},
		Edges: []workspace.End{
			{Type: "has_task", Node: workspace.Ref{NodeRef: graph.NodeRef{EntityKey: "plan-07", Kind: "plan", Name: "Quay Repair"}}},
			{Type: "depends_on", Outgoing: true, Node: workspace.Ref{NodeRef: graph.NodeRef{EntityKey: "task-4", Kind: "task", Name: "Sound"}}},
		},
	}
	f.Node.Description = strings.Repeat("Look at every pile. ", 30)
	f.Node.Properties = json.RawMessage(`{"crew":3,"a":"x","b":[1],"c":null,"d":{"e":1},"last":"never shown"}`)
	return f
}

func ontologies() *fakeStore {
	projects := &workspace.Workspaces{Total: 12, Counts: map[string]workspace.Counts{"task": {Total: 40}, "goal": {Total: 8}}}
	for i := range 6 {
		p := survey().Project
		p.EntityKey = fmt.Sprintf("proj-%d", i)
		projects.Projects = append(projects.Projects, p)
	}
	projects.Projects[1].OwnFields = nil
	return &fakeStore{workspaces: projects, workspace: survey(), focus: inFocus(), linked: links()}
}

// TestOntologyGoldens holds the contexts, as JSON and as texts, against what they were.
func TestOntologyGoldens(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]Request{
		"global": {ContextType: "global"}, "project": {ContextType: "project", ProjectID: "proj-1"},
		"element":  {ContextType: "ontology", FocusKind: "task", FocusID: "task-31"},
		"combined": {ContextType: "project_audit", ProjectID: "proj-1", FocusKind: "task", FocusID: "task-31"},
		"none":     {ContextType: "project_create"},
	} {
		l, _ := newLoader(ontologies())
		r.Scope = scope
		answer, err := l.Ontology(t.Context(), r)
		if err != nil {
			t.Fatal(name, err)
		}
		golden.Check(t, "testdata/ontology_"+name+".json", string(answer.Body())+"\n")
		r.Format = loader.Text
		if answer, err = l.Ontology(t.Context(), r); err != nil {
			t.Fatal(name, err)
		}
		golden.Check(t, "testdata/ontology_"+name+".md", string(answer.Body()))
	}
}

// TestOntologyKeepsItsBudget drops nodes of the picture before lines, and says so.
func TestOntologyKeepsItsBudget(t *testing.T) {
	t.Parallel()
	l, _ := newLoader(ontologies())
	ask := func(r Request) string {
		r.Scope, r.ContextType, r.ProjectID, r.Format = scope, "project", "proj-1", loader.Text
		answer, err := l.Ontology(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return string(answer.Body())
	}
	whole, without := ask(Request{}), ask(Request{WithoutJSON: true})
	all, _ := tokens.Count(whole)
	bare, _ := tokens.Count(without)
	if strings.Contains(without, "Graph Snapshot") || !strings.Contains(whole, "Graph Snapshot") {
		t.Error("the switch does not leave the snapshot out")
	}
	for _, budget := range []int{all, all - 40, all - 100, bare + 20, bare - 60, 600} {
		text := ask(Request{MaxTokens: budget})
		if n, _ := tokens.Count(text); n > budget {
			t.Errorf("budget %d: %d tokens", budget, n)
		}
		if cut := text != whole; cut != strings.Contains(text, "Left out") {
			t.Errorf("budget %d: cut %v, and does not say it:\n%s", budget, cut, text)
		}
		kept := strings.Contains(text, "Graph Snapshot")
		if kept && budget < all && (strings.Contains(text, "goal-0\"") || !strings.Contains(text, "goal-6\"")) {
			t.Errorf("budget %d: the node with the lowest score is not the first to go:\n%s", budget, text)
		}
		if lines := strings.Contains(text, "highlight."); kept && lines || strings.Contains(text, " highlights.") && kept {
			t.Errorf("budget %d: lines went before the snapshot", budget)
		}
	}
}

// TestOntologySelection says which context is meant.
func TestOntologySelection(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		request Request
		want    Type
		warns   int
	}{
		{Request{}, GlobalOntology, 1},
		{Request{ContextType: "general"}, GlobalOntology, 0},
		{Request{ContextType: "nonsense", ProjectID: "p"}, GlobalOntology, 1},
		{Request{ContextType: "project", ProjectID: "p"}, ProjectOntology, 0},
		{Request{ContextType: "project_forecast", ProjectID: "p", FocusKind: "project-wide"}, ProjectOntology, 0},
		{Request{ContextType: "project_audit", ProjectID: "p", FocusKind: "plan", FocusID: "x"}, CombinedOntology, 0},
		{Request{ContextType: "project", ProjectID: "p", FocusKind: "person", FocusID: "x"}, ProjectOntology, 1},
		{Request{ContextType: "project", ProjectID: "p", FocusKind: "plan"}, ProjectOntology, 1},
		{Request{ContextType: "project", FocusKind: "plan", FocusID: "x"}, ElementOntology, 0},
		{Request{ContextType: "ontology", FocusKind: "plan", FocusID: "x"}, ElementOntology, 0},
		{Request{ContextType: "project"}, NoOntology, 1},
		{Request{ContextType: "project_create", ProjectID: "p"}, NoOntology, 0},
		{Request{ContextType: "calendar"}, NoOntology, 0},
		{Request{ContextType: "brain_dump"}, NoOntology, 0},
		{Request{ContextType: "daily_brief_update"}, NoOntology, 0},
	} {
		got, warnings := c.request.choose()
		if got != c.want || len(warnings) != c.warns {
			t.Errorf("%+v: %s, %v", c.request, got, warnings)
		}
	}
}

// TestProgress rounds, and has none without tasks.
func TestProgress(t *testing.T) {
	t.Parallel()
	got := []*int64{progress(workspace.Links{}), progress(workspace.Links{Tasks: 3, Done: 2}), progress(workspace.Links{Tasks: 8, Done: 1})}
	if diff := cmp.Diff([]*int64{nil, pointer(int64(67)), pointer(int64(13))}, got); diff != "" {
		t.Error(diff)
	}
}
