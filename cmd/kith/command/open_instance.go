package command

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/alecthomas/kong"

	"kith/access/auth"
	"kith/cmd/kith/internal/metrics"
	"kith/exchange"
	"kith/graph"
	"kith/handlers"
	"kith/mcp"
	"kith/memory/duplicate"
	"kith/memory/embedding"
	"kith/memory/webhook"
)

// Instance is a Kith in this process that listens nowhere and does nothing in the background by itself. With its clock, and work that
// is done when it is told to, tests repeat what they do to the byte.
type Instance struct {
	API        http.Handler
	Keys       *auth.Keys
	Store      *graph.Store
	Duplicates *duplicate.Store

	memory *memory
	worker *embedding.Worker // nil: without an embedder
	close  func()
}

// Open opens a Kith with the settings of kith serve in environ, and with a clock. Close it when done.
func Open(ctx context.Context, environ []string, now func() time.Time) (*Instance, error) {
	c, err := parseServe(environ)
	if err != nil {
		return nil, err
	}
	c.clock = now
	log, registry := slog.New(slog.DiscardHandler), metrics.New(build())
	services, err := c.openHTTPServices(registry, log)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	opened, failed, ended := make(chan *Instance, 1), make(chan error, 1), make(chan struct{})
	end := func() {
		stop()
		<-ended
		services.close()
	}
	go func() {
		defer close(ended)
		failed <- c.withMemory(ctx, c.openDatabase, registry, log, Streams{nil, io.Discard, io.Discard}, func(ctx context.Context, m *memory) error {
			if err := m.prepare(ctx, func(context.Context) error { return nil }); err != nil {
				return err
			}
			tools := mcp.New(m.toolServices(nil))
			defer tools.Close()
			handled := services.handlerServices(m, tools)
			handled.Chats = services.newChats(c, m)
			i := &Instance{
				API:  handlers.New(handled, handlers.Options{Now: now, Build: build(), Deadline: time.Minute, MaxBody: c.MaxBody}),
				Keys: m.keys, Store: m.store, Duplicates: m.duplicates, memory: m, close: end,
			}
			if m.embedder != nil {
				i.worker = embedding.NewWorker(m.embeddings, embedding.Options{})
			}
			opened <- i
			<-ctx.Done()
			return nil
		})
	}()
	select {
	case i := <-opened:
		return i, nil
	case err := <-failed:
		end()
		return nil, err
	}
}

// parseServe returns kith serve with the settings of an environment.
func parseServe(environ []string) (*serveCmd, error) {
	var cli struct {
		Serve serveCmd `cmd:""`
	}
	parser, err := kong.New(&cli, withEnvironment(environ))
	if err == nil {
		_, err = parser.Parse([]string{"serve"})
	}
	return &cli.Serve, err
}

// Settle stores what calls have left to the background.
func (i *Instance) Settle(ctx context.Context) error {
	i.memory.recalls.Flush(ctx)
	i.memory.served.Flush(ctx)
	if i.worker == nil {
		return nil
	}
	return i.worker.Finish(ctx, func() {})
}

// Deliver delivers to webhooks until ctx is done.
func (i *Instance) Deliver(ctx context.Context) error {
	return webhook.NewDeliverer(i.memory.webhooks, webhook.Options{Log: i.memory.log, Observe: i.memory.metrics.ObserveDelivery}).Run(ctx)
}

// ExportStores returns what an export reads.
func (i *Instance) ExportStores() exchange.ExportStores {
	m := i.memory
	return exchange.ExportStores{
		Memory: m.store, Statements: m.statements, Refusals: m.duplicates, Reviews: m.store,
		Preferences: m.preferences.orGraph(m.store), Chats: m.chats, Changes: m.feeds,
	}
}

// Close closes it.
func (i *Instance) Close() { i.close() }
