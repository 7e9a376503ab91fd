package graph

import (
	"cmp"
	"fmt"
	"maps"
	"time"

	"github.com/google/uuid"

	"kith/cypher"
	"kith/graph/neo"
	"kith/internal/fault"
)

var (
	findRelationships = neo.Load[foundRelationship]("relationship_find")
	findTypeWords     = neo.Load[relationshipOrWords]("type_words_find")
	// findRelationshipsAndWords is findRelationships, followed by findTypeWords.
	findRelationshipsAndWords = neo.As[relationshipOrWords](cypher.UnionAll(findRelationships.Query, findTypeWords.Query))
)

// foundRelationship is a relationship that the item of a write at a position may refer to.
type foundRelationship struct {
	Position   int
	Properties Properties
}

// relationshipOrWords is a foundRelationship or, at position -1, the team's own relationship types.
type relationshipOrWords struct {
	Position   int
	Properties any
}

// relationshipPlan holds the changes that a write makes to relationships.
type relationshipPlan struct {
	create, update, mentioned []map[string]any
	pairs                     []map[string]any          // of nodes whose order in contexts may have changed
	created                   map[string]map[string]any // properties of the rows of create, by relationship key
}

// change adds a row of changes, or applies them to the row that creates the relationship.
func (p *relationshipPlan) change(from, kind, to string, old, changed Properties) {
	if row := p.created[old.Text("key")]; row != nil {
		for name, value := range changed {
			Properties(row).putUnless(value == nil, name, value)
		}
		return
	}
	p.update = append(p.update, updatedRelationshipRow(from, kind, to, old, changed))
}

// writeRelationships creates and updates the relationships of the write and fills their results. It returns the pairs
// of nodes whose order in contexts may have changed.
func (j *memoryJob) writeRelationships() ([]map[string]any, error) {
	if len(j.write.Relationships) == 0 {
		return nil, nil
	}
	candidates, err := j.candidates()
	if err != nil {
		return nil, err
	}
	if err := j.findKeys(candidates); err != nil {
		return nil, err
	}
	plan := &relationshipPlan{created: map[string]map[string]any{}}
	for i := range j.write.Relationships {
		w := &j.write.Relationships[i]
		j.result.Relationships[i] = j.placeRelationship(plan, i, j.qualified(w, j.placed.over(w.triple(), candidates[i])))
	}
	if err := j.addWords(); err != nil {
		return nil, err
	}
	if err := j.tx.writeRows(updateRelationships, j.scope.TeamID, plan.update); err != nil {
		return nil, err
	}
	if err := j.numberRelationships(plan); err != nil {
		return nil, err
	}
	if err := j.tx.writeRows(createRelationships, j.scope.TeamID, plan.create); err != nil {
		return nil, err
	}
	j.tx.noteGrown(plan.create)
	if err := j.refuseRings(plan); err != nil {
		return nil, err
	}
	return plan.pairs, j.tx.writeRows(countMentions, j.scope.TeamID, plan.mentioned)
}

// candidates returns, for each relationship of the write, the stored ones that it may refer to. It returns none where
// an end is new.
func (j *memoryJob) candidates() ([][]Properties, error) {
	all := make([][]Properties, len(j.write.Relationships))
	var rows []map[string]any
	for i := range j.write.Relationships {
		w := &j.write.Relationships[i]
		from, kind, to, _ := w.direction()
		if !j.wasStored(from) || !j.wasStored(to) {
			continue
		}
		row := findRow(from, kind, to)
		row["position"], row["since"] = i, j.since(w)
		if w.closes() {
			row["valid_to"] = storedForm(w.ValidTo.Value)
		}
		if w.Key != "" {
			row["key"] = w.Key
		}
		rows = append(rows, row)
	}
	return all, j.find(rows, all)
}

// find reads the relationships that rows may refer to, and the team's own types if the write may add one.
func (j *memoryJob) find(rows []map[string]any, all [][]Properties) error {
	params := map[string]any{"team_id": j.scope.TeamID, "rows": rows}
	if j.usesWords() {
		return j.findWithWords(params, all)
	}
	if len(rows) == 0 {
		return nil
	}
	found, err := findRelationships.Exec(j.tx, params)
	for _, r := range found {
		all[r.Position] = append(all[r.Position], r.Properties)
	}
	return err
}

// findWithWords is find for a write that may add own types of the team.
func (j *memoryJob) findWithWords(params map[string]any, all [][]Properties) error {
	found, err := findRelationshipsAndWords.Exec(j.tx, params)
	if err != nil {
		return err
	}
	for _, r := range found {
		if r.Position < 0 {
			j.words = neo.Texts(r.Properties)
			continue
		}
		var p Properties
		if err := p.DecodeNeo(r.Properties); err != nil {
			return err
		}
		all[r.Position] = append(all[r.Position], p)
	}
	planned, err := j.write.plan.words()
	j.words = append(j.words, planned...)
	return err
}

// findRow returns a row of relationship_find.
func findRow(from, kind, to string) map[string]any {
	return map[string]any{
		"position": 0, "from": from, "to": to, "type": kind, "word": wordOf(kind), "valid_to": nil, "key": nil, "since": nil,
	}
}

// wasStored reports whether a node existed before this write.
func (j *memoryJob) wasStored(key string) bool {
	n := j.found.byKey[key]
	return n != nil && n.Properties["team_id"] != nil // only the database sets team_id
}

// meant returns the candidate that a write changes: the one that it names by key, start or end, else the one that holds
// now, else the next one to begin. It returns nil if the write adds a relationship.
func (w *RelationshipWrite) meant(candidates []Properties, now time.Time) Properties {
	for _, c := range candidates {
		switch {
		case w.Key != "" && c.Text("key") == w.Key:
			return c
		case w.closes() && w.Key == "" && Same(c["valid_to"], storedForm(w.ValidTo.Value)), w.isPeriod(c, now):
			return c
		}
	}
	current := present(candidates, now)
	if w.Key != "" { // an import does not take a period for another one
		current = open(candidates)
	}
	if reopened := w.reopened(candidates); current == nil && reopened != nil {
		return reopened
	}
	if w.Type == SystemRelationshipType { // a system may have many between the same two entities
		return sameType(candidates, w.RelationshipType.Value)
	}
	otherStart := current != nil && w.ValidFrom.Given && !Same(current["valid_from"], storedForm(w.ValidFrom.Value))
	switch {
	case current == nil || w.closes() && (w.Key != "" || otherStart): // a closed period next to the current relationship
		return nil
	case w.closes() && !current.ValidAt(now) && !w.ValidTo.Value.After(current.start()): // one that ended before the next one begins
		return nil
	case w.ValidFrom.Given && current.endedBy(w.ValidFrom.Value): // a later one
		return nil
	}
	return current
}

// contradicted reports whether a write closes the current relationship and replaces it.
func (w *RelationshipWrite) contradicted(current Properties) bool {
	if current == nil || w.closes() || w.Key != "" {
		return false
	}
	from := current.Moment("valid_from")
	return w.Contradicts || from != nil && w.startsAfter(*from)
}

// startsAfter reports whether the written start, at the stored precision, is after a stored one.
func (w *RelationshipWrite) startsAfter(from time.Time) bool {
	return w.ValidFrom.Given && w.ValidFrom.Value.Truncate(precision).After(from)
}

// placeRelationship decides between create, update, unchanged and refused.
func (j *memoryJob) placeRelationship(plan *relationshipPlan, i int, candidates []Properties) RelationshipResult {
	w := &j.write.Relationships[i]
	at := fault.At("relationships").Index(i)
	from, kind, to, swap := w.direction()
	result := RelationshipResult{From: from, To: to, Type: kind}
	if j.relationshipWaits(w) {
		result.Status = Waiting
		return result
	}
	old := w.meant(candidates, j.now)
	refused := j.relationshipRefusal(w, old)
	if refused == (refusal{}) {
		refused = j.overlapRefusal(w, old, candidates)
	}
	if refused == (refusal{}) {
		w = j.boundedRelationship(w, j.privateTo(from, to), old)
	}
	if refused == (refusal{}) && j.write.edges != nil {
		refused = j.write.edges[i].refusal(j.found.byKey[from], j.found.byKey[to])
	}
	if refused == (refusal{}) {
		refused = j.relationshipTrustRefusal(w, old)
	}
	if refused != (refusal{}) {
		result.Status, result.Error = j.refuse(at, refused)
		return result
	}
	if old != nil && (j.isLeft(w, old) || j.write.additive && (len(j.write.DerivedFrom) == 0 || old["evidence"] == nil)) {
		result.Key, result.Status, result.Version = old.Text("key"), Unchanged, version(old)
		return result
	}
	if (old == nil || w.contradicted(old)) && j.lacksPlace(kind) {
		result.Status, result.Error = j.refuse(at, refusal{"type", fault.Conflict, fmt.Sprintf(noPlace, maxWords)})
		return result
	}
	j.relationshipWarnings(w, at, swap)
	j.ifVersion(at, w.IfVersion, version(old))
	started, next := j.now, (*time.Time)(nil)
	if w.contradicted(old) {
		started = j.endOf(w, old)
		result.Closed = old.Text("key")
		end := Properties{"valid_to": started, "updated_at": j.now, "version": version(old) + 1}
		plan.change(from, kind, to, old, end)
		ended := old.clone()
		maps.Copy(ended, end)
		j.note(w.triple(), ended)
		next = nextStart(candidates, started, old)
		old = nil
	}
	result.Key, result.Status, result.Version = j.plan(plan, w, old, candidates, started, next)
	if result.Status != Unchanged {
		if j.found.byKey[from].owns() || j.found.byKey[to].owns() {
			plan.pairs = append(plan.pairs, map[string]any{"from": from, "to": to})
		}
		j.users = append(j.users, j.privateTo(from, to))
	}
	return result
}

func version(p Properties) int64 {
	if p == nil {
		return 0
	}
	return max(1, p.integer("version"))
}

// endOf returns the time at which a contradicted relationship ends and the new one begins.
func (j *memoryJob) endOf(w *RelationshipWrite, old Properties) time.Time {
	if w.ValidFrom.Given {
		return w.ValidFrom.Value.UTC().Truncate(precision)
	}
	if from := old.Moment("valid_from"); from != nil && !j.now.After(*from) {
		return from.Add(precision)
	}
	return j.now
}

// plan adds a row to the plan and returns the key, status and version of the relationship. A new one begins at started,
// and ends where the next one begins, unless the write says otherwise.
func (j *memoryJob) plan(plan *relationshipPlan, w *RelationshipWrite, old Properties, candidates []Properties, started time.Time, end *time.Time) (string, Status, int64) {
	from, kind, to, _ := w.direction()
	if old == nil {
		next := j.newRelationship(w, started)
		if w.History == nil {
			if end != nil && !w.ValidTo.Given && j.follows(w) {
				next["valid_to"] = *end
			}
			w.settleStart(next, candidates)
		}
		key := next.Text("key")
		if w.Key != "" {
			j.keys[key] = w.triple()
		}
		plan.create = append(plan.create, relationshipRow(from, kind, to, key, next))
		plan.created[key] = next
		j.note(w.triple(), next)
		if kind == mentionsType && w.History == nil {
			plan.mentioned = append(plan.mentioned, j.mentionRow(from, to))
		}
		return key, Created, version(next)
	}
	next := old.clone()
	if !j.write.additive {
		w.overlay(next)
		if w.History == nil {
			w.settleStart(next, candidates)
		}
	}
	if believed := w.believed(j); kind != mentionsType || next["salience"] != nil {
		wakes := j.write.wakes(w.History)
		if believed.less(old) {
			wakes = nil
		}
		w.live(next, false, j.now, wakes)
	}
	next.addNotes(w.Notes, w.believed(j).told(), j.scope, j.now)
	w.History.overlay(next)
	next.putRelationshipEnd()
	j.signRelationship(next, old)
	j.putRelationshipBelief(w, old, next)
	next.putWord(next.Text("type_word"))
	key := old.Text("key")
	if kind == SystemRelationshipType { // its place in its system does not change
		next["seq"] = old["seq"]
	}
	changed := old.changesTo(next)
	if j.touch(plan, w, old, changed) {
		return key, Unchanged, version(old)
	}
	if accessed := changed["last_accessed_at"]; accessed != nil {
		next["last_accessed_at"] = accessed
	}
	if !w.UpdatedAt.Given {
		changed["updated_at"] = j.now
	}
	if w.History == nil || !w.History.Version.Given {
		next["version"] = version(old) + 1
	}
	changed["version"] = version(next) // also of an import that gives the stored one: the feed names it
	plan.change(from, kind, to, old, changed)
	j.note(w.triple(), next)
	return key, Updated, version(next)
}

// touch records that a caller wrote a stored relationship, and reports whether nothing else of it changes. Repeating
// what other users also see is not recorded, so that it reveals nothing.
func (j *memoryJob) touch(plan *relationshipPlan, w *RelationshipWrite, old, changed Properties) bool {
	unchanged := len(changed) == 0
	from, kind, to, _ := w.direction()
	kept := w.LastAccessedAt.Given || old["salience"] == nil || unchanged &&
		(j.write.restoring || j.privateTo(from, to) != cmp.Or(j.scope.UserID, j.privateTo(from, to)))
	if !kept && j.write.stated(w.History) {
		old.tell(changed, j.now)
	}
	if unchanged && len(changed) > 0 {
		plan.change(from, kind, to, old, changed)
	}
	return unchanged
}

func relationshipRow(from, kind, to, key string, p Properties) map[string]any {
	if p["type_word"] != nil {
		kind = RelatedType
	}
	return map[string]any{"from": from, "to": to, "type": kind, "key": key, "properties": map[string]any(p)}
}

// updatedRelationshipRow returns the row of relationship_update that changes a stored relationship.
func updatedRelationshipRow(from, kind, to string, old, changed Properties) map[string]any {
	row := relationshipRow(from, kind, to, old.Text("key"), changed)
	row["user_id"], row[formerText] = old.Text("user_id"), TextIn(old)
	return row
}

// newRelationship returns the properties of a new relationship: the written fields over the defaults of the
// lifecycle.
func (j *memoryJob) newRelationship(w *RelationshipWrite, started time.Time) Properties {
	from, kind, to, _ := w.direction()
	key := w.Key
	if key == "" {
		key = uuid.Must(uuid.NewV7()).String()
	}
	p := Properties{"key": key, "recorded_at": j.now, "version": int64(1)}
	user := j.privateTo(from, to)
	p.putUnless(user == "", "user_id", user)
	switch {
	case w.History != nil: // as exported
		j.asItWas(w, p)
	case kind == mentionsType: // mentions only have the properties that count them
		p["node_key"], p["started_at"] = to, j.found.byKey[from].Properties["started_at"]
		w.overlay(p)
	default:
		p["salience"], p["confidence"], p["state"] = DefaultSalience, DefaultRelationshipConfidence, "candidate"
		if j.write.stated(w.History) {
			p["state"], p["last_accessed_at"] = "active", j.now
		}
		p["description"], p["valid_from"], p["updated_at"] = "", started, j.now
		p.putUnless(w.ValidFrom.Given || !started.Equal(j.now) || w.Contradicts, "start_unknown", true)
		p.putUnless(j.author() == "", "recorded_by", j.author())
		w.overlay(p)
		w.live(p, true, j.now, nil)
	}
	p.addNotes(w.Notes, w.believed(j).told(), j.scope, j.now)
	w.History.overlay(p)
	p.putRelationshipEnd()
	j.signRelationship(p, nil)
	j.putRelationshipBelief(w, nil, p)
	if j.tx.store.isWord(kind) {
		p.putWord(kind)
	}
	return p
}

// putRelationshipEnd is putEnd for a relationship, which may have no vitality.
func (p Properties) putRelationshipEnd() {
	if p["salience"] != nil {
		p.putEnd()
	}
}

// asItWas sets exactly the properties that the export has of a relationship.
func (j *memoryJob) asItWas(w *RelationshipWrite, p Properties) {
	delete(p, "recorded_at")
	delete(p, "version")
	w.overlay(p)
	p.set("salience", w.Salience, nil)
	p.set("confidence", w.Confidence, nil)
	p.set("state", w.State, nil)
	switch w.Type {
	case mentionsType:
		p["node_key"], p["started_at"] = w.To, j.found.byKey[w.From].Properties["started_at"]
	case SystemRelationshipType:
		p["from_key"], p["to_key"] = w.From, w.To
	}
}

// privateTo returns the user to whom a relationship between two nodes is private: the user of either end; empty if
// both are shared.
func (j *memoryJob) privateTo(from, to string) string {
	if user := j.found.byKey[from].user(); user != "" {
		return user
	}
	return j.found.byKey[to].user()
}
