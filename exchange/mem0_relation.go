package exchange

import (
	"cmp"
	"strings"
)

// resolve replaces ids of the entities of the same memory by their names.
func (in *mem0Relation) resolve(entities []mem0Entity) {
	in.Target, in.TargetType = cmp.Or(in.Target, in.Destination), cmp.Or(in.TargetType, in.DestinationType)
	for _, e := range entities {
		if e.ID == "" || e.Name == "" {
			continue
		}
		if in.Source == e.ID {
			in.Source, in.SourceType = e.Name, cmp.Or(in.SourceType, e.Type)
		}
		if in.Target == e.ID {
			in.Target, in.TargetType = e.Name, cmp.Or(in.TargetType, e.Type)
		}
	}
}

// addRelation adds both ends and the relationship between them. userID is the file's user, if any.
func (r *mem0Reader) addRelation(line int64, userID string, in *mem0Relation) {
	in.resolve(nil)
	source, ok := r.readName(line, "source", in.Source)
	target, alsoOK := r.readName(line, "target", in.Target)
	if !ok || !alsoOK {
		return
	}
	e := r.newExtras(line, Mem0)
	w := &wireRelationship{
		From: r.addEntity(line, userID, source, in.SourceType),
		To:   r.addEntity(line, userID, target, in.TargetType),
	}
	w.setType(in.Relationship, e)
	w.Properties = e.json()
	r.emitRelationship(line, w)
}

// rememberedEntities bounds the known entities. They save writing an entity again for each of its relations.
const rememberedEntities = 10_000

// addEntity adds an entity, unless it was added recently, and returns its key. Mem0 identifies entities by their
// name.
func (r *mem0Reader) addEntity(line int64, userID, name, entityType string) string {
	n := &wireNode{
		Kind: "entity", EntityKey: EntityKey(string(Mem0), r.userOf(userID), "entity", name), UserID: userID, Name: name,
		Properties: r.newExtras(line, Mem0).json(),
	}
	if strings.EqualFold(entityType, "person") {
		n.Kind = "person"
	} else {
		n.Type = r.cleanWord(line, "type", entityType, maxWord)
	}
	if _, again := r.known[n.EntityKey]; again {
		return n.EntityKey
	}
	if r.known == nil || len(r.known) == rememberedEntities {
		r.known = map[string]struct{}{}
	}
	r.known[n.EntityKey] = struct{}{}
	r.emitNode(line, n)
	return n.EntityKey
}
