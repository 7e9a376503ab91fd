package traverse

import (
	"errors"
	"fmt"
	"kith/internal/fault"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// text returns a path as its nodes, with arrows in the direction of the relationships.
func (w *Way) text() string {
	var t strings.Builder
	for i := range w.Relationships {
		arrow := ">"
		if w.Relationships[i].From != w.Nodes[i].EntityKey {
			arrow = "<"
		}
		t.WriteString(w.Nodes[i].EntityKey + arrow)
	}
	return t.String() + w.Nodes[len(w.Nodes)-1].EntityKey
}

func (p *Paths) text() string {
	all := make([]string, len(p.Paths))
	for i := range p.Paths {
		all[i] = p.Paths[i].text()
	}
	return strings.Join(all, " ")
}

// byTwoWays has paths of two relationships from a to z, against arrows and along them, and longer ones.
func byTwoWays() *fake {
	f := newFake()
	f.link("a", "relates_to", "weak", 0.5)
	f.link("weak", "relates_to", "z", 0.5)
	f.link("a", "relates_to", "strong", 1)
	f.link("a", "involves", "strong", 0.1)
	f.link("strong", "relates_to", "z", 0.6)
	f.link("back", "involves", "a", 0.7)
	f.link("z", "involves", "back", 0.5)
	f.link("a", "involves", "l1", 1)
	f.link("l1", "involves", "l2", 1)
	f.link("l2", "involves", "z", 1)
	f.node("source", "s", 1)
	f.node("message", "m", 1)
	f.link("s", "has_message", "m", 1)
	return f
}

func TestPaths(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		r    Request
		want string
	}{
		"one, the strongest":       {Request{}, "a>strong>z"},
		"all of the shortest":      {Request{Limit: 10}, "a>strong>z a<back<z a>weak>z"},
		"no more than asked for":   {Request{Limit: 2}, "a>strong>z a<back<z"},
		"along arrows":             {Request{Limit: 10, Direction: outbound}, "a>strong>z a>weak>z"},
		"against arrows":           {Request{Limit: 10, Direction: inbound}, "a<back<z"},
		"of a type":                {Request{Limit: 10, RelationshipTypes: []string{"involves"}}, "a<back<z"},
		"of a type, along arrows":  {Request{Limit: 10, RelationshipTypes: []string{"involves"}, Direction: outbound}, "a>l1>l2>z"},
		"but not of a type":        {Request{Limit: 10, ExcludeRelationshipTypes: []string{"relates_to"}, Direction: outbound}, "a>l1>l2>z"},
		"as long as it may be":     {Request{MaxHops: 3, RelationshipTypes: []string{"involves"}, Direction: outbound}, "a>l1>l2>z"},
		"longer than it may be":    {Request{MaxHops: 2, RelationshipTypes: []string{"involves"}, Direction: outbound}, ""},
		"one step":                 {Request{To: "strong"}, "a>strong"},
		"not to messages":          {Request{From: "s", To: "m"}, ""},
		"to messages by the type":  {Request{From: "s", To: "m", RelationshipTypes: []string{"has_message"}}, "s>m"},
		"the same, the other way":  {Request{From: "z", To: "a", Limit: 10}, "z<strong<a z>back>a z<weak<a"},
		"to what is linked to no1": {Request{To: "s"}, ""},
	} {
		c.r.Mode = Path
		if c.r.From == "" {
			c.r.From = "a"
		}
		if c.r.To == "" {
			c.r.To = "z"
		}
		got := paths(t, byTwoWays(), c.r)
		if got.text() != c.want || got.Truncated || got.Paths == nil {
			t.Errorf("%s: %s, %t", what, got.text(), got.Truncated)
		}
		want := ""
		if c.want == "" {
			want = fmt.Sprintf("there is no path of at most %d relationships", max(c.r.MaxHops, 2+4*min(1, 1-c.r.MaxHops/2)))
		}
		if got.Message != want {
			t.Errorf("%s says %q, not %q", what, got.Message, want)
		}
	}
}

// Of several relationships between two nodes the most salient one is shown.
func TestPathsAreOfTheStrongest(t *testing.T) {
	t.Parallel()
	got := paths(t, byTwoWays(), Request{Mode: Path, From: "a", To: "strong"})
	if r := got.Paths[0].Relationships[0]; r.Type != "relates_to" || got.Paths[0].Length != 1 {
		t.Errorf("got %+v", got.Paths)
	}
}

// Ends that are not there, or may not be seen, are one answer; where both are there and nothing is between, it is another.
func TestMissingEnds(t *testing.T) {
	t.Parallel()
	for _, r := range []Request{{From: "a", To: "gone"}, {From: "gone", To: "a"}, {From: "gone", To: "gone too"}} {
		r.Mode = Path
		if _, _, err := ask(byTwoWays(), r); !errors.Is(err, fault.ErrNotFound) {
			t.Errorf("from %s to %s: %v", r.From, r.To, err)
		}
	}
}

// A path with a part that is gone when it is read in full is left out; the others stay.
func TestPathsThatWent(t *testing.T) {
	t.Parallel()
	f := byTwoWays()
	f.gone = "strong"
	got := paths(t, f, Request{Mode: Path, From: "a", To: "z", Limit: 10})
	if got.text() != "a<back<z a>weak>z" {
		t.Errorf("got %s", got.text())
	}
}

// clusters are two nodes with so many neighbors each, and nothing between them.
func clusters(degree int) *fake {
	f := newFake()
	for i := range degree {
		f.link("a", "relates_to", fmt.Sprint("a", i), 0.5)
		f.link("z", "relates_to", fmt.Sprint("z", i), 0.5)
	}
	return f
}

// A search that ends at its bounds says so: it does not say that there is no path.
func TestPathsBeyondBounds(t *testing.T) {
	t.Parallel()
	for degree, bounded := range map[int]bool{pathEach / 2: false, pathEach + 1: true} {
		got := paths(t, clusters(degree), Request{Mode: Path, From: "a", To: "z"})
		if got.Truncated != bounded || strings.HasPrefix(got.Message, "not within bounds") != bounded || len(got.Paths) > 0 {
			t.Errorf("degree %d: %+v", degree, got)
		}
	}
	f := clusters(pathEach + 1)
	f.link("a", "relates_to", "z", 0.5)
	f.link("z", "involves", "a", 0.5)
	f.links = append(f.links[len(f.links)-2:], f.links...)
	got := paths(t, f, Request{Mode: Path, From: "a", To: "z", RelationshipTypes: []string{"involves"}})
	if got.text() != "a<z" || got.Truncated || got.Message != "" {
		t.Errorf("by a type that has few: %+v", got)
	}
}

// The number of questions is bounded by the hops, however the graph is made.
func TestPathsAskLittle(t *testing.T) {
	t.Parallel()
	f := newFake()
	for i := range 6 {
		f.link(fmt.Sprint("n", i), "relates_to", fmt.Sprint("n", i+1), 0.5)
	}
	got := paths(t, f, Request{Mode: Path, From: "n0", To: "n6"})
	if got.text() != "n0>n1>n2>n3>n4>n5>n6" || strings.Join(f.calls, " ") != "NodesByKey Edges Edges Edges Edges Edges Edges Steps" {
		t.Errorf("%s by %v", got.text(), f.calls)
	}
}

// Of very many paths the strongest are found, not those that come first.
func TestTheStrongestOfManyPaths(t *testing.T) {
	t.Parallel()
	const width = 40 // two layers have 1,600 paths
	f := newFake()
	for i := range width {
		left, right := fmt.Sprintf("l%02d", i), fmt.Sprintf("r%02d", i)
		f.link("a", "relates_to", left, 0.5)
		f.link(right, "relates_to", "z", 0.5)
		for j := range width {
			f.link(left, "relates_to", fmt.Sprintf("r%02d", j), 0.5)
		}
	}
	f.link("l07", "involves", "r31", 1)
	for range 5 {
		got := paths(t, f, Request{Mode: Path, From: "a", To: "z", Direction: outbound})
		if got.text() != "a>l07>r31>z" {
			t.Fatalf("got %s", got.text())
		}
	}
}

// shortest are all shortest paths between two nodes with their strengths, found in the plainest way.
func (f *fake) shortest(r *Request) map[string]float64 {
	type way struct {
		keys     []string
		strength float64
	}
	found, ways := map[string]float64{}, []way{{[]string{r.From}, 1}}
	for range r.MaxHops {
		var longer []way
		for _, w := range ways {
			last := w.keys[len(w.keys)-1]
			for to, s := range f.steps(r, last) {
				if !slices.Contains(w.keys, to) {
					longer = append(longer, way{append(slices.Clone(w.keys), to), w.strength * s})
				}
			}
		}
		for _, w := range longer {
			if w.keys[len(w.keys)-1] == r.To {
				found[strings.Join(w.keys, " ")] = w.strength
			}
		}
		if ways = longer; len(found) > 0 {
			return found
		}
	}
	return found
}

// The paths are shortest ones, each once, and no other one is stronger.
func TestPathsAgainstNaive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f, r := aMemory(t), aScope(t)
		r.Mode, r.From, r.To = Path, "n0", "n1"
		r.MaxHops, r.Limit = rapid.IntRange(1, 6).Draw(t, "hops"), rapid.IntRange(1, 10).Draw(t, "limit")
		all := f.shortest(&r)
		var strengths []float64
		for _, s := range all {
			strengths = append(strengths, s)
		}
		slices.SortFunc(strengths, func(a, b float64) int { return -cmpFloat(a, b) })
		result, _, err := ask(f, r)
		if err != nil {
			t.Fatal(err)
		}
		var got []float64
		for _, w := range result.(*Paths).Paths {
			got = append(got, all[f.checked(t, &r, &w)])
			delete(all, w.keys())
		}
		if diff := cmp.Diff(strengths[:min(len(strengths), r.Limit)], got); diff != "" {
			t.Fatalf("strengths: %s in %s", diff, asJSON(t, result))
		}
	})
}

func cmpFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func (w *Way) keys() string {
	keys := make([]string, len(w.Nodes))
	for i := range w.Nodes {
		keys[i] = w.Nodes[i].EntityKey
	}
	return strings.Join(keys, " ")
}

// checked are the nodes of a path, each of whose relationships leads from one to the next in the direction that is asked for.
func (f *fake) checked(t *rapid.T, r *Request, w *Way) string {
	if w.Length != len(w.Relationships) || w.Length != len(w.Nodes)-1 {
		t.Fatalf("a path of %d has %d relationships and %d nodes", w.Length, len(w.Relationships), len(w.Nodes))
	}
	for i, rel := range w.Relationships {
		from, to := w.Nodes[i].EntityKey, w.Nodes[i+1].EntityKey
		forth, back := rel.From == from && rel.To == to, rel.From == to && rel.To == from
		if forth && r.Direction != inbound || back && r.Direction != outbound {
			continue
		}
		t.Fatalf("%+v does not lead %s from %s to %s", rel, r.Direction, from, to)
	}
	return w.keys()
}
