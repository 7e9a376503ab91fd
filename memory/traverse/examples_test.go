package traverse

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"kith/graph"
)

// memory returns a new team, and the scope of one of its users.
func memory(t *testing.T, at time.Time) (*env, graph.Scope) {
	t.Helper()
	e := fresh(t)
	e.Now = at
	return e, e.As("u1")
}

func some[T any](v T) graph.Optional[T] { return graph.Optional[T]{Given: true, Value: v} }

// known writes Ada, Grace, a boat that both think about, and a source of this week that mentions it.
func known(t *testing.T, s *graph.Store, scope graph.Scope, at time.Time) {
	t.Helper()
	named := func(kind, key, name string) graph.NodeWrite {
		return graph.NodeWrite{Kind: kind, EntityKey: key, Name: some(name), State: some("active"), Salience: some(0.5)}
	}
	about := func(from, why string) graph.RelationshipWrite {
		return graph.RelationshipWrite{From: from, Type: "thinks_about", To: "boat", Salience: some(0.5), Description: some(why)}
	}
	_, err := s.Write(t.Context(), scope, &graph.MemoryWrite{
		Strict: true, Nodes: []graph.NodeWrite{named("person", "ada", "Ada"), named("person", "grace", "Grace"), named("concept", "boat", "The boat")},
		Relationships: []graph.RelationshipWrite{about("ada", "owns it"), about("grace", "wants it")},
	})
	if err == nil {
		_, err = s.WriteSource(t.Context(), scope, &graph.SourceWrite{EntityKey: "s", StartedAt: some(at), Mentions: []string{"boat"}})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The examples of the schema run as they stand, in an empty memory and in one that they find something in.
func TestExamplesRun(t *testing.T) {
	at := time.Now().UTC().Truncate(time.Second) // one example asks for the last week
	e, scope := memory(t, at)
	walk := New(e.walkStore, func(Mode, Outcome) {})
	for _, empty := range []bool{true, false} {
		if !empty {
			known(t, e.Store, scope, at)
		}
		schema, err := walk.Schema(t.Context(), scope, 0)
		if err != nil || len(schema.Examples) != 3 {
			t.Fatal(schema, err)
		}
		for _, e := range schema.Examples {
			r := Request{Mode: Cypher, Cypher: e.Cypher, Parameters: map[string]json.RawMessage{}}
			for name, value := range e.Parameters {
				r.Parameters[name] = json.RawMessage(asJSON(t, value))
			}
			result, _, err := walk.Traverse(t.Context(), scope, &r)
			if err != nil {
				t.Errorf("%s: %v", e.Question, err)
				continue
			}
			if table := result.(*Table); (len(table.Rows) == 0) != empty {
				t.Errorf("%s: %s", e.Question, asJSON(t, table))
			}
		}
	}
}

// What the schema says there is can be asked for: each kind by its label, each property by its name, each pattern as it stands.
func TestSchemaCanBeAsked(t *testing.T) {
	e, scope := memory(t, now)
	known(t, e.Store, scope, now)
	schema, err := New(e.walkStore, nil).Schema(t.Context(), scope, 0)
	if err != nil {
		t.Fatal(err)
	}
	count := func(text string, want int64) {
		t.Helper()
		table, _, err := e.walkStore.Cypher(t.Context(), scope, text, nil)
		if err != nil || len(table.Rows) != 1 || string(table.Rows[0][0]) != fmt.Sprint(want) {
			t.Errorf("%s: %s %v, not %d", text, table.Rows, err, want)
		}
	}
	all := func(name string, properties map[string]string) string {
		var items []string
		for p := range properties {
			items = append(items, name+"."+p)
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	if len(schema.Kinds) != 3 || len(schema.RelationshipTypes) != 2 {
		t.Errorf("%+v", schema)
	}
	for _, k := range schema.Kinds {
		count("MATCH (n:"+k.Label+") RETURN count(n) AS c", k.Count)
		count("MATCH (n:"+k.Label+") WITH "+all("n", k.Properties)+" AS own, "+all("n", schema.CommonProperties)+" AS common RETURN count(*) AS c", k.Count)
	}
	for _, r := range schema.RelationshipTypes {
		count("MATCH "+strings.Replace(r.Pattern, "[:", "[r:", 1)+" WHERE r.valid_to IS NULL WITH "+all("r", schema.RelationshipProps)+" AS own RETURN count(*) AS c", r.Count)
	}
}

// All modes work on a real store: nobody else's fake knows what it answers.
func TestModesOnTheStore(t *testing.T) {
	e, scope := memory(t, now)
	known(t, e.Store, scope, now)
	walk := New(e.walkStore, func(Mode, Outcome) {})
	for want, r := range map[string]Request{
		"# Neighbors\n- —thinks_about→ **The boat** (Concept, boat, 2026-05-01); relationship: owns it\n":                            {Mode: Neighbors, EntityKey: "ada"},
		"# Paths\n- Ada —thinks_about→ The boat ←thinks_about— Grace\n":                                                              {Mode: Path, From: "ada", To: "grace"},
		"# Close to the seeds\n- **The boat** (Concept, boat, 2026-05-01)\n- **Grace** (Person, grace, 2026-05-01) (2 steps away)\n": {Mode: PPR, SeedNodes: []string{"ada"}, RelationshipTypes: []string{"thinks_about"}},
		"| name | at |\n| --- | --- |\n| The boat | 2026-05-01 |\n":                                                                  {Mode: Cypher, Cypher: "MATCH (n:Concept) RETURN n.name AS name, n.created_at AS at"},
	} {
		result, _, err := walk.Traverse(t.Context(), scope, &r)
		if err != nil {
			t.Errorf("%s: %v", r.Mode, err)
			continue
		}
		if got := result.Text(); got != want {
			t.Errorf("%s: %q", r.Mode, got)
		}
		if _, _, err := walk.Traverse(t.Context(), graph.Scope{TeamID: scope.TeamID, UserID: "u2"}, &r); r.Mode != Cypher && err == nil {
			t.Errorf("%s: another user sees it", r.Mode)
		}
	}
}
