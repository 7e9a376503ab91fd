package cache_test

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"kith/internal/cache"
	"kith/tests/testenv"
)

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
