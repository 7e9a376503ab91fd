package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"kith/access/audit"
	"kith/exchange"
	"kith/graph"
	"kith/internal/fault"
)

// maxObservations is how many notes a node keeps.
const maxObservations = 100

func (k *known) createEntities(ctx context.Context, in *memoryEntities) (answer, error) {
	created := memoryEntities{[]memoryEntity{}}
	w := &memoryWrite{MemoryWrite: graph.MemoryWrite{Strict: true}}
	for i, e := range in.Entities {
		if len(k.nodes[graph.PlainName(e.Name)]) > 0 {
			continue
		}
		k.nodes[graph.PlainName(e.Name)] = []*graph.NodeView{{}}
		at := fault.At("entities").Index(i)
		var places []fault.Path
		e.Observations, places = distinct(nil, e.Observations, at.Field("observations"))
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
		w.Nodes, w.nodes = append(w.Nodes, n), append(w.nodes, entityPlace(at, places))
	}
	if err := k.store(ctx, w); err != nil {
		return answer{}, err
	}
	return plainAnswer(created.Entities, created)
}

// distinct returns the texts of a list at a place that are new, each once, with their own places.
func distinct(old, texts []string, at fault.Path) (list []string, places []fault.Path) {
	list = []string{}
	for i, t := range texts {
		if !slices.Contains(old, t) && !slices.Contains(list, t) {
			list, places = append(list, t), append(places, at.Index(i))
		}
	}
	return list, places
}

func notes(observations []string) []graph.NoteWrite {
	list := make([]graph.NoteWrite, len(observations))
	for i, o := range observations {
		list[i] = graph.NoteWrite{Content: o, Lifetime: "forever"}
	}
	return list
}

// store writes all of it or nothing.
func (k *known) store(ctx context.Context, w *memoryWrite) error {
	if len(w.Nodes)+len(w.Relationships) == 0 {
		return nil
	}
	_, err := k.write(ctx, k.scope, &w.MemoryWrite)
	return w.located(err)
}

func (k *known) createRelations(ctx context.Context, in *memoryRelations) (answer, error) {
	created := memoryRelations{[]memoryRelation{}}
	w := &memoryWrite{MemoryWrite: graph.MemoryWrite{Strict: true, AnyTypes: true}}
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
		at := fault.At("relations").Index(i)
		write, ok := k.relationship(f, at, r)
		if !ok {
			continue
		}
		created.Relations, w.Relationships = append(created.Relations, r), append(w.Relationships, write)
		w.relationships = append(w.relationships, relationPlace(at))
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
	changed := map[string]*additions{} // by entity key
	var order []*additions
	f := &fault.List{}
	for i, o := range in.Observations {
		at := fault.At("observations").Index(i)
		named := k.nodes[graph.PlainName(o.EntityName)]
		if len(named) == 0 {
			f.Add(at.Field("entityName"), fault.Missing, noEntity)
			continue
		}
		a := changed[named[0].EntityKey]
		if a == nil {
			a = &additions{node: named[0], all: observations(named[0]), at: at}
			changed[named[0].EntityKey], order = a, append(order, a)
		}
		fresh, places := distinct(a.all, o.Contents, at.Field("contents"))
		a.all, a.fresh, a.places = append(a.all, fresh...), append(a.fresh, fresh...), append(a.places, places...)
		if len(a.node.Notes)+len(a.fresh) > maxObservations {
			f.Add(at.Field("contents"), fault.WrongCount, "an entity keeps %d observations: delete some first", maxObservations)
		}
		added.Results = append(added.Results, memoryAddition{o.EntityName, fresh})
	}
	if err := f.Err(); err != nil {
		return answer{}, err
	}
	w := &memoryWrite{MemoryWrite: graph.MemoryWrite{Strict: true}}
	for _, a := range order {
		w.Nodes, w.nodes = append(w.Nodes, a.write(ctx)), append(w.nodes, observationsPlace(a.at, "contents", a.places))
	}
	if err := k.store(ctx, w); err != nil {
		return answer{}, err
	}
	return plainAnswer(added.Results, added)
}

// additions are what a call adds to an entity.
type additions struct {
	node       *graph.NodeView
	all, fresh []string     // its observations then, and those that it does not have
	at         fault.Path   // where it is named first
	places     []fault.Path // of the fresh ones
}

// write returns the write of a node with what is added to it.
func (a *additions) write(ctx context.Context) graph.NodeWrite {
	w := graph.NodeWrite{Kind: a.node.Kind, EntityKey: a.node.EntityKey, Notes: notes(a.fresh)}
	if own := len(observations(a.node)) == len(a.node.Notes); own { // what somebody else has described stays so
		w.Description = graph.Some(described(vouched(ctx, a.node, a.all)))
	}
	return w
}

// vouched returns observations without the notes that are believed less than the writer, who would make them believed with the description.
func vouched(ctx context.Context, n *graph.NodeView, observations []string) []string {
	least := graph.WriterOf(ctx).Limit.Believed()
	return slices.DeleteFunc(slices.Clone(observations), func(o string) bool {
		return slices.ContainsFunc(n.Notes, func(note graph.Note) bool { return note.Content == o && note.Believed() < least })
	})
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
	for i, d := range in.Deletions {
		if len(k.nodes[graph.PlainName(d.EntityName)]) == 0 {
			continue
		}
		if err := k.unsay(ctx, fault.At("deletions").Index(i), k.nodes[graph.PlainName(d.EntityName)][0], d.Observations); err != nil {
			return answer{}, err
		}
	}
	return doneAnswer("Observations deleted successfully")
}

// unsay takes observations off a node: notes one by one, and then the description that was made of them.
func (k *known) unsay(ctx context.Context, at fault.Path, n *graph.NodeView, gone []string) error {
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
	return k.store(ctx, &memoryWrite{
		MemoryWrite: graph.MemoryWrite{Strict: true, Nodes: []graph.NodeWrite{{Kind: n.Kind, EntityKey: n.EntityKey, Description: graph.Some(described(vouched(ctx, n, left)))}}},
		nodes:       []itemPlace{observationsPlace(at, "observations", nil)},
	})
}
