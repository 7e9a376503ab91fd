// Package limit says how many requests a key may make in a minute. They are counted in Redis, so that all processes count
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
	maxLimit = 1_000_000              // requests a minute
)

// Decision is about one request. Limit is how many a minute may have; 0: any number, and the rest says nothing.
type Decision struct {
	Allowed    bool
	Limit      int64
	Remaining  int64         // that may be made at once
	Reset      time.Duration // until there are Limit of them again
	RetryAfter time.Duration // until the next one may be made, where this one may not
}

// Event is what became of a request, for metrics.
type Event string

// Allowed and Refused: by all processes together, or by this one alone where there is no Redis or it is away; Away: Redis did not
// answer, and the process counted.
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
	Standard int64        // requests a minute of a key that has no limit of its own; 0: any number
	Log      *slog.Logger // told when Redis goes and comes; default: discards
	Observe  func(Event)  // of requests whose number is limited
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

// Allow counts a request of a key. Own is the limit of the key, where it has one: 0 for any number. It never fails: where
// Redis does not answer within a tenth of a second, the process counts, and does so for a second before it asks again.
func (l *Limiter) Allow(ctx context.Context, key string, own *int64) Decision {
	limit := l.standard
	if own != nil {
		limit = min(*own, maxLimit)
	}
	if limit <= 0 {
		return Decision{Allowed: true}
	}
	d := l.count(ctx, key, limit)
	if d.Allowed {
		l.observe(Allowed)
	} else {
		l.observe(Refused)
	}
	return d
}

func (l *Limiter) count(ctx context.Context, key string, limit int64) Decision {
	if until := l.away.Load(); l.remote != nil && time.Now().UnixNano() >= until {
		d, err := l.allowRemote(ctx, key, limit)
		if err == nil {
			if until != 0 && l.away.CompareAndSwap(until, 0) {
				l.log.Info("rate limits are counted in redis again")
			}
			return d
		}
		l.observe(Away)
		if ctx.Err() == nil && l.away.Swap(time.Now().Add(leave).UnixNano()) == 0 {
			l.log.Warn("rate limits are counted by this process alone: redis does not answer")
		}
	}
	return l.allowLocal(counted{key, limit}, time.Now())
}

func (l *Limiter) allowRemote(ctx context.Context, key string, limit int64) (Decision, error) {
	ctx, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	r, err := l.remote.Allow(ctx, "kith:"+key, redis_rate.PerMinute(int(limit)))
	if err != nil {
		return Decision{}, err
	}
	return Decision{
		Allowed: r.Allowed > 0, Limit: limit, Remaining: int64(r.Remaining), Reset: r.ResetAfter, RetryAfter: max(r.RetryAfter, 0),
	}, nil
}

func (l *Limiter) allowLocal(key counted, now time.Time) Decision {
	each := time.Minute / time.Duration(key.limit)
	bucket, _ := l.local.ComputeIfAbsent(key, func() (*rate.Limiter, bool) {
		return rate.NewLimiter(rate.Every(each), int(key.limit)), false
	})
	d := Decision{Allowed: bucket.AllowN(now, 1), Limit: key.limit}
	left := bucket.TokensAt(now)
	d.Remaining = max(0, int64(left))
	d.Reset = time.Duration((float64(key.limit) - left) * float64(each))
	if !d.Allowed {
		d.RetryAfter = time.Duration((1 - left) * float64(each))
	}
	return d
}
