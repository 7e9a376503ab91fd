package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kith/tests/testenv"
)

const pythonPackage = "../../clients/python"

// pythonExtras are the extras of the package. Those of heavy frameworks run with KITH_TEST_ADAPTERS=1 (make test-adapters).
var pythonExtras = []struct {
	name, module string
	heavy        bool
}{
	{"anthropic", "anthropic_memory", false},
	{"langgraph", "langgraph", false},
	{"langchain", "langchain", true},
	{"llama-index", "llama_index", true},
	{"openai-agents", "openai_agents", true},
	{"pydantic-ai", "pydantic_ai", true},
}

// The Python package passes mypy and its tests with a running Kith.
func TestPythonPackage_slow(t *testing.T) {
	t.Parallel()
	requirements, extras := []string{"test"}, []string{}
	modules, tests := pythonFiles(t, "src/kith/*.py"), pythonFiles(t, "tests/test_*.py")
	for _, extra := range pythonExtras {
		if !extra.heavy || os.Getenv("KITH_TEST_ADAPTERS") != "" {
			requirements, extras = append(requirements, extra.name), append(extras, extra.name)
			continue
		}
		modules = without(modules, "src/kith/"+extra.module+".py")
		tests = without(tests, "tests/test_"+extra.module+".py")
	}
	python := testenv.Python(t, pythonRequirements(t, requirements...)...)
	s, team := shared(t), testenv.Team(t)
	environ := append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "KITH_TEST_EXTRAS="+strings.Join(extras, " "),
		"KITH_URL="+s.url, "KITH_KEY="+s.newKey(t, team, "read", "write"), "KITH_ADMIN_KEY="+s.newKey(t, team, "admin"))
	for _, args := range [][]string{append([]string{"mypy", "--cache-dir=/dev/null"}, modules...), append([]string{"pytest"}, tests...)} {
		command := exec.CommandContext(t.Context(), python, append([]string{"-m"}, args...)...) //nolint:gosec // the test's own
		command.Dir, command.Env = pythonPackage, environ
		out, err := command.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v: %s", args[0], err, out)
		}
		t.Logf("%s with %s: %s", args[0], strings.Join(pythonRequirements(t, requirements...), " "), bytes.TrimSpace(out))
	}
}

// The wheel and the sdist are the same to the byte when they are built again, and the wheel has the types.
func TestPythonPackageIsReproducible(t *testing.T) {
	t.Parallel()
	python := testenv.Python(t, pythonRequirements(t, "build")...)
	var built [2]map[string][]byte
	for i := range built {
		folder := t.TempDir()
		command := exec.CommandContext(t.Context(), "../../deploy/python-package.sh", folder) //nolint:gosec // the test's own
		command.Env = append(os.Environ(), "PYTHON="+python, "SOURCE_DATE_EPOCH=1700000000")
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		built[i] = readFolder(t, folder)
	}
	for _, name := range []string{"kith_client-0.1.0-py3-none-any.whl", "kith_client-0.1.0.tar.gz"} {
		if first, second := built[0][name], built[1][name]; len(first) == 0 || !bytes.Equal(first, second) {
			t.Errorf("%s: %d and %d bytes, not the same", name, len(first), len(second))
		}
	}
	if !bytes.Contains(built[0]["kith_client-0.1.0-py3-none-any.whl"], []byte("kith/py.typed")) {
		t.Error("the wheel lacks kith/py.typed")
	}
}

// pythonFiles returns the files of the package that match a pattern, with paths in it.
func pythonFiles(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(pythonPackage, pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, %v", pattern, len(files), err)
	}
	for i, file := range files {
		if files[i], err = filepath.Rel(pythonPackage, file); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// without returns the names without one that must be among them.
func without(names []string, name string) []string {
	i := slices.Index(names, name)
	return slices.Delete(names, i, i+1)
}

// pythonRequirements returns the packages in files of requirements.
func pythonRequirements(t *testing.T, names ...string) []string {
	t.Helper()
	var all []string
	for _, name := range names {
		raw, err := os.ReadFile(filepath.Join(pythonPackage, "requirements", name+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, strings.Fields(string(raw))...)
	}
	return all
}

func readFolder(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, entry := range entries {
		if files[entry.Name()], err = os.ReadFile(filepath.Join(folder, entry.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return files
}
