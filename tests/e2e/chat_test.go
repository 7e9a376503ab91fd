package e2e

import (
	"bufio"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	program "kith/cmd/kith/command"
	"kith/tests/testenv"
)

// openEvents opens the stream of a turn's events.
func openEvents(t *testing.T, c caller, turn string) *bufio.Scanner {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.url+"/v1/turns/"+turn+"/events?user_id=u1", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+c.key)
	response, err := c.client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	return bufio.NewScanner(response.Body)
}

// Without a model kith serve stores chats and refuses to generate. An open stream of events does not delay shutdown.
func TestServeKeepsChats(t *testing.T) {
	t.Parallel()
	s := shared(t)
	c := s.as(s.newKey(t, testenv.Team(t), "read", "write"))
	tree := c.must(t, http.MethodPost, "/v1/trees", `{"user_id":"u1"}`)
	if tree["availability"] != "unavailable" {
		t.Errorf("availability: %v", tree["availability"])
	}
	turns := "/v1/trees/" + tree["id"].(string) + "/turns"
	if r := c.do(t, http.MethodPost, turns, `{"user_id":"u1","user_prompt":"x"}`); r.status != http.StatusNotImplemented {
		t.Errorf("generate: %d %s", r.status, r.body)
	}
	turn := c.must(t, http.MethodPost, turns, `{"user_id":"u1","user_prompt":"x","generate":false}`)["id"].(string)
	lines := openEvents(t, c, turn)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "data: ") {
	}
	if !strings.Contains(lines.Text(), `"status":"pending"`) {
		t.Fatalf("events: %s", lines.Text())
	}
	begun := time.Now()
	if code := s.stop(); code != 0 || time.Since(begun) > program.DrainTime/2 {
		t.Errorf("stopped with %d after %v", code, time.Since(begun))
	}
	for lines.Scan() { // to the end of the stream
	}
	if err := lines.Err(); err != nil {
		t.Errorf("the stream broke off: %v", err)
	}
}

// waitForTurn returns a turn as soon as it has ended.
func waitForTurn(t *testing.T, c caller, id string) (turn map[string]any) {
	t.Helper()
	eventually(t, time.Minute, "the turn ends", func() bool {
		turn = c.must(t, http.MethodGet, "/v1/turns/"+id+"?user_id=u1", "")
		return turn["status"] != "generating"
	})
	return turn
}

// A turn reports the outcome of each request to the model. It can be retried when the model works again.
func TestServeGenerates(t *testing.T) {
	t.Parallel()
	model, s := startWithModel(t)
	c := s.as(s.newKey(t, testenv.Team(t), "read", "write"))
	c.must(t, http.MethodPost, "/v1/trees", `{"user_id":"u1","id":"t","system_prompt":"Be brief."}`)
	parent := "null"
	for _, one := range []struct {
		what, reason string // empty: it is answered
		script       []http.HandlerFunc
	}{
		{"streams", "", []http.HandlerFunc{streamText("A bowline holds.")}},
		{"too busy", "", []http.HandlerFunc{failWith(429), streamText("A bowline holds.")}},
		{"fails once", "", []http.HandlerFunc{failWith(500), streamText("A bowline holds.")}},
		{"fails", "status 500", []http.HandlerFunc{failWith(500), failWith(500), failWith(500), failWith(500)}},
		{"refuses", "status 401", []http.HandlerFunc{failWith(401)}},
		{"answers garbage", "not an event stream", []http.HandlerFunc{func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>" + modelKey)) }}},
		{"stalls", "no answer in time", []http.HandlerFunc{stall}},
		{"breaks off", "or broke", []http.HandlerFunc{breakConnection}},
	} {
		model.setScript(one.script...)
		id := strings.ReplaceAll(one.what, " ", "-")
		c.must(t, http.MethodPost, "/v1/trees/t/turns", `{"user_id":"u1","id":"`+id+`","parent_id":`+parent+`,"user_prompt":"`+one.what+`"}`)
		turn := waitForTurn(t, c, id)
		if one.reason != "" {
			if reason, _ := turn["error"].(string); turn["status"] != "error" || turn["assistant_text"] != nil || !strings.Contains(reason, one.reason) {
				t.Errorf("%s: %v", one.what, turn)
			}
			model.setScript(streamText("A bowline holds."))
			c.must(t, http.MethodPost, "/v1/turns/"+id+"/retry?user_id=u1", "")
			turn = waitForTurn(t, c, id)
		}
		if turn["status"] != "complete" || turn["assistant_text"] != "A bowline holds." || turn["provider_id"] != "tiny-2" || turn["error"] != nil {
			t.Errorf("%s: %v", one.what, turn)
		}
		if asked := model.requests(); asked[len(asked)-1] != one.what {
			t.Errorf("%s: asked %q", one.what, asked)
		}
		parent = `"` + id + `"`
	}
	told := c.must(t, http.MethodGet, "/v1/turns/breaks-off/prompt?user_id=u1", "")
	if messages := told["messages"].([]any); len(messages) != 16 || at(messages, 0, "text") != "Be brief." || at(messages, 2, "role") != "assistant" {
		t.Errorf("told: %v", told)
	}
	s.neverLogged(t, modelKey, "bowline", model.URL)
}

// Text is sent while the model streams. A cancel ends the request to the model.
func TestServeStreamsAndCancels(t *testing.T) {
	t.Parallel()
	model, s := startWithModel(t)
	c := s.as(s.newKey(t, testenv.Team(t), "read", "write"))
	c.must(t, http.MethodPost, "/v1/trees", `{"user_id":"u1","id":"t"}`)
	over := make(chan struct{})
	model.setScript(func(w http.ResponseWriter, r *http.Request) {
		stall(w, r)
		close(over)
	})
	c.must(t, http.MethodPost, "/v1/trees/t/turns", `{"user_id":"u1","id":"c","user_prompt":"x"}`)
	var told []string
	for lines := openEvents(t, c, "c"); lines.Scan(); {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			told = append(told, data)
		}
		if len(told) == 2 && lines.Text() == "" { // its first text is there
			c.must(t, http.MethodPost, "/v1/turns/c/cancel?user_id=u1", "")
		}
	}
	want := []string{`{"turn_id":"c","status":"generating","attempt":1}`, `{"text":"{"}`, `{"turn_id":"c","status":"cancelled","attempt":1}`}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Error(diff)
	}
	<-over
}

// Search and context never return chats.
func TestChatsAreNotOfTheMemory(t *testing.T) {
	t.Parallel()
	s := shared(t)
	c := s.as(s.newKey(t, testenv.Team(t), "read", "write"))
	c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[{"kind":"concept","entity_key":"k","name":"halyard"}]}`)
	c.must(t, http.MethodPost, "/v1/trees", `{"user_id":"u1","id":"t","name":"halyard"}`)
	c.must(t, http.MethodPost, "/v1/trees/t/turns", `{"user_id":"u1","id":"c","user_prompt":"halyard @Concept:k","generate":false}`)
	c.must(t, http.MethodPatch, "/v1/turns/c", `{"user_id":"u1","assistant_text":"halyard"}`)
	found := c.must(t, http.MethodPost, "/v1/explore", `{"user_id":"u1","queries":[{"query":"halyard"}],"text_matches":["halyard"],"kinds":["concept","source","message"]}`)
	if got := fmt.Sprint(found["semantic"], found["episodic"]); !strings.Contains(got, "entity_key:k ") || strings.Contains(got, "entity_key:c ") || strings.Contains(got, "entity_key:t ") {
		t.Errorf("found: %s", got)
	}
	for statement, rows := range map[string]int{"MATCH (n) WHERE n.name = 'halyard' RETURN n.name": 1, "MATCH (n:ChatTurn) RETURN n.prompt": 0, "MATCH (n:ChatTree) RETURN n.name": 0} {
		got := c.must(t, http.MethodPost, "/v1/traverse", `{"user_id":"u1","mode":"cypher","cypher":"`+statement+` LIMIT 9"}`)
		if len(got["rows"].([]any)) != rows {
			t.Errorf("%s: %v", statement, got)
		}
	}
	for _, path := range []string{"/v1/nodes/chat_turn/c", "/v1/nodes/concept/c", "/v1/nodes/chat_tree/t"} {
		if r := c.do(t, http.MethodGet, path+"?user_id=u1", ""); r.status != http.StatusNotFound {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
	}
	if r := c.do(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","strict":true,"nodes":[],"relationships":[{"from":"k","to":"c","type":"relates_to"}]}`); r.status < 400 {
		t.Errorf("a relationship to a turn: %d %s", r.status, r.body)
	}
}
