package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"kith/graph"
)

// imports stores a piece of an import for a scope, and returns its result.
func (e *env) imports(scope graph.Scope, b *graph.RestoreBatch) graph.MemoryResult {
	e.Helper()
	r, err := e.Store.Restore(e.Context(), scope, b, graph.ImportMark{}, func(graph.MemoryResult) string { return "" }, b.Plan != nil)
	if err != nil {
		e.Fatal(err)
	}
	return r
}

// lure returns an entity of an import that claims the keys of other nodes.
func lure(user graph.Optional[string], keys ...string) graph.NodeWrite {
	return graph.NodeWrite{Kind: "entity", EntityKey: "lure", Name: graph.Some("Lure"), UserID: user,
		History: &graph.History{Version: graph.Some(int64(1)), MergedKeys: graph.Some(keys)}}
}

// No import makes the keys of stored nodes, of others' deleted ones, or of what leads elsewhere lead to its own node.
func TestImportTakesNoKeysOfOthers(t *testing.T) {
	e := fresh(t)
	e.Write("", []graph.NodeWrite{called("person", "boss", "Boss"), called("person", "gone-shared", "G")})
	e.Write("u2", []graph.NodeWrite{called("person", "weiss", "Weiss"), called("person", "gone", "Gone"), called("person", "a", "A"), called("person", "b", "B")})
	e.Write("u1", []graph.NodeWrite{called("person", "own", "Own"), called("person", "c", "C"), called("person", "d", "D")})
	for user, key := range map[string]string{"": "gone-shared", "u2": "gone"} {
		e.delete(user, "person", key)
	}
	e.merge("u2", "person", "a", graph.MergeWrite{Other: "b"})
	e.merge("u1", "person", "c", graph.MergeWrite{Other: "d"})
	generated := e.Raw(`MATCH (n:Person {team_id: $team, owner_of: 'u2'}) RETURN n.entity_key`)[0][0].(string)
	e.Write("u2", []graph.NodeWrite{owner1("me2")}) // its former key is the generated one's
	before := e.Raw(`MATCH (n {team_id: $team}) WHERE n:Memory OR n:Deleted RETURN labels(n), properties(n) ORDER BY n.entity_key`)
	for _, key := range []string{"boss", "weiss", "gone-shared", "gone", "b", "own", "d", generated, "lure"} {
		for _, user := range []graph.Optional[string]{graph.Null[string](), graph.Some("u1")} {
			if key == "gone-shared" && user.Null { // the team deleted it, and the team says what it was
				continue
			}
			for _, scope := range []graph.Scope{e.bound("u1"), e.As("u1"), e.As("")} {
				r := e.imports(scope, &graph.RestoreBatch{Nodes: []graph.NodeWrite{lure(user, "fresh", key)}})
				if r.Nodes[0].Status != graph.Refused || !strings.HasPrefix(r.Refused[0].Path.String(), "nodes[0].history.merged_keys[1]") {
					t.Errorf("%s for %+v by %+v: %+v", key, user, scope, r)
				}
			}
		}
	}
	e.Same("stored", before, e.Raw(`MATCH (n {team_id: $team}) WHERE n:Memory OR n:Deleted RETURN labels(n), properties(n) ORDER BY n.entity_key`))

	me := graph.NodeWrite{Kind: "person", EntityKey: "me", Name: graph.Some("Me"), UserID: graph.Some("u1"), IsOwner: graph.Some(true),
		History: &graph.History{FormerKey: graph.Some("weiss")}}
	r := e.imports(e.bound("u1"), &graph.RestoreBatch{Nodes: []graph.NodeWrite{me}})
	e.Same("a former key", graph.Refused, r.Nodes[0].Status)
	e.CheckIntegrity()
}

// Of two nodes of an import that claim one key, the first has it, whichever piece they are in, also in a dry run.
func TestTwoNodesClaimOneKey(t *testing.T) {
	e := fresh(t)
	first, second := lure(graph.Some("u1"), "k"), lure(graph.Some("u1"), "k")
	second.EntityKey, second.Name = "second", graph.Some("Second")
	node := called("person", "k2", "K")
	node.UserID, node.History = graph.Some("u1"), &graph.History{}
	third := lure(graph.Some("u1"), "k2")
	third.EntityKey, third.Name = "third", graph.Some("Third")
	for _, pieces := range [][][]graph.NodeWrite{{{first, second, node, third}}, {{first}, {second}, {node}, {third}}} {
		for _, dry := range []bool{true, false} {
			d := e.neighbour()
			var plan *graph.RestorePlan
			if dry {
				plan = graph.NewRestorePlan()
			}
			var got []graph.Status
			for _, nodes := range pieces {
				got = append(got, statuses(d.imports(d.As(""), &graph.RestoreBatch{Nodes: nodes, Plan: plan}))...)
			}
			e.Same(fmt.Sprint("claims in ", len(pieces), " pieces, dry run ", dry), []graph.Status{graph.Created, graph.Refused, graph.Created, graph.Refused}, got)
			if plan != nil {
				_ = plan.Close()
			}
		}
	}
}

// A former key never leads away from a stored node, nor to a node that the writer does not see.
func TestFormerKeysNeverWin(t *testing.T) {
	e := fresh(t)
	e.Write("", []graph.NodeWrite{called("person", "boss", "Boss"), called("person", "lure", "Lure")})
	e.Write("u1", []graph.NodeWrite{called("person", "private", "Private")})
	e.Write("u2", []graph.NodeWrite{called("person", "weiss", "Weiss")})
	e.Raw(`MATCH (n:Memory {team_id: $team}) WHERE n.entity_key IN ['lure', 'private'] SET n.merged_keys = ['boss', 'weiss', 'nobody', 'me']
		WITH DISTINCT $team AS team UNWIND ['boss', 'weiss', 'nobody', 'me'] AS key CREATE (:Deleted {team_id: team, entity_key: key, merged_into: 'lure'}) CREATE (:Deleted {team_id: team, entity_key: key, merged_into: 'private'})`)
	for _, nodes := range [][]graph.NodeWrite{nil, {change("person", "boss")}, {change("person", "weiss")}, {change("person", "boss"), change("person", "weiss")}, {change("person", "lure")}} {
		for _, ends := range [][2]string{{"boss", "weiss"}, {"weiss", "boss"}, {"lure", "weiss"}, {"weiss", "lure"}} {
			l := link(ends[0], "relates_to", ends[1], 0.5)
			l.Description = graph.Some("secret")
			r := e.Try("u2", nodes, l)
			if got := r.Relationships[0]; got.From != ends[0] || got.To != ends[1] || got.Status == graph.Refused {
				t.Errorf("%v: %+v", ends, got)
			}
		}
	}
	r := e.Try("u3", nil, link("boss", "relates_to", "nobody", 0.5))
	if strings.Contains(fmt.Sprint(r), "private") {
		t.Errorf("names a node of another user: %+v", r)
	}
	e.Same("led astray", int64(0), e.Raw(`MATCH (:Memory {team_id: $team, entity_key: 'private'})--(x:Memory) RETURN count(x)`)[0][0])

	found := e.findings(true)
	e.Same("findings", true, len(found) > 0 && !slices.ContainsFunc(found, func(f graph.Finding) bool { return f.Check != "merged" || !f.Repaired }))
	e.Same("left", 0, len(e.findings(false)))
}

// An import has at most 1,000 keys of merged nodes for a node, and valid ones only; a merge makes no more.
func TestMergedKeysAreBounded(t *testing.T) {
	e := fresh(t)
	keys := func(n int) (all []string) {
		for i := range n {
			all = append(all, fmt.Sprint("k", i))
		}
		return all
	}
	for name, w := range map[string]graph.NodeWrite{
		"history.merged_keys":    lure(graph.Some("u1"), keys(1001)...),
		"history.merged_keys[1]": lure(graph.Some("u1"), "k", "a\x00b"),
		"history.merged_keys[0]": lure(graph.Some("u1"), ""),
	} {
		fields := e.Store.CheckNode(&w, e.As("u1"))
		if len(fields) != 1 || fields[0].Path.String() != name {
			t.Errorf("%s: %+v", name, fields)
		}
	}
	message := graph.NodeWrite{Kind: "message", EntityKey: "m", OwnFields: &graph.OwnFields{SourceKey: graph.Some("s"), Role: graph.Some("user")}, History: &graph.History{MergedKeys: graph.Some([]string{"boss"})}}
	if fields := e.Store.CheckNode(&message, e.As("u1")); len(fields) != 1 || fields[0].Path.String() != "history.merged_keys" {
		t.Errorf("of a message: %+v", fields)
	}

	r := e.imports(e.As("u1"), &graph.RestoreBatch{Nodes: []graph.NodeWrite{lure(graph.Some("u1"), keys(1000)...)}})
	e.Same("a thousand", graph.Created, r.Nodes[0].Status)
	r = e.imports(e.As("u1"), &graph.RestoreBatch{Nodes: []graph.NodeWrite{lure(graph.Some("u1"), "one more")}})
	e.Same("one more", graph.Refused, r.Nodes[0].Status)
	e.Write("u1", []graph.NodeWrite{called("entity", "other", "Other")})
	_, err := e.Store.MergeNodes(t.Context(), e.As("u1"), graph.EntityKind, "lure", graph.MergeWrite{Other: "other"})
	e.Same("a merge", []string{"other"}, faultsAt(err))

	d := e.neighbour()
	var again []graph.NodeWrite
	if err := e.Store.ExportNodes(t.Context(), e.Team, func(w *graph.NodeWrite) error { again = append(again, *w); return nil }); err != nil {
		t.Fatal(err)
	}
	for _, status := range statuses(d.imports(d.As(""), &graph.RestoreBatch{Nodes: again})) {
		e.Same("of an export", graph.Created, status)
	}
}
