package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"kith/graph"
	"kith/graph/cursors"
	"kith/graph/neo"
	"kith/internal/bounds"
	"kith/internal/fault"
	"kith/text/clip"
)

// Tree is a branching conversation with a language model. It is shared by the team, or private to a user. It is not part of
// the memory: no search, walk or context finds it. Times are milliseconds since 1970.
type Tree struct {
	ID           string   `json:"id"`
	UserID       *string  `json:"user_id" doc:"the user to whom it is private; null: shared"`
	Name         *string  `json:"name"`
	DisplayName  string   `json:"display_name" doc:"the name, or else the beginning of the first prompt"`
	Pinned       bool     `json:"pinned"`
	SystemPrompt string   `json:"system_prompt"`
	Context      *Context `json:"context,omitempty" doc:"what the prompt of each generation contains from the memory"`
	TurnCount    int64    `json:"turn_count"`
	CreatedAt    int64    `json:"created_at" doc:"milliseconds since 1970"`
	UpdatedAt    int64    `json:"updated_at" doc:"milliseconds since 1970"`
}

// Context names what is added to the system prompt of each generation: the context of the tree's user, or the context of a
// project and its focus.
type Context struct {
	UserID    string `json:"user_id,omitempty" minLength:"1" maxLength:"256" doc:"the user of the tree: what an agent should know of this user; either this, or a project_id, a focus or both"`
	ProjectID string `json:"project_id,omitempty" maxLength:"256" doc:"what an agent should know of this project"`
	FocusKind string `json:"focus_kind,omitempty" maxLength:"64" with:"focus_id" doc:"a kind; with focus_id"`
	FocusID   string `json:"focus_id,omitempty" maxLength:"256" with:"focus_kind" doc:"entity_key of what is in focus; with focus_kind"`
	MaxTokens int    `json:"max_tokens,omitempty" minimum:"100" maximum:"32000" doc:"default 2,000"`
}

// TreeWrite creates or changes a chat tree. An omitted field stays as it is, and null means the default.
type TreeWrite struct {
	Name         graph.Optional[string]  `json:"name,omitzero" max:"512" word:"true" doc:"at most 512 characters; null: taken from the first prompt"`
	Pinned       graph.Optional[bool]    `json:"pinned,omitzero"`
	SystemPrompt graph.Optional[string]  `json:"system_prompt,omitzero" max:"32768" doc:"at most 32 KiB; null: the default"`
	Context      graph.Optional[Context] `json:"context,omitzero" doc:"what the prompt contains from the memory; null: nothing"`
}

// TreeList asks for a page of chat trees, the last changed first.
type TreeList struct {
	Pinned *bool // only pinned trees, or only others; nil: all
	Cursor string
	Limit  int64
}

// TreePage is a page of chat trees with the cursor of the next page; empty after the last.
type TreePage struct {
	Trees []Tree
	Next  string
}

// DefaultSystemPrompt is the system prompt of trees without one.
const DefaultSystemPrompt = "You are a helpful assistant. Answer from what you are told here; say so where you do not know."

const (
	maxSystemPrompt = 32 << 10 // bytes
	displayLength   = 60
)

var (
	addChatTree    = neo.Load[addedChatTree]("chat_tree_create")
	findChatTree   = neo.Load[chatTreeRow]("chat_tree_get")
	listChatTrees  = neo.Load[[]chatTreeRow]("chat_tree_list")
	updateChatTree = neo.Load[string]("chat_tree_change")
	removeChatTree = neo.Load[[]string]("chat_tree_delete")
)

// addedChatTree is the owner of a tree and whether it existed before.
type addedChatTree struct {
	UserID string
	Known  bool
}

// chatTreeRow is a stored tree with the beginning of its first prompt.
type chatTreeRow struct {
	Tree   chatTreeFields
	Prompt string
}

// chatTreeFields are the fields of a stored tree, in the order of chat_tree_get.
type chatTreeFields struct {
	ID           string
	UserID       string // empty: shared
	Name         *string
	Pinned       bool
	SystemPrompt *string // nil: the default
	Context      string  // JSON; empty: none
	TurnCount    int64
	CreatedAt    int64
	UpdatedAt    int64
}

// check adds the faults of a write of a tree in the scope.
func (w *TreeWrite) check(f *graph.Faults, scope graph.Scope) {
	f.OptionalWord(fault.At("name"), w.Name, bounds.NameLength)
	checkBytes(f, fault.At("system_prompt"), w.SystemPrompt.Value, maxSystemPrompt)
	if w.Context.Given && !w.Context.Null {
		w.Context.Value.check(f, scope)
	}
}

// checkNew adds the faults of a new tree in the scope.
func (w *TreeWrite) checkNew(f *graph.Faults, scope graph.Scope) {
	checkKey(f, fault.At("user_id"), scope.UserID)
	w.check(f, scope)
}

func (c *Context) check(f *graph.Faults, scope graph.Scope) {
	switch {
	case c.UserID == "" && c.ProjectID == "" && c.FocusID == "":
		f.Add(fault.At("context"), fault.Required, "must name a user_id, a project_id or a focus_id")
	case c.UserID != "" && (c.ProjectID != "" || c.FocusKind != "" || c.FocusID != ""):
		f.Add(fault.At("context"), fault.Contrary, "must name either a user_id or a project and its focus")
	case c.UserID != "" && c.UserID != scope.UserID: // everyone who sees the tree sees its answers, and with them what the prompt contained
		f.Add(fault.At("context").Field("user_id"), fault.NotAllowed, "must be the user to whom the tree is private")
	case (c.FocusKind == "") != (c.FocusID == ""):
		f.Add(fault.At("context").Field("focus_id"), fault.Contrary, "must be given together with focus_kind")
	}
	checkKey(f, fault.At("context").Field("project_id"), c.ProjectID)
	checkKey(f, fault.At("context").Field("focus_id"), c.FocusID)
	f.OptionalBetween(fault.At("context").Field("max_tokens"), int64(c.MaxTokens), 100, 32_000)
}

// checkBytes checks a text whose size in bytes is limited.
func checkBytes(f *graph.Faults, at fault.Path, value string, limit int) {
	if f.Bytes(at, len(value), limit) {
		f.Text(at, value, limit)
	}
}

// checkKey checks a key that may be empty.
func checkKey(f *graph.Faults, at fault.Path, key string) {
	if key != "" {
		f.Word(at, key, bounds.KeyLength)
	}
}

// owners returns the owners of the chats that the scope sees: the empty name for shared ones, and the user.
func owners(s graph.Scope) []string {
	if s.UserID == "" {
		return []string{""}
	}
	return []string{"", s.UserID}
}

// CreateChatTree stores a tree under an id, or under a generated one if id is empty. An existing tree with the id is not changed.
// It returns ErrConflict when that tree is shared and the scope has a user, a graph.TakenError when it belongs to another user. created reports whether the tree is new.
func (s *Store) CreateChatTree(ctx context.Context, scope graph.Scope, id string, w *TreeWrite) (tree Tree, created bool, err error) {
	f := &graph.Faults{}
	checkKey(f, fault.At("id"), id)
	if w.checkNew(f, scope); f.Len() > 0 {
		return Tree{}, false, f.Err()
	}
	if id == "" {
		id = uuid.Must(uuid.NewV7()).String()
	}
	err = s.transaction(ctx, "chat_tree_create", func(t *tx) (err error) {
		if created, err = t.createChatTree(scope, id, w, s.now().UnixMilli()); err == nil {
			tree, err = t.chatTree(scope, id)
		}
		return err
	})
	return tree, created, err
}

// chatTree reads a tree in the transaction that changes it: a read afterwards may fail, or find what another has written since.
func (t *tx) chatTree(scope graph.Scope, id string) (Tree, error) {
	row, err := findChatTree.ExecOne(t, treeParams(scope, id))
	if err != nil {
		return Tree{}, err
	}
	return row.tree(), nil
}

func treeParams(scope graph.Scope, id string) map[string]any {
	return map[string]any{"team_id": scope.TeamID, "owners": owners(scope), "id": id}
}

// createChatTree stores a tree unless one has its id. Its errors are those of CreateChatTree.
func (t *tx) createChatTree(scope graph.Scope, id string, w *TreeWrite, now int64) (created bool, err error) {
	p := w.properties()
	p["user_id"], p["created_at"], p["updated_at"], p["created_by"] = scope.UserID, now, now, scope.User()
	if p["pinned"] == nil {
		p["pinned"] = false
	}
	added, err := addChatTree.ExecOne(t, map[string]any{"team_id": scope.TeamID, "id": id, "properties": map[string]any(p)})
	switch {
	case err != nil || added.UserID == scope.UserID:
	case added.UserID == "":
		err = fmt.Errorf("the id is already in use: %w", fault.ErrConflict)
	default:
		err = &graph.TakenError{Key: id}
	}
	if created = err == nil && !added.Known; created {
		t.Notes([]string{scope.UserID}, id)
	}
	return created, err
}

// Properties returns the given fields, nil for those to remove.
func (w *TreeWrite) properties() graph.Properties {
	p := graph.Properties{}
	if w.Name.Given {
		p["name"] = orAbsent(w.Name.Pointer())
	}
	if w.Pinned.Given {
		p["pinned"] = w.Pinned.Or(false)
	}
	if w.SystemPrompt.Given {
		p["system_prompt"] = orAbsent(w.SystemPrompt.Pointer())
	}
	if w.Context.Given {
		p["context"] = storedContext(w.Context.Pointer())
	}
	return p
}

// ChatTree returns a tree that the scope may see, by its id or the id of one of its turns. It returns ErrNotFound for an unknown
// id.
func (s *Store) ChatTree(ctx context.Context, scope graph.Scope, id string) (Tree, error) {
	row, err := findChatTree.ReadOne(ctx, s.db, treeParams(scope, id))
	if err != nil {
		return Tree{}, err
	}
	return row.tree(), nil
}

// ChatTrees lists trees that the scope may see. It returns an InvalidError for an invalid cursor.
func (s *Store) ChatTrees(ctx context.Context, scope graph.Scope, l TreeList) (TreePage, error) {
	before, beforeID, err := l.after()
	if err != nil {
		return TreePage{}, err
	}
	pinned := []bool{true, false}
	if l.Pinned != nil {
		pinned = []bool{*l.Pinned}
	}
	rows, err := listChatTrees.ReadOne(ctx, s.db, map[string]any{
		"team_id": scope.TeamID, "owners": owners(scope), "pinned": pinned, "before": before, "before_id": beforeID, "limit": l.Limit + 1,
	})
	if err != nil {
		return TreePage{}, err
	}
	page := TreePage{Trees: []Tree{}}
	for i := range rows {
		if n := len(page.Trees); int64(n) == l.Limit {
			last := page.Trees[n-1]
			page.Next = cursors.Encode(strconv.FormatInt(last.UpdatedAt, 10) + " " + last.ID)
			break
		}
		page.Trees = append(page.Trees, rows[i].tree())
	}
	return page, nil
}

// after returns the position at which the page begins.
func (l *TreeList) after() (before int64, id string, err error) {
	if l.Cursor == "" {
		return math.MaxInt64, "", nil
	}
	cursor, err := cursors.Decode(l.Cursor)
	if err != nil {
		return 0, "", err
	}
	at, id, _ := strings.Cut(cursor, " ")
	if before, err = strconv.ParseInt(at, 10, 64); err != nil || id == "" {
		return 0, "", cursors.Invalid()
	}
	return before, id, nil
}

// ChangeChatTree changes a tree. It returns ErrNotFound for an unknown one.
func (s *Store) ChangeChatTree(ctx context.Context, scope graph.Scope, id string, w *TreeWrite) (Tree, error) {
	tree, err := s.ChatTree(ctx, scope, id)
	if err == nil && tree.ID != id {
		err = fmt.Errorf("change tree: %w", fault.ErrNotFound)
	}
	if err != nil {
		return Tree{}, err
	}
	f := &graph.Faults{}
	if w.check(f, tree.scope(scope.TeamID)); f.Len() > 0 {
		return Tree{}, f.Err()
	}
	err = s.transaction(ctx, "chat_tree_change", func(t *tx) (err error) {
		_, err = updateChatTree.ExecOne(t, map[string]any{
			"team_id": scope.TeamID, "owners": owners(scope), "id": tree.ID, "properties": map[string]any(w.properties()), "now": s.now().UnixMilli(),
		})
		if err == nil {
			tree, err = t.chatTree(scope, id)
		}
		return err
	})
	return tree, err
}

// scope returns the scope of all who see the tree.
func (t *Tree) scope(team string) graph.Scope {
	s := graph.Scope{TeamID: team}
	if t.UserID != nil {
		s.UserID = *t.UserID
	}
	return s
}

// DeleteChatTree deletes a tree with all its turns and returns their ids. It returns ErrNotFound for an unknown tree.
func (s *Store) DeleteChatTree(ctx context.Context, scope graph.Scope, id string) (turns []string, err error) {
	return s.deleteChat(ctx, removeChatTree, map[string]any{"team_id": scope.TeamID, "owners": owners(scope), "id": id})
}

// deleteChat deletes a tree or turns of it and returns the ids of the deleted turns.
func (s *Store) deleteChat(ctx context.Context, remove neo.Query[[]string], params map[string]any) (turns []string, err error) {
	err = s.transaction(ctx, remove.Name, func(t *tx) (err error) {
		turns, err = remove.ExecOne(t, params)
		t.Notes(nil, turns...)
		return err
	})
	return turns, err
}

func (r *chatTreeRow) tree() Tree {
	f := &r.Tree
	t := Tree{
		ID: f.ID, Name: f.Name, DisplayName: displayName(f.Name, r.Prompt), Pinned: f.Pinned, SystemPrompt: systemPrompt(f.SystemPrompt),
		Context: chatContextFrom(f.Context), TurnCount: f.TurnCount, CreatedAt: f.CreatedAt, UpdatedAt: f.UpdatedAt,
	}
	if f.UserID != "" {
		t.UserID = &f.UserID
	}
	return t
}

// systemPrompt returns a tree's own system prompt, or else the default.
func systemPrompt(own *string) string {
	if own != nil {
		return *own
	}
	return DefaultSystemPrompt
}

// storedContext returns the stored form of a context; nil for none.
func storedContext(c *Context) any {
	if c == nil {
		return nil
	}
	raw, _ := json.Marshal(c) //nolint:errchkjson // a ChatContext always can
	return string(raw)
}

// chatContextFrom returns a context from its stored form; nil for none.
func chatContextFrom(stored string) *Context {
	var c Context
	if stored == "" || json.Unmarshal([]byte(stored), &c) != nil {
		return nil
	}
	return &c
}

// displayName returns a tree's name, or else the first line of its first prompt.
func displayName(name *string, prompt string) string {
	if name != nil {
		return *name
	}
	if line := clip.FirstLine(prompt, displayLength); line != "" {
		return line
	}
	return "Untitled"
}
