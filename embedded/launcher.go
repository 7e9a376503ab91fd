package embedded

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

const launcherClass = "Neo4jServer"

//go:embed Neo4jServer.java
var launcherSource []byte

// launcher holds java's arguments for the launcher: those before the jars on the class path, and the class or source
// file to run.
type launcher struct{ classPath, main string }

// prepareLauncher compiles the launcher once into the cache, which saves 4 s a start. Without a compiler, Java itself
// does it at each start. The caller holds the lock of the cache.
func prepareLauncher(ctx context.Context, c cache, java, jars string) (launcher, error) {
	dir := filepath.Join(string(c), "launcher-"+hash(string(launcherSource)))
	source := filepath.Join(dir, launcherClass+".java")
	compiled := launcher{classPath: dir, main: launcherClass}
	if _, err := os.Stat(filepath.Join(dir, launcherClass+".class")); err == nil {
		return compiled, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return launcher{}, fmt.Errorf("prepare launcher: %w", err)
	}
	if err := writeFile(source, launcherSource); err != nil {
		return launcher{}, fmt.Errorf("prepare launcher: %w", err)
	}
	javac := findJavac(java)
	if javac == "" {
		return launcher{main: source}, nil
	}
	return compiled, compile(ctx, javac, jars, source, dir)
}

// compile puts the class file of source into dir atomically.
func compile(ctx context.Context, javac, jars, source, dir string) error {
	tmp, err := os.MkdirTemp(dir, "javac-*.tmp")
	if err != nil {
		return fmt.Errorf("compile launcher: %w", err)
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	cmd := exec.CommandContext(ctx, javac, "--release", "17", "-proc:none", "-cp", jars, "-d", tmp, source)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("compile launcher: %w: %s", err, lastLines(string(out)))
	}
	class := launcherClass + ".class"
	if err := os.Rename(filepath.Join(tmp, class), filepath.Join(dir, class)); err != nil {
		return fmt.Errorf("compile launcher: %w", err)
	}
	return nil
}
