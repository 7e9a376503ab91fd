package graph

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"kith/graph/neo"
	"kith/internal/fault"
)

var (
	createNodes     = neo.Load[neo.None]("node_create")
	updateNodes     = neo.Load[neo.None]("node_update")
	restartMentions = neo.Load[neo.None]("mention_restart")
)

// writeNodes creates and updates the nodes of the write and fills their results.
func (j *memoryJob) writeNodes() error {
	var err error
	sought := j.lookups()
	if j.found, err = j.tx.find(j.scope.TeamID, sought); err != nil {
		return err
	}
	if err := j.write.plan.assume(j, sought); err != nil {
		return err
	}
	j.useStoredKeys()
	if err := j.findProjects(); err != nil {
		return err
	}
	if err := j.derive(); err != nil {
		return err
	}
	if err := j.hold(); err != nil {
		return err
	}
	if err := j.findMergedKeys(); err != nil {
		return err
	}
	plan := &nodePlan{job: j, created: map[string]map[string]any{}}
	if names := plan.newNames(); len(names) > 0 {
		more := lookups{naturalKeys: names}
		if err := j.tx.findMore(j.scope.TeamID, more, j.found); err != nil {
			return err
		}
		if err := j.write.plan.assume(j, more); err != nil {
			return err
		}
	}
	for i := range j.write.Nodes {
		if j.write.Nodes[i].Kind != MessageKind.Name {
			j.result.Nodes[i] = plan.place(i)
		}
	}
	if err := j.tx.missed(); err != nil {
		return err
	}
	if err := j.store(plan); err != nil {
		return err
	}
	if err := j.storeMergedKeys(); err != nil {
		return err
	}
	j.currentKeys()
	return j.writeMessages()
}

// store executes the plan. Updates come first: a new node may take a name or ownership that another node gives up.
func (j *memoryJob) store(plan *nodePlan) error {
	if j.namesOwner() {
		plan.users = append(plan.users, j.scope.UserID)
	}
	plan.makeOwners()
	plan.holdMarks()
	if err := j.tx.writeRows(updateNodes, j.scope.TeamID, plan.update); err != nil {
		return err
	}
	if err := j.numberSystems(plan); err != nil {
		return err
	}
	if err := j.tx.writeRows(createNodes, j.scope.TeamID, plan.create); err != nil {
		return err
	}
	if err := j.mergeOwners(plan); err != nil {
		return err
	}
	return j.tx.writeRows(restartMentions, j.scope.TeamID, plan.restarted)
}

func (j *memoryJob) lookups() lookups {
	l := lookups{entityKeys: slices.Clone(j.write.DerivedFrom), ends: j.evidenceKeys(), sees: j.visible}
	for i := range j.write.Nodes {
		n := &j.write.Nodes[i]
		user := owner(n, j.scope)
		if n.EntityKey != "" {
			l.entityKeys = append(l.entityKeys, n.EntityKey)
		}
		if n.Kind == MessageKind.Name {
			l.entityKeys = append(l.entityKeys, n.SourceKey.Value)
		}
		if kind := n.kind(); n.Name.Given && kind.hasNaturalKey() {
			l.naturalKeys = append(l.naturalKeys, n.naturalKey(user))
		}
		if n.OwnFields != nil && n.ProjectID.Value != "" { // it may be merged, and may not be while this writes
			l.ends = append(l.ends, n.ProjectID.Value)
		}
		l.lookupAliases(n, user)
		if n.IsOwner.Value || n.MayOwn {
			l.ownerUsers = append(l.ownerUsers, user)
		}
		if j.write.stated(n.History) {
			l.users = append(l.users, user)
		}
	}
	for i := range j.write.Relationships { // both ends: the rank of a relationship depends on them
		l.ends = append(l.ends, j.write.Relationships[i].From, j.write.Relationships[i].To)
	}
	if j.namesOwner() {
		l.users, l.ownerUsers = append(l.users, j.scope.UserID), append(l.ownerUsers, j.scope.UserID)
	}
	j.write.eachKey(j.scope, func(key *string, user string, _ role) { l.lookUpOwn(user, *key) })
	return l
}

// naturalKey returns the natural key of the written node.
func (w *NodeWrite) naturalKey(user string) string {
	p := Properties{"user_id": user, "name": w.Name.Value, "canonical_name": w.canonicalName(), "type": w.Type.Value}
	if w.OwnFields != nil {
		p["system"], p["namespace"] = w.System.Value, w.Namespace.Value
	}
	return naturalKey(w.kind(), p)
}

// nodePlan decides for each node of a write between create, update, unchanged and refused.
type nodePlan struct {
	job            *memoryJob
	create, update []map[string]any
	restarted      []map[string]any          // sources whose start has changed
	created        map[string]map[string]any // rows of create, by entity key
	takenOver      []takeOver
	users          []string // users about whom the write has data
}

// newNames returns the natural keys that stored nodes are about to get. They depend on the stored data, so that the
// first lookup cannot find them.
func (p *nodePlan) newNames() []string {
	var names []string
	for i := range p.job.write.Nodes {
		w := &p.job.write.Nodes[i]
		old := p.job.found.byKey[w.EntityKey]
		if old == nil || old.kind != w.kind() || w.Kind == MessageKind.Name {
			continue
		}
		next := p.merged(w, old)
		for _, name := range append(next.namesOfAliases(), next.Text("natural_key")) {
			if p.job.found.byNatural[name] == nil {
				names = append(names, name)
			}
		}
	}
	return names
}

// old returns the stored node that a write refers to; nil if it does not exist. Entities of different systems may
// share a name, so a system entity is found by system and name, whatever key an import makes.
func (p *nodePlan) old(w *NodeWrite) *stored {
	switch kind := w.kind(); {
	case w.EntityKey != "" && (p.job.found.byKey[w.EntityKey] != nil || !p.job.write.restoring || w.History != nil):
		return p.job.found.byKey[w.EntityKey]
	case kind.hasNaturalKey():
		return p.job.found.byNatural[w.naturalKey(owner(w, p.job.scope))]
	}
	return nil
}

func (p *nodePlan) place(i int) NodeResult {
	j, w, at := p.job, p.guessOwner(&p.job.write.Nodes[i]), fault.At("nodes").Index(i)
	if j.nodeWaits(w) {
		if !j.write.existing {
			if j.waiting == nil {
				j.waiting = map[string]bool{}
			}
			j.waiting[w.EntityKey] = true
			return NodeResult{EntityKey: w.EntityKey, Status: Waiting}
		}
		status, text := j.refuse(at, refusal{"trust", fault.OutOfRange, fmt.Sprintf("is less than the %g that the team wants", j.bound)})
		return NodeResult{EntityKey: w.EntityKey, Status: status, Error: text}
	}
	if n := cmp.Or(p.ownerInPlaceOf(w), p.takenInto(w, at)); n != nil {
		return NodeResult{EntityKey: n.key(), Status: Unchanged, Version: n.version()}
	}
	w, refused := p.byAlias(w, at)
	old := p.old(w)
	if refused == (refusal{}) {
		refused = cmp.Or(p.refusal(w, old), j.mergedKeysRefusal(w, old))
	}
	w = j.bounded(w, ownerOf(w, old, j.scope), old.properties())
	var next *stored
	if refused == (refusal{}) {
		j.ifVersion(at, w.IfVersion, old.version())
		next = p.merged(w, old)
		refused = p.clash(w, old, next)
		if refused == (refusal{}) && !j.asRestored(w.History) {
			refused = j.nodeTrustRefusal(w, old, next)
		}
	}
	if refused != (refusal{}) {
		status, text := j.refuse(at, refused)
		return NodeResult{EntityKey: w.EntityKey, Status: status, Error: text}
	}
	if !j.write.restoring {
		j.warnOfState(w, at)
		p.warnOfAliases(w, next, at)
	}
	if made := j.found.byOwner[next.user()]; p.takesOver(next, made) {
		next = p.takeOver(at, w, made, next)
	}
	if j.write.stated(w.History) {
		p.users = append(p.users, next.user())
	}
	status := p.queue(w, old, next)
	j.found.replace(old, next)
	j.claim(next)
	if status != Unchanged {
		j.users = append(j.users, next.user())
	}
	return NodeResult{EntityKey: next.key(), Status: status, Version: next.version()}
}

// takenInto returns the node into which the node of an import was merged, or which has replaced it; nil if there is none. A file from
// before that does not overwrite the node.
func (p *nodePlan) takenInto(w *NodeWrite, at fault.Path) *stored {
	n := p.job.found.byKey[w.EntityKey]
	if !p.job.write.restoring || n == nil || n.key() == w.EntityKey || p.refusal(w, n) != (refusal{}) {
		return nil
	}
	p.job.warn(at.Field("entity_key"), "was merged into %q, which stays as it is", n.key())
	return n
}

// warnOfState warns of a state_key that lists and scores ignore.
func (j *memoryJob) warnOfState(w *NodeWrite, at fault.Path) {
	if w.OwnFields == nil || w.StateKey.Value == "" {
		return
	}
	if known := stateKeys[w.Kind]; !slices.Contains(known, w.StateKey.Value) {
		j.warn(at.Field("state_key"), "is not one of %s: it is stored, but lists and scores ignore it", strings.Join(known, ", "))
	}
}

// merged returns the node as it will be stored: the stored fields overlaid with the written ones.
func (p *nodePlan) merged(w *NodeWrite, old *stored) *stored {
	now, kind := p.job.now, w.kind()
	n := &stored{kind: kind}
	if old != nil {
		n.Properties = old.clone()
	} else {
		n.Properties = p.newNode(w, kind)
	}
	w.overlay(n.Properties, kind, old == nil)
	p.settleProject(n, old)
	if kind == SystemEntityKind && old != nil { // its place in its system does not change
		n.putUnless(old.Properties["seq"] == nil, "seq", old.Properties["seq"])
	}
	if kind == SourceKind && p.job.write.restoring {
		n.countAnew(old)
	}
	switch kind {
	case PersonKind:
		n.Properties["canonical_name"] = nextCanonical(w, old)
		n.putUnless(!n.owns(), "owner_of", n.user())
		w.nameOwner(n.Properties, p.job.write.stated(w.History))
	case SourceKind:
		settleSource(n.Properties, now)
		if !p.job.asRestored(w.History) {
			p.job.settleTrust(w, old.properties(), n.Properties)
		}
	case ItemKind:
		w.settleItem(n.Properties, old)
	}
	wakes := p.job.write.wakes(w.History)
	if old != nil && w.believed(p.job).less(old.Properties) {
		wakes = nil
	}
	w.live(n.Properties, old, now, wakes)
	if old != nil && !p.job.asRestored(w.History) {
		n.settleDoubt(w, old, w.believed(p.job))
	}
	n.addNotes(w.Notes, w.believed(p.job).told(), p.job.scope, now)
	w.History.overlay(n.Properties)
	p.job.signNode(n, old)
	switch {
	case kind == ConceptKind: // the history of an export records whether it was set by a caller
		n.markGoal()
	case kind == SourceKind && p.job.write.restoring:
		n.numberOn(w, old)
	}
	if kind.isFact() && !p.job.asRestored(w.History) {
		given := Properties{}
		if old != nil { // otherwise all of it is given
			w.overlay(given, kind, true)
		}
		putBelief(w.believed(p.job), given, old.properties(), n.Properties)
	}
	n.putEnd()
	n.dropHiddenMentions()
	if natural := naturalKey(kind, n.Properties); old == nil || natural != naturalKey(kind, old.Properties) { // otherwise the stored key stays
		n.putUnless(natural == "", "natural_key", natural)
	}
	n.putSearchScope(p.job.scope.TeamID)
	return n
}

// markGoal sets whether a concept is a goal: as written, else from its text.
func (s *stored) markGoal() {
	goal := isGoalText(s.Text("name"), s.Text("description"))
	if given, ok := s.Properties["is_goal_given"].(bool); ok {
		goal = given
	}
	s.putUnless(!goal, "is_goal", true)
}

// newNode returns the default properties of a new node.
func (p *nodePlan) newNode(w *NodeWrite, kind Kind) Properties {
	key, now := w.EntityKey, p.job.now
	if key == "" {
		key = uuid.Must(uuid.NewV7()).String()
	}
	n := Properties{
		"entity_key": key, "name": "", "description": "", "state": "active", "ttl_policy": "decay",
		"salience": DefaultSalience, "confidence": DefaultConfidence, "access_count": int64(0),
		"created_at": now, "updated_at": now, "version": int64(1),
	}
	if user := owner(w, p.job.scope); user != "" {
		n["user_id"] = user
	}
	switch {
	case p.job.write.stated(w.History):
		n["last_accessed_at"] = now
	case w.History == nil:
		n["state"] = "candidate"
	}
	n.putUnless(p.job.author() == "", "created_by", p.job.author())
	switch {
	case w.IsOwner.Value:
		n["salience"], n["ttl_policy"] = ownerSalience, "keep_forever"
	case kind == SystemEntityKind:
		n["ttl_policy"], n["tags"] = "keep_forever", []string{}
	case kind == ItemKind: // a program finds what it stored, however long ago
		n["ttl_policy"] = "keep_forever"
	}
	return n
}

// nextCanonical returns a person's new canonical name: the written one, else the one that a caller set earlier, else
// the name's.
func nextCanonical(w *NodeWrite, old *stored) string {
	switch {
	case w.CanonicalName.Given, old == nil:
		return w.canonicalName()
	case w.Name.Given && old.Text("canonical_name") == canonical(old.Text("name")):
		return canonical(w.Name.Value)
	}
	return old.Text("canonical_name")
}

// renames reports whether a write changes the name of the node. A node that is found by its name keeps its spelling.
func (w *NodeWrite) renames(name string) bool {
	return w.EntityKey != "" || PlainName(w.Name.Value) != PlainName(name)
}

// overlay sets the written fields on a node, except those of its lifecycle.
func (w *NodeWrite) overlay(p Properties, kind Kind, isNew bool) {
	w.OwnFields.overlay(p)
	if kind.named == "title" {
		delete(p, "title")
	}
	if name, given := w.givenName(kind); given && (isNew || w.renames(p.Text("name")) && w.Name.Given || kind.named == "title") {
		p["name"] = name
	}
	p.set("type", w.Type, nil)
	p.set("description", w.Description, "")
	p.set("is_owner", w.IsOwner, nil)
	p.putUnless(!neo.Bool(p["is_owner"]), "is_owner", true)
	p.set("is_goal_given", w.IsGoal, nil)
	p.set("created_at", w.CreatedAt, nil)
	p.set("updated_at", w.UpdatedAt, nil)
	if w.Properties != nil {
		p["properties"] = compact(w.Properties)
	}
}

// queue adds the node to the rows of a statement and returns its status.
func (p *nodePlan) queue(w *NodeWrite, old, next *stored) Status {
	key := next.key()
	p.job.tx.embedLater(old, next)
	if old == nil {
		row := map[string]any{"entity_key": key, "label": next.kind.Label, "properties": map[string]any(next.Properties)}
		p.create, p.created[key] = append(p.create, row), row
		return Created
	}
	changed := old.changesTo(next.Properties)
	if p.touch(w, old, next, changed) {
		return Unchanged
	}
	if w.History == nil || !w.History.Version.Given {
		next.Properties["version"] = old.version() + 1
	}
	changed["version"] = next.version() // also of an import that gives the stored one: the feed names it
	if row := p.created[key]; row != nil {
		row["properties"] = map[string]any(next.Properties)
		return Updated
	}
	if !w.UpdatedAt.Given {
		next.Properties["updated_at"], changed["updated_at"] = p.job.now, p.job.now
	}
	p.job.rerank.note(old, next, changed)
	if started, moved := changed["started_at"].(time.Time); moved && next.kind == SourceKind {
		p.restarted = append(p.restarted, map[string]any{"source_key": key, "started_at": started, "due": p.job.now.UnixMilli()})
	}
	p.update = append(p.update, old.row(changed))
	return Updated
}

// touch records that a caller wrote a stored node, and reports whether nothing else of it changes. Repeating what
// other users also see is not recorded, so that it reveals nothing.
func (p *nodePlan) touch(w *NodeWrite, old, next *stored, changed Properties) bool {
	unchanged, j := len(changed) == 0, p.job
	stated := j.write.stated(w.History) && !w.LastAccessedAt.Given && (!unchanged || !j.write.restoring &&
		next.isSeenBy(Scope{UserID: cmp.Or(j.scope.UserID, next.user())}))
	if stated && old.tell(changed, j.now) {
		next.Properties["last_accessed_at"] = j.now
	}
	if unchanged && len(changed) > 0 {
		p.update = append(p.update, map[string]any{"entity_key": next.key(), "properties": map[string]any(changed)})
		j.users = append(j.users, next.user())
	}
	return unchanged
}

// note records a change of a node that reorders relationships in the context of an owner. Changes of an owner's salience and state do not.
func (r *ranks) note(old, next *stored, changed Properties) {
	given := func(name string) bool { _, ok := changed[name]; return ok }
	switch {
	case given("owner_of"):
		r.all = append(r.all, next.key())
	case !next.owns() && (given("salience") || given("state") || given("decay_rate") || given("ends_at")):
		r.changed(old, next.Text("state"))
	}
}
