package traverse

import (
	"encoding/json"
	"fmt"
	"kith/graph"
	"strings"
	"testing"
)

func rowsTold(table Records, err error) string {
	raw, _ := json.Marshal(table.Rows)
	return fmt.Sprint(string(raw), err)
}

// asksOfTypes are statements about relationships by their types.
var asksOfTypes = []string{
	"MATCH (a:Concept)-[r:mentors]->(b) RETURN a.entity_key, type(r), b.entity_key ORDER BY a.entity_key",
	"MATCH (a:Concept {entity_key: 'b'})-[r:mentors|knows_of|relates_to]-(b) RETURN type(r), b.entity_key ORDER BY b.entity_key",
	"MATCH (a:Concept {entity_key: 'a'})-[r:!mentors]-(b) RETURN type(r), b.entity_key ORDER BY b.entity_key, type(r)",
	"MATCH (a:Concept)-[r:related_to]->(b) RETURN type(r), b.entity_key",
	"MATCH (a:Concept {entity_key: 'a'})-[r:!related_to]-(b) RETURN type(r), b.entity_key ORDER BY b.entity_key, type(r)",
	"MATCH (a:Concept)-[r:%]->(b) RETURN type(r), count(*) ORDER BY type(r)",
	"MATCH (a:Concept)-[r:%&!(mentors|relates_to)]->(b) RETURN type(r), b.entity_key ORDER BY type(r), b.entity_key",
	"MATCH (a:Concept {entity_key: 'a'})-[rs:mentors*1..3]->(b) RETURN b.entity_key, [r IN rs | type(r)] ORDER BY b.entity_key",
	"MATCH p = (a:Concept {entity_key: 'a'})-[:mentors|knows_of*1..3]-(b) RETURN [r IN relationships(p) | type(r)], b.entity_key ORDER BY length(p), b.entity_key",
	"MATCH (a:Concept {entity_key: 'a'})-[:mentors*0..2]->(b)-[:knows_of]->(c) RETURN b.entity_key, c.entity_key",
	"MATCH (a:Concept {entity_key: 'a'})-[r:mentors WHERE r.salience > 0]->{1,3}(b) RETURN b.entity_key ORDER BY b.entity_key",
	"MATCH (a:Concept {entity_key: 'a'})-[:!mentors]->{1,2}(b) RETURN DISTINCT b.entity_key ORDER BY b.entity_key",
	"MATCH (a:Concept {entity_key: 'a'}) ((x)-[r:mentors]->(y)){1,3} (b) RETURN b.entity_key, [q IN r | type(q)] ORDER BY b.entity_key",
	"MATCH p = shortestPath((a:Concept {entity_key: 'a'})-[:mentors|knows_of*..6]->(b:Concept {entity_key: 'd'})) RETURN [r IN relationships(p) | type(r)]",
	"MATCH p = shortestPath((a:Concept {entity_key: 'a'})-[:mentors]->(b:Concept {entity_key: 'b'})) RETURN length(p)",
	"MATCH p = ANY SHORTEST (a:Concept {entity_key: 'a'})-[:mentors|knows_of]->{1,4}(b:Concept {entity_key: 'd'}) RETURN [r IN relationships(p) | type(r)]",
	"MATCH p = SHORTEST 1 (a:Concept {entity_key: 'a'})-[r:mentors]->(b:Concept {entity_key: 'b'}) RETURN [r IN relationships(p) | type(r)]",
	"MATCH p = ALL SHORTEST (a:Concept {entity_key: 'a'}) ((x)-[:mentors|trains]->(y)){1,4} (b:Concept {entity_key: 'd'}) RETURN [r IN relationships(p) | type(r)]",
	"MATCH p = (a:Concept {entity_key: 'a'})-[*1..3]->(b) WHERE all(r IN relationships(p) WHERE type(r) = 'mentors') RETURN b.entity_key ORDER BY b.entity_key",
	"MATCH p = (a:Concept {entity_key: 'a'})-[*1..3]->(b) WHERE none(r IN relationships(p) WHERE r:mentors) RETURN [r IN relationships(p) | type(r)] ORDER BY length(p), b.entity_key",
	"MATCH (a:Concept)-[r]->(b) WHERE type(r) IN $list RETURN type(r), b.entity_key ORDER BY b.entity_key",
	"MATCH (a:Concept)-[r]->(b) WHERE r:!mentors RETURN type(r), b.entity_key ORDER BY type(r), b.entity_key",
	"MATCH (a:Concept)-[r]->(b) WITH type(r) AS t, count(*) AS n WHERE t <> 'mentors' RETURN t, n ORDER BY t",
	"MATCH (a:Concept {entity_key: 'a'}) RETURN [(a)-[r:mentors]->(x) | type(r) + x.entity_key], size([(a)-[:knows_of]->() | 1]), COUNT { (a)-[:mentors]->() }",
	"MATCH (a:Concept) WHERE EXISTS { (a)-[:mentors]->(:Concept) } RETURN a.entity_key ORDER BY a.entity_key",
	"MATCH (a:Concept) OPTIONAL MATCH (a)-[r:mentors]->(b) RETURN a.entity_key, type(r), b.entity_key ORDER BY a.entity_key",
	"MATCH (a:Concept)-[r]->(b) WITH r MATCH (x)-[r:mentors]->(y) RETURN x.entity_key, type(r) ORDER BY x.entity_key",
	"MATCH (a:Concept)-[r:mentors {salience: 0.5}]->(b) RETURN r {.salience, t: type(r)}, 'type_word' IN keys(r), 'type_word' IN keys(properties(r)) ORDER BY b.entity_key",
	"MATCH p = (a:Concept {entity_key: 'a'})-[:mentors*1..2]->(b) RETURN type(last(relationships(p))), type(relationships(p)[0]), type(null) ORDER BY length(p)",
	"MATCH (a:Concept)-[r:no_such_word]->(b) RETURN count(*)",
}

// A statement that names a word returns the same rows as one that names a type of the vocabulary.
func TestCypherReadsWordsAsTypes(t *testing.T) {
	e := fresh(t)
	instead := strings.NewReplacer("mentors", "involves", "knows_of", "depends_on", "trains", "supports_goal")
	back := strings.NewReplacer("involves", "mentors", "depends_on", "knows_of", "supports_goal", "trains")
	fill := func(e *env, name func(string) string) {
		e.Write("u", []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5), node("concept", "c", 0.5), node("concept", "d", 0.5)},
			link("a", name("mentors"), "b", 0.5), link("b", name("mentors"), "c", 0.5), link("c", name("knows_of"), "d", 0.5),
			link("b", name("trains"), "d", 0.5), link("a", "related_to", "c", 0.5), link("a", "relates_to", "d", 0.5))
	}
	fill(e, func(s string) string { return s })
	other := e.neighbour()
	fill(other, instead.Replace)
	list := map[string]any{"list": []any{"mentors", "knows_of"}}
	listed := map[string]any{"list": []any{"involves", "depends_on"}}
	for _, statement := range asksOfTypes {
		table, err := e.ask(statement, list)
		want, wrong := other.ask(instead.Replace(statement), listed)
		if wrong != nil {
			t.Errorf("%s: %v", statement, wrong)
		}
		if got := rowsTold(table, err); got != back.Replace(rowsTold(want, wrong)) {
			t.Errorf("%s\nwords: %s\ntypes: %s", statement, got, back.Replace(rowsTold(want, wrong)))
		}
	}
	if _, err := e.ask("MATCH ()-[r:mentors]->() RETURN r.type_word", nil); err == nil {
		t.Error("type_word may be read")
	}
	table, err := e.ask("MATCH (:Concept {entity_key: 'a'})-[r:mentors]->() RETURN r.relationship_type, r", nil)
	if told := rowsTold(table, err); !strings.Contains(told, `["mentors",{`) || !strings.Contains(told, `"type":"mentors"`) || strings.Contains(told,
		"related_to") {
		t.Error(told)
	}
}
