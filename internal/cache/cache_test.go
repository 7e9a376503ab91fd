package cache_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"kith/internal/cache"
	"kith/tests/testenv"
)

// levels runs a test without Redis and with it.
func levels(t *testing.T, test func(t *testing.T, uri string)) {
	t.Helper()
	t.Parallel()
	t.Run("process", func(t *testing.T) { t.Parallel(); test(t, "") })
	t.Run("redis", func(t *testing.T) { t.Parallel(); test(t, testenv.Redis(t)) })
}

func TestKeeps(t *testing.T) {
	levels(t, func(t *testing.T, uri string) {
		p, team := startReady(t, uri), testenv.Team(t)
		for _, value := range []string{"text", "", "\x00\xff\r\n$3\r\n", strings.Repeat("long ", 100_000)} {
			// A pause of the machine may cost a hit: it is asked for again, a wrong value never is.
			eventually(t, "a hit", func() bool {
				first, _ := p.get(team, "u", value[:min(9, len(value))], value)
				hits := p.count(cache.LocalHit)
				second, loaded := p.get(team, "u", value[:min(9, len(value))], "other")
				if first != value || !loaded && second != value {
					t.Fatalf("got %.20q and %.20q, want %.20q", first, second, value)
				}
				return !loaded && p.count(cache.LocalHit) > hits
			})
		}
	})
}

func TestViewsAreApart(t *testing.T) {
	levels(t, func(t *testing.T, uri string) {
		p, team := startReady(t, uri), testenv.Team(t)
		seen := map[string]bool{}
		for _, c := range [][3]string{
			{team, "u", "v"}, {team, "u", "w"}, {team, "w", "v"}, {team + "2", "u", "v"}, {team, "", "v"}, {team, "", "u"},
			{team + "\x1fu", "", "v"}, {team, "u\x1f", "v"}, {team, "u", "\x1fv"}, {team + "1:u", "", "1:v"}, {team, "1:u", "1:v"},
			{team, "a:b", "c"}, {team, "a", "b:c"}, {team + ":a", "b", "c"},
		} {
			want := strings.Join(c[:], "|")
			if seen[want] {
				t.Fatalf("%q is there twice", want)
			}
			seen[want] = true
			for range 2 {
				if got, _ := p.get(c[0], c[1], c[2], want); got != want {
					t.Errorf("%q got the value of %q", want, got)
				}
			}
		}
	})
}

func TestHitFromRedis(t *testing.T) {
	t.Parallel()
	server, team := testenv.StartRedis(t), testenv.Team(t)
	direct := client(t, server.URI())
	a, b := startReady(t, server.URI()), startReady(t, server.URI())
	const value = "\x00made once\xff"
	n := 0
	share := func(other *process) bool { // a pause of the machine may cost a hit, so views are tried until one is shared
		n++
		view, before := strings.Repeat("v", n), len(keys(t, direct, "kith:entry:"))
		a.get(team, "u", view, value)
		eventually(t, "the entry is in Redis", func() bool { return len(keys(t, direct, "kith:entry:")) > before || a.isBypassed() })
		hits := other.count(cache.RemoteHit)
		got, loaded := other.get(team, "u", view, "made again")
		if !loaded && (got != value || other.count(cache.RemoteHit) != hits+1) {
			t.Fatalf("got %q, %d hits in Redis", got, other.count(cache.RemoteHit)-hits)
		}
		return !loaded
	}
	eventually(t, "b gets what a loaded", func() bool { return share(b) })
	// One that starts later uses what is there: a restart does not begin cold.
	eventually(t, "a later process gets what a loaded before", func() bool {
		view := strings.Repeat("v", n)
		got, loaded := startReady(t, server.URI()).get(team, "u", view, "made again")
		return !loaded && got == value || !share(b)
	})
}

// Entries in the process expire after a minute, by the clock of the bubble.
func TestLocalLifetime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, err := cache.New(cache.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var loads int
		get := func() {
			if _, err := c.Get(t.Context(), "t", "u", "v", func(context.Context) ([]byte, bool, error) {
				loads++
				return nil, true, nil
			}); err != nil {
				t.Error(err)
			}
		}
		get()
		<-time.After(58 * time.Second)
		get()
		if loads != 1 {
			t.Errorf("after 58 s: %d loads, want 1", loads)
		}
		<-time.After(4 * time.Second) // reading does not prolong it
		get()
		if loads != 2 {
			t.Errorf("after 62 s: %d loads, want 2", loads)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestRemoteLifetimes(t *testing.T) {
	t.Parallel()
	server := testenv.StartRedis(t)
	c, p := client(t, server.URI()), startReady(t, server.URI())
	p.get("t", "u", "v", "x")
	eventually(t, "entries are in Redis", func() bool { return len(keys(t, c, "kith:entry:")) > 0 })
	for prefix, want := range map[string]time.Duration{"kith:entry:": 5 * time.Minute, "kith:version:": 24 * time.Hour} {
		for _, key := range keys(t, c, prefix) {
			if got := c.TTL(t.Context(), key).Val(); got > want || got < want-time.Minute {
				t.Errorf("%s: lives %v, want %v", prefix, got, want)
			}
		}
	}
}

func TestOneLoadForAll(t *testing.T) {
	levels(t, func(t *testing.T, uri string) {
		const callers = 1000
		p, team := startReady(t, uri), testenv.Team(t)
		var started, loads atomic.Int64
		all := make(chan struct{})
		var done sync.WaitGroup
		for range callers {
			done.Go(func() {
				if started.Add(1) == callers {
					close(all)
				}
				value, err := p.Get(context.Background(), team, "u", "v", func(context.Context) ([]byte, bool, error) {
					loads.Add(1)
					<-all
					return []byte("x"), true, nil
				})
				if err != nil || string(value) != "x" {
					t.Errorf("got %q, %v", value, err)
				}
			})
		}
		done.Wait()
		if n := loads.Load(); n < 1 || n > 2 {
			t.Errorf("%d loads for %d callers", n, callers)
		}
	})
}

func TestCallerLeaves(t *testing.T) {
	levels(t, func(t *testing.T, uri string) {
		p, team := startReady(t, uri), testenv.Team(t)
		loading, finish := make(chan struct{}), make(chan struct{})
		var loads atomic.Int64
		load := func(ctx context.Context) ([]byte, bool, error) {
			if loads.Add(1) == 1 {
				close(loading)
			}
			<-finish
			if _, bounded := ctx.Deadline(); !bounded {
				t.Error("the load has no deadline")
			}
			return []byte("x"), true, ctx.Err()
		}
		ctx, leave := context.WithCancel(t.Context())
		first := make(chan error, 1)
		go func() {
			_, err := p.Get(ctx, team, "u", "v", load)
			first <- err
		}()
		<-loading
		second := make(chan error, 1)
		go func() {
			value, err := p.Get(t.Context(), team, "u", "v", load)
			if err == nil && string(value) != "x" {
				err = errors.New("got " + string(value))
			}
			second <- err
		}()
		leave()
		if err := <-first; !errors.Is(err, context.Canceled) {
			t.Errorf("who left got %v", err)
		}
		close(finish)
		if err := <-second; err != nil {
			t.Errorf("who stayed: %v", err)
		}
		if n := loads.Load(); n > 2 {
			t.Errorf("%d loads", n)
		}
		dead, cancel := context.WithCancel(t.Context())
		cancel()
		before := loads.Load()
		for range 50 {
			if _, err := p.Get(dead, team, "u", "new", load); !errors.Is(err, context.Canceled) {
				t.Errorf("a dead caller got %v", err)
			}
		}
		p.stop()
		if err := p.shut(); err != nil { // waits for loads
			t.Error(err)
		}
		if loads.Load() != before {
			t.Error("a dead caller loaded")
		}
	})
}

// A load whose first caller has gone is cached.
func TestLoadGoesOn(t *testing.T) {
	t.Parallel()
	p := startReady(t, "")
	ctx, leave := context.WithCancel(t.Context())
	_, err := p.Get(ctx, "t", "u", "v", func(ctx context.Context) ([]byte, bool, error) {
		leave()
		return []byte("x"), true, ctx.Err()
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	eventually(t, "the load is kept", func() bool {
		got, err := p.Get(t.Context(), "t", "u", "v", func(context.Context) ([]byte, bool, error) { return nil, false, nil })
		return err == nil && string(got) == "x"
	})
}

func TestNotKept(t *testing.T) {
	levels(t, func(t *testing.T, uri string) {
		p, team := startReady(t, uri), testenv.Team(t)
		broken := errors.New("broken")
		for _, c := range []struct {
			view string
			err  error
		}{{"degraded", nil}, {"failed", broken}} {
			for i := range 3 {
				loads := 0
				value, err := p.Get(t.Context(), team, "u", c.view, func(context.Context) ([]byte, bool, error) {
					loads++
					return []byte("x"), c.err != nil, c.err // an error is not kept, whatever keep says
				})
				if loads != 1 || !errors.Is(err, c.err) || (c.err == nil) != (string(value) == "x") {
					t.Errorf("%s, time %d: %d loads, %q, %v", c.view, i, loads, value, err)
				}
			}
		}
	})
}

// Raising one version does not affect the entries of others.
func TestChangedReaches(t *testing.T) {
	levels(t, func(t *testing.T, uri string) {
		p, team, other := startReady(t, uri), testenv.Team(t), testenv.Team(t)
		views := [][2]string{{team, ""}, {team, "u"}, {team, "w"}, {other, ""}, {other, "u"}}
		for _, c := range []struct {
			users []string
			lost  []bool // of views
		}{
			{nil, []bool{false, false, false, false, false}},
			{[]string{"u"}, []bool{false, true, false, false, false}},
			{[]string{"u", "w"}, []bool{false, true, true, false, false}},
			{[]string{""}, []bool{true, true, true, false, false}},
		} {
			var got []bool
			eventually(t, "an undisturbed round", func() bool {
				bypassed := p.count(cache.Bypass)
				for _, v := range views {
					p.get(v[0], v[1], "v", "kept")
				}
				p.Changed(t.Context(), team, c.users...)
				got = nil
				for _, v := range views {
					got = append(got, !p.isCached(v[0], v[1], "v"))
				}
				// A heartbeat that came late makes the process forget: such a round says nothing.
				for i := range views {
					if c.lost[i] && !got[i] {
						t.Fatalf("after a change of %q, %q is still served", c.users, views[i])
					}
				}
				return p.count(cache.Bypass) == bypassed && cmp.Equal(c.lost, got)
			})
		}
	})
}

func TestWrongURI(t *testing.T) {
	t.Parallel()
	for _, uri := range []string{
		"http://:hunter2@host:6379", "redis://:hunter2@host:port/0", "redis://:hunter2@host:6379/zero", "hunter2", "redis://user:hunter2@[::1",
	} {
		c, err := cache.New(cache.Options{RedisURI: uri})
		if c != nil || err == nil {
			t.Fatalf("%s was taken", uri)
		}
		if strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "KITH_REDIS_URI") {
			t.Errorf("%s: %v", uri, err)
		}
	}
}

func TestClose(t *testing.T) {
	levels(t, func(t *testing.T, uri string) {
		p, team := startReady(t, uri), testenv.Team(t)
		loading := make(chan struct{})
		var ended atomic.Bool
		answer := make(chan error, 1)
		go func() {
			_, err := p.Get(context.Background(), team, "u", "v", func(ctx context.Context) ([]byte, bool, error) {
				close(loading)
				<-ctx.Done()
				ended.Store(true)
				return nil, false, ctx.Err()
			})
			answer <- err
		}()
		<-loading
		p.stop()
		if uri != "" && !p.isBypassed() {
			t.Error("nobody listens, and what is kept is trusted")
		}
		if err := p.shut(); err != nil {
			t.Fatal(err)
		}
		if !ended.Load() {
			t.Error("closed while a load goes on")
		}
		if err := <-answer; !errors.Is(err, context.Canceled) {
			t.Errorf("who waited got %v", err)
		}
		if _, err := p.Get(t.Context(), team, "u", "w", func(context.Context) ([]byte, bool, error) { return nil, true, nil }); err == nil {
			t.Error("a closed cache loads")
		}
	})
}
