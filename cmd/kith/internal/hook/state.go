package hook

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"kith/cmd/kith/internal/privatefile"
)

// keepState is how long it is remembered how far a session was stored. After that time all of it is sent again, which
// changes nothing.
const keepState = 90 * 24 * time.Hour

// State is how far a session is stored in a memory. It is in a file, so that the next hook goes on there.
type State struct {
	Offset  int64     `json:"offset"`  // in the transcript, in bytes
	Created bool      `json:"created"` // the conversation is stored; its first lines may have no messages
	Began   time.Time `json:"began"`   // the time of the first message, zero if it has none

	path string
}

// OpenState returns the state of a session. The folder has the states of all sessions; memory names where it is stored.
func OpenState(folder, memory string, in *Input) *State {
	sum := sha256.Sum256([]byte(memory + "\n" + in.Conversation()))
	s := &State{path: filepath.Join(folder, hex.EncodeToString(sum[:12]))}
	raw, err := os.ReadFile(s.path + ".json")
	if err == nil && json.Unmarshal(raw, s) != nil || s.Offset < 0 {
		s.Offset, s.Created, s.Began = 0, false, time.Time{} // damaged: begin again
	}
	return s
}

// save stores the state.
func (s *State) save() error {
	return privatefile.Write(s.path+".json", func(out io.Writer) error { return json.NewEncoder(out).Encode(s) })
}

// ErrBusy is the error of a session that another hook stores.
var ErrBusy = errors.New("another hook stores the session")

// Lock makes this process the only one that stores the session, until unlock is called. If wait is set, it waits until the
// other one is done, unless there is one more that waits.
func (s *State) Lock(ctx context.Context, wait bool) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return nil, err
	}
	lock := flock.New(s.path+".lock", flock.SetPermissions(0o600))
	if !wait {
		return locked(lock, lock.TryLock)
	}
	first := flock.New(s.path+".next", flock.SetPermissions(0o600))
	next, err := locked(first, first.TryLock)
	if err != nil {
		return nil, err
	}
	defer next()
	return locked(lock, func() (bool, error) { return lock.TryLockContext(ctx, 100*time.Millisecond) })
}

func locked(lock *flock.Flock, try func() (bool, error)) (func(), error) {
	ok, err := try()
	if err == nil && !ok {
		err = ErrBusy
	}
	if err != nil {
		return nil, err
	}
	return func() { _ = lock.Close() }, nil
}

// Prune deletes the states of sessions that were stored long ago.
func Prune(folder string, now time.Time) {
	files, err := os.ReadDir(folder)
	if err != nil {
		return // there are none
	}
	for _, f := range files {
		if info, err := f.Info(); err == nil && now.Sub(info.ModTime()) > keepState {
			_ = os.Remove(filepath.Join(folder, f.Name())) // tried again next time
		}
	}
}
