package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"kith/internal/contract"
	"kith/internal/fault"
	"kith/loader/ontology"
	"kith/memory/system"
)

// addPrompts offers the starts of conversations, for people to choose.
func (s *Server) addPrompts() {
	user := &sdk.PromptArgument{Name: "user_id", Description: "for whom; left out: the user of the key"}
	s.sdk.AddPrompt(&sdk.Prompt{
		Name: "session_start", Title: "Start with what is known about the user",
		Description: "The user's context, and how to use it.", Arguments: []*sdk.PromptArgument{user},
	}, s.sessionStart)
	s.sdk.AddPrompt(&sdk.Prompt{
		Name: "workspace_start", Title: "Start in a project", Description: "What there is in a project and in focus, and how to read links.",
		Arguments: []*sdk.PromptArgument{
			user,
			{Name: "project_id", Description: "entity key or name of the project", Required: true},
			{Name: "focus_kind", Description: "with focus_id: task, plan, goal, document …"},
			{Name: "focus_id", Description: "entity key or name of what the user looks at"},
		},
	}, s.workspaceStart)
	s.sdk.AddPrompt(&sdk.Prompt{
		Name: "system_update", Title: "Write down how a software system is built", Description: "What is known of the system, and how to add to it.",
		Arguments: []*sdk.PromptArgument{{Name: "system", Description: "name of the system", Required: true}},
	}, s.systemUpdate)
}

func (s *Server) systemUpdate(ctx context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	return s.prompt(ctx, guide("system"), func(ctx context.Context) (string, error) {
		name := r.Params.Arguments["system"]
		if err := system.Validate(name); err != nil {
			return "", err
		}
		known, err := s.system(ctx, &systemInput{System: name})
		return known.text, err
	})
}

func (s *Server) sessionStart(ctx context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	return s.prompt(ctx, guide("session"), func(ctx context.Context) (string, error) {
		user, err := userIn(r.Params.Arguments)
		if err != nil {
			return "", err
		}
		return s.contextText(ctx, user)
	})
}

func (s *Server) workspaceStart(ctx context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	given := r.Params.Arguments
	guidance := ontology.SnapshotGuidance
	if given["focus_id"] != "" {
		guidance += "\n\n" + ontology.FocusGuidance
	}
	return s.prompt(ctx, guidance, func(ctx context.Context) (string, error) {
		user, err := userIn(given)
		if err != nil {
			return "", err
		}
		a, err := s.ontology(ctx, &ontologyInput{
			Caller: Caller{user}, ContextType: "project", ProjectID: given["project_id"], FocusKind: given["focus_kind"], FocusID: given["focus_id"],
		})
		return a.text, err
	})
}

// userIn is the user that arguments name; an empty one is refused, as it is for tools.
func userIn(arguments map[string]string) (string, error) {
	user, given := arguments["user_id"]
	if given && user == "" {
		return "", fault.Invalid(fault.At("user_id"), fault.Required, "%s", contract.Empty("user_id"))
	}
	return user, nil
}

// prompt is a guide with what it speaks of.
func (s *Server) prompt(ctx context.Context, guidance string, make func(context.Context) (string, error)) (*sdk.GetPromptResult, error) {
	text, err := s.text(ctx, "prompt", make)
	if err != nil {
		return nil, err
	}
	return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{
		Role: "user", Content: &sdk.TextContent{Text: guidance + "\n\n" + text},
	}}}, nil
}
