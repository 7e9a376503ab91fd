package exchange

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"kith/graph"
)

// progressStore knows how far imports have come.
type progressStore interface {
	ImportProgress(ctx context.Context, scope graph.Scope, id string) (graph.ImportMark, error)
}

// importStore is what an import asks of the memory.
type importStore interface {
	progressStore
	Restore(ctx context.Context, scope graph.Scope, b *graph.RestoreBatch, mark graph.ImportMark, report func(graph.MemoryResult) string, dryRun bool) (graph.MemoryResult, error)
	CheckNode(w *graph.NodeWrite, scope graph.Scope) []graph.FieldError
	CheckRelationship(w *graph.RelationshipWrite) []graph.FieldError
	EndImport(ctx context.Context, scope graph.Scope, id string) error
	RestoreChats(ctx context.Context, scope graph.Scope, b *graph.ChatBatch) (graph.ChatResult, error)
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
	lastFlush   = 30 * time.Second // for what came before a connection broke
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
	ChatTrees     Counts    `json:"chat_trees"`
	ChatTurns     Counts    `json:"chat_turns"`
	Refused       []Refusal `json:"refused" doc:"the first 1,000, with reasons"`
	Warnings      []Refusal `json:"warnings" doc:"the first 1,000"`
	Stopped       string    `json:"stopped,omitempty" doc:"why the import is not complete"`
}

// ImportOptions say how to import.
type ImportOptions struct {
	ID     string // by which a broken import goes on; empty: it cannot
	DryRun bool
	Strict bool   // stop at the first fault
	Owner  string // the name of the person who is the user; empty: the file does not say
	Guess  bool   // take a person named like the user, or as other systems name theirs, for the user
	// Changed is told of the users whose memory a piece has changed.
	Changed func(users []string)
}

// of are the counts of a kind of items.
func (r *Report) of(kind ItemKind) *Counts {
	switch kind {
	case NodeItem:
		return &r.Nodes
	case RelationshipItem:
		return &r.Relationships
	case PreferenceItem:
		return &r.Preferences
	case ChatTreeItem:
		return &r.ChatTrees
	case ChatTurnItem:
		return &r.ChatTurns
	}
	return &Counts{} // of lines whose kind nobody knows
}

// Import stores all items of a reader, in pieces of one transaction each, and says what became of them. An error of the
// store ends it; what the report counts is stored then. Memory stays bounded: what has to be remembered of a large file, the keys of
// nodes that the team has under others, and in a dry run those of all, goes into a temporary file.
func Import(ctx context.Context, store importStore, prefs preferences, scope graph.Scope, r *Reader, o ImportOptions) (*Report, error) {
	i := &importer{
		store: store, prefs: prefs, scope: scope, options: o, aliases: graph.NewKeyTable(),
		report: &Report{ImportID: o.ID, DryRun: o.DryRun, Refused: []Refusal{}, Warnings: []Refusal{}},
	}
	defer func() { _ = i.aliases.Close() }()
	if o.DryRun {
		i.plan, i.chatPlan = graph.NewRestorePlan(), &graph.ChatPlan{}
		defer func() { _ = i.plan.Close() }()
	}
	if err := i.resume(ctx); err != nil {
		return i.report, err
	}
	err := i.run(ctx, r)
	if i.resumable() && (err == nil || errors.Is(err, ErrStopped)) {
		if forget := store.EndImport(ctx, scope, o.ID); forget != nil {
			err = errors.Join(err, forget)
		}
	}
	if i.pieces > 1 && o.DryRun {
		i.report.tell([]told{{Refusal{i.report.Lines, "", acrossPieces}, true, ""}})
	}
	i.report.Complete = err == nil
	return i.report, err
}

// ErrStopped says that a strict import met a fault, which is in the report. Sent again, it begins anew.
var ErrStopped = errors.New("the import stopped at the first fault")

// ReadError says that a file could not be read to its end, for the reason that its io.Reader gave.
type ReadError struct{ Err error }

// Error is that of the io.Reader.
func (e *ReadError) Error() string { return "read the file: " + e.Err.Error() }

// Unwrap gives the io.Reader's error.
func (e *ReadError) Unwrap() error { return e.Err }

// importer is one import. It counts what the reader gives, items and faults alike: two readers of the same bytes give the
// same.
type importer struct {
	store   importStore
	prefs   preferences
	scope   graph.Scope
	options ImportOptions
	report  *Report
	given   int64           // what the reader has given
	settled int64           // of which so much is stored, told or in the batch
	done    int64           // of which so much was stored by an earlier attempt
	marked  int64           // of which so much is stored
	aliases *graph.KeyTable // keys of an import that turned out to be those of stored nodes
	plan    *graph.RestorePlan

	chatPlan *graph.ChatPlan
	passed   batch // nodes that an earlier attempt has stored, under which keys is yet to be found
	batch    batch
	pieces   int               // that the store was given
	owners   map[string]string // keys of lines that are users' own persons, by user
}

// acrossPieces is what a dry run cannot say, since it takes back each piece before it looks at the next.
const acrossPieces = "a dry run looks at pieces of at most 1,000 items: rings that lines of several pieces would close, and " +
	"what a line changes of one in an earlier piece, only an import finds"

func (i *importer) resumable() bool { return i.options.ID != "" && !i.options.DryRun }

// resume goes on where an import of the same id has stopped.
func (i *importer) resume(ctx context.Context) error {
	if !i.resumable() {
		return nil
	}
	report, seq, err := Progress(ctx, i.store, i.scope, i.options.ID)
	if err != nil || seq == 0 {
		return err
	}
	i.done, i.marked, i.report = seq, seq, report
	i.report.ResumedAtLine = i.report.Lines + 1
	return nil
}

// Progress returns the report of what is stored of an import that is not complete, and how many items that is. Both are
// zero for an import that is unknown, complete, or has stored nothing.
func Progress(ctx context.Context, store progressStore, scope graph.Scope, id string) (report *Report, seq int64, err error) {
	report = &Report{ImportID: id, Refused: []Refusal{}, Warnings: []Refusal{}}
	mark, err := store.ImportProgress(ctx, scope, id)
	if err != nil || mark.Seq == 0 {
		return report, 0, err
	}
	if err := json.Unmarshal([]byte(mark.Report), report); err != nil {
		return nil, 0, fmt.Errorf("import progress: %w", err)
	}
	report.Complete = false
	return report, mark.Seq, nil
}

func (i *importer) run(ctx context.Context, r *Reader) error {
	for {
		item, fault, err := r.Next()
		if errors.Is(err, io.EOF) {
			return errors.Join(i.missingOwner(ctx), i.flush(ctx))
		}
		if err != nil {
			var document *DocumentError
			if !errors.As(err, &document) {
				err = &ReadError{err}
			}
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastFlush) // ctx ends with the connection
			defer cancel()
			return errors.Join(err, i.flush(last))
		}
		if err := i.next(ctx, item, fault); err != nil {
			return err
		}
	}
}

// next looks at what the reader has given.
func (i *importer) next(ctx context.Context, item Item, fault *Fault) error {
	if i.given++; i.given <= i.done {
		return i.pass(ctx, item, fault)
	}
	if i.given == i.done+1 {
		if err := i.recall(ctx); err != nil {
			return err
		}
	}
	line := item.Line
	if fault != nil && !fault.Warning {
		line = fault.Line
	}
	if err := i.take(ctx, item, fault); err != nil {
		return err
	}
	i.settled, i.batch.last = i.given, max(i.batch.last, line)
	if i.batch.full() {
		return i.flush(ctx)
	}
	return nil
}

func (i *importer) take(ctx context.Context, item Item, fault *Fault) error {
	if fault != nil {
		return i.tell(ctx, told{Refusal{fault.Line, fault.Location, fault.Message}, fault.Warning, ""})
	}
	switch item.Kind {
	case NodeItem:
		return i.node(ctx, item)
	case RelationshipItem:
		return i.relationship(ctx, item)
	case PreferenceItem:
		return i.preference(ctx, item)
	case ChatTreeItem:
		return i.chatTree(ctx, item)
	case ChatTurnItem:
		return i.chatTurn(ctx, item)
	}
	return nil
}

// tell notes what is wrong with a line. A strict import stores what stands before it, and stops.
func (i *importer) tell(ctx context.Context, t told) error {
	if !i.options.Strict || t.warning {
		i.batch.told = append(i.batch.told, t)
		return nil
	}
	if err := i.flush(ctx); err != nil {
		return err
	}
	i.report.Lines = max(i.report.Lines, t.Line)
	i.report.tell([]told{t})
	return ErrStopped
}

// refuse notes all that is wrong with an item, which is refused once.
func (i *importer) refuse(ctx context.Context, item Item, fields ...graph.FieldError) error {
	for n, f := range fields {
		of := item.Kind
		if n > 0 {
			of = ""
		}
		if err := i.tell(ctx, told{Refusal{item.Line, f.Location, f.Message}, false, of}); err != nil {
			return err
		}
	}
	return nil
}

// told is something wrong with a line, or a warning.
type told struct {
	Refusal
	warning bool
	of      ItemKind // what is refused by it; empty: nothing, or an item that was refused before
}

// tell adds what is told of a piece, in the order of its lines.
func (r *Report) tell(all []told) {
	slices.SortStableFunc(all, func(a, b told) int { return cmp.Compare(a.Line, b.Line) })
	for _, t := range all {
		list := &r.Refused
		if t.warning {
			list = &r.Warnings
		} else {
			r.of(t.of).Refused++
		}
		if len(*list) < maxRefusals {
			*list = append(*list, t.Refusal)
		}
	}
}
