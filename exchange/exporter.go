package exchange

import (
	"context"
	"fmt"
	"io"

	"kith/graph"
)

// exportStore is what an export asks of the memory.
type exportStore interface {
	ExportNodes(ctx context.Context, teamID string, visit func(*graph.NodeWrite) error) error
	ExportRelationships(ctx context.Context, teamID string, visit func(*graph.RelationshipWrite) error) error
	ExportChats(ctx context.Context, teamID string, tree func(*graph.ChatTreeRecord) error, turn func(*graph.ChatTurnRecord) error) error
}

// exportPreferences is where a team's settings are kept.
type exportPreferences interface {
	TeamPreferences(ctx context.Context, teamID, afterUser, afterKey string, limit int) ([]graph.UserPreference, error)
}

// preferencePage bounds the preferences that are read at once.
const preferencePage = 1000

// Export writes all that a team has, one line each: nodes, relationships, preferences, chats, and how many of each as the last
// line, which a reader can know a whole export by. The same memory gives the same bytes.
func Export(ctx context.Context, store exportStore, prefs exportPreferences, teamID string, out io.Writer) error {
	e := &exporter{out: out}
	if err := e.line(HeaderItem, Header{Version: Version}); err != nil {
		return err
	}
	err := store.ExportNodes(ctx, teamID, func(w *graph.NodeWrite) error {
		e.end.Nodes++
		return e.line(NodeItem, w)
	})
	if err != nil {
		return fmt.Errorf("export nodes: %w", err)
	}
	err = store.ExportRelationships(ctx, teamID, func(w *graph.RelationshipWrite) error {
		e.end.Relationships++
		return e.line(RelationshipItem, w)
	})
	if err != nil {
		return fmt.Errorf("export relationships: %w", err)
	}
	if err := e.preferences(ctx, prefs, teamID); err != nil {
		return fmt.Errorf("export preferences: %w", err)
	}
	if err := e.chats(ctx, store, teamID); err != nil {
		return fmt.Errorf("export chats: %w", err)
	}
	return e.line(EndItem, e.end)
}

type exporter struct {
	out    io.Writer
	buffer []byte
	end    End
}

func (e *exporter) line(kind ItemKind, value any) error {
	var err error
	if e.buffer, err = AppendLine(e.buffer[:0], kind, value); err != nil {
		return err
	}
	_, err = e.out.Write(e.buffer)
	return err
}

func (e *exporter) chats(ctx context.Context, store exportStore, teamID string) error {
	return store.ExportChats(ctx, teamID, func(r *graph.ChatTreeRecord) error {
		e.end.ChatTrees++
		return e.line(ChatTreeItem, r)
	}, func(r *graph.ChatTurnRecord) error {
		e.end.ChatTurns++
		return e.line(ChatTurnItem, r)
	})
}

func (e *exporter) preferences(ctx context.Context, prefs exportPreferences, teamID string) error {
	user, key := "", ""
	for {
		page, err := prefs.TeamPreferences(ctx, teamID, user, key, preferencePage)
		if err != nil {
			return err
		}
		for _, p := range page {
			user, key = p.UserID, p.Key
			e.end.Preferences++
			if err := e.line(PreferenceItem, p); err != nil {
				return err
			}
		}
		if len(page) < preferencePage {
			return nil
		}
	}
}
