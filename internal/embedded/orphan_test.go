package embedded

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"
)

// TestOrphan_slow takes over the Neo4j of a killed process, and stops one that has other settings.
func TestOrphan_slow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	orphan := killedHelper(t, dir)
	if _, err := Attach(dir); !errors.Is(err, ErrNotRunning) {
		t.Errorf("Attach without a process: %v; want ErrNotRunning", err)
	}
	s := begin(t, Options{Dir: dir})
	if s.PID() != orphan {
		t.Errorf("PID = %d; want the orphan %d taken over", s.PID(), orphan)
	}
	if got := processes(t, dir); !slices.Equal(got, []int{orphan}) {
		t.Errorf("processes %v; want %d alone", got, orphan)
	}
	wantWritten(t, s.Endpoint(), "helper")
	t.Run("killed", func(t *testing.T) { wantRestart(t, s) })
	wantWritten(t, s.Endpoint(), "helper")
}

func TestOrphanWithOtherSettings_slow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	orphan := killedHelper(t, dir)
	s := begin(t, Options{Dir: dir, HeapMB: defaultHeapMB + 64})
	if got := processes(t, dir); s.PID() == orphan || !slices.Equal(got, []int{s.PID()}) {
		t.Errorf("processes %v, PID %d; want one that is not the orphan %d", got, s.PID(), orphan)
	}
	wantWritten(t, s.Endpoint(), "helper")
}

// killedHelper starts a Neo4j on dir in another process, kills that with SIGKILL, and returns the id of Neo4j's
// process.
func killedHelper(t *testing.T, dir string) (orphan int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperDir+"="+dir)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stdin.Close() }()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(stdout).ReadString('\n')
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	if _, err := fmt.Sscanf(line, "ready %d", &orphan); err != nil {
		t.Fatalf("the helper said %q", line)
	}
	return orphan
}

// TestStranger: an unrelated process is not taken for ours, whatever the state file says.
func TestStranger(t *testing.T) {
	t.Parallel()
	f := folder(t.TempDir())
	stranger := startStranger(t)
	for _, pid := range []int{stranger.Pid, os.Getpid(), os.Getppid(), 0, -1, 1 << 30} {
		id, _ := inspect(pid)
		if in := adoptProcess(f, state{PID: pid, Started: id.started}); in != nil {
			t.Errorf("process %d (%s) was taken over", pid, id.command)
		}
	}
	if _, alive := inspect(stranger.Pid); !alive {
		t.Error("the stranger is dead")
	}
}

// TestReusedPID: the right command line under another start time is another process.
func TestReusedPID(t *testing.T) {
	t.Parallel()
	f := folder(t.TempDir())
	cmd := exec.Command("sh", "-c", "read line", launcherClass, f.home())
	startUntilEnd(t, cmd)
	var id identity
	// Linux has no command line of a process for a moment within exec.
	eventually(t, 10*time.Second, "a process that looks like a Neo4j on "+f.home(), func() bool {
		var alive bool
		id, alive = inspect(cmd.Process.Pid)
		return alive && id.runsOn(f.home())
	})
	if pid, started := findOn(f.home()); pid != cmd.Process.Pid || started != id.started {
		t.Errorf("findOn = %d, %s; want %d, %s", pid, started, cmd.Process.Pid, id.started)
	}
	if in := adoptProcess(f, state{PID: cmd.Process.Pid, Started: id.started + "1"}); in != nil {
		t.Error("a process with another start time was taken over")
	}
}

func startStranger(t *testing.T) *os.Process {
	t.Helper()
	cmd := exec.Command("sleep", "600")
	startUntilEnd(t, cmd)
	eventually(t, 10*time.Second, "a command of the new process", func() bool { // see TestReusedPID
		id, _ := inspect(cmd.Process.Pid)
		return id.command != ""
	})
	return cmd.Process
}

// startUntilEnd runs cmd until the test ends.
func startUntilEnd(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	stdin, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
}
