package main

import (
	"log/slog"

	"kith/auth"
	"kith/chat"
	"kith/handlers"
	"kith/limit"
	"kith/llm"
	"kith/mcp"
)

// httpServices holds the services that HTTP requests need besides the memory.
type front struct {
	tokens *auth.Tokens   // nil: only API keys are accepted
	model  *llm.Generator // nil: not configured
	limits *limit.Limiter
}

func (c *config) openFront(metrics *metrics, log *slog.Logger) (*front, error) {
	f := &front{}
	if err := f.open(c, metrics, log); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

func (f *front) open(c *config, metrics *metrics, log *slog.Logger) (err error) {
	if f.tokens, err = c.openTokens(); err != nil {
		return err
	}
	if f.model, err = c.openModel(log); err != nil {
		return err
	}
	f.limits, err = limit.New(limit.Options{RedisURI: c.RedisURI, Standard: c.RateLimit, Log: log, Observe: metrics.limited})
	return err
}

func (f *front) close() {
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
func (f *front) services(m *memory, tools *mcp.Server) handlers.Services {
	s := handlers.Services{
		Store: m.store, Preferences: m.own.orIn(m.store), Keys: m.keys, Limits: f.limits, Audit: m.trail, Changes: m.kept,
		Recalls: m.recalls,
		Ready: m.store.Ping, Erasure: m.store, Kept: m.kept, Explorer: m.explorer, Traverser: m.traverser, Contexts: m.contexts,
		MCP: tools.Handler(),
	}
	if m.logs != nil {
		s.Erasure = m.logs
	}
	if f.tokens != nil {
		f.tokens.Heed(m.store)
		s.Tokens = f.tokens
	}
	return s
}

// newChats returns the chat service. Without a model it does not generate answers.
func (f *front) chats(c *serveCmd, m *memory) *chat.Service {
	var model chat.Generator
	if f.model != nil {
		model = f.model
	}
	return chat.New(m.store, model, m.contexts, chat.Options{
		Workers: c.LLMWorkers, Queue: c.LLMQueue, PromptTokens: c.LLMPromptTokens, Log: m.log, Observe: m.metrics.generated,
	})
}
