package e2e

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"kith/tests/testenv"
)

// startOther returns an address at which another program answers every request.
func startOther(t *testing.T) string {
	t.Helper()
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("something else")) }))
	t.Cleanup(other.Close)
	return other.Listener.Addr().String()
}

// If a port is in use, kith serve fails with the name of the setting and a better address.
func TestServeNamesThePortThatIsInUse(t *testing.T) {
	t.Parallel()
	for _, setting := range []string{"KITH_LISTEN", "KITH_ADMIN_LISTEN"} {
		address := startOther(t)
		environ := append(settings(testenv.Database{URI: "bolt://127.0.0.1:1"}, ""), setting+"="+address)
		code, out := command(t, environ, "serve")
		if code != 1 || !strings.Contains(out, setting+": "+address+" is in use") || !strings.Contains(out, "set "+setting+" to another address, such as 127.0.0.1:0") {
			t.Errorf("%s: exit status %d: %s", setting, code, out)
		}
	}
	environ := append(settings(testenv.Database{URI: "bolt://127.0.0.1:1"}, ""), "KITH_LISTEN=nowhere")
	if code, out := command(t, environ, "serve"); code != 1 || !strings.Contains(out, `KITH_LISTEN: Kith cannot listen on "nowhere"`) {
		t.Errorf("no address: %d %s", code, out)
	}
}

// The doctor reports for both ports whether they are free, a Kith's, or in use by another program.
func TestDoctorLooksAtThePorts(t *testing.T) {
	t.Parallel()
	data := "KITH_DATA=" + t.TempDir()
	code, out := command(t, []string{data, "KITH_LISTEN=" + startOther(t), "KITH_ADMIN_LISTEN=" + startOther(t)}, "doctor")
	for _, want := range []string{"✗ KITH_LISTEN cannot listen", "→ KITH_LISTEN: ", "✗ KITH_ADMIN_LISTEN cannot listen", "something else answers at http://"} {
		if code != 1 || !strings.Contains(out, want) {
			t.Errorf("in use: %d, not %q: %s", code, want, out)
		}
	}
	code, out = command(t, []string{data, "KITH_LISTEN=" + freeAddress(t), "KITH_ADMIN_LISTEN=" + shared(t).admin}, "doctor")
	for _, want := range []string{"✓ KITH_LISTEN", "is free", "✓ KITH_ADMIN_LISTEN", "serves the metrics of a Kith"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("a Kith's: %d, not %q: %s", code, want, out)
		}
	}
}
