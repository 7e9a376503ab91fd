// Package command is the command line of kith: it reads the settings, connects everything, and runs the commands.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"reflect"
	"strings"
	"time"
	_ "time/tzdata" // users' time zones, if the system has no database of them

	"github.com/alecthomas/kong"

	"kith/loader"
	"kith/text/markup"
)

// commands is the whole command line.
type commands struct {
	Serve   serveCmd   `cmd:"" help:"Run the service, with an embedded Neo4j unless KITH_NEO4J_URI is set."`
	MCP     mcpCmd     `cmd:"" help:"Serve one agent over standard input and output, from a local memory or a running Kith."`
	Key     keyCmd     `cmd:"" help:"Create, list and revoke API keys."`
	UI      uiCmd      `cmd:"" help:"Make a key that reads for an hour, and open the page of a running Kith with it."`
	Team    teamCmd    `cmd:"" help:"Show and set a team's quota, and purge its deleted data."`
	Hook    hookCmd    `cmd:"" help:"Answer a hook of a coding agent (Claude Code, Codex, Cursor): give it context, or store its session."`
	Context contextCmd `cmd:"" help:"Print the context of a user, as an agent gets it."`
	Explore exploreCmd `cmd:"" help:"Search a memory."`
	History historyCmd `cmd:"" help:"Print the versions of a node or relationship."`
	Changes changesCmd `cmd:"" help:"Print what changed about a node and its relationships."`
	Merge   mergeCmd   `cmd:"" help:"Merge a node into another one of its kind."`
	Restore restoreCmd `cmd:"" help:"Undo the delete of a node or relationship, or the merge of a node."`
	Status  statusCmd  `cmd:"" help:"Show the state of a running Kith and how much it stores. Exits with status 1 if it is not ready."`
	Doctor  doctorCmd  `cmd:"" help:"Find problems that keep Kith from running, and suggest fixes. Exits with status 1 if any are found."`
	Demo    demoCmd    `cmd:"" help:"Load the made-up memory of a demo user, and print how to query it."`
	Export  exportCmd  `cmd:"" help:"Write a team's whole memory to a file."`
	Import  importCmd  `cmd:"" help:"Load memories from files."`
	Migrate migrateCmd `cmd:"" help:"Load the memory of a running mem0, Graphiti, Zep or Letta."`
	System  systemCmd  `cmd:"" help:"Load, merge, export and show the memory of a software system."`
	Eval    evalCmd    `cmd:"" help:"Measure the search quality of a running Kith."`
	Reindex reindexCmd `cmd:"" help:"Rebuild the search indexes: full text, and vectors if an embedder is configured."`
	Check   checkCmd   `cmd:"" help:"Check the database for inconsistencies. Exits with status 1 if any are found."`
	Compact compactCmd `cmd:"" help:"Rewrite the store of the embedded Neo4j without erased data. Kith must be stopped."`
	Health  healthCmd  `cmd:"" help:"Report whether a running service is ready. Exits with status 1 if it is not."`
	Version versionCmd `cmd:"" help:"Print version, commit and date."`

	HookFinish hookFinishCmd `cmd:"" hidden:""`
	HookServer hookServerCmd `cmd:"" hidden:""`

	Completion completionCmd `cmd:"" help:"Print a shell completion script."`

	ShowVersion kong.VersionFlag `name:"version" short:"v" help:"Print the version."`
}

// defaultData is the data folder of the service, the default of KITH_DATA.
const defaultData = "./kith-data"

// config holds the settings of the service. Each is a flag and an environment variable.
//
// Those that change no answer stay because machines differ (memory, workers, streams, time and size limits, the interval of
// maintenance), because an operator looks for a fault with them (profiles, logs, traces, slow statements, moments of contexts, contexts
// loaded section by section), or because tests and short runs cannot wait for the default (warm-up, pause of a stream).
type config struct {
	clock func() time.Time // given to Open; nil: time.Now

	Listen            string        `env:"KITH_LISTEN" default:"127.0.0.1:8080" help:"Address of the API."`
	AdminListen       string        `env:"KITH_ADMIN_LISTEN" emptyenv:"" default:"127.0.0.1:8081" help:"Address of /metrics. Empty: disabled."`
	Pprof             bool          `env:"KITH_PPROF" help:"Also serve pprof profiles at that address. Profiles contain parts of the process's memory."`
	Origins           []string      `name:"cors-origins" env:"KITH_CORS_ORIGINS" placeholder:"URL,…" help:"Origins of web pages that may call the API and /mcp (CORS), such as https://console.example.org. *: any. Empty: same origin only."`
	Data              string        `env:"KITH_DATA" default:"./kith-data" help:"Data folder of the embedded Neo4j."`
	Neo4jURI          string        `name:"neo4j-uri" env:"KITH_NEO4J_URI" help:"bolt:// address of a Neo4j 5.26 or newer, or neo4j:// of a cluster (bolt+s://, neo4j+s:// for TLS). Empty: the embedded Neo4j."`
	Neo4jUser         string        `name:"neo4j-user" env:"KITH_NEO4J_USER" default:"neo4j" help:"Neo4j user."`
	Neo4jPassword     string        `name:"neo4j-password" env:"KITH_NEO4J_PASSWORD" help:"Neo4j password."`
	Neo4jPasswordFile string        `name:"neo4j-password-file" env:"KITH_NEO4J_PASSWORD_FILE" help:"File with the Neo4j password. It overrides KITH_NEO4J_PASSWORD."`
	Neo4jDatabase     string        `name:"neo4j-database" env:"KITH_NEO4J_DATABASE" help:"Neo4j database. Empty: the server's default."`
	Neo4jHome         string        `name:"neo4j-home" env:"NEO4J_HOME" help:"Neo4j installation whose jars the embedded Neo4j uses. Empty: fetched once, or run with Docker."`
	Neo4jRepository   string        `name:"neo4j-repository" env:"KITH_NEO4J_REPOSITORY" help:"Address of a Maven repository, from which the jars of the embedded Neo4j are fetched. Empty: that of the build, or else fetched with Maven."`
	Neo4jHeap         int           `name:"neo4j-heap" env:"KITH_NEO4J_HEAP" default:"1024" help:"Heap of the embedded Neo4j, in MiB."`
	Neo4jPageCache    int           `name:"neo4j-page-cache" env:"KITH_NEO4J_PAGE_CACHE" default:"256" help:"Memory of the embedded Neo4j for pages of its files, in MiB. Reads are fast as long as the used part of the store fits in."`
	RedisURI          string        `name:"redis-uri" env:"KITH_REDIS_URI" help:"redis:// address of the shared cache. Empty: each instance caches in its own memory."`
	PostgresURI       string        `name:"postgres-uri" env:"KITH_POSTGRES_URI" help:"postgres:// address of a database for users' preferences. Empty: stored in Neo4j."`
	BootstrapKey      string        `env:"KITH_BOOTSTRAP_KEY" help:"Admin API key of the team default, instead of a generated one; at least 32 random characters. An earlier key stays valid until it is revoked."`
	ContextLoad       loader.Mode   `env:"KITH_CONTEXT_LOAD" enum:"combined,parallel" default:"combined" help:"combined: load the sections of a context in one statement; parallel: one statement per section."`
	WarmUp            bool          `env:"KITH_WARM_UP" default:"true" negatable:"" help:"Plan the statements of frequent calls at the start, before /readyz succeeds. Otherwise their first calls take longer, with a Neo4j that has just started by seconds."`
	RequestTimeout    time.Duration `env:"KITH_REQUEST_TIMEOUT" default:"10s" help:"Deadline of a request, including reading its body."`
	MaxBody           int64         `env:"KITH_MAX_BODY" default:"33554432" help:"Largest body of a request that writes many items, in bytes. Other bodies: 1 MiB, or this value if it is smaller."`
	MaxImport         int64         `env:"KITH_MAX_IMPORT" default:"4294967296" help:"Largest import, in bytes."`
	StreamPause       time.Duration `env:"KITH_STREAM_PAUSE" default:"1m" help:"How long an import or export may stall. After that time an import must average at least 4 KiB per second."`
	KeepDeleted       keepTime      `env:"KITH_KEEP_DELETED" default:"720h" help:"How long deleted data can be restored before it is purged."`
	History           keepTime      `env:"KITH_HISTORY" default:"9600h" help:"How long former versions of what was changed, and the feed of changes, are kept."`
	Maintenance       time.Duration `env:"KITH_MAINTENANCE" default:"1h" help:"Interval of maintenance, which archives, expires and purges. 0: not run by this instance, which does not look for duplicates either."`
	DuplicatesMerge   mergeFrom     `env:"KITH_DUPLICATES_MERGE" default:"0" help:"Probability from which two nodes that may be one are merged without asking, 0.9 to 1. 0: none are."`
	DuplicatesJudge   bool          `env:"KITH_DUPLICATES_JUDGE" help:"Ask the language model about pairs of nodes that may be one and that Kith is not sure of."`
	EmbeddingsURL     string        `name:"embeddings-url" env:"KITH_EMBEDDINGS_URL" help:"OpenAI-compatible base URL of an embedder, without /embeddings. Empty: none."`
	EmbeddingsKey     string        `env:"KITH_EMBEDDINGS_KEY" help:"API key of the embedder. Empty: none is sent."`
	EmbeddingsModel   string        `env:"KITH_EMBEDDINGS_MODEL" help:"Name of the embedding model."`
	EmbeddingsDir     string        `name:"embeddings-model-dir" env:"KITH_EMBEDDINGS_MODEL_DIR" help:"Folder of a static embedding model, used instead of KITH_EMBEDDINGS_URL."`
	EmbeddingsMemory  int64         `env:"KITH_EMBEDDINGS_MEMORY" default:"512" help:"Memory for vectors in each instance, in MiB."`
	LLMURL            string        `name:"llm-url" env:"KITH_LLM_URL" help:"OpenAI-compatible base URL of a language model, without /chat/completions. Empty: none."`
	LLMKey            string        `name:"llm-key" env:"KITH_LLM_KEY" help:"API key of the language model. Empty: none is sent."`
	LLMModel          string        `name:"llm-model" env:"KITH_LLM_MODEL" help:"Name of the language model."`
	LLMTimeout        time.Duration `name:"llm-timeout" env:"KITH_LLM_TIMEOUT" default:"1m" help:"Longest pause of the model within an answer, and longest time to read a source."`
	LLMWorkers        int           `name:"llm-workers" env:"KITH_LLM_WORKERS" default:"8" help:"Chat answers generated at the same time. 64 more may wait; one team may have half of the places that other teams leave."`
	LLMPromptTokens   int           `name:"llm-prompt-tokens" env:"KITH_LLM_PROMPT_TOKENS" default:"16000" help:"Largest prompt for a chat turn, in o200k tokens. The oldest turns are omitted."`
	ChatStreams       int           `env:"KITH_CHAT_STREAMS" default:"1024" help:"Chat event streams that may be open at once. One team may use half of those that other teams leave, one of its users half of what the others of the team leave."`
	ChangeStreams     int           `env:"KITH_CHANGE_STREAMS" default:"256" help:"Streams of changes that may be open at once. One team may use half of those that other teams leave, one of its users half of what the others of the team leave."`
	WebhooksPrivate   string        `env:"KITH_WEBHOOKS_PRIVATE" enum:"refuse,allow" default:"refuse" help:"Webhooks to addresses that are not public: this machine, private networks, metadata services. refuse: nothing is sent there; allow: any address."`
	OIDCIssuer        string        `name:"oidc-issuer" env:"KITH_OIDC_ISSUER" help:"URL of an OpenID Connect issuer whose tokens are accepted besides API keys. Empty: none."`
	OIDCAudience      string        `name:"oidc-audience" env:"KITH_OIDC_AUDIENCE" help:"Audience that a token's aud claim must contain."`
	OIDCClientID      string        `name:"oidc-client-id" env:"KITH_OIDC_CLIENT_ID" help:"Public client of the issuer with which users sign in on the page, by authorization code with PKCE; its redirect URI is /ui/sign-in. Empty: the page takes API keys only."`
	OIDCClientScope   string        `name:"oidc-client-scope" env:"KITH_OIDC_CLIENT_SCOPE" default:"openid read write" help:"Scopes that the page requests from the issuer."`
	OIDCTeamClaim     string        `name:"oidc-team-claim" env:"KITH_OIDC_TEAM_CLAIM" default:"team_id" help:"Claim with the caller's team."`
	OIDCUserClaim     string        `name:"oidc-user-claim" env:"KITH_OIDC_USER_CLAIM" default:"sub" help:"Claim with the user that the caller is bound to. -: none, the caller may act for every user of the team."`
	OIDCScopesClaim   string        `name:"oidc-scopes-claim" env:"KITH_OIDC_SCOPES_CLAIM" default:"scope" help:"Claim with the scopes read, write, admin."`
	RateLimit         int64         `env:"KITH_RATE_LIMIT" default:"0" help:"Units per minute that an API key without its own limit may spend; a lookup costs 1. 0: unlimited."`
	QuotaNodes        int64         `env:"KITH_QUOTA_NODES" default:"0" help:"Nodes that a team may store, including chat trees and turns, and deleted nodes until they are purged. 0: unlimited."`
	QuotaLinks        int64         `name:"quota-relationships" env:"KITH_QUOTA_RELATIONSHIPS" default:"0" help:"Relationships that a team may store, including past and deleted ones. 0: unlimited."`
	QuotaText         int64         `env:"KITH_QUOTA_TEXT" default:"0" help:"Characters that a team may store in texts, keys and lists. 0: unlimited."`
	AuditLog          string        `env:"KITH_AUDIT_LOG" help:"File for the audit log, one line per change: who, which ids, when. -: standard output. Empty: none."`
	ServedEvents      bool          `env:"KITH_SERVED_EVENTS" help:"Store when each context was served, with a digest of the answer, for GET /v1/served and to check replays."`
	RelationshipTypes typeList      `env:"KITH_RELATIONSHIP_TYPES" help:"Additional relationship types for all teams, comma-separated. Each team may also use 32 types of its own."`
	MCPCompat         string        `name:"mcp-compat" env:"KITH_MCP_COMPAT" enum:"none,memory" default:"none" help:"memory: offer the nine tools of the MCP reference memory server too."`
	OTLPEndpoint      string        `name:"otlp-endpoint" env:"KITH_OTLP_ENDPOINT" help:"http:// address of an OpenTelemetry collector (OTLP) for traces. Empty: no tracing."`
	OTLPRatio         float64       `name:"otlp-ratio" env:"KITH_OTLP_RATIO" default:"1" help:"Share of requests that are traced, 0 to 1, unless the caller decides."`
	OTLPContent       bool          `name:"otlp-content" env:"KITH_OTLP_CONTENT" help:"Spans of searches contain their queries."`
	SlowStatement     time.Duration `env:"KITH_SLOW_STATEMENT" default:"1s" help:"Statements that take longer are logged with their file name. 0: never."`
	LogFormat         string        `env:"KITH_LOG_FORMAT" enum:"text,json" default:"text" help:"Format of log lines: text (logfmt) or json."`
	LogLevel          slog.Level    `env:"KITH_LOG_LEVEL" default:"info" help:"Lowest level that is logged: debug, info, warn or error."`
}

// newLogger returns a logger that writes lines of the least level and above in the configured format.
func (c *config) newLogger(out io.Writer, least slog.Level) *slog.Logger {
	options := &slog.HandlerOptions{Level: least}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(out, options))
	}
	return slog.New(slog.NewTextHandler(out, options))
}

// readNeo4jPassword returns the configured password, or reads it from the configured file.
func (c *config) readNeo4jPassword() (string, error) {
	if c.Neo4jPasswordFile == "" {
		return c.Neo4jPassword, nil
	}
	raw, err := os.ReadFile(c.Neo4jPasswordFile)
	if err != nil {
		return "", fmt.Errorf("read KITH_NEO4J_PASSWORD_FILE: %w", err)
	}
	return strings.TrimSpace(string(raw)), nil
}

// now returns the clock of the service.
func (c *config) now() func() time.Time {
	if c.clock != nil {
		return c.clock
	}
	return time.Now
}

// Streams holds the standard streams of a command. Results go to Out, everything else to Err.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Run parses the command line and runs the command until it is done or ctx ends. environ holds NAME=value as os.Environ does.
// It returns the exit status: 0, 1 for a failure, 2 for an invalid command line of
// any command but hook.
func Run(ctx context.Context, args, environ []string, std Streams) int {
	var cli commands
	exit := -1
	parser, err := kong.New(&cli,
		kong.Name("kith"), kong.Description("A graph memory service for AI agents."),
		kong.Writers(std.Out, std.Err), kong.Exit(func(code int) { exit = code }),
		withEnvironment(environ), kong.Help(printHelp), kong.Vars{"version": versionLine()},
		kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(std),
	)
	if err != nil {
		_, _ = fmt.Fprintln(std.Err, "kith:", err)
		return 2
	}
	hideSettings(parser.Model.Node)
	command, err := parser.Parse(args)
	if exit >= 0 { // --help or --version has been printed
		return exit
	}
	if err != nil {
		printUsageError(std.Err, err)
		return usageStatus(args)
	}
	if hasSettings(command.Selected()) {
		warnUnknownSettings(std.Err, parser.Model.Node, environ)
	}
	if name := findEmptyID(command); name != "" {
		_, _ = fmt.Fprintf(std.Err, "kith: %s must not be empty: pass an id, or omit it if it is optional\n", name)
		return 2
	}
	if err = command.Run(); err != nil && !errors.Is(err, errSilent) {
		_, _ = fmt.Fprintln(std.Err, "kith:", markup.Plain(err.Error()))
		if advice := remoteAdvice(command, err); ctx.Err() == nil && !strings.Contains(err.Error(), advice) {
			_, _ = fmt.Fprintln(std.Err, "kith:", markup.Plain(advice))
		}
	}
	return exitStatus(ctx, err)
}

// usageStatus returns the exit status for a wrong command line. A coding agent takes 2 as a refusal by its hook, and would stop.
func usageStatus(args []string) int {
	if len(args) > 0 && args[0] == "hook" {
		return 1
	}
	return 2
}

// exitInterrupted is the exit status of a program that Ctrl-C ended: 128 plus the number of the signal.
const exitInterrupted = 130

// exitStatus returns the exit status of a command that ended with err.
func exitStatus(ctx context.Context, err error) int {
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil:
		return exitInterrupted
	}
	return 1
}

// findEmptyID returns the name of a user or team parameter that was passed an empty text.
// An empty id is refused, as it might be taken for all users.
func findEmptyID(command *kong.Context) string {
	for _, p := range command.Path {
		v, prefix := p.Positional, ""
		if p.Flag != nil {
			v, prefix = p.Flag.Value, "--"
		}
		if v != nil && (v.Name == "user" || v.Name == "team") && reflect.Indirect(v.Target).IsZero() {
			return prefix + v.Name
		}
	}
	return ""
}

// errSilent makes a command fail without another message.
var errSilent = errors.New("")

// withEnvironment takes the flags' variables from environ. kong also reads those of the process, which count where environ has none. An
// empty variable means the default, except for flags with the tag emptyenv.
func withEnvironment(environ []string) kong.Option {
	values := map[string]string{}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		values[name] = value
	}
	resolver := kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		for _, name := range flag.Envs {
			if value, ok := values[name]; ok && (value != "" || flag.Tag.Has("emptyenv")) {
				return value, nil
			}
		}
		return nil, nil
	})
	return kong.OptionFunc(func(k *kong.Kong) error {
		return errors.Join(kong.Resolvers(resolver).Apply(k), kong.PostBuild(unsetEmptyVariables).Apply(k))
	})
}

// unsetEmptyVariables unsets the empty variables of this process that mean the default: kong would take them for values.
func unsetEmptyVariables(k *kong.Kong) error {
	return kong.Visit(k.Model, func(v kong.Visitable, next kong.Next) error {
		if f, ok := v.(*kong.Flag); ok && !f.Tag.Has("emptyenv") {
			for _, name := range f.Envs {
				if value, ok := os.LookupEnv(name); ok && value == "" {
					if err := os.Unsetenv(name); err != nil {
						return err
					}
				}
			}
		}
		return next(nil)
	})
}
