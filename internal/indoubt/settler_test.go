package indoubt_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"kith/internal/indoubt"
)

// database lists transactions.
type database struct {
	mu   sync.Mutex
	open []string
	down bool
}

func (d *database) set(down bool, open ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open, d.down = open, down
}

func (d *database) list(context.Context) ([]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.down {
		return nil, errors.New("down")
	}
	return slices.Clone(d.open), nil
}

func TestAwait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &database{}
		s := indoubt.New(d.list)
		defer s.Close()
		var ended []string
		await := func(id string) { s.Await(id, func() { ended = append(ended, id) }) }
		step := func(what string, want ...string) {
			t.Helper()
			time.Sleep(time.Second)
			synctest.Wait()
			if !slices.Equal(ended, want) {
				t.Errorf("%s: ended are %v, want %v", what, ended, want)
			}
		}
		d.set(true)
		await("a")
		step("a database that is down")
		d.set(false, "a", "other")
		step("it is open")
		await("b")
		d.set(false, "a", "b", "later")
		step("both are open")
		d.set(true)
		step("down again")
		d.set(false, "b", "later")
		step("the first has ended", "a")
		d.set(false, "later")
		step("both have", "a", "b")
		await("c")
		step("one that is not open", "a", "b", "c")
	})
}

func TestClose(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &database{open: []string{"1"}}
		s := indoubt.New(d.list)
		s.Await("1", func() { t.Error("ended") })
		time.Sleep(time.Second)
		s.Close()
		d.set(false)
		s.Await("1", func() { t.Error("ended") })
		time.Sleep(time.Second)
	})
}
