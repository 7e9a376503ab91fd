package bench

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"kith/cypher"
	"kith/graph"
	"kith/tests/testenv"
)

// wire forwards bytes to Neo4j and counts round trips: how often a client sends after the server has sent. For
// neo4j:// the server returns its own port as the member of a cluster, and the wire replaces it by its own.
type wire struct {
	uri        string
	trips      atomic.Int64
	own, given []byte // ports as they stand in an address; given: nil where none is asked for
}

func countRoundTrips(b testing.TB, uri string) *wire {
	b.Helper()
	target, err := url.Parse(uri)
	if err != nil {
		b.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	w := &wire{uri: target.Scheme + "://" + listener.Addr().String()}
	if target.Scheme == "neo4j" {
		w.own, w.given = []byte(":"+port), []byte(":"+target.Port())
	}
	if len(w.own) > 0 && len(w.own) != len(w.given) {
		b.Fatalf("ports %s and %s are not of one length", w.own, w.given)
	}
	var conns sync.WaitGroup
	conns.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			conns.Go(func() { w.forward(client, target.Host) })
		}
	})
	b.Cleanup(func() {
		_ = listener.Close()
		conns.Wait()
	})
	return w
}

func (w *wire) forward(client net.Conn, target string) {
	server, err := net.Dial("tcp", target)
	if err != nil {
		_ = client.Close()
		return
	}
	var clientSpoke atomic.Bool
	var both sync.WaitGroup
	both.Go(func() {
		copyEach(server, client, func([]byte) {
			if !clientSpoke.Swap(true) {
				w.trips.Add(1)
			}
		})
	})
	both.Go(func() {
		copyEach(client, server, func(said []byte) {
			clientSpoke.Store(false)
			if w.given != nil {
				copy(said, bytes.ReplaceAll(said, w.given, w.own))
			}
		})
	})
	both.Wait()
}

func copyEach(to, from net.Conn, each func([]byte)) {
	defer func() { _, _ = to.Close(), from.Close() }()
	chunk := make([]byte, 64<<10)
	for {
		n, err := from.Read(chunk)
		if n > 0 {
			each(chunk[:n])
			if _, err := to.Write(chunk[:n]); err != nil {
				return
			}
		}
		if err != nil && (errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed)) || err != nil {
			return
		}
	}
}

// countHits profiles the relationships of a context: db hits of finding the ten, and of the whole with their nodes.
func countHits(b *testing.B, db testenv.Database, scope graph.Scope) (walk, all float64) {
	b.Helper()
	driver, err := neo4j.NewDriverWithContext(db.URI, neo4j.BasicAuth(db.User, db.Password, ""))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = driver.Close(context.Background()) }()
	text, params, err := cypher.Load("context_relationships").Statement(map[string]any{
		"team_id": scope.TeamID, "user_id": scope.UserID, "now_ms": time.Now().UnixMilli(), "until": time.Now().UTC(), "week_ago": time.Now().UTC().Add(-graph.Week),
		"prefixes": []string{}, // the owner has more than ten relationships: nothing is filled
	})
	if err != nil {
		b.Fatal(err)
	}
	result, err := neo4j.ExecuteQuery(b.Context(), driver, "PROFILE "+text, params, neo4j.EagerResultTransformer, neo4j.ExecuteQueryWithDatabase(db.Database))
	if err != nil {
		b.Fatal(err)
	}
	plan := reflect.ValueOf(result.Summary.Profile()).Elem().Field(0).Elem()
	return sumHits(plan, false)
}

// sumHits adds db hits. Those at and below the operator that selects the ten belong to the walk. It reads the plan
// behind a neo4j.ProfiledPlan by reflection: its Children (v5.28.4) return the last child as many times as there are
// children.
func sumHits(plan reflect.Value, below bool) (walk, all float64) {
	below = below || strings.HasPrefix(plan.FieldByName("Operator").String(), "Top")
	all = float64(plan.FieldByName("DbHits").Int())
	if below {
		walk = all
	}
	children := plan.FieldByName("Children")
	for i := range children.Len() {
		w, a := sumHits(children.Index(i), below)
		walk, all = walk+w, all+a
	}
	return walk, all
}
