package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"kith/graph/neo"
	"kith/internal/bounds"
	"kith/internal/fault"
)

var (
	findMergedLinks = neo.Load[mergedLink]("merge_links")
	findHiddenLinks = neo.Load[foundRelationship]("merge_hidden")
	mergeNode       = neo.Load[mergedLinks]("node_merge")
	findMerged      = neo.Load[mergedNode]("node_merged")
	keepMerged      = neo.Load[neo.None]("merged_keys")
	findSystemLinks = neo.Load[int64]("merge_system_links")
)

// mergedNode is a deleted node: its kind, into which one it was merged, and the record of that as JSON; nil if it was only deleted.
type mergedNode struct {
	Kind string
	Into *string
	Undo string
}

// MergeWrite names the node that is merged into another one.
type MergeWrite struct {
	Other  string   `json:"other" minLength:"1" maxLength:"256" doc:"entity_key of the node that is merged into this one. Its key goes on to lead here"`
	Take   []string `json:"take,omitempty" maxItems:"12" enum:"name,type,description,properties,state_key,type_key,facet_context,facet_scale,facet_stage,next_step_short,next_step_long,start_at,end_at" doc:"fields that get the value of the other node where both have one; default: this node's stay"`
	DryRun bool     `json:"dry_run,omitempty" doc:"answer what the merge would do, and do nothing"`
}

// Merge reports what a merge has done. It can be undone until UndoableUntil.
type Merge struct {
	Node          NodeView        `json:"node" doc:"as it is now"`
	Merged        NodeRef         `json:"merged" doc:"the node that is part of it now"`
	Conflicts     []MergeConflict `json:"conflicts" doc:"fields of which both nodes had a value"`
	Relationships int64           `json:"relationships" doc:"moved here"`
	Left          int64           `json:"left" doc:"relationships that repeat one of this node's, or lead to it: only an undo brings them back"`
	Nodes         int64           `json:"nodes,omitempty" doc:"of a project: nodes that belong to this one now"`
	UndoableUntil time.Time       `json:"undoable_until" doc:"with restore-node and the key of the other"`
}

// MergeConflict is a field of which both nodes had a value.
type MergeConflict struct {
	Field   string          `json:"field"`
	Kept    json.RawMessage `json:"kept"`
	Dropped json.RawMessage `json:"dropped"`
}

const (
	maxMergedLinks = 20_000 // relationships of a node that is merged: they move in one transaction
	maxAliases     = bounds.ListLength
)

// Fields of which a merge keeps one value: those of all kinds, and further ones of projects.
var (
	mergeableFields = []string{"name", "type", "description", "properties"}
	projectMerged   = []string{"state_key", "type_key", "facet_context", "facet_scale", "facet_stage", "next_step_short", "next_step_long", "start_at", "end_at"}
)

// isMergeable reports whether nodes of the kind are merged.
func (k Kind) isMergeable() bool {
	return k.group == knowledgeGroup || k == ProjectKind || k == SystemEntityKind
}

// mergeableFields returns the fields of the kind of which a merge keeps one value.
func (k Kind) mergeableFields() []string {
	if k == ProjectKind {
		return slices.Concat(mergeableFields, projectMerged)
	}
	return mergeableFields
}

// MergeNodes makes a node take over the relationships, mentions, notes, names and keys of another one of its kind and user, which is
// deleted; a project also the nodes that belong to the other one. RestoreNode with the other's key undoes it. Errors: InvalidError, ErrNotFound, ErrConflict.
func (s *Store) MergeNodes(ctx context.Context, scope Scope, kind Kind, key string, w MergeWrite) (Merge, error) {
	if err := w.check(kind); err != nil {
		return Merge{}, err
	}
	var merge Merge
	err := s.TryTransaction(ctx, "node_merge", w.DryRun, func(t *Tx) (err error) {
		merge, err = t.MergeNodes(scope, kind, key, w)
		return err
	})
	return merge, err
}

// MergeNodes is Store.MergeNodes in a transaction, for a write that is valid.
func (t *Tx) MergeNodes(scope Scope, kind Kind, key string, w MergeWrite) (Merge, error) {
	found, err := t.find(scope.TeamID, lookups{entityKeys: []string{key, w.Other}})
	if err != nil {
		return Merge{}, err
	}
	n, other := found.byKey[key], found.byKey[w.Other]
	if err := mergeable(scope, kind, n, other); err != nil {
		return Merge{}, err
	}
	merge, err := t.merge(scope, n, other, w)
	if err != nil {
		return Merge{}, err
	}
	merge.Node, err = t.view(scope, kind, n.key(), NodeQuery{})
	return merge, err
}

func (w *MergeWrite) check(kind Kind) error {
	f := &Faults{}
	if !kind.isMergeable() {
		f.Add(fault.At("other"), fault.NotAllowed, "nodes of this kind are not merged, only persons, concepts, entities, projects and entities of systems")
		return f.Err()
	}
	f.Word(fault.At("other"), w.Other, bounds.KeyLength)
	f.Items(fault.At("take"), len(w.Take), len(kind.mergeableFields()))
	for i, field := range w.Take {
		f.OneOf(fault.At("take").Index(i), field, kind.mergeableFields()...)
	}
	return f.Err()
}

// mergeable returns why the scope cannot merge a node into another one.
func mergeable(scope Scope, kind Kind, n, other *stored) error {
	switch {
	case !n.visible(scope) || n.kind != kind:
		return fmt.Errorf("%s: %w", kind.Name, fault.ErrNotFound)
	case !other.visible(scope):
		return fault.Invalid(fault.At("other"), fault.Missing, "%s", noSuchNode)
	case n.key() == other.key():
		return fault.Invalid(fault.At("other"), fault.Contrary, "is this node itself, or was merged into it")
	case other.kind != n.kind:
		return fault.Invalid(fault.At("other"), fault.Contrary, "is a %s: only nodes of one kind are merged", other.kind.Name)
	case other.user() != n.user():
		return fault.Invalid(fault.At("other"), fault.Contrary, "is not the same user's: private nodes and those that the team shares are not merged")
	case other.Text("system") != n.Text("system"):
		return fault.Invalid(fault.At("other"), fault.Contrary, "is not of the same system")
	case other.owns():
		return fault.Invalid(fault.At("other"), fault.Contrary, "is the user's own person: merge the other node into it")
	}
	return nil
}

func (t *Tx) merge(scope Scope, n, other *stored, w MergeWrite) (Merge, error) {
	now := t.store.Now()
	next, conflicts := merged(n, other, w.Take, now)
	if len(next.Texts("aliases")) > maxAliases {
		return Merge{}, fault.Invalid(fault.At("other"), fault.WrongCount, "the two nodes have more than %d names together", maxAliases)
	}
	if len(allNotes(next.Texts("notes"))) > maxNotes {
		return Merge{}, fault.Invalid(fault.At("other"), fault.WrongCount, "the two nodes have more than %d notes together", maxNotes)
	}
	if len(next.Texts("tags")) > bounds.ListLength {
		return Merge{}, fault.Invalid(fault.At("other"), fault.WrongCount, "the two nodes have more than %d tags together", bounds.ListLength)
	}
	if len(next.mergedKeys()) > maxMergedKeys {
		return Merge{}, fault.Invalid(fault.At("other"), fault.WrongCount, "the two nodes have taken the places of more than %d others together", maxMergedKeys)
	}
	next.renewed(n, scope.TeamID, now)
	t.embedLater(n, next)
	changed := n.changesTo(next.Properties)
	undo, err := undoOf(n, other, changed)
	if err != nil {
		return Merge{}, err
	}
	if err := t.renewSystem(scope.TeamID, n); err != nil {
		return Merge{}, err
	}
	moved, count, err := t.absorb(scope, now, n, other, undo)
	if err != nil {
		return Merge{}, err
	}
	if err := t.writeRows(updateNodes, scope.TeamID, []map[string]any{n.row(changed)}); err != nil {
		return Merge{}, err
	}
	nodes, err := t.moveProject(scope.TeamID, other, n, moved)
	if err != nil {
		return Merge{}, err
	}
	err = t.rank(scope.TeamID, n.key())
	return Merge{
		Merged:    NodeRef{EntityKey: other.key(), Kind: other.kind.Name, Name: other.Text("name"), Told: other.Told()},
		Conflicts: conflicts, Relationships: count.moved, Left: count.left, Nodes: nodes, UndoableUntil: now.Add(t.store.options.KeepDeleted),
	}, err
}

// linkCount counts the relationships of a merged node that the scope may see.
type linkCount struct{ moved, left int64 }

// absorb moves the relationships of a node to the one into which it is merged, and deletes it. What only repeats one of that node's, or
// leads to it, stays with the deleted node.
func (t *Tx) absorb(scope Scope, now time.Time, n, other *stored, undo string) ([]movedLink, linkCount, error) {
	all, moving, err := t.mergedLinks(scope, n.key(), other.key())
	if err != nil {
		return nil, linkCount{}, err
	}
	if err := t.detach(scope, now, []*stored{other}); err != nil {
		return nil, linkCount{}, err
	}
	done, err := mergeNode.Exec(t, map[string]any{
		"team_id": scope.TeamID, "from": other.key(), "to": n.key(), "others": other.mergedKeys(), "moved": moving, "into": n.key(), "undo": undo, "now": now,
	})
	if err != nil {
		return nil, linkCount{}, err
	}
	var moved []movedLink
	if len(done) > 0 { // otherwise the node is one of an earlier piece of a dry run, which has stored nothing
		moved = done[0].Links
	}
	if _, err = t.removeNodes(scope, now, []*stored{other}); err != nil {
		return nil, linkCount{}, err
	}
	if err := t.refuseMergedRings(scope.TeamID, moved); err != nil {
		return nil, linkCount{}, err
	}
	t.Changes([]string{n.user()}, n.key(), other.key())
	t.Record(other.user(), FeedItem{Op: DeletedOp, Kind: other.kind.Name, Key: other.key(), Version: other.version()})
	count := t.recordMoved(scope, moved)
	return moved, linkCount{count, all - count}, nil
}

// renewed makes the node the next version of an old one: it sets what follows from the other properties.
func (s *stored) renewed(old *stored, teamID string, now time.Time) {
	s.rename(old, teamID)
	s.putEnd()
	s.Properties["version"], s.Properties["updated_at"] = old.version()+1, now
}

// rename sets what follows from names that differ from those of an old version.
func (s *stored) rename(old *stored, teamID string) {
	s.putSearchScope(teamID)
	if natural := naturalKey(s.kind, s.Properties); natural != naturalKey(s.kind, old.Properties) { // otherwise the stored key stays
		s.Properties["natural_key"] = natural
	}
}

// mergedKeys returns the keys of nodes that were merged into the node.
func (s *stored) mergedKeys() []string {
	if keys := s.Texts("merged_keys"); keys != nil {
		return keys
	}
	return []string{}
}

// merged returns a node with what it takes over from another one, and the fields of which both had a value. Of fields in take it has the
// other's value, otherwise its own.
func merged(n, other *stored, take []string, now time.Time) (*stored, []MergeConflict) {
	next := &stored{n.kind, n.clone()}
	conflicts := []MergeConflict{}
	for _, field := range n.kind.mergeableFields() {
		own, others := n.Properties[field], other.Properties[field]
		isTaken := slices.Contains(take, field)
		if isEmpty(others) || Same(own, others) {
			continue
		}
		if isEmpty(own) || isTaken {
			next.Properties[field] = others
		}
		if !isEmpty(own) && (field != "name" || !n.kind.hasAliases()) {
			conflict := MergeConflict{Field: field, Kept: jsonOf(field, own), Dropped: jsonOf(field, others)}
			if isTaken {
				conflict.Kept, conflict.Dropped = conflict.Dropped, conflict.Kept
			}
			conflicts = append(conflicts, conflict)
		}
	}
	if n.kind == PersonKind && next.Text("name") != n.Text("name") {
		next.Properties["canonical_name"] = other.Text("canonical_name")
	}
	if n.kind.hasAliases() {
		next.putAliases(slices.Concat(n.Texts("aliases"), []string{n.Text("name"), other.Text("name")}, other.Texts("aliases")))
	}
	if n.kind == ConceptKind {
		next.markGoal()
	}
	if n.kind == SystemEntityKind {
		tags := united(n.Texts("tags"), other.Texts("tags"))
		next.putUnless(len(tags) == 0 && n.Properties["tags"] == nil, "tags", tags)
	}
	notes := NotesFrom(slices.Concat(n.Texts("notes"), other.Texts("notes")), now)
	slices.SortStableFunc(notes, func(a, b Note) int { return b.DateAdded.Compare(a.DateAdded) })
	next.putNotes(notes)
	next.Properties["merged_keys"] = slices.Concat(n.mergedKeys(), []string{other.key()}, other.mergedKeys())
	if counts(n) && (n.Properties["mention_weight"] != nil || other.Properties["mention_weight"] != nil) {
		next.Properties["mention_weight"] = n.number("mention_weight") + other.number("mention_weight")
		next.Properties["distinct_source_days"] = Distinct(slices.Concat(n.Texts("distinct_source_days"), other.Texts("distinct_source_days")))
	}
	next.mergeEvidence(n, other)
	delete(next.Properties, "owner_generated") // the caller means it: another owner does not replace what it has taken over
	next.putLife(mergedVitality(n.vitality(), other.vitality(), now))
	return next, conflicts
}

// putLife writes a vitality with the confidence and the policy of lifetime that it has taken over.
func (s *stored) putLife(v vitality) {
	s.Properties["confidence"], s.Properties["ttl_policy"] = v.confidence, v.ttl
	s.putVitality(v)
}

// isEmpty reports whether a field has no value.
func isEmpty(value any) bool {
	if list, ok := value.([]string); ok {
		return len(list) == 0
	}
	return value == nil || value == "" || value == noProperties
}

// united returns the items of a list followed by those of another one that it has not.
func united(list, more []string) []string {
	all := append([]string{}, list...)
	for _, item := range more {
		if !slices.Contains(all, item) {
			all = append(all, item)
		}
	}
	return all
}

// renewSystem locks the system of an entity, and makes a new version of it: its readers see what a merge or undo does whole.
func (t *Tx) renewSystem(team string, n *stored) error {
	if n.kind != SystemEntityKind {
		return nil
	}
	locked, err := lockNumbers.ExecOne(t, map[string]any{"team_id": team, "system": n.Text("system"), "now": t.Now()})
	if err != nil {
		return err
	}
	t.NotBefore(locked.UpdatedAt)
	return saveNumbers.Run(t, map[string]any{"team_id": team, "system": n.Text("system"), "next_seq": locked.NextSeq, "now": t.Now()})
}

// jsonOf returns the JSON of a field's value.
func jsonOf(field string, value any) json.RawMessage {
	if text, ok := value.(string); ok && field == "properties" {
		return json.RawMessage(text)
	}
	raw, _ := json.Marshal(value) //nolint:errchkjson // a text or time always encodes
	return raw
}

// putAliases stores the names that differ from the node's and from each other.
func (s *stored) putAliases(names []string) {
	known := map[string]bool{NameKey(s.Text("name")): true}
	var aliases []string
	for _, name := range names {
		if key := NameKey(name); name != "" && !known[key] {
			known[key], aliases = true, append(aliases, name)
		}
	}
	s.putUnless(len(aliases) == 0, "aliases", aliases)
}

// mergedVitality returns the vitality of a node that takes over another one: the greater salience and confidence, the stronger state
// and lifetime, all accesses.
func mergedVitality(v, other vitality, now time.Time) vitality {
	v.rebase(now) // under the old rate
	if strength(other.stateAt(now)) > strength(v.stateAt(now)) {
		v.state = other.stateAt(now)
	}
	if other.current(now) > v.current(now) {
		v.salience, v.at = other.current(now), now
	}
	v.ttl, v.expires = longerLife(v, other)
	v.gradient = max(v.gradient, other.gradient)
	v.confidence = max(v.confidence, other.confidence)
	v.accesses, v.recalls = v.accesses+other.accesses, v.recalls+other.recalls
	if v.lastAccess == nil || other.lastAccess != nil && other.lastAccess.After(*v.lastAccess) {
		v.lastAccess = other.lastAccess
	}
	v.settle()
	return v
}

// longerLife returns the longer lifetime of two nodes: for ever, with decay, or to the later of two ends.
func longerLife(v, other vitality) (ttl string, expires *time.Time) {
	for _, ttl := range []string{"keep_forever", "decay"} {
		if v.ttl == ttl || other.ttl == ttl {
			return ttl, nil
		}
	}
	if v.expires == nil || other.expires != nil && v.expires.After(*other.expires) {
		return v.ttl, v.expires
	}
	return v.ttl, other.expires
}

// strength orders the states of the lifecycle.
func strength(state string) int {
	return slices.Index([]string{"archived", "candidate", "active", "core"}, state)
}

// storeMergedKeys makes the keys of merged nodes lead to the nodes of an import.
func (j *memoryJob) storeMergedKeys() error {
	var rows []map[string]any
	for i := range j.write.Nodes {
		h, r := j.write.Nodes[i].History, &j.result.Nodes[i]
		if h == nil || r.Status != Created && r.Status != Updated {
			continue
		}
		n := j.found.byKey[r.EntityKey] // it may have fewer than the line
		for _, key := range n.mergedKeys() {
			rows = append(rows, map[string]any{"key": key, "into": r.EntityKey, "user_id": OrNil(n.user())})
		}
	}
	return j.tx.writeRows(keepMerged, j.scope.TeamID, rows)
}
