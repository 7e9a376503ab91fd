package e2e

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"kith/graph"
	"kith/handlers"
	"kith/tests/testenv"
)

// statistics are what a caller sees of a word. They are named in docs/isolation.md, before any trial.
var statistics = []string{
	"sum of the scores", "number of hits", "order of the hits", "size of the answer", "texts of errors",
	"time of a search for the word, first", "time of a search for the word, least of three", "time of a search for a question with the word",
	"time of a read by key", "time of a look-up by name",
}

// stored is in how many documents other teams store a word.
var storedIn = []int{1, 100, 10_000}

const (
	guessBound = 0.52
	together   = 100 // words of a document of others
	repeated   = 200 // different words, if each is in very many documents
	namedWord  = "harbour"
)

// Nobody learns whether other teams store a word, by scores, order, texts or time. For each word a coin decides whether other teams
// store it, in messages, nodes and relationships, and as a node's key and name. A caller of a team that does not store it asks for
// the word. A statistic tells nothing if it does not rank the words that are stored: the area under its ROC curve is at most 0.52,
// or of few trials what chance allows. KITH_TEST_TRIALS is the number of trials for each number of documents.
func TestNothingIsGuessedOfOthers(t *testing.T) {
	t.Parallel()
	if os.Getenv("KITH_TEST_TRIALS") == "" {
		t.Skip("takes minutes: make isolation")
	}
	trials, seed := setting(t, "KITH_TEST_TRIALS"), setting(t, "KITH_TEST_SEED")
	clock := &testClock{}
	clock.nanos.Store(time.Now().UnixNano())
	team := testenv.Team(t)
	g := &guesser{isolated: openAt(t, clock, team, testenv.StartNeo4j(t).Database()), team: team, random: rand.New(rand.NewPCG(uint64(seed), 7)), known: map[string]bool{}} //nolint:gosec // a test's choice
	g.remember(t)
	for range 100 { // plans and compiled code
		g.try(t, g.word())
	}
	t.Run("control", func(t *testing.T) { // what the team itself stores is seen: a statistic that sees nothing proves nothing
		found := g.guess(t, 400, 1, team)
		for _, seen := range []int{0, 1, 3, 4} {
			if found[seen] < 0.9 {
				t.Errorf("%s of what the team stores: %.3f", statistics[seen], found[seen])
			}
		}
	})
	for _, documents := range storedIn {
		t.Run(fmt.Sprint(documents), func(t *testing.T) {
			bound := max(guessBound, 0.5+3.4*math.Sqrt(1/(3*float64(trials))))
			for i, area := range g.guess(t, trials, documents, team+"-others") {
				if area > bound {
					t.Errorf("%s: %.3f, want at most %.3f", statistics[i], area, bound)
				}
			}
		})
	}
}

// guesser asks for words that others may store.
type guesser struct {
	*isolated
	team   string
	random *rand.Rand
	known  map[string]bool // words
	usual  []string        // the order of hits in the first trial
}

// word returns a word that nobody has stored or asked for. All have the same length.
func (g *guesser) word() string {
	for {
		var w strings.Builder
		for range 3 {
			w.WriteByte("bcdfghjklmnprstvwz"[g.random.IntN(18)])
			w.WriteByte("aeiou"[g.random.IntN(5)])
		}
		word := w.String() + "k" // no ending that stemming removes
		if !g.known[word] {
			g.known[word] = true
			return word
		}
	}
}

func (g *guesser) sentence(words []string, length int) string {
	all := make([]string, length)
	for i := range all {
		all[i] = pick(g.random, words)
	}
	return strings.Join(all, " ")
}

// remember gives the team a memory.
func (g *guesser) remember(t *testing.T) {
	t.Helper()
	common := []string{namedWord}
	for range 300 {
		common = append(common, g.word())
	}
	var texts []string
	for range 700 {
		texts = append(texts, g.sentence(common, 12))
	}
	g.store(t, g.team, "own", texts)
}

// store stores texts in a team: three of five as messages, one as a node, one as a relationship.
func (g *guesser) store(t *testing.T, team, name string, texts []string) {
	t.Helper()
	scope := graph.Scope{TeamID: team, UserID: "noor"}
	talk := func(i int) *graph.SourceWrite {
		return &graph.SourceWrite{EntityKey: fmt.Sprintf("%s-talk-%d", name, i)}
	}
	w, s := &graph.MemoryWrite{Strict: true}, talk(0)
	flush := func(i int) {
		if len(w.Nodes) > 0 {
			if _, err := g.instance.Store.Write(t.Context(), scope, w); err != nil {
				t.Fatal(err)
			}
		}
		if len(s.Messages) > 0 {
			if _, err := g.instance.Store.WriteSource(t.Context(), scope, s); err != nil {
				t.Fatal(err)
			}
		}
		w, s = &graph.MemoryWrite{Strict: true}, talk(i)
	}
	for i, text := range texts {
		key := fmt.Sprintf("%s-%d", name, i)
		switch i % 5 {
		case 0, 1, 2:
			s.Messages = append(s.Messages, graph.MessageWrite{EntityKey: key, Role: "user", Text: text})
		case 3:
			w.Nodes = append(w.Nodes, graph.NodeWrite{Kind: "concept", EntityKey: key, Name: graph.Some(key), Description: graph.Some(text)})
		case 4:
			w.Nodes = append(w.Nodes, graph.NodeWrite{Kind: "concept", EntityKey: key, Name: graph.Some(key)})
			w.Relationships = append(w.Relationships, graph.RelationshipWrite{From: key, To: key[:strings.LastIndex(key, "-")+1] + fmt.Sprint(i-1), Type: "relates_to", Description: graph.Some(text)})
		}
		if i%100 == 99 {
			flush(i)
		}
	}
	flush(len(texts))
}

// guess has a team store half of some words, asks for all of them, and returns the areas of the statistics.
func (g *guesser) guess(t *testing.T, trials, documents int, by string) []float64 {
	t.Helper()
	words, isStored := make([]string, trials), map[string]bool{}
	for i := range words {
		if documents >= 1000 && i >= repeated {
			words[i] = words[i%repeated]
			continue
		}
		words[i] = g.word()
		isStored[words[i]] = g.random.IntN(2) == 0
	}
	var some []string
	for _, word := range slices.Compact(slices.Sorted(slices.Values(words))) {
		if isStored[word] {
			some = append(some, word)
		}
	}
	g.random.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
	g.hide(t, by, documents, some)
	g.random.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })

	seen := [2][][]float64{make([][]float64, len(statistics)), make([][]float64, len(statistics))}
	began := time.Now()
	for _, word := range words {
		arm := seen[map[bool]int{true: 1}[isStored[word]]]
		for i, value := range g.try(t, word) {
			arm[i] = append(arm[i], value)
		}
	}
	areas := make([]float64, len(statistics))
	for i, name := range statistics {
		without, with := median(seen[0][i]), median(seen[1][i])
		areas[i] = areaUnder(seen[0][i], seen[1][i])
		t.Logf("%-50s %.4f  (medians: not stored %.4g, stored %.4g)", name, areas[i], without, with)
	}
	t.Logf("%d trials, words stored in %d documents: %v", trials, documents, time.Since(began).Round(time.Second))
	return areas
}

// hide has a team store words, each in so many documents, and as a key and name.
func (g *guesser) hide(t *testing.T, team string, documents int, words []string) {
	t.Helper()
	for i, chunk := range slices.Collect(slices.Chunk(words, together)) {
		var texts []string
		for range documents {
			g.random.Shuffle(len(chunk), func(i, j int) { chunk[i], chunk[j] = chunk[j], chunk[i] })
			texts = append(texts, strings.Join(chunk, " "))
		}
		for len(texts) < 5 { // one of each sort, as of many
			texts = append(texts, texts[0])
		}
		g.store(t, team, fmt.Sprintf("hidden-%d-%d", documents, i), texts)
		w := &graph.MemoryWrite{Strict: true}
		for _, word := range chunk {
			w.Nodes = append(w.Nodes, graph.NodeWrite{Kind: "concept", EntityKey: "key-" + word, Name: graph.Some(nameOf(word))})
		}
		if _, err := g.instance.Store.Write(t.Context(), graph.Scope{TeamID: team, UserID: "noor"}, w); err != nil {
			t.Fatal(err)
		}
	}
}

func nameOf(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// try asks for a word, and returns the statistics.
func (g *guesser) try(t *testing.T, word string) []float64 {
	t.Helper()
	ask := func(method, path, body string) ([]byte, float64) {
		began := time.Now()
		r := g.call(t.Context(), handlers.Operation{Method: method, Path: path, Body: body})
		took := time.Since(began)
		if r.status != http.StatusOK && r.status != http.StatusNotFound {
			t.Fatalf("%s %s: %d %s", path, body, r.status, r.body)
		}
		return r.body, float64(took.Microseconds())
	}
	question, timeOfQuestion := ask(http.MethodPost, "/v1/explore", `{"user_id":"noor","queries":[{"query":"`+word+` `+namedWord+`"}],"limit":10,"return_explanations":true}`)
	var times [3]float64
	for i := range times {
		_, times[i] = ask(http.MethodPost, "/v1/explore", `{"user_id":"noor","text_matches":["`+word+`"],"limit":10}`)
	}
	byKey, timeByKey := ask(http.MethodGet, "/v1/nodes/concept/key-"+word+"?user_id=noor", "")
	byName, timeByName := ask(http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_entity_relationships","arguments":{"user_id":"noor","entity_kind":"concept","entity_id":"`+nameOf(word)+`"}}}`)
	scores, keys := hits(t, question)
	if g.usual == nil {
		g.usual = keys
	}
	moved := 0
	for i, key := range keys {
		if i >= len(g.usual) || g.usual[i] != key {
			moved++
		}
	}
	sum := 0.0
	for _, score := range scores {
		sum += score
	}
	errors := bytes.ReplaceAll(bytes.ReplaceAll(append(byKey, byName...), []byte(word), []byte("WORD")), []byte(nameOf(word)), []byte("WORD"))
	return []float64{
		sum, float64(len(keys)), float64(moved), float64(len(question)), textNumber(randomID.ReplaceAll(errors, nil)),
		times[0], min(times[0], times[1], times[2]), timeOfQuestion, timeByKey, timeByName,
	}
}

// textNumber returns a number that differs for texts that differ.
func textNumber(text []byte) float64 {
	n := 0.0
	for _, b := range text {
		n = math.Mod(n*257+float64(b), 1<<40)
	}
	return n
}

// hits returns the scores and keys of all hits of an explore, in their order.
func hits(t *testing.T, answer []byte) (scores []float64, keys []string) {
	t.Helper()
	var found struct {
		Semantic, Episodic map[string]json.RawMessage
	}
	if err := json.Unmarshal(answer, &found); err != nil {
		t.Fatalf("%v: %s", err, answer)
	}
	for _, part := range []map[string]json.RawMessage{found.Episodic, found.Semantic} {
		names := make([]string, 0, len(part))
		for name := range part {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			var list []struct {
				EntityKey string  `json:"entity_key"`
				Key       string  `json:"key"`
				Score     float64 `json:"relevance_score"`
			}
			if json.Unmarshal(part[name], &list) != nil {
				continue
			}
			for _, hit := range list {
				scores, keys = append(scores, hit.Score), append(keys, hit.EntityKey+hit.Key)
			}
		}
	}
	return scores, keys
}

// areaUnder returns the area under the ROC curve of a value that is to separate two groups: the share of pairs that it ranks, of those
// with equal values half. It is 0.5 for a value that tells nothing, and never less: a value may be lower in either group.
func areaUnder(a, b []float64) float64 {
	type valued struct {
		value float64
		of    int
	}
	var all []valued
	for of, values := range [][]float64{a, b} {
		for _, value := range values {
			all = append(all, valued{value, of})
		}
	}
	slices.SortFunc(all, func(x, y valued) int { return cmp.Compare(x.value, y.value) })
	won, below := 0.0, 0.0 // pairs, and values of a so far
	for i := 0; i < len(all); {
		var equal [2]float64
		j := i
		for ; j < len(all) && all[j].value == all[i].value; j++ {
			equal[all[j].of]++
		}
		won += equal[1] * (below + equal[0]/2)
		below += equal[0]
		i = j
	}
	area := won / float64(len(a)*len(b))
	return max(area, 1-area)
}

func TestAreaUnder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b []float64
		want float64
	}{
		{[]float64{1, 2}, []float64{3, 4}, 1},
		{[]float64{3, 4}, []float64{1, 2}, 1},
		{[]float64{1, 1}, []float64{1, 1, 1}, 0.5},
		{[]float64{1, 3}, []float64{2, 4}, 0.75},
		{[]float64{1, 2}, []float64{2, 2}, 0.75},
	} {
		if got := areaUnder(c.a, c.b); got != c.want {
			t.Errorf("%v %v: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}
