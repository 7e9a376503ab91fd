package e2e

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/redis/go-redis/v9"

	"kith/tests/testenv"
)

// redisKeysWith returns the keys that contain a text, in their name or value.
func redisKeysWith(t *testing.T, c *redis.Client, text string) (found []string) {
	t.Helper()
	keys := c.Scan(t.Context(), 0, "*", 1000).Iterator()
	for keys.Next(t.Context()) {
		value, _ := c.Get(t.Context(), keys.Val()).Result()
		if strings.Contains(keys.Val()+value, text) {
			found = append(found, keys.Val())
		}
	}
	if err := keys.Err(); err != nil {
		t.Fatal(err)
	}
	return found
}

// After an erasure neither Neo4j nor Redis has a trace of the user, and the user's key is revoked.
func TestEraseAUser(t *testing.T) {
	t.Parallel()
	s, team := shared(t), testenv.Team(t)
	canary := "canary" + strings.ToLower(rand.Text())
	user := canary + "-u"
	admin := s.as(s.newKey(t, team, "read", "write", "admin"))
	bound := s.as(admin.must(t, http.MethodPost, "/v1/keys", `{"user_id":"`+user+`","scopes":["read","write"]}`)["key"].(string))
	bound.must(t, http.MethodPost, "/v1/memory", `{"idempotency_key":"`+canary+`-i","nodes":[
		{"kind":"person","entity_key":"`+canary+`-me","name":"`+canary+`","is_owner":true},
		{"kind":"concept","entity_key":"everyones","name":"Tides","user_id":null,"notes":[{"content":"true"}]}],
		"relationships":[{"from":"`+canary+`-me","to":"everyones","type":"thinks_about","description":"`+canary+`"}]}`)
	bound.must(t, http.MethodPut, "/v1/users/"+user+"/preferences", `{"preferences":[{"key":"style","value":"`+canary+`"}]}`)
	bound.must(t, http.MethodPost, "/v1/sources", `{"summary":"`+canary+`","messages":[{"role":"user","text":"`+canary+`"}]}`)
	options, err := redis.ParseURL(testenv.Redis(t))
	if err != nil {
		t.Fatal(err)
	}
	direct := redis.NewClient(options)
	t.Cleanup(func() { _ = direct.Close() })
	eventually(t, time.Minute, "the context is in Redis", func() bool {
		bound.must(t, http.MethodGet, "/v1/context?format=json", "")
		bound.do(t, http.MethodGet, "/v1/context?format=text", "")
		return len(redisKeysWith(t, direct, canary)) > 0
	})

	receipt := admin.must(t, http.MethodDelete, "/v1/users/"+user, "")
	t.Logf("receipt: %v", receipt)
	for name, want := range map[string]float64{"nodes": 2, "messages": 1, "relationships": 1, "notes_anonymised": 1, "preferences": 1, "keys": 1, "anonymised": 1, "remaining": 0} {
		if receipt[name] != want {
			t.Errorf("receipt: %s is %v, not %v", name, receipt[name], want)
		}
	}
	if n, _ := receipt["cache_entries"].(float64); n < 2 { // in the process and in Redis
		t.Errorf("receipt: %v cache entries", receipt["cache_entries"])
	}
	if left := redisKeysWith(t, direct, canary); left != nil {
		t.Errorf("in Redis: %q", left)
	}
	if left := neo4jNumber(t, `MATCH (n) WHERE any(k IN keys(n) WHERE any(v IN CASE WHEN valueType(n[k]) STARTS WITH 'LIST' THEN n[k] ELSE [n[k]] END WHERE toStringOrNull(v) CONTAINS $text)) RETURN count(n)`, canary); left != 0 {
		t.Errorf("in Neo4j: %d nodes", left)
	}
	if r := bound.do(t, http.MethodGet, "/v1/context", ""); r.status != 401 {
		t.Errorf("the user's key: %d", r.status)
	}
	if n := neo4jNumber(t, `MATCH (n:Concept {team_id: $text, entity_key: 'everyones'}) WHERE n.created_by IS NULL RETURN count(n)`, team); n != 1 {
		t.Error("what the team shares is gone, or names the user")
	}
	if code, out := runCheck(t, "--team", team); code != 0 {
		t.Errorf("kith check: %d %s", code, out)
	}
	admin.must(t, http.MethodDelete, "/v1/teams/"+team, "")
	if n := neo4jNumber(t, `MATCH (n {team_id: $text}) RETURN count(n)`, team); n != 0 {
		t.Errorf("the team has %d nodes", n)
	}
	if r := admin.do(t, http.MethodGet, "/v1/keys", ""); r.status != 401 {
		t.Errorf("the team's key: %d", r.status)
	}
}

// neo4jNumber returns the number that a statement returns.
func neo4jNumber(t *testing.T, statement, text string) int64 {
	t.Helper()
	db := testenv.Neo4j(t)
	driver, err := neo4j.NewDriverWithContext(db.URI, neo4j.BasicAuth(db.User, db.Password, ""))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = driver.Close(context.Background()) }()
	result, err := neo4j.ExecuteQuery(t.Context(), driver, statement, map[string]any{"text": text}, neo4j.EagerResultTransformer, neo4j.ExecuteQueryWithDatabase(db.Database))
	if err != nil {
		t.Fatal(err)
	}
	return result.Records[0].Values[0].(int64)
}

// runCheck runs kith check on the databases of the test run.
func runCheck(t *testing.T, args ...string) (code int, out string) {
	t.Helper()
	var results bytes.Buffer
	code = run(t.Context(), append([]string{"check"}, args...), settings(testenv.Neo4j(t), ""), streams{nil, &results, &buffer{}})
	return code, results.String()
}

func TestCheckFindsAndRepairs(t *testing.T) {
	t.Parallel()
	s, team := shared(t), testenv.Team(t)
	s.as(s.newKey(t, team, "read", "write")).must(t, http.MethodPost, "/v1/memory", `{"nodes":[{"kind":"entity","entity_key":"quay","name":"Quay"}]}`)
	if n := neo4jNumber(t, `MATCH (n:Entity {team_id: $text}) SET n.salience = 7.0 RETURN count(n)`, team); n != 1 {
		t.Fatalf("%d nodes", n)
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--team", team}, 1, "property: team " + team + ": entity quay has a wrong salience (kith check --fix repairs it)\n1 teams, 1 nodes: 1 findings, 0 repaired\n"},
		{[]string{"--team", team, "--fix"}, 1, "has a wrong salience (repaired)\n1 teams, 1 nodes: 1 findings, 1 repaired\n"},
		{[]string{"--team", team}, 0, "1 teams, 1 nodes: 0 findings, 0 repaired\n"},
	} {
		if code, out := runCheck(t, c.args...); code != c.code || !strings.HasSuffix(out, c.says) {
			t.Errorf("kith check %v: %d, not %d with %q: %s", c.args, code, c.code, c.says, out)
		}
	}
	neo4jNumber(t, `MATCH (n:Entity {team_id: $text}) SET n.salience = -1.0 RETURN count(n)`, team)
	code, out := runCheck(t, "--team", team, "--json", "--fix")
	var finding struct {
		Check, Key string
		Repaired   bool
	}
	line, counts, _ := strings.Cut(out, "\n")
	if err := json.Unmarshal([]byte(line), &finding); err != nil || code != 1 || finding.Check != "property" || finding.Key != "quay" || !finding.Repaired {
		t.Errorf("%d %+v, %v", code, finding, err)
	}
	if counts != `{"teams":1,"nodes":1,"findings":1,"repaired":1}`+"\n" {
		t.Errorf("counts %s", counts)
	}
}

// kith check does not create a database.
func TestCheckOfNothing(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	var errs buffer
	code := run(t.Context(), []string{"check"}, []string{"KITH_DATA=" + data}, streams{nil, io.Discard, &errs})
	if code != 1 || !strings.Contains(errs.String(), "no database in "+data) {
		t.Errorf("%d %s", code, &errs)
	}
	if _, err := os.Stat(data); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder: %v", err)
	}
}
