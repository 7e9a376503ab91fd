package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"kith/tests/testenv"
)

// hostileShapes returns bodies that cost as much as possible for their length. Each has about the given length.
var hostileShapes = map[string]func(bytes int) string{
	"unknown names":     func(n int) string { return filledWith(`{`, `"#":0`, `}`, n) },
	"dotted names":      func(n int) string { return filledWith(`{"properties":{`, `"a.b.#":0`, `}}`, n) },
	"zeros for queries": func(n int) string { return filledWith(`{"queries":[`, `0`, `]}`, n) },
	"zeros for nodes":   func(n int) string { return filledWith(`{"nodes":[`, `0`, `]}`, n) },
	"zeros for seeds":   func(n int) string { return filledWith(`{"mode":"ppr","seed_nodes":[`, `0`, `]}`, n) },
	"empty texts":       func(n int) string { return filledWith(`{"text_matches":[`, `""`, `]}`, n) },
	"empty objects":     func(n int) string { return filledWith(`{"nodes":[`, `{}`, `]}`, n) },
	"empty lists":       func(n int) string { return filledWith(`{"relationships":[`, `[]`, `]}`, n) },
	"wrong nodes": func(n int) string {
		return filledWith(`{"user_id":"u","nodes":[`, `{"kind":7,"name":[],"x":{}}`, `]}`, n)
	},
	"many tags": func(n int) string { return filledWith(`{"nodes":[{"kind":"task","name":"x","tags":[`, `""`, `]}]}`, n) },
	"many properties": func(n int) string {
		return filledWith(`{"nodes":[{"kind":"task","name":"x","properties":{`, `"#":{}`, `}}]}`, n)
	},
	"many values":   func(n int) string { return filledWith(`{"x":[`, `[[],{}]`, `]}`, n) },
	"the same name": func(n int) string { return filledWith(`{`, `"a":1`, `}`, n) },
	"nodes, fifty notes": func(n int) string {
		return filledWith(`{"nodes":[`, `{"notes":[`+strings.Repeat(`{},`, 50)+`{}]}`, `]}`, n)
	},
	"parameters": func(n int) string {
		return filledWith(`{"mode":"cypher","cypher":"RETURN 1","parameters":{`, `"p#":[0,0,0,0]`, `}}`, n)
	},
	"deep":         func(n int) string { return strings.Repeat(`[`, n) },
	"deep objects": func(n int) string { return strings.Repeat(`{"a":`, n/5) },
	"wide and deep": func(n int) string {
		return filledWith(`{"x":[`, strings.Repeat("[", 28)+strings.Repeat("]", 28), `]}`, n)
	},
	"a long text":   func(n int) string { return `{"user_id":"` + strings.Repeat("x", n) + `"}` },
	"a long escape": func(n int) string { return `{"nodes":[{"name":"` + strings.Repeat(`\u0041`, n/6) + `"}]}` },
	"a long name":   func(n int) string { return `{"` + strings.Repeat("x", n) + `":1}` },
	"long names":    func(n int) string { return filledWith(`{`, `"`+strings.Repeat(`<`, 1<<20)+`#":0`, `}`, n) },
	"a long number": func(n int) string { return `{"limit":` + strings.Repeat("1", n) + `}` },
	"huge numbers":  func(n int) string { return filledWith(`{"limit":[`, `1e999999`, `]}`, n) },
	"blanks":        func(n int) string { return strings.Repeat(" ", n) + `{"x":0}` },
	"cut":           func(n int) string { return filledWith(`{"nodes":[`, `{"kind":"task","name":"x"}`, ``, n) },
	"no UTF-8":      func(n int) string { return `{"user_id":"` + strings.Repeat("x", n) + "\xff\"}" },
	"half pairs":    func(n int) string { return filledWith(`{"kinds":[`, `"\ud800"`, `]}`, n) },
	"NUL":           func(n int) string { return strings.Repeat("\x00", n) },
	"long messages": func(n int) string {
		return filledWith(`{"messages":[`, `{"role":"user","text":"`+strings.Repeat("x", 70_000)+`"}`, `]}`, n)
	},
	"entities": func(n int) string { return filledWith(`{"entities":[`, `{"name":7}`, `]}`, n) },
}

// filledWith repeats an item until a body is long enough. # becomes the item's number.
func filledWith(begin, item, end string, bytes int) string {
	var b strings.Builder
	b.Grow(bytes + len(item))
	b.WriteString(begin)
	before, behind, numbered := strings.Cut(item, "#")
	for i := 0; b.Len() < bytes; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(before)
		if numbered {
			b.WriteString(strconv.FormatInt(int64(i), 36))
		}
		b.WriteString(behind)
	}
	return b.String() + end
}

// hostilePaths lists the paths of hostile bodies. mcpTool and importLine say how they are wrapped.
var hostilePaths = []string{
	"/v1/memory", "/v1/explore", "/v1/traverse", "/v1/sources", "/v1/systems/s/memory", "/v1/prompt", "/v1/edges", "/v1/conversations/c/messages",
	"/mcp explore", "/mcp remember", "/mcp", "/v1/import", "/v1/keys", "/v1/nope",
}

// hostileCall is a request that tries to exhaust resources.
type hostileCall struct {
	name, path, body string
	chunked          bool
}

func hostileRequest(shape, path string, bytes int, chunked bool) hostileCall {
	body := hostileShapes[shape](bytes)
	route, tool, _ := strings.Cut(path, " ")
	switch {
	case tool != "":
		body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + body + `}}`
	case route == "/v1/import":
		body = `{"node":` + body + "}\n"
	}
	return hostileCall{fmt.Sprintf("%s to %s, %d bytes", shape, path, len(body)), route, body, chunked}
}

// untilSent records when the last byte of a body was read.
type untilSent struct {
	io.Reader
	last time.Time
}

// Read reads from the body.
func (u *untilSent) Read(p []byte) (int, error) {
	n, err := u.Reader.Read(p)
	u.last = time.Now()
	return n, err
}

// send sends the request. It returns how long the response took after the last byte.
func (h hostileCall) send(ctx context.Context, c caller) (r reply, took time.Duration, err error) {
	body := &untilSent{Reader: strings.NewReader(h.body)}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+h.path, body)
	if err != nil {
		return reply{}, 0, err
	}
	if request.ContentLength = int64(len(h.body)); h.chunked {
		request.ContentLength = -1
	}
	request.Header.Set("Authorization", "Bearer "+c.key)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	response, err := c.client.Do(request)
	if err != nil {
		return reply{}, 0, err
	}
	defer func() { _ = response.Body.Close() }()
	raw, err := io.ReadAll(response.Body)
	return reply{response.StatusCode, response.Header, raw}, time.Since(body.last), err
}

// check returns what is wrong with a response, "" for nothing.
func (h hostileCall) check(r reply) string {
	switch {
	case h.path != "/v1/import" && len(r.body) > 64<<10:
		return fmt.Sprintf("an answer of %d bytes", len(r.body))
	case h.path == "/mcp" && r.status == http.StatusOK, h.path == "/v1/import" && r.status == http.StatusOK:
		return ""
	case r.status == http.StatusServiceUnavailable && r.header.Get("Retry-After") != "": // it waited for a place
		return ""
	case r.status < 400 || r.status >= 500:
		return fmt.Sprintf("status %d: %.200s", r.status, r.body)
	}
	var problem struct{ Errors []json.RawMessage }
	if _ = json.Unmarshal(r.body, &problem); len(problem.Errors) > 100 {
		return fmt.Sprintf("%d faults", len(problem.Errors))
	}
	return ""
}

// residentMemory returns the memory of a process in bytes.
func residentMemory(t *testing.T, pid int) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kib << 10
}

// watchMemory returns a function that returns the peak memory of a process until ctx ended.
func watchMemory(ctx context.Context, t *testing.T, pid int) func() int64 {
	t.Helper()
	var most int64
	var watcher sync.WaitGroup
	watcher.Go(func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for ctx.Err() == nil {
			most = max(most, residentMemory(t, pid))
			<-tick.C
		}
	})
	return func() int64 { watcher.Wait(); return most }
}

// Four hostile bodies at a time are answered soon after their last byte, in a few bytes, and Kith stays small.
// KITH_TEST_BODIES sets the number of bodies, of up to 32 MiB; by default one of each shape is sent, most of them small.
func TestHostileBodies(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("memory is read from /proc")
	}
	total, _ := strconv.Atoi(os.Getenv("KITH_TEST_BODIES"))
	s, _ := startProcess(t, append(settings(testenv.Neo4j(t), ""), "KITH_REQUEST_TIMEOUT=10s", "KITH_LOG_LEVEL=info"))
	c := s.as(s.newKey(t, testenv.Team(t), "read", "write"))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	idle := residentMemory(t, s.pid)
	most := watchMemory(ctx, t, s.pid)

	var slowest struct {
		sync.Mutex
		took time.Duration
		name string
	}
	outcomes, begun := map[int]int{}, time.Now()
	var group errgroup.Group
	group.SetLimit(4)
	for i, h := range hostileRequests(total) {
		group.Go(func() error {
			request := h()
			r, took, err := request.send(ctx, c)
			if err != nil {
				t.Errorf("%d: %s: %v", i, request.name, err)
				return nil
			}
			if wrong := request.check(r); wrong != "" {
				t.Errorf("%d: %s: %s", i, request.name, wrong)
			}
			slowest.Lock()
			defer slowest.Unlock()
			outcomes[r.status]++
			if took > slowest.took {
				slowest.took, slowest.name = took, request.name
			}
			return nil
		})
	}
	_ = group.Wait()
	stop()
	grown := most() - idle
	t.Logf("statuses %v in %v; resident %d MB idle, %d MB more at most; the slowest answer %v after its last byte (%s)", outcomes, time.Since(begun), idle/1e6, grown/1e6, slowest.took, slowest.name)
	if grown > 250e6 {
		t.Errorf("%d MB more than idle", grown/1e6)
	}
	if limit := 2 * time.Second; total > 0 && slowest.took > limit {
		t.Errorf("%s took %v", slowest.name, slowest.took)
	}
	if r := c.do(t, http.MethodGet, "/v1/context?user_id=u1", ""); r.status != http.StatusOK {
		t.Errorf("afterwards: %d %s", r.status, r.body)
	}
}

// hostileRequests returns functions that create requests of all shapes, to all paths, of many lengths.
func hostileRequests(total int) []func() hostileCall {
	shapes := make([]string, 0, len(hostileShapes))
	for shape := range hostileShapes {
		shapes = append(shapes, shape)
	}
	slices.Sort(shapes)
	lengths := []int{1 << 14, 1 << 20, 1 << 18, 1<<25 - 1<<10, 1 << 17, 1 << 22, 3 << 20, 1 << 24}
	if total == 0 {
		total, lengths = 2*len(shapes), []int{1 << 14, 1 << 17, 1 << 20, 1 << 22, 1 << 14, 1 << 18, 1 << 20}
	}
	all := make([]func() hostileCall, total)
	for i := range all {
		all[i] = func() hostileCall {
			return hostileRequest(shapes[i%len(shapes)], hostilePaths[(i/3+i)%len(hostilePaths)], lengths[i%len(lengths)], i%5 == 0)
		}
	}
	return all
}
