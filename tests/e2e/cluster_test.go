package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kith/tests/testenv"
)

// In a cluster whose leader changes within transactions, whose members name the wrong one, which has no leader for a while, which loses
// members and answers to commits, every write that was acknowledged is there, each once; what was not acknowledged is a 503, and may be
// sent again. No read is older than what its caller has written. KITH_TEST_FAULTS is the number of faults, KITH_TEST_SEED the seed. With
// them, one member is a Neo4j of its own and 200 ms behind.
func TestClusterFaults_slow(t *testing.T) {
	t.Parallel()
	var cluster *testenv.Cluster
	var db testenv.Database
	if os.Getenv("KITH_TEST_FAULTS") != "" {
		var same func()
		cluster, db, same = startBehind(t)
		defer same()
		cluster.Hold(200 * time.Millisecond)
	} else {
		db = testenv.Neo4j(t)
		cluster = testenv.StartCluster(t, db)
		db.URI = cluster.URI()
	}
	s := start(t, append(settings(db, ""), "KITH_REQUEST_TIMEOUT=10s"))
	key := s.newKey(t, testenv.Team(t), "read", "write")
	w := &clusterWriters{caller: s.as(key), written: map[int]int{}, sources: map[string]bool{}}
	ctx, cancel := context.WithCancel(t.Context())
	var load sync.WaitGroup
	const writers = 4
	for n := range writers {
		load.Go(func() { w.write(ctx, t, n) })
	}
	faults, seed := 15, uint64(time.Now().UnixNano()) //nolint:gosec // a seed
	if os.Getenv("KITH_TEST_FAULTS") != "" {
		faults, seed = setting(t, "KITH_TEST_FAULTS"), uint64(setting(t, "KITH_TEST_SEED")) //nolint:gosec // a seed
	}
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // a test's choice
	kills := 0
	for n := range faults {
		from := w.acknowledged.Load()
		some := random.IntN(cluster.Leaders())
		next := (some + 1) % cluster.Leaders()
		sort := n
		if n >= 5 {
			sort = random.IntN(5)
		}
		switch sort {
		case 0:
			cluster.Lead(some)
		case 1:
			cluster.Claim(random.IntN(3))
			<-time.After(300 * time.Millisecond)
			cluster.Lead(next)
		case 2:
			cluster.Lead(-1)
			<-time.After(time.Duration(random.IntN(500)) * time.Millisecond)
			cluster.Lead(some)
		case 3:
			killed := []int{some, 2}[random.IntN(2)]
			cluster.Kill(killed)
			kills++
			if killed == some {
				cluster.Lead(next)
			}
			<-time.After(time.Duration(random.IntN(500)) * time.Millisecond)
			cluster.Revive(killed)
		case 4:
			cluster.LoseCommits(1 + random.IntN(5))
		}
		eventually(t, time.Minute, fmt.Sprintf("20 more writes after fault %d", n), func() bool { return w.acknowledged.Load() >= from+20 || t.Failed() })
	}
	cancel()
	load.Wait()
	w.check(t, writers)
	t.Logf("%d faults, %d of them kills; %d writes, %d answers that the outcome is unknown", faults, kills, w.acknowledged.Load(), w.unknown.Load())
	if faults >= 5 && w.unknown.Load() == 0 {
		t.Error("no answer was lost: the faults do not reach the writers")
	}
}

// clusterWriters write and read back.
type clusterWriters struct {
	caller
	acknowledged, unknown atomic.Int64

	mu      sync.Mutex
	written map[int]int // messages of each writer's conversation
	sources map[string]bool
}

func clusterUser(n int) string { return fmt.Sprintf("writer%d", n) }

// write appends messages and creates sources until ctx ends, and sends each again until it is acknowledged.
func (w *clusterWriters) write(ctx context.Context, t *testing.T, n int) {
	conversation := w.sent(t, "/v1/sources", fmt.Sprintf(`{"user_id":%q,"idempotency_key":"begin%d"}`, clusterUser(n), n))
	for i := 0; ctx.Err() == nil && !t.Failed(); i++ {
		w.sent(t, "/v1/conversations/"+conversation+"/messages", fmt.Sprintf(`{"user_id":%q,"messages":[{"entity_key":"m-%d-%d","role":"user","text":"one"}]}`, clusterUser(n), n, i))
		made := w.sent(t, "/v1/sources", fmt.Sprintf(`{"user_id":%q,"content_type":"text-note","summary":"s","idempotency_key":"s-%d-%d"}`, clusterUser(n), n, i))
		w.mu.Lock()
		w.written[n] = i + 1
		if w.sources[made] {
			t.Errorf("%s was made twice", made)
		}
		w.sources[made] = true
		w.mu.Unlock()
		w.reads(t, n, conversation, i+1)
	}
}

// sent sends a write until it is acknowledged, and returns the key in the answer.
func (w *clusterWriters) sent(t *testing.T, path, body string) string {
	for !t.Failed() {
		r, err := w.try(context.WithoutCancel(t.Context()), http.MethodPost, path, body)
		switch {
		case err != nil:
			t.Errorf("%s: %v", path, err)
		case r.status == http.StatusOK || r.status == http.StatusCreated:
			w.acknowledged.Add(1)
			key, _ := at(r.object(t), "entity_key").(string)
			return key
		case r.status == http.StatusServiceUnavailable && r.header.Get("Retry-After") != "":
			w.unknown.Add(1)
		default:
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
	}
	return ""
}

// reads checks that a reader sees all that its writer was told.
func (w *clusterWriters) reads(t *testing.T, n int, conversation string, least int) {
	r, err := w.try(context.WithoutCancel(t.Context()), http.MethodGet, "/v1/conversations/"+conversation+"?user_id="+clusterUser(n)+"&limit=1", "")
	switch {
	case err != nil || r.status != http.StatusOK && r.status != http.StatusServiceUnavailable:
		t.Errorf("a read: %v %d %s", err, r.status, r.body)
	case r.status == http.StatusOK && at(r.object(t), "message_count").(float64) < float64(least):
		t.Errorf("%d messages are acknowledged, and a read finds %v", least, at(r.object(t), "message_count"))
	}
}

// check compares what is stored with what was acknowledged.
func (w *clusterWriters) check(t *testing.T, writers int) {
	t.Helper()
	for n := range writers {
		sources := 0
		for cursor := any(""); cursor != nil; {
			page := w.must(t, http.MethodGet, fmt.Sprintf("/v1/nodes/source?user_id=%s&limit=1000&cursor=%s", clusterUser(n), cursor), "")
			for _, source := range page["nodes"].([]any) {
				key := at(source, "entity_key").(string)
				if at(source, "content_type") != "conversation" {
					sources++
					if !w.sources[key] {
						t.Errorf("%s was not acknowledged, and all were sent until they were", key)
					}
					continue
				}
				if found := at(source, "message_count").(float64); found != float64(w.written[n]) {
					t.Errorf("writer %d: %v messages, %d are acknowledged", n, found, w.written[n])
				}
			}
			cursor = page["next"]
		}
		if sources != w.written[n] {
			t.Errorf("writer %d: %d sources, %d are acknowledged", n, sources, w.written[n])
		}
	}
}
