// Package handlers is Kith's HTTP face: one file a resource, the route table on one screen (routes.go), one table from
// error to problem (problem.go). It knows neither Neo4j nor Redis.
package handlers

import (
	"context"
	"io/fs"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-gonic/gin"

	"kith/access/audit"
	"kith/access/auth"
	"kith/access/limit"
	"kith/graph"
	"kith/internal/shares"
	"kith/internal/tracing"
	"kith/loader"
	"kith/loader/ontology"
	"kith/memory/digest"
	"kith/memory/erasure"
	"kith/memory/explore"
	"kith/memory/ownkey"
	"kith/memory/preference"
	"kith/memory/replay"
	"kith/memory/traverse"
)

type contexts interface {
	Context(ctx context.Context, r loader.Request, current *loader.CurrentConversation) (loader.Answer, error)
	Why(ctx context.Context, q loader.WhyRequest) (*loader.Why, error)
}

type ontologies interface {
	Ontology(ctx context.Context, r ontology.Request) (loader.Answer, error)
	Linked(ctx context.Context, r ontology.LinkedRequest) (loader.Answer, error)
	Prompt(ctx context.Context, r ontology.PromptRequest) (*ontology.Prompt, error)
}

// explorer finds what the memory has about something.
type explorer interface {
	Explore(ctx context.Context, scope graph.Scope, r *explore.Request) (*explore.Result, graph.Recall, error)
	Forget(scope graph.Scope) // what is kept of a user, or a team, that was erased
}

// digests has a language model read sources, and texts about systems.
type digests interface {
	Extract(ctx context.Context, scope graph.Scope, key string) (digest.Extraction, error)
	Summarize(ctx context.Context, scope graph.Scope, key string) (summary string, warnings []string, err error)
	ExtractSystem(ctx context.Context, scope graph.Scope, system string, w *digest.SystemWrite) (digest.MergedSystem, error)
}

// traverser walks the graph of the memory.
type traverser interface {
	Traverse(ctx context.Context, scope graph.Scope, r *traverse.Request) (traverse.Result, graph.Recall, error)
	Schema(ctx context.Context, scope graph.Scope, maxTokens int) (*traverse.Schema, error)
}

// tokens verifies those of an OpenID Connect issuer.
type tokens interface {
	Verify(ctx context.Context, token string) (auth.Principal, error)
}

// limits says whether a key may make one more call.
type limits interface {
	Allow(ctx context.Context, c limit.Charge) limit.Decision
}

type keys interface {
	Verify(ctx context.Context, key string) (auth.Principal, error)
	Create(ctx context.Context, spec auth.Spec) (secret, id string, err error)
	List(ctx context.Context, teamID string) ([]auth.APIKey, error)
	Revoke(ctx context.Context, teamID, id string) error
	Forget()
}

// recalls counts the nodes that a read returned. It never delays the read.
type recalls interface {
	Recalled(scope graph.Scope, r graph.Recall)
}

// answers notes the bytes of contexts that are sent. It never delays them.
type answers interface {
	Sent(scope graph.Scope, at time.Time, kind replay.Kind, parts ...[]byte)
}

// servedStore lists which contexts were sent.
type servedStore interface {
	Served(ctx context.Context, scope graph.Scope, q replay.Query) (replay.Page, error)
}

// erases takes away for good what the memory has of somebody.
type erases interface {
	EraseUser(ctx context.Context, scope graph.Scope, beside erasure.Beside) (erasure.Receipt, error)
	EraseTeam(ctx context.Context, teamID string, beside erasure.Beside) (erasure.Receipt, error)
}

// forgets drops bytes that are kept of somebody.
type forgets interface {
	Erase(ctx context.Context, team, user string) (int64, error)
	EraseTeam(ctx context.Context, team string) (int64, error)
}

// Services are the dependencies of the handlers.
type Services struct {
	Memory         memoryStore
	Nodes          nodeStore
	Relationships  relationshipStore
	Sources        sourceStore
	Consolidations consolidations
	Duplicates     duplicateStore
	Users          userStore
	OwnKeys        ownkey.Store
	Quotas         quotaStore
	Systems        systems
	ChatStore      chatStore
	Transfers      transfers // exports and imports
	Preferences    preference.Storage
	Statements     statementStore
	Trust          trustStore
	Changes        changeFeed
	Webhooks       webhookStore
	Contexts       contexts
	Ontologies     ontologies
	Explorer       explorer
	Traverser      traverser
	Digests        digests // nil: no language model is configured
	Chats          chats
	Keys           keys
	Tokens         tokens // nil: API keys alone are good
	Limits         limits // nil: keys may make any number of requests
	Recalls        recalls
	Answers        answers // nil: no context can be asked for again
	Served         servedStore
	Erasure        erases
	Kept           forgets
	Audit          *audit.Log                      // nil: none is kept
	MCP            http.Handler                    // the tools, for the caller that is let in
	Ready          func(ctx context.Context) error // nil error: requests can be answered as fast as usual
}

// Options configure the handlers; all are optional.
type Options struct {
	Build     Build
	Deadline  time.Duration // of a request; default 10 s
	Reading   time.Duration // of a language model, which a request that has it read something has besides; default a minute
	MaxBody   int64         // bytes of the largest bodies: those of operations that write many items; default 32 MiB. Others have 1 MiB
	MaxImport int64         // bytes of an import; default 4 GiB
	Issuer    string        // of the tokens that are good beside API keys, by its URL; empty: none
	SignIn    SignIn        // of the page, at the issuer
	Page      fs.FS         // at /ui/; nil: none
	Origins   []string      // of pages of other hosts that may call the API and its tools, as browsers send them; *: any
	// StreamPause is how long an import or export may stand still; default a minute.
	StreamPause time.Duration
	Streams     *shares.Shares // of events; default: 1,024 at most
	// ChangeStreams bounds streams of changes; default: 256.
	ChangeStreams *shares.Shares
	// Stopping calls end when Kith is about to stop, unless forget is called before: streams of events end then, to be asked for again
	// elsewhere; default: never.
	Stopping func(end func()) (forget func() bool)
	Log      *slog.Logger // default: discards
	Observe  func(route, method string, status int, took time.Duration)
	Verified func(credential Credential, err error) // who was let in, and who was not
	// Trace starts a span for a request and returns the function that ends it; default: none.
	Trace func(r *http.Request, method, route string) (context.Context, func(status int))
	// Operations makes spans of operations on the memory; default: none.
	Operations *tracing.Memory
	Now        func() time.Time
}

// API answers requests.
type API struct {
	Services
	options   Options
	bodyRules map[string]bodyRule // by method and route
	places    *places             // for large bodies
	exports   *shares.Shares      // that are made at once: each holds a file
	document  []byte              // the OpenAPI contract
	page      func() []byte       // that shows it, made when somebody asks for it
}

// New makes the handler of all routes.
func New(s Services, o Options) http.Handler {
	if o.Deadline == 0 {
		o.Deadline = 10 * time.Second
	}
	if o.Reading == 0 {
		o.Reading = time.Minute
	}
	if o.MaxBody == 0 {
		o.MaxBody = 32 << 20
	}
	if o.MaxImport == 0 {
		o.MaxImport = 4 << 30
	}
	if o.StreamPause == 0 {
		o.StreamPause = time.Minute
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Observe == nil {
		o.Observe = func(string, string, int, time.Duration) {}
	}
	if o.Verified == nil {
		o.Verified = func(Credential, error) {}
	}
	if o.Streams == nil {
		o.Streams = shares.New(1024)
	}
	if o.ChangeStreams == nil {
		o.ChangeStreams = shares.New(256)
	}
	if o.Trace == nil {
		o.Trace = func(r *http.Request, _, _ string) (context.Context, func(int)) { return r.Context(), func(int) {} }
	}
	if o.Stopping == nil {
		o.Stopping = func(func()) func() bool { return func() bool { return true } }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	a := &API{Services: s, options: o, places: newPlaces(o.MaxBody, o.Deadline/2), exports: shares.New(maxExports)}
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.UseRawPath = true
	engine.UnescapePathValues = true
	engine.HandleMethodNotAllowed = true
	engine.RedirectTrailingSlash = false
	engine.Use(a.observe, a.recover, stream, a.deadline, a.origin, a.authenticate, a.limit, a.writeAudit, a.admit, a.body)
	engine.NoRoute(func(c *gin.Context) { abort(c, problemOf(http.StatusNotFound, "there is no such path")) })
	engine.NoMethod(func(c *gin.Context) {
		abort(c, problemOf(http.StatusMethodNotAllowed, "the path does not take this method"))
	})
	api := humagin.New(engine, document(o.Build.Version))
	api.UseMiddleware(rejectEmptyParameters(api), readWholeNumbers)
	a.routes(api)
	a.plain(engine)
	return a.wire(engine)
}

// document is the OpenAPI document's frame. Huma's own pages are off: the document is marshalled once (its lazy one
// races), and the page that shows it must work offline.
func document(version string) huma.Config {
	configureHuma()
	config := huma.DefaultConfig("Kith", version)
	config.Info.Description = "A graph memory service for AI agents. Times in requests are from the year 1000 to 2199; when something happened is not in the future."
	config.Info.Contact = &huma.Contact{Name: "Whoever runs this Kith"}
	config.Servers = []*huma.Server{{URL: "http://127.0.0.1:8080", Description: "A Kith on this machine, as it starts unless it is told otherwise"}}
	config.OpenAPIPath, config.DocsPath, config.SchemasPath = "", "", ""
	config.CreateHooks = nil
	config.RejectUnknownQueryParameters = true
	config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"key":   {Type: "http", Scheme: "bearer", Description: "An API key (kith_…); it belongs to a team, and may be bound to a user."},
		"token": {Type: "http", Scheme: "bearer", BearerFormat: "JWT", Description: "A token of the OpenID Connect issuer that the service trusts, if any."},
	}
	config.Security = []map[string][]string{{"key": {}}, {"token": {}}}
	config.Components.Schemas = newRegistry()
	return config
}

// configureHuma sets what huma keeps in a package variable: faults without values.
var configureHuma = sync.OnceFunc(func() { huma.NewError = newError }) //nolint:gochecknoglobals // once a process
