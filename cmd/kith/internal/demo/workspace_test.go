package demo

import (
	"slices"
	"testing"
	"time"

	"kith/graph"
)

func workspacesAt(t *testing.T, now time.Time) *graph.MemoryWrite {
	t.Helper()
	life, err := read()
	if err != nil {
		t.Fatal(err)
	}
	workspaces, err := life.workspaceWrite(now)
	if err != nil {
		t.Fatal(err)
	}
	return workspaces
}

// knownStates lists the states of a project's nodes by kind. Other kinds have no states.
var knownStates = map[string][]string{
	"project":   {"planning", "active", "completed", "cancelled"},
	"task":      {"todo", "in_progress", "blocked", "done"},
	"plan":      {"draft", "active", "completed"},
	"output":    {"draft", "in_progress", "review", "published"},
	"document":  {"", "draft", "review", "published"},
	"goal":      {"draft", "active", "achieved", "abandoned"},
	"milestone": {"pending", "in_progress", "completed", "missed"},
	"risk":      {"identified", "mitigated", "occurred", "closed"},
	"decision":  {"pending", "made", "deferred", "reversed"},
}

func TestDemoWorkspacesAreRich(t *testing.T) {
	t.Parallel()
	w := workspacesAt(t, nows()[0])
	inProject, kinds, states := map[string]int{}, map[string]int{}, map[string]bool{}
	for _, n := range w.Nodes {
		kinds[n.Kind]++
		inProject[n.ProjectID.Value]++
		states[n.Kind+" "+n.StateKey.Value] = true
		if known, ok := knownStates[n.Kind]; ok && !slices.Contains(known, n.StateKey.Value) {
			t.Errorf("%s: %s cannot be %q", n.EntityKey, n.Kind, n.StateKey.Value)
		}
	}
	for _, kind := range graph.WorkspaceKinds {
		if kinds[kind] == 0 {
			t.Errorf("there is no %s", kind)
		}
	}
	for _, state := range []string{
		"task blocked", "risk mitigated", "risk occurred", "milestone missed", "goal achieved", "decision reversed", "plan draft",
	} {
		if !states[state] {
			t.Errorf("there is no %s", state)
		}
	}
	entities, small := len(w.Nodes)-kinds["project"], inProject[fullKey("project-zwaluw")]
	if kinds["project"] != 2 || entities < 84 || len(w.Relationships) < 155 || small*2 > entities {
		t.Errorf("%d projects, %d entities, %d of them in the smaller project, %d links", kinds["project"], entities, small, len(w.Relationships))
	}
}

func TestDemoWorkspacesHangTogether(t *testing.T) {
	t.Parallel()
	_, memory, _ := readWrites(t, nows()[0])
	w := workspacesAt(t, nows()[0])
	of, linked, triples := map[string]string{}, map[string]bool{}, map[string]bool{}
	for _, n := range slices.Concat(memory.Nodes, w.Nodes) {
		if _, again := of[n.EntityKey]; again {
			t.Errorf("%s is not the only one with this key", n.EntityKey)
		}
		of[n.EntityKey] = ""
		if n.OwnFields != nil {
			of[n.EntityKey] = n.ProjectID.Value
		}
	}
	for _, r := range w.Relationships {
		triple := r.From + " " + r.Type + " " + r.To
		from, known := of[r.From]
		to, alsoKnown := of[r.To]
		if !known || !alsoKnown || r.From == r.To || !slices.Contains(graph.Vocabulary, r.Type) {
			t.Errorf("%s is of an unknown type, or has an unknown end", triple)
		}
		if triples[triple] || from != "" && to != "" && from != to {
			t.Errorf("%s is told twice, or leads from one project to another", triple)
		}
		triples[triple], linked[r.From], linked[r.To] = true, true, true
	}
	alone := slices.DeleteFunc(slices.Clone(w.Nodes), func(n graph.NodeWrite) bool { return linked[n.EntityKey] })
	if len(alone) == 0 || len(alone) > 5 {
		t.Errorf("%d nodes are linked with nothing, as a few are in real life", len(alone))
	}
}

func TestDemoWorkspaceTimes(t *testing.T) {
	t.Parallel()
	for _, now := range nows() {
		overdue, soon := 0, 0
		for _, n := range workspacesAt(t, now).Nodes {
			created, updated, due := n.CreatedAt.Value, n.UpdatedAt.Value, n.DueAt.Value
			if created.IsZero() || updated.Before(created) || updated.After(now) {
				t.Fatalf("now %v: %s is from %v to %v", now, n.EntityKey, created, updated)
			}
			for _, past := range []graph.Optional[time.Time]{n.CompletedAt, n.MitigatedAt, n.DecisionAt, n.TS} {
				if past.Value.After(updated) {
					t.Fatalf("now %v: %s changed last at %v, before %v", now, n.EntityKey, updated, past.Value)
				}
			}
			isDone := slices.Contains([]string{"done", "completed", "achieved"}, n.StateKey.Value)
			switch {
			case isDone != n.CompletedAt.Given && slices.Contains([]string{"task", "milestone", "goal"}, n.Kind):
				t.Fatalf("%s is %s, completed: %v", n.EntityKey, n.StateKey.Value, n.CompletedAt.Given)
			case n.Kind != "task" || isDone || due.IsZero():
			case due.Before(now):
				overdue++
			case due.Before(now.Add(graph.Week)):
				soon++
			}
		}
		if overdue == 0 || soon == 0 {
			t.Fatalf("now %v: %d tasks are overdue, %d due within a week", now, overdue, soon)
		}
	}
}
