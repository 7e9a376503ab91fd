package graph_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"kith/graph"
	"kith/loader"
)

// TestContextEqualsModel writes random memories in random steps. For each user it compares the answers of the store
// (at once and section by section) with the model.
func TestContextEqualsModel(t *testing.T) {
	twice(t, func(r *rapid.T, e *env) {
		(&world{T: r, e: e}).check()
		e.Now = noon.Add(30 * graph.Day) // of the last write: later on it would be time to purge
		e.CheckIntegrity()
	})
}

// world is one random memory: two users of a team, and the model of it.
type world struct {
	*rapid.T
	e   *env
	m   model
	now time.Time
}

var (
	worldUsers  = []string{"u1", "u2"}
	worldLevels = []float64{0, 0.3, 0.31, 0.5, 0.9, 1}
	worldTimes  = []time.Time{
		weekAgo.Add(-time.Hour), weekAgo.Add(-time.Millisecond), weekAgo, weekAgo.Add(time.Millisecond), noon.Add(-time.Hour), noon,
	}
)

func (w *world) check() {
	w.now = noon
	w.m = model{nodes: map[string]*modelNode{}, sources: map[string]*modelSource{}, made: map[string]bool{}}
	w.addNodes()
	w.addLinks(rapid.IntRange(0, 24).Draw(w.T, "links"))
	for range rapid.IntRange(0, 5).Draw(w.T, "sources") {
		w.addSource()
	}
	w.compare(w.together)
	for range rapid.IntRange(0, 4).Draw(w.T, "steps") {
		steps := []func(){w.changeNodes, w.closeLinks, w.moreLinks, w.moveOwner, w.moveSource}
		steps[rapid.IntRange(0, len(steps)-1).Draw(w.T, "step")]()
	}
	w.compare(w.e.sections)
	w.later(30 * graph.Day)
	w.changeNodes()
	w.moreLinks()
	w.compare(w.e.sections)
	w.later(150 * graph.Day)
	w.compare(w.e.sections)
}

// later lets time pass: saliences decay, and some nodes decay away.
func (w *world) later(by time.Duration) {
	w.now = w.now.Add(by)
	w.e.Now = w.now
	w.compare(w.together)
}

func (w *world) together(user string) *loader.Sections {
	found, err := w.e.contexts().ReadSections(w.e.Context(), w.e.As(user), loader.AllSections, loader.SectionQuery{Now: w.now})
	if err != nil {
		w.Fatal(err)
	}
	return found
}

// nearly compares numbers to the four decimals that answers have.
var nearly = cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 0.5001e-4 })

func (w *world) compare(read func(user string) *loader.Sections) {
	for _, user := range worldUsers {
		got := foretold(read(user))
		if w.m.nodes[got.Owner] == nil { // a generated one, unknown to the model
			got.Owner = ""
		}
		if diff := cmp.Diff(w.m.context(user, w.now), got, nearly); diff != "" {
			w.Fatalf("context of %s (-model +store):\n%s", user, diff)
		}
	}
	if w.e.Failed() {
		w.FailNow()
	}
}

// addNodes starts the memory with an owner for most users, and nodes of every kind, private and shared.
func (w *world) addNodes() {
	var writes []graph.NodeWrite
	for _, user := range worldUsers {
		if rapid.Float64Range(0, 1).Draw(w.T, "has owner") < 0.9 {
			writes = append(writes, w.node("me-"+user, "person", user, true))
		}
	}
	for i := range rapid.IntRange(0, 20).Draw(w.T, "nodes") {
		kind := rapid.SampledFrom([]string{"person", "concept", "concept", "entity"}).Draw(w.T, "kind")
		user := rapid.SampledFrom([]string{"u1", "u1", "u2", ""}).Draw(w.T, "user")
		writes = append(writes, w.node(fmt.Sprintf("n-%02d", i), kind, user, false))
	}
	w.e.Write("", writes)
	for _, n := range w.m.nodes {
		w.m.wrote(n.user)
	}
}

func (w *world) node(key, kind, user string, owner bool) graph.NodeWrite {
	n := &modelNode{
		key: key, kind: kind, user: user, owner: owner,
		name:        key + rapid.SampledFrom([]string{"", " goal", " GOAL keeper"}).Draw(w.T, "name"),
		description: rapid.SampledFrom([]string{"", "a Goal of mine", "no aim"}).Draw(w.T, "description"),
		state:       rapid.SampledFrom([]string{"candidate", "active", "core", "core", "archived"}).Draw(w.T, "state"),
		ttl:         rapid.SampledFrom([]string{"decay", "keep_forever", "keep_forever"}).Draw(w.T, "ttl"),
	}
	n.accessed = w.now
	n.life = modelLife{rapid.SampledFrom(worldLevels).Draw(w.T, "salience"), modelRate(n.state, n.ttl, 0.5), w.now}
	write := graph.NodeWrite{
		Kind: kind, EntityKey: key, UserID: graph.Some(user), Name: graph.Some(n.name), Description: graph.Some(n.description),
		State: graph.Some(n.state), TTLPolicy: graph.Some(n.ttl), Salience: graph.Some(n.life.value),
	}
	if user == "" {
		write.UserID = graph.Null[string]()
	}
	if n.life.value == 0 && rapid.Bool().Draw(w.T, "null salience") {
		write.Salience = graph.Null[float64]()
	}
	if owner {
		write.IsOwner = graph.Some(true)
	}
	if kind == "concept" && rapid.Bool().Draw(w.T, "says goal") {
		goal := rapid.Bool().Draw(w.T, "goal")
		n.goal, write.IsGoal = &goal, graph.Some(goal)
	}
	if rapid.Float64Range(0, 1).Draw(w.T, "accessed") < 0.8 {
		n.accessed = rapid.SampledFrom(worldTimes).Draw(w.T, "accessed at")
		write.LastAccessedAt = graph.Some(n.accessed)
		n.life.at = n.accessed // the time of the given salience
	}
	w.m.nodes[key] = n
	return write
}

// keys returns the keys of all nodes of the model, sorted.
func (w *world) keys() []string {
	var keys []string
	for key := range w.m.nodes {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func (w *world) moreLinks() { w.addLinks(rapid.IntRange(1, 6).Draw(w.T, "more links")) }

// addLinks writes relationships for one user, mostly with its owner: new ones, changes, and some that must be refused.
func (w *world) addLinks(count int) {
	if len(w.m.nodes) == 0 {
		return
	}
	user := rapid.SampledFrom(worldUsers).Draw(w.T, "writer")
	var writes []graph.RelationshipWrite
	for range count {
		from, to := rapid.SampledFrom(w.keys()).Draw(w.T, "from"), rapid.SampledFrom(w.keys()).Draw(w.T, "to")
		switch me := w.m.owner(user); {
		case me == "":
		case rapid.Float64Range(0, 1).Draw(w.T, "of owner") < 0.5:
			from = me
		case rapid.Bool().Draw(w.T, "to owner"):
			to = me
		}
		kind := rapid.SampledFrom(append([]string{"admires"}, contextTypes...)).Draw(w.T, "type")
		r := link(from, kind, to, rapid.SampledFrom(worldLevels).Draw(w.T, "strength"))
		r.State = graph.Some(rapid.SampledFrom([]string{"candidate", "active"}).Draw(w.T, "link state"))
		if from != to && !slices.ContainsFunc(writes, func(o graph.RelationshipWrite) bool { return o.From == from && o.To == to && o.Type == kind }) {
			writes = append(writes, r)
		}
	}
	w.store(user, writes)
}

// closeLinks ends some current relationships.
func (w *world) closeLinks() {
	user := rapid.SampledFrom(worldUsers).Draw(w.T, "closer")
	var writes []graph.RelationshipWrite
	for _, l := range w.m.links {
		if !l.closed && w.sees(user, l.from) && w.sees(user, l.to) && rapid.Bool().Draw(w.T, "close") {
			writes = append(writes, closed(l.from, l.kind, l.to, w.now))
		}
	}
	w.store(user, writes)
}

func (w *world) sees(user, key string) bool {
	n := w.m.nodes[key]
	return n.user == "" || n.user == user
}

func (w *world) store(user string, writes []graph.RelationshipWrite) {
	result := w.e.Try(user, nil, writes...)
	for i, write := range writes {
		got := result.Relationships[i]
		if allowed := w.sees(user, write.From) && w.sees(user, write.To); allowed == (got.Status == graph.Refused) {
			w.Fatalf("%s writes %s -> %s: %s", user, write.From, write.To, got.Status)
		} else if allowed {
			w.m.put(got.Key, write, w.now)
		}
	}
}

// put applies the reported outcome to the model.
func (m *model) put(key string, write graph.RelationshipWrite, now time.Time) {
	at := slices.IndexFunc(m.links, func(l *modelLink) bool { return l.key == key })
	if at < 0 {
		at = len(m.links)
		m.links = append(m.links, &modelLink{key: key, from: write.From, kind: write.Type, to: write.To})
	}
	l := m.links[at]
	if write.ValidTo.Given {
		l.closed = true
		return
	}
	l.description = write.Description.Value
	l.life.say(write.Salience.Value, now, modelRate(write.State.Or("candidate"), "", 0.8))
}

// changeNodes moves the state and salience of some nodes.
func (w *world) changeNodes() {
	var writes []graph.NodeWrite
	for _, key := range w.keys() {
		if rapid.Bool().Draw(w.T, "change") {
			n := w.m.nodes[key]
			state, life := n.state, n.life
			n.state = rapid.SampledFrom([]string{"candidate", "active", "core", "archived"}).Draw(w.T, "new state")
			salience := rapid.SampledFrom(worldLevels).Draw(w.T, "new salience")
			n.life.say(salience, w.now, modelRate(n.state, n.ttl, 0.5))
			if n.state != state || n.life != life || w.now.Sub(n.accessed) >= time.Hour {
				n.accessed = w.now
			}
			write := change(n.kind, key, inState(n.state), of(n.user))
			if n.user == "" {
				write.UserID = graph.Null[string]()
			}
			write.Salience = graph.Some(salience)
			writes = append(writes, write)
			w.m.wrote(n.user)
		}
	}
	w.e.Write("", writes)
}

// moveOwner gives a user another owner, or none, in one write.
func (w *world) moveOwner() {
	user := rapid.SampledFrom(worldUsers).Draw(w.T, "whose owner")
	var writes []graph.NodeWrite
	var before modelNode // of the owner
	if me := w.m.owner(user); me != "" {
		before = *w.m.nodes[me]
		w.m.nodes[me].owner = false
		w.m.nodes[me].written(w.now)
		writes = append(writes, graph.NodeWrite{Kind: "person", EntityKey: me, IsOwner: graph.Some(false)})
	}
	var persons []string
	for _, key := range w.keys() {
		if n := w.m.nodes[key]; n.kind == "person" && n.user == user {
			persons = append(persons, key)
		}
	}
	if len(persons) > 0 && rapid.Float64Range(0, 1).Draw(w.T, "a new one") < 0.8 {
		next := rapid.SampledFrom(persons).Draw(w.T, "new owner")
		w.m.nodes[next].owner = true
		if len(writes) > 0 && writes[0].EntityKey == next {
			writes = nil // it stays
			*w.m.nodes[next] = before
		} else {
			w.m.nodes[next].written(w.now)
			if w.m.made[user] {
				delete(w.m.made, user)
				w.m.nodes[next].takeOver(w.now)
			}
			writes = append(writes, graph.NodeWrite{Kind: "person", EntityKey: next, IsOwner: graph.Some(true)})
		}
	}
	w.e.Write(user, writes)
}

func (w *world) addSource() {
	s := &modelSource{
		key:      fmt.Sprintf("s-%d", len(w.m.sources)),
		user:     rapid.SampledFrom(worldUsers).Draw(w.T, "source of"),
		content:  rapid.SampledFrom([]string{"conversation", "conversation", "email"}).Draw(w.T, "content"),
		context:  rapid.SampledFrom([]string{"", "planning", "phone-call"}).Draw(w.T, "context"),
		started:  rapid.SampledFrom(worldTimes).Draw(w.T, "started"),
		mentions: map[string]bool{},
	}
	s.summary = "summary of " + s.key
	write := graph.SourceWrite{
		EntityKey: s.key, ContentType: graph.Some(s.content), StartedAt: graph.Some(s.started), Summary: graph.Some(s.summary),
	}
	if s.context != "" {
		write.ContextType = graph.Some(s.context)
	}
	if rapid.Bool().Draw(w.T, "ended") {
		s.ended = noon
		write.EndedAt = graph.Some(noon)
	}
	for _, key := range w.keys() {
		if w.sees(s.user, key) && rapid.Float64Range(0, 1).Draw(w.T, "mention") < 0.4 {
			w.m.mention(s, w.m.nodes[key], w.now)
			write.Mentions = append(write.Mentions, key)
		}
	}
	w.m.sources[s.key] = s
	w.m.wrote(s.user)
	w.e.Source(s.user, write)
}

// mention raises the nodes that a source of the same user mentions. A second source makes a candidate active; a
// source that began later makes an archived node active.
func (m *model) mention(s *modelSource, n *modelNode, now time.Time) {
	if n.user == s.user {
		another := false
		for _, other := range m.sources {
			another = another || other.mentions[n.key]
		}
		at := s.started
		late := at.Before(n.life.at)
		if late {
			at = n.life.at
		}
		if n.life.value >= 0.01 && n.life.on(at) < 0.01 {
			n.state = "archived"
		}
		value := min(1, n.life.on(at)+0.075)
		if n.state == "candidate" && another || n.state == "archived" && !late {
			n.state = "active"
		}
		if s.started.After(n.accessed) {
			n.accessed = s.started
		}
		n.life = modelLife{value, modelRate(n.state, n.ttl, 0.5), at}
	}
	s.mentions[n.key] = true
}

// written applies a write without a state.
func (n *modelNode) written(now time.Time) {
	gone := n.life.value >= 0.01 && n.life.on(now) < 0.01
	if n.state == "candidate" || n.state == "archived" || gone {
		n.state = "active"
		n.life = modelLife{n.life.on(now), modelRate("active", n.ttl, 0.5), now}
	}
	n.accessed = now
}

// takeOver gives a person the greater salience and the longer lifetime of the generated owner that it replaces: 1, and for ever.
func (n *modelNode) takeOver(now time.Time) {
	n.ttl, n.life = "keep_forever", modelLife{1, 0, now}
}

// restart applies a corrected start of a source to what it mentions: a node that was accessed last by the mention was by the newest one, or
// when it was created.
func (m *model) restart(s *modelSource, before time.Time) {
	for key := range s.mentions {
		n := m.nodes[key]
		if n.user != s.user || s.started.Equal(before) {
			continue
		}
		newest := s.started
		for _, other := range m.sources {
			if other.mentions[key] && other.started.After(newest) {
				newest = other.started
			}
		}
		if n.accessed.Equal(before) {
			n.accessed = noon
		}
		if newest.After(n.accessed) {
			n.accessed = newest
		}
	}
}

// moveSource corrects the start of a source.
func (w *world) moveSource() {
	for key, s := range w.m.sources {
		if key == "s-0" {
			before := s.started
			s.started = rapid.SampledFrom(worldTimes).Draw(w.T, "restarted")
			w.m.wrote(s.user)
			w.m.restart(s, before)
			w.e.Source(s.user, graph.SourceWrite{EntityKey: key, StartedAt: graph.Some(s.started)})
		}
	}
}
