package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"kith/auth"
	"kith/cache"
	"kith/cypher"
	"kith/embedded"
	"kith/graph"
	"kith/handlers"
	"kith/markup"
)

// doctorCmd looks for what keeps a Kith with these settings from running, and changes nothing.
type doctorCmd struct {
	config
	URL     string `env:"KITH_URL" help:"Also ask this Kith, instead of the one at KITH_LISTEN."`
	Key     string `env:"KITH_KEY" help:"Also try this API key."`
	JSON    bool   `name:"json" help:"As JSON."`
	NoColor string `env:"NO_COLOR" hidden:"" help:"Not empty: no colours."`
}

// finding is what was seen of one thing. Advice says what to do; without it all is well.
type finding struct {
	What   string `json:"what"`
	Good   bool   `json:"good"`
	Seen   string `json:"seen"`
	Advice string `json:"advice,omitempty"`
}

const (
	lookTime  = 10 * time.Second // for each thing
	worstSkew = 2 * time.Second  // of clocks
)

// Run looks at one thing after the other; exit status 1 if something is wrong.
func (c *doctorCmd) Run(ctx context.Context, std streams) error {
	ctx, cancel := context.WithTimeout(ctx, 4*lookTime)
	defer cancel()
	findings := c.database(ctx)
	if c.RedisURI != "" {
		findings = append(findings, judged("Redis", "answers", "start it, or take KITH_REDIS_URI away: Kith works without", cache.Ping(ctx, c.RedisURI)))
	}
	findings = append(findings, c.service(ctx)...)
	if c.JSON {
		if err := printJSON(std.out, findings); err != nil {
			return err
		}
	} else if err := printFindings(std, newPaint(std.out, c.NoColor), findings); err != nil {
		return err
	}
	for _, f := range findings {
		if !f.Good {
			return errSilent
		}
	}
	return nil
}

func printFindings(std streams, p paint, findings []finding) error {
	for _, f := range findings {
		mark := p.good("✓")
		if !f.Good {
			mark = p.wrong("✗")
		}
		if _, err := fmt.Fprintf(std.out, "%s %-10s %s\n", mark, f.What, markup.Plain(f.Seen)); err != nil {
			return err
		}
		if f.Advice != "" {
			_, _ = fmt.Fprintf(std.out, "  %-10s %s\n", "", p.bold("→ "+f.Advice))
		}
	}
	return nil
}

// judged is what was seen where there was no error, and else that, with what to do.
func judged(what, seen, advice string, err error) finding {
	if err != nil {
		return finding{What: what, Seen: err.Error(), Advice: advice}
	}
	return finding{What: what, Good: true, Seen: seen}
}

// database looks at the configured Neo4j, at the embedded one that runs, or at what one is made of.
func (c *doctorCmd) database(ctx context.Context) []finding {
	if c.Neo4jURI != "" {
		password, err := c.neo4jPassword()
		if err != nil {
			return []finding{judged("Neo4j", "", "let KITH_NEO4J_PASSWORD_FILE name a file that can be read", err)}
		}
		return c.store(ctx, graph.Connection{URI: c.Neo4jURI, User: c.Neo4jUser, Password: password, Database: c.Neo4jDatabase})
	}
	endpoint, err := embedded.Attach(c.Data)
	if err == nil {
		return c.store(ctx, connection(endpoint))
	}
	if !errors.Is(err, embedded.ErrNotRunning) {
		return []finding{judged("Neo4j", "", "let KITH_DATA name a folder of yours", err)}
	}
	var findings []finding
	for _, need := range embedded.Needs(ctx, embedded.Options{Neo4jHome: c.Neo4jHome}) {
		findings = append(findings, judged(need.Name, "is there", "or start Docker", need.Err))
	}
	return append(findings, finding{What: "Neo4j", Good: true, Seen: "is started by kith serve, in " + c.Data})
}

// store looks into a database: its schema and its keys.
func (c *doctorCmd) store(ctx context.Context, at graph.Connection) []finding {
	store, err := graph.Open(at, graph.Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return []finding{judged("Neo4j", "", "correct KITH_NEO4J_URI", err)}
	}
	defer func() { _ = store.Close(context.WithoutCancel(ctx)) }()
	look, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	findings := []finding{judged("Neo4j", "answers at "+at.URI, "start it, and check KITH_NEO4J_URI, _USER and _PASSWORD", store.Ping(look))}
	if !findings[0].Good {
		return findings
	}
	return append(findings, schemaFinding(look, store), keysFinding(look, store))
}

func schemaFinding(ctx context.Context, store *graph.Store) finding {
	stored, err := store.SchemaVersion(ctx)
	known := len(cypher.Migrations())
	switch {
	case err != nil:
		return judged("Schema", "", "look into the log of Neo4j", err)
	case stored > known:
		return finding{What: "Schema", Seen: fmt.Sprintf("is %d, and this kith knows %d", stored, known), Advice: "use the newer kith that has been here"}
	case stored < known:
		return finding{What: "Schema", Good: true, Seen: fmt.Sprintf("is %d; kith serve brings it to %d", stored, known)}
	}
	return finding{What: "Schema", Good: true, Seen: fmt.Sprintf("is %d, as it should be", stored)}
}

func keysFinding(ctx context.Context, store *graph.Store) finding {
	keys := auth.New(store, time.Now)
	defer keys.Close()
	all, err := keys.List(ctx, "")
	good := 0
	for _, k := range all {
		if k.RevokedAt == nil && (k.ExpiresAt == nil || time.Now().Before(*k.ExpiresAt)) {
			good++
		}
	}
	if err == nil && len(all) > 0 && good == 0 {
		err = errors.New("none is good any more") //nolint:err113 // for a person
	}
	return judged("Keys", fmt.Sprintf("%d are good", good), "make one: kith key create", err)
}

// service looks at the Kith that should run: whether it is ready, knows the key, and has the same time.
func (c *doctorCmd) service(ctx context.Context) []finding {
	url := c.URL
	if url == "" {
		url = "http://" + reachable(c.Listen)
	}
	api := newAPIClient(url, c.Key)
	request, err := api.request(ctx, http.MethodGet, "/readyz", nil)
	if err != nil {
		return []finding{judged("Kith", "", "correct KITH_URL", err)}
	}
	response, err := api.http.Do(request)
	var refused *net.OpError
	switch {
	case c.URL == "" && errors.As(err, &refused):
		return append([]finding{{What: "Kith", Good: true, Seen: "does not run at " + url + "; kith serve starts it"}}, c.ports(ctx)...)
	case err != nil:
		return []finding{judged("Kith", "", "start it, or correct KITH_URL", err)}
	}
	err = json.NewDecoder(io.LimitReader(response.Body, maxReadiness)).Decode(&handlers.Readiness{})
	_ = response.Body.Close()
	if err != nil {
		seen := finding{What: "Kith", Seen: "something else answers at " + url, Advice: "let KITH_URL or KITH_LISTEN name the address of Kith"}
		return append([]finding{seen}, c.ports(ctx)...)
	}
	findings := append([]finding{{What: "Kith", Good: true, Seen: "is ready at " + url}}, c.adminPort(ctx)...)
	if response.StatusCode != http.StatusOK {
		findings[0] = finding{What: "Kith", Seen: "is not ready at " + url, Advice: "look into its log: it waits for its database"}
	} else if c.Key != "" {
		err := api.once(ctx, http.MethodGet, "/v1/nodes/person?limit=1", nil, nil)
		findings = append(findings, judged("Key", "is good", "make one with the scope read: kith key create", err))
	}
	return append(findings, clockFinding(response.Header.Get("Date"), time.Now()))
}

// clockFinding compares the service's clock, in whole seconds, with this one's.
func clockFinding(date string, now time.Time) finding {
	there, err := http.ParseTime(date)
	if err != nil {
		return judged("Clock", "", "call Kith itself, not something before it", err)
	}
	if skew := now.Sub(there).Round(time.Second); skew.Abs() > worstSkew {
		return finding{What: "Clock", Seen: fmt.Sprintf("differs from the service's by %s", skew), Advice: "let both follow the same time (NTP): keys expire, and ages are told, by the service's"}
	}
	return finding{What: "Clock", Good: true, Seen: "is that of the service"}
}
