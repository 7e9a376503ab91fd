package handlers

import (
	"context"

	"kith/access/auth"
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

// notesAnswer returns the answer to a change of notes.
func notesAnswer(notes []graph.Note, err error) (*NoteListOutput, error) {
	if err != nil {
		return nil, located("body", fault.Within(err, fault.At("notes").Index(0)))
	}
	out := &NoteListOutput{}
	out.Body.Notes = notes
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
	return notesAnswer(a.Nodes.AddNotes(ctx, scope, kind, in.Key, []graph.NoteWrite{in.Body}))
}

// NodeNotesInput asks for the notes of a node.
type NodeNotesInput struct{ NodePath }

func (a *API) nodeNotes(ctx context.Context, in *NodeNotesInput) (*NoteListOutput, error) {
	scope, kind, err := in.resolve(ctx, auth.Read)
	if err != nil {
		return nil, err
	}
	node, err := a.Nodes.Node(ctx, scope, kind, in.Key, graph.NodeQuery{})
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
	return notesAnswer(a.Nodes.DeleteNote(ctx, scope, kind, in.Key, in.ID))
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
	return notesAnswer(a.Relationships.AddRelationshipNotes(ctx, scope, in.Key, []graph.NoteWrite{in.Body}))
}

// RelationshipNotesInput asks for the notes of a relationship.
type RelationshipNotesInput struct{ RelationshipPath }

func (a *API) relationshipNotes(ctx context.Context, in *RelationshipNotesInput) (*NoteListOutput, error) {
	scope, err := in.resolve(ctx, auth.Read)
	if err != nil {
		return nil, err
	}
	view, err := a.Relationships.Relationship(ctx, scope, in.Key, nil)
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
	return notesAnswer(a.Relationships.DeleteRelationshipNote(ctx, scope, in.Key, in.ID))
}
