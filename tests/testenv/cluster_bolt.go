package testenv

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
)

// Tags of Bolt's messages.
const (
	helloTag, logonTag, runTag, beginTag, commitTag, rollbackTag byte = 0x01, 0x6A, 0x10, 0x11, 0x12, 0x13
	pullTag, discardTag, routeTag, resetTag                      byte = 0x3F, 0x2F, 0x66, 0x0F
	success, failure, record, ignored                            byte = 0x70, 0x7F, 0x71, 0x7E
)

var notALeader = packed(failure, map[string]any{ //nolint:gochecknoglobals // constant
	"code": "Neo.ClientError.Cluster.NotALeader", "message": "this member does not lead",
})

// boltConn is a connection of a client with a member.
type boltConn struct {
	member         *member
	client, server net.Conn

	writes  bool     // in a transaction that writes; of request
	changes []change // of the transaction, as far as they are answered; of answer

	mu      sync.Mutex
	waiting []expected // the answers that the client waits for, in order
	commits bool       // waits for the answer to a commit, and has the cluster's lock for it
	closed  bool
}

// expected is the request of an answer; as replaces the answer of the database.
type expected struct {
	tag byte
	as  []byte
	run []byte // the statement, in a transaction that writes
}

// change is a statement of a transaction, as it was sent.
type change struct {
	run     []byte
	changed bool // it has changed something
}

// follows reports whether the member has a Neo4j of its own.
func (m *member) follows() bool { return m.cluster.behind != nil && m.number == members-1 }

func (m *member) serve(client net.Conn) {
	target := m.cluster.target
	if m.follows() {
		target = m.cluster.behind.host
	}
	server, err := net.Dial("tcp", target) //nolint:noctx // of a test
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
		b.committed() // or nobody will know
	})
	for b.request() == nil {
	}
	b.close()
	answering.Wait()
}

// close ends the connection. The database still answers a commit that is on its way: what it has stored is known here in any case.
func (b *boltConn) close() {
	_ = b.client.Close()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed = true; !b.commits {
		_ = b.server.Close()
	}
}

// committed ends the wait for the answer to a commit.
func (b *boltConn) committed() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.commits {
		b.commits = false
		b.member.cluster.committing.Unlock()
	}
	if b.closed {
		_ = b.server.Close()
	}
}

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
	message, next := b.judge(message)
	commits := next.tag == commitTag && b.writes && next.as == nil
	switch next.tag {
	case commitTag, rollbackTag, resetTag:
		b.writes = false
	}
	if commits {
		b.member.cluster.committing.Lock()
	}
	b.mu.Lock()
	b.commits = b.commits || commits
	b.waiting = append(b.waiting, next)
	closed := b.closed
	b.mu.Unlock()
	if closed {
		err = net.ErrClosed
	} else {
		err = writeMessage(b.server, message)
	}
	if err != nil && commits {
		b.committed()
	}
	return err
}

// judge returns what is sent to the database for a message, and what is expected of it.
func (b *boltConn) judge(message []byte) (sent []byte, next expected) {
	c := b.member.cluster
	next.tag = message[1]
	if (next.tag == beginTag || next.tag == runTag) && b.member.follows() && !c.reach(message) {
		next.as = notUpToDate
		return impossible(next.tag), next
	}
	leads, reads := c.leads(b.member.number), bytes.Contains(message, []byte("\x84mode\x81r"))
	switch next.tag {
	case logonTag:
		if b.member.follows() {
			return c.behind.logon(), next
		}
	case routeTag: // without bookmarks, which a Neo4j of another member does not know
		next.as = c.table()
		return packed(routeTag, map[string]any{}, []any{}, map[string]any{}), next
	case beginTag:
		if b.writes = !reads; b.writes && !leads {
			next.as = notALeader
			return impossible(beginTag), next
		}
	case runTag:
		autocommit := bytes.Contains(message, []byte("tx_metadata")) && !reads
		switch {
		case c.fails(message):
			return impossible(runTag), next
		case (b.writes || autocommit) && !leads:
			next.as = notALeader
			return impossible(runTag), next
		case b.writes:
			next.run = message
		default:
			return c.ownTable(message), next
		}
	case commitTag:
		if b.writes && !leads {
			next.as = notALeader
			return []byte{0xB0, rollbackTag}, next
		}
	}
	return message, next
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
	if message[1] == success {
		message = b.follow(of, message)
	}
	if of.tag == commitTag {
		b.committed()
		if message[1] == success && b.member.cluster.loses() {
			return errors.New("the answer is lost")
		}
	}
	return writeMessage(b.client, message)
}

// follow notes what a transaction has changed, for the member that follows, and gives that member's answers the bookmarks of the others.
func (b *boltConn) follow(of expected, message []byte) []byte {
	behind := b.member.cluster.behind
	switch {
	case behind == nil:
	case b.member.follows():
		return behind.marked(message)
	case of.tag == beginTag:
		b.changes = nil
	case of.tag == runTag && of.run != nil:
		b.changes = append(b.changes, change{run: of.run})
	case (of.tag == pullTag || of.tag == discardTag) && len(b.changes) > 0:
		last := &b.changes[len(b.changes)-1]
		last.changed = last.changed || bytes.Contains(message, []byte("\x85stats"))
	case of.tag == commitTag:
		behind.commit(bookmarkIn(message), b.changes)
		b.changes = nil
	}
	return message
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

// pack appends a value: small numbers, and lists and maps of up to 15.
func pack(to []byte, v any) []byte {
	switch v := v.(type) {
	case string:
		return append(binary.BigEndian.AppendUint16(append(to, 0xD1), uint16(len(v))), v...) //nolint:gosec // a short one
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
