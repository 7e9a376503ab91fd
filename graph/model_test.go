package graph_test

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"kith/graph"
	"kith/loader"
)

// model is the memory of one team in plain Go, with the rules of docs/context.md and docs/lifecycle.md: it computes
// the expected answers of the store. It shares no code with the store.
type model struct {
	nodes   map[string]*modelNode
	links   []*modelLink
	sources map[string]*modelSource
	made    map[string]bool // users for whom the store has generated an owner
	now     time.Time       // time of the predicted context
}

// modelLife is a salience that decays (docs/lifecycle.md): its value at the time at, falling by rate a day.
type modelLife struct {
	value, rate float64
	at          time.Time
}

func (l modelLife) on(t time.Time) float64 {
	if !t.After(l.at) {
		return l.value
	}
	return l.value * math.Exp(-l.rate*t.Sub(l.at).Hours()/24)
}

// modelRate returns the rate of a node that was never recalled.
func modelRate(state, ttl string, confidence float64) float64 {
	switch {
	case ttl == "keep_forever", state == "candidate" && confidence >= 0.8:
		return 0
	case state == "candidate":
		return 0.02 * (1 + (1-confidence)*2)
	}
	return 0.02
}

// say sets a salience at a time, unless it is the current one.
func (l *modelLife) say(value float64, now time.Time, rate float64) {
	if holds := value == l.value && (l.at.Equal(now) || l.on(now) >= 0.99*value); !holds {
		l.value, l.at = value, now
	} else if rate != l.rate {
		l.value, l.at = l.on(now), now
	}
	l.rate = rate
}

type modelNode struct {
	key, kind, user   string // user is empty for a shared one
	name, description string
	goal              *bool // set by the caller
	state, ttl        string
	life              modelLife
	accessed          time.Time // zero: never
	owner             bool
}

type modelLink struct {
	key, from, kind, to string
	description         string
	life                modelLife
	closed              bool
}

type modelSource struct {
	key, user, content, context, summary string
	started, ended                       time.Time // ended is zero while open
	mentions                             map[string]bool
}

// modelContext is the part of Sections that the model predicts: keys in order, and the values of the relationship.
type modelContext struct {
	Owner         string
	Beliefs       []string
	Goals         []string
	Relationships []modelRelationship
	Sources       []modelRecent
	Last          *time.Time
}

type modelRelationship struct {
	Node, Label, Description, Type string
	Salience                       float64
	Mentions                       int64
}

type modelRecent struct {
	Key, Summary, Context string
	Started, Ended        time.Time
	Mentions              []string
}

func (m *model) context(user string, now time.Time) modelContext {
	m.now = now
	return modelContext{
		Owner:         m.owner(user),
		Beliefs:       m.beliefs(user),
		Goals:         m.goals(user, now.Add(-graph.Week)),
		Relationships: m.relationships(user, now.Add(-graph.Week)),
		Sources:       m.recent(user, now.Add(-graph.Week)),
		Last:          m.last(user),
	}
}

// wrote records that a write has data about a user. The store generates an owner for one without.
func (m *model) wrote(user string) {
	if user != "" && m.owner(user) == "" {
		m.made[user] = true
	}
}

// owner returns the key of the user's owner.
func (m *model) owner(user string) string {
	for _, n := range m.nodes {
		if n.user == user && n.owner {
			return n.key
		}
	}
	return ""
}

// top returns the keys of the most salient matching nodes.
func (m *model) top(limit int, match func(*modelNode) bool) []string {
	var found []*modelNode
	for _, n := range m.nodes {
		if match(n) {
			found = append(found, n)
		}
	}
	slices.SortFunc(found, func(a, b *modelNode) int {
		return cmp.Or(-cmp.Compare(a.life.on(m.now), b.life.on(m.now)), -cmp.Compare(a.key, b.key))
	})
	keys := []string{}
	for _, n := range found[:min(limit, len(found))] {
		keys = append(keys, n.key)
	}
	return keys
}

// beliefs returns the concepts of the user that are core and kept for ever, most salient first.
func (m *model) beliefs(user string) []string {
	return m.top(10, func(n *modelNode) bool {
		return n.kind == "concept" && n.user == user && n.state == "core" && n.ttl == "keep_forever"
	})
}

// goals returns the goals of the user, most salient first.
func (m *model) goals(user string, weekAgo time.Time) []string {
	return m.top(5, func(n *modelNode) bool {
		goal := strings.Contains(strings.ToLower(n.name+" "+n.description), "goal")
		if n.goal != nil {
			goal = *n.goal
		}
		return n.kind == "concept" && n.user == user && goal && m.shown(n) && n.accessed.After(weekAgo)
	})
}

// shown reports whether a node is active or core, and has not decayed away.
func (m *model) shown(n *modelNode) bool {
	gone := n.life.value >= 0.01 && n.life.on(m.now) < 0.01
	return (n.state == "active" || n.state == "core") && !gone
}

// contextTypes are the seven relationship types of a context.
var contextTypes = []string{
	"has_relationship_with", "thinks_about", "relates_to", "involves", "associated_with", "engages_with", "connected_to",
}

// relationships returns the expected relationships of the owner, in order, with their mentions.
func (m *model) relationships(user string, weekAgo time.Time) []modelRelationship {
	me := m.owner(user)
	strongest := map[string]*modelLink{}
	for _, l := range m.links {
		other := l.to
		if l.to == me {
			other = l.from
		}
		if me == "" || l.from != me && l.to != me || other == me || l.closed ||
			!slices.Contains(contextTypes, l.kind) || !m.shown(m.nodes[other]) {
			continue
		}
		if best := strongest[other]; best == nil || l.life.on(m.now) > best.life.on(m.now) || l.life.on(m.now) == best.life.on(m.now) && l.key > best.key {
			strongest[other] = l
		}
	}
	var others []string
	for other := range strongest {
		others = append(others, other)
	}
	slices.SortFunc(others, func(a, b string) int {
		return cmp.Or(-cmp.Compare(strongest[a].life.on(m.now), strongest[b].life.on(m.now)),
			-cmp.Compare(m.nodes[a].life.on(m.now), m.nodes[b].life.on(m.now)), -cmp.Compare(a, b))
	})
	found := []modelRelationship{}
	for _, other := range others[:min(10, len(others))] {
		l := strongest[other]
		found = append(found, modelRelationship{
			Node: other, Label: label(m.nodes[other]), Description: l.description, Type: l.kind, Salience: l.life.on(m.now),
			Mentions: m.mentions(user, other, weekAgo),
		})
	}
	return found
}

func label(n *modelNode) string { return strings.ToUpper(n.kind[:1]) + n.kind[1:] }

// mentions counts the sources since weekAgo that mention a node.
func (m *model) mentions(user, node string, weekAgo time.Time) (count int64) {
	for _, s := range m.sources {
		if s.user == user && s.mentions[node] && s.started.After(weekAgo) {
			count++
		}
	}
	return count
}

// conversations returns the conversations of a user, newest first.
func (m *model) conversations(user string) []*modelSource {
	var all []*modelSource
	for _, s := range m.sources {
		if s.user == user && s.content == "conversation" {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b *modelSource) int {
		return cmp.Or(b.started.Compare(a.started), -cmp.Compare(a.key, b.key))
	})
	return all
}

// recent returns the expected recent conversations.
func (m *model) recent(user string, weekAgo time.Time) []modelRecent {
	found := []modelRecent{}
	for _, s := range m.conversations(user) {
		if len(found) == 20 || !s.started.After(weekAgo) {
			break
		}
		found = append(found, modelRecent{
			Key: s.key, Summary: s.summary, Context: s.context, Started: s.started, Ended: s.ended,
			Mentions: m.top(5, func(n *modelNode) bool { return s.mentions[n.key] && n.life.on(m.now) > 0.3 }),
		})
	}
	return found
}

// last returns the start of the user's last conversation; nil without one.
func (m *model) last(user string) *time.Time {
	if all := m.conversations(user); len(all) > 0 {
		return &all[0].started
	}
	return nil
}

// foretold converts the answer of the store to the form of the model.
func foretold(s *loader.Sections) modelContext {
	c := modelContext{
		Beliefs: keysOf(s.CoreBeliefs), Goals: keysOf(s.PrimaryGoals),
		Relationships: []modelRelationship{}, Sources: []modelRecent{},
	}
	if s.Owner != nil {
		c.Owner = s.Owner.EntityKey
	}
	for _, r := range byRule(s.Relationships) {
		c.Relationships = append(c.Relationships, modelRelationship{
			r.Node.EntityKey, r.NodeType, r.Description, r.RelationshipType, r.Salience, r.RecentMentions,
		})
	}
	for _, s := range s.Sources {
		recent := modelRecent{Key: s.EntityKey, Summary: s.Summary, Started: s.StartedAt, Mentions: []string{}}
		if s.EndedAt != nil {
			recent.Ended = *s.EndedAt
		}
		if s.ContextType != nil {
			recent.Context = *s.ContextType
		}
		for _, k := range s.KeyEntities {
			recent.Mentions = append(recent.Mentions, k.EntityKey)
		}
		c.Sources = append(c.Sources, recent)
	}
	if s.LastConversation != nil {
		c.Last = &s.LastConversation.StartedAt
	}
	return c
}
