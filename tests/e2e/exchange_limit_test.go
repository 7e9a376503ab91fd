package e2e

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kith/tests/testenv"
)

// A body with a Content-Length that is too large is refused before it is read. For a body without one, the report says how
// much is stored.
func TestImportLimit(t *testing.T) {
	t.Parallel()
	s := start(t, append(settings(testenv.Neo4j(t), ""), "KITH_MAX_IMPORT=400000"))
	c := s.team(t)
	r := c.do(t, http.MethodPost, "/v1/import", strings.Repeat(" ", 400_001))
	if r.status != http.StatusRequestEntityTooLarge || r.object(t)["detail"] != "the body must have at most 400000 bytes" {
		t.Errorf("too large by its own account: %d %s", r.status, r.body)
	}
	var body strings.Builder
	for n := 0; body.Len() <= 500_000; n++ {
		_, _ = fmt.Fprintf(&body, `{"node":{"kind":"concept","entity_key":"c-%d","name":"C %d","description":"%s"}}`+"\n", n, n, strings.Repeat("x", 100))
	}
	report, status, ok := c.sendBody(t, strings.NewReader(body.String()), "import_id", "i")
	if !ok || status != http.StatusRequestEntityTooLarge || report.Complete || report.Stopped == "" {
		t.Errorf("too large in the end: %d %+v", status, report)
	}
	if stored := int64(strings.Count(c.exported(t), `{"node":`)); stored != report.Nodes.Created || stored < 1000 {
		t.Errorf("%d stored, the report says %+v", stored, report.Nodes)
	}
}

// flood is a body of many gigabytes with unknown length.
type flood struct {
	line  string
	taken int64
}

func (f *flood) Read(p []byte) (int, error) {
	if f.taken > 8<<30 {
		return 0, io.EOF
	}
	n := 0
	for n+len(f.line) <= len(p) {
		n += copy(p[n:], f.line)
	}
	atomic.AddInt64(&f.taken, int64(n))
	return n, nil
}

// Of an endless body little more than the limit is read, whether it has lines, blanks or one long line, so that it never fills
// memory or disk.
func TestImportOfAFlood(t *testing.T) {
	t.Parallel()
	s := start(t, append(settings(testenv.Neo4j(t), ""), "KITH_MAX_IMPORT=3000000"))
	c := s.team(t)
	for _, line := range []string{`{"node":{"kind":"concept","entity_key":"c","name":"C"}}` + "\n", "\n", `{"kith":`} {
		body := &flood{line: line}
		report, status, ok := c.sendBody(t, body)
		if !ok || status != http.StatusRequestEntityTooLarge || report.Complete || report.Stopped != "the body must have at most 3000000 bytes" {
			t.Errorf("%q: %d %+v", line, status, report.Stopped)
		}
		if taken := atomic.LoadInt64(&body.taken); taken > 64<<20 {
			t.Errorf("%q: %d bytes were taken", line, taken)
		}
	}
}

// A stalled upload is ended, a slow one is not, and an unfinished export does not affect later requests.
func TestStreamPause_slow(t *testing.T) {
	t.Parallel()
	const pause = time.Second
	s := start(t, append(settings(testenv.Neo4j(t), ""), "KITH_STREAM_PAUSE=1s", "KITH_REQUEST_TIMEOUT=2s"))
	c := s.team(t)
	c.awaitReady(t)
	line := func(key string) string {
		return `{"node":{"kind":"concept","entity_key":"` + key + `","name":"` + key + `","description":"` + strings.Repeat("moves ", 500) + `"}}` + "\n"
	}

	moving, out := io.Pipe()
	go func() {
		for n := range 9 { // which takes longer than a request may
			_, _ = io.WriteString(out, line(fmt.Sprintf("moving-%d", n)))
			<-time.After(pause / 3)
		}
		_ = out.Close()
	}()
	if report, status, _ := c.sendBody(t, moving); status != http.StatusOK || report.Nodes.Created != 9 {
		t.Errorf("an upload that moves: %d %+v", status, report)
	}

	connection, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close() }()
	_ = connection.SetDeadline(time.Now().Add(30 * time.Second))
	_, _ = fmt.Fprintf(connection, "POST /v1/import HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: 10000\r\n\r\n%s", c.key, line("still"))
	answer := make([]byte, 4096)
	n, err := connection.Read(answer)
	if err != nil || !strings.HasPrefix(string(answer[:n]), "HTTP/1.1 408 ") {
		t.Errorf("an upload that stands still: %v %s", err, answer[:n])
	}
	if !strings.Contains(c.exported(t), `"still"`) {
		t.Error("what had come of it is not stored")
	}
	<-time.After(pause + pause/2)
	if r := c.do(t, http.MethodGet, "/readyz", ""); r.status != http.StatusOK {
		t.Errorf("after an export: %d", r.status)
	}
}

// Files of other systems are imported as docs/import.md says. Importing them again changes nothing. Nodes that the team
// already has by natural key are reused, and relationships lead to them.
func TestImportOfOtherSystems(t *testing.T) {
	t.Parallel()
	s := shared(t)
	for _, test := range []struct {
		format, body  string
		nodes, others int64 // created beside Ada, and relationships
		to            string
	}{
		{"mcp-memory", `{"type":"entity","name":"Ada","entityType":"person","observations":["keeps tides"]}
{"type":"entity","name":"Quay","entityType":"place","observations":[]}
{"type":"relation","from":"Ada","to":"Quay","relationType":"worksAt"}
`, 1, 1, "works_at"},
		{"graphiti", `{"nodes":[{"uuid":"n1","name":"Ada","labels":["Entity","Person"]},{"uuid":"n2","name":"Quay","labels":["Entity","Place"]},
			{"uuid":"e1","name":"talk","content":"Ada is at the quay","labels":["Episodic"],"created_at":"2026-01-01T00:00:00Z"}],
			"edges":[{"uuid":"r1","source_node_uuid":"n1","target_node_uuid":"n2","name":"WORKS_AT","fact":"Ada works there","created_at":"2026-01-01T00:00:00Z"},
			{"uuid":"r2","source_node_uuid":"e1","target_node_uuid":"n1","name":"MENTIONS"}]}`, 2, 2, "works_at"},
		{"mem0", `{"results":[{"id":"1","memory":"Ada works at the quay","user_id":"u1"}],
			"relations":[{"source":"Ada","source_type":"person","relationship":"works at","target":"Quay","target_type":"place"}]}`, 2, 1, "works_at"},
	} {
		c := s.team(t)
		c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[{"kind":"person","entity_key":"p-ada","name":"Ada","description":"known"}]}`)
		first := c.importComplete(t, test.body, "format", test.format, "user_id", "u1")
		if first.Nodes.Created != test.nodes || first.Relationships.Created != test.others {
			t.Errorf("%s: %+v", test.format, first)
		}
		file := c.exported(t)
		if strings.Count(file, `"node":{"kind":"person"`) != 2 || !strings.Contains(file, `{"relationship":{"from":"p-ada",`) || !strings.Contains(file, `"type":"`+test.to+`"`) {
			t.Errorf("%s: stored: %s", test.format, file)
		}
		again := c.importComplete(t, test.body, "format", test.format, "user_id", "u1")
		if again.Nodes.Created+again.Nodes.Updated+again.Relationships.Created+again.Relationships.Updated != 0 {
			t.Errorf("%s, again: %+v", test.format, again)
		}
		if diff := cmp.Diff(file, c.exported(t)); diff != "" {
			t.Errorf("%s, again (-before +after):\n%s", test.format, diff)
		}
	}
}
