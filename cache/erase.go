package cache

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

const (
	erasePrefix = "kith:erased:"
	eraseTTL    = 2 * loadBudget // beyond any load that began before
	revoked     = "kith:revoked" // a message: keys were revoked
	scanCount   = 1000
	eraseBudget = 10 * time.Second // of a call that asks for all keys of a Redis, a thousand at a time
)

// Erase drops all bytes that are kept of what a user of a team sees, here, in Redis and in the other processes, which
// hear of it, and says how many entries of this process and of Redis that were. What is being loaded meanwhile is not
// kept. An error says that Redis could not be asked: its entries may be there for up to five minutes.
func (c *Cache) Erase(ctx context.Context, team, user string) (int64, error) {
	return c.erase(ctx, userPlace(team, user), versionKey(team, user))
}

// EraseTeam is Erase for a team and all its users.
func (c *Cache) EraseTeam(ctx context.Context, team string) (int64, error) {
	return c.erase(ctx, teamPlace(team), versionKey(team, ""))
}

// Revoked has the other processes forget what they know of API keys. Where Redis does not answer they do by themselves, within two seconds.
func (c *Cache) Revoked(ctx context.Context) {
	if c.remote == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, remoteBudget)
	defer cancel()
	if err := c.remote.client.Publish(ctx, channel, revoked).Err(); err != nil {
		c.observe(RemoteError)
	}
}

func (c *Cache) erase(ctx context.Context, place, version string) (int64, error) {
	dropped := c.drop(place)
	if c.remote == nil {
		return dropped, nil
	}
	found, err := c.remote.erase(ctx, place, hidden(version))
	return dropped + found, err
}

// drop forgets the entries of a place in this process.
func (c *Cache) drop(place string) (dropped int64) {
	c.keeping.Lock()
	defer c.keeping.Unlock()
	c.drops++
	for key := range c.local.Keys() {
		if strings.HasPrefix(entryPlace(key), place) {
			c.local.Invalidate(key)
			dropped++
		}
	}
	return dropped
}

// dropped counts erasures; see keep.
func (c *Cache) dropped() uint64 {
	c.keeping.Lock()
	defer c.keeping.Unlock()
	return c.drops
}

// keep keeps an entry in this process, unless something was erased since drops were counted: it may be of that.
func (c *Cache) keep(key string, value []byte, drops uint64) bool {
	c.keeping.Lock()
	defer c.keeping.Unlock()
	if drops != c.drops {
		return false
	}
	c.local.Set(key, value)
	return true
}

// Places begin the names of entries in Redis: those of a team, and in it those of a user.
func teamPlace(team string) string { return hidden(join(team))[:16] + ":" }
func userPlace(team, user string) string {
	return teamPlace(team) + hidden(join(team, user))[:16] + ":"
}

// entryPlace is the place of an entry's key, which begins with the team and the user.
func entryPlace(key string) string {
	team, rest := first(key)
	user, _ := first(rest)
	return userPlace(team, user)
}

// erase forbids for a while that entries of a place are set, and takes away those there are, with the version.
func (r *remote) erase(ctx context.Context, place, version string) (found int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, eraseBudget)
	defer cancel()
	if err := r.client.Set(ctx, erasePrefix+place, 1, eraseTTL).Err(); err != nil {
		return 0, fmt.Errorf("erase from redis: %w", err)
	}
	keys := r.client.Scan(ctx, 0, entryPrefix+place+"*", scanCount).Iterator()
	for keys.Next(ctx) {
		n, err := r.client.Del(ctx, keys.Val()).Result()
		if err != nil {
			return found, fmt.Errorf("erase from redis: %w", err)
		}
		found += n
	}
	if err := keys.Err(); err != nil {
		return found, fmt.Errorf("erase from redis: %w", err)
	}
	if err := r.client.Del(ctx, versionPrefix+version).Err(); err != nil {
		return found, fmt.Errorf("erase from redis: %w", err)
	}
	if err := r.client.Publish(ctx, channel, erasePrefix+place).Err(); err != nil {
		return found, fmt.Errorf("erase from redis: %w", err)
	}
	return found, nil
}

// setScript keeps an entry unless its team or user is being erased.
const setScript = `
if redis.call('EXISTS', KEYS[2], KEYS[3]) > 0 then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`

// set keeps an entry in Redis.
func (r *remote) set(ctx context.Context, key string, value []byte) error {
	call, cancel := context.WithTimeout(ctx, remoteBudget)
	defer cancel()
	team, _ := first(key)
	keys := []string{entryKey(key), erasePrefix + entryPlace(key), erasePrefix + teamPlace(team)}
	return r.client.Eval(call, setScript, keys, value, remoteTTL.Milliseconds()).Err()
}

// first splits what join has made after its first part.
func first(joined string) (part, rest string) {
	length, rest, _ := strings.Cut(joined, ":")
	n, err := strconv.Atoi(length)
	if err != nil || n > len(rest) {
		return "", ""
	}
	return rest[:n], rest[n:]
}
