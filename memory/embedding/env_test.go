package embedding

import (
	"context"
	"hash/fnv"
	"math"
	"sync"
	"testing"
	"time"

	"kith/graph"
	"kith/graph/searchscope"
	"kith/internal/vector"
	"kith/memory/explore"
	"kith/tests/graphtest"
	"kith/tests/testenv"
)

// fakeEmbedder makes vectors of three numbers out of the bytes of texts, and records its requests.
type fakeEmbedder struct {
	model string
	fail  func(texts []string) error  // nil: never
	spoil func(text string) []float32 // returns the wrong answer for a text, or nil; a nil function spoils nothing
	pause func(texts []string)        // called while it embeds, if not nil
	mu    sync.Mutex
	asked []string
}

func (f *fakeEmbedder) Model() string   { return f.model }
func (f *fakeEmbedder) Dimensions() int { return 3 }

func (f *fakeEmbedder) Embed(_ context.Context, texts []string) ([][]float32, error) {
	f.mu.Lock()
	for _, text := range texts {
		if text != probe {
			f.asked = append(f.asked, text)
		}
	}
	f.mu.Unlock()
	if f.pause != nil {
		f.pause(texts)
	}
	if f.fail != nil {
		if err := f.fail(texts); err != nil {
			return nil, err
		}
	}
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = vectorOf(text)
		embeddedTexts.Lock()
		embeddedTexts.of[string(vector.Encode(vectors[i]))] = text
		embeddedTexts.Unlock()
		if f.spoil != nil {
			if spoilt := f.spoil(text); spoilt != nil {
				vectors[i] = spoilt
			}
		}
	}
	return vectors, nil
}

func vectorOf(text string) []float32 {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(text))
	angle := float64(hash.Sum32()) / math.MaxUint32 * 6
	return []float32{float32(math.Cos(angle)), float32(math.Sin(angle)), 0}
}

// env is a store with an embedder and a worker, used as by a process that runs it.
type env struct {
	*graphtest.Env
	store    *Store
	embedder *fakeEmbedder
	worker   *Worker
	counts   map[string]int64
}

// embedder opens a store on a separate database as another process would.
func embedder(t *testing.T, db testenv.Database, model string) *env {
	t.Helper()
	e := &env{embedder: &fakeEmbedder{model: model}, counts: map[string]int64{}}
	e.Env = graphtest.Open(t, db, graph.Options{Embedder: e.embedder})
	e.store = NewStore(e.Store, e.embedder)
	e.worker = NewWorker(e.store, Options{Observe: e.count})
	return e
}

// searches returns the searches of the team's database.
func (e *env) searches() *explore.Store { return explore.NewStore(e.Store, e.embedder) }

func (e *env) count(outcome string, n int64) {
	e.embedder.mu.Lock()
	defer e.embedder.mu.Unlock()
	e.counts[outcome] += n
}

// again returns the same team in another process, with a worker of its own.
func (e *env) again(db testenv.Database) *env {
	other := embedder(e.T, db, e.embedder.model)
	other.Team, other.Now = e.Team, e.Now
	return other
}

// settle embeds until the queue is empty, including texts written a millisecond later.
func (e *env) settle() {
	e.Helper()
	e.turns()
	e.Now = e.Now.Add(2 * time.Millisecond)
	e.turns()
}

func (e *env) turns() {
	e.Helper()
	for range 1000 {
		done, err := e.worker.turn(e.Context())
		if err != nil {
			e.Fatal(err)
		}
		if done {
			return
		}
	}
	e.Fatal("something waits for ever")
}

// vectors returns what a scope's index would load: the text of each key's vector.
func (e *env) vectors(user string) map[string]string {
	e.Helper()
	found, last := map[string]string{}, int64(0)
	for {
		rows, err := e.searches().Vectors(e.Context(), searchscope.Owner(e.Team, user), last, 2)
		if err != nil {
			e.Fatal(err)
		}
		if len(rows) == 0 {
			return found
		}
		for _, r := range rows {
			if r.Seq <= last {
				e.Fatalf("number %d comes after %d", r.Seq, last)
			}
			last = r.Seq
			found[r.Key] = textOf(r.Vector)
		}
	}
}

// textOf returns the text that a vector was made of; empty without one.
func textOf(encoded []byte) string {
	if encoded == nil {
		return ""
	}
	embeddedTexts.Lock()
	defer embeddedTexts.Unlock()
	return embeddedTexts.of[string(encoded)]
}

// embeddedTexts are all embedded texts, by their vectors.
var embeddedTexts = struct {
	sync.Mutex
	of map[string]string
}{of: map[string]string{}}

// embeds checks the texts of the vectors of a scope's keys. An empty text means a row without a vector.
func (e *env) embeds(user string, texts map[string]string) {
	e.Helper()
	if texts == nil {
		texts = map[string]string{}
	}
	e.Same("vectors of "+user, texts, e.vectors(user))
}

// noon is the clock of a fresh store.
var noon = graphtest.Noon

// What the tests write.
var node, described = graphtest.Node, graphtest.Described

func TestMain(m *testing.M) { testenv.Main(m) }
