package graph_test

import (
	"fmt"
	"testing"
	"time"

	"kith/graph"
)

// qualified returns a relationship of a to b.
func qualified(kind, qualifier, word string) graph.RelationshipWrite {
	w := graph.RelationshipWrite{From: "a", Type: kind, To: "b", Qualifier: qualifier, Description: graph.Some(kind + " " + qualifier)}
	if word != "" {
		w.RelationshipType = graph.Some(word)
	}
	return w
}

// Relationships of one type with other qualifiers are several, current at the same time, wherever relationships are written and read.
func TestQualifiersKeepRelationshipsApart(t *testing.T) {
	e := fresh(t)
	nodes := []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)}
	all := []graph.RelationshipWrite{
		qualified("related_to", "居住于", "居住于"), qualified("related_to", "工作于", "工作于"), qualified("related_to", "", ""), qualified("knows", "knows!", "knows!"), qualified("knows", "knows?", "knows?"),
	}
	first := e.Write("u1", nodes, all...)
	again := e.Write("u1", nodes, all...)
	keys := map[string]bool{}
	for i := range all {
		keys[first.Relationships[i].Key] = true
		if first.Relationships[i].Status != graph.Created || again.Relationships[i].Status != graph.Unchanged || again.Relationships[i].Key != first.Relationships[i].Key {
			t.Errorf("%q: %+v, again %+v", all[i].Qualifier, first.Relationships[i], again.Relationships[i])
		}
	}
	e.Same("keys", len(all), len(keys))
	changed := qualified("related_to", "工作于", "工作于")
	changed.Contradicts, changed.Description = true, graph.Some("another")
	next := e.Write("u1", nil, changed)
	e.Same("closed", first.Relationships[1].Key, next.Relationships[0].Closed)
	e.Same("current", 5, len(e.Raw(`MATCH (:Memory {team_id: $team, entity_key: 'a'})-[r]->() WHERE r.valid_to IS NULL RETURN r.key`)))

	named := e.Write("u1", nil, graph.RelationshipWrite{From: "a", Type: "related_to", To: "b", RelationshipType: graph.Some("居住于")})
	e.Same("the one without a qualifier comes first", first.Relationships[2].Key, named.Relationships[0].Key)
}

// A write without a qualifier changes the only one of its type, and of related_to the one with its relationship_type.
func TestTheOnlyQualifierMayBeOmitted(t *testing.T) {
	e := fresh(t)
	nodes := []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)}
	first := e.Write("u1", nodes, qualified("works_at", "f-1", "WORKS_AT"), qualified("related_to", "居住于", "居住于"), qualified("knows", "f-2", ""), qualified("knows", "f-3", ""))
	key := func(i int) string { return first.Relationships[i].Key }
	e.Now = e.Now.Add(time.Hour)
	written := e.Write("u1", nil, qualified("works_at", "", ""), qualified("related_to", "", "居住于"), qualified("knows", "", ""))
	e.Same("the only one", key(0), written.Relationships[0].Key)
	e.Same("by its word", key(1), written.Relationships[1].Key)
	e.Same("one of several", graph.Created, written.Relationships[2].Status)
	plain := e.Write("u1", nil, qualified("related_to", "", "工作于"))
	e.Same("another word", graph.Created, plain.Relationships[0].Status)
	ended := e.Write("u1", nil, graph.RelationshipWrite{From: "a", Type: "works_at", To: "b", ValidTo: graph.Some(e.Now.Add(-time.Minute))})
	e.Same("ended", key(0), ended.Relationships[0].Key)
}

// An import keeps the types of another system in any number, and several facts of one type. A caller may define only some.
func TestAnImportHasAnyNumberOfTypes(t *testing.T) {
	e := fresh(t)
	b := &graph.RestoreBatch{Nodes: []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)}}
	for i := range graph.MaxWords + 20 {
		b.Relationships = append(b.Relationships, qualified(fmt.Sprint("word_", i), "", ""))
	}
	restore := func() (created, unchanged int) {
		result, err := e.Store.Restore(t.Context(), e.As("u1"), b, graph.ImportMark{}, func(graph.MemoryResult) string { return "" }, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range result.Relationships {
			switch r.Status {
			case graph.Created:
				created++
			case graph.Unchanged:
				unchanged++
			}
		}
		return created, unchanged
	}
	created, _ := restore()
	_, unchanged := restore()
	e.Same("created, and unchanged when imported again", []int{len(b.Relationships), len(b.Relationships)}, []int{created, unchanged})
	refused, err := e.Store.Write(t.Context(), e.As("u1"), &graph.MemoryWrite{Relationships: []graph.RelationshipWrite{qualified("one_more", "", "")}})
	if err != nil {
		t.Fatal(err)
	}
	e.Same("a caller's", graph.Refused, refused.Relationships[0].Status)
	known := e.Write("u1", nil, qualified(fmt.Sprint("word_", graph.MaxWords+5), "", ""))
	e.Same("a caller's of an imported one", graph.Unchanged, known.Relationships[0].Status)
}
