package testenv

import (
	"net"
	"net/url"
	"sync"
	"testing"
)

// Gate is a proxy before a server, which can hold what clients send, as a network does that delivers late, and can be closed.
type Gate struct {
	URI string // of the server, through the proxy

	mu     sync.Mutex
	conns  []*gateConn
	closed bool
}

type gateConn struct {
	client, server net.Conn
	held           chan struct{} // nil, or closed when the rest may go on
}

// NewGate returns a gate before the server of a URI. It ends with the test.
func NewGate(t testing.TB, uri string) *Gate {
	t.Helper()
	to, err := url.Parse(uri)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // of a test
	if err != nil {
		t.Fatal(err)
	}
	through := *to
	through.Host = listener.Addr().String()
	g := &Gate{URI: through.String()}
	var copying sync.WaitGroup
	copying.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", to.Host) //nolint:noctx // of a test
			if err != nil {
				_ = client.Close()
				continue
			}
			c := &gateConn{client: client, server: server}
			g.mu.Lock()
			if g.closed {
				_, _ = client.Close(), server.Close()
			}
			g.conns = append(g.conns, c)
			g.mu.Unlock()
			copying.Go(func() { g.send(c) })
			copying.Go(func() { c.answer() })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		g.Hold()()
		g.Close()
		copying.Wait()
	})
	return g
}

// send passes on what the client sends. The server does not learn of the client's end before the test ends.
func (g *Gate) send(c *gateConn) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := c.client.Read(buffer)
		g.mu.Lock()
		held := c.held
		g.mu.Unlock()
		if held != nil {
			<-held
		}
		if _, failed := c.server.Write(buffer[:n]); err != nil || failed != nil {
			return
		}
	}
}

func (c *gateConn) answer() {
	buffer := make([]byte, 64<<10)
	for {
		n, err := c.server.Read(buffer)
		_, _ = c.client.Write(buffer[:n]) // the client may have gone
		if err != nil {
			_ = c.client.Close()
			return
		}
	}
}

// Hold holds what clients send over their present connections, also when they close them, until release is called.
func (g *Gate) Hold() (release func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	held := make(chan struct{})
	for _, c := range g.conns {
		if c.held == nil {
			c.held = held
		}
	}
	return sync.OnceFunc(func() { close(held) })
}

// Close closes all connections, and new ones at once, until Open: the server seems to have stopped.
func (g *Gate) Close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	for _, c := range g.conns {
		_, _ = c.client.Close(), c.server.Close()
	}
}

// Open ends Close.
func (g *Gate) Open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = false
}
