package graph

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"kith/graph/trust"
	"kith/internal/fault"
)

// PatchNode changes the given fields of one node, found by its kind and key. It returns the node as this write leaves it, with
// the version of this write, also if another one follows at once. It returns ErrNotFound, an InvalidError with locations as in the
// write itself, or a fault.VersionError.
func (s *Store) PatchNode(ctx context.Context, scope Scope, w NodeWrite, q NodeQuery) (NodeView, error) {
	var view NodeView
	_, err := s.writeBatch(ctx, scope, &batch{existing: true, MemoryWrite: MemoryWrite{Strict: true, Nodes: []NodeWrite{w}}, then: func(t *Tx, written *MemoryResult) (err error) {
		view, err = t.view(scope, w.kind(), written.Nodes[0].EntityKey, q)
		return err
	}})
	if err == nil {
		return view, nil
	}
	err = fault.Within(err, fault.At("nodes").Index(0))
	for _, f := range fault.Fields(err) {
		if f.Path == fault.At("entity_key") && (f.Code == fault.Missing || f.Code == fault.Conflict) {
			return NodeView{}, fmt.Errorf("patch: %w", fault.ErrNotFound)
		}
	}
	return NodeView{}, err
}

// Messages about a node that the scope may not see.
const (
	noSuchNode = "there is no such node"
	takenKey   = "is already in use"
)

// AddNotes adds notes to a node and returns all of its notes. It returns ErrNotFound or an InvalidError.
func (s *Store) AddNotes(ctx context.Context, scope Scope, kind Kind, key string, notes []NoteWrite) ([]Note, error) {
	return s.changeNode(ctx, scope, kind, key, notes, func(p Properties) error { return p.noteDown(notes, scope, s.Now()) })
}

// noteDown adds notes of a caller. A candidate or an archived record becomes active.
func (p Properties) noteDown(notes []NoteWrite, scope Scope, now time.Time) error {
	before := p.Texts("notes")
	p.addNotes(notes, trust.Told{}, scope, now)
	if p["salience"] == nil || slices.Equal(before, p.Texts("notes")) {
		return nil
	}
	v := liveWrite{wakes: (&batch{}).wakes(nil)}.apply(p.vitality(), false, now, 0)
	v.lastAccess = &now
	p.putVitality(v)
	return nil
}

// DeleteNote removes a note from a node for good and returns the others. It returns ErrNotFound for an unknown node or note.
func (s *Store) DeleteNote(ctx context.Context, scope Scope, kind Kind, key, id string) ([]Note, error) {
	return s.changeNode(ctx, scope, kind, key, nil, func(p Properties) error { return p.dropNote(id, s) })
}

func (p Properties) dropNote(id string, s *Store) error {
	notes := NotesFrom(p.Texts("notes"), s.Now())
	for i := range notes {
		if notes[i].ID == id {
			p.putNotes(append(notes[:i], notes[i+1:]...))
			return nil
		}
	}
	return fmt.Errorf("note: %w", fault.ErrNotFound)
}

// changeNode changes a node's properties under its lock.
func (s *Store) changeNode(ctx context.Context, scope Scope, kind Kind, key string, notes []NoteWrite, change func(Properties) error) ([]Note, error) {
	var left []Note
	if err := notesFault(notes, s); err != nil {
		return left, err
	}
	err := s.Transaction(ctx, "node_change", func(t *Tx) error {
		n, err := t.lock(scope, kind, key)
		if err != nil {
			return err
		}
		next := n.clone()
		if err := change(next); err != nil {
			return err
		}
		left = NotesFrom(next.Texts("notes"), s.Now())
		t.Changes([]string{n.user()}, n.key())
		var rows []map[string]any
		if changed := n.revise(next, s); changed != nil {
			rows = append(rows, n.row(changed))
		}
		if err := t.writeRows(updateNodes, scope.TeamID, rows); err != nil {
			return err
		}
		if state := next.Text("state"); state != n.Text("state") {
			var moved ranks
			moved.changed(n, state)
			err = moved.renew(t, scope.TeamID, t.store.Now())
		}
		if err != nil || kind.group != projectGroup {
			return err
		}
		return t.settle(scope.TeamID, []string{n.key()})
	})
	return left, err
}

func notesFault(notes []NoteWrite, s *Store) error {
	f := &Faults{}
	checkNotes(f, fault.At("notes"), notes, s.Now())
	return f.Err()
}

// revise returns the changes that make the next properties a new version; nil if they are the same.
func (p Properties) revise(next Properties, s *Store) Properties {
	changed := p.changesTo(next)
	if len(changed) == 0 {
		return nil
	}
	changed["version"], changed["updated_at"] = version(p)+1, s.Now()
	return changed
}

// row returns the row of node_update that changes the content of a stored node.
func (s *stored) row(changed Properties) map[string]any {
	return map[string]any{
		"entity_key": s.key(), "kind": s.kind.Name, "user_id": s.user(), "properties": map[string]any(changed), formerText: TextIn(s.Properties),
	}
}

// AddRelationshipNotes adds notes to a relationship and returns all of its notes. It returns ErrNotFound or an InvalidError.
func (s *Store) AddRelationshipNotes(ctx context.Context, scope Scope, key string, notes []NoteWrite) ([]Note, error) {
	return s.changeRelationship(ctx, scope, key, notes, func(p Properties) error { return p.noteDown(notes, scope, s.Now()) })
}

// DeleteRelationshipNote removes a note from a relationship for good and returns the others. It returns ErrNotFound for an unknown relationship or note.
func (s *Store) DeleteRelationshipNote(ctx context.Context, scope Scope, key, id string) ([]Note, error) {
	return s.changeRelationship(ctx, scope, key, nil, func(p Properties) error { return p.dropNote(id, s) })
}

// changeRelationship changes a relationship's properties under the locks of its ends.
func (s *Store) changeRelationship(ctx context.Context, scope Scope, key string, notes []NoteWrite, change func(Properties) error) ([]Note, error) {
	var left []Note
	if err := notesFault(notes, s); err != nil {
		return left, err
	}
	err := s.withRelationship(ctx, scope, key, "relationship_change", func(t *Tx, r *located) error {
		next := r.clone()
		if err := change(next); err != nil {
			return err
		}
		left = NotesFrom(next.Texts("notes"), s.Now())
		t.Changes([]string{r.Text("user_id")}, key)
		var rows []map[string]any
		if changed := r.revise(next, s); changed != nil {
			rows = append(rows, updatedRelationshipRow(r.from, r.kind, r.to, r.Properties, changed))
		}
		return t.writeRows(updateRelationships, scope.TeamID, rows)
	})
	return left, err
}

// withRelationship runs a transaction with a relationship, as it is under the locks of its ends. If a merge gives it another end while the
// transaction waits for these locks, the transaction is run again with the new ends. It returns ErrNotFound if there is none.
func (s *Store) withRelationship(ctx context.Context, scope Scope, key, name string, run func(*Tx, *located) error) error {
	r, err := s.locateAt(ctx, s.db.Leader(), scope, key, nil)
	for err == nil {
		found := false
		err = s.Transaction(ctx, name, func(t *Tx) error {
			p, err := t.lockRelationship(scope, r)
			if found = err == nil; !found {
				return err
			}
			return run(t, &located{r.kind, r.from, r.to, p})
		})
		if found || !errors.Is(err, fault.ErrNotFound) {
			return err
		}
		was := r
		if r, err = s.locateAt(ctx, s.db.Leader(), scope, key, nil); err == nil && r.from == was.from && r.to == was.to {
			err = fmt.Errorf("relationship: %w", fault.ErrNotFound)
		}
	}
	return err
}

// lockRelationship locks a relationship by its ends and reads it again.
func (t *Tx) lockRelationship(scope Scope, r located) (Properties, error) {
	if _, err := t.find(scope.TeamID, lookups{ends: []string{r.from, r.to}}); err != nil {
		return nil, err
	}
	row := findRow(r.from, r.kind, r.to)
	row["key"] = r.Text("key")
	rows, err := findRelationships.Exec(t, map[string]any{"team_id": scope.TeamID, "rows": []map[string]any{row}})
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if row.Properties.Text("key") == r.Text("key") {
			return row.Properties, nil
		}
	}
	return nil, fmt.Errorf("relationship: %w", fault.ErrNotFound)
}
