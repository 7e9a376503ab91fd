package cache_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"kith/internal/cache"
	"kith/tests/testenv"
)

// marks holds a process's own marks and those it has received.
type marks struct {
	mu       sync.Mutex
	own      string
	received []string
}

func (m *marks) Mark(team string) (name, mark string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return "name-of-" + team, m.own
}

func (m *marks) Receive(name, mark string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.received = append(m.received, name+" "+mark)
}

func (m *marks) setOwn(mark string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.own = mark
}

// hasReceived reports whether it has received a mark of a team.
func (m *marks) hasReceived(team, mark string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, h := range m.received {
		if strings.HasPrefix(h, "name-of-"+team+" ") && strings.Contains(h+" ", " "+mark+" ") {
			return true
		}
	}
	return false
}

// A process that loads anew after another process's write has received that process's mark: with the message of the change, or,
// if it started later, with the version.
func TestMarksComeBeforeVersions(t *testing.T) {
	t.Parallel()
	uri, team := testenv.Redis(t), testenv.Team(t)
	var am, bm, cm marks
	a, b := startProcessWith(t, cache.Options{RedisURI: uri, Marks: &am}), startProcessWith(t, cache.Options{RedisURI: uri, Marks: &bm})
	a.connected()
	b.connected()
	load := func(p *process, m *marks, mark string) (loaded bool) {
		t.Helper()
		_, err := p.Get(t.Context(), team, "u", "view", func(context.Context) ([]byte, bool, error) {
			loaded = true
			if mark != "" && !m.hasReceived(team, mark) {
				t.Errorf("loads before it has heard %s", mark)
			}
			return []byte("x"), true, nil
		})
		if err != nil {
			t.Error(err)
		}
		return loaded
	}
	load(b, &bm, "")
	for i := range 20 {
		mark := fmt.Sprintf("mark-%d.", i)
		am.setOwn(mark)
		a.Changed(t.Context(), team, "u")
		eventually(t, "b loads what a wrote", func() bool { return load(b, &bm, mark) })
	}
	am.setOwn("mark-of-a.")
	eventually(t, "b hears of what no context shows", func() bool {
		a.Wrote(t.Context(), team) // while b connects anew, it receives nothing
		return bm.hasReceived(team, "mark-of-a.")
	})
	if load(b, &bm, "") {
		t.Error("b loads after a write that no context shows")
	}
	bm.setOwn("mark-of-b.")
	b.Changed(t.Context(), team, "")
	c := startProcessWith(t, cache.Options{RedisURI: uri, Marks: &cm}) // later than all of that
	c.connected()
	if !load(c, &cm, "mark-of-b.") || !cm.hasReceived(team, "mark-19.") {
		t.Errorf("c has heard %q", cm.received)
	}
}

// The value of marks in Redis may be anything, and is bounded.
func TestForeignMarks(t *testing.T) {
	t.Parallel()
	server := testenv.StartRedis(t)
	direct, team := client(t, server.URI()), testenv.Team(t)
	var m marks
	p := startProcessWith(t, cache.Options{RedisURI: server.URI(), Marks: &m})
	p.connected()
	direct.LPush(t.Context(), "kith:mark:name-of-"+team, "a list")
	m.setOwn("mine")
	p.Changed(t.Context(), team, "u")
	eventually(t, "it is heard", func() bool { return m.hasReceived(team, "mine") })
	direct.Set(t.Context(), "kith:mark:name-of-"+team, strings.Repeat("another-one ", 1000), 0)
	m.setOwn("last")
	p.Changed(t.Context(), team, "u")
	if got, err := direct.Get(t.Context(), "kith:mark:name-of-"+team).Result(); err != nil || !strings.HasSuffix(got, "another-one last") || len(got) > 1024 {
		t.Errorf("%d bytes, %v: %.50s", len(got), err, got)
	}
}

// Of the marks that do not fit the latest are kept, the latest last, as a process keeps the last of what it receives.
func TestLatestMarksAreKept(t *testing.T) {
	t.Parallel()
	server := testenv.StartRedis(t)
	team := testenv.Team(t)
	var m marks
	p := startProcessWith(t, cache.Options{RedisURI: server.URI(), Marks: &m})
	p.connected()
	mark := func(i int) string { return fmt.Sprintf("%s%02d", strings.Repeat("m", 48), i) }
	var want []string
	for i := 30 - 1024/51; i < 30; i++ {
		want = append(want, mark(i))
	}
	eventually(t, "the last are stored", func() bool { // where Redis takes too long for one, the next one is sent
		for i := range 30 {
			m.setOwn(mark(i))
			p.Changed(t.Context(), team, "u")
		}
		got, err := client(t, server.URI()).Get(t.Context(), "kith:mark:name-of-"+team).Result()
		return err == nil && got == strings.Join(want, " ")
	})
}
