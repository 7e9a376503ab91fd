package graph

import (
	"context"
	"time"

	"kith/internal/bounds"
	"kith/internal/fault"
)

// batch is a write with how it is stored, which only this package decides.
type batch struct {
	MemoryWrite

	restoring bool   // an import: items may have a history, and none counts as new
	searched  bool   // its messages are not searched for statements
	existing  bool   // nodes and relationships must exist
	additive  bool   // existing relationships stay unchanged
	author    string // author of the write; empty: the scope's user
	plan      *RestorePlan
	types     []string                                 // of an import: the relationship types that exist
	edges     []edge                                   // edges to write as relationships
	then      func(t *Tx, written *MemoryResult) error // called in the transaction after the write; nil: nothing
}

// job returns an attempt at storing the batch in a transaction.
func (w *batch) job(t *Tx, scope Scope, now time.Time) *memoryJob {
	return &memoryJob{tx: t, scope: scope, write: w, now: now, belief: t.writer.Limit.believed()}
}

// validate checks everything that does not need the store. The error lists every fault with its location.
func (w *batch) validate(scope Scope, now time.Time) error {
	f := &Faults{}
	if n := len(w.Nodes) + len(w.Relationships); n > bounds.Items {
		f.Add(fault.At("nodes"), fault.WrongCount, "nodes and relationships together must be at most %d", bounds.Items)
		return f.Err()
	}
	if scope.UserID != "" {
		f.Word(fault.At("user_id"), scope.UserID, bounds.KeyLength)
	}
	if w.IdempotencyKey != "" {
		f.Word(fault.At("idempotency_key"), w.IdempotencyKey, bounds.KeyLength)
	}
	checkDerivedFrom(f, w.DerivedFrom)
	w.checkNodes(f, scope, now)
	w.checkRelationships(f, now)
	return f.Err()
}

func (w *batch) checkNodes(f *Faults, scope Scope, now time.Time) {
	keys := map[string]int{}
	for i := range w.Nodes {
		n := &w.Nodes[i]
		at := fault.At("nodes").Index(i)
		n.check(f, at, now, w.restoring)
		if first, again := keys[n.EntityKey]; again && n.EntityKey != "" {
			f.Same(at.Field("entity_key"), fault.At("nodes").Index(first).Field("entity_key"))
		}
		keys[n.EntityKey] = i
		if id := n.UserID.Value; id != scope.UserID && n.History == nil && fault.ValidKey(id) { // what was exported has the users that there were
			f.User(at.Field("user_id"), id)
		}
		user := owner(n, scope)
		if n.IsOwner.Value && user == "" {
			f.Add(at.Field("is_owner"), fault.Required, "requires a user_id: an owner is the person node of one user")
		}
		if n.Kind == SystemEntityKind.Name && n.UserID.Value != "" {
			f.Add(at.Field("user_id"), fault.NotAllowed, "must be null: system entities are shared by the team")
		}
	}
}

func (w *batch) checkRelationships(f *Faults, now time.Time) {
	seen := map[[4]string]int{}
	for i := range w.Relationships {
		r := &w.Relationships[i]
		at := fault.At("relationships").Index(i)
		r.check(f, at, now, w.restoring)
		if w.restoring { // an import has past relationships too
			continue
		}
		from, kind, to, _ := r.direction()
		identity := [4]string{from, kind, to, r.Qualifier}
		if first, again := seen[identity]; again {
			f.Same(at, fault.At("relationships").Index(first))
		}
		seen[identity] = i
	}
}

// WriteExisting does the same as Write for nodes that must exist.
func (s *Store) WriteExisting(ctx context.Context, scope Scope, w *MemoryWrite) (MemoryResult, error) {
	return s.writeBatch(ctx, scope, &batch{MemoryWrite: *w, existing: true})
}

// writeBatch does what Write does.
func (s *Store) writeBatch(ctx context.Context, scope Scope, w *batch) (MemoryResult, error) {
	now := s.Now()
	if err := w.validate(scope, now); err != nil {
		return MemoryResult{}, err
	}
	if err := s.admitTypes(ctx, w.Relationships); err != nil {
		return MemoryResult{}, err
	}
	ctx, err := s.read(ctx, w.texts(s, WriterOf(ctx).Limit))
	if err != nil {
		return MemoryResult{}, err
	}
	var result MemoryResult
	err = s.Transaction(ctx, "memory_write", func(t *Tx) error {
		result = MemoryResult{}
		repeated, err := t.once(scope, w.IdempotencyKey, &w.MemoryWrite, now, &result, func() error {
			job := w.job(t, scope, now)
			err := job.run()
			result = job.result
			if err == nil && w.then != nil {
				err = w.then(t, &result)
			}
			return err
		})
		if result.Repeated = repeated; repeated { // the first writer may have died before it reported the change
			t.Changes(w.users(scope))
		}
		return err
	})
	if err != nil {
		return MemoryResult{}, err
	}
	return result, nil
}
