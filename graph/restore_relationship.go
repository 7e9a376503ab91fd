package graph

import (
	"slices"

	"kith/cypher"
	"kith/graph/neo"
)

// findRelationshipKeys finds the relationships of a team with some keys. It is written for one type.
var findRelationshipKeys = neo.Load[relationshipKey]("relationship_keys")

// relationshipKey is the key of a relationship with its type and ends.
type relationshipKey struct{ Key, Type, From, To string }

// triple returns the ends and type of the current relationship as stored.
func (w *RelationshipWrite) triple() [3]string {
	from, kind, to, _ := w.direction()
	return [3]string{from, kind, to}
}

// placed has the relationships that a write added or changed in the same transaction. Later items see them as if they were stored: an
// import has past relationships too, and any write may name a node by several keys.
type placed map[[3]string][]Properties

// note records a relationship as it will be stored.
func (j *memoryJob) note(triple [3]string, p Properties) {
	if j.placed == nil {
		j.placed = placed{}
	}
	j.placed[triple] = replaced(j.placed[triple], p)
}

// over returns the candidates with those of the same transaction over the stored ones.
func (l placed) over(triple [3]string, candidates []Properties) []Properties {
	for _, p := range l[triple] {
		candidates = replaced(candidates, p)
	}
	return candidates
}

// replaced returns the list with p in place of the relationship with the same key.
func replaced(all []Properties, p Properties) []Properties {
	for i := range all {
		if all[i].Text("key") == p.Text("key") {
			all[i] = p
			return all
		}
	}
	return append(all, p)
}

// followKeys changes relationships to lead to the stored nodes that the written nodes of the same write were matched
// with.
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

// sameType returns the relationship of a system with the same free text.
func sameType(candidates []Properties, relationshipType string) Properties {
	for _, c := range candidates {
		if c.Text("relationship_type") == relationshipType {
			return c
		}
	}
	return nil
}

// findKeys finds the team's relationships that have the keys an import gives. Imports with keys run one after the
// other for a team, because no constraint spans the types.
func (j *memoryJob) findKeys(candidates [][]Properties) error {
	if !j.write.restoring {
		return nil
	}
	j.keys = map[string][3]string{}
	var keys []string
	for i := range j.write.Relationships {
		if w := &j.write.Relationships[i]; w.Key != "" && !slices.ContainsFunc(candidates[i], func(c Properties) bool { return c.Text("key") == w.Key }) {
			keys = append(keys, w.Key)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	if err := lockImports.Run(j.tx, map[string]any{"team_id": j.scope.TeamID, "now": j.now}); err != nil {
		return err
	}
	if err := j.tx.keysTaken(j.scope.TeamID, j.write.types, Distinct(keys), j.keys); err != nil {
		return err
	}
	return j.write.plan.relationships(keys, j.keys)
}

// keysTaken finds the relationships of a team with some keys and types.
func (t *Tx) keysTaken(teamID string, types, keys []string, found map[string][3]string) error {
	for some := range slices.Chunk(types, typesAtOnce) {
		find := findRelationshipKeys
		find.Query = cypher.ForTypes(find.Query, some)
		rows, err := find.Exec(t, map[string]any{"team_id": teamID, "keys": keys})
		if err != nil {
			return err
		}
		for _, row := range rows {
			found[row.Key] = [3]string{row.From, row.Type, row.To}
		}
	}
	return nil
}

// isLeft reports whether the relationship of an import is another one than the stored one between its ends: a merge of one of them has
// left it with the merged node.
func (j *memoryJob) isLeft(w *RelationshipWrite, old Properties) bool {
	triple, known := j.keys[w.Key]
	return known && w.Key != "" && old.Text("key") != w.Key && triple != w.triple()
}

// taken reports whether the key of an imported relationship belongs to another one.
func (j *memoryJob) taken(w *RelationshipWrite, old Properties) bool {
	if !j.write.restoring || w.Key == "" || old != nil {
		return false
	}
	triple, known := j.keys[w.Key]
	return known && triple != w.triple()
}
