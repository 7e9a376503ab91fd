package e2e

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"kith/cmd/kith/machine"
	"kith/tests/testenv"
)

// The process in the background serves hooks without a key, once for a folder, with the same key after a restart, and ends
// when nobody uses it.
func TestHookServer(t *testing.T) {
	t.Parallel()
	team := testenv.Team(t)
	h := newHooks(t, "claude-code", "", "")
	folder := filepath.Join(filepath.Dir(h.project), "data")
	h.environ = append(h.environ, "KITH_TEAM="+team)
	environ := append(settings(testenv.Neo4j(t), ""), "KITH_DATA="+folder, "KITH_LOG_LEVEL=error")
	begin := func(idle string) (ended chan int, stop context.CancelFunc) {
		ctx, cancel := context.WithCancel(t.Context())
		ended = make(chan int, 1)
		go func() {
			ended <- run(ctx, []string{"hook-server", "--team", team, "--idle", idle}, environ, streams{nil, &buffer{}, &buffer{}})
		}()
		return ended, cancel
	}
	answers := func() *machine.Server {
		t.Helper()
		var server *machine.Server
		eventually(t, 2*time.Minute, "the server answers", func() (ok bool) {
			found, err := machine.Find(folder)
			server = found
			return err == nil
		})
		return server
	}
	ended, stop := begin("1h")
	first := answers()
	if code := run(t.Context(), []string{"hook-server", "--team", team}, environ, streams{nil, &bytes.Buffer{}, &bytes.Buffer{}}); code != 0 {
		t.Errorf("a second server: %d", code)
	}
	h.must(t, "stop", nil)
	if said := h.told(t, h.must(t, "session-start", nil)); !strings.Contains(said, "About me") {
		t.Errorf("the context: %s", said)
	}
	other := *h
	other.environ = append(other.environ, "KITH_TEAM=another")
	if code, _, said := other.call(t, "stop", strings.NewReader(h.input("stop", nil))); code != 1 || !strings.Contains(said, "is open for the team") {
		t.Errorf("another team: %d %s", code, said)
	}
	stop()
	<-ended
	if _, err := machine.Find(folder); err == nil {
		t.Error("a server that has ended is found")
	}
	ended, stop = begin("2s")
	defer stop()
	if again := answers(); again.Key != first.Key {
		t.Error("a restart makes another key")
	}
	select {
	case code := <-ended:
		if code != 0 {
			t.Errorf("it ends with %d", code)
		}
	case <-time.After(time.Minute):
		t.Error("it does not end by itself")
	}
}

// A server that would end at once is refused.
func TestHookServerIdle(t *testing.T) {
	t.Parallel()
	for _, idle := range []string{"0", "-1s", "900ms"} {
		code, out := command(t, []string{"KITH_HOOK_IDLE=" + idle, "KITH_DATA=" + t.TempDir(), "KITH_NEO4J_URI=bolt://127.0.0.1:1"}, "hook-server")
		if code != 1 || !strings.Contains(out, "KITH_HOOK_IDLE must be at least 1s") {
			t.Errorf("%s: %d %s", idle, code, out)
		}
	}
}

// Without a server and settings the first hook starts one on an embedded Neo4j, and the session is stored when it answers.
func TestHooksOnTheirOwnNeo4j_slow(t *testing.T) {
	t.Parallel()
	h := newHooks(t, "claude-code", "", "")
	folder := filepath.Join(filepath.Dir(h.project), "data")
	t.Cleanup(func() { endBackground(t, folder) })
	code, out, said := h.call(t, "session-start", strings.NewReader(h.input("session-start", nil)))
	if code != 0 || !strings.Contains(out, "memory is starting") || !strings.Contains(said, "memory is starting") {
		t.Fatalf("%d %s %s", code, out, said)
	}
	if code, out, said := h.call(t, "stop", strings.NewReader(h.input("stop", nil))); code != 0 || out != "" || !strings.Contains(said, "memory is starting") {
		t.Fatalf("%d %s %s", code, out, said)
	}
	a := startMCP(t, []string{"KITH_DATA=" + folder}, "--shared")
	a.says(t, "get_context", `{}`, "# About")
	var server *machine.Server
	eventually(t, 4*time.Minute, "the server answers", func() bool {
		found, err := machine.Find(folder)
		server = found
		return err == nil
	})
	eventually(t, 2*time.Minute, "the session is stored", func() bool {
		r := caller{server.URL, server.Key, http.DefaultClient}.do(t, http.MethodGet, "/v1/conversations/claude-code%2Fsession-1?user_id=me", "")
		return strings.Contains(string(r.body), "Fastnet Rock")
	})
	if said := h.told(t, h.must(t, "session-start", nil)); !strings.Contains(said, "About me") {
		t.Errorf("the context: %s", said)
	}
}

// endBackground ends the process in the background and waits until its Neo4j has stopped.
func endBackground(t *testing.T, folder string) {
	raw, err := os.ReadFile(filepath.Join(folder, "lock"))
	if err != nil {
		t.Error(err)
		return
	}
	pid, err := strconv.Atoi(string(raw))
	if err == nil {
		var process *os.Process
		if process, err = os.FindProcess(pid); err == nil {
			err = process.Signal(syscall.SIGTERM)
		}
	}
	if err != nil {
		t.Error(err)
		return
	}
	eventually(t, 2*time.Minute, "the process in the background has ended", func() bool {
		_, err := machine.Find(folder)
		return errors.Is(err, machine.ErrNotRunning)
	})
}
