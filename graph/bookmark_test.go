package graph_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"time"

	"kith/graph"
	"kith/tests/testenv"
)

// routed returns a store whose driver asks for the members of a cluster. The answer has one member.
func routed(t *testing.T) *env {
	t.Helper()
	fresh(t)
	db := testenv.Neo4j(t)
	db.URI = strings.Replace(db.URI, "bolt://", "neo4j://", 1)
	return open(t, db, graph.Options{})
}

// ahead returns a bookmark that the database has not reached: the id of the database (16 bytes), the number of a transaction, and
// an empty list.
func ahead(t *testing.T, of string) string {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(of, "FB:"))
	if err != nil || len(raw) < 20 {
		t.Fatalf("a bookmark of another form: %q, %v", of, err)
	}
	far := binary.BigEndian.AppendUint64(append(raw[:19:19], 0xCB), 1<<40) // 0xCB: 64 bits follow
	return "FB:" + base64.StdEncoding.EncodeToString(append(far, 0x90))
}

// looks runs a read, and gives up when the database has not caught up after a second.
func (e *env) looks(read func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(e.Context(), time.Second)
	defer cancel()
	return read(ctx)
}

func (e *env) concepts(ctx context.Context) error {
	_, err := e.Store.Nodes(ctx, e.As("u1"), graph.NodeList{Kind: graph.ConceptKind, Limit: 1})
	return err
}

// mark returns the bookmarks of the team.
func (e *env) mark() string {
	_, mark := e.Store.Bookmarks().Mark(e.Team)
	return mark
}

// TestReadsWaitForWhatWasWritten checks that a read waits for earlier writes to its team in this and other processes, but not for
// writes to another team.
func TestReadsWaitForWhatWasWritten(t *testing.T) {
	e := routed(t)
	e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.5)})
	name, mark := e.Store.Bookmarks().Mark(e.Team)
	if strings.Count(mark, "FB:") != 1 || strings.Contains(name, e.Team) {
		t.Fatalf("after a write: mark %q of %q", mark, name)
	}
	other := e.neighbour()
	e.Store.Bookmarks().Receive(name, ahead(t, mark))
	for what, read := range map[string]func(context.Context) error{
		"a list": e.concepts,
		"a statement of a caller": func(ctx context.Context) error {
			_, _, err := e.walks().Cypher(ctx, e.As("u1"), "MATCH (n:Concept) RETURN n.name AS name", nil)
			return err
		},
		"what is of no team": e.Store.Ping,
	} {
		if err := e.looks(read); !errors.Is(err, graph.ErrUnavailable) && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s did not wait: %v", what, err)
		}
	}
	if err := other.looks(other.concepts); err != nil {
		t.Errorf("another team: %v", err)
	}
	e.Write("u1", []graph.NodeWrite{node("concept", "b", 0.5)}) // replaces all earlier bookmarks
	if err := errors.Join(e.looks(e.concepts), e.looks(e.Store.Ping)); err != nil {
		t.Errorf("after a write: %v", err)
	}
}

// TestStrangeBookmarks checks that bookmarks of another database are dropped, and that other texts are ignored.
func TestStrangeBookmarks(t *testing.T) {
	e := routed(t)
	name, _ := e.Store.Bookmarks().Mark(e.Team)
	for _, mark := range []string{"FB:none", "FB:" + base64.StdEncoding.EncodeToString(make([]byte, 30))} {
		e.Store.Bookmarks().Receive(name, mark)
		if err := e.concepts(t.Context()); err != nil || strings.Contains(e.mark(), mark) || strings.Count(e.mark(), "FB:") != 1 { // the read left its own
			t.Errorf("%s: %v, and then %q", mark, err, e.mark())
		}
	}
	long := strings.Repeat("x", 256)
	e.Store.Bookmarks().Receive(name, "none FB:"+long)
	if got := e.mark(); strings.Contains(got, "none") || strings.Contains(got, long) {
		t.Errorf("taken in: %q", got)
	}
}
