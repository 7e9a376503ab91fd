package explore

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kith/graph"
	"kith/graph/neo"
	"kith/memory/erasure"
	"kith/tests/testenv"
)

// beside is a store with one memory in two teams: what others store comes beside only one of them.
type beside struct {
	*testing.T
	store  *graph.Store
	teams  [2]string
	words  *rand.Rand
	others *rand.Rand
}

func newBeside(t *testing.T) *beside {
	t.Helper()
	db := testenv.Neo4j(t)
	store, err := graph.Open(neo.Connection{URI: db.URI, User: db.User, Password: db.Password, Database: db.Database}, graph.Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close(t.Context()) })
	if err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	b := &beside{T: t, store: store, words: rand.New(rand.NewPCG(1, 2)), others: rand.New(rand.NewPCG(3, 4))}
	for i := range b.teams {
		b.teams[i] = testenv.Team(t)
	}
	return b
}

// vocabulary has words of like spelling, more of them than Lucene's fuzzy search takes from an index.
func vocabulary(r *rand.Rand) string {
	if r.IntN(3) == 0 {
		return []string{"lantern", "harbours", "mending", "brass", "winter", "keeper"}[r.IntN(6)]
	}
	letters := []rune("lantern")
	letters[r.IntN(len(letters))] = rune('a' + r.IntN(26))
	return string(letters)
}

func sentence(r *rand.Rand, words int) string {
	all := make([]string, words)
	for i := range all {
		all[i] = vocabulary(r)
	}
	return strings.Join(all, " ")
}

func (b *beside) write(scope graph.Scope, w *graph.MemoryWrite) {
	b.Helper()
	w.Strict = true
	if _, err := b.store.Write(b.Context(), scope, w); err != nil {
		b.Fatal(err)
	}
}

// memory writes so many of each sort for a user: nodes, relationships, sources and messages.
func (b *beside) memory(scope graph.Scope, r *rand.Rand, count, length int) {
	b.Helper()
	w, key := &graph.MemoryWrite{}, func(i int) string { return fmt.Sprintf("%s-%d", scope.UserID, i) }
	for i := range count {
		w.Nodes = append(w.Nodes, graph.NodeWrite{Kind: "concept", EntityKey: key(i), Name: graph.Some(fmt.Sprint(vocabulary(r), " ", i)), Description: graph.Some(sentence(r, 1+r.IntN(length)))})
		w.Relationships = append(w.Relationships, graph.RelationshipWrite{From: key(i), To: key((i + 1) % count), Type: "relates_to", Description: graph.Some(sentence(r, 1+r.IntN(length)))})
	}
	b.write(scope, w)
	for s := range 1 + count/40 {
		talk := &graph.SourceWrite{
			EntityKey: fmt.Sprintf("%s-s-%d", scope.UserID, s), Summary: graph.Some(sentence(r, 1+r.IntN(length))), StartedAt: graph.Some(day(s)),
			Mentions: []string{"all-0", "all-1", key(s % count)},
		}
		for i := range 50 {
			talk.Messages = append(talk.Messages, graph.MessageWrite{EntityKey: fmt.Sprintf("%s-m-%d-%d", scope.UserID, s, i), Role: "user", Name: []string{"Ada", "Lantern"}[i%2], Text: sentence(r, 1+r.IntN(length)), At: graph.Some(day(s))})
		}
		if _, err := b.store.WriteSource(b.Context(), scope, talk); err != nil {
			b.Fatal(err)
		}
	}
}

// crowd has another team and another user of the second team write what the user searches for, and takes part of it away.
func (b *beside) crowd() {
	b.Helper()
	team := b.teams[1]
	for i, scope := range []graph.Scope{{TeamID: testenv.Team(b.T), UserID: "other"}, {TeamID: team, UserID: "other"}, {TeamID: team, UserID: "erased"}} {
		if i == 0 {
			b.shared(scope.TeamID)
		}
		b.memory(scope, b.others, 120, 5+20*i)
	}
	if _, err := erasure.NewStore(b.store).EraseUser(b.Context(), graph.Scope{TeamID: team, UserID: "erased"}, erasure.Beside{}); err != nil {
		b.Fatal(err)
	}
}

// shared gives a team two nodes that every source of every user mentions.
func (b *beside) shared(team string) {
	b.Helper()
	b.write(graph.Scope{TeamID: team}, &graph.MemoryWrite{Nodes: []graph.NodeWrite{
		{Kind: "concept", EntityKey: "all-0", Name: graph.Some("harbours"), Description: graph.Some("of all")},
		{Kind: "concept", EntityKey: "all-1", Name: graph.Some("keeper of brass"), Description: graph.Some("of all")},
	}})
}

// requests are searches of all sorts.
func (b *beside) requests(count int) []Request {
	all := make([]Request, count)
	for i := range all {
		r := Request{Limit: []int{1, 5, 30, 100}[b.words.IntN(4)], ReturnExplanations: true, Granularity: 1 + b.words.IntN(2)}
		switch b.words.IntN(3) {
		case 0:
			r.TextMatches = []string{vocabulary(b.words)}
		case 1:
			r.Queries = []Query{{Query: sentence(b.words, 1)}}
		default:
			r.Queries = []Query{{Query: sentence(b.words, 2+b.words.IntN(4))}, {Query: "Did Ada mend it? " + sentence(b.words, 1)}}
		}
		if b.words.IntN(3) == 0 {
			r.Kinds = [][]string{{"message"}, {"source"}, {"concept"}}[b.words.IntN(3)]
		}
		if b.words.IntN(4) == 0 {
			r.Mode = Deep
		}
		all[i] = r
	}
	return all
}

// answer returns the answer for a user of a team, without generated keys of relationships.
func (b *beside) answer(team string, r Request) string {
	b.Helper()
	result, _, err := New(NewStore(b.store, nil), Options{Now: func() time.Time { return now }}).Explore(b.Context(), graph.Scope{TeamID: team, UserID: "u"}, &r)
	if err != nil {
		b.Fatal(err)
	}
	for i := range result.Semantic.Relationships {
		result.Semantic.Relationships[i].Key = ""
	}
	lines, err := json.MarshalIndent(result, "", " ")
	if err != nil {
		b.Fatal(err)
	}
	return string(lines)
}

func (b *beside) same(requests []Request) {
	b.Helper()
	for _, r := range requests {
		if diff := cmp.Diff(b.answer(b.teams[0], r), b.answer(b.teams[1], r)); diff != "" {
			asked, _ := json.Marshal(r)
			b.Fatalf("%s tells of what others store (-alone +beside others):\n%.3000s", asked, diff)
		}
	}
}

// Nothing of an answer depends on what other teams store, or other users of the team: neither scores, nor the order, nor
// what is among the hits, nor what speaks for them; also when others delete or erase what they stored. The memory has no more of
// a sort than a search looks at: which of more equal candidates it takes follows the order in which Neo4j keeps them.
func TestOthersChangeNothing(t *testing.T) {
	b := newBeside(t)
	for _, team := range b.teams {
		b.shared(team)
		b.memory(graph.Scope{TeamID: team, UserID: "u"}, rand.New(rand.NewPCG(5, 6)), 40, 12)
	}
	b.same(b.requests(5))
	b.crowd()
	b.same(b.requests(40))
}

// Two notes of a word each have the same score, however many others have one of the words.
func TestOthersCannotBeCounted(t *testing.T) {
	b := newBeside(t)
	own, other := graph.Scope{TeamID: b.teams[0], UserID: "u"}, graph.Scope{TeamID: b.teams[1], UserID: "u"}
	note := func(key, word string) graph.NodeWrite {
		return graph.NodeWrite{Kind: "concept", EntityKey: key, Name: graph.Some(key), Description: graph.Some("a note " + word + " here")}
	}
	b.write(own, &graph.MemoryWrite{Nodes: []graph.NodeWrite{note("one", "mrn2b62103603"), note("two", "ref47d2f30b3b")}})
	b.write(other, &graph.MemoryWrite{Nodes: []graph.NodeWrite{note("x1", "mrn2b62103603"), note("x2", "mrn2b62103603 mrn2b62103603")}})
	result, _, err := New(NewStore(b.store, nil), Options{Now: func() time.Time { return now }}).Explore(t.Context(), own, &Request{Queries: []Query{{Query: "mrn2b62103603 ref47d2f30b3b"}}, ReturnExplanations: true})
	if err != nil {
		t.Fatal(err)
	}
	found := result.Semantic.Concepts
	if len(found) != 2 || found[0].EntityKey != "one" || found[0].RelevanceScore != found[1].RelevanceScore || found[0].Explanation.Words != 1 || found[1].Explanation.Words != 1 {
		t.Errorf("%+v", found)
	}
}
