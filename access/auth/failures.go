package auth

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"time"
)

// ErrAttempts reports that the caller's address, or all addresses together, sent too many wrong keys. Existing keys are never
// refused so.
var ErrAttempts = errors.New("too many wrong API keys")

const (
	addressBurst, addressRate = 100, 2   // wrong keys of one address: at once, and a second
	allBurst, allRate         = 1000, 20 // wrong keys of all addresses
	maxAddresses              = 10_000   // with a count of their own; further addresses share one
	knownTTL                  = verifiedTTL
	knownShare                = 20 // the ids of all keys are read for at most this part of the time
)

type remoteKey struct{}

// WithRemote returns a context with a request's remote address, in the form of net/http: host and port.
func WithRemote(ctx context.Context, address string) context.Context {
	return context.WithValue(ctx, remoteKey{}, address)
}

// originOf returns the network that a wrong key is counted for: an IPv4 address, or the /64 of an IPv6 address, which
// belongs to one caller.
func originOf(ctx context.Context) netip.Prefix {
	address, _ := ctx.Value(remoteKey{}).(string)
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return netip.Prefix{}
	}
	ip, bits := at.Addr().Unmap().WithZone(""), 64
	if ip.Is4() {
		bits = 32
	}
	origin, _ := ip.Prefix(bits)
	return origin
}

// bucket holds how many wrong keys may be looked up; it refills with time.
type bucket struct {
	left float64
	at   time.Time
}

func (b *bucket) fill(now time.Time, burst, rate float64) {
	b.left = min(burst, b.left+rate*max(0, now.Sub(b.at).Seconds()))
	b.at = now
}

// failures limits the lookups of wrong keys in the database: by address, and overall. It is safe for concurrent use.
type failures struct {
	mu   sync.Mutex
	all  *bucket
	each map[netip.Prefix]*bucket
}

// take counts the next lookup as a wrong key. It reports false when there were too many.
func (f *failures) take(origin netip.Prefix, now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.all == nil {
		f.all, f.each = &bucket{allBurst, now}, map[netip.Prefix]*bucket{}
	}
	one := f.of(origin, now)
	f.all.fill(now, allBurst, allRate)
	one.fill(now, addressBurst, addressRate)
	if f.all.left < 1 || one.left < 1 {
		return false
	}
	f.all.left--
	one.left--
	return true
}

// of returns the bucket of an address. Full buckets are dropped to make room.
func (f *failures) of(origin netip.Prefix, now time.Time) *bucket {
	if len(f.each) >= maxAddresses && f.each[origin] == nil {
		for address, b := range f.each {
			if b.fill(now, addressBurst, addressRate); b.left >= addressBurst {
				delete(f.each, address)
			}
		}
		if len(f.each) >= maxAddresses {
			origin = netip.Prefix{}
		}
	}
	if f.each[origin] == nil {
		f.each[origin] = &bucket{addressBurst, now}
	}
	return f.each[origin]
}

// giveBack reverses take for a valid key.
func (f *failures) giveBack(origin netip.Prefix) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all.left++
	if one := f.each[origin]; one != nil {
		one.left++
	}
}

// known holds the ids of all existing keys. Callers with too many wrong keys cause one read of it every two seconds, less often if
// reading takes long, and no other statement.
type known struct {
	mu       sync.Mutex
	ids      map[string]bool
	complete bool // false: there are more
	until    time.Time
}

// exists reports whether a key with an id exists or may exist. A key that another instance has just created may be missing for two
// seconds, and for twenty times as long as reading all ids takes.
func (k *Keys) exists(ctx context.Context, id string) (bool, error) {
	k.known.mu.Lock()
	defer k.known.mu.Unlock()
	if now := k.now(); k.known.ids == nil || !now.Before(k.known.until) {
		ids, complete, err := k.store.APIKeyIDs(ctx)
		if err != nil {
			return false, err
		}
		took := k.now().Sub(now)
		k.known.ids, k.known.complete, k.known.until = make(map[string]bool, len(ids)), complete, now.Add(max(knownTTL, knownShare*took))
		for _, id := range ids {
			k.known.ids[id] = true
		}
	}
	return k.known.ids[id] || !k.known.complete, nil
}

// learn takes note of a key that was just created.
func (k *Keys) learn(sum [32]byte) {
	k.known.mu.Lock()
	if k.known.ids != nil {
		k.known.ids[idOf(sum)] = true
	}
	k.known.mu.Unlock()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.era++
	k.verified.Invalidate(sum)
}

// forgetKnown makes the next call of exists read the ids again.
func (k *Keys) forgetKnown() {
	k.known.mu.Lock()
	defer k.known.mu.Unlock()
	k.known.ids = nil
}

// lookWithin looks a key up within the limit of wrong keys; beyond that only if its id exists. It refuses others with
// ErrAttempts, without a statement.
func (k *Keys) lookWithin(ctx context.Context, sum [32]byte) (verdict, error) {
	origin := originOf(ctx)
	within := k.failures.take(origin, k.now())
	if !within {
		there, err := k.exists(ctx, idOf(sum))
		if err == nil && !there {
			err = ErrAttempts
		}
		if err != nil {
			return verdict{}, err
		}
	}
	v, err := k.look(ctx, sum)
	if within && (err != nil || v.good) {
		k.failures.giveBack(origin)
	}
	return v, err
}
