package graph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kith/internal/fault"
)

// UndoWithdrawal restores a source and what went with it. What cannot be restored is counted, and stays deleted. Another call
// continues what was interrupted. It returns ErrNotFound if no withdrawal of the source is kept, and an InvalidError as WithdrawalReport
// does.
func (s *Store) UndoWithdrawal(ctx context.Context, scope Scope, key string) (Withdrawal, error) {
	types, err := s.IndexedTypes(ctx)
	if err != nil {
		return Withdrawal{}, err
	}
	u := &undoing{store: s, scope: scope, source: key, types: types, report: Withdrawal{Source: key, Names: []string{}}}
	for first := true; ; first = false {
		parts, err := lastWithdrawal.Read(ctx, s.db, map[string]any{"team_id": scope.TeamID, "source_key": key})
		switch {
		case err != nil:
			return Withdrawal{}, err
		case len(parts) == 0 && first:
			return Withdrawal{}, fmt.Errorf("withdrawal: %w", fault.ErrNotFound)
		case len(parts) == 0:
			return u.report, nil
		}
		if first { // also checks that the scope may do it
			if err := s.restoreWithdrawnSource(ctx, scope, key, &u.report); err != nil {
				return Withdrawal{}, err
			}
		}
		if err := u.part(ctx, &parts[0]); err != nil {
			return Withdrawal{}, err
		}
	}
}

// restoreWithdrawnSource restores the source itself, unless it is there.
func (s *Store) restoreWithdrawnSource(ctx context.Context, scope Scope, key string, report *Withdrawal) error {
	source, err := s.Source(ctx, scope, key)
	if err == nil {
		return mayWithdraw(scope, source.UserID)
	}
	if !errors.Is(err, fault.ErrNotFound) {
		return err
	}
	return s.Transaction(ctx, "node_restore", func(t *Tx) error {
		view, err := t.restoreNode(scope, SourceKind, key)
		if err == nil && view.OwnFields != nil {
			report.Messages = view.MessageCount.Value
		}
		if err == nil {
			err = mayWithdraw(scope, view.UserID)
		}
		return err
	})
}

// undoing is the undo of a withdrawal.
type undoing struct {
	store  *Store
	scope  Scope // of whoever undoes it
	whose  Scope // of the facts of the part
	source string
	types  []string // of the team's relationships
	report Withdrawal
}

// part restores a part of what was withdrawn: nodes before the relationships between them.
func (u *undoing) part(ctx context.Context, part *withdrawalPart) error {
	u.whose = Scope{TeamID: u.scope.TeamID}
	if part.UserID != nil {
		u.whose.UserID = *part.UserID
	}
	if err := u.each(ctx, part, &part.Nodes, u.nodes); err != nil {
		return err
	}
	if err := u.each(ctx, part, &part.Relationships, u.relationships); err != nil {
		return err
	}
	if err := u.each(ctx, part, &part.Lowered, u.raise); err != nil {
		return err
	}
	return u.store.Transaction(ctx, "source_withdraw", func(t *Tx) error {
		t.Changes(nil)
		which := map[string]any{"team_id": u.scope.TeamID, "source_key": u.source, "part": part.Part}
		if err := deleteWithdrawal.Run(t, which); err != nil {
			return err
		}
		left, err := lastWithdrawal.Exec(t, map[string]any{"team_id": u.scope.TeamID, "source_key": u.source})
		if err != nil || len(left) > 0 {
			return err
		}
		return u.complete(t) // the first part, of several; an erasure or a purge may have taken it before
	})
}

// each restores all of a list of a part, as many as possible in one transaction, which also takes them off the list. Where one of
// them cannot be restored, it tries half as many, down to that one, which is kept.
func (u *undoing) each(ctx context.Context, part *withdrawalPart, list *[]string, restore func(*Tx, []string, *Withdrawal) error) error {
	for size := len(*list); len(*list) > 0; {
		all := *list
		size = min(size, len(all))
		*list = all[size:]
		var report Withdrawal
		err := u.store.Transaction(ctx, "source_withdraw", func(t *Tx) error {
			t.Changes(nil)
			report = u.report // again, if the transaction is repeated
			if err := restore(t, all[:size], &report); err != nil {
				return err
			}
			return leaveWithdrawal.Run(t, map[string]any{
				"team_id": u.scope.TeamID, "source_key": u.source, "part": part.Part, "nodes": part.Nodes, "relationships": part.Relationships, "lowered": part.Lowered,
			})
		})
		switch {
		case err == nil:
			u.report, size = report, 2*size
		case !errors.Is(err, fault.ErrNotFound) && !errors.Is(err, fault.ErrConflict):
			return err
		case size == 1:
			u.report.Kept++
		default:
			*list, size = all, size/2
		}
	}
	return nil
}

func (u *undoing) nodes(t *Tx, nodes []string, report *Withdrawal) error {
	report.Nodes += int64(len(nodes))
	refs := make([]deletedRef, len(nodes))
	for i, node := range nodes {
		name, key, _ := strings.Cut(node, "/")
		kind, _ := KindOf(name)
		refs[i] = deletedRef{kind: kind, key: key}
	}
	if len(refs) == 1 { // it may have been merged since
		_, err := t.restoreNode(u.whose, refs[0].kind, refs[0].key)
		return err
	}
	restored, err := t.restoreNodes(u.whose, refs)
	if err != nil {
		return err
	}
	for _, n := range restored {
		if err := t.enter(u.scope.TeamID, n); err != nil {
			return err
		}
	}
	return nil
}

func (u *undoing) relationships(t *Tx, keys []string, report *Withdrawal) error {
	report.Relationships += int64(len(keys))
	_, err := t.restoreRelationships(u.whose, u.types, keys)
	return err
}

// raise gives facts the evidence back that they lost. What was told by a caller since needs none, and what has other texts since gets none.
func (u *undoing) raise(t *Tx, texts []string, report *Withdrawal) error {
	nodes, relationships := map[string]lowered{}, map[string]lowered{}
	for _, text := range texts {
		var l lowered
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			return fmt.Errorf("undo withdrawal: %w", err)
		}
		if l.Relationship {
			relationships[l.Key] = l
		} else {
			nodes[l.Key] = l
		}
	}
	if err := u.raiseNodes(t, nodes, report); err != nil {
		return err
	}
	return u.raiseRelationships(t, relationships, report)
}

func (u *undoing) raiseNodes(t *Tx, all map[string]lowered, report *Withdrawal) error {
	found, err := t.find(u.scope.TeamID, lookups{entityKeys: slices.Sorted(maps.Keys(all))})
	if err != nil {
		return err
	}
	var rows []map[string]any
	for key, l := range all {
		n := found.byKey[key]
		if !n.visible(u.whose) {
			return fmt.Errorf("node: %w", fault.ErrNotFound)
		}
		evidence, same := l.lost(n.Properties)
		if !same {
			report.Kept++
			continue
		}
		report.LoweredNodes++
		if n.Properties["evidence"] != nil {
			t.Changes([]string{n.user()}, key)
			rows = append(rows, t.reweighed(u.scope.TeamID, n, n.evidenceWith(evidence), 1))
		}
	}
	return t.writeRows(updateNodes, u.scope.TeamID, rows)
}

func (u *undoing) raiseRelationships(t *Tx, all map[string]lowered, report *Withdrawal) error {
	current, err := t.lockRelationships(u.whose, u.types, slices.Sorted(maps.Keys(all)))
	if err != nil {
		return err
	}
	var rows []map[string]any
	for i := range current {
		r := &current[i]
		evidence, same := all[r.Key].lost(r.Properties)
		if !same {
			report.Kept++
			continue
		}
		report.LoweredRelationships++
		if r.Properties["evidence"] != nil {
			t.Changes([]string{r.Properties.Text("user_id")}, r.Key)
			rows = append(rows, t.reweighedRelationship(u.whose, r, r.Properties.evidenceWith(evidence), 1))
		}
	}
	return t.writeRows(updateRelationships, u.scope.TeamID, rows)
}

// lockRelationships locks relationships by their ends and reads them. It returns ErrNotFound unless the scope may see all of them.
func (t *Tx) lockRelationships(scope Scope, types, keys []string) ([]withdrawnRelationship, error) {
	at := map[string][3]string{}
	if err := t.keysTaken(scope.TeamID, types, keys, at); err != nil {
		return nil, err
	}
	asked := make([]withdrawnRelationship, len(keys))
	for i, key := range keys {
		asked[i] = withdrawnRelationship{Key: key, From: at[key][0], Type: at[key][1], To: at[key][2]}
	}
	all, _, found, err := t.lockEnds(scope.TeamID, asked)
	if err != nil {
		return nil, err
	}
	hidden := func(r withdrawnRelationship) bool {
		return !found.byKey[r.From].visible(scope) || !found.byKey[r.To].visible(scope)
	}
	if len(all) < len(keys) || slices.ContainsFunc(all, hidden) {
		return nil, fmt.Errorf("relationship: %w", fault.ErrNotFound)
	}
	return all, nil
}

// complete makes the source one on which new facts may rest.
func (u *undoing) complete(t *Tx) error {
	source, err := t.lock(u.scope, SourceKind, u.source)
	if err != nil {
		return err
	}
	t.Changes([]string{source.user()}, u.source)
	return t.writeRows(updateNodes, u.scope.TeamID, []map[string]any{source.row(Properties{"withdrawn_at": nil, "version": source.version() + 1, "updated_at": t.store.Now()})})
}
