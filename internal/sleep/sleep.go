// Package sleep waits for a time, or until a context is done.
package sleep

import (
	"context"
	"time"
)

// For waits for d, and reports false if ctx was done before.
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
