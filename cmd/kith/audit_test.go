package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kith/audit"
	"kith/internal/testenv"
)

func TestChangesAreAudited(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.log")
	environ := append(settings(testenv.Neo4j(t), testenv.Redis(t)), "KITH_AUDIT_LOG="+path)
	s := start(t, environ)
	team := testenv.Team(t)
	key := s.newKey(t, team, "read", "write")
	c := s.as(key)
	const secret = "what nobody may read"
	written := c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[{"kind":"concept","entity_key":"a","name":"`+secret+`"},{"kind":"concept","entity_key":"b","name":"b"}],
		"relationships":[{"from":"a","to":"b","type":"relates_to","description":"`+secret+`"}]}`)
	link := at(written, "relationships", 0, "key").(string)
	c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[{"kind":"concept","entity_key":"a","name":"`+secret+`"}]}`) // changes nothing
	c.must(t, http.MethodPost, "/v1/sources", `{"user_id":"u1","entity_key":"s","messages":[{"entity_key":"m","role":"user","text":"`+secret+`"}],"mentions":["a"]}`)
	c.must(t, http.MethodPut, "/v1/users/u1/preferences", `{"preferences":[{"key":"style","value":"`+secret+`"}]}`)
	c.must(t, http.MethodPut, "/v1/systems/sys/memory", `{"entities":[{"name":"`+secret+`","type":"x"}],"relationships":[]}`)
	c.must(t, http.MethodPost, "/v1/explore", `{"user_id":"u1","text_matches":["`+secret+`"]}`)
	c.must(t, http.MethodGet, "/v1/context?user_id=u1", "")
	c.do(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[{"kind":"none"}]}`)
	s.as("").do(t, http.MethodPost, "/v1/memory", `{}`)
	c.must(t, http.MethodDelete, "/v1/nodes/concept/b?user_id=u1", "")
	if code, out := command(t, environ, "key", "revoke", "none"); code == 0 {
		t.Errorf("revoke: %s", out)
	}
	if code, out := command(t, environ, "key", "create", "--team", team); code != 0 {
		t.Errorf("create: %s", out)
	}

	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(raw); strings.Contains(text, secret) || strings.Contains(text, key) || strings.Contains(text, bootstrapKey) {
		t.Errorf("the log tells too much: %s", text)
	}
	var got []string
	for line := range strings.Lines(string(raw)) {
		var e audit.Entry
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.At.IsZero() {
			t.Fatalf("%v: %s", err, line)
		}
		if !slices.Contains(e.IDs, team) && (e.TeamID != team || e.KeyID == "" || e.RequestID == "") {
			t.Errorf("who: %s", line)
		}
		got = append(got, fmt.Sprint(e.Operation, " ", e.Users, " ", e.IDs))
	}
	for i, want := range []string{
		"POST /v1/keys [] [" + team + " ",
		"POST /v1/memory [u1] [a b " + link + "]",
		"POST /v1/memory [] []",
		"POST /v1/sources [u1] [s m]",
		"PUT /v1/users/:id/preferences [u1] [u1]",
		"PUT /v1/systems/:system/memory [] [sys]",
		"DELETE /v1/nodes/:kind/:key [u1] [b]",
		"kith key create [] [" + team + " ",
	} {
		if i >= len(got) || !strings.HasPrefix(got[i], want) {
			t.Fatalf("line %d is not %q: %q", i, want, got)
		}
	}
	if len(got) != 8 {
		t.Errorf("%d lines: %q", len(got), got)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}
