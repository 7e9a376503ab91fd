package graph

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// stored is a node as a write finds it.
type stored struct {
	Node
	label       string
	naturalKey  string
	isGoalGiven any // what the caller said of is_goal, nil for nothing
	source      sourceFields
}

// writeNodes adds and changes the nodes of the write, and fills their results.
func (j *memoryJob) writeNodes() error {
	if len(j.write.Nodes) == 0 && len(j.write.Relationships) == 0 {
		return nil
	}
	found, err := j.tx.find(j.scope.TeamID, j.lookups())
	if err != nil {
		return err
	}
	plan := &nodePlan{job: j, found: found, created: map[string]map[string]any{}}
	if names := plan.newNames(); len(names) > 0 {
		if err := j.tx.findMore(j.scope.TeamID, lookups{naturalKeys: names}, found); err != nil {
			return err
		}
	}
	for i := range j.write.Nodes {
		j.result.Nodes[i] = plan.place(i)
	}
	// Changes first: a new node may take the name or the ownership that another one gives up.
	if err := j.tx.rows("node_update", j.scope.TeamID, plan.update); err != nil {
		return err
	}
	return j.tx.rows("node_create", j.scope.TeamID, plan.create)
}

// rows runs a statement that takes a list of rows; none are no statement.
func (t *tx) rows(name, teamID string, rows []map[string]any) error {
	if len(rows) == 0 {
		return nil
	}
	_, err := t.exec(name, map[string]any{"team_id": teamID, "rows": rows})
	return err
}

// lookups names what find needs to know. Keys are sorted so that concurrent writers lock in one order.
type lookups struct{ entityKeys, naturalKeys, ownerUsers []string }

func (j *memoryJob) lookups() lookups {
	var l lookups
	for i := range j.write.Nodes {
		n := &j.write.Nodes[i]
		user := owner(n, j.scope)
		if n.EntityKey != "" {
			l.entityKeys = append(l.entityKeys, n.EntityKey)
		}
		if n.Name.Given {
			l.naturalKeys = append(l.naturalKeys,
				naturalKey(n.Kind, user, n.Name.Value, n.canonicalName(), n.Type.Value))
		}
		if n.IsOwner.Value {
			l.ownerUsers = append(l.ownerUsers, user)
		}
	}
	for i := range j.write.Relationships { // both ends: the rank of a relationship depends on them
		l.entityKeys = append(l.entityKeys, j.write.Relationships[i].From, j.write.Relationships[i].To)
	}
	return lookups{distinct(l.entityKeys), distinct(l.naturalKeys), distinct(l.ownerUsers)}
}

func distinct(keys []string) []string {
	slices.Sort(keys)
	return slices.Compact(keys)
}

func (w *NodeWrite) canonicalName() string {
	if w.CanonicalName.Given {
		return canonical(w.CanonicalName.Value)
	}
	return canonical(w.Name.Value)
}

// known are the stored nodes of a write, by each of their names.
type known struct {
	byKey, byNatural, byOwner map[string]*stored
}

// find loads and locks nodes.
func (t *tx) find(teamID string, l lookups) (known, error) {
	k := known{byKey: map[string]*stored{}, byNatural: map[string]*stored{}, byOwner: map[string]*stored{}}
	return k, t.findMore(teamID, l, k)
}

// findMore is find for names that only became known by what was found.
func (t *tx) findMore(teamID string, l lookups, k known) error {
	rows, err := t.exec("node_find", map[string]any{
		"team_id": teamID, "entity_keys": l.entityKeys, "natural_keys": l.naturalKeys, "owner_users": l.ownerUsers,
	})
	if err != nil {
		return err
	}
	for _, row := range rows {
		s := &stored{label: kindLabel(texts(row.Values[1])), naturalKey: text(row.Values[2]), isGoalGiven: row.Values[3]}
		s.Node, _ = nodeFrom(row.Values[0], optionalText(row.Values[16]))
		s.source = sourceFieldsFrom(row.Values[4:])
		k.byKey[s.EntityKey] = s
		k.byNatural[s.naturalKey] = s
		if s.IsOwner && s.UserID != nil {
			k.byOwner[*s.UserID] = s
		}
	}
	return nil
}

// kindLabel is the label that says what a node is.
func kindLabel(labels []string) string {
	for _, l := range labels {
		if l != "Memory" {
			return l
		}
	}
	return ""
}

// nodePlan decides for each node of a write between create, update, unchanged and refused.
type nodePlan struct {
	job            *memoryJob
	found          known
	create, update []map[string]any
	created        map[string]map[string]any // rows of create, by entity key
}

// newNames are the natural keys that stored nodes are about to get. They depend on what is stored of them, so that the
// first look-up cannot know them.
func (p *nodePlan) newNames() []string {
	var names []string
	for i := range p.job.write.Nodes {
		w := &p.job.write.Nodes[i]
		kind, _ := KindOf(w.Kind)
		old := p.found.byKey[w.EntityKey]
		if old == nil || old.label != kind.Label {
			continue
		}
		name := p.merged(w, old, kind, owner(w, p.job.scope)).naturalKey
		if p.found.byNatural[name] == nil {
			names = append(names, name)
		}
	}
	return distinct(names)
}

func (p *nodePlan) place(i int) NodeResult {
	w := &p.job.write.Nodes[i]
	at := index("nodes", i)
	user := owner(w, p.job.scope)
	refuse := func(field, format string, args ...any) NodeResult {
		status, message := p.job.refuse(at+"."+field, format, args...)
		return NodeResult{EntityKey: w.EntityKey, Status: status, Error: message}
	}
	kind, _ := KindOf(w.Kind)
	old := p.found.byKey[w.EntityKey]
	if w.EntityKey == "" {
		old = p.found.byNatural[naturalKey(w.Kind, user, w.Name.Value, w.canonicalName(), w.Type.Value)]
	}
	switch {
	case old == nil && !w.Name.Given:
		return refuse("name", "is needed for a new node")
	case old != nil && (old.label != kind.Label || !sameUser(old.UserID, user, w.UserID.Given)):
		return refuse("entity_key", "is taken by something else")
	}
	next := p.merged(w, old, kind, user)
	if next.IsOwner && next.UserID == nil {
		return refuse("is_owner", "is for a user's own person, and this one is shared")
	}
	if other := p.found.byNatural[next.naturalKey]; other != nil && other.EntityKey != next.EntityKey {
		return refuse("name", "is taken by another %s of the same name", w.Kind)
	}
	if other := p.found.byOwner[user]; next.IsOwner && other != nil && other.EntityKey != next.EntityKey {
		return refuse("is_owner", "the user has an owner already")
	}
	p.remember(old, next)
	status := p.queue(w, old, next, kind)
	if status != Unchanged {
		p.job.users = append(p.job.users, text(next.values()["user_id"]))
	}
	return NodeResult{EntityKey: next.EntityKey, Status: status}
}

// sameUser says whether a write for a user may change a node. A write that names no user of its own may also change
// what the team shares.
func sameUser(stored *string, user string, named bool) bool {
	if stored == nil {
		return user == "" || !named
	}
	return *stored == user
}

// remember makes the planned node known to those after it in the same write, and free what it gives up.
func (p *nodePlan) remember(old, n *stored) {
	if old != nil {
		delete(p.found.byNatural, old.naturalKey)
		if old.IsOwner && old.UserID != nil {
			delete(p.found.byOwner, *old.UserID)
		}
	}
	p.found.byKey[n.EntityKey] = n
	p.found.byNatural[n.naturalKey] = n
	if n.IsOwner && n.UserID != nil {
		p.found.byOwner[*n.UserID] = n
	}
}

// merged is the node as it will be: what is stored, overlaid with what is given.
func (p *nodePlan) merged(w *NodeWrite, old *stored, kind Kind, user string) *stored {
	now := p.job.now
	n := stored{Node: Node{
		EntityKey: w.EntityKey, State: "candidate", TTLPolicy: "decay", Salience: defaultSalience,
		Confidence: defaultConfidence, CreatedAt: now, UpdatedAt: now,
	}, label: kind.Label}
	switch {
	case old != nil:
		n = *old
	case user != "":
		n.UserID = &user
	}
	if n.EntityKey == "" {
		n.EntityKey = uuid.Must(uuid.NewV7()).String()
	}
	overlay(&n, w, old == nil)
	if w.Kind == personKind.Name {
		n.CanonicalName = nextCanonical(w, old)
	}
	if w.Kind == conceptKind.Name {
		n.IsGoal = isGoalText(n.Name, n.Description)
		if given, ok := n.isGoalGiven.(bool); ok {
			n.IsGoal = given
		}
	}
	private := ""
	if n.UserID != nil {
		private = *n.UserID
	}
	n.naturalKey = naturalKey(w.Kind, private, n.Name, n.CanonicalName, n.Type)
	return &n
}

// nextCanonical is a person's canonical name as it will be: given, else the one that somebody gave before, else the
// name's.
func nextCanonical(w *NodeWrite, old *stored) string {
	switch {
	case w.CanonicalName.Given, old == nil:
		return w.canonicalName()
	case w.Name.Given && old.CanonicalName == canonical(old.Name):
		return canonical(w.Name.Value)
	}
	return old.CanonicalName
}

// overlay puts the given fields onto a node.
func overlay(n *stored, w *NodeWrite, isNew bool) {
	n.Name = keep(w.Name, n.Name)
	n.Type = keep(w.Type, n.Type)
	n.Description = keep(w.Description, n.Description)
	n.IsOwner = keep(w.IsOwner, n.IsOwner)
	if isNew && n.IsOwner {
		n.Salience = ownerSalience
	}
	n.State = keep(w.State, n.State)
	n.TTLPolicy = keep(w.TTLPolicy, n.TTLPolicy)
	n.Salience = keep(w.Salience, n.Salience)
	n.Confidence = keep(w.Confidence, n.Confidence)
	n.CreatedAt = keep(w.CreatedAt, n.CreatedAt).UTC().Truncate(precision)
	n.UpdatedAt = keep(w.UpdatedAt, n.UpdatedAt).UTC().Truncate(precision)
	if w.IsGoal.Given {
		n.isGoalGiven = w.IsGoal.Value
		if w.IsGoal.Null {
			n.isGoalGiven = nil
		}
	}
	if w.LastAccessedAt.Given {
		n.LastAccessedAt = nil
		if !w.LastAccessedAt.Null {
			accessed := w.LastAccessedAt.Value.UTC().Truncate(precision)
			n.LastAccessedAt = &accessed
		}
	}
	if w.Properties != nil {
		n.Properties = []byte(compact(w.Properties))
	}
}

// keep is the given value (null: the type's zero), or what there was.
func keep[T any](o Optional[T], old T) T {
	if o.Given {
		return o.Value
	}
	return old
}

// queue adds the node to the rows of a statement, and says which.
func (p *nodePlan) queue(w *NodeWrite, old, next *stored, kind Kind) Status {
	if old == nil {
		row := map[string]any{"entity_key": next.EntityKey, "label": kind.Label, "properties": p.newValues(next)}
		p.create, p.created[next.EntityKey] = append(p.create, row), row
		return Created
	}
	changed := difference(old.values(), next.values())
	if len(changed) == 0 {
		return Unchanged
	}
	if row := p.created[next.EntityKey]; row != nil {
		row["properties"] = p.newValues(next)
		return Updated
	}
	if !w.UpdatedAt.Given {
		changed["updated_at"] = p.job.now
	}
	if changesRank(changed, next) {
		p.job.rerank = append(p.job.rerank, next.EntityKey)
	}
	p.update = append(p.update, map[string]any{"entity_key": next.EntityKey, "properties": changed})
	return Updated
}

// changesRank says whether a node's change moves relationships in the context of an owner. An owner's own salience and
// state do not.
func changesRank(changed map[string]any, next *stored) bool {
	given := func(name string) bool { _, ok := changed[name]; return ok }
	return given("owner_of") || !next.IsOwner && (given("salience") || given("state"))
}

// newValues are all properties of a new node.
func (p *nodePlan) newValues(n *stored) map[string]any {
	values := n.values()
	values["created_by"] = orNil(p.job.scope.UserID)
	return values
}

// values are the node's stored properties; nil for those it does not have.
func (n *stored) values() map[string]any {
	v := map[string]any{
		"name": n.Name, "description": n.Description, "state": n.State, "ttl_policy": n.TTLPolicy,
		"salience": n.Salience, "confidence": n.Confidence, "access_count": n.AccessCount,
		"created_at": n.CreatedAt, "updated_at": n.UpdatedAt, "natural_key": n.naturalKey,
	}
	optional := func(name string, present bool, value any) {
		v[name] = nil
		if present {
			v[name] = value
		}
	}
	optional("canonical_name", n.CanonicalName != "", n.CanonicalName)
	optional("type", n.Type != "", n.Type)
	optional("is_owner", n.IsOwner, true)
	optional("is_goal", n.IsGoal, true)
	optional("is_goal_given", n.isGoalGiven != nil, n.isGoalGiven)
	optional("properties", len(n.Properties) > 0, string(n.Properties))
	v["user_id"], v["owner_of"], v["last_accessed_at"] = nil, nil, nil
	if n.UserID != nil {
		v["user_id"] = *n.UserID
		optional("owner_of", n.IsOwner, *n.UserID)
	}
	if n.LastAccessedAt != nil {
		v["last_accessed_at"] = *n.LastAccessedAt
	}
	return v
}

// difference is what of next is not so in old.
func difference(old, next map[string]any) map[string]any {
	changed := map[string]any{}
	for name, value := range next {
		if !same(old[name], value) {
			changed[name] = value
		}
	}
	return changed
}

func same(a, b any) bool {
	if t, ok := a.(time.Time); ok {
		u, ok := b.(time.Time)
		return ok && t.Equal(u)
	}
	if l, ok := a.([]string); ok {
		m, ok := b.([]string)
		return ok && slices.Equal(l, m)
	}
	return a == b
}
