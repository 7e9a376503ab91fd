package testenv

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Packages returns a folder with npm packages (name@version), for tests with third-party programs. They are fetched
// once into the user's cache folder. The test fails if that is impossible.
func Packages(t testing.TB, packages ...string) string {
	t.Helper()
	folder, err := fetched("npm", packages, func(folder string) error {
		return tool(t.Context(), "npm", append([]string{"install", "--prefix", folder, "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"}, packages...)...)
	})
	if err != nil {
		t.Fatalf("npm packages (Node 18 or later with npm: tests/setup.sh): %v", err)
	}
	return folder
}

// Modules returns the folder node_modules of an npm project with a package-lock.json; see Packages.
func Modules(t testing.TB, project string) string {
	t.Helper()
	files := []string{"package.json", "package-lock.json"}
	var contents []string
	for _, name := range files {
		raw, err := os.ReadFile(filepath.Join(project, name)) //nolint:gosec // the test's own
		if err != nil {
			t.Fatal(err)
		}
		contents = append(contents, string(raw))
	}
	folder, err := fetched("npm", contents, func(folder string) error {
		for i, name := range files {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(contents[i]), 0o600); err != nil {
				return err
			}
		}
		return tool(t.Context(), "npm", "ci", "--prefix", folder, "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")
	})
	if err != nil {
		t.Fatalf("npm packages of %s (Node 20 or later with npm: tests/setup.sh): %v", project, err)
	}
	return filepath.Join(folder, "node_modules")
}

// Python returns the interpreter of a virtual environment with PyPI packages (name==version); see Packages.
func Python(t testing.TB, packages ...string) string {
	t.Helper()
	folder, err := python(t.Context(), packages)
	if err != nil {
		t.Fatalf("Python packages (Python 3.10 or later with venv: tests/setup.sh): %v", err)
	}
	return pythonIn(folder)
}

// python returns the folder of a virtual environment with the packages.
func python(ctx context.Context, packages []string) (string, error) {
	return fetched("python", packages, func(folder string) error {
		if err := tool(ctx, "python3", "-m", "venv", folder); err != nil {
			return err
		}
		// That of the interpreter may be too old to resolve some packages.
		if err := tool(ctx, pythonIn(folder), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "pip==26.3"); err != nil {
			return err
		}
		return tool(ctx, pythonIn(folder), append([]string{"-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:"}, packages...)...)
	})
}

func pythonIn(folder string) string { return filepath.Join(folder, "bin", "python") }

// fetched returns the folder of packages in the user's cache. They are fetched into another folder, and moved there
// when complete: another process may do the same.
func fetched(from string, packages []string, fetch func(folder string) error) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(strings.Join(packages, " ")))
	folder := filepath.Join(cache, "kith", from, hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(folder); err == nil {
		return folder, nil
	}
	if err := os.MkdirAll(filepath.Dir(folder), 0o750); err != nil {
		return "", err
	}
	beside, err := os.MkdirTemp(filepath.Dir(folder), "new-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(beside) }()
	if err := fetch(beside); err != nil {
		return "", err
	}
	if err := os.Rename(beside, folder); err != nil {
		if _, there := os.Stat(folder); there != nil {
			return "", err
		}
	}
	return folder, nil
}

const systemAuthorities = "/etc/ssl/certs/ca-certificates.crt"

func tool(ctx context.Context, name string, args ...string) error {
	command := exec.CommandContext(ctx, name, args...) //nolint:gosec // the tests' own packages
	command.Stderr, command.Env = os.Stderr, os.Environ()
	// Node uses only its own certificate authorities; networks with others have them in the system's.
	if _, err := os.Stat(systemAuthorities); err == nil && os.Getenv("NODE_EXTRA_CA_CERTS") == "" {
		command.Env = append(command.Env, "NODE_EXTRA_CA_CERTS="+systemAuthorities)
	}
	return command.Run()
}
