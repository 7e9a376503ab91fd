package cache_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"kith/internal/cache"
	"kith/tests/testenv"
)

// views are many, as an entry that Redis is too slow for is dropped.
var views = strings.Fields("a b c d e f g h")

// storeOld has a process store entries in Redis.
func storeOld(t *testing.T, p *process, direct *redis.Client) {
	t.Helper()
	eventually(t, "entries are in Redis", func() bool {
		p.Changed(t.Context(), "t", "u")
		for _, view := range views {
			p.get("t", "u", view, "old")
		}
		return len(keys(t, direct, "kith:entry:")) > len(views)/2
	})
}

// checkNew fails if a process serves what was stored before the last write.
func checkNew(t *testing.T, p *process) {
	t.Helper()
	for _, view := range views {
		if got, _ := p.get("t", "u", view, "new"); got != "new" {
			t.Errorf("view %s is %s after a write", view, got)
		}
	}
}

func command(t *testing.T, c *redis.Client, args ...any) {
	t.Helper()
	if err := c.Do(t.Context(), args...).Err(); err != nil {
		t.Fatal(args[0], err)
	}
}

// Redis and the only process are killed together, and Redis starts again with the data of its last save.
func TestRestartWithOldData(t *testing.T) {
	t.Parallel()
	server := testenv.StartRedis(t)
	direct := client(t, server.URI())
	a := startReady(t, server.URI())
	storeOld(t, a, direct)
	command(t, direct, "SAVE")
	a.Changed(t.Context(), "t", "u")
	server.Stop()
	a.stop()
	server.Start()
	if len(keys(t, direct, "kith:entry:")) == 0 {
		t.Fatal("Redis has lost the old entry, so nothing is tested")
	}
	for range 3 { // also those that start when another one has seen that Redis restarted
		checkNew(t, startReady(t, server.URI()))
	}
}

// A process that starts while the same Redis goes on finds what others have kept.
func TestEntriesOutliveAProcess(t *testing.T) {
	t.Parallel()
	server := testenv.StartRedis(t)
	direct := client(t, server.URI())
	a := startReady(t, server.URI())
	storeOld(t, a, direct)
	a.stop()
	b := startReady(t, server.URI())
	for _, view := range views {
		b.get("t", "u", view, "old")
	}
	if b.count(cache.RemoteHit) < len(views)/2 {
		t.Error("entries were loaded again")
	}
}

// replica starts a Redis with the data of another one, which receives nothing more from it.
func replica(t *testing.T, of *testenv.RedisServer) (uri string, c *redis.Client) {
	t.Helper()
	server := testenv.StartRedis(t)
	c = client(t, server.URI())
	follow(t, c, of.URI())
	return server.URI(), c
}

// follow makes a Redis take over the data of another one, and then be independent again.
func follow(t *testing.T, c *redis.Client, uri string) {
	t.Helper()
	master, err := url.Parse(uri)
	if err != nil {
		t.Fatal(err)
	}
	password, _ := master.User.Password()
	command(t, c, "CONFIG", "SET", "masterauth", password)
	command(t, c, "REPLICAOF", master.Hostname(), master.Port())
	eventually(t, "the data are copied", func() bool {
		role, err := c.Do(t.Context(), "ROLE").Slice()
		return err == nil && len(role) > 3 && role[3] == "connected"
	})
	command(t, c, "REPLICAOF", "NO", "ONE")
}

// The Redis of all processes fails, and a replica that has missed the last write takes over.
func TestReplicaThatWasBehindTakesOver(t *testing.T) {
	t.Parallel()
	server := testenv.StartRedis(t)
	a := startReady(t, server.URI())
	storeOld(t, a, client(t, server.URI()))
	uri, copied := replica(t, server)
	a.Changed(t.Context(), "t", "u")
	if len(keys(t, copied, "kith:entry:")) == 0 {
		t.Fatal("the replica has no entry, so nothing is tested")
	}
	for range 2 {
		checkNew(t, startReady(t, uri))
	}
}

// Redis gets older data while its connections last.
func TestDataAreReplacedInPlace(t *testing.T) {
	t.Parallel()
	server := testenv.StartRedis(t)
	direct := client(t, server.URI())
	a, b := startReady(t, server.URI()), startReady(t, server.URI())
	storeOld(t, a, direct)
	uri, _ := replica(t, server)
	a.Changed(t.Context(), "t", "u")
	epoch := direct.Get(t.Context(), "kith:epoch").Val()
	follow(t, direct, uri)
	eventually(t, "the change is noticed", func() bool { return direct.Get(t.Context(), "kith:epoch").Val() != epoch })
	for _, p := range []*process{a, b, startReady(t, server.URI())} {
		p.connected()
		checkNew(t, p)
	}
}
