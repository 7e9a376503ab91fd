package traverse

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kith/graph"
	"kith/internal/fault"
	"kith/tests/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

var (
	now   = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	scope = graph.Scope{TeamID: "t", UserID: "u1"}
)

// chain is a relationship of a fake memory.
type chain struct {
	from, kind, to string
	strength       float64
}

func (l chain) key() string { return l.from + "-" + l.kind + "-" + l.to }

// fake is a memory of nodes and relationships, bounded as the store bounds it. What the store leaves open comes in any order.
type fake struct {
	mu     sync.Mutex
	nodes  map[string]*graph.NodeView
	links  []chain
	random *rand.Rand
	clock  time.Time
	times  []time.Time // times passed to walks
	calls  []string
	gone   string           // a node that is read in full no more
	errs   map[string]error // by method
	table  func(text string, parameters map[string]any) (Records, graph.Recall)
	census Census
}

func newFake() *fake {
	return &fake{nodes: map[string]*graph.NodeView{}, random: rand.New(rand.NewPCG(1, 2)), clock: now} //nolint:gosec // no secret
}

// node adds a node of a kind, named as its key in capitals.
func (f *fake) node(kind, key string, salience float64) *graph.NodeView {
	f.nodes[key] = &graph.NodeView{Kind: kind, Node: graph.Node{EntityKey: key, Name: strings.ToUpper(key), Salience: salience}}
	return f.nodes[key]
}

// link adds a relationship, and concepts of salience 1 at its ends where there are none.
func (f *fake) link(from, kind, to string, strength float64) {
	for _, key := range []string{from, to} {
		if f.nodes[key] == nil {
			f.node("concept", key, 1)
		}
	}
	f.links = append(f.links, chain{from, kind, to, strength})
}

// follows says whether a walk follows a relationship.
func follows(w Walk, l chain) bool {
	messages := w.Messages || slices.Contains(w.Types, "has_message")
	return (len(w.Types) == 0 || slices.Contains(w.Types, l.kind)) && !slices.Contains(w.Without, l.kind) && (messages || l.kind != "has_message")
}

// around calls for each relationship of a node that a walk follows, at most so many, in any order.
func (f *fake) around(w Walk, key string, each int, do func(l chain, other string, outgoing bool)) (looked int) {
	for _, i := range f.random.Perm(len(f.links)) {
		l := f.links[i]
		for _, out := range []bool{true, false} {
			here, other := l.from, l.to
			if !out {
				here, other = l.to, l.from
			}
			if here != key || !follows(w, l) || out && !w.Outgoing || !out && !w.Incoming || looked == each {
				continue
			}
			looked++
			do(l, other, out)
		}
	}
	return looked
}

// visit is called first by every query.
func (f *fake) visit(method string, at time.Time) error {
	f.calls, f.times = append(f.calls, method), append(f.times, at)
	return f.errs[method]
}

func (f *fake) shuffled(keys []string) []string {
	keys = slices.Clone(keys)
	f.random.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	return slices.DeleteFunc(keys, func(key string) bool { return f.nodes[key] == nil })
}

func (f *fake) Around(_ context.Context, _ graph.Scope, w Walk, keys []string, kinds []graph.Kind, each int, at time.Time) ([]Around, error) {
	var all []Around
	for _, key := range f.shuffled(keys) {
		a := Around{Key: key}
		a.Looked = f.around(w, key, each, func(l chain, other string, outgoing bool) {
			kind, _ := graph.KindOf(f.nodes[other].Kind)
			a.Links = append(a.Links, WalkLink{
				To: other, Key: l.key(), Outgoing: outgoing, Strength: l.strength, Salience: f.nodes[other].Salience,
				Wanted: len(kinds) == 0 || slices.Contains(kinds, kind),
			})
		})
		a.Cut = a.Looked >= each
		all = append(all, a)
	}
	return all, f.visit("Around", at)
}

func (f *fake) Edges(_ context.Context, _ graph.Scope, w Walk, keys []string, each int, at time.Time) ([]Edges, error) {
	f.mu.Lock() // halves are asked for at once
	defer f.mu.Unlock()
	var all []Edges
	for _, key := range f.shuffled(keys) {
		e := Edges{Key: key}
		e.Looked = f.around(w, key, each, func(l chain, other string, _ bool) {
			e.Ends, e.Strengths = append(e.Ends, other), append(e.Strengths, l.strength)
		})
		e.Cut = e.Looked >= each
		all = append(all, e)
	}
	return all, f.visit("Edges", at)
}

func (f *fake) Steps(_ context.Context, _ graph.Scope, w Walk, wishes []Wish, at time.Time) ([]*Step, error) {
	steps := make([]*Step, len(wishes))
	for i, wish := range wishes {
		var found []chain
		for _, l := range f.links {
			out, in := l.from == wish.From && l.to == wish.To, l.to == wish.From && l.from == wish.To
			if wish.Outgoing != nil {
				out, in = out && *wish.Outgoing, in && !*wish.Outgoing
			}
			if (out || in) && follows(w, l) && (wish.Key == "" || wish.Key == l.key()) && wish.To != f.gone {
				found = append(found, l)
			}
		}
		if len(found) == 0 {
			continue
		}
		slices.SortFunc(found, func(a, b chain) int {
			return cmp.Or(cmp.Compare(b.strength, a.strength), cmp.Compare(a.key(), b.key()))
		})
		l := found[0]
		steps[i] = &Step{
			Relationship: graph.RelationshipView{Key: l.key(), From: l.from, To: l.to, Type: l.kind, Salience: l.strength, Description: l.from + " to " + l.to},
			Node:         *f.nodes[wish.To],
		}
	}
	return steps, f.visit("Steps", at)
}

func (f *fake) NodesByKey(_ context.Context, _ graph.Scope, keys []string) ([]graph.NodeView, error) {
	var nodes []graph.NodeView
	for _, key := range keys { // in the order in which they are asked for
		if n := f.nodes[key]; n != nil && key != f.gone {
			nodes = append(nodes, *n)
		}
	}
	return nodes, f.visit("NodesByKey", f.clock)
}

// CurrentKeys says that what is called former has been taken over.
func (f *fake) CurrentKeys(_ context.Context, _ graph.Scope, keys []string) (map[string]string, error) {
	current := map[string]string{}
	for _, key := range keys {
		if now, former := strings.CutPrefix(key, "former "); former {
			current[key] = now
		}
	}
	return current, f.visit("CurrentKeys", f.clock)
}

func (f *fake) Cypher(_ context.Context, _ graph.Scope, text string, parameters map[string]any) (Records, graph.Recall, error) {
	err := f.visit("Cypher", f.clock)
	if f.table == nil {
		return Records{}, graph.Recall{}, err
	}
	table, recall := f.table(text, parameters)
	return table, recall, err
}

func (f *fake) Census(context.Context, graph.Scope) (Census, error) {
	return f.census, f.visit("Census", f.clock)
}

func (f *fake) Now() time.Time { return f.clock }

// The real store is one.
var _ store = (*Store)(nil)

func ask(f *fake, r Request) (Result, graph.Recall, error) {
	return New(f, func(Mode, Outcome) {}).Traverse(context.Background(), scope, &r)
}

// rows returns the rows of a walk, and fails without any.
func rows(t testing.TB, f *fake, r Request) *Rows {
	t.Helper()
	result, _, err := ask(f, r)
	if err != nil {
		t.Fatal(err)
	}
	return result.(*Rows)
}

func paths(t testing.TB, f *fake, r Request) *Paths {
	t.Helper()
	result, _, err := ask(f, r)
	if err != nil {
		t.Fatal(err)
	}
	return result.(*Paths)
}

// keysOf are the nodes of rows.
func keysOf(r *Rows) string {
	keys := make([]string, len(r.Rows))
	for i := range r.Rows {
		keys[i] = r.Rows[i].Node.EntityKey
	}
	return strings.Join(keys, " ")
}

func asJSON(t interface{ Fatal(args ...any) }, v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// aWalk is a request of each mode that finds something in aboutBoat.
func aWalk(mode Mode) Request {
	return map[Mode]Request{
		Neighbors: {Mode: Neighbors, EntityKey: "ada"},
		Path:      {Mode: Path, From: "ada", To: "quay"},
		PPR:       {Mode: PPR, SeedNodes: []string{"ada"}},
		Cypher:    {Mode: Cypher, Cypher: "MATCH (n) RETURN n.name AS name"},
	}[mode]
}

func aboutBoat() *fake {
	f := newFake()
	f.node("person", "ada", 1)
	f.link("ada", "thinks_about", "boat", 0.5)
	f.link("boat", "involves", "quay", 0.5)
	f.table = func(string, map[string]any) (Records, graph.Recall) {
		return Records{Columns: []string{"name"}, Rows: [][]json.RawMessage{{json.RawMessage(`"ADA"`)}}}, graph.Recall{Nodes: []string{"ada"}}
	}
	return f
}

// Every answer is observed once, with how it ended; a fault is no answer.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	empty := func(f *fake) {
		f.links = nil
		f.table = func(string, map[string]any) (Records, graph.Recall) {
			return Records{Columns: []string{"name"}}, graph.Recall{}
		}
	}
	cut := func(f *fake) {
		for i := range pathEach {
			f.link("ada", "relates_to", fmt.Sprint("n", i), 0.1)
		}
		table := f.table
		f.table = func(text string, parameters map[string]any) (Records, graph.Recall) {
			found, recall := table(text, parameters)
			found.Truncated = true
			return found, recall
		}
	}
	for _, mode := range []Mode{Neighbors, Path, PPR, Cypher} {
		for want, change := range map[Outcome]func(*fake){Found: func(*fake) {}, Nothing: empty, Truncated: cut} {
			f := aboutBoat()
			change(f)
			var seen []string
			r := aWalk(mode)
			result, _, err := New(f, func(m Mode, o Outcome) { seen = append(seen, fmt.Sprint(m, " ", o)) }).Traverse(t.Context(), scope, &r)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(seen, ", "); got != fmt.Sprint(mode, " ", want) {
				t.Errorf("%s that is %s: observed %s", mode, want, got)
			}
			if said := strings.Contains(asJSON(t, result), `"message":"`); said != (want != Found) {
				t.Errorf("%s that is %s says: %s", mode, want, asJSON(t, result))
			}
		}
	}
}

// Faults of the store come as they are, and are not observed.
func TestFaultsOfTheStore(t *testing.T) {
	t.Parallel()
	for mode, methods := range map[Mode][]string{
		Neighbors: {"Around", "Steps"}, Path: {"NodesByKey", "Edges", "Steps"}, PPR: {"Edges", "NodesByKey"}, Cypher: {"Cypher"},
	} {
		for _, method := range methods {
			fault := errors.New("x")
			f := aboutBoat()
			f.errs = map[string]error{method: fault}
			r := aWalk(mode)
			result, recall, err := New(f, func(Mode, Outcome) { t.Errorf("%s is observed without %s", mode, method) }).Traverse(t.Context(), scope, &r)
			if !errors.Is(err, fault) || result != nil || len(recall.Nodes) > 0 {
				t.Errorf("%s without %s: %v %v %v", mode, method, result, recall, err)
			}
		}
	}
}

// A request with faults asks nothing of the store.
func TestFaultsAskNothing(t *testing.T) {
	t.Parallel()
	for _, mode := range []Mode{Neighbors, Path, PPR, Cypher, ""} {
		f := aboutBoat()
		if _, _, err := ask(f, Request{Mode: mode}); !errors.Is(err, fault.ErrInvalid) || len(f.calls) > 0 {
			t.Errorf("%q: %v, asked %v", mode, err, f.calls)
		}
	}
}

// The recall contains what is returned, each item once.
func TestRecalls(t *testing.T) {
	t.Parallel()
	f := aboutBoat()
	f.link("ada", "thinks_about", "mast", 0.4)
	f.link("mast", "involves", "quay", 0.4)
	several := aWalk(Path)
	several.Limit = 5
	for what, c := range map[string]struct {
		r                    Request
		nodes, relationships string
	}{
		"neighbors": {aWalk(Neighbors), "boat mast", "ada-thinks_about-boat ada-thinks_about-mast"},
		"path":      {aWalk(Path), "ada boat quay", "ada-thinks_about-boat boat-involves-quay"},
		"paths":     {several, "ada boat mast quay", "ada-thinks_about-boat ada-thinks_about-mast boat-involves-quay mast-involves-quay"},
		"ppr":       {aWalk(PPR), "boat mast quay", ""},
		"cypher":    {aWalk(Cypher), "ada", ""},
	} {
		_, recall, err := ask(f, c.r)
		if err != nil {
			t.Fatal(err)
		}
		var relationships []string
		for _, r := range recall.Relationships {
			relationships = append(relationships, r.Key)
			if r.Key != r.From+"-"+r.Type+"-"+r.To {
				t.Errorf("%s: recalled %+v", what, r)
			}
		}
		slices.Sort(recall.Nodes)
		slices.Sort(relationships)
		if nodes, links := strings.Join(recall.Nodes, " "), strings.Join(relationships, " "); nodes != c.nodes || links != c.relationships {
			t.Errorf("%s: recalled %s; %s", what, nodes, links)
		}
	}
}

// A statement is the store's part; its parameters come as the database takes them.
func TestCypher(t *testing.T) {
	t.Parallel()
	f := newFake()
	var asked string
	f.table = func(text string, parameters map[string]any) (Records, graph.Recall) {
		asked = fmt.Sprintf("%s with %T %v", text, parameters["n"], parameters)
		return Records{Columns: []string{"x"}, Rows: [][]json.RawMessage{}}, graph.Recall{}
	}
	result, _, err := ask(f, Request{Mode: Cypher, Cypher: "RETURN $n AS x", Parameters: map[string]json.RawMessage{"n": json.RawMessage("7")}})
	if err != nil || asked != "RETURN $n AS x with int64 map[n:7]" {
		t.Errorf("asked %s: %v", asked, err)
	}
	if got := asJSON(t, result); got != `{"mode":"cypher","columns":["x"],"rows":[],"truncated":false,"message":"nothing was found. GET /v1/schema lists kinds, properties and relationship types"}` {
		t.Errorf("got %s", got)
	}
}
