package graph_test

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"kith/graph"
	"kith/memory/preference"
	"kith/memory/statement"
	"kith/memory/system"
)

// Records that the steps of a feedModel write.
var (
	feedNodes = map[string]string{"c1": "concept", "c2": "concept", "p1": "person", "p2": "person", "e1": "entity", "pr": "project", "t1": "task", "t2": "task"}
	feedTexts = []string{"I love jazz.", "I hate jazz.", "I live in Lyon.", "I moved to Porto.", "Good morning.", "Always answer briefly."}
)

func (m *feedModel) one(name string, from ...string) string {
	return rapid.SampledFrom(from).Draw(m.T, name)
}

func (m *feedModel) yes(name string) bool { return rapid.Bool().Draw(m.T, name) }

// nodeKey returns the kind and key of a node that may be there.
func (m *feedModel) nodeKey(name string) (kind, key string) {
	keys := slices.Sorted(slices.Values(keysIn(feedNodes)))
	key = m.one(name, append(keys, "s1", "s2")...)
	if kind = feedNodes[key]; kind == "" {
		kind = "source"
	}
	return kind, key
}

// linkKey returns the key of a relationship that is or was stored; empty if there is none.
func (m *feedModel) linkKey(deleted bool) string {
	found := `MATCH (a:Memory {team_id: $team})-[r]->() WHERE a.entity_key IS NOT NULL AND r.key IS NOT NULL RETURN r.key ORDER BY r.key`
	if deleted {
		found = `MATCH (r:DeletedRelationship {team_id: $team}) RETURN r.key ORDER BY r.key`
	}
	rows := m.Raw(found)
	if len(rows) == 0 {
		return ""
	}
	return rows[rapid.IntRange(0, len(rows)-1).Draw(m.T, "relationship")][0].(string) //nolint:forcetypeassert // a key
}

// step does one thing at random, and returns what. What the store refuses changes nothing, so errors do not matter.
func (m *feedModel) step() string {
	steps := map[string]func() error{
		"memory": m.write, "memory again": m.write, "links": m.link, "links again": m.link, "source": m.source, "import": m.imported, "edge": m.edge, "conversation": m.conversation,
		"delete": m.remove, "delete again": m.remove, "restore": m.restore, "unlink": m.unlink, "relink": m.relink, "note": m.note,
		"system": m.system, "system again": m.system, "preference": m.preference, "decide": m.decide, "owner": m.nameOwner,
	}
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range steps {
			if !yield(name) {
				return
			}
		}
	})
	name := m.one("step", names...)
	return fmt.Sprintf("%s (%v)", name, steps[name]())
}

func (m *feedModel) nodeWrite() graph.NodeWrite {
	kind, key := m.nodeKey("node")
	if kind == "source" {
		kind, key = "concept", "c1"
	}
	w := node(kind, key, 0.5, described(m.one("text", "", "a", "b")))
	if m.yes("shared") {
		shared(&w)
	}
	if kind == "task" {
		w.OwnFields = &graph.OwnFields{ProjectID: graph.Some("pr")}
	}
	if kind == "person" && m.yes("owner") {
		w.IsOwner = graph.Some(true)
	}
	return w
}

func (m *feedModel) linkWrite() graph.RelationshipWrite {
	_, from := m.nodeKey("from")
	_, to := m.nodeKey("to")
	for _, row := range m.Raw(`MATCH (n:Person {team_id: $team, owner_of: 'u1'}) RETURN n.entity_key`) {
		if m.yes("of the owner") { // it may be generated
			from = row[0].(string) //nolint:forcetypeassert // a key
		}
	}
	l := link(from, m.one("type", "relates_to", "has_relationship_with", "depends_on"), to, 0.5)
	l.Description = graph.Some(m.one("text", "a", "b"))
	if m.yes("closed") {
		l.ValidTo = graph.Some(m.Now)
	}
	return l
}

func (m *feedModel) write() error {
	w := &graph.MemoryWrite{Nodes: []graph.NodeWrite{m.nodeWrite(), m.nodeWrite()}}
	if m.yes("linked") {
		w.Relationships = []graph.RelationshipWrite{m.linkWrite()}
	}
	_, err := m.Store.Write(m.Context(), m.As(m.one("user", "u1", "u2")), w)
	return err
}

func (m *feedModel) link() error {
	_, err := m.Store.Write(m.Context(), m.As("u1"), &graph.MemoryWrite{Relationships: []graph.RelationshipWrite{m.linkWrite(), m.linkWrite(), m.linkWrite()}})
	return err
}

// nameOwner makes a person the owner of a user, in place of a generated one.
func (m *feedModel) nameOwner() error {
	user := m.one("user", "u1", "u2", "u3")
	_, err := m.Store.Write(m.Context(), m.As(user), &graph.MemoryWrite{Nodes: []graph.NodeWrite{owner1("the owner " + user)}})
	return err
}

func (m *feedModel) messages() (all []graph.MessageWrite) {
	for range rapid.IntRange(0, 3).Draw(m.T, "messages") {
		all = append(all, said(m.one("message", "", "m1", "m2"), m.one("said", feedTexts...)))
	}
	return all
}

func (m *feedModel) source() error {
	w := &graph.SourceWrite{EntityKey: m.one("source", "s1", "s2"), Summary: graph.Some(m.one("summary", "x", "y")), Messages: m.messages()}
	if _, key := m.nodeKey("mentioned"); m.yes("mentions") {
		w.Mentions = []string{key}
	}
	_, err := m.Store.WriteSource(m.Context(), m.As(m.one("user", "u1", "u1", "u2")), w)
	return err
}

func (m *feedModel) conversation() (err error) {
	switch key := m.one("conversation", "s1", "s2"); m.one("what", "append", "end", "focus") {
	case "append":
		_, err = m.Store.AppendMessages(m.Context(), m.As("u1"), key, m.messages())
	case "end":
		_, err = m.Store.EndConversation(m.Context(), m.As("u1"), key, &graph.ConversationEnd{Summary: graph.Some(m.one("summary", "", "z"))})
	default:
		_, err = m.Store.SetFocus(m.Context(), m.As("u1"), key, &graph.ConversationFocus{ProjectID: "pr", FocusKind: "task", FocusID: m.one("focus", "t1", "t2")})
	}
	return err
}

// imported imports nodes and relationships as an export has them, or only tries to.
func (m *feedModel) imported() error {
	n, l := m.nodeWrite(), m.linkWrite()
	n.History = &graph.History{Version: graph.Some(int64(rapid.IntRange(1, 5).Draw(m.T, "version")))}
	b := &graph.RestoreBatch{Nodes: []graph.NodeWrite{n}, Relationships: []graph.RelationshipWrite{l}}
	report := func(graph.MemoryResult) string { return "" }
	if m.yes("dry run") {
		b.Plan = graph.NewRestorePlan()
		defer func() { _ = b.Plan.Close() }()
	}
	_, err := m.Store.Restore(m.Context(), m.As("u1"), b, graph.ImportMark{}, report, b.Plan != nil)
	return err
}

func (m *feedModel) edge() error {
	edge := graph.EdgeWrite{SrcKind: "project", SrcID: "pr", DstKind: "task", DstID: m.one("task", "t1", "t2"), Rel: "has_task"}
	_, err := m.Store.Link(m.Context(), m.As("u1"), &graph.EdgesWrite{Edges: []graph.EdgeWrite{edge}})
	return err
}

func (m *feedModel) remove() error {
	name, key := m.nodeKey("node")
	if m.yes("message") {
		name, key = "message", m.one("message", "m1", "m2")
	}
	kind, _ := graph.KindOf(name)
	_, err := m.Store.DeleteNode(m.Context(), m.As("u1"), kind, key, 0)
	return err
}

func (m *feedModel) restore() error {
	name, key := m.nodeKey("node")
	if m.yes("message") {
		name, key = "message", m.one("message", "m1", "m2")
	}
	kind, _ := graph.KindOf(name)
	_, err := m.Store.RestoreNode(m.Context(), m.As("u1"), kind, key)
	return err
}

func (m *feedModel) unlink() error {
	_, err := m.Store.DeleteRelationship(m.Context(), m.As("u1"), m.linkKey(false), 0)
	return err
}

func (m *feedModel) relink() error {
	_, err := m.Store.RestoreRelationship(m.Context(), m.As("u1"), m.linkKey(true))
	return err
}

func (m *feedModel) note() error {
	notes := []graph.NoteWrite{{Content: m.one("note", "a", "b")}}
	if m.yes("on a relationship") {
		_, err := m.Store.AddRelationshipNotes(m.Context(), m.As("u1"), m.linkKey(false), notes)
		return err
	}
	name, key := m.nodeKey("node")
	kind, _ := graph.KindOf(name)
	found, err := m.Store.AddNotes(m.Context(), m.As("u1"), kind, key, notes)
	if err == nil && m.yes("off again") {
		_, err = m.Store.DeleteNote(m.Context(), m.As("u1"), kind, key, found[0].ID)
	}
	return err
}

func (m *feedModel) preference() (err error) {
	scope, key, value := m.As(m.one("user", "u1", "u2")), m.one("key", "k1", "k2"), []byte(m.one("value", "1", "2"))
	switch m.one("what", "set", "set", "replace", "delete") {
	case "set":
		err = m.preferences.SetPreference(m.Context(), scope, preference.Preference{Key: key, Value: value})
	case "replace":
		err = m.preferences.ReplacePreferences(m.Context(), scope, []preference.Preference{{Key: key, Value: value}})
	default:
		err = m.preferences.DeletePreference(m.Context(), scope, key)
	}
	return err
}

func (m *feedModel) decide() error {
	page, err := m.statements.Statements(m.Context(), m.As("u1"), statement.Query{Closed: true, Limit: 100})
	var decisions []statement.Decision
	for _, s := range page.Statements {
		decisions = append(decisions, statement.Decision{Key: s.Key, State: m.one("state", statement.Confirmed, statement.Refused)})
	}
	if err != nil || len(decisions) == 0 {
		return err
	}
	return m.statements.Decide(m.Context(), m.As("u1"), decisions)
}

func (m *feedModel) system() (err error) {
	ctx, scope, name, other := m.Context(), m.As("u1"), m.one("entity", "a", "b", "c"), m.one("other", "a", "b", "c")
	entity := system.EntityWrite{Name: name, Type: graph.Some("t"), Description: graph.Some(m.one("text", "x", "y"))}
	uses := system.RelationshipWrite{From: name, To: other, Type: "uses", Properties: []byte(m.one("properties", `{}`, `{"n":1}`))}
	switch m.one("what", "put", "merge", "merge", "link", "link", "delete", "unlink", "rename", "drop", "hide", "back") {
	case "put":
		file := &system.Memory{Entities: []system.Entity{{Name: name, Type: "t"}}, Relationships: []system.Relationship{{From: name, To: name, Type: "uses"}}}
		_, err = m.systems.ReplaceSystem(ctx, scope, "sys", file, true)
	case "merge":
		_, err = m.systems.MergeSystem(ctx, scope, "sys", &system.Write{Entities: []system.EntityWrite{entity}})
	case "link":
		_, err = m.systems.MergeSystem(ctx, scope, "sys", &system.Write{Relationships: []system.RelationshipWrite{uses}})
	case "delete":
		_, err = m.systems.DeleteSystemEntity(ctx, scope, "sys", name)
	case "unlink":
		err = m.systems.DeleteSystemRelationship(ctx, scope, "sys", name, other, "uses")
	case "rename":
		_, err = m.systems.RenameSystemEntity(ctx, scope, "sys", name, other)
	case "drop":
		_, err = m.systems.DeleteSystem(ctx, scope, "sys")
	case "hide":
		n, _ := m.systems.SystemEntity(ctx, scope, "sys", name)
		_, err = m.Store.DeleteNode(ctx, scope, graph.SystemEntityKind, n.EntityKey, 0)
	default:
		for _, row := range m.Raw(`MATCH (n:Deleted {team_id: $team, deleted_kind: 'system_entity'}) RETURN n.entity_key ORDER BY n.entity_key LIMIT 1`) {
			_, err = m.Store.RestoreNode(ctx, scope, graph.SystemEntityKind, row[0].(string)) //nolint:forcetypeassert // a key
		}
	}
	return err
}
