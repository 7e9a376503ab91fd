package ontology

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"kith/graph"
	"kith/loader"
	"kith/memory/workspace"
	"kith/tests/golden"
	"kith/text/tokens"
)

// TestOntologyTextsAreCapped checks lists below, at and above their caps.
func TestOntologyTextsAreCapped(t *testing.T) {
	t.Parallel()
	text := func(s *fakeStore, r Request) string {
		l, _ := newLoader(s)
		r.Scope, r.Format, r.WithoutJSON = scope, loader.Text, true
		answer, err := l.Ontology(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return string(answer.Body())
	}
	lines := func(text, heading, prefix string) (n int) {
		_, section, _ := strings.Cut(text, heading)
		for line := range strings.Lines(section) {
			if strings.HasPrefix(line, "#") {
				break
			}
			if strings.HasPrefix(line, prefix) {
				n++
			}
		}
		return n
	}
	combined := Request{ContextType: "project", ProjectID: "proj-1", FocusKind: "task", FocusID: "task-31"}
	for _, c := range []struct {
		what, heading, prefix string
		most                  int
		request               Request
		fill                  func(s *fakeStore, n int)
	}{
		{"projects", "### Recent Projects", "- ", 5, Request{ContextType: "global"}, func(s *fakeStore, n int) {
			s.workspaces.Projects = nil
			for i := range n {
				s.workspaces.Projects = append(s.workspaces.Projects, view("project", fmt.Sprint(i), "A project", nil))
			}
		}},
		{"relationships of a project", "### Available Relationships", "- ", 5, Request{ContextType: "project", ProjectID: "proj-1"}, func(s *fakeStore, n int) {
			s.workspace.Linked = nil
			for i := range n {
				s.workspace.Linked = append(s.workspace.Linked, workspace.Edge{Key: fmt.Sprint(i), From: "proj-1", To: "goal-1", Type: "has_goal"})
			}
		}},
		{"relationships of the focus and the project", "### Relationships", "- ", 8, combined, func(s *fakeStore, n int) {
			s.workspace.Linked, s.focus.Edges = nil, nil
			for i := range n {
				s.focus.Edges = append(s.focus.Edges, workspace.End{Type: "depends_on", Outgoing: true, Node: workspace.Ref{NodeRef: graph.NodeRef{EntityKey: fmt.Sprint(i), Kind: "task", Name: "Another"}}})
			}
		}},
		{"metadata", "### Focus Metadata", "- ", 5, combined, func(s *fakeStore, n int) {
			props := map[string]int{}
			for i := range n {
				props[fmt.Sprint("p", i)] = i
			}
			s.focus.Node.Properties, _ = json.Marshal(props)
		}},
	} {
		for n := c.most - 1; n <= c.most+1; n++ {
			s := ontologies()
			c.fill(s, n)
			if got := lines(text(s, c.request), c.heading, c.prefix); got != min(c.most, n) {
				t.Errorf("%s: %d of %d are shown", c.what, got, n)
			}
		}
	}
	for n := 2; n <= 4; n++ {
		s := ontologies()
		s.focus.Links.Plans, s.focus.First["plans"] = int64(n), []string{"a", "b", "c"}[:min(3, n)]
		want := "- Plans: " + strings.Join([]string{"a", "b", "c"}[:min(3, n)], ", ")
		if n > 3 {
			want += " (+1 more)"
		}
		if got := text(s, combined); !strings.Contains(got, want+"\n") {
			t.Errorf("%d plans: %q is missing in\n%s", n, want, got)
		}
	}
}

// TestCombinedTellsARelationshipOnce checks that relationships of the focus come first, and are not repeated by the project.
func TestCombinedTellsARelationshipOnce(t *testing.T) {
	t.Parallel()
	s := ontologies()
	s.workspace.Linked = []workspace.Edge{{Key: "e", From: "proj-1", To: "task-31", Type: "has_task"}, {Key: "f", From: "proj-1", To: "goal-1", Type: "has_goal"}}
	s.focus.Edges = []workspace.End{{Type: "has_task", Node: workspace.Ref{NodeRef: graph.NodeRef{EntityKey: "proj-1", Kind: "project", Name: "Harbour Survey"}}}}
	c, err := (&Loader{workspaces: s, options: Options{Now: fixed}}).ontology(t.Context(), Request{
		Scope: scope, ContextType: "project", ProjectID: "proj-1", FocusKind: "task", FocusID: "task-31", WithoutLinked: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, e := range c.Relationships.Edges {
		told = append(told, e.Relation+" "+e.TargetID)
	}
	if got := strings.Join(told, ", "); got != "inverse_has_task proj-1, has_goal goal-1" {
		t.Error(got)
	}
}

// TestAbbreviatedLinksKeepTheirBudget checks that nine kinds of three with long keys have at most 500 tokens, and are counted.
func TestAbbreviatedLinksKeepTheirBudget(t *testing.T) {
	t.Parallel()
	s := ontologies()
	s.linked.Kinds = map[string]workspace.LinkedKind{}
	for _, kind := range workspace.LinkedKinds {
		k := workspace.LinkedKind{Total: 4}
		for range 3 {
			k.Nodes = append(k.Nodes, workspace.LinkedNode{
				Key: uuid.NewString(), Name: "Repair the northern part of the quay", State: "in_progress",
				Relations: []workspace.LinkedRelation{{Key: "e", Type: "depends_on", Outgoing: true}},
			})
		}
		s.linked.Kinds[kind] = k
	}
	l, _ := newLoader(s)
	task, _ := graph.KindOf("task")
	ask := func(budget int) (string, int) {
		answer, err := l.Linked(t.Context(), LinkedRequest{Scope: scope, Kind: task, Key: "task-31", Format: loader.Text, MaxTokens: budget})
		if err != nil {
			t.Fatal(err)
		}
		n, _ := tokens.Count(string(answer.Body()))
		return string(answer.Body()), n
	}
	if text, n := ask(0); n > 500 || strings.Count(text, "(4 linked, showing first ")+strings.Count(text, "4 more ") != 9 || !strings.Contains(text, "more plans") {
		t.Errorf("%d tokens:\n%s", n, text)
	}
	if text, n := ask(5000); n <= 500 || strings.Count(text, "\n- **") != 27 {
		t.Errorf("%d tokens:\n%s", n, text)
	}
	for budget, whole := range map[int]bool{0: true, 2000: false, 400: false} {
		answer, err := l.Ontology(t.Context(), Request{
			Scope: scope, ContextType: "ontology", FocusKind: "task", FocusID: "task-31", Format: loader.Text, MaxTokens: budget,
		})
		if err != nil {
			t.Fatal(err)
		}
		text := string(answer.Body())
		n, _ := tokens.Count(text)
		if shown := strings.Count(text, "\n- **"); shown == 0 || whole != (shown == 27) || budget > 0 && n > budget {
			t.Errorf("in a context of %d: %d shown, %d tokens\n%s", budget, shown, n, text)
		}
	}
}

// TestLinksAreCutLineByLine: whatever the number of kinds and links, a budget shows some entities, a larger one no fewer, and each kind's
// shown and omitted links add up to its total.
func TestLinksAreCutLineByLine(t *testing.T) {
	t.Parallel()
	for kinds := 6; kinds <= 9; kinds++ {
		for _, links := range []int{1, 2, 4} {
			c := &LinkedContext{Source: LinkedSource{Kind: "task"}, Linked: map[string][]LinkedEntity{}, Counts: map[string]int{"total": kinds * links}}
			for _, kind := range workspace.LinkedKinds[:kinds] {
				c.Counts[plural(kind)] = links
				for range min(links, abbreviatedMost) {
					state := "in_progress"
					c.Linked[plural(kind)] = append(c.Linked[plural(kind)], LinkedEntity{
						Kind: kind, ID: uuid.NewString(), Name: "Repair the northern part of the quay", State: &state, Relation: "depends_on",
					})
				}
			}
			last := 0
			for budget := tokens.Least; budget <= 1500; budget += 50 {
				text, err := c.abbreviatedText(budget)
				if err != nil {
					t.Fatal(err)
				}
				shown := strings.Count(text, "\n- **")
				if n, _ := tokens.Count(text); n > budget || shown < last || shown < min(6, kinds*links) && budget >= abbreviatedTokens {
					t.Errorf("%d kinds of %d within %d: %d tokens, %d shown, %d before\n%s", kinds, links, budget, n, shown, last, text)
				}
				last = shown
				checkOmitted(t, c, text, shown)
			}
			if last != kinds*min(links, abbreviatedMost) {
				t.Errorf("%d kinds of %d: %d shown at last", kinds, links, last)
			}
		}
	}
}

// checkOmitted holds the lines "… and n more" against what is shown.
func checkOmitted(t *testing.T, c *LinkedContext, text string, shown int) {
	t.Helper()
	omitted := 0
	for _, m := range regexp.MustCompile(`(\d+) more `).FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(m[1])
		omitted += n
	}
	if shown+omitted != c.Counts["total"] || strings.Count(text, "] (in_progress)") != shown {
		t.Errorf("%d shown, %d omitted, of %d\n%s", shown, omitted, c.Counts["total"], text)
	}
}

// TestViewsOfWorkspaces are all different: what is kept for one question is no answer to another one.
func TestViewsOfWorkspaces(t *testing.T) {
	t.Parallel()
	task, _ := graph.KindOf("task")
	goal, _ := graph.KindOf("goal")
	seen := map[string]string{}
	add := func(what, view string) {
		if before, again := seen[view]; again {
			t.Errorf("%s has the view of %s", what, before)
		}
		seen[view] = what
	}
	for what, change := range map[string]func(*LinkedRequest){
		"itself": func(*LinkedRequest) {}, "another kind": func(r *LinkedRequest) { r.Kind = goal }, "another node": func(r *LinkedRequest) { r.Key = "u" },
		"full": func(r *LinkedRequest) { r.Mode = Full }, "filtered": func(r *LinkedRequest) { r.Filter = "plan" }, "fewer": func(r *LinkedRequest) { r.Most = 2 },
		"the next page": func(r *LinkedRequest) { r.Cursor = "c" }, "with what is available": func(r *LinkedRequest) { r.Available = true },
		"as text": func(r *LinkedRequest) { r.Format = loader.Text }, "shorter": func(r *LinkedRequest) { r.MaxTokens = 200 },
	} {
		r := LinkedRequest{Scope: scope, Kind: task, Key: "t", Mode: Abbreviated, Most: 3, Format: loader.JSON}
		change(&r)
		add("linked, "+what, r.view())
	}
	for what, change := range map[string]func(*Request){
		"itself": func(*Request) {}, "another type": func(r *Request) { r.ContextType = "ontology" }, "another project": func(r *Request) { r.ProjectID = "q" },
		"another kind": func(r *Request) { r.FocusKind = "goal" }, "another focus": func(r *Request) { r.FocusID = "u" },
		"as text": func(r *Request) { r.Format = loader.Text }, "shorter": func(r *Request) { r.MaxTokens = 200 },
		"without picture": func(r *Request) { r.WithoutJSON = true }, "without links": func(r *Request) { r.WithoutLinked = true },
		"with a focus that is gone": func(r *Request) { r.gone = true },
	} {
		r := Request{Scope: scope, ContextType: "project", ProjectID: "p", FocusKind: "task", FocusID: "t", Format: loader.JSON}
		change(&r)
		add("ontology, "+what, r.view())
	}
}

// TestDetailsOfEachKind checks the details of each kind in focus, with all fields and with none.
func TestDetailsOfEachKind(t *testing.T) {
	t.Parallel()
	day := func(days int) graph.Optional[time.Time] { return graph.Some(at.AddDate(0, 0, days)) }
	some := graph.Some[string]
	whole := map[string]*graph.OwnFields{
		"task": {TypeKey: some("task.check"), Priority: graph.Some(int64(2)), FacetScale: some("small"), StartAt: day(1), DueAt: day(2), CompletedAt: day(3), StateKey: some("done")},
		"plan": {TypeKey: some("plan.phase"), FacetContext: some("client"), FacetScale: some("small"), FacetStage: some("execution"), StateKey: some("active")},
		"goal": {TypeKey: some("goal.outcome"), Goal: some("A dry\npier"), TargetDate: day(9), CompletedAt: day(10)}, "document": {TypeKey: some("document.brief")},
		"output": {TypeKey: some("output.chart"), FacetStage: some("review"), SourceDocumentID: some("doc-1"), SourceEventID: some("ev-1")}, "milestone": {TypeKey: some("milestone.first"), DueAt: day(4), CompletedAt: day(5)},
		"risk":     {TypeKey: some("risk.weather"), Impact: some("high"), Probability: graph.Some(0.05), MitigatedAt: day(-1), Content: some("Storm")},
		"decision": {DecisionAt: day(-3), Outcome: some("Oak."), Rationale: some("It lasts.")}, "requirement": {TypeKey: some("requirement.load"), Priority: graph.Some(int64(1)), Text: some("Ten tons")},
	}
	var all strings.Builder
	for _, kind := range graph.WorkspaceFocusKinds {
		s := ontologies()
		s.linked = &workspace.LinkedEntities{}
		project := survey().Project
		s.focus = &workspace.Element{
			Node: view(kind, kind+"-1", "The "+kind, whole[kind]), Direct: true,
			Project: &project,
			Links:   workspace.Links{Tasks: 3, Done: 1, Plans: 1, Goals: 1, Outputs: 1, Dependencies: 1, Dependents: 1},
			First:   map[string][]string{"plans": {"l"}, "goals": {"g"}, "outputs": {"o"}, "dependencies": {"a"}, "dependents": {"b"}, "tasks": {"x", "y", "z"}},
		}
		bare := ontologies()
		bare.linked = s.linked
		bare.focus = &workspace.Element{Node: view(kind, kind+"-2", "The bare "+kind, nil)}
		for _, store := range []*fakeStore{s, bare} {
			l, _ := newLoader(store)
			answer, err := l.Ontology(t.Context(), Request{Scope: scope, ContextType: "ontology", FocusKind: kind, FocusID: kind, Format: loader.Text})
			if err != nil {
				t.Fatal(err)
			}
			all.Write(answer.Body())
		}
	}
	golden.Check(t, "testdata/ontology_details.md", all.String())
}
