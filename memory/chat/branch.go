package chat

import (
	"context"
	"fmt"
	"slices"

	"kith/graph"
	"kith/graph/neo"
	"kith/graph/trust"
)

var (
	findChatBranch      = neo.Load[chatBranchRow]("chat_turn_ancestors")
	readChatTexts       = neo.Load[chatTextsRow]("chat_text_read")
	findChatDescendants = neo.Load[[]chatLineRow]("chat_turn_descendants")
)

// chatBranchRow is a turn with its ancestors and the instructions of its tree.
type chatBranchRow struct {
	Branch       []chatStepRow
	UserID       string // empty: shared
	Status       Status
	Attempt      int64
	LeaseUntil   int64
	SystemPrompt *string
	Context      string
	Model        string
}

// chatStepRow is a turn of a branch, in the order of chat_turn_ancestors.
type chatStepRow struct {
	ID   string
	Size int64
	Refs []string
}

// chatTextsRow has the texts of turns, and the entities of their prompts.
type chatTextsRow struct {
	Texts []Text
	Nodes []chatEntityRow
}

// chatEntityRow is an entity of a prompt, in the order of chat_text_read.
type chatEntityRow struct {
	Labels             graph.Labels
	Key, Name, Summary string
	Trust              any
	Origin             string
}

// Branch is a turn and its ancestors without their texts: the turn first, the root last. It also has what the tree adds to
// the prompt of the model.
type Branch struct {
	Turns        []Step
	Scope        graph.Scope // of all who see the tree
	Status       Status
	Attempt      int64
	Model        string // of the turn; empty: the configured model
	SystemPrompt string
	Context      *Context
}

// Step is a turn of a branch.
type Step struct {
	ID   string
	Size int64    // bytes of prompt and answer
	Keys []string // of the entities in the prompt
}

// Entity describes an entity to which a prompt refers.
type Entity struct {
	Type    string // its kind in CamelCase
	Name    string
	Summary string // the first 200 characters of its description
	trust.Told
}

// ChatBranch returns a turn and its ancestors, or ErrNotFound. A branch without a root, which no write makes, ends after as many
// turns as a tree may have.
func (s *Store) ChatBranch(ctx context.Context, scope graph.Scope, id string) (*Branch, error) {
	row, err := findChatBranch.ReadOne(ctx, s.db, map[string]any{"team_id": scope.TeamID, "owners": owners(scope), "id": id})
	if err != nil {
		return nil, err
	}
	b := &Branch{
		Scope: graph.Scope{TeamID: scope.TeamID, UserID: row.UserID}, Attempt: row.Attempt, SystemPrompt: systemPrompt(row.SystemPrompt),
		Context: chatContextFrom(row.Context), Model: row.Model,
	}
	b.Status, _ = statusAt(row.Status, nil, row.LeaseUntil, s.now())
	for _, step := range row.Branch {
		t := Step{ID: step.ID, Size: step.Size}
		for _, ref := range chatRefsFrom(step.Refs) {
			t.Keys = append(t.Keys, ref.EntityID)
		}
		b.Turns = append(b.Turns, t)
	}
	return b, nil
}

// Part returns the ids of turns from a position in the branch on, and the keys of the entities they refer to. It returns at least
// one turn, and as many as fit into limit bytes.
func (b *Branch) Part(from int, limit int64) (ids, keys []string) {
	var size int64
	for i, step := range b.Turns[from:] {
		if size += step.Size; i > 0 && size > limit {
			break
		}
		ids, keys = append(ids, step.ID), append(keys, step.Keys...)
	}
	return ids, keys
}

// Path is a turn in full with its ancestors, the root first: all of them, or the nearest within 4 MiB.
type Path struct {
	Turns     []Turn `json:"turns"`
	Truncated bool   `json:"truncated" doc:"the first turn is not the root: continue from its parent"`
}

// maxChatPath is the most bytes of text in a path.
const maxChatPath = 4 << 20

// ChatPath returns the path from the root to a turn, or ErrNotFound.
func (s *Store) ChatPath(ctx context.Context, scope graph.Scope, id string) (Path, error) {
	branch, err := s.ChatBranch(ctx, scope, id)
	if err != nil {
		return Path{}, err
	}
	ids, _ := branch.Part(0, maxChatPath)
	turns, err := s.readChatTurns(ctx, scope, ids)
	slices.Reverse(turns)
	return Path{Turns: turns, Truncated: len(ids) < len(branch.Turns)}, err
}

// Text is the prompt of a turn, and its answer if there is one.
type Text struct {
	ID            string
	UserPrompt    string
	AssistantText *string
}

// ReadChatTexts returns the texts of turns in the order of their ids, and the entities to which prompts refer by their keys. It
// omits turns and entities that do not exist or that the scope may not see.
func (s *Store) ReadChatTexts(ctx context.Context, scope graph.Scope, ids, keys []string) ([]Text, map[string]Entity, error) {
	row, err := readChatTexts.ReadOne(ctx, s.db, map[string]any{
		"team_id": scope.TeamID, "owners": owners(scope), "user_id": scope.User(), "ids": ids, "keys": graph.Distinct(keys),
	})
	if err != nil {
		return nil, nil, err
	}
	entities := map[string]Entity{}
	for _, n := range row.Nodes {
		entities[n.Key] = Entity{Type: n.Labels.OfKind, Name: n.Name, Summary: n.Summary, Told: trust.NewTold(n.Trust, n.Origin)}
	}
	return row.Texts, entities, nil
}

// ChatDescendants returns a turn and all turns below it, breadth first, or ErrNotFound.
func (s *Store) ChatDescendants(ctx context.Context, scope graph.Scope, id string) ([]TurnLine, error) {
	rows, err := findChatDescendants.ReadOne(ctx, s.db, map[string]any{"team_id": scope.TeamID, "owners": owners(scope), "id": id})
	if err != nil {
		return nil, fmt.Errorf("descendants: %w", err)
	}
	return breadthFirst(chatLinesFrom(rows, s.now())), nil
}

// breadthFirst sorts a turn and all turns below it by distance, and at the same distance by age.
func breadthFirst(lines []TurnLine) []TurnLine {
	slices.SortFunc(lines, func(a, b TurnLine) int { return int(a.Seq - b.Seq) }) // a turn comes after the one it replies to
	depth := make(map[string]int, len(lines))
	for i, l := range lines {
		if i > 0 && l.ParentID != nil {
			depth[l.ID] = depth[*l.ParentID] + 1
		}
	}
	slices.SortStableFunc(lines, func(a, b TurnLine) int { return depth[a.ID] - depth[b.ID] })
	return lines
}
