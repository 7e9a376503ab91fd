package handlers

import (
	"context"

	"kith/access/auth"
	"kith/graph"
	"kith/loader"
	"kith/loader/ontology"
)

// PromptInput asks for the messages to send to a language model.
type PromptInput struct {
	Body struct {
		UserID         string                                  `json:"user_id,omitempty" minLength:"1" maxLength:"256" doc:"for whom; left out: the user of the key, or the team itself"`
		ConversationID string                                  `json:"conversation_id,omitempty" maxLength:"256" doc:"its focus is meant where none is given, and it remembers the one that is"`
		ContextType    string                                  `json:"context_type,omitempty" max:"64" doc:"as of GET /v1/ontology; left out: project with a focus, else global"`
		Focus          graph.Optional[graph.ConversationFocus] `json:"focus,omitzero" doc:"what the user looks at; the conversation remembers it. Null: nothing any more"`
		SystemPrompt   string                                  `json:"system_prompt,omitempty" maxLength:"100000" doc:"stands before the guidance"`
		History        []loader.PromptMessage                  `json:"history,omitempty" maxItems:"1000" doc:"the conversation so far, the oldest first"`
		Message        string                                  `json:"message" minLength:"1" maxLength:"100000" doc:"of the user, to be answered"`
		MaxTokens      int                                     `json:"max_tokens,omitempty" minimum:"1000" maximum:"100000" doc:"o200k tokens of all messages; default 5,000"`
		Explain        bool                                    `json:"explain,omitempty" doc:"account for the messages in receipt: what each part of them shows and why, and what was left out"`
		Linked         *bool                                   `json:"linked,omitempty" doc:"false leaves out what is linked with the focus"`
	}
}

// PromptOutput is a stack of messages.
type PromptOutput struct{ Body *ontology.Prompt }

func (a *API) prompt(ctx context.Context, in *PromptInput) (*PromptOutput, error) {
	b := &in.Body
	scope, err := scopeFor(ctx, auth.Read, "", b.UserID)
	if err != nil {
		return nil, err
	}
	r := ontology.PromptRequest{
		Ontology: ontology.Request{Scope: scope, ContextType: b.ContextType, WithoutLinked: b.Linked != nil && !*b.Linked},
		System:   b.SystemPrompt, History: b.History, Message: b.Message, MaxTokens: b.MaxTokens, Explain: b.Explain,
	}
	if err := r.Validate(); err != nil { // before anything is remembered
		return nil, located("body", err)
	}
	if err := a.applyFocus(ctx, scope, b.ConversationID, b.Focus, &r.Ontology); err != nil {
		return nil, located("body", err)
	}
	p, err := a.Ontologies.Prompt(ctx, r)
	if err != nil {
		return nil, located("body", err)
	}
	return &PromptOutput{Body: p}, nil
}
