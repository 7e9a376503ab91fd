package graph_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"kith/graph"
	"kith/memory/replay"
)

// longAgo is the time of tests of whole passes: a pass covers all teams, and finds nothing to do in data that other
// tests store at noon.
var longAgo = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

// passing is a team that passes reach, because it is the last one, with its own lease.
type passing struct {
	*env
	sync.Mutex
	counted map[string]int64
}

// passes makes tests of whole passes run one after the other, because each reaches the teams of the others.
var passes sync.Mutex

func pass(t *testing.T) *passing {
	t.Helper()
	e := fresh(t)
	passes.Lock()
	t.Cleanup(passes.Unlock)
	e.Team, e.Now = "~"+e.Team, longAgo
	p := &passing{env: e, counted: map[string]int64{}}
	p.lease(e.Team[:len(e.Team)-1], "")
	return p
}

// lease stores a lease that was left at a place: the next pass continues there.
func (p *passing) lease(team, key string) {
	p.Helper()
	p.Raw(`MERGE (l:Lease {name: $team}) SET l.team = '` + team + `', l.key = '` + key + `', l.until = null, l.holder = null`)
}

// process returns a process that runs maintenance.
func (p *passing) process(o graph.MaintenanceOptions) *graph.Maintenance {
	o.Observe = func(step string, count int64) {
		p.Lock()
		defer p.Unlock()
		p.counted[step] += count
	}
	m := graph.NewMaintenance(p.Store, o)
	(*m.LeaseField()) = p.Team
	(*m.StoriesField()) = func(context.Context, int) (graph.StoryResult, error) { return graph.StoryResult{}, nil } // would process the sources of all tests
	return m
}

func (p *passing) passed(m *graph.Maintenance) bool {
	p.Helper()
	did, err := m.Pass(p.Context())
	if err != nil {
		p.Fatal(err)
	}
	return did
}

func (p *passing) state(key string) any {
	p.Helper()
	return p.Raw(`MATCH (n:Memory {team_id: $team, entity_key: '` + key + `'}) RETURN n.state`)[0][0]
}

func TestAPassArchivesWhatHasDecayedAway(t *testing.T) {
	p := pass(t)
	p.Write("u1", []graph.NodeWrite{owner1("me"), node("concept", "fading", 0.011), node("concept", "fine", 0.5),
		node("concept", "brief", 0.5, func(w *graph.NodeWrite) { w.TTLPolicy = graph.Some("ephemeral") })},
		link("me", "relates_to", "fading", 0.5), link("me", "relates_to", "fine", 0.011), link("me", "relates_to", "brief", 0.9))
	p.Write("u1", nil, graph.RelationshipWrite{From: "me", Type: "relates_to", To: "fine", State: graph.Some("active")})
	m := p.process(graph.MaintenanceOptions{Every: graph.Day})
	p.Same("a first pass", true, p.passed(m))
	p.Same("nothing to do", int64(0), p.counted["archived"])
	p.Now = longAgo.Add(91 * graph.Day)
	p.lease(p.Team[:len(p.Team)-1], "")
	before := p.sections("u1")
	p.ChangedUsers()
	p.Same("a second pass", true, p.passed(m))
	p.Same("reported users", []string{""}, p.ChangedUsers())
	p.Same("states", []any{"archived", "archived", "active"}, []any{p.state("fading"), p.state("brief"), p.state("fine")})
	p.Same("observed", int64(2), p.counted["archived"])
	p.Same("the relationship", [][]any{{"archived"}}, p.relationships("me", "fine", "r.state"))
	p.Same("of contexts nothing changes", before, p.sections("u1"))
	p.Same("what is archived stands in no index of contexts", [][]any{{nil}, {nil}},
		append(p.relationships("me", "fading", "r.owner_key"), p.relationships("me", "brief", "r.owner_key")...))
}

func TestAPassIsNotDoneBeforeItIsDue(t *testing.T) {
	p := pass(t)
	one, other := p.process(graph.MaintenanceOptions{Every: time.Hour}), p.process(graph.MaintenanceOptions{Every: time.Hour})
	p.Same("the first", true, p.passed(one))
	for _, c := range []struct {
		after time.Duration
		due   bool
	}{{0, false}, {time.Hour - time.Millisecond, false}, {time.Hour, true}} {
		p.Now = longAgo.Add(c.after)
		p.Same(c.after.String()+", by the other", c.due, p.passed(other))
		p.Same(c.after.String()+", by the same", false, p.passed(one))
	}
}

func TestOnePassAtATime(t *testing.T) {
	p := pass(t)
	p.Write("u1", []graph.NodeWrite{node("concept", "fading", 0.011)})
	p.Now = longAgo.Add(10 * graph.Day)
	var did sync.Map
	atOnce(t, func(i int) error {
		worked, err := p.process(graph.MaintenanceOptions{Every: time.Hour}).Pass(t.Context())
		if worked {
			did.Store(i, true)
		}
		return err
	})
	workers := 0
	did.Range(func(any, any) bool { workers++; return true })
	p.Same("workers, and what they archived", []any{1, int64(1)}, []any{workers, p.counted["archived"]})
}

// A holder that died keeps its lease until it expires; then another one continues from where it stopped.
func TestADeadHolderIsTakenOver(t *testing.T) {
	p := pass(t)
	p.Write("u1", []graph.NodeWrite{node("concept", "a", 0.011), node("concept", "b", 0.011), node("concept", "c", 0.011)})
	p.Now = longAgo.Add(10 * graph.Day)
	dead, next := p.process(graph.MaintenanceOptions{}), p.process(graph.MaintenanceOptions{})
	if _, _, held, err := dead.TakeForTest(t.Context(), (*dead.LeaseField())); !held || err != nil {
		t.Fatal(held, err)
	}
	if err := dead.ProgressForTest(t.Context(), (*dead.LeaseField()), p.Team, "a"); err != nil {
		t.Fatal(err)
	}
	taken := p.Now
	for _, after := range []time.Duration{0, graph.LeaseTime - time.Millisecond} {
		p.Now = taken.Add(after)
		p.Same("while it may live", false, p.passed(next))
	}
	p.Now = taken.Add(graph.LeaseTime)
	p.Same("when its lease has ended", true, p.passed(next))
	p.Same("from where it was", []any{"active", "archived", "archived"}, []any{p.state("a"), p.state("b"), p.state("c")})
	if err := dead.ProgressForTest(t.Context(), (*dead.LeaseField()), p.Team, "b"); !errors.Is(err, graph.ErrLeaseLost) {
		t.Errorf("it was not dead: %v", err)
	}
	dead.EndForTest(t.Context(), (*dead.LeaseField()), p.Now)
	p.Same("nor may it give back what is not its own", [][]any{{nil, longAgo.Add(10*graph.Day + graph.LeaseTime + time.Hour)}},
		p.Raw(`MATCH (l:Lease {name: $team}) RETURN l.holder, l.due_at`))
}

// A pass that is stopped releases its lease, and the next one continues.
func TestAStoppedPassIsGoneOnWith(t *testing.T) {
	p := pass(t)
	var nodes []graph.NodeWrite
	for i := range graph.PassBatch + 1 {
		nodes = append(nodes, graph.NodeWrite{Kind: "concept", EntityKey: fmt.Sprintf("c-%04d", i), Name: graph.Some(fmt.Sprint(i)), Salience: graph.Some(0.011),
			State: graph.Some("active")})
	}
	p.Write("u1", nodes)
	p.disown("u1")
	p.Now = longAgo.Add(10 * graph.Day)
	ctx, stop := context.WithCancel(t.Context())
	first := p.process(graph.MaintenanceOptions{})
	observe := first.OptionsField().Observe
	first.OptionsField().Observe = func(step string, count int64) {
		observe(step, count)
		if count > 0 {
			stop()
		}
	}
	if did, err := first.Pass(ctx); !did || err == nil {
		t.Fatalf("a stopped pass: %v, %v", did, err)
	}
	p.Same("the first batch", int64(graph.PassBatch), p.counted["archived"])
	p.Same("its lease is free, and not done", [][]any{{nil, nil, nil}}, p.Raw(`MATCH (l:Lease {name: $team}) RETURN l.holder, l.until, l.due_at`))
	p.Same("the next one", true, p.passed(p.process(graph.MaintenanceOptions{})))
	p.Same("has done the rest", int64(graph.PassBatch+1), p.counted["archived"])
	p.Same("and begins anew then", [][]any{{nil, nil}}, p.Raw(`MATCH (l:Lease {name: $team}) RETURN l.team, l.key`))
}

func TestRunEndsWithItsContext(t *testing.T) {
	p := pass(t)
	p.Write("u1", []graph.NodeWrite{node("concept", "fading", 0.011)})
	p.Now = longAgo.Add(10 * graph.Day)
	m := p.process(graph.MaintenanceOptions{})
	ctx, stop := context.WithCancel(t.Context())
	observe := m.OptionsField().Observe
	m.OptionsField().Observe = func(step string, count int64) {
		observe(step, count)
		if step == "purge_answers" || step == "purge_nodes" || step == "purge_relationships" {
			stop()
		}
	}
	if err := m.Run(ctx); err != nil {
		t.Fatal(err)
	}
	p.Same("it was at work", int64(1), p.counted["archived"])
	p.Same("and holds nothing", [][]any{{nil, nil}}, p.Raw(`MATCH (l:Lease {name: $team}) RETURN l.holder, l.until`))
}

// Contexts that were served are kept for thirty days; what newer ones were made from stays.
func TestAPassPurgesServedContexts(t *testing.T) {
	p := pass(t)
	p.Write("u1", []graph.NodeWrite{node("concept", "a", 0.5)}) // of a user without anything nothing is kept
	at := longAgo.Add(-31 * graph.Day)
	r := replay.New(replay.NewStore(p.Store), replay.Options{Events: true, Now: func() time.Time { return at }})
	if err := r.Claim(t.Context()); err != nil {
		t.Fatal(err)
	}
	serve := func(sum string) {
		moment, _ := r.Served(p.As("u1"), "v", replay.Entry{Sum: sum, Raw: []byte(sum)})
		r.Sent(p.As("u1"), moment, replay.Context, []byte(sum))
	}
	serve("old")
	serve("both")
	r.Flush(t.Context())
	at = longAgo.Add(-29 * graph.Day)
	serve("both")
	r.Flush(t.Context())
	p.Same("a pass", true, p.passed(p.process(graph.MaintenanceOptions{})))
	p.Same("left", [][]any{{"ContextBody", int64(1)}, {"ContextServed", int64(1)}, {"ServedEvent", int64(1)}},
		p.Raw(`MATCH (n:ContextBody|ContextServed|ServedEvent {team_id: $team}) WHERE n.user_id = 'u1' RETURN labels(n)[0] AS label, count(*) AS n ORDER BY label`))
	p.Same("purged", []int64{2, 1, 2}, []int64{p.counted["purge_served"], p.counted["purge_bodies"], p.counted["purge_events"]})
}
