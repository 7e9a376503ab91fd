package postgres

import (
	"context"
	"errors"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"kith/graph"
	"kith/internal/testenv"
	"kith/preference"
	"kith/preference/preferencetest"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// schemaOf returns the address of a new schema for this test.
func schemaOf(t *testing.T, server string) string {
	t.Helper()
	name := testenv.Team(t)
	exec(t, server, `CREATE SCHEMA "`+name+`"`)
	return withSetting(t, server, "search_path", `"`+name+`"`)
}

// withSetting returns an address with one more setting.
func withSetting(t *testing.T, uri, name, value string) string {
	t.Helper()
	u, err := url.Parse(uri)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set(name, value)
	u.RawQuery = q.Encode()
	return u.String()
}

// exec runs a statement directly, without the store.
func exec(t *testing.T, uri, statement string) {
	t.Helper()
	s := open(t, uri, Options{})
	if _, err := s.pool.Exec(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, uri string, o Options) *Store {
	t.Helper()
	s, err := Open(t.Context(), uri, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// newStore returns a store with its tables in a new schema.
func newStore(t *testing.T, server string, o Options) *Store {
	t.Helper()
	s := open(t, schemaOf(t, server), o)
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestPreferenceContract(t *testing.T) {
	t.Parallel()
	server := testenv.Postgres(t)
	s := newStore(t, server, Options{})
	t.Run("directly", func(t *testing.T) { preferencetest.Run(t, s) })
	// The setting for a pooler, see docs/operations.md.
	pooled := newStore(t, withSetting(t, server, "default_query_exec_mode", "exec"), Options{})
	t.Run("without prepared statements", func(t *testing.T) { preferencetest.Run(t, pooled) })
}

// A replaced preference keeps its time of creation.
func TestTimes(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 4, 12, 0, 0, 123_456_789, time.UTC)
	s := newStore(t, testenv.Postgres(t), Options{Now: func() time.Time { return now }})
	scope := graph.Scope{TeamID: "t", UserID: "u"}
	put := func(keys ...string) {
		var all []preference.Preference
		for _, key := range keys {
			all = append(all, preference.Preference{Key: key, Value: []byte(`1`)})
		}
		if err := s.ReplacePreferences(t.Context(), scope, all); err != nil {
			t.Fatal(err)
		}
	}
	put("old", "gone")
	first := now.Truncate(time.Millisecond)
	now = now.Add(time.Hour)
	put("old", "new")
	for key, want := range map[string]time.Time{"old": first, "new": first.Add(time.Hour)} {
		var created, updated time.Time
		err := s.pool.QueryRow(t.Context(), `SELECT created_at, updated_at FROM kith_preference WHERE key = $1`, key).Scan(&created, &updated)
		if err != nil || !created.Equal(want) || !updated.Equal(first.Add(time.Hour)) {
			t.Errorf("%s: made %v, changed %v; %v", key, created, updated, err)
		}
	}
}

func TestMigrateAtOnceAndAgain(t *testing.T) {
	t.Parallel()
	uri := schemaOf(t, testenv.Postgres(t))
	for range 2 {
		var all errgroup.Group
		for range 8 {
			s := open(t, uri, Options{})
			all.Go(func() error { return s.Migrate(t.Context()) })
		}
		if err := all.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	var rows, newest int
	err := open(t, uri, Options{}).pool.QueryRow(t.Context(), `SELECT count(*), max(version) FROM kith_preference_schema`).Scan(&rows, &newest)
	if known := len(readMigrations()); err != nil || rows != known || newest != known {
		t.Errorf("%d rows, the newest %d, want %d; %v", rows, newest, known, err)
	}
}

// A migration that fails leaves nothing, and is done when it can be.
func TestMigrateIsWholeOrNot(t *testing.T) {
	t.Parallel()
	uri := schemaOf(t, testenv.Postgres(t))
	s := open(t, uri, Options{})
	exec(t, uri, `CREATE TABLE kith_preference (someone_elses int)`)
	if err := s.Migrate(t.Context()); !errors.Is(err, graph.ErrUnavailable) {
		t.Errorf("migrated over another table: %v", err)
	}
	exec(t, uri, `DROP TABLE kith_preference`)
	if err := s.Migrate(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := s.Preferences(t.Context(), graph.Scope{TeamID: "t", UserID: "u"}); err != nil {
		t.Error(err)
	}
}

func TestNewerSchemaIsRefused(t *testing.T) {
	t.Parallel()
	s := newStore(t, testenv.Postgres(t), Options{})
	if _, err := s.pool.Exec(t.Context(), `INSERT INTO kith_preference_schema VALUES (999, now())`); err != nil {
		t.Fatal(err)
	}
	if err := s.Migrate(t.Context()); !errors.Is(err, graph.ErrSchemaNewer) {
		t.Errorf("got %v", err)
	}
}

func TestEncodingMustBeUTF8(t *testing.T) {
	t.Parallel()
	server := testenv.Postgres(t)
	name := testenv.Team(t)
	exec(t, server, `CREATE DATABASE "`+name+`" TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LOCALE 'C'`)
	u, _ := url.Parse(server)
	u.Path = "/" + name
	err := open(t, u.String(), Options{}).Migrate(t.Context())
	if err == nil || errors.Is(err, graph.ErrUnavailable) || !strings.Contains(err.Error(), "UTF8") {
		t.Errorf("got %v", err) // to wait would not help
	}
}

// secret is part of addresses and values, and must not be in an error.
const secret = "hush-hush"

func TestErrorsTellNoSecrets(t *testing.T) {
	t.Parallel()
	for _, uri := range []string{
		"", "postgres://u:" + secret + "@host:port/db", "mysql://u:" + secret + "@h/db?sslmode=" + secret, secret, "postgres://" + secret + "%zz",
	} {
		if s, err := Open(t.Context(), uri, Options{}); err == nil {
			s.Close()
			t.Errorf("%q is an address", uri)
		} else if strings.Contains(err.Error(), secret) {
			t.Errorf("the error repeats the address: %v", err)
		}
	}
	login, _ := url.Parse(testenv.Postgres(t))
	login.User = url.UserPassword("nobody", secret)
	nowhere := "postgres://u:" + secret + "@127.0.0.1:1/" + secret
	for _, uri := range []string{login.String(), nowhere} {
		s := open(t, uri, Options{})
		scope := graph.Scope{TeamID: secret, UserID: secret}
		_, read := s.Preferences(t.Context(), scope)
		write := s.ReplacePreferences(t.Context(), scope, []preference.Preference{{Key: secret, Value: []byte(`"` + secret + `"`)}})
		for _, err := range []error{read, write, s.Migrate(t.Context())} {
			if !errors.Is(err, graph.ErrUnavailable) || strings.Contains(err.Error(), secret) {
				t.Errorf("got %v", err)
			}
		}
	}
}

// A PostgreSQL that accepts connections and does not answer takes at most the caller's time, or the connect timeout.
func TestHangingServer(t *testing.T) {
	t.Parallel()
	silent, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }()
	s := open(t, "postgres://u:p@"+silent.Addr().String()+"/db?sslmode=disable", Options{})
	for _, deadline := range []time.Duration{200 * time.Millisecond, time.Minute} {
		ctx, cancel := context.WithTimeout(t.Context(), deadline)
		defer cancel()
		begun := time.Now()
		_, err := s.Preferences(ctx, graph.Scope{TeamID: "t", UserID: "u"})
		if took := time.Since(begun); !errors.Is(err, graph.ErrUnavailable) || took > min(deadline, 2*connectTimeout)+2*time.Second {
			t.Errorf("%v after %v", err, took)
		}
	}
}

// PostgreSQL restarts under a pool of connections: while it is down callers get an error at once, and when it is back all
// that was acknowledged is there, and no call meets a dead connection.
func TestOutage(t *testing.T) {
	t.Parallel()
	server := testenv.StartPostgres(t)
	outcomes := make(chan error, 1000)
	s := newStore(t, server.URI(), Options{Observe: func(_ string, _ time.Duration, err error) { outcomes <- err }})
	scope := graph.Scope{TeamID: "t", UserID: "u"}
	want := []preference.Preference{{Key: "k", Value: []byte(`1`)}}
	if err := s.ReplacePreferences(t.Context(), scope, want); err != nil {
		t.Fatal(err)
	}
	everybody := func(do func(i int) error) {
		t.Helper()
		var all errgroup.Group
		for i := range 2 * maxConnections {
			all.Go(func() error { return do(i) })
		}
		if err := all.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	readOrWrite := func(i int) error {
		if i%2 == 0 {
			return s.ReplacePreferences(t.Context(), scope, want)
		}
		found, err := s.Preferences(t.Context(), scope)
		if err == nil && (len(found) != 1 || string(found[0].Value) != "1") {
			t.Errorf("found %v", found)
		}
		return err
	}
	everybody(readOrWrite) // fills the pool
	for range 2 {
		server.Stop()
		everybody(func(i int) error {
			begun := time.Now()
			if err := readOrWrite(i); !errors.Is(err, graph.ErrUnavailable) || time.Since(begun) > 5*time.Second {
				t.Errorf("while it is away: %v after %v", err, time.Since(begun))
			}
			return nil
		})
		server.Start()
		everybody(readOrWrite)
		server.Stop()
		server.Start()
		everybody(readOrWrite) // no connection was checked: the whole pool is dead
	}
	if len(outcomes) == 0 {
		t.Error("nothing was observed")
	}
}
