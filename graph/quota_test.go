package graph_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"kith/graph"
	"kith/graph/neo"
	"kith/internal/fault"
	"kith/memory/chat"
	"kith/memory/preference"
	"kith/memory/system"
	"kith/tests/testenv"
)

// limited returns an environment whose teams have quotas.
func limited(t *testing.T, q graph.Quota) *env {
	t.Helper()
	fresh(t)
	return open(t, testenv.Neo4j(t), graph.Options{Quota: q})
}

func (e *env) add(key string, change ...func(*graph.NodeWrite)) error {
	_, err := e.Store.Write(e.Context(), e.As("u1"), &graph.MemoryWrite{Nodes: []graph.NodeWrite{node("concept", key, 0.5, change...)}})
	return err
}

// A full team can change and delete its data, and write again when there is room.
func TestQuotaOfNodes(t *testing.T) {
	e := limited(t, graph.Quota{Nodes: 5}) // including the user's own person
	e.Source("u1", graph.SourceWrite{EntityKey: "s", Messages: []graph.MessageWrite{said("m-1", "x")}})
	e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)})
	for what, try := range map[string]func() error{
		"a node":   func() error { return e.add("c") },
		"a source": func() error { _, err := e.Store.WriteSource(t.Context(), e.As("u1"), &graph.SourceWrite{}); return err },
		"a message": func() error {
			_, err := e.Store.AppendMessages(t.Context(), e.As("u1"), "s", []graph.MessageWrite{said("", "x")})
			return err
		},
		"an element": func() error {
			_, err := system.NewStore(e.Store).MergeSystem(t.Context(), e.As(""), "sys", &system.Write{Entities: []system.EntityWrite{{Name: "x", Type: graph.Some("y")}}})
			return err
		},
		"all or nothing": func() error {
			_, err := e.Store.Write(t.Context(), e.As("u1"), &graph.MemoryWrite{Nodes: []graph.NodeWrite{change("concept", "a", described("changed")), node("concept", "c", 0.5)}})
			return err
		},
	} {
		if err := try(); !errors.Is(err, graph.ErrQuota) || !strings.Contains(err.Error(), "is 5 nodes") {
			t.Errorf("%s: %v", what, err)
		}
	}
	e.Same("nothing was written", [][]any{{int64(5), ""}},
		e.Raw(`MATCH (n:Memory {team_id: $team}) RETURN count(n), max(CASE n.entity_key WHEN 'a' THEN n.description END)`))
	e.Write("u1", []graph.NodeWrite{change("concept", "a", described("changed"))})
	if err := e.neighbour().add("c"); err != nil {
		t.Errorf("another team: %v", err)
	}
	if _, err := e.Store.DeleteNode(t.Context(), e.As("u1"), graph.ConceptKind, "b", 0); err != nil {
		t.Fatal(err)
	}
	(*e.Store.FullField()).InvalidateAll() // as if a second had passed
	if err := e.add("c"); !errors.Is(err, graph.ErrQuota) || !strings.Contains(err.Error(),
		"1 of its nodes and relationships are deleted") || !strings.Contains(err.Error(), "kith team purge") {
		t.Errorf("what is deleted can be restored, and counts: %v", err)
	}
	if purged, err := e.Store.PurgeTeam(t.Context(), e.Team); err != nil || purged != 1 {
		t.Errorf("purged %d, %v", purged, err)
	}
	if err := e.add("c"); err != nil {
		t.Errorf("with room again: %v", err)
	}
	if err := e.add("d"); !errors.Is(err, graph.ErrQuota) {
		t.Errorf("full again: %v", err)
	}
}

// usage returns the usage of the team, counted from scratch.
func (e *env) usage() graph.Usage {
	e.Helper()
	_, has, err := e.Store.TeamQuota(e.Context(), e.Team)
	if err != nil {
		e.Fatal(err)
	}
	return has
}

// bounded sets the team's quota to its usage plus more.
func (e *env) bounded(more graph.Quota) graph.Usage {
	e.Helper()
	has := e.usage()
	nodes, relationships, text := has.Nodes+more.Nodes, has.Relationships+more.Relationships, has.Text+more.Text
	if err := e.Store.SetTeamQuota(e.Context(), e.Team, graph.OwnQuota{&nodes, &relationships, &text}); err != nil {
		e.Fatal(err)
	}
	(*e.Store.FullField()).InvalidateAll()
	return has
}

// writers returns all operations that store something for a caller: each adds to a team that has been filled.
func (e *env) writers() map[string]func() error {
	ctx, as := e.Context(), e.As("u1")
	long := strings.Repeat("x", 500)
	note := []graph.NoteWrite{{Content: long}}
	key := e.Raw(`MATCH (:Memory {team_id: $team, entity_key: 'a'})-[r {team_id: $team}]->() WHERE r.key IS NOT NULL RETURN r.key LIMIT 1`)[0][0].(string)
	return map[string]func() error{
		"a node": func() error { return e.add("c") },
		"a longer description": func() error {
			_, err := e.Store.PatchNode(ctx, as, change("concept", "a", described(long)), graph.NodeQuery{})
			return err
		},
		"a description in a write": func() error { return e.add("b", described(long)) },
		"keywords": func() error {
			return e.add("a", func(w *graph.NodeWrite) { w.Properties = json.RawMessage(`{"k":"` + long + `"}`) })
		},
		"a note":                   func() error { _, err := e.Store.AddNotes(ctx, as, graph.ConceptKind, "a", note); return err },
		"a note of a relationship": func() error { _, err := e.Store.AddRelationshipNotes(ctx, as, key, note); return err },
		"a relationship": func() error {
			_, err := e.Store.Write(ctx, as, &graph.MemoryWrite{Relationships: []graph.RelationshipWrite{link("a", "inspires", "b", 0.5)}})
			return err
		},
		"a relationship without texts": func() error {
			_, err := e.Store.Write(ctx, as, &graph.MemoryWrite{Relationships: []graph.RelationshipWrite{{From: "b", To: "a", Type: "inspires"}}})
			return err
		},
		"a past relationship": func() error {
			w := link("a", "relates_to", "b", 0.5)
			w.Description, w.Contradicts = graph.Some("it is otherwise"), true
			_, err := e.Store.Write(ctx, as, &graph.MemoryWrite{Relationships: []graph.RelationshipWrite{w}})
			return err
		},
		"an idempotency key": func() error {
			_, err := e.Store.Write(ctx, as, &graph.MemoryWrite{IdempotencyKey: "again", Nodes: []graph.NodeWrite{change("concept", "a")}})
			return err
		},
		"a source": func() error { _, err := e.Store.WriteSource(ctx, as, &graph.SourceWrite{}); return err },
		"participants": func() error {
			_, err := e.Store.WriteSource(ctx, as, &graph.SourceWrite{EntityKey: "s", Participants: []string{"u2", "u3"}})
			return err
		},
		"a message": func() error {
			_, err := e.Store.AppendMessages(ctx, as, "s", []graph.MessageWrite{said("", "x")})
			return err
		},
		"a summary": func() error {
			_, err := e.Store.EndConversation(ctx, as, "s2", &graph.ConversationEnd{Summary: graph.Some(long)})
			return err
		},
		"an entity": func() error {
			_, err := system.NewStore(e.Store).MergeSystem(ctx, e.As(""), "sys", &system.Write{Entities: []system.EntityWrite{{Name: "z", Type: graph.Some("y")}}})
			return err
		},
		"a system": func() error {
			_, err := system.NewStore(e.Store).MergeSystem(ctx, e.As(""), long[:200], &system.Write{})
			return err
		},
		"a relationship of a system": func() error {
			_, err := system.NewStore(e.Store).MergeSystem(ctx, e.As(""), "sys", &system.Write{Relationships: []system.RelationshipWrite{{From: "y", To: "x", Type: "calls"}}})
			return err
		},
		"preferences": func() error {
			return preference.NewStore(e.Store).ReplacePreferences(ctx, as, []preference.Preference{{Key: "k", Value: json.RawMessage(`"` + long + `"`)}})
		},
		"a preference": func() error {
			return preference.NewStore(e.Store).SetPreference(ctx, e.As("u7"), preference.Preference{Key: "k", Value: json.RawMessage(`"` + long + `"`)})
		},
		"a tree": func() error { _, _, err := e.chats().CreateChatTree(ctx, as, "", &chat.TreeWrite{}); return err },
		"a system prompt": func() error {
			_, err := e.chats().ChangeChatTree(ctx, as, "tree", &chat.TreeWrite{SystemPrompt: graph.Some(long)})
			return err
		},
		"a turn": func() error {
			_, _, err := e.chats().AddChatTurn(ctx, as, "tree", chat.TurnWrite{UserPrompt: "x"})
			return err
		},
		"an answer": func() error {
			_, err := e.chats().AnswerChatTurn(ctx, as, "turn", &chat.Answer{AssistantText: graph.Some(long)})
			return err
		},
		"an imported node": func() error {
			return e.restored(&graph.RestoreBatch{Nodes: []graph.NodeWrite{node("concept", "i", 0.5)}})
		},
		"a write that waits": func() error {
			w := node("concept", "w", 0.5)
			w.OwnFields = &graph.OwnFields{Trust: graph.Some(0.1)}
			_, err := e.Store.Write(ctx, as, &graph.MemoryWrite{Nodes: []graph.NodeWrite{w}})
			return err
		},
		"an imported review": func() error {
			_, _, err := e.Store.RestoreReviews(ctx, as, []graph.ReviewLine{reviewLine(e, "w")}, false)
			return err
		},
		"an imported rule": func() error {
			_, err := e.Store.RestoreTrustRules(ctx, as, []graph.TrustRuleLine{{Origin: "external", Decision: graph.Declined, CreatedAt: e.Store.Now()}}, false)
			return err
		},
		"an imported tree": func() error {
			now := e.Store.Now().UnixMilli()
			_, err := e.chats().RestoreChats(ctx, as, &chat.Batch{Trees: []chat.TreeRecord{{ID: "i", CreatedAt: now, UpdatedAt: now}}})
			return err
		},
	}
}

func (e *env) restored(b *graph.RestoreBatch) error {
	_, err := e.Store.Restore(e.Context(), e.As("u1"), b, graph.ImportMark{}, func(graph.MemoryResult) string { return "" }, false)
	return err
}

// filled gives the team something of each kind.
func (e *env) filled() {
	e.Helper()
	e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)}, link("a", "relates_to", "b", 0.5))
	e.Source("u1", graph.SourceWrite{EntityKey: "s", Messages: []graph.MessageWrite{said("m-1", "x")}})
	e.Source("u1", graph.SourceWrite{EntityKey: "s2"})
	_, merged := system.NewStore(e.Store).MergeSystem(e.Context(), e.As(""), "sys",
		&system.Write{Entities: []system.EntityWrite{{Name: "x", Type: graph.Some("y")}, {Name: "y", Type: graph.Some("y")}}})
	_, _, tree := e.chats().CreateChatTree(e.Context(), e.As("u1"), "tree", &chat.TreeWrite{})
	_, _, turn := e.chats().AddChatTurn(e.Context(), e.As("u1"), "tree", chat.TurnWrite{ID: "turn", UserPrompt: "x"})
	if err := errors.Join(merged, tree, turn); err != nil {
		e.Fatal(err)
	}
}

// Every operation that stores something is refused by a full quota, stores nothing then, and counts when there is
// room.
func TestAFullQuotaRefusesAllThatStores(t *testing.T) {
	e := limited(t, graph.Quota{Text: 1 << 40})
	e.filled()
	writers := e.writers()
	had := e.bounded(graph.Quota{})
	for what, try := range writers {
		if err := try(); !errors.Is(err, graph.ErrQuota) {
			t.Errorf("%s: %v", what, err)
		}
		(*e.Store.FullField()).InvalidateAll()
	}
	if has := e.usage(); has != had {
		t.Errorf("what was refused was stored: %+v, before %+v", has, had)
	}
	had = e.bounded(graph.Quota{1000, 1000, 100_000})
	for what, try := range writers {
		if err := try(); err != nil {
			t.Errorf("%s, with room: %v", what, err)
		}
		has := e.counted(what)
		if has.Nodes+has.Relationships+has.Text <= had.Nodes+had.Relationships+had.Text {
			t.Errorf("%s does not count: %+v, before %+v", what, has, had)
		}
		had = has
	}
}

// counted checks that the stored count of the team is never below its usage.
func (e *env) counted(after string) graph.Usage {
	e.Helper()
	row := e.Raw(`MATCH (q:Quota {team_id: $team}) RETURN q.nodes, q.relationships, q.characters`)[0]
	has := e.usage()
	if neo.Integer(row[0]) < has.Nodes || neo.Integer(row[1]) < has.Relationships || neo.Integer(row[2]) < has.Text {
		e.Errorf("after %s: %v are counted, there are %+v", after, row, has)
	}
	return has
}

// Repeated creation and deletion is bounded, for nodes and for relationships.
func TestWhatIsDeletedCounts(t *testing.T) {
	e := limited(t, graph.Quota{Nodes: 6, Relationships: 3})
	e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)})
	created := 0
	for i := range 5 {
		(*e.Store.FullField()).InvalidateAll()
		key := fmt.Sprintf("n-%d", i)
		if e.add(key) == nil {
			created++
			e.delete("u1", "concept", key)
		}
	}
	linked := 0
	for range 4 {
		(*e.Store.FullField()).InvalidateAll()
		result, err := e.Store.Write(t.Context(), e.As("u1"), &graph.MemoryWrite{Relationships: []graph.RelationshipWrite{link("a", "relates_to", "b", 0.5)}})
		if err != nil {
			continue
		}
		linked++
		if _, err := e.Store.DeleteRelationship(t.Context(), e.As("u1"), result.Relationships[0].Key, 0); err != nil {
			t.Fatal(err)
		}
	}
	if created != 3 || linked != 3 {
		t.Errorf("%d nodes and %d relationships were created", created, linked)
	}
	if has := e.usage(); has.Nodes != 6 || has.Relationships != 3 || has.Deleted != 6 {
		t.Errorf("%+v", has)
	}
	if view := e.restore("u1", "concept", "n-0"); view.EntityKey != "n-0" {
		t.Errorf("restored: %+v", view)
	}
	if has := e.usage(); has.Nodes != 6 || has.Deleted != 5 {
		t.Errorf("restored: %+v", has)
	}
}

// A team that exceeds its quota can reduce its data, but not add to it.
func TestATeamWithTooMuchMakesItLess(t *testing.T) {
	e := limited(t, graph.Quota{Text: 1 << 40})
	e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.5, described(strings.Repeat("x", 900)))})
	less := int64(100)
	if err := e.Store.SetTeamQuota(t.Context(), e.Team, graph.OwnQuota{Text: &less}); err != nil {
		t.Fatal(err)
	}
	if err := e.add("a", described(strings.Repeat("x", 1800))); !errors.Is(err, graph.ErrQuota) {
		t.Errorf("more: %v", err)
	}
	if err := e.add("a", described("short")); err != nil {
		t.Errorf("less: %v", err)
	}
}

// Random writes leave the count of a team at or above its usage, and never exceed the quota.
func TestQuotaAfterRandomWrites(t *testing.T) {
	e := limited(t, graph.Quota{Text: 1 << 40})
	e.filled()
	had := e.bounded(graph.Quota{8, 6, 4000})
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 20 {
		(*e.Store.FullField()).InvalidateAll()
		key := fmt.Sprintf("n-%d", random.IntN(6))
		text := strings.Repeat("y", random.IntN(400))
		var err error
		switch random.IntN(5) {
		case 0:
			err = e.add(key, described(text))
		case 1:
			_, err = e.Store.Write(t.Context(), e.As("u1"), &graph.MemoryWrite{Relationships: []graph.RelationshipWrite{{From: "a", To: "b",
				Type: fmt.Sprintf("type_%d", random.IntN(4)), Description: graph.Some(text)}}})
		case 2:
			_, err = e.Store.DeleteNode(t.Context(), e.As("u1"), graph.ConceptKind, key, 0)
		case 3:
			err = preference.NewStore(e.Store).ReplacePreferences(t.Context(), e.As("u1"), []preference.Preference{{Key: key, Value: json.RawMessage(`"` + text + `"`)}})
		case 4:
			_, _, err = e.chats().AddChatTurn(t.Context(), e.As("u1"), "tree", chat.TurnWrite{UserPrompt: "p" + text})
		}
		if err != nil && !errors.Is(err, graph.ErrQuota) && !errors.Is(err, fault.ErrNotFound) {
			t.Fatalf("write %d: %v", i, err)
		}
		if has := e.counted(fmt.Sprintf("write %d", i)); has.Nodes > had.Nodes+8 || has.Relationships > had.Relationships+6 || has.Text > had.Text+4000 {
			t.Fatalf("write %d: %+v, at first %+v", i, has, had)
		}
	}
}

func TestQuotaOfText(t *testing.T) {
	e := limited(t, graph.Quota{Text: 1 << 40})
	e.Write("u1", []graph.NodeWrite{owner1("me")})
	none := e.usage()
	e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.5, described(strings.Repeat("ä", 80)))})
	one := e.usage()
	if err := e.add("b"); err != nil {
		t.Fatal(err)
	}
	each := e.usage().Text - one.Text // of a node without a description
	if each < 5 || one.Text-none.Text != each+80 {
		t.Errorf("%d characters of a node without a description, %d with one of 80", each, one.Text-none.Text)
	}
	e.bounded(graph.Quota{Nodes: 100, Text: each + 5})
	if err := e.add("c", described(strings.Repeat("x", 6))); !errors.Is(err, graph.ErrQuota) || !strings.Contains(err.Error(), "characters of text") {
		t.Errorf("too much: %v", err)
	}
	(*e.Store.FullField()).InvalidateAll()
	other := open(t, testenv.Neo4j(t), graph.Options{Quota: graph.Quota{Text: 100}})
	other.Team = e.Team
	if err := other.add("c", described("xxxxx")); err != nil {
		t.Errorf("what there is room for: %v", err)
	}
	if err := e.add("d"); !errors.Is(err, graph.ErrQuota) {
		t.Errorf("what another process wrote: %v", err)
	}
}

// Concurrent writers in two processes fill a team to its last node, and not further.
func TestQuotaUnderConcurrency(t *testing.T) {
	e := limited(t, graph.Quota{Nodes: 20})
	var shares atomic.Int64
	other := open(t, testenv.Neo4j(t), graph.Options{Quota: graph.Quota{Nodes: 20}, ObserveQuota: func(share float64) {
		if share > 1 {
			shares.Add(1)
		}
	}})
	other.Team = e.Team
	var stored, refused atomic.Int64
	var writers sync.WaitGroup
	for i := range 12 {
		writers.Go(func() {
			for n := range 3 {
				switch err := []*env{e, other}[i%2].add(fmt.Sprintf("n-%d-%d", i, n)); {
				case err == nil:
					stored.Add(1)
				case errors.Is(err, graph.ErrQuota):
					refused.Add(1)
				default:
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	e.Same("counted", [][]any{{int64(20)}}, e.Raw(`MATCH (n:Memory {team_id: $team}) RETURN count(n)`))
	if stored.Load() != 19 || refused.Load() != 17 || shares.Load() == 0 {
		t.Errorf("%d were stored, %d refused, a share above 1 was reported %d times", stored.Load(), refused.Load(), shares.Load())
	}
}
