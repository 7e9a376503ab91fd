package handlers

import (
	"context"
	"fmt"

	"kith/access/auth"
	"kith/graph"
	"kith/internal/fault"
	"kith/loader/ontology"
)

// SetFocusInput has a conversation remember what its user looks at.
type SetFocusInput struct {
	ID   string `path:"id" maxLength:"256"`
	Body struct {
		UserID string                                  `json:"user_id,omitempty" minLength:"1" maxLength:"256"`
		Focus  graph.Optional[graph.ConversationFocus] `json:"focus" doc:"replaces the one there was; null: nothing any more"`
	}
}

func (a *API) setFocus(ctx context.Context, in *SetFocusInput) (*SourceOutput, error) {
	scope, err := scopeFor(ctx, auth.Write, "", in.Body.UserID)
	if err != nil {
		return nil, err
	}
	result, err := a.Sources.SetFocus(ctx, scope, in.ID, focusValue(in.Body.Focus))
	return sourceOutput(result, err)
}

func focusValue(given graph.Optional[graph.ConversationFocus]) *graph.ConversationFocus {
	if !given.Given || given.Null {
		return nil
	}
	return &given.Value
}

// applyFocus sets the focus of a request and stores it in the conversation, if there is one. Without a focus it uses the stored one.
func (a *API) applyFocus(ctx context.Context, scope graph.Scope, conversation string, given graph.Optional[graph.ConversationFocus], r *ontology.Request) error {
	focus := focusValue(given)
	if focus != nil {
		if err := focus.Validate(); err != nil {
			return err
		}
	}
	r.LookAt(focus)
	switch {
	case conversation == "":
		return nil
	case !given.Given:
		return a.applyRememberedFocus(ctx, scope, conversation, r)
	case !principal(ctx).Allows(auth.Write):
		return fmt.Errorf("the key lacks the scope %s, which a focus to remember needs: %w", auth.Write, auth.ErrForbidden)
	}
	_, err := a.Sources.SetFocus(ctx, scope, conversation, focus)
	return err
}

// applyRememberedFocus sets the focus of a request to the one that a conversation stores.
func (a *API) applyRememberedFocus(ctx context.Context, scope graph.Scope, conversation string, r *ontology.Request) error {
	if !fault.ValidKey(conversation) {
		return fault.ErrNotFound
	}
	source, err := a.Sources.Source(ctx, scope, conversation)
	if err != nil {
		return err
	}
	r.LookAt(source.Focus)
	r.Remembered = true
	return nil
}
