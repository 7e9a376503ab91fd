package graph

import (
	"context"
	"fmt"
	"slices"
	"time"

	"kith/internal/fault"
)

// MemoryWrite is one transaction of upserts. With Strict, one refused item refuses the whole write.
type MemoryWrite struct {
	UserID         string              `json:"user_id,omitempty" minLength:"1" maxLength:"256" doc:"whose memory; default: the user of the API key, else the team"`
	Strict         bool                `json:"strict,omitempty" doc:"all or nothing: a refused item is a 422 and nothing is written"`
	IdempotencyKey string              `json:"idempotency_key,omitempty" maxLength:"256" doc:"same as the Idempotency-Key header: for a day, the same key and body return the same answer; another body returns 409"`
	DerivedFrom    []string            `json:"derived_from,omitempty" maxItems:"20" unique:"true" doc:"entity keys of the sources that tell what is written: it carries their least trust, and goes when they are withdrawn"`
	Nodes          []NodeWrite         `json:"nodes,omitempty" maxItems:"10000" doc:"each node once; nodes and relationships together are at most 10,000"`
	Relationships  []RelationshipWrite `json:"relationships,omitempty" maxItems:"10000" doc:"at most one of each type and qualifier from one node to another"`
	AnyTypes       bool                `json:"-"` // relationships may have more types than a team may define: they are those of another system
}

// Status is the outcome of writing an item.
type Status string

// The outcomes of an item: only Refused items are not stored.
const (
	Created   Status = "created"
	Updated   Status = "updated"
	Unchanged Status = "unchanged"
	Refused   Status = "refused"
)

// NodeResult is the outcome of writing a node. Version counts its writes, from 1.
type NodeResult struct {
	EntityKey string  `json:"entity_key"`
	Status    Status  `json:"status" enum:"created,updated,unchanged,refused,waiting"`
	Version   int64   `json:"version,omitempty"`
	Error     *string `json:"error"`
}

// RelationshipResult is the outcome of writing a relationship. Key is empty for a refused one. Closed is the key of
// the relationship that this one contradicts and that was closed.
type RelationshipResult struct {
	Key     string  `json:"key"`
	From    string  `json:"from"`
	To      string  `json:"to"`
	Type    string  `json:"type"`
	Status  Status  `json:"status" enum:"created,updated,unchanged,refused,waiting"`
	Version int64   `json:"version,omitempty"`
	Closed  string  `json:"closed,omitempty"`
	Error   *string `json:"error"`
}

// MemoryResult has one entry for each item of the write, in the same order. Warnings name refused items with their
// locations, and values that were stored differently or look unusual.
type MemoryResult struct {
	Nodes         []NodeResult         `json:"nodes"`
	Relationships []RelationshipResult `json:"relationships"`
	Warnings      []string             `json:"warnings"`
	Review        string               `json:"review,omitempty" doc:"items with the status waiting: the key of the review that decides about them"`
	Versions      []Status             `json:"-"` // of former versions that an import brings
	Refused       []fault.FieldError   `json:"-"` // all refused items; warnings are limited in number
	Repeated      bool                 `json:"-"` // the answer of an earlier write with the same idempotency key
}

// Written returns the number of created and changed nodes and relationships.
func (r *MemoryResult) Written() int { return len(r.changed()) }

// changed returns the keys of created and changed nodes and relationships.
func (r *MemoryResult) changed() []string {
	return append(changedNodes(r.Nodes), changedRelationships(r.Relationships)...)
}

// changedNodes returns the keys of created and changed nodes.
func changedNodes(results []NodeResult) (keys []string) {
	for i := range results {
		if s := results[i].Status; s == Created || s == Updated {
			keys = append(keys, results[i].EntityKey)
		}
	}
	return keys
}

// changedRelationships returns the keys of relationships that were created, changed or closed.
func changedRelationships(results []RelationshipResult) (keys []string) {
	for i := range results {
		r := &results[i]
		if r.Closed != "" {
			keys = append(keys, r.Closed)
		}
		if r.Status == Created || r.Status == Updated {
			keys = append(keys, r.Key)
		}
	}
	return keys
}

// users returns the users whose memory an earlier write of the same request may have changed; the empty string stands
// for the shared memory. A node found by its key, or the end of a relationship, may be shared.
func (w *MemoryWrite) users(scope Scope) []string {
	users := []string{scope.UserID}
	if len(w.Relationships) > 0 {
		users = append(users, "")
	}
	for i := range w.Nodes {
		n := &w.Nodes[i]
		users = append(users, owner(n, scope))
		if n.EntityKey != "" && !n.UserID.Given {
			users = append(users, "")
		}
	}
	return Distinct(users)
}

// owner returns the user to whom a node is private; empty for a shared one. The knowledge of systems is always
// shared.
func owner(w *NodeWrite, scope Scope) string {
	if w.Kind == SystemEntityKind.Name {
		return ""
	}
	if w.UserID.Given {
		return w.UserID.Value
	}
	return scope.UserID
}

// ownerOf returns the user to whom a node is private after a write; empty for a shared one.
func ownerOf(w *NodeWrite, old *stored, scope Scope) string {
	if old != nil {
		return old.user()
	}
	return owner(w, scope)
}

// Validate checks everything that does not need the store. The error lists every fault with its location.
func (w *MemoryWrite) Validate(scope Scope, now time.Time) error {
	return (&batch{MemoryWrite: *w}).validate(scope, now)
}

// Write stores nodes and relationships in one transaction. Items with status created, updated or unchanged are
// durable when it returns. Errors: InvalidError, VersionError, ErrConflict, ErrUnavailable. After ErrUnavailable the
// write is stored completely or not at all, and may be sent again.
func (s *Store) Write(ctx context.Context, scope Scope, w *MemoryWrite) (MemoryResult, error) {
	return s.writeBatch(ctx, scope, &batch{MemoryWrite: *w})
}

// memoryJob is one attempt at a write.
type memoryJob struct {
	tx         *Tx
	scope      Scope
	write      *batch
	now        time.Time
	found      known
	belief     belief
	bound      float64              // the trust below which its facts wait for a review
	waiting    map[string]bool      // keys of the nodes that wait
	decided    map[[2]string]string // what somebody has decided about all writes of its tellers
	confirming bool                 // somebody confirms it
	result     MemoryResult
	conflicts  []fault.FieldError
	warnings   []fault.FieldError   // for items that were stored
	rerank     ranks                // what may have changed its order in contexts
	users      []string             // whose memory changed
	words      []string             // the team's own relationship types, if the write uses some
	fresh      []string             // own types that the write adds
	placed     placed               // relationships of the write
	keys       map[string][3]string // of an import: existing relationships with the keys that it gives
	claims     map[string][]claim   // of an import: what has the keys that it gives as those of merged nodes
	ownerName  string               // name of the scope's user, if a caller gives it
	grown      map[string]int64     // entities and relationships added to each system
}

// author returns the author of new nodes and relationships; empty without one.
func (j *memoryJob) author() string {
	if j.write.author != "" {
		return j.write.author
	}
	return j.scope.UserID
}

func (j *memoryJob) run() error {
	j.result = MemoryResult{
		Nodes:         make([]NodeResult, len(j.write.Nodes)),
		Relationships: make([]RelationshipResult, len(j.write.Relationships)),
		Warnings:      []string{},
	}
	j.tx.Changes(nil) // until conclude, which has the users
	if len(j.write.Nodes)+len(j.write.Relationships) == 0 {
		return nil
	}
	if err := j.writeNodes(); err != nil {
		return err
	}
	j.followKeys()
	pairs, err := j.writeRelationships()
	if err != nil {
		return err
	}
	if len(j.conflicts) > 0 {
		return &fault.VersionError{Fields: j.conflicts}
	}
	if j.write.Strict {
		if refused := fault.ListOf(j.result.Refused); refused.Len() > 0 {
			return refused.Err()
		}
	}
	if err := j.awaitReview(); err != nil {
		return err
	}
	j.conclude()
	j.rerank.pairs = pairs
	if err := j.rerank.renew(j.tx, j.scope.TeamID, j.now); err != nil {
		return err
	}
	return j.settle()
}

// settle updates the places in workspaces of written nodes and of nodes whose link with a project is new. A new
// project may have nodes already, from a deleted project with the same key.
func (j *memoryJob) settle() error {
	keys := j.moved()
	for i := range j.result.Nodes {
		n := &j.result.Nodes[i]
		if n.Status != Created || j.write.Nodes[i].kind() != ProjectKind {
			continue
		}
		err := j.tx.eachIn(j.scope.TeamID, n.EntityKey, func(in []string) error {
			keys = append(keys, in...)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return j.tx.settle(j.scope.TeamID, keys)
}

// moved returns the keys of nodes whose places in workspaces may have changed: written nodes, and nodes linked with a
// project.
func (j *memoryJob) moved() []string {
	var keys []string
	changed := func(s Status) bool { return s == Created || s == Updated }
	for i := range j.result.Nodes {
		if n := &j.result.Nodes[i]; changed(n.Status) && j.write.Nodes[i].kind().group == projectGroup {
			keys = append(keys, n.EntityKey)
		}
	}
	for i := range j.result.Relationships {
		r := &j.result.Relationships[i]
		from, to := j.found.byKey[r.From], j.found.byKey[r.To]
		if !changed(r.Status) || from == nil || to == nil {
			continue
		}
		if from.kind == ProjectKind {
			keys = append(keys, r.To)
		}
		if to.kind == ProjectKind {
			keys = append(keys, r.From)
		}
	}
	return keys
}

func (j *memoryJob) conclude() {
	var keys []string
	if !j.write.restoring { // an import has too many
		keys = j.result.changed()
	}
	j.tx.Changes(Distinct(j.users), keys...)
	refused := fault.ListOf(j.result.Refused)
	for _, f := range slices.Concat(refused.Fields(), j.warnings) {
		f.Path = j.write.requested(f.Path)
		j.result.Warnings = append(j.result.Warnings, f.String())
	}
}

// refusal is the reason why an item is not stored: the field that does not fit the stored data. The zero refusal is none.
type refusal struct {
	field   string
	code    fault.Code
	message string
}

// refuse records why an item is not stored.
func (j *memoryJob) refuse(at fault.Path, r refusal) (Status, *string) {
	j.result.Refused = append(j.result.Refused, fault.FieldError{Path: at.Field(r.field), Code: r.code, Message: r.message})
	return Refused, &r.message
}

// warn adds a warning about an item that is stored.
func (j *memoryJob) warn(at fault.Path, format string, args ...any) {
	if len(j.warnings) < fault.MaxFaults {
		j.warnings = append(j.warnings, fault.FieldError{Path: at, Message: fmt.Sprintf(format, args...)})
	}
}

// ifVersion checks an item's if_version. If another version is stored, the whole write fails.
func (j *memoryJob) ifVersion(at fault.Path, asked Optional[int64], stored int64) {
	if asked.Given && asked.Value != stored && len(j.conflicts) < fault.MaxFaults {
		j.conflicts = append(j.conflicts, fault.Stale(at.Field("if_version"), stored))
	}
}
