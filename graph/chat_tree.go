package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// ChatTree is a branching conversation with a language model. It is the team's, or private to a user; it is not of the
// memory: no search, walk or context finds it. Times are milliseconds since 1970.
type ChatTree struct {
	ID           string       `json:"id"`
	UserID       *string      `json:"user_id" doc:"to whom it is private; null: the team's"`
	Name         *string      `json:"name"`
	DisplayName  string       `json:"display_name" doc:"the name, else the beginning of the first prompt"`
	Pinned       bool         `json:"pinned"`
	SystemPrompt string       `json:"system_prompt"`
	Context      *ChatContext `json:"context,omitempty" doc:"what the model is told of the memory in each generation"`
	TurnCount    int64        `json:"turn_count"`
	CreatedAt    int64        `json:"created_at" doc:"milliseconds since 1970"`
	UpdatedAt    int64        `json:"updated_at" doc:"milliseconds since 1970"`
}

// ChatContext names what joins the system prompt of each generation: the context of the tree's user, or that of a project
// and what is in focus there.
type ChatContext struct {
	UserID    string `json:"user_id,omitempty" minLength:"1" maxLength:"256" doc:"the user of the tree: what an agent should know of this user"`
	ProjectID string `json:"project_id,omitempty" maxLength:"256" doc:"what an agent should know of this project"`
	FocusKind string `json:"focus_kind,omitempty" maxLength:"64"`
	FocusID   string `json:"focus_id,omitempty" maxLength:"256"`
	MaxTokens int    `json:"max_tokens,omitempty" minimum:"100" maximum:"32000" doc:"default 2,000"`
}

// ChatTreeWrite creates or changes a chat tree: what is left out stays, and null is the default.
type ChatTreeWrite struct {
	Name         Optional[string]      `json:"name,omitzero" max:"512" word:"true" doc:"at most 512 characters; null: told by the first prompt"`
	Pinned       Optional[bool]        `json:"pinned,omitzero"`
	SystemPrompt Optional[string]      `json:"system_prompt,omitzero" max:"32768" doc:"at most 32 KiB; null: the default"`
	Context      Optional[ChatContext] `json:"context,omitzero" doc:"what the model is told of the memory; null: nothing"`
}

// ChatTreeList asks for a page of chat trees, the last changed first.
type ChatTreeList struct {
	Pinned *bool // only those that are, or are not
	Cursor string
	Limit  int64
}

// ChatTreePage is a page of chat trees, and the cursor of the next one; empty after the last.
type ChatTreePage struct {
	Trees []ChatTree
	Next  string
}

// DefaultSystemPrompt is that of trees which have none of their own.
const DefaultSystemPrompt = "You are a helpful assistant. Answer from what you are told here; say so where you do not know."

const (
	maxSystemPrompt = 32 << 10 // bytes
	displayLength   = 60
)

// check finds the faults of a write of a tree of the scope's.
func (w *ChatTreeWrite) check(f *faults, scope Scope) {
	f.optionalWord("name", w.Name, MaxNameLength)
	f.bytes("system_prompt", w.SystemPrompt.Value, maxSystemPrompt)
	if w.Context.Given && !w.Context.Null {
		w.Context.Value.check(f, scope)
	}
}

// checkNew finds the faults of a tree that is to be the scope's.
func (w *ChatTreeWrite) checkNew(f *faults, scope Scope) {
	f.keyIfAny("user_id", scope.UserID)
	w.check(f, scope)
}

func (c *ChatContext) check(f *faults, scope Scope) {
	switch {
	case c.UserID == "" && c.ProjectID == "" && c.FocusID == "":
		f.add("context", "must name a user_id, a project_id or a focus_id")
	case c.UserID != "" && (c.ProjectID != "" || c.FocusKind != "" || c.FocusID != ""):
		f.add("context", "must name either a user_id or a project and its focus")
	case c.UserID != "" && c.UserID != scope.UserID: // answers of a tree tell of what the model was told
		f.add("context.user_id", "must be the user to whom the tree is private")
	case (c.FocusKind == "") != (c.FocusID == ""):
		f.add("context.focus_id", "goes with focus_kind")
	}
	f.keyIfAny("context.project_id", c.ProjectID)
	f.keyIfAny("context.focus_id", c.FocusID)
	if c.MaxTokens != 0 && (c.MaxTokens < 100 || c.MaxTokens > 32_000) {
		f.add("context.max_tokens", "must be from 100 to 32000")
	}
}

// bytes checks a text whose bytes are limited.
func (f *faults) bytes(location, value string, limit int) {
	if len(value) > limit {
		f.add(location, "must have at most %d bytes", limit)
		return
	}
	f.text(location, value, limit)
}

// keyIfAny checks a key that may be empty.
func (f *faults) keyIfAny(location, key string) {
	if key != "" {
		f.word(location, key, MaxKeyLength)
	}
}

// owners are whose chats the scope sees: the team's, which have no user, and the user's.
func (s Scope) owners() []string {
	if s.UserID == "" {
		return []string{""}
	}
	return []string{"", s.UserID}
}

// CreateChatTree stores a tree under an id, or a generated one where that is empty. A tree that has the id already stays as
// it is. ErrConflict when it is another user's. created says whether the tree is new.
func (s *Store) CreateChatTree(ctx context.Context, scope Scope, id string, w *ChatTreeWrite) (tree ChatTree, created bool, err error) {
	f := &faults{}
	f.keyIfAny("id", id)
	if w.checkNew(f, scope); len(f.fields) > 0 {
		return ChatTree{}, false, f.err()
	}
	if id == "" {
		id = uuid.Must(uuid.NewV7()).String()
	}
	err = s.transaction(ctx, "chat_tree_create", func(t *tx) (err error) {
		created, err = t.createChatTree(scope, id, w, s.now().UnixMilli())
		return err
	})
	if err != nil {
		return ChatTree{}, false, err
	}
	tree, err = s.ChatTree(ctx, scope, id)
	return tree, created, err
}

// createChatTree stores a tree, or leaves the one that has its id as it is. ErrConflict when that is another user's.
func (t *tx) createChatTree(scope Scope, id string, w *ChatTreeWrite, now int64) (created bool, err error) {
	p := w.properties()
	p["user_id"], p["created_at"], p["updated_at"], p["created_by"] = scope.UserID, now, now, scope.user()
	if p["pinned"] == nil {
		p["pinned"] = false
	}
	rows, err := t.exec("chat_tree_create", map[string]any{"team_id": scope.TeamID, "id": id, "properties": map[string]any(p)})
	if err == nil && text(rows[0].Values[0]) != scope.UserID {
		err = fmt.Errorf("the id is taken: %w", ErrConflict)
	}
	return err == nil && !truth(rows[0].Values[1]), err
}

// properties are what is given, nil where it is to go.
func (w *ChatTreeWrite) properties() properties {
	p := properties{}
	if w.Name.Given {
		p["name"] = orAbsent(w.Name.pointer())
	}
	if w.Pinned.Given {
		p["pinned"] = w.Pinned.or(false)
	}
	if w.SystemPrompt.Given {
		p["system_prompt"] = orAbsent(w.SystemPrompt.pointer())
	}
	if w.Context.Given {
		p["context"] = storedContext(w.Context.pointer())
	}
	return p
}

// ChatTree reads a tree that the scope may see, by its own id or that of one of its turns. ErrNotFound.
func (s *Store) ChatTree(ctx context.Context, scope Scope, id string) (ChatTree, error) {
	row, err := s.readOne(ctx, "chat_tree_get", map[string]any{"team_id": scope.TeamID, "owners": scope.owners(), "id": id})
	if err != nil {
		return ChatTree{}, err
	}
	return chatTreeFrom(row.Values[0], row.Values[1]), nil
}

// ChatTrees lists trees that the scope may see. InvalidError for a cursor that no page had.
func (s *Store) ChatTrees(ctx context.Context, scope Scope, l ChatTreeList) (ChatTreePage, error) {
	before, beforeID, err := l.after()
	if err != nil {
		return ChatTreePage{}, err
	}
	pinned := []bool{true, false}
	if l.Pinned != nil {
		pinned = []bool{*l.Pinned}
	}
	row, err := s.readOne(ctx, "chat_tree_list", map[string]any{
		"team_id": scope.TeamID, "owners": scope.owners(), "pinned": pinned, "before": before, "before_id": beforeID, "limit": l.Limit + 1,
	})
	if err != nil {
		return ChatTreePage{}, err
	}
	page := ChatTreePage{Trees: []ChatTree{}}
	for _, v := range items(row.Values[0]) {
		if n := len(page.Trees); int64(n) == l.Limit {
			last := page.Trees[n-1]
			page.Next = encodeCursor(strconv.FormatInt(last.UpdatedAt, 10) + " " + last.ID)
			break
		}
		page.Trees = append(page.Trees, chatTreeFrom(items(v)[0], items(v)[1]))
	}
	return page, nil
}

// after is the place behind which the page begins.
func (l *ChatTreeList) after() (before int64, id string, err error) {
	if l.Cursor == "" {
		return math.MaxInt64, "", nil
	}
	cursor, err := decodeCursor(l.Cursor)
	if err != nil {
		return 0, "", err
	}
	at, id, _ := strings.Cut(cursor, " ")
	if before, err = strconv.ParseInt(at, 10, 64); err != nil || id == "" {
		return 0, "", badCursor()
	}
	return before, id, nil
}

// ChangeChatTree changes a tree. ErrNotFound.
func (s *Store) ChangeChatTree(ctx context.Context, scope Scope, id string, w *ChatTreeWrite) (ChatTree, error) {
	tree, err := s.ChatTree(ctx, scope, id)
	if err == nil && tree.ID != id {
		err = fmt.Errorf("change tree: %w", ErrNotFound)
	}
	if err != nil {
		return ChatTree{}, err
	}
	f := &faults{}
	if w.check(f, tree.scope(scope.TeamID)); len(f.fields) > 0 {
		return ChatTree{}, f.err()
	}
	err = s.transaction(ctx, "chat_tree_change", func(t *tx) error {
		rows, err := t.exec("chat_tree_change", map[string]any{
			"team_id": scope.TeamID, "owners": scope.owners(), "id": tree.ID, "properties": map[string]any(w.properties()), "now": s.now().UnixMilli(),
		})
		if err == nil && len(rows) == 0 {
			return ErrNotFound
		}
		return err
	})
	if err != nil {
		return ChatTree{}, err
	}
	return s.ChatTree(ctx, scope, tree.ID)
}

// scope is that of all who see the tree.
func (t *ChatTree) scope(team string) Scope {
	s := Scope{TeamID: team}
	if t.UserID != nil {
		s.UserID = *t.UserID
	}
	return s
}

// DeleteChatTree deletes a tree with all its turns, whose ids it returns. ErrNotFound.
func (s *Store) DeleteChatTree(ctx context.Context, scope Scope, id string) (turns []string, err error) {
	return s.deleteChat(ctx, "chat_tree_delete", map[string]any{"team_id": scope.TeamID, "owners": scope.owners(), "id": id})
}

func (s *Store) deleteChat(ctx context.Context, name string, params map[string]any) (turns []string, err error) {
	err = s.transaction(ctx, name, func(t *tx) error {
		rows, err := t.exec(name, params)
		if err == nil && len(rows) == 0 {
			return fmt.Errorf("%s: %w", name, ErrNotFound)
		}
		if err == nil {
			turns = texts(rows[0].Values[0])
		}
		return err
	})
	return turns, err
}

func chatTreeFrom(v, prompt any) ChatTree {
	l := items(v)
	t := ChatTree{
		ID: text(l[0]), Name: optionalText(l[2]), Pinned: truth(l[3]), SystemPrompt: systemPrompt(l[4]), Context: chatContextFrom(l[5]),
		TurnCount: integer(l[6]), CreatedAt: integer(l[7]), UpdatedAt: integer(l[8]),
	}
	if user := text(l[1]); user != "" {
		t.UserID = &user
	}
	t.DisplayName = displayName(t.Name, text(prompt))
	return t
}

func systemPrompt(v any) string {
	if own, ok := v.(string); ok {
		return own
	}
	return DefaultSystemPrompt
}

// storedContext is a context as it is stored; nil for none.
func storedContext(c *ChatContext) any {
	if c == nil {
		return nil
	}
	raw, _ := json.Marshal(c) //nolint:errchkjson // a ChatContext always can
	return string(raw)
}

func chatContextFrom(v any) *ChatContext {
	var c ChatContext
	if raw := text(v); raw == "" || json.Unmarshal([]byte(raw), &c) != nil {
		return nil
	}
	return &c
}

// displayName is a tree's name, else its first prompt in short (S5-3).
func displayName(name *string, prompt string) string {
	if name != nil {
		return *name
	}
	if line := firstLine(prompt, displayLength); line != "" {
		return line
	}
	return "Untitled"
}
