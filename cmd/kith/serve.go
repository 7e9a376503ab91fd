package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"kith/audit"
	"kith/auth"
	"kith/cache"
	"kith/chat"
	"kith/digest"
	"kith/explore"
	"kith/graph"
	"kith/handlers"
	"kith/internal/sleep"
	"kith/limit"
	"kith/loader"
	"kith/traverse"
	"kith/vector"
)

// serveCmd runs the service.
type serveCmd struct {
	config
	Demo bool `help:"Load the demo into a store that is new, and print how to ask for it."`
}

const (
	drainTime = 20 * time.Second // for requests in flight at the end
	stopTime  = 60 * time.Second // for the embedded Neo4j to stop cleanly
	retryTime = 2 * time.Second  // between attempts to prepare the database
)

// Run serves until ctx is done. The address answers from the start; /readyz says when the memory does.
func (c *serveCmd) Run(ctx context.Context, std streams) error {
	log := slog.New(slog.NewTextHandler(std.err, &slog.HandlerOptions{Level: c.LogLevel}))
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	gate := newGate()
	group, ctx := errgroup.WithContext(ctx)
	metrics := newMetrics()
	// What requests need outlives the last of them.
	memory, release := context.WithCancel(context.WithoutCancel(ctx))
	defer release()
	group.Go(func() error {
		defer release()
		return serveHTTP(ctx, listener, gate)
	})
	if c.AdminListen != "" {
		admin, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.AdminListen)
		if err != nil {
			_ = listener.Close()
			return fmt.Errorf("listen for admin: %w", err)
		}
		group.Go(func() error { return serveHTTP(ctx, admin, metrics.handler()) })
	}
	url := "http://" + reachable(listener.Addr().String())
	group.Go(func() error { return c.serveMemory(memory, ctx.Done(), url, gate, metrics, log, std) })
	return group.Wait()
}

// serveHTTP serves until ctx is done, and then until the requests in flight are answered.
func serveHTTP(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	stopped := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
		defer cancel()
		stopped <- server.Shutdown(drain)
	})
	err := server.Serve(listener)
	if stop() || !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	return <-stopped
}

// gate answers for the API until that is ready.
type gate struct{ open atomic.Pointer[http.Handler] }

func newGate() *gate {
	g := &gate{}
	starting := handlers.Starting()
	g.open.Store(&starting)
	return g
}

// ServeHTTP hands the request to whoever answers now.
func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) { (*g.open.Load()).ServeHTTP(w, r) }

// serveMemory opens database and cache, opens the gate, and gives both back when ctx is done. Stopping is closed before that,
// while requests are still answered.
func (c *serveCmd) serveMemory(ctx context.Context, stopping <-chan struct{}, url string, gate *gate, metrics *metrics, log *slog.Logger, std streams) error {
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
	model, err := c.openModel(log)
	if err != nil {
		return err
	}
	if model != nil {
		defer model.Close()
	}
	db, err := c.openDatabase(ctx, log, std)
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
	store, err := graph.Open(db.Connection, graph.Options{
		Log: log, Observe: metrics.statement, MaxTypes: c.RelationshipTypes, KeepDeleted: c.KeepDeleted, Embedder: embedder,
		Quota: graph.Quota{Nodes: c.QuotaNodes, Text: c.QuotaText},
	})
	if err != nil {
		return err
	}
	defer func() { _ = store.Close(context.WithoutCancel(ctx)) }()
	kept, err := cache.New(cache.Options{RedisURI: c.RedisURI, Log: log, Observe: metrics.cacheEvent}) //nolint:contextcheck // its loads outlive what asks for them
	if err != nil {
		return err
	}
	defer func() { _ = kept.Close() }()
	vectors := vector.New(c.EmbeddingsMemory << 20)
	keys := auth.New(store, time.Now)
	defer keys.Close()
	tokens, err := c.openTokens()
	if err != nil {
		return err
	}
	trail, err := audit.Open(c.AuditLog, std.out)
	if err != nil {
		return err
	}
	defer func() { _ = trail.Close() }()
	limits, err := limit.New(limit.Options{RedisURI: c.RedisURI, Standard: c.RateLimit, Log: log})
	if err != nil {
		return err
	}
	defer func() { _ = limits.Close() }()

	recalls := graph.NewRecalls(store, graph.RecallOptions{Log: log, Observe: metrics.recall, Changed: kept.Changed})
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return kept.Run(ctx) })
	group.Go(func() error { return recalls.Run(ctx) })
	group.Go(func() error { return keys.Run(ctx) })
	group.Go(func() error {
		key, err := c.prepare(ctx, store, own, keys, log)
		if err != nil {
			return unlessDone(ctx, err)
		}
		contexts := loader.New(store, kept, loader.Options{
			Mode: c.ContextLoad, Log: log, Degraded: metrics.degradedSection, Preferences: own.orNil(),
		})
		services := handlers.Services{
			Store: store, Preferences: own.orIn(store), Keys: keys, Limits: limits, Audit: trail, Changes: kept, Recalls: recalls, Ready: store.Ping,
			Erasure: store, Kept: kept, Contexts: contexts,
			Explorer:  explore.New(store, explore.Options{Embedder: asking, Vectors: vectors, Log: log, Observe: metrics.explored}),
			Traverser: traverse.New(store, metrics.traversed),
		}
		if tokens != nil {
			defer tokens.Close()
			services.Tokens = tokens
		}
		var answering chat.Generator // nil: nothing is generated
		if model != nil {
			answering = model
			services.Digests = digest.New(store, model, digest.Options{Timeout: c.LLMTimeout, Log: log})
		}
		chats := chat.New(store, answering, contexts, chat.Options{
			Workers: c.LLMWorkers, Queue: c.LLMQueue, PromptTokens: c.LLMPromptTokens, Log: log, Observe: metrics.generated,
		})
		group.Go(func() error { return chats.Run(ctx) })
		services.Chats = chats
		api := handlers.New(services, handlers.Options{
			Version: version, Deadline: c.RequestTimeout, Reading: c.LLMTimeout, MaxBody: c.MaxBody, MaxImport: c.MaxImport, StreamPause: c.StreamPause,
			Stopping: stopping, Log: log, Observe: metrics.request,
		})
		gate.open.Store(&api)
		if embedder != nil {
			metrics.vectors(store, vectors)
			group.Go(func() error {
				return graph.NewEmbedding(store, graph.EmbeddingOptions{Log: log, Observe: metrics.embedded}).Run(ctx)
			})
		}
		c.announce(ctx, url, key, log, std)
		return c.maintain(ctx, store, kept, metrics, log)
	})
	return group.Wait()
}

// maintain looks after the memory until ctx is done.
func (c *serveCmd) maintain(ctx context.Context, store *graph.Store, kept *cache.Cache, metrics *metrics, log *slog.Logger) error {
	if c.Maintenance <= 0 {
		<-ctx.Done()
		return nil
	}
	return graph.NewMaintenance(store, graph.MaintenanceOptions{
		Every: c.Maintenance, Log: log, Observe: metrics.maintained, Changed: kept.Changed,
	}).Run(ctx)
}

// prepare brings schemas, first key and hot plans into place; a database that is away is waited for.
func (c *serveCmd) prepare(ctx context.Context, store *graph.Store, own ownPreferences, keys *auth.Keys, log *slog.Logger) (key string, err error) {
	for {
		key, err = c.prepareOnce(ctx, store, own, keys)
		if err == nil || !errors.Is(err, graph.ErrUnavailable) {
			return key, err
		}
		log.Warn("the database is not ready", "error", err)
		if !sleep.For(ctx, retryTime) {
			return "", ctx.Err()
		}
	}
}

func (c *serveCmd) prepareOnce(ctx context.Context, store *graph.Store, own ownPreferences, keys *auth.Keys) (string, error) {
	if err := store.Migrate(ctx); err != nil {
		return "", err
	}
	if err := store.PrepareEmbedding(ctx); err != nil {
		return "", err
	}
	if err := own.migrate(ctx); err != nil {
		return "", err
	}
	if err := store.Warm(ctx, own.sections()...); err != nil {
		return "", err
	}
	return keys.Bootstrap(ctx, c.BootstrapKey)
}

// announce tells a person how to get in. key is that of a store that was empty: shown here and, if it was generated,
// never again.
func (c *serveCmd) announce(ctx context.Context, url, key string, log *slog.Logger, std streams) {
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(std.out, format+"\n", args...) }
	say("Kith %s answers at %s", version, url)
	if key == "" {
		say("The memory was here before, and so were its keys. For another one: kith key create")
		return
	}
	if c.BootstrapKey == "" {
		say("First admin key (team default), shown once: %s", key)
	}
	if !c.Demo {
		return
	}
	user, err := loadDemo(ctx, newAPIClient(url, key), time.Now())
	if err != nil {
		log.Error("the demo could not be loaded", "error", err)
		return
	}
	say("A demo user is loaded: %s. Ask what an agent should know:\n\n%s\n", user, contextCurl(url, key, user))
}

// reachable is an address to call for one to listen on.
func reachable(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if ip := net.ParseIP(host); err == nil && (host == "" || ip != nil && ip.IsUnspecified()) {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return listen
}

// unlessDone drops the error of something that was stopped.
func unlessDone(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
