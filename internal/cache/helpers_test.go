package cache_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"kith/internal/cache"
	"kith/tests/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// process stands for one instance: a running cache and the events it reported.
type process struct {
	*cache.Cache
	t    testing.TB
	stop func() // ends Run, as the end of the process does; the cache stays open
	shut func() error

	mu     sync.Mutex
	events map[cache.Event]int
}

// startProcess starts a process of a test. An empty URI means without Redis.
func startProcess(t testing.TB, uri string) *process {
	t.Helper()
	return startProcessWith(t, cache.Options{RedisURI: uri})
}

func startProcessWith(t testing.TB, o cache.Options) *process {
	t.Helper()
	p := &process{t: t, events: map[cache.Event]int{}}
	o.Observe = p.observe
	var err error
	if p.Cache, err = cache.New(o); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	p.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("run: %v", err)
		}
	})
	p.shut = sync.OnceValue(p.Close)
	t.Cleanup(func() {
		p.stop()
		if err := p.shut(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return p
}

// startReady starts a process and waits until it caches loads.
func startReady(t testing.TB, uri string) *process {
	t.Helper()
	p := startProcess(t, uri)
	p.connected()
	return p
}

func (p *process) observe(e cache.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.events[e]++
}

func (p *process) count(e cache.Event) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.events[e]
}

// isBypassed reports whether the process trusts no entries now.
func (p *process) isBypassed() bool {
	p.t.Helper()
	before := p.count(cache.Bypass)
	p.get("probe", "", "probe", "")
	return p.count(cache.Bypass) > before
}

func (p *process) connected() {
	p.t.Helper()
	eventually(p.t, "Redis is trusted", func() bool { return !p.isBypassed() })
}

func (p *process) away() {
	p.t.Helper()
	eventually(p.t, "Redis is known to be away", p.isBypassed)
}

// get loads text unless there is an entry. It returns the value and whether it was loaded.
func (p *process) get(team, user, view, text string) (got string, loaded bool) {
	p.t.Helper()
	var called atomic.Bool
	value, err := p.Get(context.Background(), team, user, view, func(context.Context) ([]byte, bool, error) {
		called.Store(true)
		return []byte(text), true, nil
	})
	if err != nil {
		p.t.Errorf("get: %v", err)
	}
	return string(value), called.Load()
}

// isCached reports whether a view is cached, once its cache is warm.
func (p *process) isCached(team, user, view string) bool {
	p.t.Helper()
	_, loaded := p.get(team, user, view, "kept")
	return !loaded
}

// eventually polls until a condition holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	within := time.NewTimer(20 * time.Second)
	defer within.Stop()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-within.C:
			t.Fatalf("not within 20 s: %s", what)
		case <-tick.C:
		}
	}
}

func client(t testing.TB, uri string) *redis.Client {
	t.Helper()
	options, err := redis.ParseURL(uri)
	if err != nil {
		t.Fatal(err)
	}
	c := redis.NewClient(options)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// keys lists the keys of Redis with a prefix.
func keys(t testing.TB, c *redis.Client, prefix string) []string {
	t.Helper()
	found, err := c.Keys(context.Background(), prefix+"*").Result()
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// counter stands for a database: one number, and the number of the last acknowledged write.
type counter struct{ stored, acknowledged atomic.Uint64 }

func (c *counter) load(context.Context) ([]byte, bool, error) {
	return binary.BigEndian.AppendUint64(nil, c.stored.Load()), true, nil
}

// write stores the next number and reports it to the cache.
func (c *counter) write(p *process, team string, users ...string) uint64 {
	n := c.stored.Add(1)
	p.Changed(context.Background(), team, users...)
	for {
		old := c.acknowledged.Load()
		if old >= n || c.acknowledged.CompareAndSwap(old, n) {
			return n
		}
	}
}

func (c *counter) read(p *process, team, user string) uint64 {
	value, err := p.Get(context.Background(), team, user, "number", c.load)
	if err != nil || len(value) != 8 {
		p.t.Errorf("get: %x, %v", value, err)
		return 0
	}
	return binary.BigEndian.Uint64(value)
}

// wire forwards to Redis without breaking a connection. On demand it drops everything sent on subscriptions, or holds
// back the answer to the next script.
type wire struct {
	uri   string
	lossy atomic.Bool
	hold  atomic.Pointer[hold]
}

type hold struct {
	asked, release chan struct{} // closed: by the wire when the script has passed, by the test
}

func newWire(t testing.TB, uri string) *wire {
	t.Helper()
	target, err := url.Parse(uri)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{uri: strings.Replace(uri, target.Host, listener.Addr().String(), 1)}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() { w.forward(ctx, near, target.Host) })
		}
	})
	t.Cleanup(func() {
		cancel()
		_ = listener.Close()
		running.Wait()
	})
	return w
}

func (w *wire) forward(ctx context.Context, near net.Conn, host string) {
	defer near.Close()
	far, err := new(net.Dialer).DialContext(ctx, "tcp", host)
	if err != nil {
		return
	}
	defer far.Close()
	defer context.AfterFunc(ctx, func() { _ = near.Close(); _ = far.Close() })()
	var subscribed, lost atomic.Bool
	var held atomic.Pointer[hold]
	var running sync.WaitGroup
	running.Go(func() {
		defer near.Close()
		_, _ = io.Copy(writer(func(b []byte) (int, error) {
			if subscribed.Load() && w.lossy.Load() {
				lost.Store(true)
			}
			if lost.Load() {
				return len(b), nil
			}
			if h := held.Swap(nil); h != nil {
				close(h.asked)
				select {
				case <-h.release:
				case <-ctx.Done():
				}
			}
			return near.Write(b)
		}), far)
	})
	_, _ = io.Copy(writer(func(b []byte) (int, error) {
		if bytes.Contains(bytes.ToLower(b), []byte("subscribe")) {
			subscribed.Store(true)
		}
		if h := w.hold.Load(); h != nil && bytes.Contains(bytes.ToLower(b), []byte("evalsha")) && w.hold.CompareAndSwap(h, nil) {
			held.Store(h)
		}
		return far.Write(b)
	}), near)
	_ = far.Close()
	running.Wait()
}

type writer func([]byte) (int, error)

func (w writer) Write(b []byte) (int, error) { return w(b) }
