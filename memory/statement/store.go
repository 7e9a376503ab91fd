package statement

import (
	"context"
	"fmt"
	"strings"
	"time"

	"kith/graph"
	"kith/graph/cursors"
	"kith/graph/neo"
	"kith/internal/fault"
)

var (
	listStatements   = neo.Load[listed]("statement_list")
	listStatementsAt = neo.Load[listed]("statement_list_at")
	locateStatements = neo.Load[located]("statement_locate")
)

// listed is a row of statement_list.
type listed struct {
	Key, Kind, Text       string
	Negative              bool
	State                 string
	Confidence            float64
	Renewals              int64
	SourceKey, MessageKey string
	From, To              int64
	At                    time.Time
	ValidTo               *time.Time
}

// Store lists and changes the statements of users. It is safe for concurrent use.
type Store struct {
	db    *neo.DB
	graph *graph.Store
}

// NewStore returns the store of the statements in a memory's database.
func NewStore(g *graph.Store) *Store { return &Store{db: g.DB(), graph: g} }

// Query asks for a user's statements.
type Query struct {
	Kinds, States []string // empty: all
	Closed        bool     // with those that hold no longer
	AsOf          *time.Time
	Cursor        string
	Limit         int
}

// Page is a page of statements by key, with the cursor of the next page; empty after the last.
type Page struct {
	Statements []Statement
	Next       string
}

const pageCursor = "statement" + graph.KeySeparator

// Statements lists the statements of the scope's user by key. It returns an InvalidError for a bad cursor.
func (s *Store) Statements(ctx context.Context, scope graph.Scope, q Query) (Page, error) {
	after, err := cursors.Decode(q.Cursor)
	if err != nil {
		return Page{}, err
	}
	after, ok := strings.CutPrefix(after, pageCursor)
	if q.Cursor != "" && !ok {
		return Page{}, cursors.Invalid()
	}
	list, params := listStatements, map[string]any{
		"team_id": scope.TeamID, "user_id": scope.UserID, "after": after, "kinds": orNil(q.Kinds), "states": orNil(q.States),
		"closed": q.Closed, "limit": q.Limit + 1,
	}
	if q.AsOf != nil {
		list, params["at"] = listStatementsAt, q.AsOf.UnixMilli()
	}
	rows, err := list.Read(ctx, s.db, params)
	if err != nil {
		return Page{}, err
	}
	page := Page{Statements: []Statement{}}
	for i := range rows {
		if i == q.Limit {
			page.Next = cursors.Encode(pageCursor + rows[i-1].Key)
			break
		}
		page.Statements = append(page.Statements, rows[i].statement())
	}
	return page, nil
}

// orNil returns nil for an empty list.
func orNil(list []string) any {
	if len(list) == 0 {
		return nil
	}
	return list
}

// Polarity returns the word for what a statement says: positive or negative.
func Polarity(negative bool) string {
	if negative {
		return "negative"
	}
	return "positive"
}

func (l *listed) statement() Statement {
	return Statement{
		Key: l.Key, Kind: l.Kind, Text: l.Text, Polarity: Polarity(l.Negative), State: l.State, Confidence: l.Confidence, Renewals: l.Renewals,
		Source: l.SourceKey, Message: l.MessageKey, From: l.From, To: l.To, At: l.At, ValidTo: l.ValidTo,
	}
}

// located is a row of statement_locate.
type located struct {
	row
	ValidTo *time.Time
}

// Decision is a caller's decision about a statement.
type Decision struct {
	Key   string `json:"key" max:"300" word:"true"`
	State string `json:"state" oneof:"confirmed refused" doc:"confirmed or refused"`
}

// Decide confirms and refuses statements of the scope's user, all or none. Contexts do not show refused ones, also when the user says
// the same again. It returns ErrNotFound if one does not exist.
func (s *Store) Decide(ctx context.Context, scope graph.Scope, decisions []Decision) error {
	keys := make([]string, len(decisions))
	states := map[string]string{}
	for i, d := range decisions {
		keys[i], states[d.Key] = d.Key, d.State
	}
	keys = graph.Distinct(keys)
	return s.graph.Transaction(ctx, "statement_decide", func(t *graph.Tx) error {
		t.Changes([]string{scope.UserID}, keys...)
		found, err := locateStatements.Exec(t, map[string]any{"team_id": scope.TeamID, "user_id": scope.UserID, "keys": keys})
		if err != nil {
			return err
		}
		if len(found) < len(keys) {
			return fmt.Errorf("statements: %w", fault.ErrNotFound)
		}
		var changes []change
		for i := range found {
			r := &found[i]
			if r.State == states[r.Key] && (r.State == Refused || r.Confidence == 1) {
				continue
			}
			if r.State = states[r.Key]; r.State == Confirmed {
				r.Confidence = 1
			}
			p := map[string]any{"state": r.State, "confidence": r.Confidence, "rank": r.rank(), "shown": r.group(), "updated_at": s.graph.Now()}
			if r.ValidTo != nil { // contexts show none that holds no longer, whatever a caller decides
				p["shown"] = nil
			}
			changes = append(changes, change{r.Key, p})
		}
		return storeChanges(t, scope, changes)
	})
}
