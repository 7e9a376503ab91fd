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
	"kith/internal/fault"
	"kith/internal/keytable"
	"kith/memory/chat"
	"kith/memory/duplicate"
	"kith/memory/preference"
	"kith/memory/statement"
)

// progressStore returns the progress of imports.
type progressStore interface {
	ImportProgress(ctx context.Context, scope graph.Scope, id string) (graph.ImportMark, error)
}

// importStore stores the memory of an import.
type importStore interface {
	progressStore
	Restore(
		ctx context.Context, scope graph.Scope, b *graph.RestoreBatch, mark graph.ImportMark, report func(graph.MemoryResult) string, dryRun bool,
	) (graph.MemoryResult, error)
	CheckNode(w *graph.NodeWrite, scope graph.Scope) []fault.FieldError
	CheckRelationship(w *graph.RelationshipWrite) []fault.FieldError
	CheckVersion(l *graph.VersionLine, scope graph.Scope) []fault.FieldError
	EndImport(ctx context.Context, scope graph.Scope, id string) error
}

// importChats stores the chats of an import.
type importChats interface {
	RestoreChats(ctx context.Context, scope graph.Scope, b *chat.Batch) (chat.Result, error)
}

// importStatements stores what the users of an import said to remember.
type importStatements interface {
	CheckStatement(l *statement.Line, scope graph.Scope) []fault.FieldError
	RestorePause(ctx context.Context, of graph.Scope, dryRun bool) (created bool, err error)
	RestoreStatements(t *graph.Tx, scope graph.Scope, lines []statement.Line, planned statement.Planned) ([]statement.Result, error)
}

// importRefusals stores which nodes look like one and are not.
type importRefusals interface {
	RestoreRefusals(ctx context.Context, scope graph.Scope, lines []duplicate.Line, plan *graph.RestorePlan) (created int64, bad []int, err error)
}

// importReviews stores writes that wait for a decision, and decisions about further ones.
type importReviews interface {
	CheckReview(l *graph.ReviewLine, scope graph.Scope) []fault.FieldError
	CheckTrustRule(l *graph.TrustRuleLine, scope graph.Scope) []fault.FieldError
	RestoreReviews(ctx context.Context, scope graph.Scope, lines []graph.ReviewLine, dryRun bool) (created int64, refused map[int]fault.FieldError, err error)
	RestoreTrustRules(ctx context.Context, scope graph.Scope, lines []graph.TrustRuleLine, dryRun bool) (created int64, err error)
}

// preferences reads and writes a user's settings.
type preferences interface {
	Preferences(ctx context.Context, scope graph.Scope) ([]preference.Preference, error)
	SetPreferences(ctx context.Context, scope graph.Scope, some []preference.Preference) error
}

// Bounds of a batch and of a report.
const (
	batchItems       = 1000
	batchBytes       = 8 << 20
	maxRefusals      = 1000
	lastFlushTimeout = 30 * time.Second // for the items before a broken connection
	stopFlushTimeout = 15 * time.Second // for those before a stop, which must not take long
)

// Counts has the numbers of items by result.
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

// Refusal is a fault of a line, or a warning.
type Refusal struct {
	Line     int64  `json:"line"`
	Location string `json:"location" doc:"a path within the item; in a document it begins with the element, such as edges[3].name"`
	Message  string `json:"message"`
}

// Report is the result of an import. ResumedAtLine is set if an earlier attempt has stored the lines before it. The
// counts include those.
type Report struct {
	ImportID      string    `json:"import_id,omitempty"`
	DryRun        bool      `json:"dry_run"`
	Complete      bool      `json:"complete" doc:"false: the import stopped, and may be sent again with the same import_id"`
	Lines         int64     `json:"lines"`
	ResumedAtLine int64     `json:"resumed_at_line,omitempty"`
	Nodes         Counts    `json:"nodes"`
	Relationships Counts    `json:"relationships"`
	Statements    Counts    `json:"statements"`
	Pauses        Counts    `json:"pauses" doc:"of the search for statements"`
	Refusals      Counts    `json:"refusals" doc:"pairs of nodes that look like one and are not"`
	Reviews       Counts    `json:"reviews" doc:"writes that wait for a decision, or about which one was made"`
	TrustRules    Counts    `json:"trust_rules" doc:"decisions about further writes"`
	Preferences   Counts    `json:"preferences"`
	ChatTrees     Counts    `json:"chat_trees"`
	ChatTurns     Counts    `json:"chat_turns"`
	Versions      Counts    `json:"versions" doc:"former versions of records"`
	Refused       []Refusal `json:"refused" doc:"the first 1,000, with reasons"`
	Warnings      []Refusal `json:"warnings" doc:"the first 1,000"`
	Stopped       string    `json:"stopped,omitempty" doc:"why the import is not complete"`
}

// ImportOptions configure an import.
type ImportOptions struct {
	ID     string // continues a broken import with the same id; empty: an import cannot be continued
	DryRun bool
	Strict bool   // stop at the first fault
	Owner  string // the name of the person who is the user; empty: unknown
	Admin  bool   // the caller may decide about reviews, and pause the search for statements of the whole team
	Guess  bool   // a person with the user's id or a usual placeholder as name is the user
	// Stop ends the import when it is closed: what was read is stored, and the rest is a ReadError. Nil: it is never closed.
	Stop <-chan struct{}
}

// countsOf returns the counts of a kind of items.
func (r *Report) countsOf(kind ItemKind) *Counts {
	switch kind {
	case NodeItem:
		return &r.Nodes
	case RelationshipItem:
		return &r.Relationships
	case StatementItem:
		return &r.Statements
	case PauseItem:
		return &r.Pauses
	case RefusalItem:
		return &r.Refusals
	case ReviewItem:
		return &r.Reviews
	case TrustRuleItem:
		return &r.TrustRules
	case PreferenceItem:
		return &r.Preferences
	case ChatTreeItem:
		return &r.ChatTrees
	case ChatTurnItem:
		return &r.ChatTurns
	case VersionItem:
		return &r.Versions
	}
	return &Counts{} // of lines of unknown kind
}

// ImportStores are the stores that an import fills.
type ImportStores struct {
	Memory      importStore
	Statements  importStatements
	Refusals    importRefusals
	Reviews     importReviews
	Preferences preferences
	Chats       importChats
}

// Import stores all items of a reader, in batches of one transaction each, and returns a report. An error of the
// store ends it; the counted items are stored then. Memory stays bounded: the keys of nodes that the team has under
// other keys, and in a dry run what later items are checked against, go into temporary files.
func Import(ctx context.Context, into ImportStores, scope graph.Scope, r *Reader, o ImportOptions) (*Report, error) {
	i := &importer{
		ImportStores: into, scope: scope, options: o, aliases: keytable.New(),
		report: &Report{ImportID: o.ID, DryRun: o.DryRun, Refused: []Refusal{}, Warnings: []Refusal{}},
	}
	defer func() { _ = i.aliases.Close() }()
	if o.DryRun {
		i.plan, i.chatPlan = graph.NewRestorePlan(), chat.NewPlan()
		defer func() { _, _ = i.plan.Close(), i.chatPlan.Close() }()
	}
	if err := i.resume(ctx); err != nil {
		return i.report, err
	}
	err := i.run(ctx, r)
	if i.resumable() && (err == nil || errors.Is(err, ErrStopped)) {
		if forget := into.Memory.EndImport(ctx, scope, o.ID); forget != nil {
			err = errors.Join(err, forget)
		}
	}
	if i.pieces > 1 && o.DryRun {
		i.report.addFindings([]finding{{Refusal{i.report.Lines, "", dryRunLimits}, true, ""}})
	}
	i.report.Complete = err == nil
	return i.report, err
}

// ErrStopped means that a strict import met a fault, which is in the report. A repeated import starts from the
// beginning.
var ErrStopped = errors.New("the import stopped at the first fault")

// ReadError means that a file could not be read to its end. It wraps the error of the io.Reader.
type ReadError struct{ Err error }

// Error returns the message of the io.Reader's error.
func (e *ReadError) Error() string { return "read the file: " + e.Err.Error() }

// Unwrap returns the io.Reader's error.
func (e *ReadError) Unwrap() error { return e.Err }

// importer is one import. It counts the results of the reader, items and faults alike: two readers of the same bytes
// return the same results.
type importer struct {
	ImportStores

	searched  bool // the file has the statements of its messages
	scope     graph.Scope
	options   ImportOptions
	report    *Report
	seen      int64           // results read
	handled   int64           // results stored, reported or in the batch
	skipUntil int64           // results stored by an earlier attempt
	stored    int64           // results stored
	aliases   *keytable.Table // keys of the file whose nodes are stored under other keys
	plan      *graph.RestorePlan

	chatPlan *chat.Plan
	passed   batch // nodes that an earlier attempt has stored under unknown keys
	batch    batch
	pieces   int               // batches of nodes and relationships that were stored
	owners   map[string]string // keys of the lines that are the users themselves, by user
}

// dryRunLimits is the warning of a dry run of several batches. It takes back each batch before it checks the next.
const dryRunLimits = "a dry run checks batches of at most 1,000 items: only an import finds rings across batches, and " +
	"changes of items in earlier batches"

func (i *importer) resumable() bool { return i.options.ID != "" && !i.options.DryRun }

// resume continues an import with the same id.
func (i *importer) resume(ctx context.Context) error {
	if !i.resumable() {
		return nil
	}
	report, seq, err := Progress(ctx, i.Memory, i.scope, i.options.ID)
	if err != nil || seq == 0 {
		return err
	}
	i.skipUntil, i.stored, i.report = seq, seq, report
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
		item, fault, err := i.next(r)
		if errors.Is(err, io.EOF) {
			return errors.Join(i.addMissingOwner(ctx), i.flush(ctx))
		}
		if err != nil {
			var document *DocumentError
			if !errors.As(err, &document) {
				err = &ReadError{err}
			}
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), i.lastFlush()) // ctx ends with the connection
			defer cancel()
			return errors.Join(err, i.flush(last))
		}
		if err := i.handle(ctx, item, fault); err != nil {
			return err
		}
	}
}

var errStop = errors.New("the import was told to stop")

// next returns the next result of the reader, unless the import is to stop.
func (i *importer) next(r *Reader) (Item, *Fault, error) {
	if i.isStopped() {
		return Item{}, nil, errStop
	}
	return r.Next()
}

func (i *importer) isStopped() bool {
	select {
	case <-i.options.Stop:
		return true
	default:
		return false
	}
}

// lastFlush returns how long the last batch of an import that ends early may take.
func (i *importer) lastFlush() time.Duration {
	if i.isStopped() {
		return stopFlushTimeout
	}
	return lastFlushTimeout
}

// handle handles a result of the reader.
func (i *importer) handle(ctx context.Context, item Item, fault *Fault) error {
	if item.Kind == HeaderItem && fault == nil {
		i.readHeader(item)
	}
	if i.seen++; i.seen <= i.skipUntil {
		return i.collectPassed(ctx, item, fault)
	}
	if i.seen == i.skipUntil+1 {
		if err := i.resolvePassed(ctx); err != nil {
			return err
		}
	}
	line := item.Line
	if fault != nil && !fault.Warning {
		line = fault.Line
	}
	if err := i.dispatch(ctx, item, fault); err != nil {
		return err
	}
	i.handled, i.batch.last = i.seen, max(i.batch.last, line)
	if i.batch.isFull() {
		return i.flush(ctx)
	}
	return nil
}

func (i *importer) dispatch(ctx context.Context, item Item, fault *Fault) error {
	if fault != nil {
		return i.record(ctx, finding{Refusal{fault.Line, fault.Location, fault.Message}, fault.Warning, ""})
	}
	switch item.Kind {
	case NodeItem:
		return i.addNode(ctx, item)
	case RelationshipItem:
		return i.addRelationship(ctx, item)
	case StatementItem:
		return i.addStatement(ctx, item)
	case PauseItem:
		return i.addPause(ctx, item)
	case RefusalItem:
		return i.addRefusal(ctx, item)
	case ReviewItem:
		return i.addReview(ctx, item)
	case TrustRuleItem:
		return i.addTrustRule(ctx, item)
	case PreferenceItem:
		return i.addPreference(ctx, item)
	case ChatTreeItem:
		return i.addChatTree(ctx, item)
	case ChatTurnItem:
		return i.addChatTurn(ctx, item)
	case VersionItem:
		return i.addVersion(ctx, item)
	}
	return nil
}

// record records a finding. A strict import stores the items before it, and stops.
func (i *importer) record(ctx context.Context, t finding) error {
	if !i.options.Strict || t.warning {
		i.batch.findings = append(i.batch.findings, t)
		return nil
	}
	if err := i.flush(ctx); err != nil {
		return err
	}
	i.report.Lines = max(i.report.Lines, t.Line)
	i.report.addFindings([]finding{t})
	return ErrStopped
}

// recordFaults records all faults of an item, which counts as refused once.
func (i *importer) recordFaults(ctx context.Context, item Item, fields ...fault.FieldError) error {
	for n, f := range fields {
		of := item.Kind
		if n > 0 {
			of = ""
		}
		if err := i.record(ctx, finding{item.place().refusal(f.Path.String(), f.Message), false, of}); err != nil {
			return err
		}
	}
	return nil
}

// finding is a fault of a line, or a warning.
type finding struct {
	Refusal
	warning bool
	kind    ItemKind // kind of the refused item; empty: none, or already counted
}

// addFindings adds the findings of a batch, in the order of their lines.
func (r *Report) addFindings(all []finding) {
	slices.SortStableFunc(all, func(a, b finding) int { return cmp.Compare(a.Line, b.Line) })
	for _, t := range all {
		list := &r.Refused
		if t.warning {
			list = &r.Warnings
		} else {
			r.countsOf(t.kind).Refused++
		}
		if len(*list) < maxRefusals {
			*list = append(*list, t.Refusal)
		}
	}
}
