package embedded

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestLife_slow follows one data folder through start, crash, stop and start.
func TestLife_slow(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	s := begin(t, Options{Dir: dir})
	e := s.Endpoint()
	mustRun(t, e, "CREATE (:Test {by: 'first'})")
	t.Run("private", func(t *testing.T) { wantPrivate(t, s) })
	t.Run("locked", func(t *testing.T) { wantLocked(t, dir) })
	t.Run("attach", func(t *testing.T) {
		if got, err := Attach(dir); err != nil || got != e {
			t.Errorf("Attach = %+v, %v; want %+v", got.URI, err, e.URI)
		}
	})
	t.Run("killed", func(t *testing.T) { wantRestart(t, s) })
	wantWritten(t, e, "first")
	mustRun(t, e, "CREATE (:Test {by: 'second'})")
	t.Run("failed disk", func(t *testing.T) { wantRestartOfFailed(t, s) })
	stop(t, s)
	if _, err := Attach(dir); !errors.Is(err, ErrNotRunning) {
		t.Errorf("Attach after Close: %v; want ErrNotRunning", err)
	}
	if left := processes(t, dir); len(left) > 0 || s.PID() != 0 {
		t.Errorf("processes %v and PID %d after Close", left, s.PID())
	}
	again := begin(t, Options{Dir: dir})
	if again.Endpoint() != e {
		t.Errorf("the address was %s and is %s", e.URI, again.Endpoint().URI)
	}
	wantWritten(t, e, "first")
	wantWritten(t, e, "second")
}

func wantPrivate(t *testing.T, s *Server) {
	wantNoSecret(t, s)
	for path, want := range map[string]os.FileMode{string(s.folder): 0o700, s.folder.auth(): 0o600, s.folder.state(): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want mode %v", path, info, err, want)
		}
	}
	if !strings.HasPrefix(s.Endpoint().URI, "bolt://127.0.0.1:") {
		t.Errorf("the address is %s; want one on the loopback interface", s.Endpoint().URI)
	}
}

func wantLocked(t *testing.T, dir string) {
	_, err := Start(t.Context(), Options{Dir: dir})
	if !errors.Is(err, ErrLocked) {
		t.Fatalf("second Start: %v; want ErrLocked", err)
	}
	for _, want := range []string{"process " + strconv.Itoa(os.Getpid()), dir, "KITH_DATA"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not name %s", err, want)
		}
	}
}

// wantRestart kills Neo4j and waits until another one answers at the same address.
func wantRestart(t *testing.T, s *Server) {
	t.Helper()
	old := s.PID()
	process, err := os.FindProcess(old)
	if err == nil {
		err = process.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
	wantAnother(t, s, old)
}

// wantRestartOfFailed makes all that Neo4j writes to files fail, as on a full disk. A database that could not write stays unusable until
// it is started again.
func wantRestartOfFailed(t *testing.T, s *Server) {
	t.Helper()
	prlimit, err := exec.LookPath("prlimit")
	if err != nil {
		t.Skip("files that cannot be written need Linux's prlimit")
	}
	old := s.PID()
	output(t, prlimit, "--pid", strconv.Itoa(old), "--fsize=0")
	_, err = run(t.Context(), s.Endpoint(), "CREATE (:Test {by: 'third'})")
	wantAnother(t, s, old)
	if err == nil { // by the next one
		wantWritten(t, s.Endpoint(), "third")
	}
}

// wantAnother waits until another Neo4j than the one with process id old answers at the same address.
func wantAnother(t *testing.T, s *Server, old int) {
	t.Helper()
	e, began := s.Endpoint(), time.Now()
	eventually(t, time.Minute, "Neo4j runs again", func() bool {
		_, err := run(t.Context(), e, "RETURN 1")
		return err == nil && s.PID() != 0 && s.PID() != old
	})
	t.Logf("restarted after %v", time.Since(began).Round(10*time.Millisecond))
	if s.Endpoint() != e {
		t.Errorf("the address was %s and is %s", e.URI, s.Endpoint().URI)
	}
}

// TestRecover_slow starts on a database that still has its first password, as after a crash before the real one was set,
// with a state file that names an unrelated process, and without the content of a file that Neo4j does not sync.
func TestRecover_slow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f, err := openFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	makeUnset(t, f)
	if err := os.Truncate(f.serverID(), 0); err != nil {
		t.Fatal(err)
	}
	stranger := startStranger(t)
	id, _ := inspect(stranger.Pid)
	stale := state{PID: stranger.Pid, Started: id.started}.on(1) // a port that cannot be bound
	if err := stale.write(f); err != nil {
		t.Fatal(err)
	}
	s := begin(t, Options{Dir: dir})
	if now, alive := inspect(stranger.Pid); !alive || now != id {
		t.Errorf("the stranger became %+v (alive: %v)", now, alive)
	}
	mustRun(t, s.Endpoint(), "RETURN 1")
	stop(t, s)
	wantUnreadable(t, f)
}

// wantUnreadable damages the store, as a newer Neo4j would for this one; Start must report that and not wait forever.
func wantUnreadable(t *testing.T, f folder) {
	t.Helper()
	writeTestFile(t, filepath.Join(f.data(), "databases", "neo4j", "neostore"), strings.Repeat("?", 16384), 0o600)
	began := time.Now()
	s, err := Start(t.Context(), Options{Dir: string(f)})
	if err == nil {
		stop(t, s)
		t.Fatal("Start succeeded on a store that cannot be read")
	}
	t.Logf("refused after %v: %v", time.Since(began).Round(10*time.Millisecond), err)
	if !strings.Contains(err.Error(), "open database") {
		t.Errorf("error %q does not say that the database cannot be opened", err)
	}
}

// makeUnset makes a database in f that was never given its password, and the file with that password.
func makeUnset(t *testing.T, f folder) {
	t.Helper()
	e, err := chooseEngine(t.Context(), Options{}.withDefaults(), f)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ensurePassword(f); err != nil {
		t.Fatal(err)
	}
	port, err := choosePort(0)
	if err != nil {
		t.Fatal(err)
	}
	in, err := e.start(t.Context(), port)
	if err != nil {
		t.Fatal(err)
	}
	p := probe{uri: state{}.on(port).URI}
	eventually(t, time.Minute, "the first password is to be changed", func() bool {
		return code(p.ask(t.Context(), firstPassword, "neo4j", "RETURN 1", nil)) == "Neo.ClientError.Security.CredentialsExpired"
	})
	if err := end(t.Context(), in); err != nil {
		t.Fatal(err)
	}
}

// TestCutOff interrupts a start; nothing may be left behind, and the folder stays usable.
func TestCutOff(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	failed := make(chan error)
	go func() {
		_, err := Start(ctx, Options{Dir: dir})
		failed <- err
	}()
	eventually(t, time.Minute, "Neo4j is starting", func() bool {
		_, err := os.Stat(filepath.Join(dir, "neo4j", "logs", "debug.log"))
		return err == nil && len(processes(t, dir)) == 1
	})
	began := time.Now()
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("Start = %v; want context.Canceled", err)
	}
	if took := time.Since(began); took > 2*haltTimeout {
		t.Errorf("Start took %v to give up", took)
	}
	if left := processes(t, dir); len(left) > 0 {
		t.Errorf("processes %v are left", left)
	}
}
