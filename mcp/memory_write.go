package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"kith/audit"
	"kith/exchange"
	"kith/graph"
	"kith/internal/fault"
)

// maxObservations is how many notes a node keeps.
const maxObservations = 100

func (k *known) createEntities(ctx context.Context, in *memoryEntities) (answer, error) {
	created := memoryEntities{[]memoryEntity{}}
	w := &graph.MemoryWrite{Strict: true}
	for _, e := range in.Entities {
		if len(k.nodes[graph.PlainName(e.Name)]) > 0 {
			continue
		}
		k.nodes[graph.PlainName(e.Name)] = []*graph.NodeView{{}}
		e.Observations = distinct(nil, e.Observations)
		created.Entities = append(created.Entities, e)
		n := graph.NodeWrite{Kind: "entity", Name: graph.Some(e.Name), IfVersion: graph.Some(int64(0)), Notes: notes(e.Observations)}
		switch e.EntityType {
		case "person", "concept":
			n.Kind = e.EntityType
		case "":
		default:
			n.Type = graph.Some(e.EntityType)
		}
		n.Description = graph.Some(described(e.Observations))
		w.Nodes = append(w.Nodes, n)
	}
	if err := k.store(ctx, w); err != nil {
		return answer{}, err
	}
	return plainAnswer(created.Entities, created)
}

// distinct are the texts that are new, each once.
func distinct(old, texts []string) []string {
	list := []string{}
	for _, t := range texts {
		if !slices.Contains(old, t) && !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	return list
}

func notes(observations []string) []graph.NoteWrite {
	list := make([]graph.NoteWrite, len(observations))
	for i, o := range observations {
		list[i] = graph.NoteWrite{Content: o, Lifetime: "forever"}
	}
	return list
}

// store writes all of it or nothing.
func (k *known) store(ctx context.Context, w *graph.MemoryWrite) error {
	if len(w.Nodes)+len(w.Relationships) == 0 {
		return nil
	}
	_, err := k.write(ctx, k.scope, w)
	return err
}

func (k *known) createRelations(ctx context.Context, in *memoryRelations) (answer, error) {
	created := memoryRelations{[]memoryRelation{}}
	w := &graph.MemoryWrite{Strict: true, AnyTypes: true}
	there := map[memoryRelation]bool{}
	for i := range k.Relationships {
		there[k.relationOf(&k.Relationships[i])] = true
	}
	f := &fault.List{}
	for i, r := range in.Relations {
		if there[r] {
			continue
		}
		there[r] = true
		write, ok := k.relationship(f, fault.At("relations").Index(i), r)
		if !ok {
			continue
		}
		created.Relations, w.Relationships = append(created.Relations, r), append(w.Relationships, write)
	}
	if err := f.Err(); err != nil {
		return answer{}, err
	}
	if err := k.store(ctx, w); err != nil {
		return answer{}, err
	}
	return plainAnswer(created.Relations, created)
}

// noEntity is the message about an entity that does not exist.
const noEntity = "is no entity: create it first"

// relationship returns a relation as it is stored; false, with a fault, if one of its ends does not exist.
func (k *known) relationship(f *fault.List, place fault.Path, r memoryRelation) (graph.RelationshipWrite, bool) {
	for _, end := range []struct{ field, name string }{{"from", r.From}, {"to", r.To}} {
		if len(k.nodes[graph.PlainName(end.name)]) == 0 {
			f.Add(place.Field(end.field), fault.Missing, noEntity)
			return graph.RelationshipWrite{}, false
		}
	}
	kind, word, qualifier := exchange.RelationshipType(r.RelationType)
	w := graph.RelationshipWrite{
		From: k.nodes[graph.PlainName(r.From)][0].EntityKey, To: k.nodes[graph.PlainName(r.To)][0].EntityKey, Type: kind,
		Qualifier: qualifier, IfVersion: graph.Some(int64(0)),
	}
	if word != "" {
		w.RelationshipType = graph.Some(word)
	} else {
		w.Properties, _ = json.Marshal(map[string]string{exchange.RelationshipName: r.RelationType})
	}
	return w, true
}

func (k *known) addObservations(ctx context.Context, in *memoryObservations) (answer, error) {
	added := memoryAdded{[]memoryAddition{}}
	changed := map[string][]string{} // all observations, by the name of the entity
	var order []string
	for i, o := range in.Observations {
		if len(k.nodes[graph.PlainName(o.EntityName)]) == 0 {
			return answer{}, fault.Invalid(fault.At("observations").Index(i).Field("entityName"), fault.Missing, noEntity)
		}
		all, again := changed[o.EntityName]
		if !again {
			all, order = observations(k.nodes[graph.PlainName(o.EntityName)][0]), append(order, o.EntityName)
		}
		fresh := distinct(all, o.Contents)
		changed[o.EntityName] = append(all, fresh...)
		added.Results = append(added.Results, memoryAddition{o.EntityName, fresh})
	}
	w := &graph.MemoryWrite{Strict: true}
	for _, name := range order {
		write, err := k.rewritten(name, changed[name])
		if err != nil {
			return answer{}, err
		}
		w.Nodes = append(w.Nodes, write)
	}
	if err := k.store(ctx, w); err != nil {
		return answer{}, err
	}
	return plainAnswer(added.Results, added)
}

// rewritten is a node with the observations that it is to have, beyond those it has.
func (k *known) rewritten(name string, all []string) (graph.NodeWrite, error) {
	n := k.nodes[graph.PlainName(name)][0]
	fresh := distinct(observations(n), all)
	if len(n.Notes)+len(fresh) > maxObservations {
		return graph.NodeWrite{}, fmt.Errorf("an entity keeps %d observations, delete some first: %w", maxObservations, fault.ErrConflict)
	}
	w := graph.NodeWrite{Kind: n.Kind, EntityKey: n.EntityKey, Notes: notes(fresh)}
	if own := len(observations(n)) == len(n.Notes); own { // what somebody else has described stays so
		w.Description = graph.Some(described(all))
	}
	return w, nil
}

func (k *known) deleteEntities(ctx context.Context, in *memoryNames) (answer, error) {
	for _, name := range in.EntityNames {
		for _, n := range k.nodes[graph.PlainName(name)] {
			kind, _ := graph.KindOf(n.Kind)
			if _, err := k.Store.DeleteNode(ctx, k.scope, kind, n.EntityKey, 0); unlessMissing(err) != nil {
				return answer{}, err
			}
		}
	}
	return doneAnswer("Entities deleted successfully")
}

// unlessMissing returns the error of a delete, or nil if the record was already gone.
func unlessMissing(err error) error {
	if errors.Is(err, fault.ErrNotFound) {
		return nil
	}
	return err
}

func (k *known) deleteRelations(ctx context.Context, in *memoryRelations) (answer, error) {
	for i := range k.Relationships {
		r := &k.Relationships[i]
		if !slices.Contains(in.Relations, k.relationOf(r)) {
			continue
		}
		if _, err := k.Store.DeleteRelationship(ctx, k.scope, r.Key, 0); unlessMissing(err) != nil {
			return answer{}, err
		}
	}
	return doneAnswer("Relations deleted successfully")
}

func (k *known) deleteObservations(ctx context.Context, in *memoryDeletions) (answer, error) {
	for _, d := range in.Deletions {
		if len(k.nodes[graph.PlainName(d.EntityName)]) == 0 {
			continue
		}
		if err := k.unsay(ctx, k.nodes[graph.PlainName(d.EntityName)][0], d.Observations); err != nil {
			return answer{}, err
		}
	}
	return doneAnswer("Observations deleted successfully")
}

// unsay takes observations off a node: notes one by one, and then the description that was made of them.
func (k *known) unsay(ctx context.Context, n *graph.NodeView, gone []string) error {
	left := slices.DeleteFunc(observations(n), func(o string) bool { return slices.Contains(gone, o) })
	own := len(observations(n)) == len(n.Notes)
	kind, _ := graph.KindOf(n.Kind)
	for _, note := range n.Notes {
		if !slices.Contains(gone, note.Content) {
			continue
		}
		_, err := k.Store.DeleteNote(ctx, k.scope, kind, n.EntityKey, note.ID)
		if err == nil {
			audit.Note(ctx, nil, note.ID)
		} else if err = unlessMissing(err); err != nil {
			return err
		}
	}
	if !own && !slices.Contains(gone, n.Description) {
		return nil
	}
	if !own {
		left = nil
	}
	return k.store(ctx, &graph.MemoryWrite{Nodes: []graph.NodeWrite{{
		Kind: n.Kind, EntityKey: n.EntityKey, Description: graph.Some(described(left)),
	}}})
}
