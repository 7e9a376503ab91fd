package graph

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"kith/internal/testenv"
)

// recallEvents counts the events of Recalls.
type recallEvents struct {
	sync.Mutex
	reads map[RecallEvent]int
}

func (r *recallEvents) options(o RecallOptions) RecallOptions {
	r.reads = map[RecallEvent]int{}
	o.Observe = func(event RecallEvent, reads int) {
		r.Lock()
		defer r.Unlock()
		r.reads[event] += reads
	}
	return o
}

// running runs recalls until the returned function is called, which waits for their end.
func running(t *testing.T, r *Recalls) (stop func()) {
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
	key := e.write("u1", []NodeWrite{{Kind: "concept", EntityKey: "a", Name: Some("a"), Confidence: Some(0.8), State: Some("candidate")},
		node("concept", "b", 0.99), node("concept", "s", 0.5, shared, inState("candidate"))},
		RelationshipWrite{From: "a", Type: "relates_to", To: "b"}).Relationships[0].Key
	e.source("u1", SourceWrite{EntityKey: "src", Messages: []MessageWrite{said("m", "x")}, Mentions: []string{"a"}})
	events := &recallEvents{}
	e.changedUsers()
	r := NewRecalls(e.store, events.options(RecallOptions{}))
	r.Recalled(e.as("u1"), Recall{Nodes: []string{"a", "b", "s", "m", "gone"},
		Relationships: []RelationshipRef{{"a", "relates_to", "b", key}, {"src", "mentions", "a", "?"}}})
	r.Recalled(Scope{TeamID: e.team + "-x", UserID: "u1"}, Recall{Nodes: []string{"a"}})
	r.flush(t.Context())
	a, b, s, link := e.get("u1", "concept", "a"), e.get("u1", "concept", "b"), e.get("u1", "concept", "s"), e.relationship("u1", key)
	e.same("a", []any{0.65, "active", int64(1), &noon, int64(1)}, []any{a.Salience, a.State, a.AccessCount, a.LastAccessedAt, a.Version})
	e.same("no more than 1", []any{1.0, "active"}, []any{b.Salience, b.State})
	e.same("the relationship", []any{0.575, "active", int64(1), &noon}, []any{link.Salience, link.State, link.AccessCount, link.LastAccessedAt})
	e.same("shared", []any{"candidate", int64(0)}, []any{s.State, s.AccessCount})
	e.same("reported users whose nodes moved", []string{"u1"}, e.changedUsers())
	e.same("stored", map[RecallEvent]int{RecallStored: 2}, events.reads)
}

// A recall by a user changes nothing that others see: neither shared nodes, nor a source with participants.
func TestRecallsOfAUserAreNotSeenByOthers(t *testing.T) {
	e := fresh(t)
	keys := e.write("", []NodeWrite{node("concept", "s", 0.5, inState("candidate")), node("concept", "s2", 0.5)}, link("s", "relates_to", "s2", 0.5)).Relationships
	e.source("ua", SourceWrite{EntityKey: "src", Participants: []string{"ub"}, Messages: []MessageWrite{said("m", "x")}})
	more := e.write("ua", []NodeWrite{node("concept", "own", 0.5)}, link("src", "relates_to", "s", 0.5), link("own", "relates_to", "s", 0.5)).Relationships
	all := Recall{Nodes: []string{"s", "s2", "src", "own"}, Relationships: []RelationshipRef{
		{"s", "relates_to", "s2", keys[0].Key}, {"src", "relates_to", "s", more[0].Key}, {"own", "relates_to", "s", more[1].Key},
	}}
	counts := func() string {
		return fmt.Sprint(e.raw(`MATCH (n:Memory {team_id: $team}) WHERE n.entity_key IN ['s', 's2', 'src', 'own'] OPTIONAL MATCH (n)-[r:relates_to]->()
			WITH n, r ORDER BY n.entity_key RETURN n.entity_key, n.access_count, n.salience, n.state, r.access_count, r.salience`))
	}
	r := NewRecalls(e.store, RecallOptions{})
	for _, c := range []struct{ user, want string }{
		{"ub", "[[own 0 0.5 active 0 0.5] [s 0 0.5 candidate 0 0.5] [s2 0 0.5 active <nil> <nil>] [src 0 0.5 active 0 0.5]]"},
		{"ua", "[[own 1 0.575 active 1 0.575] [s 0 0.5 candidate 0 0.5] [s2 0 0.5 active <nil> <nil>] [src 0 0.5 active 0 0.5]]"},
		{"", "[[own 1 0.575 active 1 0.575] [s 1 0.575 active 1 0.575] [s2 1 0.575 active <nil> <nil>] [src 0 0.5 active 0 0.5]]"},
	} {
		r.Recalled(e.as(c.user), all)
		r.flush(t.Context())
		e.same("after a recall of "+c.user, c.want, counts())
	}
}

func TestTenRecallsMakeACore(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{owner1("me"), node("concept", "c", 0.1, inState("candidate"))}, link("me", "thinks_about", "c", 0.5))
	events := &recallEvents{}
	r := NewRecalls(e.store, events.options(RecallOptions{}))
	e.same("a candidate only fills room", 0, countByRule(e.sections("u1").Relationships))
	e.changedUsers()
	changes := 0
	for i := range 10 {
		e.now = noon.Add(time.Duration(i) * time.Hour)
		r.Recalled(e.as("u1"), Recall{Nodes: []string{"c"}})
		r.flush(t.Context())
		e.same("state", map[bool]string{true: "core", false: "active"}[i == 9], e.get("u1", "concept", "c").State)
		e.same("the context shows it", 1, countByRule(e.sections("u1").Relationships))
		changes += len(e.changedUsers())
	}
	e.same("reported changes", 2, changes)
}

// Recalls beyond the capacity are dropped and counted; callers never wait.
func TestRecallsAreBounded(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{node("concept", "a", 0.1)})
	events := &recallEvents{}
	r := NewRecalls(e.store, events.options(RecallOptions{Size: 3, Every: time.Hour}))
	for range 10 { // nothing takes them: a call that waited would wait for ever
		r.Recalled(e.as("u1"), Recall{Nodes: []string{"a"}})
	}
	e.same("dropped", map[RecallEvent]int{RecallDropped: 7}, events.reads)
	running(t, r)()
	e.same("what is left is stored at the end", map[RecallEvent]int{RecallDropped: 7, RecallStored: 3}, events.reads)
	e.same("count", int64(3), e.get("u1", "concept", "a").AccessCount)
}

func TestRecallsThatFailAreCounted(t *testing.T) {
	e := fresh(t)
	away := open(t, testenv.Neo4j(t), Options{})
	if err := away.store.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	events := &recallEvents{}
	r := NewRecalls(away.store, events.options(RecallOptions{}))
	r.Recalled(e.as("u1"), Recall{Nodes: []string{"a"}})
	r.Recalled(e.as("u1"), Recall{Nodes: []string{"b"}})
	r.flush(t.Context())
	e.same("failed", map[RecallEvent]int{RecallFailed: 2}, events.reads)
	if _, err := away.store.Node(t.Context(), e.as("u1"), ConceptKind, "a", NodeQuery{}); errors.Is(err, ErrNotFound) {
		t.Error("the database is not away")
	}
}

// All recalls of one node and relationship by several processes at once count, even if they are more than one
// transaction takes.
func TestNoRecallIsLost(t *testing.T) {
	e := fresh(t)
	key := e.write("u1", []NodeWrite{node("concept", "a", 0), node("concept", "b", 0)}, link("a", "relates_to", "b", 0)).Relationships[0].Key
	const each = 40
	events := &recallEvents{}
	var all []*Recalls
	var stops []func()
	for range 3 {
		r := NewRecalls(e.store, RecallOptions{Every: time.Millisecond})
		all, stops = append(all, r), append(stops, running(t, r))
	}
	single := NewRecalls(e.store, events.options(RecallOptions{}))
	for range 2*recallsAtOnce + 1 {
		single.Recalled(e.as("u1"), Recall{Nodes: []string{"b"}})
	}
	atOnce(t, func(i int) error {
		for range each {
			all[i%3].Recalled(e.as("u1"), Recall{Nodes: []string{"a"}, Relationships: []RelationshipRef{{"a", "relates_to", "b", key}}})
		}
		if i == 0 {
			single.flush(t.Context())
		}
		if i%4 == 3 { // with writers between them
			_, err := e.store.Write(t.Context(), e.as("u1"), &MemoryWrite{Nodes: []NodeWrite{change("concept", "a", described(fmt.Sprint(i)))}})
			return err
		}
		return nil
	})
	for _, stop := range stops {
		stop()
	}
	e.same("counts", []int64{writers * each, 2*recallsAtOnce + 1, writers * each},
		[]int64{e.get("u1", "concept", "a").AccessCount, e.get("u1", "concept", "b").AccessCount, e.relationship("u1", key).AccessCount})
	e.same("stored", 2*recallsAtOnce+1, events.reads[RecallStored])
}

// If many relationships are equally strong, the context shows the most salient nodes, as soon as they are.
func TestRecalledNodesMoveUpInContexts(t *testing.T) {
	e := fresh(t)
	nodes, links := []NodeWrite{owner1("me")}, []RelationshipWrite{}
	for i := range 12 {
		key := fmt.Sprintf("c-%02d", i)
		nodes = append(nodes, node("concept", key, 0.5+float64(i)/100))
		links = append(links, RelationshipWrite{From: "me", Type: "thinks_about", To: key})
	}
	e.write("u1", nodes, links...)
	e.same("the least salient is not shown", false, slices.Contains(linkedKeys(e.sections("u1").Relationships), "c-00"))
	r := NewRecalls(e.store, RecallOptions{})
	for range 3 {
		r.Recalled(e.as("u1"), Recall{Nodes: []string{"c-00"}})
	}
	r.flush(t.Context())
	e.same("the most salient is the first", "c-00", linkedKeys(e.sections("u1").Relationships)[0])
}
