package chat

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"kith/graph"
	"kith/internal/fault"
	"kith/tests/graphtest"

	"pgregory.net/rapid"
)

// modelTurn is the expected state of a turn.
type modelTurn struct {
	tree, parent string
	status       Status
	attempt      int64
	answer       string
	until        time.Time // of its lease
}

// chatModel is the expected state of chats after a history.
type chatModel struct {
	*env
	r     *rapid.T
	trees []string
	turns map[string]*modelTurn
	order []string // of turns, in their order
}

// status returns the present status.
func (m *chatModel) status(n *modelTurn) Status {
	if n.status == StatusGenerating && !n.until.After(m.Now) {
		return StatusError
	}
	return n.status
}

func (m *chatModel) below(id string) []string {
	ids := []string{id}
	for i := 0; i < len(ids); i++ {
		for _, other := range m.order {
			if m.turns[other] != nil && m.turns[other].parent == ids[i] {
				ids = append(ids, other)
			}
		}
	}
	return ids
}

func (m *chatModel) any() string {
	return rapid.SampledFrom(append(slices.Clone(m.order), "unknown")).Draw(m.r, "turn")
}

// want compares the error of a call with the expected one; nil: success.
func (m *chatModel) want(what string, want, got error) {
	m.Helper()
	if !errors.Is(got, want) || want == nil && got != nil {
		m.r.Fatalf("%s: %v, want %v", what, got, want)
	}
}

func (m *chatModel) add() {
	tree := rapid.SampledFrom(append(slices.Clone(m.trees), "none")).Draw(m.r, "tree")
	parent, id := "", fmt.Sprintf("c-%d", len(m.order))
	if rapid.IntRange(0, 3).Draw(m.r, "reply") > 0 {
		parent = m.any()
	}
	w := TurnWrite{ID: id, ParentID: parent, UserPrompt: id}
	n := &modelTurn{tree: tree, parent: parent, status: StatusPending, attempt: 1}
	if rapid.Bool().Draw(m.r, "generate") {
		w.Lease, n.status, n.until = m.minute(), StatusGenerating, m.Now.Add(time.Minute)
	}
	_, created, err := m.chats.AddChatTurn(m.Context(), m.As("u1"), tree, w)
	above := m.turns[parent]
	switch {
	case !slices.Contains(m.trees, tree):
		m.want("add to no tree", fault.ErrNotFound, err)
	case parent != "" && (above == nil || above.tree != tree):
		m.want("add to another tree's turn", fault.ErrInvalid, err)
	case above != nil && m.status(above) == StatusError:
		m.want("reply to an error", fault.ErrConflict, err)
	default:
		m.want("add", nil, err)
		if !created {
			m.r.Fatal("a new turn is not new")
		}
		m.turns[id], m.order = n, append(m.order, id)
	}
}

// change makes a change that is allowed in some states. conflict means that it is an error in the others.
func (m *chatModel) change(what string, from []Status, conflict bool, do func(id string) (bool, error), then func(*modelTurn)) {
	id := m.any()
	n := m.turns[id]
	done, err := do(id)
	switch {
	case n == nil:
		m.want(what+" of nothing", fault.ErrNotFound, err)
	case slices.Contains(from, m.status(n)):
		if m.want(what, nil, err); !done {
			m.r.Fatalf("%s of a turn that is %s is not done", what, m.status(n))
		}
		then(n)
	case conflict:
		m.want(what, fault.ErrConflict, err)
	default:
		if m.want(what, nil, err); done {
			m.r.Fatalf("%s of a turn that is %s is done", what, m.status(n))
		}
	}
}

func (m *chatModel) step() {
	ctx, scope := m.Context(), m.As("u1")
	steps := []string{"add", "add", "add", "add", "answer", "finish", "late", "retry", "cancel", "delete", "tree", "drop", "wait"}
	switch rapid.SampledFrom(steps).Draw(m.r, "step") {
	case "add":
		m.add()
	case "answer":
		m.change("answer", []Status{StatusPending}, true, func(id string) (bool, error) {
			_, err := m.chats.AnswerChatTurn(ctx, scope, id, &Answer{AssistantText: graph.Some("theirs")})
			return err == nil, err
		}, func(n *modelTurn) { n.status, n.answer = StatusComplete, "theirs" })
	case "finish":
		failed := rapid.Bool().Draw(m.r, "failed")
		m.change("finish", []Status{StatusGenerating}, false, func(id string) (bool, error) {
			a, attempt := &Answer{AssistantText: graph.Some("ours")}, int64(1)
			if failed {
				a = &Answer{Error: graph.Some("no")}
			}
			if n := m.turns[id]; n != nil {
				attempt = n.attempt
			}
			return m.chats.FinishChatTurn(ctx, scope, id, attempt, a)
		}, func(n *modelTurn) {
			if n.status = StatusError; !failed {
				n.status, n.answer = StatusComplete, "ours"
			}
		})
	case "late":
		m.change("finish of another attempt", nil, false, func(id string) (bool, error) {
			attempt := int64(1)
			if n := m.turns[id]; n != nil {
				attempt = n.attempt + 1
			}
			return m.chats.FinishChatTurn(ctx, scope, id, attempt, &Answer{AssistantText: graph.Some("late")})
		}, nil)
	case "retry":
		m.change("retry", []Status{StatusError}, false, func(id string) (bool, error) {
			_, retried, err := m.chats.RetryChatTurn(ctx, scope, id, *m.minute())
			return retried, err
		}, func(n *modelTurn) {
			n.status, n.attempt, n.until = StatusGenerating, n.attempt+1, m.Now.Add(time.Minute)
		})
	case "cancel":
		m.change("cancel", []Status{StatusPending, StatusGenerating}, true, func(id string) (bool, error) {
			err := m.chats.CancelChatTurn(ctx, scope, id)
			return err == nil, err
		}, func(n *modelTurn) { n.status = StatusCancelled })
	case "delete":
		m.delete(m.any())
	case "tree":
		id := m.tree("u1").ID
		m.trees = append(m.trees, id)
	case "drop":
		m.drop()
	case "wait":
		m.Now = m.Now.Add(40 * time.Second)
	}
}

func (m *chatModel) delete(id string) {
	removed, err := m.chats.DeleteChatTurn(m.Context(), m.As("u1"), id)
	if m.turns[id] == nil {
		m.want("delete of nothing", fault.ErrNotFound, err)
		return
	}
	m.want("delete", nil, err)
	m.forget(m.below(id), removed)
}

func (m *chatModel) drop() {
	if len(m.trees) < 3 { // otherwise histories are short
		return
	}
	tree := m.trees[0]
	removed, err := m.chats.DeleteChatTree(m.Context(), m.As("u1"), tree)
	m.want("delete of a tree", nil, err)
	var all []string
	for id, n := range m.turns {
		if n != nil && n.tree == tree {
			all = append(all, id)
		}
	}
	m.trees = m.trees[1:]
	m.forget(all, removed)
}

// forget removes turns from the model; removed must be the same.
func (m *chatModel) forget(ids, removed []string) {
	slices.Sort(removed)
	slices.Sort(ids)
	if !slices.Equal(ids, removed) {
		m.r.Fatalf("removed %v, want %v", removed, ids)
	}
	for _, id := range ids {
		m.turns[id] = nil // its id is not used again
	}
}

// check compares the store with the model.
func (m *chatModel) check() {
	for _, tree := range m.trees {
		lines, err := m.chats.ChatTurns(m.Context(), m.As("u1"), tree, 0, MaxTurns)
		m.want("turns", nil, err)
		want := []string{}
		for _, id := range m.order {
			if n := m.turns[id]; n != nil && n.tree == tree {
				want = append(want, id)
			}
		}
		if !slices.Equal(want, lineIDs(lines)) {
			m.r.Fatalf("turns of %s: %v, want %v", tree, lineIDs(lines), want)
		}
	}
	for id, n := range m.turns {
		turn, err := m.chats.ChatTurn(m.Context(), m.As("u1"), id)
		if n == nil {
			m.want("a deleted turn", fault.ErrNotFound, err)
			continue
		}
		m.want("turn", nil, err)
		answer := ""
		if turn.AssistantText != nil {
			answer = *turn.AssistantText
		}
		if turn.Status != m.status(n) || turn.Attempt != n.attempt || answer != n.answer || (turn.Error != nil) != (turn.Status == StatusError) {
			m.r.Fatalf("%s: %+v, want %+v", id, turn, n)
		}
		branch, err := m.chats.ChatBranch(m.Context(), m.As("u1"), id)
		m.want("branch", nil, err)
		for above := id; above != ""; above = m.turns[above].parent {
			if len(branch.Turns) == 0 || branch.Turns[0].ID != above {
				m.r.Fatalf("branch of %s: %v at %s", id, branch.Turns, above)
			}
			branch.Turns = branch.Turns[1:]
		}
		below, err := m.chats.ChatDescendants(m.Context(), m.As("u1"), id)
		m.want("descendants", nil, err)
		depth := func(id string) (steps int) {
			for ; m.turns[id].parent != ""; id = m.turns[id].parent {
				steps++
			}
			return steps
		}
		want := m.below(id)
		slices.SortFunc(want, func(a, b string) int {
			return cmp.Or(depth(a)-depth(b), slices.Index(m.order, a)-slices.Index(m.order, b))
		})
		if !slices.Equal(want, lineIDs(below)) {
			m.r.Fatalf("below %s: %v, want %v", id, lineIDs(below), want)
		}
	}
}

// TestChatHistories checks that random histories follow the model: turns form trees, and change their states as allowed.
func TestChatHistories(t *testing.T) {
	graphtest.Twice(t, func(r *rapid.T, g *graphtest.Env) {
		e := withChats(g)
		m := &chatModel{env: e, r: r, turns: map[string]*modelTurn{}}
		m.trees = append(m.trees, m.tree("u1").ID)
		for range rapid.IntRange(1, 40).Draw(r, "steps") {
			m.step()
		}
		m.check()
		e.CheckIntegrity()
	})
}

// TestChatsAtOnce checks that a tree stays consistent while 32 workers change it, and that no turn is generated twice in one attempt.
// The integrity check of the test's team proves the former.
func TestChatsAtOnce(t *testing.T) {
	e := fresh(t)
	tree := e.tree("u1")
	root := e.turn("u1", tree.ID, "", "root", nil)
	failed := e.turn("u1", tree.ID, root.ID, "failed", e.minute()).ID // the one turn that all of them retry
	ended, err := e.chats.FinishChatTurn(t.Context(), e.As("u1"), failed, 1, &Answer{Error: graph.Some("no")})
	e.Same("the turn to retry has failed", []any{true, nil}, []any{ended, err})
	var mu sync.Mutex
	ids, attempts := []string{root.ID}, map[string]int{}
	pick := func(random *rand.Rand) string {
		mu.Lock()
		defer mu.Unlock()
		return ids[random.IntN(len(ids))]
	}
	var all sync.WaitGroup
	for worker := range 32 {
		all.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(worker))) //nolint:gosec // reproducible
			for i := range 12 {
				id, step := pick(random), random.IntN(13)
				if i == 0 {
					id, step = failed, 4
				}
				var err error
				switch step {
				case 0, 1, 2:
					w := TurnWrite{ID: fmt.Sprintf("%d-%d", worker, i), ParentID: id, UserPrompt: "x", Lease: e.minute()}
					if _, _, err = e.chats.AddChatTurn(t.Context(), e.As("u1"), tree.ID, w); err == nil {
						mu.Lock()
						ids = append(ids, w.ID)
						mu.Unlock()
					}
				case 3:
					if _, err = e.chats.FinishChatTurn(t.Context(), e.As("u1"), id, 1+int64(random.IntN(2)), &Answer{Error: graph.Some("no")}); err != nil {
						break
					}
					fallthrough
				case 4:
					var attempt int64
					var retried bool
					if attempt, retried, err = e.chats.RetryChatTurn(t.Context(), e.As("u1"), id, *e.minute()); retried {
						mu.Lock()
						attempts[fmt.Sprint(id, " ", attempt)]++
						mu.Unlock()
					}
				case 5:
					err = e.chats.CancelChatTurn(t.Context(), e.As("u1"), id)
				case 6:
					_, err = e.chats.RenewChatLeases(t.Context(), *e.minute())
				case 7:
					if id != root.ID {
						_, err = e.chats.DeleteChatTurn(t.Context(), e.As("u1"), id)
					}
				case 8: // a tree that is created and deleted
					_, _, err = e.chats.CreateChatTree(t.Context(), e.As("u1"), "brief", &TreeWrite{})
				case 9:
					_, err = e.chats.DeleteChatTree(t.Context(), e.As("u1"), "brief")
				case 10:
					_, _, err = e.chats.AddChatTurn(t.Context(), e.As("u1"), "brief", TurnWrite{UserPrompt: "x"})
				case 11:
					_, err = e.chats.ChatDescendants(t.Context(), e.As("u1"), root.ID)
				case 12:
					_, err = e.chats.ChatTurns(t.Context(), e.As("u1"), tree.ID, 0, 100)
				}
				if err != nil && !errors.Is(err, fault.ErrNotFound) && !errors.Is(err, fault.ErrConflict) && !errors.Is(err, fault.ErrInvalid) {
					t.Errorf("worker %d: %v", worker, err)
				}
			}
		})
	}
	all.Wait()
	e.Same("the turn that all of them retried", 1, attempts[failed+" 2"])
	for attempt, times := range attempts {
		e.Same(attempt, 1, times)
	}
	stored, err := e.chats.ChatTree(t.Context(), e.As("u1"), tree.ID)
	lines, listed := e.chats.ChatTurns(t.Context(), e.As("u1"), tree.ID, 0, MaxTurns)
	e.Same("turns", []any{int64(len(lines)), nil, nil}, []any{stored.TurnCount, err, listed})
}

func TestIntegrityFindsWhatIsWrongWithChats(t *testing.T) {
	e := alone(t)
	for _, c := range []struct{ check, spoil string }{
		{"chat_tree", `SET c.tree_id = 'gone'`},
		{"chat_user", `SET c.user_id = 'u2'`},
		{"chat_parent", `SET c.parent_id = 'c'`},
		{"chat_parent", `WITH c, p MATCH (c)-[r:REPLIES_TO]->() DELETE r`},
		{"chat_parent", `SET p.parent_id = 'c' CREATE (p)-[:REPLIES_TO {team_id: $team}]->(c)`},
		{"chat_lease", `SET c.lease_until = 1`},
		{"chat_count", `WITH c, p MATCH (t:ChatTree {team_id: $team}) SET t.turn_count = 7`},
		{"chat_count", `WITH c, p MATCH (t:ChatTree {team_id: $team}) SET t.next_seq = 0`},
	} {
		tree := e.tree("u1")
		e.turn("u1", tree.ID, "", "p", nil)
		e.turn("u1", tree.ID, "p", "c", nil)
		e.Raw(`MATCH (c:ChatTurn {team_id: $team, id: 'c'}) MATCH (p:ChatTurn {team_id: $team, id: 'p'}) ` + c.spoil)
		var found []string
		result, err := e.Store.CheckIntegrity(t.Context(), graph.IntegrityOptions{TeamID: e.Team, Fix: true, Report: func(f graph.Finding) {
			found = append(found, fmt.Sprint(f.Check, " ", f.Repaired))
		}})
		e.Same(c.spoil, nil, err)
		if want := fmt.Sprint(c.check, " ", c.check == "chat_count"); !slices.Contains(found, want) {
			t.Errorf("%s: found %v, want %s", c.spoil, found, want)
		}
		if c.check == "chat_count" {
			again, err := e.Store.CheckIntegrity(t.Context(), graph.IntegrityOptions{TeamID: e.Team})
			e.Same("after the repair", []any{int64(0), int64(1), nil}, []any{again.Findings, result.Repaired, err})
		}
		e.Raw(`MATCH (n) WHERE n.team_id = $team AND (n:ChatTree OR n:ChatTurn) DETACH DELETE n`)
	}
}
