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
	remoteBudget = 100 * time.Millisecond // of any call to Redis on behalf of a request
	heartbeat    = 50 * time.Millisecond
	silence      = 10 * heartbeat // of a subscription that is pinged at every heartbeat: it is broken
	versionTTL   = 24 * time.Hour // far beyond an entry's
	markTTL      = remoteTTL      // for as long as entries are kept that are loaded by it
	markBytes    = 1024           // of the last marks of a team
	channel      = "kith:changes"
)

var errAbsent = errors.New("absent")

// versionScript makes a version grow, or (given ARGV[3]) only if it is below that, and tells every process that it did.
// A version is at least the time in microseconds, so it also grows over a loss of all data. Atomic, so that messages
// come in the order of the versions. Where there are marks (KEYS[2]), those of the team go before the version, and with it.
var versionScript = redis.NewScript(`
local old = tonumber(redis.pcall('GET', KEYS[1]) or 0) or 0
if not (old >= 0 and old < 2^53) then old = 0 end
local marks = KEYS[2] and redis.pcall('GET', KEYS[2]) or ''
if type(marks) ~= 'string' then marks = '' end
if ARGV[3] ~= '' and old >= tonumber(ARGV[3]) then return {string.format('%.0f', old), marks} end
if KEYS[2] and ARGV[4] ~= '' then
  for mark in string.gmatch(marks, '%S+') do
    if not string.find(ARGV[4], mark, 1, true) and #ARGV[4] + #mark < tonumber(ARGV[6]) then ARGV[4] = ARGV[4] .. ' ' .. mark end
  end
  marks = ARGV[4]
  redis.call('SET', KEYS[2], marks, 'EX', ARGV[5])
  redis.call('PUBLISH', ARGV[2], KEYS[2] .. '\n' .. marks)
end
local time = redis.call('TIME')
local text = string.format('%.0f', math.max(time[1] * 1000000 + time[2], old + 1))
redis.call('SET', KEYS[1], text, 'EX', ARGV[1])
redis.call('PUBLISH', ARGV[2], KEYS[1] .. '\n' .. text)
return {text, marks}`)

// remote is the level in Redis, and what this process knows of the versions there.
type remote struct {
	client       *redis.Client
	log          *slog.Logger
	answers      atomic.Bool   // the last heartbeat was answered in time
	session      atomic.Uint64 // the subscription that hears the changes by others; 0: none does
	trusted      atomic.Uint64 // the session since whose begin Redis always answered; 0: none
	subscription atomic.Pointer[redis.PubSub]
	flights      singleflight.Group // reads of versions
	sessions     uint64             // counted by listen
	drop         func(place string) int64
	revoked      func()
	marks        Marks // nil: there are none
	missed       bool  // pulse: writes may have passed Redis by since this process last trusted it

	mu      sync.Mutex
	known   *versions
	pending map[string]late // version keys whose growth Redis has not taken yet
	writes  uint64          // counts them
	era     int             // counts how often everything was forgotten
	floor   int64           // a version below it is not trusted
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
		client: redis.NewClient(options), log: o.Log, known: newVersions(), marks: o.Marks, revoked: o.Revoked, pending: map[string]late{}, floor: 1,
	}, nil
}

// up says that versions can be trusted: Redis answers, and changes by others would be heard.
func (r *remote) up() bool {
	session := r.session.Load()
	return session != 0 && session == r.trusted.Load()
}

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
			r.deliver(context.WithoutCancel(ctx))
			return nil
		case <-tick.C:
		}
	}
}

func (r *remote) pulse(ctx context.Context) {
	call, cancel := context.WithTimeout(ctx, remoteBudget)
	defer cancel()
	session, trusted := r.session.Load(), r.trusted.Load()
	now, err := r.client.Time(call).Result()
	alive := err == nil && r.deliver(ctx)
	if ctx.Err() != nil {
		return
	}
	if was := r.answers.Swap(alive); was != alive {
		r.log.Info("redis", "answers", alive)
	}
	if !alive || trusted != 0 && trusted != session {
		r.missed = true
	}
	switch {
	case !alive || session == 0:
		r.trusted.Store(0)
	case trusted != session:
		r.forget(now)
		r.trusted.Store(session)
	}
	if s := r.subscription.Load(); s != nil {
		_ = s.Ping(call)
	}
}

// forget is for when changes may have been missed. Where even Redis may have missed them, as their writers could not
// reach it or it came back with old data, versions from before now are not trusted either: whoever uses one raises it.
func (r *remote) forget(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.missed {
		r.floor = now.UnixMicro()
	}
	r.missed = false
	r.era++
	r.known.known.InvalidateAll()
}

// deliver raises the versions that are pending.
func (r *remote) deliver(ctx context.Context) bool {
	r.mu.Lock()
	pending := maps.Clone(r.pending)
	r.mu.Unlock()
	for key, late := range pending {
		if _, ok := r.script(ctx, late.team, key, true); !ok {
			return false
		}
	}
	return true
}

// listen takes in the changes that other processes tell of.
func (r *remote) listen(ctx context.Context) error {
	for ctx.Err() == nil {
		r.follow(ctx)
		sleep.For(ctx, heartbeat)
	}
	return nil
}

// follow is one subscription, until it breaks or says nothing for too long.
func (r *remote) follow(ctx context.Context) {
	subscription := r.client.Subscribe(ctx, channel)
	defer func() { _ = subscription.Close() }()
	// Receiving does not end with its context, only with its connection.
	defer context.AfterFunc(ctx, func() { _ = subscription.Close() })()
	r.subscription.Store(subscription)
	defer r.subscription.Store(nil)
	defer r.session.Store(0) // nobody hears changes: nothing is trusted, also after run
	for {
		message, err := subscription.ReceiveTimeout(ctx, silence)
		if err != nil {
			return
		}
		switch m := message.(type) {
		case *redis.Subscription:
			r.sessions++
			r.session.Store(r.sessions)
		case *redis.Message:
			r.heard(m.Payload)
		}
	}
}

func (r *remote) heard(payload string) {
	if place, ok := strings.CutPrefix(payload, erasePrefix); ok {
		r.drop(place)
		return
	}
	if payload == revoked {
		r.revoked()
		return
	}
	key, text, _ := strings.Cut(payload, "\n")
	if name, ok := strings.CutPrefix(key, markPrefix); ok {
		r.hear(name, text)
		return
	}
	if version, err := strconv.ParseInt(text, 10, 64); err == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.learn(strings.TrimPrefix(key, versionPrefix), version)
	}
}

// learn keeps a version unless a later one is known, or while this process's own write is pending. Call it with mu.
func (r *remote) learn(key string, version int64) {
	_, pending := r.pending[key]
	if old, ok := r.known.known.GetIfPresent(key); !pending && (!ok || version > old) {
		r.known.known.Set(key, version)
	}
}

// hear takes in the marks of a team.
func (r *remote) hear(name, marks string) {
	if r.marks != nil && marks != "" {
		r.marks.Heard(name, marks)
	}
}

const (
	versionPrefix = "kith:version:"
	markPrefix    = "kith:mark:"
)

// late is the latest write that a version has not grown by.
type late struct {
	team  string
	write uint64
}

// version is the key part of what a user of a team sees; false while it cannot be known.
func (r *remote) version(ctx context.Context, team, user string) (string, bool) {
	if !r.up() {
		return "", false
	}
	shared, ok := r.versionOf(ctx, team, "")
	if !ok {
		return "", false
	}
	own, ok := r.versionOf(ctx, team, user)
	return strconv.FormatInt(shared, 36) + "." + strconv.FormatInt(own, 36), ok
}

func (r *remote) versionOf(ctx context.Context, team, user string) (int64, bool) {
	key := hidden(versionKey(team, user))
	r.mu.Lock()
	_, pending := r.pending[key]
	era, writes := r.era, r.writes
	r.mu.Unlock()
	if pending {
		return 0, false
	}
	if version, ok := r.known.known.GetIfPresent(key); ok {
		return version, true
	}
	// Who asks after a write of this process does not take the answer to a question from before it.
	version, err, _ := r.flights.Do(fmt.Sprint(key, " ", era, " ", writes), func() (any, error) {
		version, ok := r.script(context.WithoutCancel(ctx), team, key, false)
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

// raise makes a version grow; where Redis does not take it at once, nothing of it is served from a cache until it has.
func (r *remote) raise(ctx context.Context, team, user string) bool {
	key := hidden(versionKey(team, user))
	r.mu.Lock()
	r.writes++
	r.pending[key] = late{team, r.writes}
	r.mu.Unlock()
	if !r.answers.Load() { // the next heartbeat that is answered delivers it
		return false
	}
	_, ok := r.script(ctx, team, key, true)
	return ok
}

// script runs versionScript, and keeps what it says unless everything was forgotten since. grow makes the version grow
// in any case, and takes off the list what was pending when it began.
func (r *remote) script(ctx context.Context, team, key string, grow bool) (int64, bool) {
	ctx, cancel := context.WithTimeout(ctx, remoteBudget)
	defer cancel()
	r.mu.Lock()
	era, write, floor := r.era, r.pending[key], strconv.FormatInt(r.floor, 10)
	r.mu.Unlock()
	if grow {
		floor = ""
	}
	keys, name, mark := []string{versionPrefix + key}, "", ""
	if r.marks != nil {
		name, mark = r.marks.Mark(team)
		keys = append(keys, markPrefix+name)
	}
	said, err := versionScript.Run(ctx, r.client, keys, int(versionTTL.Seconds()), channel, floor, mark, int(markTTL.Seconds()), markBytes).StringSlice()
	if err != nil || len(said) != 2 {
		return 0, false
	}
	version, err := strconv.ParseInt(said[0], 10, 64)
	if err != nil {
		return 0, false
	}
	r.hear(name, said[1]) // before anything is loaded by this version
	r.mu.Lock()
	defer r.mu.Unlock()
	if grow && r.pending[key] == write {
		delete(r.pending, key)
	}
	if era == r.era {
		r.learn(key, version)
	}
	return version, true
}

// hidden is a name in Redis for a key: who may list those names learns no user's id.
func hidden(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:16])
}

const entryPrefix = "kith:entry:"

// entryKey is the name of an entry: it begins with the place of its team and user, so that theirs can be found.
func entryKey(key string) string { return entryPrefix + entryPlace(key) + hidden(key) }

// get returns an entry, and learns the versions of its team and user in the same round trip.
func (r *remote) get(ctx context.Context, team, user, key string) ([]byte, error) {
	call, cancel := context.WithTimeout(ctx, remoteBudget)
	defer cancel()
	shared, own := hidden(versionKey(team, "")), hidden(versionKey(team, user))
	found, err := r.client.MGet(call, entryKey(key), versionPrefix+shared, versionPrefix+own).Result()
	if err != nil {
		return nil, fmt.Errorf("redis get: %w", err)
	}
	r.mu.Lock()
	for i, key := range []string{shared, own} {
		text, _ := found[i+1].(string)
		if version, err := strconv.ParseInt(text, 10, 64); err == nil && version >= r.floor {
			r.learn(key, version)
		}
	}
	r.mu.Unlock()
	value, ok := found[0].(string)
	if !ok {
		return nil, errAbsent
	}
	return []byte(value), nil
}

// quietDriver silences go-redis' own log, which tells of every failed dial: the heartbeat tells of the change.
var quietDriver = sync.OnceFunc(func() { redis.SetLogger(quiet{}) }) //nolint:gochecknoglobals // once a process

type quiet struct{}

// Printf drops the line.
func (quiet) Printf(context.Context, string, ...any) {}

// Ping asks a Redis for an answer.
func Ping(ctx context.Context, uri string) error {
	r, err := newRemote(Options{RedisURI: uri})
	if err != nil {
		return err
	}
	defer func() { _ = r.client.Close() }()
	if r.client.Ping(ctx).Err() != nil { // which may quote the address, and with it the password
		return errors.New("redis does not answer, or refuses the password")
	}
	return nil
}
