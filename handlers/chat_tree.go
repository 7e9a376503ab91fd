package handlers

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"kith/access/auth"
	"kith/graph"
	"kith/internal/fault"
	"kith/internal/llm"
	"kith/memory/chat"
)

// chatStore reads and writes chats.
type chatStore interface {
	CreateChatTree(ctx context.Context, scope graph.Scope, id string, w *chat.TreeWrite) (chat.Tree, bool, error)
	ChatTree(ctx context.Context, scope graph.Scope, id string) (chat.Tree, error)
	ChatTrees(ctx context.Context, scope graph.Scope, l chat.TreeList) (chat.TreePage, error)
	ChangeChatTree(ctx context.Context, scope graph.Scope, id string, w *chat.TreeWrite) (chat.Tree, error)
	ChatTurn(ctx context.Context, scope graph.Scope, id string) (chat.Turn, error)
	ChatTurns(ctx context.Context, scope graph.Scope, treeID string, from, limit int64) ([]chat.TurnLine, error)
	ChatPath(ctx context.Context, scope graph.Scope, id string) (chat.Path, error)
	ChatDescendants(ctx context.Context, scope graph.Scope, id string) ([]chat.TurnLine, error)
	AnswerChatTurn(ctx context.Context, scope graph.Scope, id string, a *chat.Answer) (chat.Turn, error)
	ExportChats(ctx context.Context, teamID string, tree func(*chat.TreeRecord) error, turn func(*chat.TurnRecord) error) error
	RestoreChats(ctx context.Context, scope graph.Scope, b *chat.Batch) (chat.Result, error)
}

// chats generates answers, and ends what generates them.
type chats interface {
	Submit(ctx context.Context, scope graph.Scope, treeID string, p chat.Prompt) (chat.Turn, bool, error)
	Retry(ctx context.Context, scope graph.Scope, id string) (chat.Turn, bool, error)
	Cancel(ctx context.Context, scope graph.Scope, id string) (chat.Turn, error)
	Delete(ctx context.Context, scope graph.Scope, id string) ([]string, error)
	DeleteTree(ctx context.Context, scope graph.Scope, id string) ([]string, error)
	Explain(ctx context.Context, scope graph.Scope, e *chat.Explanation) (chat.Turn, bool, error)
	Assemble(ctx context.Context, scope graph.Scope, id string, maxTokens int) (*chat.Assembled, error)
	Watch(ctx context.Context, scope graph.Scope, id, last string, send func(chat.Event) error) error
	Availability() llm.Availability
}

// chatRoutes are the routes of chat trees and their turns. No cache holds anything of them.
func (a *API) chatRoutes(api huma.API) {
	const tree, turn = "/v1/trees/{id}", "/v1/turns/{id}"
	route(a, api, http.MethodPost, "/v1/trees", "create-tree", "Make a chat tree", a.createTree, madeOrThere)
	route(a, api, http.MethodGet, "/v1/trees", "list-trees", "Chat trees, the last changed first", a.listTrees)
	route(a, api, http.MethodGet, tree, "get-tree", "A chat tree, by its own id or that of one of its turns", a.getTree)
	route(a, api, http.MethodPatch, tree, "change-tree", "Rename or pin a chat tree, change its system prompt or context", a.changeTree)
	route(a, api, http.MethodDelete, tree, "delete-tree", "Delete a chat tree with all its turns", a.deleteTree)
	route(a, api, http.MethodGet, tree+"/turns", "list-turns", "The turns of a chat tree in the order in which they came, in short", a.listTurns)
	route(a, api, http.MethodPost, tree+"/turns", "submit-turn", "Add a turn to a chat tree, and have its answer generated", a.submitTurn, generates)
	route(a, api, http.MethodGet, turn, "get-turn", "A turn with its answer", a.getTurn)
	route(a, api, http.MethodPatch, turn, "answer-turn", "Answer a pending turn", a.answerTurn)
	route(a, api, http.MethodDelete, turn, "delete-turn", "Delete a turn with all below it", a.deleteTurn)
	route(a, api, http.MethodPost, turn+"/retry", "retry-turn", "Have the answer of a turn in error generated again", a.retryTurn, asksModel)
	route(a, api, http.MethodPost, turn+"/cancel", "cancel-turn", "End a turn that waits for its answer", a.cancelTurn)
	route(a, api, http.MethodGet, turn+"/path", "get-turn-path", "The turns from the root to a turn", a.turnPath)
	route(a, api, http.MethodGet, turn+"/descendants", "list-turn-descendants", "A turn and all below it, breadth first, in short", a.turnDescendants)
	route(a, api, http.MethodGet, turn+"/prompt", "get-turn-prompt", "What the model is told for a turn", a.turnPrompt)
	route(a, api, http.MethodGet, turn+"/events", "watch-turn", "A turn's state and answer while they come, as server-sent events", a.turnEvents, eventsResponse)
	route(a, api, http.MethodPost, "/v1/explanations", "explain", "Have a result explained, in the chat tree of a session", a.explain, generates)
}

// madeOrThere says that an answer is 201 for what is new, and 200 for what was there.
func madeOrThere(_ huma.API, o *huma.Operation) {
	o.DefaultStatus = http.StatusCreated
	o.Responses = map[string]*huma.Response{"200": {Description: "It was there already, and stays as it is"}}
}

// generates says that an answer is 202 for a turn whose answer is being generated, 201 for a pending one, and 200 for one that
// was there.
func generates(api huma.API, o *huma.Operation) {
	asksModel(api, o)
	o.DefaultStatus = http.StatusAccepted
	o.Responses = map[string]*huma.Response{
		"200": {Description: "The turn was there already, and stays as it is"},
		"201": {Description: "The turn is pending"},
	}
}

// ChatPath names a chat tree or a turn, and the user for whom it is looked at.
type ChatPath struct {
	ID     string `path:"id" maxLength:"256"`
	UserID string `query:"user_id" minLength:"1" doc:"for whom; left out: the user of the key, or the team itself"`
}

// resolve is the scope of the request. What cannot be an id has nothing.
func (p *ChatPath) resolve(ctx context.Context, needs string) (graph.Scope, error) {
	scope, err := scopeFor(ctx, needs, "", p.UserID)
	if err == nil && (!fault.ValidKey(p.ID) || scope.UserID != "" && !fault.ValidKey(scope.UserID)) {
		err = fault.ErrNotFound
	}
	return scope, err
}

// TreeViewOutput is a chat tree.
type TreeViewOutput struct {
	Status int
	Body   struct {
		chat.Tree
		Availability llm.Availability `json:"availability" enum:"available,downloading,unavailable" doc:"whether answers can be generated now"`
	}
}

func (a *API) treeOutput(status int, tree chat.Tree, err error) (*TreeViewOutput, error) {
	if err != nil {
		return nil, located("body", err)
	}
	out := &TreeViewOutput{Status: status}
	out.Body.Tree, out.Body.Availability = tree, a.Chats.Availability()
	return out, nil
}

// CreateTreeInput makes a chat tree.
type CreateTreeInput struct {
	Body struct {
		UserID string `json:"user_id,omitempty" minLength:"1" maxLength:"256" doc:"to whom it is private; left out: the user of the key, or the whole team"`
		ID     string `json:"id,omitempty" maxLength:"256" doc:"generated (UUIDv7) when left out; one that is there stays as it is"`
		chat.TreeWrite
	}
}

func (a *API) createTree(ctx context.Context, in *CreateTreeInput) (*TreeViewOutput, error) {
	scope, err := principal(ctx).For(auth.Write, in.Body.UserID)
	if err != nil {
		return nil, err
	}
	tree, created, err := a.ChatStore.CreateChatTree(ctx, scope, in.Body.ID, &in.Body.TreeWrite)
	return a.treeOutput(statusOf(created, http.StatusCreated), tree, err)
}

// statusOf is the status of what was made, or 200 for what was there.
func statusOf(made bool, status int) int {
	if made {
		return status
	}
	return http.StatusOK
}

// ListTreesInput asks for a page of chat trees.
type ListTreesInput struct {
	UserID string `query:"user_id" minLength:"1" maxLength:"256" doc:"whose, beside the team's; left out: the user of the key, or only the team's"`
	Pinned string `query:"pinned" enum:"true,false" doc:"only those that are, or are not"`
	Limit  int64  `query:"limit" minimum:"1" maximum:"1000" default:"100"`
	Cursor string `query:"cursor" maxLength:"4096" doc:"next of the page before"`
}

// TreePageOutput is a page of chat trees. Next is null after the last.
type TreePageOutput struct {
	Body struct {
		Trees        []chat.Tree      `json:"trees"`
		Next         *string          `json:"next"`
		Availability llm.Availability `json:"availability" enum:"available,downloading,unavailable" doc:"whether answers can be generated now"`
	}
}

func (a *API) listTrees(ctx context.Context, in *ListTreesInput) (*TreePageOutput, error) {
	scope, err := scopeFor(ctx, auth.Read, "", in.UserID)
	if err != nil {
		return nil, err
	}
	l := chat.TreeList{Cursor: in.Cursor, Limit: in.Limit}
	if in.Pinned != "" {
		pinned := in.Pinned == "true"
		l.Pinned = &pinned
	}
	page, err := a.ChatStore.ChatTrees(ctx, scope, l)
	if err != nil {
		return nil, located("query", err)
	}
	out := &TreePageOutput{}
	out.Body.Trees, out.Body.Next, out.Body.Availability = page.Trees, stringOrNil(page.Next), a.Chats.Availability()
	return out, nil
}

// GetTreeInput asks for a chat tree.
type GetTreeInput struct{ ChatPath }

func (a *API) getTree(ctx context.Context, in *GetTreeInput) (*TreeViewOutput, error) {
	scope, err := in.resolve(ctx, auth.Read)
	if err != nil {
		return nil, err
	}
	tree, err := a.ChatStore.ChatTree(ctx, scope, in.ID)
	return a.treeOutput(http.StatusOK, tree, err)
}

// ChangeTreeInput changes a chat tree.
type ChangeTreeInput struct {
	ID   string `path:"id" maxLength:"256"`
	Body struct {
		UserID string `json:"user_id,omitempty" minLength:"1" maxLength:"256" doc:"for whom; left out: the user of the key, or the team itself"`
		chat.TreeWrite
	}
}

func (a *API) changeTree(ctx context.Context, in *ChangeTreeInput) (*TreeViewOutput, error) {
	scope, err := (&ChatPath{in.ID, in.Body.UserID}).resolve(ctx, auth.Write)
	if err != nil {
		return nil, err
	}
	tree, err := a.ChatStore.ChangeChatTree(ctx, scope, in.ID, &in.Body.TreeWrite)
	return a.treeOutput(http.StatusOK, tree, err)
}

// DeleteTreeInput deletes a chat tree.
type DeleteTreeInput struct{ ChatPath }

// RemovedTurnsOutput says which turns were deleted.
type RemovedTurnsOutput struct {
	Body struct {
		Removed []string `json:"removed" doc:"ids of turns"`
	}
}

func removed(turns []string, err error) (*RemovedTurnsOutput, error) {
	out := &RemovedTurnsOutput{}
	out.Body.Removed = turns
	return out, err
}

func (a *API) deleteTree(ctx context.Context, in *DeleteTreeInput) (*RemovedTurnsOutput, error) {
	scope, err := in.resolve(ctx, auth.Write)
	if err != nil {
		return nil, err
	}
	turns, err := a.Chats.DeleteTree(ctx, scope, in.ID)
	return removed(turns, err)
}
