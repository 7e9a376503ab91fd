package replay

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"kith/erasure"
	"kith/graph"
	"kith/graph/graphtest"
	"kith/internal/pack"
	"kith/internal/testenv"
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

// recorder returns a recorder with a number.
func (e *env) recorder(o Options) *Recorder {
	e.Helper()
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

// A full team stores no records, and its reads go on.
func TestQuotaOfRecords(t *testing.T) {
	e := fresh(t)
	e.Env = graphtest.Open(t, testenv.Neo4j(t), graph.Options{Quota: graph.Quota{Text: 400}})
	r := e.recorder(Options{})
	small := e.serve(r, "v", "a")
	r.Flush(t.Context())
	large := e.serve(r, "v", strings.Repeat("b", 500))
	e.Same("found", []string{"a", ""}, []string{e.found(r, "v", small), e.found(r, "v", large)})
	e.Same("events", [2]int{1, 1}, [2]int{e.events[Stored], e.events[Full]})
	_, usage, err := e.Store.TeamQuota(t.Context(), e.Team)
	if err != nil || usage.Text < int64(len("u")+len("a")) || usage.Nodes != 0 {
		t.Errorf("usage %+v %v", usage, err)
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
	if _, ok := r.Served(e.As("other"), "v", entry("c")); !ok {
		t.Fatal("nothing is kept")
	}
	none := func(context.Context) error { return nil }
	if _, err := erasure.NewStore(e.Store).EraseUser(t.Context(), e.As("u"), none); err != nil {
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
	e.Same("another user's", [][]any{{int64(2)}}, e.Raw(`MATCH (n {team_id: $team, user_id: 'other'}) RETURN count(n)`))
	e.Same("refused", 1, e.events[Refused])
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
