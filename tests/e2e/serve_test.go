package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	program "kith/cmd/kith/command"
	"kith/tests/testenv"
)

// streams are those of a command.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// run runs a command as the program does, in this process, and returns its exit status.
func run(ctx context.Context, args, environ []string, std streams) int {
	return program.Run(ctx, args, environ, program.Streams{In: std.in, Out: std.out, Err: std.err})
}

// exitInterrupted is the exit status of a program that Ctrl-C ended: 128 plus the number of the signal.
const exitInterrupted = 130

func TestMain(m *testing.M) {
	if command := os.Getenv(commandEnv); command != "" {
		arguments := []string{command}
		if command == "-" { // those of the process
			arguments = os.Args[1:]
		}
		os.Exit(run(context.Background(), arguments, os.Environ(), streams{os.Stdin, os.Stdout, os.Stderr}))
	}
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "hook-") { // a process that a hook has started
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		defer stop()
		os.Exit(run(ctx, os.Args[1:], os.Environ(), streams{os.Stdin, os.Stdout, os.Stderr})) //nolint:gocritic // the process ends
	}
	testenv.Main(m)
}

const bootstrapKey = "a-bootstrap-key-of-the-tests-0000"

// maxRevocation is how long another process may accept a revoked key.
const maxRevocation = 5 * time.Second

// buffer is an output that can be read while it is written.
type buffer struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.String()
}

// service is a running kith serve.
type service struct {
	url      string
	admin    string // address of KITH_ADMIN_LISTEN
	pid      int    // of one that runs in a process of its own
	out, err *buffer
	stop     func() int // ends it and returns its exit status
}

// neverLogged checks that the log contains none of the texts. It ignores empty texts, such as a missing password.
func (s *service) neverLogged(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if text != "" && strings.Contains(s.err.String(), text) {
			t.Errorf("the log holds %q", text)
		}
	}
}

// settings returns the environment of a kith serve on the databases of the test run.
func settings(db testenv.Database, redis string) []string {
	return []string{
		"KITH_LISTEN=127.0.0.1:0", "KITH_ADMIN_LISTEN=127.0.0.1:0", "KITH_BOOTSTRAP_KEY=" + bootstrapKey,
		"KITH_NEO4J_URI=" + db.URI, "KITH_NEO4J_USER=" + db.User, "KITH_NEO4J_PASSWORD=" + db.Password,
		"KITH_NEO4J_DATABASE=" + db.Database, "KITH_REDIS_URI=" + redis, "KITH_LOG_LEVEL=debug", "KITH_REQUEST_TIMEOUT=60s",
		"KITH_MAINTENANCE=0", // else each would look for duplicates in the teams of all tests
	}
}

// command runs kith with arguments. It returns the exit status and the output.
func command(t *testing.T, environ []string, args ...string) (int, string) {
	t.Helper()
	var out bytes.Buffer
	code := run(t.Context(), args, environ, streams{nil, &out, &out})
	return code, out.String()
}

var (
	answersAt  = regexp.MustCompile(`answers at (http://\S+)`)
	metricsAre = regexp.MustCompile(`metrics are served.*address"?[=:]"?([0-9.]+:[0-9]+)`)
)

// start runs kith serve until the test ends, and waits until it answers. With a Neo4j of its own nothing is planned at the start: that
// takes more processor time than most tests. A busy machine may then plan a statement for longer than a request usually may take.
func start(t *testing.T, environ []string, args ...string) *service {
	t.Helper()
	if !slices.ContainsFunc(environ, func(entry string) bool { return strings.HasPrefix(entry, "KITH_NEO4J_URI=") }) {
		environ = append([]string{"KITH_WARM_UP=false", "KITH_REQUEST_TIMEOUT=60s"}, environ...)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	s := &service{out: &buffer{}, err: &buffer{}}
	ended := make(chan int, 1)
	go func() { ended <- run(ctx, append([]string{"serve"}, args...), environ, streams{nil, s.out, s.err}) }()
	s.stop = sync.OnceValue(func() int {
		cancel()
		return <-ended
	})
	t.Cleanup(func() { s.stop() })
	eventually(t, 3*time.Minute, "kith serve answers", func() bool {
		if len(ended) > 0 {
			t.Fatalf("kith serve ended: %s", s.err)
		}
		found := answersAt.FindStringSubmatch(s.out.String())
		if found != nil {
			s.url = found[1]
		}
		if admin := metricsAre.FindStringSubmatch(s.err.String()); admin != nil {
			s.admin = admin[1]
		}
		return found != nil
	})
	return s
}

// eventually polls until a condition is true.
func eventually(t *testing.T, within time.Duration, what string, is func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(within); time.Now().Before(deadline); <-tick.C {
		if is() {
			return
		}
	}
	t.Fatalf("not within %v: %s", within, what)
}

// reply is a response of the service.
type reply struct {
	status int
	header http.Header
	body   []byte
}

func (r reply) object(t *testing.T) map[string]any {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal(r.body, &object); err != nil {
		t.Fatalf("status %d, not JSON: %s", r.status, r.body)
	}
	return object
}

// caller calls a service with an API key.
type caller struct {
	url, key string
	client   *http.Client
}

func (s *service) as(key string) caller { return caller{s.url, key, http.DefaultClient} }

// try sends a request and returns its error.
func (c caller) try(ctx context.Context, method, path, body string, header ...string) (reply, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.url+path, strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	if c.key != "" {
		request.Header.Set("Authorization", "Bearer "+c.key)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := c.client.Do(request)
	if err != nil {
		return reply{}, err
	}
	defer func() { _ = response.Body.Close() }()
	raw, err := io.ReadAll(response.Body)
	return reply{response.StatusCode, response.Header, raw}, err
}

func (c caller) do(t *testing.T, method, path, body string, header ...string) reply {
	t.Helper()
	r, err := c.try(t.Context(), method, path, body, header...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// must is do for a call that must succeed.
func (c caller) must(t *testing.T, method, path, body string) map[string]any {
	t.Helper()
	r := c.do(t, method, path, body)
	if r.status >= 300 {
		t.Fatalf("%s %s: %d %s", method, path, r.status, r.body)
	}
	return r.object(t)
}

// newKey creates an API key for a team.
func (s *service) newKey(t *testing.T, team string, scopes ...string) string {
	t.Helper()
	body, _ := json.Marshal(map[string]any{"team_id": team, "user_id": nil, "scopes": scopes, "expires_at": nil})
	return s.as(bootstrapKey).must(t, http.MethodPost, "/v1/keys", string(body))["key"].(string)
}

// awaitReady returns when the statements of frequent calls are planned, and the database answers.
func (c caller) awaitReady(t *testing.T) {
	t.Helper()
	eventually(t, time.Minute, "ready", func() bool { return c.do(t, http.MethodGet, "/readyz", "").status == http.StatusOK })
}

func shared(t *testing.T) *service {
	t.Helper()
	return start(t, settings(testenv.Neo4j(t), testenv.Redis(t)))
}

// at returns a part of decoded JSON, by field names and list indexes.
func at(v any, path ...any) any {
	for _, step := range path {
		switch s := step.(type) {
		case string:
			object, _ := v.(map[string]any)
			v = object[s]
		case int:
			l, _ := v.([]any)
			if s >= len(l) {
				return nil
			}
			v = l[s]
		}
	}
	return v
}

func names(list any, path ...any) string {
	l, _ := list.([]any)
	out := make([]string, len(l))
	for i := range l {
		out[i] = fmt.Sprint(at(l[i], path...))
	}
	return strings.Join(out, " ")
}
