package graph

import (
	"context"
	"fmt"
	"time"
)

// MemoryWrite is one transaction of upserts. With Strict, one refused item refuses them all.
type MemoryWrite struct {
	UserID         string              `json:"user_id,omitempty" minLength:"1" maxLength:"256" doc:"for whom; left out: the user of the key, or the team itself"`
	Strict         bool                `json:"strict,omitempty" doc:"all or nothing: a refused item is a 422 and nothing is written"`
	IdempotencyKey string              `json:"idempotency_key,omitempty" maxLength:"256" doc:"the same as the header Idempotency-Key: for a day, the same key and body get the same answer; another body a 409"`
	Nodes          []NodeWrite         `json:"nodes,omitempty" maxItems:"10000"`
	Relationships  []RelationshipWrite `json:"relationships,omitempty" maxItems:"10000"`

	restoring bool   // an import: history may be given, and nothing is taken for new
	existing  bool   // nodes must be there
	additive  bool   // what relationships there are already stay as they are
	author    string // who is named as having written; empty: the scope's user
	plan      *RestorePlan
	types     []string // of an import: those of the relationships that there are
	edges     []edge   // what the relationships are made of
}

// Status is what became of an item.
type Status string

// The outcomes of an item: only Refused ones are not in the store.
const (
	Created   Status = "created"
	Updated   Status = "updated"
	Unchanged Status = "unchanged"
	Refused   Status = "refused"
)

// NodeResult says what became of a node. Version counts its writes, from 1.
type NodeResult struct {
	EntityKey string  `json:"entity_key"`
	Status    Status  `json:"status" enum:"created,updated,unchanged,refused"`
	Version   int64   `json:"version,omitempty"`
	Error     *string `json:"error"`
}

// RelationshipResult says what became of a relationship. Key is empty for a refused one. Closed is the key of the
// relationship that this one contradicts, which is over now.
type RelationshipResult struct {
	Key     string  `json:"key"`
	From    string  `json:"from"`
	To      string  `json:"to"`
	Type    string  `json:"type"`
	Status  Status  `json:"status" enum:"created,updated,unchanged,refused"`
	Version int64   `json:"version,omitempty"`
	Closed  string  `json:"closed,omitempty"`
	Error   *string `json:"error"`
}

// MemoryResult has one entry for each item of the write, in its order. Warnings say what was refused, with its place, and
// what was stored otherwise than given or looks unusual.
type MemoryResult struct {
	Nodes         []NodeResult         `json:"nodes"`
	Relationships []RelationshipResult `json:"relationships"`
	Warnings      []string             `json:"warnings"`
	Refused       []FieldError         `json:"-"` // all that was refused: warnings end somewhere
	Users         []string             `json:"-"` // whose memory was changed, or may have been by the one repeated; the empty string stands for what the team shares
	Repeated      bool                 `json:"-"` // the answer of an earlier write with the same idempotency key
}

// Changed are the keys of what the write created or changed.
func (r *MemoryResult) Changed() []string {
	return append(ChangedNodes(r.Nodes), ChangedRelationships(r.Relationships)...)
}

// ChangedNodes are the keys of those that a write created or changed.
func ChangedNodes(results []NodeResult) (keys []string) {
	for i := range results {
		if s := results[i].Status; s == Created || s == Updated {
			keys = append(keys, results[i].EntityKey)
		}
	}
	return keys
}

// ChangedRelationships are the keys of those that a write created, changed or closed.
func ChangedRelationships(results []RelationshipResult) (keys []string) {
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

// Users lists whose memory a write may have changed; the empty string stands for what the team shares. It is for a write
// whose outcome is unknown, or that of an earlier one: a node found by its key, or the ends of a relationship, may be
// shared. The result of a write that is done says it exactly.
func (w *MemoryWrite) Users(scope Scope) []string {
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
	return distinct(users)
}

// owner is the user a node is private to; empty for a shared one. The knowledge of systems is always shared.
func owner(w *NodeWrite, scope Scope) string {
	if w.Kind == systemEntityKind.Name {
		return ""
	}
	if w.UserID.Given {
		return w.UserID.Value
	}
	return scope.UserID
}

// Validate checks all that can be said without the store. The error lists every fault with its place.
func (w *MemoryWrite) Validate(scope Scope, now time.Time) error {
	f := &faults{}
	if n := len(w.Nodes) + len(w.Relationships); n > MaxItems {
		f.add("nodes", "nodes and relationships together must be at most %d", MaxItems)
		return f.err()
	}
	if scope.UserID != "" {
		f.word("user_id", scope.UserID, MaxKeyLength)
	}
	if w.IdempotencyKey != "" {
		f.word("idempotency_key", w.IdempotencyKey, MaxKeyLength)
	}
	w.checkNodes(f, scope, now)
	w.checkRelationships(f, now)
	return f.err()
}

func (w *MemoryWrite) checkNodes(f *faults, scope Scope, now time.Time) {
	keys := map[string]int{}
	for i := range w.Nodes {
		n := &w.Nodes[i]
		at := index("nodes", i)
		n.check(f, at, now, w.restoring)
		if first, again := keys[n.EntityKey]; again && n.EntityKey != "" {
			f.add(at+".entity_key", "is the same as that of nodes[%d]", first)
		}
		keys[n.EntityKey] = i
		user := owner(n, scope)
		if n.IsOwner.Value && user == "" {
			f.add(at+".is_owner", "needs a user_id: an owner is one user's own person")
		}
		if n.Kind == systemEntityKind.Name && n.UserID.Value != "" {
			f.add(at+".user_id", "must be null: a team shares what it knows of its systems")
		}
	}
}

func (w *MemoryWrite) checkRelationships(f *faults, now time.Time) {
	triples := map[[3]string]int{}
	for i := range w.Relationships {
		r := &w.Relationships[i]
		at := index("relationships", i)
		r.check(f, at, now, w.restoring)
		if w.restoring { // which has those of the past too
			continue
		}
		from, kind, to, _ := r.direction()
		triple := [3]string{from, kind, to}
		if first, again := triples[triple]; again {
			f.add(at, "is the same as relationships[%d]", first)
		}
		triples[triple] = i
	}
}

// Write stores nodes and relationships in one transaction. What it says is created, updated or unchanged is on disk
// when it returns. Errors: InvalidError, VersionError, ErrConflict, ErrUnavailable (then nothing, or all of it, is
// stored; the same write may be sent again).
func (s *Store) Write(ctx context.Context, scope Scope, w *MemoryWrite) (MemoryResult, error) {
	now := s.now()
	if err := w.Validate(scope, now); err != nil {
		return MemoryResult{}, err
	}
	if err := s.admitTypes(ctx, w.Relationships); err != nil {
		return MemoryResult{}, err
	}
	var result MemoryResult
	err := s.transaction(ctx, "memory_write", func(t *tx) error {
		result = MemoryResult{}
		repeated, err := t.once(scope, w.IdempotencyKey, w, now, &result, func() error {
			job := &memoryJob{tx: t, scope: scope, write: w, now: now}
			err := job.run()
			result = job.result
			return err
		})
		if result.Repeated = repeated; repeated { // the one that wrote may have died before it told the caches
			result.Users = w.Users(scope)
		}
		return err
	})
	if err != nil {
		return MemoryResult{}, err
	}
	return result, nil
}

// memoryJob is one attempt at a write.
type memoryJob struct {
	tx        *tx
	scope     Scope
	write     *MemoryWrite
	now       time.Time
	found     known
	result    MemoryResult
	conflicts []FieldError
	warnings  []string             // that are no refusals
	rerank    []string             // nodes whose place in contexts may have changed
	users     []string             // whose memory is changed
	words     []string             // that the team has as types of its own, if the write uses some
	fresh     []string             // and those that the write adds
	placed    placed               // relationships of an import
	keys      map[string][3]string // of an import: which relationships have the keys that it gives
	ownerName string               // of the scope's user, where a caller gives it
	grown     map[string]int64     // how many entities and relationships systems have got
}

// author is whom new nodes and relationships name as theirs; empty: nobody.
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
		return &VersionError{Fields: j.conflicts}
	}
	if j.write.Strict {
		if err := j.refused().err(); err != nil {
			return err
		}
	}
	j.conclude()
	if len(pairs)+len(j.rerank) > 0 {
		_, err = j.tx.exec("relationship_rank", map[string]any{
			"team_id": j.scope.TeamID, "pairs": pairs, "entity_keys": j.rerank,
		})
		if err != nil {
			return err
		}
	}
	return j.settle()
}

// settle gives nodes their places in their workspaces: those that were written, and those that are linked with a project anew. What
// belongs to a new project may have been there before it, of one of its key that was deleted.
func (j *memoryJob) settle() error {
	keys := j.moved()
	for i := range j.result.Nodes {
		n := &j.result.Nodes[i]
		if n.Status != Created || j.write.Nodes[i].kind() != projectKind {
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

// moved are the keys of the nodes whose place in their workspaces may have changed: those that are written, and those that
// are linked with a project.
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
		if from.kind == projectKind {
			keys = append(keys, r.To)
		}
		if to.kind == projectKind {
			keys = append(keys, r.From)
		}
	}
	return keys
}

func (j *memoryJob) conclude() {
	j.result.Users = distinct(j.users)
	for _, fault := range j.refused().fields {
		j.result.Warnings = append(j.result.Warnings, fault.Location+": "+fault.Message)
	}
	j.result.Warnings = append(j.result.Warnings, j.warnings...)
}

// refused are the refusals that an answer tells of.
func (j *memoryJob) refused() *faults {
	all := j.result.Refused
	return &faults{all[:min(len(all), maxFaults)]}
}

// refuse notes why an item is not stored.
func (j *memoryJob) refuse(location, format string, args ...any) (Status, *string) {
	message := fmt.Sprintf(format, args...)
	j.result.Refused = append(j.result.Refused, FieldError{Location: location, Message: message})
	return Refused, &message
}

// warn says something of an item that is stored.
func (j *memoryJob) warn(location, format string, args ...any) {
	if len(j.warnings) < maxFaults {
		j.warnings = append(j.warnings, location+": "+fmt.Sprintf(format, args...))
	}
}

// ifVersion checks the version that an item asks for. Where another one is stored, nothing of the write is done.
func (j *memoryJob) ifVersion(at string, asked Optional[int64], stored int64) {
	if !asked.Given || asked.Value == stored || len(j.conflicts) >= maxFaults {
		return
	}
	j.conflicts = append(j.conflicts, FieldError{
		Location: at + ".if_version", Message: fmt.Sprintf("the stored version is %d", stored), Version: &stored,
	})
}
