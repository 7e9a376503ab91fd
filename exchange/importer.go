package exchange

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"kith/graph"
)

// importStore is what an import asks of the memory.
type importStore interface {
	Restore(ctx context.Context, scope graph.Scope, b *graph.RestoreBatch, mark graph.ImportMark, report func(graph.MemoryResult) string, dryRun bool) (graph.MemoryResult, error)
	CheckNode(w *graph.NodeWrite, scope graph.Scope) []graph.FieldError
	CheckRelationship(w *graph.RelationshipWrite) []graph.FieldError
	ImportProgress(ctx context.Context, teamID, id string) (graph.ImportMark, error)
	EndImport(ctx context.Context, teamID, id string) error
}

// preferences are where a user's settings are kept.
type preferences interface {
	Preferences(ctx context.Context, scope graph.Scope) ([]graph.Preference, error)
	ReplacePreferences(ctx context.Context, scope graph.Scope, all []graph.Preference) error
}

// Bounds of what an import stores at once, and of what it tells.
const (
	batchItems  = 1000
	batchBytes  = 8 << 20
	maxRefusals = 1000
)

// Counts says what became of items.
type Counts struct {
	Created   int64 `json:"created"`
	Updated   int64 `json:"updated"`
	Unchanged int64 `json:"unchanged"`
	Refused   int64 `json:"refused"`
}

func (c *Counts) add(s graph.Status) {
	switch s {
	case graph.Created:
		c.Created++
	case graph.Updated:
		c.Updated++
	case graph.Unchanged:
		c.Unchanged++
	case graph.Refused:
		c.Refused++
	}
}

// Refusal is a fault of a line, or a warning. Location is a path within the item.
type Refusal struct {
	Line     int64  `json:"line"`
	Location string `json:"location"`
	Message  string `json:"message"`
}

// Report says what an import did. ResumedAtLine is set where an earlier attempt had stored the lines before it, which
// the counts include.
type Report struct {
	ImportID      string    `json:"import_id,omitempty"`
	DryRun        bool      `json:"dry_run"`
	Complete      bool      `json:"complete" doc:"false: the import stopped, and may be sent again with the same import_id"`
	Lines         int64     `json:"lines"`
	ResumedAtLine int64     `json:"resumed_at_line,omitempty"`
	Nodes         Counts    `json:"nodes"`
	Relationships Counts    `json:"relationships"`
	Preferences   Counts    `json:"preferences"`
	Refused       []Refusal `json:"refused" doc:"the first 1,000, with reasons"`
	Warnings      []Refusal `json:"warnings" doc:"the first 1,000"`
	Stopped       string    `json:"stopped,omitempty" doc:"why the import is not complete"`
}

// ImportOptions say how to import.
type ImportOptions struct {
	ID     string // by which a broken import goes on; empty: it cannot
	DryRun bool
	Strict bool // stop at the first fault
	// Changed is told of the users whose memory a piece has changed.
	Changed func(users []string)
}

// Import stores all items of a reader, in pieces of one transaction each, and says what became of them. An error of the
// store ends it; what the report counts is stored then. Memory stays bounded, but for a dry run, which remembers eight
// bytes for each node.
func Import(ctx context.Context, store importStore, prefs preferences, scope graph.Scope, r *Reader, o ImportOptions) (*Report, error) {
	i := &importer{
		store: store, prefs: prefs, scope: scope, options: o, aliases: map[string]string{}, planned: map[uint64]bool{},
		report: &Report{ImportID: o.ID, DryRun: o.DryRun, Refused: []Refusal{}, Warnings: []Refusal{}},
	}
	if err := i.resume(ctx); err != nil {
		return i.report, err
	}
	err := i.run(ctx, r)
	if i.report.Complete = err == nil; err == nil && o.ID != "" && !o.DryRun {
		err = store.EndImport(ctx, scope.TeamID, o.ID)
	}
	return i.report, err
}

// ErrStopped says that a strict import met a fault, which is in the report.
var ErrStopped = errors.New("the import stopped at the first fault")

// importer is one import.
type importer struct {
	store   importStore
	prefs   preferences
	scope   graph.Scope
	options ImportOptions
	report  *Report
	done    int64             // the number of the last item that an earlier attempt has stored
	aliases map[string]string // keys of an import that turned out to be those of stored nodes
	planned map[uint64]bool   // hashes of the keys that a dry run would have stored
	batch   batch
	seq     int64
}

// resume goes on where an import of the same id has stopped.
func (i *importer) resume(ctx context.Context) error {
	if i.options.ID == "" || i.options.DryRun {
		return nil
	}
	mark, err := i.store.ImportProgress(ctx, i.scope.TeamID, i.options.ID)
	if err != nil || mark.Seq == 0 {
		return err
	}
	i.done = mark.Seq
	if err := json.Unmarshal([]byte(mark.Report), i.report); err != nil {
		return fmt.Errorf("resume import: %w", err)
	}
	i.report.ResumedAtLine, i.report.Complete = i.report.Lines+1, false
	return nil
}

func (i *importer) run(ctx context.Context, r *Reader) error {
	for {
		item, fault, err := r.Next()
		if errors.Is(err, io.EOF) {
			return i.flush(ctx)
		}
		if err != nil {
			return errors.Join(err, i.flush(ctx))
		}
		if err := i.take(ctx, item, fault); err != nil {
			return err
		}
	}
}

// take looks at one item or fault of the reader.
func (i *importer) take(ctx context.Context, item Item, fault *Fault) error {
	if fault != nil {
		if fault.Line < i.report.ResumedAtLine { // told by the attempt before
			return nil
		}
		return i.fault(fault.Line, fault.Location, fault.Message, fault.Warning, nil)
	}
	if i.seq = item.Seq; item.Seq <= i.done {
		return nil
	}
	i.report.Lines = max(i.report.Lines, item.Line)
	switch item.Kind {
	case NodeItem:
		return i.node(ctx, item)
	case RelationshipItem:
		return i.relationship(ctx, item)
	case PreferenceItem:
		return i.preference(ctx, item)
	}
	return nil
}

// fault notes what is wrong with a line, and counts it as refused.
func (i *importer) fault(line int64, location, message string, warning bool, counts *Counts) error {
	told := Refusal{Line: line, Location: location, Message: message}
	if warning {
		if len(i.report.Warnings) < maxRefusals {
			i.report.Warnings = append(i.report.Warnings, told)
		}
		return nil
	}
	if counts != nil {
		counts.Refused++
	}
	if len(i.report.Refused) < maxRefusals {
		i.report.Refused = append(i.report.Refused, told)
	}
	if i.options.Strict {
		return ErrStopped
	}
	return nil
}

// refuse notes all that is wrong with an item.
func (i *importer) refuse(line int64, fields []graph.FieldError, counts *Counts) error {
	for n, f := range fields {
		only := counts
		if n > 0 { // an item is refused once
			only = nil
		}
		if err := i.fault(line, f.Location, f.Message, false, only); err != nil {
			return err
		}
	}
	return nil
}
