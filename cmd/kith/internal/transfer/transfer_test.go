package transfer

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	client "kith/clients/go"
	"kith/cmd/kith/internal/terminal"
)

const exportEnd = `{"end":{"nodes":1,"relationships":0,"preferences":0}}` + "\n"

var wholeExport = `{"kith":{"version":1}}` + "\n" + `{"node":{"kind":"person","name":"` + strings.Repeat("a", 9000) + `"}}` + "\n" + exportEnd

// TestExportWatch splits an export into pieces of every size.
func TestExportWatch(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]bool{
		wholeExport: true, exportEnd: true, strings.Repeat("x", 5000) + "\n" + exportEnd: true, exportEnd + exportEnd: true,
		strings.Repeat("x", 5000) + exportEnd: false, exportEnd + "\n": false, "": false, "\n": false, strings.TrimSpace(exportEnd): false,
	} {
		for _, piece := range []int{1, 2, 3, 50, 54, 55, 4096, 4097, 1 << 20} {
			w := &exportMonitor{meter: terminal.NewMeter(terminal.NewProgress(io.Discard), "received", 0)}
			for rest := []byte(in); len(rest) > 0; rest = rest[min(piece, len(rest)):] {
				_, _ = w.Write(rest[:min(piece, len(rest))])
			}
			if w.parseEnd() != want || w.lines != int64(strings.Count(in, "\n")) || len(w.tail) > maxEndLine+1 {
				t.Errorf("pieces of %d, …%q: complete is not %v, lines %d, tail %d", piece, in[max(0, len(in)-20):], want, w.lines, len(w.tail))
			}
		}
	}
}

// The bar of an import counts what the service has stored, not what was sent.
func TestImportShowsWhatIsStored(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		format string
		lines  int
		answer string // of the n-th question
		want   string
	}{
		"lines":         {"kith", 4000, `{"lines":%[1]d000}`, "[==============================] stored lines: 4000 of 4000 (100 %)"},
		"no more lines": {"mcp-memory", 3999, `{"lines":%[1]d000}`, "[==============================] stored lines: 3999 of 3999 (100 %)"},
		"items":         {"mem0", 1, `{"lines":1,"nodes":{"created":%[1]d000,"refused":1},"relationships":{"unchanged":2}}`, "stored items: 4003"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int64
			service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodGet || r.URL.String() != "/v1/imports/i?user_id=a%26b" {
					t.Errorf("asked %s %s", r.Method, r.URL)
				}
				n := asked.Add(1)
				if n == 2 { // an error response
					w.WriteHeader(http.StatusServiceUnavailable)
				}
				_, _ = fmt.Fprintf(w, test.answer, min(n, 4))
			}))
			defer service.Close()
			api := client.New(service.URL, "kith_secret", nil)
			var out bytes.Buffer
			progress := terminal.NewProgress(&out)
			progress.Terminal = true
			w := newStoredMonitor(api, "i", &Options{User: "a&b", Format: test.format}, progress, test.lines)
			w.every = time.Millisecond
			var alive atomic.Int64
			stop := w.follow(t.Context(), func() { alive.Add(1) })
			for asked.Load() <= 6 {
				time.Sleep(time.Millisecond)
			}
			stop()
			if w.meter.Set(w.meter.Done(), time.Now().Add(time.Second)); alive.Load() != 3 || !strings.HasPrefix(out.String(), "\r\x1b[K") || !strings.Contains(out.String(), test.want) {
				t.Errorf("%d times more: %q", alive.Load(), out.String())
			}
		})
	}
}

func TestImportCountsLines(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]int{"": 0, "a": 1, "a\n": 1, "\n\nb": 3} {
		if _, lines, err := importID(iotest.OneByteReader(strings.NewReader(content)), nil); err != nil || lines != want {
			t.Errorf("%q: %d lines, %v", content, lines, err)
		}
	}
}

// The default format is an export of Kith.
func TestOtherFilesAreExports(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"", "x", "{", `"text"`, `{"kind":"person"}`, wholeExport, "{\"a\":1}\n[]"} {
		if got, err := guessFormat(strings.NewReader(content), int64(len(content))); got != "kith" || err != nil {
			t.Errorf("%.40q is taken for %s: %v", content, got, err)
		}
	}
}

// Lists and objects of several lines are detected by their first object. A list of anything else is no list of memories.
func TestFormatsOfLists(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		`[{"id":"1","memory":"x"}]`: "mem0", "[]": "mem0", "{\n \"results\": []}": "mem0", `[{"name":"A","entityType":"x","observations":[]}]`: "mcp-memory",
		`{"entities":[],"relations":[]}`: "mcp-memory", "[\n {\"namespace\":[\"a\"],\"key\":\"k\"}]": "langgraph",
		`[{"type":"message","ts":"1"}]`: "kith", `["a"]`: "kith", "[12.01.26, 09:00] Ada: Hello": "kith",
	} {
		if got, err := guessFormat(strings.NewReader(content), int64(len(content))); got != want || err != nil {
			t.Errorf("%q is taken for %s, %v; want %s", content, got, err, want)
		}
	}
}
