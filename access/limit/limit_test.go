package limit

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kith/tests/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

func open(t *testing.T, o Options) *Limiter {
	t.Helper()
	l, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func some(n int64) *int64 { return &n }

// one returns a charge of one unit.
func one(key string, own *int64) Charge { return Charge{Key: key, Own: own, Cost: 1} }

// Limits work the same in the process and in Redis.
func TestLimits(t *testing.T) {
	t.Parallel()
	for name, uri := range map[string]string{"process": "", "redis": testenv.Redis(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, key := open(t, Options{RedisURI: uri, Standard: 3}), testenv.Team(t)
			for left := int64(2); left >= 0; left-- {
				if d := l.Allow(t.Context(), one(key, nil)); !d.Allowed || d.Limit != 3 || d.Remaining != left || d.Reset <= 0 || d.Reset > time.Minute || d.RetryAfter != 0 {
					t.Errorf("%d left: %+v", left, d)
				}
			}
			d := l.Allow(t.Context(), one(key, nil))
			if d.Allowed || d.Remaining != 0 || d.RetryAfter <= 19*time.Second || d.RetryAfter > 20*time.Second || d.Reset < 59*time.Second {
				t.Errorf("one too many: %+v", d)
			}
			if d := l.Allow(t.Context(), one(key+"-other", nil)); !d.Allowed || d.Remaining != 2 {
				t.Errorf("another key: %+v", d)
			}
			if d := l.Allow(t.Context(), one(key+"-own", some(600))); !d.Allowed || d.Limit != 600 {
				t.Errorf("a limit of its own: %+v", d)
			}
			for range 10 {
				if d := l.Allow(t.Context(), one(key, some(0))); !d.Allowed || d.Limit != 0 {
					t.Errorf("any number: %+v", d)
				}
			}
		})
	}
	if d := open(t, Options{}).Allow(t.Context(), one("k", nil)); !d.Allowed || d.Limit != 0 {
		t.Errorf("without limits: %+v", d)
	}
}

// Units refill one by one with time.
func TestLimitRefills(t *testing.T) {
	t.Parallel()
	for name, uri := range map[string]string{"process": "", "redis": testenv.Redis(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, key := open(t, Options{RedisURI: uri}), testenv.Team(t)
			var d Decision
			for d = l.Allow(t.Context(), one(key, some(300))); d.Allowed; d = l.Allow(t.Context(), one(key, some(300))) {
			}
			<-time.After(d.RetryAfter)
			if d := l.Allow(t.Context(), one(key, some(300))); !d.Allowed {
				t.Errorf("after the pause that it asked for: %+v", d)
			}
		})
	}
}

// Processes and concurrent callers share one count.
func TestLimitsAreShared(t *testing.T) {
	t.Parallel()
	uri, key := testenv.Redis(t), testenv.Team(t)
	processes := []*Limiter{open(t, Options{RedisURI: uri, Standard: 50}), open(t, Options{RedisURI: uri, Standard: 50})}
	var allowed atomic.Int64
	var callers sync.WaitGroup
	begun := time.Now()
	for i := range 20 {
		callers.Go(func() {
			for range 10 {
				if processes[i%2].Allow(t.Context(), one(key, nil)).Allowed {
					allowed.Add(1)
				}
			}
		})
	}
	callers.Wait()
	if most := 50 + int64(time.Since(begun)/(time.Minute/50)) + 1; allowed.Load() < 50 || allowed.Load() > most {
		t.Errorf("%d were let through, not 50 to %d", allowed.Load(), most)
	}
}

// Without Redis each process counts by itself, and logs that once.
func TestRedisIsAway(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	counts := map[Event]int{}
	l := open(t, Options{
		RedisURI: "redis://127.0.0.1:1", Standard: 2, Log: slog.New(slog.NewTextHandler(&log, nil)), Observe: func(e Event) { counts[e]++ },
	})
	for i, want := range []bool{true, true, false, false} {
		if d := l.Allow(t.Context(), one("k", nil)); d.Allowed != want {
			t.Errorf("request %d: %+v", i, d)
		}
	}
	if strings.Count(log.String(), "level=WARN") != 1 || counts[Allowed] != 2 || counts[Refused] != 2 || counts[Away] < 1 {
		t.Errorf("counts %v, log: %s", counts, &log)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{{Standard: -1}, {Standard: maxLimit + 1}, {RedisURI: "http://user:hidden@host"}} {
		if _, err := New(o); err == nil || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
