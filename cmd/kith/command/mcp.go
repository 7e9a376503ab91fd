package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/errgroup"

	"kith/access/auth"
	"kith/cmd/kith/internal/metrics"
	"kith/cmd/kith/machine"
	"kith/internal/embedded"
	"kith/internal/fault"
	"kith/internal/sleep"
	"kith/mcp"
)

// mcpCmd serves one agent over standard input and output.
type mcpCmd struct {
	config
	URL    string `env:"KITH_URL" help:"Address of a running Kith, to which calls are forwarded. Empty: a local memory in KITH_DATA or at KITH_NEO4J_URI."`
	Key    string `env:"KITH_KEY" help:"An API key of that Kith."`
	Shared bool   `help:"Without KITH_URL: use the memory that the hooks of coding agents use, and the background process that runs it (kith hook)."`
	Team   string `env:"KITH_TEAM" default:"default" help:"Without KITH_URL: the team."`
	User   string `env:"KITH_USER" default:"me" help:"Without KITH_URL: the user."`
}

// Run serves until the agent closes the connection. Standard output belongs to the protocol, so logs go to standard error.
func (c *mcpCmd) Run(ctx context.Context, std Streams) error {
	if c.URL != "" {
		if c.Key == "" {
			return errors.New("mcp: KITH_KEY is required with KITH_URL")
		}
		return ignoreCanceled(ctx, mcp.Proxy(ctx, mcp.Remote{URL: c.URL, Key: c.Key, Log: std.Err}, std.In, std.Out))
	}
	f := &fault.List{}
	f.Key(fault.At("team"), c.Team)
	f.User(fault.At("user"), c.User)
	if err := f.Err(); err != nil {
		return fmt.Errorf("mcp: %w", err)
	}
	log := c.newLogger(std.Err, max(c.LogLevel, slog.LevelWarn))
	open := c.joinDatabase
	if c.Shared && c.Neo4jURI == "" {
		open = c.shareDatabase
	}
	return c.serve(ctx, open, log, std, mcp.Stdio(std.In, std.Out))
}

// serve answers the agent without an API key, as the user who starts the process owns its memory. It answers at once while
// the memory starts; calls that need the memory wait for it.
func (c *mcpCmd) serve(ctx context.Context, open databaseOpener, log *slog.Logger, std Streams, transport sdk.Transport) error {
	model, err := c.openModel(log)
	if err != nil {
		return err
	}
	if model != nil {
		defer model.Close()
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	tools := mcp.Starting(c.toolOptions())
	defer tools.Close()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer cancel()
		return ignoreCanceled(ctx, tools.Run(ctx, auth.Principal{TeamID: c.Team, UserID: c.User, Scopes: []string{auth.Read, auth.Write}}, transport))
	})
	group.Go(func() error {
		return c.withMemory(ctx, open, metrics.New(build()), log, Streams{std.In, std.Err, std.Err}, func(ctx context.Context, m *memory) error {
			reader := m.newReader(model)
			err := m.prepare(ctx, func(context.Context) error {
				tools.Start(m.toolServices(reader))
				return nil
			})
			if err != nil {
				return ignoreCanceled(ctx, err)
			}
			return m.maintain(ctx, reader)
		})
	})
	return group.Wait()
}

// shareDatabase joins the Neo4j of the process that runs the memory of the machine. It starts that process if there is none.
func (c *mcpCmd) shareDatabase(ctx context.Context, _ *slog.Logger, _ Streams) (database, error) {
	given := c.Data
	if given == defaultData {
		given = ""
	}
	folder, err := machine.Folder(given)
	if err != nil {
		return database{}, err
	}
	for next := time.Now(); ; {
		endpoint, leave, err := embedded.Join(ctx, folder)
		if err == nil {
			return newJoined(endpoint, leave), nil
		}
		if !errors.Is(err, embedded.ErrNotRunning) {
			return database{}, err
		}
		if _, err := machine.Find(folder); errors.Is(err, machine.ErrNotRunning) && time.Now().After(next) {
			if err := machine.Start(folder, nil, "hook-server", "--team", c.Team); err != nil {
				return database{}, err
			}
			next = time.Now().Add(startRetry)
		}
		if !sleep.For(ctx, joinRetry) {
			return database{}, ctx.Err()
		}
	}
}

// startRetry is the pause before a process in the background is started again that could not start; its log says why.
const startRetry = 10 * time.Second
