package embedded

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestFetch: an interrupted fetch and a damaged one do not count, and a second fetch does nothing.
func TestFetch(t *testing.T) {
	c := cache(t.TempDir())
	leftover := filepath.Join(c.jars()+".part", "lib", "left-over.jar")
	for _, path := range []string{leftover, filepath.Join(c.jars(), "lib", "half.jar")} {
		writeTestFile(t, path, "half", 0o600)
	}
	var progress bytes.Buffer
	if err := fetch(t.Context(), c, "", &progress); err != nil {
		t.Fatal(err)
	}
	if !isComplete(c.jars()) {
		t.Error("the fetch is not complete")
	}
	if got, err := neo4jVersion(filepath.Join(c.jars(), "lib")); got != Version || err != nil {
		t.Errorf("version %q, %v; want %s", got, err, Version)
	}
	for _, path := range []string{leftover, filepath.Join(c.jars(), "lib", "half.jar")} {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is still there", path)
		}
	}
	if !strings.Contains(progress.String(), "fetching Neo4j "+Version) {
		t.Errorf("progress was %q", &progress)
	}
	t.Setenv("PATH", "")
	if err := fetch(t.Context(), c, "", &progress); err != nil {
		t.Errorf("second fetch: %v", err)
	}
	wantDamageSeen(t, c)
}

func wantDamageSeen(t *testing.T, c cache) {
	t.Helper()
	jars, err := filepath.Glob(filepath.Join(c.jars(), "lib", kernelJar+"*"))
	if err != nil || len(jars) == 0 {
		t.Fatal(jars, err)
	}
	if err := os.Truncate(jars[0], 10); err != nil {
		t.Fatal(err)
	}
	if isComplete(c.jars()) {
		t.Error("a cut jar counts as complete")
	}
}

func TestFetchFails(t *testing.T) {
	fakeCommand(t, "mvn", "mkdir lib; echo half > lib/a.jar; echo '[ERROR] no such host'; exit 1")
	c := cache(t.TempDir())
	err := fetch(t.Context(), c, "", &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "[ERROR] no such host") {
		t.Errorf("error %v; want Maven's words", err)
	}
	if _, err := os.Stat(c.jars()); err == nil {
		t.Error("a failed fetch counts")
	}
}

func TestFetchCutOff(t *testing.T) {
	fakeCommand(t, "mvn", "exec sleep 600")
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := fetch(ctx, cache(t.TempDir()), "", &bytes.Buffer{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v; want the deadline", err)
	}
}

func TestMavenMissing(t *testing.T) {
	t.Setenv("PATH", "")
	if err := fetch(t.Context(), cache(t.TempDir()), "", &bytes.Buffer{}); !errors.Is(err, ErrMissingMaven) {
		t.Errorf("error %v; want ErrMissingMaven", err)
	}
}

// fakeCommand puts a shell script in front of the PATH.
func fakeCommand(t *testing.T, name, script string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	writeTestFile(t, filepath.Join(dir, name), "#!/bin/sh\n"+script+"\n", 0o700)
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return dir
}

func writeTestFile(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}
