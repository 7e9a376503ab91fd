// Package limit says how many calls a key may make in a minute, of which some cost more than others. They are counted in Redis, so that all processes count
// together, or in the process where there is no Redis or it is away. It knows nothing of HTTP, nor what a key is.
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
	budget   = 100 * time.Millisecond // of a call to Redis
	leave    = time.Second            // for which Redis is not asked after it failed
	maxKeys  = 100_000                // counted in the process
	maxLimit = 1_000_000              // units a minute
)

// Decision is about one call. Limit is how many units a minute may have; 0: any number, and the rest says nothing.
type Decision struct {
	Allowed    bool
	Limit      int64
	Remaining  int64         // units that may be spent at once
	Reset      time.Duration // until there are Limit of them again
	RetryAfter time.Duration // until the call may be made, where it may not now
}

// Charge is what is to be taken of a key's units for a call.
type Charge struct {
	Key  string
	Own  *int64 // limit of the key, where it has one: 0 for any number of units
	Cost int64  // of the call: more than the limit counts as the limit, so that any key can make any call
	Paid int64  // of Cost, by an earlier charge
}

// Event is what became of a request, for metrics.
type Event string

// Allowed and Refused: by all processes together, or by this one alone where there is no Redis or it is away. Away: Redis did not
// answer, and is not asked for a second.
const (
	Allowed Event = "allowed"
	Refused Event = "refused"
	Away    Event = "redis_error"
)

// Limiter counts. It is safe for concurrent use.
type Limiter struct {
	standard int64
	client   *redis.Client       // nil: there is none
	remote   *redis_rate.Limiter // in it
	away     atomic.Int64        // until when Redis is not asked, in nanoseconds since 1970; 0: it answers
	local    *otter.Cache[counted, *rate.Limiter]
	log      *slog.Logger
	observe  func(Event)
}

// counted is a key under one of its limits.
type counted struct {
	key   string
	limit int64
}

// Options are what a Limiter may be given.
type Options struct {
	RedisURI string       // empty: each process counts by itself
	Standard int64        // units a minute of a key that has no limit of its own; 0: any number
	Log      *slog.Logger // told when Redis goes and comes; default: discards
	Observe  func(Event)  // of calls whose number is limited
}

// New makes a Limiter. Close it when done.
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

// dial makes the connection to Redis, where there is one.
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

// Close gives up the connections to Redis.
func (l *Limiter) Close() error {
	l.local.StopAllGoroutines()
	if l.client == nil {
		return nil
	}
	return l.client.Close()
}

// Allow takes a charge, or nothing where the key has fewer units. It never fails: where Redis does not answer within a tenth of a
// second, the process counts, and does so for a second before it asks again.
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
		d.RetryAfter += time.Duration(paid) * time.Minute / time.Duration(limit) // it is to be paid again
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
				l.log.Info("rate limits are counted in redis again")
			}
			return d
		}
		if ctx.Err() == nil {
			l.redisFailed()
		}
	}
	return l.allowLocal(counted{key, limit}, due, time.Now())
}

// redisFailed has Redis left alone for a while.
func (l *Limiter) redisFailed() {
	l.observe(Away)
	if l.away.Swap(time.Now().Add(leave).UnixNano()) == 0 {
		l.log.Warn("rate limits are counted by this process alone: redis does not answer")
	}
}

func (l *Limiter) allowRemote(ctx context.Context, key string, limit, due int64) (Decision, error) {
	ctx, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	r, err := l.remote.AllowN(ctx, "kith:"+key, redis_rate.PerMinute(int(limit)), int(due))
	for err == nil && r.Allowed == 0 && r.RetryAfter < rounding && ctx.Err() == nil { // all units there are, and Redis counts in floats
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
