package graph_test

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"time"

	"kith/cypher"
	"kith/graph"
	"kith/graph/neo"
)

// linked gives a shared node relationships to so many private nodes of a user in each direction, one in ten of which have ended, and one from
// the user's owner. One more node of another user is linked with it.
func (p *passing) linked(key, user string, degree int) {
	p.Helper()
	p.Write(user, []graph.NodeWrite{node("concept", key, 0.5, shared)})
	for start := 0; start < degree; start += 1000 {
		var nodes []graph.NodeWrite
		var links []graph.RelationshipWrite
		for i := start; i < min(start+1000, degree); i++ {
			other := fmt.Sprintf("%s-%d", key, i)
			nodes = append(nodes, node("concept", other, 0.5))
			l := link(key, "relates_to", other, float64(i%89)/100)
			if i%2 == 1 {
				l.From, l.To = l.To, l.From
			}
			if i%10 == 0 {
				l.ValidFrom, l.ValidTo = graph.Some(p.Now.Add(-2*time.Hour)), graph.Some(p.Now.Add(-time.Hour))
			}
			links = append(links, l)
		}
		p.Write(user, nodes, links...)
	}
	p.Write(user, nil, link("me", "thinks_about", key, 0.5))
	p.Write("u2", []graph.NodeWrite{node("concept", key+"-hidden", 0.5)}, link(key, "relates_to", key+"-hidden", 1))
}

// listed returns the keys of all pages of a list of relationships of a node.
func (p *passing) listed(key string, l graph.RelationshipList) (keys []string) {
	p.Helper()
	l.Kind, l.Key = graph.ConceptKind, key
	for {
		page, err := p.Store.Relationships(p.Context(), p.As("u1"), l)
		if err != nil {
			p.Fatal(err)
		}
		if int64(len(page.Relationships)) > l.Limit {
			p.Errorf("%d on a page of %d", len(page.Relationships), l.Limit)
		}
		for i := range page.Relationships {
			keys = append(keys, page.Relationships[i].Key)
		}
		if l.Cursor = page.Next; l.Cursor == "" {
			return keys
		}
	}
}

// hubReads returns what reads of a node's relationships find.
func (p *passing) hubReads(key string) (found [][]string) {
	p.Helper()
	for _, limit := range []int64{37, 1000} {
		for _, l := range []graph.RelationshipList{
			{}, {Direction: "outgoing"}, {Direction: "incoming"}, {Past: true}, {Types: []string{"relates_to"}}, {Types: []string{"thinks_about", "involves"}},
		} {
			l.Limit = limit
			found = append(found, p.listed(key, l))
		}
	}
	for _, n := range []int64{1, 10, 100} {
		view, err := p.Store.Node(p.Context(), p.As("u1"), graph.ConceptKind, key, graph.NodeQuery{Relationships: n})
		if err != nil {
			p.Fatal(err)
		}
		var keys []string
		for i := range view.Relationships {
			keys = append(keys, view.Relationships[i].Key)
		}
		found = append(found, keys)
	}
	return found
}

// pass runs a pass over the team.
func (p *passing) pass() {
	p.Helper()
	p.lease(p.Team[:len(p.Team)-1], "")
	p.Same("a pass", true, p.passed(p.process(graph.MaintenanceOptions{Every: graph.Day})))
}

// TestAHubReadsAsAnyNode_slow compares what is read of a node before and after it is a hub, and what is written, moved and deleted after that.
func TestAHubReadsAsAnyNode_slow(t *testing.T) {
	p := pass(t)
	p.Write("u1", []graph.NodeWrite{owner1("me")})
	p.linked("hub", "u1", 1200)
	types := `MATCH (n:Memory {team_id: $team, entity_key: 'hub'}) RETURN n.hub_types`
	p.Same("types before", [][]any{{nil}}, p.Raw(types))
	before := p.hubReads("hub")
	p.pass()
	p.Same("types", [][]any{{[]any{"relates_to"}}}, p.Raw(types))
	p.Same("reads of a hub", before, p.hubReads("hub"))

	for _, step := range []struct {
		name string
		do   func()
	}{
		{"a write", func() {
			p.Write("u1", []graph.NodeWrite{node("concept", "fresh", 0.5)}, link("hub", "relates_to", "fresh", 0.99), link("hub", "involves", "fresh", 0.98))
		}},
		{"a delete", func() { p.Remove("u1", "concept", "hub-17") }},
		{"a merge", func() {
			p.Write("u1", []graph.NodeWrite{node("concept", "one", 0.5), node("concept", "other", 0.5)}, link("one", "relates_to", "hub", 0.97), link("hub", "relates_to", "other", 0.96))
			if _, err := p.Store.MergeNodes(p.Context(), p.As("u1"), graph.ConceptKind, "one", graph.MergeWrite{Other: "other"}); err != nil {
				p.Fatal(err)
			}
		}},
	} {
		step.do()
		found := p.hubReads("hub")
		p.Raw(`MATCH (n:Memory {team_id: $team, entity_key: 'hub'}) SET n.hub_types = null`)
		p.Same("after "+step.name, p.hubReads("hub"), found)
		p.Raw(`MATCH (n:Memory {team_id: $team, entity_key: 'hub'}) SET n.hub_types = ['relates_to']`)
	}
}

// TestAHubCostsAPage counts the database hits of reading a node, a page of its relationships, and ranking it again.
func TestAHubCostsAPage(t *testing.T) {
	p := pass(t)
	p.Write("u1", []graph.NodeWrite{owner1("me")})
	p.linked("small", "u1", 200)
	p.linked("large", "u1", 4000)
	p.pass()
	few, many := p.hubHits("small"), p.hubHits("large")
	p.Logf("database hits of 200 relationships: %v, of 4,000: %v", few, many)
	for name, hits := range many {
		if hits == 0 || hits > 2*few[name] {
			p.Errorf("%s: %d hits of 4,000 relationships, %d of 200", name, hits, few[name])
		}
	}
	for _, key := range []string{"small", "large"} {
		p.Write("", []graph.NodeWrite{{Kind: "concept", EntityKey: key, Salience: graph.Some(0.77)}})
		p.Same("the rank of "+key, [][]any{{0.77, "me"}}, p.Raw(`MATCH (:Person {team_id: $team})-[r:thinks_about]->(n:Memory {entity_key: '`+key+`'}) RETURN r.node_salience, r.owner_key`))
	}
}

// hubHits returns the database hits of the statements that read a node with its strongest relationships and a page of them, and that rank
// it in contexts.
func (p *passing) hubHits(key string) map[string]int64 {
	p.Helper()
	others := []string{"thinks_about", "involves"}
	run := func(queries ...cypher.Query) (hits int64) {
		for i, q := range queries {
			params := p.params(q)
			maps.Copy(params, map[string]any{
				"user_id": "u1", "entity_key": key, "label": "Concept", "now": p.Now, "now_ms": p.Now.UnixMilli(), "as_of": nil, "limit": 20, "walk": 20, "after": "",
				"types": nil, "past": false, "outgoing": true, "incoming": true, "rest": i > 0, "pairs": []any{}, "entity_keys": []any{}, "node_keys": []string{key},
			})
			neo.PlanOf(p.summary("PROFILE ", q, params).Profile()).Each(func(o neo.Operator) { hits += o.Hits })
		}
		return hits
	}
	of := func(name string) []cypher.Query {
		q := cypher.Load(name)
		all := []cypher.Query{cypher.OfTypesBut(q, "")}
		if hub := map[string]string{"node_get": "hub_strongest", "node_relationships": "hub_relationships"}[name]; p.isHub(key) {
			all = append(all, cypher.OfTypes(q, others), cypher.ForTypes(cypher.Load(hub), []string{"relates_to"}))
		}
		return all
	}
	return map[string]int64{"node": run(of("node_get")...), "page": run(of("node_relationships")...), "rank": run(cypher.Load("relationship_rank"))}
}

func (p *passing) isHub(key string) bool {
	return len(p.Raw(`MATCH (n:Memory {team_id: $team, entity_key: '`+key+`'}) WHERE n.hub_types IS NOT NULL RETURN 1`)) > 0
}

// TestANodeThatGrowsIsAHubAtOnce lets a process make a hub of a node to which it adds relationships while another one holds the lease of
// the pass.
func TestANodeThatGrowsIsAHubAtOnce(t *testing.T) {
	p := pass(t)
	p.Raw(`MATCH (l:Lease {name: $team}) SET l.holder = 'another', l.until = datetime() + duration('P1D')`)
	ended := make(chan error)
	ctx, stop := context.WithCancel(p.Context())
	go func() { ended <- p.process(graph.MaintenanceOptions{}).Run(ctx) }()
	p.Write("u1", []graph.NodeWrite{owner1("me")})
	p.linked("grown", "u1", 1200)
	types := `MATCH (n:Memory {team_id: $team, entity_key: 'grown'}) RETURN n.hub_types`
	for p.Raw(types)[0][0] == nil {
		select {
		case <-t.Context().Done():
			t.Fatal("it did not become a hub")
		case <-time.After(10 * time.Millisecond):
		}
	}
	p.Same("types", [][]any{{[]any{"relates_to"}}}, p.Raw(types))
	p.Same("without a mark", [][]any{{int64(0)}}, p.Raw(`MATCH (n:Memory {team_id: $team, entity_key: 'grown'})-[r]-() WHERE r.hub_from IS NULL AND r.hub_to IS NULL RETURN count(r)`))
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}
