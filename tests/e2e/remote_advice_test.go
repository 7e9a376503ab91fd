package e2e

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// Every command that calls a Kith says what to do about a wrong address or key, once and behind the error. Other errors get no advice.
func TestRemoteAdvice(t *testing.T) {
	t.Parallel()
	const closed = "http://127.0.0.1:1"
	answer := func(status int, body string) string {
		return serveHandler(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		})
	}
	wrongKey := answer(http.StatusUnauthorized, `{"status":401,"detail":"a valid API key or token is needed"}`)
	other := answer(http.StatusNotFound, "<html>")
	missing := answer(http.StatusNotFound, `{"status":404,"detail":"there is nothing of this id"}`)
	file := importedFile(t, "x")
	for _, args := range [][]string{
		{"context", "u1"}, {"explore", "tea"}, {"export", filepath.Join(t.TempDir(), "out")}, {"import", file}, {"system", "show", "s"}, {"history", "person/p"}, {"demo"},
	} {
		for address, want := range map[string]string{
			closed: "start it with kith serve, or correct KITH_URL", wrongKey: "create one there with kith key create",
			other: "no Kith answers at " + other + ": set KITH_URL", missing: "", "127.0.0.1:8080": "KITH_URL is not an http:// or https:// address",
		} {
			if address == closed && (args[0] == "import" || args[0] == "export") {
				continue // they try for a quarter of a minute
			}
			code, out := command(t, []string{"KITH_KEY=kith_secret", "KITH_URL=" + address}, args...)
			lines := strings.Split(strings.TrimSpace(out), "\n")
			if code != 1 || (want == "") == strings.Contains(out, "KITH_") || !strings.Contains(lines[len(lines)-1], want) || strings.Contains(out, "kith_secret") {
				t.Errorf("%q at %s: status %d:\n%s", args, address, code, out)
			}
		}
	}
}
