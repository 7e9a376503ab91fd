package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"kith/internal/hook"
	"kith/internal/machine"
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
func (c *hookFinishCmd) Run(ctx context.Context, std streams) error {
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
	for {
		err := c.finish(ctx, in, folder, std)
		if err == nil || isFinal(err) || c.URL != "" || !sleep.For(ctx, finishRetry) {
			return err
		}
	}
}

// finish stores what is left of the session.
func (c *hookFinishCmd) finish(ctx context.Context, in *hook.Input, folder string, std streams) error {
	memory, err := c.memory(folder)
	if err != nil {
		return err
	}
	return memory.Store(ctx, in, c.state(in, folder), func(fault string) { warnHook(std, fault) })
}
