package chat

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"kith/graph"
	"kith/graph/neo"
	"kith/internal/bounds"
	"kith/internal/fault"
)

// Status is the state of a turn.
type Status string

// The states of a turn. A pending turn waits for a caller that asks a model itself.
const (
	StatusPending    Status = "pending"
	StatusGenerating Status = "generating"
	StatusComplete   Status = "complete"
	StatusError      Status = "error"
	StatusCancelled  Status = "cancelled"

	// chatInterrupted is the state of a generation whose lease has expired, as statements return it. Callers see it as an error.
	chatInterrupted Status = "interrupted"
)

// Ended reports whether the state stays until a caller asks for another one.
func (s Status) Ended() bool { return s != StatusPending && s != StatusGenerating }

// InterruptedText is the error of a turn whose generation ended with its process.
const InterruptedText = "generation interrupted"

// fromLLM is the source of a turn that a generation has answered.
const fromLLM = "Llm"

// Turn is a prompt and the answer of a language model. Times are milliseconds since 1970.
type Turn struct {
	ID             string          `json:"id"`
	TreeID         string          `json:"tree_id"`
	ParentID       *string         `json:"parent_id" doc:"the turn it replies to; null: it is a root"`
	UserPrompt     string          `json:"user_prompt"`
	EntityRefs     []Ref           `json:"entity_refs" doc:"the tokens @Type:key of the prompt"`
	AssistantText  *string         `json:"assistant_text" doc:"null until there is an answer"`
	ProviderID     *string         `json:"provider_id"`
	ProviderConfig *ProviderConfig `json:"provider_config,omitempty"`
	Status         Status          `json:"status" enum:"pending,generating,complete,error,cancelled"`
	Attempt        int64           `json:"attempt" doc:"grows with every retry"`
	Error          *string         `json:"error,omitempty"`
	Source         *string         `json:"source,omitempty" doc:"Llm: the answer was generated here"`
	PromptVersion  string          `json:"prompt_version"`
	CreatedAt      int64           `json:"created_at" doc:"milliseconds since 1970"`
	UpdatedAt      int64           `json:"updated_at" doc:"milliseconds since 1970"`
}

// ProviderConfig names the model of a turn.
type ProviderConfig struct {
	Model string `json:"model,omitempty" maxLength:"256" doc:"the model that answers or has answered; default: the configured model"`
}

// TurnLine is a turn in short, for a list or a drawing of the tree.
type TurnLine struct {
	ID        string  `json:"id"`
	ParentID  *string `json:"parent_id"`
	Label     string  `json:"label" doc:"the first 30 characters of the prompt"`
	Status    Status  `json:"status" enum:"pending,generating,complete,error,cancelled"`
	Attempt   int64   `json:"attempt"`
	CreatedAt int64   `json:"created_at"`
	Seq       int64   `json:"seq" doc:"its number in the tree"`
}

// TurnWrite is a new turn.
type TurnWrite struct {
	ID            string // generated if empty
	ParentID      string // empty: a root
	UserPrompt    string
	Model         string // the model to ask; empty: the configured one
	PromptVersion string
	Lease         *Lease     // of the process that generates the answer; nil: the caller answers, and the turn is pending
	Tree          *TreeWrite // creates the tree if it does not exist; nil: it must exist
}

// Lease names the process that generates an answer, and how long its lease lasts.
type Lease struct {
	Holder string
	Life   time.Duration
}

// Answer is the result of asking a model: an answer or an error.
type Answer struct {
	AssistantText  graph.Optional[string]         `json:"assistant_text,omitzero" max:"262144" doc:"at most 256 KiB; this or an error, and not both"`
	Error          graph.Optional[string]         `json:"error,omitzero" max:"4096" word:"true" doc:"at most 4,096 characters"`
	ProviderID     graph.Optional[string]         `json:"provider_id,omitzero" max:"256" word:"true" doc:"at most 256 characters"`
	ProviderConfig graph.Optional[ProviderConfig] `json:"provider_config,omitzero"`
}

// Bounds of turns; sizes are in bytes.
const (
	MaxTurns       = 10_000 // of a tree
	MaxChatPrompt  = 100 << 10
	MaxChatAnswer  = 256 << 10
	maxChatError   = 4096
	maxChatRefs    = 100
	chatLineLength = 30
)

var (
	lockChatTree   = neo.Load[lockedChatTree]("chat_tree_lock")
	addChatTurn    = neo.Load[neo.None]("chat_turn_create")
	findChatTurns  = neo.Load[[]chatTurnRow]("chat_turn_read")
	listChatTurns  = neo.Load[[]chatLineRow]("chat_turn_list")
	removeChatTurn = neo.Load[[]string]("chat_turn_delete")
)

// lockedChatTree is a tree that is to get a turn.
type lockedChatTree struct {
	UserID       string // empty: shared
	TurnCount    int64
	NextSeq      int64
	Turn         knownChatTurn
	ParentStatus Status // empty: the new turn has no parent in the tree
}

// knownChatTurn is a stored turn with the id of a new one. TreeID is nil if there is none.
type knownChatTurn struct {
	TreeID               *string
	ParentID, UserPrompt string
	UserID               string
}

// chatTurnRow is a stored turn, in the order of chat_turn_read.
type chatTurnRow struct {
	ID, TreeID           string
	ParentID             *string
	UserID, UserPrompt   string
	Refs                 []string
	AssistantText        *string
	ProviderID           *string
	Model                string
	Status               Status
	Attempt              int64
	Error, Source        *string
	PromptVersion        string
	CreatedAt, UpdatedAt int64
	LeaseUntil           int64
}

// chatLineRow is a turn of a list, in the order of chat_turn_list.
type chatLineRow struct {
	ID         string
	ParentID   *string
	Label      string
	Status     Status
	Attempt    int64
	CreatedAt  int64
	LeaseUntil int64
	Seq        int64
}

func (w *TurnWrite) check(f *graph.Faults) {
	checkKey(f, fault.At("id"), w.ID)
	checkKey(f, fault.At("parent_id"), w.ParentID)
	checkBytes(f, fault.At("user_prompt"), w.UserPrompt, MaxChatPrompt)
	checkModel(f, w.Model)
	f.NotBlank(fault.At("user_prompt"), w.UserPrompt)
	if f.Len() == 0 && len(storedRefs(w.UserPrompt)) > maxChatRefs {
		f.Add(fault.At("user_prompt"), fault.WrongCount, "must refer to at most %d entities", maxChatRefs)
	}
}

func checkModel(f *graph.Faults, model string) {
	if model != "" {
		f.Word(fault.At("provider_config").Field("model"), model, bounds.KeyLength)
	}
}

// AddChatTurn stores a turn of a tree. A stored turn with its id, parent and prompt is not changed; then created is false. It
// returns ErrNotFound for an unknown or foreign tree, an InvalidError, also for a parent outside the tree, or ErrConflict for an
// id in use, a failed parent or a full tree. After an error nothing is stored, not even the tree.
func (s *Store) AddChatTurn(ctx context.Context, scope graph.Scope, treeID string, w TurnWrite) (turn Turn, created bool, err error) {
	f := &graph.Faults{}
	if w.Tree != nil {
		w.Tree.checkNew(f, scope)
	}
	if w.check(f); f.Len() > 0 {
		return Turn{}, false, f.Err()
	}
	if w.ID == "" {
		w.ID = uuid.Must(uuid.NewV7()).String()
	}
	now := s.now()
	err = s.transaction(ctx, "chat_turn_create", func(t *tx) (err error) {
		created, err = t.addChatTurn(scope, treeID, &w, now)
		return err
	})
	switch {
	case err != nil:
		return Turn{}, false, err
	case created:
		return w.turn(treeID, now), true, nil
	}
	turn, err = s.ChatTurn(ctx, scope, w.ID)
	return turn, false, err
}

func (t *tx) addChatTurn(scope graph.Scope, treeID string, w *TurnWrite, now time.Time) (created bool, err error) {
	if w.Tree != nil {
		if _, err := t.createChatTree(scope, treeID, w.Tree, now.UnixMilli()); err != nil {
			return false, err
		}
	}
	tree, err := lockChatTree.ExecOne(t, map[string]any{
		"team_id": scope.TeamID, "owners": owners(scope), "id": treeID, "turn_id": w.ID, "parent_id": graph.OrNil(w.ParentID), "now": now.UnixMilli(),
	})
	if err != nil {
		return false, err
	}
	if known := tree.Turn; known.TreeID != nil && !slices.Contains(owners(scope), known.UserID) {
		return false, &graph.TakenError{Key: w.ID}
	}
	if created, err = w.admitted(treeID, &tree); err != nil || !created {
		return false, err
	}
	values := w.properties(scope, now)
	values["user_id"] = tree.UserID
	err = addChatTurn.Run(t, map[string]any{
		"team_id": scope.TeamID, "tree_id": treeID, "id": w.ID, "parent_id": graph.OrNil(w.ParentID), "now": now.UnixMilli(),
		"properties": values,
	})
	t.Notes([]string{tree.UserID}, w.ID)
	return err == nil, err
}

// turn returns the new turn in the form in which it is read.
func (w *TurnWrite) turn(treeID string, now time.Time) Turn {
	t := Turn{
		ID: w.ID, TreeID: treeID, UserPrompt: w.UserPrompt, EntityRefs: chatRefsFrom(storedRefs(w.UserPrompt)), Status: StatusPending, Attempt: 1,
		PromptVersion: w.PromptVersion, CreatedAt: now.UnixMilli(), UpdatedAt: now.UnixMilli(),
	}
	if w.ParentID != "" {
		t.ParentID = &w.ParentID
	}
	if w.Model != "" {
		t.ProviderConfig = &ProviderConfig{Model: w.Model}
	}
	if w.Lease != nil {
		t.Status = StatusGenerating
	}
	return t
}

// admitted reports whether a turn is to be stored in a tree.
func (w *TurnWrite) admitted(treeID string, tree *lockedChatTree) (bool, error) {
	if known := tree.Turn; known.TreeID != nil {
		if *known.TreeID != treeID || known.ParentID != w.ParentID || known.UserPrompt != w.UserPrompt {
			return false, fmt.Errorf("the id is already in use: %w", fault.ErrConflict)
		}
		return false, nil
	}
	f := &graph.Faults{}
	switch parent := tree.ParentStatus; {
	case tree.TurnCount >= MaxTurns:
		return false, fmt.Errorf("the tree has %d turns, the most allowed: %w", MaxTurns, fault.ErrConflict)
	case w.ParentID != "" && parent == "":
		f.Add(fault.At("parent_id"), fault.Missing, "must be a turn of this tree")
	case parent == StatusError || parent == chatInterrupted:
		return false, fmt.Errorf("the turn it replies to has failed: retry that turn first: %w", fault.ErrConflict)
	}
	return true, f.Err()
}

func (w *TurnWrite) properties(scope graph.Scope, now time.Time) map[string]any {
	p := map[string]any{
		"prompt": w.UserPrompt, "prompt_size": len(w.UserPrompt), "refs": storedRefs(w.UserPrompt), "prompt_version": w.PromptVersion, "model": graph.OrNil(w.Model),
		"status": string(StatusPending), "attempt": 1, "created_at": now.UnixMilli(), "updated_at": now.UnixMilli(), "created_by": scope.User(),
	}
	if w.Lease != nil {
		w.Lease.put(p, now)
	}
	return p
}

// put adds the lease to the properties, with the state of a turn that is being generated.
func (l *Lease) put(p graph.Properties, now time.Time) {
	p["status"], p["lease_holder"], p["lease_until"] = string(StatusGenerating), l.Holder, now.Add(l.Life).UnixMilli()
}

// ChatTurn returns a turn that the scope may see, or ErrNotFound.
func (s *Store) ChatTurn(ctx context.Context, scope graph.Scope, id string) (Turn, error) {
	turns, err := s.readChatTurns(ctx, scope, []string{id})
	if err != nil {
		return Turn{}, err
	}
	if len(turns) == 0 {
		return Turn{}, fmt.Errorf("turn: %w", fault.ErrNotFound)
	}
	return turns[0], nil
}

func turnParams(scope graph.Scope, ids []string) map[string]any {
	return map[string]any{"team_id": scope.TeamID, "owners": owners(scope), "ids": ids}
}

// readChatTurns returns the turns that exist, in the order of their ids.
func (s *Store) readChatTurns(ctx context.Context, scope graph.Scope, ids []string) ([]Turn, error) {
	rows, err := readWhole(func() ([]chatTurnRow, error) { return findChatTurns.ReadOne(ctx, s.db, turnParams(scope, ids)) },
		func(r *chatTurnRow) bool { return isWhole(r.Status, r.AssistantText, r.Error) })
	if err != nil {
		return nil, err
	}
	now := s.now()
	turns := make([]Turn, len(rows))
	for i := range rows {
		turns[i] = rows[i].turn(now)
	}
	return turns, nil
}

// maxReads is the most times that turns are read until each is of one moment.
const maxReads = 5

// readWhole reads rows again while one of them is a mixture of states. Neo4j reads the properties of a node one after the other,
// and a change may be committed in between.
func readWhole[R any](read func() ([]R, error), whole func(*R) bool) (rows []R, err error) {
	for range maxReads {
		rows, err = read()
		if err != nil || !slices.ContainsFunc(rows, func(r R) bool { return !whole(&r) }) {
			break
		}
	}
	return rows, err
}

// isWhole reports whether the answer, the state and the error of a turn, read in this order, are of one moment.
func isWhole(status Status, answer, problem *string) bool {
	return (answer != nil) == (status == StatusComplete) && (problem != nil) == (status == StatusError)
}

// ChatTurns returns at most limit turns of a tree in their order, beginning with number from.
func (s *Store) ChatTurns(ctx context.Context, scope graph.Scope, treeID string, from, limit int64) ([]TurnLine, error) {
	rows, err := listChatTurns.ReadOne(ctx, s.db, map[string]any{
		"team_id": scope.TeamID, "owners": owners(scope), "tree_id": treeID, "from": from, "limit": limit,
	})
	if err != nil {
		return nil, err
	}
	return chatLinesFrom(rows, s.now()), nil
}

// DeleteChatTurn deletes a turn and all turns below it, and returns their ids. It returns ErrNotFound for an unknown turn.
func (s *Store) DeleteChatTurn(ctx context.Context, scope graph.Scope, id string) (turns []string, err error) {
	return s.deleteChat(ctx, removeChatTurn, map[string]any{
		"team_id": scope.TeamID, "owners": owners(scope), "id": id, "now": s.now().UnixMilli(),
	})
}

// statusAt returns the state and the error of a turn. A generation whose lease has expired is an error.
func statusAt(status Status, problem *string, leaseUntil int64, now time.Time) (Status, *string) {
	if status != StatusGenerating || leaseUntil > now.UnixMilli() {
		return status, problem
	}
	interrupted := InterruptedText
	return StatusError, &interrupted
}

func (r *chatTurnRow) turn(now time.Time) Turn {
	t := Turn{
		ID: r.ID, TreeID: r.TreeID, ParentID: r.ParentID, UserPrompt: r.UserPrompt, EntityRefs: chatRefsFrom(r.Refs),
		AssistantText: r.AssistantText, ProviderID: r.ProviderID, Attempt: r.Attempt, Source: r.Source,
		PromptVersion: r.PromptVersion, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}
	if r.Model != "" {
		t.ProviderConfig = &ProviderConfig{Model: r.Model}
	}
	t.Status, t.Error = statusAt(r.Status, r.Error, r.LeaseUntil, now)
	return t
}

func chatLinesFrom(rows []chatLineRow, now time.Time) []TurnLine {
	lines := make([]TurnLine, len(rows))
	for i := range rows {
		r := &rows[i]
		lines[i] = TurnLine{ID: r.ID, ParentID: r.ParentID, Label: r.Label, Attempt: r.Attempt, CreatedAt: r.CreatedAt, Seq: r.Seq}
		lines[i].Status, _ = statusAt(r.Status, nil, r.LeaseUntil, now)
	}
	return lines
}
