// Package mcp is Kith's face to agents: tools, resources and prompts of the Model Context Protocol, over the same services as
// the HTTP API, stateless, for a caller that somebody else has let in (auth.PrincipalOf). It knows nothing of gin.
package mcp

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"kith/access/audit"
	"kith/access/auth"
	"kith/graph"
	"kith/graph/neo"
	"kith/internal/tracing"
	"kith/loader"
	"kith/loader/ontology"
	"kith/memory/digest"
	"kith/memory/explore"
	"kith/memory/ownkey"
	"kith/memory/replay"
	"kith/memory/traverse"
)

// knowledge reads everything that a scope knows.
type knowledge interface {
	Knowledge(ctx context.Context, scope graph.Scope) (loader.Knowledge, error)
}

// users completes ids of users.
type users interface {
	UserIDs(ctx context.Context, teamID, beginning string, limit int) ([]string, error)
}

// store reads and writes the memory.
type store interface {
	Write(ctx context.Context, scope graph.Scope, w *graph.MemoryWrite) (graph.MemoryResult, error)
	WriteSource(ctx context.Context, scope graph.Scope, w *graph.SourceWrite) (graph.SourceResult, error)
	Node(ctx context.Context, scope graph.Scope, kind graph.Kind, key string, q graph.NodeQuery) (graph.NodeView, error)
	Nodes(ctx context.Context, scope graph.Scope, l graph.NodeList) (graph.NodePage, error)
	NodeChanges(ctx context.Context, scope graph.Scope, kind graph.Kind, key string, p graph.ChangePeriod) (graph.ChangeList, error)
	NodesNamed(ctx context.Context, scope graph.Scope, names []string) (map[string][]graph.NodeRef, error)
	Relationships(ctx context.Context, scope graph.Scope, l graph.RelationshipList) (graph.RelationshipPage, error)
	NodesByKey(ctx context.Context, scope graph.Scope, keys []string) ([]graph.NodeView, error)
	CurrentKeys(ctx context.Context, scope graph.Scope, keys []string) (map[string]string, error)
	DeleteNode(ctx context.Context, scope graph.Scope, kind graph.Kind, key string, ifVersion int64) (graph.Deletion, error)
	DeleteNote(ctx context.Context, scope graph.Scope, kind graph.Kind, key, id string) ([]graph.Note, error)
	DeleteRelationship(ctx context.Context, scope graph.Scope, key string, ifVersion int64) (graph.Deletion, error)
	MergeNodes(ctx context.Context, scope graph.Scope, kind graph.Kind, key string, w graph.MergeWrite) (graph.Merge, error)
	RestoreNode(ctx context.Context, scope graph.Scope, kind graph.Kind, key string) (graph.NodeView, error)
	RestoreRelationship(ctx context.Context, scope graph.Scope, key string) (graph.RelationshipView, error)
}

type contexts interface {
	Context(ctx context.Context, r loader.Request, current *loader.CurrentConversation) (loader.Answer, error)
}

type ontologies interface {
	Ontology(ctx context.Context, r ontology.Request) (loader.Answer, error)
	Linked(ctx context.Context, r ontology.LinkedRequest) (loader.Answer, error)
}

type explorer interface {
	Explore(ctx context.Context, scope graph.Scope, r *explore.Request) (*explore.Result, graph.Recall, error)
}

type traverser interface {
	Traverse(ctx context.Context, scope graph.Scope, r *traverse.Request) (traverse.Result, graph.Recall, error)
	Schema(ctx context.Context, scope graph.Scope, maxTokens int) (*traverse.Schema, error)
}

// recalls counts the nodes that a read returned. It never delays the read.
type recalls interface {
	Recalled(scope graph.Scope, r graph.Recall)
}

// answers notes the bytes of contexts that are sent. It never delays them.
type answers interface {
	Sent(scope graph.Scope, at time.Time, kind replay.Kind, parts ...[]byte)
}

// reader has a language model read texts about systems.
type reader interface {
	ExtractSystem(ctx context.Context, scope graph.Scope, system string, w *digest.SystemWrite) (digest.MergedSystem, error)
}

// Services are the dependencies of the tools.
type Services struct {
	Store       store
	Users       users
	OwnKeys     ownkey.Store
	Knowledge   knowledge
	Systems     systems
	Preferences preferences
	Statements  statements
	Trust       reviews
	Contexts    contexts
	Ontologies  ontologies
	Explorer    explorer
	Traverser   traverser
	Recalls     recalls
	Answers     answers    // nil: no context can be asked for again
	Reader      reader     // nil: no language model is configured
	Audit       *audit.Log // nil: none is kept
}

// Options configure the tools; all are optional.
type Options struct {
	Version  string
	Deadline time.Duration // of a call; default 10 s
	Reading  time.Duration // of a language model, which a call that has it read something has besides; default a minute
	Memory   bool          // also the tools of the reference MCP memory server
	App      string        // the context as a page, for clients that show MCP Apps; empty: none
	Log      *slog.Logger  // default: discards
	Observe  func(tool string, outcome Outcome, took time.Duration)
	Trace    neo.Trace // of every call; default: none
	// Operations makes spans of operations on the memory; default: none.
	Operations *tracing.Memory
	// RequestID returns the id of the request of a call, for the audit log; default: none.
	RequestID func(ctx context.Context) string
}

// Server answers agents. It is safe for concurrent use.
type Server struct {
	Services
	options Options
	ready   chan struct{} // closed when both are set
	lookups *lookups
	needs   map[string]string // the scope that a tool needs, by its name
	sdk     *sdk.Server
}

// New makes a server of all tools, resources and prompts.
func New(s Services, o Options) *Server {
	server := Starting(o)
	server.Start(s, o)
	return server
}

// Start gives a server what it answers from. Call it once.
func (s *Server) Start(services Services, o Options) {
	s.Services, s.options = services, o.complete()
	close(s.ready)
}

// complete is the options with what is left out.
func (o Options) complete() Options {
	if o.Deadline == 0 {
		o.Deadline = 10 * time.Second
	}
	if o.Reading == 0 {
		o.Reading = time.Minute
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Observe == nil {
		o.Observe = func(string, Outcome, time.Duration) {}
	}
	if o.Trace == nil {
		o.Trace = neo.NoTrace
	}
	if o.RequestID == nil {
		o.RequestID = func(context.Context) string { return "" }
	}
	return o
}

// Starting makes a server that answers what needs no memory, such as the lists of tools, resources and prompts. Calls wait for Start.
func Starting(o Options) *Server {
	server := &Server{options: o, lookups: newLookups(), needs: map[string]string{}, ready: make(chan struct{})}
	server.sdk = sdk.NewServer(&sdk.Implementation{Name: "kith", Title: "Kith, a memory for agents", Version: o.Version}, &sdk.ServerOptions{
		Instructions: guide("instructions"), CompletionHandler: server.complete,
		Capabilities: &sdk.ServerCapabilities{ // none of these lists ever changes
			Tools: &sdk.ToolCapabilities{}, Resources: &sdk.ResourceCapabilities{}, Prompts: &sdk.PromptCapabilities{},
			Extensions: o.extensions(),
		},
	})
	server.addContext()
	server.addExplore()
	server.addTraverse()
	server.addLinked()
	server.addRelationships()
	server.addOntology()
	server.addNode()
	server.addNodes()
	server.addChanges()
	server.addRemember()
	server.addPreference()
	server.addStatements()
	server.addReviews()
	server.addForget()
	server.addConversation()
	server.addSystems()
	if o.Memory {
		server.addMemory()
	}
	server.addResources()
	server.addApp()
	server.addPrompts()
	server.sdk.AddReceivingMiddleware(server.permitted, server.started)
	return server
}

// Close stops what counts look-ups.
func (s *Server) Close() { s.lookups.counts.StopAllGoroutines() }

// Handler serves callers over HTTP, each request by itself: any Kith can answer it. Who calls is known from the context, and
// the body has been bounded; requests that bear a key need no check of the host they were sent to.
func (s *Server) Handler() http.Handler {
	return holding(single(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.sdk }, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, DisableLocalhostProtection: true, MaxRequestBodyBytes: -1,
		PropagateRequestCancellation: true,
	})))
}

// Run serves one caller until it hangs up, or ctx is done.
func (s *Server) Run(ctx context.Context, caller auth.Principal, transport sdk.Transport) error {
	return s.sdk.Run(auth.WithPrincipal(ctx, caller), transport)
}
