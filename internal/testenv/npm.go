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

// Packages is a folder with npm packages (name@version), for tests that hold Kith against other people's programs. They are
// fetched once into the user's cache folder. Where that cannot be the test fails.
func Packages(t testing.TB, packages ...string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(strings.Join(packages, " ")))
	folder := filepath.Join(cache, "kith", "npm", hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(folder); err == nil {
		return folder
	}
	if err := install(t.Context(), folder, packages); err != nil {
		t.Fatalf("npm packages (Node 18 or later with npm: scripts/setup.sh): %v", err)
	}
	return folder
}

// install fetches packages beside their place, and puts them there when they are whole: another process may do the same.
func install(ctx context.Context, folder string, packages []string) error {
	if err := os.MkdirAll(filepath.Dir(folder), 0o750); err != nil {
		return err
	}
	beside, err := os.MkdirTemp(filepath.Dir(folder), "new-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(beside) }()
	args := append([]string{"install", "--prefix", beside, "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"}, packages...)
	command := exec.CommandContext(ctx, "npm", args...) //nolint:gosec // the tests' own packages
	command.Stderr = os.Stderr
	if err := command.Run(); err != nil {
		return err
	}
	if err := os.Rename(beside, folder); err != nil {
		if _, there := os.Stat(folder); there != nil {
			return err
		}
	}
	return nil
}
