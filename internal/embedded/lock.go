package embedded

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

const (
	lockRetry = 50 * time.Millisecond
	lockWait  = 500 * time.Millisecond // longer than Attach holds the lock
)

// take locks the data folder for this process until the lock is closed. The system frees it when the process dies.
func take(ctx context.Context, f folder, shown string) (*flock.Flock, error) {
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	lock := flock.New(f.lock(), flock.SetPermissions(0o600))
	if ok, err := lock.TryLockContext(ctx, lockRetry); !ok {
		if err != nil && ctx.Err() == nil {
			return nil, fmt.Errorf("lock data folder: %w", err)
		}
		return nil, fmt.Errorf("lock data folder: %w: another Kith%s uses %s; stop it or choose another folder with KITH_DATA",
			ErrLocked, holder(f), shown)
	}
	if err := os.WriteFile(f.lock(), []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
		_ = lock.Close()
		return nil, fmt.Errorf("lock data folder: %w", err)
	}
	return lock, nil
}

// holder returns the process that holds the lock, from the lock file.
func holder(f folder) string {
	text, err := os.ReadFile(f.lock())
	if pid := strings.TrimSpace(string(text)); err == nil && pid != "" {
		return " (process " + pid + ")"
	}
	return ""
}

// isHeld reports whether a live process holds the lock.
func isHeld(f folder) (bool, error) {
	if _, err := os.Stat(f.lock()); err != nil {
		return false, nil // no file, no lock; checking must not create one
	}
	lock := flock.New(f.lock())
	ok, err := lock.TryRLock()
	if err != nil {
		return false, err
	}
	return !ok, lock.Close()
}
