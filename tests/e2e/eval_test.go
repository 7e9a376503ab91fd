package e2e

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kith/internal/bounds"
	"kith/internal/jsonline"
)

// A made-up set of turns, and one of passages.
const (
	evalTurns = `{"id":"c1/1","conversation":"c1","session":1,"time":"4:04 pm on 20 January, 2023","speaker":"Ada","text":"I sold the boat."}
{"id":"c1/2","conversation":"c1","session":1,"time":"4:04 pm on 20 January, 2023","speaker":"Jon","text":"Look at this.","caption":"a red canoe"}
{"id":"c1/3","conversation":"c1","session":2,"time":"9:00 am on 3 March, 2023","speaker":"Jon","text":"Spring at last."}
{"id":"c2/1","conversation":"c2","session":"one","time":"2023-03-04T09:00:00Z","speaker":"Eve","text":"The kiln is broken."}
`
	evalTurnQuestions = `{"qid":"q1","conversation":"c1","category":"single","question":"What did Ada sell?","gold":["c1/1"]}
{"qid":"q2","conversation":"c1","category":"multi","question":"Which boats are there?","gold":["c1/1","c1/2","c1/2"]}
{"qid":"q3","conversation":"c1","category":"trick","question":"What did Jon sell?","gold":["c1/1"]}

{"qid":"q4","conversation":"c2","category":"single","question":"What is broken?","gold":["c2/1"]}
`
	evalPassages = `{"id":"p1","title":"Lighthouse of Orn","text":"It was built by Ida Moll."}
{"id":"p2","title":"Ida Moll","text":"She was born in Terwick."}
{"id":"p3","text":"LONG"}
`
	evalPassageQuestions = `{"qid":"q1","question":"Where was the builder of the lighthouse born?","gold":["p1","p2"]}
`
	evalPassageTriples = `{"passage":"p1","entities":["Lighthouse of Orn","Ida Moll"],"triples":[["Lighthouse of Orn","built by","Ida Moll"],["Lighthouse of Orn","named after","ida  moll"],["Orn","is","orn"]]}
{"passage":"p2","entities":["Ida Moll"],"triples":[["Ida Moll","born in","Terwick"]]}
`
)

// evalArgs writes files with the given contents and returns the arguments of a command on them.
func evalArgs(t *testing.T, passages, questions, triples string, more ...string) []string {
	t.Helper()
	args, folder := []string{"eval", "recall"}, t.TempDir()
	for name, content := range map[string]string{"passages": passages, "questions": questions, "triples": triples} {
		if content == "" {
			continue
		}
		path := filepath.Join(folder, name+".jsonl")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, "--"+name, path)
	}
	return append(args, more...)
}

func TestEvalSetsAreChecked(t *testing.T) {
	t.Parallel()
	const turn = `{"id":"a","conversation":"c","session":1,"time":"2023-03-04T09:00:00Z","speaker":"Ada","text":"x"}` + "\n"
	const passage = `{"id":"a","text":"x"}` + "\n"
	const question = `{"qid":"q","question":"x","gold":["a"]}` + "\n"
	for _, test := range []struct{ name, passages, questions, triples, want string }{
		{"no JSON", passage + "{", question, "", "passages.jsonl:2: is not valid JSON"},
		{"no object", "\n[]", question, "", "passages.jsonl:2: is not a JSON object"},
		{"no UTF-8", "\"\xff\"", question, "", "passages.jsonl:1: is not valid UTF-8"},
		{"another type", `{"id":1,"text":"x"}`, question, "", "passages.jsonl:1: id must not be a JSON number"},
		{"no id", `{"text":"x"}`, question, "", "passages.jsonl:1: id must have 1 to 256 characters"},
		{"no text", `{"id":"a","text":" "}`, question, "", "passages.jsonl:1: text is missing"},
		{"twice", passage + "\n" + passage, question, "", "passages.jsonl:3: id repeats that of line 1"},
		{"too long", `{"id":"a","text":"` + strings.Repeat("x", bounds.MessageLength+1) + `"}`, question, "", "passages.jsonl:1: text must have at most 65536 characters"},
		{"a longer line", passage + strings.Repeat("x", jsonline.Max), question, "", "passages.jsonl:2: line exceeds 1048576 bytes"},
		{"nothing", " ", question, "", "passages.jsonl is empty"},
		{"both", turn + `{"id":"b","text":"x"}`, question, "", "passages.jsonl:2: all lines must have a conversation, or none"},
		{"no time", strings.Replace(turn, "2023-03", "March", 1), question, "", "passages.jsonl:1: time is not written as 2006-01-02T15:04:05Z07:00 or 3:04 pm on 2 January, 2006"},
		{"no session", strings.Replace(turn, `"session":1,`, "", 1), question, "", "passages.jsonl:1: session is missing"},
		{"no speaker", strings.Replace(turn, `"Ada"`, `""`, 1), question, "", "passages.jsonl:1: speaker is missing"},
		{"unknown gold", passage, `{"qid":"q","question":"x","gold":["a","b"]}`, "", "questions.jsonl:1: gold[1] is not the id of a passage"},
		{"gold of another conversation", turn, question, "", "questions.jsonl:1: gold[0] belongs to another conversation"},
		{"no gold", passage, `{"qid":"q","question":"x","gold":[]}`, "", "questions.jsonl:1: gold is missing"},
		{"gold as a text", passage, `{"qid":"q","question":"x","gold":"a"}`, "", "questions.jsonl:1: gold must not be a JSON string"},
		{"no qid", passage, `{"question":"x","gold":["a"]}`, "", "questions.jsonl:1: qid is missing"},
		{"no question", passage, `{"qid":"q","gold":["a"]}`, "", "questions.jsonl:1: question is missing"},
		{"two questions", passage, question + question, "", "questions.jsonl:2: qid repeats that of line 1"},
		{"triples of nothing", passage, question, `{"passage":"b"}`, "triples.jsonl:1: passage is not the id of a passage"},
		{"a pair", passage, question, `{"passage":"a","triples":[["x","y"]]}`, "triples.jsonl:1: triples[0] must have a subject, a predicate and an object"},
		{"no object", passage, question, `{"passage":"a","triples":[["x","y",""]]}`, "triples.jsonl:1: triples[0][2] is missing"},
		{"a nameless entity", passage, question, `{"passage":"a","entities":["x"," "]}`, "triples.jsonl:1: entities[1] is missing"},
		{"triples of a turn", turn, question, `{"passage":"a"}`, "triples.jsonl:1: triples are not allowed for turns of conversations"},
		{"all skipped", passage, strings.Replace(question, "{", `{"category":"trick",`, 1), "", "no questions left"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			asked := func(_ http.ResponseWriter, r *http.Request) { t.Errorf("request %s", r.URL) }
			code, out, errs := runKith(t, asked, evalArgs(t, test.passages, test.questions, test.triples, "--without", "trick")...)
			if code != 1 || out != "" || !strings.Contains(errs, test.want) {
				t.Errorf("status %d, out %q, want %q: %s", code, out, test.want, errs)
			}
		})
	}
}

// The examples of docs/recall.md are valid sets.
func TestEvalExamples(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/recall.md")
	if err != nil {
		t.Fatal(err)
	}
	beginning := func(with string) (found string) {
		for line := range strings.Lines(string(page)) {
			if strings.HasPrefix(line, with) {
				found += line
			}
		}
		return found
	}
	for _, args := range [][]string{
		evalArgs(t, beginning(`{"id":"p`), beginning(`{"qid":"q1","question"`), beginning(`{"passage"`)),
		evalArgs(t, beginning(`{"id":"c`), beginning(`{"qid":"q2","conversation"`), ""),
	} {
		service := &evalServer{explore: func(w http.ResponseWriter, _ string) {
			_, _ = io.WriteString(w, `{"episodic":{"sources":[{"entity_key":"p1"}],"messages":[{"entity_key":"c1/1"}]}}`)
		}}
		if code, out, errs := runKith(t, service.handle, args...); code != 0 || !strings.Contains(out, "questions  1  ") {
			t.Errorf("status %d: %s%s", code, out, errs)
		}
	}
}

// evalServer is a service that creates a team's key, accepts every write, and lets a test answer questions.
type evalServer struct {
	mu       sync.Mutex
	requests []string // method, path and key
	explore  func(w http.ResponseWriter, request string)
	context  func(query url.Values) string
	stored   []string // bodies of writes
}

func (s *evalServer) handle(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r.Method+" "+r.URL.Path+" "+strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	body, _ := io.ReadAll(r.Body)
	switch r.URL.Path {
	case "/v1/keys":
		_, _ = io.WriteString(w, `{"key":"kith_team","key_id":"k"}`)
	case "/v1/explore":
		s.explore(w, string(body))
	case "/v1/context":
		_, _ = io.WriteString(w, s.context(r.URL.Query()))
	case "/v1/sources":
		s.stored = append(s.stored, string(body))
		_, _ = io.WriteString(w, "{}")
	default:
		_, _ = io.WriteString(w, "{}")
	}
}

// removed reports whether the last request removed the team.
func (s *evalServer) removed() bool {
	last := s.requests[len(s.requests)-1]
	return strings.HasPrefix(last, "DELETE /v1/teams/eval-") && strings.HasSuffix(last, " kith_secret")
}

func TestEvalRecall(t *testing.T) {
	t.Parallel()
	first := true
	service := &evalServer{explore: func(w http.ResponseWriter, request string) {
		semantic := "on"
		if first { // as long as not all is embedded, no answer counts
			semantic, first = "partial", false
		}
		found := ""
		switch {
		case strings.Contains(request, "What did Ada sell?"):
			found = `{"entity_key":"c1/3"},{"entity_key":"c1/1"}`
		case strings.Contains(request, "Which boats"):
			found = `{"entity_key":"c1/1"}`
		case strings.Contains(request, "What is broken?"):
			found = `{"entity_key":"c2/1"}`
		}
		_, _ = io.WriteString(w, `{"meta":{"semantic":"`+semantic+`","confidence":0.7},"episodic":{"sources":[],"messages":[`+found+`]}}`)
	}}
	path := filepath.Join(t.TempDir(), "run.jsonl")
	code, out, errs := runKith(t, service.handle, evalArgs(t, evalTurns, evalTurnQuestions, "", "--without", "trick", "--run", path, "--concurrency", "2")...)
	lines := strings.SplitAfter(out, "\n")
	want := "SET        N  R@1   R@5   R@10  R@20\n" +
		"questions  3  50.0  83.3  83.3  83.3\n" +
		"  multi    1  50.0  50.0  50.0  50.0\n" +
		"  single   2  50.0  100.0  100.0  100.0\n"
	squeezed := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	if code != 0 || len(lines) != 8 || squeezed(strings.Join(lines[:4], "")) != squeezed(want) {
		t.Errorf("status %d: %s\n%s", code, out, errs)
	}
	if !strings.HasPrefix(lines[4], "latency: p50 ") || !strings.HasSuffix(lines[4], "; semantic: on\n") {
		t.Errorf("latency: %s", out)
	}
	if got := squeezed(strings.Join(lines[5:], "")); got != "CONFIDENCE N MEAN FOUND IN 5 from 0.7 3 0.70 1.00" {
		t.Errorf("confidence: %s", got)
	}
	run, err := os.ReadFile(path)
	if want := `{"qid":"q1","ids":["c1/3","c1/1"]}
{"qid":"q2","ids":["c1/1"]}
{"qid":"q4","ids":["c2/1"]}
`; string(run) != want {
		t.Errorf("run, %v: %s", err, run)
	}
	wanted := []string{"POST /v1/keys kith_secret"}
	for _, path := range []string{"sources", "sources", "sources", "explore", "explore", "explore", "explore", "explore", "explore"} {
		wanted = append(wanted, "POST /v1/"+path+" kith_team")
	}
	if diff := cmp.Diff(wanted, service.requests[:len(service.requests)-1]); diff != "" || !service.removed() {
		t.Errorf("requests (-want +got): %s%v", diff, service.requests)
	}
}

func TestEvalRecallCountsWhatFails(t *testing.T) {
	t.Parallel()
	service := &evalServer{explore: func(w http.ResponseWriter, request string) {
		if strings.Contains(request, "Which boats") {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		_, _ = io.WriteString(w, `{"meta":{"semantic":"off"},"episodic":{"messages":[{"entity_key":"c1/1"},{"entity_key":"c2/1"}]}}`)
	}}
	code, out, errs := runKith(t, service.handle, evalArgs(t, evalTurns, evalTurnQuestions, "")...)
	if code != 1 || !strings.Contains(out, " 4  50.0   75.0 ") || !strings.Contains(out, "semantic: off\n") {
		t.Errorf("status %d: %s", code, out)
	}
	if !strings.Contains(errs, "question q2: call POST /v1/explore: 500") || !strings.Contains(errs, "eval recall: questions that failed: 1") || !service.removed() {
		t.Errorf("%v: %s", service.requests, errs)
	}
}

func TestEvalRecallRemovesItsTeam(t *testing.T) {
	t.Parallel()
	stopped, stop := context.WithCancel(t.Context())
	for name, test := range map[string]struct {
		explore func(http.ResponseWriter, string)
		args    []string
		removed bool
		says    string
		code    int
	}{
		"the first question fails": {func(w http.ResponseWriter, _ string) { w.WriteHeader(http.StatusNotFound) }, nil, true, "404", 1},
		"stopped":                  {func(http.ResponseWriter, string) { stop() }, nil, true, "eval recall: call POST /v1/explore: ", 130},
		"kept":                     {func(w http.ResponseWriter, _ string) { w.WriteHeader(http.StatusNotFound) }, []string{"--keep"}, false, "kept: team eval-", 1},
	} {
		t.Run(name, func(t *testing.T) {
			service := &evalServer{explore: test.explore}
			server := httptest.NewServer(http.HandlerFunc(service.handle))
			defer server.Close()
			var errs bytes.Buffer
			args := evalArgs(t, evalTurns, evalTurnQuestions, "", test.args...)
			ctx := t.Context()
			if name == "stopped" {
				ctx = stopped
			}
			code := run(ctx, args, []string{"KITH_URL=" + server.URL, "KITH_KEY=kith_secret"}, streams{nil, io.Discard, &errs})
			if code != test.code || service.removed() != test.removed || !strings.Contains(errs.String(), test.says) {
				t.Errorf("status %d, %v: %s", code, service.requests, &errs)
			}
		})
	}
}

// evalStore is a real service whose answers to questions come from the test, which inspects the stored data.
type evalStore struct {
	*service
	team string // that was removed
	look func(c caller)
}

func (s *evalStore) handler(t *testing.T) http.HandlerFunc {
	t.Helper()
	target, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	through := httputil.NewSingleHostReverseProxy(target)
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/explore" {
			s.team, _ = strings.CutPrefix(r.URL.Path, "/v1/teams/")
			through.ServeHTTP(w, r)
			return
		}
		s.look(s.as(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")))
		_, _ = io.WriteString(w, `{"meta":{"semantic":"off"},"episodic":{}}`)
	}
}

func (s *evalStore) measure(t *testing.T, args []string) {
	t.Helper()
	server := httptest.NewServer(s.handler(t))
	defer server.Close()
	var errs bytes.Buffer
	if code := run(t.Context(), args, []string{"KITH_URL=" + server.URL, "KITH_KEY=" + bootstrapKey}, streams{nil, io.Discard, &errs}); code != 0 {
		t.Errorf("status %d: %s", code, &errs)
	}
	if n := neo4jNumber(t, `MATCH (n {team_id: $text}) RETURN count(n)`, s.team); n != 0 || !strings.HasPrefix(s.team, "eval-") {
		t.Errorf("team %s has %d nodes", s.team, n)
	}
}

func TestEvalStoresTurns(t *testing.T) {
	t.Parallel()
	s := &evalStore{service: shared(t)}
	looked := false
	s.look = func(c caller) {
		looked = true
		sources := c.must(t, http.MethodGet, "/v1/nodes/source?user_id=c1", "")
		var said []string
		for i := range 2 {
			key, _ := at(sources, "nodes", i, "entity_key").(string)
			conversation := c.must(t, http.MethodGet, "/v1/conversations/"+key+"?user_id=c1", "")
			for _, m := range conversation["messages"].([]any) {
				delete(m.(map[string]any), "seq")
				raw, _ := json.Marshal(m)
				said = append(said, string(raw))
			}
		}
		for _, want := range []string{
			`{"at":"2023-01-20T16:04:00Z","entity_key":"c1/1","name":"Ada","role":"user","text":"I sold the boat."}`,
			`{"at":"2023-01-20T16:04:01Z","entity_key":"c1/2","name":"Jon","role":"assistant","text":"Look at this. [photo: a red canoe]"}`,
			`{"at":"2023-03-03T09:00:00Z","entity_key":"c1/3","name":"Jon","role":"assistant","text":"Spring at last."}`,
		} {
			if !strings.Contains(strings.Join(said, "\n"), want) {
				t.Errorf("%s is not stored: %s", want, said)
			}
		}
		if n := len(said); n != 3 {
			t.Errorf("%d messages", n)
		}
	}
	if s.measure(t, evalArgs(t, evalTurns, evalTurnQuestions, "")); !looked {
		t.Error("nothing was asked")
	}
}

func TestEvalStoresPassages(t *testing.T) {
	t.Parallel()
	s := &evalStore{service: shared(t)}
	long := strings.Repeat("x", bounds.TextLength+1)
	looked := false
	s.look = func(c caller) {
		looked = true
		first := c.must(t, http.MethodGet, "/v1/nodes/source/p1?user_id=reader", "")
		for what, is := range map[string]bool{
			"name":         first["name"] == "Lighthouse of Orn",
			"summary":      first["summary"] == "It was built by Ida Moll.",
			"content type": first["content_type"] == "text-note",
			"ended":        first["ended_at"] != nil,
		} {
			if !is {
				t.Errorf("%s: %v", what, first)
			}
		}
		third := c.must(t, http.MethodGet, "/v1/conversations/p3?user_id=reader", "")
		if at(third, "messages", 0, "text") != long || third["summary"] == long {
			t.Errorf("the long text: %.200v", third)
		}
		team := c.must(t, http.MethodGet, "/v1/nodes/entity?user_id=reader", "")
		if got := names(team["nodes"], "name"); got != "Ida Moll Lighthouse of Orn Orn Terwick" {
			t.Errorf("entities: %s", got)
		}
		sum := sha256.Sum256([]byte("entity\x00ida moll"))
		entity := hex.EncodeToString(sum[:16])
		moll := c.must(t, http.MethodGet, "/v1/nodes/entity/"+entity+"/relationships?user_id=reader", "")
		raw, _ := json.Marshal(moll)
		for _, want := range []string{`"Lighthouse of Orn built by Ida Moll\nLighthouse of Orn named after ida  moll"`, `"Ida Moll born in Terwick"`, `"connected_to"`, `"mentions"`, `"p1"`, `"p2"`} {
			if !strings.Contains(string(raw), want) {
				t.Errorf("%s is not among %s", want, raw)
			}
		}
	}
	if s.measure(t, evalArgs(t, strings.Replace(evalPassages, "LONG", long, 1), evalPassageQuestions, evalPassageTriples)); !looked {
		t.Error("nothing was asked")
	}
}
