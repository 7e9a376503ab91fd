package command

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"kith/cmd/kith/machine"
)

// A memory that ends when it is started is started once.
func TestStartOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		starts := 0
		once := startOnce(func(string) error {
			starts++
			return machine.ErrStarting
		})
		err, began := machine.ErrStarting, time.Now()
		for errors.Is(err, machine.ErrStarting) && time.Since(began) < time.Minute {
			err = once("folder")
			time.Sleep(finishRetry)
		}
		if starts != 1 || !isFinal(err) || !strings.Contains(err.Error(), filepath.Join("folder", "background.log")) {
			t.Errorf("started %d times: %v", starts, err)
		}
	})
}
