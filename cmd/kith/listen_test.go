package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"kith/cmd/kith/internal/metrics"
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

// Both default ports may be in use: an empty KITH_ADMIN_LISTEN disables the listener, as documented.
func TestAnEmptyAdminListenOpensNone(t *testing.T) {
	t.Parallel()
	cli := parsedConfig(t, "KITH_ADMIN_LISTEN=", "KITH_LISTEN=")
	if cli.AdminListen != "" || cli.Listen != "127.0.0.1:8080" {
		t.Errorf("empty: %q and %q", cli.AdminListen, cli.Listen)
	}
	if cli := parsedConfig(t); cli.AdminListen != "127.0.0.1:8081" {
		t.Errorf("default: %q", cli.AdminListen)
	}
}

// An empty variable of the process means the default.
func TestEmptyVariablesMeanDefaults(t *testing.T) {
	t.Setenv("KITH_NEO4J_HEAP", "")
	t.Setenv("KITH_DATA", "")
	if cli := parsedConfig(t, os.Environ()...); cli.Neo4jHeap != 1024 || cli.Data != "./kith-data" {
		t.Errorf("empty: %d and %q", cli.Neo4jHeap, cli.Data)
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
	admin := httptest.NewServer(metrics.New(build()).Handler(false))
	t.Cleanup(admin.Close)
	code, out = command(t, []string{data, "KITH_LISTEN=" + freeAddress(t), "KITH_ADMIN_LISTEN=" + admin.Listener.Addr().String()}, "doctor")
	for _, want := range []string{"✓ KITH_LISTEN", "is free", "✓ KITH_ADMIN_LISTEN", "serves the metrics of a Kith"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("a Kith's: %d, not %q: %s", code, want, out)
		}
	}
}

// parsedConfig returns the configuration of kith serve for an environment.
func parsedConfig(t *testing.T, environ ...string) config {
	t.Helper()
	var cli struct {
		Serve serveCmd `cmd:""`
	}
	parser, err := kong.New(&cli, withEnvironment(environ))
	if err == nil {
		_, err = parser.Parse([]string{"serve"})
	}
	if err != nil {
		t.Fatal(err)
	}
	return cli.Serve.config
}
