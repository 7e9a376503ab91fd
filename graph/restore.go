package graph

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"kith/graph/neo"
	"kith/internal/fault"
)

var (
	markImport         = neo.Load[int64]("import_mark")
	findImportProgress = neo.Load[importProgress]("import_progress")
	forgetImport       = neo.Load[neo.None]("import_forget")
	lockImports        = neo.Load[neo.None]("import_lock")
)

// importProgress is the stored mark of an import.
type importProgress struct {
	Seq    int64
	Report string
}

// RestoreBatch is a piece of an import: nodes, then relationships, each as an export has them or as callers write
// them.
type RestoreBatch struct {
	Nodes         []NodeWrite
	Relationships []RelationshipWrite
	Versions      []VersionLine // former ones; results have their statuses
	Plan          *RestorePlan  // of a dry run: what the earlier pieces would have stored

	// Searched reports that the import brings what was found in its messages, so that Options.Said does not hear them again.
	Searched bool
	// Also stores, after the rest and in the same transaction, what this package does not know. planned returns the properties of a
	// node that the earlier pieces of a dry run would have stored; nil if they would not. May be nil.
	Also func(t *Tx, planned func(key string) (Properties, error)) error
}

// ImportMark is the progress of an import: the number of the last stored item, and a report of the caller. After is
// the number of the mark that it replaces, 0 for the first. If another mark is stored, another request continues the
// same import, and nothing is done.
type ImportMark struct {
	ID         string
	After, Seq int64
	Report     string
}

var errDryRun = errors.New("a dry run stores nothing")

// Restore stores a piece of an import in one transaction, with the mark of its progress if that has an ID. report
// returns the mark's report for the result. Versions, times and internal data are stored as given; nothing counts as
// new. With dryRun it returns the same result and stores nothing. Invalid items are refused in the result with the
// reason; the others are stored.
func (s *Store) Restore(ctx context.Context, scope Scope, b *RestoreBatch, mark ImportMark, report func(MemoryResult) string,
	dryRun bool) (MemoryResult, error) {
	w := &batch{restoring: true, searched: b.Searched, plan: b.Plan, MemoryWrite: MemoryWrite{Nodes: b.Nodes, Relationships: b.Relationships}}
	if !dryRun {
		if err := s.admitTypes(ctx, b.Relationships); err != nil {
			return MemoryResult{}, err
		}
	}
	if len(b.Relationships) > 0 || slices.ContainsFunc(b.Versions, func(l VersionLine) bool { return l.isRelationship() || l.Kind == PlaceRecord }) {
		indexed, err := s.IndexedTypes(ctx)
		if err != nil {
			return MemoryResult{}, err
		}
		w.types = indexed
	}
	ctx, err := s.read(ctx, w.texts(s, WriterOf(ctx).Limit))
	if err != nil {
		return MemoryResult{}, err
	}
	var result MemoryResult
	err = s.TryTransaction(ctx, "import", dryRun, func(t *Tx) (err error) {
		job := w.job(t, scope, s.Now())
		if err := job.run(); err != nil {
			return err
		}
		result = job.result
		if b.Also != nil {
			if err := b.Also(t, b.Plan.properties); err != nil {
				return err
			}
		}
		var refused []fault.FieldError
		if result.Versions, refused, err = t.restoreVersions(scope, b, w.types); err != nil { // last: they are of what is stored
			return err
		}
		result.Refused = append(result.Refused, refused...)
		if dryRun {
			return b.Plan.note(job)
		}
		return t.mark(scope, mark, report(result))
	})
	return result, err
}

type dryRunKey struct{}

func withDryRun(ctx context.Context) context.Context {
	return context.WithValue(ctx, dryRunKey{}, true)
}

func isDryRun(ctx context.Context) bool { return ctx.Value(dryRunKey{}) != nil }

// TryTransaction is Transaction, as a dry run if dryRun is true.
func (s *Store) TryTransaction(ctx context.Context, name string, dryRun bool, work func(t *Tx) error) error {
	if dryRun {
		ctx = withDryRun(ctx)
	}
	return s.Transaction(ctx, name, work)
}

func (t *Tx) mark(scope Scope, mark ImportMark, report string) error {
	if mark.ID == "" {
		return nil
	}
	marks, err := markImport.Exec(t, map[string]any{
		"team_id": scope.TeamID, "import_id": scope.importID(mark.ID), "user_id": scope.User(), "after": mark.After, "seq": mark.Seq, "report": report,
		"now": t.store.Now(),
	})
	if err == nil && len(marks) == 0 {
		return fmt.Errorf("another request continues the same import: %w", fault.ErrConflict)
	}
	return err
}

// importID returns the stored ID. It includes the user, so that users cannot see each other's imports.
func (s Scope) importID(id string) string { return s.UserID + KeySeparator + id }

// ImportProgress returns the progress of an import of the scope; a zero mark for one that is unknown or finished.
func (s *Store) ImportProgress(ctx context.Context, scope Scope, id string) (ImportMark, error) {
	stored, err := findImportProgress.ReadOne(ctx, s.db, map[string]any{"team_id": scope.TeamID, "import_id": scope.importID(id)})
	if errors.Is(err, fault.ErrNotFound) {
		return ImportMark{ID: id}, nil
	}
	if err != nil {
		return ImportMark{}, fmt.Errorf("import progress: %w", err)
	}
	return ImportMark{ID: id, Seq: stored.Seq, Report: stored.Report}, nil
}

// EndImport deletes the progress of a finished import.
func (s *Store) EndImport(ctx context.Context, scope Scope, id string) error {
	return s.Transaction(ctx, "import_forget", func(t *Tx) error {
		return forgetImport.Run(t, map[string]any{"team_id": scope.TeamID, "import_id": scope.importID(id)})
	})
}

// CheckNode returns the faults of a node of an import that can be found without the database, located within the node. It mends what
// exports of earlier versions have.
func (s *Store) CheckNode(w *NodeWrite, scope Scope) []fault.FieldError {
	w.dropNUL()
	f := &Faults{}
	b := &batch{restoring: true, MemoryWrite: MemoryWrite{Nodes: []NodeWrite{*w}}}
	b.checkNodes(f, scope, s.Now())
	return fault.Fields(fault.Within(f.Err(), fault.At("nodes").Index(0)))
}

// CheckRelationship is CheckNode for relationships.
func (s *Store) CheckRelationship(w *RelationshipWrite) []fault.FieldError {
	f := &Faults{}
	b := &batch{restoring: true, MemoryWrite: MemoryWrite{Relationships: []RelationshipWrite{*w}}}
	b.checkRelationships(f, s.Now())
	return fault.Fields(fault.Within(f.Err(), fault.At("relationships").Index(0)))
}
