package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kith/tests/testenv"
)

// publishedAt is where TestGoClient publishes a copy of the modules.
const publishedAt = "git.example.org/ada/kith"

// A program of another module builds with the client that deploy/module-path.sh named, with no other module, and the client's
// examples print what they promise when they run against a Kith. All packages of the copy find their imports.
func TestGoClient(t *testing.T) {
	t.Parallel()
	published := copyGo(t)
	runProgram(t, published, "deploy/module-path.sh", publishedAt)
	runProgram(t, published, "go", "list", "-deps", "-test", "./...")

	outside := t.TempDir()
	writeFile(t, filepath.Join(outside, "main.go"), `package main

import client "`+publishedAt+`/clients/go"

func main() { client.New("http://127.0.0.1:8080", "", nil) }
`)
	runProgram(t, outside, "go", "mod", "init", "example.net/outside")
	runProgram(t, outside, "go", "mod", "edit", "-replace", publishedAt+"/clients/go="+filepath.Join(published, "clients/go"))
	runProgram(t, outside, "go", "mod", "tidy")
	runProgram(t, outside, "go", "build", "-o", os.DevNull, ".")
	if modules := strings.Fields(runProgram(t, outside, "go", "list", "-m", "-f", "{{.Path}}", "all")); len(modules) != 2 {
		t.Errorf("the program needs %q", modules)
	}

	s := shared(t)
	examples := exec.CommandContext(t.Context(), "go", "test", "-count=1", "./...")
	examples.Dir = filepath.Join(published, "clients/go")
	examples.Env = append(os.Environ(), "KITH_URL="+s.url, "KITH_KEY="+s.newKey(t, testenv.Team(t), "read", "write"))
	if out, err := examples.CombinedOutput(); err != nil || strings.Contains(string(out), "do not run") {
		t.Errorf("%v: %s", err, out)
	}
}

// copyGo copies the files that building the modules needs, and returns the folder of the copy.
func copyGo(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", "-C", "../..", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for _, name := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		source := filepath.Join("../..", name)
		info, err := os.Stat(source)
		if os.IsNotExist(err) { // deleted, and not committed yet
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(source) //nolint:gosec // a file of the repository
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(folder, name), string(raw))
		if err := os.Chmod(filepath.Join(folder, name), info.Mode()); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// writeFile writes a file, and makes its folder.
func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
