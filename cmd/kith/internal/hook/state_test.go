package hook

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestState(t *testing.T) {
	t.Parallel()
	folder, in := t.TempDir(), &Input{Name: "Stop", SessionID: "s"}
	s := OpenState(folder, "m", in)
	s.Offset, s.Began = 7, time.Date(2026, 11, 25, 10, 0, 0, 0, time.UTC)
	if err := s.save(); err != nil {
		t.Fatal(err)
	}
	if again := OpenState(folder, "m", in); again.Offset != 7 || !again.Began.Equal(s.Began) {
		t.Errorf("%+v", again)
	}
	if other := OpenState(folder, "another memory", in); other.Offset != 0 {
		t.Errorf("%+v", other)
	}
	if err := os.WriteFile(s.path+".json", []byte(`{"offset":9`), 0o600); err != nil {
		t.Fatal(err)
	}
	if damaged := OpenState(folder, "m", in); damaged.Offset != 0 {
		t.Errorf("%+v", damaged)
	}
	Prune(folder, time.Now())
	if _, err := os.Stat(s.path + ".json"); err != nil {
		t.Error(err)
	}
	Prune(folder, time.Now().Add(keepState+time.Hour))
	if left, _ := filepath.Glob(filepath.Join(folder, "*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// One process stores a session, one more may wait for it.
func TestLock(t *testing.T) {
	t.Parallel()
	folder, in := filepath.Join(t.TempDir(), "new"), &Input{Name: "Stop", SessionID: "s"}
	lock := func(wait bool) (func(), error) {
		return OpenState(folder, "m", in).Lock(t.Context(), wait)
	}
	unlock, err := lock(false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lock(false); !errors.Is(err, ErrBusy) {
		t.Errorf("second: %v", err)
	}
	waiting, done := make(chan struct{}), make(chan error, 1)
	go func() {
		close(waiting)
		unlock, err := lock(true)
		for errors.Is(err, ErrBusy) { // the look below may have the place at this moment
			unlock, err = lock(true)
		}
		if err == nil {
			unlock()
		}
		done <- err
	}()
	<-waiting
	for err = nil; !errors.Is(err, ErrBusy); {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		_, err = OpenState(folder, "m", in).Lock(ctx, true) // once the other one waits, there is no place
		cancel()
	}
	unlock()
	if err := <-done; err != nil {
		t.Errorf("the one that waits: %v", err)
	}
}
