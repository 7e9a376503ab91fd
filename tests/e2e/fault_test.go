package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kith/tests/testenv"
)

// acknowledged records the times at which numbered writes were acknowledged.
type acknowledged struct {
	mu   sync.Mutex
	log  []time.Time // log[i]: when i was acknowledged
	last atomic.Int64
}

func (a *acknowledged) add() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.log = append(a.log, time.Now())
	a.last.Store(int64(len(a.log) - 1))
}

// before returns the last number acknowledged before a time, -1 for none.
func (a *acknowledged) before(t time.Time) int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := len(a.log) - 1; i >= 0; i-- {
		if a.log[i].Before(t) {
			return int64(i)
		}
	}
	return -1
}

// storedNumber returns the number in the context of a caller's user, -1 before the first.
func storedNumber(ctx context.Context, c caller) (int64, int, error) {
	r, err := c.try(ctx, http.MethodGet, "/v1/context?user_id=u1&sections=user", "")
	if err != nil || r.status != http.StatusOK {
		return -1, r.status, err
	}
	var answer struct {
		User struct {
			Preferences []struct{ Value int64 }
		}
		Degraded []string
	}
	if err := json.Unmarshal(r.body, &answer); err != nil || len(answer.Degraded) > 0 {
		return -1, r.status, fmt.Errorf("%w %v", err, answer.Degraded)
	}
	if len(answer.User.Preferences) == 0 {
		return -1, r.status, nil
	}
	return answer.User.Preferences[0].Value, r.status, nil
}

// Redis stops, hangs and comes back empty under load. No call fails, the writer sees its own writes at once, and another
// process sees them as soon as it notices the failure.
func TestRedisFaultsUnderLoad_slow(t *testing.T) {
	t.Parallel()
	const mayLag = time.Second
	redis := testenv.StartRedis(t)
	here := start(t, settings(testenv.Neo4j(t), redis.URI()))
	there := start(t, settings(testenv.Neo4j(t), redis.URI()))
	key := here.newKey(t, testenv.Team(t), "read", "write")

	ctx, cancel := context.WithCancel(t.Context())
	var (
		acks acknowledged
		load sync.WaitGroup
	)
	load.Go(func() {
		c := here.as(key)
		for n := int64(0); ctx.Err() == nil; n++ {
			r, err := c.try(t.Context(), http.MethodPut, "/v1/users/u1/preferences", fmt.Sprintf(`{"preferences":[{"key":"n","value":%d}]}`, n))
			if err != nil || r.status != http.StatusOK {
				t.Errorf("write %d: %d %v %s", n, r.status, err, r.body)
				return
			}
			acks.add()
			if got, status, err := storedNumber(t.Context(), c); got != n || err != nil {
				t.Errorf("the writer wrote %d and sees %d (%d, %v)", n, got, status, err)
				return
			}
		}
	})
	for range 2 {
		load.Go(func() {
			c, seen := there.as(key), int64(-1)
			for ctx.Err() == nil {
				least := acks.before(time.Now().Add(-mayLag))
				got, status, err := storedNumber(t.Context(), c)
				if err != nil || status != http.StatusOK {
					t.Errorf("read: %d %v", status, err)
					return
				}
				if got < least || got < seen {
					t.Errorf("the other process sees %d; %d was acknowledged %v ago, and it has seen %d", got, least, mayLag, seen)
					return
				}
				seen = got
			}
		})
	}
	advance := func(what string) {
		t.Helper()
		from := acks.last.Load()
		eventually(t, 2*time.Minute, "50 more writes: "+what, func() bool { return acks.last.Load() >= from+50 || t.Failed() })
	}
	advance("Redis is there")
	redis.Stop()
	advance("Redis is stopped")
	redis.Start()
	advance("Redis is back, empty")
	redis.Pause()
	from := acks.last.Load()
	eventually(t, 2*time.Minute, "5 more writes: Redis hangs", func() bool { return acks.last.Load() >= from+5 || t.Failed() })
	redis.Resume()
	advance("Redis goes on")
	cancel()
	load.Wait()
}

// mayTake is how long an answer may take beside faults. It is far more than KITH_REQUEST_TIMEOUT, for busy machines.
const mayTake = 90 * time.Second

// Neo4j stops and comes back under load. Every acknowledged write is there once, and every response is correct or a 503 with
// Retry-After, in time.
func faultsUnderLoad(t *testing.T, neo4j *testenv.Neo4jServer) {
	s := start(t, append(settings(neo4j.Database(), ""), "KITH_REQUEST_TIMEOUT=30s"))
	c := s.as(s.newKey(t, testenv.Team(t), "read", "write"))
	id := c.must(t, http.MethodPost, "/v1/conversations", `{"user_id":"u1"}`)["conversation_id"].(string)

	ctx, cancel := context.WithCancel(t.Context())
	var (
		load        sync.WaitGroup
		mu          sync.Mutex
		kept        []string
		unavailable atomic.Int64
	)
	load.Go(func() {
		for n := 0; ctx.Err() == nil; n++ {
			key := fmt.Sprintf("m-%d", n)
			begun := time.Now()
			r, err := c.try(t.Context(), http.MethodPost, "/v1/conversations/"+id+"/messages",
				`{"messages":[{"entity_key":"`+key+`","role":"user","text":"`+key+`"}]}`)
			switch {
			case err != nil || time.Since(begun) > mayTake:
				t.Errorf("append: %v after %v", err, time.Since(begun))
				return
			case r.status == http.StatusOK:
				mu.Lock()
				kept = append(kept, key)
				mu.Unlock()
			case r.status == http.StatusServiceUnavailable && r.header.Get("Retry-After") != "":
				unavailable.Add(1)
			default:
				t.Errorf("append: %d %s", r.status, r.body)
				return
			}
		}
	})
	count := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(kept)
	}
	more := func(what string) {
		t.Helper()
		from := count()
		eventually(t, 3*time.Minute, "20 more messages: "+what, func() bool { return count() >= from+20 || t.Failed() })
	}
	more("Neo4j is there")
	neo4j.Stop()
	eventually(t, 2*time.Minute, "a 503", func() bool { return unavailable.Load() > 0 || t.Failed() })
	if r := c.do(t, http.MethodGet, "/readyz", ""); r.status != http.StatusServiceUnavailable {
		t.Errorf("ready without a database: %d", r.status)
	}
	if r := c.do(t, http.MethodGet, "/v1/context?user_id=u2", ""); r.status != http.StatusServiceUnavailable {
		t.Errorf("a context without a database: %d %s", r.status, r.body)
	}
	if r := c.do(t, http.MethodGet, "/livez", ""); r.status != http.StatusOK {
		t.Errorf("not alive: %d", r.status)
	}
	neo4j.Start()
	more("Neo4j is back")
	eventually(t, 2*time.Minute, "ready again", func() bool { return c.do(t, http.MethodGet, "/readyz", "").status == http.StatusOK })
	freeze(t, neo4j, c, s.admin)
	if t.Failed() {
		t.Logf("the log says %s", regexp.MustCompile(`.*level=(ERROR|WARN).*context.*`).FindAllString(s.err.String(), 20))
	}
	more("Neo4j goes on")
	cancel()
	load.Wait()

	stored := map[string]int{}
	for from := any(0.0); from != nil; {
		page := c.must(t, http.MethodGet, fmt.Sprintf("/v1/conversations/%s?limit=1000&from=%.0f", id, from), "")
		for _, m := range page["messages"].([]any) {
			stored[at(m, "entity_key").(string)]++
		}
		from = page["next"]
	}
	for _, key := range kept {
		if stored[key] != 1 {
			t.Errorf("%s was acknowledged and is there %d times", key, stored[key])
		}
	}
}

// freeze lets Neo4j hang for five seconds while 200 contexts a second are asked for. Each is answered, none with more than one
// statement, and afterwards contexts are there again.
func freeze(t *testing.T, neo4j *testenv.Neo4jServer, c caller, admin string) {
	t.Helper()
	const rate, frozen = 200, 5 * time.Second
	before := contextStatements(t, admin)
	var asked sync.WaitGroup
	var failed atomic.Int64
	ask := func(user string) {
		begun := time.Now()
		r, err := c.try(context.WithoutCancel(t.Context()), http.MethodGet, "/v1/context?user_id="+user, "")
		switch {
		case err != nil || time.Since(begun) > mayTake:
			t.Errorf("a context: %v after %v", err, time.Since(begun))
		case r.status == http.StatusServiceUnavailable && r.header.Get("Retry-After") != "":
			failed.Add(1)
		case r.status != http.StatusOK:
			t.Errorf("a context: %d %s", r.status, r.body)
		}
	}
	tick, count := time.NewTicker(time.Second/rate), 0
	defer tick.Stop()
	neo4j.Pause()
	for end := time.Now().Add(frozen); time.Now().Before(end); count++ {
		<-tick.C
		asked.Go(func() { ask(fmt.Sprintf("frozen-%d", count)) })
	}
	neo4j.Resume()
	resumed := time.Now()
	eventually(t, 3*time.Minute, "ten contexts one after the other", func() bool {
		for range 10 {
			count++
			if r := c.do(t, http.MethodGet, fmt.Sprintf("/v1/context?user_id=after-%d", count), ""); r.status != http.StatusOK {
				return false
			}
		}
		return true
	})
	recovered := time.Since(resumed)
	asked.Wait()
	if ran := contextStatements(t, admin) - before; ran > count {
		t.Errorf("%d contexts took %d statements", count, ran)
	}
	t.Logf("%d contexts, %d of them unavailable, ten answered %v after Neo4j went on", count, failed.Load(), recovered.Round(time.Millisecond))
}

// contextStatements returns the number of statements that have loaded contexts or sections of them.
func contextStatements(t *testing.T, admin string) (count int) {
	t.Helper()
	for line := range strings.Lines(metricsAt(t, admin)) {
		if strings.HasPrefix(line, `kith_statement_seconds_count{outcome="`) && strings.Contains(line, `statement="context`) {
			n, err := strconv.Atoi(strings.TrimSpace(line[strings.LastIndex(line, " "):]))
			if err != nil {
				t.Fatal(err)
			}
			count += n
		}
	}
	return count
}

// A request in flight is answered when the service stops.
func TestStopAnswersWhatIsInFlight(t *testing.T) {
	t.Parallel()
	s := start(t, settings(testenv.Neo4j(t), ""))
	c := s.as(s.newKey(t, testenv.Team(t), "read", "write"))
	var items []string
	for i := range 3000 {
		items = append(items, fmt.Sprintf(`{"kind":"concept","name":"c-%d"}`, i))
	}
	body := `{"user_id":"u1","nodes":[` + strings.Join(items, ",") + `]}`
	begun, answered := make(chan struct{}), make(chan reply, 1)
	go func() {
		close(begun)
		r, err := c.try(context.WithoutCancel(t.Context()), http.MethodPost, "/v1/memory", body)
		if err != nil {
			t.Errorf("the request in flight: %v", err)
		}
		answered <- r
	}()
	<-begun
	eventually(t, 10*time.Second, "the write has begun", func() bool {
		return strings.Contains(s.err.String(), "route=/v1/keys") // the request before it is done
	})
	<-time.After(100 * time.Millisecond) // it is under way: it takes some seconds
	if code := s.stop(); code != 0 {
		t.Errorf("exit status %d: %s", code, s.err)
	}
	if r := <-answered; r.status != http.StatusOK {
		t.Errorf("the request in flight: %d %s", r.status, r.body)
	}
}
