package e2e

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"kith/loader"
	"kith/tests/testenv"
)

// A reopened conversation has its start and its last messages, and is not part of its own past.
func TestAConversationThatGoesOn(t *testing.T) {
	t.Parallel()
	s := shared(t)
	c := s.as(s.newKey(t, testenv.Team(t), "read", "write"))
	c.must(t, http.MethodPost, "/v1/conversations", `{"user_id":"u1","conversation_id":"talk"}`)
	held := c.must(t, http.MethodGet, "/v1/conversations/talk", "")
	c.must(t, http.MethodPost, "/v1/conversations/talk/messages", `{"messages":[{"role":"user","text":"Hello"},{"role":"assistant","text":"Hi"},{"role":"user","text":"Jon is back"}]}`)

	open := func(more string) map[string]any {
		return c.must(t, http.MethodPost, "/v1/conversations", `{"user_id":"u1","conversation_id":"talk"`+more+`}`)["context"].(map[string]any)
	}
	again := open("")
	if at(again, "current_conversation", "started_at") != held["started_at"] || names(at(again, "current_conversation", "messages"), "text") != "Hello Hi Jon is back" {
		t.Errorf("opened again: %v, started at %v", at(again, "current_conversation"), held["started_at"])
	}
	if at(again, "temporal", "time_since_last_conversation") != nil || len(at(again, "recent_context", "sources").([]any)) != 0 {
		t.Errorf("the conversation is of its own past: %v", again)
	}
	if got := names(at(open(`,"messages":1`), "current_conversation", "messages"), "text"); got != "Jon is back" {
		t.Errorf("the last message: %s", got)
	}
	if got := at(open(`,"messages":0`), "current_conversation", "messages"); len(got.([]any)) != 0 {
		t.Errorf("no messages: %v", got)
	}
	if r := c.do(t, http.MethodPost, "/v1/conversations", `{"user_id":"u1","conversation_id":"talk","messages":201}`); r.status != http.StatusUnprocessableEntity || !strings.Contains(string(r.body), "body.messages") {
		t.Errorf("201 messages: %d %s", r.status, r.body)
	}

	text := c.do(t, http.MethodPost, "/v1/conversations", `{"user_id":"u1","conversation_id":"talk","format":"text","max_tokens":300}`)
	if body := string(text.body); text.status != http.StatusCreated || text.header.Get("Location") != "/v1/conversations/talk" || !strings.Contains(body, "This is the first conversation.") ||
		!strings.HasSuffix(body, "- **user**: Hello\n- **assistant**: Hi\n- **user**: Jon is back\n") {
		t.Errorf("as text: %d, %v: %s", text.status, text.header, body)
	}

	for path, first := range map[string]bool{"/v1/context?user_id=u1&conversation_id=talk": true, "/v1/context?user_id=u1&conversation_id=other": false} {
		object := c.must(t, http.MethodGet, path, "")
		if (at(object, "temporal", "time_since_last_conversation") == nil) != first || (len(at(object, "recent_context", "sources").([]any)) == 0) != first {
			t.Errorf("%s: %v", path, object)
		}
	}

	// Another user has a conversation of its own with the same key.
	other := c.do(t, http.MethodPost, "/v1/conversations", `{"user_id":"u2","conversation_id":"talk"}`)
	if body := string(other.body); other.status != http.StatusCreated || strings.Contains(body, "Jon") || !strings.Contains(body, `"messages":[]`) || !strings.Contains(body, `"conversation_id":"talk"`) {
		t.Errorf("another user's: %d %s", other.status, body)
	}
	c.must(t, http.MethodPost, "/v1/conversations/talk/messages", `{"user_id":"u2","messages":[{"role":"user","text":"Mine"}]}`)
	for user, want := range map[string]string{"u1": "Hello Hi Jon is back", "u2": "Mine"} {
		if got := names(c.must(t, http.MethodGet, "/v1/conversations/talk?user_id="+user, "")["messages"], "text"); got != want {
			t.Errorf("the conversation of %s: %s", user, got)
		}
	}
}

// Filled items appear as soon as they are written, and disappear as soon as they are deleted, also from caches.
func TestWhatFillsRoomIsRenewed(t *testing.T) {
	t.Parallel()
	s := shared(t)
	c := s.as(s.newKey(t, testenv.Team(t), "read", "write"))
	read := func() (filled, tag string) {
		r := c.do(t, http.MethodGet, "/v1/context?user_id=u1&format=text", "")
		return string(r.body), r.header.Get("ETag")
	}
	c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[{"kind":"person","entity_key":"a","name":"Ada","is_owner":true,"notes":[{"content":"allergic to nuts"}]},
		{"kind":"person","entity_key":"g","name":"Grace","state":"candidate"},{"kind":"concept","entity_key":"sail","name":"Sail","is_goal":true,"state":"candidate"}]}`)
	first, tag := read()
	if !strings.Contains(first, "- **Grace** (Person) (new, unconfirmed)\n") || !strings.Contains(first, "- **Sail** (new, unconfirmed)\n") || !strings.Contains(first, "- **Ada**: allergic to nuts\n") {
		t.Errorf("nothing fills room: %s", first)
	}
	if again, same := read(); again != first || same != tag {
		t.Errorf("read again: %s, %s", again, same)
	}
	c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[{"kind":"person","entity_key":"g","state":"active"}]}`)
	second, renewed := read()
	if !strings.Contains(second, "- **Grace** (Person) (no relationship stated)\n") || renewed == tag {
		t.Errorf("after a change: %s, ETag %s, before %s", second, renewed, tag)
	}
	c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[{"kind":"person","entity_key":"g","state":"archived"}]}`)
	third := c.must(t, http.MethodGet, "/v1/context?user_id=u1", "")
	if len(at(third, "relationships").([]any)) != 0 || at(third, "meta", "not_shown", 0, "reason") != "archived" || at(third, "meta", "not_shown", 0, "count") != 1.0 {
		t.Errorf("archived: %v", third)
	}
}

// A context distinguishes a user without a memory from one with a small memory.
func TestAUserWithoutMemory(t *testing.T) {
	t.Parallel()
	s := shared(t)
	key := s.newKey(t, testenv.Team(t), "read", "write")
	environ := []string{"KITH_URL=" + s.url, "KITH_KEY=" + key}
	s.as(key).must(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[{"kind":"person","name":"Grace"}]}`)
	for user, hinted := range map[string]bool{"nobody": true, "u1": false} {
		for _, args := range [][]string{{"context", user}, {"context", user, "--json"}} {
			var out, errs bytes.Buffer
			code := run(t.Context(), args, environ, streams{nil, &out, &errs})
			if code != 0 || strings.Contains(out.String(), loader.NothingKnown) != hinted || strings.Contains(errs.String(), "nothing is stored for this user") != hinted {
				t.Errorf("kith %v: %d, %s, hint %q", args, code, out.String(), errs.String())
			}
		}
	}
}
