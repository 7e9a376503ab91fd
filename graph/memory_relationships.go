package graph

import (
	"context"
	"slices"

	"github.com/google/uuid"
)

// writeRelationships adds and changes the relationships of the write, fills their results, and returns the pairs
// of nodes whose order in contexts may have changed.
func (j *memoryJob) writeRelationships() ([]map[string]any, error) {
	if len(j.write.Relationships) == 0 {
		return nil, nil
	}
	ends, err := j.relationshipEnds()
	if err != nil {
		return nil, err
	}
	rows := map[Status][]map[string]any{}
	var pairs []map[string]any
	for i := range j.write.Relationships {
		row, result := j.placeRelationship(i, ends[i])
		j.result.Relationships[i] = result
		if row != nil {
			rows[result.Status] = append(rows[result.Status], row)
			pairs = append(pairs, map[string]any{"from": result.From, "to": result.To})
			j.users = append(j.users, text(ends[i].user))
		}
	}
	if err := j.tx.rows("relationship_update", j.scope.TeamID, rows[Updated]); err != nil {
		return nil, err
	}
	return pairs, j.tx.rows("relationship_create", j.scope.TeamID, rows[Created])
}

// ends are the two nodes of a relationship to write, and the current relationship between them.
type ends struct {
	fromFound, toFound bool
	fromLabel, toLabel string
	user               any // whom the relationship is private to
	started            any // of a source at its start
	current            []any
}

func (j *memoryJob) relationshipEnds() ([]ends, error) {
	rows := make([]map[string]any, len(j.write.Relationships))
	for i, r := range j.write.Relationships {
		rows[i] = map[string]any{"from": r.From, "to": r.To, "type": r.Type, "valid_to": nil}
		r.ValidTo.set(rows[i], "valid_to", nil)
	}
	records, err := j.tx.exec("relationship_find", map[string]any{
		"team_id": j.scope.TeamID, "user_id": j.scope.user(), "rows": rows,
	})
	if err != nil {
		return nil, err
	}
	all := make([]ends, len(rows))
	for _, r := range records {
		v := r.Values
		if relationship := items(v[8]); relationship != nil {
			if all[integer(v[0])].current == nil { // else this write repeats the end of the one before
				all[integer(v[0])].current = relationship
			}
			continue
		}
		e := ends{
			fromFound: truth(v[1]), toFound: truth(v[2]), fromLabel: kindLabel(texts(v[3])), toLabel: kindLabel(texts(v[4])),
			user: v[5], started: v[7], current: all[integer(v[0])].current,
		}
		if e.user == nil {
			e.user = v[6]
		}
		all[integer(v[0])] = e
	}
	return all, nil
}

// placeRelationship decides between create, update, unchanged (no row) and refused (no row).
func (j *memoryJob) placeRelationship(i int, e ends) (map[string]any, RelationshipResult) {
	w := &j.write.Relationships[i]
	result := RelationshipResult{From: w.From, To: w.To, Type: w.Type}
	refuse := func(field, message string) (map[string]any, RelationshipResult) {
		result.Status, result.Error = j.refuse(index("relationships", i)+"."+field, "%s", message)
		return nil, result
	}
	switch {
	case !e.fromFound:
		return refuse("from", "there is no such node")
	case !e.toFound:
		return refuse("to", "there is no such node")
	case w.Type == mentionsType && (e.fromLabel != sourceKind.Label || !isKnowledge(e.toLabel)):
		return refuse("type", "mentions leads from a source to a person, concept or entity")
	}
	if e.current == nil && w.closes() && !w.ValidFrom.Given {
		return refuse("valid_to", "there is no current relationship to close")
	}
	if e.current == nil {
		result.Key, result.Status = uuid.Must(uuid.NewV7()).String(), Created
		return relationshipRow(w, result.Key, j.newRelationship(w, e)), result
	}
	result.Key = text(e.current[0])
	changed := difference(storedRelationship(e.current), w.changes())
	if result.Status = Unchanged; len(changed) == 0 {
		return nil, result
	}
	result.Status = Updated
	changed["updated_at"] = j.now
	return relationshipRow(w, result.Key, changed), result
}

func isKnowledge(label string) bool {
	return slices.ContainsFunc(NodeKinds, func(k Kind) bool { return k.Label == label })
}

func relationshipRow(w *RelationshipWrite, key string, properties map[string]any) map[string]any {
	return map[string]any{"from": w.From, "to": w.To, "type": w.Type, "key": key, "properties": properties}
}

// newRelationship are the properties of a new relationship: what is given over the defaults of the lifecycle.
func (j *memoryJob) newRelationship(w *RelationshipWrite, e ends) map[string]any {
	properties := map[string]any{
		"salience": defaultSalience, "confidence": defaultRelationshipConfidence, "state": "candidate",
		"description": "", "valid_from": j.now, "recorded_at": j.now, "updated_at": j.now, "user_id": e.user,
	}
	if j.scope.UserID != "" {
		properties["recorded_by"] = j.scope.UserID
	}
	if w.Type == mentionsType { // provenance has no properties of its own (S1-22), but for what counts it
		properties = map[string]any{"user_id": e.user, "node_key": w.To, "started_at": e.started, "recorded_at": j.now}
	}
	for name, value := range w.changes() {
		properties[name] = value
	}
	return properties
}

// storedRelationship names the values of relationship_find's list.
func storedRelationship(l []any) map[string]any {
	names := []string{
		"key", "description", "salience", "confidence", "state", "attitude", "proximity", "relationship_type",
		"valid_from", "valid_to", "recorded_by", "properties",
	}
	v := make(map[string]any, len(names))
	for i, name := range names {
		v[name] = l[i]
	}
	return v
}

// admitTypes refuses relationship types that would be more than the server may have: Neo4j never forgets one.
func (s *Store) admitTypes(ctx context.Context, relationships []RelationshipWrite) error {
	var seen map[string]bool
	if known := s.types.Load(); known != nil {
		seen = *known
	}
	if len(unknownTypes(seen, relationships)) == 0 {
		return nil
	}
	row, err := s.readOne(ctx, "relationship_types", nil)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, t := range texts(row.Values[0]) {
		known[t] = true
	}
	s.types.Store(&known)
	f := &faults{}
	fresh := unknownTypes(known, relationships)
	if over := len(known) + len(fresh) - s.options.MaxTypes; over > 0 {
		for i := range relationships {
			if fresh[relationships[i].Type] {
				f.add(index("relationships", i)+".type",
					"is new, and the server may have only %d relationship types", s.options.MaxTypes)
			}
		}
	}
	return f.err()
}

func unknownTypes(known map[string]bool, relationships []RelationshipWrite) map[string]bool {
	fresh := map[string]bool{}
	for i := range relationships {
		if t := relationships[i].Type; !known[t] {
			fresh[t] = true
		}
	}
	return fresh
}
