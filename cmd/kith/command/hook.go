package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	client "kith/clients/go"
	"kith/cmd/kith/internal/hook"
	"kith/cmd/kith/machine"
	"kith/exchange/transcript"
)

// A coding agent waits for its hooks, so they end within two seconds, whatever Kith does.
const (
	hookTime  = 1400 * time.Millisecond // for calls
	hookLimit = 1500 * time.Millisecond // for all of it
	hookStart = 200 * time.Millisecond  // then, to start a process in the background
)

// hookCmd answers a hook of a coding agent. It exits with status 0 if Kith is away, so that the agent goes on without memory, and
// with 1 if something must be corrected. It never exits with 2, which agents take as a refusal.
type hookCmd struct {
	hookAccess
	Event string `arg:"" enum:"session-start,prompt,stop,compact" help:"What happened: session-start, prompt, stop or compact."`
}

// hookAccess holds the settings of hooks. A hook takes no flags but these, so that it starts quickly.
type hookAccess struct {
	URL  string `env:"KITH_URL" help:"Address of a running Kith. Empty: the memory of this machine, in KITH_DATA."`
	Key  string `env:"KITH_KEY" help:"An API key of that Kith, with the scopes read and write."`
	User string `env:"KITH_USER" help:"The user. Default: the user of the key, or me."`
	Team string `env:"KITH_TEAM" default:"default" help:"Without KITH_URL: the team."`
	Data string `env:"KITH_DATA" help:"Folder for the memory and for how far sessions are stored. Default: .kith in the home folder."`
	Hook string `env:"KITH_HOOK" enum:"on,off" default:"on" help:"off: hooks do nothing, in this session."`
}

// hookAnswer is the outcome of a hook.
type hookAnswer struct {
	out []byte // for the agent
	err error  // what must be corrected
}

// hookWork has what a hook stores.
type hookWork struct {
	in     *hook.Input
	folder string // of the memory
}

// Run answers the hook.
func (c *hookCmd) Run(ctx context.Context, std Streams) error {
	if c.Hook == "off" {
		return nil
	}
	limit := time.NewTimer(hookLimit)
	defer limit.Stop()
	ctx, cancel := context.WithTimeout(ctx, hookTime)
	defer cancel()
	answered, storing := make(chan hookAnswer, 1), make(chan hookWork, 1)
	go func() {
		defer func() {
			if fault := recover(); fault != nil { // the process would exit with 2
				answered <- hookAnswer{err: fmt.Errorf("hook: panic: %v", fault)}
			}
		}()
		out, err := c.answer(ctx, std, storing)
		answered <- hookAnswer{out, err}
	}()
	select {
	case answer := <-answered:
		_, _ = std.Out.Write(answer.out)
		return answer.err
	case <-limit.C:
		warnHook(std, reportLost(c.endLate(storing)))
		return nil
	}
}

// endLate leaves what the hook is still storing to a process in the background, if it does not take long to start one.
func (c *hookCmd) endLate(storing <-chan hookWork) error {
	late, started := errors.New("no answer within two seconds"), make(chan error, 1)
	select {
	case work := <-storing:
		go func() { started <- c.finishLater(work, late) }()
	default:
		return late
	}
	select {
	case err := <-started:
		return err
	case <-time.After(hookStart):
		return late
	}
}

// answer reads the input of the hook and returns the answer. What the hook stores, if it does, it sends to storing first.
func (c *hookCmd) answer(ctx context.Context, std Streams, storing chan<- hookWork) ([]byte, error) {
	event := hook.Event(c.Event)
	in, err := hook.Read(std.In, event)
	if err != nil || hook.IsOff(in.Project()) {
		return nil, err
	}
	folder, err := machine.Folder(c.Data)
	if err != nil {
		return nil, err
	}
	var text string
	switch event {
	case hook.SessionStart:
		text, err = c.begin(ctx, in, folder)
	case hook.Prompt:
		text, err = c.search(ctx, in, folder)
	default:
		work := hookWork{in, folder}
		storing <- work
		if err = c.store(ctx, work, std); errors.Is(err, context.DeadlineExceeded) || c.URL == "" && mayPass(err) {
			err = c.finishLater(work, err)
		}
	}
	if err == nil || isFinal(err) {
		return in.Answer(text, ""), err
	}
	warnHook(std, reportLost(err))
	if event == hook.SessionStart {
		return in.Answer("", "Kith: "+hookNotice(err)), nil
	}
	return nil, nil
}

func (c *hookCmd) begin(ctx context.Context, in *hook.Input, folder string) (string, error) {
	hook.Prune(statesIn(folder), time.Now())
	memory, err := c.memory(folder, c.startServer)
	if err != nil {
		return "", err
	}
	return memory.Context(ctx, in)
}

func (c *hookCmd) search(ctx context.Context, in *hook.Input, folder string) (string, error) {
	memory, err := c.memory(folder, c.startServer)
	if err != nil {
		return "", err
	}
	return memory.Search(ctx, in, c.state(in, folder).Began)
}

// store stores what is new in the session. While another hook stores it, a process waits for that in the background.
func (c *hookCmd) store(ctx context.Context, work hookWork, std Streams) error {
	state := c.state(work.in, work.folder)
	unlock, err := state.Lock(ctx, false)
	if errors.Is(err, hook.ErrBusy) {
		return c.startFinish(work)
	}
	if err != nil {
		return err
	}
	defer unlock()
	memory, err := c.memory(work.folder, c.startServer)
	if err != nil {
		return err
	}
	return memory.Store(ctx, work.in, state, func(fault string) { warnHook(std, fault) })
}

// mayPass reports whether an error of storing passes without anybody doing something. The memory of the machine comes back.
func mayPass(err error) bool {
	return err != nil && !isFinal(err) && !errors.Is(err, hook.ErrNoTranscript)
}

// errInBackground is in the error of a hook whose work a process in the background does.
var errInBackground = errors.New("the rest is stored in the background")

// finishLater starts a process that stores the rest of the session. The error says why, and that it does. Of several such processes
// one does the work.
func (c *hookCmd) finishLater(work hookWork, why error) error {
	if errors.Is(why, context.DeadlineExceeded) {
		why = errors.New("there was no time to store all")
	}
	if err := c.startFinish(work); err != nil {
		return fmt.Errorf("%w; no process in the background could be started: %w", why, err)
	}
	return fmt.Errorf("%w: %w", why, errInBackground)
}

func (c *hookCmd) startFinish(work hookWork) error {
	raw, err := json.Marshal(work.in.WithoutPrompt())
	if err != nil {
		return err
	}
	settings := []string{"KITH_URL=" + c.URL, "KITH_KEY=" + c.Key, "KITH_USER=" + c.User, "KITH_TEAM=" + c.Team}
	return machine.Start(work.folder, settings, "hook-finish", c.Event, string(raw))
}

// reportLost returns what the user reads of an error that passes.
func reportLost(err error) string {
	if errors.Is(err, errInBackground) {
		return err.Error()
	}
	return err.Error() + ": the agent goes on without it"
}

// memory returns the memory of the user. Without KITH_URL it is the machine's own; if that does not run, memory calls start and
// returns its error.
func (c *hookAccess) memory(folder string, start func(folder string) error) (*hook.Memory, error) {
	if c.URL != "" {
		if c.Key == "" {
			return nil, finalError("KITH_KEY is required with KITH_URL: nothing is sent without it")
		}
		return &hook.Memory{API: client.New(c.URL, c.Key, nil), User: c.User}, nil
	}
	server, err := machine.Find(folder)
	if errors.Is(err, machine.ErrNotRunning) {
		err = start(folder)
	}
	if err != nil {
		return nil, err
	}
	if server.Team != c.Team {
		return nil, finalError(fmt.Sprintf("the memory in %s is open for the team %s, and KITH_TEAM is %s: use another KITH_DATA", folder, server.Team, c.Team))
	}
	user := c.User
	if user == "" {
		user = "me"
	}
	return &hook.Memory{API: client.New(server.URL, server.Key, nil), User: user}, nil
}

// startServer starts the memory of the machine. It returns machine.ErrStarting.
func (c *hookAccess) startServer(folder string) error {
	if err := machine.Start(folder, nil, "hook-server", "--team", c.Team); err != nil {
		return err
	}
	return machine.ErrStarting
}

// state returns how far the session is stored in the memory. The key is a part of its name, as it may be bound to a user.
func (c *hookAccess) state(in *hook.Input, folder string) *hook.State {
	names := []string{c.URL, c.Team, c.User}
	if c.URL != "" {
		names = append(names, c.Key) // OpenState hashes the name
	}
	return hook.OpenState(statesIn(folder), strings.Join(names, "\n"), in)
}

func statesIn(folder string) string { return filepath.Join(folder, "hooks") }

// finalError is an error that does not pass by itself.
type finalError string

// Error returns what must be corrected.
func (e finalError) Error() string { return string(e) }

// isFinal reports whether the user must correct something. Other errors pass when Kith is back.
func isFinal(err error) bool {
	var final finalError
	var refused *client.Error
	switch {
	case errors.As(err, &final), errors.Is(err, hook.ErrTranscript), errors.Is(err, transcript.ErrEncoding):
		return true
	case errors.As(err, &refused):
		return refused.Status/100 == 4 && refused.Status != 408 && refused.Status != 429
	}
	return false
}

// hookNotice returns what the user sees at the start of a session without memory.
func hookNotice(err error) string {
	if errors.Is(err, machine.ErrStarting) {
		return "memory is starting, this session begins without it"
	}
	return "memory cannot be reached, this session begins without it"
}

func warnHook(std Streams, message string) { _, _ = fmt.Fprintln(std.Err, "kith hook:", message) }
