package exchange

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"kith/graph"
	"kith/memory/chat"
	"kith/memory/duplicate"
	"kith/memory/feed"
	"kith/memory/preference"
	"kith/memory/statement"
)

// exportStore reads the memory for an export.
type exportStore interface {
	ExportNodes(ctx context.Context, teamID string, visit func(*graph.NodeWrite) error) error
	ExportRelationships(ctx context.Context, teamID string, visit func(*graph.RelationshipWrite) error) error
	ExportVersions(ctx context.Context, teamID string, visit func(*graph.VersionLine) error) error
	ExportSomeNodes(ctx context.Context, teamID string, keys []string, visit func(*graph.NodeWrite) error) error
	ExportSomeRelationships(ctx context.Context, teamID string, links []graph.ExportLink, visit func(*graph.RelationshipWrite) error) error
	ExportSomeVersions(ctx context.Context, teamID string, of []string, visit func(*graph.VersionLine) error) error
	ExportLinks(ctx context.Context, teamID string, keys []string, limit int) ([]graph.ExportLink, error)
}

// exportFeed reads what changed in a team while an export was read.
type exportFeed interface {
	Start(ctx context.Context, team, after string) (feed.Position, error)
	Read(ctx context.Context, scope graph.Scope, r feed.Range, filter feed.Filter, limit int) (feed.Batch, error)
}

// exportChats reads the chats for an export.
type exportChats interface {
	ExportChats(ctx context.Context, teamID string, tree func(*chat.TreeRecord) error, turn func(*chat.TurnRecord) error) error
}

// exportStatements reads what a team's users said to remember, and for whom that is paused.
type exportStatements interface {
	ExportStatements(ctx context.Context, teamID string, visit func(*statement.Line) error) error
	ExportStatementsOf(ctx context.Context, teamID, user string, visit func(*statement.Line) error) error
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
	Changes     exportFeed
}

// Export writes all data of a team, one line each: nodes, relationships, statements, pauses, refusals, reviews, trust rules,
// preferences, chats and former versions. The last line has the numbers of each, by which a reader recognizes a complete export. The same
// memory gives the same bytes, but for blanks after the first line.
//
// The lines are kept in a temporary file first. What was changed while they were read is read again, until nothing of that has changed
// meanwhile: so the file is what the team had at one moment, beside writers too. The last line says so. Chats, about which the feed of changes
// says nothing, are as they were read. While it reads, Export writes a blank now and then, which JSON ignores: a silent connection would be
// taken for a dead one.
func Export(ctx context.Context, from ExportStores, teamID string, out io.Writer) error {
	e := &exporter{ExportStores: from, team: teamID, out: out, shown: time.Now(), last: map[string]int{}, gone: map[string]int{}}
	defer e.spool.close()
	if err := e.writeLine(HeaderItem, Header{Version: Version, Statements: true}); err != nil {
		return err
	}
	begin, err := from.Changes.Start(ctx, teamID, feed.Now)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if err := e.readAll(ctx); err != nil {
		return err
	}
	consistent, err := e.catchUp(ctx, begin)
	if err != nil {
		return fmt.Errorf("export changes: %w", err)
	}
	e.end.Consistent = &consistent
	for in := range sectionCount {
		if err := e.writeSection(ctx, in); err != nil {
			return err
		}
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

// exporter is one export.
type exporter struct {
	ExportStores

	team   string
	out    io.Writer
	shown  time.Time // when something was written last
	buffer []byte
	spool  spool
	round  int
	missed int            // the last round that did not find a node
	last   map[string]int // the last round in which records were read, by id; all others only in round 0
	gone   map[string]int // what needs these records holds only if it was read in this round or later
	end    End
}

// Ids of what is not a node, whose id is its key.
const (
	relationshipID = "relationship\x1f"
	versionID      = "version\x1f"    // of all former versions of a record
	statementID    = "statement\x1f"  // of all statements of a user
	preferenceID   = "preference\x1f" // likewise
	systemID       = "system\x1f"
	pausesID       = "\x1fpauses" // of all of them
	refusalsID     = "\x1frefusals"
	reviewsID      = "\x1freviews"
	trustRulesID   = "\x1ftrust rules"
)

// placeSuffix ends the keys under which former places in systems are kept.
const placeSuffix = graph.KeySeparator + graph.PlaceRecord

// aliveEvery is how long an export is silent at most.
const aliveEvery = 30 * time.Second

func (e *exporter) writeLine(kind ItemKind, value any) error {
	var err error
	if e.buffer, err = AppendLine(e.buffer[:0], kind, value); err != nil {
		return err
	}
	_, err = e.out.Write(e.buffer)
	return err
}

// keep puts a line into the spool.
func (e *exporter) keep(ctx context.Context, in section, kind ItemKind, value any, id string, needs ...string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := e.showLife(); err != nil {
		return err
	}
	var err error
	if e.buffer, err = AppendLine(e.buffer[:0], kind, value); err != nil {
		return err
	}
	return e.spool.add(in, &record{e.round, kind, id, needs}, e.buffer)
}

// showLife writes a blank if nothing was written for a while.
func (e *exporter) showLife() error {
	if time.Since(e.shown) < aliveEvery {
		return nil
	}
	e.shown = time.Now()
	if _, err := e.out.Write([]byte(" ")); err != nil {
		return err
	}
	if held, ok := e.out.(interface{ Flush() error }); ok {
		return held.Flush()
	}
	return nil
}

// readAll reads everything once.
func (e *exporter) readAll(ctx context.Context) error {
	for _, read := range []struct {
		what string
		all  func() error
	}{
		{"nodes", func() error { return e.Memory.ExportNodes(ctx, e.team, e.node(ctx)) }},
		{"relationships", func() error { return e.Memory.ExportRelationships(ctx, e.team, e.relationship(ctx)) }},
		{"statements", func() error { return e.Statements.ExportStatements(ctx, e.team, e.statement(ctx)) }},
		{"pauses, refusals and reviews", func() error { return e.readWhole(ctx) }},
		{"preferences", func() error { return e.readPreferences(ctx, "") }},
		{"chats", func() error { return e.readChats(ctx) }},
		{"versions", func() error { return e.Memory.ExportVersions(ctx, e.team, e.version(ctx)) }},
	} {
		if err := read.all(); err != nil {
			return fmt.Errorf("export %s: %w", read.what, err)
		}
	}
	return nil
}

// readWhole reads the sections of whose records the feed says nothing. They are small.
func (e *exporter) readWhole(ctx context.Context) error {
	err := e.Statements.ExportPauses(ctx, e.team, func(l *statement.PauseLine) error {
		return e.keep(ctx, pauseSection, PauseItem, l, pausesID)
	})
	if err != nil {
		return err
	}
	err = e.Refusals.ExportRefusals(ctx, e.team, func(l *duplicate.Line) error {
		return e.keep(ctx, refusalSection, RefusalItem, l, refusalsID, l.First, l.Second)
	})
	if err != nil {
		return err
	}
	err = e.Reviews.ExportReviews(ctx, e.team, func(l *graph.ReviewLine) error {
		return e.keep(ctx, reviewSection, ReviewItem, l, reviewsID)
	})
	if err != nil {
		return err
	}
	return e.Reviews.ExportTrustRules(ctx, e.team, func(l *graph.TrustRuleLine) error {
		return e.keep(ctx, trustRuleSection, TrustRuleItem, l, trustRulesID)
	})
}

func (e *exporter) readChats(ctx context.Context) error {
	return e.Chats.ExportChats(ctx, e.team, func(r *chat.TreeRecord) error {
		return e.keep(ctx, chatSection, ChatTreeItem, r, "")
	}, func(r *chat.TurnRecord) error {
		return e.keep(ctx, chatSection, ChatTurnItem, r, "")
	})
}

// readPreferences reads the preferences of a user, or of all.
func (e *exporter) readPreferences(ctx context.Context, of string) error {
	for user, key := of, ""; ; {
		page, err := e.Preferences.TeamPreferences(ctx, e.team, user, key, preferencePage)
		if err != nil {
			return err
		}
		for _, p := range page {
			if of != "" && p.UserID != of {
				return nil
			}
			user, key = p.UserID, p.Key
			if err := e.keep(ctx, preferenceSection, PreferenceItem, p, preferenceID+user); err != nil {
				return err
			}
		}
		if len(page) < preferencePage {
			return nil
		}
	}
}

func (e *exporter) node(ctx context.Context) func(*graph.NodeWrite) error {
	return func(w *graph.NodeWrite) error {
		switch {
		case w.Kind == graph.MessageKind.Name:
			return e.keep(ctx, messageSection, NodeItem, w, w.EntityKey)
		case w.Kind == graph.SystemEntityKind.Name && w.OwnFields != nil:
			return e.keep(ctx, nodeSection, NodeItem, w, w.EntityKey, systemID+w.System.Value)
		}
		return e.keep(ctx, nodeSection, NodeItem, w, w.EntityKey)
	}
}

func (e *exporter) relationship(ctx context.Context) func(*graph.RelationshipWrite) error {
	return func(w *graph.RelationshipWrite) error {
		return e.keep(ctx, relationshipSection, RelationshipItem, w, relationshipID+w.Key, w.From, w.To)
	}
}

func (e *exporter) statement(ctx context.Context) func(*statement.Line) error {
	return func(l *statement.Line) error {
		return e.keep(ctx, statementSection, StatementItem, l, statementID+l.UserID.Value, l.Message)
	}
}

func (e *exporter) version(ctx context.Context) func(*graph.VersionLine) error {
	return func(l *graph.VersionLine) error {
		of := strings.TrimSuffix(l.Of, placeSuffix)
		var needs []string
		switch l.Kind {
		case graph.RelationshipRecord, graph.SystemRelationshipRecord:
			needs = []string{relationshipID + of}
		case graph.StatementRecord:
			var message string
			_ = json.Unmarshal(l.Properties["message_key"], &message) // written by graph
			needs = []string{message}
		case graph.PreferenceRecord:
		default:
			needs = []string{of}
		}
		return e.keep(ctx, versionSection, VersionItem, l, versionID+of, needs...)
	}
}

// writeSection writes the lines of a section that hold.
func (e *exporter) writeSection(ctx context.Context, in section) error {
	return e.spool.each(in, func(r *record, line []byte) error {
		if !e.holds(in, r) {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		e.end.count(r.kind)
		_, err := e.out.Write(line)
		return err
	})
}

// holds reports whether a line is of the last round in which its record was read, and what it needs is still there.
func (e *exporter) holds(in section, r *record) bool {
	if r.round < max(e.last[r.id], e.gone[r.id]) {
		return false
	}
	for _, needed := range r.needs {
		if until := e.gone[needed]; r.round < until {
			if in <= relationshipSection { // others need this one
				e.gone[r.id] = until
			}
			return false
		}
	}
	return true
}
