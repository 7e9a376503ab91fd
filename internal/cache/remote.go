package cache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"

	"kith/internal/sleep"
)

const (
	remoteBudget      = 100 * time.Millisecond // for any call to Redis on behalf of a request
	heartbeatInterval = 50 * time.Millisecond
	silenceLimit      = 10 * heartbeatInterval // without an answer to a ping: the subscription is broken
	versionTTL        = 24 * time.Hour         // far longer than that of an entry
	markTTL           = remoteTTL              // as long as the entries that are loaded by it
	markBytes         = 1024                   // for the latest marks of a team
	channel           = "kith:changes"
)

var errAbsent = errors.New("absent")

// versionScript raises a version, or (with ARGV[3]) only one that is below ARGV[3], and publishes it to every
// process. A version is at least the time in microseconds, so it also grows when Redis has lost all data. The script
// is atomic, so messages arrive in the order of the versions. If there are marks (KEYS[2]), it publishes those of the
// team before the version and returns them with it: the latest last, and of earlier ones (before ARGV[4]) those that fit.
var versionScript = redis.NewScript(`
local old = tonumber(redis.pcall('GET', KEYS[1]) or 0) or 0
if not (old >= 0 and old < 2^53) then old = 0 end
local marks = KEYS[2] and redis.pcall('GET', KEYS[2]) or ''
if type(marks) ~= 'string' then marks = '' end
if ARGV[3] ~= '' and old >= tonumber(ARGV[3]) then return {string.format('%.0f', old), marks} end
if KEYS[2] and ARGV[4] ~= '' then
  local earlier = {}
  for mark in string.gmatch(marks, '%S+') do
    if not string.find(' ' .. ARGV[4] .. ' ', ' ' .. mark .. ' ', 1, true) then table.insert(earlier, mark) end
  end
  marks = ARGV[4]
  while #earlier > 0 and #marks + #earlier[#earlier] < tonumber(ARGV[6]) do marks = table.remove(earlier) .. ' ' .. marks end
  redis.call('SET', KEYS[2], marks, 'EX', ARGV[5])
  redis.call('PUBLISH', ARGV[2], KEYS[2] .. '\n' .. marks)
end
local time = redis.call('TIME')
local text = string.format('%.0f', math.max(time[1] * 1000000 + time[2], old + 1))
redis.call('SET', KEYS[1], text, 'EX', ARGV[1])
redis.call('PUBLISH', ARGV[2], KEYS[1] .. '\n' .. text)
return {text, marks}`)

// remote is the level in Redis, with the versions that this process has received from there.
type remote struct {
	client       *redis.Client
	log          *slog.Logger
	answers      atomic.Bool   // the last heartbeat was answered in time
	session      atomic.Uint64 // the current subscription to changes of other processes; 0: none
	trusted      atomic.Uint64 // the session in which Redis has always answered; 0: none
	subscription atomic.Pointer[redis.PubSub]
	flights      singleflight.Group // reads of versions
	sessions     uint64             // counted by listen
	dropLocal    func(place string) int64
	revoked      func()
	marks        Marks // nil: none
	missed       bool  // checkRedis: writes may have missed Redis since this process last trusted it

	mu         sync.Mutex
	epoch      string // of the data that this process trusts
	known      *versions
	pending    map[string]pendingWrite // version keys that are not raised in Redis yet
	writes     uint64                  // counts calls of raiseVersion
	generation int                     // counts calls of resetVersions
	minVersion int64                   // lower versions are not trusted
}

func newRemote(o Options) (*remote, error) {
	silenceDriver()
	options, err := redis.ParseURL(o.RedisURI)
	if err != nil {
		return nil, errors.New("KITH_REDIS_URI must be a redis:// address")
	}
	options.DialTimeout, options.ReadTimeout, options.WriteTimeout = remoteBudget, remoteBudget, remoteBudget
	options.PoolTimeout = remoteBudget
	options.MaxRetries = -1
	options.DialerRetries = 1
	options.ContextTimeoutEnabled = true
	options.DisableIdentity = true
	return &remote{
		client: redis.NewClient(options), log: o.Log, known: newVersions(), marks: o.Marks, revoked: o.Revoked, pending: map[string]pendingWrite{}, minVersion: 1,
	}, nil
}

// isTrusted reports whether versions can be trusted: Redis answers, and changes of other processes are received.
func (r *remote) isTrusted() bool {
	session := r.session.Load()
	return session != 0 && session == r.trusted.Load()
}

func (r *remote) runConnection(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return r.runHeartbeat(ctx) })
	group.Go(func() error { return r.runListener(ctx) })
	return group.Wait()
}

// runHeartbeat checks Redis twenty times a second, and sends the pending versions.
func (r *remote) runHeartbeat(ctx context.Context) error {
	tick := time.NewTicker(heartbeatInterval)
	defer tick.Stop()
	for {
		r.checkRedis(ctx)
		select {
		case <-ctx.Done():
			r.flushPending(context.WithoutCancel(ctx))
			return nil
		case <-tick.C:
		}
	}
}

// checkRedis pings Redis, sends the pending versions, and updates whether versions are trusted.
func (r *remote) checkRedis(ctx context.Context) {
	call, cancel := context.WithTimeout(ctx, remoteBudget)
	defer cancel()
	session, trusted := r.session.Load(), r.trusted.Load()
	state, err := r.readServer(call)
	alive := err == nil && r.flushPending(ctx)
	if ctx.Err() != nil {
		return
	}
	if before := r.answers.Swap(alive); before != alive {
		r.log.Info("redis", "answers", alive)
	}
	if !alive || trusted != 0 && trusted != session {
		r.missed = true
	}
	switch {
	case !alive || session == 0:
		r.trusted.Store(0)
	case trusted != session || !state.continues(r.epoch):
		r.trusted.Store(0)
		if epoch, err := r.beginEpoch(call, state.server); err == nil {
			r.resetVersions(state.now, epoch)
			r.trusted.Store(session)
		}
	}
	if s := r.subscription.Load(); s != nil {
		_ = s.Ping(call)
	}
}

// resetVersions drops all known versions after changes may have been missed. If writers may not have reached Redis,
// versions from before now are not trusted, and reading one raises it. If Redis itself may have gone back to older data,
// the epoch is another one.
func (r *remote) resetVersions(now time.Time, epoch string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.missed {
		r.minVersion = now.UnixMicro()
	}
	r.missed = false
	r.epoch = epoch
	r.generation++
	r.known.known.InvalidateAll()
}

// flushPending raises the pending versions in Redis, and reports whether all were raised.
func (r *remote) flushPending(ctx context.Context) bool {
	r.mu.Lock()
	pending := maps.Clone(r.pending)
	r.mu.Unlock()
	for key, late := range pending {
		if _, ok := r.runVersionScript(ctx, late.team, key, true); !ok {
			return false
		}
	}
	return true
}

// runListener receives the changes of other processes.
func (r *remote) runListener(ctx context.Context) error {
	for ctx.Err() == nil {
		r.followSubscription(ctx)
		sleep.For(ctx, heartbeatInterval)
	}
	return nil
}

// followSubscription reads one subscription until it breaks or is silent for too long.
func (r *remote) followSubscription(ctx context.Context) {
	subscription := r.client.Subscribe(ctx, channel)
	defer func() { _ = subscription.Close() }()
	// Receiving does not end with its context, only with its connection.
	defer context.AfterFunc(ctx, func() { _ = subscription.Close() })()
	r.subscription.Store(subscription)
	defer r.subscription.Store(nil)
	defer r.session.Store(0) // no changes are received, so nothing is trusted
	for {
		message, err := subscription.ReceiveTimeout(ctx, silenceLimit)
		if err != nil {
			return
		}
		switch m := message.(type) {
		case *redis.Subscription:
			r.sessions++
			r.session.Store(r.sessions)
		case *redis.Message:
			r.handleMessage(m.Payload)
		}
	}
}

// handleMessage applies a message: an erasure, a revocation, marks, or a new version.
func (r *remote) handleMessage(payload string) {
	if place, ok := strings.CutPrefix(payload, erasePrefix); ok {
		r.dropLocal(place)
		return
	}
	if payload == revokedMessage {
		r.revoked()
		return
	}
	key, text, _ := strings.Cut(payload, "\n")
	if name, ok := strings.CutPrefix(key, markPrefix); ok {
		r.receiveMarks(name, text)
		return
	}
	if version, err := strconv.ParseInt(text, 10, 64); err == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.recordVersion(strings.TrimPrefix(key, versionPrefix), version)
	}
}

// recordVersion stores a version, unless a later one is known or a write of this process is pending. The caller holds
// mu.
func (r *remote) recordVersion(key string, version int64) {
	_, pending := r.pending[key]
	if old, ok := r.known.known.GetIfPresent(key); !pending && (!ok || version > old) {
		r.known.known.Set(key, version)
	}
}

// receiveMarks hands the marks of a team to Options.Marks.
func (r *remote) receiveMarks(name, marks string) {
	if r.marks != nil && marks != "" {
		r.marks.Receive(name, marks)
	}
}

const (
	versionPrefix = "kith:version:"
	markPrefix    = "kith:mark:"
)

// pendingWrite is the latest write whose version is not raised in Redis yet.
type pendingWrite struct {
	team  string
	write uint64
}

// userVersion returns the part of a key with the versions of a user and the team; false while they are unknown.
func (r *remote) userVersion(ctx context.Context, team, user string) (string, bool) {
	if !r.isTrusted() {
		return "", false
	}
	shared, ok := r.lookUpVersion(ctx, team, "")
	if !ok {
		return "", false
	}
	own, ok := r.lookUpVersion(ctx, team, user)
	r.mu.Lock()
	_, epoch, _ := strings.Cut(r.epoch, " ")
	r.mu.Unlock()
	return epoch + "." + strconv.FormatInt(shared, 36) + "." + strconv.FormatInt(own, 36), ok
}

// lookUpVersion returns a version, from Redis if this process does not know it; false while it is unknown.
func (r *remote) lookUpVersion(ctx context.Context, team, user string) (int64, bool) {
	key := hashName(versionKey(team, user))
	r.mu.Lock()
	_, pending := r.pending[key]
	generation, writes := r.generation, r.writes
	r.mu.Unlock()
	if pending {
		return 0, false
	}
	if version, ok := r.known.known.GetIfPresent(key); ok {
		return version, true
	}
	// A caller after a write of this process does not share a look-up that began before the write.
	version, err, _ := r.flights.Do(fmt.Sprint(key, " ", generation, " ", writes), func() (any, error) {
		version, ok := r.runVersionScript(context.WithoutCancel(ctx), team, key, false)
		if !ok {
			return nil, errAbsent
		}
		return version, nil
	})
	if err != nil {
		return 0, false
	}
	return version.(int64), true //nolint:forcetypeassert // see above
}

// raiseVersion raises a version. If Redis does not answer, the version stays pending, and nothing of it is served
// from a cache until it is raised.
func (r *remote) raiseVersion(ctx context.Context, team, user string) bool {
	key := hashName(versionKey(team, user))
	r.mu.Lock()
	r.writes++
	r.pending[key] = pendingWrite{team, r.writes}
	r.mu.Unlock()
	if !r.answers.Load() { // the next heartbeat that is answered delivers it
		return false
	}
	_, ok := r.runVersionScript(ctx, team, key, true)
	return ok
}

// runVersionScript runs versionScript and records the result, unless all versions were dropped meanwhile. With grow
// the version grows in any case, and writes that were pending at the begin are done.
func (r *remote) runVersionScript(ctx context.Context, team, key string, grow bool) (int64, bool) {
	ctx, cancel := context.WithTimeout(ctx, remoteBudget)
	defer cancel()
	r.mu.Lock()
	generation, write, minVersion := r.generation, r.pending[key], strconv.FormatInt(r.minVersion, 10)
	r.mu.Unlock()
	if grow {
		minVersion = ""
	}
	keys, name, mark := []string{versionPrefix + key}, "", ""
	if r.marks != nil {
		name, mark = r.marks.Mark(team)
		keys = append(keys, markPrefix+name)
	}
	reply, err := versionScript.Run(ctx, r.client, keys, int(versionTTL.Seconds()), channel, minVersion, mark, int(markTTL.Seconds()), markBytes).StringSlice()
	if err != nil || len(reply) != 2 {
		return 0, false
	}
	version, err := strconv.ParseInt(reply[0], 10, 64)
	if err != nil {
		return 0, false
	}
	r.receiveMarks(name, reply[1]) // before anything is loaded with this version
	r.mu.Lock()
	defer r.mu.Unlock()
	if grow && r.pending[key] == write {
		delete(r.pending, key)
	}
	if generation == r.generation {
		r.recordVersion(key, version)
	}
	return version, true
}

// hashName returns a name in Redis for a key, which reveals no id of a user.
func hashName(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:16])
}

const entryPrefix = "kith:entry:"

// redisKey returns the name of an entry. It begins with the prefix of its team and user, so that erasing finds it.
func redisKey(key string) string { return entryPrefix + prefixOf(key) + hashName(key) }

// get returns an entry. In the same round trip it reads the versions of its team and user. A version that is newer than
// the known one makes it forget that one, so that the next request for it receives the marks too.
func (r *remote) get(ctx context.Context, team, user, key string) ([]byte, error) {
	call, cancel := context.WithTimeout(ctx, remoteBudget)
	defer cancel()
	versionKeys := []string{hashName(versionKey(team, "")), hashName(versionKey(team, user))}
	var entry *redis.StringCmd
	var versions *redis.SliceCmd
	_, _ = r.client.Pipelined(call, func(p redis.Pipeliner) error { // each command has its own error
		entry = p.Get(call, redisKey(key))
		versions = p.MGet(call, versionPrefix+versionKeys[0], versionPrefix+versionKeys[1])
		return nil
	})
	for i, text := range versions.Val() {
		text, _ := text.(string)
		version, err := strconv.ParseInt(text, 10, 64)
		if known, ok := r.known.known.GetIfPresent(versionKeys[i]); ok && err == nil && version > known {
			r.known.known.Invalidate(versionKeys[i])
		}
	}
	value, err := entry.Bytes()
	if errors.Is(err, redis.Nil) {
		return nil, errAbsent
	}
	if err != nil {
		return nil, fmt.Errorf("redis get: %w", err)
	}
	return value, nil
}

// silenceDriver turns off go-redis' own log of every failed dial. checkRedis logs the changes instead.
var silenceDriver = sync.OnceFunc(func() { redis.SetLogger(discardLogger{}) }) //nolint:gochecknoglobals // runs once

type discardLogger struct{}

// Printf drops the line.
func (discardLogger) Printf(context.Context, string, ...any) {}

// Ping checks that a Redis answers.
func Ping(ctx context.Context, uri string) error {
	r, err := newRemote(Options{RedisURI: uri})
	if err != nil {
		return err
	}
	defer func() { _ = r.client.Close() }()
	if r.client.Ping(ctx).Err() != nil { // the error may contain the address with the password
		return errors.New("redis does not answer or refuses the password")
	}
	return nil
}
