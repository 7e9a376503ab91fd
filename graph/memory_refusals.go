package graph

import (
	"slices"
	"strings"

	"kith/graph/neo"
	"kith/internal/fault"
)

// findRings finds which of some containment relationships close a cycle, by their keys.
var findRings = neo.Load[string]("containment_cycle")

// visible reports whether the caller may see a node of the write. An import for the whole team may see all of them.
func (j *memoryJob) visible(n *stored) bool {
	return n.visible(j.scope) || n != nil && j.write.restoring && j.scope.UserID == ""
}

// relationshipRefusal returns the field that does not fit the stored data, and the reason.
func (j *memoryJob) relationshipRefusal(w *RelationshipWrite, old Properties) refusal {
	from, kind, to, swap := w.direction()
	fromField, toField := "from", "to"
	if swap {
		fromField, toField = toField, fromField
	}
	a, b := j.found.byKey[from], j.found.byKey[to]
	child := contained(kind)
	switch {
	case !j.visible(a):
		return refusal{fromField, fault.Missing, noSuchNode}
	case !j.visible(b):
		return refusal{toField, fault.Missing, noSuchNode}
	case from == to && kind != SystemRelationshipType: // an import may refer to one node by two keys
		return refusal{toField, fault.Contrary, "must be another node than from"}
	case kind == mentionsType && (a.kind != SourceKind || b.kind.group != knowledgeGroup):
		return refusal{"type", fault.Conflict, "mentions must lead from a source to a person, concept or entity"}
	case child != "" && a.kind.group == projectGroup && b.kind.Name != child:
		return refusal{"type", fault.Conflict, kind + " must lead to a " + child}
	case a.user() != "" && b.user() != "" && a.user() != b.user():
		return refusal{toField, fault.Conflict, "is private to a different user than from"}
	case old == nil && j.write.existing:
		return refusal{"key", fault.Missing, "there is no such relationship"}
	case j.taken(w, old):
		return refusal{"key", fault.Conflict, takenKey}
	}
	return j.timeRefusal(w, old)
}

func (j *memoryJob) timeRefusal(w *RelationshipWrite, old Properties) refusal {
	if w.Type == mentionsType && w.ValidFrom.Given && w.ValidFrom.Value.After(j.now) && w.History == nil {
		return refusal{"valid_from", fault.Conflict, "of a mention must not be in the future"}
	}
	if old == nil {
		if w.closes() && !w.ValidFrom.Given && w.History == nil && w.ValidTo.Value.After(j.now) { // an exported relationship was closed before
			return refusal{"valid_to", fault.Conflict, "no current relationship to close"}
		}
		return refusal{}
	}
	from := old.Moment("valid_from")
	switch {
	case !w.contradicted(old) && w.endsEarly(old):
		if w.ValidFrom.Given {
			return refusal{"valid_from", fault.Conflict, "must not be after valid_to"}
		}
		return refusal{"valid_to", fault.Conflict, "must not be before valid_from"}
	case w.Contradicts && w.ValidFrom.Given && from != nil && !w.startsAfter(*from):
		return refusal{"valid_from", fault.Conflict, "must be after the valid_from of the relationship it contradicts"}
	}
	switch w.extendsContainment(old, j.now) {
	case "valid_to":
		return refusal{"valid_to", fault.Conflict, "cannot be removed: add a new relationship that begins at the end of this one"}
	case "valid_from":
		return refusal{"valid_from", fault.Conflict, "cannot be earlier: add a new relationship that ends at the start of this one"}
	}
	return refusal{}
}

// endsEarly reports whether a changed relationship would end before it began.
func (w *RelationshipWrite) endsEarly(old Properties) bool {
	from, end := old.Moment("valid_from"), w.end(old)
	if w.ValidFrom.Given {
		from = &w.ValidFrom.Value
	} else if old.startsUnknown() {
		return false
	}
	return from != nil && end != nil && end.Truncate(precision).Before(from.Truncate(precision))
}

// relationshipWarnings adds warnings about values that are stored differently or look unusual.
func (j *memoryJob) relationshipWarnings(w *RelationshipWrite, at fault.Path, swap bool) {
	if j.write.restoring {
		return
	}
	from, kind, to, _ := w.direction()
	a, b := j.found.byKey[from], j.found.byKey[to]
	if swap {
		j.warn(at.Field("type"), "%s is deprecated: stored as %s, the other way round", w.Type, kind)
	}
	if usual := unusual(a.kind, b.kind, kind); usual != "" {
		j.warn(at.Field("type"), "between a %s and a %s the usual type is %s", a.kind.Name, b.kind.Name, usual)
	}
	if child := contained(kind); child != "" && a.kind.group == projectGroup && !slices.Contains(parents[child], a.kind.Name) {
		j.warn(at.Field("from"), "a %s is contained in %s", child, strings.Join(parents[child], ", "))
	}
}

// refuseRings removes the new relationships that would make a node contain itself, the last ones first.
func (j *memoryJob) refuseRings(plan *relationshipPlan) error {
	var rows []map[string]any
	for _, row := range plan.create {
		key, kind := row["key"].(string), row["type"].(string) //nolint:forcetypeassert // set by relationshipRow
		if !Properties(plan.created[key]).endedBy(j.now) && slices.Contains(containmentTypes, kind) {
			row["valid_from"], row["valid_to"] = plan.created[key]["valid_from"], plan.created[key]["valid_to"]
			rows = append(rows, row)
		}
	}
	for len(rows) > 0 {
		keys, err := j.tx.rings(j.scope.TeamID, rows)
		if err != nil || len(keys) == 0 {
			return err
		}
		ring := map[string]bool{}
		for _, key := range keys {
			ring[key] = true
		}
		last := len(rows) - 1
		for !ring[rows[last]["key"].(string)] { //nolint:forcetypeassert // set by relationshipRow
			last--
		}
		if err := j.takeBack(rows[last]); err != nil {
			return err
		}
		rows = slices.Delete(rows, last, last+1)
	}
	return nil
}

// rings returns the keys of those containments that close a ring. If none does, the commit looks again: another transaction may have
// added the rest of a ring meanwhile.
func (t *Tx) rings(teamID string, rows []map[string]any) ([]string, error) {
	ends := ringRows(rows)
	keys, err := findRings.Exec(t, map[string]any{"team_id": teamID, "rows": ends, "now": t.store.Now()})
	if err == nil && len(keys) == 0 {
		t.contains = append(t.contains, ends...)
	}
	return keys, err
}

// checkRings returns neo.ErrRace if a containment of the transaction closes a ring with one that was committed meanwhile. Later commits
// of the team wait for this one.
func (t *Tx) checkRings(teamID string) error {
	if len(t.contains) == 0 {
		return nil
	}
	keys, err := findRings.Exec(t, map[string]any{"team_id": teamID, "rows": t.contains, "now": t.store.Now()})
	if err == nil && len(keys) > 0 {
		err = neo.ErrRace
	}
	return err
}

func ringRows(rows []map[string]any) []map[string]any {
	ends := make([]map[string]any, len(rows))
	for i, row := range rows {
		ends[i] = map[string]any{"from": row["from"], "to": row["to"], "key": row["key"], "valid_from": row["valid_from"], "valid_to": row["valid_to"]}
	}
	return ends
}

// takeBack removes a relationship that this write has added, and refuses it.
func (j *memoryJob) takeBack(row map[string]any) error {
	if err := j.tx.writeRows(removeRelationships, j.scope.TeamID, ringRows([]map[string]any{row})); err != nil {
		return err
	}
	for i := range j.result.Relationships {
		if r := &j.result.Relationships[i]; r.Key == row["key"] {
			r.Key, r.Version = "", 0
			r.Status, r.Error = j.refuse(fault.At("relationships").Index(i), refusal{"to", fault.Conflict, "contains from, directly or through others"})
		}
	}
	return nil
}

// refusal returns the field of a write that does not fit the stored node, and the reason.
func (p *nodePlan) refusal(w *NodeWrite, old *stored) refusal {
	kind := w.kind()
	_, named := w.givenName(kind)
	user := owner(w, p.job.scope)
	switch {
	case old == nil && p.job.write.existing:
		return refusal{"entity_key", fault.Missing, noSuchNode}
	case old == nil && p.job.found.isKept(w.EntityKey, user):
		return refusal{"entity_key", fault.Conflict, takenKey}
	case old == nil && !named && kind.group != episodeGroup:
		return refusal{"name", fault.Required, "is required for a new node"}
	case old == nil && kind == ItemKind && (w.OwnFields == nil || !w.Namespace.Given):
		return refusal{"namespace", fault.Required, "is required for a new item"}
	case kind.group == storyGroup && p.job.scope.Bound && ownerOf(w, old, p.job.scope) == "":
		return refusal{"kind", fault.NotAllowed, "is formed by Kith: a key of one user does not import what the team shares"}
	case old != nil && (old.kind != kind || !sameUser(old.user(), user, w.UserID.Given && kind != SystemEntityKind)):
		return refusal{"entity_key", fault.Conflict, takenKey}
	}
	return refusal{}
}

// sameUser reports whether a write for a user may change a node. A write without an explicit user may also change
// shared nodes.
func sameUser(stored, user string, named bool) bool {
	if stored == "" {
		return user == "" || !named
	}
	return stored == user
}

// clash returns the field that would make the node inconsistent, and the reason.
func (p *nodePlan) clash(w *NodeWrite, old, next *stored) refusal {
	found := p.job.found
	other := func(s *stored) bool { return s != nil && s.key() != next.key() }
	switch {
	case neo.Bool(next.Properties["is_owner"]) && next.user() == "":
		return refusal{"is_owner", fault.Conflict, "is only for the person node of a user, and this one is shared"}
	case other(found.byNatural[next.Text("natural_key")]) && !p.takesOver(next, found.byNatural[next.Text("natural_key")]):
		return refusal{"name", fault.Conflict, "is taken by another " + w.Kind + " of the same name"}
	case next.owns() && other(found.byOwner[next.user()]) && !found.byOwner[next.user()].generated():
		return refusal{"is_owner", fault.Conflict, "the user already has an owner"}
	case next.kind == SourceKind:
		return sourceClash(old, next)
	}
	return refusal{}
}
