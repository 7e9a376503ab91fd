package graph_test

import (
	"math"
	"testing"
	"time"

	"kith/graph"
	"kith/memory/recall"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// memoryLife is the life of one node or relationship by the rules of docs/lifecycle.md. It shares no code with the store, and
// does not model maintenance.
type memoryLife struct {
	created  time.Time
	value    float64 // salience at the time at; from there it falls by rate per day
	at       time.Time
	rate     float64
	state    string
	ttl      string
	sure     float64 // confidence
	episodic bool
	accesses int
	gradient float64
	last     time.Time // of a recall or write
	interval time.Duration
}

func (l *memoryLife) salience(t time.Time) float64 {
	return l.value * math.Exp(-l.rate*t.Sub(l.at).Hours()/24)
}

// ended reports whether an ephemeral record has ended: after 30 days for sources and messages, after 90 days for others.
func (l *memoryLife) ended(t time.Time) bool {
	days := 90
	if l.episodic {
		days = 30
	}
	return l.ttl == "ephemeral" && t.Sub(l.created) >= time.Duration(days)*24*time.Hour
}

func (l *memoryLife) stateOn(t time.Time) string {
	if l.ended(t) || l.value >= 0.01 && l.salience(t) < 0.01 {
		return "archived"
	}
	return l.state
}

// until advances the life to the time of an event.
func (l *memoryLife) until(t time.Time) { l.state, l.value, l.at = l.stateOn(t), l.salience(t), t }

func (l *memoryLife) decay() {
	base := 0.02 / (1 + math.Pow(float64(l.accesses), l.gradient))
	switch {
	case l.ttl == "keep_forever", l.state == "candidate" && l.sure >= 0.8:
		l.rate = 0
	case l.state == "candidate":
		l.rate = base * (1 + (1-l.sure)*2)
	default:
		l.rate = base
	}
}

func (l *memoryLife) recall(t time.Time) {
	l.until(t)
	l.accesses++
	l.value = math.Min(1, l.value+0.075)
	switch {
	case l.ended(t):
	case l.state == "archived":
		l.state = "active"
	case l.accesses >= 10:
		l.state = "core"
	case l.state == "candidate":
		l.state = "active"
	}
	if l.accesses > 1 {
		interval := t.Sub(l.last)
		if interval > l.interval {
			l.gradient += 0.1
		} else if interval < l.interval {
			l.gradient = math.Max(0.5, l.gradient-0.05)
		}
		l.interval = interval
	}
	l.last = t
	l.decay()
}

// lifeWrite holds the lifecycle fields of a write; omitted ones stay.
type lifeWrite struct {
	salience, sure graph.Optional[float64]
	state, ttl     graph.Optional[string]
}

func (l *memoryLife) write(t time.Time, w lifeWrite) {
	moves := w.salience.Given || w.sure.Given && w.sure.Value != l.sure || w.ttl.Given && w.ttl.Value != l.ttl ||
		w.state.Given && w.state.Value != l.stateOn(t)
	wakes := !w.state.Given && !l.ended(t) && (l.stateOn(t) == "candidate" || l.stateOn(t) == "archived")
	if moves || wakes || t.Sub(l.last) >= time.Hour {
		l.last = t
	}
	if !moves && !wakes {
		return
	}
	l.until(t)
	l.value, l.sure = w.salience.Or(l.value), w.sure.Or(l.sure)
	if wakes {
		l.state = "active"
	}
	l.state, l.ttl = w.state.Or(l.state), w.ttl.Or(l.ttl)
	l.decay()
}

// TestLivesEqualTheModel applies random events to nodes and relationships at random times. Maintenance runs never, once or twice
// between them. The store must always return the same as the model.
func TestLivesEqualTheModel(t *testing.T) {
	twice(t, func(r *rapid.T, e *env) {
		(&lives{T: r, e: e, recalls: recall.New(e.Store, recall.Options{}), maintained: graph.NewMaintenance(e.Store, graph.MaintenanceOptions{})}).check()
	})
}

type lives struct {
	*rapid.T
	e          *env
	recalls    *recall.Queue
	maintained *graph.Maintenance
	runs       int // how often maintenance runs at each opportunity
	said       int // how many saliences were given: no two are the same
	nodes      map[string]*memoryLife
	links      map[string]*memoryLife // by the node to which they lead
	keys       map[string]string      // of links
}

var livingKinds = map[string]string{"a": "concept", "b": "entity", "c": "task", "d": "source", "me": "person"}

var livingKeys = []string{"a", "b", "c", "d", "me"}

func (l *lives) check() {
	l.nodes, l.links, l.keys = map[string]*memoryLife{}, map[string]*memoryLife{}, map[string]string{}
	l.runs = rapid.IntRange(0, 2).Draw(l.T, "runs of maintenance")
	l.write(true)
	for range rapid.IntRange(1, 10).Draw(l.T, "steps") {
		l.later()
		if l.runs > 0 && rapid.Bool().Draw(l.T, "maintenance") {
			l.maintain()
		}
		switch rapid.IntRange(0, 2).Draw(l.T, "what") {
		case 0:
			l.write(false)
		case 1:
			l.recall()
		}
		if rapid.Bool().Draw(l.T, "read") {
			l.compare()
		}
	}
	for range 2 {
		l.later()
		l.compare()
		for range l.runs {
			l.maintain()
		}
		l.compare()
	}
}

func (l *lives) later() {
	l.e.Now = l.e.Now.Add(rapid.SampledFrom([]time.Duration{
		time.Millisecond, time.Minute, 11 * time.Hour, graph.Day, graph.Day + time.Millisecond, 5 * graph.Day, 30*graph.Day - time.Millisecond, 30 * graph.Day, 77 * graph.Day, 200 * graph.Day,
	}).Draw(l.T, "later"))
}

func (l *lives) maintain() {
	if _, _, err := l.maintained.BatchForTest(l.e.Context(), l.e.Team, ""); err != nil {
		l.Fatal(err)
	}
}

func (l *lives) draw(isNode bool) (w lifeWrite) {
	some := func(what string) bool { return rapid.IntRange(0, 2).Draw(l.T, what+"?") == 0 }
	if some("salience") {
		l.said++
		w.salience = graph.Some(rapid.SampledFrom([]float64{0, 0.0099, 0.011, 0.03, 0.3, 0.5, 0.9}).Draw(l.T, "salience") + float64(l.said)*1e-6)
	}
	if some("confidence") {
		w.sure = graph.Some(rapid.SampledFrom([]float64{0, 0.5, 0.79, 0.8, 1}).Draw(l.T, "confidence"))
	}
	if some("state") {
		w.state = graph.Some(rapid.SampledFrom(graph.States).Draw(l.T, "state"))
	}
	if isNode && some("ttl") {
		w.ttl = graph.Some(rapid.SampledFrom(graph.TTLPolicies).Draw(l.T, "ttl"))
	}
	return w
}

// write writes some records at once; the first write creates all of them.
func (l *lives) write(isNew bool) {
	var nodes []graph.NodeWrite
	var links []graph.RelationshipWrite
	for _, key := range livingKeys {
		if isNew || rapid.Bool().Draw(l.T, "write "+key) {
			w := l.draw(true)
			n := graph.NodeWrite{Kind: livingKinds[key], EntityKey: key, Name: graph.Some(key), Salience: w.salience, Confidence: w.sure, State: w.state, TTLPolicy: w.ttl}
			if isNew {
				l.nodes[key] = &memoryLife{created: l.e.Now, at: l.e.Now, value: 0.5, last: l.e.Now, sure: 0.5, state: "active", ttl: "decay", episodic: key == "d",
					gradient: 1}
				if key == "me" {
					n.IsOwner = graph.Some(true)
					l.nodes[key].value, l.nodes[key].ttl = 1, "keep_forever"
				}
				l.nodes[key].decay()
			}
			l.nodes[key].write(l.e.Now, w)
			nodes = append(nodes, n)
		}
		if key != "me" && (isNew || rapid.Bool().Draw(l.T, "write link to "+key)) {
			w := l.draw(false)
			if isNew {
				l.links[key] = &memoryLife{created: l.e.Now, at: l.e.Now, value: 0.5, last: l.e.Now, sure: 0.8, state: "active", gradient: 1}
				l.links[key].decay()
			}
			l.links[key].write(l.e.Now, w)
			links = append(links, graph.RelationshipWrite{From: "me", Type: "relates_to", To: key, Salience: w.salience, Confidence: w.sure, State: w.state})
		}
	}
	result := l.e.Write("u1", nodes, links...)
	for _, r := range result.Relationships {
		l.keys[r.To] = r.Key
	}
}

// recall returns some records to an agent, in one read or in two, the second a minute later.
func (l *lives) recall() {
	for range rapid.IntRange(1, 2).Draw(l.T, "reads") {
		l.e.Now = l.e.Now.Add(time.Minute)
		told := graph.Recall{Nodes: []string{"gone"}, Relationships: []graph.RelationshipRef{{"me", "relates_to", "a", "gone"}}}
		for _, key := range livingKeys {
			if rapid.Bool().Draw(l.T, "recall "+key) {
				told.Nodes = append(told.Nodes, key)
				l.nodes[key].recall(l.e.Now)
			}
			if key != "me" && rapid.Bool().Draw(l.T, "recall link to "+key) {
				told.Relationships = append(told.Relationships, graph.RelationshipRef{"me", "relates_to", key, l.keys[key]})
				l.links[key].recall(l.e.Now)
			}
		}
		l.recalls.Recalled(l.e.As("u1"), told)
	}
	l.recalls.Flush(l.e.Context())
}

// lived holds the compared values.
type lived struct {
	Salience, Sure float64
	State          string
	Accesses       int64
	Last           time.Time
}

func (l *memoryLife) told(t time.Time) lived {
	return lived{l.salience(t), l.sure, l.stateOn(t), int64(l.accesses), l.last}
}

func (l *lives) compare() {
	last := func(t *time.Time) time.Time {
		if t == nil {
			return time.Time{}
		}
		return *t
	}
	want, got := map[string]lived{}, map[string]lived{}
	for _, key := range livingKeys {
		n := l.e.get("u1", livingKinds[key], key)
		want[key], got[key] = l.nodes[key].told(l.e.Now), lived{n.Salience, n.Confidence, n.State, n.AccessCount, last(n.LastAccessedAt)}
		if l.nodes[key].ended(l.e.Now) { // a write of the state it had before its end counts as an access only if maintenance has archived it
			one, other := want[key], got[key]
			one.Last, other.Last = time.Time{}, time.Time{}
			want[key], got[key] = one, other
		}
		if key != "me" {
			continue
		}
		for _, r := range n.Relationships {
			to := "link to " + r.To
			want[to], got[to] = l.links[r.To].told(l.e.Now), lived{r.Salience, r.Confidence, r.State, r.AccessCount, last(r.LastAccessedAt)}
		}
		if len(n.Relationships) != len(livingKeys)-1 {
			l.Fatalf("%d relationships", len(n.Relationships))
		}
	}
	if diff := cmp.Diff(want, got, nearly); diff != "" {
		l.Fatalf("after %s (-model +store):\n%s", l.e.Now.Sub(noon), diff)
	}
	if l.e.Failed() {
		l.FailNow()
	}
}

// TestAWriteBringsBackWhatHasDecayedAway checks that maintenance does not change the effect of a write: a decayed record becomes
// active again.
func TestAWriteBringsBackWhatHasDecayedAway(t *testing.T) {
	for name, runs := range map[string]int{"maintained": 1, "not maintained": 0} {
		t.Run(name, func(t *testing.T) {
			e := fresh(t)
			key := e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.02), node("concept", "b", 0.5)},
				graph.RelationshipWrite{From: "a", Type: "relates_to", To: "b", State: graph.Some("active"), Salience: graph.Some(0.02)}).Relationships[0].Key
			e.Now = noon.Add(100 * graph.Day)
			for range runs {
				if _, _, err := graph.NewMaintenance(e.Store, graph.MaintenanceOptions{}).BatchForTest(t.Context(), e.Team, ""); err != nil {
					t.Fatal(err)
				}
			}
			states := func() []string { return []string{e.get("u1", "concept", "a").State, e.relationship("u1", key).State} }
			e.Same("decayed away", []string{"archived", "archived"}, states())
			for _, want := range []graph.Status{graph.Updated, graph.Unchanged} {
				e.Same("written", []graph.Status{want, want}, statuses(e.Write("u1", []graph.NodeWrite{change("concept", "a", inState("active"))},
					graph.RelationshipWrite{From: "a", Type: "relates_to", To: "b", State: graph.Some("active")})))
				e.Same("back", []string{"active", "active"}, states())
			}
			e.Same("its salience is what was left", 0.0027, e.get("u1", "concept", "a").Salience)
		})
	}
}
