package chat

import (
	"context"
	"time"

	"kith/graph"
	"kith/graph/neo"
	"kith/internal/bounds"
	"kith/internal/fault"
)

// TreeRecord is a chat tree in an export.
type TreeRecord struct {
	ID           string                 `json:"id"`
	UserID       graph.Optional[string] `json:"user_id,omitzero"` // null: shared
	Name         *string                `json:"name,omitempty"`
	Pinned       bool                   `json:"pinned,omitempty"`
	SystemPrompt *string                `json:"system_prompt,omitempty"` // nil: the default
	Context      *Context               `json:"context,omitempty"`
	CreatedAt    int64                  `json:"created_at"`
	UpdatedAt    int64                  `json:"updated_at"`
	CreatedBy    *string                `json:"created_by,omitempty"`
}

// TurnRecord is a turn of a chat tree in an export. A turn that is being generated is exported as interrupted, because its
// generation does not answer the copy.
type TurnRecord struct {
	ID            string  `json:"id"`
	TreeID        string  `json:"tree_id"`
	ParentID      *string `json:"parent_id,omitempty"`
	Seq           int64   `json:"seq"`
	UserPrompt    string  `json:"user_prompt"`
	AssistantText *string `json:"assistant_text,omitempty"`
	ProviderID    *string `json:"provider_id,omitempty"`
	Model         *string `json:"model,omitempty"`
	Status        Status  `json:"status"`
	Attempt       int64   `json:"attempt"`
	Error         *string `json:"error,omitempty"`
	Source        *string `json:"source,omitempty"`
	PromptVersion string  `json:"prompt_version"`
	CreatedAt     int64   `json:"created_at"`
	UpdatedAt     int64   `json:"updated_at"`
	CreatedBy     *string `json:"created_by,omitempty"`
}

// Records of one read of chats; turns may be long.
const (
	exportTrees = 1000
	exportTurns = 50
)

var (
	exportChatTrees = neo.Load[exportedChatTree]("export_chat_trees")
	exportChatTurns = neo.Load[exportedChatTurn]("export_chat_turns")
)

// exportedChatTree is a row of an export of trees.
type exportedChatTree struct{ Tree storedChatTree }

// exportedChatTurn is a row of an export of turns.
type exportedChatTurn struct{ Turn storedChatTurn }

// storedChatTree is a stored tree, in the order of export_chat_trees.
type storedChatTree struct {
	ID                   string
	UserID               string // empty: shared
	Name                 *string
	Pinned               bool
	SystemPrompt         *string
	Context              string
	CreatedAt, UpdatedAt int64
	CreatedBy            *string
}

// storedChatTurn is a stored turn, in the order of export_chat_turns.
type storedChatTurn struct {
	ID, TreeID                       string
	ParentID                         *string
	Seq                              int64
	UserPrompt                       string
	AssistantText, ProviderID, Model *string
	Status                           Status
	Attempt                          int64
	Error, Source                    *string
	PromptVersion                    string
	CreatedAt, UpdatedAt             int64
	CreatedBy                        *string
	LeaseUntil                       int64
}

// ExportChats reads all chats of a team in the form in which they are imported, some trees by id and then their turns, each after the one
// it replies to. It stops at the first error of tree or turn and returns it.
func (s *Store) ExportChats(ctx context.Context, teamID string, tree func(*TreeRecord) error, turn func(*TurnRecord) error) error {
	for after := ""; ; {
		rows, err := exportChatTrees.Read(ctx, s.db, map[string]any{"team_id": teamID, "after": after, "limit": exportTrees})
		if err != nil {
			return err
		}
		ids := map[string]bool{}
		for i := range rows {
			r := rows[i].Tree.record()
			after, ids[r.ID] = r.ID, true
			if err := tree(r); err != nil {
				return err
			}
		}
		if len(rows) > 0 {
			if err := s.exportTurns(ctx, teamID, rows[0].Tree.ID, after, ids, turn); err != nil {
				return err
			}
		}
		if len(rows) < exportTrees {
			return nil
		}
	}
}

// exportTurns reads the turns of the trees with some ids, from the first to the last. Those of a tree that was created meanwhile are
// omitted.
func (s *Store) exportTurns(ctx context.Context, teamID, treeID, last string, ids map[string]bool, turn func(*TurnRecord) error) error {
	for seq := int64(-1); ; {
		rows, err := readWhole(func() ([]exportedChatTurn, error) {
			return exportChatTurns.Read(ctx, s.db, map[string]any{
				"team_id": teamID, "tree_id": treeID, "last_tree": last, "after_seq": seq, "limit": exportTurns,
			})
		}, func(r *exportedChatTurn) bool { return isWhole(r.Turn.Status, r.Turn.AssistantText, r.Turn.Error) })
		if err != nil {
			return err
		}
		for i := range rows {
			r := rows[i].Turn.record()
			treeID, seq = r.TreeID, r.Seq
			if !ids[treeID] {
				continue
			}
			if r.Status == StatusGenerating {
				r.interrupt()
			}
			if err := turn(r); err != nil {
				return err
			}
		}
		if len(rows) < exportTurns {
			return nil
		}
	}
}

func (r *TurnRecord) interrupt() {
	text := InterruptedText
	r.Status, r.Error = StatusError, &text
}

func (t *storedChatTree) record() *TreeRecord {
	r := &TreeRecord{
		ID: t.ID, UserID: graph.Null[string](), Name: t.Name, Pinned: t.Pinned, SystemPrompt: t.SystemPrompt,
		Context: chatContextFrom(t.Context), CreatedAt: t.CreatedAt, UpdatedAt: t.UpdatedAt, CreatedBy: t.CreatedBy,
	}
	if t.UserID != "" {
		r.UserID = graph.Some(t.UserID)
	}
	return r
}

func (t *storedChatTurn) record() *TurnRecord {
	return &TurnRecord{
		ID: t.ID, TreeID: t.TreeID, ParentID: t.ParentID, Seq: t.Seq, UserPrompt: t.UserPrompt,
		AssistantText: t.AssistantText, ProviderID: t.ProviderID, Model: t.Model, Status: t.Status,
		Attempt: t.Attempt, Error: t.Error, Source: t.Source, PromptVersion: t.PromptVersion,
		CreatedAt: t.CreatedAt, UpdatedAt: t.UpdatedAt, CreatedBy: t.CreatedBy,
	}
}

func (r *TreeRecord) properties() map[string]any {
	return map[string]any{
		"user_id": r.UserID.Or(""), "name": orAbsent(r.Name), "pinned": r.Pinned, "system_prompt": orAbsent(r.SystemPrompt), "context": storedContext(r.Context),
		"created_at": r.CreatedAt, "updated_at": r.UpdatedAt, "created_by": orAbsent(r.CreatedBy),
	}
}

func (r *TurnRecord) properties(user string) map[string]any {
	p := map[string]any{
		"tree_id": r.TreeID, "parent_id": orAbsent(r.ParentID), "user_id": user, "seq": r.Seq, "prompt": r.UserPrompt,
		"prompt_size": len(r.UserPrompt), "refs": storedRefs(r.UserPrompt), "answer": orAbsent(r.AssistantText), "answer_size": nil,
		"provider_id": orAbsent(r.ProviderID), "model": orAbsent(r.Model), "status": string(r.Status), "attempt": r.Attempt,
		"error": orAbsent(r.Error), "source": orAbsent(r.Source), "prompt_version": r.PromptVersion,
		"created_at": r.CreatedAt, "updated_at": r.UpdatedAt, "created_by": orAbsent(r.CreatedBy),
	}
	if r.AssistantText != nil {
		p["answer_size"] = len(*r.AssistantText)
	}
	return p
}

// orAbsent returns a text as a property; nil if it is nil.
func orAbsent(s *string) any {
	if s == nil {
		return nil
	}
	return *s
}

// check returns the faults of an imported tree for a scope.
func (r *TreeRecord) check(scope graph.Scope, now time.Time) error {
	f := &graph.Faults{}
	f.Word(fault.At("id"), r.ID, bounds.KeyLength)
	user := r.UserID.Or("")
	f.OptionalWord(fault.At("user_id"), r.UserID, bounds.KeyLength)
	if user != "" {
		scope.CheckImported(&f.List, user)
	}
	w := TreeWrite{}
	if r.Name != nil {
		w.Name = graph.Some(*r.Name)
	}
	if r.SystemPrompt != nil {
		w.SystemPrompt = graph.Some(*r.SystemPrompt)
	}
	if r.Context != nil {
		w.Context = graph.Some(*r.Context)
	}
	w.check(f, graph.Scope{TeamID: scope.TeamID, UserID: user})
	checkChatTimes(f, r.CreatedAt, r.UpdatedAt, r.CreatedBy, now)
	return f.Err()
}

// check returns the faults of an imported turn.
func (r *TurnRecord) check(now time.Time) error {
	f := &graph.Faults{}
	w := TurnWrite{ID: r.ID, UserPrompt: r.UserPrompt}
	if r.ParentID != nil {
		w.ParentID = *r.ParentID
	}
	if w.check(f); r.ID == "" {
		f.Required(fault.At("id"))
	}
	f.OneOf(fault.At("status"), string(r.Status), string(StatusPending), string(StatusComplete), string(StatusError), string(StatusCancelled))
	if (r.AssistantText != nil) != (r.Status == StatusComplete) {
		f.Add(fault.At("assistant_text"), fault.Required, "is required with the status complete, and not allowed otherwise")
	}
	if (r.Error != nil) != (r.Status == StatusError) {
		f.Add(fault.At("error"), fault.Required, "is required with the status error, and not allowed otherwise")
	}
	if r.AssistantText != nil {
		checkBytes(f, fault.At("assistant_text"), *r.AssistantText, MaxChatAnswer)
	}
	for field, value := range map[string]*string{"provider_id": r.ProviderID, "model": r.Model, "source": r.Source, "prompt_version": &r.PromptVersion} {
		if value != nil {
			f.Text(fault.At(field), *value, bounds.KeyLength)
		}
	}
	if r.Error != nil {
		f.Text(fault.At("error"), *r.Error, maxChatError)
	}
	f.Number(fault.At("seq"), graph.Some(r.Seq), graph.MaxNumber)
	if f.Number(fault.At("attempt"), graph.Some(r.Attempt), graph.MaxNumber); r.Attempt == 0 {
		f.Add(fault.At("attempt"), fault.OutOfRange, "must be 1 or more")
	}
	checkChatTimes(f, r.CreatedAt, r.UpdatedAt, r.CreatedBy, now)
	return f.Err()
}

func checkChatTimes(f *graph.Faults, created, updated int64, by *string, now time.Time) {
	f.Past(fault.At("created_at"), time.UnixMilli(created), now)
	f.Past(fault.At("updated_at"), time.UnixMilli(updated), now)
	if by != nil {
		f.Word(fault.At("created_by"), *by, bounds.KeyLength)
	}
}
