package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"kith/embedded"
	"kith/graph"
)

// compactCmd writes the store of Kith's own Neo4j anew.
type compactCmd struct {
	config
	Keep bool `help:"Keep the old store beside the new one, as neo4j.kept. It still holds what was erased."`
	JSON bool `name:"json" help:"One JSON object at the end: counts, and bytes before and after."`
}

// compacted is what a compaction says at its end.
type compacted struct {
	graph.Copied
	BytesBefore int64 `json:"bytes_before"`
	BytesAfter  int64 `json:"bytes_after"`
}

var errNotOwn = errors.New("compact: the database of KITH_NEO4J_URI is not Kith's own: stop Kith and use `neo4j-admin database copy` there (Enterprise), " +
	"or export each team, import it into a new database, and delete the old one; `neo4j-admin database dump` keeps what was erased")

// Run writes the store anew, so that nothing that was erased is in any of its files.
func (c *compactCmd) Run(ctx context.Context, std streams) error {
	if c.Neo4jURI != "" {
		return errNotOwn
	}
	log := c.logger(std.err, slog.LevelWarn)
	var result compacted
	sizes, err := embedded.Compact(ctx, embedded.Options{
		Dir: c.Data, Neo4jHome: c.Neo4jHome, HeapMB: c.Neo4jHeap, Log: log, Progress: std.err,
	}, c.Keep, func(ctx context.Context, from, to embedded.Endpoint) (err error) {
		result.Copied, err = copyStore(ctx, connection(from), connection(to), log, std.err)
		return err
	})
	if err != nil {
		return err
	}
	result.BytesBefore, result.BytesAfter = sizes.Before, sizes.After
	return c.conclude(std.out, result)
}

func (c *compactCmd) conclude(out io.Writer, r compacted) error {
	if c.JSON {
		return json.NewEncoder(out).Encode(r)
	}
	_, err := fmt.Fprintf(out, "%d nodes and %d relationships in a new store: %d MB before, %d MB now\n",
		r.Nodes, r.Relationships, r.BytesBefore>>20, r.BytesAfter>>20)
	if err == nil && c.Keep {
		_, err = fmt.Fprintln(out, "The old store is kept as neo4j.kept; it still holds what was erased: remove it when it is of no use any more.")
	}
	return err
}

// copyStore copies everything from one Neo4j to an empty one.
func copyStore(ctx context.Context, from, to graph.Connection, log *slog.Logger, progress io.Writer) (graph.Copied, error) {
	old, err := graph.Open(from, graph.Options{Log: log})
	if err != nil {
		return graph.Copied{}, err
	}
	defer func() { _ = old.Close(context.WithoutCancel(ctx)) }()
	next, err := graph.Open(to, graph.Options{Log: log})
	if err != nil {
		return graph.Copied{}, err
	}
	defer func() { _ = next.Close(context.WithoutCancel(ctx)) }()
	var shown time.Time
	last := ""
	return old.CopyTo(ctx, next, func(step string, c graph.Copied) {
		if step != last || time.Since(shown) >= time.Second {
			_, _ = fmt.Fprintf(progress, "%s: %d nodes, %d relationships\n", step, c.Nodes, c.Relationships)
			last, shown = step, time.Now()
		}
	})
}
