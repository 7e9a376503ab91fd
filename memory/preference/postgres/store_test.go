package postgres

import (
	"context"
	"errors"
	"net"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"kith/graph"
	"kith/memory/preference"
	"kith/tests/preferencetest"
	"kith/tests/testenv"
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

// A replaced preference keeps its time of creation. One whose value stays is not changed.
func TestTimes(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 4, 12, 0, 0, 123_456_789, time.UTC)
	s := newStore(t, testenv.Postgres(t), Options{Now: func() time.Time { return now }})
	scope := graph.Scope{TeamID: "t", UserID: "u"}
	put := func(value string, keys ...string) {
		all := []preference.Preference{{Key: "same", Value: []byte(`0`)}}
		for _, key := range keys {
			all = append(all, preference.Preference{Key: key, Value: []byte(value)})
		}
		if err := s.ReplacePreferences(t.Context(), scope, all); err != nil {
			t.Fatal(err)
		}
	}
	put("1", "old", "gone")
	first := now.Truncate(time.Millisecond)
	now = now.Add(time.Hour)
	put("2", "old", "new")
	later := first.Add(time.Hour)
	for key, want := range map[string][2]time.Time{"same": {first, first}, "old": {first, later}, "new": {later, later}} {
		var created, updated time.Time
		err := s.pool.QueryRow(t.Context(), `SELECT created_at, updated_at FROM kith_preference WHERE key = $1`, key).Scan(&created, &updated)
		if err != nil || !created.Equal(want[0]) || !updated.Equal(want[1]) {
			t.Errorf("%s: made %v, changed %v; %v", key, created, updated, err)
		}
	}
}

// TestChangesReachTheFeed checks that each change of a value is reported once, after it was made, and that those that could not be
// reported are reported by Flush, in whatever order things fail.
func TestChangesReachTheFeed(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	s := newStore(t, testenv.Postgres(t), Options{Now: func() time.Time { return now }})
	scope := graph.Scope{TeamID: "t", UserID: "u"}
	var reported []string
	var away error
	s.Report(func(_ context.Context, team string, changes []preference.Change) error {
		if away != nil {
			return away
		}
		for _, c := range changes {
			reported = append(reported, team+" "+c.UserID+" "+c.Key+" "+string(c.Op))
		}
		slices.Sort(reported)
		return nil
	})
	put := func(all ...preference.Preference) {
		t.Helper()
		if err := s.ReplacePreferences(t.Context(), scope, all); err != nil {
			t.Fatal(err)
		}
	}
	is := func(what string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, reported); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
		reported = nil
	}
	flush := func() {
		t.Helper()
		if err := s.Flush(t.Context()); err != nil {
			t.Error(err)
		}
	}
	one := func(key, value string) preference.Preference {
		return preference.Preference{Key: key, Value: []byte(value)}
	}
	put(one("a", "1"), one("b", "1"))
	is("created", "t u a created", "t u b created")
	put(one("a", "1"), one("b", "2"), one("c", "1"))
	is("one is the same", "t u b updated", "t u c created")
	put(one("b", "2"))
	is("deleted", "t u a deleted", "t u c deleted")
	if err := s.SetPreference(t.Context(), scope, one("b", "2")); err != nil {
		t.Fatal(err)
	}
	is("set to what it is")
	away = graph.ErrUnavailable
	put(one("d", "1"))
	if err := s.DeletePreference(t.Context(), scope, "d"); err != nil {
		t.Fatal(err)
	}
	is("the graph is away")
	away = nil
	flush()
	is("a moment later")
	now = now.Add(flushEvery)
	flush()
	is("a minute later", "t u b deleted", "t u d created", "t u d deleted")
	flush()
	is("again")

	away = graph.ErrUnavailable
	put(one("e", "1"))
	if _, err := s.ErasePreferences(t.Context(), scope); err != nil {
		t.Fatal(err)
	}
	away, now = nil, now.Add(time.Hour)
	flush()
	is("of an erased user")
}

// TestHistoryIsBounded checks that former values are dropped after their time, and that a preference keeps at most mostFormer.
func TestHistoryIsBounded(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	s := newStore(t, testenv.Postgres(t), Options{Now: func() time.Time { return now }, KeepHistory: time.Hour})
	count := func(user string) (n int) {
		t.Helper()
		if err := s.pool.QueryRow(t.Context(), `SELECT count(*) FROM kith_preference_history WHERE user_id = $1`, user).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	set := func(user, value string) {
		t.Helper()
		now = now.Add(time.Second)
		if err := s.SetPreference(t.Context(), graph.Scope{TeamID: "t", UserID: user}, preference.Preference{Key: "k", Value: []byte(value)}); err != nil {
			t.Fatal(err)
		}
	}
	set("u", "1")
	set("u", "2")
	set("u", "3")
	set("v", "1")
	if n := count("u"); n != 2 {
		t.Errorf("%d former values are kept, not 2", n)
	}
	now = now.Add(time.Hour)
	if err := s.Purge(t.Context()); err != nil {
		t.Error(err)
	}
	if n := count("u"); n != 0 {
		t.Errorf("%d former values are kept after their time", n)
	}
	set("v", "2")
	if _, err := s.pool.Exec(t.Context(), `INSERT INTO kith_preference_history SELECT 't', 'u', 'k', '0', $1, $1, NULL, $1::timestamptz + i * interval '1 ms', false
		FROM generate_series(1, $2) AS i`, now, mostFormer+10); err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Minute)
	set("u", "4")
	if n := count("u"); n != mostFormer {
		t.Errorf("%d former values are kept, not %d", n, mostFormer)
	}
	if n := count("v"); n != 1 {
		t.Errorf("another user has %d", n)
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

// The network holds a commit back until the caller has given up, and delivers it later. The listeners are called again after that, also
// while another transaction is open that began before.
func TestACommitInDoubt(t *testing.T) {
	t.Parallel()
	address := schemaOf(t, testenv.Postgres(t))
	direct := open(t, address, Options{})
	if err := direct.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	gate := testenv.NewGate(t, address)
	ctx, giveUp := context.WithCancel(t.Context())
	calls, release := make(chan string, 10), func() {}
	s := open(t, gate.URI, Options{
		Committing: func(graph.Change) func() {
			calls <- "committing"
			release = gate.Hold()
			time.AfterFunc(500*time.Millisecond, giveUp)
			return func() { calls <- "ended" }
		},
		Changed: func(context.Context, graph.Change) { calls <- "changed" },
		InDoubt: func(c graph.Change) func() {
			calls <- "in doubt of " + c.Users[0]
			return func() { calls <- "settled" }
		},
	})
	next := func(want string) {
		t.Helper()
		select {
		case call := <-calls:
			if call != want {
				t.Errorf("%s, want %s", call, want)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("no call, want %s", want)
		}
	}
	stored := func(want int) {
		t.Helper()
		if got, err := direct.Preferences(t.Context(), graph.Scope{TeamID: "t", UserID: "u"}); len(got) != want || err != nil {
			t.Errorf("stored: %v, %v", got, err)
		}
	}
	other, err := direct.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Rollback(context.WithoutCancel(t.Context())) }()
	err = s.ReplacePreferences(ctx, graph.Scope{TeamID: "t", UserID: "u"}, []preference.Preference{{Key: "k", Value: []byte("1")}})
	if !errors.Is(err, graph.ErrInDoubt) || !errors.Is(err, context.Canceled) {
		t.Fatalf("a commit without an answer: %v", err)
	}
	for _, want := range []string{"committing", "changed", "in doubt of u", "ended"} {
		next(want)
	}
	select {
	case call := <-calls:
		t.Errorf("%s before the commit", call)
	case <-time.After(500 * time.Millisecond):
	}
	stored(0)
	release()
	next("changed")
	stored(1)
	next("settled")
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
