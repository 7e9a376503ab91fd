package testenv

import (
	"bytes"
	"net"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// Cluster presents one Neo4j as three members of a cluster: each answers at an address of its own, tells who they all are, and
// only the leader writes. They have the same data at the same time, except a last member that has a Neo4j of its own. It is
// safe for concurrent use.
type Cluster struct {
	target  string
	members []*member
	behind  *follower // of the last member; nil: it has the Neo4j of the others

	committing sync.Mutex // one commit at a time, so that the order of the answers is that of the commits

	mu      sync.Mutex
	leader  int    // of members; -1: none
	claimed int    // whom the members name as the leader
	lose    int    // how many commits end without an answer
	fail    []byte // statements that contain it fail, unless it is empty
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

// StartCluster returns a cluster over a Neo4j until the test ends. The first member leads. With a second Neo4j, the last member has
// that one. It must have the same data as the first, receives what the others write, see Hold, and cannot lead.
func StartCluster(t testing.TB, db Database, behind ...Database) *Cluster {
	t.Helper()
	c := &Cluster{target: hostOf(t, db), conns: map[*boltConn]bool{}}
	var serving sync.WaitGroup
	if len(behind) > 0 {
		c.behind = newFollower(t, behind[0])
	}
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

func hostOf(t testing.TB, db Database) string {
	t.Helper()
	u, err := url.Parse(db.URI)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

// Leaders returns how many members may lead: the first ones.
func (c *Cluster) Leaders() int {
	if c.behind != nil {
		return members - 1
	}
	return members
}

// URI returns the address of the cluster.
func (c *Cluster) URI() string { return "neo4j://" + c.members[0].address }

// Address returns the address of a member.
func (c *Cluster) Address(member int) string { return c.members[member].address }

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

// Fail makes the statements that contain a text fail, as if they were invalid; none if it is empty.
func (c *Cluster) Fail(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fail = []byte(text)
}

func (c *Cluster) fails(run []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.fail) > 0 && bytes.Contains(run, c.fail)
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

// roles returns the addresses of the members by what they do.
func (c *Cluster) roles() map[string][]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	roles := map[string][]string{"ROUTE": nil, "READ": nil, "WRITE": nil}
	for i, m := range c.members {
		role := "READ"
		if i == c.claimed {
			role = "WRITE"
		}
		roles["ROUTE"], roles[role] = append(roles["ROUTE"], m.address), append(roles[role], m.address)
	}
	return roles
}

// table returns the answer to ROUTE.
func (c *Cluster) table() []byte {
	var servers []any
	for role, addresses := range c.roles() {
		var list []any
		for _, a := range addresses {
			list = append(list, a)
		}
		servers = append(servers, map[string]any{"addresses": list, "role": role})
	}
	return packed(success, map[string]any{"rt": map[string]any{"ttl": 1, "db": "neo4j", "servers": servers}})
}

var tableCall = regexp.MustCompile(`CALL dbms\.routing\.getRoutingTable\([^)]*\) YIELD servers`)

// ownTable returns a statement that asks for the members with a list of these in place of the call.
func (c *Cluster) ownTable(run []byte) []byte {
	statement, rest := unpackText(run[2:])
	if !tableCall.MatchString(statement) {
		return run
	}
	var servers []string
	for role, addresses := range c.roles() {
		servers = append(servers, "{addresses: ['"+strings.Join(addresses, "', '")+"'], role: '"+role+"'}")
	}
	statement = tableCall.ReplaceAllLiteralString(statement, "WITH ["+strings.Join(servers, ", ")+"] AS servers")
	return append(pack(run[:2:2], statement), rest...)
}
