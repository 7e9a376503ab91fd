// Package limit limits the calls of a key in a minute, where some calls cost more than others. Calls are counted in
// Redis, for all instances together, or in the process when Redis is not configured or unavailable. The package knows
// nothing of HTTP or the meaning of keys.
package limit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/maypok86/otter/v2"
	"github.com/redis/go-redis/v9"
	"golang.org/x/time/rate"
)

const (
	budget   = 100 * time.Millisecond // timeout of a call to Redis
	leave    = time.Second            // pause after a failed call to Redis
	maxKeys  = 100_000                // maximum keys counted in the process
	maxLimit = 1_000_000              // units a minute
)

// Decision is the result for one call. Limit is in units a minute; with 0, no limit, only Allowed is set.
type Decision struct {
	Allowed    bool
	Limit      int64
	Remaining  int64         // units available now
	Reset      time.Duration // until all units are available
	RetryAfter time.Duration // until the call is allowed, if it is not now
}

// Charge is the cost of a call for a key.
type Charge struct {
	Key  string
	Own  *int64 // the key's own limit, or nil; 0: no limit
	Cost int64  // of the call; bounded by the limit, so that every key can make every call
	Paid int64  // part of Cost already paid by an earlier charge
}

// Event is the outcome of a request, for metrics.
type Event string

// Allowed and Refused are decided by all instances together, or by this one alone without Redis. Away: Redis did not
// answer, and is not called for a second.
const (
	Allowed Event = "allowed"
	Refused Event = "refused"
	Away    Event = "redis_error"
)

// Limiter counts calls by key. It is safe for concurrent use.
type Limiter struct {
	standard int64
	client   *redis.Client       // nil without Redis
	remote   *redis_rate.Limiter // uses client
	away     atomic.Int64        // end of the pause of Redis, in nanoseconds since 1970; 0: Redis is available
	local    *otter.Cache[counted, *rate.Limiter]
	log      *slog.Logger
	observe  func(Event)
}

// counted identifies a counter: a key under one of its limits.
type counted struct {
	key   string
	limit int64
}

// Options configures a Limiter.
type Options struct {
	RedisURI string       // empty: each process counts by itself
	Standard int64        // units a minute of a key without its own limit; 0: no limit
	Log      *slog.Logger // logs when Redis becomes unavailable or available; default: discards
	Observe  func(Event)  // called for each limited call
}

// New returns a Limiter. Close it after use.
func New(o Options) (*Limiter, error) {
	if o.Standard < 0 || o.Standard > maxLimit {
		return nil, fmt.Errorf("KITH_RATE_LIMIT must be from 0 to %d", maxLimit)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Observe == nil {
		o.Observe = func(Event) {}
	}
	l := &Limiter{standard: o.Standard, log: o.Log, observe: o.Observe}
	if err := l.dial(o.RedisURI); err != nil {
		return nil, err
	}
	l.local = otter.Must(&otter.Options[counted, *rate.Limiter]{
		MaximumSize: maxKeys, ExpiryCalculator: otter.ExpiryAccessing[counted, *rate.Limiter](2 * time.Minute), // a minute later it is full again
	})
	return l, nil
}

// dial connects to Redis, if it is configured.
func (l *Limiter) dial(uri string) error {
	if uri == "" {
		return nil
	}
	options, err := redis.ParseURL(uri)
	if err != nil {
		return errors.New("KITH_REDIS_URI is not a redis:// address")
	}
	options.DialTimeout, options.ReadTimeout, options.WriteTimeout, options.PoolTimeout = budget, budget, budget, budget
	options.MaxRetries, options.DialerRetries = -1, 1
	options.ContextTimeoutEnabled, options.DisableIdentity = true, true
	l.client = redis.NewClient(options)
	l.remote = redis_rate.NewLimiter(l.client)
	return nil
}

// Close closes the connections to Redis.
func (l *Limiter) Close() error {
	l.local.StopAllGoroutines()
	if l.client == nil {
		return nil
	}
	return l.client.Close()
}

// Allow takes a charge, or nothing if the key has too few units. It never fails: when Redis does not answer within a
// tenth of a second, the process counts by itself for a second.
func (l *Limiter) Allow(ctx context.Context, c Charge) Decision {
	limit := l.standard
	if c.Own != nil {
		limit = min(*c.Own, maxLimit)
	}
	paid := min(c.Paid, limit)
	due := min(c.Cost, limit) - paid
	if limit <= 0 || due <= 0 {
		return Decision{Allowed: true}
	}
	d := l.count(ctx, c.Key, limit, due)
	switch {
	case !d.Allowed:
		d.RetryAfter += time.Duration(paid) * time.Minute / time.Duration(limit) // the earlier charge has to be paid again
		l.observe(Refused)
	case paid == 0:
		l.observe(Allowed)
	}
	return d
}

func (l *Limiter) count(ctx context.Context, key string, limit, due int64) Decision {
	if until := l.away.Load(); l.remote != nil && time.Now().UnixNano() >= until {
		d, err := l.allowRemote(ctx, key, limit, due)
		if err == nil {
			if until != 0 && l.away.CompareAndSwap(until, 0) {
				l.log.Info("redis is available again, rate limits are shared")
			}
			return d
		}
		if ctx.Err() == nil {
			l.redisFailed()
		}
	}
	return l.allowLocal(counted{key, limit}, due, time.Now())
}

// redisFailed pauses Redis for a second.
func (l *Limiter) redisFailed() {
	l.observe(Away)
	if l.away.Swap(time.Now().Add(leave).UnixNano()) == 0 {
		l.log.Warn("redis unavailable, counting rate limits in this process")
	}
}

func (l *Limiter) allowRemote(ctx context.Context, key string, limit, due int64) (Decision, error) {
	ctx, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	r, err := l.remote.AllowN(ctx, "kith:"+key, redis_rate.PerMinute(int(limit)), int(due))
	for err == nil && r.Allowed == 0 && r.RetryAfter < rounding && ctx.Err() == nil { // all units are available, but Redis computes with floats
		r, err = l.remote.AllowN(ctx, "kith:"+key, redis_rate.PerMinute(int(limit)), int(due))
	}
	if err != nil {
		return Decision{}, err
	}
	return Decision{
		Allowed: r.Allowed > 0, Limit: limit, Remaining: int64(r.Remaining), Reset: r.ResetAfter, RetryAfter: max(r.RetryAfter, 0),
	}, nil
}

const rounding = time.Microsecond

func (l *Limiter) allowLocal(key counted, due int64, now time.Time) Decision {
	each := time.Minute / time.Duration(key.limit)
	bucket, _ := l.local.ComputeIfAbsent(key, func() (*rate.Limiter, bool) {
		return rate.NewLimiter(rate.Every(each), int(key.limit)), false
	})
	d := Decision{Allowed: bucket.AllowN(now, int(due)), Limit: key.limit}
	left := bucket.TokensAt(now)
	d.Remaining = max(0, int64(left))
	d.Reset = time.Duration((float64(key.limit) - left) * float64(each))
	if !d.Allowed {
		d.RetryAfter = time.Duration((float64(due) - left) * float64(each))
	}
	return d
}
