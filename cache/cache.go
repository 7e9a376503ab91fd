// Package cache keeps final bytes in two levels: in process (one minute) and, where configured, in Redis (five
// minutes), under keys that carry the versions of what they depend on. A write raises a version and thereby leaves
// every older entry unreachable. The package does not know what the bytes mean.
package cache

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"
	"golang.org/x/sync/singleflight"
)

// Lifetimes and bounds of the two levels.
const (
	localTTL   = time.Minute
	remoteTTL  = 5 * time.Minute
	loadBudget = 30 * time.Second // of a load that nobody waits for any more
	fillers    = 64               // concurrent writes of entries to Redis; more are dropped
)

// Event is what happened to a request, for metrics.
type Event string

// The events of a cache.
const (
	LocalHit    Event = "hit_local"
	RemoteHit   Event = "hit_redis"
	Load        Event = "load"
	Bypass      Event = "bypass"        // Redis is configured, and away or not told of a write yet: nothing may be trusted
	RemoteError Event = "redis_error"   // away, or slower than its budget: a miss
	Corrupt     Event = "redis_corrupt" // a value that this cache did not write: a miss
)

// Marks go along with the changes of a team: what the process that wrote says of it, and others have to know before they load
// anew. The cache does not know what they mean. Name stands for a team, and does not tell it.
type Marks interface {
	Mark(team string) (name, mark string)
	Heard(name, mark string)
}

// Options are what a cache may be given.
type Options struct {
	RedisURI string // empty: the process level alone
	MaxBytes uint64 // of the process level; default 32 MiB
	Marks    Marks  // default: there are none
	Log      *slog.Logger
	Observe  func(Event)
	Revoked  func() // called when another process, or this one, says that API keys were revoked
}

// Cache is safe for concurrent use. With Redis, call Run: until it is connected nothing is kept.
type Cache struct {
	local   *otter.Cache[string, []byte]
	remote  *remote // nil without Redis
	flights singleflight.Group
	observe func(Event)
	epoch   atomic.Uint64 // of this process's own writes, while Redis is away
	own     *versions     // without Redis
	fills   chan struct{}

	// detach gives a load a context that ends with its budget, or with Close.
	detach func(context.Context) (context.Context, context.CancelFunc)
	end    context.CancelFunc

	keeping sync.Mutex
	drops   uint64 // counts erasures

	mu      sync.Mutex
	closed  bool
	working sync.WaitGroup // loads, and writes of entries to Redis
}

var errClosed = errors.New("the cache is closed")

// New makes a cache. The error says that the Redis URI is not one; nothing is connected yet.
func New(o Options) (*Cache, error) {
	if o.MaxBytes == 0 {
		o.MaxBytes = 32 << 20
	}
	if o.Observe == nil {
		o.Observe = func(Event) {}
	}
	if o.Revoked == nil {
		o.Revoked = func() {}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	c := &Cache{observe: o.Observe, fills: make(chan struct{}, fillers), own: newVersions()}
	c.detach, c.end = detacher()
	var err error
	c.local, err = otter.New(&otter.Options[string, []byte]{
		MaximumWeight:    o.MaxBytes,
		Weigher:          func(key string, value []byte) uint32 { return uint32(len(key) + len(value)) }, //nolint:gosec // far below 4 GiB
		ExpiryCalculator: otter.ExpiryWriting[string, []byte](localTTL),
	})
	if err == nil && o.RedisURI != "" {
		if c.remote, err = newRemote(o); err == nil {
			c.remote.drop = c.drop
		}
	}
	if err != nil {
		return nil, fmt.Errorf("new cache: %w", err)
	}
	return c, nil
}

// detacher makes what Cache.detach is, and what ends all the contexts it gave.
func detacher() (detach func(context.Context) (context.Context, context.CancelFunc), end context.CancelFunc) {
	life, end := context.WithCancel(context.Background())
	return func(ctx context.Context) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), loadBudget)
		stop := context.AfterFunc(life, cancel)
		return ctx, func() { stop(); cancel() }
	}, end
}

// Run keeps the process in touch with Redis until ctx is done; without Redis it only waits.
func (c *Cache) Run(ctx context.Context) error {
	if c.remote == nil {
		<-ctx.Done()
		return nil
	}
	return c.remote.run(ctx)
}

// Close ends the loads that are under way, waits for them, and releases the connections to Redis. Call it after the
// last Get.
func (c *Cache) Close() error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.end()
	c.working.Wait()
	c.local.StopAllGoroutines()
	if c.remote == nil {
		return nil
	}
	return c.remote.client.Close()
}

// begin counts work that Close waits for; false after Close. The caller says c.working.Done.
func (c *Cache) begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.working.Add(1)
	}
	return !c.closed
}

// Loader makes the bytes of a key. keep says whether they may be kept.
type Loader func(ctx context.Context) (value []byte, keep bool, err error)

// Get returns the bytes of a view of what a user of a team sees: kept ones, or those that load makes, once for all
// who ask at the same time. The bytes are shared: do not change them. An error is load's own, or ctx's.
func (c *Cache) Get(ctx context.Context, team, user, view string, load Loader) ([]byte, error) {
	key, kept := c.key(ctx, team, user, view)
	if kept {
		if value, ok := c.local.GetIfPresent(key); ok {
			c.observe(LocalHit)
			return value, nil
		}
	} else {
		c.observe(Bypass)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	flight := c.flights.DoChan(key, func() (any, error) {
		if !c.begin() {
			return nil, errClosed
		}
		defer c.working.Done()
		// The load belongs to all who wait for it, so it does not end with the first of them.
		ctx, cancel := c.detach(ctx)
		defer cancel()
		if !kept {
			value, _, err := load(ctx)
			return value, err
		}
		return c.fill(ctx, viewOf{team, user, view}, key, load)
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case r := <-flight:
		if r.Err != nil {
			return nil, r.Err
		}
		return r.Val.([]byte), nil //nolint:forcetypeassert // fill returns bytes
	}
}

// viewOf is what a caller asks for.
type viewOf struct{ team, user, view string }

// fill returns the bytes of a key from Redis, else from the loader.
func (c *Cache) fill(ctx context.Context, of viewOf, key string, load Loader) ([]byte, error) {
	if value, ok := c.local.GetIfPresent(key); ok { // filled since the caller looked
		return value, nil
	}
	drops := c.dropped()
	value, ok := c.fetch(ctx, of, key)
	if latest, kept := c.key(ctx, of.team, of.user, of.view); kept && latest != key {
		// Redis knew of writes that this process has not heard of yet. What it loads now may include them, and must not
		// be followed by an entry from between the two versions.
		key = latest
		value, ok = c.fetch(ctx, of, key)
	}
	if ok {
		c.keep(key, value, drops)
		return value, nil
	}
	c.observe(Load)
	value, keep, err := load(ctx)
	if err != nil || !keep {
		return value, err
	}
	if c.keep(key, value, drops) {
		c.send(ctx, key, value)
	}
	return value, nil
}

func (c *Cache) fetch(ctx context.Context, of viewOf, key string) ([]byte, bool) {
	if c.remote == nil {
		return nil, false
	}
	sealed, err := c.remote.get(ctx, of.team, of.user, key)
	switch {
	case errors.Is(err, errAbsent):
		return nil, false
	case err != nil:
		c.observe(RemoteError)
		return nil, false
	}
	value, ok := open(key, sealed)
	if !ok {
		c.observe(Corrupt)
		return nil, false
	}
	c.observe(RemoteHit)
	return value, true
}

// send puts an entry into Redis beside the answer, not before it.
func (c *Cache) send(ctx context.Context, key string, value []byte) {
	if c.remote == nil {
		return
	}
	select {
	case c.fills <- struct{}{}:
	default:
		return
	}
	ctx = context.WithoutCancel(ctx)
	c.working.Go(func() { // inside a load, which Close waits for too
		defer func() { <-c.fills }()
		if err := c.remote.set(ctx, key, seal(key, value)); err != nil {
			c.observe(RemoteError)
		}
	})
}

// key names an entry by all it depends on; kept is false while versions cannot be known.
func (c *Cache) key(ctx context.Context, team, user, view string) (key string, kept bool) {
	entry := join(team, user, view)
	if c.remote == nil {
		return entry + c.own.of(team, "") + "." + c.own.of(team, user), true
	}
	version, ok := c.remote.version(ctx, team, user)
	if !ok { // what others write is not heard: a load that began a while ago may be from before it
		while := time.Now().UnixNano() / int64(heartbeat)
		return entry + "away" + strconv.FormatUint(c.epoch.Load(), 36) + "." + strconv.FormatInt(while, 36), false
	}
	return entry + version, true
}

// Changed says that something of a user of a team was written; an empty user stands for what the team shares.
// When it returns, this process serves nothing older; others follow as they hear of it, within milliseconds, or
// stop using what they keep when they can hear nothing.
func (c *Cache) Changed(ctx context.Context, team string, users ...string) {
	c.epoch.Add(1)
	for _, user := range users {
		if c.remote == nil {
			c.own.raise(team, user)
		} else if !c.remote.raise(context.WithoutCancel(ctx), team, user) {
			c.observe(RemoteError)
		}
	}
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal puts a checksum of key and value before the value: what Redis returns may be anything.
func seal(key string, value []byte) []byte {
	sealed := make([]byte, 4, 4+len(value))
	binary.BigEndian.PutUint32(sealed, checksum(key, value))
	return append(sealed, value...)
}

func open(key string, sealed []byte) ([]byte, bool) {
	if len(sealed) < 4 {
		return nil, false
	}
	value := sealed[4:]
	return value, binary.BigEndian.Uint32(sealed) == checksum(key, value)
}

func checksum(key string, value []byte) uint32 {
	return crc32.Update(crc32.Checksum([]byte(key), castagnoli), castagnoli, value)
}
