package cache_test

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"kith/cache"
	"kith/internal/testenv"
)

// hammer reads and writes a number through one process, and fails where a read that began after a write was
// acknowledged sees less. disturb is done meanwhile; it calls settle to let reads and writes go on for a while.
func hammer(t *testing.T, p *process, disturb func(settle func())) {
	t.Helper()
	team := testenv.Team(t)
	var number counter
	var reads, writes atomic.Int64
	stop := make(chan struct{})
	stopped := func() bool {
		select {
		case <-stop:
			return true
		default:
			return false
		}
	}
	var running sync.WaitGroup
	for range 4 {
		running.Go(func() {
			for !stopped() {
				least := number.acknowledged.Load()
				if got := number.read(p, team, "u"); got < least {
					t.Errorf("served %d after %d was acknowledged", got, least)
				}
				reads.Add(1)
			}
		})
	}
	for i := range 2 {
		running.Go(func() {
			for !stopped() {
				number.write(p, team, []string{"u", ""}[i])
				writes.Add(1)
				for enough := reads.Load() + 8; reads.Load() < enough && !stopped(); { // so that reads hit, too
					runtime.Gosched()
				}
			}
		})
	}
	disturb(func() {
		t.Helper()
		r, w := reads.Load()+300, writes.Load()+30
		eventually(t, "reads and writes go on", func() bool { return reads.Load() > r && writes.Load() > w })
	})
	close(stop)
	running.Wait()
}

func TestNeverOlder(t *testing.T) {
	levels(t, func(t *testing.T, uri string) {
		p := startReady(t, uri)
		hammer(t, p, func(settle func()) {
			eventually(t, "much was kept", func() bool { settle(); return p.count(cache.LocalHit) > 2000 })
		})
	})
}

func TestNeverOlderWithFaults(t *testing.T) {
	t.Parallel()
	server := testenv.StartRedis(t)
	direct := client(t, server.URI())
	p := startReady(t, server.URI())
	hammer(t, p, func(settle func()) {
		for range 5 {
			server.Pause()
			settle()
			p.away()
			server.Resume()
			settle()
			p.connected()
			hits := p.count(cache.LocalHit)
			eventually(t, "entries are kept again", func() bool { settle(); return p.count(cache.LocalHit) > hits+100 })
			if err := direct.FlushAll(t.Context()).Err(); err != nil {
				t.Error(err)
			}
			settle()
			server.Stop()
			settle()
			server.Start()
			settle()
			p.connected()
			if err := direct.ClientKillByFilter(t.Context(), "TYPE", "pubsub").Err(); err != nil {
				t.Error(err)
			}
			settle()
			p.connected()
		}
	})
}

func TestSeenElsewhere(t *testing.T) {
	t.Parallel()
	uri, team := testenv.Redis(t), testenv.Team(t)
	a, b := startReady(t, uri), startReady(t, uri)
	const writes = 200
	var took []time.Duration
	var number counter
	users := []string{"u", "w"}
	for i := range writes {
		for _, u := range users {
			number.read(b, team, u) // so that b has something old
		}
		begun := time.Now()
		n := number.write(a, team, []string{"u", ""}[i%2])
		for _, u := range users[:1+i%2] { // a write to the team's shared memory concerns all its users
			eventually(t, "b sees what a wrote", func() bool { return number.read(b, team, u) >= n })
		}
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	median, p99 := took[writes/2], took[writes*99/100]
	t.Logf("a write is seen by another process after: median %v, p99 %v, at most %v", median, p99, took[writes-1])
	if median > 100*time.Millisecond || took[writes-1] > 2*time.Second {
		t.Error("that is too long")
	}
	if b.count(cache.LocalHit) == 0 {
		t.Error("b never had anything old")
	}
}

// Redis is away when the process starts.
func TestAwayAtStart(t *testing.T) {
	t.Parallel()
	server := testenv.StartRedis(t)
	server.Stop()
	p := startProcess(t, server.URI())
	for range 3 {
		if got, loaded := p.get("t", "u", "v", "x"); got != "x" || !loaded {
			t.Errorf("got %q, loaded=%v", got, loaded)
		}
		p.Changed(t.Context(), "t", "u")
	}
	if p.count(cache.Bypass) == 0 || p.count(cache.RemoteError) == 0 {
		t.Error("no event tells of it")
	}
	server.Start()
	p.connected()
	eventually(t, "entries are kept again", func() bool { return p.isCached("t", "u", "v") })
}

// While changes of other processes are not received, no caller gets the result of a load that began long before its request.
func TestAwayALongLoadIsNotJoined(t *testing.T) {
	t.Parallel()
	server := testenv.StartRedis(t)
	server.Stop()
	p := startProcess(t, server.URI())
	begun, end, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = p.Get(context.Background(), "t", "u", "v", func(context.Context) ([]byte, bool, error) {
			close(begun)
			<-end
			return []byte("before"), true, nil
		})
	}()
	<-begun
	<-time.After(100 * time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	got, err := p.Get(ctx, "t", "u", "v", func(context.Context) ([]byte, bool, error) { return []byte("after"), true, nil })
	if err != nil || string(got) != "after" {
		t.Errorf("got %q, %v", got, err)
	}
	close(end)
	<-ended
}

func TestAwayMeanwhile(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]struct{ begin, end func(*testenv.RedisServer) }{
		"stopped": {(*testenv.RedisServer).Stop, (*testenv.RedisServer).Start},
		"paused":  {(*testenv.RedisServer).Pause, (*testenv.RedisServer).Resume},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := testenv.StartRedis(t)
			p := startReady(t, server.URI())
			eventually(t, "it is kept", func() bool { return p.isCached("t", "u", "v") })
			fault.begin(server)
			for i := range 20 {
				begun := time.Now()
				p.get("t", fmt.Sprint("u", i), "v", "x")
				if took := time.Since(begun); took > 500*time.Millisecond {
					t.Errorf("get took %v", took)
				}
			}
			p.away()
			if got, loaded := p.get("t", "u", "v", "fresh"); got != "fresh" || !loaded {
				t.Errorf("away, and it serves what it has: %q", got)
			}
			fault.end(server)
			p.connected()
			if got, _ := p.get("t", "u", "v", "fresh"); got != "fresh" {
				t.Errorf("what was kept before is served after: %q", got)
			}
			eventually(t, "it is kept again", func() bool { return p.isCached("t", "u", "v") })
		})
	}
}

// All data go while everything is connected.
func TestFlushed(t *testing.T) {
	t.Parallel()
	server := testenv.StartRedis(t)
	direct := client(t, server.URI())
	a, b := startReady(t, server.URI()), startReady(t, server.URI())
	var number counter
	for range 20 {
		n := number.write(a, "t", "u")
		if err := direct.FlushAll(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		if got := number.read(a, "t", "u"); got < n {
			t.Errorf("a serves %d after %d", got, n)
		}
		n = number.write(a, "t", "u")
		eventually(t, "b sees what a wrote", func() bool { return number.read(b, "t", "u") >= n })
	}
}

func TestForeignEntries(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]string{
		"garbage":   `redis.call('SET', KEYS[1], 'garbage')`,
		"empty":     `redis.call('SET', KEYS[1], '')`,
		"truncated": `redis.call('SET', KEYS[1], string.sub(redis.call('GET', KEYS[1]), 1, -2))`,
		"other":     `redis.call('DEL', KEYS[1]) redis.call('LPUSH', KEYS[1], 'x')`,
		"swapped":   `redis.call('SET', KEYS[1], redis.call('GET', KEYS[2]))`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := testenv.StartRedis(t)
			direct := client(t, server.URI())
			a := startReady(t, server.URI())
			eventually(t, "an event tells of it", func() bool {
				if err := direct.FlushAll(t.Context()).Err(); err != nil {
					t.Fatal(err)
				}
				a.Changed(t.Context(), "t", "u")
				for _, view := range []string{"v", "w"} {
					a.get("t", "u", view, "value of "+view)
				}
				var entries []string
				eventually(t, "the entries are in Redis", func() bool {
					entries = keys(t, direct, "kith:entry:")
					return len(entries) >= 2 || a.isBypassed()
				})
				if len(entries) < 2 {
					return false
				}
				for i := range entries {
					if err := direct.Eval(t.Context(), spoil+" return 1", []string{entries[i], entries[(i+1)%len(entries)]}).Err(); err != nil {
						t.Fatal(err)
					}
				}
				b := startReady(t, server.URI())
				for _, view := range []string{"v", "w"} {
					if got, _ := b.get("t", "u", view, "value of "+view); got != "value of "+view {
						t.Fatalf("%s: got %q", view, got)
					}
				}
				return b.count(cache.Corrupt)+b.count(cache.RemoteError) > 0
			})
		})
	}
}

// Overwritten versions cost misses, and do not disable the cache.
func TestForeignVersions(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]string{
		"garbage":  `redis.call('SET', KEYS[1], 'garbage')`,
		"infinite": `redis.call('SET', KEYS[1], 'inf')`,
		"huge":     `redis.call('SET', KEYS[1], '1e300')`,
		"negative": `redis.call('SET', KEYS[1], '-5')`,
		"other":    `redis.call('DEL', KEYS[1]) redis.call('LPUSH', KEYS[1], 'x')`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := testenv.StartRedis(t)
			direct := client(t, server.URI())
			a := startReady(t, server.URI())
			var number counter
			number.write(a, "t", "u", "")
			number.read(a, "t", "u")
			for _, key := range keys(t, direct, "kith:version:") {
				if err := direct.Eval(t.Context(), spoil+" return 1", []string{key}).Err(); err != nil {
					t.Fatal(err)
				}
			}
			b := startReady(t, server.URI())
			eventually(t, "b keeps", func() bool { return b.isCached("t", "u", "v") })
			n := number.write(a, "t", "u", "")
			if got := number.read(a, "t", "u"); got < n {
				t.Errorf("a serves %d after %d", got, n)
			}
			eventually(t, "b sees what a wrote", func() bool { return number.read(b, "t", "u") >= n })
			a.connected()
			eventually(t, "a keeps", func() bool { return a.isCached("t", "u", "v") })
		})
	}
}

// What is written while Redis is away reaches the other process when it is back, and no answer is older than it.
func TestWrittenWhileAway(t *testing.T) {
	t.Parallel()
	server := testenv.StartRedis(t)
	a, b := startReady(t, server.URI()), startReady(t, server.URI())
	var number counter
	for round := range 6 {
		number.read(a, "t", "u")
		old := number.read(b, "t", "u")
		if round%2 == 0 {
			server.Pause()
		} else {
			server.Stop()
		}
		if round%3 == 0 { // otherwise a notices only by its write
			a.away()
			b.away()
		}
		n := number.write(a, "t", "u")
		if got := number.read(a, "t", "u"); got < n {
			t.Errorf("a serves %d after it wrote %d", got, n)
		}
		if round%2 == 0 {
			server.Resume()
		} else {
			server.Start()
		}
		back := time.Now()
		eventually(t, "b sees what a wrote", func() bool { return number.read(b, "t", "u") >= n })
		if took := time.Since(back); took > 2*time.Second {
			t.Errorf("b saw it only after %v", took)
		}
		for connected := false; !connected; connected = !b.isBypassed() {
			if got := number.read(b, "t", "u"); got < n {
				t.Fatalf("round %d: b serves %d again, after %d; before was %d", round, got, n, old)
			}
		}
		for range 100 {
			if got := number.read(b, "t", "u"); got < n {
				t.Fatalf("round %d: b serves %d again, after %d; before was %d", round, got, n, old)
			}
		}
		a.connected()
	}
}

// A process that loads anew before it has received the last two writes does not return to an entry between them.
func TestHeardLate(t *testing.T) {
	t.Parallel()
	server := testenv.StartRedis(t)
	direct := client(t, server.URI())
	b := startReady(t, server.URI())
	b.get("t", "u", "other", "x") // b knows the versions
	before := keys(t, direct, "kith:version:")
	var number counter
	write := func() (messages []string) { // not published
		number.stored.Add(1)
		for _, key := range before {
			version, err := direct.Incr(t.Context(), key).Result()
			if err != nil {
				t.Fatal(err)
			}
			messages = append(messages, fmt.Sprint(key, "\n", version))
		}
		return messages
	}
	late := write()
	a := startReady(t, server.URI())
	entries := len(keys(t, direct, "kith:entry:"))
	eventually(t, "the entry of the first write is in Redis", func() bool {
		return number.read(a, "t", "u") == 1 && len(keys(t, direct, "kith:entry:")) > entries
	})
	write()
	if got := number.read(b, "t", "u"); got != 2 {
		t.Fatalf("b serves %d", got)
	}
	for _, message := range late {
		if err := direct.Publish(t.Context(), "kith:changes", message).Err(); err != nil {
			t.Fatal(err)
		}
	}
	for begun := time.Now(); time.Since(begun) < 200*time.Millisecond; {
		if got := number.read(b, "t", "u"); got != 2 {
			t.Fatalf("b serves %d again, after 2", got)
		}
	}
}

// The writer dies before Redis comes back with all it had: no message reaches the other process, and yet it does not go
// back to what it kept.
func TestWriterDies(t *testing.T) {
	t.Parallel()
	server := testenv.StartRedis(t)
	b := startReady(t, server.URI())
	a := startReady(t, server.URI())
	var number counter
	eventually(t, "b keeps the old number", func() bool {
		hits := b.count(cache.LocalHit)
		return number.read(b, "t", "u") == 0 && b.count(cache.LocalHit) > hits
	})
	server.Pause()
	a.away()
	b.away()
	n := number.write(a, "t", "u")
	if got := number.read(b, "t", "u"); got < n {
		t.Fatalf("away, and b serves %d", got)
	}
	a.stop()
	server.Resume()
	b.connected()
	for range 100 {
		if got := number.read(b, "t", "u"); got < n {
			t.Fatalf("b serves %d again, after %d", got, n)
		}
	}
}

// A process that ends raises its pending versions, if it can.
func TestEndDelivers(t *testing.T) {
	t.Parallel()
	server := testenv.StartRedis(t)
	b := startReady(t, server.URI())
	a, err := cache.New(cache.Options{RedisURI: server.URI()})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	var number counter
	number.read(b, "t", "u")
	number.stored.Add(1)
	a.Changed(t.Context(), "t", "u") // it does not run, so this waits
	ended, end := context.WithCancel(t.Context())
	end()
	eventually(t, "b sees what a wrote", func() bool {
		if err := a.Run(ended); err != nil {
			t.Error(err)
		}
		return number.read(b, "t", "u") == 1
	})
}

// A look-up of a version that began before a write is not shared with a caller after the write.
func TestVersionReadBeforeWrite(t *testing.T) {
	t.Parallel()
	server := testenv.StartRedis(t)
	lines := newWire(t, server.URI())
	direct := client(t, server.URI())
	b := startReady(t, server.URI())
	eventually(t, "a conclusive round", func() bool {
		user := rand.Text()
		var number counter
		// b leaves an entry of the old number in Redis, under a version that a does not know.
		before := len(keys(t, direct, "kith:entry:"))
		number.read(b, "t", user)
		eventually(t, "the entry is in Redis", func() bool { return len(keys(t, direct, "kith:entry:")) > before || b.isBypassed() })

		a := startReady(t, lines.uri)
		a.get("t", "", "v", "x") // what the team shares is known to it
		h := &hold{make(chan struct{}), make(chan struct{})}
		lines.hold.Store(h)
		var reading sync.WaitGroup
		begun := time.Now()
		reading.Go(func() { number.read(a, "t", user) })
		select {
		case <-h.asked:
		case <-time.After(time.Second): // a trusts nothing just now, so it does not ask
			lines.hold.Store(nil)
			reading.Wait()
			return false
		}
		n := number.write(a, "t", user)
		reading.Go(func() {
			if got := number.read(a, "t", user); got < n {
				t.Errorf("served %d after %d was acknowledged", got, n)
			}
		})
		for range 1000 {
			runtime.Gosched()
		}
		close(h.release)
		conclusive := time.Since(begun) < 80*time.Millisecond // the question is given up after 100
		reading.Wait()
		return conclusive
	})
}

// Many callers that need the same unknown version share one request to Redis.
func TestVersionsAreAskedOnce(t *testing.T) {
	t.Parallel()
	server := testenv.StartRedis(t)
	direct := client(t, server.URI())
	p := startReady(t, server.URI())
	begin := make(chan struct{})
	var asking sync.WaitGroup
	for range 500 {
		asking.Go(func() {
			<-begin
			p.get("t", "u", "v", "x")
		})
	}
	close(begin)
	asking.Wait()
	stats, err := direct.Info(t.Context(), "commandstats").Result()
	if err != nil {
		t.Fatal(err)
	}
	_, stats, _ = strings.Cut(stats, "cmdstat_evalsha:calls=")
	var calls int
	if _, err := fmt.Sscanf(stats, "%d,", &calls); err != nil || calls < 1 || calls > 50 {
		t.Errorf("versions were asked for %d times, %v", calls, err)
	}
}

// A subscription without messages is not closed.
func TestQuietSubscription(t *testing.T) {
	t.Parallel()
	server := testenv.StartRedis(t)
	direct := client(t, server.URI())
	startReady(t, server.URI())
	eventually(t, "a subscription is three seconds old", func() bool {
		list, err := direct.Do(t.Context(), "CLIENT", "LIST", "TYPE", "pubsub").Text()
		_, age, _ := strings.Cut(list, " age=")
		var seconds int
		_, _ = fmt.Sscanf(age, "%d ", &seconds)
		return err == nil && seconds >= 3
	})
}

// A subscription that breaks, and one that is silently lost.
func TestSubscriptionLost(t *testing.T) {
	t.Parallel()
	server := testenv.StartRedis(t)
	direct := client(t, server.URI())
	lines := newWire(t, server.URI())
	a, b := startReady(t, server.URI()), startReady(t, lines.uri)
	var number counter
	lose := map[string]func(){
		"broken": func() {
			if err := direct.ClientKillByFilter(t.Context(), "TYPE", "pubsub").Err(); err != nil {
				t.Error(err)
			}
		},
		"silent": func() { lines.lossy.Store(true) },
	}
	for range 5 {
		for name, lose := range lose {
			eventually(t, "b keeps the number", func() bool {
				hits := b.count(cache.LocalHit)
				number.read(b, "t", "u")
				return b.count(cache.LocalHit) > hits
			})
			lose()
			n := number.write(a, "t", "u")
			begun := time.Now()
			eventually(t, name+": b sees what a wrote", func() bool { return number.read(b, "t", "u") >= n })
			if took := time.Since(begun); took > 2*time.Second {
				t.Errorf("%s: b saw it only after %v", name, took)
			}
			lines.lossy.Store(false)
			a.connected()
			b.connected()
		}
	}
}

// Nothing that is stored in Redis or published through it names a team or a user.
func TestNoIDs(t *testing.T) {
	t.Parallel()
	server := testenv.StartRedis(t)
	direct := client(t, server.URI())
	heard := direct.PSubscribe(t.Context(), "*")
	t.Cleanup(func() { _ = heard.Close() })
	if _, err := heard.Receive(t.Context()); err != nil {
		t.Fatal(err)
	}
	p := startReady(t, server.URI())
	ids := []string{"acme-team", "alice-user", "secret-view"}
	p.Changed(t.Context(), ids[0], ids[1], "")
	eventually(t, "entries and versions are in Redis", func() bool {
		p.get(ids[0], ids[1], rand.Text(), "x") // one that Redis is too slow for is dropped
		p.get(ids[0], ids[1], ids[2], "x")
		return len(keys(t, direct, "kith:entry:")) > 1 && len(keys(t, direct, "kith:version:")) > 2
	})
	texts := keys(t, direct, "")
	for range 2 {
		m, err := heard.ReceiveMessage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, m.Payload)
	}
	for _, text := range texts {
		for _, id := range ids {
			if strings.Contains(text, id) || strings.Contains(text, hex.EncodeToString([]byte(id))) {
				t.Errorf("%q names %s", text, id)
			}
		}
	}
}

// Any sequence of writes and reads by two processes: none serves older than it has written or seen, and in the end
// all is seen everywhere.
func TestAnySequence(t *testing.T) {
	t.Parallel()
	server := testenv.StartRedis(t)
	direct := client(t, server.URI())
	processes := []*process{startReady(t, server.URI()), startReady(t, server.URI())}
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		round++
		for _, p := range processes {
			p.connected()
		}
		team := fmt.Sprint("t", round)
		users := []string{"", "u", "w"}
		var numbers [3]counter // what is shared, and each user's
		var least [2][3][3]uint64
		view := func(p, user int) (got [3]uint64) {
			value, err := processes[p].Get(context.Background(), team, users[user], "all", func(context.Context) ([]byte, bool, error) {
				return fmt.Appendf(nil, "%d %d", numbers[0].stored.Load(), numbers[user].stored.Load()), true, nil
			})
			if err != nil {
				rt.Fatal(err)
			}
			if _, err := fmt.Sscan(string(value), &got[0], &got[1]); err != nil {
				rt.Fatal(err)
			}
			return got
		}
		check := func(p, user int) bool {
			got := view(p, user)
			want := least[p][user]
			if got[0] < want[0] || got[1] < want[1] {
				rt.Fatalf("process %d, user %q: got %v, has written or seen %v", p, users[user], got, want)
			}
			least[p][user] = got
			return got[0] == numbers[0].stored.Load() && got[1] == numbers[user].stored.Load()
		}
		p, user := rapid.IntRange(0, 1), rapid.IntRange(0, 2)
		rt.Repeat(map[string]func(*rapid.T){
			"read": func(rt *rapid.T) { check(p.Draw(rt, "process"), user.Draw(rt, "user")) },
			"write": func(rt *rapid.T) {
				p, user := p.Draw(rt, "process"), user.Draw(rt, "user")
				n := numbers[user].write(processes[p], team, users[user])
				for u := range users {
					if user == 0 {
						least[p][u][0] = n
					}
					if u == user {
						least[p][u][1] = n
					}
				}
			},
			"flush": func(rt *rapid.T) {
				if rapid.IntRange(0, 19).Draw(rt, "seldom") == 0 {
					direct.FlushAll(context.Background())
				}
			},
			"break": func(rt *rapid.T) {
				if rapid.IntRange(0, 19).Draw(rt, "seldom") == 0 {
					direct.ClientKillByFilter(context.Background(), "TYPE", "pubsub")
				}
			},
		})
		for p := range processes {
			for user := range users {
				eventually(t, "all is seen everywhere", func() bool { return check(p, user) })
			}
		}
	})
	for _, p := range processes {
		if p.count(cache.LocalHit) == 0 {
			t.Error("nothing was ever kept, so nothing was tested")
		}
	}
}
