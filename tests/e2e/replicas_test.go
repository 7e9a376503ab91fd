package e2e

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kith/tests/testenv"
)

// pair is two separate processes on one Neo4j and one Redis. Each can be killed and restarted.
type pair struct {
	environ  []string
	services [2]*service
	kill     [2]func()
}

func startPair(t *testing.T, environ []string) *pair {
	t.Helper()
	p := &pair{environ: environ}
	p.restart(t, 0)
	p.restart(t, 1)
	return p
}

func (p *pair) restart(t *testing.T, i int) {
	t.Helper()
	p.services[i], p.kill[i] = startProcess(t, p.environ)
}

// Two processes are one service: each sees the other's writes, and continues when the other or Redis stops.
func TestTwoProcesses_slow(t *testing.T) {
	t.Parallel()
	redis, model := testenv.StartRedis(t), startModel(t)
	db := testenv.Neo4j(t)
	db.URI = strings.Replace(db.URI, "bolt://", "neo4j://", 1) // as before a cluster
	p := startPair(t, append(settings(db, redis.URI()), "KITH_LLM_URL="+model.URL+"/v1", "KITH_LLM_KEY="+modelKey, "KITH_LLM_MODEL=tiny"))
	team := testenv.Team(t)
	key := p.services[0].newKey(t, team, "read", "write")
	p.checkVisibility(t, key)
	p.checkRevocation(t, team)
	turn := p.startGeneration(t, model, key)
	p.checkKill(t, key, 0)
	p.restart(t, 0)
	p.checkWithoutRedis(t, team, key, redis)
	p.checkKill(t, key, 1)
	// The lease of the generation of the one that died first ends within 30 s of its last sign, and is looked for each 5 s.
	c := p.services[0].as(key)
	eventually(t, 45*time.Second, "a generation ends as interrupted", func() bool {
		got := c.must(t, http.MethodGet, "/v1/turns/"+turn+"?user_id=u1", "")
		return got["status"] == "error" && got["error"] == "generation interrupted"
	})
}

// views lists requests whose responses contain the texts that checkVisibility writes.
var views = map[string][3]string{ //nolint:gochecknoglobals // a constant table
	"context":     {http.MethodGet, "/v1/context?user_id=u1"},
	"preferences": {http.MethodGet, preferencesPath},
	"explore":     {http.MethodPost, "/v1/explore", `{"user_id":"u1","text_matches":["Lighthouse"]}`},
	"ontology":    {http.MethodGet, "/v1/ontology?user_id=u1&context_type=project&project_id=p&format=text"},
	"prompt":      {http.MethodPost, "/v1/prompt", `{"user_id":"u1","message":"What next?","context_type":"project","focus":{"project_id":"p"}}`},
	"linked":      {http.MethodGet, "/v1/nodes/project/p/linked?user_id=u1"},
}

// checkVisibility writes through one process what the other has cached, and measures how long the other returns old data.
func (p *pair) checkVisibility(t *testing.T, key string) {
	t.Helper()
	const rounds = 6
	here, there := p.services[0].as(key), p.services[1].as(key)
	var late []time.Duration
	for n := range rounds {
		mark := fmt.Sprintf("mark%d.", n)
		here.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[
			{"kind":"person","entity_key":"me","name":"Ada","is_owner":true,"description":"`+mark+`"},
			{"kind":"concept","entity_key":"c","name":"Lighthouse","description":"`+mark+`"},
			{"kind":"project","entity_key":"p","name":"Pier","user_id":null,"description":"`+mark+`"},
			{"kind":"task","entity_key":"t","project_id":"p","name":"`+mark+`"}],
			"relationships":[{"from":"p","to":"t","type":"has_task"}]}`)
		here.must(t, http.MethodPut, preferencesPath, `{"preferences":[{"key":"n","value":"`+mark+`"}]}`)
		written := time.Now()
		for what, view := range views {
			for last, old := written, true; old; {
				begun := time.Now()
				r := there.do(t, view[0], view[1], view[2])
				if old = !strings.Contains(string(r.body), mark); old {
					last = begun
				}
				if n > 0 { // before, the other process may not have heard of the team
					late = append(late, last.Sub(written))
				}
				if r.status != http.StatusOK || time.Since(written) > 20*time.Second {
					t.Fatalf("%s: %d, %v after %s: %s", what, r.status, time.Since(written), mark, r.body)
				}
			}
		}
	}
	slices.Sort(late)
	t.Logf("the other process told the old until %v (95 of 100), %v (last) after a write", late[len(late)*95/100], late[len(late)-1])
	if late[len(late)*95/100] > 100*time.Millisecond || late[len(late)-1] > 2*time.Second {
		t.Error("that is too long")
	}
}

// checkRevocation revokes a key at one process that the other has just accepted.
func (p *pair) checkRevocation(t *testing.T, team string) {
	t.Helper()
	admin := p.services[0].as(bootstrapKey)
	made := admin.must(t, http.MethodPost, "/v1/keys", `{"team_id":"`+team+`","scopes":["read"]}`)
	there := p.services[1].as(made["key"].(string))
	there.must(t, http.MethodGet, preferencesPath, "")
	admin.do(t, http.MethodDelete, "/v1/keys/"+made["key_id"].(string), "")
	eventually(t, maxRevocation, "the other process refuses a revoked key", func() bool {
		return there.do(t, http.MethodGet, preferencesPath, "").status == http.StatusUnauthorized
	})
}

// startGeneration makes the first process generate an answer that never ends, and returns the turn.
func (p *pair) startGeneration(t *testing.T, model *languageModel, key string) string {
	t.Helper()
	model.setScript(stall)
	c := p.services[0].as(key)
	tree := c.must(t, http.MethodPost, "/v1/trees", `{"user_id":"u1"}`)["id"].(string)
	turn := c.must(t, http.MethodPost, "/v1/trees/"+tree+"/turns", `{"user_id":"u1","user_prompt":"x"}`)["id"].(string)
	eventually(t, time.Minute, "the model is asked", func() bool { return len(model.requests()) > 0 })
	if got := p.services[1].as(key).must(t, http.MethodGet, "/v1/turns/"+turn+"?user_id=u1", "")["status"]; got != "generating" {
		t.Errorf("the other process says %v", got)
	}
	return turn
}

// load writes and reads at a process until ctx ends, and counts the successes. Every request must succeed unless the process
// may die.
func load(ctx context.Context, t *testing.T, c caller, mayDie bool, done *atomic.Int64) *sync.WaitGroup {
	t.Helper()
	id := c.must(t, http.MethodPost, "/v1/conversations", `{"user_id":"u1"}`)["conversation_id"].(string)
	var callers sync.WaitGroup
	for _, ask := range [][3]string{
		{http.MethodPost, "/v1/conversations/" + id + "/messages", `{"messages":[{"role":"user","text":"The lamp is lit."}]}`},
		{http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[{"kind":"concept","entity_key":"c","name":"Lighthouse","description":"It is lit."}]}`},
		views["context"], views["explore"],
	} {
		callers.Go(func() {
			for ctx.Err() == nil {
				r, err := c.try(t.Context(), ask[0], ask[1], ask[2])
				if err != nil && mayDie {
					return
				}
				if err != nil || r.status != http.StatusOK {
					t.Errorf("%s %s: %d %v %s", ask[0], ask[1], r.status, err, r.body)
					return
				}
				done.Add(1)
			}
		})
	}
	return &callers
}

// checkKill kills one process under load on both. The other continues without an error.
func (p *pair) checkKill(t *testing.T, key string, victim int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var gone, left atomic.Int64
	dying := load(ctx, t, p.services[victim].as(key), true, &gone)
	living := load(ctx, t, p.services[1-victim].as(key), false, &left)
	eventually(t, time.Minute, "both are under load", func() bool { return gone.Load() > 20 && left.Load() > 20 })
	p.kill[victim]()
	dying.Wait()
	at := left.Load()
	eventually(t, time.Minute, "the other goes on", func() bool { return left.Load() > at+40 || t.Failed() })
	cancel()
	living.Wait()
	if strings.Contains(p.services[1-victim].err.String(), "level=ERROR") {
		t.Errorf("the other has errors of its own: %s", p.services[1-victim].err)
	}
}

// checkWithoutRedis stops and restarts Redis under load. Meanwhile each process has its own rate limits; before and after they
// are shared.
func (p *pair) checkWithoutRedis(t *testing.T, team, key string, redis *testenv.RedisServer) {
	t.Helper()
	limited := func() (allowed int) {
		c := p.services[0].as(bootstrapKey).must(t, http.MethodPost, "/v1/keys", `{"team_id":"`+team+`","scopes":["read"],"rate_limit":3}`)
		for i := range 8 {
			if p.services[i%2].as(c["key"].(string)).do(t, http.MethodGet, preferencesPath, "").status == http.StatusOK {
				allowed++
			}
		}
		return allowed
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var done atomic.Int64
	both := []*sync.WaitGroup{load(ctx, t, p.services[0].as(key), false, &done), load(ctx, t, p.services[1].as(key), false, &done)}
	eventually(t, time.Minute, "rate limits are shared", func() bool { return limited() == 3 || t.Failed() })
	redis.Stop()
	if got := limited(); got != 6 {
		t.Errorf("without redis %d of 3 requests at each process are let through", got)
	}
	redis.Start()
	eventually(t, time.Minute, "rate limits are shared again", func() bool { return limited() == 3 || t.Failed() })
	cancel()
	for _, callers := range both {
		callers.Wait()
	}
}
