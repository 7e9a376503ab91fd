package testenv

import (
	"context"
	"errors"
	"net"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

func TestMain(m *testing.M) { Main(m) }

func TestTeam(t *testing.T) {
	t.Run("With Ünusual/Characters_and a name that goes on and on", func(t *testing.T) {
		a, b := Team(t), Team(t)
		if a == b {
			t.Errorf("twice the same team: %s", a)
		}
		if !regexp.MustCompile(`^t-[a-z][a-z0-9-]*-[a-z2-7]{8}$`).MatchString(a) || len(a) > 40 {
			t.Errorf("team %q", a)
		}
	})
}

func TestGivenNeo4j(t *testing.T) {
	lookup := func(env map[string]string) func(string) (string, bool) {
		return func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	}
	if db, ok := givenNeo4j(lookup(map[string]string{"KITH_TEST_NEO4J_USER": "u", "KITH_TEST_NEO4J_URI": ""})); ok {
		t.Errorf("without a URI: %+v", db)
	}
	got, ok := givenNeo4j(lookup(map[string]string{"KITH_TEST_NEO4J_URI": "bolt://h:1", "KITH_TEST_NEO4J_PASSWORD": "p"}))
	if diff := cmp.Diff(Database{"bolt://h:1", "neo4j", "p", "neo4j"}, got); !ok || diff != "" {
		t.Errorf("ok=%v, -want +got:\n%s", ok, diff)
	}
}

func TestAnyWay(t *testing.T) {
	fails := func(reason string) start[string] {
		return func(context.Context) (source[string], error) { return source[string]{}, errors.New(reason) }
	}
	works := func(way string) start[string] {
		return func(context.Context) (source[string], error) { return source[string]{way: way}, nil }
	}
	noDocker := func(context.Context) (source[string], error) { return source[string]{}, errNoDocker }
	for _, c := range []struct {
		name, with       string
		container, local start[string]
		way              string
		reasons          []string // all in the error
	}{
		{"a container first", "", works("container"), works("local"), "container", nil},
		{"local without an engine", "", noDocker, works("local"), "local", nil},
		{"local where the container fails, and why", "", fails("no image"), works("local"), "local (as a container: no image)", nil},
		{"neither", "", fails("no image"), fails("no Java"), "", []string{"no image", "no Java"}},
		{"containers only", "containers", fails("no image"), works("local"), "", []string{"no image", "KITH_TEST_WITH=containers"}},
		{"local only", "local", works("container"), works("local"), "local", nil},
		{"local only, impossible", "local", works("container"), fails("no Java"), "", []string{"no Java", "KITH_TEST_WITH=local"}},
		{"unknown", "podman", works("container"), works("local"), "", []string{"podman"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("KITH_TEST_WITH", c.with)
			got, err := anyWay(t.Context(), "Neo4j", c.container, c.local)
			if (err != nil) != (c.reasons != nil) {
				t.Fatalf("error: %v", err)
			}
			if got.way != c.way {
				t.Errorf("way %q, want %q", got.way, c.way)
			}
			for _, r := range c.reasons {
				if !strings.Contains(err.Error(), r) {
					t.Errorf("error lacks %q: %v", r, err)
				}
			}
		})
	}
}

// A stack uses a given server, and reports when that does not answer.
func TestStackOfGivenServers(t *testing.T) {
	uri := Redis(t)
	t.Setenv("KITH_TEST_REDIS_URI", uri)
	var given Stack
	if got, err := given.Redis(t.Context()); err != nil || got != uri {
		t.Errorf("got %q, %v", got, err)
	}
	if err := given.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if err := pingRedis(t.Context(), uri); err != nil {
		t.Errorf("a given server was stopped: %v", err)
	}

	wrong := regexp.MustCompile(`:[^:@]*@`).ReplaceAllString(uri, ":wrong@")
	t.Setenv("KITH_TEST_REDIS_URI", wrong)
	var refused Stack
	if _, err := refused.Redis(t.Context()); !errors.Is(err, errHopeless) || !strings.Contains(err.Error(), "KITH_TEST_REDIS_URI") {
		t.Errorf("with a wrong password: %v", err)
	}
}

func TestStackClosed(t *testing.T) {
	var s Stack
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Redis(t.Context()); !errors.Is(err, errClosed) {
		t.Errorf("a closed stack gave a Redis: %v", err)
	}
}

func TestNeo4jAnswers(t *testing.T) {
	t.Parallel()
	if a, b := Neo4j(t), Neo4j(t); a != b {
		t.Errorf("two servers in one run: %+v, %+v", a, b)
	}
	if err := pingNeo4j(t.Context(), Neo4j(t)); err != nil {
		t.Error(err)
	}
}

func TestStartRedis(t *testing.T) {
	t.Parallel()
	s := StartRedis(t)
	ping := func() error { return pingRedis(t.Context(), s.URI()) }
	if err := ping(); err != nil {
		t.Fatal(err)
	}

	s.Pause()
	var timeout net.Error
	if err := ping(); !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Errorf("paused, want a timeout, got %v", err)
	}
	s.Resume()
	if err := ping(); err != nil {
		t.Errorf("resumed: %v", err)
	}

	s.Pause()
	s.Stop()
	if err := ping(); err == nil {
		t.Error("stopped, and it answers")
	}
	s.Start()
	if err := ping(); err != nil {
		t.Errorf("started again: %v", err)
	}
	s.Pause() // the end of the test copes with that
}

func TestStartNeo4j_slow(t *testing.T) {
	t.Parallel()
	s := StartNeo4j(t)
	db := s.Database()
	driver, err := neo4j.NewDriverWithContext(db.URI, neo4j.BasicAuth(db.User, db.Password, ""))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = driver.Close(context.Background()) })
	query := func(cypher string) (int, error) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		got, err := neo4j.ExecuteQuery(ctx, driver, cypher, nil, neo4j.EagerResultTransformer)
		if err != nil {
			return 0, err
		}
		return len(got.Records), nil
	}
	if _, err := query("CREATE (:Kept)"); err != nil {
		t.Fatal(err)
	}

	s.Stop()
	if conn, err := net.DialTimeout("tcp", strings.TrimPrefix(db.URI, "bolt://"), time.Second); err == nil {
		conn.Close()
		t.Error("stopped, and it takes connections")
	}
	s.Start()
	if n, err := query("MATCH (n:Kept) RETURN n"); n != 1 || err != nil {
		t.Errorf("after a restart %d nodes, want 1; %v", n, err)
	}
}

// A server that does not start reports why.
func TestProcessReasons(t *testing.T) {
	p := &process{path: "/bin/sh", args: []string{"-c", "echo port is taken >&2; exit 3"}, dir: os.TempDir(),
		ping: func(context.Context) error { return errors.New("refused") }}
	if err := p.start(t.Context()); err == nil || !strings.Contains(err.Error(), "port is taken") {
		t.Errorf("got %v", err)
	}
}

func TestStartPostgres(t *testing.T) {
	t.Parallel()
	s := StartPostgres(t)
	ask := func(statement string) (n int) {
		t.Helper()
		conn, err := pgx.Connect(t.Context(), s.URI())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close(t.Context()) }()
		if err := conn.QueryRow(t.Context(), statement).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if ask(`SELECT count(*) WHERE 'a' < 'B' AND 'B' < 'c'`) != 1 {
		t.Error("it sorts by bytes: statements that should ask for that would pass without")
	}
	ask(`WITH made AS (SELECT lo_create(4711)) SELECT count(*) FROM made`)
	s.Stop()
	if err := pingPostgres(t.Context(), s.URI()); err == nil {
		t.Error("stopped, and it answers")
	}
	s.Start()
	if ask(`SELECT count(*) FROM pg_largeobject_metadata WHERE oid = 4711`) != 1 {
		t.Error("what was there before the restart is gone")
	}
}
