package graph_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"kith/graph"
	"kith/internal/fault"
	"kith/loader"
)

func (e *env) delete(user, kind, key string) graph.Deletion {
	e.Helper()
	k, _ := graph.KindOf(kind)
	d, err := e.Store.DeleteNode(e.Context(), e.As(user), k, key, 0)
	if err != nil {
		e.Fatal(err)
	}
	return d
}

func (e *env) restore(user, kind, key string) graph.NodeView {
	e.Helper()
	k, _ := graph.KindOf(kind)
	n, err := e.Store.RestoreNode(e.Context(), e.As(user), k, key)
	if err != nil {
		e.Fatal(err)
	}
	return n
}

// everything holds all that a user can read of a few nodes: the contexts, and each node with its neighbours.
type everything struct {
	Sections *loader.Sections
	Focus    *loader.Focus
	Nodes    map[string]graph.NodeView
	Lists    map[string][]graph.NodeView
	Source   *graph.Source
	Messages []graph.Message
}

func (e *env) everything(user string, kinds map[string]string) everything {
	e.Helper()
	all := everything{Sections: e.sections(user), Nodes: map[string]graph.NodeView{}, Lists: map[string][]graph.NodeView{}}
	for key, kind := range kinds {
		k, _ := graph.KindOf(kind)
		switch n, err := e.Store.Node(e.Context(), e.As(user), k, key, graph.NodeQuery{Relationships: 100}); {
		case err == nil:
			all.Nodes[key] = n
		case !errors.Is(err, fault.ErrNotFound):
			e.Fatal(err)
		}
		page, err := e.Store.Nodes(e.Context(), e.As(user), graph.NodeList{Kind: k, Limit: 100})
		if err != nil {
			e.Fatal(err)
		}
		all.Lists[kind] = page.Nodes
	}
	focus := &loader.Sections{}
	if err := e.contexts().ReadSection(e.Context(), e.As(user), loader.FocusSection, loader.SectionQuery{Now: e.Now, FocusKey: "c", FocusKind: graph.ConceptKind}, focus); err != nil {
		e.Fatal(err)
	}
	all.Focus = focus.Focus
	if all.Source = e.see(user, "s"); all.Source != nil {
		var err error
		if all.Messages, err = e.Store.Messages(e.Context(), e.As(user), "s", 0, 100); err != nil {
			e.Fatal(err)
		}
	}
	return all
}

// restored ignores that a restore changes the node.
var restored = cmp.Options{cmpopts.IgnoreFields(graph.Node{}, "UpdatedAt"), cmpopts.IgnoreFields(graph.NodeView{}, "Version")}

// deletable are the nodes of a user's memory with data for every section of a context, and their kinds.
var deletable = map[string]string{"me": "person", "c": "concept", "goal": "concept", "e": "entity", "s": "source", "t": "task"}

func (e *env) deletable() {
	e.Write("u1", []graph.NodeWrite{
		owner1("me"), node("concept", "c", 0.8, func(w *graph.NodeWrite) { w.TTLPolicy, w.State = graph.Some("keep_forever"), graph.Some("core") }),
		node("concept", "goal", 0.6, accessed(e.Now)), node("entity", "e", 0.7),
		{Kind: "task", EntityKey: "t", Name: graph.Some("t"), OwnFields: &graph.OwnFields{ProjectID: graph.Some("p")}},
	}, link("me", "thinks_about", "c", 0.9), link("c", "involves", "e", 0.4), link("e", "associated_with", "me", 0.3), link("goal", "relates_to", "c", 0.2), link("t", "references", "c", 0.1))
	e.Source("u1", graph.SourceWrite{EntityKey: "s", Messages: []graph.MessageWrite{said("m-0", "zero"), said("m-1", "one")}, Mentions: []string{"c", "e", "me"}})
}

func TestDeletedNodesAreGoneFromEveryReadAndComeBack(t *testing.T) {
	e := fresh(t)
	e.deletable()
	before := e.everything("u1", deletable)
	e.Now = noon.Add(time.Minute)
	later := e.everything("u1", deletable)
	for key, kind := range deletable {
		e.ChangedUsers()
		d := e.delete("u1", kind, key)
		if d.Key != key || !d.DeletedAt.Equal(e.Now) || !d.RestorableUntil.Equal(e.Now.Add(30*graph.Day)) || !cmp.Equal(e.ChangedUsers(), []string{"u1"}) {
			t.Errorf("receipt %+v", d)
		}
		e.Same("messages of "+key, map[bool]int64{true: 2}[key == "s"], d.Messages)
		e.Same("relationships of "+key, map[string]int64{"me": 3, "c": 5, "goal": 1, "e": 3, "s": 3, "t": 1}[key], d.Relationships)
		now := e.everything("u1", deletable)
		wantGone(e, key, now)
		list := graph.RelationshipList{Kind: graph.KindOfLabel(knowledgeOf(kind)), Key: key, Limit: 10}
		if _, err := e.Store.Relationships(t.Context(), e.As("u1"), list); !errors.Is(err, fault.ErrNotFound) {
			t.Errorf("relationships of %s: %v", key, err)
		}
		if key == "s" && len(now.Messages)+int(e.Raw(`MATCH (m:Message {team_id: $team}) RETURN count(m)`)[0][0].(int64)) > 0 {
			t.Error("messages outlive their source")
		}
		e.Same(key+" in what was deleted", []string{key}, e.deletedKeys("u1", kind))
		if _, err := e.Store.DeleteNode(t.Context(), e.As("u1"), graph.KindOfLabel(knowledgeOf(kind)), key, 0); !errors.Is(err, fault.ErrNotFound) {
			t.Errorf("%s twice: %v", key, err)
		}
		e.Same("view of "+key, key, e.restore("u1", kind, key).EntityKey)
		if diff := cmp.Diff(later, e.everything("u1", deletable), restored); diff != "" {
			t.Errorf("%s did not come back as it was (-before +after):\n%s", key, diff)
		}
		e.Same(key+" restored", []string{}, e.deletedKeys("u1", kind))
	}
	if len(before.Sections.Relationships) != 2 || len(before.Sections.PrimaryGoals) != 1 || len(before.Sections.CoreBeliefs) != 1 || len(before.Focus.Links) != 3 ||
		before.Sections.Relationships[0].RecentMentions != 1 || len(before.Sections.Sources[0].KeyEntities) != 3 {
		t.Errorf("the contexts show too little for this test: %+v", before.Sections)
	}
}

func knowledgeOf(kind string) string {
	k, _ := graph.KindOf(kind)
	return k.Label
}

func (e *env) deletedKeys(user, kind string) []string {
	e.Helper()
	k, _ := graph.KindOf(kind)
	page, err := e.Store.Nodes(e.Context(), e.As(user), graph.NodeList{Kind: k, Deleted: true, Limit: 100})
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
	for _, n := range append(append([]loader.ContextNode{}, s.CoreBeliefs...), s.PrimaryGoals...) {
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
	e.Write("u1", []graph.NodeWrite{node("concept", "c", 0.5), owner1("me"), node("concept", "d", 0.5)})
	for _, c := range []struct {
		kind, key string
		rival     graph.NodeWrite
	}{
		{"concept", "c", graph.NodeWrite{Kind: "concept", Name: graph.Some("the c")}}, {"concept", "d", graph.NodeWrite{Kind: "concept", EntityKey: "d", Name: graph.Some("another")}},
		{"person", "me", graph.NodeWrite{Kind: "person", Name: graph.Some("someone"), IsOwner: graph.Some(true)}},
	} {
		e.delete("u1", c.kind, c.key)
		result := e.Write("u1", []graph.NodeWrite{c.rival})
		e.Same("a new one takes its place", graph.Created, result.Nodes[0].Status)
		k, _ := graph.KindOf(c.kind)
		before := e.Stored()
		if _, err := e.Store.RestoreNode(t.Context(), e.As("u1"), k, c.key); !errors.Is(err, fault.ErrConflict) {
			t.Errorf("restore of %s beside its rival: %v", c.key, err)
		}
		e.Same("stored", before, e.Stored())
		e.Now = e.Now.Add(time.Second)
		e.delete("u1", c.kind, result.Nodes[0].EntityKey)
		if c.key != "d" { // its key has two deleted nodes now: the last one is restored
			e.Same("once it is free again", "the "+c.key, e.restore("u1", c.kind, c.key).Name)
		} else {
			e.Same("the last one", "another", e.restore("u1", c.kind, c.key).Name)
		}
	}
}

func TestDeletesKeepToTheirScope(t *testing.T) {
	e := fresh(t)
	key := e.Write("u1", []graph.NodeWrite{node("concept", "c", 0.5), node("concept", "s", 0.5, shared)}, link("c", "relates_to", "s", 0.5)).Relationships[0].Key
	before := e.Stored()
	strangers := map[string]graph.Scope{"another user": e.As("u2"), "the team": e.As(""), "another team": {TeamID: e.Team + "-x", UserID: "u1"}}
	none := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, fault.ErrNotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for name, scope := range strangers {
		_, err := e.Store.DeleteNode(t.Context(), scope, graph.ConceptKind, "c", 0)
		none(name, err)
		_, err = e.Store.DeleteRelationship(t.Context(), scope, key, 0)
		none(name, err)
	}
	_, err := e.Store.DeleteNode(t.Context(), e.As("u1"), graph.PersonKind, "c", 0)
	none("another kind", err)
	e.Same("stored", before, e.Stored())
	if _, err := e.Store.DeleteRelationship(t.Context(), e.As("u1"), key, 0); err != nil {
		t.Fatal(err)
	}
	e.delete("u1", "concept", "c")
	for name, scope := range strangers {
		_, err := e.Store.RestoreNode(t.Context(), scope, graph.ConceptKind, "c")
		none(name, err)
		_, err = e.Store.RestoreRelationship(t.Context(), scope, key)
		none(name, err)
		page, err := e.Store.Nodes(t.Context(), scope, graph.NodeList{Kind: graph.ConceptKind, Deleted: true, Limit: 10})
		e.Same(name+" lists", []any{0, nil}, []any{len(page.Nodes), err})
	}
	e.ChangedUsers()
	e.delete("u2", "concept", "s")
	e.Same("what is shared, by any user", []string{""}, e.ChangedUsers())
	_, err = e.Store.RestoreRelationship(t.Context(), e.As("u1"), key)
	none("a relationship whose end is gone", err)
}

func TestDeletedRelationshipsAreGoneAndComeBack(t *testing.T) {
	e := fresh(t)
	e.deletable()
	for _, n := range e.get("u1", "concept", "c").Relationships {
		before := e.everything("u1", deletable)
		past := e.relationship("u1", n.Key)
		if _, err := e.Store.DeleteRelationship(t.Context(), e.As("u1"), n.Key, 0); err != nil {
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
			e.Same("context", 1, len(now.Sections.Relationships))
		case "mentions":
			e.Same("key entities", 2, len(now.Sections.Sources[0].KeyEntities))
			e.Same("mentions", int64(0), now.Sections.Relationships[0].RecentMentions)
			e.Same("count", int64(0), now.Nodes["c"].SourceCount.Value)
		default:
			e.Same("focus", 2, len(now.Focus.Links)+map[bool]int{true: -1}[n.Type == "references"])
		}
		_, err := e.Store.Relationship(t.Context(), e.As("u1"), n.Key, nil)
		_, again := e.Store.DeleteRelationship(t.Context(), e.As("u1"), n.Key, 0)
		if !errors.Is(err, fault.ErrNotFound) || !errors.Is(again, fault.ErrNotFound) {
			t.Errorf("%s by its key: %v; once more: %v", n.Type, err, again)
		}
		view, err := e.Store.RestoreRelationship(t.Context(), e.As("u1"), n.Key)
		if err != nil {
			t.Fatal(err)
		}
		e.Same("restored", past, view)
		e.Same("all of "+n.Type, before, e.everything("u1", deletable))
		if _, err := e.Store.RestoreRelationship(t.Context(), e.As("u1"), n.Key); !errors.Is(err, fault.ErrNotFound) {
			t.Errorf("restored twice: %v", err)
		}
	}
	e.Same("mentions weigh as before", [][]any{{1.0, int64(1)}}, e.Raw(`MATCH (n:Concept {team_id: $team, entity_key: 'c'}) RETURN n.mention_weight, n.source_count`))
}

func TestARelationshipThatWasReplacedStaysDeleted(t *testing.T) {
	e := fresh(t)
	var nodes []graph.NodeWrite
	for _, key := range []string{"a", "b", "c"} {
		nodes = append(nodes, graph.NodeWrite{Kind: "document", EntityKey: key, Name: graph.Some(key)})
	}
	first := e.Write("u1", nodes, link("a", "relates_to", "b", 0.5), link("a", "contains", "b", 0.5)).Relationships
	for _, r := range first {
		if _, err := e.Store.DeleteRelationship(t.Context(), e.As("u1"), r.Key, 0); err != nil {
			t.Fatal(err)
		}
	}
	e.Write("u1", nil, link("a", "relates_to", "b", 0.6), link("b", "contains", "c", 0.5), link("c", "contains", "a", 0.5))
	before := e.Stored()
	for _, r := range first {
		if _, err := e.Store.RestoreRelationship(t.Context(), e.As("u1"), r.Key); !errors.Is(err, fault.ErrConflict) {
			t.Errorf("%s beside a newer one, or as a ring: %v", r.Type, err)
		}
	}
	e.Same("stored", before, e.Stored())
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
	if _, err := e.Store.DeleteRelationship(t.Context(), e.As("u1"), mention, 0); err != nil {
		t.Fatal(err)
	}
	e.Source("u1", graph.SourceWrite{EntityKey: "s", StartedAt: graph.Some(weekAgo.Add(-graph.Day))})
	e.restore("u1", "concept", "c")
	if _, err := e.Store.RestoreRelationship(t.Context(), e.As("u1"), mention); err != nil {
		t.Fatal(err)
	}
	for _, r := range e.sections("u1").Relationships {
		e.Same("recent mentions of "+r.Node.EntityKey, int64(0), r.RecentMentions)
	}
}

func TestMessagesAreDeletedAloneToo(t *testing.T) {
	e := fresh(t)
	e.deletable()
	e.delete("u1", "message", "m-0")
	left := e.everything("u1", deletable)
	e.Same("left", []any{int64(1), 1, "one"}, []any{left.Source.MessageCount, len(left.Messages), left.Messages[0].Text})
	e.Source("u1", graph.SourceWrite{EntityKey: "s", Messages: []graph.MessageWrite{said("m-2", "two")}})
	e.delete("u1", "source", "s")
	e.Same("messages that come back with their source are none to restore", []string{"m-0"}, e.deletedKeys("u1", "message"))
	if _, err := e.Store.RestoreNode(t.Context(), e.As("u1"), graph.MessageKind, "m-1"); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("a message without its source: %v", err)
	}
	if _, err := e.Store.RestoreNode(t.Context(), e.As("u1"), graph.MessageKind, "m-0"); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("a message of a deleted source: %v", err)
	}
	e.restore("u1", "source", "s")
	e.restore("u1", "message", "m-0")
	e.Same("all of them in order", []string{"zero", "one", "two"}, e.messages("s"))
	e.Same("count", int64(3), e.see("u1", "s").MessageCount)
}

// TestPurge checks that maintenance erases deleted records after KeepDeleted, the time for which a delete can be undone.
func TestPurge(t *testing.T) {
	e := fresh(t)
	start := time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC) // long before the deletes of other tests, and after longAgo: a purge is for all teams
	e.Now = start
	e.deletable()
	key := e.get("u1", "entity", "e").Relationships[0].Key
	if _, err := e.Store.DeleteRelationship(t.Context(), e.As("u1"), key, 0); err != nil {
		t.Fatal(err)
	}
	e.delete("u1", "source", "s")
	e.delete("u1", "concept", "c")
	kept := func() any {
		return e.Raw(`MATCH (n) WHERE n.team_id = $team AND (n:Deleted OR n:DeletedRelationship) RETURN count(n)`)[0][0]
	}
	m := graph.NewMaintenance(e.Store, graph.MaintenanceOptions{})
	for _, c := range []struct {
		after time.Duration
		kept  int64
	}{{30*graph.Day - time.Millisecond, 5}, {30 * graph.Day, 0}} {
		e.Now = start.Add(c.after)
		if err := m.PurgeForTest(t.Context()); err != nil {
			t.Fatal(err)
		}
		e.Same("kept after "+c.after.String(), any(c.kept), kept())
		e.Same("listed", map[bool]int{true: 1}[c.kept > 0], len(e.deletedKeys("u1", "concept")))
	}
	_, err := e.Store.RestoreNode(t.Context(), e.As("u1"), graph.ConceptKind, "c")
	_, relationship := e.Store.RestoreRelationship(t.Context(), e.As("u1"), key)
	if !errors.Is(err, fault.ErrNotFound) || !errors.Is(relationship, fault.ErrNotFound) {
		t.Errorf("after the purge: %v; %v", err, relationship)
	}
	e.Same("relationships that led to what is gone", []any{int64(4)}, e.Stored()[:1])
}

// TestOldDeletesAreNotRestored checks that an old delete cannot be undone, even before maintenance has run.
func TestOldDeletesAreNotRestored(t *testing.T) {
	e := fresh(t)
	e.deletable()
	key := e.get("u1", "entity", "e").Relationships[0].Key
	if _, err := e.Store.DeleteRelationship(t.Context(), e.As("u1"), key, 0); err != nil {
		t.Fatal(err)
	}
	e.delete("u1", "concept", "c")
	e.Now = noon.Add(30 * graph.Day)
	_, err := e.Store.RestoreNode(t.Context(), e.As("u1"), graph.ConceptKind, "c")
	_, relationship := e.Store.RestoreRelationship(t.Context(), e.As("u1"), key)
	if !errors.Is(err, fault.ErrNotFound) || !errors.Is(relationship, fault.ErrNotFound) {
		t.Errorf("too late: %v; %v", err, relationship)
	}
	e.Same("listed", []string{}, e.deletedKeys("u1", "concept"))
	e.Now = noon.Add(30*graph.Day - time.Millisecond)
	e.Same("the last moment", "c", e.restore("u1", "concept", "c").EntityKey)
}
