package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"time"

	"kith/access/auth"
	client "kith/clients/go"
	"kith/cmd/kith/internal/terminal"
	"kith/cypher"
	"kith/graph"
	"kith/graph/neo"
	"kith/internal/cache"
	"kith/internal/embedded"
	"kith/text/markup"
)

// doctorCmd finds problems that keep Kith from running with the current settings. It changes nothing.
type doctorCmd struct {
	config
	URL     string `env:"KITH_URL" help:"Check the Kith at this URL instead of the one at KITH_LISTEN."`
	Key     string `env:"KITH_KEY" help:"Check this API key too."`
	JSON    bool   `name:"json" help:"Print JSON."`
	NoColor string `env:"NO_COLOR" hidden:"" help:"Not empty: no colours."`
}

// finding is the result of one check. Advice says how to fix a problem; it is empty if there is none.
type finding struct {
	What   string `json:"what"`
	Good   bool   `json:"good"`
	Seen   string `json:"seen"`
	Advice string `json:"advice,omitempty"`
}

const (
	checkTimeout = 10 * time.Second // timeout of a check
	maxClockSkew = 2 * time.Second  // largest difference of clocks that is accepted
)

// testedServers are the versions of Neo4j with which all tests were run: make test, make test-neo4j-2026.
const testedServers = embedded.Version + " and 2026.08.1"

// Run performs all checks and prints their findings. It fails if a check found a problem.
func (c *doctorCmd) Run(ctx context.Context, std Streams) error {
	ctx, cancel := context.WithTimeout(ctx, 4*checkTimeout)
	defer cancel()
	findings := c.checkDatabase(ctx)
	if c.RedisURI != "" {
		findings = append(findings, newFinding("Redis", "answers", "start it, or unset KITH_REDIS_URI: Kith works without Redis", cache.Ping(ctx, c.RedisURI)))
	}
	findings = append(findings, c.checkService(ctx)...)
	if c.JSON {
		if err := terminal.PrintJSON(std.Out, findings); err != nil {
			return err
		}
	} else if err := printFindings(std, terminal.NewPaint(std.Out, c.NoColor), findings); err != nil {
		return err
	}
	for _, f := range findings {
		if !f.Good {
			return errSilent
		}
	}
	return nil
}

func printFindings(std Streams, p terminal.Paint, findings []finding) error {
	for _, f := range findings {
		mark := p.Good("✓")
		if !f.Good {
			mark = p.Wrong("✗")
		}
		if _, err := fmt.Fprintf(std.Out, "%s %-10s %s\n", mark, f.What, markup.Plain(f.Seen)); err != nil {
			return err
		}
		if f.Advice != "" {
			_, _ = fmt.Fprintf(std.Out, "  %-10s %s\n", "", p.Bold("→ "+f.Advice))
		}
	}
	return nil
}

// newFinding returns a good finding, or, if err is not nil, a problem with advice.
func newFinding(what, seen, advice string, err error) finding {
	if err != nil {
		return finding{What: what, Seen: err.Error(), Advice: advice}
	}
	return finding{What: what, Good: true, Seen: seen}
}

// checkDatabase checks the configured Neo4j or the running embedded one. If neither is there, it checks what the embedded
// Neo4j needs to start.
func (c *doctorCmd) checkDatabase(ctx context.Context) []finding {
	if c.Neo4jURI != "" {
		password, err := c.readNeo4jPassword()
		if err != nil {
			return []finding{newFinding("Neo4j", "", "set KITH_NEO4J_PASSWORD_FILE to a readable file", err)}
		}
		return c.checkStore(ctx, neo.Connection{URI: c.Neo4jURI, User: c.Neo4jUser, Password: password, Database: c.Neo4jDatabase})
	}
	endpoint, err := embedded.Attach(c.Data)
	if err == nil {
		return c.checkStore(ctx, newConnection(endpoint))
	}
	if !errors.Is(err, embedded.ErrNotRunning) {
		return []finding{newFinding("Neo4j", "", "set KITH_DATA to a folder that you own", err)}
	}
	var findings []finding
	for _, need := range embedded.Needs(ctx, embedded.Options{Neo4jHome: c.Neo4jHome, Repository: c.repository()}) {
		findings = append(findings, newFinding(need.Name, "is available", "or start Docker", need.Err))
	}
	return append(findings, finding{What: "Neo4j", Good: true, Seen: "not running; kith serve starts it in " + c.Data})
}

// checkStore checks the connection, the schema and the API keys of a database.
func (c *doctorCmd) checkStore(ctx context.Context, at neo.Connection) []finding {
	store, err := graph.Open(at, graph.Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return []finding{newFinding("Neo4j", "", "correct KITH_NEO4J_URI", err)}
	}
	defer func() { _ = store.Close(context.WithoutCancel(ctx)) }()
	look, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	findings := []finding{newFinding("Neo4j", "answers at "+at.URI, "start it, and check KITH_NEO4J_URI, _USER and _PASSWORD", store.Ping(look))}
	if !findings[0].Good {
		return findings
	}
	version, err := store.ServerVersion(look)
	return append(findings, newFinding("Version", version+"; tested are "+testedServers, "use Neo4j 5.26 or newer", err), checkSchema(look, store), checkKeys(look, store))
}

func checkSchema(ctx context.Context, store *graph.Store) finding {
	stored, err := store.SchemaVersion(ctx)
	known := len(cypher.Migrations())
	switch {
	case err != nil:
		return newFinding("Schema", "", "look at the log of Neo4j", err)
	case stored > known:
		return finding{
			What: "Schema", Seen: fmt.Sprintf("version %d is newer than this kith's %d", stored, known),
			Advice: "use the newer kith that migrated this database",
		}
	case stored < known:
		return finding{What: "Schema", Good: true, Seen: fmt.Sprintf("version %d; kith serve migrates it to %d", stored, known)}
	}
	return finding{What: "Schema", Good: true, Seen: fmt.Sprintf("version %d is current", stored)}
}

func checkKeys(ctx context.Context, store *graph.Store) finding {
	keys := auth.New(auth.NewStore(store), time.Now)
	defer keys.Close()
	all, err := keys.List(ctx, "")
	good := 0
	for _, k := range all {
		if k.RevokedAt == nil && (k.ExpiresAt == nil || time.Now().Before(*k.ExpiresAt)) {
			good++
		}
	}
	if err == nil && len(all) > 0 && good == 0 {
		err = errors.New("all keys are revoked or expired") //nolint:err113 // for a person
	}
	return newFinding("Keys", fmt.Sprintf("%d valid", good), "create one: kith key create", err)
}

// checkService checks that Kith is ready, accepts the key, and has the same time.
func (c *doctorCmd) checkService(ctx context.Context) []finding {
	address := c.URL
	if address == "" {
		address = "http://" + reachable(c.Listen)
	}
	if _, err := url.Parse(address); err != nil {
		return []finding{newFinding("Kith", "", "correct KITH_URL", err)}
	}
	api := client.New(address, c.Key, nil)
	state, err := api.Ready(ctx)
	var refused *net.OpError
	switch {
	case errors.Is(err, client.ErrNotKith):
		seen := finding{What: "Kith", Seen: "something else answers at " + address, Advice: "set KITH_URL or KITH_LISTEN to the address of Kith"}
		return append([]finding{seen}, c.checkPorts(ctx)...)
	case c.URL == "" && errors.As(err, &refused):
		return append([]finding{{What: "Kith", Good: true, Seen: "not running at " + address + "; kith serve starts it"}}, c.checkPorts(ctx)...)
	case err != nil:
		return []finding{newFinding("Kith", "", "start it, or correct KITH_URL", err)}
	}
	findings := append([]finding{{What: "Kith", Good: true, Seen: "is ready at " + address}}, c.checkAdminPort(ctx)...)
	if !state.Ready {
		findings[0] = finding{What: "Kith", Seen: "is not ready at " + address, Advice: "look at its log: it waits for its database, or plans its first statements"}
	} else if c.Key != "" {
		err := errors.Unwrap(api.Call(ctx, http.MethodGet, "/v1/nodes/person?limit=1", nil, nil)) // without the name of the call
		findings = append(findings, newFinding("Key", "is valid", "create one with the scope read: kith key create", err))
	}
	return append(findings, checkClock(state.Clock, time.Now()))
}

// checkClock compares the service's clock, in whole seconds, with the local one.
func checkClock(date string, now time.Time) finding {
	there, err := http.ParseTime(date)
	if err != nil {
		return newFinding("Clock", "", "call Kith directly, not through a proxy", err)
	}
	if skew := now.Sub(there).Round(time.Second); skew.Abs() > maxClockSkew {
		return finding{
			What: "Clock", Seen: fmt.Sprintf("differs from the service's by %s", skew),
			Advice: "synchronize both clocks (NTP): API keys expire by the service's clock",
		}
	}
	return finding{What: "Clock", Good: true, Seen: "agrees with the service's"}
}
