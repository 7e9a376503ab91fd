package cache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"
)

const (
	remoteBudget = 100 * time.Millisecond // of any call to Redis on behalf of a request
	heartbeat    = 50 * time.Millisecond
	versionTTL   = 24 * time.Hour // far beyond an entry's
	channel      = "kith:changes"
)

var errAbsent = errors.New("absent")

// raiseScript makes a version grow, also over a restart of Redis that lost it (it is at least the time in
// microseconds), and tells every process. Atomic, so that messages come in the order of the versions.
var raiseScript = redis.NewScript(`
local time = redis.call('TIME')
local version = time[1] * 1000000 + time[2]
local old = tonumber(redis.call('GET', KEYS[1]) or '0')
if old >= version then version = old + 1 end
local text = string.format('%.0f', version)
redis.call('SET', KEYS[1], text, 'EX', ARGV[1])
if ARGV[2] ~= '' then redis.call('PUBLISH', ARGV[2], KEYS[1] .. '\n' .. text) end
return text`)

// remote is the level in Redis, and what this process knows of the versions there.
type remote struct {
	client     *redis.Client
	log        *slog.Logger
	answers    atomic.Bool // the last heartbeat was answered in time
	subscribed atomic.Bool // changes by others are heard

	mu      sync.Mutex
	known   *versions
	pending map[string]bool // version keys whose growth Redis has not taken yet
	era     int             // counts how often everything was forgotten
}

func newRemote(o Options) (*remote, error) {
	quietDriver()
	options, err := redis.ParseURL(o.RedisURI)
	if err != nil {
		return nil, errors.New("KITH_REDIS_URI is not a redis:// address")
	}
	options.DialTimeout, options.ReadTimeout, options.WriteTimeout = remoteBudget, remoteBudget, remoteBudget
	options.PoolTimeout = remoteBudget
	options.MaxRetries = -1
	options.DialerRetries = 1
	options.ContextTimeoutEnabled = true
	options.DisableIdentity = true
	return &remote{
		client: redis.NewClient(options), log: o.Log, known: newVersions(), pending: map[string]bool{},
	}, nil
}

// up says that versions can be trusted: Redis answers, and changes by others would be heard.
func (r *remote) up() bool { return r.answers.Load() && r.subscribed.Load() }

func (r *remote) run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return r.beat(ctx) })
	group.Go(func() error { return r.listen(ctx) })
	return group.Wait()
}

// beat asks Redis for an answer twenty times a second, and hands in what it could not take before.
func (r *remote) beat(ctx context.Context) error {
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		r.pulse(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

func (r *remote) pulse(ctx context.Context) {
	call, cancel := context.WithTimeout(ctx, remoteBudget)
	defer cancel()
	alive := r.client.Ping(call).Err() == nil
	if alive {
		alive = r.deliver(ctx)
	}
	if alive && !r.answers.Load() {
		r.forget() // changes may have been missed
	}
	if was := r.answers.Swap(alive); was != alive && ctx.Err() == nil {
		r.log.Info("redis", "answers", alive)
	}
}

// deliver raises the versions that are pending.
func (r *remote) deliver(ctx context.Context) bool {
	r.mu.Lock()
	keys := make([]string, 0, len(r.pending))
	for key := range r.pending {
		keys = append(keys, key)
	}
	r.mu.Unlock()
	for _, key := range keys {
		if !r.raiseKey(ctx, key) {
			return false
		}
	}
	return true
}

// listen takes in the changes that other processes tell of.
func (r *remote) listen(ctx context.Context) error {
	subscription := r.client.Subscribe(ctx, channel)
	// Receive does not end with its context, only with its connection.
	defer context.AfterFunc(ctx, func() { _ = subscription.Close() })()
	defer func() { _ = subscription.Close() }()
	for ctx.Err() == nil {
		message, err := subscription.Receive(ctx)
		switch m := message.(type) {
		case *redis.Subscription:
			r.forget()
			r.subscribed.Store(true)
		case *redis.Message:
			r.heard(m.Payload)
		}
		if err != nil {
			r.subscribed.Store(false)
			pause(ctx, heartbeat)
		}
	}
	return nil
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

func (r *remote) heard(payload string) {
	r.mu.Lock()
	era := r.era
	r.mu.Unlock()
	key, text, _ := strings.Cut(payload, "\n")
	if version, err := strconv.ParseInt(text, 10, 64); err == nil {
		r.learn(strings.TrimPrefix(key, versionPrefix), version, era)
	}
}

// learn keeps a version that was read in an era, unless a later one is known or everything was forgotten since.
// It is never kept while this process's own write is pending.
func (r *remote) learn(key string, version int64, era int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if era != r.era {
		return
	}
	if old, ok := r.known.known.GetIfPresent(key); !r.pending[key] && (!ok || version > old) {
		r.known.known.Set(key, version)
	}
}

func (r *remote) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.era++
	r.known.known.InvalidateAll()
}

const versionPrefix = "kith:version:"

// version is the key part of what a user of a team sees; false while it cannot be known.
func (r *remote) version(ctx context.Context, team, user string) (string, bool) {
	if !r.up() {
		return "", false
	}
	shared, ok := r.versionOf(ctx, versionKey(team, ""))
	if !ok {
		return "", false
	}
	own, ok := r.versionOf(ctx, versionKey(team, user))
	return strconv.FormatInt(shared, 36) + "." + strconv.FormatInt(own, 36), ok
}

func (r *remote) versionOf(ctx context.Context, key string) (int64, bool) {
	r.mu.Lock()
	pending, era := r.pending[key], r.era
	r.mu.Unlock()
	if pending {
		return 0, false
	}
	if version, ok := r.known.known.GetIfPresent(key); ok {
		return version, true
	}
	call, cancel := context.WithTimeout(ctx, remoteBudget)
	defer cancel()
	version, err := r.client.Get(call, versionPrefix+key).Int64()
	if errors.Is(err, redis.Nil) {
		return r.script(call, key, "")
	}
	if err != nil {
		return 0, false
	}
	r.learn(key, version, era)
	return version, true
}

// raise makes a version grow; where Redis does not take it at once, nothing of it is served from a cache until it has.
func (r *remote) raise(ctx context.Context, team, user string) bool {
	key := versionKey(team, user)
	r.mu.Lock()
	r.pending[key] = true
	r.mu.Unlock()
	if r.raiseKey(ctx, key) {
		return true
	}
	r.mu.Lock()
	r.pending[key] = true // another write of the same key may have taken it off
	r.mu.Unlock()
	return false
}

func (r *remote) raiseKey(ctx context.Context, key string) bool {
	call, cancel := context.WithTimeout(ctx, remoteBudget)
	defer cancel()
	_, ok := r.script(call, key, channel)
	return ok
}

// script runs raiseScript for a key, and keeps what it says.
func (r *remote) script(ctx context.Context, key, tell string) (int64, bool) {
	r.mu.Lock()
	era := r.era
	r.mu.Unlock()
	version, err := raiseScript.Run(ctx, r.client, []string{versionPrefix + key}, int(versionTTL.Seconds()), tell).Int64()
	if err != nil {
		return 0, false
	}
	if tell != "" {
		r.mu.Lock()
		delete(r.pending, key)
		r.mu.Unlock()
	}
	r.learn(key, version, era)
	return version, true
}

// entryKey hides ids: who may list Redis' keys learns no user's.
func entryKey(key string) string {
	sum := sha256.Sum256([]byte(key))
	return "kith:entry:" + hex.EncodeToString(sum[:16])
}

func (r *remote) get(ctx context.Context, key string) ([]byte, error) {
	call, cancel := context.WithTimeout(ctx, remoteBudget)
	defer cancel()
	value, err := r.client.Get(call, entryKey(key)).Bytes()
	if errors.Is(err, redis.Nil) {
		return nil, errAbsent
	}
	if err != nil {
		return nil, fmt.Errorf("redis get: %w", err)
	}
	return value, nil
}

func (r *remote) set(ctx context.Context, key string, value []byte) error {
	call, cancel := context.WithTimeout(ctx, remoteBudget)
	defer cancel()
	return r.client.Set(call, entryKey(key), value, remoteTTL).Err()
}

// quietDriver silences go-redis' own log, which tells of every failed dial: the heartbeat tells of the change.
var quietDriver = sync.OnceFunc(func() { redis.SetLogger(quiet{}) }) //nolint:gochecknoglobals // once a process

type quiet struct{}

// Printf drops the line.
func (quiet) Printf(context.Context, string, ...any) {}
