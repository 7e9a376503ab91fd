package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"kith/graph"
	"kith/graph/compact"
	"kith/graph/neo"
	"kith/internal/embedded"
)

// compactCmd rewrites the store of the embedded Neo4j.
type compactCmd struct {
	config
	Keep bool `help:"Keep the old store as neo4j.kept. It still contains erased data."`
	JSON bool `name:"json" help:"Print the result as JSON: counts, and bytes before and after."`
}

// compactResult is the result of a compaction.
type compactResult struct {
	compact.Copied
	BytesBefore int64 `json:"bytes_before"`
	BytesAfter  int64 `json:"bytes_after"`
}

var errExternalDatabase = errors.New("compact: only the embedded Neo4j can be compacted, and KITH_NEO4J_URI is set: " +
	"stop Kith and use `neo4j-admin database copy` (Enterprise), or export each team, import it into a new database " +
	"and delete the old one; `neo4j-admin database dump` keeps erased data")

// Run copies the store to new files that contain no erased data.
func (c *compactCmd) Run(ctx context.Context, std Streams) error {
	if c.Neo4jURI != "" {
		return errExternalDatabase
	}
	log := c.newLogger(std.Err, slog.LevelWarn)
	var result compactResult
	sizes, err := embedded.Compact(ctx, embedded.Options{
		Dir: c.Data, Neo4jHome: c.Neo4jHome, Repository: c.repository(), HeapMB: c.Neo4jHeap, PageCacheMB: c.Neo4jPageCache, Log: log, Progress: std.Err,
	}, c.Keep, func(ctx context.Context, from, to embedded.Endpoint) (err error) {
		result.Copied, err = copyStore(ctx, newConnection(from), newConnection(to), log, std.Err)
		return err
	})
	if err != nil {
		return err
	}
	result.BytesBefore, result.BytesAfter = sizes.Before, sizes.After
	return c.printSummary(std.Out, result)
}

func (c *compactCmd) printSummary(out io.Writer, r compactResult) error {
	if c.JSON {
		return json.NewEncoder(out).Encode(r)
	}
	_, err := fmt.Fprintf(out, "copied %d nodes and %d relationships to a new store: %d MB before, %d MB now\n",
		r.Nodes, r.Relationships, r.BytesBefore>>20, r.BytesAfter>>20)
	if err == nil && c.Keep {
		_, err = fmt.Fprintln(out, "The old store is kept as neo4j.kept. It still contains erased data; delete it when you no longer need it.")
	}
	return err
}

// copyStore copies all nodes and relationships from one Neo4j to an empty one.
func copyStore(ctx context.Context, from, to neo.Connection, log *slog.Logger, progress io.Writer) (compact.Copied, error) {
	old, err := graph.Open(from, graph.Options{Log: log})
	if err != nil {
		return compact.Copied{}, err
	}
	defer func() { _ = old.Close(context.WithoutCancel(ctx)) }()
	next, err := graph.Open(to, graph.Options{Log: log})
	if err != nil {
		return compact.Copied{}, err
	}
	defer func() { _ = next.Close(context.WithoutCancel(ctx)) }()
	var shown time.Time
	last := ""
	return compact.Copy(ctx, old, next, func(step string, c compact.Copied) {
		if step != last || time.Since(shown) >= time.Second {
			_, _ = fmt.Fprintf(progress, "%s: %d nodes, %d relationships\n", step, c.Nodes, c.Relationships)
			last, shown = step, time.Now()
		}
	})
}
