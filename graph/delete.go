package graph

import (
	"context"
	"fmt"
	"slices"
	"time"

	"kith/graph/neo"
	"kith/internal/fault"
)

var (
	deleteNode         = neo.Load[deletedNode]("node_delete")
	restoreNode        = neo.Load[restoredNode]("node_restore")
	findClash          = neo.Load[restoreClash]("node_restore_clash")
	deleteStories      = neo.Load[neo.None]("story_delete")
	restoreStories     = neo.Load[neo.None]("story_restore")
	deleteRelationship = neo.Load[string]("relationship_delete")
	findDeleted        = neo.Load[Properties]("relationship_restorable")
	forgetDeleted      = neo.Load[neo.None]("relationship_restored")

	recreateRelationships = neo.Load[int64]("relationship_create")
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
		deleted, err := t.deleteNodes(scope, d.DeletedAt, n)
		d.Key = n.key() // which is restored, not one that was merged into it
		d.Relationships, d.Messages = deleted.Relationships, deleted.Messages
		return err
	})
	return d, err
}

// deleteNodes deletes locked nodes, and counts what was deleted with them.
func (t *Tx) deleteNodes(scope Scope, at time.Time, nodes ...*stored) (sum deletedNode, err error) {
	if len(nodes) == 0 {
		return sum, nil
	}
	if err := t.detach(scope, at, nodes); err != nil {
		return sum, err
	}
	deleted, err := t.removeNodes(scope, at, nodes)
	if err != nil {
		return sum, err
	}
	for _, d := range deleted {
		sum.Relationships += d.Relationships
		sum.Messages += d.Messages
	}
	if err := t.recountMentions(scope.TeamID, nodes, nil); err != nil {
		return sum, err
	}
	for _, n := range nodes {
		t.Changes([]string{n.user()}, n.key())
		t.Record(n.user(), FeedItem{Op: DeletedOp, Kind: n.kind.Name, Key: n.key(), Version: n.version()})
		if err := t.moved(scope.TeamID, n); err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// detach takes nodes that will be deleted out of their stories, and out of their places in a workspace.
func (t *Tx) detach(scope Scope, at time.Time, nodes []*stored) error {
	if err := deleteStories.Run(t, map[string]any{"team_id": scope.TeamID, "entity_keys": keysOf(nodes), "now": at}); err != nil {
		return err
	}
	for _, n := range nodes {
		if err := t.leave(scope.TeamID, n); err != nil {
			return err
		}
	}
	return nil
}

// removeNodes makes nodes deleted ones.
func (t *Tx) removeNodes(scope Scope, at time.Time, nodes []*stored) ([]deletedNode, error) {
	rows := make([]map[string]any, len(nodes))
	for i, n := range nodes {
		rows[i] = map[string]any{"entity_key": n.key(), "kind": n.kind.Name, "label": n.kind.Label}
	}
	return deleteNode.Exec(t, map[string]any{"team_id": scope.TeamID, "rows": rows, "now": at, "user_id": scope.User()})
}

func keysOf(nodes []*stored) []string {
	keys := make([]string, len(nodes))
	for i, n := range nodes {
		keys[i] = n.key()
	}
	return keys
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
	err := s.Transaction(ctx, "node_restore", func(t *Tx) (err error) {
		view, err = t.restoreNode(scope, kind, key)
		return err
	})
	return view, err
}

func (t *Tx) restoreNode(scope Scope, kind Kind, key string) (NodeView, error) {
	kind, merge, err := t.unmerge(scope, kind, key)
	if err != nil {
		return NodeView{}, err
	}
	restored, err := t.restoreNodes(scope, []deletedRef{{kind, key, merge != nil}})
	if err != nil {
		return NodeView{}, err
	}
	n := restored[0]
	if merge == nil {
		return NewNodeView(kind, n.Properties, t.store.Now()), t.enter(scope.TeamID, n)
	}
	if err := t.moveBack(scope, merge, n); err != nil {
		return NodeView{}, err
	}
	return t.view(scope, kind, key, NodeQuery{}) // what moves back with it changes its counts
}

// deletedRef is a node to restore.
type deletedRef struct {
	kind     Kind
	key      string
	isMerged bool // into another one, which is undone as well
}

// restoreNodes restores nodes, except their places in a workspace. It returns ErrNotFound if one of them cannot be restored.
func (t *Tx) restoreNodes(scope Scope, refs []deletedRef) ([]*stored, error) {
	kinds, rows := map[string]Kind{}, make([]map[string]any, len(refs))
	for i, r := range refs {
		kinds[r.key] = r.kind
		rows[i] = map[string]any{"entity_key": r.key, "kind": r.kind.Name, "label": r.kind.Label, "merged": r.isMerged, "embed_due": t.embedRestored(r.kind)}
	}
	if err := t.refuseClash(scope, rows); err != nil {
		return nil, err
	}
	now := t.store.Now()
	restored, err := restoreNode.Exec(t, map[string]any{
		"team_id": scope.TeamID, "user_id": scope.User(), "rows": rows, "cutoff": t.store.cutoff(), "now": now, "thin_at": ThinAt(now),
	})
	if err != nil || len(restored) < len(refs) {
		return nil, orMissing(err, "restore")
	}
	nodes := make([]*stored, len(restored))
	for i, r := range restored {
		if r.Raced {
			return nil, neo.ErrRace
		}
		n := &stored{kinds[r.Properties.Text("entity_key")], r.Properties}
		nodes[i] = n
		t.Changes([]string{n.user()}, n.key())
		t.Record(n.user(), FeedItem{Op: RestoredOp, Kind: n.kind.Name, Key: n.key(), Version: n.version()})
		if err := t.moved(scope.TeamID, n); err != nil {
			return nil, err
		}
	}
	if err := restoreStories.Run(t, map[string]any{"team_id": scope.TeamID, "entity_keys": keysOf(nodes)}); err != nil {
		return nil, err
	}
	return nodes, t.rank(scope.TeamID, keysOf(nodes)...)
}

// restoreClash is what a deleted node had, and another node has now.
type restoreClash struct {
	What   string
	Holder string // empty: the scope may not see it
}

// refuseClash returns ErrConflict if another node has the key or name of one of the nodes to restore.
func (t *Tx) refuseClash(scope Scope, rows []map[string]any) error {
	clashes, err := findClash.Exec(t, map[string]any{"team_id": scope.TeamID, "user_id": scope.User(), "rows": rows, "cutoff": t.store.cutoff()})
	if err != nil || len(clashes) == 0 {
		return err
	}
	holder := ""
	if clashes[0].Holder != "" {
		holder = ", " + clashes[0].Holder
	}
	return fmt.Errorf("restore: the %s belongs to another node now%s: %w", clashes[0].What, holder, fault.ErrConflict)
}

// DeleteRelationship deletes a relationship. It can be restored for some days. It returns ErrNotFound or a VersionError.
func (s *Store) DeleteRelationship(ctx context.Context, scope Scope, key string, ifVersion int64) (Deletion, error) {
	d := s.deletion(key)
	err := s.withRelationship(ctx, scope, key, "relationship_delete", func(t *Tx, r *located) error {
		if err := versionIs(version(r.Properties), ifVersion); err != nil {
			return err
		}
		_, err := deleteRelationship.ExecOne(t, map[string]any{
			"team_id": scope.TeamID, "rows": []map[string]any{{"from": r.from, "to": r.to, "key": key}}, "now": d.DeletedAt, "user_id": scope.User(),
		})
		if err == nil && r.kind == mentionsType {
			err = t.recountMentions(scope.TeamID, nil, []map[string]any{endedMention(r.to, r.Properties)})
		}
		if err != nil {
			return err
		}
		t.Changes([]string{r.Text("user_id")}, key)
		t.Record(r.Text("user_id"), relationshipChange(DeletedOp, key, r.kind, r.from, r.to, r.Properties))
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
		views, err := t.restoreRelationships(scope, types, []string{key})
		if err == nil {
			view = views[0]
		}
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

// restoreRelationships restores relationships between nodes of the scope, all of them or none.
func (t *Tx) restoreRelationships(scope Scope, types, keys []string) ([]RelationshipView, error) {
	deleted, err := t.restorable(scope, types, keys)
	if err != nil {
		return nil, err
	}
	var ends []string
	for _, p := range deleted {
		ends = append(ends, p.Text("from_key"), p.Text("to_key"))
	}
	found, err := t.find(scope.TeamID, lookups{ends: Distinct(ends)})
	if err != nil {
		return nil, err
	}
	if err := t.followMerges(scope.TeamID, deleted, found); err != nil {
		return nil, err
	}
	job := new(batch).job(t, scope, t.store.Now())
	job.found = found
	if err := job.refuseRestored(deleted); err != nil {
		return nil, err
	}
	for _, p := range deleted {
		t.NotBefore(later(t.Now(), *p.Moment("deleted_at")))
	}
	rows, err := t.recreate(scope, job, deleted)
	if err != nil {
		return nil, err
	}
	if err := forgetDeleted.Run(t, map[string]any{"team_id": scope.TeamID, "keys": keys, "thin_at": ThinAt(t.store.Now())}); err != nil {
		return nil, err
	}
	if err := (&ranks{pairs: ringRows(rows)}).renew(t, scope.TeamID, t.store.Now()); err != nil {
		return nil, err
	}
	views := make([]RelationshipView, len(rows))
	ends = nil // merges may have moved them
	for i, row := range rows {
		from, to := neo.Text(row["from"]), neo.Text(row["to"])
		ends = append(ends, from, to)
		views[i] = NewRelationshipView(from, neo.Text(row["type"]), to, deleted[i], t.store.Now())
	}
	return views, t.settle(scope.TeamID, Distinct(ends))
}

// recreate stores deleted relationships again, and returns their rows. It removes what only a deleted one has from their properties.
func (t *Tx) recreate(scope Scope, job *memoryJob, deleted []Properties) ([]map[string]any, error) {
	rows := make([]map[string]any, len(deleted))
	for i, p := range deleted {
		from, to, kind, key := p.Text("from_key"), p.Text("to_key"), p.Text("deleted_type"), p.Text("key")
		p["restored_at"] = t.Now().UnixMilli()
		for _, name := range []string{"from_key", "to_key", "deleted_type", "deleted_at", "deleted_by", "team_id"} {
			delete(p, name)
		}
		if kind == mentionsType { // its source may have been moved
			p["started_at"], p["node_key"] = job.found.byKey[from].Properties["started_at"], to
		}
		rows[i] = relationshipRow(from, kind, to, key, p)
		t.Changes([]string{p.Text("user_id")}, key)
	}
	t.Sign(rows)
	created, err := recreateRelationships.ExecOne(t, map[string]any{"team_id": scope.TeamID, "rows": rows})
	if err == nil && created < int64(len(rows)) { // otherwise their records would be lost
		err = neo.ErrRace
	}
	if err != nil {
		return nil, err
	}
	return rows, t.settleRestored(scope, job, rows)
}

// restorable returns deleted relationships. It returns ErrNotFound or ErrConflict if one of them cannot be restored.
func (t *Tx) restorable(scope Scope, types, keys []string) ([]Properties, error) {
	deleted, err := findDeleted.Exec(t, map[string]any{"team_id": scope.TeamID, "keys": keys, "cutoff": t.store.cutoff()})
	if err != nil || len(deleted) < len(keys) {
		return nil, orMissing(err, "restore")
	}
	taken := map[string][3]string{}
	if err := t.keysTaken(scope.TeamID, types, keys, taken); err != nil {
		return nil, err
	}
	if len(taken) > 0 {
		return nil, fmt.Errorf("restore: another relationship has its key: %w", fault.ErrConflict)
	}
	return deleted, nil
}

// refuseRestored returns ErrNotFound if an end of a deleted relationship is gone, and ErrConflict if another relationship of its type
// has taken its place.
func (j *memoryJob) refuseRestored(deleted []Properties) error {
	rows, together := make([]map[string]any, len(deleted)), map[[4]string][]Properties{}
	for i, p := range deleted {
		from, to, kind := p.Text("from_key"), p.Text("to_key"), p.typeOf(p.Text("deleted_type"))
		if !j.visible(j.found.byKey[from]) || !j.visible(j.found.byKey[to]) {
			return fmt.Errorf("restore: %w", fault.ErrNotFound)
		}
		rows[i] = findRow(from, kind, to)
		rows[i]["position"], rows[i]["since"] = i, p.start()
		identity := [4]string{from, kind, to, p.Text("qualifier")}
		if slices.ContainsFunc(together[identity], p.overlaps) {
			return errOverlap
		}
		together[identity] = append(together[identity], p)
	}
	others, err := findRelationships.Exec(j.tx, map[string]any{"team_id": j.scope.TeamID, "rows": rows})
	if err != nil {
		return err
	}
	for _, other := range others {
		if p := deleted[other.Position]; p.Text("qualifier") == other.Properties.Text("qualifier") && p.overlaps(other.Properties) {
			return errOverlap
		}
	}
	return nil
}

var errOverlap = fmt.Errorf("restore: another relationship of its type connects the same nodes: %w", fault.ErrConflict)

// overlaps reports whether a relationship cannot be beside another one of its type between the same nodes.
func (p Properties) overlaps(other Properties) bool {
	return p["valid_to"] == nil && other["valid_to"] == nil || other.holdsWithin(p.start(), p.Moment("valid_to"))
}

// settleRestored counts restored mentions, and refuses relationships that would close a cycle of containment.
func (t *Tx) settleRestored(scope Scope, job *memoryJob, rows []map[string]any) error {
	var mentions, containing []map[string]any
	for _, row := range rows {
		from, to, kind := neo.Text(row["from"]), neo.Text(row["to"]), neo.Text(row["type"])
		p := row["properties"].(map[string]any) // from relationshipRow
		switch {
		case kind == mentionsType:
			mention := job.mentionRow(from, to)
			mention["weight"], mention["properties"], mention["moved"] = 0.0, map[string]any{}, false // the delete left them
			mentions = append(mentions, mention)
		case !Properties(p).endedBy(t.store.Now()) && slices.Contains(containmentTypes, kind):
			containing = append(containing, row)
		}
	}
	if err := t.writeRows(countMentions, scope.TeamID, mentions); err != nil || len(containing) == 0 {
		return err
	}
	rings, err := t.rings(scope.TeamID, containing)
	if err == nil && len(rings) > 0 {
		err = fmt.Errorf("restore: its end contains its start by now: %w", fault.ErrConflict)
	}
	return err
}
