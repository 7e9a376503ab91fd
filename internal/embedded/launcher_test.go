package embedded

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// The compiled launcher is that of its source.
func TestLauncherIsOfItsSource(t *testing.T) {
	t.Parallel()
	c, err := openCache("")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.locked(t.Context(), func() error { return fetch(t.Context(), c, "", os.Stderr) }); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	jars := filepath.Join(c.jars(), "lib", "*")
	output(t, "javac", "--release", "17", "-proc:none", "-cp", jars, "-d", dir, launcherClass+".java")
	if made, kept := disassemble(t, dir), disassemble(t, "."); made != kept {
		t.Errorf("%s.class is not that of its source, which is\n%s", launcherClass, made)
	}
}

// disassemble returns the code of the class in dir, without the numbers of its constants, which differ between compilers.
func disassemble(t *testing.T, dir string) string {
	t.Helper()
	return regexp.MustCompile(`#\d+`).ReplaceAllString(output(t, "javap", "-p", "-c", filepath.Join(dir, launcherClass+".class")), "#")
}

func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return string(out)
}
