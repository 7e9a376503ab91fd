package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"kith/tests/testenv"
)

// contractFile is the contract, from which clients are generated.
const contractFile = "../../handlers/testdata/openapi.json"

// generatedSays is the output of the generated client: an empty memory, a write, its effect on the context, a search, a chat,
// a refused request and a missing node.
const generatedSays = "nobody; created,created; Ada; Her oldest friend; Grace; 0; query.time_zone; 404\n"

// A generated Python client passes mypy and works with Kith: generators other than those of the packages can read the contract.
func TestGeneratedPython(t *testing.T) {
	t.Parallel()
	python := ownSystem(t, "openapi-python-client==0.29.1", "mypy==2.4.1")
	folder := t.TempDir()
	copyProgram(t, folder, "generated.py")
	contract, err := filepath.Abs(contractFile)
	if err != nil {
		t.Fatal(err)
	}
	runProgram(t, folder, python, "-m", "openapi_python_client", "generate", "--path", contract, "--meta", "none", "--output-path", "kith_client")
	runProgram(t, folder, python, "-m", "mypy", "--strict", "--follow-imports=silent", "generated.py")
	s := shared(t)
	if said := runProgram(t, folder, python, "generated.py", s.url, s.newKey(t, testenv.Team(t), "read", "write")); said != generatedSays {
		t.Errorf("says %s", said)
	}
}

// copyProgram copies a test program to a folder with its dependencies.
func copyProgram(t *testing.T, folder, name string) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name), raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

// runProgram returns the output of a program that must succeed.
func runProgram(t *testing.T, folder, program string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, args...) //nolint:gosec // the test's own
	command.Dir = folder
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", filepath.Base(program), err, out)
	}
	return string(out)
}
