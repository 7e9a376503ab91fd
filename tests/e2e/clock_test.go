package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"kith/tests/soak/history"
	"kith/tests/soak/registers"
	"kith/tests/testenv"
)

// The clocks of two instances jump by hours, each for itself, forward and back, while clients write, delete, restore and read: registers
// and a set stay what they are, and contexts never go back. KITH_TEST_SEED is the seed.
func TestClockJumps(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano()) //nolint:gosec // a seed
	if given := os.Getenv("KITH_TEST_SEED"); given != "" {
		seed = uint64(setting(t, "KITH_TEST_SEED")) //nolint:gosec // a seed
	}
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // a test's choice
	team := testenv.Team(t)
	var clocks [2]testClock
	var apis [2]http.Handler
	var key string
	for i := range apis {
		clocks[i].nanos.Store(time.Now().UnixNano())
		opened := openAt(t, &clocks[i], team, testenv.Neo4j(t), "KITH_REDIS_URI="+testenv.Redis(t))
		apis[i], key = opened.instance.API, opened.key
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	jumping, jumps := make(chan struct{}), 0
	go func() {
		defer close(jumping)
		for ; ctx.Err() == nil; jumps++ {
			away := time.Duration(random.Int64N(int64(48*time.Hour))) - 24*time.Hour
			clocks[jumps%len(clocks)].nanos.Store(time.Now().Add(away).UnixNano())
			<-time.After(20 * time.Millisecond)
		}
	}()
	send := func(process int, method, path, body string) (int, []byte) {
		request := httptest.NewRequestWithContext(context.WithoutCancel(t.Context()), method, path, strings.NewReader(body))
		request.Header.Set("Authorization", "Bearer "+key)
		request.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		apis[process].ServeHTTP(w, request)
		return w.Code, w.Body.Bytes()
	}
	done := make(chan registers.Result)
	for i := range 2 {
		g := &registers.Group{User: fmt.Sprintf("u%d", i), Send: send, Processes: len(apis), Pinned: i == 0, Most: 40, Random: rand.New(rand.NewPCG(seed, uint64(i)+1))} //nolint:gosec // a test's choice
		go func() { done <- g.Run(ctx) }()
	}
	for range 2 {
		r := <-done
		outcomes := map[string]int{}
		for _, operations := range r.Operations {
			for _, o := range operations {
				outcomes[fmt.Sprint(o.Kind, " ", o.Outcome)]++
			}
		}
		t.Logf("%v, registers %v", outcomes, r.Verdicts)
		if r.Verdicts[history.Linearizable] != 2 {
			t.Errorf("registers: %v", r.Verdicts)
		}
		for _, f := range r.Faults {
			t.Errorf("%s\n%+v", f, r.Operations[f[:len("u0.a")]])
		}
	}
	cancel()
	<-jumping
	if jumps < 10 {
		t.Errorf("the clocks jumped %d times", jumps)
	}
}
