package traverse

import (
	"context"
	"slices"
	"time"

	"kith/cypher"
	"kith/graph"
	"kith/graph/neo"
)

var (
	findNeighbors = neo.Load[neighborsRow]("walk_neighbors")
	findEdges     = neo.Load[edgesRow]("walk_edges")
	findSteps     = neo.Load[stepRow]("walk_steps")
)

// stepRow is a step of a walk with its relationship and the node that it leads to.
type stepRow struct {
	Step         int
	Out          bool
	Type         string
	Relationship graph.Properties
	Labels       graph.Labels
	Node         graph.Properties
}

// neighborsRow is a node with its neighbors.
type neighborsRow struct {
	Key    string
	Looked int
	Links  []WalkLink
}

// edgesRow is a node with the other ends of its relationships and their salience.
type edgesRow struct {
	Key       string
	Looked    int
	Ends      []string
	Strengths []float64
}

// Walk selects the relationships to follow: current ones between nodes that the scope may see.
type Walk struct {
	Outgoing, Incoming bool
	Types              []string // empty: any
	Without            []string
	Messages           bool // also those from sources to their messages
}

// WalkLink is one relationship of a node, seen from that node. Its fields are in the order of walk_neighbors.
type WalkLink struct {
	To       string // entity key
	Key      string
	Outgoing bool
	Strength float64 // current salience
	Salience float64 // current salience of the other node
	Wanted   bool    // the other node is of a requested kind
}

// Around has the links of a node.
type Around struct {
	Key    string
	Looked int  // relationships examined, of those that the scope may see
	Cut    bool // the node has more
	Links  []WalkLink
}

// Edges has the links of a node in a short form.
type Edges struct {
	Key       string
	Looked    int
	Cut       bool
	Ends      []string
	Strengths []float64 // current salience of each relationship
}

// Step is one step of a walk with all details. Relationships that Kith itself writes have an empty key.
type Step struct {
	Relationship graph.RelationshipView
	Node         graph.NodeView // the node that it leads to
}

// forWalk returns a statement for the relationships of a walk. It returns false if none of the types exists. The
// statement's text contains stored types; its parameters include or exclude words.
func forWalk[T any](ctx context.Context, s *Store, q neo.Query[T], w Walk) (neo.Query[T], bool, error) {
	typed, some, err := s.typed(ctx, q.Query, w)
	q.Query = typed
	return q, some, err
}

func (s *Store) typed(ctx context.Context, q cypher.Query, w Walk) (typed cypher.Query, some bool, err error) {
	types := w.realTypes()
	if len(w.Types) == 0 && len(w.Without) > 0 {
		if types, err = s.graph.IndexedTypes(ctx); err != nil {
			return q, false, err
		}
		if w.Messages {
			types = append(slices.Clone(types), graph.HasMessageType)
		}
	}
	types = slices.DeleteFunc(slices.Clone(types), func(t string) bool { return t != graph.RelatedType && slices.Contains(w.Without, t) })
	if len(types) == 0 && len(w.Types)+len(w.Without) > 0 {
		return q, false, nil
	}
	switch {
	case len(types) > 0:
		return cypher.OfTypes(q, types), true, nil
	case w.Messages:
		return cypher.OfTypesBut(q, ""), true, nil
	}
	return cypher.OfTypesBut(q, graph.HasMessageType), true, nil
}

// realTypes returns the stored types of the requested relationships: a word may be stored as related_to, or as a type
// of its own in databases from before words.
func (w Walk) realTypes() []string {
	types := slices.DeleteFunc(slices.Clone(w.Types), func(t string) bool { return slices.Contains(w.Without, t) })
	if slices.ContainsFunc(types, graph.MayBeWord) && !slices.Contains(types, graph.RelatedType) {
		types = append(types, graph.RelatedType)
	}
	return types
}

// words returns the types if some of them may be words; nil if the stored types suffice.
func words(types []string) any {
	if slices.ContainsFunc(types, graph.MayBeWord) {
		return types
	}
	return nil
}

func (w Walk) params(scope graph.Scope, now time.Time) map[string]any {
	return map[string]any{
		"words": words(w.Types), "without": words(w.Without),
		"team_id": scope.TeamID, "user_id": scope.User(), "outgoing": w.Outgoing, "incoming": w.Incoming, "now": now.UTC(), "now_ms": now.UnixMilli(),
	}
}

// Around examines at most each relationships of some nodes. It returns the nodes they lead to, and whether those are
// of some kinds (none: any). It omits nodes that the scope may not see.
func (s *Store) Around(ctx context.Context, scope graph.Scope, w Walk, keys []string, kinds []graph.Kind, each int, now time.Time) ([]Around, error) {
	q, some, err := forWalk(ctx, s, findNeighbors, w)
	if err != nil {
		return nil, err
	}
	if !some {
		return s.alone(ctx, scope, keys)
	}
	var labels any
	if len(kinds) > 0 {
		list := make([]string, len(kinds))
		for i, k := range kinds {
			list[i] = k.Label
		}
		labels = list
	}
	params := w.params(scope, now)
	params["keys"], params["labels"], params["walk"] = keys, labels, each
	rows, err := q.Read(ctx, s.db, params)
	if err != nil {
		return nil, err
	}
	all := make([]Around, len(rows))
	for i, row := range rows {
		all[i] = Around{Key: row.Key, Looked: row.Looked, Cut: row.Looked >= each, Links: row.Links}
	}
	return all, nil
}

// Warm plans the statements of neighbors, the most frequent walk, for a user that does not exist.
func (s *Store) Warm(ctx context.Context) error {
	const key = "warm-up"
	nobody, now := graph.Nobody(), s.Now()
	if _, err := s.Around(ctx, nobody, Walk{}, []string{key}, nil, 1, now); err != nil {
		return err
	}
	_, err := s.Steps(ctx, nobody, Walk{}, []Wish{{From: key, To: key}}, now)
	return err
}

// alone returns the nodes that the scope may see, without links.
func (s *Store) alone(ctx context.Context, scope graph.Scope, keys []string) ([]Around, error) {
	nodes, err := s.graph.NodesByKey(ctx, scope, keys)
	if err != nil {
		return nil, err
	}
	var all []Around
	for i := range nodes {
		all = append(all, Around{Key: nodes[i].EntityKey})
	}
	return all, nil
}

// Edges examines at most each relationships of some nodes. It omits nodes that the scope may not see.
func (s *Store) Edges(ctx context.Context, scope graph.Scope, w Walk, keys []string, each int, now time.Time) ([]Edges, error) {
	q, some, err := forWalk(ctx, s, findEdges, w)
	if err != nil || !some {
		return nil, err
	}
	params := w.params(scope, now)
	params["keys"], params["walk"] = keys, each
	rows, err := q.Read(ctx, s.db, params)
	if err != nil {
		return nil, err
	}
	all := make([]Edges, len(rows))
	for i, row := range rows {
		all[i] = Edges{Key: row.Key, Looked: row.Looked, Cut: row.Looked >= each, Ends: row.Ends, Strengths: row.Strengths}
	}
	return all, nil
}

// Wish requests the details of a step: by the key of its relationship, or the most salient relationship between two
// nodes.
type Wish struct {
	From, To string
	Key      string // may be empty
	Outgoing *bool  // seen from From; nil: either way
}

// Steps returns the details of steps, one for each wish; nil if it does not exist any more.
func (s *Store) Steps(ctx context.Context, scope graph.Scope, w Walk, wishes []Wish, now time.Time) ([]*Step, error) {
	steps := make([]*Step, len(wishes))
	q, some, err := forWalk(ctx, s, findSteps, w)
	if err != nil || !some || len(wishes) == 0 {
		return steps, err
	}
	wanted := make([]map[string]any, len(wishes))
	for i, wish := range wishes {
		wanted[i] = map[string]any{"number": i, "from": wish.From, "to": wish.To, "key": nil, "out": nil}
		if wish.Key != "" {
			wanted[i]["key"] = wish.Key
		}
		if wish.Outgoing != nil {
			wanted[i]["out"] = *wish.Outgoing
		}
	}
	params := w.params(scope, now)
	params["steps"] = wanted
	rows, err := q.Read(ctx, s.db, params)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		row := &rows[i]
		wish := wishes[row.Step]
		from, to, direction := wish.From, wish.To, "outgoing"
		if !row.Out {
			from, to, direction = to, from, "incoming"
		}
		step := &Step{
			Relationship: graph.NewRelationshipView(from, row.Type, to, row.Relationship, now),
			Node:         graph.NewNodeView(row.Labels.Kind(), row.Node, now),
		}
		step.Relationship.Direction = direction
		steps[row.Step] = step
	}
	return steps, nil
}
