package command

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"kith/cmd/kith/internal/terminal"
	"kith/graph"
	"kith/internal/embedded"
	"kith/memory/embedding"
)

// reindexCmd works directly on the database, so it needs no API key.
type reindexCmd struct{ config }

// Run rebuilds the full-text index, and the vectors if an embedder is configured. An interrupted run resumes embedding where
// it stopped.
func (c *reindexCmd) Run(ctx context.Context, std Streams) error {
	log := c.newLogger(std.Err, slog.LevelWarn)
	embedder, err := c.openEmbedder(log)
	if err != nil {
		return err
	}
	defer closeEmbedders(embedder)
	if c.Neo4jURI == "" && !embedded.Exists(c.Data) {
		return fmt.Errorf("reindex: no database in %s (KITH_DATA)", c.Data)
	}
	db, err := c.attachDatabase(ctx, log, std)
	if err != nil {
		return err
	}
	defer func() { _ = db.close(context.WithoutCancel(ctx)) }()
	store, err := graph.Open(db.Connection, graph.Options{Log: log, Types: c.RelationshipTypes.names, Embedder: embedder})
	if err != nil {
		return err
	}
	defer func() { _ = store.Close(context.WithoutCancel(ctx)) }()
	if err := store.Migrate(ctx); err != nil {
		return err
	}
	count := &reindexProgress{Progress: terminal.NewProgress(std.Err), outcomes: map[string]int64{}}
	defer count.End()
	if err := store.Renew(ctx, count.showIndexed); err != nil {
		return fmt.Errorf("%w; run kith reindex again", err)
	}
	_, _ = fmt.Fprintf(std.Out, "indexed the words of %d nodes\n", count.nodes)
	if embedder == nil {
		_, _ = fmt.Fprintln(std.Out, "no embedder is configured (KITH_EMBEDDINGS_URL or KITH_EMBEDDINGS_MODEL_DIR): no vectors were computed")
		return nil
	}
	vectors := embedding.NewStore(store, embedder)
	resumed, err := vectors.Renew(ctx)
	if err != nil {
		return err
	}
	if resumed {
		count.Line("resuming the interrupted reindex")
	}
	err = embedding.NewWorker(vectors, embedding.Options{Log: log, Observe: count.observe}).Finish(ctx, func() { count.Update(count.String()) })
	if err != nil {
		return fmt.Errorf("%w; run kith reindex again to resume", err)
	}
	_, _ = fmt.Fprintf(std.Out, "embedded everything with %s (%d dimensions); this run: %s\n", embedder.Model(), embedder.Dimensions(), count)
	return nil
}

// reindexProgress prints the progress of a reindex.
type reindexProgress struct {
	*terminal.Progress
	nodes    int // indexed so far
	mu       sync.Mutex
	outcomes map[string]int64
}

func (r *reindexProgress) observe(outcome string, count int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outcomes[outcome] += count
}

// showIndexed sets and shows the number of nodes whose words are indexed.
func (r *reindexProgress) showIndexed(nodes int) {
	r.nodes = nodes
	r.Update(fmt.Sprintf("indexed the words of %d nodes", nodes))
}

// String returns the counts by outcome.
func (r *reindexProgress) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	text := fmt.Sprintf("%d embedded, %d empty", r.outcomes[embedding.Embedded], r.outcomes[embedding.Empty])
	if n := r.outcomes[embedding.Given]; n > 0 {
		text += fmt.Sprintf(", %d refused by the embedder", n)
	}
	if n := r.outcomes[embedding.Postponed]; n > 0 {
		text += fmt.Sprintf(", %d postponed after an invalid response: kith serve retries them", n)
	}
	return text
}
