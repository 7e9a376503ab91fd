package e2e

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	program "kith/cmd/kith/command"
	"kith/exchange"
	"kith/tests/testenv"
)

// A Kith that is told to stop during an import stores what it has read, reports it and ends with success, soon. Another one goes on from there,
// with the same result.
func TestStopDuringAnImport(t *testing.T) {
	t.Parallel()
	environ := settings(testenv.Neo4j(t), "")
	body := manyLines(1500)
	s := start(t, environ)
	whole, stopped := s.team(t), s.team(t)
	want, _ := whole.imported(t, body, "user_id", "u1")

	second := start(t, environ)
	attempt := stopped
	attempt.url = second.url
	in, out := io.Pipe()
	type answer struct {
		report exchange.Report
		status int
		ok     bool
	}
	answered := make(chan answer, 1)
	go func() {
		var a answer
		a.report, a.status, a.ok = attempt.sendBody(t, in, "user_id", "u1", "import_id", "i")
		answered <- a
	}()
	if _, err := io.WriteString(out, body[:len(body)/2]); err != nil {
		t.Fatal(err)
	}
	attempt.waitForPart(t)
	begun := time.Now()
	if code := second.stop(); code != 0 || time.Since(begun) >= program.DrainTime {
		t.Errorf("stopped with %d after %v", code, time.Since(begun))
	}
	_ = out.CloseWithError(errCable)
	a := <-answered
	if !a.ok || a.status != http.StatusServiceUnavailable || a.report.Complete || a.report.Lines == 0 || !strings.HasPrefix(a.report.Stopped, "Kith is stopping") {
		t.Errorf("%d %+v", a.status, a.report)
	}
	kept := int64(strings.Count(stopped.exported(t), `{"node":`)) - 1 // the person of u1
	if counted := a.report.Nodes.Created; counted != kept {
		t.Errorf("%d nodes are reported, %d are stored", counted, kept)
	}
	got := stopped.resume(t, body, "user_id", "u1", "import_id", "i")
	sameResumed(t, 1000, want, got)
	sameMemories(t, whole, stopped)
}
