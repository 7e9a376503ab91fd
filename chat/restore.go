package chat

import (
	"context"
	"maps"
	"reflect"
	"slices"

	"kith/graph"
	"kith/internal/fault"
	"kith/neo"
)

var (
	findChats    = neo.Load[foundChats]("chat_find")
	restoreChats = neo.Load[neo.None]("chat_restore")
)

// foundChats has the stored trees and turns of a batch.
type foundChats struct {
	Trees []foundChatTree
	Turns []storedChatTurn
}

// foundChatTree is a stored tree with the number of its turns and the number of the next one, in the order of chat_find.
type foundChatTree struct {
	Tree               storedChatTree
	TurnCount, NextSeq int64
}

// Batch is a part of an import: chat trees, then turns, each after the one it replies to.
type Batch struct {
	Trees []TreeRecord
	Turns []TurnRecord
	Plan  *Plan // of a dry run: what the parts before this one would have stored
}

// Plan records what a dry run would have stored.
type Plan struct{ known *chatsKnown }

// Result has one entry for each item of a batch, in its order. Field names the wrong field of a refused item.
type Result struct{ Trees, Turns []ItemResult }

// ItemResult is the result for one item.
type ItemResult struct {
	Status         graph.Status
	Field, Message string
}

// chatsKnown are the trees and turns that a batch names.
type chatsKnown struct {
	trees  map[string]*TreeRecord
	turns  map[string]*TurnRecord
	counts map[string]int64 // turns of a tree
	next   map[string]int64 // number of a tree's next turn
}

func newChatsKnown() *chatsKnown {
	return &chatsKnown{map[string]*TreeRecord{}, map[string]*TurnRecord{}, map[string]int64{}, map[string]int64{}}
}

// RestoreChats stores a part of an import in one transaction. Items that break a rule are refused in the result; the others are
// stored. An item whose id exists changes the stored one, but a turn never changes its prompt, its parent or its tree. With a
// plan nothing is stored, and the result says what would be.
func (s *Store) RestoreChats(ctx context.Context, scope graph.Scope, b *Batch) (Result, error) {
	var result Result
	err := s.transaction(ctx, "import_chats", func(t *tx) error {
		known, err := t.chats(scope.TeamID, b)
		if err != nil {
			return err
		}
		job := &chatJob{scope: scope, store: s, known: known}
		result = job.judge(b)
		if b.Plan != nil {
			b.Plan.known = known
			return nil
		}
		return restoreChats.Run(t, map[string]any{
			"team_id": scope.TeamID, "trees": job.trees, "turns": job.turns, "tree_ids": slices.Collect(maps.Keys(known.trees)),
		})
	})
	return result, err
}

// chats locks and returns the trees and turns that a batch names, with those of the plan.
func (t *tx) chats(team string, b *Batch) (*chatsKnown, error) {
	known := newChatsKnown()
	if b.Plan != nil && b.Plan.known != nil {
		known = b.Plan.known
	}
	var trees, turns []string
	for i := range b.Trees {
		trees = append(trees, b.Trees[i].ID)
	}
	for i := range b.Turns {
		trees, turns = append(trees, b.Turns[i].TreeID), append(turns, b.Turns[i].ID)
		if parent := b.Turns[i].ParentID; parent != nil {
			turns = append(turns, *parent)
		}
	}
	found, err := findChats.ExecOne(t, map[string]any{"team_id": team, "tree_ids": graph.Distinct(trees), "turn_ids": graph.Distinct(turns)})
	if err != nil {
		return nil, err
	}
	for i := range found.Trees {
		if f := &found.Trees[i]; known.trees[f.Tree.ID] == nil {
			known.trees[f.Tree.ID], known.counts[f.Tree.ID], known.next[f.Tree.ID] = f.Tree.record(), f.TurnCount, f.NextSeq
		}
	}
	for i := range found.Turns {
		if t := &found.Turns[i]; known.turns[t.ID] == nil {
			known.turns[t.ID] = t.record()
		}
	}
	return known, nil
}

// chatJob checks a batch and collects the rows to be stored.
type chatJob struct {
	scope        graph.Scope
	store        *Store
	known        *chatsKnown
	trees, turns []map[string]any
}

func (j *chatJob) judge(b *Batch) (result Result) {
	j.trees, j.turns = []map[string]any{}, []map[string]any{}
	for i := range b.Trees {
		result.Trees = append(result.Trees, judged(j.tree(b.Trees[i])))
	}
	for i := range b.Turns {
		result.Turns = append(result.Turns, judged(j.turn(b.Turns[i])))
	}
	return result
}

// judged turns a status or an error into the result of an item.
func judged(status graph.Status, err error) ItemResult {
	if fields := fault.Fields(err); fields != nil {
		return ItemResult{graph.Refused, fields[0].Path.String(), fields[0].Message}
	}
	return ItemResult{Status: status}
}

func (j *chatJob) tree(r TreeRecord) (graph.Status, error) {
	if !r.UserID.Given {
		r.UserID = graph.Null[string]()
		if j.scope.UserID != "" {
			r.UserID = graph.Some(j.scope.UserID)
		}
	}
	if err := r.check(j.scope, j.store.now()); err != nil {
		return "", err
	}
	old := j.known.trees[r.ID]
	r.CreatedBy = j.scope.SignRecord(r.CreatedBy, old != nil, func() *string { return old.CreatedBy })
	status := graph.Created
	switch {
	case old == nil:
	case old.UserID != r.UserID:
		return "", fault.Invalid(fault.At("id"), fault.Conflict, "is already in use by another tree")
	case reflect.DeepEqual(*old, r):
		return graph.Unchanged, nil
	default:
		status = graph.Updated
	}
	j.known.trees[r.ID] = &r
	j.trees = append(j.trees, map[string]any{"id": r.ID, "properties": r.properties()})
	return status, nil
}

func (j *chatJob) turn(r TurnRecord) (graph.Status, error) {
	if err := r.check(j.store.now()); err != nil {
		return "", err
	}
	tree := j.known.trees[r.TreeID]
	if tree == nil || !slices.Contains(owners(j.scope), tree.UserID.Or("")) && j.scope.UserID != "" {
		return "", fault.Invalid(fault.At("tree_id"), fault.Missing, "unknown chat tree")
	}
	status := graph.Created
	old := j.known.turns[r.ID]
	r.CreatedBy = j.scope.SignRecord(r.CreatedBy, old != nil, func() *string { return old.CreatedBy })
	switch {
	case old != nil:
		r.Seq = old.Seq // its number is its place
		if old.TreeID != r.TreeID || !graph.Same(orAbsent(old.ParentID), orAbsent(r.ParentID)) || old.UserPrompt != r.UserPrompt {
			return "", fault.Invalid(fault.At("id"), fault.Conflict, "is already in use by another turn")
		}
		if old.Status == StatusGenerating {
			return "", fault.Invalid(fault.At("status"), fault.Conflict, "the stored turn is being generated")
		}
		if reflect.DeepEqual(*old, r) {
			return graph.Unchanged, nil
		}
		status = graph.Updated
	case r.ParentID != nil && (j.known.turns[*r.ParentID] == nil || j.known.turns[*r.ParentID].TreeID != r.TreeID):
		return "", fault.Invalid(fault.At("parent_id"), fault.Missing, "must be an earlier turn of the same tree")
	case j.known.counts[r.TreeID] >= MaxTurns:
		return "", fault.Invalid(fault.At("tree_id"), fault.Conflict, "the tree has the most turns allowed")
	default:
		r.Seq = max(r.Seq, j.known.next[r.TreeID])
		j.known.next[r.TreeID] = r.Seq + 1
		j.known.counts[r.TreeID]++
	}
	j.known.turns[r.ID] = &r
	j.turns = append(j.turns, map[string]any{"id": r.ID, "properties": r.properties(tree.UserID.Or(""))})
	return status, nil
}
