package main

import (
	"cmp"
	"context"
	"errors"
	"log/slog"

	"kith/embedded"
	"kith/neo"
)

// database is a connection with a function that releases it.
type database struct {
	neo.Connection
	close func(context.Context) error
}

func noClose(context.Context) error { return nil }

// openDatabase returns the configured Neo4j, or starts the embedded one.
func (c *config) openDatabase(ctx context.Context, log *slog.Logger, std streams) (database, error) {
	if c.Neo4jURI != "" {
		password, err := c.readNeo4jPassword()
		return database{neo.Connection{URI: c.Neo4jURI, User: c.Neo4jUser, Password: password, Database: c.Neo4jDatabase}, noClose}, err
	}
	server, err := embedded.Start(ctx, embedded.Options{
		Dir: c.Data, Neo4jHome: c.Neo4jHome, Repository: c.repository(), HeapMB: c.Neo4jHeap, Log: log, Progress: std.err,
	})
	if err != nil {
		return database{}, err
	}
	return database{newConnection(server.Endpoint()), server.Close}, nil
}

// attachDatabase is openDatabase for commands that may run while a service runs: they share its embedded Neo4j.
func (c *config) attachDatabase(ctx context.Context, log *slog.Logger, std streams) (database, error) {
	if c.Neo4jURI == "" {
		endpoint, err := embedded.Attach(c.Data)
		if err == nil {
			return database{newConnection(endpoint), noClose}, nil
		}
		if !errors.Is(err, embedded.ErrNotRunning) {
			return database{}, err
		}
	}
	return c.openDatabase(ctx, log, std)
}

func newConnection(e embedded.Endpoint) neo.Connection {
	return neo.Connection{URI: e.URI, User: e.User, Password: e.Password}
}

// repository returns the address from which the jars of the embedded Neo4j are fetched; empty: by Maven.
func (c *config) repository() string { return cmp.Or(c.Neo4jRepository, repository) }
