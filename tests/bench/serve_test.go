package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"kith/access/auth"
	"kith/graph"
	"kith/handlers"
	"kith/internal/cache"
	"kith/loader"
	"kith/mcp"
	"kith/memory/chat"
	"kith/memory/preference"
	"kith/memory/recall"
	"kith/memory/system"
	"kith/tests/testenv"
)

const callers = 8

// server is Kith's API in this process, over a real Neo4j and real connections.
type server struct {
	url, key string
	loads    atomic.Int64 // statements that loaded a context
	client   *http.Client
	kept     *cache.Cache
	store    *graph.Store
	scope    graph.Scope
}

func newServer(b *testing.B) *server {
	b.Helper()
	s := &server{client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1100}}}
	store := openStore(b, testenv.Neo4j(b), graph.Options{Observe: func(query string, _ time.Duration, _ error) {
		if query == "context" {
			s.loads.Add(1)
		}
	}})
	kept, err := cache.New(cache.Options{})
	if err != nil {
		b.Fatal(err)
	}
	keys := auth.New(auth.NewStore(store), time.Now)
	scope := graph.Scope{TeamID: testenv.Team(b), UserID: "u1"}
	fullUser(b, store, scope, 100)
	if s.key, _, err = keys.Create(b.Context(), auth.Spec{TeamID: scope.TeamID, Scopes: []string{auth.Read}}); err != nil {
		b.Fatal(err)
	}
	s.store, s.kept, s.scope = store, kept, scope
	contexts, recalls := loader.New(loader.NewStore(store), kept, loader.Options{}), recall.New(store, recall.Options{})
	tools := mcp.New(mcp.Services{Store: store, Systems: system.NewStore(store), Contexts: contexts, Recalls: recalls}, mcp.Options{})
	api := handlers.New(handlers.Services{
		Memory: store, Nodes: store, Sources: store, ChatStore: chat.NewStore(store), Preferences: preference.NewStore(store), Keys: keys, Recalls: recalls, Ready: store.Ping, Contexts: contexts, MCP: tools.Handler(),
	}, handlers.Options{})
	gin.SetMode(gin.ReleaseMode)
	static := gin.New()
	listening := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/static" {
			static.ServeHTTP(w, r)
			return
		}
		api.ServeHTTP(w, r)
	}))
	s.url = listening.URL
	b.Cleanup(func() {
		s.client.CloseIdleConnections()
		listening.Close()
		keys.Close()
		tools.Close()
		_ = kept.Close()
	})
	body := s.get(b, contextPath)
	// The same bytes without Kith's middleware, to measure gin itself.
	static.GET("/v1/static", func(c *gin.Context) { c.Data(http.StatusOK, "application/json", body) })
	return s
}

const contextPath = "/v1/context?user_id=u1"

func (s *server) get(b *testing.B, path string) []byte {
	b.Helper()
	body, err := s.tryGet(path)
	if err != nil {
		b.Fatal(err)
	}
	return body
}

func (s *server) tryGet(path string) ([]byte, error) {
	request, err := http.NewRequest(http.MethodGet, s.url+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+s.key)
	response, err := s.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d", response.StatusCode)
	}
	return body, err
}

// measureRate returns how many requests a second the given number of callers get answered.
func (s *server) measureRate(b *testing.B, path string, requests int) float64 {
	b.Helper()
	var group sync.WaitGroup
	begun := time.Now()
	for range callers {
		group.Go(func() {
			for range requests / callers {
				if _, err := s.tryGet(path); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	return float64(requests) / time.Since(begun).Seconds()
}

// BenchmarkCachedContext compares a cached context with gin serving the same static bytes, in turns.
func BenchmarkCachedContext(b *testing.B) {
	s := newServer(b)
	s.measureRate(b, contextPath, 4000)
	s.measureRate(b, "/v1/static", 4000)
	var kith, static, ratios []float64
	for range 15 {
		k, g := s.measureRate(b, contextPath, 4000), s.measureRate(b, "/v1/static", 4000)
		kith, static, ratios = append(kith, k), append(static, g), append(ratios, k/g)
	}
	b.ReportMetric(median(kith), "cached-req/s")
	b.ReportMetric(median(static), "static-req/s")
	b.ReportMetric(median(ratios), "cached/static")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkSimultaneousColdRequests counts the loads that a thousand callers of one cold context cause.
func BenchmarkSimultaneousColdRequests(b *testing.B) {
	s := newServer(b)
	before := s.loads.Load()
	var group sync.WaitGroup
	gate := make(chan struct{})
	for range 1000 {
		group.Go(func() {
			<-gate
			if _, err := s.tryGet(contextPath + "&sections=user,relationships,recent_context"); err != nil {
				b.Error(err)
			}
		})
	}
	close(gate)
	group.Wait()
	b.ReportMetric(float64(s.loads.Load()-before), "loads-for-1000")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkMemory measures the resident memory of the kith binary: idle, and its peaks in an import and an export of
// KITH_BENCH_NODES nodes with three times as many relationships.
func BenchmarkMemory(b *testing.B) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		b.Fatal("needs /proc")
	}
	s, process := startBinary(b, buildBinary(b))
	<-time.After(3 * time.Second) // idle
	b.ReportMetric(residentMB(b, process.Pid, "VmRSS"), "idle-MB")
	w := &writer{url: s.url, key: s.key}
	nodes := sizeFromEnv("KITH_BENCH_NODES", 20_000)
	w.post(b, "/v1/import", "application/x-ndjson", strings.NewReader(exportOf("memory", nodes, 3*nodes)))
	b.ReportMetric(residentMB(b, process.Pid, "VmHWM"), "import-MB")
	resetPeak(b, process.Pid)
	w.export(b)
	b.ReportMetric(residentMB(b, process.Pid, "VmHWM"), "export-MB")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkMixedUse has eight callers read and write for KITH_BENCH_MINUTES (default 1), and reports the resident memory of the kith
// binary at the end, the part of it that is not of the program file, and its peak.
func BenchmarkMixedUse(b *testing.B) {
	s, process := startBinary(b, buildBinary(b))
	s.key = (&writer{url: s.url, key: s.key}).newKey(b, testenv.Team(b))
	w := &writer{url: s.url, key: s.key}
	begun, lasting := time.Now(), time.Duration(sizeFromEnv("KITH_BENCH_MINUTES", 1))*time.Minute
	var group sync.WaitGroup
	var rounds atomic.Int64
	for c := range callers {
		group.Go(func() {
			user, said := fmt.Sprintf("mixed-%d", c), newSpeech(uint64(c))
			post := func(path, format string, values ...any) {
				w.post(b, path, "application/json", strings.NewReader(fmt.Sprintf(format, values...)))
			}
			for i := 0; time.Since(begun) < lasting; i++ {
				if i%50 == 0 {
					post("/v1/conversations", `{"user_id":%q,"conversation_id":"%s %d"}`, user, user, i/50)
				}
				post(fmt.Sprintf("/v1/conversations/%s%%20%d/messages", user, i/50), `{"user_id":%q,"messages":[{"role":"user","text":%q}]}`, user, said.words(25))
				post("/v1/memory", `{"user_id":%q,"nodes":[{"kind":"concept","name":%q}]}`, user, said.words(3))
				for _, path := range []string{"/v1/context?user_id=" + user, "/v1/context?format=text&max_tokens=1300&user_id=" + user} {
					if _, err := s.tryGet(path); err != nil {
						b.Error(err)
						return
					}
				}
				post("/v1/explore", `{"user_id":%q,"queries":[{"query":%q}]}`, user, said.words(4))
				rounds.Add(1)
			}
		})
	}
	group.Wait()
	b.ReportMetric(float64(rounds.Load()*5), "requests")
	b.ReportMetric(residentMB(b, process.Pid, "VmRSS"), "resident-MB")
	b.ReportMetric(residentMB(b, process.Pid, "RssAnon"), "anonymous-MB")
	b.ReportMetric(residentMB(b, process.Pid, "VmHWM"), "peak-MB")
	b.ReportMetric(0, "ns/op")
}

// buildBinary builds the kith binary as a release does, and returns its path.
func buildBinary(b *testing.B) string {
	b.Helper()
	binary := filepath.Join(b.TempDir(), "kith")
	if out, err := exec.Command("go", "build", "-tags=timetzdata,nomsgpack", "-ldflags=-s -w", "-o", binary, "../../cmd/kith").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return binary
}

// startBinary starts the kith binary as a user would.
func startBinary(b *testing.B, binary string, environ ...string) (*server, *os.Process) {
	b.Helper()
	return startBinaryOn(b, testenv.Neo4j(b), binary, environ...)
}

// startBinaryOn starts the kith binary on a database.
func startBinaryOn(b *testing.B, db testenv.Database, binary string, environ ...string) (*server, *os.Process) {
	b.Helper()
	s, command := runBinary(b, binary, nil, append([]string{
		"KITH_NEO4J_URI=" + db.URI, "KITH_NEO4J_USER=" + db.User, "KITH_NEO4J_PASSWORD=" + db.Password, "KITH_NEO4J_DATABASE=" + db.Database,
	}, environ...)...)
	return s, command.Process
}

// runBinary starts the kith binary, and returns when it answers. It is stopped when the benchmark ends.
func runBinary(b *testing.B, binary string, log *os.File, environ ...string) (*server, *exec.Cmd) {
	b.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	command := exec.CommandContext(ctx, binary, "serve", "--listen=127.0.0.1:0")
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) } // it stops its Neo4j
	command.Env = append(append(os.Environ(), "KITH_BOOTSTRAP_KEY="+bootstrapKey, "KITH_MAINTENANCE=0", "KITH_ADMIN_LISTEN="), environ...)
	if log != nil {
		command.Stderr = log
	}
	out, err := command.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := command.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { cancel(); _ = command.Wait() })
	said, err := bufio.NewReader(out).ReadString('\n') // it answers
	if err != nil {
		b.Fatal(err)
	}
	_, url, _ := strings.Cut(strings.TrimSpace(said), " answers at ")
	return &server{url: url, key: bootstrapKey, client: http.DefaultClient}, command
}

const bootstrapKey = "a-bootstrap-key-of-the-benchmarks"

// resetPeak resets the peak of a process's resident memory.
func resetPeak(b *testing.B, pid int) {
	b.Helper()
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0); err != nil {
		b.Fatal(err)
	}
}

// residentMB returns a line of a process's status: VmRSS, its part RssAnon, or its peak, VmHWM.
func residentMB(b *testing.B, pid int, name string) float64 {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if kb, ok := strings.CutPrefix(line, name+":"); ok {
			n, err := strconv.ParseFloat(strings.Fields(kb)[0], 64)
			if err != nil {
				b.Fatal(err)
			}
			return n / 1024
		}
	}
	b.Fatal("no " + name)
	return 0
}
