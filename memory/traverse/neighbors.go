package traverse

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"math"
	"slices"
	"time"

	"kith/graph"
	"kith/internal/fault"
)

// Bounds of a walk to neighbors, whatever the degree of a hub.
const (
	maxLooked = 1000 // relationships in all
	eachStart = 500  // of the node where the walk begins
	frontier  = 50   // nodes that are left in the next step, the best
)

// reached is a node that a walk has reached.
type reached struct {
	key      string
	from     string // the node before it, and the relationship between
	link     WalkLink
	hops     int
	strength float64 // of the relationships to it, multiplied
}

// score returns the rank of a node: the strength of the relationships to it, and its own salience.
func (r *reached) score() float64 { return r.strength * (1 + r.link.Salience) / 2 }

func best(a, b *reached) int {
	return cmp.Or(cmp.Compare(b.score(), a.score()), cmp.Compare(a.hops, b.hops), cmp.Compare(a.key, b.key),
		cmp.Compare(a.from, b.from), cmp.Compare(a.link.Key, b.link.Key)) // any fixed order of equally good ones
}

// neighbors returns the nodes linked with a node in up to three steps. Each node appears once: by the fewest steps, of
// these by the strongest relationships.
func (t *Traverser) neighbors(ctx context.Context, scope graph.Scope, r *Request) (Result, graph.Recall, error) {
	page, err := parseCursor(r.Cursor, t.store.Now())
	if err != nil {
		return nil, graph.Recall{}, err
	}
	all, cut, err := t.walkNeighbors(ctx, scope, r, page.at())
	if err != nil {
		return nil, graph.Recall{}, err
	}
	shown := all[min(page.Skip, len(all)):]
	shown = shown[:min(r.Limit, len(shown))]
	result := &Rows{Mode: Neighbors, Rows: []Row{}, Truncated: cut, page: page}
	recall, err := t.readRows(ctx, scope, r, shown, result, page.at())
	if err != nil {
		return nil, graph.Recall{}, err
	}
	if page.Skip += len(shown); page.Skip < len(all) {
		result.NextCursor = page.cursor()
	}
	switch {
	case cut:
		result.Message = "too many relationships to read: name relationship_types, or begin with a node that has fewer"
	case len(all) == 0:
		result.Message = "no linked node matches: try direction both, or more hops"
	}
	return result, recall, nil
}

// walkNeighbors returns every node that the walk reaches, the best first.
func (t *Traverser) walkNeighbors(ctx context.Context, scope graph.Scope, r *Request, now time.Time) (all []*reached, cut bool, err error) {
	seen := map[string]*reached{r.EntityKey: {key: r.EntityKey, strength: 1}}
	next, left := []string{r.EntityKey}, maxLooked
	for hop := 1; hop <= r.MaxHops && len(next) > 0 && left > 0; hop++ {
		each := min(eachStart, max(1, left/len(next)))
		steps, err := t.store.Around(ctx, scope, r.walk(), next, r.kinds(), each, now)
		if err != nil {
			return nil, false, err
		}
		if hop == 1 && len(steps) == 0 {
			return nil, false, fault.ErrNotFound
		}
		fresh := map[string]*reached{}
		for _, from := range steps {
			left -= from.Looked
			cut = cut || from.Cut
			for _, link := range from.Links {
				n := &reached{key: link.To, from: from.Key, link: link, hops: hop, strength: seen[from.Key].strength * strength(link.Strength)}
				if _, known := seen[n.key]; !known && (fresh[n.key] == nil || best(n, fresh[n.key]) < 0) {
					fresh[n.key] = n
				}
			}
		}
		next = nil
		ordered := ranked(fresh)
		for i, n := range ordered {
			if seen[n.key] = n; i < frontier {
				next = append(next, n.key)
			}
		}
		cut = cut || len(ordered) > frontier && hop < r.MaxHops
		all = append(all, ordered...)
	}
	all = slices.DeleteFunc(all, func(n *reached) bool { return !n.link.Wanted }) // they may be on the way to others
	slices.SortFunc(all, best)
	return all, cut, nil
}

// strength returns the strength of a relationship as a factor, at least 0.01.
func strength(salience float64) float64 { return math.Max(0.01, math.Min(1, salience)) }

func ranked(nodes map[string]*reached) []*reached {
	list := make([]*reached, 0, len(nodes))
	for _, n := range nodes {
		list = append(list, n)
	}
	slices.SortFunc(list, best)
	return list
}

// readRows reads the shown nodes in full. Nodes deleted meanwhile are omitted.
func (t *Traverser) readRows(ctx context.Context, scope graph.Scope, r *Request, shown []*reached, result *Rows, now time.Time) (graph.Recall, error) {
	wishes := make([]Wish, len(shown))
	for i, n := range shown {
		wishes[i] = Wish{From: n.from, To: n.key, Key: n.link.Key, Outgoing: &n.link.Outgoing}
	}
	steps, err := t.store.Steps(ctx, scope, r.walk(), wishes, now)
	if err != nil {
		return graph.Recall{}, err
	}
	var recall graph.Recall
	for i, step := range steps {
		if step == nil {
			continue
		}
		v := r.relationship(&step.Relationship)
		result.Rows = append(result.Rows, Row{Score: rounded(shown[i].score()), Hops: shown[i].hops, Relationship: &v, Node: r.node(&step.Node)})
		recall.Nodes = append(recall.Nodes, step.Node.EntityKey)
		recall.Relationships = append(recall.Relationships, refOf(&v))
	}
	return recall, nil
}

func refOf(v *Relationship) graph.RelationshipRef {
	return graph.RelationshipRef{From: v.From, Type: v.Type, To: v.To, Key: v.Key}
}

// rounded returns a score rounded for the answer.
func rounded(score float64) float64 { return math.Round(score*1e6) / 1e6 }

// page is the start of a page. All pages show the memory at the time of the first, so that the order is the same.
type page struct {
	Skip int   `json:"skip"`
	At   int64 `json:"at"` // milliseconds
}

func (p page) at() time.Time { return time.UnixMilli(p.At).UTC() }

func (p page) cursor() string {
	raw, _ := json.Marshal(p) //nolint:errchkjson // two numbers
	return base64.RawURLEncoding.EncodeToString(raw)
}

func parseCursor(cursor string, now time.Time) (page, error) {
	p := page{At: now.UnixMilli()}
	if cursor == "" {
		return p, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		err = json.Unmarshal(raw, &p)
	}
	if err != nil || p.Skip < 0 || p.At <= 0 || p.At > now.Add(time.Hour).UnixMilli() {
		return p, fault.Invalid(fault.At("cursor"), fault.Malformed, "invalid cursor")
	}
	return p, nil
}
