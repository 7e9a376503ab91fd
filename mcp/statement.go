package mcp

import (
	"context"
	"strings"
	"time"

	"kith/access/auth"
	"kith/graph"
	"kith/internal/contract"
	"kith/internal/fault"
	"kith/memory/statement"
	"kith/text/markup"
)

// statements keeps what users said to remember.
type statements interface {
	Statements(ctx context.Context, scope graph.Scope, q statement.Query) (statement.Page, error)
	Decide(ctx context.Context, scope graph.Scope, decisions []statement.Decision) error
}

type statementsInput struct {
	Caller
	Confirm []string `json:"confirm,omitempty" maxItems:"100" unique:"true" doc:"keys of statements that the user confirmed"`
	Refuse  []string `json:"refuse,omitempty" maxItems:"100" unique:"true" doc:"keys of statements that no longer count"`
	Cursor  string   `json:"cursor,omitempty" maxLength:"4096" doc:"next of the page before"`
}

func (s *Server) addStatements() {
	add(s, tool{"review_statements", "List, confirm or refuse what the user said to remember", writes, guide("review_statements")}, contract.Input[statementsInput](), s.reviewStatements)
}

// statementsPage is the number of statements of one answer.
const statementsPage = 50

func (s *Server) reviewStatements(ctx context.Context, in *statementsInput) (answer, error) {
	scope, err := scope(ctx, auth.Write, in.Caller)
	if err != nil {
		return answer{}, err
	}
	if scope.UserID == "" {
		return answer{}, fault.Invalid(fault.At("user_id"), fault.Required, "is required: the key is not bound to a user")
	}
	f := &fault.List{}
	refuseCursor(f, in.Cursor, len(in.Confirm)+len(in.Refuse))
	if err := f.Err(); err != nil {
		return answer{}, err
	}
	var decisions []statement.Decision
	for _, key := range in.Confirm {
		decisions = append(decisions, statement.Decision{Key: key, State: statement.Confirmed})
	}
	for _, key := range in.Refuse {
		decisions = append(decisions, statement.Decision{Key: key, State: statement.Refused})
	}
	if len(decisions) > 0 {
		if err := s.Statements.Decide(ctx, scope, decisions); err != nil {
			return answer{}, err
		}
	}
	page, err := s.Statements.Statements(ctx, scope, statement.Query{Cursor: in.Cursor, Limit: statementsPage})
	if err != nil {
		return answer{}, err
	}
	return answer{text: statementsText(page)}, nil
}

// refuseCursor reports a cursor in a call that decides: a bad one would hide what was decided.
func refuseCursor(f *fault.List, cursor string, decisions int) {
	if cursor != "" && decisions > 0 {
		f.Add(fault.At("cursor"), fault.Contrary, "must not be given with confirm or refuse: the list begins anew after them")
	}
}

func statementsText(page statement.Page) string {
	if len(page.Statements) == 0 {
		return "Nothing the user said is kept as a statement.\n"
	}
	var out strings.Builder
	for i := range page.Statements {
		s := &page.Statements[i]
		out.WriteString("- " + s.Kind + ", " + s.State + ": " + markup.Said(s.Text) + " (" + s.At.Format(time.DateOnly) + ", key " + markup.Inline(s.Key) + ")\n")
	}
	if page.Next != "" {
		out.WriteString("\nMore: cursor " + page.Next + "\n")
	}
	return out.String()
}
