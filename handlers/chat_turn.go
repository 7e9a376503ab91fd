package handlers

import (
	"context"
	"net/http"

	"kith/access/auth"
	"kith/memory/chat"
)

// ListTurnsInput asks for a page of the turns of a chat tree.
type ListTurnsInput struct {
	ChatPath
	From  int64 `query:"from" minimum:"0" doc:"number of the first turn"`
	Limit int64 `query:"limit" minimum:"1" maximum:"10000" default:"1000"`
}

// TurnPageOutput is a page of turns in short. Next is the number to go on from, null at the end.
type TurnPageOutput struct {
	Body struct {
		TreeID string          `json:"tree_id"`
		Turns  []chat.TurnLine `json:"turns"`
		Next   *int64          `json:"next"`
	}
}

func (a *API) listTurns(ctx context.Context, in *ListTurnsInput) (*TurnPageOutput, error) {
	scope, err := in.resolve(ctx, auth.Read)
	if err != nil {
		return nil, err
	}
	tree, err := a.ChatStore.ChatTree(ctx, scope, in.ID)
	if err != nil {
		return nil, err
	}
	out := &TurnPageOutput{}
	out.Body.TreeID = tree.ID
	if out.Body.Turns, err = a.ChatStore.ChatTurns(ctx, scope, tree.ID, in.From, in.Limit+1); err != nil {
		return nil, err
	}
	if got := out.Body.Turns; int64(len(got)) > in.Limit { // numbers have gaps, where turns were deleted
		out.Body.Turns, out.Body.Next = got[:in.Limit], &got[in.Limit].Seq
	}
	return out, nil
}

// SubmitTurnInput adds a turn to a chat tree.
type SubmitTurnInput struct {
	ID   string `path:"id" maxLength:"256" doc:"of the tree"`
	Body struct {
		UserID     string  `json:"user_id,omitempty" minLength:"1" maxLength:"256" doc:"for whom; left out: the user of the key, or the team itself"`
		ID         string  `json:"id,omitempty" maxLength:"256" doc:"of the turn; generated (UUIDv7) when left out; submitting it again is harmless"`
		ParentID   *string `json:"parent_id,omitempty" maxLength:"256" nullable:"true" doc:"the turn it replies to; left out: it is a root"`
		UserPrompt string  `json:"user_prompt" max:"102400" word:"filled" doc:"at most 100 KiB; @Type:key refers to something of the memory"`
		Generate   *bool   `json:"generate,omitempty" doc:"default true; false: the turn is pending until the caller answers it"`

		ProviderConfig chat.ProviderConfig `json:"provider_config,omitzero" doc:"for this turn"`
	}
}

// TurnOutput is a turn.
type TurnOutput struct {
	Status int
	Body   chat.Turn
}

func turnOutput(status int, turn chat.Turn, err error) (*TurnOutput, error) {
	if err != nil {
		return nil, located("body", err)
	}
	return &TurnOutput{Status: status, Body: turn}, nil
}

func (a *API) submitTurn(ctx context.Context, in *SubmitTurnInput) (*TurnOutput, error) {
	scope, err := (&ChatPath{in.ID, in.Body.UserID}).resolve(ctx, auth.Write)
	if err != nil {
		return nil, err
	}
	p := chat.Prompt{ID: in.Body.ID, Text: in.Body.UserPrompt, Model: in.Body.ProviderConfig.Model, Pending: in.Body.Generate != nil && !*in.Body.Generate}
	if in.Body.ParentID != nil {
		p.ParentID = *in.Body.ParentID
	}
	status := http.StatusAccepted
	if p.Pending {
		status = http.StatusCreated
	}
	turn, created, err := a.Chats.Submit(ctx, scope, in.ID, p)
	return turnOutput(statusOf(created, status), turn, err)
}

// ExplainInput asks for an explanation.
type ExplainInput struct {
	Body struct {
		UserID string `json:"user_id,omitempty" minLength:"1" maxLength:"256" doc:"for whom; left out: the user of the key, or the team itself"`
		chat.Explanation
	}
}

func (a *API) explain(ctx context.Context, in *ExplainInput) (*TurnOutput, error) {
	scope, err := principal(ctx).For(auth.Write, in.Body.UserID)
	if err != nil {
		return nil, err
	}
	turn, created, err := a.Chats.Explain(ctx, scope, &in.Body.Explanation)
	return turnOutput(statusOf(created, http.StatusAccepted), turn, err)
}

// TurnInput names a turn.
type TurnInput struct{ ChatPath }

func (a *API) getTurn(ctx context.Context, in *TurnInput) (*TurnOutput, error) {
	scope, err := in.resolve(ctx, auth.Read)
	if err != nil {
		return nil, err
	}
	turn, err := a.ChatStore.ChatTurn(ctx, scope, in.ID)
	return turnOutput(http.StatusOK, turn, err)
}

// AnswerTurnInput answers a pending turn.
type AnswerTurnInput struct {
	ID   string `path:"id" maxLength:"256"`
	Body struct {
		UserID string `json:"user_id,omitempty" minLength:"1" maxLength:"256" doc:"for whom; left out: the user of the key, or the team itself"`
		chat.Answer
	}
}

func (a *API) answerTurn(ctx context.Context, in *AnswerTurnInput) (*TurnOutput, error) {
	scope, err := (&ChatPath{in.ID, in.Body.UserID}).resolve(ctx, auth.Write)
	if err != nil {
		return nil, err
	}
	turn, err := a.ChatStore.AnswerChatTurn(ctx, scope, in.ID, &in.Body.Answer)
	return turnOutput(http.StatusOK, turn, err)
}

func (a *API) deleteTurn(ctx context.Context, in *TurnInput) (*RemovedTurnsOutput, error) {
	scope, err := in.resolve(ctx, auth.Write)
	if err != nil {
		return nil, err
	}
	turns, err := a.Chats.Delete(ctx, scope, in.ID)
	return removed(turns, err)
}

// RetriedTurnOutput says whether a turn is generated again, and how it is now.
type RetriedTurnOutput struct {
	Body struct {
		Retried bool      `json:"retried" doc:"false: the turn was not in error, and stays as it is"`
		Turn    chat.Turn `json:"turn"`
	}
}

func (a *API) retryTurn(ctx context.Context, in *TurnInput) (*RetriedTurnOutput, error) {
	scope, err := in.resolve(ctx, auth.Write)
	if err != nil {
		return nil, err
	}
	out := &RetriedTurnOutput{}
	out.Body.Turn, out.Body.Retried, err = a.Chats.Retry(ctx, scope, in.ID)
	return out, err
}

func (a *API) cancelTurn(ctx context.Context, in *TurnInput) (*TurnOutput, error) {
	scope, err := in.resolve(ctx, auth.Write)
	if err != nil {
		return nil, err
	}
	turn, err := a.Chats.Cancel(ctx, scope, in.ID)
	return turnOutput(http.StatusOK, turn, err)
}

// TurnPathOutput are the turns from a root to a turn.
type TurnPathOutput struct{ Body chat.Path }

func (a *API) turnPath(ctx context.Context, in *TurnInput) (*TurnPathOutput, error) {
	scope, err := in.resolve(ctx, auth.Read)
	if err != nil {
		return nil, err
	}
	path, err := a.ChatStore.ChatPath(ctx, scope, in.ID)
	return &TurnPathOutput{Body: path}, err
}

// TurnDescendantsOutput is a turn and all below it, in short.
type TurnDescendantsOutput struct {
	Body struct {
		Turns []chat.TurnLine `json:"turns"`
	}
}

func (a *API) turnDescendants(ctx context.Context, in *TurnInput) (*TurnDescendantsOutput, error) {
	scope, err := in.resolve(ctx, auth.Read)
	if err != nil {
		return nil, err
	}
	out := &TurnDescendantsOutput{}
	out.Body.Turns, err = a.ChatStore.ChatDescendants(ctx, scope, in.ID)
	return out, err
}

// TurnPromptInput asks for the prompt of a turn.
type TurnPromptInput struct {
	ChatPath
	MaxTokens int `query:"max_tokens" minimum:"1" maximum:"1000000" doc:"of o200k; default: as many as generations are given"`
}

// TurnPromptOutput is the prompt of a turn.
type TurnPromptOutput struct{ Body chat.Assembled }

func (a *API) turnPrompt(ctx context.Context, in *TurnPromptInput) (*TurnPromptOutput, error) {
	scope, err := in.resolve(ctx, auth.Read)
	if err != nil {
		return nil, err
	}
	assembled, err := a.Chats.Assemble(ctx, scope, in.ID, in.MaxTokens)
	if err != nil {
		return nil, err
	}
	return &TurnPromptOutput{Body: *assembled}, nil
}
