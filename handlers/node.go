package handlers

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"kith/access/auth"
	"kith/graph"
	"kith/internal/bounds"
	"kith/internal/fault"
)

// nodeStore reads and changes nodes.
type nodeStore interface {
	Node(ctx context.Context, scope graph.Scope, kind graph.Kind, key string, q graph.NodeQuery) (graph.NodeView, error)
	Nodes(ctx context.Context, scope graph.Scope, l graph.NodeList) (graph.NodePage, error)
	Namespaces(ctx context.Context, scope graph.Scope, l graph.NamespaceList) (graph.NamespacePage, error)
	NodeVersions(ctx context.Context, scope graph.Scope, kind graph.Kind, key, cursor string, limit int) (graph.VersionPage, error)
	NodeChanges(ctx context.Context, scope graph.Scope, kind graph.Kind, key string, p graph.ChangePeriod) (graph.ChangeList, error)
	NodeMentions(ctx context.Context, scope graph.Scope, kind graph.Kind, key, cursor string, limit int) (graph.MentionPage, error)
	PatchNode(ctx context.Context, scope graph.Scope, w graph.NodeWrite, q graph.NodeQuery) (graph.NodeView, error)
	DeleteNode(ctx context.Context, scope graph.Scope, kind graph.Kind, key string, ifVersion int64) (graph.Deletion, error)
	RestoreNode(ctx context.Context, scope graph.Scope, kind graph.Kind, key string) (graph.NodeView, error)
	RestoreNodeVersion(ctx context.Context, scope graph.Scope, kind graph.Kind, key string, version int64) (graph.NodeView, error)
	MergeNodes(ctx context.Context, scope graph.Scope, kind graph.Kind, key string, w graph.MergeWrite) (graph.Merge, error)
	AddNotes(ctx context.Context, scope graph.Scope, kind graph.Kind, key string, notes []graph.NoteWrite) ([]graph.Note, error)
	DeleteNote(ctx context.Context, scope graph.Scope, kind graph.Kind, key, id string) ([]graph.Note, error)
}

// NodePath names a node, and the user for whom it is looked at.
type NodePath struct {
	Kind   string `path:"kind" doc:"person, concept, entity, source, message, a project kind, system_entity, item, storyline or macro"`
	Key    string `path:"key" maxLength:"256" doc:"entity_key"`
	UserID string `query:"user_id" minLength:"1" doc:"for whom; left out: the user of the key, or the team itself"`
}

// resolve is the scope of the request and the kind that its path names; an unknown kind has no nodes.
func (p *NodePath) resolve(ctx context.Context, needs string) (graph.Scope, graph.Kind, error) {
	scope, err := scopeFor(ctx, needs, "", p.UserID)
	if err != nil {
		return scope, graph.Kind{}, err
	}
	kind, ok := graph.KindOf(p.Kind)
	if !ok || !fault.ValidKey(p.Key) || scope.UserID != "" && !fault.ValidKey(scope.UserID) {
		return scope, kind, fault.ErrNotFound
	}
	return scope, kind, nil
}

// GetNodeInput asks for a node.
type GetNodeInput struct {
	NodePath
	AsOf          time.Time `query:"as_of" doc:"the node as it was then, also if it was changed or deleted since, with the relationships that were current; 404 if it was not there"`
	Relationships int64     `query:"relationships" minimum:"0" maximum:"100" default:"10" doc:"at most so many, the strongest first"`
	Touch         bool      `query:"touch" doc:"count this as a recall, as explore and traverse do"`
}

// NodeOutput is a node.
type NodeOutput struct{ Body graph.NodeView }

func (a *API) getNode(ctx context.Context, in *GetNodeInput) (*NodeOutput, error) {
	scope, kind, err := in.resolve(ctx, auth.Read)
	if err != nil {
		return nil, err
	}
	node, err := a.Nodes.Node(ctx, scope, kind, in.Key, graph.NodeQuery{AsOf: timeOrNil(in.AsOf), Relationships: in.Relationships})
	if err != nil {
		return nil, located("query", err)
	}
	if in.Touch {
		a.Recalls.Recalled(scope, graph.Recall{Nodes: []string{node.EntityKey}})
	}
	return &NodeOutput{Body: node}, nil
}

// ListNodesInput asks for a page of nodes.
type ListNodesInput struct {
	Kind      string    `path:"kind"`
	UserID    string    `query:"user_id" minLength:"1" doc:"for whom; left out: the user of the key, or the team itself"`
	ProjectID string    `query:"project_id" minLength:"1" maxLength:"256" doc:"only those of this project"`
	State     string    `query:"state" enum:"candidate,active,core,archived" doc:"only those in this state; not together with deleted"`
	Deleted   bool      `query:"deleted" doc:"only deleted ones that can be restored"`
	AsOf      time.Time `query:"as_of" doc:"the nodes as they were then, also those changed or deleted since; not together with deleted"`
	Namespace []string  `query:"namespace,explode" maxItems:"16" doc:"only items of this namespace and of those within it: its parts, repeated, the outermost first"`
	Name      string    `query:"name" minLength:"1" maxLength:"512" doc:"only the items of this name in the namespace itself"`
	Filter    string    `query:"filter" maxLength:"4096" doc:"JSON: only nodes whose value (items) or properties (others) have these fields with these values; {\"n\":{\"$gt\":3}} compares with $eq, $ne, $gt, $gte, $lt or $lte"`
	Limit     int64     `query:"limit" minimum:"1" maximum:"1000" default:"100"`
	Cursor    string    `query:"cursor" maxLength:"4096" doc:"next of the page before"`
}

// NodePageOutput is a page of nodes. It may have fewer than the limit, or none, although others follow. Next is null after the last.
type NodePageOutput struct {
	Body struct {
		Nodes []graph.NodeView `json:"nodes"`
		Next  *string          `json:"next"`
	}
}

func (a *API) listNodes(ctx context.Context, in *ListNodesInput) (*NodePageOutput, error) {
	scope, err := scopeFor(ctx, auth.Read, "", in.UserID)
	if err != nil {
		return nil, err
	}
	kind, ok := graph.KindOf(in.Kind)
	switch {
	case !ok:
		return nil, fault.ErrNotFound
	case kind.Name == "message" && !in.Deleted:
		return nil, fault.Invalid(fault.At("path").Field("kind"), fault.NotAllowed, "messages are listed by their conversation: GET /v1/conversations/{id}")
	case in.Deleted && in.State != "":
		return nil, fault.Invalid(fault.At("query").Field("state"), fault.NotAllowed, "deleted nodes have no state")
	case in.Deleted && !in.AsOf.IsZero():
		return nil, fault.Invalid(fault.At("query").Field("as_of"), fault.NotAllowed, "is not for deleted nodes: without deleted, the list has those that were there")
	case in.ProjectID != "" && !fault.ValidKey(in.ProjectID):
		return nil, fault.Invalid(fault.At("query").Field("project_id"), fault.Malformed, "must not be blank, nor contain control characters")
	}
	list := graph.NodeList{
		Kind: kind, ProjectID: in.ProjectID, State: in.State, Deleted: in.Deleted, AsOf: timeOrNil(in.AsOf),
		Namespace: in.Namespace, Name: in.Name, Cursor: in.Cursor, Limit: in.Limit,
	}
	if list.Filter, err = in.fields(kind); err != nil {
		return nil, err
	}
	page, err := a.Nodes.Nodes(ctx, scope, list)
	if err != nil {
		return nil, located("query", err)
	}
	out := &NodePageOutput{}
	out.Body.Nodes, out.Body.Next = page.Nodes, stringOrNil(page.Next)
	return out, nil
}

// fields checks what selects nodes by their fields, and returns the filter.
func (in *ListNodesInput) fields(kind graph.Kind) (graph.Filter, error) {
	f, query := &graph.Faults{}, fault.At("query")
	f.Namespace(query.Field("namespace"), in.Namespace)
	if kind != graph.ItemKind && len(in.Namespace) > 0 {
		f.Add(query.Field("namespace"), fault.NotAllowed, "only items have one")
	}
	if kind != graph.ItemKind && in.Name != "" {
		f.Add(query.Field("name"), fault.NotAllowed, "is for items: ask for others with POST /v1/explore and text_matches")
	}
	if in.Name != "" {
		f.Word(query.Field("name"), in.Name, bounds.NameLength)
	}
	if in.Deleted && (in.Name != "" || len(in.Namespace) > 0) {
		f.Add(query.Field("deleted"), fault.NotAllowed, "deleted items are listed without a namespace or name")
	}
	filter := f.Filter(query.Field("filter"), json.RawMessage(in.Filter))
	return filter, f.Err()
}

// PatchNodeInput changes a node.
type PatchNodeInput struct {
	NodePath
	Body graph.NodeWrite
}

func (a *API) patchNode(ctx context.Context, in *PatchNodeInput) (*NodeOutput, error) {
	w := in.Body
	if in.UserID == "" {
		in.UserID = w.UserID.Value
	}
	w.UserID = graph.Optional[string]{}
	scope, _, err := in.resolve(ctx, auth.Write)
	if err != nil {
		return nil, err
	}
	if w.Kind != "" && w.Kind != in.Kind || w.EntityKey != "" && w.EntityKey != in.Key {
		return nil, fault.Invalid(fault.At("body"), fault.NotAllowed, "kind and entity_key never change: leave them out, or give those of the path")
	}
	w.Kind, w.EntityKey = in.Kind, in.Key
	node, err := a.Nodes.PatchNode(ctx, scope, w, graph.NodeQuery{Relationships: 10})
	if err != nil {
		return nil, located("body", err)
	}
	return &NodeOutput{Body: node}, nil
}

// DeleteNodeInput deletes a node.
type DeleteNodeInput struct {
	NodePath
	IfVersion int64 `query:"if_version" minimum:"1" doc:"only if this is the stored version"`
}

// DeletionOutput is the receipt of a delete.
type DeletionOutput struct{ Body graph.Deletion }

func (a *API) deleteNode(ctx context.Context, in *DeleteNodeInput) (*DeletionOutput, error) {
	scope, kind, err := in.resolve(ctx, auth.Write)
	if err != nil {
		return nil, err
	}
	receipt, err := a.Nodes.DeleteNode(ctx, scope, kind, in.Key, in.IfVersion)
	if err != nil {
		return nil, located("query", err)
	}
	return &DeletionOutput{Body: receipt}, nil
}

// RestoreNodeInput undoes the delete or merge of a node, or restores a version of it.
type RestoreNodeInput struct {
	NodePath
	VersionChoice
}

// VersionChoice selects a version to restore.
type VersionChoice struct {
	Version int64 `query:"version" minimum:"1" doc:"write the content of this former version as a new one; omitted: undo the delete"`
}

func (a *API) restoreNode(ctx context.Context, in *RestoreNodeInput) (*NodeOutput, error) {
	scope, kind, err := in.resolve(ctx, auth.Write)
	if err != nil {
		return nil, err
	}
	var node graph.NodeView
	if in.Version == 0 {
		node, err = a.Nodes.RestoreNode(ctx, scope, kind, in.Key)
	} else {
		node, err = a.Nodes.RestoreNodeVersion(ctx, scope, kind, in.Key, in.Version)
	}
	return &NodeOutput{Body: node}, err
}

// MergeNodesInput merges another node into one.
type MergeNodesInput struct {
	NodePath
	Body graph.MergeWrite
}

// MergeOutput reports what a merge has done.
type MergeOutput struct{ Body graph.Merge }

func (a *API) mergeNodes(ctx context.Context, in *MergeNodesInput) (*MergeOutput, error) {
	scope, kind, err := in.resolve(ctx, auth.Write)
	if err != nil {
		return nil, err
	}
	merge, err := a.Nodes.MergeNodes(ctx, scope, kind, in.Key, in.Body)
	if err != nil {
		return nil, located("body", err)
	}
	return &MergeOutput{Body: merge}, nil
}

// NodeRelationshipsInput asks for a page of a node's relationships.
type NodeRelationshipsInput struct {
	NodePath
	Direction string    `query:"direction" enum:"outgoing,incoming,both" default:"both"`
	Types     []string  `query:"types,explode" doc:"only these, at most 256, repeated or with commas; left out: all"`
	AsOf      time.Time `query:"as_of" doc:"those that were current then"`
	Past      bool      `query:"past" doc:"also those that are over"`
	Limit     int64     `query:"limit" minimum:"1" maximum:"1000" default:"100"`
	Cursor    string    `query:"cursor" maxLength:"4096" doc:"next of the page before"`
}

// RelationshipPageOutput is a page of relationships. Next is null after the last.
type RelationshipPageOutput struct {
	Body struct {
		Relationships []graph.RelationshipView `json:"relationships"`
		Next          *string                  `json:"next"`
	}
}

func (a *API) nodeRelationships(ctx context.Context, in *NodeRelationshipsInput) (*RelationshipPageOutput, error) {
	scope, kind, err := in.resolve(ctx, auth.Read)
	if err != nil {
		return nil, err
	}
	types := splitList(in.Types)
	if len(types) > 256 || strings.ContainsAny(strings.Join(types, ""), " \x00") {
		return nil, fault.Invalid(fault.At("query").Field("types"), fault.WrongCount, "must be at most 256 relationship types")
	}
	page, err := a.Relationships.Relationships(ctx, scope, graph.RelationshipList{
		Kind: kind, Key: in.Key, Direction: in.Direction, Types: types, AsOf: timeOrNil(in.AsOf), Past: in.Past,
		Cursor: in.Cursor, Limit: in.Limit,
	})
	if err != nil {
		return nil, located("query", err)
	}
	out := &RelationshipPageOutput{}
	out.Body.Relationships, out.Body.Next = page.Relationships, stringOrNil(page.Next)
	return out, nil
}

// NodeMentionsInput asks for a page of the sources that mention a node.
type NodeMentionsInput struct {
	NodePath
	MentionPaging
}

// MentionPaging selects a page of mentions.
type MentionPaging struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"20"`
	Cursor string `query:"cursor" maxLength:"4096" doc:"next of the page before"`
}

// MentionPageOutput is a page of mentions. Next is null after the last.
type MentionPageOutput struct {
	Body struct {
		Mentions []graph.Mention `json:"mentions"`
		Next     *string         `json:"next"`
	}
}

func mentionPage(page graph.MentionPage, err error) (*MentionPageOutput, error) {
	if err != nil {
		return nil, located("query", err)
	}
	out := &MentionPageOutput{}
	out.Body.Mentions, out.Body.Next = page.Mentions, stringOrNil(page.Next)
	return out, nil
}

func (a *API) nodeMentions(ctx context.Context, in *NodeMentionsInput) (*MentionPageOutput, error) {
	scope, kind, err := in.resolve(ctx, auth.Read)
	if err != nil {
		return nil, err
	}
	return mentionPage(a.Nodes.NodeMentions(ctx, scope, kind, in.Key, in.Cursor, in.Limit))
}
