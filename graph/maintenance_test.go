package graph

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"
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
	e.team, e.now = "~"+e.team, longAgo
	p := &passing{env: e, counted: map[string]int64{}}
	p.lease(e.team[:len(e.team)-1], "")
	return p
}

// lease stores a lease that was left at a place: the next pass continues there.
func (p *passing) lease(team, key string) {
	p.Helper()
	p.raw(`MERGE (l:Lease {name: $team}) SET l.team = '` + team + `', l.key = '` + key + `', l.until = null, l.holder = null`)
}

// process returns a process that runs maintenance.
func (p *passing) process(o MaintenanceOptions) *Maintenance {
	o.Observe = func(step string, count int64) {
		p.Lock()
		defer p.Unlock()
		p.counted[step] += count
	}
	m := NewMaintenance(p.store, o)
	m.lease = p.team
	m.stories = func(context.Context, int) (StoryResult, error) { return StoryResult{}, nil } // would process the sources of all tests
	return m
}

func (p *passing) passed(m *Maintenance) bool {
	p.Helper()
	did, err := m.Pass(p.Context())
	if err != nil {
		p.Fatal(err)
	}
	return did
}

func (p *passing) state(key string) any {
	p.Helper()
	return p.raw(`MATCH (n:Memory {team_id: $team, entity_key: '` + key + `'}) RETURN n.state`)[0][0]
}

func TestAPassArchivesWhatHasDecayedAway(t *testing.T) {
	p := pass(t)
	p.write("u1", []NodeWrite{owner1("me"), node("concept", "fading", 0.011), node("concept", "fine", 0.5),
		node("concept", "brief", 0.5, func(w *NodeWrite) { w.TTLPolicy = Some("ephemeral") })},
		link("me", "relates_to", "fading", 0.5), link("me", "relates_to", "fine", 0.011), link("me", "relates_to", "brief", 0.9))
	p.write("u1", nil, RelationshipWrite{From: "me", Type: "relates_to", To: "fine", State: Some("active")})
	m := p.process(MaintenanceOptions{Every: day})
	p.same("a first pass", true, p.passed(m))
	p.same("nothing to do", int64(0), p.counted["archived"])
	p.now = longAgo.Add(91 * day)
	p.lease(p.team[:len(p.team)-1], "")
	before := p.sections("u1")
	p.changedUsers()
	p.same("a second pass", true, p.passed(m))
	p.same("reported users", []string{""}, p.changedUsers())
	p.same("states", []any{"archived", "archived", "active"}, []any{p.state("fading"), p.state("brief"), p.state("fine")})
	p.same("observed", int64(2), p.counted["archived"])
	p.same("the relationship", [][]any{{"archived"}}, p.relationships("me", "fine", "r.state"))
	p.same("of contexts nothing changes", before, p.sections("u1"))
	p.same("what is archived stands in no index of contexts", [][]any{{nil}, {nil}},
		append(p.relationships("me", "fading", "r.owner_key"), p.relationships("me", "brief", "r.owner_key")...))
}

func TestAPassIsNotDoneBeforeItIsDue(t *testing.T) {
	p := pass(t)
	one, other := p.process(MaintenanceOptions{Every: time.Hour}), p.process(MaintenanceOptions{Every: time.Hour})
	p.same("the first", true, p.passed(one))
	for _, c := range []struct {
		after time.Duration
		due   bool
	}{{0, false}, {time.Hour - time.Millisecond, false}, {time.Hour, true}} {
		p.now = longAgo.Add(c.after)
		p.same(c.after.String()+", by the other", c.due, p.passed(other))
		p.same(c.after.String()+", by the same", false, p.passed(one))
	}
}

func TestOnePassAtATime(t *testing.T) {
	p := pass(t)
	p.write("u1", []NodeWrite{node("concept", "fading", 0.011)})
	p.now = longAgo.Add(10 * day)
	var did sync.Map
	atOnce(t, func(i int) error {
		worked, err := p.process(MaintenanceOptions{Every: time.Hour}).Pass(t.Context())
		if worked {
			did.Store(i, true)
		}
		return err
	})
	workers := 0
	did.Range(func(any, any) bool { workers++; return true })
	p.same("workers, and what they archived", []any{1, int64(1)}, []any{workers, p.counted["archived"]})
}

// A holder that died keeps its lease until it expires; then another one continues from where it stopped.
func TestADeadHolderIsTakenOver(t *testing.T) {
	p := pass(t)
	p.write("u1", []NodeWrite{node("concept", "a", 0.011), node("concept", "b", 0.011), node("concept", "c", 0.011)})
	p.now = longAgo.Add(10 * day)
	dead, next := p.process(MaintenanceOptions{}), p.process(MaintenanceOptions{})
	if _, _, held, err := dead.take(t.Context(), dead.lease); !held || err != nil {
		t.Fatal(held, err)
	}
	if err := dead.progress(t.Context(), dead.lease, p.team, "a"); err != nil {
		t.Fatal(err)
	}
	taken := p.now
	for _, after := range []time.Duration{0, leaseTime - time.Millisecond} {
		p.now = taken.Add(after)
		p.same("while it may live", false, p.passed(next))
	}
	p.now = taken.Add(leaseTime)
	p.same("when its lease has ended", true, p.passed(next))
	p.same("from where it was", []any{"active", "archived", "archived"}, []any{p.state("a"), p.state("b"), p.state("c")})
	if err := dead.progress(t.Context(), dead.lease, p.team, "b"); !errors.Is(err, errLeaseLost) {
		t.Errorf("it was not dead: %v", err)
	}
	dead.end(t.Context(), dead.lease, p.now)
	p.same("nor may it give back what is not its own", [][]any{{nil, longAgo.Add(10*day + leaseTime + time.Hour)}},
		p.raw(`MATCH (l:Lease {name: $team}) RETURN l.holder, l.due_at`))
}

// A pass that is stopped releases its lease, and the next one continues.
func TestAStoppedPassIsGoneOnWith(t *testing.T) {
	p := pass(t)
	var nodes []NodeWrite
	for i := range passBatch + 1 {
		nodes = append(nodes, NodeWrite{Kind: "concept", EntityKey: fmt.Sprintf("c-%04d", i), Name: Some(fmt.Sprint(i)), Salience: Some(0.011),
			State: Some("active")})
	}
	p.write("u1", nodes)
	p.disown("u1")
	p.now = longAgo.Add(10 * day)
	ctx, stop := context.WithCancel(t.Context())
	first := p.process(MaintenanceOptions{})
	observe := first.options.Observe
	first.options.Observe = func(step string, count int64) {
		observe(step, count)
		if count > 0 {
			stop()
		}
	}
	if did, err := first.Pass(ctx); !did || err == nil {
		t.Fatalf("a stopped pass: %v, %v", did, err)
	}
	p.same("the first batch", int64(passBatch), p.counted["archived"])
	p.same("its lease is free, and not done", [][]any{{nil, nil, nil}}, p.raw(`MATCH (l:Lease {name: $team}) RETURN l.holder, l.until, l.due_at`))
	p.same("the next one", true, p.passed(p.process(MaintenanceOptions{})))
	p.same("has done the rest", int64(passBatch+1), p.counted["archived"])
	p.same("and begins anew then", [][]any{{nil, nil}}, p.raw(`MATCH (l:Lease {name: $team}) RETURN l.team, l.key`))
}

func TestRunEndsWithItsContext(t *testing.T) {
	p := pass(t)
	p.write("u1", []NodeWrite{node("concept", "fading", 0.011)})
	p.now = longAgo.Add(10 * day)
	m := p.process(MaintenanceOptions{})
	ctx, stop := context.WithCancel(t.Context())
	observe := m.options.Observe
	m.options.Observe = func(step string, count int64) {
		observe(step, count)
		if step == "purge_answers" || step == "purge_nodes" || step == "purge_relationships" {
			stop()
		}
	}
	if err := m.Run(ctx); err != nil {
		t.Fatal(err)
	}
	p.same("it was at work", int64(1), p.counted["archived"])
	p.same("and holds nothing", [][]any{{nil, nil}}, p.raw(`MATCH (l:Lease {name: $team}) RETURN l.holder, l.until`))
}
