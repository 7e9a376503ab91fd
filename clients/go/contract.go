// Code generated from the contract by clients/generate; DO NOT EDIT.

package client

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// ListChanges is GET /v1/changes: what was committed behind a cursor, in order; or as it is committed, as server-sent events.
func (c *Client) ListChanges(ctx context.Context, query ListChangesQuery) (*ChangePage, error) {
	return fetch[ChangePage](ctx, c, request{method: http.MethodGet, path: "/v1/changes", query: query, again: true})
}

// ListChangesQuery holds the query parameters of ListChanges.
type ListChangesQuery struct {
	After  string   `json:"after,omitempty"` // next of the page before, or the cursor of a change; now: the end; default: the oldest changes that are kept
	Kinds  []string `json:"kinds,omitempty"` // kinds of nodes, relationship, system, system_relationship, preference, statement; default: all
	Limit  int64    `json:"limit,omitempty"`
	UserID string   `json:"user_id,omitempty"` // the changes of this user's memory and of what the team shares; default: the user of the key, or else all of the team
}

// ListConsolidation is GET /v1/consolidation: sources that could be archived, and why.
func (c *Client) ListConsolidation(ctx context.Context, query ListConsolidationQuery) (*ConsolidationPage, error) {
	return fetch[ConsolidationPage](ctx, c, request{method: http.MethodGet, path: "/v1/consolidation", query: query, again: true})
}

// ListConsolidationQuery holds the query parameters of ListConsolidation.
type ListConsolidationQuery struct {
	Cursor string `json:"cursor,omitempty"`  // next of the page before
	Limit  int64  `json:"limit,omitempty"`   // at most so many candidates; a page may have less, even none, while next is given
	UserID string `json:"user_id,omitempty"` // whose; default: the user of the key. Required where the key is not bound to one
}

// Consolidate is POST /v1/consolidation: archive sources; their links stay.
func (c *Client) Consolidate(ctx context.Context, body *Consolidation) (*ConsolidationResult, error) {
	return fetch[ConsolidationResult](ctx, c, request{method: http.MethodPost, path: "/v1/consolidation", body: body})
}

// Context is GET /v1/context: what an agent should know at the start of a conversation.
func (c *Client) Context(ctx context.Context, query ContextQuery) (*AgentContext, error) {
	return fetch[AgentContext](ctx, c, request{method: http.MethodGet, path: "/v1/context", query: query, again: true})
}

// ContextText is GET /v1/context: what an agent should know at the start of a conversation. The answer is its text form.
func (c *Client) ContextText(ctx context.Context, query ContextQuery) (string, error) {
	return c.text(ctx, request{method: http.MethodGet, path: "/v1/context", query: query, again: true, asText: true})
}

// ContextQuery holds the query parameters of Context.
type ContextQuery struct {
	AsOf           time.Time `json:"as_of,omitzero"`            // the context of a moment in the past. With the moment of an answer of the last 30 days (its header Kith-As-Of) and the same parameters, the same bytes. Otherwise what was served in the 5 minutes before, or else meta.compacted: put together from what is stored now, with what was linked then and the week before it
	ConversationID string    `json:"conversation_id,omitempty"` // the conversation that is open now: neither recent_context nor temporal has it
	Explain        bool      `json:"explain,omitempty"`         // answer with an object that has, in receipt, the text with what each part of it shows and why, and what was left out; with format=text nothing else
	FocusID        string    `json:"focus_id,omitempty"`        // entity_key of what the user looks at; with focus_kind, and never without
	FocusKind      string    `json:"focus_kind,omitempty"`      // person, concept or entity; with focus_id, and never without
	MaxTokens      int64     `json:"max_tokens,omitempty"`      // o200k tokens of the text, 100 to 100,000; lowest-ranked lines go first, and the text says what went; only with format=text or explain
	Sections       []string  `json:"sections,omitempty"`        // user, relationships, recent_context, temporal, repeated or with commas; default: all
	TeamID         string    `json:"team_id,omitempty"`         // must be the key's team, if given
	TimeZone       string    `json:"time_zone,omitempty"`       // IANA name; default: the preference time_zone, else UTC
	UserID         string    `json:"user_id,omitempty"`         // whose context; default: the user of the key. Required where the key is not bound to one
}

// ExplainNode is GET /v1/context/why: why a context shows a node, or does not: each rule, what it found, and what would change it.
func (c *Client) ExplainNode(ctx context.Context, query ExplainNodeQuery) (*Why, error) {
	return fetch[Why](ctx, c, request{method: http.MethodGet, path: "/v1/context/why", query: query, again: true})
}

// ExplainNodeQuery holds the query parameters of ExplainNode.
type ExplainNodeQuery struct {
	Key       string `json:"key,omitempty"`        // entity_key of a person, concept, entity or source
	MaxTokens int64  `json:"max_tokens,omitempty"` // o200k tokens of the text; default: no budget
	TeamID    string `json:"team_id,omitempty"`    // must be the key's team, if given
	UserID    string `json:"user_id,omitempty"`    // whose context; default: the user of the key. Required where the key is not bound to one
}

// ListConversations is GET /v1/conversations: a page of a user's conversations, the newest first.
func (c *Client) ListConversations(ctx context.Context, query ListConversationsQuery) (*ConversationList, error) {
	return fetch[ConversationList](ctx, c, request{method: http.MethodGet, path: "/v1/conversations", query: query, again: true})
}

// ListConversationsQuery holds the query parameters of ListConversations.
type ListConversationsQuery struct {
	Cursor string `json:"cursor,omitempty"` // next of the page before
	Limit  int64  `json:"limit,omitempty"`
	UserID string `json:"user_id,omitempty"` // whose; default: the user of the key. Required where the key is not bound to one
}

// OpenConversation is POST /v1/conversations: open a conversation and get its context.
func (c *Client) OpenConversation(ctx context.Context, body *OpenConversationRequest) (*OpenedConversation, error) {
	return fetch[OpenedConversation](ctx, c, request{method: http.MethodPost, path: "/v1/conversations", body: body})
}

// OpenConversationText is POST /v1/conversations: open a conversation and get its context. The answer is its text form.
func (c *Client) OpenConversationText(ctx context.Context, body *OpenConversationRequest) (string, error) {
	asText := *body
	asText.Format = "text"
	return c.text(ctx, request{method: http.MethodPost, path: "/v1/conversations", body: &asText})
}

// Conversation is GET /v1/conversations/{id}: a conversation with its messages.
func (c *Client) Conversation(ctx context.Context, id string, query ConversationQuery) (*ConversationPage, error) {
	return fetch[ConversationPage](ctx, c, request{method: http.MethodGet, path: "/v1/conversations/" + escape(id), query: query, again: true})
}

// ConversationQuery holds the query parameters of Conversation.
type ConversationQuery struct {
	From   int64  `json:"from,omitempty"`    // number of the first message
	Limit  int64  `json:"limit,omitempty"`   // at most so many messages
	UserID string `json:"user_id,omitempty"` // whose; left out: the user of the key, or any of the team
}

// EndConversation is POST /v1/conversations/{id}/end: end a conversation.
func (c *Client) EndConversation(ctx context.Context, id string, body *ConversationEnd) (*SourceResult, error) {
	return fetch[SourceResult](ctx, c, request{method: http.MethodPost, path: "/v1/conversations/" + escape(id) + "/end", body: body})
}

// SetFocus is PUT /v1/conversations/{id}/focus: have a conversation remember what its user looks at in a workspace.
func (c *Client) SetFocus(ctx context.Context, id string, body *SetFocusRequest) (*SourceResult, error) {
	return fetch[SourceResult](ctx, c, request{method: http.MethodPut, path: "/v1/conversations/" + escape(id) + "/focus", body: body, again: true})
}

// AppendMessages is POST /v1/conversations/{id}/messages: append messages to an open conversation.
func (c *Client) AppendMessages(ctx context.Context, id string, body *AppendMessagesRequest) (*SourceResult, error) {
	return fetch[SourceResult](ctx, c, request{method: http.MethodPost, path: "/v1/conversations/" + escape(id) + "/messages", body: body})
}

// PopMessages is POST /v1/conversations/{id}/messages/pop: delete the last messages of an open conversation, and return them.
func (c *Client) PopMessages(ctx context.Context, id string, body *PopMessagesRequest) (*Popped, error) {
	return fetch[Popped](ctx, c, request{method: http.MethodPost, path: "/v1/conversations/" + escape(id) + "/messages/pop", body: body})
}

// ListDuplicates is GET /v1/duplicates: a page of pairs of nodes that may be one thing, with reasons and a probability; or of those that were refused.
func (c *Client) ListDuplicates(ctx context.Context, query ListDuplicatesQuery) (*DuplicatePage, error) {
	return fetch[DuplicatePage](ctx, c, request{method: http.MethodGet, path: "/v1/duplicates", query: query, again: true})
}

// ListDuplicatesQuery holds the query parameters of ListDuplicates.
type ListDuplicatesQuery struct {
	Cursor         string  `json:"cursor,omitempty"` // next of the page before
	Kind           string  `json:"kind,omitempty"`   // default: all
	Limit          int64   `json:"limit,omitempty"`
	MinProbability float64 `json:"min_probability,omitempty"` // of proposed pairs; less probable than 0.3 are not kept
	State          string  `json:"state,omitempty"`           // refused: pairs that somebody has said are two
	UserID         string  `json:"user_id,omitempty"`         // also the pairs of this user; default: the user of the key, or only what the team shares
}

// ChangeDuplicates is PATCH /v1/duplicates: say of pairs of nodes that they are two, or take that back.
func (c *Client) ChangeDuplicates(ctx context.Context, query ChangeDuplicatesQuery, body *DuplicateChange) error {
	return c.do(ctx, request{method: http.MethodPatch, path: "/v1/duplicates", query: query, body: body}, nil)
}

// ChangeDuplicatesQuery holds the query parameters of ChangeDuplicates.
type ChangeDuplicatesQuery struct {
	UserID string `json:"user_id,omitempty"` // whose nodes may be named besides those that the team shares; default: the user of the key
}

// Link is POST /v1/edges: link nodes of a project, all or none; links that are there are skipped.
func (c *Client) Link(ctx context.Context, body *EdgesWrite) (*EdgesResult, error) {
	return fetch[EdgesResult](ctx, c, request{method: http.MethodPost, path: "/v1/edges", body: body})
}

// Unlink is DELETE /v1/edges/{key}: delete a link; it can be restored for a while.
func (c *Client) Unlink(ctx context.Context, key string, query UnlinkQuery) (*Deletion, error) {
	return fetch[Deletion](ctx, c, request{method: http.MethodDelete, path: "/v1/edges/" + escape(key), query: query, again: true})
}

// UnlinkQuery holds the query parameters of Unlink.
type UnlinkQuery struct {
	IfVersion int64  `json:"if_version,omitempty"` // only if this is the stored version
	UserID    string `json:"user_id,omitempty"`    // for whom; left out: the user of the key, or the team itself
}

// Explain is POST /v1/explanations: have a result explained, in the chat tree of a session.
func (c *Client) Explain(ctx context.Context, body *ExplainRequest) (*ChatTurn, error) {
	return fetch[ChatTurn](ctx, c, request{method: http.MethodPost, path: "/v1/explanations", body: body})
}

// Explore is POST /v1/explore: find what the memory has about something: by words, meaning and links.
func (c *Client) Explore(ctx context.Context, body *ExploreRequest) (*ExploreResult, error) {
	return fetch[ExploreResult](ctx, c, request{method: http.MethodPost, path: "/v1/explore", body: body, again: true})
}

// ExploreText is POST /v1/explore: find what the memory has about something: by words, meaning and links. The answer is its text form.
func (c *Client) ExploreText(ctx context.Context, body *ExploreRequest) (string, error) {
	asText := *body
	asText.Format = "text"
	return c.text(ctx, request{method: http.MethodPost, path: "/v1/explore", body: &asText, again: true})
}

// ImportQuery holds the query parameters of Import.
type ImportQuery struct {
	DryRun   bool   `json:"dry_run,omitempty"` // say what would become of each item, and store nothing
	Format   string `json:"format,omitempty"`
	ImportID string `json:"import_id,omitempty"` // a name of your own for this file: sent again with it after a break, the import goes on where it stopped
	Owner    string `json:"owner,omitempty"`     // the name of the person who is the user: of the file, else one is made
	Strict   bool   `json:"strict,omitempty"`    // stop at the first fault: what stands before it is stored, and the rest of its piece of at most 1,000 items where only the database could tell
	UserID   string `json:"user_id,omitempty"`   // for whom items are that name no user; those of another user are refused
}

// ImportProgress is GET /v1/imports/{id}: what is stored of an import that is not complete, by its import_id; zeros before its first piece and after its end.
func (c *Client) ImportProgress(ctx context.Context, id string, query ImportProgressQuery) (*ImportReport, error) {
	return fetch[ImportReport](ctx, c, request{method: http.MethodGet, path: "/v1/imports/" + escape(id), query: query, again: true})
}

// ImportProgressQuery holds the query parameters of ImportProgress.
type ImportProgressQuery struct {
	UserID string `json:"user_id,omitempty"` // the user_id of the import
}

// ListKeys is GET /v1/keys: API keys, without their secrets.
func (c *Client) ListKeys(ctx context.Context, query ListKeysQuery) (*KeyList, error) {
	return fetch[KeyList](ctx, c, request{method: http.MethodGet, path: "/v1/keys", query: query, again: true})
}

// ListKeysQuery holds the query parameters of ListKeys.
type ListKeysQuery struct {
	TeamID string `json:"team_id,omitempty"` // default: the caller's
}

// CreateKey is POST /v1/keys: make an API key.
func (c *Client) CreateKey(ctx context.Context, body *CreateKeyRequest) (*CreatedKey, error) {
	return fetch[CreatedKey](ctx, c, request{method: http.MethodPost, path: "/v1/keys", body: body})
}

// RevokeKey is DELETE /v1/keys/{id}: revoke an API key.
func (c *Client) RevokeKey(ctx context.Context, id string) error {
	return c.do(ctx, request{method: http.MethodDelete, path: "/v1/keys/" + escape(id), again: true}, nil)
}

// Me is GET /v1/me: what the caller's key is: team, user, scopes, rate limit and quota.
func (c *Client) Me(ctx context.Context) (*Me, error) {
	return fetch[Me](ctx, c, request{method: http.MethodGet, path: "/v1/me", again: true})
}

// WriteMemory is POST /v1/memory: add and change nodes and relationships in one transaction.
func (c *Client) WriteMemory(ctx context.Context, body *MemoryWrite) (*MemoryResult, error) {
	return fetch[MemoryResult](ctx, c, request{method: http.MethodPost, path: "/v1/memory", body: body, again: true, key: keyOf(body.IdempotencyKey)})
}

// ListNamespaces is GET /v1/namespaces: a page of the namespaces that have items.
func (c *Client) ListNamespaces(ctx context.Context, query ListNamespacesQuery) (*NamespacePage, error) {
	return fetch[NamespacePage](ctx, c, request{method: http.MethodGet, path: "/v1/namespaces", query: query, again: true})
}

// ListNamespacesQuery holds the query parameters of ListNamespaces.
type ListNamespacesQuery struct {
	Cursor   string   `json:"cursor,omitempty"` // next of the page before
	Limit    int64    `json:"limit,omitempty"`
	MaxDepth int64    `json:"max_depth,omitempty"` // cut longer ones to so many parts
	Prefix   []string `json:"prefix,omitempty"`    // the parts that they begin with, repeated; * is any part
	Suffix   []string `json:"suffix,omitempty"`    // the parts that they end with, repeated; * is any part
	UserID   string   `json:"user_id,omitempty"`   // default: the user of the key; without one, shared items only
}

// ListNodes is GET /v1/nodes/{kind}: a page of the nodes of one kind.
func (c *Client) ListNodes(ctx context.Context, kind string, query ListNodesQuery) (*NodePage, error) {
	return fetch[NodePage](ctx, c, request{method: http.MethodGet, path: "/v1/nodes/" + escape(kind), query: query, again: true})
}

// ListNodesQuery holds the query parameters of ListNodes.
type ListNodesQuery struct {
	AsOf      time.Time `json:"as_of,omitzero"`    // the nodes as they were then, also those changed or deleted since; not together with deleted
	Cursor    string    `json:"cursor,omitempty"`  // next of the page before
	Deleted   bool      `json:"deleted,omitempty"` // only deleted ones that can be restored
	Filter    string    `json:"filter,omitempty"`  // JSON: only nodes whose value (items) or properties (others) have these fields with these values; {"n":{"$gt":3}} compares with $eq, $ne, $gt, $gte, $lt or $lte
	Limit     int64     `json:"limit,omitempty"`
	Name      string    `json:"name,omitempty"`       // only the items of this name in the namespace itself
	Namespace []string  `json:"namespace,omitempty"`  // only items of this namespace and of those within it: its parts, repeated, the outermost first
	ProjectID string    `json:"project_id,omitempty"` // only those of this project
	State     string    `json:"state,omitempty"`      // only those in this state; not together with deleted
	UserID    string    `json:"user_id,omitempty"`    // for whom; left out: the user of the key, or the team itself
}

// DeleteNode is DELETE /v1/nodes/{kind}/{key}: delete a node; it can be restored for a while.
func (c *Client) DeleteNode(ctx context.Context, kind string, key string, query DeleteNodeQuery) (*Deletion, error) {
	return fetch[Deletion](ctx, c, request{method: http.MethodDelete, path: "/v1/nodes/" + escape(kind) + "/" + escape(key), query: query, again: true})
}

// DeleteNodeQuery holds the query parameters of DeleteNode.
type DeleteNodeQuery struct {
	IfVersion int64  `json:"if_version,omitempty"` // only if this is the stored version
	UserID    string `json:"user_id,omitempty"`    // for whom; left out: the user of the key, or the team itself
}

// Node is GET /v1/nodes/{kind}/{key}: a node with its notes and strongest relationships.
func (c *Client) Node(ctx context.Context, kind string, key string, query NodeQuery) (*NodeView, error) {
	return fetch[NodeView](ctx, c, request{method: http.MethodGet, path: "/v1/nodes/" + escape(kind) + "/" + escape(key), query: query, again: true})
}

// NodeQuery holds the query parameters of Node.
type NodeQuery struct {
	AsOf          time.Time `json:"as_of,omitzero"`          // the node as it was then, also if it was changed or deleted since, with the relationships that were current; 404 if it was not there
	Relationships int64     `json:"relationships,omitempty"` // at most so many, the strongest first
	Touch         bool      `json:"touch,omitempty"`         // count this as a recall, as explore and traverse do
	UserID        string    `json:"user_id,omitempty"`       // for whom; left out: the user of the key, or the team itself
}

// PatchNode is PATCH /v1/nodes/{kind}/{key}: change what is given of a node.
func (c *Client) PatchNode(ctx context.Context, kind string, key string, query PatchNodeQuery, body *NodeWrite) (*NodeView, error) {
	return fetch[NodeView](ctx, c, request{method: http.MethodPatch, path: "/v1/nodes/" + escape(kind) + "/" + escape(key), query: query, body: body})
}

// PatchNodeQuery holds the query parameters of PatchNode.
type PatchNodeQuery struct {
	UserID string `json:"user_id,omitempty"` // for whom; left out: the user of the key, or the team itself
}

// ListNodeChanges is GET /v1/nodes/{kind}/{key}/changes: what changed about a node and its relationships in a period.
func (c *Client) ListNodeChanges(ctx context.Context, kind string, key string, query ListNodeChangesQuery) (*ChangeList, error) {
	return fetch[ChangeList](ctx, c, request{method: http.MethodGet, path: "/v1/nodes/" + escape(kind) + "/" + escape(key) + "/changes", query: query, again: true})
}

// ListNodeChangesText is GET /v1/nodes/{kind}/{key}/changes: what changed about a node and its relationships in a period. The answer is its text form.
func (c *Client) ListNodeChangesText(ctx context.Context, kind string, key string, query ListNodeChangesQuery) (string, error) {
	return c.text(ctx, request{method: http.MethodGet, path: "/v1/nodes/" + escape(kind) + "/" + escape(key) + "/changes", query: query, again: true, asText: true})
}

// ListNodeChangesQuery holds the query parameters of ListNodeChanges.
type ListNodeChangesQuery struct {
	Limit     int64     `json:"limit,omitempty"`      // the newest
	MaxTokens int64     `json:"max_tokens,omitempty"` // o200k tokens of the text; the oldest lines go first, and the text says how many; only with format=text
	Since     time.Time `json:"since,omitzero"`       // changes after that; default: all that is kept
	Until     time.Time `json:"until,omitzero"`       // and until then; default: now
	UserID    string    `json:"user_id,omitempty"`    // for whom; left out: the user of the key, or the team itself
}

// ListNodeVersions is GET /v1/nodes/{kind}/{key}/history: a page of the versions of a node: what changed, when, and by whom.
func (c *Client) ListNodeVersions(ctx context.Context, kind string, key string, query ListNodeVersionsQuery) (*VersionPage, error) {
	return fetch[VersionPage](ctx, c, request{method: http.MethodGet, path: "/v1/nodes/" + escape(kind) + "/" + escape(key) + "/history", query: query, again: true})
}

// ListNodeVersionsQuery holds the query parameters of ListNodeVersions.
type ListNodeVersionsQuery struct {
	Cursor string `json:"cursor,omitempty"` // next of the page before
	Limit  int64  `json:"limit,omitempty"`
	UserID string `json:"user_id,omitempty"` // for whom; left out: the user of the key, or the team itself
}

// ListLinked is GET /v1/nodes/{kind}/{key}/linked: what a node of a project is linked with, by kind.
func (c *Client) ListLinked(ctx context.Context, kind string, key string, query ListLinkedQuery) (*LinkedContext, error) {
	return fetch[LinkedContext](ctx, c, request{method: http.MethodGet, path: "/v1/nodes/" + escape(kind) + "/" + escape(key) + "/linked", query: query, again: true})
}

// ListLinkedText is GET /v1/nodes/{kind}/{key}/linked: what a node of a project is linked with, by kind. The answer is its text form.
func (c *Client) ListLinkedText(ctx context.Context, kind string, key string, query ListLinkedQuery) (string, error) {
	return c.text(ctx, request{method: http.MethodGet, path: "/v1/nodes/" + escape(kind) + "/" + escape(key) + "/linked", query: query, again: true, asText: true})
}

// ListLinkedQuery holds the query parameters of ListLinked.
type ListLinkedQuery struct {
	AsOf             time.Time `json:"as_of,omitzero"`              // what it was linked with then, also if that was changed or deleted since; 404 if it was not there
	Cursor           string    `json:"cursor,omitempty"`            // next of the page before, in mode full
	FilterKind       string    `json:"filter_kind,omitempty"`       // only this kind; default: all
	IncludeAvailable bool      `json:"include_available,omitempty"` // also what the project has of each kind, at most 100
	MaxPerKind       int64     `json:"max_per_kind,omitempty"`      // 3, or 50 in mode full, if left out
	MaxTokens        int64     `json:"max_tokens,omitempty"`        // o200k tokens of the text, 100 to 100,000; 500 in mode abbreviated if left out; the last lines go first; only with format=text
	Mode             string    `json:"mode,omitempty"`              // abbreviated: some names of each kind, for a prompt; full: descriptions, page by page
	UserID           string    `json:"user_id,omitempty"`           // for whom; left out: the user of the key, or the team itself
}

// ListNodeMentions is GET /v1/nodes/{kind}/{key}/mentions: a page of the sources that mention a node, with the place in their messages.
func (c *Client) ListNodeMentions(ctx context.Context, kind string, key string, query ListNodeMentionsQuery) (*MentionPage, error) {
	return fetch[MentionPage](ctx, c, request{method: http.MethodGet, path: "/v1/nodes/" + escape(kind) + "/" + escape(key) + "/mentions", query: query, again: true})
}

// ListNodeMentionsQuery holds the query parameters of ListNodeMentions.
type ListNodeMentionsQuery struct {
	Cursor string `json:"cursor,omitempty"` // next of the page before
	Limit  int64  `json:"limit,omitempty"`
	UserID string `json:"user_id,omitempty"` // for whom; left out: the user of the key, or the team itself
}

// MergeNodes is POST /v1/nodes/{kind}/{key}/merge: merge another node into this one; it can be undone for a while.
func (c *Client) MergeNodes(ctx context.Context, kind string, key string, query MergeNodesQuery, body *MergeWrite) (*Merge, error) {
	return fetch[Merge](ctx, c, request{method: http.MethodPost, path: "/v1/nodes/" + escape(kind) + "/" + escape(key) + "/merge", query: query, body: body})
}

// MergeNodesQuery holds the query parameters of MergeNodes.
type MergeNodesQuery struct {
	UserID string `json:"user_id,omitempty"` // for whom; left out: the user of the key, or the team itself
}

// ListNodeNotes is GET /v1/nodes/{kind}/{key}/notes: the notes of a node.
func (c *Client) ListNodeNotes(ctx context.Context, kind string, key string, query ListNodeNotesQuery) (*NoteList, error) {
	return fetch[NoteList](ctx, c, request{method: http.MethodGet, path: "/v1/nodes/" + escape(kind) + "/" + escape(key) + "/notes", query: query, again: true})
}

// ListNodeNotesQuery holds the query parameters of ListNodeNotes.
type ListNodeNotesQuery struct {
	UserID string `json:"user_id,omitempty"` // for whom; left out: the user of the key, or the team itself
}

// AddNodeNote is POST /v1/nodes/{kind}/{key}/notes: add a note to a node.
func (c *Client) AddNodeNote(ctx context.Context, kind string, key string, query AddNodeNoteQuery, body *NoteWrite) (*NoteList, error) {
	return fetch[NoteList](ctx, c, request{method: http.MethodPost, path: "/v1/nodes/" + escape(kind) + "/" + escape(key) + "/notes", query: query, body: body})
}

// AddNodeNoteQuery holds the query parameters of AddNodeNote.
type AddNodeNoteQuery struct {
	UserID string `json:"user_id,omitempty"` // for whom; left out: the user of the key, or the team itself
}

// DeleteNodeNote is DELETE /v1/nodes/{kind}/{key}/notes/{id}: take a note off a node.
func (c *Client) DeleteNodeNote(ctx context.Context, kind string, key string, id string, query DeleteNodeNoteQuery) (*NoteList, error) {
	return fetch[NoteList](ctx, c, request{method: http.MethodDelete, path: "/v1/nodes/" + escape(kind) + "/" + escape(key) + "/notes/" + escape(id), query: query, again: true})
}

// DeleteNodeNoteQuery holds the query parameters of DeleteNodeNote.
type DeleteNodeNoteQuery struct {
	UserID string `json:"user_id,omitempty"` // for whom; left out: the user of the key, or the team itself
}

// ListNodeRelationships is GET /v1/nodes/{kind}/{key}/relationships: a page of a node's relationships.
func (c *Client) ListNodeRelationships(ctx context.Context, kind string, key string, query ListNodeRelationshipsQuery) (*RelationshipPage, error) {
	return fetch[RelationshipPage](ctx, c, request{method: http.MethodGet, path: "/v1/nodes/" + escape(kind) + "/" + escape(key) + "/relationships", query: query, again: true})
}

// ListNodeRelationshipsQuery holds the query parameters of ListNodeRelationships.
type ListNodeRelationshipsQuery struct {
	AsOf      time.Time `json:"as_of,omitzero"`   // those that were current then
	Cursor    string    `json:"cursor,omitempty"` // next of the page before
	Direction string    `json:"direction,omitempty"`
	Limit     int64     `json:"limit,omitempty"`
	Past      bool      `json:"past,omitempty"`    // also those that are over
	Types     []string  `json:"types,omitempty"`   // only these, at most 256, repeated or with commas; left out: all
	UserID    string    `json:"user_id,omitempty"` // for whom; left out: the user of the key, or the team itself
}

// RestoreNode is POST /v1/nodes/{kind}/{key}/restore: undo the delete or merge of a node, or make a former version the current one.
func (c *Client) RestoreNode(ctx context.Context, kind string, key string, query RestoreNodeQuery) (*NodeView, error) {
	return fetch[NodeView](ctx, c, request{method: http.MethodPost, path: "/v1/nodes/" + escape(kind) + "/" + escape(key) + "/restore", query: query})
}

// RestoreNodeQuery holds the query parameters of RestoreNode.
type RestoreNodeQuery struct {
	UserID  string `json:"user_id,omitempty"` // for whom; left out: the user of the key, or the team itself
	Version int64  `json:"version,omitempty"` // write the content of this former version as a new one; omitted: undo the delete
}

// Ontology is GET /v1/ontology: what an agent should know of the workspace in which it works.
func (c *Client) Ontology(ctx context.Context, query OntologyQuery) (*OntologyContext, error) {
	return fetch[OntologyContext](ctx, c, request{method: http.MethodGet, path: "/v1/ontology", query: query, again: true})
}

// OntologyText is GET /v1/ontology: what an agent should know of the workspace in which it works. The answer is its text form.
func (c *Client) OntologyText(ctx context.Context, query OntologyQuery) (string, error) {
	return c.text(ctx, request{method: http.MethodGet, path: "/v1/ontology", query: query, again: true, asText: true})
}

// OntologyQuery holds the query parameters of Ontology.
type OntologyQuery struct {
	ContextType    string         `json:"context_type,omitempty"`    // project, project_audit or project_forecast: a project; ontology: what is in focus alone; global or general: all projects; project_create, calendar, daily_brief_update and brain_dump: nothing
	ConversationID string         `json:"conversation_id,omitempty"` // where neither a project nor a focus is given, those that this conversation remembers are meant
	Explain        bool           `json:"explain,omitempty"`         // answer with an object that has, in receipt, the text with what each part of it shows and why, and what was left out; with format=text nothing else
	FocusID        string         `json:"focus_id,omitempty"`        // entity_key of what the user looks at; it must belong to the project
	FocusKind      string         `json:"focus_kind,omitempty"`      // task, plan, goal, document, output, milestone, risk, decision, requirement, or project-wide
	Linked         Optional[bool] `json:"linked,omitzero"`           // false leaves out what is linked with the focus
	MaxTokens      int64          `json:"max_tokens,omitempty"`      // o200k tokens of the text, 100 to 100,000; nodes of the graph snapshot go first, those with the lowest score before the others, and the text says what went; only with format=text or explain
	ProjectID      string         `json:"project_id,omitempty"`      // entity_key of the project
	Snapshot       Optional[bool] `json:"snapshot,omitzero"`         // false leaves the graph snapshot out of the text
	UserID         string         `json:"user_id,omitempty"`         // for whom; left out: the user of the key, or the team itself
}

// MakePrompt is POST /v1/prompt: the messages to send to a language model: guidance, preferences, context snapshot, conversation.
func (c *Client) MakePrompt(ctx context.Context, body *PromptRequest) (*Prompt, error) {
	return fetch[Prompt](ctx, c, request{method: http.MethodPost, path: "/v1/prompt", body: body, again: true})
}

// DeleteRelationship is DELETE /v1/relationships/{key}: delete a relationship; it can be restored for a while.
func (c *Client) DeleteRelationship(ctx context.Context, key string, query DeleteRelationshipQuery) (*Deletion, error) {
	return fetch[Deletion](ctx, c, request{method: http.MethodDelete, path: "/v1/relationships/" + escape(key), query: query, again: true})
}

// DeleteRelationshipQuery holds the query parameters of DeleteRelationship.
type DeleteRelationshipQuery struct {
	IfVersion int64  `json:"if_version,omitempty"` // only if this is the stored version
	UserID    string `json:"user_id,omitempty"`    // for whom; left out: the user of the key, or the team itself
}

// Relationship is GET /v1/relationships/{key}: a relationship, current or past.
func (c *Client) Relationship(ctx context.Context, key string, query RelationshipQuery) (*RelationshipView, error) {
	return fetch[RelationshipView](ctx, c, request{method: http.MethodGet, path: "/v1/relationships/" + escape(key), query: query, again: true})
}

// RelationshipQuery holds the query parameters of Relationship.
type RelationshipQuery struct {
	AsOf   time.Time `json:"as_of,omitzero"`    // as it was then, also if it was changed or deleted since; 404 if it was not there
	UserID string    `json:"user_id,omitempty"` // for whom; left out: the user of the key, or the team itself
}

// ListRelationshipVersions is GET /v1/relationships/{key}/history: a page of the versions of a relationship.
func (c *Client) ListRelationshipVersions(ctx context.Context, key string, query ListRelationshipVersionsQuery) (*VersionPage, error) {
	return fetch[VersionPage](ctx, c, request{method: http.MethodGet, path: "/v1/relationships/" + escape(key) + "/history", query: query, again: true})
}

// ListRelationshipVersionsQuery holds the query parameters of ListRelationshipVersions.
type ListRelationshipVersionsQuery struct {
	Cursor string `json:"cursor,omitempty"` // next of the page before
	Limit  int64  `json:"limit,omitempty"`
	UserID string `json:"user_id,omitempty"` // for whom; left out: the user of the key, or the team itself
}

// ListRelationshipMentions is GET /v1/relationships/{key}/mentions: a page of the sources that mention both ends of a relationship.
func (c *Client) ListRelationshipMentions(ctx context.Context, key string, query ListRelationshipMentionsQuery) (*MentionPage, error) {
	return fetch[MentionPage](ctx, c, request{method: http.MethodGet, path: "/v1/relationships/" + escape(key) + "/mentions", query: query, again: true})
}

// ListRelationshipMentionsQuery holds the query parameters of ListRelationshipMentions.
type ListRelationshipMentionsQuery struct {
	Cursor string `json:"cursor,omitempty"` // next of the page before
	Limit  int64  `json:"limit,omitempty"`
	UserID string `json:"user_id,omitempty"` // for whom; left out: the user of the key, or the team itself
}

// ListRelationshipNotes is GET /v1/relationships/{key}/notes: the notes of a relationship.
func (c *Client) ListRelationshipNotes(ctx context.Context, key string, query ListRelationshipNotesQuery) (*NoteList, error) {
	return fetch[NoteList](ctx, c, request{method: http.MethodGet, path: "/v1/relationships/" + escape(key) + "/notes", query: query, again: true})
}

// ListRelationshipNotesQuery holds the query parameters of ListRelationshipNotes.
type ListRelationshipNotesQuery struct {
	UserID string `json:"user_id,omitempty"` // for whom; left out: the user of the key, or the team itself
}

// AddRelationshipNote is POST /v1/relationships/{key}/notes: add a note to a relationship.
func (c *Client) AddRelationshipNote(ctx context.Context, key string, query AddRelationshipNoteQuery, body *NoteWrite) (*NoteList, error) {
	return fetch[NoteList](ctx, c, request{method: http.MethodPost, path: "/v1/relationships/" + escape(key) + "/notes", query: query, body: body})
}

// AddRelationshipNoteQuery holds the query parameters of AddRelationshipNote.
type AddRelationshipNoteQuery struct {
	UserID string `json:"user_id,omitempty"` // for whom; left out: the user of the key, or the team itself
}

// DeleteRelationshipNote is DELETE /v1/relationships/{key}/notes/{id}: take a note off a relationship.
func (c *Client) DeleteRelationshipNote(ctx context.Context, key string, id string, query DeleteRelationshipNoteQuery) (*NoteList, error) {
	return fetch[NoteList](ctx, c, request{method: http.MethodDelete, path: "/v1/relationships/" + escape(key) + "/notes/" + escape(id), query: query, again: true})
}

// DeleteRelationshipNoteQuery holds the query parameters of DeleteRelationshipNote.
type DeleteRelationshipNoteQuery struct {
	UserID string `json:"user_id,omitempty"` // for whom; left out: the user of the key, or the team itself
}

// RestoreRelationship is POST /v1/relationships/{key}/restore: undo the delete of a relationship, or make a former version the current one.
func (c *Client) RestoreRelationship(ctx context.Context, key string, query RestoreRelationshipQuery) (*RelationshipView, error) {
	return fetch[RelationshipView](ctx, c, request{method: http.MethodPost, path: "/v1/relationships/" + escape(key) + "/restore", query: query})
}

// RestoreRelationshipQuery holds the query parameters of RestoreRelationship.
type RestoreRelationshipQuery struct {
	UserID  string `json:"user_id,omitempty"` // for whom; left out: the user of the key, or the team itself
	Version int64  `json:"version,omitempty"` // write the content of this former version as a new one; omitted: undo the delete
}

// ListReviews is GET /v1/reviews: a page of the writes whose trust is less than the team wants, the newest first.
func (c *Client) ListReviews(ctx context.Context, query ListReviewsQuery) (*ReviewPage, error) {
	return fetch[ReviewPage](ctx, c, request{method: http.MethodGet, path: "/v1/reviews", query: query, again: true})
}

// ListReviewsQuery holds the query parameters of ListReviews.
type ListReviewsQuery struct {
	Cursor string `json:"cursor,omitempty"` // next of the page before
	Limit  int64  `json:"limit,omitempty"`
	State  string `json:"state,omitempty"`
	UserID string `json:"user_id,omitempty"` // the writes for this user; default: the user of the key, or else all of the team
}

// Review is GET /v1/reviews/{key}: a write that waits for a decision, or about which one was made.
func (c *Client) Review(ctx context.Context, key string, query ReviewQuery) (*Review, error) {
	return fetch[Review](ctx, c, request{method: http.MethodGet, path: "/v1/reviews/" + escape(key), query: query, again: true})
}

// ReviewQuery holds the query parameters of Review.
type ReviewQuery struct {
	UserID string `json:"user_id,omitempty"` // whose; default: the user of the key, or anybody's
}

// DecideReview is PATCH /v1/reviews/{key}: confirm or refuse a write that waits, or all of its origin and author.
func (c *Client) DecideReview(ctx context.Context, key string, query DecideReviewQuery, body *ReviewDecision) (*Decided, error) {
	return fetch[Decided](ctx, c, request{method: http.MethodPatch, path: "/v1/reviews/" + escape(key), query: query, body: body})
}

// DecideReviewQuery holds the query parameters of DecideReview.
type DecideReviewQuery struct {
	UserID string `json:"user_id,omitempty"` // whose; default: the user of the key, or anybody's
}

// Schema is GET /v1/schema: what Cypher can ask here: kinds, properties, relationship types, examples.
func (c *Client) Schema(ctx context.Context, query SchemaQuery) (*TraverseSchema, error) {
	return fetch[TraverseSchema](ctx, c, request{method: http.MethodGet, path: "/v1/schema", query: query, again: true})
}

// SchemaText is GET /v1/schema: what Cypher can ask here: kinds, properties, relationship types, examples. The answer is its text form.
func (c *Client) SchemaText(ctx context.Context, query SchemaQuery) (string, error) {
	return c.text(ctx, request{method: http.MethodGet, path: "/v1/schema", query: query, again: true, asText: true})
}

// SchemaQuery holds the query parameters of Schema.
type SchemaQuery struct {
	MaxTokens int64  `json:"max_tokens,omitempty"` // o200k tokens of the text, 1,000 to 100,000, default 4,000; the rarest kinds and types go first
	UserID    string `json:"user_id,omitempty"`    // whose memory, with what the team shares; left out: the user of the key, or only what the team shares
}

// ListServed is GET /v1/served: a page of the contexts that were served to a user, with digests.
func (c *Client) ListServed(ctx context.Context, query ListServedQuery) (*ServedPage, error) {
	return fetch[ServedPage](ctx, c, request{method: http.MethodGet, path: "/v1/served", query: query, again: true})
}

// ListServedQuery holds the query parameters of ListServed.
type ListServedQuery struct {
	After  string    `json:"after,omitempty"` // next of the page before
	From   time.Time `json:"from,omitzero"`   // since then
	Limit  int64     `json:"limit,omitempty"`
	To     time.Time `json:"to,omitzero"`       // before then
	UserID string    `json:"user_id,omitempty"` // to whom; default: the user of the key. Required where the key is not bound to one
}

// WriteSource is POST /v1/sources: add or change a conversation, mail, meeting or note.
func (c *Client) WriteSource(ctx context.Context, query WriteSourceQuery, body *SourceWrite) (*SourceResult, error) {
	return fetch[SourceResult](ctx, c, request{method: http.MethodPost, path: "/v1/sources", query: query, body: body, again: true, key: keyOf(body.IdempotencyKey)})
}

// WriteSourceQuery holds the query parameters of WriteSource.
type WriteSourceQuery struct {
	Extract bool `json:"extract,omitempty"` // have the language model propose the persons, concepts and entities that the source tells of, and how they relate; it may take a minute
}

// WithdrawSource is POST /v1/sources/{key}/withdraw: delete a source that was found to be bad, with what rests on it alone; or report that, or undo it.
func (c *Client) WithdrawSource(ctx context.Context, key string, body *WithdrawRequest) (*Withdrawal, error) {
	return fetch[Withdrawal](ctx, c, request{method: http.MethodPost, path: "/v1/sources/" + escape(key) + "/withdraw", body: body})
}

// ListSystems is GET /v1/systems: the systems of the team.
func (c *Client) ListSystems(ctx context.Context, query ListSystemsQuery) (*SystemPage, error) {
	return fetch[SystemPage](ctx, c, request{method: http.MethodGet, path: "/v1/systems", query: query, again: true})
}

// ListSystemsQuery holds the query parameters of ListSystems.
type ListSystemsQuery struct {
	Cursor string `json:"cursor,omitempty"` // next_cursor of the page before
	Limit  int64  `json:"limit,omitempty"`
}

// DeleteSystem is DELETE /v1/systems/{system}: delete a system with all that is known of it.
func (c *Client) DeleteSystem(ctx context.Context, system string) (*SystemCounts, error) {
	return fetch[SystemCounts](ctx, c, request{method: http.MethodDelete, path: "/v1/systems/" + escape(system), again: true})
}

// ListSystemEntities is GET /v1/systems/{system}/entities: entities in the order in which they were added.
func (c *Client) ListSystemEntities(ctx context.Context, system string, query ListSystemEntitiesQuery) (*SystemEntityPage, error) {
	return fetch[SystemEntityPage](ctx, c, request{method: http.MethodGet, path: "/v1/systems/" + escape(system) + "/entities", query: query, again: true})
}

// ListSystemEntitiesQuery holds the query parameters of ListSystemEntities.
type ListSystemEntitiesQuery struct {
	Cursor int64  `json:"cursor,omitempty"` // next_cursor of the page before
	Limit  int64  `json:"limit,omitempty"`
	Tag    string `json:"tag,omitempty"`
	Type   string `json:"type,omitempty"`
}

// DeleteSystemEntity is DELETE /v1/systems/{system}/entities/{name}: delete an entity with its relationships.
func (c *Client) DeleteSystemEntity(ctx context.Context, system string, name string) (*SystemCounts, error) {
	return fetch[SystemCounts](ctx, c, request{method: http.MethodDelete, path: "/v1/systems/" + escape(system) + "/entities/" + escape(name), again: true})
}

// SystemEntity is GET /v1/systems/{system}/entities/{name}: an entity by its exact name.
func (c *Client) SystemEntity(ctx context.Context, system string, name string) (*SystemNode, error) {
	return fetch[SystemNode](ctx, c, request{method: http.MethodGet, path: "/v1/systems/" + escape(system) + "/entities/" + escape(name), again: true})
}

// ChangeSystemEntity is PATCH /v1/systems/{system}/entities/{name}: change an entity.
func (c *Client) ChangeSystemEntity(ctx context.Context, system string, name string, body *ChangeSystemEntityRequest) (*SystemNode, error) {
	return fetch[SystemNode](ctx, c, request{method: http.MethodPatch, path: "/v1/systems/" + escape(system) + "/entities/" + escape(name), body: body})
}

// RenameSystemEntity is POST /v1/systems/{system}/entities/{name}/rename: rename an entity; its relationships stay.
func (c *Client) RenameSystemEntity(ctx context.Context, system string, name string, body *RenameSystemEntityRequest) (*SystemNode, error) {
	return fetch[SystemNode](ctx, c, request{method: http.MethodPost, path: "/v1/systems/" + escape(system) + "/entities/" + escape(name) + "/rename", body: body})
}

// SystemMemory is GET /v1/systems/{system}/memory: what is known of a system, as its file.
func (c *Client) SystemMemory(ctx context.Context, system string, query SystemMemoryQuery) (*SystemMemory, error) {
	return fetch[SystemMemory](ctx, c, request{method: http.MethodGet, path: "/v1/systems/" + escape(system) + "/memory", query: query, again: true})
}

// SystemMemoryQuery holds the query parameters of SystemMemory.
type SystemMemoryQuery struct {
	AsOf time.Time `json:"as_of,omitzero"` // the system as it was then, with what was changed or deleted since
}

// MergeSystemMemory is POST /v1/systems/{system}/memory: add and change entities and relationships in one transaction.
func (c *Client) MergeSystemMemory(ctx context.Context, system string, query MergeSystemMemoryQuery, body *SystemWrite) (*MergedSystem, error) {
	return fetch[MergedSystem](ctx, c, request{method: http.MethodPost, path: "/v1/systems/" + escape(system) + "/memory", query: query, body: body})
}

// MergeSystemMemoryQuery holds the query parameters of MergeSystemMemory.
type MergeSystemMemoryQuery struct {
	Strict bool `json:"strict,omitempty"` // the same as strict in the body
}

// PutSystemMemory is PUT /v1/systems/{system}/memory: make a file all that is known of a system.
func (c *Client) PutSystemMemory(ctx context.Context, system string, query PutSystemMemoryQuery, body *SystemMemory) (*SystemResult, error) {
	return fetch[SystemResult](ctx, c, request{method: http.MethodPut, path: "/v1/systems/" + escape(system) + "/memory", query: query, body: body, again: true})
}

// PutSystemMemoryQuery holds the query parameters of PutSystemMemory.
type PutSystemMemoryQuery struct {
	Strict bool `json:"strict,omitempty"` // relationships whose ends are missing are faults, and nothing is written; else they are left out with a warning
}

// SystemText is GET /v1/systems/{system}/memory/text: what is known of a system, as a text for a prompt. The answer is its text form.
func (c *Client) SystemText(ctx context.Context, system string, query SystemTextQuery) (string, error) {
	return c.text(ctx, request{method: http.MethodGet, path: "/v1/systems/" + escape(system) + "/memory/text", query: query, again: true})
}

// SystemTextQuery holds the query parameters of SystemText.
type SystemTextQuery struct {
	AsOf      time.Time `json:"as_of,omitzero"`       // the system as it was then, with what was changed or deleted since
	Format    string    `json:"format,omitempty"`     // json: as the file; compact: a line an entity and a relationship
	MaxTokens int64     `json:"max_tokens,omitempty"` // o200k tokens, 100 to 100,000; the entities with the fewest relationships go first, and the text says how many went
	Name      []string  `json:"name,omitempty"`       // only these entities, and those one relationship away
	Tag       []string  `json:"tag,omitempty"`        // only entities with one of these tags
	Type      []string  `json:"type,omitempty"`       // only entities of one of these types
}

// DeleteSystemRelationship is DELETE /v1/systems/{system}/relationships: delete a relationship by from, to and type.
func (c *Client) DeleteSystemRelationship(ctx context.Context, system string, query DeleteSystemRelationshipQuery) error {
	return c.do(ctx, request{method: http.MethodDelete, path: "/v1/systems/" + escape(system) + "/relationships", query: query, again: true}, nil)
}

// DeleteSystemRelationshipQuery holds the query parameters of DeleteSystemRelationship.
type DeleteSystemRelationshipQuery struct {
	From string `json:"from,omitempty"` // name of an entity
	To   string `json:"to,omitempty"`   // name of an entity
	Type string `json:"type,omitempty"`
}

// FindSystemRelationships is GET /v1/systems/{system}/relationships: relationships by any of from, to and type.
func (c *Client) FindSystemRelationships(ctx context.Context, system string, query FindSystemRelationshipsQuery) (*SystemRelationshipPage, error) {
	return fetch[SystemRelationshipPage](ctx, c, request{method: http.MethodGet, path: "/v1/systems/" + escape(system) + "/relationships", query: query, again: true})
}

// FindSystemRelationshipsQuery holds the query parameters of FindSystemRelationships.
type FindSystemRelationshipsQuery struct {
	Cursor int64  `json:"cursor,omitempty"` // next_cursor of the page before
	From   string `json:"from,omitempty"`   // name of an entity
	Limit  int64  `json:"limit,omitempty"`
	To     string `json:"to,omitempty"` // name of an entity
	Type   string `json:"type,omitempty"`
}

// EraseTeam is DELETE /v1/teams/{id}: erase a team with all it has, its keys too.
func (c *Client) EraseTeam(ctx context.Context, id string) (*TeamErasure, error) {
	return fetch[TeamErasure](ctx, c, request{method: http.MethodDelete, path: "/v1/teams/" + escape(id), again: true})
}

// PauseTeamStatements is PATCH /v1/teams/{id}/statements: pause the search for statements in all messages of a team.
func (c *Client) PauseTeamStatements(ctx context.Context, id string, body *PauseTeamRequest) error {
	return c.do(ctx, request{method: http.MethodPatch, path: "/v1/teams/" + escape(id) + "/statements", body: body}, nil)
}

// TeamTrust is GET /v1/teams/{id}/trust: the trust below which a team's writes wait for a review.
func (c *Client) TeamTrust(ctx context.Context, id string) (*TeamTrust, error) {
	return fetch[TeamTrust](ctx, c, request{method: http.MethodGet, path: "/v1/teams/" + escape(id) + "/trust", again: true})
}

// SetTeamTrust is PATCH /v1/teams/{id}/trust: set the trust below which a team's writes wait for a review.
func (c *Client) SetTeamTrust(ctx context.Context, id string, body *TeamTrust) (*TeamTrust, error) {
	return fetch[TeamTrust](ctx, c, request{method: http.MethodPatch, path: "/v1/teams/" + escape(id) + "/trust", body: body})
}

// TraverseRows is POST /v1/traverse: walk the graph: neighbors, paths, personalised PageRank, Cypher that only reads.
func (c *Client) TraverseRows(ctx context.Context, body *TraverseRequest) (*TraverseRows, error) {
	return fetch[TraverseRows](ctx, c, request{method: http.MethodPost, path: "/v1/traverse", body: body, again: true})
}

// TraversePaths is POST /v1/traverse: walk the graph: neighbors, paths, personalised PageRank, Cypher that only reads.
func (c *Client) TraversePaths(ctx context.Context, body *TraverseRequest) (*TraversePaths, error) {
	return fetch[TraversePaths](ctx, c, request{method: http.MethodPost, path: "/v1/traverse", body: body, again: true})
}

// TraverseTable is POST /v1/traverse: walk the graph: neighbors, paths, personalised PageRank, Cypher that only reads.
func (c *Client) TraverseTable(ctx context.Context, body *TraverseRequest) (*TraverseTable, error) {
	return fetch[TraverseTable](ctx, c, request{method: http.MethodPost, path: "/v1/traverse", body: body, again: true})
}

// TraverseText is POST /v1/traverse: walk the graph: neighbors, paths, personalised PageRank, Cypher that only reads. The answer is its text form.
func (c *Client) TraverseText(ctx context.Context, body *TraverseRequest) (string, error) {
	asText := *body
	asText.Format = "text"
	return c.text(ctx, request{method: http.MethodPost, path: "/v1/traverse", body: &asText, again: true})
}

// ListTrees is GET /v1/trees: chat trees, the last changed first.
func (c *Client) ListTrees(ctx context.Context, query ListTreesQuery) (*TreePage, error) {
	return fetch[TreePage](ctx, c, request{method: http.MethodGet, path: "/v1/trees", query: query, again: true})
}

// ListTreesQuery holds the query parameters of ListTrees.
type ListTreesQuery struct {
	Cursor string `json:"cursor,omitempty"` // next of the page before
	Limit  int64  `json:"limit,omitempty"`
	Pinned string `json:"pinned,omitempty"`  // only those that are, or are not
	UserID string `json:"user_id,omitempty"` // whose, beside the team's; left out: the user of the key, or only the team's
}

// CreateTree is POST /v1/trees: make a chat tree.
func (c *Client) CreateTree(ctx context.Context, body *CreateTreeRequest) (*TreeView, error) {
	return fetch[TreeView](ctx, c, request{method: http.MethodPost, path: "/v1/trees", body: body})
}

// DeleteTree is DELETE /v1/trees/{id}: delete a chat tree with all its turns.
func (c *Client) DeleteTree(ctx context.Context, id string, query DeleteTreeQuery) (*RemovedTurns, error) {
	return fetch[RemovedTurns](ctx, c, request{method: http.MethodDelete, path: "/v1/trees/" + escape(id), query: query, again: true})
}

// DeleteTreeQuery holds the query parameters of DeleteTree.
type DeleteTreeQuery struct {
	UserID string `json:"user_id,omitempty"` // for whom; left out: the user of the key, or the team itself
}

// Tree is GET /v1/trees/{id}: a chat tree, by its own id or that of one of its turns.
func (c *Client) Tree(ctx context.Context, id string, query TreeQuery) (*TreeView, error) {
	return fetch[TreeView](ctx, c, request{method: http.MethodGet, path: "/v1/trees/" + escape(id), query: query, again: true})
}

// TreeQuery holds the query parameters of Tree.
type TreeQuery struct {
	UserID string `json:"user_id,omitempty"` // for whom; left out: the user of the key, or the team itself
}

// ChangeTree is PATCH /v1/trees/{id}: rename or pin a chat tree, change its system prompt or context.
func (c *Client) ChangeTree(ctx context.Context, id string, body *ChangeTreeRequest) (*TreeView, error) {
	return fetch[TreeView](ctx, c, request{method: http.MethodPatch, path: "/v1/trees/" + escape(id), body: body})
}

// ListTurns is GET /v1/trees/{id}/turns: the turns of a chat tree in the order in which they came, in short.
func (c *Client) ListTurns(ctx context.Context, id string, query ListTurnsQuery) (*TurnPage, error) {
	return fetch[TurnPage](ctx, c, request{method: http.MethodGet, path: "/v1/trees/" + escape(id) + "/turns", query: query, again: true})
}

// ListTurnsQuery holds the query parameters of ListTurns.
type ListTurnsQuery struct {
	From   int64  `json:"from,omitempty"` // number of the first turn
	Limit  int64  `json:"limit,omitempty"`
	UserID string `json:"user_id,omitempty"` // for whom; left out: the user of the key, or the team itself
}

// SubmitTurn is POST /v1/trees/{id}/turns: add a turn to a chat tree, and have its answer generated.
func (c *Client) SubmitTurn(ctx context.Context, id string, body *SubmitTurnRequest) (*ChatTurn, error) {
	return fetch[ChatTurn](ctx, c, request{method: http.MethodPost, path: "/v1/trees/" + escape(id) + "/turns", body: body})
}

// DeleteTrustRule is DELETE /v1/trust/rules: let the writes of an origin and author wait again.
func (c *Client) DeleteTrustRule(ctx context.Context, query DeleteTrustRuleQuery) error {
	return c.do(ctx, request{method: http.MethodDelete, path: "/v1/trust/rules", query: query, again: true}, nil)
}

// DeleteTrustRuleQuery holds the query parameters of DeleteTrustRule.
type DeleteTrustRuleQuery struct {
	Author string `json:"author,omitempty"`
	Origin string `json:"origin,omitempty"`  // default: none, as keys that have a trust only
	UserID string `json:"user_id,omitempty"` // for whom; default: the user of the key, or what the team shares
}

// ListTrustRules is GET /v1/trust/rules: what was decided about all writes of an origin and author.
func (c *Client) ListTrustRules(ctx context.Context, query ListTrustRulesQuery) (*TrustRules, error) {
	return fetch[TrustRules](ctx, c, request{method: http.MethodGet, path: "/v1/trust/rules", query: query, again: true})
}

// ListTrustRulesQuery holds the query parameters of ListTrustRules.
type ListTrustRulesQuery struct {
	UserID string `json:"user_id,omitempty"` // for this user; default: the user of the key, or all of the team
}

// DeleteTurn is DELETE /v1/turns/{id}: delete a turn with all below it.
func (c *Client) DeleteTurn(ctx context.Context, id string, query DeleteTurnQuery) (*RemovedTurns, error) {
	return fetch[RemovedTurns](ctx, c, request{method: http.MethodDelete, path: "/v1/turns/" + escape(id), query: query, again: true})
}

// DeleteTurnQuery holds the query parameters of DeleteTurn.
type DeleteTurnQuery struct {
	UserID string `json:"user_id,omitempty"` // for whom; left out: the user of the key, or the team itself
}

// Turn is GET /v1/turns/{id}: a turn with its answer.
func (c *Client) Turn(ctx context.Context, id string, query TurnQuery) (*ChatTurn, error) {
	return fetch[ChatTurn](ctx, c, request{method: http.MethodGet, path: "/v1/turns/" + escape(id), query: query, again: true})
}

// TurnQuery holds the query parameters of Turn.
type TurnQuery struct {
	UserID string `json:"user_id,omitempty"` // for whom; left out: the user of the key, or the team itself
}

// AnswerTurn is PATCH /v1/turns/{id}: answer a pending turn.
func (c *Client) AnswerTurn(ctx context.Context, id string, body *AnswerTurnRequest) (*ChatTurn, error) {
	return fetch[ChatTurn](ctx, c, request{method: http.MethodPatch, path: "/v1/turns/" + escape(id), body: body})
}

// CancelTurn is POST /v1/turns/{id}/cancel: end a turn that waits for its answer.
func (c *Client) CancelTurn(ctx context.Context, id string, query CancelTurnQuery) (*ChatTurn, error) {
	return fetch[ChatTurn](ctx, c, request{method: http.MethodPost, path: "/v1/turns/" + escape(id) + "/cancel", query: query})
}

// CancelTurnQuery holds the query parameters of CancelTurn.
type CancelTurnQuery struct {
	UserID string `json:"user_id,omitempty"` // for whom; left out: the user of the key, or the team itself
}

// ListTurnDescendants is GET /v1/turns/{id}/descendants: a turn and all below it, breadth first, in short.
func (c *Client) ListTurnDescendants(ctx context.Context, id string, query ListTurnDescendantsQuery) (*TurnDescendants, error) {
	return fetch[TurnDescendants](ctx, c, request{method: http.MethodGet, path: "/v1/turns/" + escape(id) + "/descendants", query: query, again: true})
}

// ListTurnDescendantsQuery holds the query parameters of ListTurnDescendants.
type ListTurnDescendantsQuery struct {
	UserID string `json:"user_id,omitempty"` // for whom; left out: the user of the key, or the team itself
}

// WatchTurnQuery holds the query parameters of WatchTurn.
type WatchTurnQuery struct {
	UserID string `json:"user_id,omitempty"` // for whom; left out: the user of the key, or the team itself
}

// TurnPath is GET /v1/turns/{id}/path: the turns from the root to a turn.
func (c *Client) TurnPath(ctx context.Context, id string, query TurnPathQuery) (*ChatPath, error) {
	return fetch[ChatPath](ctx, c, request{method: http.MethodGet, path: "/v1/turns/" + escape(id) + "/path", query: query, again: true})
}

// TurnPathQuery holds the query parameters of TurnPath.
type TurnPathQuery struct {
	UserID string `json:"user_id,omitempty"` // for whom; left out: the user of the key, or the team itself
}

// TurnPrompt is GET /v1/turns/{id}/prompt: what the model is told for a turn.
func (c *Client) TurnPrompt(ctx context.Context, id string, query TurnPromptQuery) (*TurnPrompt, error) {
	return fetch[TurnPrompt](ctx, c, request{method: http.MethodGet, path: "/v1/turns/" + escape(id) + "/prompt", query: query, again: true})
}

// TurnPromptQuery holds the query parameters of TurnPrompt.
type TurnPromptQuery struct {
	MaxTokens int64  `json:"max_tokens,omitempty"` // of o200k; default: as many as generations are given
	UserID    string `json:"user_id,omitempty"`    // for whom; left out: the user of the key, or the team itself
}

// RetryTurn is POST /v1/turns/{id}/retry: have the answer of a turn in error generated again.
func (c *Client) RetryTurn(ctx context.Context, id string, query RetryTurnQuery) (*RetriedTurn, error) {
	return fetch[RetriedTurn](ctx, c, request{method: http.MethodPost, path: "/v1/turns/" + escape(id) + "/retry", query: query})
}

// RetryTurnQuery holds the query parameters of RetryTurn.
type RetryTurnQuery struct {
	UserID string `json:"user_id,omitempty"` // for whom; left out: the user of the key, or the team itself
}

// ListUsers is GET /v1/users: a page of a team's users, with how much each has and when it was last used.
func (c *Client) ListUsers(ctx context.Context, query ListUsersQuery) (*UserPage, error) {
	return fetch[UserPage](ctx, c, request{method: http.MethodGet, path: "/v1/users", query: query, again: true})
}

// ListUsersQuery holds the query parameters of ListUsers.
type ListUsersQuery struct {
	Cursor string `json:"cursor,omitempty"` // next of the page before
	Limit  int64  `json:"limit,omitempty"`
	TeamID string `json:"team_id,omitempty"` // default: the caller's; another team needs an admin key of team default
}

// EraseUser is DELETE /v1/users/{id}: erase a user: all that is private to the user, and the user's authorship of what others keep.
func (c *Client) EraseUser(ctx context.Context, id string) (*UserErasure, error) {
	return fetch[UserErasure](ctx, c, request{method: http.MethodDelete, path: "/v1/users/" + escape(id), again: true})
}

// Preferences is GET /v1/users/{id}/preferences: a user's preferences.
func (c *Client) Preferences(ctx context.Context, id string, query PreferencesQuery) (*Preferences, error) {
	return fetch[Preferences](ctx, c, request{method: http.MethodGet, path: "/v1/users/" + escape(id) + "/preferences", query: query, again: true})
}

// PreferencesQuery holds the query parameters of Preferences.
type PreferencesQuery struct {
	AsOf time.Time `json:"as_of,omitzero"` // the preferences as they were then
}

// PutPreferences is PUT /v1/users/{id}/preferences: replace a user's preferences.
func (c *Client) PutPreferences(ctx context.Context, id string, body *Preferences) (*Preferences, error) {
	return fetch[Preferences](ctx, c, request{method: http.MethodPut, path: "/v1/users/" + escape(id) + "/preferences", body: body, again: true})
}

// ListPreferenceVersions is GET /v1/users/{id}/preferences/history: a page of the values that a user's preferences had and have.
func (c *Client) ListPreferenceVersions(ctx context.Context, id string, query ListPreferenceVersionsQuery) (*PreferenceVersions, error) {
	return fetch[PreferenceVersions](ctx, c, request{method: http.MethodGet, path: "/v1/users/" + escape(id) + "/preferences/history", query: query, again: true})
}

// ListPreferenceVersionsQuery holds the query parameters of ListPreferenceVersions.
type ListPreferenceVersionsQuery struct {
	Cursor string `json:"cursor,omitempty"` // next of the page before
	Key    string `json:"key,omitempty"`    // of one preference; default: all
	Limit  int64  `json:"limit,omitempty"`
}

// DeletePreference is DELETE /v1/users/{id}/preferences/{key}: delete one of a user's preferences.
func (c *Client) DeletePreference(ctx context.Context, id string, key string) error {
	return c.do(ctx, request{method: http.MethodDelete, path: "/v1/users/" + escape(id) + "/preferences/" + escape(key), again: true}, nil)
}

// PutPreference is PUT /v1/users/{id}/preferences/{key}: set one of a user's preferences.
func (c *Client) PutPreference(ctx context.Context, id string, key string, body *PutPreferenceRequest) (*Preference, error) {
	return fetch[Preference](ctx, c, request{method: http.MethodPut, path: "/v1/users/" + escape(id) + "/preferences/" + escape(key), body: body, again: true})
}

// ListStatements is GET /v1/users/{id}/statements: a page of what a user said to remember: standing instructions, preferences, facts, plans.
func (c *Client) ListStatements(ctx context.Context, id string, query ListStatementsQuery) (*StatementPage, error) {
	return fetch[StatementPage](ctx, c, request{method: http.MethodGet, path: "/v1/users/" + escape(id) + "/statements", query: query, again: true})
}

// ListStatementsQuery holds the query parameters of ListStatements.
type ListStatementsQuery struct {
	AsOf   time.Time `json:"as_of,omitzero"`   // the statements as they were then
	Closed bool      `json:"closed,omitempty"` // with those that hold no longer, because something else was said later
	Cursor string    `json:"cursor,omitempty"` // next of the page before
	Kinds  []string  `json:"kinds,omitempty"`  // default: all
	Limit  int64     `json:"limit,omitempty"`
	States []string  `json:"states,omitempty"` // default: all
}

// ChangeStatements is PATCH /v1/users/{id}/statements: confirm or refuse a user's statements, or pause the search for new ones.
func (c *Client) ChangeStatements(ctx context.Context, id string, body *StatementChange) error {
	return c.do(ctx, request{method: http.MethodPatch, path: "/v1/users/" + escape(id) + "/statements", body: body}, nil)
}

// ListStatementVersions is GET /v1/users/{id}/statements/{key}/history: a page of the versions of a statement of a user.
func (c *Client) ListStatementVersions(ctx context.Context, id string, key string, query ListStatementVersionsQuery) (*StatementVersions, error) {
	return fetch[StatementVersions](ctx, c, request{method: http.MethodGet, path: "/v1/users/" + escape(id) + "/statements/" + escape(key) + "/history", query: query, again: true})
}

// ListStatementVersionsQuery holds the query parameters of ListStatementVersions.
type ListStatementVersionsQuery struct {
	Cursor string `json:"cursor,omitempty"` // next of the page before
	Limit  int64  `json:"limit,omitempty"`
}

// ListWebhooks is GET /v1/webhooks: the webhooks of the team, without their secrets.
func (c *Client) ListWebhooks(ctx context.Context) (*WebhookList, error) {
	return fetch[WebhookList](ctx, c, request{method: http.MethodGet, path: "/v1/webhooks", again: true})
}

// CreateWebhook is POST /v1/webhooks: have the changes of the team sent to an address.
func (c *Client) CreateWebhook(ctx context.Context, body *CreateWebhookRequest) (*CreatedWebhook, error) {
	return fetch[CreatedWebhook](ctx, c, request{method: http.MethodPost, path: "/v1/webhooks", body: body})
}

// DeleteWebhook is DELETE /v1/webhooks/{id}: delete a webhook with its failed deliveries.
func (c *Client) DeleteWebhook(ctx context.Context, id string) error {
	return c.do(ctx, request{method: http.MethodDelete, path: "/v1/webhooks/" + escape(id), again: true}, nil)
}

// Webhook is GET /v1/webhooks/{id}: a webhook, and how its deliveries go.
func (c *Client) Webhook(ctx context.Context, id string) (*Webhook, error) {
	return fetch[Webhook](ctx, c, request{method: http.MethodGet, path: "/v1/webhooks/" + escape(id), again: true})
}

// PatchWebhook is PATCH /v1/webhooks/{id}: change what is given of a webhook.
func (c *Client) PatchWebhook(ctx context.Context, id string, body *PatchWebhookRequest) (*Webhook, error) {
	return fetch[Webhook](ctx, c, request{method: http.MethodPatch, path: "/v1/webhooks/" + escape(id), body: body})
}

// ListFailedDeliveries is GET /v1/webhooks/{id}/dead: a page of the deliveries of a webhook that failed for good.
func (c *Client) ListFailedDeliveries(ctx context.Context, id string, query ListFailedDeliveriesQuery) (*FailedDeliveryPage, error) {
	return fetch[FailedDeliveryPage](ctx, c, request{method: http.MethodGet, path: "/v1/webhooks/" + escape(id) + "/dead", query: query, again: true})
}

// ListFailedDeliveriesQuery holds the query parameters of ListFailedDeliveries.
type ListFailedDeliveriesQuery struct {
	Cursor string `json:"cursor,omitempty"` // next of the page before
	Limit  int64  `json:"limit,omitempty"`
}

// DeleteFailedDelivery is DELETE /v1/webhooks/{id}/dead/{delivery}: delete a failed delivery.
func (c *Client) DeleteFailedDelivery(ctx context.Context, id string, delivery string) error {
	return c.do(ctx, request{method: http.MethodDelete, path: "/v1/webhooks/" + escape(id) + "/dead/" + escape(delivery), again: true}, nil)
}

// Redeliver is POST /v1/webhooks/{id}/dead/{delivery}/redeliver: have a failed delivery sent again, once.
func (c *Client) Redeliver(ctx context.Context, id string, delivery string) error {
	return c.do(ctx, request{method: http.MethodPost, path: "/v1/webhooks/" + escape(id) + "/dead/" + escape(delivery) + "/redeliver"}, nil)
}

// RotateWebhookSecret is POST /v1/webhooks/{id}/rotate: give a webhook a new secret.
func (c *Client) RotateWebhookSecret(ctx context.Context, id string) (*RotatedSecret, error) {
	return fetch[RotatedSecret](ctx, c, request{method: http.MethodPost, path: "/v1/webhooks/" + escape(id) + "/rotate"})
}

// AgentContext is part of the contract.
type AgentContext struct {
	CurrentConversation *CurrentConversation `json:"current_conversation,omitempty"`
	Degraded            []string             `json:"degraded,omitempty"` // what could not be loaded and is missing
	Focus               *ContextFocus        `json:"focus,omitempty"`
	Meta                *Meta                `json:"meta,omitempty"`
	Receipt             *Receipt             `json:"receipt,omitempty"` // only with explain; with format=text nothing else
	RecentContext       *RecentContext       `json:"recent_context,omitempty"`
	Relationships       []OwnerRelationship  `json:"relationships,omitempty"` // at most 10, the strongest first
	Temporal            *Temporal            `json:"temporal,omitempty"`
	User                *ContextUser         `json:"user,omitempty"`
	Warnings            []string             `json:"warnings,omitempty"`
}

// AnswerTurnRequest is part of the contract.
type AnswerTurnRequest struct {
	AssistantText  Optional[string]             `json:"assistant_text,omitzero"` // at most 256 KiB; this or an error, and not both
	Error          Optional[string]             `json:"error,omitzero"`          // at most 4,096 characters
	ProviderConfig Optional[ChatProviderConfig] `json:"provider_config,omitzero"`
	ProviderID     Optional[string]             `json:"provider_id,omitzero"` // at most 256 characters
	UserID         string                       `json:"user_id,omitempty"`    // for whom; left out: the user of the key, or the team itself
}

// AppendMessagesRequest is part of the contract.
type AppendMessagesRequest struct {
	Messages []MessageWrite `json:"messages"`
	UserID   string         `json:"user_id,omitempty"`
}

// ArtifactHit is part of the contract.
type ArtifactHit struct {
	ContentType    string              `json:"content_type"` // document or output
	CreatedAt      time.Time           `json:"created_at"`
	Description    string              `json:"description"`
	EntityKey      string              `json:"entity_key"`
	Explanation    *ExploreExplanation `json:"explanation,omitempty"`
	Name           string              `json:"name"`
	Origin         string              `json:"origin,omitempty"` // of the most believed source
	RelatedNodes   []NodeRef           `json:"related_nodes"`
	RelevanceScore float64             `json:"relevance_score"` // 0 to 1
	Trust          float64             `json:"trust,omitempty"` // 0 to 1; absent: a caller wrote it, and it is believed
}

// AvailableEntity is part of the contract.
type AvailableEntity struct {
	ID       string  `json:"id"`
	IsLinked bool    `json:"is_linked"`
	Name     string  `json:"name"`
	State    *string `json:"state"`
}

// Beaten is part of the contract.
type Beaten struct {
	Key   string  `json:"key"`
	Value float64 `json:"value,omitempty"`
}

// Change is part of the contract.
type Change struct {
	At      time.Time `json:"at"`             // when it was committed
	By      string    `json:"by,omitempty"`   // id of the API key; token: the caller had a token
	Cursor  string    `json:"cursor"`         // after continues behind this change
	From    string    `json:"from,omitempty"` // key of the node where a relationship begins
	Key     string    `json:"key"`
	Kind    string    `json:"kind"` // a kind of node, relationship, system, system_relationship, preference or statement
	Op      string    `json:"op"`
	Source  string    `json:"source,omitempty"`  // entity_key of the source from which a language model derived it
	Through string    `json:"through,omitempty"` // an operation of the API, mcp: and a tool, or import: and a format
	To      string    `json:"to,omitempty"`      // key of the node where a relationship ends
	Type    string    `json:"type,omitempty"`    // of a relationship
	UserID  *string   `json:"user_id"`           // whose memory it is; null: shared by the team
	Version int64     `json:"version,omitempty"` // of the record after the change
}

// ChangeList is part of the contract.
type ChangeList struct {
	Changes []NodeChange `json:"changes"`
	More    bool         `json:"more"` // there are other changes in the period, which limit or another bound leaves out
	Node    NodeRef      `json:"node"`
}

// ChangePage is part of the contract.
type ChangePage struct {
	Changes []Change `json:"changes"`
	More    bool     `json:"more"` // more was committed: call again now. A page may have fewer changes than limit, even none, while more is true
	Next    string   `json:"next"` // after of the next call, also later
}

// ChangeSource is part of the contract.
type ChangeSource struct {
	ContentType string    `json:"content_type,omitempty"`
	EntityKey   string    `json:"entity_key"`
	StartedAt   time.Time `json:"started_at,omitzero"`
}

// ChangeSystemEntityRequest is part of the contract.
type ChangeSystemEntityRequest struct {
	Description      Optional[string] `json:"description,omitzero"`        // left out: kept; empty: cleared
	Properties       json.RawMessage  `json:"properties,omitempty"`        // laid over those there are
	RemoveProperties []string         `json:"remove_properties,omitempty"` // names of properties, removed before properties are laid over
	RemoveTags       []string         `json:"remove_tags,omitempty"`       // removed before tags are added
	Tags             []string         `json:"tags,omitempty"`              // added to those there are
	Type             Optional[string] `json:"type,omitzero"`
}

// ChangeTreeRequest is part of the contract.
type ChangeTreeRequest struct {
	Context      Optional[ChatContext] `json:"context,omitzero"` // what the prompt contains from the memory; null: nothing
	Name         Optional[string]      `json:"name,omitzero"`    // at most 512 characters; null: taken from the first prompt
	Pinned       Optional[bool]        `json:"pinned,omitzero"`
	SystemPrompt Optional[string]      `json:"system_prompt,omitzero"` // at most 32 KiB; null: the default
	UserID       string                `json:"user_id,omitempty"`      // for whom; left out: the user of the key, or the team itself
}

// ChangedLink is part of the contract.
type ChangedLink struct {
	Direction string  `json:"direction"`
	Key       string  `json:"key"`
	Node      NodeRef `json:"node"` // the other end
	Type      string  `json:"type"`
}

// ChatContext is part of the contract.
type ChatContext struct {
	FocusID   string `json:"focus_id,omitempty"`   // entity_key of what is in focus; with focus_kind
	FocusKind string `json:"focus_kind,omitempty"` // a kind; with focus_id
	MaxTokens int64  `json:"max_tokens,omitempty"` // default 2,000
	ProjectID string `json:"project_id,omitempty"` // what an agent should know of this project
	UserID    string `json:"user_id,omitempty"`    // the user of the tree: what an agent should know of this user; either this, or a project_id, a focus or both
}

// ChatPath is part of the contract.
type ChatPath struct {
	Truncated bool       `json:"truncated"` // the first turn is not the root: continue from its parent
	Turns     []ChatTurn `json:"turns"`
}

// ChatProviderConfig is part of the contract.
type ChatProviderConfig struct {
	Model string `json:"model,omitempty"` // the model that answers or has answered; default: the configured model
}

// ChatRef is part of the contract.
type ChatRef struct {
	DisplayLabel string `json:"display_label"` // shown when the entity is unknown
	EntityID     string `json:"entity_id"`     // its key
	EntityType   string `json:"entity_type"`   // a kind in CamelCase
}

// ChatTree is part of the contract.
type ChatTree struct {
	Context      *ChatContext `json:"context,omitempty"` // what the prompt of each generation contains from the memory
	CreatedAt    int64        `json:"created_at"`        // milliseconds since 1970
	DisplayName  string       `json:"display_name"`      // the name, or else the beginning of the first prompt
	ID           string       `json:"id"`
	Name         *string      `json:"name"`
	Pinned       bool         `json:"pinned"`
	SystemPrompt string       `json:"system_prompt"`
	TurnCount    int64        `json:"turn_count"`
	UpdatedAt    int64        `json:"updated_at"` // milliseconds since 1970
	UserID       *string      `json:"user_id"`    // the user to whom it is private; null: shared
}

// ChatTurn is part of the contract.
type ChatTurn struct {
	AssistantText  *string             `json:"assistant_text"` // null until there is an answer
	Attempt        int64               `json:"attempt"`        // grows with every retry
	CreatedAt      int64               `json:"created_at"`     // milliseconds since 1970
	EntityRefs     []ChatRef           `json:"entity_refs"`    // the tokens @Type:key of the prompt
	Error          string              `json:"error,omitempty"`
	ID             string              `json:"id"`
	ParentID       *string             `json:"parent_id"` // the turn it replies to; null: it is a root
	PromptVersion  string              `json:"prompt_version"`
	ProviderConfig *ChatProviderConfig `json:"provider_config,omitempty"`
	ProviderID     *string             `json:"provider_id"`
	Source         string              `json:"source,omitempty"` // Llm: the answer was generated here
	Status         string              `json:"status"`
	TreeID         string              `json:"tree_id"`
	UpdatedAt      int64               `json:"updated_at"` // milliseconds since 1970
	UserPrompt     string              `json:"user_prompt"`
}

// ChatTurnLine is part of the contract.
type ChatTurnLine struct {
	Attempt   int64   `json:"attempt"`
	CreatedAt int64   `json:"created_at"`
	ID        string  `json:"id"`
	Label     string  `json:"label"` // the first 30 characters of the prompt
	ParentID  *string `json:"parent_id"`
	Seq       int64   `json:"seq"` // its number in the tree
	Status    string  `json:"status"`
}

// Condition is part of the contract.
type Condition struct {
	Change string `json:"change,omitempty"` // what would make it hold
	Holds  bool   `json:"holds"`
	Rule   string `json:"rule"`
	Value  string `json:"value"` // of the node
}

// Consolidation is part of the contract.
type Consolidation struct {
	EntityKeys []string `json:"entity_keys"`
	Strict     bool     `json:"strict,omitempty"`  // all or nothing: an unknown source is a 422 and nothing is archived
	UserID     string   `json:"user_id,omitempty"` // whose sources; default: the user of the API key. Required if the API key is not bound to one
}

// ConsolidationCandidate is part of the contract.
type ConsolidationCandidate struct {
	EntityKeys  []string       `json:"entity_keys"`
	Node        *MentionedNode `json:"node,omitempty"`   // the node that the sources overlap in
	Reason      string         `json:"reason"`           // faded: a source older than 7 days with a salience below 0.2; overlapping: 5 or more sources older than 7 days that mention the same node
	Source      *FadedSource   `json:"source,omitempty"` // the source that has faded
	SourceCount int64          `json:"source_count"`
}

// ConsolidationPage is part of the contract.
type ConsolidationPage struct {
	Candidates []ConsolidationCandidate `json:"candidates"`
	Next       *string                  `json:"next"`
}

// ConsolidationResult is part of the contract.
type ConsolidationResult struct {
	Sources  []NodeResult `json:"sources"`
	Warnings []string     `json:"warnings"`
}

// ContextFocus is part of the contract.
type ContextFocus struct {
	Node          ContextNode `json:"node"`
	Relationships []FocusLink `json:"relationships"`
}

// ContextNode is part of the contract.
type ContextNode struct {
	AccessCount    int64           `json:"access_count"`
	CanonicalName  string          `json:"canonical_name,omitempty"` // persons only
	Confidence     float64         `json:"confidence"`
	CreatedAt      time.Time       `json:"created_at"`
	Description    string          `json:"description"`
	EntityKey      string          `json:"entity_key"`
	Filled         bool            `json:"filled,omitempty"`   // goals and beliefs: added because the section had room, as an active goal that was not accessed for 7 days, an active concept that is kept for ever, or a candidate
	IsGoal         bool            `json:"is_goal,omitempty"`  // concepts only
	IsOwner        bool            `json:"is_owner,omitempty"` // persons only
	LastAccessedAt *time.Time      `json:"last_accessed_at"`
	Name           string          `json:"name"`
	Notes          []Note          `json:"notes,omitempty"`  // at most 3, the newest first, without expired ones
	Origin         string          `json:"origin,omitempty"` // of the most believed source
	Properties     json.RawMessage `json:"properties,omitempty"`
	Salience       float64         `json:"salience"`
	State          string          `json:"state"`
	Trust          float64         `json:"trust,omitempty"` // 0 to 1; absent: a caller wrote it, and it is believed
	TTLPolicy      string          `json:"ttl_policy"`
	Type           string          `json:"type,omitempty"` // entities only
	UpdatedAt      time.Time       `json:"updated_at"`
	UserID         *string         `json:"user_id"`
}

// ContextUser is part of the contract.
type ContextUser struct {
	CoreBeliefs     []ContextNode `json:"core_beliefs"` // at most 10
	OwnerPersonNode *ContextNode  `json:"owner_person_node"`
	Preferences     []Preference  `json:"preferences"`
	PrimaryGoals    []ContextNode `json:"primary_goals"` // at most 5
	Statements      []Statement   `json:"statements"`    // what the user said: at most 50 standing instructions and preferences, then at most 60 facts and plans
	UserID          string        `json:"user_id"`
}

// ConversationEnd is part of the contract.
type ConversationEnd struct {
	EndedAt  Optional[time.Time] `json:"ended_at,omitzero"`  // default: now; not before the start
	Mentions []string            `json:"mentions,omitempty"` // entity keys of persons, concepts and entities
	Summary  Optional[string]    `json:"summary,omitzero"`   // one or two sentences; at most 16,384 characters
	UserID   string              `json:"user_id,omitempty"`
}

// ConversationFocus is part of the contract.
type ConversationFocus struct {
	FocusID   string `json:"focus_id,omitempty"`   // entity_key of a node of the project; with focus_kind
	FocusKind string `json:"focus_kind,omitempty"` // task, plan, goal, document, output, milestone, risk, decision or requirement, with focus_id; default or project-wide: the project as a whole
	ProjectID string `json:"project_id"`           // entity_key of the project
}

// ConversationList is part of the contract.
type ConversationList struct {
	Conversations []Source `json:"conversations"`
	Next          *string  `json:"next"`
}

// ConversationPage is part of the contract.
type ConversationPage struct {
	ContentType      string             `json:"content_type"`
	ContextType      *string            `json:"context_type"`
	EndedAt          *time.Time         `json:"ended_at"`
	EntityKey        string             `json:"entity_key"`
	Focus            *ConversationFocus `json:"focus,omitempty"` // the project and node in focus of a conversation
	Keywords         []string           `json:"keywords,omitempty"`
	MessageCount     int64              `json:"message_count"`
	Messages         []Message          `json:"messages"`
	Next             *int64             `json:"next"`
	Participants     []string           `json:"participants,omitempty"`
	ProcessedAt      time.Time          `json:"processed_at,omitzero"`
	ProcessingError  string             `json:"processing_error,omitempty"`
	ProcessingStatus string             `json:"processing_status"` // how far a language model has processed it
	Sensitivity      string             `json:"sensitivity,omitempty"`
	SourceType       string             `json:"source_type,omitempty"`
	StartedAt        time.Time          `json:"started_at"`
	Summary          string             `json:"summary"`
	Tags             []string           `json:"tags,omitempty"`
	UserID           *string            `json:"user_id"`
}

// CreateKeyRequest is part of the contract.
type CreateKeyRequest struct {
	ExpiresAt Optional[time.Time] `json:"expires_at,omitzero"`
	Origin    Optional[string]    `json:"origin,omitzero"`     // of what the key writes: a key of a program that stores mails has external; default: none
	RateLimit Optional[int64]     `json:"rate_limit,omitzero"` // units a minute, of which a look-up costs 1; 0: any number; default: KITH_RATE_LIMIT. Only an admin key of team default may give it
	Scopes    []string            `json:"scopes"`              // read, write, admin
	TeamID    string              `json:"team_id,omitempty"`   // default: the caller's; another team needs an admin key of team default
	Trust     Optional[float64]   `json:"trust,omitzero"`      // the most that what the key writes is believed; default: what its origin has
	UserID    Optional[string]    `json:"user_id,omitzero"`    // binds the key to this user; left out or null: the key acts for every user of the team
}

// CreateTreeRequest is part of the contract.
type CreateTreeRequest struct {
	Context      Optional[ChatContext] `json:"context,omitzero"` // what the prompt contains from the memory; null: nothing
	ID           string                `json:"id,omitempty"`     // generated (UUIDv7) when left out; one that is there stays as it is
	Name         Optional[string]      `json:"name,omitzero"`    // at most 512 characters; null: taken from the first prompt
	Pinned       Optional[bool]        `json:"pinned,omitzero"`
	SystemPrompt Optional[string]      `json:"system_prompt,omitzero"` // at most 32 KiB; null: the default
	UserID       string                `json:"user_id,omitempty"`      // to whom it is private; left out: the user of the key, or the whole team
}

// CreateWebhookRequest is part of the contract.
type CreateWebhookRequest struct {
	Active Optional[bool]   `json:"active,omitzero"`  // default: true
	Kinds  []string         `json:"kinds,omitempty"`  // only changes of these kinds; default: all
	Ops    []string         `json:"ops,omitempty"`    // only created, updated, deleted or restored; default: all
	URL    string           `json:"url"`              // where changes are sent: https:// or http://, of a public address
	UserID Optional[string] `json:"user_id,omitzero"` // only changes of this user's memory and of what the team shares; default: all of the team
}

// CreatedKey is part of the contract.
type CreatedKey struct {
	Key   string `json:"key"`
	KeyID string `json:"key_id"`
}

// CreatedWebhook is part of the contract.
type CreatedWebhook struct {
	Active              bool       `json:"active"`   // false: nothing is sent; it continues where it stopped when it is active again
	Attempts            int64      `json:"attempts"` // failed attempts of the delivery that is being retried
	CreatedAt           time.Time  `json:"created_at"`
	Cursor              string     `json:"cursor"`   // of GET /v1/changes: behind what was delivered
	Disabled            *string    `json:"disabled"` // why Kith made it inactive: gone, the receiver answered with 410; else null
	ID                  string     `json:"id"`
	Kinds               []string   `json:"kinds"` // of the changes that it gets; empty: all
	LastAttemptAt       *time.Time `json:"last_attempt_at"`
	LastResult          *string    `json:"last_result"`           // of the last attempt: delivered, status and a number, redirect, timeout, or no connection, also to an address that is not public
	NextAttemptAt       *time.Time `json:"next_attempt_at"`       // earliest time of the next attempt, if there is anything to deliver; null: inactive
	Ops                 []string   `json:"ops"`                   // of the changes that it gets; empty: all
	PreviousSecretUntil *time.Time `json:"previous_secret_until"` // until when the secret before the last rotation signs too
	Secret              string     `json:"secret"`                // signs the deliveries; it is not shown again
	URL                 string     `json:"url"`
	UserID              *string    `json:"user_id"` // it gets the changes of this user's memory and of what the team shares; null: all of the team
}

// CurrentConversation is part of the contract.
type CurrentConversation struct {
	ConversationID string    `json:"conversation_id"`
	Messages       []Message `json:"messages"` // the last ones, the oldest first
	StartedAt      time.Time `json:"started_at"`
}

// Decided is part of the contract.
type Decided struct {
	Result MemoryResult `json:"result"` // of a confirmed one: what became of each item, as in POST /v1/memory
	Review Review       `json:"review"`
}

// Decision is part of the contract.
type Decision struct {
	Key   string `json:"key"`
	State string `json:"state"` // confirmed or refused
}

// Deletion is part of the contract.
type Deletion struct {
	DeletedAt       time.Time `json:"deleted_at"`
	Key             string    `json:"key"`
	Messages        int64     `json:"messages"`      // of a source: the messages deleted with it
	Relationships   int64     `json:"relationships"` // of a node: the relationships deleted with it
	RestorableUntil time.Time `json:"restorable_until"`
}

// DuplicateChange is part of the contract.
type DuplicateChange struct {
	Admit  []Pair `json:"admit,omitempty"`  // pairs that may be proposed again
	Refuse []Pair `json:"refuse,omitempty"` // pairs that are two: they are not proposed again, whatever their names become
}

// DuplicatePage is part of the contract.
type DuplicatePage struct {
	Duplicates []Proposal `json:"duplicates"`
	Next       *string    `json:"next"`
}

// EdgeResult is part of the contract.
type EdgeResult struct {
	Created bool   `json:"created"`
	ID      string `json:"id"`
}

// EdgeWrite is part of the contract.
type EdgeWrite struct {
	DstID   string          `json:"dst_id"` // entity_key; must differ from src_id
	DstKind string          `json:"dst_kind"`
	Props   json.RawMessage `json:"props,omitempty"` // an object that the caller defines; at most 16,384 bytes, 8 levels
	Rel     string          `json:"rel"`             // ^[a-z][a-z0-9_]{0,63}$; usual types: has_plan, has_task, supports_goal, depends_on, references, produces, targets_milestone, …
	SrcID   string          `json:"src_id"`          // entity_key
	SrcKind string          `json:"src_kind"`        // project, or a kind of node in a project
}

// EdgesResult is part of the contract.
type EdgesResult struct {
	Created  int64        `json:"created"`
	Edges    []EdgeResult `json:"edges"`
	Skipped  int64        `json:"skipped"`
	Warnings []string     `json:"warnings"`
}

// EdgesWrite is part of the contract.
type EdgesWrite struct {
	Edges  []EdgeWrite `json:"edges"`
	UserID string      `json:"user_id,omitempty"` // the user; default: the user of the API key, or shared
}

// Episodic is part of the contract.
type Episodic struct {
	Artifacts  []ArtifactHit  `json:"artifacts"` // documents and outputs
	Macros     []MacroHit     `json:"macros"`
	Messages   []MessageHit   `json:"messages"` // where kinds asks for them
	Sources    []SourceHit    `json:"sources"`
	Storylines []StorylineHit `json:"storylines"`
}

// ExplainRequest is part of the contract.
type ExplainRequest struct {
	ID        string             `json:"id,omitempty"`       // of the turn; generated (UUIDv7) when left out; asking again is harmless
	Question  string             `json:"question,omitempty"` // what is to be explained about it; at most 4 KiB
	Result    string             `json:"result"`             // what is to be explained; at most 90 KiB
	SessionID string             `json:"session_id"`         // one tree for each of a user's sessions
	Subjects  []ExplainedSubject `json:"subjects,omitempty"` // what the result is about
	UserID    string             `json:"user_id,omitempty"`  // for whom; left out: the user of the key, or the team itself
}

// ExplainedSubject is part of the contract.
type ExplainedSubject struct {
	EntityID   string `json:"entity_id"`   // entity_key; it must not be blank, contain blanks or end with punctuation, or a prompt could not name it
	EntityType string `json:"entity_type"` // a kind in CamelCase
}

// ExploreExplanation is part of the contract.
type ExploreExplanation struct {
	Cosine   float64  `json:"cosine,omitempty"`  // of the query's vector and the hit's
	Links    float64  `json:"links,omitempty"`   // how much the best hits link it, against the most linked
	Marks    []string `json:"marks,omitempty"`   // of messages: what reads like an instruction to the agent
	Meaning  float64  `json:"meaning,omitempty"` // what the meaning counted, against the best hit
	Named    float64  `json:"named,omitempty"`   // how much what the query names links it, against the most linked
	Rank     int64    `json:"rank"`              // by relevance alone, from 1
	Recency  float64  `json:"recency"`           // exp(-0.02 × days)
	Salience float64  `json:"salience"`
	Time     float64  `json:"time,omitempty"`  // how sure it is that it was said at a time that the query names
	Trust    float64  `json:"trust,omitempty"` // what the relevance was multiplied with, as its trust is low
	Via      []string `json:"via,omitempty"`   // the names of what links it
	Words    float64  `json:"words,omitempty"` // how well the words fit, against the best hit
}

// ExploreMeta is part of the contract.
type ExploreMeta struct {
	Confidence  float64          `json:"confidence"`           // 0 to 1: how likely what was asked is among the first five hits, by the words and times of the queries; of several queries the least
	Cut         int64            `json:"cut"`                  // hits that max_tokens left out
	Distrusted  int64            `json:"distrusted,omitempty"` // hits left out because their trust is below min_trust; at most 100
	Enough      bool             `json:"enough"`               // whether the first few hits should do; false: ask otherwise, or say that it is not known
	Granularity int64            `json:"granularity"`
	Mode        string           `json:"mode"`
	QueryUsed   []string         `json:"query_used"` // the queries and text matches, and in deep mode what was added
	Semantic    string           `json:"semantic"`   // search by meaning; partial: some memories have no vector yet; loading: vectors are being read, try again; unavailable: the embedder timed out or failed; off: no embedder
	Times       []UnderstoodTime `json:"times"`      // times that the queries name
}

// ExploreQuery is part of the contract.
type ExploreQuery struct {
	Query     string  `json:"query"`               // at most 16,384 characters
	Threshold float64 `json:"threshold,omitempty"` // 0 (default) to 1: the least cosine of what is found by meaning alone
}

// ExploreRequest is part of the contract.
type ExploreRequest struct {
	AskedAt             Optional[time.Time]  `json:"asked_at,omitzero"`              // when the queries were asked: times in them, as "last Tuesday", are read from there, in its time zone; default: now
	ConversationID      string               `json:"conversation_id,omitempty"`      // the conversation that is open now: "our last session" is the one before it
	Evidence            []string             `json:"evidence,omitempty"`             // evidence that counts: words, neighbours (the words of the messages around one), links, meaning; default: all
	Expand              int64                `json:"expand,omitempty"`               // so many neighbours of the nodes found; default none
	Filter              json.RawMessage      `json:"filter,omitempty"`               // only nodes whose value (items) or properties (others) have these fields with these values; {"n":{"$gt":3}} compares with $eq, $ne, $gt, $gte, $lt or $lte; tested on the best 100 nodes. An object; at most 4,096 bytes
	Format              string               `json:"format,omitempty"`               // json (default), text, or keyed: text with entity keys, to go on from
	Granularity         int64                `json:"granularity,omitempty"`          // 1 (default): sources; 2: storylines with some of their sources; 3: macros with their storylines
	IncludeArchived     bool                 `json:"include_archived,omitempty"`     // also what is archived: faded, ended or put away; it is always found by its key
	Kinds               []string             `json:"kinds,omitempty"`                // only these kinds of nodes; message: messages as a list of their own. Default: all except messages, which come with their sources
	Limit               int64                `json:"limit,omitempty"`                // of nodes in all, of sources and of messages; default 5. Relationships are up to twice as many; storylines and macros, unless it is given, 3 and 2 (of granularity 1), 5 and 2, none and 5
	MaxTokens           int64                `json:"max_tokens,omitempty"`           // o200k tokens of the answer, 100 to 100,000; the lowest-ranked hits go first, and meta.cut says how many went
	MinTrust            Optional[float64]    `json:"min_trust,omitzero"`             // leaves out what has less trust, and counts it in meta.distrusted; default 0.2: mails and tool outputs that read like instructions to the agent are left out. Below 0.6, trust weighs the relevance
	Mode                string               `json:"mode,omitempty"`                 // fast (default), or deep: a second look with what the first has found
	MultiQuery          bool                 `json:"multi_query,omitempty"`          // the same as mode deep
	Namespace           []string             `json:"namespace,omitempty"`            // only items of this namespace, and of those within it
	Queries             []ExploreQuery       `json:"queries,omitempty"`              // questions or descriptions, searched by words and by meaning; this or text_matches is required
	RelationshipFilters *RelationshipFilters `json:"relationship_filters,omitempty"` // which relationships count; applied before anything is ranked
	ReturnExplanations  bool                 `json:"return_explanations,omitempty"`  // with each hit, what its score is made of
	SalienceWeight      Optional[float64]    `json:"salience_weight,omitzero"`       // of salience; default 0.4
	SearchRelationships Optional[bool]       `json:"search_relationships,omitzero"`  // default true
	SemanticWeight      Optional[float64]    `json:"semantic_weight,omitzero"`       // of relevance; default 0.3. The three weights are not all 0
	Since               Optional[time.Time]  `json:"since,omitzero"`                 // what was said, or changed, from then on
	TextMatches         []string             `json:"text_matches,omitempty"`         // names or words: names (also similar ones), keywords, tags, relationships and texts that have all the words; each of at most 16,384 characters
	TimeWeight          Optional[float64]    `json:"time_weight,omitzero"`           // of recency; default 0.3
	Times               string               `json:"times,omitempty"`                // read (default): times in queries count, and meta.times says how; ignore: they are words like others
	Until               Optional[time.Time]  `json:"until,omitzero"`                 // what was said, or made, until then; not before since
	UserID              string               `json:"user_id,omitempty"`              // whose memory, with what the team shares; default: the user of the key, or only what the team shares
}

// ExploreResult is part of the contract.
type ExploreResult struct {
	Episodic Episodic    `json:"episodic"`
	Meta     ExploreMeta `json:"meta"`
	Semantic Semantic    `json:"semantic"`
}

// Extraction is part of the contract.
type Extraction struct {
	Error         *string              `json:"error"`                 // why it failed; the source keeps it as its processing_error
	Nodes         []Proposed           `json:"nodes"`                 // what the source is about, and is now said to mention; unchanged ones were there
	ProviderID    string               `json:"provider_id,omitempty"` // the model that answered
	Relationships []RelationshipResult `json:"relationships"`
	Status        string               `json:"status"`
	Warnings      []string             `json:"warnings"`
}

// FadedSource is part of the contract.
type FadedSource struct {
	EndedAt   *time.Time `json:"ended_at"`
	EntityKey string     `json:"entity_key"`
	Salience  float64    `json:"salience"`
	StartedAt time.Time  `json:"started_at"`
	Summary   string     `json:"summary"`
}

// FailedDelivery is part of the contract.
type FailedDelivery struct {
	After      string    `json:"after"` // cursor before the changes
	Attempts   int64     `json:"attempts"`
	FailedAt   time.Time `json:"failed_at"`
	ID         string    `json:"id"`                    // the webhook-id of the delivery
	LastResult string    `json:"last_result,omitempty"` // of the last attempt, as that of the webhook
	Reason     string    `json:"reason"`                // undelivered: no attempt succeeded for a day; not_kept: the changes were removed before they could be delivered
	Requested  bool      `json:"requested"`             // it is about to be sent again
	Until      string    `json:"until"`                 // cursor behind the changes
}

// FailedDeliveryPage is part of the contract.
type FailedDeliveryPage struct {
	Dead []FailedDelivery `json:"dead"`
	Next *string          `json:"next"`
}

// Fault is part of the contract.
type Fault struct {
	Code           string `json:"code,omitempty"`            // the sort of the fault, for programs: the codes are in the reference; a fault of another sort has none
	CurrentVersion int64  `json:"current_version,omitempty"` // the stored version, where another one was asked for
	Location       string `json:"location"`
	Message        string `json:"message"`
}

// FieldChange is part of the contract.
type FieldChange struct {
	Field string          `json:"field"`
	Is    json.RawMessage `json:"is,omitempty"`
	Was   json.RawMessage `json:"was,omitempty"`
}

// FocusLink is part of the contract.
type FocusLink struct {
	Direction               string  `json:"direction"`
	EntityKey               string  `json:"entity_key"`
	Name                    string  `json:"name"`
	NodeType                string  `json:"node_type"`
	Relationship            *Told   `json:"relationship,omitempty"` // how far the relationship is believed
	RelationshipDescription string  `json:"relationship_description"`
	RelationshipSalience    float64 `json:"relationship_salience"`
	RelationshipType        string  `json:"relationship_type"`
}

// GraphSnapshot is part of the contract.
type GraphSnapshot struct {
	Coverage map[string]SnapshotCoverage `json:"coverage"` // by kind, in the plural
	Edges    []SnapshotEdge              `json:"edges"`    // at most 80
	MaxDepth int64                       `json:"max_depth"`
	Nodes    []SnapshotNode              `json:"nodes"` // at most 60, of a kind 10; those near the project first, then by score
	RootID   string                      `json:"root_id"`
	RootKind string                      `json:"root_kind"`
}

// Highlight is part of the contract.
type Highlight struct {
	Channel             string    `json:"channel,omitempty"`
	CompletedAt         time.Time `json:"completed_at,omitzero"`
	CompletedTaskCount  int64     `json:"completed_task_count,omitempty"`
	Content             string    `json:"content,omitempty"`
	CreatedAt           time.Time `json:"created_at"`
	DecisionAt          time.Time `json:"decision_at,omitzero"`
	DependencyCount     int64     `json:"dependency_count,omitempty"`
	DependentCount      int64     `json:"dependent_count,omitempty"`
	DerivedFromSignalID string    `json:"derived_from_signal_id,omitempty"`
	Description         string    `json:"description,omitempty"`
	DirectEdge          bool      `json:"direct_edge"`
	DueAt               time.Time `json:"due_at,omitzero"`
	GoalCount           int64     `json:"goal_count,omitempty"`
	ID                  string    `json:"id"`
	Impact              string    `json:"impact,omitempty"`
	MitigatedAt         time.Time `json:"mitigated_at,omitzero"`
	Name                string    `json:"name"`
	Origin              string    `json:"origin,omitempty"` // of the most believed source
	Outcome             string    `json:"outcome,omitempty"`
	OutputCount         int64     `json:"output_count,omitempty"`
	Payload             string    `json:"payload,omitempty"`
	PlanCount           int64     `json:"plan_count,omitempty"`
	Priority            int64     `json:"priority,omitempty"`
	Probability         float64   `json:"probability,omitempty"`
	ProgressPercent     int64     `json:"progress_percent,omitempty"` // of goals with tasks
	Rationale           string    `json:"rationale,omitempty"`
	StartAt             time.Time `json:"start_at,omitzero"`
	StateKey            string    `json:"state_key,omitempty"`
	Summary             string    `json:"summary,omitempty"`
	TargetDate          time.Time `json:"target_date,omitzero"`
	TaskCount           int64     `json:"task_count,omitempty"`
	Trust               float64   `json:"trust,omitempty"` // 0 to 1; absent: a caller wrote it, and it is believed
	TS                  time.Time `json:"ts,omitzero"`
	TypeKey             string    `json:"type_key,omitempty"`
	UpdatedAt           time.Time `json:"updated_at,omitzero"`
}

// HighlightList is part of the contract.
type HighlightList struct {
	Items []Highlight `json:"items"`
	More  int64       `json:"more,omitempty"`
}

// Highlights is part of the contract.
type Highlights struct {
	Decisions     HighlightList `json:"decisions"`
	Documents     HighlightList `json:"documents"`
	Goals         HighlightList `json:"goals"`
	Insights      HighlightList `json:"insights"`
	Milestones    HighlightList `json:"milestones"`
	Outputs       HighlightList `json:"outputs"`
	Plans         HighlightList `json:"plans"`
	Requirements  HighlightList `json:"requirements"`
	Risks         HighlightList `json:"risks"`
	Signals       HighlightList `json:"signals"`
	TasksRecent   HighlightList `json:"tasks_recent"`   // open ones that changed within 7 days
	TasksUpcoming HighlightList `json:"tasks_upcoming"` // open ones that start or are due within 7 days
}

// HistoryUsage is part of the contract.
type HistoryUsage struct {
	LeftOut   int64 `json:"left_out"`  // the oldest messages, omitted
	Shortened int64 `json:"shortened"` // older messages of which the beginning is kept
	Whole     int64 `json:"whole"`     // messages kept whole
}

// ImportCounts is part of the contract.
type ImportCounts struct {
	Created   int64 `json:"created"`
	Refused   int64 `json:"refused"`
	Unchanged int64 `json:"unchanged"`
	Updated   int64 `json:"updated"`
}

// ImportRefusal is part of the contract.
type ImportRefusal struct {
	Line     int64  `json:"line"`
	Location string `json:"location"` // a path within the item; in a document it begins with the element, such as edges[3].name
	Message  string `json:"message"`
}

// ImportReport is part of the contract.
type ImportReport struct {
	ChatTrees     ImportCounts    `json:"chat_trees"`
	ChatTurns     ImportCounts    `json:"chat_turns"`
	Complete      bool            `json:"complete"` // false: the import stopped, and may be sent again with the same import_id
	DryRun        bool            `json:"dry_run"`
	ImportID      string          `json:"import_id,omitempty"`
	Lines         int64           `json:"lines"`
	Nodes         ImportCounts    `json:"nodes"`
	Pauses        ImportCounts    `json:"pauses"` // of the search for statements
	Preferences   ImportCounts    `json:"preferences"`
	Refusals      ImportCounts    `json:"refusals"` // pairs of nodes that look like one and are not
	Refused       []ImportRefusal `json:"refused"`  // the first 1,000, with reasons
	Relationships ImportCounts    `json:"relationships"`
	ResumedAtLine int64           `json:"resumed_at_line,omitempty"`
	Reviews       ImportCounts    `json:"reviews"` // writes that wait for a decision, or about which one was made
	Statements    ImportCounts    `json:"statements"`
	Stopped       string          `json:"stopped,omitempty"` // why the import is not complete
	TrustRules    ImportCounts    `json:"trust_rules"`       // decisions about further writes
	Versions      ImportCounts    `json:"versions"`          // former versions of records
	Warnings      []ImportRefusal `json:"warnings"`          // the first 1,000
}

// ImportedHistory is part of the contract.
type ImportedHistory struct {
	AccessCount        Optional[int64]    `json:"access_count,omitzero"`
	CreatedBy          Optional[string]   `json:"created_by,omitzero"`
	DecayGradient      Optional[float64]  `json:"decay_gradient,omitzero"`
	DecayRate          Optional[float64]  `json:"decay_rate,omitzero"` // per day
	DistinctSourceDays Optional[[]string] `json:"distinct_source_days,omitzero"`
	Evidence           Optional[[]string] `json:"evidence,omitzero"`   // what the trust rests on: sources, origin, trust and author, each
	ExpiresAt          Optional[int64]    `json:"expires_at,omitzero"` // milliseconds since 1970
	FormerKey          Optional[string]   `json:"former_key,omitzero"` // of an owner node: the key of the generated one that it replaced
	IsDirty            Optional[bool]     `json:"is_dirty,omitzero"`
	IsGoalGiven        Optional[bool]     `json:"is_goal_given,omitzero"`
	LastRecallInterval Optional[int64]    `json:"last_recall_interval,omitzero"` // milliseconds
	LeastTrust         Optional[float64]  `json:"least_trust,omitzero"`          // of a source: the least trust of its messages, if that is less than an assistant's
	MentionWeight      Optional[float64]  `json:"mention_weight,omitzero"`
	MergedKeys         Optional[[]string] `json:"merged_keys,omitzero"`     // keys of nodes that were merged into it
	NextSeq            Optional[int64]    `json:"next_seq,omitzero"`        // of a source: the number of its next message, if it differs from their count
	Notes              Optional[[]string] `json:"notes,omitzero"`           // each a note as JSON, the newest first
	OwnerGenerated     Optional[bool]     `json:"owner_generated,omitzero"` // of a person that Kith made for a user without an owner node
	RecallFrequency    Optional[int64]    `json:"recall_frequency,omitzero"`
	RestoredAt         Optional[int64]    `json:"restored_at,omitzero"`       // when the undoing of a delete made this version, in milliseconds since 1970
	SalienceAt         Optional[int64]    `json:"salience_at,omitzero"`       // when salience had this value, in milliseconds since 1970
	Seq                Optional[int64]    `json:"seq,omitzero"`               // of a relationship in a system: its number
	StartUnknown       Optional[bool]     `json:"start_unknown,omitzero"`     // of a relationship: nobody said when it began, valid_from is when it was recorded
	StatementsPaused   Optional[bool]     `json:"statements_paused,omitzero"` // of a source: its new messages are not searched for statements
	StoryDue           Optional[int64]    `json:"story_due,omitzero"`         // when its storylines are next formed, in milliseconds since 1970
	System             Optional[string]   `json:"system,omitzero"`            // of a relationship in a system
	Themes             Optional[[]string] `json:"themes,omitzero"`            // mentioned by at least half of a storyline's newest sources
	Version            Optional[int64]    `json:"version,omitzero"`
	Written            Optional[string]   `json:"written,omitzero"` // the last writer: API key, what it wrote through, and the source from which a language model derived it
}

// KeyEntity is part of the contract.
type KeyEntity struct {
	EntityKey string `json:"entity_key"`
	Name      string `json:"name"`
	Type      string `json:"type"`
}

// KeyInfo is part of the contract.
type KeyInfo struct {
	CreatedAt  time.Time  `json:"created_at"`
	ExpiresAt  *time.Time `json:"expires_at"`
	KeyID      string     `json:"key_id"`
	LastUsedAt *time.Time `json:"last_used_at"`     // a minute late at most while the service runs
	Origin     string     `json:"origin,omitempty"` // of what it writes
	RateLimit  *int64     `json:"rate_limit"`
	RevokedAt  *time.Time `json:"revoked_at"`
	Scopes     []string   `json:"scopes"`
	TeamID     string     `json:"team_id"`
	Trust      float64    `json:"trust,omitempty"` // the most that what it writes is believed
	UserID     *string    `json:"user_id"`
}

// KeyList is part of the contract.
type KeyList struct {
	Keys []KeyInfo `json:"keys"`
}

// LastWrite is part of the contract.
type LastWrite struct {
	At      time.Time `json:"at,omitzero"`
	By      string    `json:"by,omitempty"`     // id of the API key; token: the caller had a token
	Source  string    `json:"source,omitempty"` // entity_key of the source from which a language model derived it
	Through string    `json:"through"`          // an operation of the API, mcp: and a tool, or import: and a format
}

// LeftOut is part of the contract.
type LeftOut struct {
	At               time.Time    `json:"at,omitzero"`                 // when it was last accessed, said, begun or added
	BackAt           int64        `json:"back_at"`                     // the least max_tokens with which the line is in the text
	Beat             *Beaten      `json:"beat,omitempty"`              // the next of the section
	By               string       `json:"by,omitempty"`                // what the value is
	Key              string       `json:"key,omitempty"`               // of the node, statement, source or preference; of a note, that of its node
	Kind             string       `json:"kind,omitempty"`              // of a node, or preference, statement or note
	Of               int64        `json:"of,omitempty"`                // how many the section has, with those left out
	Provenance       []Provenance `json:"provenance,omitempty"`        // the sources that it comes from, the newest first: all that hold it, up to 100, else at most 3
	Rank             int64        `json:"rank,omitempty"`              // in the section, from 1
	RelationshipType string       `json:"relationship_type,omitempty"` // of the user's or the focus's relationship to the node
	Rule             string       `json:"rule,omitempty"`              // why it is in the section
	Section          string       `json:"section,omitempty"`
	Text             string       `json:"text"`
	Tokens           int64        `json:"tokens"`
	Value            float64      `json:"value,omitempty"`   // by which the section is ranked
	Version          int64        `json:"version,omitempty"` // of the node
}

// LinkedContext is part of the contract.
type LinkedContext struct {
	AvailableEntities map[string][]AvailableEntity `json:"available_entities,omitempty"` // nodes of the project of every requested kind, at most 100 of each
	Counts            map[string]int64             `json:"counts"`                       // every kind, in the plural, and their total: all nodes of the requested kinds, also those not shown
	LinkedEntities    map[string][]LinkedEntity    `json:"linked_entities"`              // every kind, in the plural; active ones first, then the newest first
	LoadedAt          time.Time                    `json:"loaded_at"`
	Next              *string                      `json:"next"` // cursor of the next page of mode full; null on the last
	Source            LinkedSource                 `json:"source"`
	Truncated         bool                         `json:"truncated"` // not all are shown
	Warnings          []string                     `json:"warnings,omitempty"`
}

// LinkedEntity is part of the contract.
type LinkedEntity struct {
	ContextDocument bool             `json:"context_document,omitempty"` // the context document of the project
	Description     string           `json:"description,omitempty"`      // in mode full
	Direction       string           `json:"direction"`                  // seen from the source
	DueAt           time.Time        `json:"due_at,omitzero"`            // of milestones and tasks
	EdgeID          string           `json:"edge_id"`
	ID              string           `json:"id"`
	Kind            string           `json:"kind"`
	MoreRelations   []LinkedRelation `json:"more_relations,omitempty"` // further relationships between the two
	Name            string           `json:"name"`
	Origin          string           `json:"origin,omitempty"` // of the most believed source
	Relation        string           `json:"relation"`
	State           *string          `json:"state"`
	Trust           float64          `json:"trust,omitempty"` // 0 to 1; absent: a caller wrote it, and it is believed
	TypeKey         *string          `json:"type_key"`
}

// LinkedRelation is part of the contract.
type LinkedRelation struct {
	Direction string `json:"direction"`
	EdgeID    string `json:"edge_id"`
	Relation  string `json:"relation"`
}

// LinkedSource is part of the contract.
type LinkedSource struct {
	ID     string  `json:"id"`
	Kind   string  `json:"kind"`
	Name   string  `json:"name"`
	Origin string  `json:"origin,omitempty"` // of the most believed source
	Trust  float64 `json:"trust,omitempty"`  // 0 to 1; absent: a caller wrote it, and it is believed
}

// MacroHit is part of the contract.
type MacroHit struct {
	Anchor           *NodeRef         `json:"anchor,omitempty"`
	Description      string           `json:"description,omitempty"`
	LastEventAt      time.Time        `json:"last_event_at,omitzero"`
	MacroID          string           `json:"macro_id"`
	Name             string           `json:"name"`
	RelevanceScore   float64          `json:"relevance_score,omitempty"`
	StartedAt        time.Time        `json:"started_at,omitzero"`
	StorylineCount   int64            `json:"storyline_count,omitempty"`
	Storylines       []MacroStoryline `json:"storylines,omitempty"`
	TotalSourceCount int64            `json:"total_source_count,omitempty"`
}

// MacroStoryline is part of the contract.
type MacroStoryline struct {
	Name        string `json:"name"`
	OneLiner    string `json:"one_liner"`
	SourceCount int64  `json:"source_count"`
	StorylineID string `json:"storyline_id"`
}

// Me is part of the contract.
type Me struct {
	KeyID     string      `json:"key_id"`     // of a token: oidc: and its subject
	Quota     QuotaShares `json:"quota"`      // how much the team may have, and has
	RateLimit *RateLimit  `json:"rate_limit"` // null: any number of requests
	Scopes    []string    `json:"scopes"`     // of read, write and admin
	TeamID    string      `json:"team_id"`
	UserID    *string     `json:"user_id"` // the only user for whom it may act; null: any of the team
}

// MemoryResult is part of the contract.
type MemoryResult struct {
	Nodes         []NodeResult         `json:"nodes"`
	Relationships []RelationshipResult `json:"relationships"`
	Review        string               `json:"review,omitempty"` // items with the status waiting: the key of the review that decides about them
	Warnings      []string             `json:"warnings"`
}

// MemoryWrite is part of the contract.
type MemoryWrite struct {
	DerivedFrom    []string            `json:"derived_from,omitempty"`    // entity keys of the sources that tell what is written: it carries their least trust, and goes when they are withdrawn
	IdempotencyKey string              `json:"idempotency_key,omitempty"` // same as the Idempotency-Key header: for a day, the same key and body return the same answer; another body returns 409
	Nodes          []NodeWrite         `json:"nodes,omitempty"`           // each node once; nodes and relationships together are at most 10,000
	Relationships  []RelationshipWrite `json:"relationships,omitempty"`   // at most one of each type and qualifier from one node to another
	Strict         bool                `json:"strict,omitempty"`          // all or nothing: a refused item is a 422 and nothing is written
	UserID         string              `json:"user_id,omitempty"`         // whose memory; default: the user of the API key, else the team
}

// Mention is part of the contract.
type Mention struct {
	At          time.Time `json:"at"` // when the source began
	ContentType string    `json:"content_type"`
	ContextType *string   `json:"context_type"`
	From        int64     `json:"from,omitempty"`    // of the name in the message, in code points; of a relationship, of the first name
	Message     string    `json:"message,omitempty"` // entity_key of the first message with the name, of a relationship with both names; absent: none of the first 1,000 has it
	Quote       string    `json:"quote,omitempty"`   // the names with what stands around them, at most 400 code points
	Role        string    `json:"role,omitempty"`
	Source      string    `json:"source"` // entity_key
	Summary     string    `json:"summary"`
	To          int64     `json:"to,omitempty"` // the end of the name, or of the last name
}

// MentionPage is part of the contract.
type MentionPage struct {
	Mentions []Mention `json:"mentions"`
	Next     *string   `json:"next"`
}

// MentionedNode is part of the contract.
type MentionedNode struct {
	EntityKey string `json:"entity_key"`
	Kind      string `json:"kind"`
	Name      string `json:"name"`
}

// Merge is part of the contract.
type Merge struct {
	Conflicts     []MergeConflict `json:"conflicts"`       // fields of which both nodes had a value
	Left          int64           `json:"left"`            // relationships that repeat one of this node's, or lead to it: only an undo brings them back
	Merged        NodeRef         `json:"merged"`          // the node that is part of it now
	Node          NodeView        `json:"node"`            // as it is now
	Nodes         int64           `json:"nodes,omitempty"` // of a project: nodes that belong to this one now
	Relationships int64           `json:"relationships"`   // moved here
	UndoableUntil time.Time       `json:"undoable_until"`  // with restore-node and the key of the other
}

// MergeConflict is part of the contract.
type MergeConflict struct {
	Dropped json.RawMessage `json:"dropped"`
	Field   string          `json:"field"`
	Kept    json.RawMessage `json:"kept"`
}

// MergeWrite is part of the contract.
type MergeWrite struct {
	DryRun bool     `json:"dry_run,omitempty"` // answer what the merge would do, and do nothing
	Other  string   `json:"other"`             // entity_key of the node that is merged into this one. Its key goes on to lead here
	Take   []string `json:"take,omitempty"`    // fields that get the value of the other node where both have one; default: this node's stay
}

// MergedSystem is part of the contract.
type MergedSystem struct {
	Entities      []SystemEntityResult       `json:"entities"`
	Extraction    *SystemExtraction          `json:"extraction,omitempty"` // where a text was given; entities and relationships are those that the language model read out of it
	Relationships []SystemRelationshipResult `json:"relationships"`
	Removed       *SystemCounts              `json:"removed,omitempty"` // what was deleted because the file does not contain it
	Warnings      []string                   `json:"warnings"`
}

// Message is part of the contract.
type Message struct {
	At        time.Time       `json:"at"`
	EntityKey string          `json:"entity_key"`
	Name      string          `json:"name,omitempty"`
	Parts     json.RawMessage `json:"parts,omitempty"` // as they were given
	Role      string          `json:"role"`
	Seq       int64           `json:"seq"`
	Text      string          `json:"text"`
	Trust     float64         `json:"trust,omitempty"` // 0 to 1; absent: it is believed like its source
}

// MessageHit is part of the contract.
type MessageHit struct {
	At          time.Time           `json:"at"`
	EntityKey   string              `json:"entity_key"`
	Explanation *ExploreExplanation `json:"explanation,omitempty"`
	Name        string              `json:"name,omitempty"`
	Origin      string              `json:"origin,omitempty"` // of the most believed source
	Role        string              `json:"role"`
	Score       float64             `json:"score"` // 0 to 1
	Seq         int64               `json:"seq"`
	SourceKey   string              `json:"source_key"`
	Text        string              `json:"text"`
	Trust       float64             `json:"trust,omitempty"` // 0 to 1; absent: a caller wrote it, and it is believed
}

// MessageReceipt is part of the contract.
type MessageReceipt struct {
	Spans []Span `json:"spans"` // all of its content, in order
}

// MessageResult is part of the contract.
type MessageResult struct {
	EntityKey string `json:"entity_key"`
	Status    string `json:"status"`
}

// MessageWrite is part of the contract.
type MessageWrite struct {
	At        Optional[time.Time] `json:"at,omitzero"`          // default: now
	EntityKey string              `json:"entity_key,omitempty"` // default: a generated UUIDv7; each key once
	Name      string              `json:"name,omitempty"`       // name of the speaker
	Parts     json.RawMessage     `json:"parts,omitempty"`      // the message as its program has it, such as tool calls and images by reference: a list of objects, kept as given; without texts, their types and names are the text; at most 262,144 bytes, 32 levels. Searches and contexts use the text
	Role      string              `json:"role"`                 // user, assistant or another word
	Text      string              `json:"text,omitempty"`       // default: the texts of parts
}

// Meta is part of the contract.
type Meta struct {
	Compacted bool       `json:"compacted,omitempty"` // a context of the past that was put together from what is stored now, because what was answered then is not kept
	NotShown  []NotShown `json:"not_shown"`
}

// NamespacePage is part of the contract.
type NamespacePage struct {
	Namespaces [][]string `json:"namespaces"` // those of the user's own items, then those of shared ones; each once in a page
	Next       *string    `json:"next"`
}

// Neighbour is part of the contract.
type Neighbour struct {
	Description string  `json:"description"`
	EntityKey   string  `json:"entity_key"`
	Name        string  `json:"name"`
	NodeType    string  `json:"node_type"`
	Origin      string  `json:"origin,omitempty"` // of the most believed source
	Trust       float64 `json:"trust,omitempty"`  // 0 to 1; absent: a caller wrote it, and it is believed
}

// NodeChange is part of the contract.
type NodeChange struct {
	At           time.Time     `json:"at"`
	By           string        `json:"by,omitempty"` // id of the API key that wrote it; token: the caller had a token
	Changes      []FieldChange `json:"changes,omitempty"`
	Description  string        `json:"description,omitempty"`  // of what was created
	Relationship *ChangedLink  `json:"relationship,omitempty"` // omitted: the node itself
	Source       *ChangeSource `json:"source,omitempty"`       // the source from which a language model derived it, if the caller may see that
	Through      string        `json:"through,omitempty"`      // an operation of the API, mcp: and a tool, or import: and a format
	Version      int64         `json:"version"`                // that the change made; of a delete: that it ended
	What         string        `json:"what"`                   // ended: the validity of a relationship
}

// NodeHit is part of the contract.
type NodeHit struct {
	Anchors        []NodeRef           `json:"anchors,omitempty"`   // at granularity 2 and 3: storylines about it
	CreatedAt      time.Time           `json:"created_at,omitzero"` // items only
	Description    string              `json:"description"`
	EntityKey      string              `json:"entity_key"`
	Explanation    *ExploreExplanation `json:"explanation,omitempty"`
	LastAccessedAt *time.Time          `json:"last_accessed_at"`
	Name           string              `json:"name"`
	Namespace      []string            `json:"namespace,omitempty"`      // items only
	NodeType       string              `json:"node_type"`                // the kind as a label: Person, Concept, Task …
	NotesSnippets  []string            `json:"notes_snippets,omitempty"` // unexpired notes, the newest 10: 500 characters of each, 5,000 of all
	Origin         string              `json:"origin,omitempty"`         // of the most believed source
	RelevanceScore float64             `json:"relevance_score"`          // 0 to 1
	Salience       float64             `json:"salience"`
	State          string              `json:"state"`
	Trust          float64             `json:"trust,omitempty"`     // 0 to 1; absent: a caller wrote it, and it is believed
	UpdatedAt      time.Time           `json:"updated_at,omitzero"` // items only
	Value          json.RawMessage     `json:"value,omitempty"`     // of items, if kinds asks for them
}

// NodePage is part of the contract.
type NodePage struct {
	Next  *string    `json:"next"`
	Nodes []NodeView `json:"nodes"`
}

// NodeRef is part of the contract.
type NodeRef struct {
	EntityKey string `json:"entity_key"`
	Kind      string `json:"kind"`
	Name      string `json:"name"`
}

// NodeResult is part of the contract.
type NodeResult struct {
	EntityKey string  `json:"entity_key"`
	Error     *string `json:"error"`
	Status    string  `json:"status"`
	Version   int64   `json:"version,omitempty"`
}

// NodeView is part of the contract.
type NodeView struct {
	AccessCount         int64                     `json:"access_count"`
	Aliases             Optional[[]string]        `json:"aliases,omitzero"`         // other names: searches find it by them, and so do writes by name; only of person, entity, project, system_entity
	AnchorKey           Optional[string]          `json:"anchor_key,omitzero"`      // key of the node it is about; read only; only of storyline, macro
	ArchivesAt          time.Time                 `json:"archives_at,omitzero"`     // when it is archived, unless it is used before
	At                  Optional[time.Time]       `json:"at,omitzero"`              // only of message
	Author              Optional[string]          `json:"author,omitzero"`          // who wrote it, such as a mail address: sources of one author do not confirm each other; only of source
	CanonicalName       string                    `json:"canonical_name,omitempty"` // persons only
	Channel             Optional[string]          `json:"channel,omitzero"`         // only of signal
	Compacted           bool                      `json:"compacted,omitempty"`      // as of a time: its version of that time is not kept; it is the last one kept from before, or else without texts
	CompletedAt         Optional[time.Time]       `json:"completed_at,omitzero"`    // only of task, goal, milestone
	Confidence          float64                   `json:"confidence"`
	Content             Optional[string]          `json:"content,omitzero"`      // only of risk, document
	ContentType         Optional[string]          `json:"content_type,omitzero"` // conversation (default), email, slack-thread, meeting or text-note; only of source
	ContextType         Optional[string]          `json:"context_type,omitzero"` // only of source
	CreatedAt           time.Time                 `json:"created_at"`
	DecayRate           float64                   `json:"decay_rate,omitempty"` // per day: in so many days the salience is salience × exp(-rate × days), unless it is used; absent: it does not fall
	DecisionAt          Optional[time.Time]       `json:"decision_at,omitzero"` // only of decision
	DeletedAt           time.Time                 `json:"deleted_at,omitzero"`
	DerivedFromSignalID Optional[string]          `json:"derived_from_signal_id,omitzero"` // only of insight
	Description         string                    `json:"description"`
	DoubtedAliases      Optional[[]string]        `json:"doubted_aliases,omitzero"` // those of its aliases that are believed less than the node, which has them from a merge; read only; only of person, entity, project, system_entity
	DueAt               Optional[time.Time]       `json:"due_at,omitzero"`          // only of task, milestone
	EndAt               Optional[time.Time]       `json:"end_at,omitzero"`          // only of project
	EndedAt             Optional[time.Time]       `json:"ended_at,omitzero"`        // null: still open; only of source
	EntityKey           string                    `json:"entity_key"`
	FacetContext        Optional[string]          `json:"facet_context,omitzero"`      // only of project, plan
	FacetScale          Optional[string]          `json:"facet_scale,omitzero"`        // only of project, plan, task
	FacetStage          Optional[string]          `json:"facet_stage,omitzero"`        // only of project, plan, output
	FirstMentionedAt    Optional[time.Time]       `json:"first_mentioned_at,omitzero"` // only of person, concept, entity
	FirstSourceAt       Optional[time.Time]       `json:"first_source_at,omitzero"`    // only of storyline, macro
	FocusID             Optional[string]          `json:"focus_id,omitzero"`           // conversations: the key of the node in focus; only of source
	FocusKind           Optional[string]          `json:"focus_kind,omitzero"`         // conversations: the kind of the node in focus; only of source
	FocusProjectID      Optional[string]          `json:"focus_project_id,omitzero"`   // conversations: the project in focus; only of source
	Goal                Optional[string]          `json:"goal,omitzero"`               // only of goal
	Impact              Optional[string]          `json:"impact,omitzero"`             // low, medium, high or critical; only of risk
	IsGoal              bool                      `json:"is_goal,omitempty"`           // concepts only
	IsOwner             bool                      `json:"is_owner,omitempty"`          // persons only
	Keywords            Optional[[]string]        `json:"keywords,omitzero"`           // only of source
	Kind                string                    `json:"kind"`
	LastAccessedAt      *time.Time                `json:"last_accessed_at"`
	LastMentionedAt     Optional[time.Time]       `json:"last_mentioned_at,omitzero"` // only of person, concept, entity
	LastSourceAt        Optional[time.Time]       `json:"last_source_at,omitzero"`    // only of storyline, macro
	LastWrite           *LastWrite                `json:"last_write,omitempty"`       // by which it was created or last changed; absent: by Kith itself, or before Kith kept that
	MergedInto          string                    `json:"merged_into,omitempty"`      // the node into which it was merged
	MessageCount        Optional[int64]           `json:"message_count,omitzero"`     // read only; only of source
	MitigatedAt         Optional[time.Time]       `json:"mitigated_at,omitzero"`      // only of risk
	Name                string                    `json:"name"`
	Namespace           Optional[[]string]        `json:"namespace,omitzero"`         // where it is: 1 to 16 parts, the outermost first, 512 characters in all; only of item
	NextStepLong        Optional[string]          `json:"next_step_long,omitzero"`    // only of project
	NextStepShort       Optional[string]          `json:"next_step_short,omitzero"`   // only of project
	Notes               []Note                    `json:"notes,omitempty"`            // newest first, without expired ones
	Origin              Optional[string]          `json:"origin,omitzero"`            // who said it: user, assistant, tool, external (a mail or document of others) or import; default: that of the API key, of the content type, or none; only of source, person, concept, entity, project, task, plan, goal, milestone, document, output, risk, decision, requirement, signal, insight, system_entity, item
	Outcome             Optional[string]          `json:"outcome,omitzero"`           // only of decision
	Participants        Optional[[]string]        `json:"participants,omitzero"`      // user ids; only of source
	Parts               json.RawMessage           `json:"parts,omitempty"`            // a list of objects; at most 262,144 bytes, 32 levels; only of message
	Payload             Optional[json.RawMessage] `json:"payload,omitzero"`           // an object; only of signal
	Priority            Optional[int64]           `json:"priority,omitzero"`          // 1 to 5; only of task, requirement
	Probability         Optional[float64]         `json:"probability,omitzero"`       // 0 to 1; only of risk
	ProcessedAt         Optional[time.Time]       `json:"processed_at,omitzero"`      // read only; only of source
	ProcessingError     Optional[string]          `json:"processing_error,omitzero"`  // why processing failed; read only; only of source
	ProcessingStatus    Optional[string]          `json:"processing_status,omitzero"` // how far a language model has processed it; default: raw; read only; only of source
	ProjectID           Optional[string]          `json:"project_id,omitzero"`        // the project it belongs to; only of task, plan, goal, milestone, document, output, risk, decision, requirement, signal, insight
	Properties          json.RawMessage           `json:"properties,omitempty"`
	Props               Optional[json.RawMessage] `json:"props,omitzero"`          // an object; only of insight
	Rationale           Optional[string]          `json:"rationale,omitzero"`      // only of decision
	Recalls             int64                     `json:"recalls,omitempty"`       // how often explore, traverse or a touch returned it
	Relationships       []RelationshipView        `json:"relationships,omitempty"` // strongest first
	RestorableUntil     time.Time                 `json:"restorable_until,omitzero"`
	RestsOn             []string                  `json:"rests_on,omitempty"` // entity keys of the sources that it was derived from
	Role                Optional[string]          `json:"role,omitzero"`      // only of message
	Salience            float64                   `json:"salience"`
	Sensitivity         Optional[string]          `json:"sensitivity,omitzero"`        // low, normal (default) or high; only of source
	Seq                 Optional[int64]           `json:"seq,omitzero"`                // its number, from 0; read only; only of message, system_entity
	SourceCount         Optional[int64]           `json:"source_count,omitzero"`       // sources that mention it; read only; only of person, concept, entity, storyline, macro
	SourceDocumentID    Optional[string]          `json:"source_document_id,omitzero"` // the document it was made from; only of output
	SourceEventID       Optional[string]          `json:"source_event_id,omitzero"`    // the event it was made from; only of output
	SourceKey           Optional[string]          `json:"source_key,omitzero"`         // the source it belongs to; only of message
	SourceType          Optional[string]          `json:"source_type,omitzero"`        // never changes; only of source
	StartAt             Optional[time.Time]       `json:"start_at,omitzero"`           // only of project, task
	StartedAt           Optional[time.Time]       `json:"started_at,omitzero"`         // only of source
	State               string                    `json:"state"`
	StateKey            Optional[string]          `json:"state_key,omitzero"`       // the project's own state, such as in_progress; values other than the known ones of its kind (GET /v1/schema) return a warning; only of project, task, plan, goal, milestone, document, output, risk, decision
	StorylineCount      Optional[int64]           `json:"storyline_count,omitzero"` // only of macro
	Summary             Optional[string]          `json:"summary,omitzero"`         // only of source
	System              Optional[string]          `json:"system,omitzero"`          // the system it belongs to; only of system_entity
	Tags                Optional[[]string]        `json:"tags,omitzero"`            // only of source, system_entity
	TargetDate          Optional[time.Time]       `json:"target_date,omitzero"`     // only of goal
	Text                Optional[string]          `json:"text,omitzero"`            // only of requirement, message
	Title               Optional[string]          `json:"title,omitzero"`           // the same as name; only of task, milestone, risk, document, decision, insight
	Trust               Optional[float64]         `json:"trust,omitzero"`           // how far it is believed, 0 to 1; default: by its origin; at most that of the API key; only of source, person, concept, entity, project, task, plan, goal, milestone, document, output, risk, decision, requirement, signal, insight, system_entity, item
	TS                  Optional[time.Time]       `json:"ts,omitzero"`              // only of signal
	TTLPolicy           string                    `json:"ttl_policy"`
	Type                string                    `json:"type,omitempty"`    // entities only
	TypeKey             Optional[string]          `json:"type_key,omitzero"` // such as plan.phase.works; only of project, task, plan, goal, milestone, document, output, risk, requirement
	UpdatedAt           time.Time                 `json:"updated_at"`
	UserID              *string                   `json:"user_id"`
	Value               Optional[json.RawMessage] `json:"value,omitzero"` // an object; at most 262,144 bytes, 32 levels; only of item
	Version             int64                     `json:"version"`
	WithdrawnAt         Optional[time.Time]       `json:"withdrawn_at,omitzero"` // it was found to be bad: nothing new rests on it; read only; only of source
}

// NodeWrite is part of the contract.
type NodeWrite struct {
	Aliases             Optional[[]string]        `json:"aliases,omitzero"`        // other names: searches find it by them, and so do writes by name; only of person, entity, project, system_entity
	AnchorKey           Optional[string]          `json:"anchor_key,omitzero"`     // key of the node it is about; read only; only of storyline, macro
	At                  Optional[time.Time]       `json:"at,omitzero"`             // only of message
	Author              Optional[string]          `json:"author,omitzero"`         // who wrote it, such as a mail address: sources of one author do not confirm each other; only of source
	CanonicalName       Optional[string]          `json:"canonical_name,omitzero"` // persons only; default: the name in lower case
	Channel             Optional[string]          `json:"channel,omitzero"`        // only of signal
	CompletedAt         Optional[time.Time]       `json:"completed_at,omitzero"`   // only of task, goal, milestone
	Confidence          Optional[float64]         `json:"confidence,omitzero"`     // 0 to 1; default 0.5
	Content             Optional[string]          `json:"content,omitzero"`        // only of risk, document
	ContentType         Optional[string]          `json:"content_type,omitzero"`   // conversation (default), email, slack-thread, meeting or text-note; only of source
	ContextType         Optional[string]          `json:"context_type,omitzero"`   // only of source
	CreatedAt           Optional[time.Time]       `json:"created_at,omitzero"`
	DecisionAt          Optional[time.Time]       `json:"decision_at,omitzero"`            // only of decision
	DerivedFromSignalID Optional[string]          `json:"derived_from_signal_id,omitzero"` // only of insight
	Description         Optional[string]          `json:"description,omitzero"`            // at most 16,384 characters
	DoubtedAliases      Optional[[]string]        `json:"doubted_aliases,omitzero"`        // those of its aliases that are believed less than the node, which has them from a merge; read only; only of person, entity, project, system_entity
	DueAt               Optional[time.Time]       `json:"due_at,omitzero"`                 // only of task, milestone
	EndAt               Optional[time.Time]       `json:"end_at,omitzero"`                 // only of project
	EndedAt             Optional[time.Time]       `json:"ended_at,omitzero"`               // null: still open; only of source
	EntityKey           string                    `json:"entity_key,omitempty"`            // default: a generated UUIDv7; in PATCH that of the path
	FacetContext        Optional[string]          `json:"facet_context,omitzero"`          // only of project, plan
	FacetScale          Optional[string]          `json:"facet_scale,omitzero"`            // only of project, plan, task
	FacetStage          Optional[string]          `json:"facet_stage,omitzero"`            // only of project, plan, output
	FirstMentionedAt    Optional[time.Time]       `json:"first_mentioned_at,omitzero"`     // only of person, concept, entity
	FirstSourceAt       Optional[time.Time]       `json:"first_source_at,omitzero"`        // only of storyline, macro
	FocusID             Optional[string]          `json:"focus_id,omitzero"`               // conversations: the key of the node in focus; only of source
	FocusKind           Optional[string]          `json:"focus_kind,omitzero"`             // conversations: the kind of the node in focus; only of source
	FocusProjectID      Optional[string]          `json:"focus_project_id,omitzero"`       // conversations: the project in focus; only of source
	Goal                Optional[string]          `json:"goal,omitzero"`                   // only of goal
	History             Optional[ImportedHistory] `json:"history,omitzero"`                // internal data of the node; exports contain it, and only imports may set it
	IfVersion           Optional[int64]           `json:"if_version,omitzero"`             // write only if this is the stored version; 0: only if it does not exist. Otherwise 409 and nothing is written
	Impact              Optional[string]          `json:"impact,omitzero"`                 // low, medium, high or critical; only of risk
	IsGoal              Optional[bool]            `json:"is_goal,omitzero"`                // concepts only; default: whether name or description has the word goal
	IsOwner             Optional[bool]            `json:"is_owner,omitzero"`               // persons only: this person is the user, and user_id is required; one per user
	Keywords            Optional[[]string]        `json:"keywords,omitzero"`               // only of source
	Kind                string                    `json:"kind,omitempty"`                  // person, concept, entity, source, message, project, task, plan, goal, milestone, document, output, risk, decision, requirement, signal, insight, system_entity or item; required in POST /v1/memory, in PATCH that of the path
	LastAccessedAt      Optional[time.Time]       `json:"last_accessed_at,omitzero"`       // salience is its value at this time, if later than updated_at
	LastMentionedAt     Optional[time.Time]       `json:"last_mentioned_at,omitzero"`      // only of person, concept, entity
	LastSourceAt        Optional[time.Time]       `json:"last_source_at,omitzero"`         // only of storyline, macro
	MessageCount        Optional[int64]           `json:"message_count,omitzero"`          // read only; only of source
	MitigatedAt         Optional[time.Time]       `json:"mitigated_at,omitzero"`           // only of risk
	Name                Optional[string]          `json:"name,omitzero"`                   // required for a new node without an entity_key, except for sources and messages; at most 512 characters; null only for sources and messages
	Namespace           Optional[[]string]        `json:"namespace,omitzero"`              // where it is: 1 to 16 parts, the outermost first, 512 characters in all; only of item
	NextStepLong        Optional[string]          `json:"next_step_long,omitzero"`         // only of project
	NextStepShort       Optional[string]          `json:"next_step_short,omitzero"`        // only of project
	Notes               []NoteWrite               `json:"notes,omitempty"`                 // added to the existing ones
	Origin              Optional[string]          `json:"origin,omitzero"`                 // who said it: user, assistant, tool, external (a mail or document of others) or import; default: that of the API key, of the content type, or none; only of source, person, concept, entity, project, task, plan, goal, milestone, document, output, risk, decision, requirement, signal, insight, system_entity, item
	Outcome             Optional[string]          `json:"outcome,omitzero"`                // only of decision
	Participants        Optional[[]string]        `json:"participants,omitzero"`           // user ids; only of source
	Parts               json.RawMessage           `json:"parts,omitempty"`                 // a list of objects; at most 262,144 bytes, 32 levels; only of message
	Payload             Optional[json.RawMessage] `json:"payload,omitzero"`                // an object; only of signal
	Priority            Optional[int64]           `json:"priority,omitzero"`               // 1 to 5; only of task, requirement
	Probability         Optional[float64]         `json:"probability,omitzero"`            // 0 to 1; only of risk
	ProcessedAt         Optional[time.Time]       `json:"processed_at,omitzero"`           // read only; only of source
	ProcessingError     Optional[string]          `json:"processing_error,omitzero"`       // why processing failed; read only; only of source
	ProcessingStatus    Optional[string]          `json:"processing_status,omitzero"`      // how far a language model has processed it; default: raw; read only; only of source
	ProjectID           Optional[string]          `json:"project_id,omitzero"`             // the project it belongs to; only of task, plan, goal, milestone, document, output, risk, decision, requirement, signal, insight
	Properties          json.RawMessage           `json:"properties,omitempty"`            // a free-form object; at most 16,384 bytes, 8 levels
	Props               Optional[json.RawMessage] `json:"props,omitzero"`                  // an object; only of insight
	Rationale           Optional[string]          `json:"rationale,omitzero"`              // only of decision
	Role                Optional[string]          `json:"role,omitzero"`                   // only of message
	Salience            Optional[float64]         `json:"salience,omitzero"`               // 0 to 1; default 0.5, an owner 1; null is 0
	Sensitivity         Optional[string]          `json:"sensitivity,omitzero"`            // low, normal (default) or high; only of source
	Seq                 Optional[int64]           `json:"seq,omitzero"`                    // its number, from 0; read only; only of message, system_entity
	SourceCount         Optional[int64]           `json:"source_count,omitzero"`           // sources that mention it; read only; only of person, concept, entity, storyline, macro
	SourceDocumentID    Optional[string]          `json:"source_document_id,omitzero"`     // the document it was made from; only of output
	SourceEventID       Optional[string]          `json:"source_event_id,omitzero"`        // the event it was made from; only of output
	SourceKey           Optional[string]          `json:"source_key,omitzero"`             // the source it belongs to; only of message
	SourceType          Optional[string]          `json:"source_type,omitzero"`            // never changes; only of source
	StartAt             Optional[time.Time]       `json:"start_at,omitzero"`               // only of project, task
	StartedAt           Optional[time.Time]       `json:"started_at,omitzero"`             // only of source
	State               Optional[string]          `json:"state,omitzero"`                  // active (default), candidate, core or archived
	StateKey            Optional[string]          `json:"state_key,omitzero"`              // the project's own state, such as in_progress; values other than the known ones of its kind (GET /v1/schema) return a warning; only of project, task, plan, goal, milestone, document, output, risk, decision
	StorylineCount      Optional[int64]           `json:"storyline_count,omitzero"`        // only of macro
	Summary             Optional[string]          `json:"summary,omitzero"`                // only of source
	System              Optional[string]          `json:"system,omitzero"`                 // the system it belongs to; only of system_entity
	Tags                Optional[[]string]        `json:"tags,omitzero"`                   // only of source, system_entity
	TargetDate          Optional[time.Time]       `json:"target_date,omitzero"`            // only of goal
	Text                Optional[string]          `json:"text,omitzero"`                   // only of requirement, message
	Title               Optional[string]          `json:"title,omitzero"`                  // the same as name; only of task, milestone, risk, document, decision, insight
	Trust               Optional[float64]         `json:"trust,omitzero"`                  // how far it is believed, 0 to 1; default: by its origin; at most that of the API key; only of source, person, concept, entity, project, task, plan, goal, milestone, document, output, risk, decision, requirement, signal, insight, system_entity, item
	TS                  Optional[time.Time]       `json:"ts,omitzero"`                     // only of signal
	TTLPolicy           Optional[string]          `json:"ttl_policy,omitzero"`             // decay (default), keep_forever (default of an owner) or ephemeral
	Type                Optional[string]          `json:"type,omitzero"`                   // entities and system entities; at most 128 characters
	TypeKey             Optional[string]          `json:"type_key,omitzero"`               // such as plan.phase.works; only of project, task, plan, goal, milestone, document, output, risk, requirement
	UpdatedAt           Optional[time.Time]       `json:"updated_at,omitzero"`             // default: now; salience is its value at this time
	UserID              Optional[string]          `json:"user_id,omitzero"`                // default: the request's user; null: shared by the team, as system entities always are
	Value               Optional[json.RawMessage] `json:"value,omitzero"`                  // an object; at most 262,144 bytes, 32 levels; only of item
	WithdrawnAt         Optional[time.Time]       `json:"withdrawn_at,omitzero"`           // it was found to be bad: nothing new rests on it; read only; only of source
}

// NotShown is part of the contract.
type NotShown struct {
	AtLeast bool   `json:"at_least,omitempty"` // not all were counted
	Count   int64  `json:"count"`
	Reason  string `json:"reason"`  // faded: salience below 0.01; explore finds faded and archived ones with include_archived, others without
	Section string `json:"section"` // reviews: writes that wait for a review
}

// Note is part of the contract.
type Note struct {
	AddedBy         *string    `json:"added_by"`
	Content         string     `json:"content"`
	DateAdded       time.Time  `json:"date_added"`
	ExpiresAt       *time.Time `json:"expires_at"`
	ID              string     `json:"id"`
	Origin          string     `json:"origin,omitempty"` // of the most believed source
	SourceEntityKey *string    `json:"source_entity_key"`
	Trust           float64    `json:"trust,omitempty"` // 0 to 1; absent: a caller wrote it, and it is believed
}

// NoteList is part of the contract.
type NoteList struct {
	Notes []Note `json:"notes"`
}

// NoteWrite is part of the contract.
type NoteWrite struct {
	AddedBy         Optional[string]    `json:"added_by,omitzero"`          // default: the request's user; always that user if the API key is bound to one
	Content         string              `json:"content"`                    // at most 4,096 characters
	DateAdded       Optional[time.Time] `json:"date_added,omitzero"`        // default: now; the lifetime begins at this time
	Lifetime        string              `json:"lifetime,omitempty"`         // week, month (default), year or forever
	SourceEntityKey Optional[string]    `json:"source_entity_key,omitzero"` // the source it comes from
}

// OntologyContext is part of the contract.
type OntologyContext struct {
	Entities       *OntologyEntities      `json:"entities,omitempty"`
	LinkedEntities *LinkedContext         `json:"linked_entities,omitempty"` // of what is in focus, at most 3 of each kind
	Metadata       *OntologyMetadata      `json:"metadata,omitempty"`
	Receipt        *Receipt               `json:"receipt,omitempty"` // only with explain; with format=text nothing else
	Relationships  *OntologyRelationships `json:"relationships,omitempty"`
	Scope          *OntologyScope         `json:"scope,omitempty"`
	Type           string                 `json:"type,omitempty"`
	Warnings       []string               `json:"warnings,omitempty"`
}

// OntologyEdge is part of the contract.
type OntologyEdge struct {
	Origin     string  `json:"origin,omitempty"` // of the most believed source
	Relation   string  `json:"relation"`
	TargetID   string  `json:"target_id"`
	TargetKind string  `json:"target_kind"`
	TargetName string  `json:"target_name,omitempty"`
	Trust      float64 `json:"trust,omitempty"` // 0 to 1; absent: a caller wrote it, and it is believed
}

// OntologyEntities is part of the contract.
type OntologyEntities struct {
	Decision    *NodeView    `json:"decision,omitempty"`
	Document    *NodeView    `json:"document,omitempty"`
	Goal        *NodeView    `json:"goal,omitempty"`
	Milestone   *NodeView    `json:"milestone,omitempty"`
	Output      *NodeView    `json:"output,omitempty"`
	Plan        *NodeView    `json:"plan,omitempty"`
	Project     *ProjectRow  `json:"project,omitempty"`
	Projects    []ProjectRow `json:"projects,omitempty"` // global: at most 50, the last changed first
	Requirement *NodeView    `json:"requirement,omitempty"`
	Risk        *NodeView    `json:"risk,omitempty"`
	Task        *NodeView    `json:"task,omitempty"`
}

// OntologyFacets is part of the contract.
type OntologyFacets struct {
	Context *string `json:"context"`
	Scale   *string `json:"scale"`
	Stage   *string `json:"stage"`
}

// OntologyFocus is part of the contract.
type OntologyFocus struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Type string `json:"type"`
}

// OntologyMetadata is part of the contract.
type OntologyMetadata struct {
	AvailableEntityTypes []string         `json:"available_entity_types,omitempty"`
	ContextDocumentID    string           `json:"context_document_id,omitempty"`
	ContextDocumentTitle string           `json:"context_document_title,omitempty"`
	EntityCount          map[string]int64 `json:"entity_count,omitempty"` // by kind, in the plural
	Facets               *OntologyFacets  `json:"facets,omitempty"`
	GraphSnapshot        *GraphSnapshot   `json:"graph_snapshot,omitempty"`
	HierarchyLevel       int64            `json:"hierarchy_level,omitempty"`
	LastUpdated          time.Time        `json:"last_updated,omitzero"`
	ProjectHighlights    *Highlights      `json:"project_highlights,omitempty"`
	RecentProjectIDs     []string         `json:"recent_project_ids,omitempty"`
	TotalProjects        int64            `json:"total_projects,omitempty"`
}

// OntologyRelationships is part of the contract.
type OntologyRelationships struct {
	Edges          []OntologyEdge `json:"edges"`
	HierarchyLevel *int64         `json:"hierarchy_level"` // steps from the project; null: not in a project
}

// OntologyScope is part of the contract.
type OntologyScope struct {
	Focus       *OntologyFocus `json:"focus,omitempty"`
	ProjectID   string         `json:"project_id"`
	ProjectName string         `json:"project_name"`
}

// OpenConversationRequest is part of the contract.
type OpenConversationRequest struct {
	ContextType    Optional[string]            `json:"context_type,omitzero"`     // work-session, team-meeting, phone-call, personal-reflection, planning, brainstorming, email-thread or slack-discussion
	ConversationID string                      `json:"conversation_id,omitempty"` // generated (UUIDv7) by default; of one that exists the answer has the start and the last messages
	Explain        bool                        `json:"explain,omitempty"`         // have the context say in receipt what each part of its text shows and why, and what was left out; with format=text nothing else
	Focus          Optional[ConversationFocus] `json:"focus,omitzero"`            // what the user looks at in a workspace: the conversation remembers it
	FocusID        string                      `json:"focus_id,omitempty"`        // entity_key; with focus_kind
	FocusKind      string                      `json:"focus_kind,omitempty"`      // person, concept or entity: what the context also tells of; with focus_id
	Format         string                      `json:"format,omitempty"`          // json (default), or text: the context as Markdown, with conversation and messages at its end; the header Location has the conversation
	MaxTokens      int64                       `json:"max_tokens,omitempty"`      // o200k tokens of the text, a quarter of them for messages at most; only with format=text or explain
	Messages       Optional[int64]             `json:"messages,omitzero"`         // at most so many of the last messages of a conversation that exists; default 20
	Sections       []string                    `json:"sections,omitempty"`        // user, relationships, recent_context, temporal; default: all
	TimeZone       string                      `json:"time_zone,omitempty"`       // IANA name
	UserID         string                      `json:"user_id,omitempty"`         // whose conversation; default: the user of the key. Required where the key is not bound to one
}

// OpenedConversation is part of the contract.
type OpenedConversation struct {
	Context        AgentContext `json:"context"`
	ConversationID string       `json:"conversation_id"`
}

// OwnerRelationship is part of the contract.
type OwnerRelationship struct {
	Filled                  bool        `json:"filled,omitempty"` // added because the section had room: related in another way or not at all (then relationship_type is empty), or a candidate
	Node                    ContextNode `json:"node"`
	NodeType                string      `json:"node_type"`
	RecentMentions          int64       `json:"recent_mentions"`        // sources of the last 7 days that mention the node
	Relationship            *Told       `json:"relationship,omitempty"` // how far the relationship is believed
	RelationshipDescription string      `json:"relationship_description"`
	RelationshipSalience    float64     `json:"relationship_salience"`
	RelationshipType        string      `json:"relationship_type"`
}

// Pair is part of the contract.
type Pair struct {
	First  string `json:"first"`  // entity_key of one
	Second string `json:"second"` // entity_key of the other
}

// PairNode is part of the contract.
type PairNode struct {
	Description string  `json:"description,omitempty"`
	EntityKey   string  `json:"entity_key"`
	Name        string  `json:"name"`
	Type        string  `json:"type,omitempty"`
	UserID      *string `json:"user_id"` // whose memory it is; null: shared by the team
}

// PartUsage is part of the contract.
type PartUsage struct {
	Budget int64  `json:"budget"`
	Status string `json:"status"`
	Tokens int64  `json:"tokens"`
}

// PatchWebhookRequest is part of the contract.
type PatchWebhookRequest struct {
	Active Optional[bool]     `json:"active,omitzero"` // true: what waits is due at once
	Kinds  Optional[[]string] `json:"kinds,omitzero"`  // empty or null: all
	Ops    Optional[[]string] `json:"ops,omitzero"`    // empty or null: all
	URL    Optional[string]   `json:"url,omitzero"`
}

// PauseTeamRequest is part of the contract.
type PauseTeamRequest struct {
	Paused bool `json:"paused"` // true: new messages of the team are not searched for statements; false: they are again
}

// PopMessagesRequest is part of the contract.
type PopMessagesRequest struct {
	Count  int64  `json:"count,omitempty"` // at most so many; default 1
	UserID string `json:"user_id,omitempty"`
}

// Popped is part of the contract.
type Popped struct {
	Messages []Message `json:"messages"` // the oldest first; none: the conversation had none
}

// Preference is part of the contract.
type Preference struct {
	Key   string          `json:"key"`   // each key once
	Value json.RawMessage `json:"value"` // any JSON value but null, of at most 4,096 bytes
}

// PreferenceVersions is part of the contract.
type PreferenceVersions struct {
	Next     *string        `json:"next"`
	Versions []ValueVersion `json:"versions"`
}

// Preferences is part of the contract.
type Preferences struct {
	Preferences []Preference `json:"preferences"`
}

// Problem is part of the contract.
type Problem struct {
	Detail       string  `json:"detail"`
	Errors       []Fault `json:"errors,omitempty"`
	OldestCursor string  `json:"oldest_cursor,omitempty"` // of changes, in a 410: the oldest cursor that works
	Status       int64   `json:"status"`
	Title        string  `json:"title"`
	Type         string  `json:"type"` // about:blank: the status says all; urn:kith:problem:no-language-model: what was asked needs a language model, and none is configured
}

// ProjectRow is part of the contract.
type ProjectRow struct {
	CreatedAt     time.Time `json:"created_at,omitzero"`
	Description   string    `json:"description,omitempty"`
	EndAt         time.Time `json:"end_at,omitzero"`
	FacetContext  string    `json:"facet_context,omitempty"`
	FacetScale    string    `json:"facet_scale,omitempty"`
	FacetStage    string    `json:"facet_stage,omitempty"`
	ID            string    `json:"id"` // entity_key
	Name          string    `json:"name"`
	NextStepLong  string    `json:"next_step_long,omitempty"`
	NextStepShort string    `json:"next_step_short,omitempty"`
	Origin        string    `json:"origin,omitempty"` // of the most believed source
	StartAt       time.Time `json:"start_at,omitzero"`
	StateKey      *string   `json:"state_key"`
	Trust         float64   `json:"trust,omitempty"` // 0 to 1; absent: a caller wrote it, and it is believed
	TypeKey       string    `json:"type_key,omitempty"`
	UpdatedAt     time.Time `json:"updated_at,omitzero"`
}

// Prompt is part of the contract.
type Prompt struct {
	ContextType string          `json:"context_type"`
	History     HistoryUsage    `json:"history"`
	Messages    []PromptMessage `json:"messages"`          // the system prompt with what is linked with the focus, preferences, the context snapshot, the conversation, the current message
	Receipt     *PromptReceipt  `json:"receipt,omitempty"` // where explain was asked for
	Usage       PromptUsage     `json:"usage"`
	Warnings    []string        `json:"warnings,omitempty"`
}

// PromptMessage is part of the contract.
type PromptMessage struct {
	Content string `json:"content"`
	Role    string `json:"role"` // system, user, assistant or tool
}

// PromptParts is part of the contract.
type PromptParts struct {
	ContextSnapshot PartUsage `json:"context_snapshot"`
	History         PartUsage `json:"history"`
	LinkedEntities  PartUsage `json:"linked_entities"`
	Message         PartUsage `json:"message"`
	Preferences     PartUsage `json:"preferences"`
	System          PartUsage `json:"system"`
}

// PromptReceipt is part of the contract.
type PromptReceipt struct {
	LeftOut  []LeftOut        `json:"left_out"` // lines of the memory that were cut to keep the share of their part, in the order of cutting; back_at is the max_tokens of the prompt. history counts the messages that were cut
	Messages []MessageReceipt `json:"messages"` // of each message, in order
}

// PromptRequest is part of the contract.
type PromptRequest struct {
	ContextType    string                      `json:"context_type,omitempty"`    // as of GET /v1/ontology; left out: project with a focus, else global
	ConversationID string                      `json:"conversation_id,omitempty"` // its focus is meant where none is given, and it remembers the one that is
	Explain        bool                        `json:"explain,omitempty"`         // account for the messages in receipt: what each part of them shows and why, and what was left out
	Focus          Optional[ConversationFocus] `json:"focus,omitzero"`            // what the user looks at; the conversation remembers it. Null: nothing any more
	History        []PromptMessage             `json:"history,omitempty"`         // the conversation so far, the oldest first
	Linked         Optional[bool]              `json:"linked,omitzero"`           // false leaves out what is linked with the focus
	MaxTokens      int64                       `json:"max_tokens,omitempty"`      // o200k tokens of all messages; default 5,000
	Message        string                      `json:"message"`                   // of the user, to be answered
	SystemPrompt   string                      `json:"system_prompt,omitempty"`   // stands before the guidance
	UserID         string                      `json:"user_id,omitempty"`         // for whom; left out: the user of the key, or the team itself
}

// PromptUsage is part of the contract.
type PromptUsage struct {
	Budget int64       `json:"budget"`
	Parts  PromptParts `json:"parts"`
	Status string      `json:"status"`
	Tokens int64       `json:"tokens"`
}

// Proposal is part of the contract.
type Proposal struct {
	Kind        string     `json:"kind"`
	Nodes       []PairNode `json:"nodes"`                 // the two
	Probability float64    `json:"probability,omitempty"` // that they are one; not of a refused pair
	ProposedAt  time.Time  `json:"proposed_at,omitzero"`
	Reasons     []Reason   `json:"reasons,omitempty"` // why, the strongest first
	RefusedAt   time.Time  `json:"refused_at,omitzero"`
}

// Proposed is part of the contract.
type Proposed struct {
	EntityKey string  `json:"entity_key"`
	Error     *string `json:"error"`
	Kind      string  `json:"kind"`
	Name      string  `json:"name"`
	Status    string  `json:"status"`
	Version   int64   `json:"version,omitempty"`
}

// Provenance is part of the contract.
type Provenance struct {
	From    int64  `json:"from,omitempty"`  // in the message, in code points
	Holds   bool   `json:"holds,omitempty"` // the part rests on this source: without it, it would be another or not there. Otherwise the source only mentions the node
	Message string `json:"message,omitempty"`
	Source  string `json:"source"`
	To      int64  `json:"to,omitempty"`
}

// PutPreferenceRequest is part of the contract.
type PutPreferenceRequest struct {
	Value json.RawMessage `json:"value"` // any JSON value but null, of at most 4,096 bytes
}

// QuotaShare is part of the contract.
type QuotaShare struct {
	Limit *int64 `json:"limit"` // null: no limit
	Used  *int64 `json:"used"`  // including deleted data that is not purged yet; purged data may count for some more seconds. null: not counted, because the service has no quotas
}

// QuotaShares is part of the contract.
type QuotaShares struct {
	Characters    QuotaShare `json:"characters"`
	Nodes         QuotaShare `json:"nodes"`
	Relationships QuotaShare `json:"relationships"`
}

// RateLimit is part of the contract.
type RateLimit struct {
	Limit     int64 `json:"limit"`     // units a minute
	Remaining int64 `json:"remaining"` // units left after this request
}

// Reason is part of the contract.
type Reason struct {
	Code   string  `json:"code"`
	Text   string  `json:"text"`   // the code in words
	Weight float64 `json:"weight"` // what it adds to the logarithm of the odds; less than 0: it speaks against
}

// Receipt is part of the contract.
type Receipt struct {
	Degraded  []string   `json:"degraded,omitempty"` // what could not be loaded and is missing
	LeftOut   []LeftOut  `json:"left_out"`           // lines that were cut to keep max_tokens, in the order of cutting
	MaxTokens int64      `json:"max_tokens,omitempty"`
	NotShown  []NotShown `json:"not_shown"` // what is known and was not read for the context
	Spans     []Span     `json:"spans"`     // all of the text, in order
	Text      string     `json:"text"`
	Tokens    int64      `json:"tokens"` // o200k tokens of the text
}

// RecentContext is part of the contract.
type RecentContext struct {
	Sources []RecentSource `json:"sources"` // at most 20, the newest first
}

// RecentSource is part of the contract.
type RecentSource struct {
	ContextType *string     `json:"context_type"`
	EndedAt     *time.Time  `json:"ended_at"`
	EntityKey   string      `json:"entity_key"`
	KeyEntities []KeyEntity `json:"key_entities"`
	Origin      string      `json:"origin,omitempty"` // of the most believed source
	StartedAt   time.Time   `json:"started_at"`
	Summary     string      `json:"summary"`
	Trust       float64     `json:"trust,omitempty"` // 0 to 1; absent: a caller wrote it, and it is believed
}

// RelationshipFilters is part of the contract.
type RelationshipFilters struct {
	ExcludeRelationshipTypes []string        `json:"exclude_relationship_types,omitempty"` // all but these
	MaxAttitude              Optional[int64] `json:"max_attitude,omitzero"`                // 1 to 5; not below min_attitude
	MaxProximity             Optional[int64] `json:"max_proximity,omitzero"`               // 1 to 5; not below min_proximity
	MinAttitude              Optional[int64] `json:"min_attitude,omitzero"`                // 1 to 5
	MinProximity             Optional[int64] `json:"min_proximity,omitzero"`               // 1 to 5
	RelationshipTypes        []string        `json:"relationship_types,omitempty"`         // only these
}

// RelationshipHit is part of the contract.
type RelationshipHit struct {
	Attitude         int64               `json:"attitude,omitempty"`
	Description      string              `json:"description"`
	Explanation      *ExploreExplanation `json:"explanation,omitempty"`
	FromEntityKey    string              `json:"from_entity_key"`
	FromName         string              `json:"from_name"`
	Key              string              `json:"key"`
	NotesSnippets    []string            `json:"notes_snippets,omitempty"`
	Origin           string              `json:"origin,omitempty"` // of the most believed source
	Proximity        int64               `json:"proximity,omitempty"`
	RelationshipKind string              `json:"relationship_kind"`           // its type
	RelationshipType string              `json:"relationship_type,omitempty"` // in the caller's own words
	RelevanceScore   float64             `json:"relevance_score"`             // 0 to 1
	Salience         float64             `json:"salience"`
	State            string              `json:"state,omitempty"`
	ToEntityKey      string              `json:"to_entity_key"`
	ToName           string              `json:"to_name"`
	Trust            float64             `json:"trust,omitempty"` // 0 to 1; absent: a caller wrote it, and it is believed
}

// RelationshipPage is part of the contract.
type RelationshipPage struct {
	Next          *string            `json:"next"`
	Relationships []RelationshipView `json:"relationships"`
}

// RelationshipResult is part of the contract.
type RelationshipResult struct {
	Closed  string  `json:"closed,omitempty"`
	Error   *string `json:"error"`
	From    string  `json:"from"`
	Key     string  `json:"key"`
	Status  string  `json:"status"`
	To      string  `json:"to"`
	Type    string  `json:"type"`
	Version int64   `json:"version,omitempty"`
}

// RelationshipView is part of the contract.
type RelationshipView struct {
	AccessCount      int64           `json:"access_count"`
	Attitude         int64           `json:"attitude,omitempty"`
	AttitudeWord     string          `json:"attitude_word,omitempty"`
	Compacted        bool            `json:"compacted,omitempty"` // as of a time: its version of that time is not kept, or it was recorded later; it is the last one kept from before, or else without texts
	Confidence       float64         `json:"confidence"`
	Description      string          `json:"description"`
	Direction        string          `json:"direction,omitempty"`
	From             string          `json:"from"`
	Key              string          `json:"key"`
	LastAccessedAt   *time.Time      `json:"last_accessed_at"`
	LastWrite        *LastWrite      `json:"last_write,omitempty"` // of a relationship read alone: by which it was created or last changed; absent: by Kith itself, or before Kith kept that
	Node             *NodeRef        `json:"node,omitempty"`       // the other end
	Notes            []Note          `json:"notes,omitempty"`      // newest first, without expired ones
	Origin           string          `json:"origin,omitempty"`     // of the most believed source
	Properties       json.RawMessage `json:"properties,omitempty"`
	Proximity        int64           `json:"proximity,omitempty"`
	ProximityWord    string          `json:"proximity_word,omitempty"`
	Qualifier        string          `json:"qualifier,omitempty"` // tells it from others of its type between the same nodes
	RecordedAt       *time.Time      `json:"recorded_at"`
	RecordedBy       *string         `json:"recorded_by"`
	RelationshipType string          `json:"relationship_type,omitempty"`
	RestsOn          []string        `json:"rests_on,omitempty"` // entity keys of the sources that it was derived from
	Salience         float64         `json:"salience"`
	State            string          `json:"state,omitempty"`
	To               string          `json:"to"`
	Trust            float64         `json:"trust,omitempty"` // 0 to 1; absent: a caller wrote it, and it is believed
	Type             string          `json:"type"`
	ValidFrom        *time.Time      `json:"valid_from"`
	ValidTo          *time.Time      `json:"valid_to"`
	Version          int64           `json:"version"`
}

// RelationshipWrite is part of the contract.
type RelationshipWrite struct {
	Attitude         Optional[int64]           `json:"attitude,omitzero"`          // 1 to 5
	Confidence       Optional[float64]         `json:"confidence,omitzero"`        // 0 to 1; default 0.8
	Contradicts      bool                      `json:"contradicts,omitempty"`      // closes the current relationship of this type and adds this one. A valid_from within the current one has the same effect
	Description      Optional[string]          `json:"description,omitzero"`       // how the two relate; at most 16,384 characters
	From             string                    `json:"from"`                       // entity_key; the name of a node of this write; or me, user or the user id: the user's own person
	History          Optional[ImportedHistory] `json:"history,omitzero"`           // only for imports
	IfVersion        Optional[int64]           `json:"if_version,omitzero"`        // write only if this is the stored version of the current one; 0: only if it does not exist. Otherwise 409 and nothing is written
	Key              string                    `json:"key,omitempty"`              // only for imports; otherwise generated
	LastAccessedAt   Optional[time.Time]       `json:"last_accessed_at,omitzero"`  // only for imports
	Notes            []NoteWrite               `json:"notes,omitempty"`            // added to the existing ones
	Origin           Optional[string]          `json:"origin,omitzero"`            // who said it: user, assistant, tool, external (a mail or document of others) or import; default: that of the API key, or none
	Properties       json.RawMessage           `json:"properties,omitempty"`       // a free-form object; at most 16,384 bytes, 8 levels
	Proximity        Optional[int64]           `json:"proximity,omitzero"`         // 1 to 5
	Qualifier        string                    `json:"qualifier,omitempty"`        // tells it from others of its type between the same nodes, such as its name or id in another system. Without one, the write changes the one without a qualifier, else the only other one of the type (of related_to: with its relationship_type)
	RecordedAt       Optional[time.Time]       `json:"recorded_at,omitzero"`       // only for imports
	RecordedBy       Optional[string]          `json:"recorded_by,omitzero"`       // default: the request's user; always that user if the API key is bound to one
	RelationshipType Optional[string]          `json:"relationship_type,omitzero"` // one free word
	Salience         Optional[float64]         `json:"salience,omitzero"`          // 0 to 1; default 0.5; null is 0
	State            Optional[string]          `json:"state,omitzero"`             // active (default), candidate, core or archived
	To               string                    `json:"to"`                         // entity_key; another one than from
	Trust            Optional[float64]         `json:"trust,omitzero"`             // how far it is believed, 0 to 1; default: by its origin; at most that of the API key
	Type             string                    `json:"type"`                       // ^[a-z][a-z0-9_]{0,63}$; the field's own: has_relationship_with, thinks_about, relates_to, involves, associated_with, engages_with, connected_to
	UpdatedAt        Optional[time.Time]       `json:"updated_at,omitzero"`        // only for imports
	ValidFrom        Optional[time.Time]       `json:"valid_from,omitzero"`        // when it began; default: unknown, then it is the time of the write. May be in the future. Must not be within the validity of another one
	ValidTo          Optional[time.Time]       `json:"valid_to,omitzero"`          // after valid_from; closes the relationship: it is current until then. In the past, it adds one that has ended if none is current. Null, with the valid_from of a closed one, opens it again if there is no current one
}

// RemovedTurns is part of the contract.
type RemovedTurns struct {
	Removed []string `json:"removed"` // ids of turns
}

// RenameSystemEntityRequest is part of the contract.
type RenameSystemEntityRequest struct {
	Name string `json:"name"` // the new name; 409 when another entity has it
}

// RetriedTurn is part of the contract.
type RetriedTurn struct {
	Retried bool     `json:"retried"` // false: the turn was not in error, and stays as it is
	Turn    ChatTurn `json:"turn"`
}

// Review is part of the contract.
type Review struct {
	Author      string          `json:"author,omitempty"`
	CreatedAt   time.Time       `json:"created_at"`
	DecidedAt   *time.Time      `json:"decided_at"`
	DerivedFrom []string        `json:"derived_from,omitempty"` // entity keys of sources
	Key         string          `json:"key"`
	Origin      string          `json:"origin,omitempty"`
	State       string          `json:"state"`
	Trust       float64         `json:"trust"`
	UserID      *string         `json:"user_id"`
	Write       json.RawMessage `json:"write"` // the nodes and relationships, as in POST /v1/memory
}

// ReviewDecision is part of the contract.
type ReviewDecision struct {
	Always bool   `json:"always,omitempty"` // decides about all further writes of the same origin and author, too: confirmed ones are stored with the trust that they have
	State  string `json:"state"`            // confirmed: it is written now, as by the caller; refused: it never is
}

// ReviewPage is part of the contract.
type ReviewPage struct {
	Next    *string  `json:"next"`
	Reviews []Review `json:"reviews"`
}

// RoleMessage is part of the contract.
type RoleMessage struct {
	Role string `json:"role"`
	Text string `json:"text"`
}

// RotatedSecret is part of the contract.
type RotatedSecret struct {
	Secret string `json:"secret"` // signs the deliveries from now on; the one before signs too for 24 hours
}

// Semantic is part of the contract.
type Semantic struct {
	Concepts      []NodeHit         `json:"concepts"`
	Entities      []NodeHit         `json:"entities"`
	Neighbours    []Neighbour       `json:"neighbours"` // of the nodes found, where expand asks for them
	Others        []NodeHit         `json:"others"`     // of projects and systems
	People        []NodeHit         `json:"people"`
	Relationships []RelationshipHit `json:"relationships"`
}

// Served is part of the contract.
type Served struct {
	At     time.Time `json:"at"`     // the moment of the answer: Kith-As-Of
	Digest string    `json:"digest"` // SHA-256 of the body, in hex
	Kind   string    `json:"kind"`   // context: a replay of the moment gives the same bytes; conversation: the answer to an opened conversation
}

// ServedPage is part of the contract.
type ServedPage struct {
	Next   *string  `json:"next"`
	Served []Served `json:"served"`
}

// Sessions is part of the contract.
type Sessions struct {
	Ends    bool  `json:"ends,omitempty"` // only the first and the last of them, not those between
	First   int64 `json:"first"`          // from 1
	FromEnd bool  `json:"from_end"`       // counted back from the newest: 1 is the last one
	Last    int64 `json:"last"`
}

// SetFocusRequest is part of the contract.
type SetFocusRequest struct {
	Focus  *ConversationFocus `json:"focus"` // replaces the one there was; null: nothing any more
	UserID string             `json:"user_id,omitempty"`
}

// SnapshotCoverage is part of the contract.
type SnapshotCoverage struct {
	Direct   int64 `json:"direct"`
	Total    int64 `json:"total"`
	Unlinked int64 `json:"unlinked"`
}

// SnapshotEdge is part of the contract.
type SnapshotEdge struct {
	DstID   string `json:"dst_id"`
	DstKind string `json:"dst_kind"`
	ID      string `json:"id"`
	Rel     string `json:"rel"`
	SrcID   string `json:"src_id"`
	SrcKind string `json:"src_kind"`
}

// SnapshotNode is part of the contract.
type SnapshotNode struct {
	DirectEdge  bool      `json:"direct_edge"`
	ID          string    `json:"id"`
	Kind        string    `json:"kind"`
	LastUpdated time.Time `json:"last_updated"`
	Name        string    `json:"name"`
	Origin      string    `json:"origin,omitempty"` // of the most believed source
	StateKey    *string   `json:"state_key"`
	Trust       float64   `json:"trust,omitempty"` // 0 to 1; absent: a caller wrote it, and it is believed
	TypeKey     *string   `json:"type_key"`
}

// Source is part of the contract.
type Source struct {
	ContentType      string             `json:"content_type"`
	ContextType      *string            `json:"context_type"`
	EndedAt          *time.Time         `json:"ended_at"`
	EntityKey        string             `json:"entity_key"`
	Focus            *ConversationFocus `json:"focus,omitempty"` // the project and node in focus of a conversation
	Keywords         []string           `json:"keywords,omitempty"`
	MessageCount     int64              `json:"message_count"`
	Participants     []string           `json:"participants,omitempty"`
	ProcessedAt      time.Time          `json:"processed_at,omitzero"`
	ProcessingError  string             `json:"processing_error,omitempty"`
	ProcessingStatus string             `json:"processing_status"` // how far a language model has processed it
	Sensitivity      string             `json:"sensitivity,omitempty"`
	SourceType       string             `json:"source_type,omitempty"`
	StartedAt        time.Time          `json:"started_at"`
	Summary          string             `json:"summary"`
	Tags             []string           `json:"tags,omitempty"`
	UserID           *string            `json:"user_id"`
}

// SourceHit is part of the contract.
type SourceHit struct {
	ContentType    string              `json:"content_type"`
	ContextType    string              `json:"context_type,omitempty"`
	EndedAt        *time.Time          `json:"ended_at"`
	EntityKey      string              `json:"entity_key"`
	Explanation    *ExploreExplanation `json:"explanation,omitempty"`
	MacroRefs      []string            `json:"macro_refs,omitempty"`
	MentionedNodes []NodeRef           `json:"mentioned_nodes"` // the ten most salient
	Messages       []MessageHit        `json:"messages"`        // the best three, the best first; of each what is around the words found
	Name           string              `json:"name,omitempty"`
	Origin         string              `json:"origin,omitempty"` // of the most believed source
	RelevanceScore float64             `json:"relevance_score"`  // 0 to 1
	SourceType     string              `json:"source_type,omitempty"`
	StartedAt      time.Time           `json:"started_at"`
	StorylineRefs  []string            `json:"storyline_refs,omitempty"`
	Summary        string              `json:"summary"`
	Trust          float64             `json:"trust,omitempty"`   // 0 to 1; absent: a caller wrote it, and it is believed
	UserID         string              `json:"user_id,omitempty"` // whose source it is, where it is another user's, of which the asking user is a participant
}

// SourcePreview is part of the contract.
type SourcePreview struct {
	EntityKey string    `json:"entity_key"`
	Origin    string    `json:"origin,omitempty"` // of the most believed source
	StartedAt time.Time `json:"started_at"`
	Summary   string    `json:"summary"`
	Trust     float64   `json:"trust,omitempty"` // 0 to 1; absent: a caller wrote it, and it is believed
}

// SourceResult is part of the contract.
type SourceResult struct {
	EntityKey  string          `json:"entity_key"`
	Extraction *Extraction     `json:"extraction,omitempty"` // where it was asked for
	Mentions   []NodeResult    `json:"mentions"`
	Messages   []MessageResult `json:"messages"`
	Status     string          `json:"status"`
	Summary    string          `json:"summary,omitempty"` // that the language model made of a conversation that ended without one
	Warnings   []string        `json:"warnings"`
}

// SourceWrite is part of the contract.
type SourceWrite struct {
	Author         Optional[string]            `json:"author,omitzero"`           // who wrote it, such as a mail address: sources of one author do not confirm each other
	ContentType    Optional[string]            `json:"content_type,omitzero"`     // conversation (default), email, slack-thread, meeting or text-note
	ContextType    Optional[string]            `json:"context_type,omitzero"`     // work-session, team-meeting, phone-call, personal-reflection, planning, brainstorming, email-thread or slack-discussion
	EndedAt        Optional[time.Time]         `json:"ended_at,omitzero"`         // null or omitted: still open; not before started_at
	EntityKey      string                      `json:"entity_key,omitempty"`      // default: a generated UUIDv7
	Focus          Optional[ConversationFocus] `json:"focus,omitzero"`            // conversations: the project and node in focus; null: clears the focus
	IdempotencyKey string                      `json:"idempotency_key,omitempty"` // same as the Idempotency-Key header
	Keywords       []string                    `json:"keywords,omitempty"`
	Mentions       []string                    `json:"mentions,omitempty"` // entity keys of persons, concepts and entities
	Messages       []MessageWrite              `json:"messages,omitempty"`
	Origin         Optional[string]            `json:"origin,omitzero"`        // who said it: user (default), assistant, tool, external (default of email and slack-thread: a mail or document of others) or import (default of text-import)
	Participants   []string                    `json:"participants,omitempty"` // user ids; the source's own user is always one
	Sensitivity    Optional[string]            `json:"sensitivity,omitzero"`   // low, normal (default) or high
	SourceType     Optional[string]            `json:"source_type,omitzero"`   // voice-memo, meeting, email, slack-thread or text-import; never changes
	StartedAt      Optional[time.Time]         `json:"started_at,omitzero"`    // default: now
	Strict         bool                        `json:"strict,omitempty"`       // all or nothing: a refused mention is a 422 and nothing is written
	Summary        Optional[string]            `json:"summary,omitzero"`       // one or two sentences; at most 16,384 characters
	Tags           []string                    `json:"tags,omitempty"`
	Trust          Optional[float64]           `json:"trust,omitzero"`    // how far it is believed, 0 to 1; default: by its origin; at most that of the API key
	UserID         string                      `json:"user_id,omitempty"` // whose source it is; default: the user of the API key, else shared by the team, which a conversation cannot be
}

// Span is part of the contract.
type Span struct {
	At               time.Time    `json:"at,omitzero"`    // when it was last accessed, said, begun or added
	Beat             *Beaten      `json:"beat,omitempty"` // the next of the section
	By               string       `json:"by,omitempty"`   // what the value is
	From             int64        `json:"from"`           // in bytes of UTF-8
	Key              string       `json:"key,omitempty"`  // of the node, statement, source or preference; of a note, that of its node
	Kind             string       `json:"kind,omitempty"` // of a node, or preference, statement or note
	Of               int64        `json:"of,omitempty"`   // how many the section has, with those left out
	Part             string       `json:"part"`
	Provenance       []Provenance `json:"provenance,omitempty"`        // the sources that it comes from, the newest first: all that hold it, up to 100, else at most 3
	Rank             int64        `json:"rank,omitempty"`              // in the section, from 1
	RelationshipType string       `json:"relationship_type,omitempty"` // of the user's or the focus's relationship to the node
	Rule             string       `json:"rule,omitempty"`              // why it is in the section
	Section          string       `json:"section,omitempty"`
	To               int64        `json:"to"`
	Tokens           int64        `json:"tokens"`            // that begin in the span
	Value            float64      `json:"value,omitempty"`   // by which the section is ranked
	Version          int64        `json:"version,omitempty"` // of the node
}

// Statement is part of the contract.
type Statement struct {
	At         time.Time  `json:"at"`         // when it was said
	Confidence float64    `json:"confidence"` // 0 to 1
	From       int64      `json:"from"`       // where the text begins in the message, in code points
	Key        string     `json:"key"`
	Kind       string     `json:"kind"`
	Message    string     `json:"message"`  // key of the message
	Polarity   string     `json:"polarity"` // negative: a dislike, or something that should not be done
	Renewals   int64      `json:"renewals"` // how often the user said it again
	Source     string     `json:"source"`   // key of the source of the message
	State      string     `json:"state"`    // candidate or active by confidence; confirmed or refused by a caller
	Text       string     `json:"text"`     // the user's words
	To         int64      `json:"to"`       // where it ends
	ValidTo    *time.Time `json:"valid_to"` // when something else was said instead; null: it holds
}

// StatementChange is part of the contract.
type StatementChange struct {
	ConversationID string         `json:"conversation_id,omitempty"` // paused is about this conversation only, not about the user
	Paused         Optional[bool] `json:"paused,omitzero"`           // true: new messages are not searched for statements; false: they are again
	Statements     []Decision     `json:"statements,omitempty"`      // all or none are changed
}

// StatementPage is part of the contract.
type StatementPage struct {
	Next       *string     `json:"next"`
	Paused     bool        `json:"paused"` // new messages of the user, or of the whole team, are not searched for statements
	Statements []Statement `json:"statements"`
}

// StatementVersions is part of the contract.
type StatementVersions struct {
	Next     *string         `json:"next"`
	Versions []StoredVersion `json:"versions"`
}

// StoredVersion is part of the contract.
type StoredVersion struct {
	By        string     `json:"by,omitempty"` // id of the API key that wrote it; token: the caller had a token
	From      time.Time  `json:"from"`         // when it was written
	Statement Statement  `json:"statement"`
	Through   string     `json:"through,omitempty"` // an operation of the API, mcp: and a tool, or import: and a format
	Until     *time.Time `json:"until"`             // when it was replaced; null: it is stored now
}

// StorylineHit is part of the contract.
type StorylineHit struct {
	Anchor         *NodeRef        `json:"anchor,omitempty"`
	Description    string          `json:"description,omitempty"`
	LastSourceAt   time.Time       `json:"last_source_at,omitzero"`
	Name           string          `json:"name"`
	PreviewSources []SourcePreview `json:"preview_sources,omitempty"`
	RelevanceScore float64         `json:"relevance_score,omitempty"`
	SourceCount    int64           `json:"source_count,omitempty"`
	StartedAt      time.Time       `json:"started_at,omitzero"`
	StorylineID    string          `json:"storyline_id"`
	TopConcepts    []NodeRef       `json:"top_concepts,omitempty"`
	TopEntities    []NodeRef       `json:"top_entities,omitempty"`
	TopPeople      []NodeRef       `json:"top_people,omitempty"`
}

// SubmitTurnRequest is part of the contract.
type SubmitTurnRequest struct {
	Generate       Optional[bool]      `json:"generate,omitzero"`         // default true; false: the turn is pending until the caller answers it
	ID             string              `json:"id,omitempty"`              // of the turn; generated (UUIDv7) when left out; submitting it again is harmless
	ParentID       Optional[string]    `json:"parent_id,omitzero"`        // the turn it replies to; left out: it is a root
	ProviderConfig *ChatProviderConfig `json:"provider_config,omitempty"` // for this turn
	UserID         string              `json:"user_id,omitempty"`         // for whom; left out: the user of the key, or the team itself
	UserPrompt     string              `json:"user_prompt"`               // at most 100 KiB; @Type:key refers to something of the memory
}

// System is part of the contract.
type System struct {
	CreatedAt     time.Time `json:"created_at"`
	Entities      int64     `json:"entities"`
	Relationships int64     `json:"relationships"`
	System        string    `json:"system"`
	UpdatedAt     time.Time `json:"updated_at"`
	Version       int64     `json:"version"` // grows with every write that changes something
}

// SystemCounts is part of the contract.
type SystemCounts struct {
	Entities      int64 `json:"entities"`
	Relationships int64 `json:"relationships"`
}

// SystemEntity is part of the contract.
type SystemEntity struct {
	Description string          `json:"description,omitempty"` // at most 16,384 characters
	Name        string          `json:"name"`                  // unique in the system; 1 to 512 characters, no blanks around them
	Properties  json.RawMessage `json:"properties,omitempty"`  // an object; at most 16,384 bytes, 8 levels; numbers are kept as they are written
	Tags        []string        `json:"tags,omitempty"`        // at most 100, of 1 to 256 characters
	Type        string          `json:"type"`                  // the class of the entity; 1 to 128 characters
}

// SystemEntityPage is part of the contract.
type SystemEntityPage struct {
	Entities   []SystemNode `json:"entities"`
	NextCursor *string      `json:"next_cursor"` // null at the end
}

// SystemEntityResult is part of the contract.
type SystemEntityResult struct {
	Error  *string `json:"error"`
	Name   string  `json:"name"`
	Status string  `json:"status"`
}

// SystemEntityWrite is part of the contract.
type SystemEntityWrite struct {
	Description      Optional[string] `json:"description,omitzero"`        // default: unchanged; empty: cleared
	Name             string           `json:"name"`                        // unique in the system; 1 to 512 characters, no blanks around them
	Properties       json.RawMessage  `json:"properties,omitempty"`        // an object; at most 16,384 bytes, 8 levels
	RemoveProperties []string         `json:"remove_properties,omitempty"` // names of properties
	RemoveTags       []string         `json:"remove_tags,omitempty"`
	Tags             []string         `json:"tags,omitempty"` // at most 100, of 1 to 256 characters
	Type             Optional[string] `json:"type,omitzero"`  // required for a new entity; 1 to 128 characters
}

// SystemExtraction is part of the contract.
type SystemExtraction struct {
	Error      *string `json:"error"`                 // why it failed; nothing is stored then
	ProviderID string  `json:"provider_id,omitempty"` // the model that answered
	Status     string  `json:"status"`
}

// SystemLink is part of the contract.
type SystemLink struct {
	From       string          `json:"from"` // name of an entity
	Key        string          `json:"key"`
	Properties json.RawMessage `json:"properties,omitempty"` // an object; at most 16,384 bytes, 8 levels
	To         string          `json:"to"`                   // name of an entity
	Type       string          `json:"type"`                 // free text; 1 to 128 characters, no blanks around them
	Version    int64           `json:"version"`              // starts at 1 and grows by 1 with every change
}

// SystemMemory is part of the contract.
type SystemMemory struct {
	Entities      []SystemEntity       `json:"entities"`      // each name once; entities and relationships together are at most 10,000
	Relationships []SystemRelationship `json:"relationships"` // between these entities, one of a type from an entity to another
}

// SystemNode is part of the contract.
type SystemNode struct {
	CreatedAt   time.Time       `json:"created_at"`
	Description string          `json:"description,omitempty"` // at most 16,384 characters
	EntityKey   string          `json:"entity_key"`
	Name        string          `json:"name"`                 // unique in the system; 1 to 512 characters, no blanks around them
	Properties  json.RawMessage `json:"properties,omitempty"` // an object; at most 16,384 bytes, 8 levels; numbers are kept as they are written
	Tags        []string        `json:"tags,omitempty"`       // at most 100, of 1 to 256 characters
	Type        string          `json:"type"`                 // the class of the entity; 1 to 128 characters
	UpdatedAt   time.Time       `json:"updated_at"`
	Version     int64           `json:"version"` // starts at 1 and grows by 1 with every change
}

// SystemPage is part of the contract.
type SystemPage struct {
	NextCursor *string  `json:"next_cursor"` // null at the end
	Systems    []System `json:"systems"`
}

// SystemRelationship is part of the contract.
type SystemRelationship struct {
	From       string          `json:"from"`                 // name of an entity
	Properties json.RawMessage `json:"properties,omitempty"` // an object; at most 16,384 bytes, 8 levels
	To         string          `json:"to"`                   // name of an entity
	Type       string          `json:"type"`                 // free text; 1 to 128 characters, no blanks around them
}

// SystemRelationshipPage is part of the contract.
type SystemRelationshipPage struct {
	NextCursor    *string      `json:"next_cursor"` // null at the end
	Relationships []SystemLink `json:"relationships"`
}

// SystemRelationshipResult is part of the contract.
type SystemRelationshipResult struct {
	Error  *string `json:"error"`
	From   string  `json:"from"`
	Status string  `json:"status"`
	To     string  `json:"to"`
	Type   string  `json:"type"`
}

// SystemRelationshipWrite is part of the contract.
type SystemRelationshipWrite struct {
	From             string          `json:"from"`                        // name of an entity
	Properties       json.RawMessage `json:"properties,omitempty"`        // an object; at most 16,384 bytes, 8 levels
	RemoveProperties []string        `json:"remove_properties,omitempty"` // names of properties
	To               string          `json:"to"`                          // name of an entity
	Type             string          `json:"type"`                        // free text; 1 to 128 characters, no blanks around them
}

// SystemResult is part of the contract.
type SystemResult struct {
	Entities      []SystemEntityResult       `json:"entities"`
	Relationships []SystemRelationshipResult `json:"relationships"`
	Removed       *SystemCounts              `json:"removed,omitempty"` // what was deleted because the file does not contain it
	Warnings      []string                   `json:"warnings"`
}

// SystemWrite is part of the contract.
type SystemWrite struct {
	Entities      []SystemEntityWrite       `json:"entities,omitempty"`      // entities and relationships together are at most 10,000
	Extract       string                    `json:"extract,omitempty"`       // instead of entities and relationships: a text of at most 98,304 bytes, out of which the language model reads them; it may take a minute
	Relationships []SystemRelationshipWrite `json:"relationships,omitempty"` // between entities that the system has, or gets with this
	Strict        bool                      `json:"strict,omitempty"`        // all or nothing: a refused item is a 422 and nothing is written
}

// TeamErasure is part of the contract.
type TeamErasure struct {
	Anonymised      int64     `json:"anonymised"`    // nodes and relationships that stay but no longer name the user
	CacheEntries    int64     `json:"cache_entries"` // of this process and of Redis
	ErasedAt        time.Time `json:"erased_at"`
	Keys            int64     `json:"keys"` // API keys
	Messages        int64     `json:"messages"`
	Nodes           int64     `json:"nodes"`            // including deleted ones that could be restored; without messages
	NotesAnonymised int64     `json:"notes_anonymised"` // notes of the user on nodes that stay: the text is kept, the author is removed
	Preferences     int64     `json:"preferences"`
	Records         int64     `json:"records"` // chat trees and turns, stored answers of idempotency keys, imports, and other records
	Relationships   int64     `json:"relationships"`
	Remaining       int64     `json:"remaining"` // records found when checking afterwards; 0
	TeamID          string    `json:"team_id"`
}

// TeamTrust is part of the contract.
type TeamTrust struct {
	MinTrust float64 `json:"min_trust"` // writes with less trust wait for a review; 0: none; default 0.2
}

// Temporal is part of the contract.
type Temporal struct {
	CurrentDatetime           TemporalMoment `json:"current_datetime"`
	LastConversationType      *string        `json:"last_conversation_type"`
	TimeSinceLastConversation *string        `json:"time_since_last_conversation"` // ISO 8601 duration; null before the first conversation
	TimeZone                  string         `json:"time_zone"`                    // the zone of current_datetime
}

// TemporalMoment is part of the contract.
type TemporalMoment struct {
	Date      string `json:"date"`
	DayOfWeek string `json:"day_of_week"`
	Hour      int64  `json:"hour"`
}

// Told is part of the contract.
type Told struct {
	Origin string  `json:"origin,omitempty"` // of the most believed source
	Trust  float64 `json:"trust,omitempty"`  // 0 to 1; absent: a caller wrote it, and it is believed
}

// TraverseExample is part of the contract.
type TraverseExample struct {
	Cypher     string          `json:"cypher"`
	Parameters json.RawMessage `json:"parameters,omitempty"`
	Question   string          `json:"question"`
}

// TraverseKindSchema is part of the contract.
type TraverseKindSchema struct {
	Count      int64             `json:"count"`
	Label      string            `json:"label"`
	Properties map[string]string `json:"properties,omitempty"` // beside the common ones
	StateKeys  []string          `json:"state_keys,omitempty"` // the known values of state_key
}

// TraverseNode is part of the contract.
type TraverseNode struct {
	AccessCount int64     `json:"access_count"`
	Confidence  float64   `json:"confidence"`
	Description string    `json:"description"`
	EntityKey   string    `json:"entity_key"`
	Name        string    `json:"name"`
	NodeType    string    `json:"node_type"`        // the kind as a label: Person, Concept, Task …
	Notes       []string  `json:"notes,omitempty"`  // the newest 10 that are not expired
	Origin      string    `json:"origin,omitempty"` // of the most believed source
	Salience    float64   `json:"salience"`
	State       string    `json:"state,omitempty"`
	Trust       float64   `json:"trust,omitempty"` // 0 to 1; absent: a caller wrote it, and it is believed
	UpdatedAt   time.Time `json:"updated_at"`
	UserID      string    `json:"user_id,omitempty"` // whose source it is, where it is another user's, of which the asking user is a participant
}

// TraversePaths is part of the contract.
type TraversePaths struct {
	Message   string        `json:"message,omitempty"` // when nothing was found, or not all was read
	Mode      string        `json:"mode"`
	Paths     []TraverseWay `json:"paths"`     // the strongest first
	Truncated bool          `json:"truncated"` // not all relationships were read: there may be a path, or a shorter one
}

// TraverseRelationship is part of the contract.
type TraverseRelationship struct {
	Attitude         int64   `json:"attitude,omitempty"`
	Description      string  `json:"description"`
	From             string  `json:"from"`
	Key              string  `json:"key,omitempty"`
	Origin           string  `json:"origin,omitempty"` // of the most believed source
	Proximity        int64   `json:"proximity,omitempty"`
	RelationshipType string  `json:"relationship_type,omitempty"` // in the caller's own words
	Salience         float64 `json:"salience"`
	To               string  `json:"to"`
	Trust            float64 `json:"trust,omitempty"` // 0 to 1; absent: a caller wrote it, and it is believed
	Type             string  `json:"type"`
}

// TraverseRelationshipSchema is part of the contract.
type TraverseRelationshipSchema struct {
	Count   int64  `json:"count"`
	Pattern string `json:"pattern"`
}

// TraverseRequest is part of the contract.
type TraverseRequest struct {
	Cursor                   string          `json:"cursor,omitempty"`                     // neighbors: next_cursor of the page before
	Cypher                   string          `json:"cypher,omitempty"`                     // cypher, required: the statement, at most 8,192 bytes. GET /v1/schema says what there is
	Damping                  float64         `json:"damping,omitempty"`                    // ppr: how likely a step goes on instead of back to the seeds, above 0 and at most 0.99; default 0.85
	Direction                string          `json:"direction,omitempty"`                  // not for cypher: of the relationships that are followed, outbound (default of neighbors), inbound or both (default of path and ppr)
	EntityKey                string          `json:"entity_key,omitempty"`                 // neighbors, required: of the node
	ExcludeRelationshipTypes []string        `json:"exclude_relationship_types,omitempty"` // not for cypher: all but these are followed
	Format                   string          `json:"format,omitempty"`                     // json (default) or text
	From                     string          `json:"from,omitempty"`                       // path, required: entity key of the node where it begins
	Kinds                    []string        `json:"kinds,omitempty"`                      // neighbors, ppr: only nodes of these kinds are returned
	Limit                    int64           `json:"limit,omitempty"`                      // neighbors: nodes of a page, 1 to 100, default 20; path: paths, 1 to 10, default 1
	MaxDepth                 int64           `json:"max_depth,omitempty"`                  // ppr: how far from the seeds, 1 to 3 (default)
	MaxHops                  int64           `json:"max_hops,omitempty"`                   // neighbors: 1 (default) to 3; path: 1 to 6 (default)
	MaxTokens                int64           `json:"max_tokens,omitempty"`                 // o200k tokens of the answer, 100 to 100,000; the last rows or paths go first, and message says how many went
	Mode                     string          `json:"mode"`                                 // neighbors: what a node is linked with; path: the shortest ways between two nodes; ppr: what is close to some nodes, by personalised PageRank; cypher: a statement that only reads. Fields of another mode are refused
	Parameters               json.RawMessage `json:"parameters,omitempty"`                 // cypher: of the statement, by their names without $; at most 100
	RelationshipTypes        []string        `json:"relationship_types,omitempty"`         // not for cypher: only these are followed
	SeedNodes                []string        `json:"seed_nodes,omitempty"`                 // ppr, required: 1 to 20 entity keys
	To                       string          `json:"to,omitempty"`                         // path, required: entity key of the node where it ends; another one than from
	TopK                     int64           `json:"top_k,omitempty"`                      // ppr: so many nodes, 1 to 100; default 20
	UserID                   string          `json:"user_id,omitempty"`                    // whose memory, with what the team shares; default: the user of the key, or only what the team shares
	Verbose                  bool            `json:"verbose,omitempty"`                    // texts in full; otherwise 200 characters of each
}

// TraverseRow is part of the contract.
type TraverseRow struct {
	Hops         int64                 `json:"hops,omitempty"`
	Node         TraverseNode          `json:"node"`
	Relationship *TraverseRelationship `json:"relationship,omitempty"` // neighbors: the last one on the way
	Score        float64               `json:"score"`                  // neighbors: the strengths of the relationships to it, multiplied, with its own salience, 0 to 1; ppr: the rank, of which all together have 1
}

// TraverseRows is part of the contract.
type TraverseRows struct {
	Message    string        `json:"message,omitempty"` // when nothing was found, or not all was read
	Mode       string        `json:"mode"`
	NextCursor string        `json:"next_cursor,omitempty"` // neighbors: of the next page
	Rows       []TraverseRow `json:"rows"`                  // the best first
	Truncated  bool          `json:"truncated"`             // not all relationships were read, or not all rows fit into max_tokens
}

// TraverseSchema is part of the contract.
type TraverseSchema struct {
	CommonProperties       map[string]string            `json:"common_properties"` // of nodes of every kind, with their types
	Cut                    int64                        `json:"cut,omitempty"`     // so many of the kinds and relationship types, the rarest, did not fit into max_tokens
	Examples               []TraverseExample            `json:"examples"`
	Kinds                  []TraverseKindSchema         `json:"kinds"`                   // kinds with nodes in the scope, the most frequent first
	RelationshipProperties map[string]string            `json:"relationship_properties"` // of relationships of every type, with their types
	RelationshipTypes      []TraverseRelationshipSchema `json:"relationship_types"`      // the most frequent first
	Rules                  []string                     `json:"rules"`
	Sampled                bool                         `json:"sampled"` // only a part was counted
}

// TraverseTable is part of the contract.
type TraverseTable struct {
	Columns   []string            `json:"columns"`           // names, as in the statement
	Message   string              `json:"message,omitempty"` // when nothing was found, or not all came
	Mode      string              `json:"mode"`
	Rows      [][]json.RawMessage `json:"rows"`      // one value for each column; a node is as in GET /v1/nodes, a path is a list of alternating nodes and relationships
	Truncated bool                `json:"truncated"` // there are more rows than an answer may have
}

// TraverseWay is part of the contract.
type TraverseWay struct {
	Length        int64                  `json:"length"` // relationships
	Nodes         []TraverseNode         `json:"nodes"`
	Relationships []TraverseRelationship `json:"relationships"` // one between each node and the next
}

// TreePage is part of the contract.
type TreePage struct {
	Availability string     `json:"availability"` // whether answers can be generated now
	Next         *string    `json:"next"`
	Trees        []ChatTree `json:"trees"`
}

// TreeView is part of the contract.
type TreeView struct {
	Availability string       `json:"availability"`      // whether answers can be generated now
	Context      *ChatContext `json:"context,omitempty"` // what the prompt of each generation contains from the memory
	CreatedAt    int64        `json:"created_at"`        // milliseconds since 1970
	DisplayName  string       `json:"display_name"`      // the name, or else the beginning of the first prompt
	ID           string       `json:"id"`
	Name         *string      `json:"name"`
	Pinned       bool         `json:"pinned"`
	SystemPrompt string       `json:"system_prompt"`
	TurnCount    int64        `json:"turn_count"`
	UpdatedAt    int64        `json:"updated_at"` // milliseconds since 1970
	UserID       *string      `json:"user_id"`    // the user to whom it is private; null: shared
}

// TrustRule is part of the contract.
type TrustRule struct {
	Author    string    `json:"author,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	Decision  string    `json:"decision"`
	Origin    string    `json:"origin,omitempty"` // absent: of keys that have a trust only
	UserID    string    `json:"user_id"`
}

// TrustRules is part of the contract.
type TrustRules struct {
	Rules []TrustRule `json:"rules"`
}

// TurnDescendants is part of the contract.
type TurnDescendants struct {
	Turns []ChatTurnLine `json:"turns"`
}

// TurnPage is part of the contract.
type TurnPage struct {
	Next   *int64         `json:"next"`
	TreeID string         `json:"tree_id"`
	Turns  []ChatTurnLine `json:"turns"`
}

// TurnPrompt is part of the contract.
type TurnPrompt struct {
	LeftOut      int64         `json:"left_out"` // how many
	Messages     []RoleMessage `json:"messages"`
	SystemPrompt string        `json:"system_prompt"`
	Truncated    bool          `json:"truncated"` // the oldest turns were left out to keep the budget
	UserPrompt   string        `json:"user_prompt"`
}

// UnderstoodTime is part of the contract.
type UnderstoodTime struct {
	Confidence float64    `json:"confidence"`         // 0 to 1: how sure it is that the words name a time
	From       *time.Time `json:"from"`               // null: open, or only sessions are named
	Sessions   *Sessions  `json:"sessions,omitempty"` // conversations by their order, within the time if there is one
	Text       string     `json:"text"`               // the words of the query
	Until      *time.Time `json:"until"`              // not part of it; null: open, or only sessions are named
	Use        string     `json:"use"`                // filter: only what was said then is found; weight: it ranks higher
}

// User is part of the contract.
type User struct {
	Chats          int64      `json:"chats"` // chat trees
	Conversations  int64      `json:"conversations"`
	LastActivityAt *time.Time `json:"last_activity_at"`  // last write to or recall of the user's nodes and chats; null: the user has only preferences
	Messages       int64      `json:"messages"`          // in all sources
	Nodes          int64      `json:"nodes"`             // private nodes of all kinds, without messages
	Partial        bool       `json:"partial,omitempty"` // the counts are lower bounds: the user has more than 10,000 nodes of one kind
	UserID         string     `json:"user_id"`
}

// UserErasure is part of the contract.
type UserErasure struct {
	Anonymised      int64     `json:"anonymised"`    // nodes and relationships that stay but no longer name the user
	CacheEntries    int64     `json:"cache_entries"` // of this process and of Redis
	ErasedAt        time.Time `json:"erased_at"`
	Keys            int64     `json:"keys"` // API keys
	Messages        int64     `json:"messages"`
	Nodes           int64     `json:"nodes"`            // including deleted ones that could be restored; without messages
	NotesAnonymised int64     `json:"notes_anonymised"` // notes of the user on nodes that stay: the text is kept, the author is removed
	Preferences     int64     `json:"preferences"`
	Records         int64     `json:"records"` // chat trees and turns, stored answers of idempotency keys, imports, and other records
	Relationships   int64     `json:"relationships"`
	Remaining       int64     `json:"remaining"` // records found when checking afterwards; 0
	UserID          string    `json:"user_id"`
}

// UserPage is part of the contract.
type UserPage struct {
	Next  *string `json:"next"`
	Users []User  `json:"users"`
}

// ValueVersion is part of the contract.
type ValueVersion struct {
	By      string          `json:"by,omitempty"`      // id of the API key that set it; token: the caller had a token
	Deleted bool            `json:"deleted,omitempty"` // a delete ended it
	From    time.Time       `json:"from"`              // when it was set
	Key     string          `json:"key"`
	Through string          `json:"through,omitempty"` // an operation of the API, mcp: and a tool, or import: and a format
	Until   *time.Time      `json:"until"`             // when it was replaced or deleted; null: it is stored now
	Value   json.RawMessage `json:"value"`
}

// Version is part of the contract.
type Version struct {
	By           string            `json:"by,omitempty"`           // id of the API key that wrote it; token: the caller had a token
	Changes      []FieldChange     `json:"changes"`                // from the version before, if that is kept; empty for the first
	Deleted      bool              `json:"deleted,omitempty"`      // a delete ended it
	From         *time.Time        `json:"from"`                   // when it was written
	Node         *NodeView         `json:"node,omitempty"`         // of a node: the version itself, without its notes, which have a lifetime of their own
	Relationship *RelationshipView `json:"relationship,omitempty"` // of a relationship: the version itself
	Source       string            `json:"source,omitempty"`       // entity_key of the source from which a language model derived it
	Through      string            `json:"through,omitempty"`      // an operation of the API, mcp: and a tool, or import: and a format
	Until        *time.Time        `json:"until"`                  // when it was replaced or deleted; null: it is stored now
	Version      int64             `json:"version"`
}

// VersionPage is part of the contract.
type VersionPage struct {
	Next     *string   `json:"next"`
	Versions []Version `json:"versions"`
}

// Webhook is part of the contract.
type Webhook struct {
	Active              bool       `json:"active"`   // false: nothing is sent; it continues where it stopped when it is active again
	Attempts            int64      `json:"attempts"` // failed attempts of the delivery that is being retried
	CreatedAt           time.Time  `json:"created_at"`
	Cursor              string     `json:"cursor"`   // of GET /v1/changes: behind what was delivered
	Disabled            *string    `json:"disabled"` // why Kith made it inactive: gone, the receiver answered with 410; else null
	ID                  string     `json:"id"`
	Kinds               []string   `json:"kinds"` // of the changes that it gets; empty: all
	LastAttemptAt       *time.Time `json:"last_attempt_at"`
	LastResult          *string    `json:"last_result"`           // of the last attempt: delivered, status and a number, redirect, timeout, or no connection, also to an address that is not public
	NextAttemptAt       *time.Time `json:"next_attempt_at"`       // earliest time of the next attempt, if there is anything to deliver; null: inactive
	Ops                 []string   `json:"ops"`                   // of the changes that it gets; empty: all
	PreviousSecretUntil *time.Time `json:"previous_secret_until"` // until when the secret before the last rotation signs too
	URL                 string     `json:"url"`
	UserID              *string    `json:"user_id"` // it gets the changes of this user's memory and of what the team shares; null: all of the team
}

// WebhookList is part of the contract.
type WebhookList struct {
	Webhooks []Webhook `json:"webhooks"`
}

// Why is part of the contract.
type Why struct {
	Key      string       `json:"key"`
	Kind     string       `json:"kind"`
	Sections []WhySection `json:"sections"` // the sections that show nodes of its kind
	Shown    bool         `json:"shown"`
	Spans    []Span       `json:"spans"` // the parts of the text that show it
}

// WhySection is part of the contract.
type WhySection struct {
	Conditions []Condition `json:"conditions"`
	Section    string      `json:"section"`
	Shown      bool        `json:"shown"`
}

// WithdrawRequest is part of the contract.
type WithdrawRequest struct {
	DryRun bool   `json:"dry_run,omitempty"` // only report what would go
	Undo   bool   `json:"undo,omitempty"`    // restore the source and what went with it
	UserID string `json:"user_id,omitempty"` // whose source it is; default: the user of the API key, else shared by the team
}

// Withdrawal is part of the contract.
type Withdrawal struct {
	Kept                 int64     `json:"kept,omitempty"` // of an undo: what could not be restored, as its name or key is in use again, it was purged, or it has other texts since
	LoweredNodes         int64     `json:"lowered_nodes"`  // that rest on others too: their trust is what the others tell
	LoweredRelationships int64     `json:"lowered_relationships"`
	Messages             int64     `json:"messages"`                  // of the source, which is deleted
	Names                []string  `json:"names"`                     // of at most 20 of the deleted nodes
	Nodes                int64     `json:"nodes"`                     // that rest on the source alone: deleted; counted up to 200,000
	Relationships        int64     `json:"relationships"`             // that rest on the source alone: deleted; counted up to 200,000
	RestorableUntil      time.Time `json:"restorable_until,omitzero"` // until when it can be undone
	Source               string    `json:"source"`
}
