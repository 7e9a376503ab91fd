package traverse

import (
	"errors"
	"fmt"
	"kith/internal/fault"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPageRank(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.node("person", "p", 1)
	f.link("seed", "relates_to", "strong", 0.9)
	f.link("seed", "relates_to", "weak", 0.1)
	f.link("p", "involves", "seed", 0.5)
	f.link("strong", "relates_to", "far", 0.5)
	f.link("far", "relates_to", "farther", 0.5)
	f.link("farther", "relates_to", "too far", 0.5)
	f.node("concept", "elsewhere", 1)
	for what, c := range map[string]struct {
		r    Request
		want string
	}{
		"all":                      {Request{}, "strong far p farther weak"},
		"one step":                 {Request{MaxDepth: 1}, "strong p weak"},
		"two steps":                {Request{MaxDepth: 2}, "strong p far weak"},
		"along arrows":             {Request{Direction: outbound}, "strong far farther weak"},
		"against arrows":           {Request{Direction: inbound}, "p"},
		"of a type":                {Request{RelationshipTypes: []string{"involves"}}, "p"},
		"but not of a type":        {Request{ExcludeRelationshipTypes: []string{"relates_to"}}, "p"},
		"the best":                 {Request{TopK: 2}, "strong far"},
		"of a kind":                {Request{Kinds: []string{"person"}}, "p"},
		"the best of a kind":       {Request{Kinds: []string{"concept"}, TopK: 3}, "strong far farther"},
		"of a kind there is not":   {Request{Kinds: []string{"task"}}, ""},
		"seeds are not returned":   {Request{SeedNodes: []string{"far", "seed", "far"}, MaxDepth: 1}, "strong farther p weak"},
		"of what is linked to no1": {Request{SeedNodes: []string{"elsewhere"}}, ""},
	} {
		c.r.Mode = PPR
		if c.r.SeedNodes == nil {
			c.r.SeedNodes = []string{"seed"}
		}
		got := rows(t, f, c.r)
		if keysOf(got) != c.want || got.Truncated || got.Rows == nil || (got.Message == "") != (c.want != "") {
			t.Errorf("%s: %s, %q", what, keysOf(got), got.Message)
		}
		for _, row := range got.Rows {
			if hops := map[string]int{"strong": 1, "weak": 1, "p": 1, "far": 2, "farther": 3}[row.Node.EntityKey]; len(c.r.SeedNodes) == 1 && row.Hops != hops {
				t.Errorf("%s: %s is %d steps away", what, row.Node.EntityKey, row.Hops)
			}
		}
	}
}

// One seed that may not be seen is as none of them: the ranks would be of something else than was asked for.
func TestMissingSeeds(t *testing.T) {
	t.Parallel()
	f := aboutBoat()
	for _, seeds := range [][]string{{"gone"}, {"ada", "gone"}, {"gone", "ada", "gone too"}} {
		if _, _, err := ask(f, Request{Mode: PPR, SeedNodes: seeds}); !errors.Is(err, fault.ErrNotFound) {
			t.Errorf("%v: %v", seeds, err)
		}
	}
}

// Where the kinds leave few, later ranks are looked through until there are enough.
func TestRanksOfRareKinds(t *testing.T) {
	t.Parallel()
	f := newFake()
	for i := range 250 {
		f.link("seed", "relates_to", fmt.Sprintf("n%03d", i), 0.9)
	}
	for _, key := range []string{"p1", "p2", "p3"} {
		f.node("person", key, 1)
		f.link("seed", "relates_to", key, 0.1)
	}
	got := rows(t, f, Request{Mode: PPR, SeedNodes: []string{"seed"}, Kinds: []string{"person"}, TopK: 2, MaxDepth: 1})
	if keysOf(got) != "p1 p2" {
		t.Errorf("got %s", keysOf(got))
	}
	f.gone = "p1"
	if got := rows(t, f, Request{Mode: PPR, SeedNodes: []string{"seed"}, Kinds: []string{"person"}, TopK: 2, MaxDepth: 1}); keysOf(got) != "p2 p3" {
		t.Errorf("without one that went: %s", keysOf(got))
	}
}

func TestRanksOfHubs(t *testing.T) {
	t.Parallel()
	for degree, cut := range map[int]bool{rankEach - 1: false, rankEach + 1: true} {
		f := newFake()
		for i := range degree {
			f.link("seed", "relates_to", fmt.Sprint("n", i), 0.5)
		}
		got := rows(t, f, Request{Mode: PPR, SeedNodes: []string{"seed"}})
		if got.Truncated != cut || strings.HasPrefix(got.Message, "too many relationships") != cut || len(got.Rows) != 20 {
			t.Errorf("degree %d: %t %q, %d rows", degree, got.Truncated, got.Message, len(got.Rows))
		}
	}
}

// The work is bounded, however many hubs follow each other.
func TestRanksAskLittle(t *testing.T) {
	t.Parallel()
	f := newFake()
	for i := range 30 {
		f.link("seed", "relates_to", fmt.Sprint("n", i), 0.5)
		for j := range 350 {
			f.link(fmt.Sprint("n", i), "relates_to", fmt.Sprint("m", i, "-", j), 0.5)
		}
	}
	got := rows(t, f, Request{Mode: PPR, SeedNodes: []string{"seed"}, Direction: outbound})
	if !got.Truncated || len(f.calls) > 6 { // many nodes are asked for in two halves
		t.Errorf("%t after %v", got.Truncated, f.calls)
	}
}

// naiveRanks are the ranks by power iteration over a dense matrix, of relationships that begin or end nearer than max_depth.
func (f *fake) naiveRanks(r *Request) map[string]float64 {
	depth, next := map[string]int{}, slices.Clone(r.SeedNodes)
	for d := 0; d <= r.MaxDepth; d++ {
		var reached []string
		for _, key := range next {
			if _, known := depth[key]; known {
				continue
			}
			depth[key] = d
			for to := range f.steps(r, key) {
				reached = append(reached, to)
			}
		}
		next = reached
	}
	var keys []string
	for key := range depth {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return iterated(f.matrix(r, keys, depth), keys, r)
}

// matrix are the weights of steps from each of some nodes to each.
func (f *fake) matrix(r *Request, keys []string, depth map[string]int) [][]float64 {
	m := make([][]float64, len(keys))
	for i := range m {
		m[i] = make([]float64, len(keys))
	}
	for _, l := range f.links {
		from, to := slices.Index(keys, l.from), slices.Index(keys, l.to)
		if from < 0 || to < 0 || !follows(r.walk(), l) {
			continue
		}
		forth, back := depth[l.from] < r.MaxDepth, depth[l.to] < r.MaxDepth
		if r.Direction == both && (forth || back) || r.Direction == outbound && forth {
			m[from][to] += strength(l.strength)
		}
		if r.Direction == both && (forth || back) || r.Direction == inbound && back {
			m[to][from] += strength(l.strength)
		}
	}
	return m
}

func iterated(m [][]float64, keys []string, r *Request) map[string]float64 {
	ranks := map[string]float64{}
	for _, key := range r.SeedNodes {
		ranks[key] = 1 / float64(len(r.SeedNodes))
	}
	for range 2500 {
		next, stays := map[string]float64{}, 1.0
		for i, row := range m {
			sum := 0.0
			for _, w := range row {
				sum += w
			}
			for j, w := range row {
				if w > 0 {
					step := r.Damping * ranks[keys[i]] * w / sum
					next[keys[j]] += step
					stays -= step
				}
			}
		}
		for _, key := range r.SeedNodes {
			next[key] += stays / float64(len(r.SeedNodes))
		}
		ranks = next
	}
	return ranks
}

// The ranks equal those of a plain iteration, for any damping.
func TestRanksAgainstNaive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f, r := aMemory(t), aScope(t)
		r.Mode, r.TopK, r.MaxDepth = PPR, 100, rapid.IntRange(1, 3).Draw(t, "depth")
		r.SeedNodes = rapid.SampledFrom([][]string{{"n0"}, {"n1", "n0"}}).Draw(t, "seeds")
		r.Damping = rapid.SampledFrom([]float64{0.1, 0.5, 0.85, 0.95, 0.99}).Draw(t, "damping")
		want := f.naiveRanks(&r)
		result, _, err := ask(f, r)
		if err != nil {
			t.Fatal(err)
		}
		got, last := result.(*Rows), math.Inf(1)
		if len(got.Rows)+len(r.SeedNodes) != len(want) {
			t.Fatalf("%d rows beside %d seeds, not %d", len(got.Rows), len(r.SeedNodes), len(want))
		}
		for _, row := range got.Rows {
			key := row.Node.EntityKey
			if slices.Contains(r.SeedNodes, key) || math.Abs(row.Score-want[key]) > 2e-6 || row.Score > last {
				t.Fatalf("%s has %v after %v, not %v", key, row.Score, last, want[key])
			}
			last = row.Score
		}
	})
}

// All ranks together are 1, those of the seeds too.
func TestRanksAreOne(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "nodes")
		w := &subgraph{keys: make([]string, n), links: make([][]weighted, n)}
		for range rapid.IntRange(0, 20).Draw(t, "links") {
			from := rapid.IntRange(0, n-1).Draw(t, "from")
			w.links[from] = append(w.links[from], weighted{rapid.IntRange(0, n-1).Draw(t, "to"), rapid.Float64Range(0.01, 1).Draw(t, "weight")})
		}
		sum := 0.0
		for _, rank := range w.rank(rapid.IntRange(1, n).Draw(t, "seeds"), rapid.Float64Range(0.01, 0.99).Draw(t, "damping")) {
			if sum += rank; rank < 0 {
				t.Fatalf("a rank of %v", rank)
			}
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Fatalf("together %v", sum)
		}
	})
}

// Ranks settle also where a step nearly always goes on, and where it goes to and fro: a search may not end before.
func TestRanksSettle(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.link("seed", "relates_to", "other", 0.5)
	for damping, want := range map[float64]float64{0.5: 0.333333, 0.85: 0.459459, 0.99: 0.497487} { // damping / (1 + damping)
		if got := rows(t, f, Request{Mode: PPR, SeedNodes: []string{"seed"}, Damping: damping}); got.Rows[0].Score != want {
			t.Errorf("damping %v: %v, not %v", damping, got.Rows[0].Score, want)
		}
	}
}

// A bounded part of the graph is ranked within a moment, as one answer in the worst case has it.
func BenchmarkRanks(b *testing.B) {
	const size = 5000
	w := &subgraph{keys: make([]string, size), links: make([][]weighted, size)}
	for i := range rankLooked {
		from, to := i%size, (i*7919+1)%size
		w.links[from], w.links[to] = append(w.links[from], weighted{to, 0.5}), append(w.links[to], weighted{from, 0.5})
	}
	for b.Loop() {
		w.rank(1, 0.99)
	}
}
