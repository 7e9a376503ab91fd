package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"kith/tests/testenv"
)

var firstKey = regexp.MustCompile(`shown once: (kith_\S+)`)

// Without settings Kith runs on an embedded Neo4j. The first start prints a key, commands work while it runs, a second service
// on the folder is refused, and the next start has the same memory, also after a compaction.
func TestServeOnItsOwnNeo4j_slow(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	environ := []string{"KITH_LISTEN=127.0.0.1:0", "KITH_ADMIN_LISTEN=127.0.0.1:0", "KITH_DATA=" + data, "KITH_REQUEST_TIMEOUT=180s", "KITH_WARM_UP=true"}

	s := start(t, environ)
	found := firstKey.FindStringSubmatch(s.out.String())
	if found == nil {
		t.Fatalf("no key is shown: %s", s.out)
	}
	admin := s.as(found[1])
	admin.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[{"kind":"person","entity_key":"p","name":"Ada","is_owner":true}]}`)

	if code, out := command(t, environ, "serve"); code != 1 || !strings.Contains(out, "another Kith") {
		t.Errorf("a second service on the folder: %d %s", code, out)
	}
	team := testenv.Team(t)
	code, out := command(t, environ, "key", "create", "--team", team, "--scopes", "read")
	if code != 0 {
		t.Fatalf("key create: %d %s", code, out)
	}
	reader := s.as(strings.Fields(out)[0])
	if !strings.HasPrefix(reader.key, "kith_") {
		reader.key = regexp.MustCompile(`kith_\S+`).FindString(out)
	}
	reader.must(t, http.MethodGet, "/v1/context?user_id=u2", "")
	id := regexp.MustCompile(`key id (\w+)`).FindStringSubmatch(out)[1]
	if code, out := command(t, environ, "key", "list", "--team", team); code != 0 || !strings.Contains(out, id) || strings.Contains(out, reader.key) {
		t.Errorf("key list: %d %s", code, out)
	}
	if code, out := command(t, environ, "key", "revoke", id); code != 0 {
		t.Errorf("key revoke: %d %s", code, out)
	}
	eventually(t, maxRevocation, "the revoked key is refused", func() bool {
		return reader.do(t, http.MethodGet, "/v1/context?user_id=u1", "").status == http.StatusUnauthorized
	})
	same := eraseAndCompact(t, environ, data, s, admin)

	again := start(t, append(environ, "KITH_WARM_UP=false"))
	if firstKey.MatchString(again.out.String()) || !strings.Contains(again.out.String(), "Using the existing memory") {
		t.Errorf("the second start says: %s", again.out)
	}
	same(again.as(admin.key))
	eventually(t, time.Minute, "a context, whose plan nothing has warmed", func() bool {
		return again.as(admin.key).do(t, http.MethodGet, "/v1/context?user_id=u1", "").status == http.StatusOK
	})
	context := again.as(admin.key).must(t, http.MethodGet, "/v1/context?user_id=u1", "")
	if at(context, "user", "owner_person_node", "name") != "Ada" {
		t.Errorf("the memory after a restart: %v", context)
	}
	again.stop()
	password, err := os.ReadFile(passwordFile(t, data))
	if err != nil {
		t.Fatal(err)
	}
	for what, log := range map[string]string{"first": s.err.String(), "second": again.err.String()} {
		for _, secret := range []string{admin.key, reader.key, strings.TrimSpace(string(password))} {
			if strings.Contains(log, secret) {
				t.Errorf("the %s log holds a secret", what)
			}
		}
	}
}

// passwordFile returns the file with the embedded Neo4j's password. Only its owner may read it.
func passwordFile(t *testing.T, data string) string {
	t.Helper()
	path := filepath.Join(data, "neo4j", "auth")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode of the password file: %v", info.Mode())
	}
	return path
}
