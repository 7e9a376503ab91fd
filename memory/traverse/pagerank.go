package traverse

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"kith/graph"
	"kith/internal/fault"
)

// Bounds of personalised PageRank.
const (
	rankLooked = 10_000 // relationships in all
	rankEach   = 1_000  // of one node
	maxRounds  = 2_500  // a round leaves at most damping of the error: enough for MaxDamping
	maxChange  = 1e-9   // the change of all ranks together after which it ends
)

// subgraph is the part of the graph around the seeds: nodes by number, in the order in which they were read.
type subgraph struct {
	keys    []string
	numbers map[string]int
	hops    []int
	links   [][]weighted // of each node
}

type weighted struct {
	to     int
	weight float64
}

func (w *subgraph) number(key string, hops int) int {
	n, ok := w.numbers[key]
	if !ok {
		n = len(w.keys)
		w.numbers[key] = n
		w.keys, w.hops, w.links = append(w.keys, key), append(w.hops, hops), append(w.links, nil)
	}
	return n
}

// pageRank ranks what is close to the seeds by personalised PageRank (Page, Brin, Motwani and Winograd 1999, section
// 6), over relationships weighted by their strength, within a bounded part of the graph. The same memory gives the same
// ranks.
func (t *Traverser) pageRank(ctx context.Context, scope graph.Scope, r *Request) (Result, graph.Recall, error) {
	now := t.store.Now()
	seeds := slices.Compact(slices.Sorted(slices.Values(r.SeedNodes)))
	w, cut, err := t.readSubgraph(ctx, scope, r, seeds, now)
	if err != nil {
		return nil, graph.Recall{}, err
	}
	ranks := w.rank(len(seeds), r.Damping)
	order := make([]int, 0, len(ranks))
	for n := len(seeds); n < len(ranks); n++ {
		order = append(order, n)
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(ranks[b], ranks[a]), cmp.Compare(w.keys[a], w.keys[b])) })
	result := &Rows{Mode: PPR, Rows: []Row{}, Truncated: cut}
	recall, err := t.readRanked(ctx, scope, r, w, ranks, order, result)
	if err != nil {
		return nil, graph.Recall{}, err
	}
	switch {
	case cut:
		result.Message = "too many relationships to read: the ranks cover only a part"
	case len(result.Rows) == 0:
		result.Message = "no node linked with the seeds matches"
	}
	return result, recall, nil
}

// readSubgraph reads the relationships around the seeds, step by step.
func (t *Traverser) readSubgraph(ctx context.Context, scope graph.Scope, r *Request, seeds []string, now time.Time) (w *subgraph, cut bool, err error) {
	w = &subgraph{numbers: map[string]int{}}
	for _, key := range seeds {
		w.number(key, 0)
	}
	next, left := seeds, rankLooked
	for hop := 1; hop <= r.MaxDepth && len(next) > 0; hop++ {
		if left <= 0 {
			return w, true, nil
		}
		all, err := t.readEdges(ctx, scope, r.walk(), next, min(rankEach, max(1, left/len(next))), now)
		if err != nil {
			return nil, false, err
		}
		if hop == 1 && len(all) < len(seeds) {
			if err := t.checkSeeds(ctx, scope, seeds); err != nil {
				return nil, false, err
			}
		}
		slices.SortFunc(all, func(a, b Edges) int { return cmp.Compare(a.Key, b.Key) })
		known := len(w.keys)
		for _, from := range all {
			left -= from.Looked
			cut = cut || from.Cut
			w.add(from, hop, hop == r.MaxDepth && r.Direction == both)
		}
		next = slices.Clone(w.keys[known:])
	}
	return w, cut, nil
}

// manyNodes is the number of nodes from which two statements in parallel are faster: the database runs each on one
// core.
const manyNodes = 32

// readEdges reads the relationships of some nodes.
func (t *Traverser) readEdges(ctx context.Context, scope graph.Scope, walk Walk, keys []string, each int, now time.Time) ([]Edges, error) {
	if len(keys) < manyNodes {
		return t.store.Edges(ctx, scope, walk, keys, each, now)
	}
	halves := [2][]string{keys[:len(keys)/2], keys[len(keys)/2:]}
	var found [2][]Edges
	group, ctx := errgroup.WithContext(ctx)
	for i, half := range halves {
		group.Go(func() (err error) {
			found[i], err = t.store.Edges(ctx, scope, walk, half, each, now)
			return err
		})
	}
	err := group.Wait()
	return append(found[0], found[1]...), err
}

// checkSeeds returns ErrNotFound if one of the seeds does not exist.
func (t *Traverser) checkSeeds(ctx context.Context, scope graph.Scope, seeds []string) error {
	nodes, err := t.store.NodesByKey(ctx, scope, seeds)
	if err == nil && len(nodes) < len(seeds) {
		err = fault.ErrNotFound
	}
	return err
}

// add adds the relationships of one node. The last nodes are not read themselves: their links are the ways back.
func (w *subgraph) add(from Edges, hop int, last bool) {
	order := make([]int, len(from.Ends))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(from.Ends[a], from.Ends[b]), cmp.Compare(from.Strengths[a], from.Strengths[b]))
	})
	n := w.numbers[from.Key]
	for _, i := range order {
		m := w.number(from.Ends[i], hop)
		weight := strength(from.Strengths[i])
		if w.links[n] = append(w.links[n], weighted{m, weight}); last && w.hops[m] == hop {
			w.links[m] = append(w.links[m], weighted{n, weight})
		}
	}
}

// rank iterates until the ranks converge. The first nodes are the seeds; the sum of all ranks is 1.
func (w *subgraph) rank(seeds int, damping float64) []float64 {
	shares := w.shares()
	ranks, next := make([]float64, len(w.keys)), make([]float64, len(w.keys))
	for n := range seeds {
		ranks[n] = 1 / float64(seeds)
	}
	for range maxRounds {
		clear(next)
		kept := 0.0
		for n, links := range shares {
			if len(links) == 0 {
				continue
			}
			kept += ranks[n]
			passed := damping * ranks[n]
			for _, l := range links {
				next[l.to] += passed * l.weight
			}
		}
		back := (1 - damping*kept) / float64(seeds) // what does not go on begins again
		change := 0.0
		for n := range next {
			if n < seeds {
				next[n] += back
			}
			change += math.Abs(next[n] - ranks[n])
		}
		if ranks, next = next, ranks; change < maxChange {
			break
		}
	}
	return ranks
}

// shares returns the links, each with the share of its node's rank that it passes on. A node that passes on nothing has
// none.
func (w *subgraph) shares() [][]weighted {
	shares := make([][]weighted, len(w.links))
	for n, links := range w.links {
		sum := 0.0
		for _, l := range links {
			sum += l.weight
		}
		if sum == 0 {
			continue
		}
		shares[n] = make([]weighted, len(links))
		for i, l := range links {
			shares[n][i] = weighted{l.to, l.weight / sum}
		}
	}
	return shares
}

// readRanked reads the best nodes in full.
func (t *Traverser) readRanked(ctx context.Context, scope graph.Scope, r *Request, w *subgraph, ranks []float64, order []int, result *Rows) (graph.Recall, error) {
	var recall graph.Recall
	for len(order) > 0 && len(result.Rows) < r.TopK {
		size := min(r.TopK, len(order))
		if len(r.Kinds) > 0 {
			size = min(100, len(order)) // many will be of other kinds
		}
		keys := make([]string, size)
		for i, n := range order[:size] {
			keys[i] = w.keys[n]
		}
		order = order[size:]
		nodes, err := t.store.NodesByKey(ctx, scope, keys)
		if err != nil {
			return recall, err
		}
		for i := range nodes {
			n := &nodes[i]
			if len(result.Rows) == r.TopK || len(r.Kinds) > 0 && !slices.Contains(r.Kinds, n.Kind) {
				continue
			}
			number := w.numbers[n.EntityKey]
			result.Rows = append(result.Rows, Row{Score: rounded(ranks[number]), Hops: w.hops[number], Node: r.node(n)})
			recall.Nodes = append(recall.Nodes, n.EntityKey)
		}
	}
	return recall, nil
}
