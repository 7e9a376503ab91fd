package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"kith/access/audit"
	"kith/access/auth"
	"kith/clients/page"
	"kith/cmd/kith/internal/metrics"
	"kith/graph"
	"kith/graph/neo"
	"kith/handlers"
	"kith/internal/cache"
	"kith/internal/llm"
	"kith/internal/sleep"
	"kith/internal/tracing"
	"kith/internal/vector"
	"kith/loader"
	"kith/loader/ontology"
	"kith/mcp"
	"kith/memory/chat"
	"kith/memory/consolidation"
	"kith/memory/digest"
	"kith/memory/duplicate"
	"kith/memory/embedding"
	"kith/memory/erasure"
	"kith/memory/explore"
	"kith/memory/feed"
	"kith/memory/recall"
	"kith/memory/replay"
	"kith/memory/statement"
	"kith/memory/system"
	"kith/memory/traverse"
	"kith/memory/user"
	"kith/memory/webhook"
	"kith/memory/workspace"
)

// memory holds the open database and cache, and the services that use them.
type memory struct {
	config      *config
	metrics     *metrics.Registry
	traces      *tracing.Tracer
	log         *slog.Logger
	store       *graph.Store
	preferences preferenceStore
	cache       *cache.Cache
	recalls     *recall.Queue
	served      *replay.Recorder
	keys        *auth.Keys
	auditLog    *audit.Log // nil: disabled
	embedder    llm.Embedder
	vectors     *vector.Index

	stores
	contexts   *loader.Loader
	ontologies *ontology.Loader
	explorer   *explore.Explorer
	traverser  *traverse.Traverser
	logRotator *logRotator // nil: the Neo4j is not embedded
	plans      warmUp
}

// stores are the stores of the features that keep or read records beside the memory's own.
type stores struct {
	chats          *chat.Store
	consolidations *consolidation.Store
	duplicates     *duplicate.Store
	embeddings     *embedding.Store
	erasures       *erasure.Store
	replays        *replay.Store
	systems        *system.Store
	feeds          *feed.Store
	searches       *explore.Store
	sections       *loader.Store
	statements     *statement.Store
	walks          *traverse.Store
	webhooks       *webhook.Store
	users          *user.Store
	workspaces     *workspace.Store
}

// newStores returns the stores in a memory's database. Close walks when done.
func newStores(g *graph.Store, embedder llm.Embedder, c *config, log *slog.Logger) stores {
	feeds := feed.NewStore(g)
	return stores{
		chats: chat.NewStore(g), consolidations: consolidation.NewStore(g), embeddings: embedding.NewStore(g, embedder), erasures: erasure.NewStore(g), systems: system.NewStore(g), searches: explore.NewStore(g, embedder), sections: loader.NewStore(g), users: user.NewStore(g), walks: traverse.NewStore(g, log),
		workspaces: workspace.NewStore(g), statements: statement.NewStore(g), replays: replay.NewStore(g), feeds: feeds,
		duplicates: duplicate.NewStore(g, feeds),
		webhooks:   webhook.NewStore(g, feeds, c.WebhooksPrivate == "allow"),
	}
}

// databaseOpener is openDatabase or attachDatabase.
type databaseOpener func(ctx context.Context, log *slog.Logger, std Streams) (database, error)

// withMemory opens the memory, calls work, and closes the memory.
func (c *config) withMemory(
	ctx context.Context, open databaseOpener, registry *metrics.Registry, log *slog.Logger, std Streams, work func(context.Context, *memory) error,
) error {
	traces, err := tracing.Open(ctx, c.OTLPEndpoint, c.OTLPRatio, version, log)
	if err != nil {
		return fmt.Errorf("KITH_OTLP_ENDPOINT: %w", err)
	}
	defer traces.Close(ctx)
	auditLog, err := audit.Open(c.AuditLog, std.Out)
	if err != nil {
		return err
	}
	defer func() { _ = auditLog.Close() }()
	registry.LogSlowStatements(c.SlowStatement, log)
	listener := &changeListener{}
	preferences, err := c.openPreferences(ctx, registry, listener)
	if err != nil {
		return err
	}
	defer preferences.close()
	embedder, queryEmbedder, err := c.openEmbedders(log)
	if err != nil {
		return err
	}
	defer closeEmbedders(embedder, queryEmbedder)
	db, err := open(ctx, log, std)
	if err != nil {
		return ignoreCanceled(ctx, err)
	}
	defer db.closeInTime(ctx, log)
	c.RelationshipTypes.warn(log)
	options := c.storeOptions(registry)
	options.Log, options.Trace, options.Embedder = log, traces.Of("statement"), embedder
	options.Committing, options.InDoubt, options.Changed = listener.committing, listener.inDoubt, listener.changed
	store, err := graph.Open(db.Connection, options)
	if err != nil {
		return err
	}
	defer func() { _ = store.Close(context.WithoutCancel(ctx)) }()
	preferences.guard(store)
	keys := auth.New(auth.NewStore(store), c.now())
	keys.Heed(store.Fence())
	defer keys.Close()
	contextCache, err := c.openCache(store, keys, registry, log) //nolint:contextcheck // a load outlives the request that started it
	if err != nil {
		return err
	}
	defer func() { _ = contextCache.Close() }()
	listener.cache = contextCache
	m := &memory{
		config: c, metrics: registry, traces: traces, log: log, store: store, stores: newStores(store, embedder, c, log), preferences: preferences, cache: contextCache, keys: keys, auditLog: auditLog,
		recalls:  recall.New(store, recall.Options{Log: log, Observe: registry.ObserveRecall}),
		embedder: embedder, vectors: vector.New(c.EmbeddingsMemory << 20),
	}
	listener.feeds, listener.duplicates = m.feeds, m.duplicates
	defer m.walks.Close()
	keys.Announce(contextCache.Revoked)
	m.newServices(queryEmbedder)
	return m.run(ctx, work)
}

// closeInTime closes the database, or gives up after a while.
func (d *database) closeInTime(ctx context.Context, log *slog.Logger) {
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), StopTime)
	defer cancel()
	if err := d.close(stop); err != nil {
		log.Error("neo4j did not stop cleanly", "error", err)
	}
}

// storeOptions returns the options of the store that the configuration and the metrics set.
func (c *config) storeOptions(registry *metrics.Registry) graph.Options {
	return graph.Options{
		Now: c.now(), Observe: registry.ObserveStatement, ObserveQuota: registry.ObserveQuota, Types: c.RelationshipTypes.names, KeepDeleted: time.Duration(c.KeepDeleted), KeepHistory: time.Duration(c.History),
		Quota: graph.Quota{Nodes: c.QuotaNodes, Relationships: c.QuotaLinks, Text: c.QuotaText},
		Said:  statement.Listener(),
	}
}

// openEmbedders returns the embedder of texts and the one of queries; nil without a configured one.
func (c *config) openEmbedders(log *slog.Logger) (texts, queries llm.Embedder, err error) {
	if texts, err = c.openEmbedder(log); err != nil {
		return nil, nil, err
	}
	if queries, err = c.openQueryEmbedder(texts, log); err != nil {
		closeEmbedders(texts)
		return nil, nil, err
	}
	return texts, queries, nil
}

// openCache returns the cache of contexts. In a cluster it keeps the bookmarks of the database with its versions.
func (c *config) openCache(store *graph.Store, keys *auth.Keys, registry *metrics.Registry, log *slog.Logger) (*cache.Cache, error) {
	options := cache.Options{RedisURI: c.RedisURI, Now: c.now(), Log: log, Observe: registry.ObserveCache, Revoked: keys.Forget}
	if marks := store.Bookmarks(); marks != nil {
		options.Marks = marks
	}
	return cache.New(options)
}

// changeListener passes the changes that stores report to the cache, to the streams of changes and to the audit log. Its fields are
// set before anything is written.
type changeListener struct {
	cache      *cache.Cache
	feeds      *feed.Store
	duplicates *duplicate.Store
}

// committing makes requests for contexts that a write changes wait for its end.
func (l *changeListener) committing(c graph.Change) (ended func()) {
	if !c.Contexts {
		return func() {}
	}
	return l.cache.Committing(c.Team, c.Users...)
}

// inDoubt keeps contexts out of the cache while a write that changes them may still be committed.
func (l *changeListener) inDoubt(c graph.Change) (ended func()) {
	if !c.Contexts {
		return func() {}
	}
	return l.cache.InDoubt(c.Team, c.Users...)
}

func (l *changeListener) changed(ctx context.Context, c graph.Change) {
	if c.Contexts {
		l.cache.Changed(ctx, c.Team, c.Users...)
	} else {
		l.cache.Wrote(ctx, c.Team)
	}
	l.feeds.Changed(c.Team)
	if c.Feed {
		l.duplicates.Changed(c.Team)
	}
	audit.Note(ctx, c.Users, c.IDs...)
}

// newServices creates the services on the stores.
func (m *memory) newServices(queryEmbedder llm.Embedder) {
	if m.config.Neo4jURI == "" {
		m.logRotator = newLogRotator(m.erasures, m.log)
	}
	m.served = replay.New(m.replays, replay.Options{Now: m.config.now(), Events: m.config.ServedEvents, Log: m.log, Observe: m.metrics.ObserveServed})
	m.metrics.RegisterMemory(m.store, m.recalls, m.served)
	m.contexts = loader.New(m.sections, m.cache, loader.Options{
		Now: m.config.now(), Mode: m.config.ContextLoad, Log: m.log, Degraded: m.metrics.ObserveDegraded, Preferences: m.preferences.orNil(),
		Trace: m.traces.Of("load"), Replays: m.served, Replayed: m.metrics.ObserveReplay, NextBorder: m.store.NextBorder,
	})
	m.ontologies = ontology.New(m.contexts, m.workspaces, ontology.Options{Now: m.config.now(), Log: m.log})
	m.explorer = explore.New(m.searches, explore.Options{Now: m.config.now(), Embedder: queryEmbedder, Vectors: m.vectors, Log: m.log, Observe: m.metrics.ObserveExplore})
	m.traverser = traverse.New(m.walks, m.metrics.ObserveTraverse)
}

// newReader returns the reader of sources and texts, nil without a language model.
func (m *memory) newReader(model *llm.Generator) *digest.Reader {
	if model == nil {
		return nil
	}
	return digest.New(m.store, m.systems, model, digest.Options{Timeout: m.config.LLMTimeout, Log: m.log})
}

// toolServices returns the services and options of the MCP server. The reader may be nil.
func (m *memory) toolServices(reader *digest.Reader) (mcp.Services, mcp.Options) {
	o := m.config.toolOptions()
	o.Deadline, o.Reading, o.Log, o.RequestID = m.config.RequestTimeout, m.config.LLMTimeout, m.log, handlers.RequestID
	o.Observe, o.Trace = m.metrics.ObserveTool, m.traces.Of("tool")
	o.Operations = m.traces.Memory(m.config.OTLPContent)
	s := mcp.Services{
		Store: m.store, OwnKeys: m.store, Users: m.users, Knowledge: m.sections, Systems: m.systems, Preferences: m.preferences.orGraph(m.store), Statements: m.statements, Trust: m.store, Contexts: m.contexts, Ontologies: m.ontologies, Explorer: m.explorer, Traverser: m.traverser,
		Recalls: m.recalls, Answers: m.served, Audit: m.auditLog,
	}
	if reader != nil {
		s.Reader = reader
	}
	return s, o
}

// toolOptions returns the options that determine the lists of the MCP server.
func (c *config) toolOptions() mcp.Options {
	return mcp.Options{Version: version, Memory: c.MCPCompat == "memory", App: page.MCPApp()}
}

// run calls work while the cache receives changes and recalls are stored.
func (m *memory) run(ctx context.Context, work func(context.Context, *memory) error) error {
	group, ctx := errgroup.WithContext(ctx)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	group.Go(func() error { return m.cache.Run(ctx) })
	group.Go(func() error { return m.recalls.Run(ctx) })
	group.Go(func() error { return m.served.Run(ctx) })
	group.Go(func() error { return m.keys.Run(ctx) })
	group.Go(func() error { return m.feeds.Run(ctx) })
	group.Go(func() error {
		defer cancel()
		return work(ctx, m)
	})
	return group.Wait()
}

// prepare migrates schemas, plans the statement of contexts, if statements are planned at the start, and calls then. It retries while
// the database is unavailable.
func (m *memory) prepare(ctx context.Context, then func(context.Context) error) error {
	return untilAvailable(ctx, m.log, func(ctx context.Context) error {
		if err := m.prepareOnce(ctx); err != nil {
			return err
		}
		return then(ctx)
	})
}

// untilAvailable calls work, and again as long as the database is unavailable.
func untilAvailable(ctx context.Context, log *slog.Logger, work func(context.Context) error) error {
	for {
		err := work(ctx)
		if !errors.Is(err, graph.ErrUnavailable) {
			return err
		}
		log.Warn("database unavailable, retrying", "error", err)
		if !sleep.For(ctx, retryTime) {
			return ctx.Err()
		}
	}
}

func (m *memory) prepareOnce(ctx context.Context) error {
	if err := m.store.Migrate(ctx); err != nil {
		return err
	}
	if err := m.embeddings.Prepare(ctx); err != nil {
		return err
	}
	if err := m.preferences.migrate(ctx); err != nil {
		return err
	}
	if err := m.served.Claim(ctx); err != nil {
		return err
	}
	if !m.config.WarmUp {
		return nil
	}
	return m.contexts.Warm(neo.Unobserved(ctx), false)
}

// warmTime is how long an instance waits at most for the plans of frequent calls before /readyz succeeds.
const warmTime = time.Minute

// warm plans the statements of frequent calls, those of writes first, as no read of another caller plans them. A Neo4j that has just
// started takes seconds for each.
func (m *memory) warm(ctx context.Context) {
	if !m.config.WarmUp {
		m.plans.ended.Store(true)
		return
	}
	m.plans.run(neo.Unobserved(ctx), m.log,
		m.store.Warm,
		func(ctx context.Context) error { return statement.Warm(ctx, m.store) },
		m.searches.Warm,
		m.walks.Warm,
		func(ctx context.Context) error { return m.contexts.Warm(ctx, true) },
		m.workspaces.Warm,
	)
}

// warmUp knows whether frequent statements are planned.
type warmUp struct{ ended atomic.Bool }

// run calls each step, again while the database is unavailable, until all have ended or the time for it has.
func (w *warmUp) run(ctx context.Context, log *slog.Logger, steps ...func(context.Context) error) {
	defer w.ended.Store(true)
	begun := time.Now()
	ctx, cancel := context.WithTimeout(ctx, warmTime)
	defer cancel()
	for _, step := range steps {
		err := untilAvailable(ctx, log, step)
		if err != nil && !errors.Is(ctx.Err(), context.Canceled) {
			log.Warn("warm-up failed: the first requests take longer", "error", err)
		}
		if ctx.Err() != nil {
			return
		}
	}
	log.Debug("warmed up", "took", time.Since(begun))
}

var errWarmingUp = errors.New("the statements of frequent calls are being planned")

// ready returns an error while the database does not answer, or the first requests would take seconds.
func (m *memory) ready(ctx context.Context) error {
	if !m.plans.ended.Load() {
		return errWarmingUp
	}
	return m.store.Ping(ctx)
}

// maintain warms query plans, embeds queued texts and runs maintenance until ctx is done. The reader may be nil.
func (m *memory) maintain(ctx context.Context, reader *digest.Reader) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		m.warm(ctx)
		return nil
	})
	group.Go(func() error { return m.store.Fence().Watch(ctx) })
	group.Go(func() error { return m.preferences.run(ctx) })
	group.Go(func() error {
		return webhook.NewDeliverer(m.webhooks, webhook.Options{Log: m.log, Observe: m.metrics.ObserveDelivery}).Run(ctx)
	})
	if m.embedder != nil {
		m.metrics.RegisterVectors(m.embeddings, m.vectors)
		group.Go(func() error {
			return embedding.NewWorker(m.embeddings, embedding.Options{Log: m.log, Observe: m.metrics.ObserveEmbedding}).Run(ctx)
		})
	}
	if m.logRotator != nil {
		group.Go(func() error { return m.logRotator.run(ctx) })
	}
	if m.config.Maintenance > 0 {
		group.Go(func() error {
			o := duplicate.Options{Merge: float64(m.config.DuplicatesMerge), Log: m.log, Observe: m.metrics.ObserveDuplicates}
			if m.config.DuplicatesJudge && reader != nil {
				o.Judge = reader.Judge
			}
			return duplicate.NewWorker(m.duplicates, o).Run(ctx)
		})
		group.Go(func() error {
			return graph.NewMaintenance(m.store, graph.MaintenanceOptions{
				Every: m.config.Maintenance, Log: m.log, Observe: m.metrics.ObserveMaintenance,
			}).Run(ctx)
		})
	}
	<-ctx.Done()
	return group.Wait()
}
