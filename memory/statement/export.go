package statement

import (
	"context"
	"slices"
	"time"

	"kith/graph"
	"kith/graph/neo"
)

var exportStatements = neo.Load[exportPage]("export_statements")

// exportPage has the rest of a user's statements and those of later users.
type exportPage struct{ SameUser, LaterUsers []stored }

// stored is a stored statement, in the order of export_statements and statement_known.
type stored struct {
	UserID, Key, Kind, Text string
	Negative                bool
	State                   string
	Confidence              float64
	Renewals                int64
	RenewedAt               *time.Time
	SourceKey, MessageKey   string
	From, To                int64
	At                      time.Time
	ValidTo                 *time.Time
	Subject, Topic          string
}

// Line is a statement in an export: all of it but what follows from the rest.
type Line struct {
	UserID     graph.Optional[string] `json:"user_id,omitzero"`
	Key        string                 `json:"key"`
	Kind       string                 `json:"kind"`
	Text       string                 `json:"text"`
	Polarity   string                 `json:"polarity"`
	State      string                 `json:"state"`
	Confidence float64                `json:"confidence"`
	Renewals   int64                  `json:"renewals,omitempty"`
	RenewedAt  *time.Time             `json:"renewed_at,omitempty"`
	Source     string                 `json:"source"`
	Message    string                 `json:"message"`
	From       int64                  `json:"from"`
	To         int64                  `json:"to"`
	At         time.Time              `json:"at"`
	ValidTo    *time.Time             `json:"valid_to,omitempty"`
	Subject    string                 `json:"subject,omitempty"` // stems of its words
	Topic      string                 `json:"topic,omitempty"`   // what it is about, whatever it says about it
}

// exportRows is the number of statements of one read.
const exportRows = 500

// ExportStatements reads all statements of a team's users by user and key, without those of deleted messages. It stops at the first
// error of visit and returns it.
func (s *Store) ExportStatements(ctx context.Context, teamID string, visit func(*Line) error) error {
	return s.export(ctx, graph.Scope{TeamID: teamID}, visit)
}

// ExportStatementsOf is ExportStatements for one user.
func (s *Store) ExportStatementsOf(ctx context.Context, teamID, user string, visit func(*Line) error) error {
	return s.export(ctx, graph.Scope{TeamID: teamID, UserID: user}, visit)
}

func (s *Store) export(ctx context.Context, scope graph.Scope, visit func(*Line) error) error {
	user, key := scope.UserID, ""
	for {
		found, err := exportStatements.ReadOne(ctx, s.db, map[string]any{
			"team_id": scope.TeamID, "after_user": user, "after_key": key, "limit": exportRows,
		})
		if err != nil {
			return err
		}
		rows := slices.Concat(found.SameUser, found.LaterUsers)
		for i := range rows[:min(len(rows), exportRows)] {
			if scope.UserID != "" && rows[i].UserID != scope.UserID {
				return nil
			}
			user, key = rows[i].UserID, rows[i].Key
			if err := visit(rows[i].line()); err != nil {
				return err
			}
		}
		if len(rows) < exportRows {
			return nil
		}
	}
}

func (r *stored) line() *Line {
	return &Line{
		UserID: graph.Some(r.UserID), Key: r.Key, Kind: r.Kind, Text: r.Text, Polarity: Polarity(r.Negative), State: r.State,
		Confidence: r.Confidence, Renewals: r.Renewals, RenewedAt: utc(r.RenewedAt), Source: r.SourceKey, Message: r.MessageKey,
		From: r.From, To: r.To, At: r.At.UTC(), ValidTo: utc(r.ValidTo), Subject: r.Subject, Topic: r.Topic,
	}
}

// utc returns a time in UTC, so that equal times are equal values.
func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	in := t.UTC()
	return &in
}
