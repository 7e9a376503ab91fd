// Package machine finds and starts the Kith that the coding agents of a machine share. It runs in the background, on a port of
// the loopback interface. A file in the data folder, which only its owner can read, has its address and key; a lock beside it
// is held while it runs. What it serves is up to the command.
package machine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"kith/cmd/kith/internal/privatefile"
)

const (
	lockRetry = 20 * time.Millisecond
	lockWait  = 300 * time.Millisecond // longer than Find holds the lock
)

// Server is the Kith of the machine.
type Server struct {
	URL  string `json:"url"`
	Key  string `json:"key"`
	Team string `json:"team"` // of the key
}

// Errors of Find and Claim.
var (
	ErrNotRunning = errors.New("no Kith runs in the background")
	ErrStarting   = errors.New("memory is starting")
	ErrRunning    = errors.New("another Kith runs in the background")
)

// Folder returns the data folder as an absolute path: the given one, or .kith in the user's home folder.
func Folder(given string) (string, error) {
	if given != "" {
		return filepath.Abs(given)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no home folder: set KITH_DATA to a folder for the memory: %w", err)
	}
	return filepath.Join(home, ".kith"), nil
}

func addressFile(folder string) string { return filepath.Join(folder, "background.json") }

func lockOf(folder string) *flock.Flock {
	return flock.New(filepath.Join(folder, "background.lock"), flock.SetPermissions(0o600))
}

// Find returns the Kith that runs on a data folder. It returns ErrNotRunning, or ErrStarting if it does not answer yet.
func Find(folder string) (*Server, error) {
	if _, err := os.Stat(lockOf(folder).Path()); err != nil {
		return nil, ErrNotRunning
	}
	lock := lockOf(folder)
	switch free, err := lock.TryRLock(); {
	case err != nil:
		return nil, err
	case free:
		return nil, errors.Join(ErrNotRunning, lock.Close())
	}
	return Read(folder)
}

// Read returns the Kith that ran last on a data folder. It returns ErrStarting if none has answered.
func Read(folder string) (*Server, error) {
	raw, err := os.ReadFile(addressFile(folder))
	if errors.Is(err, os.ErrNotExist) {
		return nil, ErrStarting
	}
	if err != nil {
		return nil, err
	}
	s := &Server{}
	if err := json.Unmarshal(raw, s); err != nil {
		return nil, ErrStarting // it is written anew
	}
	return s, nil
}

// Claim makes this process the Kith of a data folder until release is called. It returns ErrRunning if there is one. The
// last one is returned too, if it has left its file.
func Claim(ctx context.Context, folder string) (last *Server, release func(), err error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, nil, err
	}
	lock := lockOf(folder)
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	if ok, err := lock.TryLockContext(ctx, lockRetry); !ok {
		if err == nil || ctx.Err() != nil {
			err = ErrRunning
		}
		return nil, nil, err
	}
	last, err = Read(folder)
	if err != nil && !errors.Is(err, ErrStarting) {
		return nil, nil, errors.Join(err, lock.Close())
	}
	_ = os.Remove(addressFile(folder)) // usually of a process that was killed
	return last, func() { _ = lock.Close() }, nil
}

// Publish lets others find the server while this process holds the lock.
func (s *Server) Publish(folder string) error {
	return privatefile.Write(addressFile(folder), func(out io.Writer) error { return json.NewEncoder(out).Encode(s) })
}
