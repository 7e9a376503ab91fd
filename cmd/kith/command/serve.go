package command

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

	"kith/access/auth"
	client "kith/clients/go"
	"kith/clients/page"
	"kith/cmd/kith/internal/demo"
	"kith/cmd/kith/internal/metrics"
	"kith/handlers"
	"kith/internal/shares"
	"kith/mcp"
)

// serveCmd runs the service.
type serveCmd struct {
	config
	Demo bool `help:"Load the demo into a new store, and print how to query it."`
}

// Times that a stop may take. A deployment must leave them.
const (
	DrainTime = 20 * time.Second // for requests in flight
	StopTime  = 60 * time.Second // for the embedded Neo4j to stop cleanly
)

const (
	retryTime = 2 * time.Second // between attempts to prepare the database
	maxHeader = 64 << 10        // bytes of a request line and headers
)

// serving has what differs between the ways to run the service.
type serving struct {
	open     databaseOpener
	firstKey func(context.Context, *auth.Keys) (string, error)                 // returns a key to announce, or ""
	announce func(ctx context.Context, url, key string, keys *auth.Keys) error // when the API answers
	count    func(http.Handler) http.Handler                                   // nil: requests are not counted
}

// Run serves until ctx is done. It answers requests from the start; /readyz reports when the memory is ready and frequent statements are planned.
func (c *serveCmd) Run(ctx context.Context, std Streams) error {
	log := c.newLogger(std.Err, c.LogLevel)
	return c.serve(ctx, log, std, serving{
		open:     c.openDatabase,
		firstKey: func(ctx context.Context, keys *auth.Keys) (string, error) { return keys.Bootstrap(ctx, c.BootstrapKey) },
		announce: func(ctx context.Context, url, key string, keys *auth.Keys) error {
			c.announce(ctx, url, key, keys, log, std)
			return nil
		},
	})
}

func (c *serveCmd) serve(ctx context.Context, log *slog.Logger, std Streams, how serving) error {
	listener, err := listen(ctx, "KITH_LISTEN", c.Listen)
	if err != nil {
		return err
	}
	gate := newGate()
	handler := http.Handler(gate)
	if how.count != nil {
		handler = how.count(gate)
	}
	group, ctx := errgroup.WithContext(ctx)
	registry := metrics.New(build())
	// The services outlive the last request.
	memory, release := context.WithCancel(context.WithoutCancel(ctx))
	defer release()
	group.Go(func() error {
		defer release()
		return serveHTTP(ctx, listener, handler)
	})
	group.Go(func() error { return boundHeap(ctx) })
	if c.AdminListen != "" {
		admin, err := listen(ctx, "KITH_ADMIN_LISTEN", c.AdminListen)
		if err != nil {
			_ = listener.Close()
			return err
		}
		log.Info("metrics are served", "address", admin.Addr().String())
		group.Go(func() error { return serveHTTP(ctx, admin, registry.Handler(c.Pprof)) })
	}
	url := "http://" + reachable(listener.Addr().String())
	group.Go(func() error { return c.serveMemory(memory, ctx, url, gate, registry, log, std, how) })
	return group.Wait()
}

// serveHTTP serves until ctx is done and the requests in flight are answered.
func serveHTTP(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: maxHeader}
	stopped := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), DrainTime)
		defer cancel()
		stopped <- server.Shutdown(drain)
	})
	err := server.Serve(listener)
	if stop() || !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	return <-stopped
}

// gate is the handler of the API, and answers with 503 until the API is ready.
type gate struct{ open atomic.Pointer[http.Handler] }

func newGate() *gate {
	g := &gate{}
	starting := handlers.Starting(build())
	g.open.Store(&starting)
	return g
}

// ServeHTTP passes the request to the current handler.
func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) { (*g.open.Load()).ServeHTTP(w, r) }

// serveMemory opens the memory and then the gate, and closes the memory when ctx is done. The context stopping is done
// earlier, while requests are still answered.
func (c *serveCmd) serveMemory(ctx, stopping context.Context, url string, gate *gate, registry *metrics.Registry, log *slog.Logger, std Streams, how serving) error {
	services, err := c.openHTTPServices(registry, log)
	if err != nil {
		return err
	}
	defer services.close()
	return c.withMemory(ctx, how.open, registry, log, std, func(ctx context.Context, m *memory) error {
		var key string
		if err := m.prepare(ctx, func(ctx context.Context) (err error) {
			key, err = how.firstKey(ctx, m.keys)
			return err
		}); err != nil {
			return ignoreCanceled(ctx, err)
		}
		c.warnBootstrapKeys(ctx, m.keys, log)
		chats := services.newChats(c, m)
		reader := m.newReader(services.model)
		tools := mcp.New(m.toolServices(reader))
		defer tools.Close()
		handled := services.handlerServices(m, tools)
		handled.Chats = chats
		streams := shares.New(c.ChatStreams)
		changes := shares.New(c.ChangeStreams)
		registry.RegisterHTTP(chats, streams, changes, m.auditLog)
		if reader != nil {
			handled.Digests = reader
		}
		api := handlers.New(handled, handlers.Options{
			Now: c.now(), Build: build(), Deadline: c.RequestTimeout, Reading: c.LLMTimeout, MaxBody: c.MaxBody, MaxImport: c.MaxImport,
			Page: page.Files(), Origins: c.Origins, Issuer: c.OIDCIssuer, SignIn: c.signIn(), StreamPause: c.StreamPause,
			Streams: streams, ChangeStreams: changes, Stopping: func(end func()) func() bool { return context.AfterFunc(stopping, end) },
			Log: log, Observe: registry.ObserveRequest, Verified: registry.ObserveCredential, Trace: m.traces.Request(),
			Operations: m.traces.Memory(c.OTLPContent),
		})
		gate.open.Store(&api)
		if err := how.announce(ctx, url, key, m.keys); err != nil {
			return err
		}
		group, ctx := errgroup.WithContext(ctx)
		group.Go(func() error { return chats.Run(ctx) })
		group.Go(func() error { return m.maintain(ctx, reader) })
		return group.Wait()
	})
}

// warnBootstrapKeys logs warnings about bootstrap keys.
func (c *serveCmd) warnBootstrapKeys(ctx context.Context, keys *auth.Keys, log *slog.Logger) {
	warnings, err := keys.Warnings(ctx, c.BootstrapKey)
	if err != nil {
		log.Error("checking the bootstrap keys failed", "error", err)
	}
	for _, warning := range warnings {
		log.Warn(warning)
	}
}

// announce prints the address of the service, and the bootstrap key of a new store. A generated key is printed only here.
// The key is empty if the store is not new.
func (c *serveCmd) announce(ctx context.Context, url, key string, keys *auth.Keys, log *slog.Logger, std Streams) {
	print := func(format string, args ...any) { _, _ = fmt.Fprintf(std.Out, format+"\n", args...) }
	print("Kith %s answers at %s", version, url)
	hasPage := page.Files() != nil
	if hasPage {
		print("The page is %s/ui/. To open it with a key: kith ui", url)
	}
	if key == "" {
		print("Using the existing memory and its keys. To create another key: kith key create")
		return
	}
	if c.BootstrapKey == "" {
		print("First admin key (team default), shown once: %s", key)
	}
	if !c.Demo {
		return
	}
	if err := demo.Load(ctx, client.New(url, key, nil), time.Now()); err != nil {
		log.Error("loading the demo failed", "error", err)
		return
	}
	print("A demo user is loaded: %s. Get the user's context:\n\n%s\n", demo.User, contextCurl(url, key, demo.User))
	if !hasPage {
		return
	}
	secret, _, err := keys.Create(ctx, pageKey(auth.DefaultTeam, nil))
	if err != nil {
		log.Error("making a key for the page failed", "error", err)
		return
	}
	print("Or see it, with a key that reads for an hour:\n\n%s\n", pageAddress(url, secret, demo.User))
}

// reachable returns an address to call for an address to listen on.
func reachable(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if ip := net.ParseIP(host); err == nil && (host == "" || ip != nil && ip.IsUnspecified()) {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return listen
}

// ignoreCanceled returns err, or nil if ctx has ended.
func ignoreCanceled(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
