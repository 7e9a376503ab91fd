package testenv

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/testcontainers/testcontainers-go"
)

const postgresImage = "postgres:16-alpine"

// language makes the databases of tests sort by English rules unless a statement sets a collation, which shows
// statements without one.
var language = []string{"--encoding=UTF8", "--locale=C", "--locale-provider=icu", "--icu-locale=en"}

// PostgresServer is a PostgreSQL of one test, which may stop it. Its methods are called from the test's goroutine, and
// fail the test on errors.
type PostgresServer struct {
	t      testing.TB
	uri    string
	server server
}

// StartPostgres starts an empty PostgreSQL for this test alone, and stops it when the test ends. It takes some seconds.
func StartPostgres(t testing.TB) *PostgresServer {
	t.Helper()
	got, err := anyWay(t.Context(), "PostgreSQL", func(ctx context.Context) (source[string], error) {
		port, err := freePort()
		if err != nil {
			return source[string]{}, err
		}
		return postgresContainer(ctx, port)
	}, postgresProcess)
	if err != nil {
		t.Fatalf("testenv: %v", err)
	}
	t.Cleanup(func() { closeServer(t, got.server) })
	return &PostgresServer{t, got.value, got.server}
}

// URI returns its address: postgres://…, with password. It stays the same over Stop and Start.
func (s *PostgresServer) URI() string { return s.uri }

// Stop stops it: when it returns, connections are refused. The data stay.
func (s *PostgresServer) Stop() {
	s.t.Helper()
	must(s.t, "stop PostgreSQL", stopTimeout, s.server.stop)
}

// Start restarts it after Stop: when it returns, it answers.
func (s *PostgresServer) Start() {
	s.t.Helper()
	must(s.t, "start PostgreSQL", startTimeout, s.server.start)
}

func postgresURI(address, password string) string {
	return "postgres://kith:" + password + "@" + address + "/postgres?sslmode=disable"
}

func postgresContainer(ctx context.Context, hostPort int) (source[string], error) {
	password := rand.Text()
	ctr, address, err := runContainer(ctx, postgresImage, 5432, hostPort, testcontainers.WithEnv(map[string]string{
		"POSTGRES_USER": "kith", "POSTGRES_PASSWORD": password, "POSTGRES_DB": "postgres",
		"POSTGRES_INITDB_ARGS": strings.Join(language, " "),
	}))
	if err != nil {
		return source[string]{}, err
	}
	uri := postgresURI(address, password)
	ctr.ping = func(ctx context.Context) error { return pingPostgres(ctx, uri) }
	if err := ctr.ready(ctx); err != nil {
		return source[string]{}, err
	}
	return source[string]{uri, "container " + postgresImage + " at postgres://" + address, ctr}, nil
}

// postgresProcess starts the installed PostgreSQL. It retries with another port, as another process may take a free
// one.
func postgresProcess(ctx context.Context) (source[string], error) {
	bin, err := postgresPrograms()
	if err != nil {
		return source[string]{}, err
	}
	as, err := postgresUser()
	if err != nil {
		return source[string]{}, err
	}
	folder, err := os.MkdirTemp("", "kith-test-postgres-")
	if err != nil {
		return source[string]{}, err
	}
	password := rand.Text()
	if err := initPostgres(ctx, bin, folder, password, as); err != nil {
		return source[string]{}, errors.Join(err, os.RemoveAll(folder))
	}
	for range 3 {
		var port int
		if port, err = freePort(); err != nil {
			break
		}
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		uri := postgresURI(address, password)
		p := &process{
			path: filepath.Join(bin, "postgres"), dir: folder, kept: folder, user: as,
			end: syscall.SIGINT, // the fast shutdown: connections end, data are kept
			args: []string{"-D", filepath.Join(folder, "data"), "-h", "127.0.0.1", "-p", strconv.Itoa(port), "-k", "", "-N", "200",
				"-F"}, // -F: no fsync, as nothing outlives the machine
			ping: func(ctx context.Context) error { return pingPostgres(ctx, uri) },
		}
		if err = p.start(ctx); err == nil {
			return source[string]{uri, "postgres at postgres://" + address, p}, nil
		}
	}
	return source[string]{}, errors.Join(err, os.RemoveAll(folder))
}

// postgresPrograms returns the folder of initdb and postgres: from the PATH, else the newest of Debian's or Homebrew's.
func postgresPrograms() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		path, err = filepath.EvalSymlinks(path)
		return filepath.Dir(path), err
	}
	var found []string
	for _, folder := range []string{"/usr/lib/postgresql/*", "/opt/homebrew/opt/postgresql@*", "/usr/local/opt/postgresql@*"} {
		folders, _ := filepath.Glob(folder + "/bin/initdb")
		found = append(found, folders...)
	}
	if len(found) == 0 {
		return "", errors.New("no initdb on the PATH, in /usr/lib/postgresql, or of Homebrew")
	}
	slices.SortFunc(found, func(a, b string) int { return major(a) - major(b) })
	return filepath.Dir(found[len(found)-1]), nil
}

var beforeBin = regexp.MustCompile(`(\d+)/bin/initdb$`)

// major returns the major version of a path: 15 of /usr/lib/postgresql/15/bin/initdb.
func major(path string) int {
	n, _ := strconv.Atoi(append(beforeBin.FindStringSubmatch(path), "", "")[1])
	return n
}

// postgresUser returns the user to run PostgreSQL as if this process is root, which it refuses; else nil.
func postgresUser() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		return nil, fmt.Errorf("PostgreSQL does not run as root: %w", err)
	}
	uid, err := strconv.ParseUint(account.Uid, 10, 32)
	gid, err2 := strconv.ParseUint(account.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, errors.Join(err, err2)
}

// initPostgres creates the files of a server in folder/data, owned by the server's user.
func initPostgres(ctx context.Context, bin, folder, password string, as *syscall.Credential) error {
	secret := filepath.Join(folder, "password")
	if err := os.WriteFile(secret, []byte(password), 0o600); err != nil {
		return err
	}
	if as != nil {
		for _, path := range []string{folder, secret} {
			if err := os.Chown(path, int(as.Uid), int(as.Gid)); err != nil {
				return err
			}
		}
	}
	args := append([]string{
		"-D", filepath.Join(folder, "data"), "-U", "kith", "--pwfile", secret, "--auth=scram-sha-256", "--no-sync",
	}, language...)
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "initdb"), args...)
	cmd.Dir, cmd.SysProcAttr = folder, &syscall.SysProcAttr{Credential: as}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb (PostgreSQL 15 or newer is needed): %w: %s", err, oneLine(string(out)))
	}
	return nil
}

// pingPostgres returns nil if a PostgreSQL answers a query.
func pingPostgres(ctx context.Context, uri string) error {
	if u, err := url.Parse(uri); err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return fmt.Errorf("not of the form postgres://user:password@host:port/database: %w", errHopeless)
	}
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, uri)
	var refused *pgconn.PgError
	if errors.As(err, &refused) && (strings.HasPrefix(refused.Code, "28") || refused.Code == "3D000") { // the login, the database
		return fmt.Errorf("%w (%w)", err, errHopeless)
	}
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	return conn.Ping(ctx)
}
