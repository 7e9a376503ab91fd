// Package cache keeps final bytes in two levels: in the process for one minute and, if configured, in Redis for five
// minutes. The keys carry the versions of the data that the bytes depend on. A write raises a version, so no older
// entry is found any more. The package does not know what the bytes mean.
package cache

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"log/slog"
	"sync"
	"time"

	"github.com/maypok86/otter/v2"
	"golang.org/x/sync/singleflight"
)

// Lifetimes and bounds of the two levels.
const (
	localTTL   = time.Minute
	remoteTTL  = 5 * time.Minute
	loadBudget = 30 * time.Second // for a load, also when all its callers have gone
	maxFills   = 64               // concurrent writes of entries to Redis; more are dropped
)

// Event is the outcome of a step of a request, for metrics.
type Event string

// The events of a cache.
const (
	LocalHit    Event = "hit_local"
	RemoteHit   Event = "hit_redis"
	Load        Event = "load"
	Bypass      Event = "bypass"        // Redis is configured, but away or behind a write of this process; or a write is in doubt
	RemoteError Event = "redis_error"   // Redis failed or exceeded its budget: a miss
	Corrupt     Event = "redis_corrupt" // a value that this cache did not write: a miss
)

// Marks are sent with the changes of a team. Other processes need the mark before they load anew. The cache does not
// know what a mark means. Mark returns the latest mark of a team and a name for it that does not reveal the team.
// Receive takes in the marks of other processes.
type Marks interface {
	Mark(team string) (name, mark string)
	Receive(name, mark string)
}

// Options configure a cache.
type Options struct {
	RedisURI string // empty: no Redis
	MaxBytes uint64 // of the process level; default 32 MiB
	Marks    Marks  // default: none
	Log      *slog.Logger
	Observe  func(Event)
	Revoked  func()           // called when this or another process has revoked API keys
	Now      func() time.Time // by which entries end; default time.Now
}

// Cache is safe for concurrent use. With Redis, call Run: nothing is cached until it is connected.
type Cache struct {
	local         *otter.Cache[string, entry]
	remote        *remote // nil without Redis
	flights       singleflight.Group
	observe       func(Event)
	now           func() time.Time
	commits       *commits  // of this process
	localVersions *versions // without Redis
	fills         chan struct{}
	bypasses      latestLoads // while Redis is away

	// detach returns a context for a load, which ends with the load's budget or with Close.
	detach      func(context.Context) (context.Context, context.CancelFunc)
	cancelLoads context.CancelFunc

	dropMu sync.Mutex
	drops  uint64 // counts erasures

	mu      sync.Mutex
	closed  bool
	working sync.WaitGroup // loads, and writes of entries to Redis
}

var errClosed = errors.New("the cache is closed")

// New returns a cache. It does not connect yet. It returns an error if the Redis URI is invalid.
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
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	c := &Cache{observe: o.Observe, now: o.Now, fills: make(chan struct{}, maxFills), localVersions: newVersions(), commits: newCommits()}
	c.detach, c.cancelLoads = newDetacher()
	var err error
	c.local, err = otter.New(&otter.Options[string, entry]{
		MaximumWeight:    o.MaxBytes,
		Weigher:          func(key string, e entry) uint32 { return uint32(len(key) + len(e.value)) }, //nolint:gosec // far below 4 GiB
		ExpiryCalculator: otter.ExpiryWriting[string, entry](localTTL),
	})
	if err == nil && o.RedisURI != "" {
		if c.remote, err = newRemote(o); err == nil {
			c.remote.dropLocal = c.dropLocal
		}
	}
	if err != nil {
		return nil, fmt.Errorf("new cache: %w", err)
	}
	return c, nil
}

// newDetacher returns the function for Cache.detach, and a function that cancels all contexts it has returned.
func newDetacher() (detach func(context.Context) (context.Context, context.CancelFunc), end context.CancelFunc) {
	life, end := context.WithCancel(context.Background())
	return func(ctx context.Context) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), loadBudget)
		stop := context.AfterFunc(life, cancel)
		return ctx, func() { stop(); cancel() }
	}, end
}

// Run connects the process to Redis until ctx is done. Without Redis it only waits.
func (c *Cache) Run(ctx context.Context) error {
	if c.remote == nil {
		<-ctx.Done()
		return nil
	}
	return c.remote.runConnection(ctx)
}

// Close cancels the running loads, waits for them, and closes the connections to Redis. Call it after the last Get.
func (c *Cache) Close() error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.cancelLoads()
	c.working.Wait()
	c.local.StopAllGoroutines()
	if c.remote == nil {
		return nil
	}
	return c.remote.client.Close()
}

// startWork registers work that Close waits for, and returns false after Close. The caller calls c.working.Done.
func (c *Cache) startWork() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.working.Add(1)
	}
	return !c.closed
}

// Loader computes the bytes of a key. It also reports whether they may be cached.
type Loader func(ctx context.Context) (value []byte, keep bool, err error)

// Get returns the bytes of a view for a user of a team. It returns cached bytes, or those that load computes, once
// for all concurrent callers. It waits for the commits of this process that change what the user sees; if one is in doubt, it loads
// for each caller and keeps nothing. The bytes are shared and must not be changed. An error is load's or ctx's.
func (c *Cache) Get(ctx context.Context, team, user, view string, load Loader) ([]byte, error) {
	if err := c.commits.wait(ctx, team, user); err != nil {
		return nil, err
	}
	if c.commits.inDoubt(team, user) {
		c.observe(Bypass)
		value, _, err := load(ctx)
		return value, err
	}
	key, cacheable := c.buildKey(ctx, team, user, view)
	if cacheable {
		if e, ok := c.local.GetIfPresent(key); ok && e.holds(c.now()) {
			c.observe(LocalHit)
			return e.value, nil
		}
	} else {
		c.observe(Bypass)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	flight := c.flights.DoChan(key, func() (any, error) {
		if !c.startWork() {
			return nil, errClosed
		}
		defer c.working.Done()
		// All waiting callers share the load, so it does not end when the first caller leaves.
		ctx, cancel := c.detach(ctx)
		defer cancel()
		if !cacheable {
			// No caller joins a load that has begun: it may have seen a write of another process that the load has not. The next load
			// waits for this one, and callers join it until it begins.
			defer c.bypasses.begin(key)()
			c.flights.Forget(key)
			value, _, err := load(ctx)
			return value, err
		}
		return c.loadEntry(ctx, viewKey{team, user, view}, key, load)
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

// viewKey identifies the requested bytes.
type viewKey struct{ team, user, view string }

// loadEntry returns the bytes of a key from Redis, otherwise from the loader.
func (c *Cache) loadEntry(ctx context.Context, view viewKey, key string, load Loader) ([]byte, error) {
	if e, ok := c.local.GetIfPresent(key); ok && e.holds(c.now()) { // stored since the caller's look-up
		return e.value, nil
	}
	drops := c.dropCount()
	found, ok := c.fetchRemote(ctx, view, key)
	if latest, cacheable := c.buildKey(ctx, view.team, view.user, view.view); cacheable && latest != key {
		// Redis had versions of writes that this process has not received yet. The load may include these writes,
		// so an entry between the two versions must not follow it.
		key = latest
		found, ok = c.fetchRemote(ctx, view, key)
	}
	if ok {
		c.storeLocal(key, found, drops)
		return found.value, nil
	}
	c.observe(Load)
	ctx, end := withEnd(ctx)
	value, keep, err := load(ctx)
	e := entry{value, end.at()}
	if err != nil || !keep || !e.holds(c.now()) || c.commits.inDoubt(view.team, view.user) {
		return value, err
	}
	if c.storeLocal(key, e, drops) {
		c.storeRemote(ctx, key, e)
	}
	return value, nil
}

// fetchRemote returns an entry from Redis, if there is a valid one.
func (c *Cache) fetchRemote(ctx context.Context, view viewKey, key string) (entry, bool) {
	if c.remote == nil {
		return entry{}, false
	}
	sealed, err := c.remote.get(ctx, view.team, view.user, key)
	switch {
	case errors.Is(err, errAbsent):
		return entry{}, false
	case err != nil:
		c.observe(RemoteError)
		return entry{}, false
	}
	e, ok := unsealEntry(key, sealed)
	if !ok {
		c.observe(Corrupt)
		return entry{}, false
	}
	if !e.holds(c.now()) {
		return entry{}, false
	}
	c.observe(RemoteHit)
	return e, true
}

// storeRemote writes an entry to Redis in the background, and drops it if too many writes are running.
func (c *Cache) storeRemote(ctx context.Context, key string, e entry) {
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
		if err := c.remote.set(ctx, key, e.seal(key)); err != nil {
			c.observe(RemoteError)
		}
	})
}

// latestLoads holds the latest load of each key. The zero value is ready.
type latestLoads struct {
	mu    sync.Mutex
	ended map[string]chan struct{} // closed when the load has ended
}

// begin waits for the latest load of a key, but not for one that takes long. The caller must call end.
func (l *latestLoads) begin(key string) (end func()) {
	ended := make(chan struct{})
	l.mu.Lock()
	if l.ended == nil {
		l.ended = map[string]chan struct{}{}
	}
	latest := l.ended[key]
	l.ended[key] = ended
	l.mu.Unlock()
	if latest != nil {
		select {
		case <-latest:
		case <-time.After(heartbeatInterval):
		}
	}
	return func() {
		close(ended)
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.ended[key] == ended {
			delete(l.ended, key)
		}
	}
}

// buildKey returns the key of an entry with all versions it depends on. cacheable is false while the versions are
// unknown.
func (c *Cache) buildKey(ctx context.Context, team, user, view string) (key string, cacheable bool) {
	entry := join(team, user, view)
	if c.remote == nil {
		return entry + c.localVersions.current(team, "") + "." + c.localVersions.current(team, user), true
	}
	version, ok := c.remote.userVersion(ctx, team, user)
	if !ok { // writes of other processes are not received
		return entry + "away", false
	}
	return entry + version, true
}

// Committing reports that a write to the memory of users of a team is about to be committed. An empty user stands for the memory that
// the team shares. Until end is called, Get waits for the write: somebody may have read from the database what it wrote, and must not
// get an older entry after that. Call Changed before end.
func (c *Cache) Committing(team string, users ...string) (end func()) {
	return c.commits.begin(team, users)
}

// InDoubt reports that a write to the memory of users of a team may be committed later, because its commit was not answered. Until end
// is called, entries of these users are neither used nor made. Call it before the end that Committing returned, and Changed before its
// own end.
func (c *Cache) InDoubt(team string, users ...string) (end func()) {
	return c.commits.doubt(team, users)
}

// Changed reports a write to the memory of users of a team. An empty user stands for the memory that the team shares.
// When it returns, this process serves nothing older. Other processes follow within milliseconds, when they receive
// the message. A process that receives no messages stops using its cached entries.
func (c *Cache) Changed(ctx context.Context, team string, users ...string) {
	for _, user := range users {
		if c.remote == nil {
			c.localVersions.increment(team, user)
		} else if !c.remote.raiseVersion(context.WithoutCancel(ctx), team, user) {
			c.observe(RemoteError)
		}
	}
}

// nobody is no user's id. Its version stands for what no context shows.
const nobody = "\x00"

// Wrote reports a write for a team that changes no context. Other processes get its mark, if there are marks.
func (c *Cache) Wrote(ctx context.Context, team string) {
	if c.remote != nil && c.remote.marks != nil && !c.remote.raiseVersion(context.WithoutCancel(ctx), team, nobody) {
		c.observe(RemoteError)
	}
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal puts a checksum of key and value before the value, since Redis may return anything.
func seal(key string, value []byte) []byte {
	sealed := make([]byte, 4, 4+len(value))
	binary.BigEndian.PutUint32(sealed, checksum(key, value))
	return append(sealed, value...)
}

// unseal returns the value behind the checksum, and whether the checksum is right.
func unseal(key string, sealed []byte) ([]byte, bool) {
	if len(sealed) < 4 {
		return nil, false
	}
	value := sealed[4:]
	return value, binary.BigEndian.Uint32(sealed) == checksum(key, value)
}

func checksum(key string, value []byte) uint32 {
	return crc32.Update(crc32.Checksum([]byte(key), castagnoli), castagnoli, value)
}
