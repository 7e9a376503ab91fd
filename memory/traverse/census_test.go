package traverse

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"kith/graph"
)

// census returns the counts of a user: kinds, then relationships.
func (e *env) census(user string) (told string, part bool) {
	e.Helper()
	c, err := e.walkStore.Census(e.Context(), e.As(user))
	if err != nil {
		e.Fatal(err)
	}
	var all []string
	for kind, n := range c.Nodes {
		all = append(all, fmt.Sprint(kind, " ", n))
	}
	slices.Sort(all)
	for _, r := range c.Relationships {
		all = append(all, fmt.Sprint(r.From, " ", r.Type, " ", r.To, " ", r.Count))
	}
	return strings.Join(all, "; "), c.Part
}

func (e *env) counts(what, user, want string) {
	e.Helper()
	got, part := e.census(user)
	e.Same(what, want, got)
	e.Same(what+" is whole", false, part)
}

// TestCensus checks that a census counts shared and private data of the user, and nothing of others.
func TestCensus(t *testing.T) {
	e := fresh(t)
	e.counts("of nothing", "u1", "")
	e.web()
	const shared1 = "concept 3; entity 1; message 2; person 2; source 1; " +
		"source has_message message 2; concept involves entity 1; source mentions concept 1; concept relates_to concept 1; person thinks_about concept 1"
	e.counts("of a user", "u1", shared1)
	e.counts("of the team", "", "entity 1")
	e.counts("of another user", "u2", "entity 1")

	e.Write("u2", []graph.NodeWrite{node("task", "theirs", 0.5), node("entity", "shared2", 0.5, shared)},
		link("theirs", "relates_to", "shared", 0.9), link("shared", "relates_to", "shared2", 0.1))
	e.Source("u2", graph.SourceWrite{EntityKey: "met", Participants: []string{"u1"}, Messages: []graph.MessageWrite{said("m3", "z")}, Mentions: []string{"shared"}})
	e.counts("of a user, with what became shared", "u1", strings.NewReplacer("entity 1; message", "entity 2; message",
		"concept relates_to concept 1; ", "concept relates_to concept 1; entity relates_to entity 1; ").Replace(shared1))
	e.counts("of the team", "", "entity 2; entity relates_to entity 1")
	e.counts("of the other user", "u2", "entity 2; message 1; person 1; source 1; task 1; "+
		"source has_message message 1; source mentions entity 1; entity relates_to entity 1; task relates_to entity 1")

	e.Remove("u1", "concept", "b")
	e.Remove("u1", "source", "s")
	e.counts("without what is deleted", "u1", "concept 2; entity 2; person 2; concept involves entity 1; entity relates_to entity 1; person thinks_about concept 1")
	for _, user := range []string{"u1", "u2", ""} {
		e.neighbour().counts("of a second team for "+user, user, "")
	}
}

// TestCensusOfLikeUsers checks that users whose ids have a common prefix are counted separately.
func TestCensusOfLikeUsers(t *testing.T) {
	e := fresh(t)
	e.Write("u", []graph.NodeWrite{node("concept", "a", 0.5)})
	e.Write("u1", []graph.NodeWrite{node("concept", "b", 0.5), node("concept", "c", 0.5)})
	e.counts("u", "u", "concept 1; person 1")
	e.counts("u1", "u1", "concept 2; person 1")
	e.counts("nobody", "", "")
}

// TestCensusOfMany checks that a census of a large memory is marked as a sample.
func TestCensusOfMany(t *testing.T) {
	e := fresh(t)
	var nodes []graph.NodeWrite
	var links []graph.RelationshipWrite
	for i := range censusFrom {
		nodes = append(nodes, node("concept", fmt.Sprintf("n%03d", i), 0.5))
	}
	e.Write("u1", nodes[:censusFrom-1]) // and the owner node
	e.counts("nearly many", "u1", fmt.Sprint("concept ", censusFrom-1, "; person 1"))
	for i := range censusEach + 5 {
		links = append(links, link("n000", "relates_to", fmt.Sprintf("n%03d", i+1), 0.5))
	}
	e.Write("u1", nil, links[:censusEach-1]...)
	e.counts("a node with nearly many", "u1", fmt.Sprint("concept ", censusFrom-1, "; person 1; concept relates_to concept ", censusEach-1))
	e.Write("u1", nil, links...)
	got, part := e.census("u1")
	e.Same("a node with many", []any{fmt.Sprint("concept ", censusFrom-1, "; person 1; concept relates_to concept ", censusEach), true}, []any{got, part})
	e.Write("u1", nodes[censusFrom-1:])
	if got, part = e.census("u1"); !part || !strings.HasPrefix(got, fmt.Sprint("concept ", censusFrom)) {
		t.Errorf("many nodes: %s, a part: %t", got, part)
	}
}

// TestPropertyTypes checks that readable properties have types, and that hidden ones are not listed.
func TestPropertyTypes(t *testing.T) {
	t.Parallel()
	for _, k := range graph.Kinds {
		seen := map[string]bool{}
		for _, p := range slices.Concat(CommonProperties(), OwnProperties(k)) {
			if p.Type == "" || p.Name == "" || seen[p.Name] || slices.Contains(hiddenProperties, p.Name) {
				t.Errorf("%s has %+v", k.Name, p)
			}
			seen[p.Name] = true
		}
	}
	CommonProperties()[0].Name = "changed"
	if CommonProperties()[0].Name == "changed" {
		t.Error("a caller can change the list of others")
	}
	for _, p := range RelationshipProperties {
		if slices.Contains(hiddenProperties, p.Name) || p.Type == "" {
			t.Errorf("relationships have %+v", p)
		}
	}
}
