package traverse

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"kith/graph"
	"kith/internal/fault"
)

// Bounds of a search for paths.
const (
	pathLooked = 16_000 // relationships in all
	pathEach   = 2_000  // of one node
	pathsMade  = 1_000  // that are kept while they are compared
)

// side is the search from one of the two ends.
type side struct {
	walk  Walk
	depth map[string]int
	from  map[string][]edge // by node: the nodes before it that are nearer to this end
	next  []string          // nodes from which it goes on
	steps int
}

type edge struct {
	key      string
	strength float64
}

func newSide(key string, walk Walk) *side {
	return &side{walk: walk, depth: map[string]int{key: 0}, from: map[string][]edge{}, next: []string{key}}
}

// path returns the shortest paths between two nodes. It searches from both ends, each time from the one with fewer
// nodes to continue from.
func (t *Traverser) path(ctx context.Context, scope graph.Scope, r *Request) (Result, graph.Recall, error) {
	now := t.store.Now()
	ends, err := t.store.NodesByKey(ctx, scope, []string{r.From, r.To})
	if err != nil {
		return nil, graph.Recall{}, err
	}
	if len(ends) < 2 {
		return nil, graph.Recall{}, fault.ErrNotFound
	}
	ways, cut, err := t.findPaths(ctx, scope, r, now)
	if err != nil {
		return nil, graph.Recall{}, err
	}
	result := &Paths{Mode: Path, Paths: []Way{}, Truncated: cut}
	recall, err := t.readPaths(ctx, scope, r, ends, ways, result, now)
	if err != nil {
		return nil, graph.Recall{}, err
	}
	switch {
	case len(result.Paths) == 0 && cut:
		result.Message = fmt.Sprintf("not within bounds: no path was found among the first %d relationships; "+
			"name relationship_types, or nodes that are nearer", pathLooked)
	case len(result.Paths) == 0:
		result.Message = fmt.Sprintf("there is no path of at most %d relationships", r.MaxHops)
	case cut:
		result.Message = "too many relationships to read: there may be shorter paths"
	}
	return result, recall, nil
}

// findPaths returns the shortest paths as lists of keys, the strongest first.
func (t *Traverser) findPaths(ctx context.Context, scope graph.Scope, r *Request, now time.Time) (ways [][]string, cut bool, err error) {
	forth, back := r.walk(), r.walk()
	back.Outgoing, back.Incoming = forth.Incoming, forth.Outgoing
	a, b := newSide(r.From, forth), newSide(r.To, back)
	left := pathLooked
	for a.steps+b.steps < r.MaxHops && len(a.next) > 0 && len(b.next) > 0 {
		s, other := a, b
		if len(b.next) < len(a.next) {
			s, other = b, a
		}
		if left <= 0 {
			return nil, true, nil
		}
		looked, cutHere, err := t.advance(ctx, scope, s, min(pathEach, max(1, left/len(s.next))), now)
		if err != nil {
			return nil, false, err
		}
		left, cut = left-looked, cut || cutHere
		if met := meeting(s, other); len(met) > 0 {
			return joinHalves(a, b, met, r.Limit), cut, nil
		}
	}
	return nil, cut, nil
}

// advance walks one step further from a side.
func (t *Traverser) advance(ctx context.Context, scope graph.Scope, s *side, each int, now time.Time) (looked int, cut bool, err error) {
	all, err := t.store.Edges(ctx, scope, s.walk, s.next, each, now)
	if err != nil {
		return 0, false, err
	}
	s.steps++
	s.next = nil
	for _, from := range all {
		looked += from.Looked
		cut = cut || from.Cut
		for i, key := range from.Ends {
			depth, seen := s.depth[key]
			if !seen {
				s.depth[key] = s.steps
				s.next = append(s.next, key)
			} else if depth != s.steps {
				continue
			}
			s.from[key] = append(s.from[key], edge{from.Key, strength(from.Strengths[i])})
		}
	}
	slices.Sort(s.next)
	return looked, cut, nil
}

// meeting returns the nodes in the middle of shortest paths: those that both sides have reached.
func meeting(s, other *side) []string {
	var met []string
	for _, key := range s.next {
		if _, ok := other.depth[key]; ok {
			met = append(met, key)
		}
	}
	least := -1
	for _, key := range met {
		if n := s.depth[key] + other.depth[key]; least < 0 || n < least {
			least = n
		}
	}
	return slices.DeleteFunc(met, func(key string) bool { return s.depth[key]+other.depth[key] > least })
}

// half is a path between one end and a node in the middle.
type half struct {
	keys     []string // from the middle to the end
	strength float64
}

// strongest sorts paths, the strongest first, and returns at most so many.
func strongest(all []half, most int) []half {
	slices.SortFunc(all, func(a, b half) int {
		return cmp.Or(cmp.Compare(b.strength, a.strength), slices.Compare(a.keys, b.keys))
	})
	return all[:min(most, len(all))]
}

// halves returns the strongest paths from a node to the end of a side. As strengths are multiplied, the rest of a
// strongest path is a strongest path. known caches the paths of nodes.
func (s *side) halves(key string, most int, known map[string][]half) []half {
	if all, ok := known[key]; ok {
		return all
	}
	all := []half{{keys: []string{key}, strength: 1}}
	if s.depth[key] > 0 {
		edges := map[string]float64{} // several relationships may lead from one node to the next
		for _, e := range s.from[key] {
			edges[e.key] = max(edges[e.key], e.strength)
		}
		all = nil
		for before, strength := range edges {
			for _, h := range s.halves(before, most, known) {
				all = append(all, half{keys: append([]string{key}, h.keys...), strength: h.strength * strength})
			}
		}
	}
	known[key] = strongest(all, most)
	return known[key]
}

// joinHalves returns the strongest paths through nodes in the middle.
func joinHalves(a, b *side, met []string, limit int) [][]string {
	var all []half
	knownA, knownB := map[string][]half{}, map[string][]half{}
	for _, key := range met {
		for _, first := range a.halves(key, limit, knownA) {
			for _, second := range b.halves(key, limit, knownB) {
				keys := slices.Clone(first.keys)
				slices.Reverse(keys)
				all = append(all, half{append(keys, second.keys[1:]...), first.strength * second.strength})
			}
		}
		if len(all) > pathsMade {
			all = strongest(all, limit)
		}
	}
	ways := make([][]string, 0, limit)
	for _, w := range strongest(all, limit) {
		ways = append(ways, w.keys)
	}
	return ways
}

// readPaths reads paths in full. Paths that do not exist any more are omitted.
func (t *Traverser) readPaths(ctx context.Context, scope graph.Scope, r *Request, ends []graph.NodeView,
	ways [][]string, result *Paths, now time.Time) (graph.Recall, error) {
	var wishes []Wish
	for _, way := range ways {
		for i := range way[1:] {
			w := Wish{From: way[i], To: way[i+1]}
			if r.Direction != both {
				forth := r.Direction == outbound
				w.Outgoing = &forth
			}
			wishes = append(wishes, w)
		}
	}
	steps, err := t.store.Steps(ctx, scope, r.walk(), wishes, now)
	if err != nil {
		return graph.Recall{}, err
	}
	var recall graph.Recall
	first := ends[slices.IndexFunc(ends, func(n graph.NodeView) bool { return n.EntityKey == r.From })]
	for _, way := range ways {
		mine := steps[:len(way)-1]
		if steps = steps[len(way)-1:]; slices.Contains(mine, nil) {
			continue
		}
		w := Way{Length: len(mine), Nodes: []Node{r.node(&first)}}
		for _, step := range mine {
			v := r.relationship(&step.Relationship)
			w.Nodes, w.Relationships = append(w.Nodes, r.node(&step.Node)), append(w.Relationships, v)
			recall.Relationships = append(recall.Relationships, refOf(&v))
		}
		result.Paths = append(result.Paths, w)
		for i := range w.Nodes {
			recall.Nodes = append(recall.Nodes, w.Nodes[i].EntityKey)
		}
	}
	// Paths have parts in common: one answer recalls each once.
	recall.Nodes = slices.Compact(slices.Sorted(slices.Values(recall.Nodes)))
	slices.SortFunc(recall.Relationships, func(a, b graph.RelationshipRef) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Type, b.Type), cmp.Compare(a.To, b.To), cmp.Compare(a.Key, b.Key))
	})
	recall.Relationships = slices.Compact(recall.Relationships)
	return recall, nil
}
