package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"kith/tests/testenv"
)

// languageModel is an OpenAI-compatible server that handles each request with the next handler of its script.
type languageModel struct {
	*httptest.Server
	mu     sync.Mutex
	script []http.HandlerFunc
	asked  []string // the last message of each request
}

const modelKey = "sk-the-key-of-the-model"

func startModel(t *testing.T) *languageModel {
	t.Helper()
	m := &languageModel{}
	m.Server = httptest.NewServer(m)
	t.Cleanup(func() {
		m.CloseClientConnections()
		m.Close()
	})
	return m
}

func (m *languageModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Model    string
		Messages []struct{ Role, Content string }
	}
	err := json.NewDecoder(r.Body).Decode(&request)
	if err != nil || r.URL.Path != "/v1/chat/completions" || request.Model != "tiny" || r.Header.Get("Authorization") != "Bearer "+modelKey {
		http.Error(w, "not a request as it should be", http.StatusTeapot)
		return
	}
	m.mu.Lock()
	m.asked = append(m.asked, request.Messages[len(request.Messages)-1].Content)
	next := streamText("out of script")
	if len(m.script) > 0 {
		next, m.script = m.script[0], m.script[1:]
	}
	m.mu.Unlock()
	next(w, r)
}

// setScript sets the handlers of the next requests.
func (m *languageModel) setScript(script ...http.HandlerFunc) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.script, m.asked = script, nil
}

func (m *languageModel) requests() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked
}

// streamText returns a handler that streams a text word by word.
func streamText(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, word := range strings.SplitAfter(text, " ") {
			piece, _ := json.Marshal(word)
			_, _ = fmt.Fprintf(w, `data: {"model":"tiny-2","choices":[{"index":0,"delta":{"content":%s}}]}`+"\n\n", piece)
			w.(http.Flusher).Flush()
		}
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}
}

func failWith(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, modelKey, status) }
}

// stall begins an answer and never ends it.
func stall(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"{"}}]}`+"\n\n")
	w.(http.Flusher).Flush()
	<-r.Context().Done()
}

// breakConnection closes the connection in the middle of an answer.
func breakConnection(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"{"}}]}`+"\n\n")
	w.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}

const proposals = `{"summary":"Jon is back from sea.","nodes":[
	{"ref":"a","kind":"person","name":"Jon","type":"","description":"her brother"},
	{"ref":"b","kind":"entity","name":"Quay 4","type":"place","description":""}],
	"relationships":[
	{"from":"user","to":"a","type":"has_relationship_with","description":"siblings","attitude":5,"proximity":5},
	{"from":"a","to":"b","type":"associated_with","description":"his ship lies there","attitude":null,"proximity":null}]}`

// startWithModel starts a service with a language model and further settings.
func startWithModel(t *testing.T, environ ...string) (*languageModel, *service) {
	t.Helper()
	model := startModel(t)
	return model, start(t, append(append(settings(testenv.Neo4j(t), testenv.Redis(t)),
		"KITH_LLM_URL="+model.URL+"/v1", "KITH_LLM_KEY="+modelKey, "KITH_LLM_MODEL=tiny", "KITH_LLM_TIMEOUT=3s"), environ...))
}

func TestSourceIsExtracted(t *testing.T) {
	t.Parallel()
	model, s := startWithModel(t)
	c := s.as(s.newKey(t, testenv.Team(t), "read", "write"))
	c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[{"kind":"person","entity_key":"me","name":"Ada","is_owner":true}]}`)
	post := func(key string) map[string]any {
		t.Helper()
		return c.must(t, http.MethodPost, "/v1/sources?extract=true", `{"user_id":"u1","entity_key":"`+key+`","messages":[{"role":"user","text":"Jon is back at Quay 4."}]}`)
	}

	model.setScript(failWith(503), streamText("I think that Jon"), streamText("```json\n"+proposals+"\n```"))
	got := post("s-1")
	if at(got, "extraction", "status") != "extracted" || at(got, "extraction", "provider_id") != "tiny-2" ||
		names(at(got, "extraction", "nodes"), "name") != "Jon Quay 4" || names(at(got, "extraction", "relationships"), "status") != "created created" {
		t.Errorf("answered %v", got)
	}
	if asked := model.requests(); len(asked) != 3 || !strings.Contains(asked[0], "Jon is back at Quay 4.") || !strings.Contains(asked[2], "invalid JSON") {
		t.Errorf("asked %q", asked)
	}
	jon := at(got, "extraction", "nodes", 0, "entity_key").(string)
	node := c.must(t, http.MethodGet, "/v1/nodes/person/"+jon+"?user_id=u1", "")
	if node["description"] != "her brother" || names(node["relationships"], "description") == "" {
		t.Errorf("Jon: %v", node)
	}
	source := c.must(t, http.MethodGet, "/v1/conversations/s-1", "")
	if source["processing_status"] != "extracted" || source["summary"] != "Jon is back from sea." || names(source["messages"], "text") != "Jon is back at Quay 4." {
		t.Errorf("source: %v", source)
	}
	if key := names(at(c.must(t, http.MethodGet, "/v1/context?user_id=u1", ""), "recent_context", "sources", 0, "key_entities"), "name"); key != "Jon Quay 4" && key != "Quay 4 Jon" {
		t.Errorf("the context mentions %q", key)
	}
	if lines := string(c.do(t, http.MethodGet, "/v1/export", "").body); strings.Count(lines, `"created_by":"llm"`) != 2 || strings.Count(lines, `"recorded_by":"llm"`) != 2 {
		t.Errorf("authors: %s", lines)
	}

	for what, one := range map[string]struct {
		script []http.HandlerFunc
		reason string
	}{
		"garbage twice":   {[]http.HandlerFunc{streamText("none"), streamText("none")}, "invalid JSON"},
		"refused":         {[]http.HandlerFunc{failWith(401)}, "status 401"},
		"a stall":         {[]http.HandlerFunc{stall}, "no answer in time"},
		"a cut":           {[]http.HandlerFunc{breakConnection}, "connection failed or broke"},
		"away":            {[]http.HandlerFunc{failWith(500), failWith(500), failWith(500), failWith(500)}, "status 500"},
		"another purpose": {[]http.HandlerFunc{streamText(`{"nodes":[{"ref":"x","kind":"source","name":"x","type":"","description":""}],"relationships":[]}`), streamText("{}")}, "must be lists"},
	} {
		model.setScript(one.script...)
		key := "s " + what
		got := post(strings.ReplaceAll(key, " ", "-"))
		reason, _ := at(got, "extraction", "error").(string)
		if got["status"] != "created" || at(got, "extraction", "status") != "failed" || !strings.Contains(reason, one.reason) {
			t.Errorf("%s: %v", what, got)
		}
		source := c.must(t, http.MethodGet, "/v1/conversations/"+strings.ReplaceAll(key, " ", "-"), "")
		if source["processing_status"] != "failed" || source["processing_error"] != reason || source["summary"] != "" || names(source["messages"], "text") == "" {
			t.Errorf("%s: the source says %v", what, source)
		}
	}
	s.neverLogged(t, modelKey, "Quay 4", "siblings", model.URL)
}

// A repeated request is read by the model once, unless reading failed.
func TestExtractionIsRepeated(t *testing.T) {
	t.Parallel()
	model, s := startWithModel(t)
	c := s.as(s.newKey(t, testenv.Team(t), "read", "write"))
	post := func() reply {
		return c.do(t, http.MethodPost, "/v1/sources?extract=true", `{"user_id":"u1","messages":[{"role":"user","text":"x"}]}`, "Idempotency-Key", "k")
	}
	model.setScript(streamText("none"), streamText("none"))
	if r := post(); at(r.object(t), "extraction", "status") != "failed" {
		t.Errorf("%s", r.body)
	}
	model.setScript(streamText(proposals))
	if r := post(); r.header.Get("Idempotency-Replayed") != "true" || at(r.object(t), "extraction", "status") != "extracted" {
		t.Errorf("%s", r.body)
	}
	model.setScript()
	if r := post(); r.status != http.StatusOK || len(model.requests()) != 0 {
		t.Errorf("%d %s, asked %d times", r.status, r.body, len(model.requests()))
	}
}

const systemProposals = `{"entities":[{"name":"checkout","type":"service","description":"takes payments","tags":["go"]}],
	"relationships":[{"from":"checkout","to":"ledger","type":"writes","properties":{"pool":1.0}},{"from":"checkout","to":"nowhere","type":"calls"}]}`

// A text about a system is read by the model and merged like a caller's memory, over HTTP and over MCP.
func TestSystemIsExtracted(t *testing.T) {
	t.Parallel()
	model, s := startWithModel(t)
	key := s.newKey(t, testenv.Team(t), "read", "write")
	c, a := s.as(key), s.agent(t, key)
	c.must(t, http.MethodPost, "/v1/systems/shop/memory", `{"entities":[{"name":"ledger","type":"data store","description":"hidden"}]}`)
	const memory = "/v1/systems/shop/memory"

	model.setScript(streamText("The checkout"), streamText("```json\n"+systemProposals+"\n```"))
	got := c.must(t, http.MethodPost, memory, `{"extract":"checkout writes to ledger"}`)
	if at(got, "extraction", "status") != "extracted" || at(got, "extraction", "provider_id") != "tiny-2" || names(got["entities"], "status") != "added" ||
		names(got["relationships"], "status") != "added refused" || fmt.Sprint(got["warnings"]) != "[relationships[1].to: entity not found]" {
		t.Errorf("answered %v", got)
	}
	if asked := model.requests(); len(asked) != 2 || !strings.Contains(asked[0], "checkout writes to ledger") || !strings.Contains(asked[0], `"ledger"`) || strings.Contains(asked[0], "hidden") {
		t.Errorf("asked %q", asked)
	}
	file := c.do(t, http.MethodGet, memory, "").body
	if !strings.Contains(string(file), `"description": "takes payments"`) || !strings.Contains(string(file), `"pool": 1.0`) || !strings.Contains(string(file), `"hidden"`) {
		t.Errorf("%s", file)
	}
	model.setScript(streamText(systemProposals))
	a.says(t, "merge_system", `{"system":"shop","extract":"the same"}`, "Stored 2 of 3: 0 added, 0 updated, 2 unchanged.", "relationships[1].to: entity not found")

	for what, one := range map[string]struct {
		body, reason string
		script       []http.HandlerFunc
	}{
		"garbage twice": {`{"extract":"x"}`, "invalid JSON", []http.HandlerFunc{streamText("none"), streamText("none")}},
		"a stall":       {`{"extract":"x"}`, "no answer in time", []http.HandlerFunc{stall}},
		"refused":       {`{"extract":"x"}`, "status 401", []http.HandlerFunc{failWith(401)}},
		"strict":        {`{"strict":true,"extract":"x"}`, "relationships[1].to", []http.HandlerFunc{streamText(systemProposals)}},
	} {
		model.setScript(one.script...)
		got := c.must(t, http.MethodPost, memory, one.body)
		reason, _ := at(got, "extraction", "error").(string)
		if at(got, "extraction", "status") != "failed" || !strings.Contains(reason, one.reason) || len(got["entities"].([]any)) != 0 {
			t.Errorf("%s: %v", what, got)
		}
	}
	model.setScript(failWith(401))
	a.says(t, "merge_system", `{"system":"shop","extract":"x"}`, "error: Nothing is stored", "status 401")
	for _, body := range []string{`{"extract":" "}`, `{"extract":"x","entities":[{"name":"a","type":"t"}]}`, `{"extract":"` + strings.Repeat("x", 96<<10+1) + `"}`} {
		if r := c.do(t, http.MethodPost, memory, body); r.status != http.StatusUnprocessableEntity || !strings.Contains(string(r.body), "body.extract") {
			t.Errorf("%.50s: %d %s", body, r.status, r.body)
		}
	}
	if now := c.do(t, http.MethodGet, memory, "").body; string(now) != string(file) {
		t.Errorf("changed: %s", now)
	}
	s.neverLogged(t, modelKey, "takes payments", "ledger", model.URL)
}

func TestConversationIsSummedUp(t *testing.T) {
	t.Parallel()
	model, s := startWithModel(t)
	c := s.as(s.newKey(t, testenv.Team(t), "read", "write"))
	hold := func(messages string) string {
		t.Helper()
		id := c.must(t, http.MethodPost, "/v1/conversations", `{"user_id":"u1"}`)["conversation_id"].(string)
		if messages != "" {
			c.must(t, http.MethodPost, "/v1/conversations/"+id+"/messages", `{"messages":[{"role":"user","text":"`+messages+`"}]}`)
		}
		return id
	}
	end := func(id, body string) (ended, stored map[string]any) {
		t.Helper()
		ended = c.must(t, http.MethodPost, "/v1/conversations/"+id+"/end", body)
		return ended, c.must(t, http.MethodGet, "/v1/conversations/"+id, "")
	}

	model.setScript(streamText("Jon is back."))
	id := hold("Jon is back")
	c.must(t, http.MethodGet, "/v1/context?user_id=u1", "") // is kept, and goes with the summary
	ended, stored := end(id, `{}`)
	if ended["summary"] != "Jon is back." || stored["summary"] != "Jon is back." || stored["processing_status"] != "processed" || stored["ended_at"] == nil {
		t.Errorf("%v %v", ended, stored)
	}
	if got := at(c.must(t, http.MethodGet, "/v1/context?user_id=u1", ""), "recent_context", "sources", 0, "summary"); got != "Jon is back." {
		t.Errorf("the context says %v", got)
	}
	for what, one := range map[string]struct{ messages, body, summary string }{
		"nothing said":    {"", `{}`, ""},
		"a summary given": {"x", `{"summary":"by hand"}`, "by hand"},
		"none wanted":     {"x", `{"summary":null}`, ""},
	} {
		model.setScript()
		ended, stored := end(hold(one.messages), one.body)
		if stored["summary"] != one.summary || ended["summary"] != nil || len(model.requests()) != 0 {
			t.Errorf("%s: %v %v, asked %d times", what, ended, stored, len(model.requests()))
		}
	}
	model.setScript()
	if ended, stored := end(id, `{}`); stored["summary"] != "Jon is back." || len(model.requests()) != 0 || ended["summary"] != nil {
		t.Errorf("ended again: %v %v", ended, stored)
	}
	for what, fault := range map[string]http.HandlerFunc{"stall": stall, "refusal": failWith(403), "cut": breakConnection} {
		model.setScript(fault)
		ended, stored := end(hold("x"), `{}`)
		if stored["ended_at"] == nil || stored["summary"] != "" || !strings.Contains(fmt.Sprint(ended["warnings"]), "summary: the conversation has none") {
			t.Errorf("%s: %v %v", what, ended, stored)
		}
	}
}

func TestWithoutALanguageModel(t *testing.T) {
	t.Parallel()
	s := shared(t)
	c := s.as(s.newKey(t, testenv.Team(t), "read", "write"))
	r := c.do(t, http.MethodPost, "/v1/sources?extract=true", `{"user_id":"u1","entity_key":"s","messages":[{"role":"user","text":"x"}]}`)
	if r.status != http.StatusNotImplemented || at(r.object(t), "type") != "urn:kith:problem:no-language-model" {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := c.do(t, http.MethodGet, "/v1/conversations/s", ""); r.status != http.StatusNotFound {
		t.Errorf("the source was stored: %d", r.status)
	}
	if r := c.do(t, http.MethodPost, "/v1/systems/shop/memory", `{"extract":"x"}`); r.status != http.StatusNotImplemented || at(r.object(t), "type") != "urn:kith:problem:no-language-model" {
		t.Errorf("a system: %d %s", r.status, r.body)
	}
	id := c.must(t, http.MethodPost, "/v1/conversations", `{"user_id":"u1"}`)["conversation_id"].(string)
	if ended := c.must(t, http.MethodPost, "/v1/conversations/"+id+"/end", `{}`); len(ended["warnings"].([]any)) != 0 {
		t.Errorf("ended: %v", ended)
	}
}

func TestLanguageModelIsChecked(t *testing.T) {
	t.Parallel()
	const url = "KITH_LLM_URL=http://127.0.0.1:1/v1"
	for want, environ := range map[string][]string{
		"KITH_LLM_MODEL is":    {url},
		"without KITH_LLM_URL": {"KITH_LLM_KEY=hidden"},
		"invalid characters":   {url, "KITH_LLM_MODEL=m", "KITH_LLM_KEY=hidden\nhidden"},
	} {
		environ = append(environ, "KITH_LISTEN=127.0.0.1:0", "KITH_ADMIN_LISTEN=127.0.0.1:0", "KITH_DATA="+t.TempDir(), "KITH_NEO4J_URI=bolt://127.0.0.1:1")
		if code, out := command(t, environ, "serve"); code != 1 || !strings.Contains(out, want) || strings.Contains(out, "hidden") {
			t.Errorf("%d, want %q: %s", code, want, out)
		}
	}
}
