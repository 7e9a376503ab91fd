package command

import (
	"os"
	"testing"
)

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

// parsedConfig returns the configuration of kith serve for an environment.
func parsedConfig(t *testing.T, environ ...string) config {
	t.Helper()
	c, err := parseServe(environ)
	if err != nil {
		t.Fatal(err)
	}
	return c.config
}
