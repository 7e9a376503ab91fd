package embedded

import (
	"context"
	"fmt"

	"github.com/gofrs/flock"
)

// Join is Attach for a process that goes on using the Neo4j until it calls leave. A process that runs Neo4j for others
// sees with Leave whether there are any.
func Join(ctx context.Context, dir string) (e Endpoint, leave func() error, err error) {
	if e, err = Attach(dir); err != nil {
		return Endpoint{}, nil, err
	}
	f, err := existingFolder(dir)
	if err != nil {
		return Endpoint{}, nil, fmt.Errorf("join %s: %w", dir, err)
	}
	lock := flock.New(f.users(), flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	switch ok, err := lock.TryRLockContext(ctx, lockRetry); {
	case ok:
		return e, lock.Close, nil
	case err != nil && ctx.Err() == nil:
		return Endpoint{}, nil, fmt.Errorf("join %s: %w", dir, err)
	}
	return Endpoint{}, nil, fmt.Errorf("join %s: the process that runs it is about to end: %w", dir, ErrNotRunning)
}

// Leave is for the process that runs the Neo4j on the data folder dir. It returns nil if another process has joined. Else none
// can join until release is called.
func Leave(dir string) (release func() error, err error) {
	f, err := existingFolder(dir)
	if err != nil {
		return nil, fmt.Errorf("leave %s: %w", dir, err)
	}
	lock := flock.New(f.users(), flock.SetPermissions(0o600))
	switch ok, err := lock.TryLock(); {
	case err != nil:
		return nil, fmt.Errorf("leave %s: %w", dir, err)
	case !ok:
		return nil, nil
	}
	return lock.Close, nil
}
