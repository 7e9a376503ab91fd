package graph

import (
	"cmp"

	"kith/internal/bounds"
	"kith/internal/fault"
)

// A qualifier tells relationships of one type between the same nodes apart. Names of relationships in other systems may become one
// type here, and a system with ids may have one fact twice.

func (w *RelationshipWrite) checkQualifier(f *Faults, at fault.Path) {
	if w.Qualifier == "" {
		return
	}
	f.Word(at, w.Qualifier, bounds.KeyLength)
	if w.Type == mentionsType || w.Type == SystemRelationshipType {
		f.Add(at, fault.NotAllowed, "must not be given for relationships of type %s", w.Type)
	}
}

// qualified returns the candidates that a write may mean: those with its qualifier, and the one with its key. If there are none, it
// returns those with the one qualifier that the write can do without.
func (j *memoryJob) qualified(w *RelationshipWrite, candidates []Properties) []Properties {
	var same, others []Properties
	for _, c := range candidates {
		switch {
		case c.Text("qualifier") == w.Qualifier || w.Key != "" && c.Text("key") == w.Key:
			same = append(same, c)
		case j.mayMean(w, c):
			others = append(others, c)
		}
	}
	if len(same) > 0 || len(others) == 0 {
		return same
	}
	for _, other := range others[1:] {
		if other.Text("qualifier") != others[0].Text("qualifier") {
			return nil
		}
	}
	return others
}

// mayMean reports whether a write may mean a relationship with another qualifier. A caller need not know that of an imported one, but
// related_to says nothing without the relationship_type. An import finds one of the same name that has no qualifier, as callers write them.
func (j *memoryJob) mayMean(w *RelationshipWrite, stored Properties) bool {
	named := w.RelationshipType.Value != "" && w.RelationshipType.Value == cmp.Or(stored.Text("relationship_type"), w.Type)
	switch {
	case j.write.restoring:
		return w.Key == "" && w.History == nil && stored.Text("qualifier") == "" && named
	case w.Qualifier != "":
		return false
	}
	return w.Type != RelatedType || named
}
