package command

import (
	"context"
	"errors"
	"strings"
	"time"

	"kith/cmd/kith/internal/hook"
	"kith/cmd/kith/machine"
	"kith/internal/sleep"
)

// hookFinishCmd stores the rest of a session after a hook, in the background.
type hookFinishCmd struct {
	hookAccess
	Event string `arg:"" enum:"stop,compact"`
	Input string `arg:"" help:"The input of the hook."`
}

const (
	finishTime  = 10 * time.Minute
	finishRetry = 500 * time.Millisecond // while the memory starts, or is away
)

// Run stores the session once it is its turn. It waits for the memory of the machine, but not for another Kith: the next hook
// goes on there.
func (c *hookFinishCmd) Run(ctx context.Context, std Streams) error {
	ctx, cancel := context.WithTimeout(ctx, finishTime)
	defer cancel()
	in, err := hook.Read(strings.NewReader(c.Input), hook.Event(c.Event))
	if err != nil {
		return err
	}
	folder, err := machine.Folder(c.Data)
	if err != nil {
		return err
	}
	unlock, err := c.state(in, folder).Lock(ctx, true)
	if errors.Is(err, hook.ErrBusy) {
		return nil // another process waits for the same
	}
	if err != nil {
		return err
	}
	defer unlock()
	start := startOnce(c.startServer)
	for {
		err := c.finish(ctx, in, folder, start, std)
		if c.URL != "" || !mayPass(err) || !sleep.For(ctx, finishRetry) {
			return err
		}
	}
}

// startOnce returns a function that starts the memory of the machine with its first call only. A memory that still does not run
// some time later has ended by itself, and would do so again.
func startOnce(start func(folder string) error) func(folder string) error {
	var started time.Time
	return func(folder string) error {
		switch {
		case started.IsZero():
			started = time.Now()
			return start(folder)
		case time.Since(started) < startRetry:
			return machine.ErrStarting
		}
		return finalError("the memory of this machine was started and does not run; the reason is in " + machine.LogFile(folder))
	}
}

// finish stores what is left of the session.
func (c *hookFinishCmd) finish(ctx context.Context, in *hook.Input, folder string, start func(folder string) error, std Streams) error {
	memory, err := c.memory(folder, start)
	if err != nil {
		return err
	}
	return memory.Store(ctx, in, c.state(in, folder), func(fault string) { warnHook(std, fault) })
}
