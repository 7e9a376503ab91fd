package exchange

import (
	"context"
	"fmt"
	"io"

	"kith/chat"
	"kith/duplicate"
	"kith/graph"
	"kith/preference"
	"kith/statement"
)

// exportStore reads the memory for an export.
type exportStore interface {
	ExportNodes(ctx context.Context, teamID string, visit func(*graph.NodeWrite) error) error
	ExportRelationships(ctx context.Context, teamID string, visit func(*graph.RelationshipWrite) error) error
	ExportVersions(ctx context.Context, teamID string, visit func(*graph.VersionLine) error) error
}

// exportChats reads the chats for an export.
type exportChats interface {
	ExportChats(ctx context.Context, teamID string, tree func(*chat.TreeRecord) error, turn func(*chat.TurnRecord) error) error
}

// exportStatements reads what a team's users said to remember, and for whom that is paused.
type exportStatements interface {
	ExportStatements(ctx context.Context, teamID string, visit func(*statement.Line) error) error
	ExportPauses(ctx context.Context, teamID string, visit func(*statement.PauseLine) error) error
}

// exportRefusals reads which nodes of a team look like one and are not.
type exportRefusals interface {
	ExportRefusals(ctx context.Context, teamID string, visit func(*duplicate.Line) error) error
}

// exportReviews reads what waits for a decision in a team, and what was decided.
type exportReviews interface {
	ExportReviews(ctx context.Context, teamID string, visit func(*graph.ReviewLine) error) error
	ExportTrustRules(ctx context.Context, teamID string, visit func(*graph.TrustRuleLine) error) error
}

// exportPreferences reads a team's settings.
type exportPreferences interface {
	TeamPreferences(ctx context.Context, teamID, afterUser, afterKey string, limit int) ([]preference.OfUser, error)
}

// preferencePage bounds the preferences of one read.
const preferencePage = 1000

// ExportStores are the stores that an export reads.
type ExportStores struct {
	Memory      exportStore
	Statements  exportStatements
	Refusals    exportRefusals
	Reviews     exportReviews
	Preferences exportPreferences
	Chats       exportChats
}

// Export writes all data of a team, one line each: nodes, relationships, statements, pauses, refusals, reviews, trust rules,
// preferences, chats and former versions. The last line has the numbers of each, by which a reader recognizes a complete export. The same
// memory gives the same bytes.
func Export(ctx context.Context, from ExportStores, teamID string, out io.Writer) error {
	e := &exporter{out: out}
	if err := e.writeLine(HeaderItem, Header{Version: Version, Statements: true}); err != nil {
		return err
	}
	err := from.Memory.ExportNodes(ctx, teamID, func(w *graph.NodeWrite) error {
		e.end.Nodes++
		return e.writeLine(NodeItem, w)
	})
	if err != nil {
		return fmt.Errorf("export nodes: %w", err)
	}
	err = from.Memory.ExportRelationships(ctx, teamID, func(w *graph.RelationshipWrite) error {
		e.end.Relationships++
		return e.writeLine(RelationshipItem, w)
	})
	if err != nil {
		return fmt.Errorf("export relationships: %w", err)
	}
	err = from.Statements.ExportStatements(ctx, teamID, func(l *statement.Line) error {
		e.end.Statements++
		return e.writeLine(StatementItem, l)
	})
	if err != nil {
		return fmt.Errorf("export statements: %w", err)
	}
	err = from.Statements.ExportPauses(ctx, teamID, func(l *statement.PauseLine) error {
		e.end.Pauses++
		return e.writeLine(PauseItem, l)
	})
	if err != nil {
		return fmt.Errorf("export pauses: %w", err)
	}
	err = from.Refusals.ExportRefusals(ctx, teamID, func(l *duplicate.Line) error {
		e.end.Refusals++
		return e.writeLine(RefusalItem, l)
	})
	if err != nil {
		return fmt.Errorf("export refusals: %w", err)
	}
	if err := e.writeReviews(ctx, from.Reviews, teamID); err != nil {
		return fmt.Errorf("export reviews: %w", err)
	}
	if err := e.writePreferences(ctx, from.Preferences, teamID); err != nil {
		return fmt.Errorf("export preferences: %w", err)
	}
	if err := e.writeChats(ctx, from.Chats, teamID); err != nil {
		return fmt.Errorf("export chats: %w", err)
	}
	err = from.Memory.ExportVersions(ctx, teamID, func(l *graph.VersionLine) error {
		e.end.Versions++
		return e.writeLine(VersionItem, l)
	})
	if err != nil {
		return fmt.Errorf("export versions: %w", err)
	}
	return e.writeLine(EndItem, e.end)
}

// Incomplete is the content of the last line of an export that broke off.
type Incomplete struct {
	Reason string `json:"reason"`
}

// WriteIncomplete ends an export that broke off with a line that says so.
func WriteIncomplete(out io.Writer, reason string) error {
	return (&exporter{out: out}).writeLine(IncompleteItem, Incomplete{reason})
}

type exporter struct {
	out    io.Writer
	buffer []byte
	end    End
}

func (e *exporter) writeLine(kind ItemKind, value any) error {
	var err error
	if e.buffer, err = AppendLine(e.buffer[:0], kind, value); err != nil {
		return err
	}
	_, err = e.out.Write(e.buffer)
	return err
}

func (e *exporter) writeReviews(ctx context.Context, reviews exportReviews, teamID string) error {
	err := reviews.ExportReviews(ctx, teamID, func(l *graph.ReviewLine) error {
		e.end.Reviews++
		return e.writeLine(ReviewItem, l)
	})
	if err != nil {
		return err
	}
	return reviews.ExportTrustRules(ctx, teamID, func(l *graph.TrustRuleLine) error {
		e.end.TrustRules++
		return e.writeLine(TrustRuleItem, l)
	})
}

func (e *exporter) writeChats(ctx context.Context, chats exportChats, teamID string) error {
	return chats.ExportChats(ctx, teamID, func(r *chat.TreeRecord) error {
		e.end.ChatTrees++
		return e.writeLine(ChatTreeItem, r)
	}, func(r *chat.TurnRecord) error {
		e.end.ChatTurns++
		return e.writeLine(ChatTurnItem, r)
	})
}

func (e *exporter) writePreferences(ctx context.Context, prefs exportPreferences, teamID string) error {
	user, key := "", ""
	for {
		page, err := prefs.TeamPreferences(ctx, teamID, user, key, preferencePage)
		if err != nil {
			return err
		}
		for _, p := range page {
			user, key = p.UserID, p.Key
			e.end.Preferences++
			if err := e.writeLine(PreferenceItem, p); err != nil {
				return err
			}
		}
		if len(page) < preferencePage {
			return nil
		}
	}
}
