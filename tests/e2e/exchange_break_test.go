package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kith/exchange"
	"kith/tests/testenv"
)

// writeKnown writes what a team has before it imports manyLines, some of it with other keys.
func writeKnown(t *testing.T, c caller) {
	t.Helper()
	var nodes []string
	for n := range 300 {
		nodes = append(nodes, fmt.Sprintf(`{"kind":"concept","entity_key":"mine-%d","name":"Concept %d"}`, n, n*7))
	}
	c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[`+strings.Join(nodes, ",")+`]}`)
}

// manyLines returns lines that can differ when an import resumes: nodes stored under other keys, repeated nodes, faults, and
// preferences.
func manyLines(nodes int) string {
	random := rand.New(rand.NewPCG(1, 2))
	var out strings.Builder
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(&out, format+"\n", args...) }
	line(`{"kith":{"version":1}}`)
	for n := range nodes {
		line(`{"node":{"kind":"concept","entity_key":"c-%d","name":"Concept %d","description":"%x"}}`, n, n, random.Uint64())
		switch random.IntN(40) {
		case 0:
			line(`{"node":{"kind":"concept","entity_key":"c-%d","name":"Concept %d","description":"again"}}`, n/2, n/2)
		case 1:
			line(`{"node":{"kind":"concept","entity_key":"x","salience":%d}}`, n+2)
		case 2:
			line(`not JSON`)
		case 3:
			line(`{"preference":{"user_id":"u1","key":"k%d","value":%d}}`, n%50, n)
		}
	}
	for n := range 2 * nodes {
		line(`{"relationship":{"from":"c-%d","to":"c-%d","type":"relates_to","valid_from":"2020-01-01T00:00:00Z","description":"%d"}}`, random.IntN(nodes), random.IntN(nodes+nodes/50), n)
	}
	return out.String()
}

var errCable = errors.New("the cable is cut")

// cut returns a body that fails after some bytes.
func cut(body string, after int) io.Reader {
	return io.MultiReader(strings.NewReader(body[:after]), failing{})
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errCable }

// sendBody sends a body that may fail. ok reports whether a report was received.
func (c caller) sendBody(t *testing.T, body io.Reader, query ...string) (report exchange.Report, status int, ok bool) {
	t.Helper()
	closer, ok := body.(io.ReadCloser) // a pipe, which is closed when the answer comes before its end
	if !ok {
		closer = io.NopCloser(body)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.url+importPath(query...), closer)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+c.key)
	response, err := c.client.Do(request)
	if err != nil {
		return report, 0, false
	}
	defer func() { _ = response.Body.Close() }()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		return report, response.StatusCode, false
	}
	if err := json.Unmarshal(raw, &report); err != nil {
		t.Fatalf("%d %s", response.StatusCode, raw)
	}
	return report, response.StatusCode, true
}

// waitForPart waits until a part of manyLines is stored.
func (c caller) waitForPart(t *testing.T) {
	t.Helper()
	eventually(t, time.Minute, "a part is stored", func() bool {
		return c.do(t, http.MethodGet, "/v1/nodes/concept/c-1?user_id=u1&relationships=0", "").status == http.StatusOK
	})
}

// resume sends a body until it is accepted, and returns the report without the fields that differ in a resumed import.
func (c caller) resume(t *testing.T, body string, query ...string) exchange.Report {
	t.Helper()
	var report exchange.Report
	eventually(t, time.Minute, "the import is complete", func() bool {
		var status int
		if report, status, _ = c.sendBody(t, strings.NewReader(body), query...); status == http.StatusServiceUnavailable {
			return false
		}
		if status != http.StatusOK || !report.Complete {
			t.Fatalf("%d %+v", status, report)
		}
		return true
	})
	return report
}

func TestBrokenImportsGoOn_slow(t *testing.T) {
	t.Parallel()
	s := shared(t)
	body := manyLines(2500)
	whole, broken := s.team(t), s.team(t)
	writeKnown(t, whole)
	writeKnown(t, broken)
	want, _ := whole.imported(t, body, "user_id", "u1")
	if want.Nodes.Unchanged+want.Nodes.Updated < 100 || len(want.Refused) < 50 || want.Relationships.Refused == 0 || !want.Complete {
		t.Fatalf("the file shows too little: %+v", want)
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range 6 {
		if _, status, ok := broken.sendBody(t, cut(body, random.IntN(len(body))), "user_id", "u1", "import_id", "i"); ok {
			t.Fatalf("a body that broke off has an answer: %d", status)
		}
	}
	// What is not stored yet when a body breaks off may be lost: this one breaks off when a part of it is stored.
	in, out := io.Pipe()
	answered := make(chan bool, 1)
	go func() {
		_, _, ok := broken.sendBody(t, in, "user_id", "u1", "import_id", "i")
		answered <- ok
	}()
	_, _ = io.WriteString(out, body[:len(body)/2])
	broken.waitForPart(t)
	const path = "/v1/imports/i?user_id="
	eventually(t, time.Minute, "the progress of an import that is being sent", func() bool {
		stored := broken.must(t, http.MethodGet, path+"u1", "")
		return at(stored, "lines").(float64) >= 1000 && at(stored, "nodes", "created") != 0.0 && at(stored, "complete") == false
	})
	if other := broken.must(t, http.MethodGet, path+"u2", ""); at(other, "lines") != 0.0 {
		t.Errorf("another user's: %v", other)
	}
	_ = out.CloseWithError(errCable)
	if <-answered {
		t.Fatal("a body that broke off has an answer")
	}
	got := broken.resume(t, body, "user_id", "u1", "import_id", "i")
	sameResumed(t, 2, want, got)
	sameMemories(t, whole, broken)
	if done := broken.must(t, http.MethodGet, path+"u1", ""); at(done, "lines") != 0.0 {
		t.Errorf("after its end: %v", done)
	}
	anew := broken.resume(t, body, "user_id", "u1", "import_id", "i")
	if anew.ResumedAtLine != 0 || anew.Nodes.Created != 0 || anew.Relationships.Created != 0 {
		t.Errorf("the same id after the end: %+v", anew)
	}
}

// Of two simultaneous requests with one id, one continues, and nothing is stored or counted twice.
func TestImportsOfOneIDAtOnce(t *testing.T) {
	t.Parallel()
	s := shared(t)
	body := manyLines(1500)
	whole, twice := s.team(t), s.team(t)
	want, _ := whole.imported(t, body, "user_id", "u1")
	in, out := io.Pipe()
	type answer struct {
		report exchange.Report
		status int
	}
	first := make(chan answer, 1)
	go func() {
		report, status, _ := twice.sendBody(t, in, "user_id", "u1", "import_id", "i")
		first <- answer{report, status}
	}()
	half := len(body) / 2
	if _, err := io.WriteString(out, body[:half]); err != nil {
		t.Fatal(err)
	}
	second := twice.resume(t, body, "user_id", "u1", "import_id", "i")
	_, _ = io.WriteString(out, body[half:])
	_ = out.Close()
	if a := <-first; a.status == http.StatusOK {
		t.Errorf("the first one: %d %+v", a.status, a.report)
	}
	sameResumed(t, 0, want, second)
	sameMemories(t, whole, twice)
}

// sameResumed compares the report of a resumed import with that of an uninterrupted one. Preferences that were stored just
// before the interruption count as unchanged (see docs/import.md).
func sameResumed(t *testing.T, line int64, want, got exchange.Report) {
	t.Helper()
	if got.ResumedAtLine < line {
		t.Errorf("resumed at line %d", got.ResumedAtLine)
	}
	if sum(got.Preferences) != sum(want.Preferences) {
		t.Errorf("preferences: %+v, unbroken %+v", got.Preferences, want.Preferences)
	}
	got.ImportID, got.ResumedAtLine, got.Preferences = "", 0, want.Preferences
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reports (-unbroken +broken):\n%s", diff)
	}
}

// sameMemories compares the exports of two teams.
func sameMemories(t *testing.T, a, b caller) {
	t.Helper()
	if a, b := normalized(t, a), normalized(t, b); a != b {
		t.Errorf("memories (-first +second):\n%.5000s", cmp.Diff(strings.Split(a, "\n"), strings.Split(b, "\n")))
	}
}

func sum(c exchange.Counts) int64 { return c.Created + c.Updated + c.Unchanged + c.Refused }

// When the database is cut off during an import and an export, both report it.
func TestExchangeWithoutADatabase_slow(t *testing.T) {
	t.Parallel()
	db := testenv.Neo4j(t)
	gate := testenv.NewGate(t, db.URI)
	db.URI = gate.URI
	s := start(t, append(settings(db, ""), "KITH_REQUEST_TIMEOUT=10s"))
	whole, broken := s.team(t), s.team(t)
	body := manyLines(4000)
	want, _ := whole.imported(t, body, "user_id", "u1")
	if !want.Complete {
		t.Fatalf("the import: %+v", want)
	}
	in, out := io.Pipe()
	var report exchange.Report
	var status int
	var ok bool
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		report, status, ok = broken.sendBody(t, in, "user_id", "u1", "import_id", "i")
	}()
	if _, err := io.WriteString(out, body[:len(body)/2]); err != nil {
		t.Fatal(err)
	}
	broken.waitForPart(t)
	gate.Close()
	go func() { // the answer may come before all of it is sent
		_, err := io.WriteString(out, body[len(body)/2:])
		_ = out.CloseWithError(err)
	}()
	<-answered
	if status != http.StatusServiceUnavailable || !ok || report.Complete || report.Stopped == "" || sum(report.Nodes)+sum(report.Preferences) == 0 {
		t.Errorf("without a database: %d %+v", status, report)
	}
	var errs bytes.Buffer
	if code := run(t.Context(), []string{"export"}, []string{"KITH_URL=" + s.url, "KITH_KEY=" + whole.key}, streams{nil, io.Discard, &errs}); code != 1 || !strings.Contains(errs.String(), "export") {
		t.Errorf("export without a database: %d %s", code, &errs)
	}
	gate.Open()
	got := broken.resume(t, body, "user_id", "u1", "import_id", "i")
	sameResumed(t, 2, want, got)
	sameMemories(t, whole, broken)

	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/v1/export", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+whole.key)
	time.AfterFunc(20*time.Millisecond, gate.Close) // while it is read: nothing is sent before
	response, err := http.DefaultClient.Do(request)
	var rest []byte
	if err == nil {
		defer func() { _ = response.Body.Close() }()
		rest, err = io.ReadAll(response.Body)
		if response.StatusCode >= http.StatusInternalServerError { // it did not begin
			return
		}
	}
	if err == nil || bytes.Contains(rest, []byte(`{"end":`)) || bytes.Contains(rest, []byte(`"status"`)) {
		t.Errorf("an export whose database went away ends with %v: %.200s", err, rest[max(0, len(rest)-200):])
	}
}
