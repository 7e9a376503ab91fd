package graph

import (
	"slices"
	"time"

	"kith/internal/fault"
)

// The relationships of one triple follow each other: at most one is valid at a time. Mentions and other provenance
// have no times, and an import keeps the history as exported.

// since returns the time after which other relationships of the triple may conflict with a write; nil if the write
// changes no start.
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
	return w.Type != mentionsType && w.Type != SystemRelationshipType && !j.write.restoring
}

// holding returns the relationship that is valid now, even if its end is set.
func (j *memoryJob) holding(candidates []Properties) Properties {
	for _, c := range candidates {
		if c.holdsWithin(j.now, &j.now) {
			return c
		}
	}
	return nil
}

// start returns the start of a new relationship without a valid_from: now, or the end of the last one.
func (j *memoryJob) start(candidates []Properties) time.Time {
	start := j.now
	for _, c := range candidates {
		if end := c.Moment("valid_to"); end != nil {
			start = later(start, *end)
		}
	}
	return start
}

// reopened returns the closed relationship that a write reopens, found by its start and a null end.
func (w *RelationshipWrite) reopened(candidates []Properties) Properties {
	if w.Key != "" || !w.ValidTo.Null || !w.ValidFrom.Given {
		return nil
	}
	for _, c := range candidates {
		if Same(c["valid_from"], w.ValidFrom.stored()) {
			return c
		}
	}
	return nil
}

// overlapRefusal returns the time field of a write that overlaps another relationship of its triple, and the reason.
// The relationship that the write changes or contradicts does not count.
func (j *memoryJob) overlapRefusal(w *RelationshipWrite, old Properties, candidates []Properties) refusal {
	if !j.follows(w) || !w.ValidFrom.Given {
		return refusal{}
	}
	from, end := w.ValidFrom.Value.Truncate(precision), w.end(old)
	for _, c := range candidates {
		switch {
		case old != nil && c.Text("key") == old.Text("key") || !c.holdsWithin(from, end):
		case w.closes() && c["valid_from"] != nil && c.Moment("valid_from").After(from):
			return refusal{"valid_to", fault.Conflict, "is after the start of another relationship of this type, " + c.Text("key")}
		default:
			return refusal{"valid_from", fault.Conflict, "is before the end of another relationship of this type, " + c.Text("key")}
		}
	}
	return refusal{}
}

// end returns when the relationship will end; nil if it does not.
func (w *RelationshipWrite) end(old Properties) *time.Time {
	switch {
	case w.closes():
		return &w.ValidTo.Value
	case w.ValidTo.Null:
		return nil
	}
	return old.Moment("valid_to")
}

// holdsWithin reports whether a relationship is valid at some time of a period; a nil end means an open period. A
// relationship without a start was always valid; one that ended where it began never was.
func (p Properties) holdsWithin(from time.Time, end *time.Time) bool {
	start, over := p.Moment("valid_from"), p.Moment("valid_to")
	if start != nil && over != nil && !over.After(*start) {
		return false
	}
	return (start == nil || end == nil || start.Before(*end)) && (over == nil || over.After(from))
}

// reopensContainment reports whether a write would remove the end of a containment. That is refused because it could
// close a ring unnoticed.
func (w *RelationshipWrite) reopensContainment(old Properties) bool {
	_, kind, _, _ := w.direction()
	return w.Key == "" && w.ValidTo.Null && old["valid_to"] != nil && slices.Contains(containmentTypes, kind)
}
