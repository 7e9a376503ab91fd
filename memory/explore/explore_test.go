package explore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kith/graph"
	"kith/internal/llm"
	"kith/internal/vector"
	"kith/tests/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// fakeStore answers with what its functions say, and with nothing where there is none.
type fakeStore struct {
	search  func(q Search) (Found, error)
	details func(w Wanted) (Details, error)
	vectors func(scope string, after int64) ([]vector.Row, error)
	calls   []string
}

func (s *fakeStore) Search(_ context.Context, _ graph.Scope, q Search) (Found, error) {
	s.calls = append(s.calls, "search")
	if s.search == nil {
		return Found{}, nil
	}
	return s.search(q)
}

func (s *fakeStore) Details(_ context.Context, _ graph.Scope, w Wanted) (Details, error) {
	s.calls = append(s.calls, "details")
	if s.details == nil {
		return Details{}, nil
	}
	return s.details(w)
}

func (s *fakeStore) Vectors(_ context.Context, scope string, after int64, _ int) ([]vector.Row, error) {
	s.calls = append(s.calls, "vectors")
	if s.vectors == nil {
		return nil, nil
	}
	return s.vectors(scope, after)
}

// fakeEmbedder answers with what its function says.
type fakeEmbedder struct {
	embed func(ctx context.Context, texts []string) ([][]float32, error)
	calls int
}

func (e *fakeEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	e.calls++
	return e.embed(ctx, texts)
}
func (*fakeEmbedder) Model() string   { return "m" }
func (*fakeEmbedder) Dimensions() int { return 2 }

// toward embeds every text as one vector.
func toward(v ...float32) *fakeEmbedder {
	return &fakeEmbedder{embed: func(_ context.Context, texts []string) ([][]float32, error) {
		all := make([][]float32, len(texts))
		for i := range all {
			all[i] = v
		}
		return all, nil
	}}
}

var (
	now   = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	scope = graph.Scope{TeamID: "t", UserID: "u1"}
)

func day(n int) time.Time { return now.AddDate(0, 0, -n) }

func given[T any](v T) graph.Optional[T] { return graph.Optional[T]{Given: true, Value: v} }

func kind(t *testing.T, name string) graph.Kind {
	t.Helper()
	k, ok := graph.KindOf(name)
	if !ok {
		t.Fatalf("%s is no kind", name)
	}
	return k
}

func explore(t *testing.T, s *fakeStore, e llm.Embedder, r *Request) (*Result, graph.Recall) {
	t.Helper()
	o := Options{Embedder: e, Vectors: vector.New(1 << 20), Now: func() time.Time { return now }}
	result, recall, err := New(s, o).Explore(t.Context(), scope, r)
	if err != nil {
		t.Fatal(err)
	}
	return result, recall
}

func query(text string) *Request { return &Request{Queries: []Query{{Query: text}}} }

// node is a node as the details have it.
func aNode(kind, key, name string, salience float64, updated time.Time) graph.NodeView {
	return graph.NodeView{Kind: kind, Node: graph.Node{EntityKey: key, Name: name, Salience: salience, State: "active", CreatedAt: updated, UpdatedAt: updated}}
}

// concepts is a store that finds concepts by words, with these scores.
func concepts(t *testing.T, views []graph.NodeView, scores ...float64) *fakeStore {
	t.Helper()
	return &fakeStore{
		search: func(q Search) (f Found, err error) {
			for ask := range q.Asks {
				for i, v := range views {
					f.Nodes = append(f.Nodes, FoundNode{Hit: Hit{Ask: ask, Score: scores[i], Key: v.EntityKey}, Kind: kind(t, v.Kind), Name: v.Name})
				}
			}
			return f, nil
		},
		details: func(Wanted) (Details, error) { return Details{Nodes: views}, nil },
	}
}

func keys(hits []NodeHit) string {
	var all []string
	for i := range hits {
		all = append(all, hits[i].EntityKey)
	}
	return strings.Join(all, " ")
}

// Relevance leads; salience and recency decide what is as relevant, and all where relevance has no weight.
func TestWeights(t *testing.T) {
	t.Parallel()
	store := func() *fakeStore {
		return concepts(t, []graph.NodeView{
			aNode("concept", "right", "Boat", 0.1, day(300)), aNode("concept", "near", "Boats", 1, day(0)), aNode("concept", "salient", "Quay", 1, day(300)),
		}, 3, 2, 1)
	}
	for what, c := range map[string]struct {
		semantic, time, salience graph.Optional[float64]
		want                     string
	}{
		"default":         {want: "right near salient"},
		"relevance alone": {given(1.0), given(0.0), given(0.0), "right near salient"},
		"salience alone":  {given(0.0), given(0.0), given(1.0), "near salient right"},
		"recency alone":   {given(0.0), given(1.0), given(0.0), "near right salient"},
		"without meaning": {given(0.0), given(0.3), given(0.4), "near salient right"},
		"the others low":  {given(1.0), given(0.1), given(0.1), "right near salient"},
		"null is default": {graph.Optional[float64]{Given: true, Null: true}, graph.Optional[float64]{}, graph.Optional[float64]{}, "right near salient"},
	} {
		r := query("boat")
		r.SemanticWeight, r.TimeWeight, r.SalienceWeight = c.semantic, c.time, c.salience
		got, _ := explore(t, store(), nil, r)
		if got := keys(got.Semantic.Concepts); got != c.want {
			t.Errorf("%s: %s, not %s", what, got, c.want)
		}
		for _, h := range got.Semantic.Concepts {
			if h.RelevanceScore < 0 || h.RelevanceScore > 1 {
				t.Errorf("%s: %s has %v", what, h.EntityKey, h.RelevanceScore)
			}
		}
	}
}

// The shape is the same whatever was found: lists are lists, also in the parts of hits.
func TestListsAreNeverNull(t *testing.T) {
	t.Parallel()
	for what, s := range map[string]*fakeStore{"nothing": {}, "all": everything(t)} {
		for granularity := range 4 {
			r := query("boat")
			r.Granularity, r.ReturnExplanations = granularity, true
			got, _ := explore(t, s, nil, r)
			raw, err := json.Marshal(got)
			if err != nil {
				t.Fatal(err)
			}
			var lists struct{ Semantic, Episodic map[string]json.RawMessage }
			if err := json.Unmarshal(raw, &lists); err != nil {
				t.Fatal(err)
			}
			if len(lists.Semantic) != 6 || len(lists.Episodic) != 5 {
				t.Errorf("%s at %d: %s", what, granularity, raw)
			}
			for _, part := range []map[string]json.RawMessage{lists.Semantic, lists.Episodic} {
				for name, list := range part {
					if len(list) == 0 || list[0] != '[' {
						t.Errorf("%s at %d: %s is %s", what, granularity, name, list)
					}
				}
			}
			for _, never := range []string{`"messages":null`, `"mentioned_nodes":null`, `"related_nodes":null`, `"query_used":null`, "vector", "embed"} {
				if strings.Contains(string(raw), never) {
					t.Errorf("%s at %d: %s in %s", what, granularity, never, raw)
				}
			}
		}
	}
}

func TestFaultsOfTheStore(t *testing.T) {
	t.Parallel()
	fault := errors.New("x")
	for what, s := range map[string]*fakeStore{
		"search":  {search: func(Search) (Found, error) { return Found{}, fault }},
		"details": {details: func(Wanted) (Details, error) { return Details{}, fault }},
	} {
		e := &fakeEmbedder{embed: func(ctx context.Context, _ []string) ([][]float32, error) {
			if what == "search" {
				<-ctx.Done() // it is not waited for
			}
			return nil, llm.ErrUnavailable
		}}
		begun := time.Now()
		_, _, err := New(s, Options{Embedder: e, Vectors: vector.New(1 << 20)}).Explore(t.Context(), scope, query("boat"))
		if !errors.Is(err, fault) || time.Since(begun) > time.Second {
			t.Errorf("%s: %v after %v", what, err, time.Since(begun))
		}
	}
}

// A search is two questions to the store, and three where it is deep and the first look has found names.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	s := concepts(t, []graph.NodeView{aNode("concept", "c", "Harbour light", 1, now)}, 1)
	for _, c := range []struct {
		mode  Mode
		multi bool
		asked string
		calls string
	}{
		{"", false, "boat", "search details"},
		{Fast, false, "boat", "search details"},
		{Deep, false, "boat; boat Harbour light", "search search details"},
		{"", true, "boat; boat Harbour light", "search search details"},
	} {
		s.calls = nil
		r := query("boat")
		r.Mode, r.MultiQuery = c.mode, c.multi
		got, _ := explore(t, s, nil, r)
		if calls := strings.Join(s.calls, " "); calls != c.calls {
			t.Errorf("%q %t: %s", c.mode, c.multi, calls)
		}
		if asked := strings.Join(got.Meta.QueryUsed, "; "); asked != c.asked || (got.Meta.Mode == Deep) != (len(s.calls) == 3) {
			t.Errorf("%q %t: asked %s, says %s", c.mode, c.multi, asked, got.Meta.Mode)
		}
	}
}

// The recall contains what is returned.
func TestRecall(t *testing.T) {
	t.Parallel()
	for granularity, want := range map[int]string{1: "c-boat d-plan p-ada s-1 s-2 st-1 m-1", 2: "c-boat d-plan p-ada st-1 m-1", 3: "c-boat d-plan p-ada m-1"} {
		r := query("boat")
		r.Granularity = granularity
		_, recall := explore(t, everything(t), nil, r)
		if diff := cmp.Diff(distinct(strings.Fields(want)), distinct(recall.Nodes)); diff != "" {
			t.Errorf("granularity %d: %s", granularity, diff)
		}
		links := []graph.RelationshipRef{
			{From: "p-ada", Type: "thinks_about", To: "c-boat", Key: "r-1"}, {From: "c-boat", Type: "associated_with", To: "e-quay", Key: "r-2"},
			{From: "d-plan", Type: "relates_to", To: "c-boat", Key: "r-3"},
		}
		if diff := cmp.Diff(links, recall.Relationships); diff != "" {
			t.Errorf("granularity %d: %s", granularity, diff)
		}
	}
}

// Storylines that are found take no place of other nodes: they have a list of their own.
func TestStoriesTakeNoPlace(t *testing.T) {
	t.Parallel()
	var wanted Wanted
	s := &fakeStore{
		search: func(Search) (f Found, err error) {
			for i := range 20 {
				f.Nodes = append(f.Nodes, FoundNode{Hit: Hit{Score: 2, Key: fmt.Sprint("st-", i)}, Kind: kind(t, "storyline"), Name: "Boat"})
			}
			f.Nodes = append(f.Nodes, FoundNode{Hit: Hit{Score: 1, Key: "c"}, Kind: kind(t, "concept"), Name: "Boat"})
			return f, nil
		},
		details: func(w Wanted) (Details, error) {
			wanted = w
			return Details{}, nil
		},
	}
	explore(t, s, nil, query("boat"))
	if !slices.Equal(wanted.Nodes, []string{"c"}) || len(wanted.Stories) != 20 {
		t.Errorf("wanted %v and %d stories", wanted.Nodes, len(wanted.Stories))
	}
}
