package audit

import (
	"context"
	"slices"
	"sync"
)

// Trail records what one request changes. It is safe for concurrent use.
type Trail struct {
	mu         sync.Mutex
	users, ids []string
}

type trailKey struct{}

// WithTrail returns a context of a request with a new trail.
func WithTrail(ctx context.Context) (context.Context, *Trail) {
	t := &Trail{}
	return context.WithValue(ctx, trailKey{}, t), t
}

// Note adds users and ids to the trail of a request. Without a trail it does nothing.
func Note(ctx context.Context, users []string, ids ...string) {
	if t, _ := ctx.Value(trailKey{}).(*Trail); t != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.users, t.ids = append(t.users, users...), append(t.ids, ids...)
	}
}

// Changes returns the users, sorted, and the ids in the order of their first change.
func (t *Trail) Changes() (users, ids []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	users = slices.Clone(t.users)
	slices.Sort(users)
	for _, id := range t.ids {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return slices.Compact(users), ids
}
