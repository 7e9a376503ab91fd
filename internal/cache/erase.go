package cache

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

const (
	erasePrefix    = "kith:erased:"
	eraseTTL       = 2 * loadBudget // longer than any load
	revokedMessage = "kith:revoked" // the message that API keys were revoked
	scanCount      = 1000
	eraseBudget    = 10 * time.Second // for scanning all keys of a Redis, a thousand at a time
)

// Erase drops all cached bytes of a user of a team: here, in Redis, and in the other processes, which receive a
// message. It returns the number of entries dropped here and in Redis. Loads that are running are not cached. An
// error means that Redis did not answer: its entries may remain for up to five minutes.
func (c *Cache) Erase(ctx context.Context, team, user string) (int64, error) {
	return c.erase(ctx, userPrefix(team, user), versionKey(team, user))
}

// EraseTeam does the same as Erase for a team and all its users.
func (c *Cache) EraseTeam(ctx context.Context, team string) (int64, error) {
	return c.erase(ctx, teamPrefix(team), versionKey(team, ""))
}

// Revoked makes the other processes drop their cached API keys. Without an answer of Redis their entries expire
// within two seconds.
func (c *Cache) Revoked(ctx context.Context) {
	if c.remote == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, remoteBudget)
	defer cancel()
	if err := c.remote.client.Publish(ctx, channel, revokedMessage).Err(); err != nil {
		c.observe(RemoteError)
	}
}

func (c *Cache) erase(ctx context.Context, place, version string) (int64, error) {
	dropped := c.dropLocal(place)
	if c.remote == nil {
		return dropped, nil
	}
	found, err := c.remote.erase(ctx, place, hashName(version))
	return dropped + found, err
}

// dropLocal removes the entries with a prefix from this process.
func (c *Cache) dropLocal(place string) (dropped int64) {
	c.dropMu.Lock()
	defer c.dropMu.Unlock()
	c.drops++
	for key := range c.local.Keys() {
		if strings.HasPrefix(prefixOf(key), place) {
			c.local.Invalidate(key)
			dropped++
		}
	}
	return dropped
}

// dropCount returns the number of erasures so far; see storeLocal.
func (c *Cache) dropCount() uint64 {
	c.dropMu.Lock()
	defer c.dropMu.Unlock()
	return c.drops
}

// storeLocal stores an entry in this process. It returns false if something was erased since drops was read: the
// entry could contain erased data.
func (c *Cache) storeLocal(key string, e entry, drops uint64) bool {
	c.dropMu.Lock()
	defer c.dropMu.Unlock()
	if drops != c.drops {
		return false
	}
	c.local.Set(key, e)
	return true
}

// The names of entries in Redis begin with the prefix of the team and then that of the user.
func teamPrefix(team string) string { return hashName(join(team))[:16] + ":" }
func userPrefix(team, user string) string {
	return teamPrefix(team) + hashName(join(team, user))[:16] + ":"
}

// prefixOf returns the prefix of an entry's key, which begins with the team and the user.
func prefixOf(key string) string {
	team, rest := splitFirst(key)
	user, _ := splitFirst(rest)
	return userPrefix(team, user)
}

// erase blocks new entries with a prefix for a while, and deletes the existing ones and the version.
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

// set stores an entry in Redis.
func (r *remote) set(ctx context.Context, key string, value []byte) error {
	call, cancel := context.WithTimeout(ctx, remoteBudget)
	defer cancel()
	team, _ := splitFirst(key)
	keys := []string{redisKey(key), erasePrefix + prefixOf(key), erasePrefix + teamPrefix(team)}
	return r.client.Eval(call, setScript, keys, value, remoteTTL.Milliseconds()).Err()
}

// splitFirst splits the result of join after its first part.
func splitFirst(joined string) (part, rest string) {
	length, rest, _ := strings.Cut(joined, ":")
	n, err := strconv.Atoi(length)
	if err != nil || n > len(rest) {
		return "", ""
	}
	return rest[:n], rest[n:]
}
