package graph_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"kith/graph"
	"kith/internal/fault"
	"kith/memory/recall"
	"kith/tests/testenv"
)

// recallEvents counts the events of a queue.
type recallEvents struct {
	sync.Mutex
	reads map[recall.Event]int
}

func (r *recallEvents) options(o recall.Options) recall.Options {
	r.reads = map[recall.Event]int{}
	o.Observe = func(event recall.Event, reads int) {
		r.Lock()
		defer r.Unlock()
		r.reads[event] += reads
	}
	return o
}

// running runs recalls until the returned function is called, which waits for their end.
func running(t *testing.T, r *recall.Queue) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	return func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

func TestRecallRaisesWhatWasRead(t *testing.T) {
	e := fresh(t)
	key := e.Write("u1", []graph.NodeWrite{{Kind: "concept", EntityKey: "a", Name: graph.Some("a"), Confidence: graph.Some(0.8), State: graph.Some("candidate")},
		node("concept", "b", 0.99), node("concept", "s", 0.5, shared, inState("candidate"))},
		graph.RelationshipWrite{From: "a", Type: "relates_to", To: "b"}).Relationships[0].Key
	e.Source("u1", graph.SourceWrite{EntityKey: "src", Messages: []graph.MessageWrite{said("m", "x")}, Mentions: []string{"a"}})
	events := &recallEvents{}
	e.ChangedUsers()
	r := recall.New(e.Store, events.options(recall.Options{}))
	r.Recalled(e.As("u1"), graph.Recall{Nodes: []string{"a", "b", "s", "m", "gone"},
		Relationships: []graph.RelationshipRef{{"a", "relates_to", "b", key}, {"src", "mentions", "a", "?"}}})
	r.Recalled(graph.Scope{TeamID: e.Team + "-x", UserID: "u1"}, graph.Recall{Nodes: []string{"a"}})
	r.Flush(t.Context())
	a, b, s, link := e.get("u1", "concept", "a"), e.get("u1", "concept", "b"), e.get("u1", "concept", "s"), e.relationship("u1", key)
	e.Same("a", []any{0.65, "active", int64(1), &noon, int64(1)}, []any{a.Salience, a.State, a.AccessCount, a.LastAccessedAt, a.Version})
	e.Same("no more than 1", []any{1.0, "active"}, []any{b.Salience, b.State})
	e.Same("the relationship", []any{0.575, "active", int64(1), &noon}, []any{link.Salience, link.State, link.AccessCount, link.LastAccessedAt})
	e.Same("shared", []any{"candidate", int64(0)}, []any{s.State, s.AccessCount})
	e.Same("reported users whose nodes moved", []string{"u1"}, e.ChangedUsers())
	e.Same("stored", map[recall.Event]int{recall.Stored: 2}, events.reads)
}

// A recall by a user changes nothing that others see: neither shared nodes, nor a source with participants.
func TestRecallsOfAUserAreNotSeenByOthers(t *testing.T) {
	e := fresh(t)
	keys := e.Write("", []graph.NodeWrite{node("concept", "s", 0.5, inState("candidate")), node("concept", "s2", 0.5)}, link("s", "relates_to", "s2", 0.5)).Relationships
	e.Source("ua", graph.SourceWrite{EntityKey: "src", Participants: []string{"ub"}, Messages: []graph.MessageWrite{said("m", "x")}})
	more := e.Write("ua", []graph.NodeWrite{node("concept", "own", 0.5)}, link("src", "relates_to", "s", 0.5), link("own", "relates_to", "s", 0.5)).Relationships
	all := graph.Recall{Nodes: []string{"s", "s2", "src", "own"}, Relationships: []graph.RelationshipRef{
		{"s", "relates_to", "s2", keys[0].Key}, {"src", "relates_to", "s", more[0].Key}, {"own", "relates_to", "s", more[1].Key},
	}}
	counts := func() string {
		return fmt.Sprint(e.Raw(`MATCH (n:Memory {team_id: $team}) WHERE n.entity_key IN ['s', 's2', 'src', 'own'] OPTIONAL MATCH (n)-[r:relates_to]->()
			WITH n, r ORDER BY n.entity_key RETURN n.entity_key, n.access_count, n.salience, n.state, r.access_count, r.salience`))
	}
	r := recall.New(e.Store, recall.Options{})
	for _, c := range []struct{ user, want string }{
		{"ub", "[[own 0 0.5 active 0 0.5] [s 0 0.5 candidate 0 0.5] [s2 0 0.5 active <nil> <nil>] [src 0 0.5 active 0 0.5]]"},
		{"ua", "[[own 1 0.575 active 1 0.575] [s 0 0.5 candidate 0 0.5] [s2 0 0.5 active <nil> <nil>] [src 0 0.5 active 0 0.5]]"},
		{"", "[[own 1 0.575 active 1 0.575] [s 1 0.575 active 1 0.575] [s2 1 0.575 active <nil> <nil>] [src 0 0.5 active 0 0.5]]"},
	} {
		r.Recalled(e.As(c.user), all)
		r.Flush(t.Context())
		e.Same("after a recall of "+c.user, c.want, counts())
	}
}

func TestTenRecallsMakeACore(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{owner1("me"), node("concept", "c", 0.1, inState("candidate"))}, link("me", "thinks_about", "c", 0.5))
	events := &recallEvents{}
	r := recall.New(e.Store, events.options(recall.Options{}))
	e.Same("a candidate only fills room", 0, countByRule(e.sections("u1").Relationships))
	e.ChangedUsers()
	changes := 0
	for i := range 10 {
		e.Now = noon.Add(time.Duration(i) * time.Hour)
		r.Recalled(e.As("u1"), graph.Recall{Nodes: []string{"c"}})
		r.Flush(t.Context())
		e.Same("state", map[bool]string{true: "core", false: "active"}[i == 9], e.get("u1", "concept", "c").State)
		e.Same("the context shows it", 1, countByRule(e.sections("u1").Relationships))
		changes += len(e.ChangedUsers())
	}
	e.Same("reported changes", 2, changes)
}

// Recalls beyond the capacity are dropped and counted; callers never wait.
func TestRecallsAreBounded(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.1)})
	events := &recallEvents{}
	r := recall.New(e.Store, events.options(recall.Options{Size: 3, Every: time.Hour}))
	for range 10 { // nothing takes them: a call that waited would wait for ever
		r.Recalled(e.As("u1"), graph.Recall{Nodes: []string{"a"}})
	}
	e.Same("dropped", map[recall.Event]int{recall.Dropped: 7}, events.reads)
	running(t, r)()
	e.Same("what is left is stored at the end", map[recall.Event]int{recall.Dropped: 7, recall.Stored: 3}, events.reads)
	e.Same("count", int64(3), e.get("u1", "concept", "a").AccessCount)
}

func TestRecallsThatFailAreCounted(t *testing.T) {
	e := fresh(t)
	away := open(t, testenv.Neo4j(t), graph.Options{})
	if err := away.Store.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	events := &recallEvents{}
	r := recall.New(away.Store, events.options(recall.Options{}))
	r.Recalled(e.As("u1"), graph.Recall{Nodes: []string{"a"}})
	r.Recalled(e.As("u1"), graph.Recall{Nodes: []string{"b"}})
	r.Flush(t.Context())
	e.Same("failed", map[recall.Event]int{recall.Failed: 2}, events.reads)
	if _, err := away.Store.Node(t.Context(), e.As("u1"), graph.ConceptKind, "a", graph.NodeQuery{}); errors.Is(err, fault.ErrNotFound) {
		t.Error("the database is not away")
	}
}

// All recalls of one node and relationship by several processes at once count, even if they are more than one
// transaction takes.
func TestNoRecallIsLost(t *testing.T) {
	e := fresh(t)
	key := e.Write("u1", []graph.NodeWrite{node("concept", "a", 0), node("concept", "b", 0)}, link("a", "relates_to", "b", 0)).Relationships[0].Key
	const each = 40
	events := &recallEvents{}
	var all []*recall.Queue
	var stops []func()
	for range 3 {
		r := recall.New(e.Store, recall.Options{Every: time.Millisecond})
		all, stops = append(all, r), append(stops, running(t, r))
	}
	single := recall.New(e.Store, events.options(recall.Options{}))
	for range 2*graph.MaxReads + 1 {
		single.Recalled(e.As("u1"), graph.Recall{Nodes: []string{"b"}})
	}
	atOnce(t, func(i int) error {
		for range each {
			all[i%3].Recalled(e.As("u1"), graph.Recall{Nodes: []string{"a"}, Relationships: []graph.RelationshipRef{{"a", "relates_to", "b", key}}})
		}
		if i == 0 {
			single.Flush(t.Context())
		}
		if i%4 == 3 { // with writers between them
			_, err := e.Store.Write(t.Context(), e.As("u1"), &graph.MemoryWrite{Nodes: []graph.NodeWrite{change("concept", "a", described(fmt.Sprint(i)))}})
			return err
		}
		return nil
	})
	for _, stop := range stops {
		stop()
	}
	e.Same("counts", []int64{writers * each, 2*graph.MaxReads + 1, writers * each},
		[]int64{e.get("u1", "concept", "a").AccessCount, e.get("u1", "concept", "b").AccessCount, e.relationship("u1", key).AccessCount})
	e.Same("stored", 2*graph.MaxReads+1, events.reads[recall.Stored])
}

// If many relationships are equally strong, the context shows the most salient nodes, as soon as they are.
func TestRecalledNodesMoveUpInContexts(t *testing.T) {
	e := fresh(t)
	nodes, links := []graph.NodeWrite{owner1("me")}, []graph.RelationshipWrite{}
	for i := range 12 {
		key := fmt.Sprintf("c-%02d", i)
		nodes = append(nodes, node("concept", key, 0.5+float64(i)/100))
		links = append(links, graph.RelationshipWrite{From: "me", Type: "thinks_about", To: key})
	}
	e.Write("u1", nodes, links...)
	e.Same("the least salient is not shown", false, slices.Contains(linkedKeys(e.sections("u1").Relationships), "c-00"))
	r := recall.New(e.Store, recall.Options{})
	for range 3 {
		r.Recalled(e.As("u1"), graph.Recall{Nodes: []string{"c-00"}})
	}
	r.Flush(t.Context())
	e.Same("the most salient is the first", "c-00", linkedKeys(e.sections("u1").Relationships)[0])
}

// TestAnAnswerRecallsANodeOnce checks that a node in many rows of an answer counts as recalled once.
func TestAnAnswerRecallsANodeOnce(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.5)})
	r := recall.New(e.Store, recall.Options{})
	r.Recalled(e.As("u1"), graph.Recall{Nodes: []string{"a", "a", "a"}})
	r.Flush(t.Context())
	e.Same("recalls", int64(1), e.get("u1", "concept", "a").AccessCount)
}
