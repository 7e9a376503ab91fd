package graph_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"kith/graph"
	"kith/graph/searchscope"
	"kith/internal/fault"
	"kith/memory/traverse"
	"kith/tests/graphtest"
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
	e.Write("u", []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5), node("concept", "c", 0.5)},
		link("a", "mentors", "b", 0.5), link("a", "knows_of", "b", 0.5), link("a", "related_to", "b", 0.5), link("a", "relates_to", "b", 0.5), given)
	e.Same("between a and b", [][]any{
		{"related_to", "mentors", "mentors"}, {"related_to", "knows_of", "knows_of"}, {"related_to", nil, nil}, {"relates_to", nil, nil},
	}, e.relationships("a", "b", "type(r), r.type_word, r.relationship_type"))
	e.Same("with a word of the caller's", [][]any{{"related_to", "mentors", "coaching"}}, e.relationships("a", "c", "type(r), r.type_word, r.relationship_type"))
	again := link("a", "mentors", "b", 0.6)
	again.RelationshipType = graph.Null[string]()
	e.Same("again", []graph.Status{graph.Updated, graph.Unchanged, graph.Updated}, statuses(e.Write("u", nil, again, link("a", "knows_of", "b", 0.5), link("a", "related_to", "b", 0.7))))
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
	e.Write("u", nil, link("a", "taken", "b", 0.5))
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
		e.Write("u", []graph.NodeWrite{node("concept", fmt.Sprint("x", i), 0.5), node("concept", fmt.Sprint("y", i), 0.5)})
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
	e.Write("u", []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5), node("concept", "c", 0.5), node("concept", "d", 0.5)})
	var wait sync.WaitGroup
	for _, ends := range []string{"ab", "cd"} {
		wait.Go(func() { e.Write("u", nil, link(ends[:1], "racing", ends[1:], 0.5)) })
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
		  valid_from: datetime('2026-01-01'), recorded_at: datetime('2026-01-01'), updated_at: datetime('2026-01-01'), search_scope: '` + searchscope.Relationship(e.Team, "u", kind) + `'}]->(b)`)
}

// walked returns the nodes that the outgoing relationships of a type lead to.
func (e *env) walked(key, kind string) string {
	e.Helper()
	found, err := e.walks().Around(e.Context(), e.As("u"), traverse.Walk{Outgoing: true, Types: []string{kind}}, []string{key}, nil, 100, e.Now)
	if err != nil {
		e.Fatal(err)
	}
	var to []string
	for _, l := range found[0].Links {
		to = append(to, l.To)
	}
	return strings.Join(to, " ")
}

// asked returns the rows of a caller's statement as JSON.
func (e *env) asked(text string) string {
	e.Helper()
	table, _, err := e.walks().Cypher(e.Context(), e.As("u"), text, nil)
	if err != nil {
		e.Fatal(err)
	}
	raw, _ := json.Marshal(table.Rows)
	return string(raw)
}

// olderTypes checks that types of earlier versions can still be read by name, changed and deleted, and that new relationships do not get
// them.
func olderTypes(t *testing.T, e *env) {
	e.Team += "-types"
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
	e.Same("walked", "b", e.walked("a", "of_old"))
	e.finds("u", "lantern", "a of_old b")
	e.Same("asked", `[["of_old","b"]]`, e.asked("MATCH (a:Concept)-[r:of_old]->(b) WHERE type(r) = 'of_old' RETURN type(r), b.entity_key"))

	changed := link("a", "of_old", "b", 0.9)
	changed.Description = graph.Some("changed")
	e.Same("changed", []graph.Status{graph.Updated}, statuses(e.Write("u", nil, changed)))
	e.Write("u", nil, link("b", "of_old", "a", 0.5))
	e.Same("and one more", [][]any{{"related_to", "of_old"}}, e.relationships("b", "a", "type(r), r.type_word"))
	e.Same("still one", [][]any{{"of_old", nil, "changed"}}, e.relationships("a", "b", "type(r), r.type_word, r.description"))
	e.Same("both", `[["of_old","a"],["of_old","b"]]`, e.asked("MATCH (a:Concept)-[r:of_old]->(b) RETURN type(r), b.entity_key ORDER BY b.entity_key"))

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
	before := e.Stored()
	if _, err := e.Store.DeleteRelationship(t.Context(), e.As("u"), key, 0); err != nil {
		t.Fatal(err)
	}
	view, err := e.Store.RestoreRelationship(t.Context(), e.As("u"), key)
	e.Same("restored", []any{nil, "mentors", ""}, []any{err, view.Type, view.RelationshipType})
	before[2] = before[2].(int64) + 1 // when it was restored
	e.Same("as it was", before, e.Stored())
	if _, err := e.Store.DeleteRelationship(t.Context(), e.As("u"), key, 0); err != nil {
		t.Fatal(err)
	}
	e.Write("u", nil, link("a", "mentors", "b", 0.5))
	if _, err := e.Store.RestoreRelationship(t.Context(), e.As("u"), key); err == nil {
		t.Error("it came back beside another one of its type")
	}
}
