//go:build soak && linux

// Package soak runs three instances on one Neo4j and one Redis under load while processes are killed and frozen, Redis loses its data, the
// network between each pair fails, and the disk is full or read-only: make soak. It checks that acknowledged writes are stored exactly
// once, that registers and sets behave as one copy would (package history), that a reader of the feed of changes gets each once and in
// order, and that kith check finds nothing. It takes long, and so needs the build tag.
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
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

const (
	bootstrapKey = "kith_a-bootstrap-key-of-the-soak"
	instances    = 3
	clients      = 4
	groups       = 4 // of clients that share registers and a set
	// restorable is the time in which a delete can be undone: short, so that the soak purges too.
	restorable = 2 * time.Minute
	// longestRound bounds what is remembered: a round has a team of its own, is checked at its end, and is then erased.
	longestRound  = 10 * time.Minute
	shortestRound = time.Minute
)

// kith is an instance that is killed and restarted.
type kith struct {
	name    string
	direct  string // its address
	url     string // the same for clients, over a link that fails
	environ []string
	command *exec.Cmd
	starts  atomic.Int64
}

type soak struct {
	*testing.T
	data  string
	log   *os.File
	kiths []*kith
	redis *exec.Cmd
	port  string // of Redis
	links []*link
	disk  *disk

	random *rand.Rand // of faults
	seed   uint64
	tally  tally
	done   map[string]int // acknowledged actions

	load        time.Duration
	there, gone int // of what was acknowledged
	changes     int
}

// round is a part of the soak, with a team of its own.
type round struct {
	*soak
	team, key string
}

func TestSoak(t *testing.T) {
	duration, err := time.ParseDuration(os.Getenv("SOAK"))
	if err != nil {
		t.Fatalf("SOAK says how long: %v", err)
	}
	s := newSoak(t)
	defer s.stop()
	end := time.Now().Add(duration) // of the last round's load; what was checked before counts
	for n := 0; !t.Failed() && (n == 0 || time.Until(end) > shortestRound); n++ {
		begun := time.Now()
		load := min(longestRound, time.Until(end))
		s.round(n, load)
		s.load += load
		t.Logf("round %d: %s under load, %s in all; %s", n+1, load.Round(time.Second), time.Since(begun).Round(time.Second), s.tally.registers())
	}
	for _, a := range actions {
		if s.done[a.name] == 0 {
			t.Errorf("it shows nothing of %s", a.name)
		}
	}
	s.summary()
}

func newSoak(t *testing.T) *soak {
	log, err := os.CreateTemp("", "kith-soak-*.log")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	s := &soak{T: t, log: log, done: map[string]int{}, seed: uint64(time.Now().UnixNano())}
	if given := os.Getenv("KITH_TEST_SEED"); given != "" {
		if s.seed, err = strconv.ParseUint(given, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	s.random = s.randomFor("faults", 0)
	t.Logf("seed %d; processes write to %s", s.seed, log.Name())
	s.disk = mountDisk(t)
	s.data = filepath.Join(s.disk.path, "data")
	_, s.port, _ = net.SplitHostPort(s.freeAddress())
	s.startRedis()
	first := s.add("KITH_DATA=" + s.data) // runs the Neo4j
	s.start(first)
	s.ready(first)
	for range instances - 1 {
		k := s.add("KITH_NEO4J_PASSWORD_FILE=" + filepath.Join(s.data, "neo4j", "auth"))
		k.environ = append(k.environ, "KITH_NEO4J_URI=bolt://"+s.link(k.name+"–Neo4j", s.neo4jAddress()).address())
		s.start(k)
		s.ready(k)
	}
	return s
}

// randomFor returns the choices of a part of the soak, from the seed.
func (s *soak) randomFor(part string, n int) *rand.Rand {
	sum := uint64(n)
	for _, b := range []byte(part) {
		sum = sum*31 + uint64(b)
	}
	return rand.New(rand.NewPCG(s.seed, sum))
}

// stop ends all processes in order: the first instance stops its Neo4j.
func (s *soak) stop() {
	for i := range s.kiths {
		if k := s.kiths[len(s.kiths)-1-i]; k.command != nil {
			_ = k.command.Process.Signal(os.Interrupt)
			_ = k.command.Wait()
		}
	}
	_ = s.redis.Process.Kill()
	_ = s.redis.Wait()
	for _, l := range s.links {
		l.proxy.Stop()
	}
}

// round runs all clients and faults for a while, checks what they have been told, and erases it.
func (s *soak) round(n int, duration time.Duration) {
	r := &round{soak: s, team: fmt.Sprintf("round%d", n)}
	r.key = s.teamKey(r.team)
	ctx, cancel := context.WithTimeout(s.Context(), duration)
	defer cancel()
	var running sync.WaitGroup
	all := make([]*client, clients)
	for i := range all {
		all[i] = r.client(fmt.Sprintf("u%d", i))
		running.Go(func() { all[i].run(ctx) })
	}
	for i := range groups {
		running.Go(func() { r.share(ctx, fmt.Sprintf("g%d", i), i%2 == 0, s.randomFor(r.team, i)) })
	}
	changes := &reader{client: r.client("reader")}
	running.Go(func() { changes.run(ctx) })
	for wait(ctx, 3*time.Second+time.Duration(s.random.Int64N(int64(7*time.Second)))) {
		s.disturb()
	}
	running.Wait()
	r.verify(all)
	changes.verify(all)
	r.agree()
	s.check()
	s.erase(r.team)
}

// wait reports false when ctx was done before the pause was over.
func wait(ctx context.Context, pause time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(pause):
		return true
	}
}

// teamKey returns a key of a new team.
func (s *soak) teamKey(team string) string {
	answer := s.patiently(func() (int, []byte) {
		return s.send(s.kiths[0], bootstrapKey, http.MethodPost, "/v1/keys", fmt.Sprintf(`{"team_id":%q,"scopes":["read","write","admin"]}`, team))
	})
	var created struct{ Key string }
	if err := json.Unmarshal(answer, &created); err != nil {
		s.Fatal(err)
	}
	return created.Key
}

// erase erases a team.
func (s *soak) erase(team string) {
	s.patiently(func() (int, []byte) {
		return s.send(s.kiths[0], bootstrapKey, http.MethodDelete, "/v1/teams/"+team, "")
	})
}

// patiently repeats a request, when all is well, until it is answered: much data on a slow machine may take longer than a client waits.
func (s *soak) patiently(request func() (int, []byte)) []byte {
	var status int
	var answer []byte
	for deadline := time.Now().Add(10 * time.Minute); time.Now().Before(deadline); {
		if status, answer = request(); status == http.StatusOK || status == http.StatusCreated {
			return answer
		}
	}
	s.Fatalf("no answer in ten minutes; the last: %d %s", status, answer)
	return nil
}

// add adds an instance, which is not started.
func (s *soak) add(environ ...string) *kith {
	address, name := s.freeAddress(), fmt.Sprintf("kith %d", len(s.kiths))
	k := &kith{name: name, direct: "http://" + address, url: "http://" + s.link("clients–"+name, address).address(), environ: append(environ,
		"KITH_LISTEN="+address, "KITH_ADMIN_LISTEN=", "KITH_REDIS_URI=redis://"+s.link(name+"–Redis", "127.0.0.1:"+s.port).address(),
		"KITH_BOOTSTRAP_KEY="+bootstrapKey, "KITH_MAINTENANCE=3s", "KITH_KEEP_DELETED="+restorable.String(), "KITH_LOG_LEVEL=warn")}
	s.kiths = append(s.kiths, k)
	return k
}

// freeAddress returns an address on which nothing listens, and whose port no connection gets by chance while its server is down.
func (s *soak) freeAddress() string {
	for {
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 20_000+s.random.IntN(12_000)))
		if err == nil {
			_ = listener.Close()
			return listener.Addr().String()
		}
	}
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
	k.starts.Add(1)
	k.command = s.run(k, "serve")
	k.command.Stdout, k.command.Stderr = s.log, s.log
	if err := k.command.Start(); err != nil {
		s.Fatal(err)
	}
}

// ready waits until an instance is ready.
func (s *soak) ready(k *kith) {
	for deadline := time.Now().Add(10 * time.Minute); !isReady(k); <-time.After(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.Fatalf("%s is not ready; see %s", k.name, s.log.Name())
		}
	}
}

func isReady(k *kith) bool {
	client := http.Client{Timeout: 5 * time.Second}
	response, err := client.Get(k.direct + "/readyz")
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// process is the process of the data folder's Neo4j.
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
	if err := json.Unmarshal(text, &p); err != nil {
		s.Fatalf("process of Neo4j: %s (%v)", text, err)
	}
	return p
}

func (s *soak) neo4jAddress() string { return s.neo4j().URI[len("bolt://"):] }

var tokens = regexp.MustCompile(`~[a-z0-9.]+~`)

// verify compares the export with the clients' facts.
func (r *round) verify(all []*client) {
	file := r.patiently(func() (int, []byte) { return r.send(r.kiths[0], r.key, http.MethodGet, "/v1/export", "") })
	stored, numbers := map[string]int{}, map[string]bool{}
	for line := range bytes.Lines(file) {
		var l struct {
			Node struct {
				SourceKey string `json:"source_key"`
				Seq       int64  `json:"seq"`
			} `json:"node"`
		}
		if err := json.Unmarshal(line, &l); err != nil {
			r.Fatal(err)
		}
		if l.Node.SourceKey != "" {
			number := fmt.Sprint(l.Node.SourceKey, l.Node.Seq)
			if numbers[number] {
				r.Errorf("two messages of one number: %s", number)
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
	for _, c := range all {
		for token, want := range c.facts {
			if got := stored[token]; got != want {
				r.Errorf("%s was acknowledged to be there %d times and is %d times", token, want, got)
			}
			r.there, r.gone = r.there+want, r.gone+1-want
		}
		for what, n := range c.done {
			r.done[what] += n
		}
	}
}

// check runs kith check on the database.
func (s *soak) check() {
	out, err := s.run(s.kiths[1], "check").Output() // status 1: findings
	if err != nil {
		s.Errorf("kith check: %v: %s", err, out)
	}
}

// summary prints the figures of the whole run.
func (s *soak) summary() {
	s.Logf("acknowledged and there: %d, acknowledged and gone: %d; %d changes in the feed; %v", s.there, s.gone, s.changes, s.done)
	s.Logf("%s under load; %s", s.load.Round(time.Second), s.tally.registers())
	s.Logf("faults, and what the requests during them came to:\n%s", &s.tally)
}

// signal sends a signal to a process.
func signal(pid int, what syscall.Signal) {
	if pid > 0 {
		_ = syscall.Kill(pid, what)
	}
}
