//go:build soak

// Package soak runs two instances on one Neo4j and one Redis under load, and kills and freezes all four repeatedly; Redis loses its data. It
// checks that acknowledged writes are stored exactly once, that a reader of the feed of changes gets each once and in order, and that
// kith check finds nothing: make soak. It takes long, and so needs the build tag.
package soak

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
	"testing"
	"time"
)

const (
	key     = "kith_a-bootstrap-key-of-the-soak"
	clients = 4
	// restorable is the time in which a delete can be undone: short, so that the soak purges too.
	restorable = time.Minute
)

// kith is an instance that is killed and restarted.
type kith struct {
	url     string
	environ []string
	command *exec.Cmd
}

type soak struct {
	*testing.T
	data  string
	log   *os.File
	kiths []*kith
	redis *exec.Cmd
	port  string // of Redis

	kills, freezes int
}

func TestSoak(t *testing.T) {
	duration, err := time.ParseDuration(os.Getenv("SOAK"))
	if err != nil {
		t.Fatalf("SOAK says how long: %v", err)
	}
	log, err := os.Create(filepath.Join(os.TempDir(), "kith-soak.log"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	s := &soak{T: t, data: filepath.Join(t.TempDir(), "data"), log: log}
	_, s.port, _ = net.SplitHostPort(s.freeAddress())
	s.startRedis()
	defer func() {
		_ = s.redis.Process.Kill()
		_ = s.redis.Wait()
	}()
	s.add("KITH_DATA=" + s.data) // runs the Neo4j
	s.add("KITH_NEO4J_URI="+s.neo4j().URI, "KITH_NEO4J_PASSWORD_FILE="+filepath.Join(s.data, "neo4j", "auth"))
	defer func() { // cleanly: the first stops its Neo4j
		for i := range s.kiths {
			if k := s.kiths[len(s.kiths)-1-i]; k.command.Process != nil {
				_ = k.command.Process.Signal(os.Interrupt)
				_ = k.command.Wait()
			}
		}
	}()

	ctx, cancel := context.WithTimeout(t.Context(), duration)
	defer cancel()
	var running sync.WaitGroup
	all := make([]*client, clients)
	for i := range all {
		all[i] = s.client(fmt.Sprintf("u%d", i))
		running.Go(func() { all[i].run(ctx) })
	}
	changes := &reader{client: s.client("reader")}
	running.Go(func() { changes.run(ctx) })
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-time.After(5*time.Second + rand.N(10*time.Second)):
			if rand.IntN(3) == 0 {
				s.freeze()
			} else {
				s.kill()
			}
		}
	}
	running.Wait()
	s.verify(all)
	changes.verify(all)
	s.check()
}

// add starts one more instance.
func (s *soak) add(environ ...string) {
	address := s.freeAddress()
	k := &kith{url: "http://" + address, environ: append(environ, "KITH_LISTEN="+address, "KITH_ADMIN_LISTEN=", "KITH_REDIS_URI=redis://127.0.0.1:"+s.port,
		"KITH_BOOTSTRAP_KEY="+key, "KITH_MAINTENANCE=3s", "KITH_KEEP_DELETED="+restorable.String())}
	s.kiths = append(s.kiths, k)
	s.start(k)
	s.ready(k)
}

// freeAddress returns an address on which nothing listens.
func (s *soak) freeAddress() string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

// startRedis starts a Redis without data, which keeps nothing on disk.
func (s *soak) startRedis() {
	s.redis = exec.Command("redis-server", "--port", s.port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no")
	s.redis.Stdout, s.redis.Stderr = s.log, s.log
	if err := s.redis.Start(); err != nil {
		s.Fatal(err)
	}
}

func (s *soak) run(k *kith, args ...string) *exec.Cmd {
	command := exec.Command(os.Getenv("SOAK_KITH"), args...)
	command.Env = append(os.Environ(), k.environ...)
	return command
}

func (s *soak) start(k *kith) {
	k.command = s.run(k, "serve")
	k.command.Stdout, k.command.Stderr = s.log, s.log
	if err := k.command.Start(); err != nil {
		s.Fatal(err)
	}
}

func (s *soak) ready(k *kith) {
	for deadline := time.Now().Add(3 * time.Minute); ; <-time.After(100 * time.Millisecond) {
		response, err := http.Get(k.url + "/readyz")
		if err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return
			}
		}
		if time.Now().After(deadline) {
			s.Fatalf("not ready; see %s", s.log.Name())
		}
	}
}

// process returns the process of the data folder's Neo4j.
type process struct {
	PID int    `json:"pid"`
	URI string `json:"uri"`
}

func (s *soak) neo4j() process {
	text, err := os.ReadFile(filepath.Join(s.data, "neo4j.json"))
	if err != nil {
		s.Fatal(err)
	}
	var p process
	if err := json.Unmarshal(text, &p); err != nil || p.PID == 0 {
		s.Fatalf("process of Neo4j: %s (%v)", text, err)
	}
	return p
}

// freeze stops some of the four processes for a while: their connections stay, and nothing is answered.
func (s *soak) freeze() {
	some, took := 1+rand.IntN(15), time.Second+rand.N(8*time.Second)
	s.freezes++
	_, _ = fmt.Fprintf(s.log, "freeze %04b: Redis, the kiths, Neo4j, for %v\n", some, took)
	pids := []int{s.neo4j().PID, s.kiths[0].command.Process.Pid, s.kiths[1].command.Process.Pid, s.redis.Process.Pid}
	send := func(signal syscall.Signal) {
		for i, pid := range pids {
			if some&(1<<i) != 0 {
				_ = syscall.Kill(pid, signal)
			}
		}
	}
	send(syscall.SIGSTOP)
	<-time.After(took)
	send(syscall.SIGCONT)
	for _, k := range s.kiths {
		s.ready(k)
	}
}

// kill kills some of the four processes and waits until all are ready, so that no kill is the last.
func (s *soak) kill() {
	some := 1 + rand.IntN(15)
	s.kills++
	_, _ = fmt.Fprintf(s.log, "kill %04b: Redis, the kiths, Neo4j\n", some)
	if some&8 != 0 {
		_ = s.redis.Process.Kill()
		_ = s.redis.Wait()
		s.startRedis()
	}
	if some&1 != 0 { // its instance restarts it, that one or the next
		p, err := os.FindProcess(s.neo4j().PID)
		if err != nil {
			s.Fatal(err)
		}
		_ = p.Kill()
		for p.Signal(syscall.Signal(0)) == nil { // its port must be free for the next one, as the second instance has no other address
			<-time.After(10 * time.Millisecond)
		}
	}
	for i, k := range s.kiths {
		if some&(2<<i) != 0 {
			_ = k.command.Process.Kill()
			_ = k.command.Wait()
		}
	}
	for i, k := range s.kiths {
		if some&(2<<i) != 0 {
			s.start(k)
		}
		s.ready(k) // an instance without its own Neo4j may need the first one's
	}
}

var tokens = regexp.MustCompile(`~[a-z0-9.]+~`)

// verify compares the export with the clients' facts.
func (s *soak) verify(all []*client) {
	status, file := all[0].call(http.MethodGet, "/v1/export", "")
	if status != http.StatusOK {
		s.Fatalf("export: %d", status)
	}
	stored, numbers := map[string]int{}, map[string]bool{}
	for line := range bytes.Lines(file) {
		var l struct {
			Node struct {
				SourceKey string `json:"source_key"`
				Seq       int64  `json:"seq"`
			} `json:"node"`
		}
		if err := json.Unmarshal(line, &l); err != nil {
			s.Fatal(err)
		}
		if l.Node.SourceKey != "" {
			number := fmt.Sprint(l.Node.SourceKey, l.Node.Seq)
			if numbers[number] {
				s.Errorf("two messages of one number: %s", number)
			}
			numbers[number] = true
		}
		if bytes.HasPrefix(line, []byte(`{"version":`)) { // it has what was
			continue
		}
		for _, token := range tokens.FindAll(line, -1) {
			stored[string(token)]++
		}
	}
	done := map[string]int{}
	there, gone := 0, 0
	for _, c := range all {
		for token, want := range c.facts {
			if got := stored[token]; got != want {
				s.Errorf("%s was acknowledged to be there %d times and is %d times", token, want, got)
			}
			there, gone = there+want, gone+1-want
		}
		for what, n := range c.done {
			done[what] += n
		}
	}
	for _, a := range actions {
		if done[a.name] == 0 {
			s.Errorf("it shows nothing of %s", a.name)
		}
	}
	if s.kills == 0 {
		s.Error("nothing was killed")
	}
	s.Logf("%d rounds of kills, %d freezes; acknowledged and there: %d, acknowledged and gone: %d; %v", s.kills, s.freezes, there, gone, done)
}

// check runs kith check on the database.
func (s *soak) check() {
	out, err := s.run(s.kiths[1], "check").Output() // status 1: findings
	if err != nil {
		s.Errorf("kith check: %v", err)
	}
	s.Logf("kith check: %s", out)
}
