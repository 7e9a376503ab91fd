// Package sleep waits for a while, unless there is no reason to any more.
package sleep

import (
	"context"
	"time"
)

// For waits, and says whether it waited to the end: false when ctx was done before.
func For(ctx context.Context, d time.Duration) bool {
	if ctx.Err() != nil {
		return false
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
