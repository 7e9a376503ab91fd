package graph_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"kith/graph"
	"kith/internal/bounds"
	"kith/internal/fault"
	"kith/tests/graphtest"
)

// item returns the write of an item.
func item(namespace []string, name, value string) graph.NodeWrite {
	return graph.NodeWrite{Kind: "item", Name: graph.Some(name), OwnFields: &graph.OwnFields{
		Namespace: graph.Some(namespace), Value: graph.Some(json.RawMessage(value)),
	}}
}

// items lists all items that a list selects, by pages of a size.
func (e *env) items(user string, l graph.NodeList, size int64) (nodes []graph.NodeView) {
	e.Helper()
	l.Kind, l.Limit = graph.ItemKind, size
	for {
		page, err := e.Store.Nodes(e.Context(), e.As(user), l)
		if err != nil {
			e.Fatal(err)
		}
		if int64(len(page.Nodes)) > size {
			e.Errorf("a page of %d has %d items", size, len(page.Nodes))
		}
		if nodes = append(nodes, page.Nodes...); page.Next == "" {
			return nodes
		}
		l.Cursor = page.Next
	}
}

func (e *env) namespaces(user string, l graph.NamespaceList, size int) (all [][]string) {
	e.Helper()
	l.Limit = size
	for {
		page, err := e.Store.Namespaces(e.Context(), e.As(user), l)
		if err != nil {
			e.Fatal(err)
		}
		if all = append(all, page.Namespaces...); page.Next == "" {
			return all
		}
		l.Cursor = page.Next
	}
}

func place(n *graph.NodeView) string {
	return strings.Join(n.Namespace.Value, "/") + ":" + n.Name
}

func TestItems(t *testing.T) {
	e := fresh(t)
	results := e.Write("u1", []graph.NodeWrite{
		item([]string{"a"}, "x", `{"title":"Blue","parts":[{"of":"a boat"},7],"n":3}`),
		item([]string{"a", "b"}, "x", `{"n":4}`), item([]string{"a b"}, "x", `{}`), item([]string{"a"}, "x2", `{}`),
		item([]string{"a"}, "b", `{}`),
	})
	e.Same("written", []graph.Status{"created", "created", "created", "created", "created"}, statuses(results))
	x := e.get("u1", "item", results.Nodes[0].EntityKey)
	e.Same("described by its texts", "Blue\na boat", x.Description)
	e.Same("kept", "keep_forever", x.TTLPolicy)

	e.Same("of another user", 0, len(e.items("u2", graph.NodeList{Namespace: []string{"a"}}, 10)))
	e.Same("of another team", 0, len(e.neighbour().items("u1", graph.NodeList{Namespace: []string{"a"}}, 10)))
	exact := e.items("u1", graph.NodeList{Namespace: []string{"a"}, Name: "x"}, 10)
	e.Same("by its name", []string{x.EntityKey}, []string{exact[0].EntityKey})
	e.Same("alone", 1, len(exact))

	e.Same("again", []graph.Status{"unchanged"}, statuses(e.Write("u1", []graph.NodeWrite{item([]string{"a"}, "x", `{ "title":"Blue","parts":[{"of":"a boat"},7],"n":3}`)})))
	e.Write("u1", []graph.NodeWrite{item([]string{"a"}, "x", `{"title":"Red"}`)})
	e.Same("described anew", "Red", e.get("u1", "item", x.EntityKey).Description)
	described := item([]string{"a"}, "x", `{"title":"Green"}`)
	described.Description = graph.Some("a colour")
	e.Write("u1", []graph.NodeWrite{described})
	e.Write("u1", []graph.NodeWrite{item([]string{"a"}, "x", `{"title":"Grey"}`)})
	e.Same("as the caller described it", "a colour", e.get("u1", "item", x.EntityKey).Description)

	moved := graph.NodeWrite{Kind: "item", EntityKey: x.EntityKey, OwnFields: &graph.OwnFields{Namespace: graph.Some([]string{"c"})}}
	e.Write("u1", []graph.NodeWrite{moved})
	e.Same("moved", []string{"c:x"}, placesOf(e.items("u1", graph.NodeList{Namespace: []string{"c"}}, 10)))
	taken := moved
	taken.OwnFields = &graph.OwnFields{Namespace: graph.Some([]string{"a", "b"})}
	refused, err := e.Store.Write(t.Context(), e.As("u1"), &graph.MemoryWrite{Nodes: []graph.NodeWrite{taken}})
	e.Same("to a name that is taken", []graph.Status{"refused"}, statuses(refused))
	if err != nil {
		t.Error(err)
	}
}

func placesOf(nodes []graph.NodeView) (all []string) {
	for i := range nodes {
		all = append(all, place(&nodes[i]))
	}
	return all
}

func TestItemsOfBadForm(t *testing.T) {
	e := fresh(t)
	long := strings.Repeat("x", 128)
	for _, c := range []struct {
		write graph.NodeWrite
		place string
	}{
		{graph.NodeWrite{Kind: "item", Name: graph.Some("x")}, "nodes[0].namespace"},
		{item([]string{}, "x", `{}`), "nodes[0].namespace"},
		{item([]string{"a", ""}, "x", `{}`), "nodes[0].namespace[1]"},
		{item([]string{"a\x1fb"}, "x", `{}`), "nodes[0].namespace[0]"},
		{item([]string{long, long, long, long, "x"}, "x", `{}`), "nodes[0].namespace"},
		{item(slices.Repeat([]string{"a"}, 17), "x", `{}`), "nodes[0].namespace"},
		{item([]string{"a"}, "x", `[1]`), "nodes[0].value"},
		{item([]string{"a"}, "x", `{"a":"`+strings.Repeat("x", bounds.ValueSize)+`"}`), "nodes[0].value"},
		{graph.NodeWrite{Kind: "concept", Name: graph.Some("x"), OwnFields: &graph.OwnFields{Namespace: graph.Some([]string{"a"})}}, "nodes[0].namespace"},
	} {
		_, err := e.Store.Write(t.Context(), e.As("u1"), &graph.MemoryWrite{Nodes: []graph.NodeWrite{c.write}})
		if err == nil || !strings.Contains(fmt.Sprintf("%+v", err), c.place+" ") && !strings.Contains(err.Error(), c.place) {
			t.Errorf("%s: %v", c.place, err)
		}
	}
	largest := item([]string{"a"}, strings.Repeat("😀", 512), `{"a":"`+strings.Repeat("x", bounds.ValueSize-8)+`"}`)
	largest.Namespace = graph.Some([]string{strings.Repeat("😀", 128), strings.Repeat("😀", 128), strings.Repeat("😀", 128), strings.Repeat("😀", 128)})
	e.Same("the largest", []graph.Status{"created"}, statuses(e.Write("u1", []graph.NodeWrite{largest})))
}

func TestFiltersOfBadForm(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		`[]`, `{"a":`, `{"$gt":5}`, `{"a":{"$in":[1]}}`, `{"a":{"$gt":1,"x":2}}`, `{"a":{"b":{"$gt":1,"x":2}}}`, `{"a":"` + strings.Repeat("x", 5000) + `"}`,
	} {
		f := &graph.Faults{}
		if f.Filter(fault.At("filter"), json.RawMessage(raw)); f.Len() == 0 {
			t.Errorf("%.30s is accepted", raw)
		}
	}
	f := &graph.Faults{}
	if filter := f.Filter(fault.At("filter"), json.RawMessage(`{"a":{"b":{"$eq":{"$x":1}}},"c":[1,{"d":2}]}`)); f.Len() > 0 || filter == nil {
		t.Errorf("a filter of a good form has the faults %v", f.Err())
	}
}

// A filter that few items match is not tested in many small pages.
func TestARareItemIsFoundInFewReads(t *testing.T) {
	var reads atomic.Int64
	e := &env{graphtest.AloneWith(t, graph.Options{Observe: func(query string, _ time.Duration, _ error) {
		if query == "node_list" {
			reads.Add(1)
		}
	}})}
	var nodes []graph.NodeWrite
	for i := range 950 {
		nodes = append(nodes, item([]string{"a"}, fmt.Sprintf("%03d", i), fmt.Sprintf(`{"n":%d}`, i)))
	}
	e.Write("u1", nodes)
	filter := new(graph.Faults).Filter(fault.At("filter"), json.RawMessage(`{"n":949}`))
	page, err := e.Store.Nodes(t.Context(), e.As("u1"), graph.NodeList{Kind: graph.ItemKind, Filter: filter, Limit: 1})
	if err != nil || len(page.Nodes) != 1 {
		t.Fatalf("%d items, %v", len(page.Nodes), err)
	}
	if reads.Load() != 11 { // 950 items, a hundred at once, and the shared ones
		t.Errorf("%d reads of the list, want 11", reads.Load())
	}
}

// A page of large values ends early.
func TestPagesOfLargeItems(t *testing.T) {
	e := fresh(t)
	var nodes []graph.NodeWrite
	for i := range 50 {
		nodes = append(nodes, item([]string{"large"}, fmt.Sprint(100+i), `{"a":"`+strings.Repeat("x", 240_000)+`"}`))
	}
	e.Write("u1", nodes)
	page, err := e.Store.Nodes(t.Context(), e.As("u1"), graph.NodeList{Kind: graph.ItemKind, Limit: 1000})
	if err != nil || len(page.Nodes) != 35 || page.Next == "" {
		t.Errorf("%d items, next %q, %v", len(page.Nodes), page.Next, err)
	}
	e.Same("all", 50, len(e.items("u1", graph.NodeList{}, 1000)))
}

// TestItemsAreLikeAModel writes and moves random items, and compares lists, filters and namespaces with those of a map.
func TestItemsAreLikeAModel(t *testing.T) {
	parts := []string{"a", "b", "a b", "a-", "é", "~", "*", "1"}
	namespaceOf := rapid.SliceOfN(rapid.SampledFrom(parts), 1, 4)
	twice(t, func(r *rapid.T, e *env) {
		type stored struct {
			namespace []string
			name      string
			n         float64
		}
		model := map[string]stored{}
		for range rapid.IntRange(1, 40).Draw(r, "writes") {
			s := stored{namespaceOf.Draw(r, "namespace"), rapid.SampledFrom(parts).Draw(r, "name"), float64(rapid.IntRange(0, 3).Draw(r, "n"))}
			result := e.Write("u1", []graph.NodeWrite{item(s.namespace, s.name, fmt.Sprintf(`{"n":%v,"in":{"n":%v}}`, s.n, s.n))}).Nodes[0]
			key := strings.Join(s.namespace, "/") + ":" + s.name
			if result.Status == graph.Created != (model[key].name == "") {
				r.Fatalf("%s is %s", key, result.Status)
			}
			if model[key] = s; rapid.IntRange(0, 4).Draw(r, "delete") == 0 {
				if _, err := e.Store.DeleteNode(e.Context(), e.As("u1"), graph.ItemKind, result.EntityKey, 0); err != nil {
					r.Fatal(err)
				}
				delete(model, key)
			}
		}
		size := int64(rapid.IntRange(1, 12).Draw(r, "size"))
		within := rapid.SliceOfN(rapid.SampledFrom(parts), 0, 2).Draw(r, "within")
		least := float64(rapid.IntRange(0, 3).Draw(r, "least"))
		filters := map[string]func(n float64) bool{
			"": func(float64) bool { return true }, fmt.Sprintf(`{"n":%v}`, least): func(n float64) bool { return n == least },
			fmt.Sprintf(`{"in":{"n":{"$gte":%v}}}`, least): func(n float64) bool { return n >= least },
			fmt.Sprintf(`{"n":{"$gt":%v,"$ne":3}}`, least): func(n float64) bool { return n > least && n != 3 },
			`{"m":null}`: func(float64) bool { return true }, `{"m":{"$lt":1}}`: func(float64) bool { return false },
		}
		for filter, holds := range filters {
			want := []string{}
			for key, s := range model {
				if graph.IsWithin(s.namespace, within) && holds(s.n) {
					want = append(want, key)
				}
			}
			got := placesOf(e.items("u1", graph.NodeList{Namespace: within, Filter: new(graph.Faults).Filter(fault.At("filter"), json.RawMessage(filter))}, size))
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				r.Fatalf("%q within %q: %q, want %q", filter, within, got, want)
			}
		}
		l := graph.NamespaceList{MaxDepth: rapid.IntRange(0, 3).Draw(r, "depth"),
			Prefix: rapid.SliceOfN(rapid.SampledFrom(append(parts, "*")), 0, 2).Draw(r, "prefix"),
			Suffix: rapid.SliceOfN(rapid.SampledFrom(append(parts, "*")), 0, 2).Draw(r, "suffix")}
		want := map[string][]string{}
		fits := func(part, pattern string) bool { return pattern == "*" || part == pattern }
		for _, s := range model {
			n := s.namespace
			if len(n) >= len(l.Prefix) && len(n) >= len(l.Suffix) && slices.EqualFunc(n[:len(l.Prefix)], l.Prefix, fits) &&
				slices.EqualFunc(n[len(n)-len(l.Suffix):], l.Suffix, fits) {
				if l.MaxDepth > 0 {
					n = n[:min(len(n), l.MaxDepth)]
				}
				want[strings.Join(n, "/")] = n
			}
		}
		order := func(a, b []string) int { return cmp.Compare(strings.Join(a, "/"), strings.Join(b, "/")) }
		got := e.namespaces("u1", l, int(size))
		slices.SortFunc(got, order)
		if sorted := slices.SortedFunc(maps.Values(want), order); !slices.EqualFunc(got, sorted, slices.Equal) {
			r.Fatalf("%+v: %q, want %q", l, got, sorted)
		}
	})
}
