package statement

import (
	"context"
	"fmt"

	"kith/graph"
	"kith/graph/neo"
	"kith/internal/fault"
)

var (
	pauseStatements = neo.Load[neo.None]("statement_pause")
	pauseSource     = neo.Load[bool]("statement_pause_source")
	readPaused      = neo.Load[bool]("statement_paused")
	exportPauses    = neo.Load[string]("export_pauses")
)

// PauseLine is a pause of the search for statements in an export: of a user, or of the whole team if the user is null. That of a
// conversation is part of its node.
type PauseLine struct {
	UserID graph.Optional[string] `json:"user_id,omitzero"`
}

// Pause stops the search for statements in new messages of the scope's user, or of the whole team if the scope has none, or ends the
// pause.
func (s *Store) Pause(ctx context.Context, scope graph.Scope, paused bool) error {
	return s.graph.Transaction(ctx, "statement_pause", func(t *graph.Tx) error {
		t.Changes([]string{scope.UserID})
		return pauseStatements.Run(t, map[string]any{"team_id": scope.TeamID, "user_id": scope.UserID, "paused": paused, "now": s.graph.Now()})
	})
}

// PauseConversation stops the search for statements in new messages of a conversation of the scope's user, or ends the pause. It returns
// ErrNotFound if the user has no such conversation.
func (s *Store) PauseConversation(ctx context.Context, scope graph.Scope, key string, paused bool) error {
	return s.graph.Transaction(ctx, "statement_pause_source", func(t *graph.Tx) error {
		t.Changes([]string{scope.UserID}, key)
		found, err := pauseSource.Exec(t, map[string]any{
			"team_id": scope.TeamID, "user_id": scope.UserID, "source_key": key, "paused": paused, "now": s.graph.Now(),
		})
		if err == nil && len(found) == 0 {
			err = fmt.Errorf("conversation: %w", fault.ErrNotFound)
		}
		return err
	})
}

// Paused reports whether the search for statements is paused for the scope's user or the whole team.
func (s *Store) Paused(ctx context.Context, scope graph.Scope) (bool, error) {
	return readPaused.ReadOne(ctx, s.db, map[string]any{"team_id": scope.TeamID, "user_id": scope.UserID})
}

// exportedPauses is the number of pauses of one read.
const exportedPauses = 1000

// ExportPauses reads the pauses of a team: its own first, then those of its users in order. It stops at the first error of visit and
// returns it.
func (s *Store) ExportPauses(ctx context.Context, teamID string, visit func(*PauseLine) error) error {
	for from := ""; ; {
		users, err := exportPauses.Read(ctx, s.db, map[string]any{"team_id": teamID, "from_user": from, "limit": exportedPauses})
		if err != nil {
			return err
		}
		for _, user := range users {
			line := &PauseLine{UserID: graph.Optional[string]{Given: true, Null: user == "", Value: user}}
			if err := visit(line); err != nil {
				return err
			}
			from = user + "\x00" // the next: no user has control characters
		}
		if len(users) < exportedPauses {
			return nil
		}
	}
}

// CheckPause returns the faults of a pause of an import, and of whom it is: one that names no user is the scope's, and with null
// the team's, which only an import for all of the team may pause.
func CheckPause(l *PauseLine, scope graph.Scope) (graph.Scope, []fault.FieldError) {
	f := &fault.List{}
	of := scope.Imported(f, l.UserID)
	return of, f.Fields()
}

// RestorePause pauses the search for statements as an import says. An import ends no pause. It reports whether there was none.
func (s *Store) RestorePause(ctx context.Context, of graph.Scope, dryRun bool) (created bool, err error) {
	found, err := exportPauses.Read(ctx, s.db, map[string]any{"team_id": of.TeamID, "from_user": of.UserID, "limit": 1})
	if err != nil || len(found) > 0 && found[0] == of.UserID || dryRun {
		return len(found) == 0 || found[0] != of.UserID, err
	}
	return true, s.Pause(ctx, of, true)
}
