package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kith/graph"
	"kith/graph/neo"
	"kith/internal/llm"
	"kith/internal/vector"
	"kith/memory/explore"
	"kith/tests/testenv"
	"kith/text/words"
)

// embeddings is an embedder that gives every word a direction, and synonyms the same one. It can be made to fail.
type embeddings struct {
	*httptest.Server
	fault atomic.Value // string
	quit  chan struct{}
}

func newEmbeddings(t *testing.T) *embeddings {
	t.Helper()
	e := &embeddings{quit: make(chan struct{})}
	e.fault.Store("")
	e.Server = httptest.NewServer(http.HandlerFunc(e.answer))
	t.Cleanup(func() {
		close(e.quit)
		e.Close()
	})
	return e
}

func (e *embeddings) answer(w http.ResponseWriter, r *http.Request) {
	var asked struct{ Input []string }
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	dimensions := 32
	switch fault := e.fault.Load().(string); fault {
	case "500", "429":
		if fault == "429" {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
		} else {
			w.WriteHeader(http.StatusInternalServerError)
		}
		return
	case "never", "slowly":
		wait := time.Minute
		if fault == "slowly" {
			wait = 4 * time.Second
		}
		select {
		case <-r.Context().Done():
		case <-e.quit:
		case <-time.After(wait):
		}
		return
	case "no JSON", "NaN":
		_, _ = w.Write([]byte(map[string]string{"no JSON": "<html>", "NaN": `{"data":[{"index":0,"embedding":[NaN,1]}]}`}[fault]))
		return
	case "dimensions":
		dimensions = 8
	case "too few":
		asked.Input = asked.Input[1:]
	}
	type one struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	answer := struct {
		Data []one `json:"data"`
	}{[]one{}}
	for i, text := range asked.Input {
		answer.Data = append(answer.Data, one{i, wordVector(text, dimensions)})
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// synonyms maps words to a word with the same meaning.
var synonyms = map[string]string{"vessel": "ship", "boat": "ship", "physician": "doctor", "surgeon": "doctor"}

func wordVector(text string, dimensions int) []float32 {
	v := make([]float32, dimensions)
	v[0] = 0.01 // no text is without a direction
	for _, word := range words.Of(text) {
		if meant, ok := synonyms[word]; ok {
			word = meant
		}
		h := fnv.New32a()
		_, _ = h.Write([]byte(word))
		v[1+h.Sum32()%uint32(dimensions-1)] += float32(1 / math.Sqrt(float64(len(word))+1)) //nolint:gosec // small
	}
	return v
}

// messagesFound returns the texts of the messages found, best first.
func messagesFound(t *testing.T, c caller, request string) (texts, semantic string) {
	t.Helper()
	answer := c.must(t, http.MethodPost, "/v1/explore", request)
	return names(at(answer, "episodic", "messages"), "entity_key"), at(answer, "meta", "semantic").(string)
}

func exploreRequest(query string) string {
	return `{"user_id":"u1","queries":[{"query":"` + query + `"}],"kinds":["message"]}`
}

func writeMessages(t *testing.T, c caller, source string, texts ...string) {
	t.Helper()
	var messages []string
	for i, text := range texts {
		messages = append(messages, fmt.Sprintf(`{"entity_key":"%s/%d","role":"user","text":%q}`, source, i, text))
	}
	c.must(t, http.MethodPost, "/v1/sources", `{"user_id":"u1","entity_key":"`+source+`","content_type":"conversation","messages":[`+strings.Join(messages, ",")+`]}`)
}

// Every process finds written words at once, and no process finds deleted ones.
func TestExploreByWords(t *testing.T) {
	t.Parallel()
	s, other := shared(t), shared(t)
	key := s.newKey(t, testenv.Team(t), "read", "write")
	here, there := s.as(key), other.as(key)
	for i := range 10 {
		source, word := fmt.Sprint("s", i), fmt.Sprint("lantern", i)
		writeMessages(t, here, source, "We hung the "+word+" over the quay.")
		for what, c := range map[string]caller{"the writer": here, "the other process": there} {
			if found, semantic := messagesFound(t, c, exploreRequest(word)); found != source+"/0" || semantic != "off" {
				t.Fatalf("%s finds %q (%s) after the write of %s", what, found, semantic, source)
			}
		}
	}
	here.must(t, http.MethodDelete, "/v1/nodes/message/s3%2F0?user_id=u1", "")
	for what, c := range map[string]caller{"the writer": here, "the other process": there} {
		if found, _ := messagesFound(t, c, exploreRequest("lantern3")); found != "" {
			t.Errorf("%s finds what is deleted: %s", what, found)
		}
	}
	foreign := s.as(s.newKey(t, testenv.Team(t), "read", "write"))
	if found, _ := messagesFound(t, foreign, exploreRequest("lantern4")); found != "" {
		t.Errorf("another team finds %s", found)
	}
	if found, _ := messagesFound(t, here, strings.Replace(exploreRequest("lantern4"), "u1", "u2", 1)); found != "" {
		t.Errorf("another user finds %s", found)
	}
	text := here.do(t, http.MethodPost, "/v1/explore", `{"user_id":"u1","queries":[{"query":"lantern5"}],"format":"text"}`)
	if !strings.HasPrefix(text.header.Get("Content-Type"), "text/markdown") || !strings.Contains(string(text.body), "We hung the lantern5 over the quay.") {
		t.Errorf("as text: %v %s", text.header, text.body)
	}
	here.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[{"kind":"concept","entity_key":"c","name":"Lamplight","salience":0.3}]}`)
	here.must(t, http.MethodPost, "/v1/explore", `{"user_id":"u1","text_matches":["lamplight"]}`)
	eventually(t, 10*time.Second, "what was found counts as recalled", func() bool {
		return at(here.must(t, http.MethodGet, "/v1/nodes/concept/c?user_id=u1", ""), "access_count") == 1.0
	})
}

// An explore takes two round trips, and three if it searches a second time, also with an embedder.
func TestExploreRoundTrips(t *testing.T) {
	t.Parallel()
	s, team := shared(t), testenv.Team(t)
	c := s.as(s.newKey(t, team, "read", "write"))
	writeMessages(t, c, "s", "The boat is at the quay.")
	c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[{"kind":"concept","name":"Harbour boat"}]}`)
	var mu sync.Mutex
	var statements []string
	db := testenv.Neo4j(t)
	store, err := graph.Open(neo.Connection{URI: db.URI, User: db.User, Password: db.Password, Database: db.Database}, graph.Options{
		Observe: func(query string, _ time.Duration, _ error) {
			mu.Lock()
			defer mu.Unlock()
			statements = append(statements, query)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close(context.Background()) }()
	model, err := llm.OpenStaticEmbedder("../../internal/llm/testdata/plain")
	if err != nil {
		t.Fatal(err)
	}
	for _, embedder := range []llm.Embedder{nil, model} {
		e := explore.New(explore.NewStore(store, embedder), explore.Options{Embedder: embedder, Vectors: vector.New(1 << 20)})
		for _, r := range []explore.Request{
			{}, {Mode: explore.Deep}, {Format: explore.Text}, {Granularity: 2, Expand: 5}, {Granularity: 3, ReturnExplanations: true}, {Kinds: []string{"message"}}, {MaxTokens: 200},
		} {
			r.Queries = []explore.Query{{Query: "boat"}, {Query: "quay"}}
			statements = nil
			if _, _, err := e.Explore(t.Context(), graph.Scope{TeamID: team, UserID: "u1"}, &r); err != nil {
				t.Fatal(err)
			}
			want := []string{"search", "found"}
			if r.Mode == explore.Deep {
				want = []string{"search", "search", "found"}
			}
			if !slices.Equal(statements, want) {
				t.Errorf("%+v: %q", r, statements)
			}
		}
	}
}

// Vector search finds what was written soon, and survives a restart and an erasure. If the embedder fails, only vector search
// is missing, and the response is in time.
func exploreByMeaning(t *testing.T, environ []string) {
	e := newEmbeddings(t)
	environ = append(slices.Clone(environ), "KITH_EMBEDDINGS_URL="+e.URL, "KITH_EMBEDDINGS_MODEL=words")
	if code, out := command(t, environ, "reindex"); code != 0 {
		t.Fatalf("reindex: %d %s", code, out)
	}
	s := start(t, environ)
	key := s.newKey(t, "sailors", "read", "write", "admin")
	c := s.as(key)
	filler := make([]string, 40)
	for i := range filler {
		filler[i] = fmt.Sprintf("Entry%d tells of weather%d and cargo%d.", i, i, i)
	}
	writeMessages(t, c, "log", filler...)
	writeMessages(t, c, "s1", "Our vessel leaks.", "The surgeon came aboard.")
	if found, _ := messagesFound(t, c, exploreRequest("leaks")); !strings.HasPrefix(found, "s1/0") {
		t.Errorf("by words at once: %q", found)
	}
	meant := func(c caller) bool {
		found, semantic := messagesFound(t, c, exploreRequest("boat"))
		return strings.HasPrefix(found, "s1/0") && semantic == "on"
	}
	eventually(t, time.Minute, "a message is found by its meaning", func() bool { return meant(c) })
	raw := c.do(t, http.MethodPost, "/v1/explore", `{"user_id":"u1","queries":[{"query":"boat"}],"return_explanations":true}`)
	if body := string(raw.body); strings.Contains(body, "vector") || strings.Contains(body, "embed") || !strings.Contains(body, `"cosine"`) {
		t.Errorf("an answer: %s", body)
	}
	if !strings.Contains(metricsAt(t, s.admin), `kith_explore_total{mode="fast",semantic="on"}`) {
		t.Error("no metrics of explore")
	}
	c.must(t, http.MethodDelete, "/v1/nodes/message/s1%2F0?user_id=u1", "")
	if found, _ := messagesFound(t, c, exploreRequest("boat")); strings.Contains(found, "s1/0") {
		t.Errorf("what is deleted is found by its meaning: %s", found)
	}
	c.must(t, http.MethodPost, "/v1/nodes/message/s1%2F0/restore?user_id=u1", "")
	eventually(t, time.Minute, "what is restored is found by its meaning", func() bool { return meant(c) })

	s.stop()
	s = start(t, environ)
	c = s.as(key)
	if !meant(c) {
		t.Error("after a restart meaning finds nothing")
	}
	other := start(t, environ)
	if !meant(other.as(key)) {
		t.Error("another process finds nothing by meaning")
	}
	writeMessages(t, other.as(key), "s2", "A physician wrote.")
	eventually(t, time.Minute, "what another process wrote is found by its meaning", func() bool {
		found, _ := messagesFound(t, c, exploreRequest("doctor"))
		return strings.Contains(found, "s2/0")
	})
	other.stop()

	for _, fault := range []string{"dimensions", "NaN", "no JSON", "too few", "slowly", "never", "429", "500"} {
		if fault == "429" { // after five failures the endpoint is left alone for a while
			e.fault.Store("")
			eventually(t, time.Minute, "the embedder is asked again", func() bool { return meant(c) })
		}
		e.fault.Store(fault)
		for _, mode := range []string{"fast", "deep"} {
			request := `{"user_id":"u1","queries":[{"query":"the vessel leaks"}],"kinds":["message"],"mode":"` + mode + `"}`
			begun := time.Now()
			found, semantic := messagesFound(t, c, request) // a 503 where it is not in time
			if !strings.HasPrefix(found, "s1/0") || semantic != "unavailable" {
				t.Errorf("the embedder answers %s, %s: %q, %s", fault, mode, found, semantic)
			}
			t.Logf("the embedder answers %s, %s: %v", fault, mode, time.Since(begun))
		}
		text := c.do(t, http.MethodPost, "/v1/explore", `{"user_id":"u1","queries":[{"query":"vessel"}],"format":"text"}`)
		if !strings.Contains(string(text.body), "_Search by meaning: unavailable._") {
			t.Errorf("the embedder answers %s: the text does not say so: %s", fault, text.body)
		}
	}
	e.fault.Store("")
	eventually(t, time.Minute, "the embedder is back", func() bool { return meant(c) })

	before := metricOf(t, s.admin, "kith_vector_bytes")
	c.must(t, http.MethodDelete, "/v1/users/u1", "")
	if after := metricOf(t, s.admin, "kith_vector_bytes"); before == "0" || after != "0" {
		t.Errorf("bytes of vectors before the erasure: %s, after it: %s", before, after)
	}
	if found, _ := messagesFound(t, c, exploreRequest("boat leaks")); found != "" {
		t.Errorf("found of a user who was erased: %s", found)
	}
}

// metricOf returns the value of a metric without labels.
func metricOf(t *testing.T, address, name string) string {
	t.Helper()
	for line := range strings.Lines(metricsAt(t, address)) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			return strings.TrimSpace(value)
		}
	}
	t.Fatalf("no %s", name)
	return ""
}
