package graph

import (
	"context"
	"fmt"
	"slices"
	"time"

	"kith/internal/fault"
	"kith/neo"
)

var (
	deleteNode         = neo.Load[deletedNode]("node_delete")
	restoreNode        = neo.Load[restoredNode]("node_restore")
	deleteStories      = neo.Load[neo.None]("story_delete")
	restoreStories     = neo.Load[neo.None]("story_restore")
	deleteRelationship = neo.Load[int64]("relationship_delete")
	findDeleted        = neo.Load[Properties]("relationship_restorable")
	forgetDeleted      = neo.Load[neo.None]("relationship_restored")
)

// Labels of deleted records that can be restored.
const (
	DeletedLabel             = "Deleted"
	DeletedRelationshipLabel = "DeletedRelationship"
)

// deletedNode counts what was deleted with a node.
type deletedNode struct{ Relationships, Messages int64 }

// restoredNode is a restored node. Relationships is the number of those restored with it. Raced: it was not the last deleted one with
// its key.
type restoredNode struct {
	Properties    Properties
	Relationships int64
	Raced         bool
}

// Deletion is the receipt of a delete. It can be undone until RestorableUntil.
type Deletion struct {
	Key             string    `json:"key"`
	DeletedAt       time.Time `json:"deleted_at"`
	RestorableUntil time.Time `json:"restorable_until"`
	Relationships   int64     `json:"relationships" doc:"of a node: the relationships deleted with it"`
	Messages        int64     `json:"messages" doc:"of a source: the messages deleted with it"`
}

// historyCutoff returns the time since which former versions and the feed of changes are kept.
func (s *Store) historyCutoff() time.Time { return s.Now().Add(-s.options.KeepHistory) }

// cutoff returns the time since which deletes can be undone.
func (s *Store) cutoff() time.Time { return s.Now().Add(-s.options.KeepDeleted) }

// DeleteNode deletes a node of the scope's user, or a shared one. It can be restored for some days. ifVersion, unless it is 0,
// must be the stored version. It returns ErrNotFound or a VersionError.
func (s *Store) DeleteNode(ctx context.Context, scope Scope, kind Kind, key string, ifVersion int64) (Deletion, error) {
	d := s.deletion(key)
	err := s.Transaction(ctx, "node_delete", func(t *Tx) error {
		n, err := t.lock(scope, kind, key)
		if err != nil {
			return err
		}
		if err := versionIs(n.version(), ifVersion); err != nil {
			return err
		}
		return t.deleteNode(scope, n, &d)
	})
	return d, err
}

// deleteNode deletes a locked node, and completes its receipt.
func (t *Tx) deleteNode(scope Scope, n *stored, d *Deletion) error {
	key, kind := n.key(), n.kind
	if err := deleteStories.Run(t, map[string]any{"team_id": scope.TeamID, "entity_key": key, "now": d.DeletedAt}); err != nil {
		return err
	}
	if err := t.leave(scope.TeamID, n); err != nil {
		return err
	}
	deleted, err := deleteNode.ExecOne(t, map[string]any{
		"team_id": scope.TeamID, "entity_key": key, "kind": kind.Name, "label": kind.Label, "now": d.DeletedAt, "user_id": scope.User(),
	})
	if err != nil {
		return err
	}
	d.Relationships, d.Messages = deleted.Relationships, deleted.Messages
	t.Changes([]string{n.user()}, key)
	t.Record(n.user(), FeedItem{Op: DeletedOp, Kind: kind.Name, Key: key, Version: n.version()})
	return t.moved(scope.TeamID, n)
}

func (s *Store) deletion(key string) Deletion {
	now := s.Now()
	return Deletion{Key: key, DeletedAt: now, RestorableUntil: now.Add(s.options.KeepDeleted)}
}

// lock finds and locks a node that the scope may change. It returns ErrNotFound for any other.
func (t *Tx) lock(scope Scope, kind Kind, key string) (*stored, error) {
	found, err := t.find(scope.TeamID, lookups{entityKeys: []string{key}})
	if err != nil {
		return nil, err
	}
	n := found.byKey[key]
	if !n.visible(scope) || n.kind != kind {
		return nil, fmt.Errorf("%s: %w", kind.Name, fault.ErrNotFound)
	}
	return n, nil
}

func versionIs(stored, asked int64) error {
	if asked == 0 || asked == stored {
		return nil
	}
	return &fault.VersionError{Fields: []fault.FieldError{fault.Stale(fault.At("if_version"), stored)}}
}

// RestoreNode undoes the last delete of a node, or its merge into another one. Without a kind it is the node of any kind that was deleted
// last. It returns ErrNotFound when there is no delete, or it was too long ago, and ErrConflict when the key or name is in use again.
func (s *Store) RestoreNode(ctx context.Context, scope Scope, kind Kind, key string) (NodeView, error) {
	var view NodeView
	err := s.Transaction(ctx, "node_restore", func(t *Tx) error {
		kind, merge, err := t.unmerge(scope, kind, key)
		if err != nil {
			return err
		}
		restored, err := restoreNode.ExecOne(t, map[string]any{
			"team_id": scope.TeamID, "user_id": scope.User(), "entity_key": key, "kind": kind.Name, "label": kind.Label,
			"cutoff": s.cutoff(), "now": s.Now(), "embed_due": t.embedRestored(kind), "thin_at": ThinAt(s.Now()),
		})
		if err != nil {
			return err
		}
		if restored.Raced {
			return neo.ErrRace
		}
		n := &stored{kind, restored.Properties}
		view = NewNodeView(kind, n.Properties, s.Now())
		t.Changes([]string{n.user()}, key)
		t.Record(n.user(), FeedItem{Op: RestoredOp, Kind: kind.Name, Key: key, Version: n.version()})
		if err := t.moved(scope.TeamID, n); err != nil {
			return err
		}
		if err := restoreStories.Run(t, map[string]any{"team_id": scope.TeamID, "entity_key": key}); err != nil {
			return err
		}
		if err := t.rank(scope.TeamID, key); err != nil {
			return err
		}
		if merge != nil {
			return t.moveBack(scope, merge, n)
		}
		return t.enter(scope.TeamID, n)
	})
	return view, err
}

// DeleteRelationship deletes a relationship. It can be restored for some days. It returns ErrNotFound or a VersionError.
func (s *Store) DeleteRelationship(ctx context.Context, scope Scope, key string, ifVersion int64) (Deletion, error) {
	r, err := s.locate(ctx, scope, key)
	if err != nil {
		return Deletion{}, err
	}
	d := s.deletion(key)
	err = s.Transaction(ctx, "relationship_delete", func(t *Tx) error {
		current, err := t.lockRelationship(scope, r)
		if err != nil {
			return err
		}
		if err := versionIs(version(current), ifVersion); err != nil {
			return err
		}
		deleted, err := deleteRelationship.ExecOne(t, map[string]any{
			"team_id": scope.TeamID, "from": r.from, "to": r.to, "key": key, "now": d.DeletedAt, "user_id": scope.User(),
		})
		if err == nil && deleted == 0 {
			err = fmt.Errorf("relationship: %w", fault.ErrNotFound)
		}
		if err != nil {
			return err
		}
		t.Changes([]string{r.Text("user_id")}, key)
		t.Record(r.Text("user_id"), relationshipChange(DeletedOp, key, r.kind, r.from, r.to, current))
		return t.settle(scope.TeamID, []string{r.from, r.to})
	})
	return d, err
}

// RestoreRelationship undoes the delete of a relationship. It returns ErrNotFound when there is no delete, it was too long ago,
// or an end is gone. It returns ErrConflict when another relationship has its key, or has its type and time between its ends.
func (s *Store) RestoreRelationship(ctx context.Context, scope Scope, key string) (RelationshipView, error) {
	var view RelationshipView
	types, err := s.IndexedTypes(ctx)
	if err != nil {
		return view, err
	}
	err = s.Transaction(ctx, "relationship_restore", func(t *Tx) error {
		found, err := findDeleted.ExecOne(t, map[string]any{"team_id": scope.TeamID, "key": key, "cutoff": s.cutoff()})
		if err != nil {
			return err
		}
		taken := map[string][3]string{}
		if err := t.keysTaken(scope.TeamID, types, []string{key}, taken); err != nil {
			return err
		}
		if len(taken) > 0 {
			return fmt.Errorf("restore: another relationship has its key: %w", fault.ErrConflict)
		}
		t.Changes([]string{found.Text("user_id")}, key)
		view, err = t.restoreRelationship(scope, found)
		return err
	})
	return view, err
}

func orMissing(err error, what string) error {
	if err != nil {
		return err
	}
	return fmt.Errorf("%s: %w", what, fault.ErrNotFound)
}

func (t *Tx) restoreRelationship(scope Scope, p Properties) (RelationshipView, error) {
	from, to, kind, key := p.Text("from_key"), p.Text("to_key"), p.Text("deleted_type"), p.Text("key")
	found, err := t.find(scope.TeamID, lookups{ends: []string{from, to}})
	if err != nil {
		return RelationshipView{}, err
	}
	job := new(batch).job(t, scope, t.store.Now())
	job.found = found
	if !job.visible(found.byKey[from]) || !job.visible(found.byKey[to]) {
		return RelationshipView{}, fmt.Errorf("restore: %w", fault.ErrNotFound)
	}
	like := findRow(from, p.typeOf(kind), to)
	like["since"] = p["valid_from"]
	others, err := findRelationships.Exec(t, map[string]any{"team_id": scope.TeamID, "rows": []map[string]any{like}})
	if err != nil {
		return RelationshipView{}, err
	}
	for _, row := range others {
		other := row.Properties
		if p["valid_to"] == nil && other["valid_to"] == nil || p["valid_from"] != nil && other.holdsWithin(*p.Moment("valid_from"), p.Moment("valid_to")) {
			return RelationshipView{}, fmt.Errorf("restore: another relationship of its type connects the same nodes: %w", fault.ErrConflict)
		}
	}
	t.NotBefore(*p.Moment("deleted_at"))
	p["restored_at"] = t.Now().UnixMilli()
	for _, name := range []string{"from_key", "to_key", "deleted_type", "deleted_at", "deleted_by", "team_id"} {
		delete(p, name)
	}
	if kind == mentionsType { // its source may have been moved
		p["started_at"] = found.byKey[from].Properties["started_at"]
	}
	row := relationshipRow(from, kind, to, key, p)
	if err := t.writeRows(createRelationships, scope.TeamID, []map[string]any{row}); err != nil {
		return RelationshipView{}, err
	}
	if err := t.settleRestored(scope, job, row); err != nil {
		return RelationshipView{}, err
	}
	if err := forgetDeleted.Run(t, map[string]any{"team_id": scope.TeamID, "key": key, "thin_at": ThinAt(t.store.Now())}); err != nil {
		return RelationshipView{}, err
	}
	err = rankRelationships.Run(t, map[string]any{
		"team_id": scope.TeamID, "pairs": []map[string]any{{"from": from, "to": to}}, "entity_keys": []string{},
	})
	if err == nil {
		err = t.settle(scope.TeamID, []string{from, to})
	}
	return NewRelationshipView(from, kind, to, p, t.store.Now()), err
}

// settleRestored counts a restored mention, and refuses a relationship that would close a cycle of containment.
func (t *Tx) settleRestored(scope Scope, job *memoryJob, row map[string]any) error {
	from, to, kind := neo.Text(row["from"]), neo.Text(row["to"]), neo.Text(row["type"])
	if kind == mentionsType {
		mention := job.mentionRow(from, to)
		mention["weight"], mention["properties"], mention["moved"] = 0.0, map[string]any{}, false // the delete left them
		return t.writeRows(countMentions, scope.TeamID, []map[string]any{mention})
	}
	if p := row["properties"].(map[string]any); p["valid_to"] != nil || !slices.Contains(containmentTypes, kind) { // from relationshipRow
		return nil
	}
	rings, err := findRings.Exec(t, map[string]any{"team_id": scope.TeamID, "rows": ringRows([]map[string]any{row})})
	if err == nil && len(rings) > 0 {
		err = fmt.Errorf("restore: its end contains its start by now: %w", fault.ErrConflict)
	}
	return err
}
