package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kith/cypher"
	"kith/graph"
	"kith/memory/traverse"
	"kith/memory/workspace"
	"kith/tests/testenv"
)

// sharedProperties returns all that the database stores of a team's shared data.
func (e *env) sharedProperties() string {
	return fmt.Sprint(e.Raw(`MATCH (n:Memory {team_id: $team}) WHERE n.user_id IS NULL OPTIONAL MATCH (n)-[r]->(m) WHERE r.user_id IS NULL
		WITH n, collect(properties(r)) AS rs ORDER BY n.entity_key RETURN properties(n), rs`))
}

// TestPrivateSourcesAreNotCountedAtSharedNodes checks that mentions by private sources change private nodes only, not shared
// ones.
func TestPrivateSourcesAreNotCountedAtSharedNodes(t *testing.T) {
	e := fresh(t)
	e.Write("", []graph.NodeWrite{node("concept", "s", 0.5)})
	e.Write("ub", []graph.NodeWrite{node("concept", "own", 0.5)})
	before := e.sharedProperties()
	e.Source("ub", graph.SourceWrite{EntityKey: "src", Messages: []graph.MessageWrite{said("", "x")}, Mentions: []string{"s", "own"}})
	e.Same("after a mention", before, e.sharedProperties())
	e.Same("of the user's own", int64(1), e.get("ub", "concept", "own").SourceCount.Value)
	e.delete("ub", "source", "src")
	e.Same("after the source is deleted", before, e.sharedProperties())
	e.restore("ub", "source", "src")
	e.Same("after it is restored", before, e.sharedProperties())
	e.Same("of the user's own again", int64(1), e.get("ub", "concept", "own").SourceCount.Value)

	e.Raw(`MATCH (n:Memory {team_id: $team, entity_key: 's'}) SET n.source_count = 3, n.mention_weight = 2.5, n.first_mentioned_at = datetime(),
		n.last_mentioned_at = datetime(), n.distinct_source_days = ['2026-03-04']`) // as earlier versions stored it
	if err := e.Store.Renew(t.Context(), func(int) {}); err != nil {
		t.Fatal(err)
	}
	e.Same("renewed", before, e.sharedProperties())
}

// TestSharedNodesLinkTheSourcesOfAUser checks that shared nodes link a user's sources, whatever other users mention.
func TestSharedNodesLinkTheSourcesOfAUser(t *testing.T) {
	e := fresh(t)
	e.Write("", []graph.NodeWrite{node("concept", "boat", 0.5)})
	for i := range 3 {
		e.Source("ua", graph.SourceWrite{EntityKey: fmt.Sprint("a", i), Summary: graph.Some(fmt.Sprint("word", i)), Mentions: []string{"boat"},
			Messages: []graph.MessageWrite{said("", fmt.Sprint("word", i))}})
	}
	links := func() string {
		q := askAll("word0")
		q.Links = true
		found := e.search("ua", q)
		return fmt.Sprintf("%+v", found.Links)
	}
	before := links()
	for i := range 120 {
		e.Source("ub", graph.SourceWrite{EntityKey: fmt.Sprint("b", i), Mentions: []string{"boat"}})
	}
	e.Same("links", before, links())
}

// hubbed writes a team with a shared hub that has few shared relationships.
func (e *env) hubbed() {
	nodes := []graph.NodeWrite{{Kind: "project", EntityKey: "p", Name: graph.Some("p")}, node("task", "hub", 0.5, ofProject("p"))}
	links := []graph.RelationshipWrite{{From: "p", To: "hub", Type: "has_task"}}
	for i := range 5 {
		key := fmt.Sprint("s", i)
		nodes = append(nodes, node("plan", key, 0.5, ofProject("p")))
		links = append(links, link("hub", "relates_to", key, 0.5), link(key, "involves", "hub", 0.3))
	}
	e.Write("", nodes, links...)
}

func ofProject(key string) func(*graph.NodeWrite) {
	return func(n *graph.NodeWrite) { n.OwnFields = &graph.OwnFields{ProjectID: graph.Some(key)} }
}

// crowdHub gives a hub many relationships that only one user sees.
func (e *env) crowdHub(user string, count int) {
	for start := 0; start < count; start += 2500 {
		var nodes []graph.NodeWrite
		var links []graph.RelationshipWrite
		for i := start; i < min(start+2500, count); i++ {
			key := fmt.Sprint("x", i)
			nodes = append(nodes, node("plan", key, 0.9, ofProject("p")))
			if i%2 == 0 {
				links = append(links, link("hub", "relates_to", key, 0.9))
			} else {
				links = append(links, link(key, "involves", "hub", 0.9))
			}
		}
		e.Write(user, nodes, links...)
	}
}

// views returns the answers of all reads that bound the relationships they follow, for a user.
func (e *env) views(user string) []string {
	e.Helper()
	var all []string
	view := func(v any, err error) {
		e.Helper()
		if err != nil {
			e.Fatal(err)
		}
		words := strings.FieldsFunc(fmt.Sprintf("%+v", v), func(r rune) bool { return strings.ContainsRune(" []{}", r) })
		slices.Sort(words) // the database returns no fixed order
		all = append(all, strings.Join(words, " "))
	}
	at := e.Now.Add(time.Hour)
	for _, w := range []traverse.Walk{{Outgoing: true, Incoming: true}, {Outgoing: true}, {Incoming: true}, {Outgoing: true, Incoming: true, Types: []string{"relates_to"}}} {
		for _, each := range []int{20, 200} {
			around, err := e.walks().Around(e.Context(), e.As(user), w, []string{"hub", "s1"}, nil, each, at)
			view(around, err)
			edges, err := e.walks().Edges(e.Context(), e.As(user), w, []string{"hub", "s1"}, each, at)
			view(edges, err)
		}
	}
	available, err := workspace.NewStore(e.Store).Available(e.Context(), e.As(user), "p", "hub", nil, nil)
	view(available, err)
	params := map[string]any{
		"team_id": e.Team, "user_id": user, "entity_key": "hub", "label": "Task", "labels": []string{"Task", "Goal", "Plan"}, "skip": 0, "until": 100, "whole": true,
		"walk": 20, "project_id": "p", "derived": []string{"hub"}, "focus": "hub", "picture": []string{"hub"}, "open": []string{"Plan"},
	}
	for _, name := range []string{"linked_entities", "workspace_element", "workspace_links"} {
		q, own := cypher.Load(name), map[string]any{}
		for _, p := range q.Params {
			own[p] = params[p]
		}
		rows, err := e.Store.DB().Read(e.Context(), q, own)
		if err == nil {
			view(rows[0], err)
		}
		view(len(rows), err)
	}
	return all
}

// TestHiddenRelationshipsTakeNoRoom checks that private relationships of another user neither hide shared data nor appear in
// answers.
func TestHiddenRelationshipsTakeNoRoom(t *testing.T) {
	e := fresh(t)
	e.hubbed()
	before := e.views("ua")
	e.crowdHub("ub", 200)
	for i, after := range e.views("ua") {
		e.Same(fmt.Sprint("view ", i), before[i], after)
	}
}

// TestDeletedKeysStayTheirOwners checks that a node that is restored has its key again, whoever has chosen it meanwhile.
func TestDeletedKeysStayTheirOwners(t *testing.T) {
	e := fresh(t)
	e.Write("ua", []graph.NodeWrite{node("concept", "k", 0.5)})
	e.delete("ua", "concept", "k")
	for _, user := range []string{"ub", ""} {
		result := e.Try(user, []graph.NodeWrite{node("task", "k", 0.5)})
		e.Same("of "+user, []any{graph.Created, graph.OwnKey(user, "k")}, []any{result.Nodes[0].Status, result.Nodes[0].EntityKey})
	}
	e.restore("ua", "concept", "k")
}

// TestNamesAreComparedInNFC checks that a name is one node in every Unicode form and with any blanks around it, and that its
// first spelling stays.
func TestNamesAreComparedInNFC(t *testing.T) {
	e := fresh(t)
	for _, names := range [][]string{{"Zo\u00eb", "Zoe\u0308", " Zo\u00eb "}, {"Go", "Go ", "\u00a0Go"}} {
		for _, kind := range []string{"person", "concept", "entity"} {
			var first string
			for i, name := range names {
				result := e.Write("u1", []graph.NodeWrite{{Kind: kind, Name: graph.Some(name), Description: graph.Some(fmt.Sprint(i))}}).Nodes[0]
				if i == 0 {
					first = result.EntityKey
				}
				e.Same(kind+" "+name, first, result.EntityKey)
			}
			e.Same("its name", names[0], e.get("u1", kind, first).Name)
		}
	}
}

// TestRenewLeavesNamesThatAreTaken_slow checks that two nodes whose names have become equal stay two, are reported, and can be
// written.
func TestRenewLeavesNamesThatAreTaken_slow(t *testing.T) {
	e := open(t, testenv.Neo4j(t), graph.Options{})
	e.Write("u1", []graph.NodeWrite{{Kind: "concept", EntityKey: "a", Name: graph.Some("Go")}, {Kind: "concept", EntityKey: "b", Name: graph.Some("x")},
		{Kind: "concept", EntityKey: "c", Name: graph.Some("y")}})
	e.disown("u1")
	e.Raw("MATCH (n:Memory {team_id: $team}) SET n.name = CASE n.entity_key WHEN 'b' THEN 'Go ' WHEN 'c' THEN 'Rust ' ELSE n.name END SET n.natural_key = 'concept\\u001fu1\\u001f' + n.name")
	for range 2 {
		if err := e.Store.Renew(t.Context(), func(int) {}); err != nil {
			t.Fatal(err)
		}
	}
	e.Same("natural keys", "[[concept\x1fu1\x1fGo] [concept\x1fu1\x1fGo ] [concept\x1fu1\x1fRust]]",
		fmt.Sprint(e.Raw(`MATCH (n:Memory {team_id: $team}) RETURN n.natural_key ORDER BY n.entity_key`)))
	e.Write("u1", []graph.NodeWrite{change("concept", "b", described("still written"))})
	found := e.findings(false)
	if len(found) != 1 || found[0].Check != "natural_key" || found[0].Key != "b" {
		t.Errorf("findings: %+v", found)
	}
}
