package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"kith/graph"
	"kith/internal/embedded"
	"kith/loader"
	"kith/tests/testenv"
)

// scaleStore is a kith binary with its own Neo4j.
type scaleStore struct {
	binary, dir string
	environ     []string
	keys        map[string]string // by team
	*server
	command  *exec.Cmd
	log      *os.File
	bare     bareDatabase
	contexts *loader.Loader
}

func newScaleStore(b *testing.B, binary, dir string, environ ...string) *scaleStore {
	b.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		b.Fatal(err)
	}
	log, err := os.OpenFile(filepath.Join(dir, "kith.log"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = log.Close() })
	return &scaleStore{binary: binary, dir: dir, environ: append([]string{"KITH_NEO4J_URI=", "KITH_DATA=" + filepath.Join(dir, "data")}, environ...), keys: map[string]string{}, log: log}
}

// start starts the binary, and returns how long its first answer took.
func (s *scaleStore) start(b *testing.B, environ ...string) time.Duration {
	b.Helper()
	begun := time.Now()
	s.server, s.command = runBinary(b, s.binary, s.log, append(s.environ, environ...)...)
	took := time.Since(begun)
	endpoint, err := embedded.Attach(filepath.Join(s.dir, "data"))
	if err != nil {
		b.Fatal(err)
	}
	db := testenv.Database{URI: endpoint.URI, User: endpoint.User, Password: endpoint.Password}
	s.bare, s.store = newBareDatabase(b, db), openStore(b, db, graph.Options{})
	s.contexts = uncached(s.store, loader.Combined)
	return took
}

// stop stops the binary and its Neo4j, and returns how long that took.
func (s *scaleStore) stop(b *testing.B) time.Duration {
	b.Helper()
	_ = s.store.Close(b.Context())
	return measureCall(b, func() error {
		if err := s.command.Process.Signal(syscall.SIGTERM); err != nil {
			return err
		}
		return s.command.Wait()
	})
}

// of returns a caller with a key of a team.
func (s *scaleStore) of(b *testing.B, team string) *writer {
	b.Helper()
	w := &writer{url: s.url, key: s.key}
	if s.keys[team] == "" {
		s.keys[team] = w.newKey(b, team)
	}
	w.key = s.keys[team]
	return w
}

// neo4jPID returns the process of the store's Neo4j.
func (s *scaleStore) neo4jPID(b *testing.B) int {
	b.Helper()
	var state struct{ PID int }
	raw, err := os.ReadFile(filepath.Join(s.dir, "data", "neo4j.json"))
	if err == nil {
		err = json.Unmarshal(raw, &state)
	}
	if err != nil {
		b.Fatal(err)
	}
	return state.PID
}

// cpuSeconds returns the processor time that Kith and Neo4j have used.
func (s *scaleStore) cpuSeconds(b *testing.B) (sum float64) {
	b.Helper()
	const ticks = 100 // a second, in /proc on Linux
	for _, pid := range []int{s.command.Process.Pid, s.neo4jPID(b)} {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			b.Fatal(err)
		}
		_, after, _ := strings.Cut(string(stat), ") ") // the name of the program may have blanks
		for _, field := range strings.Fields(after)[11:13] {
			n, err := strconv.ParseFloat(field, 64)
			if err != nil {
				b.Fatal(err)
			}
			sum += n / ticks
		}
	}
	return sum
}
