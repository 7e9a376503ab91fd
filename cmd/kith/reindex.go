package main

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"kith/embedded"
	"kith/graph"
)

// reindexCmd works on the database itself, so it needs no key.
type reindexCmd struct{ config }

// Run gives everything anew the words by which it is found, and its vector where an embedder is configured; that goes on
// where it was broken off.
func (c *reindexCmd) Run(ctx context.Context, std streams) error {
	log := c.logger(std.err, slog.LevelWarn)
	embedder, err := c.openEmbedder(log)
	if err != nil {
		return err
	}
	defer closeEmbedder(embedder)
	if c.Neo4jURI == "" && !embedded.Exists(c.Data) {
		return fmt.Errorf("reindex: there is no database in %s (KITH_DATA)", c.Data)
	}
	db, err := c.besideDatabase(ctx, log, std)
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
	count := &reindexCount{progress: newProgress(std.err), told: time.Now(), outcomes: map[string]int64{}}
	defer count.end()
	if err := store.Renew(ctx, count.words); err != nil {
		return fmt.Errorf("%w; run kith reindex again", err)
	}
	_, _ = fmt.Fprintf(std.out, "%d nodes are found by their words\n", count.nodes)
	if embedder == nil {
		_, _ = fmt.Fprintln(std.out, "no embedder is configured (KITH_EMBEDDINGS_URL or KITH_EMBEDDINGS_MODEL_DIR): nothing is embedded")
		return nil
	}
	resumed, err := store.RenewEmbeddings(ctx)
	if err != nil {
		return err
	}
	if resumed {
		count.line("this goes on where the last one was broken off")
	}
	err = graph.NewEmbedding(store, graph.EmbeddingOptions{Log: log, Observe: count.observe}).Finish(ctx, func() { count.show(count.String()) })
	if err != nil {
		return fmt.Errorf("%w; run kith reindex again: it goes on", err)
	}
	_, _ = fmt.Fprintf(std.out, "all is embedded by %s (%d numbers); here: %s\n", embedder.Model(), embedder.Dimensions(), count)
	return nil
}

// reindexCount tells how far a reindex has come.
type reindexCount struct {
	*progress
	told     time.Time
	nodes    int // that have their words
	mu       sync.Mutex
	outcomes map[string]int64
}

func (r *reindexCount) observe(outcome string, count int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outcomes[outcome] += count
}

// words counts nodes that have their words.
func (r *reindexCount) words(nodes int) {
	r.nodes = nodes
	r.show(fmt.Sprintf("%d nodes have their words", nodes))
}

func (r *reindexCount) show(text string) {
	every := lineEvery
	if r.terminal {
		every = shownEvery
	}
	now := time.Now()
	if now.Sub(r.told) < every {
		return
	}
	r.told = now
	if r.terminal {
		r.progress.show(text)
		return
	}
	r.line(text)
}

// String says what became of the texts.
func (r *reindexCount) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	text := fmt.Sprintf("%d embedded, %d empty", r.outcomes[graph.Embedded], r.outcomes[graph.Empty])
	if n := r.outcomes[graph.Given]; n > 0 {
		text += fmt.Sprintf(", %d refused by the embedder", n)
	}
	if n := r.outcomes[graph.Postponed]; n > 0 {
		text += fmt.Sprintf(", %d put off as the answer was wrong: kith serve tries them again", n)
	}
	return text
}
