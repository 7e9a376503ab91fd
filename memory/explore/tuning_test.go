//go:build recall

package explore

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"kith/graph"
	"kith/graph/neo"
	"kith/internal/llm"
	"kith/internal/vector"
)

// TestTuning asks the questions of a set that `kith eval recall --keep` has loaded, with half and twice of each weight, and
// prints recall at 5 and 10: docs/recall.md says how. Recency and salience are left out, as questions change them.
func TestTuning(t *testing.T) {
	team, url := os.Getenv("KITH_RECALL_TEAM"), os.Getenv("KITH_EMBEDDINGS_URL")
	questions := readQuestions(t, os.Getenv("KITH_RECALL_QUESTIONS"))
	o, g := Options{}, graph.Options{}
	if url != "" {
		embedder, err := llm.NewRemoteEmbedder(url, os.Getenv("KITH_EMBEDDINGS_MODEL"), llm.RemoteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		g.Embedder, o.Embedder, o.Vectors = embedder, embedder, vector.New(1<<30)
	}
	store, err := graph.Open(neo.Connection{
		URI: os.Getenv("KITH_NEO4J_URI"), User: "neo4j", Password: os.Getenv("KITH_NEO4J_PASSWORD"),
	}, g)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close(t.Context()) }()
	explorer := New(NewStore(store, g.Embedder), o)
	ask := func(name string, change func(*tuning)) {
		explorer.tuning = defaultTuning()
		change(explorer.tuning)
		at5, at10 := 0.0, 0.0
		for _, q := range questions {
			ids := q.ask(t, explorer, team)
			at5, at10 = at5+q.recall(ids, 5), at10+q.recall(ids, 10)
		}
		n := float64(len(questions)) / 100
		fmt.Printf("%-12s R@5 %.1f  R@10 %.1f\n", name, at5/n, at10/n)
	}
	ask("as it is", func(*tuning) {})
	for name, part := range map[string]func(*tuning) *float64{
		"link": func(w *tuning) *float64 { return &w.link }, "named": func(w *tuning) *float64 { return &w.named },
		"meaning": func(w *tuning) *float64 { return &w.meaning }, "speaker": func(w *tuning) *float64 { return &w.speaker },
		"distrust": func(w *tuning) *float64 { return &w.distrust }, "trust": func(w *tuning) *float64 { return &w.trust },
		"seedPower": func(w *tuning) *float64 { return &w.seedPower },
	} {
		ask(name+" ÷ 2", func(w *tuning) { *part(w) /= 2 })
		ask(name+" × 2", func(w *tuning) { *part(w) *= 2 })
	}
	ask("seeds ÷ 2", func(w *tuning) { w.seeds = 2 })
	ask("seeds × 2", func(w *tuning) { w.seeds = 10 })
}

// question is one of a set.
type question struct {
	Question, Conversation, Category string
	Gold                             []string
}

func readQuestions(t *testing.T, path string) (all []question) {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var q question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			t.Fatal(err)
		}
		if q.Category != os.Getenv("KITH_RECALL_WITHOUT") || q.Category == "" {
			all = append(all, q)
		}
	}
	return all
}

func (q *question) ask(t *testing.T, e *Explorer, team string) (ids []string) {
	user, kind := "reader", "source"
	if q.Conversation != "" {
		user, kind = q.Conversation, "message"
	}
	none := graph.Some(0.0)
	r, _, err := e.Explore(t.Context(), graph.Scope{TeamID: team, UserID: user}, &Request{
		Queries: []Query{{Query: q.Question}}, Kinds: []string{kind}, Limit: 20, TimeWeight: none, SalienceWeight: none,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range r.Episodic.Sources {
		ids = append(ids, h.EntityKey)
	}
	for _, h := range r.Episodic.Messages {
		ids = append(ids, h.EntityKey)
	}
	return ids
}

func (q *question) recall(ids []string, k int) float64 {
	found := 0
	for _, gold := range q.Gold {
		for _, id := range ids[:min(k, len(ids))] {
			if id == gold {
				found++
			}
		}
	}
	return float64(found) / float64(len(q.Gold))
}
