package graph_test

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"kith/graph"
	"kith/graph/neo"
	"kith/internal/fault"
)

const writers = 16

// atOnce calls do from all writers at the same time.
func atOnce(t *testing.T, do func(i int) error) {
	t.Helper()
	var all errgroup.Group
	start := make(chan struct{})
	for i := range writers {
		all.Go(func() error { <-start; return do(i) })
	}
	close(start)
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
}

func TestOneNaturalKeyIsOneNode(t *testing.T) {
	e := fresh(t)
	keys := make([]string, writers)
	atOnce(t, func(i int) error {
		result, err := e.Store.Write(t.Context(), e.As("u1"), &graph.MemoryWrite{Strict: true, Nodes: []graph.NodeWrite{
			{Kind: "concept", Name: graph.Some("tides"), Description: graph.Some(fmt.Sprint(i))}, {Kind: "person", Name: graph.Some("Ada"), IsOwner: graph.Some(true)},
		}})
		if err == nil {
			keys[i] = result.Nodes[0].EntityKey
		}
		return err
	})
	e.Same("nodes", int64(2), e.Stored()[0])
	slices.Sort(keys)
	e.Same("keys", 1, len(slices.Compact(keys)))
}

func TestOneTripleIsOneRelationship(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{owner1("me"), node("concept", "c", 0.5)})
	atOnce(t, func(i int) error {
		_, err := e.Store.Write(t.Context(), e.As("u1"), &graph.MemoryWrite{Strict: true, Relationships: []graph.RelationshipWrite{
			link("me", "thinks_about", "c", float64(i)/writers),
		}})
		return err
	})
	e.Same("relationships", int64(1), e.Stored()[1])
}

// TestRanksAreExactUnderConcurrency checks contexts after concurrent changes of relationships and nodes. Each node appears once,
// with its strongest relationship, in the order of its present salience.
func TestRanksAreExactUnderConcurrency(t *testing.T) {
	e := fresh(t)
	nodes := []graph.NodeWrite{owner1("me")}
	links := []graph.RelationshipWrite{}
	m := &model{nodes: map[string]*modelNode{"me": {key: "me", kind: "person", user: "u1", owner: true, state: "active"}}}
	const ranked = 3
	for i := range 60 { // with so many relationships a node is dense, and Neo4j does not lock it to add another one
		key := fmt.Sprintf("c-%02d", i)
		nodes = append(nodes, node("concept", key, 0.1))
		links = append(links, link("me", "admires", key, 1))
		for r := range ranked {
			if r != i {
				links = append(links, link(fmt.Sprintf("c-%02d", r), "admires", key, 1))
			}
		}
	}
	e.Write("u1", nodes, links...)
	for round := range 4 * ranked {
		node := fmt.Sprintf("c-%02d", round%ranked)
		m.links = slices.DeleteFunc(m.links, func(l *modelLink) bool { return l.from == node || l.to == node })
		atOnce(t, func(i int) error {
			w := &graph.MemoryWrite{Strict: true}
			switch kind := contextTypes[i%7]; {
			case i >= 12:
				w.Nodes = []graph.NodeWrite{change("concept", node, func(w *graph.NodeWrite) { w.Salience = graph.Some(float64((i*7+round)%20) / 20) })}
			case i%2 == 0:
				w.Relationships = []graph.RelationshipWrite{link("me", kind, node, float64((i*7+round)%20)/20)}
			default:
				w.Relationships = []graph.RelationshipWrite{link(node, kind, "me", float64((i*7+round)%20)/20)}
			}
			_, err := e.Store.Write(t.Context(), e.As("u1"), w)
			return err
		})
		m.nodes[node] = &modelNode{key: node, kind: "concept", user: "u1", state: "active", life: modelLife{value: e.read(node).Salience}}
		for _, row := range e.Raw(`MATCH (a:Memory {team_id: $team, entity_key: 'me'})-[r]-(b:Memory {entity_key: '` + node + `'}) WHERE type(r) <> 'admires'
			RETURN r.key, startNode(r).entity_key, type(r), endNode(r).entity_key, r.salience, r.description`) {
			m.links = append(m.links, &modelLink{
				key: neo.Text(row[0]), from: neo.Text(row[1]), kind: neo.Text(row[2]), to: neo.Text(row[3]), life: modelLife{value: neo.Number(row[4])}, description: neo.Text(row[5]),
			})
		}
		e.Same("relationships", m.relationships("u1", weekAgo), foretold(e.sections("u1")).Relationships)
		for _, row := range e.Raw(`MATCH (:Memory {team_id: $team, entity_key: 'me'})-[r]-(n:Memory {entity_key: '` + node + `'}) WHERE r.owner_key IS NOT NULL
			RETURN r.node_salience = n.salience`) {
			e.Same("the salience that ranks is the node's", true, neo.Bool(row[0]))
		}
	}
}

func TestConcurrentAppendsKeepTheirOrder(t *testing.T) {
	e := fresh(t)
	e.Source("u1", graph.SourceWrite{EntityKey: "s"})
	atOnce(t, func(i int) error {
		_, err := e.Store.AppendMessages(t.Context(), e.As("u1"), "s", []graph.MessageWrite{
			said("", fmt.Sprintf("%02d-a", i)), said(fmt.Sprintf("same-%d", i/2), fmt.Sprintf("same-%d", i/2)), said("", fmt.Sprintf("%02d-b", i)),
		})
		return err
	})
	all := e.messages("s")
	e.Same("messages", writers*5/2, len(all))
	for i := range writers {
		a := slices.Index(all, fmt.Sprintf("%02d-a", i))
		b := slices.Index(all, fmt.Sprintf("%02d-b", i))
		if a < 0 || b <= a || b > a+2 {
			t.Errorf("the messages of writer %d stand at %d and %d", i, a, b)
		}
	}
	e.Same("count", int64(len(all)), e.see("u1", "s").MessageCount)
}

func TestOneSourceOfManyWriters(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{owner1("me"), node("concept", "c", 0.5)}, link("me", "thinks_about", "c", 0.5))
	atOnce(t, func(int) error {
		_, err := e.Store.WriteSource(t.Context(), e.As("u1"), &graph.SourceWrite{EntityKey: "s", Messages: []graph.MessageWrite{said("m", "x")}, Mentions: []string{"c"}})
		return err
	})
	e.Same("messages", []string{"x"}, e.messages("s"))
	e.Same("mentions", int64(1), e.sections("u1").Relationships[0].RecentMentions)
}

// Of many restores of a deleted node one restores it, once. The others find nothing to restore, or that the key is in use.
func TestOneRestoreOfADelete(t *testing.T) {
	t.Run("nothing was deleted before", func(t *testing.T) { restoreAtOnce(t, fresh(t), fault.ErrNotFound) })
	t.Run("an earlier node with the key was deleted", func(t *testing.T) {
		e := fresh(t)
		e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.5)})
		if _, err := e.Store.DeleteNode(t.Context(), e.As("u1"), graph.ConceptKind, "a", 0); err != nil {
			t.Fatal(err)
		}
		restoreAtOnce(t, e, fault.ErrConflict)
	})
}

func restoreAtOnce(t *testing.T, e *env, others error) {
	t.Helper()
	for version := int64(1); version <= 3; version++ {
		if version == 1 {
			e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.5)})
		}
		if _, err := e.Store.DeleteNode(t.Context(), e.As("u1"), graph.ConceptKind, "a", 0); err != nil {
			t.Fatal(err)
		}
		var restored atomic.Int64
		atOnce(t, func(int) error {
			switch n, err := e.Store.RestoreNode(t.Context(), e.As("u1"), graph.ConceptKind, "a"); {
			case err == nil && n.Version != version+1:
				return fmt.Errorf("restored as version %d, not %d", n.Version, version+1)
			case err == nil:
				restored.Add(1)
			case !errors.Is(err, others):
				return err
			}
			return nil
		})
		e.Same("restores", int64(1), restored.Load())
	}
}

// A restore beside a delete of a later node with the key restores that one, or is refused.
func TestRestoreBesideADelete(t *testing.T) {
	e := fresh(t)
	for round := range 15 {
		key := fmt.Sprint("k", round)
		write := func(name string) {
			e.Write("u1", []graph.NodeWrite{change("concept", key, described(name), func(w *graph.NodeWrite) { w.Name = graph.Some(fmt.Sprint(name, round)) })})
		}
		write("old")
		if _, err := e.Store.DeleteNode(t.Context(), e.As("u1"), graph.ConceptKind, key, 0); err != nil {
			t.Fatal(err)
		}
		write("new")
		atOnce(t, func(i int) error {
			if i == 0 {
				_, err := e.Store.DeleteNode(t.Context(), e.As("u1"), graph.ConceptKind, key, 0)
				return err
			}
			switch n, err := e.Store.RestoreNode(t.Context(), e.As("u1"), graph.ConceptKind, key); {
			case err == nil && n.Description != "new":
				return fmt.Errorf("round %d: restored the %s node", round, n.Description)
			case err != nil && !errors.Is(err, fault.ErrNotFound) && !errors.Is(err, fault.ErrConflict):
				return err
			}
			return nil
		})
	}
}

// Of many containments that close a ring together, at least one is refused. They are written before any of them is committed.
func TestContainmentsAtOnceMakeNoRing(t *testing.T) {
	e := fresh(t)
	document := func(i int) string { return fmt.Sprint("d", i%(2*writers)) }
	nodes, links := []graph.NodeWrite{}, []graph.RelationshipWrite{}
	for i := range 2 * writers {
		nodes = append(nodes, graph.NodeWrite{Kind: "document", EntityKey: document(i), Name: graph.Some(document(i))})
		if i%2 == 0 {
			links = append(links, link(document(i), "has_part", document(i+1), 0.5))
		}
	}
	e.Write("u1", nodes, links...)
	commit := openTransaction(t, e, e.Team)
	go func() {
		for e.Context().Err() == nil && e.Raw(`SHOW TRANSACTIONS YIELD status, currentQuery WHERE status STARTS WITH 'Blocked'
			AND currentQuery CONTAINS ':Feed {' RETURN count(*) >= ` + fmt.Sprint(writers))[0][0] == false {
		}
		commit()
	}()
	var refused atomic.Int64
	atOnce(t, func(i int) error {
		result, err := e.Store.Write(t.Context(), e.As("u1"), &graph.MemoryWrite{Relationships: []graph.RelationshipWrite{
			link(document(2*i+1), "has_part", document(2*i+2), 0.5),
		}})
		if err == nil && result.Relationships[0].Status == graph.Refused {
			refused.Add(1)
		}
		return err
	})
	e.Same("refused", int64(1), refused.Load())
}
