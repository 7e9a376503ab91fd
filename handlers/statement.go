package handlers

import (
	"context"
	"time"

	"kith/access/auth"
	"kith/graph"
	"kith/internal/fault"
	"kith/memory/statement"
)

// statementStore keeps what users said to remember.
type statementStore interface {
	Statements(ctx context.Context, scope graph.Scope, q statement.Query) (statement.Page, error)
	Versions(ctx context.Context, scope graph.Scope, key, cursor string, limit int) (statement.VersionPage, error)
	Decide(ctx context.Context, scope graph.Scope, decisions []statement.Decision) error
	Pause(ctx context.Context, scope graph.Scope, paused bool) error
	PauseConversation(ctx context.Context, scope graph.Scope, key string, paused bool) error
	Paused(ctx context.Context, scope graph.Scope) (bool, error)
	ExportStatements(ctx context.Context, teamID string, visit func(*statement.Line) error) error
	ExportStatementsOf(ctx context.Context, teamID, user string, visit func(*statement.Line) error) error
	ExportPauses(ctx context.Context, teamID string, visit func(*statement.PauseLine) error) error
	RestorePause(ctx context.Context, of graph.Scope, dryRun bool) (created bool, err error)
	CheckStatement(l *statement.Line, scope graph.Scope) []fault.FieldError
	RestoreStatements(t *graph.Tx, scope graph.Scope, lines []statement.Line, planned statement.Planned) ([]statement.Result, error)
}

// ListStatementsInput asks for a page of a user's statements.
type ListStatementsInput struct {
	ID     string   `path:"id" maxLength:"256" doc:"user id"`
	Kinds  []string `query:"kinds" enum:"instruction,preference,fact,plan" doc:"default: all"`
	States []string `query:"states" enum:"candidate,active,confirmed,refused" doc:"default: all"`
	Closed bool     `query:"closed" doc:"with those that hold no longer, because something else was said later"`

	AsOf time.Time `query:"as_of" doc:"the statements as they were then"`

	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Cursor string `query:"cursor" maxLength:"4096" doc:"next of the page before"`
}

// StatementPage is a page of statements by key. Next is null after the last.
type StatementPage struct {
	Statements []statement.Statement `json:"statements"`
	Next       *string               `json:"next"`
	Paused     bool                  `json:"paused" doc:"new messages of the user, or of the whole team, are not searched for statements"`
}

// StatementPageOutput is the answer with the page.
type StatementPageOutput struct{ Body StatementPage }

func (a *API) listStatements(ctx context.Context, in *ListStatementsInput) (*StatementPageOutput, error) {
	scope, err := userScope(ctx, auth.Read, in.ID)
	if err != nil {
		return nil, err
	}
	page, err := a.Statements.Statements(ctx, scope, statement.Query{
		Kinds: in.Kinds, States: in.States, Closed: in.Closed, AsOf: timeOrNil(in.AsOf), Cursor: in.Cursor, Limit: in.Limit,
	})
	if err != nil {
		return nil, located("query", err)
	}
	paused, err := a.Statements.Paused(ctx, scope)
	if err != nil {
		return nil, err
	}
	return &StatementPageOutput{StatementPage{page.Statements, stringOrNil(page.Next), paused}}, nil
}

// ChangeStatementsInput confirms or refuses statements of a user, and pauses the search for new ones.
type ChangeStatementsInput struct {
	ID   string `path:"id" maxLength:"256" doc:"user id"`
	Body StatementChange
}

// StatementChange is a change of a user's statements.
type StatementChange struct {
	Statements []statement.Decision `json:"statements,omitempty" maxItems:"200" doc:"all or none are changed"`
	Paused     graph.Optional[bool] `json:"paused,omitzero" doc:"true: new messages are not searched for statements; false: they are again"`

	ConversationID string `json:"conversation_id,omitempty" maxLength:"256" doc:"paused is about this conversation only, not about the user"`
}

// check returns the faults of a change.
func (c *StatementChange) check() error {
	f := &fault.List{}
	if f.Items(fault.At("statements"), len(c.Statements), 200) {
		for i, d := range c.Statements {
			at := fault.At("statements").Index(i)
			f.Word(at.Field("key"), d.Key, 300)
			f.OneOf(at.Field("state"), d.State, statement.Confirmed, statement.Refused)
		}
	}
	f.OptionalKey(fault.At("conversation_id"), c.ConversationID)
	if paused := c.Paused.Given && !c.Paused.Null; c.ConversationID != "" && !paused {
		f.Add(fault.At("paused"), fault.Required, "is required with conversation_id")
	}
	return f.Err()
}

func (a *API) changeStatements(ctx context.Context, in *ChangeStatementsInput) (*struct{}, error) {
	scope, err := userScope(ctx, auth.Write, in.ID)
	if err != nil {
		return nil, err
	}
	if err := in.Body.check(); err != nil {
		return nil, located("body", err)
	}
	if len(in.Body.Statements) > 0 {
		if err := a.Statements.Decide(ctx, scope, in.Body.Statements); err != nil {
			return nil, err
		}
	}
	paused := in.Body.Paused
	switch {
	case !paused.Given || paused.Null:
		return nil, nil
	case in.Body.ConversationID != "":
		return nil, a.Statements.PauseConversation(ctx, scope, in.Body.ConversationID, paused.Value)
	}
	return nil, a.Statements.Pause(ctx, scope, paused.Value)
}

// PauseTeamInput pauses the search for statements for all users of a team.
type PauseTeamInput struct {
	ID   string `path:"id" maxLength:"256" doc:"team id"`
	Body struct {
		Paused bool `json:"paused" doc:"true: new messages of the team are not searched for statements; false: they are again"`
	}
}

func (a *API) pauseTeam(ctx context.Context, in *PauseTeamInput) (*struct{}, error) {
	if err := checkPathID(in.ID); err != nil {
		return nil, err
	}
	team, err := adminOf(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return nil, a.Statements.Pause(ctx, graph.Scope{TeamID: team}, in.Body.Paused)
}
