package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"kith/tests/testenv"
)

// A memory is written, a conversation is opened, held and ended, and the next conversation knows of it.
func TestAContextAtConversationStart(t *testing.T) {
	t.Parallel()
	s := shared(t)
	team := testenv.Team(t)
	c := s.as(s.newKey(t, team, "read", "write"))

	empty := c.must(t, http.MethodGet, "/v1/context?user_id=u1", "")
	if at(empty, "user", "owner_person_node") != nil || at(empty, "temporal", "time_since_last_conversation") != nil {
		t.Errorf("somebody nobody knows: %v", empty)
	}
	c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[
		{"kind":"person","entity_key":"p-ada","name":"Ada","canonical_name":"ada","is_owner":true,"description":"Keeps the tide tables"},
		{"kind":"person","entity_key":"p-jon","name":"Jon","state":"active","salience":0.6},
		{"kind":"entity","entity_key":"e-quay","name":"Quay 4","type":"place","state":"active","salience":0.7},
		{"kind":"concept","entity_key":"c-goal","name":"Sail to Hvar","description":"The GOAL of the year","state":"active","last_accessed_at":"`+stamp(-time.Hour)+`"},
		{"kind":"concept","entity_key":"c-creed","name":"Measure twice","state":"core","ttl_policy":"keep_forever","salience":0.9}],
		"relationships":[
		{"from":"p-ada","to":"p-jon","type":"has_relationship_with","description":"her brother, back from sea","salience":0.85,"attitude":5,"proximity":5},
		{"from":"p-ada","to":"e-quay","type":"associated_with","description":"where she works","salience":0.92}]}`)
	c.must(t, http.MethodPut, "/v1/users/u1/preferences", `{"preferences":[{"key":"time_zone","value":"Europe/Zagreb"},{"key":"conversation_style","value":"direct"}]}`)

	opened := c.must(t, http.MethodPost, "/v1/conversations", `{"user_id":"u1","context_type":"planning"}`)
	id := opened["conversation_id"].(string)
	if got := at(opened, "context", "current_conversation", "conversation_id"); got != id {
		t.Errorf("current conversation %v, opened %v", got, id)
	}
	if got := names(at(opened, "context", "relationships"), "node", "name"); got != "Quay 4 Jon" {
		t.Errorf("relationships: %s", got)
	}
	c.must(t, http.MethodPost, "/v1/conversations/"+id+"/messages", `{"messages":[{"role":"user","text":"Jon is back."},{"role":"assistant","text":"For good?"}]}`)
	c.must(t, http.MethodPost, "/v1/conversations/"+id+"/end", `{"summary":"Jon is back from sea.","mentions":["p-jon"]}`)

	next := c.must(t, http.MethodGet, "/v1/context?user_id=u1", "")
	for what, check := range map[string]bool{
		"owner":         at(next, "user", "owner_person_node", "name") == "Ada",
		"goal":          names(at(next, "user", "primary_goals"), "entity_key") == "c-goal",
		"belief":        names(at(next, "user", "core_beliefs"), "entity_key") == "c-creed",
		"preferences":   names(at(next, "user", "preferences"), "key") == "conversation_style time_zone",
		"mentions":      at(next, "relationships", 1, "recent_mentions") == 1.0,
		"node type":     at(next, "relationships", 0, "node_type") == "Entity",
		"how related":   at(next, "relationships", 1, "relationship_description") == "her brother, back from sea",
		"summary":       at(next, "recent_context", "sources", 0, "summary") == "Jon is back from sea.",
		"key entities":  names(at(next, "recent_context", "sources", 0, "key_entities"), "name") == "Jon",
		"ended":         at(next, "recent_context", "sources", 0, "ended_at") != nil,
		"last type":     at(next, "temporal", "last_conversation_type") == "planning",
		"zone":          at(next, "temporal", "time_zone") == "Europe/Zagreb",
		"no other part": at(next, "current_conversation") == nil && at(next, "degraded") == nil,
	} {
		if !check {
			t.Errorf("%s: %v", what, next)
		}
	}
	held := c.must(t, http.MethodGet, "/v1/conversations/"+id, "")
	if got := names(held["messages"], "text"); got != "Jon is back. For good?" {
		t.Errorf("messages: %s", got)
	}
	c.must(t, http.MethodPost, "/v1/conversations", `{"user_id":"u1","conversation_id":"`+id+`"}`)
	if again := c.must(t, http.MethodGet, "/v1/conversations/"+id, ""); again["started_at"] != held["started_at"] || again["ended_at"] != held["ended_at"] {
		t.Errorf("opened again: %v, before %v", again, held)
	}
	text := string(c.do(t, http.MethodGet, "/v1/context?user_id=u1&format=text&max_tokens=200", "").body)
	if !strings.HasPrefix(text, "# About Ada\n") || !strings.Contains(text, "## Now") {
		t.Errorf("text: %s", text)
	}
	if !strings.Contains(s.err.String(), "level=DEBUG") {
		t.Fatal("the log is not that of debug level: the next check would see nothing")
	}
	s.neverLogged(t, c.key, bootstrapKey, testenv.Neo4j(t).Password, "her brother", "Jon is back")
}

func stamp(ago time.Duration) string { return time.Now().Add(ago).UTC().Format(time.RFC3339) }

func TestOneSeesNothingOfAnother(t *testing.T) {
	t.Parallel()
	s := shared(t)
	one, two := s.as(s.newKey(t, testenv.Team(t), "read", "write")), s.as(s.newKey(t, testenv.Team(t), "read", "write"))
	one.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[{"kind":"person","entity_key":"p","name":"Ada","is_owner":true}]}`)
	id := one.must(t, http.MethodPost, "/v1/conversations", `{"user_id":"u1"}`)["conversation_id"].(string)

	unknown := two.do(t, http.MethodGet, "/v1/conversations/none", "")
	foreign := two.do(t, http.MethodGet, "/v1/conversations/"+id, "")
	if unknown.status != http.StatusNotFound || foreign.status != http.StatusNotFound || string(unknown.body) != string(foreign.body) {
		t.Errorf("unknown: %d %s, foreign: %d %s", unknown.status, unknown.body, foreign.status, foreign.body)
	}
	if r := one.do(t, http.MethodGet, "/v1/conversations/"+id+"?user_id=u2", ""); r.status != http.StatusNotFound {
		t.Errorf("another user of the team reads the conversation: %d", r.status)
	}
	if owner := at(two.must(t, http.MethodGet, "/v1/context?user_id=u1", ""), "user", "owner_person_node"); owner != nil {
		t.Errorf("another team sees %v", owner)
	}
	if owner := at(one.must(t, http.MethodGet, "/v1/context?user_id=u2", ""), "user", "owner_person_node"); owner != nil {
		t.Errorf("another user sees %v", owner)
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	s := shared(t)
	team := testenv.Team(t)
	reader, bound := s.as(s.newKey(t, team, "read")), s.as("")
	reader.awaitReady(t)
	bound.key = s.as(bootstrapKey).must(t, http.MethodPost, "/v1/keys", `{"team_id":"`+team+`","user_id":"u1","scopes":["read","write"]}`)["key"].(string)
	const write = `{"user_id":"u2","nodes":[]}`
	for _, c := range []struct {
		what, method, path, body string
		by                       caller
		status                   int
	}{
		{"no key", http.MethodGet, "/v1/context?user_id=u1", "", s.as(""), 401},
		{"a wrong key", http.MethodGet, "/v1/context?user_id=u1", "", s.as("kith_wrong"), 401},
		{"no key for a path that is not there", http.MethodGet, "/v1/none", "", s.as(""), 401},
		{"a reader reads", http.MethodGet, "/v1/context?user_id=u1", "", reader, 200},
		{"a reader writes", http.MethodPost, "/v1/memory", `{"user_id":"u1"}`, reader, 403},
		{"a reader opens", http.MethodPost, "/v1/conversations", `{"user_id":"u1"}`, reader, 403},
		{"a reader makes keys", http.MethodPost, "/v1/keys", `{"scopes":["read"]}`, reader, 403},
		{"a bound key for its user", http.MethodGet, "/v1/context", "", bound, 200},
		{"a bound key for another", http.MethodGet, "/v1/context?user_id=u2", "", bound, 403},
		{"a bound key writes for another", http.MethodPost, "/v1/memory", write, bound, 403},
		{"a bound key writes a node of another", http.MethodPost, "/v1/memory", `{"nodes":[{"kind":"concept","name":"x","user_id":"u2"}]}`, bound, 403},
		{"another team's context", http.MethodGet, "/v1/context?user_id=u1&team_id=other", "", reader, 403},
		{"health needs none", http.MethodGet, "/readyz", "", s.as(""), 200},
	} {
		if r := c.by.do(t, c.method, c.path, c.body); r.status != c.status {
			t.Errorf("%s: %d, want %d: %s", c.what, r.status, c.status, r.body)
		}
	}
	admin := s.as(bootstrapKey)
	made := admin.must(t, http.MethodPost, "/v1/keys", `{"team_id":"`+team+`","scopes":["read"]}`)
	gone := s.as(made["key"].(string))
	gone.must(t, http.MethodGet, "/v1/context?user_id=u1", "")
	if r := admin.do(t, http.MethodDelete, "/v1/keys/"+made["key_id"].(string), ""); r.status != 204 {
		t.Errorf("revoke: %d", r.status)
	}
	if r := gone.do(t, http.MethodGet, "/v1/context?user_id=u1", ""); r.status != 401 {
		t.Errorf("a revoked key: %d", r.status)
	}
	listed := admin.do(t, http.MethodGet, "/v1/keys?team_id="+team, "")
	if strings.Contains(string(listed.body), "kith_") || len(listed.object(t)["keys"].([]any)) != 3 {
		t.Errorf("listed: %s", listed.body)
	}
}

func TestETag(t *testing.T) {
	t.Parallel()
	s := shared(t)
	c := s.as(s.newKey(t, testenv.Team(t), "read", "write"))
	const path = "/v1/context?user_id=u1&sections=user,relationships"
	first := c.do(t, http.MethodGet, path, "")
	tag := first.header.Get("ETag")
	if !strings.HasPrefix(tag, `W/"`) || !strings.Contains(first.header.Get("Cache-Control"), "private") {
		t.Errorf("headers: %v", first.header)
	}
	if r := c.do(t, http.MethodGet, path, "", "If-None-Match", `"x", `+tag); r.status != 304 || len(r.body) != 0 {
		t.Errorf("unchanged: %d %s", r.status, r.body)
	}
	c.must(t, http.MethodPut, "/v1/users/u1/preferences", `{"preferences":[{"key":"a","value":1}]}`)
	if r := c.do(t, http.MethodGet, path, "", "If-None-Match", tag); r.status != 200 || r.header.Get("ETag") == tag {
		t.Errorf("changed: %d %s", r.status, r.header.Get("ETag"))
	}
}

// The writer sees a write at once, and another process sees it through Redis.
func TestAWriteIsSeen(t *testing.T) {
	t.Parallel()
	s, other := shared(t), shared(t)
	key := s.newKey(t, testenv.Team(t), "read", "write")
	here, there := s.as(key), other.as(key)
	const path = "/v1/context?user_id=u1&sections=user"
	value := func(c caller) any {
		return at(c.must(t, http.MethodGet, path, ""), "user", "preferences", 0, "value")
	}
	value(there)
	for i := range 20 {
		here.must(t, http.MethodPut, "/v1/users/u1/preferences", `{"preferences":[{"key":"n","value":`+string(rune('0'+i%10))+`}]}`)
		want := float64(i % 10)
		if got := value(here); got != want {
			t.Fatalf("the writer sees %v after writing %v", got, want)
		}
		eventually(t, 2*time.Second, "the other process sees the write", func() bool { return value(there) == want })
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	s := start(t, append(settings(testenv.Neo4j(t), ""), "KITH_MAX_BODY=20000"))
	c := s.as(s.newKey(t, testenv.Team(t), "read", "write"))
	items := strings.TrimSuffix(strings.Repeat(`{"kind":"concept","name":"x"},`, 300), ",")
	for _, p := range []struct {
		what, method, path, body string
		status                   int
		location                 string
	}{
		{"no such path", http.MethodGet, "/v1/none", "", 404, ""},
		{"no such method", http.MethodDelete, "/v1/memory", "", 405, ""},
		{"too large", http.MethodPost, "/v1/memory", `{"user_id":"` + strings.Repeat("x", 30000) + `"}`, 413, ""},
		{"no JSON", http.MethodPost, "/v1/memory", `{"user_id":`, 422, "body"},
		{"NaN", http.MethodPost, "/v1/memory", `{"nodes":[{"kind":"concept","name":"secret","salience":NaN}]}`, 422, "body"},
		{"infinite", http.MethodPost, "/v1/memory", `{"nodes":[{"kind":"concept","name":"secret","salience":1e999}]}`, 422, "body"},
		{"no UTF-8", http.MethodPost, "/v1/memory", "{\"user_id\":\"secret\xff\"}", 422, "body"},
		{"half a surrogate", http.MethodPost, "/v1/memory", `{"user_id":"secret\ud800"}`, 422, "body"},
		{"too deep", http.MethodPost, "/v1/memory", `{"user_id":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`, 422, "body"},
		{"unknown zone", http.MethodGet, "/v1/context?user_id=u1&time_zone=secret", "", 422, "query.time_zone"},
		{"unknown format", http.MethodGet, "/v1/context?user_id=u1&format=secret", "", 422, "query.format"},
		{"unknown section", http.MethodGet, "/v1/context?user_id=u1&sections=secret", "", 422, "query.sections"},
		{"unknown focus kind", http.MethodGet, "/v1/context?user_id=u1&focus_kind=secret&focus_id=x", "", 422, "query.focus_kind"},
		{"unknown focus", http.MethodGet, "/v1/context?user_id=u1&focus_kind=person&focus_id=secret", "", 404, ""},
		{"long user", http.MethodGet, "/v1/context?user_id=" + strings.Repeat("x", 300), "", 422, "query.user_id"},
		{"wrong type", http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[{"kind":"concept","name":"x"},{"kind":"concept","name":["secret"]}]}`, 422, "body.nodes[1].name"},
		{"duplicate names", http.MethodPost, "/v1/memory", `{"user_id":"u1","strict":true,"nodes":[` + items + `]}`, 200, ""},
		{"missing end, strict", http.MethodPost, "/v1/memory", `{"user_id":"u1","strict":true,"nodes":[{"kind":"concept","entity_key":"k","name":"k"}],"relationships":[{"from":"k","to":"secret","type":"relates_to"}]}`, 422, "body.relationships[0].to"},
		{"bad type", http.MethodPost, "/v1/memory", `{"user_id":"u1","relationships":[{"from":"k","to":"l","type":"Secret Type"}]}`, 422, "body.relationships[0].type"},
	} {
		r := c.do(t, p.method, p.path, p.body)
		if r.status != p.status {
			t.Errorf("%s: %d, want %d: %s", p.what, r.status, p.status, r.body)
			continue
		}
		if p.status == http.StatusOK {
			continue
		}
		if got := r.header.Get("Content-Type"); got != "application/problem+json" {
			t.Errorf("%s: %s", p.what, got)
		}
		if got := names(r.object(t)["errors"], "location"); got != p.location {
			t.Errorf("%s: located at %q, want %q", p.what, got, p.location)
		}
		if strings.Contains(strings.ToLower(string(r.body)), "secret") {
			t.Errorf("%s: the value comes back: %s", p.what, r.body)
		}
	}
}
