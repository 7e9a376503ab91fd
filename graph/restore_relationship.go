package graph

import (
	"slices"

	"kith/cypher"
)

// triple names the current relationship of a kind between two nodes, as it is stored.
func (w *RelationshipWrite) triple() [3]string {
	from, kind, to, _ := w.direction()
	return [3]string{from, kind, to}
}

// placed are the relationships that an import has added or changed in the same transaction: those behind them in the file
// meet them as they would if they came later.
type placed map[[3]string][]properties

// note remembers a relationship of an import as it will be.
func (j *memoryJob) note(triple [3]string, p properties) {
	if !j.write.restoring {
		return
	}
	if j.placed == nil {
		j.placed = placed{}
	}
	j.placed[triple] = replaced(j.placed[triple], p)
}

// over lays those of the same transaction over what is stored.
func (l placed) over(triple [3]string, candidates []properties) []properties {
	for _, p := range l[triple] {
		candidates = replaced(candidates, p)
	}
	return candidates
}

// replaced has p for the one of its key.
func replaced(all []properties, p properties) []properties {
	for i := range all {
		if all[i].text("key") == p.text("key") {
			all[i] = p
			return all
		}
	}
	return append(all, p)
}

// followKeys makes relationships lead to the nodes that those of the same write turned out to be.
func (j *memoryJob) followKeys() {
	if !j.write.restoring {
		return
	}
	aliases := map[string]string{}
	for i := range j.write.Nodes {
		given, r := j.write.Nodes[i].EntityKey, &j.result.Nodes[i]
		if given != "" && r.Status != Refused && r.EntityKey != given {
			aliases[given] = r.EntityKey
		}
	}
	if len(aliases) == 0 {
		return
	}
	for i := range j.write.Relationships {
		w := &j.write.Relationships[i]
		for _, end := range []*string{&w.From, &w.To} {
			if key := aliases[*end]; key != "" {
				*end = key
			}
		}
	}
}

// sameType is the one of the relationships of a system whose free text is the same.
func sameType(candidates []properties, relationshipType string) properties {
	for _, c := range candidates {
		if c.text("relationship_type") == relationshipType {
			return c
		}
	}
	return nil
}

// findKeys learns which relationships of the team have the keys that those of an import may be made with. Imports of a
// team that bring keys do so one after the other: no constraint spans the types.
func (j *memoryJob) findKeys(candidates [][]properties) error {
	if !j.write.restoring {
		return nil
	}
	j.keys = map[string][3]string{}
	var keys []string
	for i := range j.write.Relationships {
		if w := &j.write.Relationships[i]; w.Key != "" && !slices.ContainsFunc(candidates[i], func(c properties) bool { return c.text("key") == w.Key }) {
			keys = append(keys, w.Key)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	if _, err := j.tx.exec("import_lock", map[string]any{"team_id": j.scope.TeamID, "now": j.now}); err != nil {
		return err
	}
	if err := j.tx.keysTaken(j.scope.TeamID, j.write.types, distinct(keys), j.keys); err != nil {
		return err
	}
	return j.write.plan.relationships(keys, j.keys)
}

// keysTaken finds where relationships of a team, of some types, have some keys.
func (t *tx) keysTaken(teamID string, types, keys []string, found map[string][3]string) error {
	for some := range slices.Chunk(types, typesAtOnce) {
		rows, err := t.execQuery(cypher.ForTypes(t.store.queries["relationship_keys"], some), map[string]any{"team_id": teamID, "keys": keys})
		if err != nil {
			return err
		}
		for _, row := range rows {
			found[text(row.Values[0])] = [3]string{text(row.Values[2]), text(row.Values[1]), text(row.Values[3])}
		}
	}
	return nil
}

// taken says whether a relationship that an import would make has the key of another one.
func (j *memoryJob) taken(w *RelationshipWrite, old properties) bool {
	if !j.write.restoring || w.Key == "" || old != nil {
		return false
	}
	triple, known := j.keys[w.Key]
	return known && triple != w.triple()
}
