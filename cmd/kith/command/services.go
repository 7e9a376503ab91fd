package command

import (
	"log/slog"

	"kith/access/auth"
	"kith/access/limit"
	"kith/cmd/kith/internal/metrics"
	"kith/handlers"
	"kith/internal/llm"
	"kith/mcp"
	"kith/memory/chat"
)

// httpServices holds the services that HTTP requests need besides the memory.
type httpServices struct {
	tokens *auth.Tokens   // nil: only API keys are accepted
	model  *llm.Generator // nil: not configured
	limits *limit.Limiter
}

func (c *config) openHTTPServices(registry *metrics.Registry, log *slog.Logger) (*httpServices, error) {
	f := &httpServices{}
	if err := f.open(c, registry, log); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

func (f *httpServices) open(c *config, registry *metrics.Registry, log *slog.Logger) (err error) {
	if f.tokens, err = c.openTokens(); err != nil {
		return err
	}
	if f.model, err = c.openModel(log); err != nil {
		return err
	}
	f.limits, err = limit.New(limit.Options{RedisURI: c.RedisURI, Standard: c.RateLimit, Log: log, Observe: registry.ObserveLimit})
	return err
}

func (f *httpServices) close() {
	if f.tokens != nil {
		f.tokens.Close()
	}
	if f.model != nil {
		f.model.Close()
	}
	if f.limits != nil {
		_ = f.limits.Close()
	}
}

// handlerServices returns the services of the handlers.
func (f *httpServices) handlerServices(m *memory, tools *mcp.Server) handlers.Services {
	s := handlers.Services{
		Memory: m.store, Nodes: m.store, Relationships: m.store, Sources: m.store, Consolidations: m.consolidations, Duplicates: m.duplicates, Users: m.users, OwnKeys: m.store, Quotas: m.store, Systems: m.systems, ChatStore: m.chats,
		Transfers: m.store, Preferences: m.preferences.orGraph(m.store), Statements: m.statements, Trust: m.store, Changes: m.feeds, Webhooks: m.webhooks, Keys: m.keys, Limits: f.limits, Audit: m.auditLog,
		Recalls: m.recalls, Answers: m.served, Served: m.replays,
		Ready: m.ready, Erasure: m.erasures, Kept: m.cache, Explorer: m.explorer, Traverser: m.traverser, Contexts: m.contexts, Ontologies: m.ontologies,
		MCP: tools.Handler(),
	}
	if m.logRotator != nil {
		s.Erasure = m.logRotator
	}
	if f.tokens != nil {
		f.tokens.Heed(m.store.Fence())
		s.Tokens = f.tokens
	}
	return s
}

// newChats returns the chat service. Without a model it does not generate answers.
func (f *httpServices) newChats(c *serveCmd, m *memory) *chat.Service {
	var model chat.Generator
	if f.model != nil {
		model = f.model
	}
	return chat.New(m.chats, model, m.contexts, m.ontologies, chat.Options{
		Workers: c.LLMWorkers, PromptTokens: c.LLMPromptTokens, Log: m.log, Observe: m.metrics.ObserveGeneration,
	})
}
