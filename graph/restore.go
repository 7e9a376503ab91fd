package graph

import (
	"context"
	"errors"
	"fmt"
)

// RestoreBatch is a piece of an import: nodes, then relationships, each as an export has them or as callers write them.
type RestoreBatch struct {
	Nodes         []NodeWrite
	Relationships []RelationshipWrite
	Plan          *RestorePlan // of a dry run: what the pieces before this one would have stored
}

// ImportMark is how far an import has come: the number of the last item that is stored, and a report of the caller's own.
// After is the number of the mark that it takes the place of, 0 for the first: where another one is stored, somebody else
// goes on with the same import, and nothing is done.
type ImportMark struct {
	ID         string
	After, Seq int64
	Report     string
}

var errDryRun = errors.New("a dry run stores nothing")

// Restore stores a piece of an import in one transaction, with the mark of how far it has come, if that has an ID. report
// makes the mark's report of the result. Versions, times and all that Kith keeps are as given; nothing is taken for new.
// With dryRun it says what would become of it and stores nothing. Items that break a rule are refused in the result,
// with the reason, and do not keep others from being stored.
func (s *Store) Restore(ctx context.Context, scope Scope, b *RestoreBatch, mark ImportMark, report func(MemoryResult) string, dryRun bool) (MemoryResult, error) {
	w := &MemoryWrite{Nodes: b.Nodes, Relationships: b.Relationships, restoring: true, plan: b.Plan}
	if !dryRun {
		if err := s.admitTypes(ctx, b.Relationships); err != nil {
			return MemoryResult{}, err
		}
	}
	if len(b.Relationships) > 0 {
		indexed, err := s.indexedTypes(ctx)
		if err != nil {
			return MemoryResult{}, err
		}
		w.types = indexed
	}
	var result MemoryResult
	tried := false
	err := s.transaction(ctx, "import", func(t *tx) error {
		tried = false
		job := &memoryJob{tx: t, scope: scope, write: w, now: s.now()}
		if err := job.run(); err != nil {
			return err
		}
		result = job.result
		if dryRun {
			if err := b.Plan.note(job); err != nil {
				return err
			}
			tried = true
			return errDryRun // which takes back all that was done
		}
		return t.mark(scope, mark, report(result))
	})
	if tried {
		err = nil
	}
	return result, err
}

func (t *tx) mark(scope Scope, mark ImportMark, report string) error {
	if mark.ID == "" {
		return nil
	}
	rows, err := t.exec("import_mark", map[string]any{
		"team_id": scope.TeamID, "import_id": scope.importID(mark.ID), "user_id": scope.user(), "after": mark.After, "seq": mark.Seq, "report": report,
		"now": t.store.now(),
	})
	if err == nil && len(rows) == 0 {
		return fmt.Errorf("another request goes on with the same import: %w", ErrConflict)
	}
	return err
}

// importID is the stored one: what one user calls an import is no business of another one's.
func (s Scope) importID(id string) string { return s.UserID + keySeparator + id }

// ImportProgress says how far an import of the scope has come; a zero mark for one that is unknown or done.
func (s *Store) ImportProgress(ctx context.Context, scope Scope, id string) (ImportMark, error) {
	row, err := s.readOne(ctx, "import_progress", map[string]any{"team_id": scope.TeamID, "import_id": scope.importID(id)})
	if errors.Is(err, ErrNotFound) {
		return ImportMark{ID: id}, nil
	}
	if err != nil {
		return ImportMark{}, fmt.Errorf("import progress: %w", err)
	}
	return ImportMark{ID: id, Seq: integer(row.Values[0]), Report: text(row.Values[1])}, nil
}

// EndImport forgets how far an import of the scope has come: it is done.
func (s *Store) EndImport(ctx context.Context, scope Scope, id string) error {
	return s.transaction(ctx, "import_forget", func(t *tx) error {
		_, err := t.exec("import_forget", map[string]any{"team_id": scope.TeamID, "import_id": scope.importID(id)})
		return err
	})
}

// CheckNode says what of a node of an import breaks a rule, without asking the database.
func (s *Store) CheckNode(w *NodeWrite, scope Scope) []FieldError {
	f := &faults{}
	batch := &MemoryWrite{Nodes: []NodeWrite{*w}, restoring: true}
	batch.checkNodes(f, scope, s.now())
	return f.fields
}

// CheckRelationship is CheckNode for relationships.
func (s *Store) CheckRelationship(w *RelationshipWrite) []FieldError {
	f := &faults{}
	batch := &MemoryWrite{Relationships: []RelationshipWrite{*w}, restoring: true}
	batch.checkRelationships(f, s.now())
	return f.fields
}
