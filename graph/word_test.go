package graph_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"kith/graph"
	"kith/graph/graphtest"
	"kith/internal/fault"
)

// nthWord returns the n-th word of a test.
func nthWord(n int) string { return fmt.Sprintf("word_%02d", n) }

// pair writes two concepts and relationships of some types between them.
func (e *env) pair(types ...string) graph.MemoryResult {
	e.Helper()
	w := &graph.MemoryWrite{UserID: "u", Nodes: []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)}}
	for _, kind := range types {
		w.Relationships = append(w.Relationships, link("a", kind, "b", 0.5))
	}
	result, err := e.Store.Write(e.Context(), e.As("u"), w)
	if err != nil {
		e.Fatal(err)
	}
	return result
}

// schemaSize returns how many relationship types and indexes the database has.
func (e *env) schemaSize() [][]any {
	e.Helper()
	return append(e.Raw(`CALL db.relationshipTypes() YIELD relationshipType RETURN count(*)`), e.Raw(`SHOW INDEXES YIELD name RETURN count(*)`)...)
}

func TestWordsAreStoredAsRelated(t *testing.T) {
	e := fresh(t)
	given := link("a", "mentors", "c", 0.5)
	given.RelationshipType = graph.Some("coaching")
	e.write("u", []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5), node("concept", "c", 0.5)},
		link("a", "mentors", "b", 0.5), link("a", "knows_of", "b", 0.5), link("a", "related_to", "b", 0.5), link("a", "relates_to", "b", 0.5), given)
	e.Same("between a and b", [][]any{
		{"related_to", "mentors", "mentors"}, {"related_to", "knows_of", "knows_of"}, {"related_to", nil, nil}, {"relates_to", nil, nil},
	}, e.relationships("a", "b", "type(r), r.type_word, r.relationship_type"))
	e.Same("with a word of the caller's", [][]any{{"related_to", "mentors", "coaching"}}, e.relationships("a", "c", "type(r), r.type_word, r.relationship_type"))
	again := link("a", "mentors", "b", 0.6)
	again.RelationshipType = graph.Null[string]()
	e.Same("again", []graph.Status{graph.Updated, graph.Unchanged, graph.Updated}, statuses(e.write("u", nil, again, link("a", "knows_of", "b", 0.5), link("a", "related_to", "b", 0.7))))
	e.Same("still", [][]any{{"mentors", "mentors", 0.6}, {"knows_of", "knows_of", 0.5}, {nil, nil, 0.7}, {nil, nil, 0.5}},
		e.relationships("a", "b", "r.type_word, r.relationship_type, r.salience"))
	e.Same("words", [][]any{{[]any{"mentors", "knows_of"}}}, e.Raw(`MATCH (w:TypeWords {team_id: $team}) RETURN w.words`))
}

// A team has 32 words of its own, independent of other teams, and no word creates a type or an index.
func TestWordsOfATeam(t *testing.T) {
	e := alone(t)
	e.pair("relates_to", "related_to")
	size := e.schemaSize()
	var all []string
	for i := range graph.MaxWords {
		all = append(all, nthWord(i))
	}
	e.Same("as many as may be", slices.Repeat([]graph.Status{graph.Created}, graph.MaxWords), linkStatuses(e.pair(all...)))
	beside := e.neighbour()
	result := e.pair("word_33", "word_05", "relates_to", "word_34", "mentors")
	e.Same("beyond", []graph.Status{graph.Refused, graph.Unchanged, graph.Unchanged, graph.Refused, graph.Refused}, linkStatuses(result))
	e.Same("places", []string{"relationships[0].type", "relationships[3].type", "relationships[4].type"}, places(result.Refused))
	if m := result.Refused[0].Message; !strings.Contains(m, "32 relationship types of its own") || !strings.Contains(m, "related_to") {
		t.Errorf("refused with %q", m)
	}
	_, err := e.Store.Write(t.Context(), e.As("u"), &graph.MemoryWrite{Strict: true, Relationships: []graph.RelationshipWrite{link("a", "word_33", "b", 1)}})
	e.Same("strict", []string{"relationships[0].type"}, graphtest.Locations(err))
	e.Same("a team beside", []graph.Status{graph.Created, graph.Created}, linkStatuses(beside.pair("word_33", "mentors")))
	e.Same("and again here", []graph.Status{graph.Refused, graph.Refused}, linkStatuses(e.pair("word_33", "mentors")))
	more := e.neighbour()
	for i := range graph.MaxWords {
		all[i] = "more_" + all[i]
	}
	more.pair(all...)
	e.Same("types and indexes", size, e.schemaSize())
}

// linkStatuses returns the statuses of the relationships of a write.
func linkStatuses(r graph.MemoryResult) (all []graph.Status) {
	for i := range r.Relationships {
		all = append(all, r.Relationships[i].Status)
	}
	return all
}

func places(all []fault.FieldError) (at []string) {
	for _, f := range all {
		at = append(at, f.Path.String())
	}
	return at
}

// Refused or rolled back relationships take no place.
func TestRefusedWordsTakeNoPlace(t *testing.T) {
	e := fresh(t)
	e.pair()
	e.write("u", nil, link("a", "taken", "b", 0.5))
	missing := &graph.MemoryWrite{Relationships: []graph.RelationshipWrite{link("a", "wrong", "nobody", 0.5)}}
	if _, err := e.Store.Write(t.Context(), e.As("u"), missing); err != nil {
		t.Fatal(err)
	}
	strict := &graph.MemoryWrite{Strict: true, Relationships: []graph.RelationshipWrite{link("a", "fine", "b", 0.5), link("a", "wrong", "nobody", 0.5)}}
	if _, err := e.Store.Write(t.Context(), e.As("u"), strict); err == nil {
		t.Error("a strict write with a wrong item is stored")
	}
	e.Same("words", [][]any{{[]any{"taken"}}}, e.Raw(`MATCH (w:TypeWords {team_id: $team}) RETURN w.words`))
}

// Concurrent writers do not exceed the number of words.
func TestWordsOfWritersAtOnce(t *testing.T) {
	e := fresh(t)
	e.pair()
	const writers = 6
	var all []string
	for i := range graph.MaxWords - 2 {
		all = append(all, nthWord(i))
	}
	e.pair(all...)
	for i := range writers {
		e.write("u", []graph.NodeWrite{node("concept", fmt.Sprint("x", i), 0.5), node("concept", fmt.Sprint("y", i), 0.5)})
	}
	var wait sync.WaitGroup
	results := make([]graph.MemoryResult, writers)
	for i := range writers {
		wait.Go(func() {
			w := &graph.MemoryWrite{Relationships: []graph.RelationshipWrite{link(fmt.Sprint("x", i), fmt.Sprint("racing_", i), fmt.Sprint("y", i), 0.5)}}
			var err error
			if results[i], err = e.Store.Write(t.Context(), e.As("u"), w); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	created := 0
	for _, r := range results {
		if r.Relationships[0].Status == graph.Created {
			created++
		}
	}
	e.Same("created", 2, created)
	e.Same("words", [][]any{{int64(graph.MaxWords), int64(graph.MaxWords)}}, e.Raw(`MATCH (w:TypeWords {team_id: $team})
		RETURN size(w.words), COUNT { MATCH (:Memory {team_id: $team})-[r:related_to]->() RETURN DISTINCT r.type_word }`))
}

// Concurrent writers of one word use one place.
func TestOneWordOfWritersAtOnce(t *testing.T) {
	e := fresh(t)
	e.write("u", []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5), node("concept", "c", 0.5), node("concept", "d", 0.5)})
	var wait sync.WaitGroup
	for _, ends := range []string{"ab", "cd"} {
		wait.Go(func() { e.write("u", nil, link(ends[:1], "racing", ends[1:], 0.5)) })
	}
	wait.Wait()
	e.Same("words", [][]any{{[]any{"racing"}}}, e.Raw(`MATCH (w:TypeWords {team_id: $team}) RETURN w.words`))
}

// olderType creates a relationship as an earlier version did: with a type of its own, which has its indexes.
func (e *env) olderType(from, kind, to string) {
	e.Helper()
	e.Raw("CREATE FULLTEXT INDEX relationship_words_" + kind + " IF NOT EXISTS FOR ()-[r:" + kind + "]-() ON EACH [r.search_scope, r.description, r.relationship_type, r.notes]" +
		" OPTIONS {indexConfig: {`fulltext.analyzer`: 'english'}}")
	e.Raw("CREATE INDEX relationship_key_" + kind + " IF NOT EXISTS FOR ()-[r:" + kind + "]-() ON (r.team_id, r.key)")
	e.Raw(`CALL db.awaitIndexes(300)`)
	e.Raw(`MATCH (a:Memory {team_id: $team, entity_key: '` + from + `'}), (b:Memory {team_id: $team, entity_key: '` + to + `'})
		CREATE (a)-[:` + kind + ` {team_id: $team, user_id: 'u', key: $team + 'old', description: 'a lantern of old', salience: 0.5, confidence: 0.8, state: 'candidate', version: 1,
		  valid_from: datetime('2026-01-01'), recorded_at: datetime('2026-01-01'), updated_at: datetime('2026-01-01'), search_scope: '` + graph.RelationshipScope(e.Team, "u", kind) + `'}]->(b)`)
}

// Types of earlier versions can still be read by name, changed and deleted, and new relationships do not get them.
func TestTypesOfEarlierVersions(t *testing.T) {
	e := alone(t)
	e.pair()
	e.olderType("a", "of_old", "b")
	if err := e.Store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	key := e.Team + "old"
	e.Same("its own index", 0, len(e.Raw(`SHOW INDEXES YIELD name WHERE name = 'relationship_words_of_old' RETURN name`)))
	e.Same("read", "of_old", e.relationship("u", key).Type)
	listed, err := e.Store.Relationships(t.Context(), e.As("u"), graph.RelationshipList{Kind: graph.ConceptKind, Key: "a", Types: []string{"of_old"}, Limit: 5})
	e.Same("listed", []any{nil, 1}, []any{err, len(listed.Relationships)})
	e.Same("walked", "a>!b", e.around("u", graph.Walk{Outgoing: true, Types: []string{"of_old"}}, nil, "a"))
	e.finds("u", "lantern", "a of_old b")
	table, err := e.ask("MATCH (a:Concept)-[r:of_old]->(b) WHERE type(r) = 'of_old' RETURN type(r), b.entity_key", nil)
	e.Same("asked", `[["of_old","b"]]<nil>`, rowsTold(table, err))

	changed := link("a", "of_old", "b", 0.9)
	changed.Description = graph.Some("changed")
	e.Same("changed", []graph.Status{graph.Updated}, statuses(e.write("u", nil, changed)))
	e.write("u", nil, link("b", "of_old", "a", 0.5))
	e.Same("and one more", [][]any{{"related_to", "of_old"}}, e.relationships("b", "a", "type(r), r.type_word"))
	e.Same("still one", [][]any{{"of_old", nil, "changed"}}, e.relationships("a", "b", "type(r), r.type_word, r.description"))
	table, err = e.ask("MATCH (a:Concept)-[r:of_old]->(b) RETURN type(r), b.entity_key ORDER BY b.entity_key", nil)
	e.Same("both", `[["of_old","a"],["of_old","b"]]<nil>`, rowsTold(table, err))

	if _, err := e.Store.DeleteRelationship(t.Context(), e.As("u"), key, 0); err != nil {
		t.Fatal(err)
	}
	back, err := e.Store.RestoreRelationship(t.Context(), e.As("u"), key)
	e.Same("restored", []any{nil, "of_old"}, []any{err, back.Type})
}

// A relationship with a word is restored as it was, unless another one with the word took its place.
func TestWordsAreRestored(t *testing.T) {
	e := fresh(t)
	key := e.pair("mentors", "knows_of").Relationships[0].Key
	before := e.stored()
	if _, err := e.Store.DeleteRelationship(t.Context(), e.As("u"), key, 0); err != nil {
		t.Fatal(err)
	}
	view, err := e.Store.RestoreRelationship(t.Context(), e.As("u"), key)
	e.Same("restored", []any{nil, "mentors", ""}, []any{err, view.Type, view.RelationshipType})
	e.Same("as it was", before, e.stored())
	if _, err := e.Store.DeleteRelationship(t.Context(), e.As("u"), key, 0); err != nil {
		t.Fatal(err)
	}
	e.write("u", nil, link("a", "mentors", "b", 0.5))
	if _, err := e.Store.RestoreRelationship(t.Context(), e.As("u"), key); err == nil {
		t.Error("it came back beside another one of its type")
	}
}

func rowsTold(table graph.Table, err error) string {
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
		e.write("u", []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5), node("concept", "c", 0.5), node("concept", "d", 0.5)},
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
