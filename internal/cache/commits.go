package cache

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
)

// commits holds the commits of this process that run now or are in doubt, for each user of a team and for the memory that a team shares.
type commits struct {
	running atomic.Int64 // with those in doubt

	mu     sync.Mutex
	ends   map[string][]chan struct{} // closed when the commit has ended and the version is raised
	doubts map[string]int             // commits in doubt
}

func newCommits() *commits {
	return &commits{ends: map[string][]chan struct{}{}, doubts: map[string]int{}}
}

func (c *commits) begin(team string, users []string) (end func()) {
	ended := make(chan struct{})
	c.running.Add(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, user := range users {
		key := versionKey(team, user)
		c.ends[key] = append(c.ends[key], ended)
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, user := range users {
			key := versionKey(team, user)
			left := slices.DeleteFunc(c.ends[key], func(other chan struct{}) bool { return other == ended })
			if c.ends[key] = left; len(left) == 0 {
				delete(c.ends, key)
			}
		}
		c.running.Add(-1)
		close(ended)
	}
}

func (c *commits) doubt(team string, users []string) (end func()) {
	c.running.Add(1)
	add := func(n int) {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, user := range users {
			key := versionKey(team, user)
			if c.doubts[key] += n; c.doubts[key] == 0 {
				delete(c.doubts, key)
			}
		}
	}
	add(1)
	return func() {
		add(-1)
		c.running.Add(-1)
	}
}

// inDoubt reports whether a commit is in doubt that changes what a user sees.
func (c *commits) inDoubt(team, user string) bool {
	if c.running.Load() == 0 {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.doubts[versionKey(team, "")]+c.doubts[versionKey(team, user)] > 0
}

// wait returns when the commits have ended that run now and change what a user sees. It returns an error if ctx ends before.
func (c *commits) wait(ctx context.Context, team, user string) error {
	if c.running.Load() == 0 {
		return nil
	}
	c.mu.Lock()
	ends := slices.Concat(c.ends[versionKey(team, "")], c.ends[versionKey(team, user)])
	c.mu.Unlock()
	for _, end := range ends {
		select {
		case <-end:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
