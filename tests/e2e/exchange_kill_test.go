package e2e

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"kith/tests/testenv"
)

// commandEnv names the command that a test binary runs instead of tests, as a process that can be killed.
const commandEnv = "KITH_TEST_SERVED_ALONE"

// startProcess starts kith serve in a separate process. kill ends it with SIGKILL.
func startProcess(t *testing.T, environ []string) (s *service, kill func()) {
	t.Helper()
	s = &service{out: &buffer{}, err: &buffer{}}
	command := exec.Command(os.Args[0])
	command.Env = append(append(os.Environ(), environ...), commandEnv+"=serve")
	command.Stdout, command.Stderr = s.out, s.err
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	s.pid = command.Process.Pid
	kill = func() {
		_ = command.Process.Kill()
		_ = command.Wait() // killed
	}
	t.Cleanup(kill)
	eventually(t, 3*time.Minute, "kith serve answers", func() bool {
		found := answersAt.FindStringSubmatch(s.out.String())
		if found != nil {
			s.url = found[1]
		}
		return found != nil
	})
	return s, kill
}

// A Kith that is killed during an import leaves a mark and complete batches. Another one resumes from there, with the same
// result.
func TestImportGoesOnAfterAKill_slow(t *testing.T) {
	t.Parallel()
	environ := settings(testenv.Neo4j(t), "")
	body := manyLines(2500)
	s := start(t, environ)
	whole, broken := s.team(t), s.team(t)
	writeKnown(t, whole)
	writeKnown(t, broken)
	want, _ := whole.imported(t, body, "user_id", "u1")

	for _, part := range []int{len(body) / 3, len(body) * 3 / 4} {
		victim, kill := startProcess(t, environ)
		attempt := broken
		attempt.url = victim.url
		before := strings.Count(broken.exported(t), "\n")
		in, out := io.Pipe()
		answered := make(chan bool, 1)
		go func() {
			_, _, ok := attempt.sendBody(t, in, "user_id", "u1", "import_id", "i")
			answered <- ok
		}()
		if _, err := io.WriteString(out, body[:part]); err != nil {
			t.Fatal(err)
		}
		eventually(t, time.Minute, "a piece is stored", func() bool { return strings.Count(broken.exported(t), "\n") > before })
		kill()
		_ = out.CloseWithError(errCable)
		if <-answered {
			t.Fatal("a kith that was killed has answered")
		}
	}

	got := broken.resume(t, body, "user_id", "u1", "import_id", "i")
	sameResumed(t, 1000, want, got)
	sameMemories(t, whole, broken)
}
