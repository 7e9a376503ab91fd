package graph

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func (e *env) delete(user, kind, key string) Deletion {
	e.Helper()
	k, _ := KindOf(kind)
	d, err := e.store.DeleteNode(e.Context(), e.as(user), k, key, 0)
	if err != nil {
		e.Fatal(err)
	}
	return d
}

func (e *env) restore(user, kind, key string) NodeView {
	e.Helper()
	k, _ := KindOf(kind)
	n, err := e.store.RestoreNode(e.Context(), e.as(user), k, key)
	if err != nil {
		e.Fatal(err)
	}
	return n
}

// everything holds all that a user can read of a few nodes: the contexts, and each node with its neighbours.
type everything struct {
	Sections *Sections
	Focus    *Focus
	Nodes    map[string]NodeView
	Lists    map[string][]NodeView
	Source   *Source
	Messages []Message
}

func (e *env) everything(user string, kinds map[string]string) everything {
	e.Helper()
	all := everything{Sections: e.sections(user), Nodes: map[string]NodeView{}, Lists: map[string][]NodeView{}}
	for key, kind := range kinds {
		k, _ := KindOf(kind)
		switch n, err := e.store.Node(e.Context(), e.as(user), k, key, NodeQuery{Relationships: 100}); {
		case err == nil:
			all.Nodes[key] = n
		case !errors.Is(err, ErrNotFound):
			e.Fatal(err)
		}
		page, err := e.store.Nodes(e.Context(), e.as(user), NodeList{Kind: k, Limit: 100})
		if err != nil {
			e.Fatal(err)
		}
		all.Lists[kind] = page.Nodes
	}
	focus := &Sections{}
	if err := e.store.ReadSection(e.Context(), e.as(user), FocusSection, SectionQuery{Now: e.now, FocusKey: "c", FocusKind: ConceptKind}, focus); err != nil {
		e.Fatal(err)
	}
	all.Focus = focus.Focus
	if all.Source = e.see(user, "s"); all.Source != nil {
		var err error
		if all.Messages, err = e.store.Messages(e.Context(), e.as(user), "s", 0, 100); err != nil {
			e.Fatal(err)
		}
	}
	return all
}

// restored ignores that a restore changes the node.
var restored = cmp.Options{cmpopts.IgnoreFields(Node{}, "UpdatedAt"), cmpopts.IgnoreFields(NodeView{}, "Version")}

// deletable are the nodes of a user's memory with data for every section of a context, and their kinds.
var deletable = map[string]string{"me": "person", "c": "concept", "goal": "concept", "e": "entity", "s": "source", "t": "task"}

func (e *env) deletable() {
	e.write("u1", []NodeWrite{
		owner1("me"), node("concept", "c", 0.8, func(w *NodeWrite) { w.TTLPolicy, w.State = Some("keep_forever"), Some("core") }),
		node("concept", "goal", 0.6, accessed(e.now)), node("entity", "e", 0.7),
		{Kind: "task", EntityKey: "t", Name: Some("t"), OwnFields: &OwnFields{ProjectID: Some("p")}},
	}, link("me", "thinks_about", "c", 0.9), link("c", "involves", "e", 0.4), link("e", "associated_with", "me", 0.3), link("goal", "relates_to", "c", 0.2), link("t", "references", "c", 0.1))
	e.source("u1", SourceWrite{EntityKey: "s", Messages: []MessageWrite{said("m-0", "zero"), said("m-1", "one")}, Mentions: []string{"c", "e", "me"}})
}

func TestDeletedNodesAreGoneFromEveryReadAndComeBack(t *testing.T) {
	e := fresh(t)
	e.deletable()
	before := e.everything("u1", deletable)
	e.now = noon.Add(time.Minute)
	later := e.everything("u1", deletable)
	for key, kind := range deletable {
		e.changedUsers()
		d := e.delete("u1", kind, key)
		if d.Key != key || !d.DeletedAt.Equal(e.now) || !d.RestorableUntil.Equal(e.now.Add(30*day)) || !cmp.Equal(e.changedUsers(), []string{"u1"}) {
			t.Errorf("receipt %+v", d)
		}
		e.same("messages of "+key, map[bool]int64{true: 2}[key == "s"], d.Messages)
		e.same("relationships of "+key, map[string]int64{"me": 3, "c": 5, "goal": 1, "e": 3, "s": 3, "t": 1}[key], d.Relationships)
		now := e.everything("u1", deletable)
		wantGone(e, key, now)
		list := RelationshipList{Kind: kindOfLabel(knowledgeOf(kind)), Key: key, Limit: 10}
		if _, err := e.store.Relationships(t.Context(), e.as("u1"), list); !errors.Is(err, ErrNotFound) {
			t.Errorf("relationships of %s: %v", key, err)
		}
		if key == "s" && len(now.Messages)+int(e.raw(`MATCH (m:Message {team_id: $team}) RETURN count(m)`)[0][0].(int64)) > 0 {
			t.Error("messages outlive their source")
		}
		e.same(key+" in what was deleted", []string{key}, e.deletedKeys("u1", kind))
		if _, err := e.store.DeleteNode(t.Context(), e.as("u1"), kindOfLabel(knowledgeOf(kind)), key, 0); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s twice: %v", key, err)
		}
		e.same("view of "+key, key, e.restore("u1", kind, key).EntityKey)
		if diff := cmp.Diff(later, e.everything("u1", deletable), restored); diff != "" {
			t.Errorf("%s did not come back as it was (-before +after):\n%s", key, diff)
		}
		e.same(key+" restored", []string{}, e.deletedKeys("u1", kind))
	}
	if len(before.Sections.Relationships) != 2 || len(before.Sections.PrimaryGoals) != 1 || len(before.Sections.CoreBeliefs) != 1 || len(before.Focus.Links) != 3 ||
		before.Sections.Relationships[0].RecentMentions != 1 || len(before.Sections.Sources[0].KeyEntities) != 3 {
		t.Errorf("the contexts show too little for this test: %+v", before.Sections)
	}
}

func knowledgeOf(kind string) string {
	k, _ := KindOf(kind)
	return k.Label
}

func (e *env) deletedKeys(user, kind string) []string {
	e.Helper()
	k, _ := KindOf(kind)
	page, err := e.store.Nodes(e.Context(), e.as(user), NodeList{Kind: k, Deleted: true, Limit: 100})
	if err != nil {
		e.Fatal(err)
	}
	keys := []string{}
	for _, n := range page.Nodes {
		if n.DeletedAt == nil || n.RestorableUntil == nil || !n.RestorableUntil.After(*n.DeletedAt) {
			e.Errorf("%s: deleted at %v, restorable until %v", n.EntityKey, n.DeletedAt, n.RestorableUntil)
		}
		keys = append(keys, n.EntityKey)
	}
	return keys
}

// wantGone reports an error for every read that returns a node.
func wantGone(e *env, key string, all everything) {
	e.Helper()
	told := func(where, k string) {
		if k == key {
			e.Errorf("%s appears in %s", key, where)
		}
	}
	s := all.Sections
	for _, n := range append(append([]ContextNode{}, s.CoreBeliefs...), s.PrimaryGoals...) {
		told("beliefs or goals", n.EntityKey)
	}
	for _, r := range s.Relationships {
		told("relationships", r.Node.EntityKey)
		if key == "s" && r.RecentMentions != 0 {
			e.Error("a deleted source mentions")
		}
	}
	for _, source := range s.Sources {
		told("sources", source.EntityKey)
		for _, k := range source.KeyEntities {
			told("key entities", k.EntityKey)
		}
	}
	if key == "s" && s.LastConversation != nil || key == "me" && (s.Owner != nil || len(byRule(s.Relationships)) > 0) {
		e.Errorf("%s is gone, and its section is not: %+v", key, s)
	}
	if all.Focus != nil {
		told("focus", all.Focus.Node.EntityKey)
		for _, l := range all.Focus.Links {
			told("focus links", l.EntityKey)
		}
	}
	for at, n := range all.Nodes {
		told("nodes", at)
		for _, r := range n.Relationships {
			told("relationships of "+at, r.Node.EntityKey)
		}
		if n.OwnFields != nil && n.SourceCount.Given && key == "s" && n.SourceCount.Value != 0 {
			e.Errorf("%s is mentioned by %d sources", at, n.SourceCount.Value)
		}
	}
	for kind, list := range all.Lists {
		for _, n := range list {
			told("list of "+kind, n.EntityKey)
		}
	}
	if key == "s" && all.Source != nil {
		e.Error("the source is there")
	}
}

func TestADeletedNodeFreesItsNameAndKey(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{node("concept", "c", 0.5), owner1("me"), node("concept", "d", 0.5)})
	for _, c := range []struct {
		kind, key string
		rival     NodeWrite
	}{
		{"concept", "c", NodeWrite{Kind: "concept", Name: Some("the c")}}, {"concept", "d", NodeWrite{Kind: "concept", EntityKey: "d", Name: Some("another")}},
		{"person", "me", NodeWrite{Kind: "person", Name: Some("someone"), IsOwner: Some(true)}},
	} {
		e.delete("u1", c.kind, c.key)
		result := e.write("u1", []NodeWrite{c.rival})
		e.same("a new one takes its place", Created, result.Nodes[0].Status)
		k, _ := KindOf(c.kind)
		before := e.stored()
		if _, err := e.store.RestoreNode(t.Context(), e.as("u1"), k, c.key); !errors.Is(err, ErrConflict) {
			t.Errorf("restore of %s beside its rival: %v", c.key, err)
		}
		e.same("stored", before, e.stored())
		e.now = e.now.Add(time.Second)
		e.delete("u1", c.kind, result.Nodes[0].EntityKey)
		if c.key != "d" { // its key has two deleted nodes now: the last one is restored
			e.same("once it is free again", "the "+c.key, e.restore("u1", c.kind, c.key).Name)
		} else {
			e.same("the last one", "another", e.restore("u1", c.kind, c.key).Name)
		}
	}
}

func TestDeletesKeepToTheirScope(t *testing.T) {
	e := fresh(t)
	key := e.write("u1", []NodeWrite{node("concept", "c", 0.5), node("concept", "s", 0.5, shared)}, link("c", "relates_to", "s", 0.5)).Relationships[0].Key
	before := e.stored()
	strangers := map[string]Scope{"another user": e.as("u2"), "the team": e.as(""), "another team": {TeamID: e.team + "-x", UserID: "u1"}}
	none := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for name, scope := range strangers {
		_, err := e.store.DeleteNode(t.Context(), scope, ConceptKind, "c", 0)
		none(name, err)
		_, err = e.store.DeleteRelationship(t.Context(), scope, key, 0)
		none(name, err)
	}
	_, err := e.store.DeleteNode(t.Context(), e.as("u1"), PersonKind, "c", 0)
	none("another kind", err)
	e.same("stored", before, e.stored())
	if _, err := e.store.DeleteRelationship(t.Context(), e.as("u1"), key, 0); err != nil {
		t.Fatal(err)
	}
	e.delete("u1", "concept", "c")
	for name, scope := range strangers {
		_, err := e.store.RestoreNode(t.Context(), scope, ConceptKind, "c")
		none(name, err)
		_, err = e.store.RestoreRelationship(t.Context(), scope, key)
		none(name, err)
		page, err := e.store.Nodes(t.Context(), scope, NodeList{Kind: ConceptKind, Deleted: true, Limit: 10})
		e.same(name+" lists", []any{0, nil}, []any{len(page.Nodes), err})
	}
	e.changedUsers()
	e.delete("u2", "concept", "s")
	e.same("what is shared, by any user", []string{""}, e.changedUsers())
	_, err = e.store.RestoreRelationship(t.Context(), e.as("u1"), key)
	none("a relationship whose end is gone", err)
}

func TestDeletedRelationshipsAreGoneAndComeBack(t *testing.T) {
	e := fresh(t)
	e.deletable()
	for _, n := range e.get("u1", "concept", "c").Relationships {
		before := e.everything("u1", deletable)
		past := e.relationship("u1", n.Key)
		if _, err := e.store.DeleteRelationship(t.Context(), e.as("u1"), n.Key, 0); err != nil {
			t.Fatal(err)
		}
		now := e.everything("u1", deletable)
		for key, seen := range now.Nodes {
			for _, r := range seen.Relationships {
				if r.Key == n.Key {
					t.Errorf("%s appears in %s", n.Type, key)
				}
			}
		}
		switch n.Type {
		case "thinks_about":
			e.same("context", 1, len(now.Sections.Relationships))
		case "mentions":
			e.same("key entities", 2, len(now.Sections.Sources[0].KeyEntities))
			e.same("mentions", int64(0), now.Sections.Relationships[0].RecentMentions)
			e.same("count", int64(0), now.Nodes["c"].SourceCount.Value)
		default:
			e.same("focus", 2, len(now.Focus.Links)+map[bool]int{true: -1}[n.Type == "references"])
		}
		_, err := e.store.Relationship(t.Context(), e.as("u1"), n.Key)
		_, again := e.store.DeleteRelationship(t.Context(), e.as("u1"), n.Key, 0)
		if !errors.Is(err, ErrNotFound) || !errors.Is(again, ErrNotFound) {
			t.Errorf("%s by its key: %v; once more: %v", n.Type, err, again)
		}
		view, err := e.store.RestoreRelationship(t.Context(), e.as("u1"), n.Key)
		if err != nil {
			t.Fatal(err)
		}
		e.same("restored", past, view)
		e.same("all of "+n.Type, before, e.everything("u1", deletable))
		if _, err := e.store.RestoreRelationship(t.Context(), e.as("u1"), n.Key); !errors.Is(err, ErrNotFound) {
			t.Errorf("restored twice: %v", err)
		}
	}
	e.same("mentions weigh as before", [][]any{{1.0, int64(1)}}, e.raw(`MATCH (n:Concept {team_id: $team, entity_key: 'c'}) RETURN n.mention_weight, n.source_count`))
}

func TestARelationshipThatWasReplacedStaysDeleted(t *testing.T) {
	e := fresh(t)
	var nodes []NodeWrite
	for _, key := range []string{"a", "b", "c"} {
		nodes = append(nodes, NodeWrite{Kind: "document", EntityKey: key, Name: Some(key)})
	}
	first := e.write("u1", nodes, link("a", "relates_to", "b", 0.5), link("a", "contains", "b", 0.5)).Relationships
	for _, r := range first {
		if _, err := e.store.DeleteRelationship(t.Context(), e.as("u1"), r.Key, 0); err != nil {
			t.Fatal(err)
		}
	}
	e.write("u1", nil, link("a", "relates_to", "b", 0.6), link("b", "contains", "c", 0.5), link("c", "contains", "a", 0.5))
	before := e.stored()
	for _, r := range first {
		if _, err := e.store.RestoreRelationship(t.Context(), e.as("u1"), r.Key); !errors.Is(err, ErrConflict) {
			t.Errorf("%s beside a newer one, or as a ring: %v", r.Type, err)
		}
	}
	e.same("stored", before, e.stored())
}

// TestMentionsAreCountedOverDeletesInAnyOrder checks that a source and the nodes it mentions may be deleted and restored in any
// order.
func TestMentionsAreCountedOverDeletesInAnyOrder(t *testing.T) {
	for name, order := range map[string][]string{"as deleted": {"s", "c"}, "the other way round": {"c", "s"}} {
		t.Run(name, func(t *testing.T) {
			e := fresh(t)
			e.deletable()
			before := e.everything("u1", deletable)
			e.delete("u1", deletable[order[0]], order[0])
			e.delete("u1", deletable[order[1]], order[1])
			e.restore("u1", deletable[order[0]], order[0])
			e.restore("u1", deletable[order[1]], order[1])
			if diff := cmp.Diff(before, e.everything("u1", deletable), restored); diff != "" {
				t.Errorf("restored in the order of deletes (-before +after):\n%s", diff)
			}
			e.delete("u1", deletable[order[0]], order[0])
			e.delete("u1", deletable[order[1]], order[1])
			e.restore("u1", deletable[order[1]], order[1])
			e.restore("u1", deletable[order[0]], order[0])
			if diff := cmp.Diff(before, e.everything("u1", deletable), restored); diff != "" {
				t.Errorf("restored the last first (-before +after):\n%s", diff)
			}
		})
	}
}

// TestAMovedSourceMovesDeletedMentions checks that changes of a source count for a deleted node that it mentions, once the node
// is restored.
func TestAMovedSourceMovesDeletedMentions(t *testing.T) {
	e := fresh(t)
	e.deletable()
	mention := ""
	for _, r := range e.get("u1", "entity", "e").Relationships {
		if r.Type == "mentions" {
			mention = r.Key
		}
	}
	e.delete("u1", "concept", "c")
	if _, err := e.store.DeleteRelationship(t.Context(), e.as("u1"), mention, 0); err != nil {
		t.Fatal(err)
	}
	e.source("u1", SourceWrite{EntityKey: "s", StartedAt: Some(weekAgo.Add(-day))})
	e.restore("u1", "concept", "c")
	if _, err := e.store.RestoreRelationship(t.Context(), e.as("u1"), mention); err != nil {
		t.Fatal(err)
	}
	for _, r := range e.sections("u1").Relationships {
		e.same("recent mentions of "+r.Node.EntityKey, int64(0), r.RecentMentions)
	}
}

func TestMessagesAreDeletedAloneToo(t *testing.T) {
	e := fresh(t)
	e.deletable()
	e.delete("u1", "message", "m-0")
	left := e.everything("u1", deletable)
	e.same("left", []any{int64(1), 1, "one"}, []any{left.Source.MessageCount, len(left.Messages), left.Messages[0].Text})
	e.source("u1", SourceWrite{EntityKey: "s", Messages: []MessageWrite{said("m-2", "two")}})
	e.delete("u1", "source", "s")
	e.same("messages that come back with their source are none to restore", []string{"m-0"}, e.deletedKeys("u1", "message"))
	if _, err := e.store.RestoreNode(t.Context(), e.as("u1"), MessageKind, "m-1"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a message without its source: %v", err)
	}
	if _, err := e.store.RestoreNode(t.Context(), e.as("u1"), MessageKind, "m-0"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a message of a deleted source: %v", err)
	}
	e.restore("u1", "source", "s")
	e.restore("u1", "message", "m-0")
	e.same("all of them in order", []string{"zero", "one", "two"}, e.messages("s"))
	e.same("count", int64(3), e.see("u1", "s").MessageCount)
}

// TestPurge checks that maintenance erases deleted records after KeepDeleted, the time for which a delete can be undone.
func TestPurge(t *testing.T) {
	e := fresh(t)
	start := time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC) // long before the deletes of other tests, and after longAgo: a purge is for all teams
	e.now = start
	e.deletable()
	key := e.get("u1", "entity", "e").Relationships[0].Key
	if _, err := e.store.DeleteRelationship(t.Context(), e.as("u1"), key, 0); err != nil {
		t.Fatal(err)
	}
	e.delete("u1", "source", "s")
	e.delete("u1", "concept", "c")
	kept := func() any {
		return e.raw(`MATCH (n) WHERE n.team_id = $team AND (n:Deleted OR n:DeletedRelationship) RETURN count(n)`)[0][0]
	}
	m := NewMaintenance(e.store, MaintenanceOptions{})
	for _, c := range []struct {
		after time.Duration
		kept  int64
	}{{30*day - time.Millisecond, 5}, {30 * day, 0}} {
		e.now = start.Add(c.after)
		if err := m.purge(t.Context()); err != nil {
			t.Fatal(err)
		}
		e.same("kept after "+c.after.String(), any(c.kept), kept())
		e.same("listed", map[bool]int{true: 1}[c.kept > 0], len(e.deletedKeys("u1", "concept")))
	}
	_, err := e.store.RestoreNode(t.Context(), e.as("u1"), ConceptKind, "c")
	_, relationship := e.store.RestoreRelationship(t.Context(), e.as("u1"), key)
	if !errors.Is(err, ErrNotFound) || !errors.Is(relationship, ErrNotFound) {
		t.Errorf("after the purge: %v; %v", err, relationship)
	}
	e.same("relationships that led to what is gone", []any{int64(4)}, e.stored()[:1])
}

// TestOldDeletesAreNotRestored checks that an old delete cannot be undone, even before maintenance has run.
func TestOldDeletesAreNotRestored(t *testing.T) {
	e := fresh(t)
	e.deletable()
	key := e.get("u1", "entity", "e").Relationships[0].Key
	if _, err := e.store.DeleteRelationship(t.Context(), e.as("u1"), key, 0); err != nil {
		t.Fatal(err)
	}
	e.delete("u1", "concept", "c")
	e.now = noon.Add(30 * day)
	_, err := e.store.RestoreNode(t.Context(), e.as("u1"), ConceptKind, "c")
	_, relationship := e.store.RestoreRelationship(t.Context(), e.as("u1"), key)
	if !errors.Is(err, ErrNotFound) || !errors.Is(relationship, ErrNotFound) {
		t.Errorf("too late: %v; %v", err, relationship)
	}
	e.same("listed", []string{}, e.deletedKeys("u1", "concept"))
	e.now = noon.Add(30*day - time.Millisecond)
	e.same("the last moment", "c", e.restore("u1", "concept", "c").EntityKey)
}
