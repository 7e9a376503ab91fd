package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"kith/audit"
	"kith/auth"
	"kith/cache"
	"kith/digest"
	"kith/explore"
	"kith/graph"
	"kith/handlers"
	"kith/internal/sleep"
	"kith/llm"
	"kith/loader"
	"kith/mcp"
	"kith/traverse"
	"kith/vector"
)

// memory holds the open database and cache, and the services that use them.
type memory struct {
	config   *config
	metrics  *metrics
	traces   *tracing
	log      *slog.Logger
	store    *graph.Store
	own      ownPreferences
	kept     *cache.Cache
	recalls  *graph.Recalls
	keys     *auth.Keys
	trail    *audit.Log // nil: disabled
	embedder llm.Embedder
	vectors  *vector.Index

	contexts  *loader.Loader
	explorer  *explore.Explorer
	traverser *traverse.Traverser
	logs      *logKeeper // nil: the Neo4j is not embedded
}

// databaseOpener is openDatabase or attachDatabase.
type opens func(ctx context.Context, log *slog.Logger, std streams) (database, error)

// withMemory opens the memory, calls work, and closes the memory.
func (c *config) withMemory(
	ctx context.Context, open opens, metrics *metrics, log *slog.Logger, std streams, work func(context.Context, *memory) error,
) error {
	traces, err := c.openTracing(ctx, log)
	if err != nil {
		return err
	}
	defer traces.close(ctx)
	trail, err := audit.Open(c.AuditLog, std.out)
	if err != nil {
		return err
	}
	defer func() { _ = trail.Close() }()
	metrics.slow(c.SlowStatement, log)
	own, err := c.openPreferences(ctx, metrics)
	if err != nil {
		return err
	}
	defer own.close()
	embedder, err := c.openEmbedder(log)
	if err != nil {
		return err
	}
	defer closeEmbedder(embedder)
	asking, err := c.apart(embedder, log)
	if err != nil {
		return err
	}
	defer closeEmbedder(asking)
	db, err := open(ctx, log, std)
	if err != nil {
		return unlessDone(ctx, err)
	}
	defer func() {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
		defer cancel()
		if err := db.close(stop); err != nil {
			log.Error("neo4j did not stop cleanly", "error", err)
		}
	}()
	c.RelationshipTypes.warn(log)
	store, err := graph.Open(db.Connection, graph.Options{
		Log: log, Observe: metrics.statement, Trace: traces.of("statement"), Types: c.RelationshipTypes.names,
		KeepDeleted: c.KeepDeleted, Embedder: embedder, ObserveQuota: metrics.quotas.Observe,
		Quota: graph.Quota{Nodes: c.QuotaNodes, Relationships: c.QuotaLinks, Text: c.QuotaText},
	})
	if err != nil {
		return err
	}
	defer func() { _ = store.Close(context.WithoutCancel(ctx)) }()
	own.guard(store)
	keys := auth.New(store, time.Now)
	defer keys.Close()
	caching := cache.Options{RedisURI: c.RedisURI, Log: log, Observe: metrics.cacheEvent, Revoked: keys.Forget}
	if marks := store.Bookmarks(); marks != nil {
		caching.Marks = marks
	}
	kept, err := cache.New(caching) //nolint:contextcheck // a load outlives the request that started it
	if err != nil {
		return err
	}
	defer func() { _ = kept.Close() }()
	m := &memory{
		config: c, metrics: metrics, traces: traces, log: log, store: store, own: own, kept: kept, keys: keys, trail: trail,
		recalls:  graph.NewRecalls(store, graph.RecallOptions{Log: log, Observe: metrics.recall, Changed: kept.Changed}),
		embedder: embedder, vectors: vector.New(c.EmbeddingsMemory << 20),
	}
	keys.Announce(kept.Revoked)
	if c.Neo4jURI == "" {
		m.logs = newLogKeeper(store, log)
	}
	metrics.memory(m)
	m.answer(asking)
	return m.run(ctx, work)
}

// newReaders creates the services that read the memory.
func (m *memory) answer(asking llm.Embedder) {
	m.contexts = loader.New(m.store, m.kept, loader.Options{
		Mode: m.config.ContextLoad, Log: m.log, Degraded: m.metrics.degradedSection, Preferences: m.own.orNil(),
		Trace: m.traces.of("load"),
	})
	m.explorer = explore.New(m.store, explore.Options{Embedder: asking, Vectors: m.vectors, Log: m.log, Observe: m.metrics.explored})
	m.traverser = traverse.New(m.store, m.metrics.traversed)
}

// newReader returns the reader of sources and texts, nil without a language model.
func (m *memory) reader(model *llm.Generator) *digest.Reader {
	if model == nil {
		return nil
	}
	return digest.New(m.store, model, digest.Options{Timeout: m.config.LLMTimeout, Log: m.log})
}

// toolServices returns the services and options of the MCP server. The reader may be nil.
func (m *memory) tools(reader *digest.Reader) (mcp.Services, mcp.Options) {
	o := m.config.tools()
	o.Deadline, o.Reading, o.Log, o.RequestID = m.config.RequestTimeout, m.config.LLMTimeout, m.log, handlers.RequestID
	o.Observe, o.Trace = m.metrics.tool, m.traces.of("tool")
	s := mcp.Services{
		Store: m.store, Preferences: m.own.orIn(m.store), Contexts: m.contexts, Explorer: m.explorer, Traverser: m.traverser, Changes: m.kept,
		Recalls: m.recalls, Audit: m.trail,
	}
	if reader != nil {
		s.Reader = reader
	}
	return s, o
}

// toolOptions returns the options that determine the lists of the MCP server.
func (c *config) tools() mcp.Options {
	return mcp.Options{Version: version, Memory: c.MCPCompat == "memory"}
}

// run calls work while the cache receives changes and recalls are stored.
func (m *memory) run(ctx context.Context, work func(context.Context, *memory) error) error {
	group, ctx := errgroup.WithContext(ctx)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	group.Go(func() error { return m.kept.Run(ctx) })
	group.Go(func() error { return m.recalls.Run(ctx) })
	group.Go(func() error { return m.keys.Run(ctx) })
	group.Go(func() error {
		defer cancel()
		return work(ctx, m)
	})
	return group.Wait()
}

// prepare migrates schemas, warms query plans and calls then. It retries while the database is unavailable.
func (m *memory) prepare(ctx context.Context, then func(context.Context) error) error {
	for {
		err := m.prepareOnce(ctx)
		if err == nil {
			err = then(ctx)
		}
		if err == nil || !errors.Is(err, graph.ErrUnavailable) {
			return err
		}
		m.log.Warn("database unavailable, retrying", "error", err)
		if !sleep.For(ctx, retryTime) {
			return ctx.Err()
		}
	}
}

func (m *memory) prepareOnce(ctx context.Context) error {
	if err := m.store.Migrate(ctx); err != nil {
		return err
	}
	if err := m.store.PrepareEmbedding(ctx); err != nil {
		return err
	}
	if err := m.own.migrate(ctx); err != nil {
		return err
	}
	return m.store.Warm(ctx, m.own.sections()...)
}

// maintain embeds queued texts and runs maintenance until ctx is done.
func (m *memory) upkeep(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return m.store.WatchErasures(ctx) })
	if m.embedder != nil {
		m.metrics.vectors(m.store, m.vectors)
		group.Go(func() error {
			return graph.NewEmbedding(m.store, graph.EmbeddingOptions{Log: m.log, Observe: m.metrics.embedded}).Run(ctx)
		})
	}
	if m.logs != nil {
		group.Go(func() error { return m.logs.run(ctx) })
	}
	if m.config.Maintenance > 0 {
		group.Go(func() error {
			return graph.NewMaintenance(m.store, graph.MaintenanceOptions{
				Every: m.config.Maintenance, Log: m.log, Observe: m.metrics.maintained, Changed: m.kept.Changed,
			}).Run(ctx)
		})
	}
	<-ctx.Done()
	return group.Wait()
}
