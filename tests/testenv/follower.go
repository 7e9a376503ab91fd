package testenv

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// bookmarkWait is how long a member that is behind lets a reader wait. Neo4j's default is 30 seconds.
const bookmarkWait = 5 * time.Second

var notUpToDate = packed(failure, map[string]any{ //nolint:gochecknoglobals // constant
	"code": "Neo.TransientError.Transaction.BookmarkTimeout", "message": "this member is not up to the requested version",
})

// follower repeats the transactions of one Neo4j in another one: the statements that have changed something, as they were sent, in the
// order of the commits.
type follower struct {
	host           string
	user, password string

	mu        sync.Mutex
	moved     *sync.Cond // applied, held or closed
	committed []transaction
	applying  int // of committed: their changes may be visible
	applied   int // of committed: their changes are visible
	held      bool
	lag       time.Duration
	err       error
	closed    bool
}

// transaction is one that was committed.
type transaction struct {
	id       int64
	bookmark string
	at       time.Time
	changes  [][]byte
}

// newFollower returns a follower until the test ends, which fails if a transaction cannot be repeated.
func newFollower(t testing.TB, db Database) *follower {
	t.Helper()
	f := &follower{host: hostOf(t, db), user: db.User, password: db.Password}
	f.moved = sync.NewCond(&f.mu)
	conn, err := f.connect()
	if err != nil {
		t.Fatalf("testenv: connect to the member that follows: %v", err)
	}
	var replaying sync.WaitGroup
	replaying.Go(func() {
		defer func() { _ = conn.Close() }()
		if err := f.replay(conn); err != nil {
			t.Errorf("testenv: the member that follows: %v", err)
		}
	})
	t.Cleanup(func() {
		f.mu.Lock()
		f.closed = true
		f.moved.Broadcast()
		f.mu.Unlock()
		replaying.Wait()
	})
	return f
}

// Hold keeps the last member as it is until CatchUp, or, with a lag, so long behind the others.
func (c *Cluster) Hold(lag ...time.Duration) {
	f := c.behind
	f.mu.Lock()
	defer f.mu.Unlock()
	f.held = len(lag) == 0
	if !f.held {
		f.lag = lag[0]
	}
	f.moved.Broadcast()
}

// CatchUp ends Hold, and returns when the last member has what was written so far.
func (c *Cluster) CatchUp(t testing.TB) {
	t.Helper()
	c.Hold(0)
	f := c.behind
	f.mu.Lock()
	defer f.mu.Unlock()
	for all := len(f.committed); f.applied < all && f.err == nil; {
		f.moved.Wait()
	}
	if f.err != nil {
		t.Fatalf("testenv: the member that follows: %v", f.err)
	}
}

// Behind returns how many transactions the last member has not yet.
func (c *Cluster) Behind() int {
	c.behind.mu.Lock()
	defer c.behind.mu.Unlock()
	return len(c.behind.committed) - c.behind.applied
}

// commit records a transaction.
func (f *follower) commit(bookmark string, changes []change) {
	tx := transaction{bookmark: bookmark, at: time.Now()}
	for _, c := range changes {
		if c.changed {
			tx.changes = append(tx.changes, c.run)
		}
	}
	if len(tx.changes) == 0 {
		return
	}
	id, err := transactionID(bookmark)
	tx.id = id
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = errors.Join(f.err, err)
	f.committed = append(f.committed, tx)
	f.moved.Broadcast()
}

// replay repeats transactions until the test ends or one fails.
func (f *follower) replay(conn net.Conn) error {
	for {
		f.mu.Lock()
		for !f.closed && f.err == nil && (f.held || f.applied == len(f.committed)) {
			f.moved.Wait()
		}
		if f.closed || f.err != nil {
			defer f.mu.Unlock()
			return f.err
		}
		next, lag := f.committed[f.applied], f.lag
		if early := time.Until(next.at.Add(lag)); early > 0 {
			f.mu.Unlock()
			<-time.After(min(early, 10*time.Millisecond)) // the lag may be changed
			continue
		}
		f.applying = f.applied + 1
		f.mu.Unlock()
		err := repeat(conn, next)
		f.mu.Lock()
		if err != nil {
			f.err = fmt.Errorf("transaction %d: %w", next.id, err)
		} else {
			f.applied++
		}
		f.moved.Broadcast()
		f.mu.Unlock()
	}
}

// repeat repeats a transaction.
func repeat(conn net.Conn, tx transaction) error {
	messages := [][]byte{packed(beginTag, map[string]any{"db": "neo4j"})}
	for _, run := range tx.changes {
		messages = append(messages, run, packed(pullTag, map[string]any{"n": -1}))
	}
	return ask(conn, append(messages, packed(commitTag))...)
}

// ask sends messages and reads their answers, which must be successes.
func ask(conn net.Conn, messages ...[]byte) error {
	for _, m := range messages {
		if err := writeMessage(conn, m); err != nil {
			return err
		}
		for {
			answer, err := readMessage(conn)
			if err != nil {
				return err
			}
			if answer[1] == success {
				break
			}
			if answer[1] != record {
				return fmt.Errorf("%.500q is answered with %.500q", m, answer)
			}
		}
	}
	return nil
}

// connect returns a connection that is logged on.
func (f *follower) connect() (net.Conn, error) {
	conn, err := net.Dial("tcp", f.host) //nolint:noctx // of a test
	if err != nil {
		return nil, err
	}
	if _, err := conn.Write([]byte{0x60, 0x60, 0xB0, 0x17, 0, 8, 8, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}); err != nil {
		return nil, err
	}
	if _, err := conn.Read(make([]byte, 4)); err != nil {
		return nil, err
	}
	return conn, ask(conn,
		packed(helloTag, map[string]any{"user_agent": "kith-test/1", "bolt_agent": map[string]any{"product": "kith-test/1"}}),
		f.logon())
}

// logon returns the message that logs on, with the password of this Neo4j.
func (f *follower) logon() []byte {
	return packed(logonTag, map[string]any{"scheme": "basic", "principal": f.user, "credentials": f.password})
}

// reach returns when the last member has the transactions of the bookmarks in a message, whose name it changes to one that Neo4j
// ignores. It returns false if that takes too long.
func (c *Cluster) reach(message []byte) bool {
	f, key := c.behind, []byte("\x89bookmarks")
	at := bytes.LastIndex(message, key)
	if at < 0 {
		return true
	}
	message[at+len(key)-1] = 'z'
	c.committing.Lock()   // what a bookmark stands for is recorded when the commit is answered
	c.committing.Unlock() //nolint:staticcheck // see above
	var last int64
	for _, mark := range bookmarksIn(message[at+len(key):]) {
		id, err := transactionID(mark)
		if err != nil {
			f.mu.Lock()
			f.err = errors.Join(f.err, err)
			f.mu.Unlock()
		}
		last = max(last, id)
	}
	ended := time.AfterFunc(bookmarkWait, f.moved.Broadcast)
	defer ended.Stop()
	until := time.Now().Add(bookmarkWait)
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.applied < len(f.committed) && f.committed[f.applied].id <= last {
		if f.closed || f.err != nil || !time.Now().Before(until) {
			return false
		}
		f.moved.Wait()
	}
	return true
}

// marked returns an answer of the last member with the bookmark of the last transaction that may be visible there, or without one.
func (f *follower) marked(message []byte) []byte {
	key := []byte("\x88bookmark")
	at := bytes.Index(message, key)
	if at < 0 {
		return message
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.applying == 0 {
		message[at+len(key)-1] = 'z'
		return message
	}
	before := message[:at+len(key)]
	_, after, _ := bytes.Cut(message, []byte(bookmarkIn(message)))
	return append(pack(bytes.Clone(before), f.committed[f.applying-1].bookmark), after...)
}

// bookmarkIn returns the bookmark in an answer; empty if there is none.
func bookmarkIn(message []byte) string {
	if _, found, ok := bytes.Cut(message, []byte("\x88bookmark")); ok {
		mark, _ := unpackText(found)
		return mark
	}
	return ""
}

// bookmarksIn returns the texts of a list at the beginning of a part of a message.
func bookmarksIn(part []byte) (marks []string) {
	count := int(part[0] & 0x0F)
	if part = part[1:]; count == 4 && part[0] < 0x80 { // 0xD4: a list of more than 15
		count, part = int(part[0]), part[1:]
	}
	for range count {
		var mark string
		mark, part = unpackText(part)
		marks = append(marks, mark)
	}
	return marks
}

// unpackText returns the text at the beginning of a part of a message, of up to 64 KiB, and what follows.
func unpackText(part []byte) (text string, rest []byte) {
	size, from := int(part[0]&0x0F), 1
	switch part[0] {
	case 0xD0:
		size, from = int(part[1]), 2
	case 0xD1:
		size, from = int(binary.BigEndian.Uint16(part[1:])), 3
	}
	return string(part[from : from+size]), part[from+size:]
}

// transactionID returns the number of the transaction that a bookmark of Neo4j 5 stands for: the second value in it, after the 16 bytes
// of the database's name.
func transactionID(bookmark string) (int64, error) {
	const before = 19
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(bookmark, "FB:"))
	if err != nil || len(raw) <= before {
		return 0, fmt.Errorf("%q is no bookmark", bookmark)
	}
	kind, value := raw[before], slices.Concat(raw[before+1:], make([]byte, 8))
	switch kind {
	case 0xC9:
		return int64(binary.BigEndian.Uint16(value)), nil
	case 0xCA:
		return int64(binary.BigEndian.Uint32(value)), nil
	case 0xCB:
		return int64(binary.BigEndian.Uint64(value)), nil //nolint:gosec // not negative
	}
	return int64(kind), nil
}
