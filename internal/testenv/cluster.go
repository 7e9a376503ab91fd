package testenv

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// Cluster presents one Neo4j as three members of a cluster: each answers at an address of its own, tells who they all are, and
// only the leader writes. All have the same data at the same time: what a member that is behind would answer cannot be seen with it.
// It is safe for concurrent use.
type Cluster struct {
	target  string
	members []*member

	mu      sync.Mutex
	leader  int // of members; -1: none
	claimed int // whom the members name as the leader
	lose    int // how many commits end without an answer
	conns   map[*boltConn]bool
}

const members = 3

// member is one of the addresses of a Cluster.
type member struct {
	cluster *Cluster
	number  int
	address string
	dead    bool // guarded by the cluster's lock
}

// StartCluster returns a cluster over a Neo4j until the test ends. The first member leads.
func StartCluster(t testing.TB, db Database) *Cluster {
	t.Helper()
	target, err := url.Parse(db.URI)
	if err != nil {
		t.Fatal(err)
	}
	c := &Cluster{target: target.Host, conns: map[*boltConn]bool{}}
	var serving sync.WaitGroup
	var listeners []net.Listener
	for i := range members {
		listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // of a test
		if err != nil {
			t.Fatal(err)
		}
		m := &member{cluster: c, number: i, address: listener.Addr().String()}
		c.members = append(c.members, m)
		serving.Go(func() {
			for {
				client, err := listener.Accept()
				if err != nil {
					return
				}
				serving.Go(func() { m.serve(client) })
			}
		})
		listeners = append(listeners, listener)
	}
	t.Cleanup(func() {
		for i, listener := range listeners {
			_ = listener.Close()
			c.Kill(i)
		}
		serving.Wait()
	})
	return c
}

// URI returns the address of the cluster.
func (c *Cluster) URI() string { return "neo4j://" + c.members[0].address }

// Lead makes a member the leader, and all members say so; -1: there is none.
func (c *Cluster) Lead(member int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.leader, c.claimed = member, member
}

// Claim makes all members name one as the leader that need not be.
func (c *Cluster) Claim(member int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.claimed = member
}

// LoseCommits makes the connections of the next commits end when the database has committed and before the client hears of it.
func (c *Cluster) LoseCommits(count int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lose = count
}

// Kill ends the connections of a member, which accepts no more until Revive.
func (c *Cluster) Kill(member int) {
	c.mu.Lock()
	c.members[member].dead = true
	var ended []*boltConn
	for conn := range c.conns {
		if conn.member.number == member {
			ended = append(ended, conn)
		}
	}
	c.mu.Unlock()
	for _, conn := range ended {
		conn.close()
	}
}

// Revive ends Kill.
func (c *Cluster) Revive(member int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.members[member].dead = false
}

func (c *Cluster) leads(member int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.leader == member
}

// loses reports whether the answer to a commit is lost.
func (c *Cluster) loses() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lose == 0 {
		return false
	}
	c.lose--
	return true
}

// table returns the answer to ROUTE.
func (c *Cluster) table() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all, readers, writers []any
	for i, m := range c.members {
		all = append(all, m.address)
		if i == c.claimed {
			writers = append(writers, m.address)
		} else {
			readers = append(readers, m.address)
		}
	}
	role := func(name string, addresses []any) map[string]any {
		return map[string]any{"addresses": addresses, "role": name}
	}
	return packed(success, map[string]any{"rt": map[string]any{
		"ttl": 1, "db": "neo4j", "servers": []any{role("ROUTE", all), role("READ", readers), role("WRITE", writers)},
	}})
}

// Tags of Bolt's messages.
const (
	runTag, beginTag, commitTag, rollbackTag, routeTag, resetTag byte = 0x10, 0x11, 0x12, 0x13, 0x66, 0x0F
	success, failure, record, ignored                            byte = 0x70, 0x7F, 0x71, 0x7E
)

var notALeader = packed(failure, map[string]any{ //nolint:gochecknoglobals // constant
	"code": "Neo.ClientError.Cluster.NotALeader", "message": "this member does not lead",
})

// boltConn is a connection of a client with a member.
type boltConn struct {
	member         *member
	client, server net.Conn

	mu      sync.Mutex
	waiting []expected // the answers that the client waits for, in order
	writes  bool       // in a transaction that writes
}

// expected is the request of an answer; as replaces the answer of the database.
type expected struct {
	tag byte
	as  []byte
}

func (m *member) serve(client net.Conn) {
	server, err := net.Dial("tcp", m.cluster.target) //nolint:noctx // of a test
	if err != nil {
		_ = client.Close()
		return
	}
	b := &boltConn{member: m, client: client, server: server}
	m.cluster.mu.Lock()
	dead := m.dead
	m.cluster.conns[b] = true
	m.cluster.mu.Unlock()
	defer func() {
		b.close()
		m.cluster.mu.Lock()
		delete(m.cluster.conns, b)
		m.cluster.mu.Unlock()
	}()
	if dead || b.shakeHands() != nil {
		return
	}
	var answering sync.WaitGroup
	answering.Go(func() {
		defer b.close()
		for b.answer() == nil {
		}
	})
	for b.request() == nil {
	}
	b.close()
	answering.Wait()
}

func (b *boltConn) close() { _, _ = b.client.Close(), b.server.Close() }

// shakeHands forwards the proposed versions of the protocol without the newer way to negotiate more, whose length is not fixed.
func (b *boltConn) shakeHands() error {
	offer := make([]byte, 20)
	if _, err := io.ReadFull(b.client, offer); err != nil {
		return err
	}
	for at := 4; at < len(offer); at += 4 {
		if bytes.Equal(offer[at:at+4], []byte{0, 0, 1, 0xFF}) {
			copy(offer[at:], offer[at+4:])
			clear(offer[len(offer)-4:])
		}
	}
	if _, err := b.server.Write(offer); err != nil {
		return err
	}
	chosen := make([]byte, 4)
	if _, err := io.ReadFull(b.server, chosen); err != nil {
		return err
	}
	_, err := b.client.Write(chosen)
	return err
}

// request forwards the next message of the client, or one that fails in its place.
func (b *boltConn) request() error {
	message, err := readMessage(b.client)
	if err != nil {
		return err
	}
	if len(message) < 2 {
		return errors.New("a message without a tag")
	}
	next := expected{tag: message[1]}
	leads := b.member.cluster.leads(b.member.number)
	b.mu.Lock()
	reads := bytes.Contains(message, []byte("\x84mode\x81r"))
	switch next.tag {
	case routeTag:
		next.as = b.member.cluster.table()
	case beginTag:
		if b.writes = !reads; b.writes && !leads {
			message, next.as = impossible(beginTag), notALeader
		}
	case runTag:
		autocommit := bytes.Contains(message, []byte("tx_metadata")) && !reads
		if (b.writes || autocommit) && !leads {
			message, next.as = impossible(runTag), notALeader
		}
	case commitTag:
		if b.writes && !leads {
			message, next.as = []byte{0xB0, rollbackTag}, notALeader
		}
		b.writes = false
	case rollbackTag, resetTag:
		b.writes = false
	}
	b.waiting = append(b.waiting, next)
	b.mu.Unlock()
	return writeMessage(b.server, message)
}

// impossible returns a message that the database answers with a failure.
func impossible(tag byte) []byte {
	if tag == beginTag {
		return packed(beginTag, map[string]any{"db": "nowhere"})
	}
	return packed(runTag, "not a statement", map[string]any{}, map[string]any{})
}

// answer forwards the next message of the database, or another one in its place.
func (b *boltConn) answer() error {
	message, err := readMessage(b.server)
	if err != nil {
		return err
	}
	if len(message) < 2 || message[1] == record {
		return writeMessage(b.client, message)
	}
	b.mu.Lock()
	of := expected{}
	if len(b.waiting) > 0 {
		of, b.waiting = b.waiting[0], b.waiting[1:]
	}
	b.mu.Unlock()
	if of.as != nil && message[1] != ignored {
		message = of.as
	}
	if of.tag == commitTag && message[1] == success && b.member.cluster.loses() {
		return errors.New("the answer is lost")
	}
	return writeMessage(b.client, message)
}

// readMessage reads a message, which comes in chunks.
func readMessage(from io.Reader) (message []byte, err error) {
	for {
		var size uint16
		if err := binary.Read(from, binary.BigEndian, &size); err != nil {
			return nil, err
		}
		if size == 0 {
			if message == nil { // keeps the connection alive
				continue
			}
			return message, nil
		}
		at := len(message)
		message = append(message, make([]byte, size)...)
		if _, err := io.ReadFull(from, message[at:]); err != nil {
			return nil, err
		}
	}
}

func writeMessage(to io.Writer, message []byte) error {
	var all []byte
	for len(message) > 0 {
		chunk := message[:min(len(message), 0xFFFF)]
		message = message[len(chunk):]
		all = append(binary.BigEndian.AppendUint16(all, uint16(len(chunk))), chunk...) //nolint:gosec // bounded above
	}
	_, err := to.Write(append(all, 0, 0))
	return err
}

// packed returns a message with its fields, in PackStream.
func packed(tag byte, fields ...any) []byte {
	message := []byte{0xB0 + byte(len(fields)), tag}
	for _, f := range fields {
		message = pack(message, f)
	}
	return message
}

// pack appends a value: texts up to 255 bytes, small numbers, lists and maps of up to 15.
func pack(to []byte, v any) []byte {
	switch v := v.(type) {
	case string:
		return append(append(to, 0xD0, byte(len(v))), v...)
	case int:
		return append(to, byte(v))
	case []any:
		to = append(to, 0x90+byte(len(v)))
		for _, item := range v {
			to = pack(to, item)
		}
	case map[string]any:
		to = append(to, 0xA0+byte(len(v)))
		for name, item := range v {
			to = pack(pack(to, name), item)
		}
	}
	return to
}
