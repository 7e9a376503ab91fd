package traverse

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"kith/graph"
	"kith/text/tokens"
)

func schema(t testing.TB, f *fake, maxTokens int) *Schema {
	t.Helper()
	s, err := New(f, nil).Schema(t.Context(), scope, maxTokens)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// large is a census of every kind, and of so many types between concepts. What is counted is more for those that come first.
func large(types int) *fake {
	f := newFake()
	f.census = Census{Nodes: map[string]int64{}}
	for i, k := range graph.Kinds {
		f.census.Nodes[k.Name] = int64(100 - i)
	}
	for i := range types {
		f.census.Relationships = append(f.census.Relationships, RelationshipCount{From: "concept", Type: fmt.Sprintf("of_type_%04d", i), To: "concept", Count: int64(types - i)})
	}
	return f
}

// The schema lists what exists, the most frequent first, in the notation of statements.
func TestSchema(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.census = Census{
		Nodes:         map[string]int64{"concept": 2, "person": 5, "task": 0},
		Relationships: []RelationshipCount{{From: "concept", Type: "relates_to", To: "concept", Count: 1}, {From: "person", Type: "thinks_about", To: "concept", Count: 7}},
	}
	s := schema(t, f, 0)
	var got []string
	for _, k := range s.Kinds {
		got = append(got, fmt.Sprint(k.Label, " ", k.Count))
	}
	for _, r := range s.RelationshipTypes {
		got = append(got, fmt.Sprint(r.Pattern, " ", r.Count))
	}
	if want := "Person 5; Concept 2; (:Person)-[:thinks_about]->(:Concept) 7; (:Concept)-[:relates_to]->(:Concept) 1"; strings.Join(got, "; ") != want || s.Cut != 0 || s.Sampled {
		t.Errorf("got %s; cut %d, sampled %t", strings.Join(got, "; "), s.Cut, s.Sampled)
	}
	text := s.Text()
	for _, want := range []string{
		"## Nodes\n- (:Person) 5: aliases list of strings, canonical_name string, doubted_aliases list of strings, first_mentioned_at datetime, is_owner boolean, ", "\n- (:Concept) 2: first_mentioned_at datetime, is_goal boolean, ",
		"\nAll have access_count integer, ",
		"## Relationships\n- (:Person)-[:thinks_about]->(:Concept) 7\n- (:Concept)-[:relates_to]->(:Concept) 1\nAll have ",
		"valid_to datetime", "## Rules\n- Statements only read", "## Examples\n- What is Ada linked with, and why?\n  `MATCH ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("nothing of %q in:\n%s", want, text)
		}
	}
	for _, never := range []string{"Left out", "Counts are those of a part", "team_id", "vector", "embed", "natural_key", "Task"} {
		if strings.Contains(text, never) {
			t.Errorf("%q in:\n%s", never, text)
		}
	}
}

// An empty memory has a schema too: what can be asked is not what there is.
func TestSchemaOfNothing(t *testing.T) {
	t.Parallel()
	s := schema(t, newFake(), 0)
	if raw := asJSON(t, s); !strings.Contains(raw, `"kinds":[]`) || !strings.Contains(raw, `"relationship_types":[]`) || s.Cut != 0 || len(s.Examples) != 3 {
		t.Errorf("got %s", raw)
	}
}

func TestSampledSchema(t *testing.T) {
	t.Parallel()
	f := large(3)
	f.census.Part = true
	if s := schema(t, f, 0); !s.Sampled || !strings.Contains(s.Text(), "\n_Counts are those of a part: there is more than is counted._\n") {
		t.Errorf("got %t\n%s", s.Sampled, s.Text())
	}
}

// The budget cuts the rarest, and counts them; the text keeps the requested tokens.
func TestSchemaBudget(t *testing.T) {
	t.Parallel()
	const types = 900
	whole := schema(t, large(types), MaxSchemaTokens)
	if whole.Cut != 0 || len(whole.Kinds) != len(graph.Kinds) || len(whole.RelationshipTypes) != types {
		t.Fatalf("the whole has cut %d: %d kinds, %d types", whole.Cut, len(whole.Kinds), len(whole.RelationshipTypes))
	}
	last := 0
	for _, budget := range []int{MinSchemaTokens, 1500, 0, 8000, MaxSchemaTokens} {
		s := schema(t, large(types), budget)
		if budget == 0 {
			budget = DefaultSchemaTokens
		}
		text := s.Text()
		tokens, err := tokens.Count(text)
		if err != nil || tokens > budget {
			t.Errorf("%d tokens of %d: %v", tokens, budget, err)
		}
		kept := len(s.Kinds) + len(s.RelationshipTypes)
		if s.Cut+kept != types+len(graph.Kinds) || kept < last || strings.Contains(text, fmt.Sprintf("_Left out, the rarest: %d._", s.Cut)) != (s.Cut > 0) {
			t.Errorf("in %d tokens: %d kinds and %d types are left, %d are cut", budget, len(s.Kinds), len(s.RelationshipTypes), s.Cut)
		}
		last = kept
		for i, r := range s.RelationshipTypes {
			if r != whole.RelationshipTypes[i] {
				t.Errorf("in %d tokens: %v is left of %v", budget, r, whole.RelationshipTypes[i])
			}
		}
		for i, k := range s.Kinds {
			if k.Label != whole.Kinds[i].Label {
				t.Errorf("in %d tokens: %s is left of %s", budget, k.Label, whole.Kinds[i].Label)
			}
		}
	}
}

func TestSchemaFaults(t *testing.T) {
	t.Parallel()
	for _, n := range []int{-1, 1, MinSchemaTokens - 1, MaxSchemaTokens + 1} {
		f := large(1)
		s, err := New(f, nil).Schema(t.Context(), scope, n)
		if got := faultsOf(t, err); strings.Join(got, " ") != "max_tokens" || s != nil || len(f.calls) > 0 {
			t.Errorf("%d: %v, asked %v", n, got, f.calls)
		}
	}
	f := large(1)
	f.errs = map[string]error{"Census": graph.ErrUnavailable}
	if s, err := New(f, nil).Schema(t.Context(), scope, 0); s != nil || err == nil {
		t.Errorf("without a database: %v %v", s, err)
	}
}

// The same memory has the same text: what comes from maps is sorted.
func TestSchemaHasOneText(t *testing.T) {
	t.Parallel()
	texts := map[string]bool{}
	for range 20 { // properties come from maps
		texts[schema(t, large(20), 0).Text()] = true
	}
	if len(texts) != 1 {
		t.Errorf("%d texts", len(texts))
	}
	for _, e := range schema(t, newFake(), 0).Examples {
		for name := range e.Parameters {
			if !strings.Contains(e.Cypher, "$"+name) {
				t.Errorf("%s has no $%s", e.Cypher, name)
			}
		}
		if slices.Contains([]string{e.Question, e.Cypher}, "") {
			t.Errorf("an example without words: %+v", e)
		}
	}
}
