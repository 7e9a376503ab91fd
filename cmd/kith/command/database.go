package command

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"kith/graph/neo"
	"kith/internal/embedded"
	"kith/internal/sleep"
)

// database is a connection with a function that releases it.
type database struct {
	neo.Connection
	close  func(context.Context) error
	joined bool // another process runs it
}

func noClose(context.Context) error { return nil }

// openDatabase returns the configured Neo4j, or starts the embedded one.
func (c *config) openDatabase(ctx context.Context, log *slog.Logger, std Streams) (database, error) {
	if c.Neo4jURI != "" {
		password, err := c.readNeo4jPassword()
		return database{Connection: neo.Connection{URI: c.Neo4jURI, User: c.Neo4jUser, Password: password, Database: c.Neo4jDatabase}, close: noClose}, err
	}
	server, err := embedded.Start(ctx, embedded.Options{
		Dir: c.Data, Neo4jHome: c.Neo4jHome, Repository: c.repository(), HeapMB: c.Neo4jHeap, PageCacheMB: c.Neo4jPageCache, Log: log, Progress: std.Err,
	})
	if err != nil {
		return database{}, err
	}
	return database{Connection: newConnection(server.Endpoint()), close: server.Close}, nil
}

// attachDatabase is openDatabase for commands that may run while a service runs: they share its embedded Neo4j.
func (c *config) attachDatabase(ctx context.Context, log *slog.Logger, std Streams) (database, error) {
	if c.Neo4jURI == "" {
		endpoint, leave, err := embedded.Join(ctx, c.Data)
		if err == nil {
			return newJoined(endpoint, leave), nil
		}
		if !errors.Is(err, embedded.ErrNotRunning) {
			return database{}, err
		}
	}
	return c.openDatabase(ctx, log, std)
}

// joinDatabase is attachDatabase that waits while another process starts or stops the embedded Neo4j.
func (c *config) joinDatabase(ctx context.Context, log *slog.Logger, std Streams) (database, error) {
	for {
		db, err := c.attachDatabase(ctx, log, std)
		if !errors.Is(err, embedded.ErrLocked) || !sleep.For(ctx, joinRetry) {
			return db, err
		}
	}
}

// joinRetry is the pause between attempts to join a Neo4j that starts or stops.
const joinRetry = 250 * time.Millisecond

// newJoined returns the database that another process runs.
func newJoined(e embedded.Endpoint, leave func() error) database {
	return database{Connection: newConnection(e), close: func(context.Context) error { return leave() }, joined: true}
}

func newConnection(e embedded.Endpoint) neo.Connection {
	return neo.Connection{URI: e.URI, User: e.User, Password: e.Password}
}

// repository returns the address from which the jars of the embedded Neo4j are fetched; empty: by Maven.
func (c *config) repository() string { return cmp.Or(c.Neo4jRepository, repository) }
