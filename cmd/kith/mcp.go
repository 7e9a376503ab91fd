package main

import (
	"context"
	"errors"
	"io"
	"log/slog"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/errgroup"

	"kith/auth"
	"kith/internal/fault"
	"kith/internal/metrics"
	"kith/mcp"
)

// mcpCmd serves one agent over standard input and output.
type mcpCmd struct {
	config
	URL  string `env:"KITH_URL" help:"Address of a running Kith, to which calls are forwarded. Empty: a local memory in KITH_DATA or at KITH_NEO4J_URI."`
	Key  string `env:"KITH_KEY" help:"An API key of that Kith."`
	Team string `env:"KITH_TEAM" default:"default" help:"Without KITH_URL: the team."`
	User string `env:"KITH_USER" default:"me" help:"Without KITH_URL: the user."`
}

// Run serves until the agent closes the connection. Standard output belongs to the protocol, so logs go to standard error.
func (c *mcpCmd) Run(ctx context.Context, std streams) error {
	transport := &sdk.IOTransport{Reader: io.NopCloser(std.in), Writer: nopCloser{std.out}}
	if c.URL != "" {
		if c.Key == "" {
			return errors.New("mcp: KITH_KEY is required with KITH_URL")
		}
		return ignoreCanceled(ctx, mcp.Proxy(ctx, mcp.Remote{URL: c.URL, Key: c.Key}, version, transport))
	}
	if !fault.ValidKey(c.Team) || !fault.ValidKey(c.User) {
		return errors.New("mcp: team and user must have 1 to 256 characters and no control characters")
	}
	log := c.newLogger(std.err, max(c.LogLevel, slog.LevelWarn))
	return c.serve(ctx, c.attachDatabase, log, std, transport)
}

// serve answers the agent without an API key, as the user who starts the process owns its memory. It answers at once while
// the memory starts; calls that need the memory wait for it.
func (c *mcpCmd) serve(ctx context.Context, open databaseOpener, log *slog.Logger, std streams, transport sdk.Transport) error {
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
		return c.withMemory(ctx, open, metrics.New(build()), log, streams{std.in, std.err, std.err}, func(ctx context.Context, m *memory) error {
			err := m.prepare(ctx, func(context.Context) error {
				tools.Start(m.toolServices(m.newReader(model)))
				return nil
			})
			if err != nil {
				return ignoreCanceled(ctx, err)
			}
			return m.maintain(ctx)
		})
	})
	return group.Wait()
}

// nopCloser is a writer whose Close does nothing.
type nopCloser struct{ io.Writer }

// Close returns nil.
func (nopCloser) Close() error { return nil }
