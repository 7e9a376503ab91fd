//go:build soak && linux

package soak

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"

	"kith/tests/soak/history"
	"kith/tests/soak/registers"
)

// fault is a sort of fault. It is over when run returns; what it was is the name of its object, for the log.
type fault struct {
	name string
	run  func(*soak) (what string)
}

var faults = []fault{
	{"kill", (*soak).kill},
	{"freeze", (*soak).freeze},
	{"cut", func(s *soak) string { return s.onLink("") }},
	{"black hole", func(s *soak) string { return s.onLink(`"type":"timeout","attributes":{"timeout":0}`) }},
	{"latency", func(s *soak) string { return s.onLink(`"type":"latency","attributes":{"latency":400,"jitter":300}`) }},
	{"reset", func(s *soak) string { return s.onLink(`"type":"reset_peer","attributes":{"timeout":0}`) }},
	{"disk full", (*soak).fillDisk},
	{"read-only", (*soak).failDisk},
}

// disturb lets a random fault happen, sometimes with one of the network beside it, and waits until all is well again.
func (s *soak) disturb() {
	possible := faults
	if !s.disk.mounted {
		possible = faults[:len(faults)-2]
	}
	f := possible[s.random.IntN(len(possible))]
	name := f.name
	begun := time.Now()
	var beside sync.WaitGroup
	if s.random.IntN(4) == 0 {
		name += " and a cut"
		l, lasts := s.links[s.random.IntN(len(s.links))], s.while()
		beside.Go(func() { s.cut(l, lasts) })
	}
	s.tally.begin(name)
	what := f.run(s)
	beside.Wait()
	ended := time.Now()
	for _, k := range s.kiths {
		s.ready(k)
	}
	s.follow()
	_, _ = fmt.Fprintf(s.log, "soak: %s %s, for %v; ready %v later\n", name, what, ended.Sub(begun), time.Since(ended))
	s.tally.end(name, time.Since(ended))
}

// while returns for how long a fault lasts.
func (s *soak) while() time.Duration {
	return time.Second + time.Duration(s.random.Int64N(int64(8*time.Second)))
}

// some returns random ones of the processes: Neo4j, the instances, Redis.
func (s *soak) some() (mask int, names string) {
	mask = 1 + s.random.IntN(1<<(instances+2)-1)
	return mask, fmt.Sprintf("%0*b (Redis, the instances, Neo4j)", instances+2, mask)
}

// freeze stops processes for a while: their connections stay, and nothing is answered.
func (s *soak) freeze() string {
	mask, names := s.some()
	pids := []int{s.neo4j().PID}
	for _, k := range s.kiths {
		pids = append(pids, k.command.Process.Pid)
	}
	pids = append(pids, s.redis.Process.Pid)
	send := func(what syscall.Signal) {
		for i, pid := range pids {
			if mask&(1<<i) != 0 {
				signal(pid, what)
			}
		}
	}
	send(syscall.SIGSTOP)
	<-time.After(s.while())
	send(syscall.SIGCONT)
	return names
}

// kill kills processes and starts them again: Redis has lost its data, and the first instance restarts its Neo4j.
func (s *soak) kill() string {
	mask, names := s.some()
	if mask&(2<<instances) != 0 {
		_ = s.redis.Process.Kill()
		_ = s.redis.Wait()
		s.startRedis()
	}
	if pid := s.neo4j().PID; mask&1 != 0 && pid > 0 {
		signal(pid, syscall.SIGKILL)
		for syscall.Kill(pid, 0) == nil { // its port must be free for the next one
			<-time.After(10 * time.Millisecond)
		}
	}
	for i, k := range s.kiths {
		if mask&(2<<i) != 0 {
			_ = k.command.Process.Kill()
			_ = k.command.Wait()
		}
	}
	for i, k := range s.kiths {
		if mask&(2<<i) != 0 {
			s.start(k)
		}
	}
	return names
}

// fillDisk leaves no room on the disk of Neo4j for a while.
func (s *soak) fillDisk() string {
	free := s.disk.fill()
	<-time.After(s.while())
	free()
	return ""
}

// failDisk makes the disk of Neo4j read-only for a while. Then an operator stops the instance beside it, repairs the disk and starts
// the instance.
func (s *soak) failDisk() string {
	s.disk.fail()
	<-time.After(s.while())
	k := s.kiths[0]
	_ = k.command.Process.Signal(syscall.SIGTERM)
	_ = k.command.Wait()
	s.disk.repair()
	s.start(k)
	return ""
}

// link is a connection between two processes that can fail.
type link struct {
	name    string
	proxy   *toxiproxy.Proxy
	cutting sync.Mutex // two cuts at the same time come one after the other
}

// link returns a new link to an address.
func (s *soak) link(name, to string) *link {
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	l := &link{name: name, proxy: toxiproxy.NewProxy(server, name, s.freeAddress(), to)}
	if err := l.proxy.Start(); err != nil {
		s.Fatal(err)
	}
	s.links = append(s.links, l)
	return l
}

func (l *link) address() string { return l.proxy.Listen }

// follow leads the links to where Neo4j listens now.
func (s *soak) follow() {
	at := s.neo4jAddress()
	for _, l := range s.links {
		if strings.HasSuffix(l.name, "Neo4j") && l.proxy.Upstream != at {
			if err := l.proxy.Update(&toxiproxy.Proxy{Listen: l.proxy.Listen, Upstream: at, Enabled: true}); err != nil {
				s.Fatal(err)
			}
		}
	}
}

// cut ends the connections of a link, which takes no new ones for a while.
func (s *soak) cut(l *link, lasts time.Duration) {
	l.cutting.Lock()
	defer l.cutting.Unlock()
	l.proxy.Stop()
	<-time.After(lasts)
	if err := l.proxy.Start(); err != nil {
		s.Errorf("%s: %v", l.name, err)
	}
}

// onLink poisons a random link in a random direction, in both, or cuts it if there is no toxic.
func (s *soak) onLink(toxic string) string {
	l, lasts, directions := s.links[s.random.IntN(len(s.links))], s.while(), 1+s.random.IntN(3)
	if toxic == "" {
		s.cut(l, lasts)
		return l.name
	}
	for i, stream := range []string{"upstream", "downstream"} {
		if directions&(1<<i) != 0 {
			if _, err := l.proxy.Toxics.AddToxicJson(strings.NewReader(fmt.Sprintf(`{"name":%q,"stream":%q,%s}`, stream, stream, toxic))); err != nil {
				s.Errorf("%s: %v", l.name, err)
			}
		}
	}
	<-time.After(lasts)
	l.proxy.Toxics.ResetToxics(context.Background())
	return fmt.Sprintf("%s %02b (to the caller, from it)", l.name, directions)
}

// tally counts what requests came to by the fault during which they ended, and how long it took until all was well after faults.
// It is safe for concurrent use.
type tally struct {
	mu       sync.Mutex
	now      string
	faults   map[string]int
	slowest  map[string]time.Duration
	outcomes map[string]map[history.Outcome]int
	verdicts map[history.Verdict]int
	checked  map[history.Outcome]int // operations of registers and sets
	keys     int
}

const noFault = "none"

func (t *tally) begin(fault string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now = fault
}

func (t *tally) end(fault string, took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now = noFault
	if t.faults == nil {
		t.faults, t.slowest = map[string]int{}, map[string]time.Duration{}
	}
	t.faults[fault]++
	t.slowest[fault] = max(t.slowest[fault], took)
}

// count counts a request.
func (t *tally) count(status int) {
	outcome := history.Done
	switch {
	case status == 0:
		outcome = history.Unknown
	case status >= http.StatusInternalServerError:
		outcome = history.Failed
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.outcomes == nil {
		t.outcomes, t.now = map[string]map[history.Outcome]int{}, noFault
	}
	if t.outcomes[t.now] == nil {
		t.outcomes[t.now] = map[history.Outcome]int{}
	}
	t.outcomes[t.now][outcome]++
}

// judged counts what became of a group.
func (t *tally) judged(r registers.Result) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.verdicts == nil {
		t.verdicts, t.checked = map[history.Verdict]int{}, map[history.Outcome]int{}
	}
	for v, n := range r.Verdicts {
		t.verdicts[v] += n
	}
	for _, operations := range r.Operations {
		t.keys++
		for _, o := range operations {
			t.checked[o.Outcome]++
		}
	}
}

func (t *tally) registers() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return fmt.Sprintf("registers and sets: %d keys, operations %v, registers %v", t.keys, t.checked, t.verdicts)
}

// String returns a line for each sort of fault.
func (t *tally) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(t.outcomes)) {
		o := t.outcomes[name]
		_, _ = fmt.Fprintf(&text, "%-24s %4d times; answered %7d, 5xx %6d, no answer %5d; well again after %v at most\n",
			name, t.faults[name], o[history.Done], o[history.Failed], o[history.Unknown], t.slowest[name].Round(100*time.Millisecond))
	}
	return text.String()
}
