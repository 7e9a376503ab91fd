package handlers

import (
	"context"

	"kith/auth"
	"kith/graph"
	"kith/internal/fault"
)

// NoteListOutput are the notes of a node or relationship, the newest first, without expired ones.
type NoteListOutput struct {
	Body struct {
		Notes []graph.Note `json:"notes"`
	}
}

// NoteBody is a note to add.
type NoteBody struct{ Body graph.NoteWrite }

// notes invalidates the cache after a change to notes and returns the answer.
func (a *API) notes(ctx context.Context, scope graph.Scope, changed graph.Changed, err error) (*NoteListOutput, error) {
	if err != nil {
		a.changedIfUncertain(ctx, scope, err, scope.UserID, "")
		return nil, located("body", fault.Within(err, fault.At("notes").Index(0)))
	}
	a.changed(ctx, scope, changed.User)
	out := &NoteListOutput{}
	out.Body.Notes = changed.Notes
	return out, nil
}

// AddNodeNoteInput adds a note to a node.
type AddNodeNoteInput struct {
	NodePath
	NoteBody
}

func (a *API) addNodeNote(ctx context.Context, in *AddNodeNoteInput) (*NoteListOutput, error) {
	scope, kind, err := in.resolve(ctx, auth.Write)
	if err != nil {
		return nil, err
	}
	changed, err := a.Store.AddNotes(ctx, scope, kind, in.Key, []graph.NoteWrite{in.Body})
	return a.notes(ctx, scope, changed, err)
}

// NodeNotesInput asks for the notes of a node.
type NodeNotesInput struct{ NodePath }

func (a *API) nodeNotes(ctx context.Context, in *NodeNotesInput) (*NoteListOutput, error) {
	scope, kind, err := in.resolve(ctx, auth.Read)
	if err != nil {
		return nil, err
	}
	node, err := a.Store.Node(ctx, scope, kind, in.Key, graph.NodeQuery{})
	out := &NoteListOutput{}
	out.Body.Notes = node.Notes
	return out, err
}

// DeleteNodeNoteInput takes a note off a node.
type DeleteNodeNoteInput struct {
	NodePath
	ID string `path:"id" maxLength:"64"`
}

func (a *API) deleteNodeNote(ctx context.Context, in *DeleteNodeNoteInput) (*NoteListOutput, error) {
	scope, kind, err := in.resolve(ctx, auth.Write)
	if err != nil {
		return nil, err
	}
	changed, err := a.Store.DeleteNote(ctx, scope, kind, in.Key, in.ID)
	return a.notes(ctx, scope, changed, err)
}

// AddRelationshipNoteInput adds a note to a relationship.
type AddRelationshipNoteInput struct {
	RelationshipPath
	NoteBody
}

func (a *API) addRelationshipNote(ctx context.Context, in *AddRelationshipNoteInput) (*NoteListOutput, error) {
	scope, err := in.resolve(ctx, auth.Write)
	if err != nil {
		return nil, err
	}
	changed, err := a.Store.AddRelationshipNotes(ctx, scope, in.Key, []graph.NoteWrite{in.Body})
	return a.notes(ctx, scope, changed, err)
}

// RelationshipNotesInput asks for the notes of a relationship.
type RelationshipNotesInput struct{ RelationshipPath }

func (a *API) relationshipNotes(ctx context.Context, in *RelationshipNotesInput) (*NoteListOutput, error) {
	scope, err := in.resolve(ctx, auth.Read)
	if err != nil {
		return nil, err
	}
	view, err := a.Store.Relationship(ctx, scope, in.Key)
	out := &NoteListOutput{}
	out.Body.Notes = view.Notes
	return out, err
}

// DeleteRelationshipNoteInput takes a note off a relationship.
type DeleteRelationshipNoteInput struct {
	RelationshipPath
	ID string `path:"id" maxLength:"64"`
}

func (a *API) deleteRelationshipNote(ctx context.Context, in *DeleteRelationshipNoteInput) (*NoteListOutput, error) {
	scope, err := in.resolve(ctx, auth.Write)
	if err != nil {
		return nil, err
	}
	changed, err := a.Store.DeleteRelationshipNote(ctx, scope, in.Key, in.ID)
	return a.notes(ctx, scope, changed, err)
}
