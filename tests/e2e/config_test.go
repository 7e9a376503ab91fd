package e2e

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"kith/tests/testenv"
)

func TestCommandLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"version"}, 0, "kith development (commit "},
		{[]string{"version", "--json"}, 0, `"version": "development"`},
		{[]string{"--help"}, 0, "serve"},
		{[]string{"serve", "--help"}, 0, "KITH_LISTEN"},
		{[]string{"nonsense"}, 2, "nonsense"},
		{[]string{"serve", "--context-load=sideways"}, 2, "context-load"},
		{[]string{"serve", "--keep-deleted=0s"}, 2, "must be a duration of more than 0"},
		{[]string{"serve", "--history=-1h"}, 2, "must be a duration of more than 0"},
		{[]string{"health", "--listen=127.0.0.1:none"}, 1, "health"},
		{[]string{"key", "create", "--user="}, 2, "--user must not be empty"},
		{[]string{"key", "create", "--team", "", "--user", "u"}, 2, "--team must not be empty"},
		{[]string{"key", "list", "--team="}, 2, "--team must not be empty"},
		{[]string{"team", "quota", ""}, 2, "team must not be empty"},
		{[]string{"context", "", "--key=k"}, 2, "user must not be empty"},
		{[]string{"explore", "words", "--user=", "--key=k"}, 2, "--user must not be empty"},
		{[]string{"history", "person/ada", "--user=", "--key=k"}, 2, "--user must not be empty"},
		{[]string{"history", "ada", "--key=k"}, 1, `"ada" must be KIND/KEY`},
		{[]string{"changes", "person/ada", "--since=whenever", "--key=k"}, 1, "--since: must be a day"},
		{[]string{"status", "--user=", "--key=k"}, 2, "--user must not be empty"},
		{[]string{"import", "--user=", "--key=k", "config_test.go"}, 2, "--user must not be empty"},
		{[]string{"check", "--team="}, 2, "--team must not be empty"},
		{[]string{"mcp", "--user="}, 2, "--user must not be empty"},
		{[]string{"serve", "--oidc-issuer=http://i", "--oidc-audience=a", "--oidc-user-claim=", "--listen=127.0.0.1:0", "--admin-listen="}, 1, "KITH_OIDC_USER_CLAIM is empty"},
	} {
		var out bytes.Buffer
		code := run(context.Background(), c.args, nil, streams{nil, &out, &out})
		if code != c.code || !strings.Contains(out.String(), c.says) {
			t.Errorf("kith %v: %d, want %d with %q: %s", c.args, code, c.code, c.says, &out)
		}
	}
}

// An invalid setting makes kith serve fail with the setting's name, whatever was opened before.
func TestServeTellsOfWrongSettings(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]string{
		"KITH_OIDC_ISSUER": "ftp://issuer", "KITH_LLM_MODEL": "tiny", "KITH_AUDIT_LOG": t.TempDir() + "/none/audit.log", "KITH_RATE_LIMIT": "-1", "KITH_REDIS_URI": "http://redis",
	} {
		environ := append(settings(testenv.Database{URI: "bolt://127.0.0.1:1"}, ""), name+"="+value)
		if code, out := command(t, environ, "serve"); code != 1 || !strings.Contains(out, name) {
			t.Errorf("%s: exit status %d: %s", name, code, out)
		}
	}
}
