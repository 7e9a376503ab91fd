package testenv

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"kith/internal/embedded"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j/config"
	"github.com/testcontainers/testcontainers-go"
)

const (
	neo4jImage = "neo4j:5.26-community"

	// Memory of a test's Neo4j in a container, in MB: that of Kith's own by default. The page cache is enough for fixtures of some
	// 100,000 relationships, and small enough for a CI machine.
	neo4jHeap, neo4jTransaction, neo4jTransactions, neo4jPageCache = 1024, 512, 640, 256

	// By default, Neo4j plans a statement again after ten seconds if its data have grown, which they do throughout a run
	// of tests: a seventh of the run was planning.
	replanInterval = "1h"

	// All tests together have more statements than Kith's own Neo4j keeps plans of.
	keptPlans = 4000
)

// Neo4jServer is a Neo4j of one test, which may stop it. Its methods are called from the test's goroutine, and fail the
// test on errors.
type Neo4jServer struct {
	*pauser
	db Database
}

// StartNeo4j starts an empty Neo4j for this test alone, and stops it when the test ends. It takes some ten seconds. settings are lines of
// neo4j.conf.
func StartNeo4j(t testing.TB, settings ...string) *Neo4jServer {
	t.Helper()
	got, err := anyWay(t.Context(), "Neo4j", func(ctx context.Context) (source[Database], error) {
		port, err := freePort()
		if err != nil {
			return source[Database]{}, err
		}
		return neo4jContainer(ctx, port, settings...)
	}, func(ctx context.Context) (source[Database], error) { return neo4jEmbedded(ctx, settings...) })
	if err != nil {
		t.Fatalf("testenv: %v", err)
	}
	return &Neo4jServer{newPauser(t, got.server), got.value}
}

// Database returns its address and login, which stay the same over Stop and Start.
func (s *Neo4jServer) Database() Database { return s.db }

// Stop stops it: when it returns, connections are refused. The data stay.
func (s *Neo4jServer) Stop() { s.t.Helper(); must(s.t, "stop Neo4j", stopTimeout, s.server.stop) }

// Start restarts it after Stop: when it returns, it answers.
func (s *Neo4jServer) Start() { s.t.Helper(); must(s.t, "start Neo4j", startTimeout, s.server.start) }

// must fails the test if do does not succeed in time. It may be called from t.Cleanup, where t.Context has ended.
func must(t testing.TB, what string, timeout time.Duration, do func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	if err := do(ctx); err != nil {
		t.Fatalf("testenv: %s: %v", what, err)
	}
}

// closeServer closes a server in t.Cleanup.
func closeServer(t testing.TB, s server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if err := s.close(ctx); err != nil {
		t.Errorf("testenv: stop the server of the test: %v", err)
	}
}

// givenNeo4j returns the database of the KITH_TEST_NEO4J_ variables; ok reports whether there is a URI.
func givenNeo4j(lookup func(string) (string, bool)) (db Database, ok bool) {
	get := func(name, fallback string) string {
		if v, _ := lookup("KITH_TEST_NEO4J_" + name); v != "" {
			return v
		}
		return fallback
	}
	db = Database{get("URI", ""), get("USER", "neo4j"), get("PASSWORD", ""), get("DATABASE", "neo4j")}
	return db, db.URI != ""
}

func neo4jContainer(ctx context.Context, hostPort int, settings ...string) (source[Database], error) {
	db := Database{User: "neo4j", Password: rand.Text(), Database: "neo4j"}
	environ := map[string]string{
		"NEO4J_AUTH":                                                    db.User + "/" + db.Password,
		"NEO4J_server_memory_heap_initial__size":                        "256m",
		"NEO4J_server_memory_heap_max__size":                            fmt.Sprintf("%dm", neo4jHeap),
		"NEO4J_db_memory_transaction_max":                               fmt.Sprintf("%dm", neo4jTransaction),
		"NEO4J_dbms_memory_transaction_total_max":                       fmt.Sprintf("%dm", neo4jTransactions),
		"NEO4J_server_memory_pagecache_size":                            fmt.Sprintf("%dm", neo4jPageCache),
		"NEO4J_dbms_usage__report_enabled":                              "false",
		"NEO4J_db_tx__log_preallocate":                                  "false",
		"NEO4J_dbms_cypher_min__replan__interval":                       replanInterval,
		"NEO4J_server_memory_query__cache_per__db__cache__num__entries": strconv.Itoa(keptPlans),
	}
	for _, setting := range settings {
		name, value, _ := strings.Cut(setting, "=")
		environ["NEO4J_"+strings.ReplaceAll(strings.ReplaceAll(name, "_", "__"), ".", "_")] = value
	}
	ctr, address, err := runContainer(ctx, neo4jImage, 7687, hostPort, testcontainers.WithEnv(environ))
	if err != nil {
		return source[Database]{}, err
	}
	db.URI = "bolt://" + address
	ctr.ping = func(ctx context.Context) error { return pingNeo4j(ctx, db) }
	if err := ctr.ready(ctx); err != nil {
		return source[Database]{}, err
	}
	return source[Database]{db, "container " + neo4jImage + " at " + db.URI, ctr}, nil
}

// pingNeo4j returns nil if the database answers a query.
func pingNeo4j(ctx context.Context, db Database) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	driver, err := neo4j.NewDriverWithContext(db.URI, neo4j.BasicAuth(db.User, db.Password, ""), func(c *config.Config) {
		c.SocketConnectTimeout = pingTimeout
		c.MaxTransactionRetryTime = 0
	})
	if err != nil {
		return fmt.Errorf("%w (%w)", err, errHopeless)
	}
	defer driver.Close(ctx)
	_, err = neo4j.ExecuteQuery(ctx, driver, "RETURN 1", nil, neo4j.EagerResultTransformer,
		neo4j.ExecuteQueryWithDatabase(db.Database))
	var refused *neo4j.Neo4jError
	if errors.As(err, &refused) && strings.HasPrefix(refused.Code, "Neo.ClientError.") { // the password, the database
		return fmt.Errorf("%w (%w)", err, errHopeless)
	}
	return err
}

// neo4jEmbedded starts the embedded Neo4j of Kith.
func neo4jEmbedded(ctx context.Context, settings ...string) (source[Database], error) {
	dir, err := os.MkdirTemp("", "kith-test-neo4j-")
	if err != nil {
		return source[Database]{}, err
	}
	local := &localNeo4j{dir: dir, settings: settings}
	if err := local.start(ctx); err != nil {
		return source[Database]{}, errors.Join(err, os.RemoveAll(dir))
	}
	e := local.endpoint
	db := Database{e.URI, e.User, e.Password, "neo4j"}
	return source[Database]{db, "embedded at " + db.URI, local}, nil
}

// localNeo4j is an embedded Neo4j with its data in a temporary folder.
type localNeo4j struct {
	dir      string
	settings []string
	endpoint embedded.Endpoint // of the first start
	running  *embedded.Server  // nil while stopped
}

func (n *localNeo4j) start(ctx context.Context) error {
	if n.running != nil {
		return errors.New("it runs already")
	}
	started, err := embedded.Start(ctx, embedded.Options{
		Dir: filepath.Join(n.dir, "data"), PageCacheMB: neo4jPageCache,
		Neo4jHome: os.Getenv(neo4jHomeVariable),
		Settings: append(append(strings.Fields(os.Getenv("KITH_TEST_NEO4J_SETTINGS")), n.settings...), "dbms.cypher.min_replan_interval="+replanInterval,
			"server.memory.query_cache.per_db_cache_num_entries="+strconv.Itoa(keptPlans)),
	})
	if err != nil {
		return err
	}
	n.running = started
	switch e := started.Endpoint(); n.endpoint {
	case embedded.Endpoint{}:
		n.endpoint = e
	case e:
	default: // another process took the port meanwhile
		return fmt.Errorf("it came back at %s, not at %s", e.URI, n.endpoint.URI)
	}
	return nil
}

func (n *localNeo4j) stop(ctx context.Context) error {
	if n.running == nil {
		return nil
	}
	stopping := n.running
	n.running = nil
	return stopping.Close(ctx)
}

func (n *localNeo4j) pause(context.Context) error {
	return syscall.Kill(n.running.PID(), syscall.SIGSTOP)
}
func (n *localNeo4j) resume(context.Context) error {
	return syscall.Kill(n.running.PID(), syscall.SIGCONT)
}

func (n *localNeo4j) close(ctx context.Context) error {
	return errors.Join(n.stop(ctx), os.RemoveAll(n.dir))
}
