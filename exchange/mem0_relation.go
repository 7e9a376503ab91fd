package exchange

import (
	"cmp"
	"strings"
)

// resolve replaces ids of the entities that stand beside a relation by their names.
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

// relation writes both ends and the relationship between them. userID is the one that the file names, if any.
func (r *mem0Reader) relation(line int64, userID string, in *mem0Relation) {
	in.resolve(nil)
	source, ok := r.name(line, "source", in.Source)
	target, alsoOK := r.name(line, "target", in.Target)
	if !ok || !alsoOK {
		return
	}
	e := r.extras(line, Mem0)
	w := &wireRelationship{
		From: r.entity(line, userID, source, in.SourceType),
		To:   r.entity(line, userID, target, in.TargetType),
	}
	w.name(in.Relationship, e)
	w.Properties = e.json()
	r.relationship(line, w)
}

// rememberedEntities bounds what is kept so that an entity is not written for each of its relations.
const rememberedEntities = 10_000

// entity writes an entity, unless it was written lately, and gives its key. Mem0 knows entities by their name.
func (r *mem0Reader) entity(line int64, userID, name, entityType string) string {
	n := &wireNode{
		Kind: "entity", EntityKey: key(string(Mem0), r.userOf(userID), "entity", name), UserID: userID, Name: name,
		Properties: r.extras(line, Mem0).json(),
	}
	if strings.EqualFold(entityType, "person") {
		n.Kind = "person"
	} else {
		n.Type = r.word(line, "type", entityType, maxWord)
	}
	if _, again := r.known[n.EntityKey]; again {
		return n.EntityKey
	}
	if r.known == nil || len(r.known) == rememberedEntities {
		r.known = map[string]struct{}{}
	}
	r.known[n.EntityKey] = struct{}{}
	r.node(line, n)
	return n.EntityKey
}
