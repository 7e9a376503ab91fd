package cache_test

import (
	"context"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"kith/internal/cache"
	"kith/tests/testenv"
)

// keysContaining returns the keys of Redis whose values contain a text.
func keysContaining(t *testing.T, c *redis.Client, text string) (found []string) {
	t.Helper()
	for _, key := range keys(t, c, "") {
		if value, err := c.Get(t.Context(), key).Result(); err == nil && strings.Contains(value, text) {
			found = append(found, key)
		}
	}
	return found
}

func TestErase(t *testing.T) {
	t.Parallel()
	for what, erase := range map[string]func(*cache.Cache, string) (int64, error){
		"user": func(c *cache.Cache, team string) (int64, error) { return c.Erase(context.Background(), team, "u") },
		"team": func(c *cache.Cache, team string) (int64, error) { return c.EraseTeam(context.Background(), team) },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			server := testenv.StartRedis(t)
			direct := client(t, server.URI())
			a, b := startReady(t, server.URI()), startReady(t, server.URI())
			eventually(t, "two versions of the user's and those of others are in Redis", func() bool {
				for range 2 {
					a.Changed(t.Context(), "t", "u")
					for _, view := range []string{"v", "w"} {
						a.get("t", "u", view, "canary")
						b.get("t", "u", view, "canary")
					}
				}
				a.get("t", "u2", "v", "other user")
				a.get("t2", "u", "v", "other team")
				return len(keysContaining(t, direct, "canary")) >= 4 && len(keysContaining(t, direct, "other user")) > 0 && len(keysContaining(t, direct, "other team")) > 0
			})
			erased, err := erase(a.Cache, "t")
			if err != nil || erased < 6 {
				t.Errorf("erased %d entries: %v", erased, err)
			}
			a.get("t", "u", "v", "canary again") // as one that was loaded before would
			if left := keysContaining(t, direct, "canary"); left != nil {
				t.Errorf("Redis has %q", left)
			}
			if what == "user" && len(keysContaining(t, direct, "other user")) == 0 || len(keysContaining(t, direct, "other team")) == 0 {
				t.Error("what others have is gone")
			}
			eventually(t, "the other process has forgotten", func() bool {
				got, _ := b.get("t", "u", "v", "new")
				return got != "canary"
			})
			for _, key := range keys(t, direct, "kith:") {
				if strings.Contains(key, "canary") || strings.HasSuffix(key, ":u") {
					t.Errorf("%s names somebody", key)
				}
			}
		})
	}
}

// A load that was running during the erasure is answered, and not cached.
func TestEraseDuringLoad(t *testing.T) {
	t.Parallel()
	p := startProcess(t, "")
	before, err := p.Get(t.Context(), "t", "u", "v", func(ctx context.Context) ([]byte, bool, error) {
		_, err := p.Erase(ctx, "t", "u")
		return []byte("old"), true, err
	})
	if err != nil || string(before) != "old" {
		t.Fatalf("%q, %v", before, err)
	}
	if p.isCached("t", "u", "v") {
		t.Error("what was loaded before is kept")
	}
	if !p.isCached("t", "u", "v") {
		t.Error("nothing is kept after an erasure")
	}
	if n, err := p.Erase(t.Context(), "t", "u"); n != 1 || err != nil {
		t.Errorf("erased %d entries: %v", n, err)
	}
}

// An erasure that Redis did not accept returns an error.
func TestEraseWithoutRedis(t *testing.T) {
	t.Parallel()
	server := testenv.StartRedis(t)
	p := startReady(t, server.URI())
	server.Stop()
	if _, err := p.Erase(t.Context(), "t", "u"); err == nil {
		t.Error("Redis is away, and the erasure a success")
	}
}
