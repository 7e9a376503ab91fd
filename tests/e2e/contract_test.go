package e2e

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"testing"
	"time"

	"kith/tests/testenv"
)

// Kith answers generated requests as the contract says. KITH_TEST_FUZZ is the duration, KITH_TEST_SEED the seed; with it the
// test also follows links between operations.
func TestContractHolds_slow(t *testing.T) {
	t.Parallel()
	tries, phases := 15*time.Second, "examples,coverage,fuzzing"
	if long := os.Getenv("KITH_TEST_FUZZ"); long != "" {
		var err error
		if tries, err = time.ParseDuration(long); err != nil {
			t.Fatal(err)
		}
		phases += ",stateful"
	}
	python := testenv.Python(t, "schemathesis==4.32.5")
	issuer, token := startIssuer(t)
	model, s := startWithModel(t, "KITH_OIDC_ISSUER="+issuer, "KITH_OIDC_AUDIENCE=kith", "KITH_OIDC_USER_CLAIM=-")
	// A token, unlike a key, cannot be revoked by whoever tries all that can be done.
	admin := token(map[string]any{"sub": "schemathesis", "team_id": testenv.Team(t), "scope": "read write admin"})
	sendExamples(t, s.as(admin), model, "delete-node", "restore-node", "delete-tree", "delete-turn", "erase-user", "erase-team")

	command := exec.CommandContext(t.Context(), python, "-m", "schemathesis.cli", "--config-file", "schemathesis.toml", "run", s.url+"/openapi.json", //nolint:gosec // the test's own
		"--seed", cmp.Or(os.Getenv("KITH_TEST_SEED"), "1"), "--phases", phases, "--max-time", fmt.Sprintf("%.0f", tries.Seconds()))
	command.Dir, command.Env = "testdata", append(os.Environ(), "KITH_TOKEN="+admin)
	out, err := command.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Errorf("%v; what Kith logged: %s", err, regexp.MustCompile(`.*level=(ERROR|WARN).*`).FindAllString(s.err.String(), 50))
	}
}
