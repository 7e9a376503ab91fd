package graph

import (
	"slices"
	"time"
)

// The relationships of one triple follow each other: at no moment there are two. Provenance has no times, and an import
// brings history as it was.

// since is the moment after which the others of its triple may be in the way of a write; nil: it moves no start.
func (j *memoryJob) since(w *RelationshipWrite) any {
	switch {
	case !j.follows(w) || w.closes() && !w.ValidFrom.Given:
		return nil
	case w.ValidFrom.Given:
		return w.ValidFrom.stored()
	}
	return j.now
}

func (j *memoryJob) follows(w *RelationshipWrite) bool {
	return w.Type != mentionsType && w.Type != systemRelationshipType && !j.write.restoring
}

// holding is the one that holds now, though its end may be known.
func (j *memoryJob) holding(candidates []properties) properties {
	for _, c := range candidates {
		if c.holdsWithin(j.now, &j.now) {
			return c
		}
	}
	return nil
}

// start is when a new relationship begins whose write does not say it: now, or at the end of the last one.
func (j *memoryJob) start(candidates []properties) time.Time {
	start := j.now
	for _, c := range candidates {
		if end := c.moment("valid_to"); end != nil {
			start = later(start, *end)
		}
	}
	return start
}

// reopened is the closed relationship whose end a write takes away, by its start and null for its end.
func (w *RelationshipWrite) reopened(candidates []properties) properties {
	if w.Key != "" || !w.ValidTo.Null || !w.ValidFrom.Given {
		return nil
	}
	for _, c := range candidates {
		if same(c["valid_from"], w.ValidFrom.stored()) {
			return c
		}
	}
	return nil
}

// overlapRefusal says which time of a write falls into another relationship of its triple; an empty field: none. The one
// that it changes or contradicts is not in its way.
func (j *memoryJob) overlapRefusal(w *RelationshipWrite, old properties, candidates []properties) (field, message string) {
	if !j.follows(w) || !w.ValidFrom.Given {
		return "", ""
	}
	from, end := w.ValidFrom.Value.Truncate(precision), w.end(old)
	for _, c := range candidates {
		switch {
		case old != nil && c.text("key") == old.text("key") || !c.holdsWithin(from, end):
		case w.closes() && c["valid_from"] != nil && c.moment("valid_from").After(from):
			return "valid_to", "is after the start of another relationship of the type, " + c.text("key")
		default:
			return "valid_from", "is before the end of another relationship of the type, " + c.text("key")
		}
	}
	return "", ""
}

// end is when the relationship will be over; nil: it is not.
func (w *RelationshipWrite) end(old properties) *time.Time {
	switch {
	case w.closes():
		return &w.ValidTo.Value
	case w.ValidTo.Null:
		return nil
	}
	return old.moment("valid_to")
}

// holdsWithin says whether a relationship holds at some moment of a time; a nil end is none. One without a start holds since
// ever, one that ended where it began never.
func (p properties) holdsWithin(from time.Time, end *time.Time) bool {
	start, over := p.moment("valid_from"), p.moment("valid_to")
	if start != nil && over != nil && !over.After(*start) {
		return false
	}
	return (start == nil || end == nil || start.Before(*end)) && (over == nil || over.After(from))
}

// reopensContainment says whether a write would take the end off a containment, which nothing could tell from a ring.
func (w *RelationshipWrite) reopensContainment(old properties) bool {
	_, kind, _, _ := w.direction()
	return w.Key == "" && w.ValidTo.Null && old["valid_to"] != nil && slices.Contains(containmentTypes, kind)
}
