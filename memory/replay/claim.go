package replay

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

const (
	claimFor   = 2 * time.Minute // of a number
	claimEvery = 20 * time.Second
	claimTries = 20
)

// Claim gives the instance a number that no other has. Run keeps it.
func (r *Recorder) Claim(ctx context.Context) error {
	for range claimTries {
		number := 1 + rand.Int64N(mostNumbers-1) //nolint:gosec // not a secret
		held, err := r.take(ctx, number)
		if err != nil || held {
			return err
		}
	}
	r.options.Log.Warn("no number is free for this instance, its contexts cannot be replayed")
	return nil
}

// take claims or keeps a number.
func (r *Recorder) take(ctx context.Context, number int64) (held bool, err error) {
	asked := time.Now()
	_, _, held, err = r.store.graph.TakeLease(ctx, leaseOf(number), r.holder, claimFor)
	if err != nil || !held {
		return false, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.number, r.claimed = number, asked
	return true, nil
}

func leaseOf(number int64) string { return fmt.Sprintf("replay/%d", number) }

// renew keeps the number, or claims another if it was lost. A recorder that never claimed one claims none.
func (r *Recorder) renew(ctx context.Context) {
	r.mu.Lock()
	number, never := r.number, r.claimed.IsZero()
	r.mu.Unlock()
	if never {
		return
	}
	held, err := false, error(nil)
	if number != 0 {
		held, err = r.take(ctx, number)
	}
	if err == nil && !held {
		r.lose()
		err = r.Claim(ctx)
	}
	if err != nil {
		r.options.Log.Warn("number of the instance not kept", "error", err)
	}
}

// isClaimed reports whether no other instance has the number. The recorder is locked.
func (r *Recorder) isClaimed() bool { return r.number != 0 && time.Since(r.claimed) < claimFor }

// lose forgets the number and all records: another instance may have the number now.
func (r *Recorder) lose() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.number = 0
	clear(r.records)
}

// release gives the number back.
func (r *Recorder) release(ctx context.Context) {
	r.mu.Lock()
	number := r.number
	r.mu.Unlock()
	if number == 0 {
		return
	}
	r.lose()
	if err := r.store.graph.EndLease(ctx, leaseOf(number), r.holder, nil); err != nil {
		r.options.Log.Warn("number of the instance not released, it will expire", "error", err)
	}
}
