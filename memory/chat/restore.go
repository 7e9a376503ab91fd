package chat

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"

	"kith/graph"
	"kith/graph/neo"
	"kith/internal/fault"
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

// Result has one entry for each item of a batch, in its order. Field names the wrong field of a refused item.
type Result struct{ Trees, Turns []ItemResult }

// ItemResult is the result for one item.
type ItemResult struct {
	Status         graph.Status
	Field, Message string
}

// chatsKnown are the trees and turns that a batch names.
type chatsKnown struct {
	trees map[string]*knownTree
	turns map[string]*knownTurn
}

// knownTree has the fields of a tree against which later items of an import are checked; not its texts, which may be long.
type knownTree struct {
	User      string // empty: shared
	CreatedBy *string
	Digest    string // of the record
	Turns     int64
	Next      int64 // number of the next turn
}

// knownTurn has the fields of a turn against which later items of an import are checked; not its texts, which may be long.
type knownTurn struct {
	TreeID         string
	ParentID       *string
	Seq            int64
	Status         Status
	CreatedBy      *string
	Prompt, Digest string // digests of the prompt, and of the record
}

func (r *TreeRecord) known(turns, next int64) *knownTree {
	return &knownTree{User: r.UserID.Or(""), CreatedBy: r.CreatedBy, Digest: digestOf(r), Turns: turns, Next: next}
}

func (r *TurnRecord) known() *knownTurn {
	return &knownTurn{
		TreeID: r.TreeID, ParentID: r.ParentID, Seq: r.Seq, Status: r.Status, CreatedBy: r.CreatedBy,
		Prompt: digestOf(r.UserPrompt), Digest: digestOf(r),
	}
}

// digestOf returns a hash of a value's JSON.
func digestOf(v any) string {
	raw, _ := json.Marshal(v) // texts, numbers and structs of these
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// RestoreChats stores a part of an import in one transaction. Items that break a rule are refused in the result; the others are
// stored. An item whose id exists changes the stored one, but a turn never changes its prompt, its parent or its tree. With a
// plan nothing is stored, and the result says what would be.
func (s *Store) RestoreChats(ctx context.Context, scope graph.Scope, b *Batch) (Result, error) {
	var result Result
	var planned *chatsKnown
	err := s.transaction(ctx, "import_chats", func(t *tx) error {
		known, err := t.chats(scope.TeamID, b)
		if err != nil {
			return err
		}
		job := &chatJob{scope: scope, store: s, known: known}
		if result = job.judge(b); b.Plan != nil {
			planned = known
			return nil
		}
		return restoreChats.Run(t, map[string]any{
			"team_id": scope.TeamID, "trees": job.trees, "turns": job.turns, "tree_ids": slices.Collect(maps.Keys(known.trees)),
		})
	})
	if err == nil && planned != nil {
		err = b.Plan.note(planned)
	}
	return result, err
}

// chats locks and returns the trees and turns that a batch names, with those of the plan.
func (t *tx) chats(team string, b *Batch) (*chatsKnown, error) {
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
	known := &chatsKnown{map[string]*knownTree{}, map[string]*knownTurn{}}
	for i := range found.Trees {
		f := &found.Trees[i]
		known.trees[f.Tree.ID] = f.Tree.record().known(f.TurnCount, f.NextSeq)
	}
	for i := range found.Turns {
		known.turns[found.Turns[i].ID] = found.Turns[i].record().known()
	}
	return known, b.Plan.assume(known, trees, turns)
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
	status, now := graph.Created, r.known(0, 0)
	switch {
	case old == nil:
	case old.User != r.UserID.Or(""):
		return "", fault.Invalid(fault.At("id"), fault.Conflict, "is already in use by another tree")
	case old.Digest == now.Digest:
		return graph.Unchanged, nil
	default:
		status, now.Turns, now.Next = graph.Updated, old.Turns, old.Next
	}
	j.known.trees[r.ID] = now
	j.trees = append(j.trees, map[string]any{"id": r.ID, "properties": r.properties()})
	return status, nil
}

func (j *chatJob) turn(r TurnRecord) (graph.Status, error) {
	if err := r.check(j.store.now()); err != nil {
		return "", err
	}
	tree := j.known.trees[r.TreeID]
	if tree == nil || !slices.Contains(owners(j.scope), tree.User) && j.scope.UserID != "" {
		return "", fault.Invalid(fault.At("tree_id"), fault.Missing, "unknown chat tree")
	}
	status := graph.Created
	old := j.known.turns[r.ID]
	r.CreatedBy = j.scope.SignRecord(r.CreatedBy, old != nil, func() *string { return old.CreatedBy })
	switch {
	case old != nil:
		r.Seq = old.Seq // its number is its place
		if old.TreeID != r.TreeID || !graph.Same(orAbsent(old.ParentID), orAbsent(r.ParentID)) || old.Prompt != digestOf(r.UserPrompt) {
			return "", fault.Invalid(fault.At("id"), fault.Conflict, "is already in use by another turn")
		}
		if old.Status == StatusGenerating {
			return "", fault.Invalid(fault.At("status"), fault.Conflict, "the stored turn is being generated")
		}
		if old.Digest == digestOf(&r) {
			return graph.Unchanged, nil
		}
		if j.scope.Bound && tree.User == "" { // no call changes what the others of the team read there
			return "", fault.Invalid(fault.At("id"), fault.NotAllowed, "is of a stored turn of a shared tree, which a key of one user does not change")
		}
		status = graph.Updated
	case r.ParentID != nil && (j.known.turns[*r.ParentID] == nil || j.known.turns[*r.ParentID].TreeID != r.TreeID):
		return "", fault.Invalid(fault.At("parent_id"), fault.Missing, "must be an earlier turn of the same tree")
	case tree.Turns >= MaxTurns:
		return "", fault.Invalid(fault.At("tree_id"), fault.Conflict, "the tree has the most turns allowed")
	default:
		r.Seq = max(r.Seq, tree.Next)
		tree.Next = r.Seq + 1
		tree.Turns++
	}
	j.known.turns[r.ID] = r.known()
	j.turns = append(j.turns, map[string]any{"id": r.ID, "properties": r.properties(tree.User)})
	return status, nil
}
