package graph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"kith/internal/bounds"
	"kith/internal/fault"
	"kith/neo"
)

var (
	findMergedLinks = neo.Load[mergedLink]("merge_links")
	mergeNode       = neo.Load[mergedLinks]("node_merge")
	findMerged      = neo.Load[mergedNode]("node_merged")
	keepMerged      = neo.Load[neo.None]("merged_keys")
	findSystemLinks = neo.Load[int64]("merge_system_links")
)

// mergedLinks are relationships that a merge, or its undo, has moved.
type mergedLinks struct{ Links []movedLink }

// mergedLink is a relationship of a node that is to be merged, with its other end.
type mergedLink struct {
	Type       string
	Leads      bool
	Other      string
	Properties Properties // key, type_word, valid_from, valid_to, user_id, relationship_type
}

// movedLink is a relationship with its new ends.
type movedLink struct {
	Key, Type, From, To string
	Version             int64
	User                string
	Current             bool
	OfSystem            bool
}

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

// mergeRecord has what an undo needs.
type mergeRecord struct {
	Into   string                     `json:"into"`
	Was    map[string]json.RawMessage `json:"was"` // properties that the merge has changed, without those that did not exist
	Now    map[string]json.RawMessage `json:"now"`
	Notes  []string                   `json:"notes"`  // ids of the notes that came
	Others []string                   `json:"others"` // keys of earlier merges
}

// unreverted are properties that follow from others, or that an undo reverts otherwise.
var unreverted = []string{"version", "updated_at", "written", "search_scope", "search_name", "natural_key", "embed_due", "ends_at", "notes", "notes_expire_at", "is_dirty"}

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
	merge.Node, err = t.view(scope, kind, n.key())
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
	links, moving, err := t.mergedLinks(scope, n.key(), other.key())
	if err != nil {
		return Merge{}, err
	}
	params := map[string]any{
		"team_id": scope.TeamID, "from": other.key(), "to": n.key(), "others": other.mergedKeys(), "moved": moving, "into": n.key(), "undo": undo,
	}
	if err := t.detach(scope, now, []*stored{other}); err != nil {
		return Merge{}, err
	}
	moved, err := mergeNode.ExecOne(t, params)
	if err != nil {
		return Merge{}, err
	}
	if _, err = t.removeNodes(scope, now, []*stored{other}); err != nil {
		return Merge{}, err
	}
	if err := t.writeRows(updateNodes, scope.TeamID, []map[string]any{n.row(changed)}); err != nil {
		return Merge{}, err
	}
	if err := t.refuseMergedRings(scope.TeamID, moved.Links); err != nil {
		return Merge{}, err
	}
	nodes, err := t.moveProject(scope.TeamID, other, n, moved.Links)
	if err != nil {
		return Merge{}, err
	}
	t.Changes([]string{n.user()}, n.key(), other.key())
	t.Record(other.user(), FeedItem{Op: DeletedOp, Kind: other.kind.Name, Key: other.key(), Version: other.version()})
	count := t.recordMoved(scope, moved.Links)
	err = t.rank(scope.TeamID, n.key())
	return Merge{
		Merged:    NodeRef{EntityKey: other.key(), Kind: other.kind.Name, Name: other.Text("name"), Told: other.Told()},
		Conflicts: conflicts, Relationships: count, Left: links - count, Nodes: nodes, UndoableUntil: now.Add(t.store.options.KeepDeleted),
	}, err
}

// mergedLinks returns how many relationships that the scope may see a node has that is merged into another one, and the keys of all that
// move there: not what only repeats one of that node's, or leads to it.
func (t *Tx) mergedLinks(scope Scope, key, other string) (count int64, moving []string, err error) {
	links, err := findMergedLinks.Exec(t, map[string]any{
		"team_id": scope.TeamID, "entity_key": other, "stay": []string{aboutType, rootedInType, groupsType, includesType}, "limit": maxMergedLinks + 1,
	})
	if err == nil && len(links) > maxMergedLinks {
		err = fault.Invalid(fault.At("other"), fault.WrongCount, "has more than %d relationships", maxMergedLinks)
	}
	if err != nil {
		return 0, nil, err
	}
	var rows, ofSystem []map[string]any
	for i, l := range links {
		from, to := key, l.Other
		if l.Other == other { // it leads from the node to itself
			to = key
		}
		if !l.Leads {
			from, to = to, from
		}
		if l.Type == SystemRelationshipType {
			ofSystem = append(ofSystem, map[string]any{"from": from, "to": to, "type": l.Properties.Text("relationship_type"), "position": i})
			continue
		}
		row := findRow(from, l.Properties.typeOf(l.Type), to)
		row["position"], row["since"] = i, time.Time{}
		rows = append(rows, row)
	}
	repeated := map[int]bool{}
	if len(ofSystem) > 0 {
		positions, err := findSystemLinks.Exec(t, map[string]any{"team_id": scope.TeamID, "rows": ofSystem})
		if err != nil {
			return 0, nil, err
		}
		for _, i := range positions {
			repeated[int(i)] = true
		}
	}
	found, err := findRelationships.Exec(t, map[string]any{"team_id": scope.TeamID, "rows": rows})
	if err != nil {
		return 0, nil, err
	}
	for _, r := range found {
		p := links[r.Position].Properties
		from := time.Time{}
		if begun := p.Moment("valid_from"); begun != nil {
			from = *begun
		}
		repeated[r.Position] = repeated[r.Position] || r.Properties.holdsWithin(from, p.Moment("valid_to"))
	}
	moving = []string{}
	for i, l := range links {
		if user := l.Properties.Text("user_id"); user == "" || user == scope.UserID {
			count++
		}
		if l.Other != key && !repeated[i] {
			moving = append(moving, l.Properties.Text("key"))
		}
	}
	return count, moving, nil
}

// refuseMergedRings refuses relationships with new ends that close a ring of containment.
func (t *Tx) refuseMergedRings(teamID string, links []movedLink) error {
	var rows []map[string]any
	for _, l := range links {
		if l.Current && slices.Contains(containmentTypes, l.Type) {
			rows = append(rows, relationshipRow(l.From, l.Type, l.To, l.Key, Properties{}))
		}
	}
	if len(rows) == 0 {
		return nil
	}
	rings, err := findRings.Exec(t, map[string]any{"team_id": teamID, "rows": ringRows(rows)})
	if err == nil && len(rings) > 0 {
		err = fault.Invalid(fault.At("other"), fault.Contrary, "would contain itself: the two nodes contain each other through others")
	}
	return err
}

// renewed makes the node the next version of an old one: it sets what follows from the other properties.
func (s *stored) renewed(old *stored, teamID string, now time.Time) {
	s.putSearchScope(teamID)
	if natural := naturalKey(s.kind, s.Properties); natural != naturalKey(s.kind, old.Properties) { // otherwise the stored key stays
		s.Properties["natural_key"] = natural
	}
	s.putEnd()
	s.Properties["version"], s.Properties["updated_at"] = old.version()+1, now
}

// recordMoved adds relationships with new ends to the feed, and returns how many of them the scope may see.
func (t *Tx) recordMoved(scope Scope, links []movedLink) (visible int64) {
	for _, l := range links {
		if l.User == "" || l.User == scope.UserID {
			visible++
		}
		kind := RelationshipRecord
		if l.OfSystem {
			kind = SystemRelationshipRecord
		}
		t.Record(l.User, FeedItem{Op: UpdatedOp, Kind: kind, Key: l.Key, Version: l.Version, Type: l.Type, From: l.From, To: l.To})
	}
	return visible
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
	next.putVitality(mergedVitality(n.vitality(), other.vitality(), now))
	return next, conflicts
}

// isEmpty reports whether a field has no value.
func isEmpty(value any) bool { return value == nil || value == "" || value == noProperties }

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
	if other.ttl == "keep_forever" || v.ttl == "ephemeral" {
		v.ttl, v.expires = other.ttl, other.expires
	}
	v.confidence = max(v.confidence, other.confidence)
	v.accesses, v.recalls = v.accesses+other.accesses, v.recalls+other.recalls
	if v.lastAccess == nil || other.lastAccess != nil && other.lastAccess.After(*v.lastAccess) {
		v.lastAccess = other.lastAccess
	}
	v.settle()
	return v
}

// strength orders the states of the lifecycle.
func strength(state string) int {
	return slices.Index([]string{"archived", "candidate", "active", "core"}, state)
}

// undoOf returns what an undo of a merge needs, as JSON.
func undoOf(n, other *stored, changed Properties) (string, error) {
	changed = changed.clone()
	for _, name := range []string{"salience", "salience_at"} { // one value: time changes both
		if _, ok := changed[name]; !ok {
			changed[name] = n.Properties[name]
		}
	}
	r := mergeRecord{Into: n.key(), Was: map[string]json.RawMessage{}, Now: map[string]json.RawMessage{}, Notes: []string{}, Others: other.mergedKeys()}
	for _, note := range allNotes(other.Texts("notes")) {
		r.Notes = append(r.Notes, note.ID)
	}
	for name, value := range changed {
		if slices.Contains(unreverted, name) {
			continue
		}
		var errs [2]error
		if was, ok := n.Properties[name]; ok {
			r.Was[name], errs[0] = storedJSON(was)
		}
		if value != nil {
			r.Now[name], errs[1] = storedJSON(value)
		}
		if err := errors.Join(errs[:]...); err != nil {
			return "", fmt.Errorf("merge: %w", err)
		}
	}
	raw, err := json.Marshal(r)
	return string(raw), err
}

// unmerge undoes a merge before the node that it has deleted is restored: the node into which it was merged gets back the values that
// nobody has changed since. It returns the kind of the deleted node, which the caller may not know, and nil if it was only deleted.
func (t *Tx) unmerge(scope Scope, kind Kind, key string) (Kind, *mergeRecord, error) {
	found, err := findMerged.ExecOne(t, map[string]any{
		"team_id": scope.TeamID, "user_id": scope.User(), "entity_key": key, "kind": OrNil(kind.Name), "cutoff": t.store.cutoff(),
	})
	if err != nil {
		return kind, nil, err
	}
	if found.Kind == "" { // while the statement waited for its lock, the node was restored
		return kind, nil, neo.ErrRace
	}
	kind, known := KindOf(found.Kind)
	if !known {
		return kind, nil, fmt.Errorf("restore: %w", fault.ErrNotFound)
	}
	if found.Into == nil {
		return kind, nil, nil
	}
	record, err := t.revert(scope, key, *found.Into, found.Undo)
	return kind, record, err
}

// revert takes from the node into which another one was merged what it has taken over.
func (t *Tx) revert(scope Scope, key, into, undo string) (*mergeRecord, error) {
	var record mergeRecord
	if err := json.Unmarshal([]byte(undo), &record); err != nil {
		return nil, fmt.Errorf("restore: the record of a merge cannot be read: %w", err)
	}
	nodes, err := t.find(scope.TeamID, lookups{entityKeys: []string{record.Into}})
	if err != nil {
		return nil, err
	}
	n := nodes.byKey[record.Into]
	switch {
	case into != record.Into:
		return nil, fmt.Errorf("restore: the node into which it was merged was merged as well: restore %s first: %w", record.Into, fault.ErrConflict)
	case n == nil || n.key() != record.Into:
		return nil, fmt.Errorf("restore: the node into which it was merged is deleted: restore %s first: %w", record.Into, fault.ErrConflict)
	}
	if err := t.refuseBefore(scope.TeamID, n, &record, key); err != nil {
		return nil, err
	}
	next := record.reverted(n, t.store.Now())
	next.renewed(n, scope.TeamID, t.store.Now())
	t.embedLater(n, next)
	t.Changes([]string{n.user()}, n.key())
	return &record, t.writeRows(updateNodes, scope.TeamID, []map[string]any{n.row(n.changesTo(next.Properties))})
}

// reverted returns the node into which another one was merged without what it has taken over: properties that have the same values as
// after the merge get the earlier ones, and names, notes and keys that came with the other go.
func (r *mergeRecord) reverted(n *stored, now time.Time) *stored {
	next := &stored{n.kind, n.clone()}
	changed := Properties{}
	for name := range r.Was {
		changed[name] = nil
	}
	for name := range r.Now {
		changed[name] = nil
	}
	for name := range changed {
		before, _ := storedValue(r.Was[name])
		after, _ := storedValue(r.Now[name])
		switch {
		case name == "salience" || name == "salience_at": // maintenance has decayed them
			if r.isDecayed(n, now) {
				next.putUnless(before == nil, name, before)
			}
		case Same(n.Properties[name], after):
			next.putUnless(before == nil, name, before)
		case slices.Contains([]string{"aliases", "merged_keys", "tags"}, name):
			left := withoutMerged(n.Texts(name), Properties{name: before}.Texts(name), Properties{name: after}.Texts(name))
			next.putUnless(len(left) == 0 && before == nil, name, left)
		}
	}
	next.putNotes(slices.DeleteFunc(allNotes(n.Texts("notes")), func(note Note) bool { return slices.Contains(r.Notes, note.ID) }))
	return next
}

// withoutMerged returns the items of a list without those that a merge has added, and with those that it has dropped.
func withoutMerged(now, before, after []string) []string {
	left := []string{}
	for _, item := range now {
		if !slices.Contains(after, item) || slices.Contains(before, item) {
			left = append(left, item)
		}
	}
	for _, item := range before {
		if !slices.Contains(after, item) {
			left = append(left, item)
		}
	}
	return left
}

// moveBack gives the restored node back its relationships.
func (t *Tx) moveBack(scope Scope, r *mergeRecord, n *stored) error {
	if err := t.renewSystem(scope.TeamID, n); err != nil {
		return err
	}
	moved, err := mergeNode.ExecOne(t, map[string]any{
		"team_id": scope.TeamID, "from": r.Into, "to": n.key(), "others": r.Others, "moved": nil, "into": nil, "undo": nil,
	})
	if err != nil {
		return err
	}
	t.recordMoved(scope, moved.Links)
	if err := t.rank(scope.TeamID, r.Into, n.key()); err != nil || n.kind != ProjectKind {
		return err
	}
	if err := t.moveProjectBack(scope.TeamID, r.Into, n.key()); err != nil {
		return err
	}
	return t.settleMoved(scope.TeamID, moved.Links, r.Into, n.key())
}

// storeMergedKeys makes the keys of merged nodes lead to the nodes of an import.
func (j *memoryJob) storeMergedKeys() error {
	var rows []map[string]any
	for i := range j.write.Nodes {
		h, r := j.write.Nodes[i].History, &j.result.Nodes[i]
		if h == nil || r.Status != Created && r.Status != Updated {
			continue
		}
		for _, key := range h.MergedKeys.Value {
			rows = append(rows, map[string]any{"key": key, "into": r.EntityKey, "user_id": OrNil(j.found.byKey[r.EntityKey].user())})
		}
	}
	return j.tx.writeRows(keepMerged, j.scope.TeamID, rows)
}
