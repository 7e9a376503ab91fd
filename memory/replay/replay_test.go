package replay

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"kith/graph"
	"kith/graph/pack"
	"kith/memory/erasure"
	"kith/memory/preference"
	"kith/tests/graphtest"
	"kith/tests/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// env is the memory of a team with a recorder whose clock the test moves.
type env struct {
	*graphtest.Env
	clock  time.Time
	mu     sync.Mutex
	events map[Event]int
}

func fresh(t *testing.T) *env {
	t.Helper()
	return on(graphtest.New(t))
}

func on(e *graphtest.Env) *env { return &env{Env: e, clock: time.Now(), events: map[Event]int{}} }

// has gives a user something: of one without anything nothing is kept.
func (e *env) has(user string) {
	e.Helper()
	e.Write(user, []graph.NodeWrite{graphtest.Node("concept", "of "+user, 0.5)})
}

// recorder returns a recorder with a number, for the user of the tests.
func (e *env) recorder(o Options) *Recorder {
	e.Helper()
	e.has("u")
	o.Now = func() time.Time { return e.clock }
	o.Observe = func(event Event, count int) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.events[event] += count
	}
	r := New(NewStore(e.Store), o)
	if err := r.Claim(context.Background()); err != nil {
		e.Fatal(err)
	}
	return r
}

func entry(text string) Entry { return Entry{Sum: text, Raw: []byte("raw " + text)} }

// serve serves a text for a view, and returns the moment.
func (e *env) serve(r *Recorder, view, text string) time.Time {
	e.Helper()
	at, ok := r.Served(e.As("u"), view, entry(text))
	if !ok {
		e.Fatal("nothing is kept")
	}
	return at
}

// found returns what was served of a view at a moment; empty if that is not known.
func (e *env) found(r *Recorder, view string, at time.Time) string {
	e.Helper()
	found, err := r.Find(context.Background(), e.As("u"), view, at)
	if err != nil {
		e.Fatal(err)
	}
	return strings.TrimPrefix(string(found.Raw), "raw ")
}

// past lets moments be so old that nobody waits for them.
func (e *env) past() { e.clock = e.clock.Add(2 * settle) }

// Moments grow even if the clock goes back, and end with the number of the instance.
func TestMomentsGrow(t *testing.T) {
	e := fresh(t)
	r, other := e.recorder(Options{}), e.recorder(Options{})
	if r.number == other.number || r.number < 1 || r.number >= mostNumbers {
		t.Errorf("the numbers are %d and %d", r.number, other.number)
	}
	last := time.Time{}
	for i, step := range []time.Duration{0, 0, time.Nanosecond, -time.Hour, time.Microsecond, 2 * time.Hour, -time.Second} {
		e.clock = e.clock.Add(step)
		at := e.serve(r, "v", "x")
		if !at.After(last) || numberOf(at.UnixNano()) != r.number {
			t.Errorf("step %d: %v after %v", i, at, last)
		}
		last = at
	}
}

// What was served is found by its moment, by any instance, and nothing at moments at which nothing is known.
func TestFind(t *testing.T) {
	e := fresh(t)
	r, other := e.recorder(Options{}), e.recorder(Options{})
	first := e.serve(r, "v", "a")
	e.clock = e.clock.Add(time.Second)
	second := e.serve(r, "v", "b")
	third := e.serve(other, "v", "a")
	e.clock = e.clock.Add(4 * time.Minute)
	again := e.serve(r, "v", "b")
	e.Same("at once", []string{"a", "b", "b"}, []string{e.found(r, "v", first), e.found(r, "v", second), e.found(r, "v", again)})
	other.Flush(t.Context())
	e.past()
	e.Same("by another", []string{"a", "b", "a", "b"},
		[]string{e.found(other, "v", first), e.found(other, "v", second), e.found(r, "v", third), e.found(other, "v", again)})
	e.Same("of another view", "", e.found(r, "w", first))
	e.Same("before", "", e.found(r, "v", first.Add(-time.Microsecond)))
	e.Same("after", "", e.found(r, "v", again.Add(time.Microsecond)))
	typed := func(at time.Time) time.Time { return at.Truncate(time.Millisecond) }
	e.Same("a second before", "", e.found(r, "v", typed(first).Add(-time.Second)))
	e.Same("typed", []string{"a", "b", "b", ""}, []string{
		e.found(r, "v", typed(first).Add(2*time.Millisecond)), e.found(r, "v", typed(again)), e.found(r, "v", typed(again).Add(maxPause)),
		e.found(r, "v", typed(again).Add(maxPause+time.Minute)),
	})
	stranger := graph.Scope{TeamID: e.Team, UserID: "w"}
	if found, err := r.Find(t.Context(), stranger, "v", first); err != nil || found.Raw != nil {
		t.Errorf("another user: %q %v", found.Raw, err)
	}
}

// While the database hangs, nobody waits longer than wanted for what was served.
func TestFindInTime(t *testing.T) {
	graphtest.New(t)
	db := testenv.Neo4j(t)
	gate := testenv.NewGate(t, db.URI)
	db.URI = gate.URI
	e := on(graphtest.Open(t, db, graph.Options{}))
	r := e.recorder(Options{})
	at := e.serve(r, "v", "a")
	release := gate.Hold()
	begun := time.Now()
	var callers sync.WaitGroup
	for range 2 {
		callers.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			if found, err := r.Find(ctx, e.As("u"), "v", at); err == nil {
				t.Errorf("found while the database hangs: %q", found.Raw)
			}
		})
	}
	callers.Wait()
	if took := time.Since(begun); took > 3*time.Second {
		t.Errorf("the callers waited for %v", took)
	}
	release()
	e.Same("then", "a", e.found(r, "v", at))
}

// Whatever is served, lost and stored in whatever order, a moment is found with what was served then, or not at all; and it is
// found if nothing was lost.
func TestMomentsAreFoundAsTheyWereServed(t *testing.T) {
	graphtest.Twice(t, func(rt *rapid.T, g *graphtest.Env) {
		e := on(g)
		size := rapid.SampledFrom([]int{1, 3, 100}).Draw(rt, "size")
		all := []*Recorder{e.recorder(Options{Size: size}), e.recorder(Options{Size: size})}
		type moment struct {
			view, text string
			at         time.Time
		}
		var served []moment
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			r := all[rapid.IntRange(0, 1).Draw(rt, "instance")]
			e.clock = e.clock.Add(rapid.SampledFrom([]time.Duration{0, time.Millisecond, -time.Second, time.Minute, 6 * time.Minute, 40 * time.Minute}).Draw(rt, "pause"))
			if rapid.IntRange(0, 5).Draw(rt, "store") == 0 {
				r.Flush(context.Background())
				continue
			}
			view, text := rapid.SampledFrom([]string{"v", "w"}).Draw(rt, "view"), rapid.SampledFrom([]string{"a", "b"}).Draw(rt, "text")
			served = append(served, moment{view, text, e.serve(r, view, text)})
		}
		for _, r := range all {
			r.Flush(context.Background())
		}
		e.clock = e.clock.Add(24 * time.Hour)
		for i, m := range served {
			got := e.found(all[i%2], m.view, m.at)
			if got != m.text && (got != "" || e.events[Dropped] == 0) {
				rt.Fatalf("answer %d, %+v, is found as %q; %v", i, m, got, e.events)
			}
		}
	})
}

// What does not fit the queue is lost, is said to be unknown, and does not lengthen the record before it.
func TestWhatIsLostIsUnknown(t *testing.T) {
	e := fresh(t)
	r := e.recorder(Options{Size: 1})
	first := e.serve(r, "v", "a")
	r.Flush(t.Context())
	e.serve(r, "w", "full")
	lost := e.serve(r, "v", "b")
	r.Flush(t.Context())
	last := e.serve(r, "v", "a")
	e.Same("found", []string{"a", "", "a"}, []string{e.found(r, "v", first), e.found(r, "v", lost), e.found(r, "v", last)})
	e.Same("dropped", 1, e.events[Dropped])
}

// Whatever is served, a team keeps as much of it as a tenth of its quota, the newest, and writes have the whole quota.
func TestReadsUseUpNoQuota(t *testing.T) {
	e := fresh(t)
	const quota = 4000
	e.Env = graphtest.Open(t, testenv.Neo4j(t), graph.Options{Quota: graph.Quota{Text: quota}})
	r, other := e.recorder(Options{Events: true}), e.recorder(Options{})
	used := func() int64 {
		e.Helper()
		_, has, err := e.Store.TeamQuota(t.Context(), e.Team)
		if err != nil {
			t.Fatal(err)
		}
		return has.Text
	}
	before := used()
	var moments []time.Time
	for n := range 60 {
		e.clock = e.clock.Add(time.Second)
		by := []*Recorder{r, other}[n%2]
		at := e.serve(by, "v", fmt.Sprint("context ", n))
		by.Sent(e.As("u"), at, Context, []byte("a"))
		moments = append(moments, at)
		by.Flush(t.Context())
		has, err := countReads.ReadOne(t.Context(), r.store.db, map[string]any{"team_id": e.Team})
		if err != nil || has.Characters > quota/10 || has.Characters == 0 {
			t.Fatalf("after %d the team keeps %d characters: %v", n, has.Characters, err)
		}
	}
	e.past()
	e.Same("found", []string{"", "", "context 58", "context 59"},
		[]string{e.found(r, "v", moments[0]), e.found(r, "v", moments[30]), e.found(r, "v", moments[58]), e.found(r, "v", moments[59])})
	if e.events[Stored] != 60+30 || e.events[Full] == 0 || e.events[Failed] > 0 {
		t.Errorf("events %v", e.events)
	}
	if got := used(); got != before {
		t.Errorf("the reads use %d characters of the quota", got-before)
	}
	e.Write("u", []graph.NodeWrite{graphtest.Node("concept", "large", 0.5, graphtest.Described(strings.Repeat("x", int(quota-before-1000))))})
	full := used()
	if err := e.Store.SetTeamQuota(t.Context(), e.Team, graph.OwnQuota{Text: &full}); err != nil {
		t.Fatal(err)
	}
	last := e.serve(r, "v", "last")
	r.Flush(t.Context())
	e.Same("while the team is full", "last", e.found(r, "v", last))
}

// The share is that of the team's own quota, and there is none where the text has no limit.
func TestShareOfReads(t *testing.T) {
	e := fresh(t)
	e.Env = graphtest.Open(t, testenv.Neo4j(t), graph.Options{Quota: graph.Quota{Text: 100_000}})
	r := e.recorder(Options{})
	for text, keeps := range map[int64]bool{2000: false, 0: true} {
		if err := e.Store.SetTeamQuota(t.Context(), e.Team, graph.OwnQuota{Text: &text}); err != nil {
			t.Fatal(err)
		}
		var first time.Time
		for n := range 20 {
			at := e.serve(r, "v", fmt.Sprint(text, " ", n))
			if n == 0 {
				first = at
			}
			r.Flush(t.Context())
		}
		if got := e.found(r, "v", first); (got != "") != keeps {
			t.Errorf("with a quota of %d the first is found as %q", text, got)
		}
	}
}

// What was kept before it was counted, or left after a purge, is counted when it may be too much.
func TestReadsAreCounted(t *testing.T) {
	e := fresh(t)
	e.Env = graphtest.Open(t, testenv.Neo4j(t), graph.Options{Quota: graph.Quota{Text: 10_000}})
	r := e.recorder(Options{})
	serve := func(text string) time.Time {
		at := e.serve(r, "v", text)
		r.Flush(t.Context())
		return at
	}
	counted := func() any {
		return e.Raw(`MATCH (q:Quota {team_id: $team}) RETURN q.reads`)[0][0]
	}
	for n := range 4 {
		serve(fmt.Sprint(n))
	}
	e.Raw(`MATCH (q:Quota {team_id: $team}) REMOVE q.reads`)
	kept := serve("a")
	has, err := countReads.ReadOne(t.Context(), r.store.db, map[string]any{"team_id": e.Team})
	if err != nil || counted() != has.Characters {
		t.Errorf("%v are counted, there are %d: %v", counted(), has.Characters, err)
	}
	e.Raw(`MATCH (q:Quota {team_id: $team}) SET q.reads = 999`)
	serve("b") // the count seems to be full, and is not
	has, err = countReads.ReadOne(t.Context(), r.store.db, map[string]any{"team_id": e.Team})
	if err != nil || counted() != has.Characters || e.events[Full] > 0 {
		t.Errorf("%v are counted, there are %d: %v", counted(), has.Characters, err)
	}
	e.Same("all is kept", "a", e.found(r, "v", kept))
	if _, err := erasure.NewStore(e.Store).EraseTeam(t.Context(), e.Team, erasure.Beside{}); err != nil {
		t.Fatal(err)
	}
	e.Same("after an erasure", [][]any{{int64(0)}}, e.Raw(`MATCH (n {team_id: $team}) RETURN count(n)`))
}

// Of users who have nothing in the team nothing is kept, whatever ids are made up; and of each sort of things one is enough.
func TestUnknownUsersLeaveNothing(t *testing.T) {
	e := fresh(t)
	r := e.recorder(Options{Events: true})
	e.Write("", []graph.NodeWrite{graphtest.Node("concept", "shared", 0.5, graphtest.Shared)})
	e.Neighbour().Write("elsewhere", []graph.NodeWrite{graphtest.Node("concept", "theirs", 0.5)})
	e.Source("talks", graph.SourceWrite{EntityKey: "s"})
	preferences := preference.NewStore(e.Store)
	if err := preferences.SetPreference(t.Context(), e.As("prefers"), preference.Preference{Key: "k", Value: []byte("1")}); err != nil {
		t.Fatal(err)
	}
	e.Raw(`CREATE (:ChatTree {team_id: $team, user_id: 'chats', id: 'tree of chats', pinned: false, updated_at: 1})`)
	defer e.Raw(`MATCH (t:ChatTree {team_id: $team}) DELETE t`)
	moments := map[string]time.Time{}
	for _, user := range []string{"u", "talks", "prefers", "chats", "nobody", "elsewhere", "u ", "tal", "talks2", "concept"} {
		at, ok := r.Served(e.As(user), "v", entry("of "+user))
		if !ok {
			t.Fatal("nothing is noted")
		}
		r.Sent(e.As(user), at, Context, []byte("a"))
		moments[user] = at
	}
	r.Flush(t.Context())
	e.Same("kept", [][]any{{"chats", int64(3)}, {"prefers", int64(3)}, {"talks", int64(3)}, {"u", int64(3)}},
		e.Raw(`MATCH (n:ContextServed|ContextBody|ServedEvent {team_id: $team}) RETURN n.user_id AS user, count(n) ORDER BY user`))
	e.Same("events", [2]int{8, 12}, [2]int{e.events[Stored], e.events[Unknown]})
	e.has("nobody")
	at, _ := r.Served(e.As("nobody"), "v", entry("of nobody"))
	r.Flush(t.Context())
	found, err := r.Find(t.Context(), e.As("nobody"), "v", at)
	if err != nil || string(found.Raw) != "raw of nobody" {
		t.Errorf("of a user who has something now: %q %v", found.Raw, err)
	}
	if found, err := r.Find(t.Context(), e.As("nobody"), "v", moments["nobody"]); err != nil || found.Raw != nil {
		t.Errorf("of the time before: %q %v", found.Raw, err)
	}
}

// Of a day the first body and the newest are kept.
func TestBodiesOfADayAreBounded(t *testing.T) {
	e := fresh(t)
	e.clock = e.clock.Truncate(24 * time.Hour)
	r := e.recorder(Options{})
	var moments []time.Time
	for n := range mostBodies + 50 {
		moments = append(moments, e.serve(r, "v", fmt.Sprint(n)))
		if n%400 == 0 {
			r.Flush(t.Context())
		}
	}
	r.Flush(t.Context())
	last := len(moments) - 1
	e.Same("found", []string{"0", "", fmt.Sprint(last)}, []string{e.found(r, "v", moments[0]), e.found(r, "v", moments[20]), e.found(r, "v", moments[last])})
	e.Same("bodies", [][]any{{int64(mostBodies + 1)}}, e.Raw(`MATCH (b:ContextBody {team_id: $team}) RETURN count(b)`))
	e.Same("trimmed", 49, e.events[Trimmed])
}

// A user has so many records of a day, and more the next day.
func TestRecordsOfADayAreBounded(t *testing.T) {
	e := fresh(t)
	e.clock = e.clock.Truncate(24 * time.Hour)
	r := e.recorder(Options{Size: 2 * mostRecords})
	for n := range mostRecords + 3 {
		e.serve(r, "v", fmt.Sprint(n))
	}
	e.Same("bounded", 3, e.events[Bounded])
	e.clock = e.clock.Add(24 * time.Hour)
	e.serve(r, "v", "x")
	e.Same("the next day", 3, e.events[Bounded])
}

// What was served before an erasure is erased, and is not stored after it.
func TestErasure(t *testing.T) {
	e := fresh(t)
	e.Env = graphtest.Open(t, testenv.Neo4j(t), graph.Options{}) // with its own fence
	r := e.recorder(Options{Events: true})
	first := e.serve(r, "v", "a")
	r.Sent(e.As("u"), first, Context, []byte("a"))
	r.Flush(t.Context())
	second := e.serve(r, "v", "b")
	e.has("other")
	if _, ok := r.Served(e.As("other"), "v", entry("c")); !ok {
		t.Fatal("nothing is kept")
	}
	if _, err := erasure.NewStore(e.Store).EraseUser(t.Context(), e.As("u"), erasure.Beside{}); err != nil {
		t.Fatal(err)
	}
	r.Flush(t.Context())
	for _, at := range []time.Time{first, second} {
		found, err := r.Find(t.Context(), e.As("u"), "v", at)
		if err != nil || found.Raw != nil || found.Digest != "" || !found.Erased {
			t.Errorf("after the erasure: %+v %v", found, err)
		}
	}
	e.Same("records", [][]any{{int64(0)}}, e.Raw(`MATCH (n {team_id: $team, user_id: 'u'}) RETURN count(n)`))
	e.Same("another user's", [][]any{{int64(2)}}, e.Raw(`MATCH (n:ContextServed|ContextBody {team_id: $team, user_id: 'other'}) RETURN count(n)`))
	e.Same("refused", 1, e.events[Refused])
	e.has("u")
	e.clock = time.Now().Add(time.Minute)
	third := e.serve(r, "v", "b")
	e.Same("served anew", "b", e.found(r, "v", third))
}

// Digests of answers are listed in pages, those of one user.
func TestServedList(t *testing.T) {
	e := fresh(t)
	r, s := e.recorder(Options{Events: true}), NewStore(e.Store)
	var moments []time.Time
	for n := range 5 {
		moments = append(moments, e.serve(r, "v", "a"))
		r.Sent(e.As("u"), moments[n], Context, []byte("head"), []byte(fmt.Sprint(n)))
	}
	r.Flush(t.Context())
	q := Query{From: moments[1], To: moments[4], Limit: 2}
	var got []Served
	for {
		page, err := s.Served(t.Context(), e.As("u"), q)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, page.Served...)
		if q.Cursor = page.Next; q.Cursor == "" {
			break
		}
	}
	want := []Served{}
	for n := 1; n < 4; n++ {
		want = append(want, Served{moments[n], Context, Digest([]byte("head" + fmt.Sprint(n)))})
	}
	e.Same("listed", want, got)
	if page, err := s.Served(t.Context(), e.As("w"), Query{Limit: 9}); err != nil || len(page.Served) > 0 {
		t.Errorf("another user's: %v %v", page, err)
	}
	for _, cursor := range []string{"x", "c2VydmVk", "&"} {
		if _, err := s.Served(t.Context(), e.As("u"), Query{Cursor: cursor, Limit: 1}); err == nil {
			t.Errorf("the cursor %q passes", cursor)
		}
	}
}

// Without a number nothing is kept. Run gives the number back.
func TestNumbers(t *testing.T) {
	e := fresh(t)
	r := New(NewStore(e.Store), Options{})
	if _, ok := r.Served(e.As("u"), "v", entry("a")); ok {
		t.Error("kept without a number")
	}
	r = e.recorder(Options{})
	number := r.number
	if held, err := New(NewStore(e.Store), Options{}).take(t.Context(), number); held || err != nil {
		t.Errorf("another has the number too: %v", err)
	}
	at := e.serve(r, "v", "a")
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := r.Run(ctx); err != nil {
		t.Fatal(err)
	}
	e.Same("stored at the end", "a", e.found(e.recorder(Options{}), "v", at))
	kept := fmt.Sprintf(`MATCH (l:Lease {name: '%s', holder: '%s'}) RETURN l`, leaseOf(number), r.holder)
	if len(e.Raw(kept)) > 0 { // another test may have it by now
		t.Error("the number is not given back")
	}
	lost := e.recorder(Options{})
	lost.claimed = time.Now().Add(-claimFor)
	if _, ok := lost.Served(e.As("u"), "v", entry("a")); ok {
		t.Error("kept with a number that has expired")
	}
}

func TestDamagedBodiesAreUnknown(t *testing.T) {
	e := fresh(t)
	r := e.recorder(Options{})
	at := e.serve(r, "v", "a")
	r.Flush(t.Context())
	e.Raw(`MATCH (b:ContextBody {team_id: $team}) SET b.encoded = null RETURN count(b)`)
	e.past()
	e.Same("gone", "", e.found(r, "v", at))
	if _, err := pack.Unpack([]byte{0xff, 0x00}); err == nil {
		t.Error("damaged bytes are unpacked")
	}
}

// Noting an answer that is recorded allocates nothing.
func TestServedAllocatesNothing(t *testing.T) {
	e := on(graphtest.Alone(t)) // allocations of parallel tests would count
	r := e.recorder(Options{})
	scope, one := e.As("u"), entry("a")
	r.Served(scope, "v", one)
	if n := testing.AllocsPerRun(100, func() { r.Served(scope, "v", one) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
