package main

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
	_ "time/tzdata" // users' time zones, also where the system has none

	"github.com/alecthomas/kong"

	"kith/loader"
	"kith/markup"
)

// commands is the whole command line.
type commands struct {
	Serve   serveCmd   `cmd:"" help:"Run the service; without KITH_NEO4J_URI on a Neo4j of its own."`
	MCP     mcpCmd     `cmd:"" help:"Serve one agent over standard input and output, from a memory of its own or a running Kith."`
	Key     keyCmd     `cmd:"" help:"Make, list and revoke API keys."`
	Team    teamCmd    `cmd:"" help:"Show and set how much a team may have."`
	Context contextCmd `cmd:"" help:"Show what an agent would be told of a user."`
	Explore exploreCmd `cmd:"" help:"Search a memory."`
	Status  statusCmd  `cmd:"" help:"Say how a running Kith is, and what it holds; exit status 1 if it is not ready."`
	Doctor  doctorCmd  `cmd:"" help:"Look for what keeps Kith from running, and say what to do; exit status 1 if something does."`
	Demo    demoCmd    `cmd:"" help:"Load a made-up memory of one user, and print how to ask for it."`
	Export  exportCmd  `cmd:"" help:"Write a team's whole memory to a file."`
	Import  importCmd  `cmd:"" help:"Load memories from files."`
	System  systemCmd  `cmd:"" help:"Load, merge, export and show what is known of a software system."`
	Eval    evalCmd    `cmd:"" help:"Measure a running Kith."`
	Reindex reindexCmd `cmd:"" help:"Renew by what searches find everything: words, and vectors where an embedder is configured."`
	Check   checkCmd   `cmd:"" help:"Look over the database for what breaks its rules; exit status 1 if something does."`
	Compact compactCmd `cmd:"" help:"Write the store of Kith's own Neo4j anew, without what was erased; Kith is stopped meanwhile."`
	Health  healthCmd  `cmd:"" help:"Ask a running service whether it is ready; exit status 1 if not."`
	Version versionCmd `cmd:"" help:"Print version, commit and date."`

	Completion completionCmd `cmd:"" help:"Print a script that completes commands and flags in a shell."`

	ShowVersion kong.VersionFlag `name:"version" short:"v" help:"Print the version."`
}

// config are the settings of the service. Each is a flag and an environment variable.
type config struct {
	Listen            string        `env:"KITH_LISTEN" default:"127.0.0.1:8080" help:"Address of the API."`
	AdminListen       string        `env:"KITH_ADMIN_LISTEN" emptyenv:"" default:"127.0.0.1:8081" help:"Address of /metrics; empty: none."`
	Pprof             bool          `env:"KITH_PPROF" help:"Also serve pprof at that address: profiles of the process, which hold parts of its memory."`
	Origins           []string      `name:"cors-origins" env:"KITH_CORS_ORIGINS" placeholder:"URL,…" help:"Origins of pages that may call the API and the tools at /mcp from browsers (CORS), such as https://console.example.org; *: any. Empty: none but pages of Kith's own host."`
	Data              string        `env:"KITH_DATA" default:"./kith-data" help:"Folder of the embedded Neo4j."`
	Neo4jURI          string        `name:"neo4j-uri" env:"KITH_NEO4J_URI" help:"bolt:// address of a Neo4j 5.26 or newer, or neo4j:// of a cluster (bolt+s://, neo4j+s:// for TLS); empty: the embedded one."`
	Neo4jUser         string        `name:"neo4j-user" env:"KITH_NEO4J_USER" default:"neo4j" help:"Login at Neo4j."`
	Neo4jPassword     string        `name:"neo4j-password" env:"KITH_NEO4J_PASSWORD" help:"Password at Neo4j."`
	Neo4jPasswordFile string        `name:"neo4j-password-file" env:"KITH_NEO4J_PASSWORD_FILE" help:"File that holds the password at Neo4j."`
	Neo4jDatabase     string        `name:"neo4j-database" env:"KITH_NEO4J_DATABASE" help:"Database at Neo4j; empty: its default."`
	Neo4jHome         string        `name:"neo4j-home" env:"NEO4J_HOME" help:"Installed Neo4j whose jars the embedded one uses; empty: fetched with Maven, or run by Docker."`
	Neo4jHeap         int           `name:"neo4j-heap" env:"KITH_NEO4J_HEAP" default:"512" help:"Heap of the embedded Neo4j, in MiB."`
	RedisURI          string        `name:"redis-uri" env:"KITH_REDIS_URI" help:"redis:// address; empty: the cache in the process alone."`
	PostgresURI       string        `name:"postgres-uri" env:"KITH_POSTGRES_URI" help:"postgres:// address of a database for users' preferences; empty: they are in Neo4j."`
	BootstrapKey      string        `env:"KITH_BOOTSTRAP_KEY" help:"An admin key (team default), given instead of generated; at least 32 random characters. The one before it stays good until it is revoked."`
	ContextLoad       loader.Mode   `env:"KITH_CONTEXT_LOAD" enum:"combined,parallel" default:"combined" help:"A context's sections in one statement, or each in its own."`
	RequestTimeout    time.Duration `env:"KITH_REQUEST_TIMEOUT" default:"10s" help:"Deadline of a request, its body included."`
	MaxBody           int64         `env:"KITH_MAX_BODY" default:"33554432" help:"Largest body of requests that write many items at once, in bytes; others may have 1 MiB, or this where it is less."`
	MaxImport         int64         `env:"KITH_MAX_IMPORT" default:"4294967296" help:"Largest import, in bytes."`
	StreamPause       time.Duration `env:"KITH_STREAM_PAUSE" default:"1m" help:"How long an import or export may stand still; beyond that an import has to bring 4 KiB a second on average."`
	KeepDeleted       time.Duration `env:"KITH_KEEP_DELETED" default:"720h" help:"How long deletes can be undone; then they are purged."`
	Maintenance       time.Duration `env:"KITH_MAINTENANCE" default:"1h" help:"Between passes that archive, expire and purge; 0: none by this process."`
	EmbeddingsURL     string        `name:"embeddings-url" env:"KITH_EMBEDDINGS_URL" help:"OpenAI-compatible endpoint that embeds texts, as far as /embeddings; empty: none."`
	EmbeddingsKey     string        `env:"KITH_EMBEDDINGS_KEY" help:"Key of that endpoint; empty: none is sent."`
	EmbeddingsModel   string        `env:"KITH_EMBEDDINGS_MODEL" help:"Name by which that endpoint knows the model."`
	EmbeddingsDir     string        `name:"embeddings-model-dir" env:"KITH_EMBEDDINGS_MODEL_DIR" help:"Folder of a static embedding model, instead of an endpoint."`
	EmbeddingsMemory  int64         `env:"KITH_EMBEDDINGS_MEMORY" default:"512" help:"Vectors kept in the process, in MiB."`
	LLMURL            string        `name:"llm-url" env:"KITH_LLM_URL" help:"OpenAI-compatible endpoint of a language model, as far as /chat/completions; empty: none."`
	LLMKey            string        `name:"llm-key" env:"KITH_LLM_KEY" help:"Key of that endpoint; empty: none is sent."`
	LLMModel          string        `name:"llm-model" env:"KITH_LLM_MODEL" help:"Name by which that endpoint knows the model."`
	LLMTimeout        time.Duration `name:"llm-timeout" env:"KITH_LLM_TIMEOUT" default:"1m" help:"How long the model may be silent in an answer, and may take to read a source."`
	LLMWorkers        int           `name:"llm-workers" env:"KITH_LLM_WORKERS" default:"8" help:"Answers of chats that are generated at the same time."`
	LLMQueue          int           `name:"llm-queue" env:"KITH_LLM_QUEUE" default:"64" help:"Answers of chats that may wait to be generated."`
	LLMPromptTokens   int           `name:"llm-prompt-tokens" env:"KITH_LLM_PROMPT_TOKENS" default:"16000" help:"What the model is told for a turn of a chat, in o200k tokens; the oldest turns are left out."`
	ChatStreams       int           `env:"KITH_CHAT_STREAMS" default:"1024" help:"Streams of events of chats that may be open at once; half of them for one team."`
	OIDCIssuer        string        `name:"oidc-issuer" env:"KITH_OIDC_ISSUER" help:"URL of an OpenID Connect issuer whose tokens are good beside API keys; empty: none."`
	OIDCAudience      string        `name:"oidc-audience" env:"KITH_OIDC_AUDIENCE" help:"What a token's aud must name."`
	OIDCTeamClaim     string        `name:"oidc-team-claim" env:"KITH_OIDC_TEAM_CLAIM" default:"team_id" help:"Claim with the caller's team."`
	OIDCUserClaim     string        `name:"oidc-user-claim" env:"KITH_OIDC_USER_CLAIM" default:"sub" help:"Claim with the user that the caller is bound to; - for none: it may act for any of the team."`
	OIDCScopesClaim   string        `name:"oidc-scopes-claim" env:"KITH_OIDC_SCOPES_CLAIM" default:"scope" help:"Claim with read, write, admin."`
	RateLimit         int64         `env:"KITH_RATE_LIMIT" default:"0" help:"Units a minute that a key may spend on calls, unless it has a limit of its own; a look-up costs 1. 0: any number."`
	QuotaNodes        int64         `env:"KITH_QUOTA_NODES" default:"0" help:"Nodes that a team may have, with chat trees and turns, and deleted ones until they are purged; 0: any number."`
	QuotaLinks        int64         `name:"quota-relationships" env:"KITH_QUOTA_RELATIONSHIPS" default:"0" help:"Relationships that a team may have, past and deleted ones among them; 0: any number."`
	QuotaText         int64         `env:"KITH_QUOTA_TEXT" default:"0" help:"Characters that a team may have in all texts, keys and lists; 0: any number."`
	AuditLog          string        `env:"KITH_AUDIT_LOG" help:"File to which a line is appended for each change: who, what ids, when; - for standard output, empty: none."`
	RelationshipTypes typeList      `env:"KITH_RELATIONSHIP_TYPES" help:"Relationship types beside the vocabulary that teams share, with commas between; each team may use 32 of its own besides."`
	MCPCompat         string        `name:"mcp-compat" env:"KITH_MCP_COMPAT" enum:"none,memory" default:"none" help:"memory: over MCP also the nine tools of the reference memory server."`
	OTLPEndpoint      string        `name:"otlp-endpoint" env:"KITH_OTLP_ENDPOINT" help:"http:// address of an OpenTelemetry collector (OTLP) for traces; empty: none are made."`
	OTLPRatio         float64       `name:"otlp-ratio" env:"KITH_OTLP_RATIO" default:"1" help:"Share of the requests that are traced, unless the caller says; 0 to 1."`
	SlowStatement     time.Duration `env:"KITH_SLOW_STATEMENT" default:"1s" help:"Statements that take longer are logged, with the name of their file; 0: none."`
	LogFormat         string        `env:"KITH_LOG_FORMAT" enum:"text,json" default:"text" help:"text (logfmt) or json, a line each."`
	LogLevel          slog.Level    `env:"KITH_LOG_LEVEL" default:"info" help:"debug, info, warn or error."`
}

// logger writes lines of a level and above in the format that is configured.
func (c *config) logger(out io.Writer, least slog.Level) *slog.Logger {
	options := &slog.HandlerOptions{Level: least}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(out, options))
	}
	return slog.New(slog.NewTextHandler(out, options))
}

// neo4jPassword is the password given, or the one in the file given.
func (c *config) neo4jPassword() (string, error) {
	if c.Neo4jPasswordFile == "" {
		return c.Neo4jPassword, nil
	}
	raw, err := os.ReadFile(c.Neo4jPasswordFile)
	if err != nil {
		return "", fmt.Errorf("read KITH_NEO4J_PASSWORD_FILE: %w", err)
	}
	return strings.TrimSpace(string(raw)), nil
}

// run is the whole program: it parses the command line and runs the command until it is done or ctx ends.
// environ holds NAME=value as os.Environ does. It returns the exit status: 0, 1 for a failure, 2 for a wrong call.
func run(ctx context.Context, args, environ []string, std streams) int {
	var cli commands
	exit := -1
	parser, err := kong.New(&cli,
		kong.Name("kith"), kong.Description("A graph memory service for AI agents."),
		kong.Writers(std.out, std.err), kong.Exit(func(code int) { exit = code }),
		kong.Resolvers(environment(environ)), kong.Help(help), kong.Vars{"version": versionLine()},
		kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(std),
	)
	if err != nil {
		_, _ = fmt.Fprintln(std.err, "kith:", err)
		return 2
	}
	hideSettings(parser.Model.Node)
	command, err := parser.Parse(args)
	if exit >= 0 { // --help or --version has been printed
		return exit
	}
	if err != nil {
		explainUsage(std.err, err)
		return 2
	}
	if hasSettings(command.Selected()) {
		warnOfUnknown(std.err, parser.Model.Node, environ)
	}
	if name := emptyID(command); name != "" {
		_, _ = fmt.Fprintf(std.err, "kith: %s must not be empty: give an id, or leave it out where it is optional\n", name)
		return 2
	}
	if err = command.Run(); err != nil && !errors.Is(err, errSilent) {
		_, _ = fmt.Fprintln(std.err, "kith:", markup.Plain(err.Error()))
	}
	return exitStatus(ctx, err)
}

// interrupted is the exit status of a program that Ctrl-C ended: 128 and the number of the signal.
const interrupted = 130

// exitStatus is that of a command which ended with an error, or without.
func exitStatus(ctx context.Context, err error) int {
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil:
		return interrupted
	}
	return 1
}

// emptyID is a user or a team that the command line names with an empty text; an empty id never means everybody.
func emptyID(command *kong.Context) string {
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

// errSilent is a failure of which all has been said.
var errSilent = errors.New("")

// environment resolves flags from the given environment instead of the process's own, so that run is a function of
// its arguments. An empty variable leaves the default, except for flags with the tag emptyenv, where empty means something.
func environment(environ []string) kong.Resolver {
	values := map[string]string{}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		values[name] = value
	}
	return kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		for _, name := range flag.Envs {
			if value, ok := values[name]; ok && (value != "" || flag.Tag.Has("emptyenv")) {
				return value, nil
			}
		}
		return nil, nil
	})
}
