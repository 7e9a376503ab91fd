package graph

import (
	"slices"
	"time"

	"kith/graph/neo"
	"kith/internal/fault"
)

// The relationships of one triple and qualifier follow each other: at most one is valid at a time. Mentions and other provenance
// have no times, and an import keeps the history as exported.

// since returns the time after which other relationships of the triple may be meant by a write, or conflict with it:
// all that have not ended, and those that end after its start. A write with an end alone may be of any time.
func (j *memoryJob) since(w *RelationshipWrite) time.Time {
	switch {
	case w.ValidFrom.Given && w.ValidFrom.Value.Before(j.now):
		return w.ValidFrom.Value.UTC().Truncate(precision)
	case j.follows(w) && w.closes() && !w.ValidFrom.Given:
		return time.Time{}
	}
	return j.now
}

func (j *memoryJob) follows(w *RelationshipWrite) bool {
	return w.Type != mentionsType && w.Type != SystemRelationshipType && !j.write.restoring
}

// start returns the start of a period of a relationship; the zero time if it is unknown.
func (p Properties) start() time.Time {
	if from := p.Moment("valid_from"); from != nil {
		return *from
	}
	return time.Time{}
}

// endedBy reports whether a relationship has ended at a time.
func (p Properties) endedBy(at time.Time) bool {
	end := p.Moment("valid_to")
	return end != nil && !end.After(at)
}

// isPeriod reports whether a write gives the start of a stored relationship that has not ended, and so means that one.
func (w *RelationshipWrite) isPeriod(p Properties, now time.Time) bool {
	return w.Key == "" && w.ValidFrom.Given && !p.endedBy(now) && Same(p["valid_from"], storedForm(w.ValidFrom.Value))
}

// present returns the relationship that holds now, or else the next one to begin.
func present(candidates []Properties, now time.Time) (found Properties) {
	for _, c := range candidates {
		switch {
		case c.endedBy(now):
		case c.ValidAt(now) || c.startsUnknown():
			return lastOfMoment(candidates, c, now)
		case found == nil || c.start().Before(found.start()):
			found = c
		}
	}
	return found
}

// lastOfMoment returns the last of the relationships that followed one at this very moment: contradictions of one
// millisecond begin a millisecond after each other.
func lastOfMoment(candidates []Properties, first Properties, now time.Time) Properties {
	last := first
	for range candidates {
		end := last.Moment("valid_to")
		if end == nil || end.Sub(now) > time.Duration(len(candidates))*precision {
			break
		}
		for _, c := range candidates {
			if from := c.Moment("valid_from"); from != nil && from.Equal(*end) && !c.endedBy(*from) {
				last = c
			}
		}
	}
	return last
}

// open returns the relationship without an end.
func open(candidates []Properties) Properties {
	for _, c := range candidates {
		if c["valid_to"] == nil {
			return c
		}
	}
	return nil
}

// nextStart returns when the first relationship after a time begins, apart from one; nil if there is none.
func nextStart(candidates []Properties, after time.Time, apart Properties) (next *time.Time) {
	for _, c := range candidates {
		from := c.Moment("valid_from")
		if from == nil || !from.After(after) || apart != nil && c.Text("key") == apart.Text("key") || c.endedBy(*from) {
			continue
		}
		if next == nil || from.Before(*next) {
			next = from
		}
	}
	return next
}

// lastEnd returns the end of the last relationship that ended by a time, apart from one; nil if there is none.
func lastEnd(candidates []Properties, by time.Time, apart Properties) (last *time.Time) {
	for _, c := range candidates {
		end := c.Moment("valid_to")
		if end == nil || end.After(by) || apart != nil && c.Text("key") == apart.Text("key") {
			continue
		}
		if last == nil || end.After(*last) {
			last = end
		}
	}
	return last
}

// startsUnknown reports whether nobody said when a relationship began: its valid_from is when it was recorded, and it
// may have ended before that.
func (p Properties) startsUnknown() bool {
	return p["valid_from"] == nil || neo.Bool(p["start_unknown"])
}

// settleStart keeps start_unknown true: a stated start is known, and what ended before it was recorded began at an
// unknown time before, at the earliest when the last one of its triple ended.
func (w *RelationshipWrite) settleStart(p Properties, candidates []Properties) {
	if w.ValidFrom.Given {
		delete(p, "start_unknown")
		return
	}
	from, end := p.Moment("valid_from"), p.Moment("valid_to")
	if !p.startsUnknown() || from == nil || end == nil || !end.Before(*from) {
		return
	}
	delete(p, "start_unknown")
	delete(p, "valid_from")
	if last := lastEnd(candidates, *end, p); last != nil {
		p["valid_from"] = *last
	}
}

// reopened returns the closed relationship that a write reopens, found by its start and a null end.
func (w *RelationshipWrite) reopened(candidates []Properties) Properties {
	if w.Key != "" || !w.ValidTo.Null || !w.ValidFrom.Given {
		return nil
	}
	for _, c := range candidates {
		if Same(c["valid_from"], storedForm(w.ValidFrom.Value)) {
			return c
		}
	}
	return nil
}

// overlapRefusal returns the time field of a write that overlaps another relationship of its triple, and the reason.
// The relationship that the write changes or contradicts does not count.
func (j *memoryJob) overlapRefusal(w *RelationshipWrite, old Properties, candidates []Properties) refusal {
	if !j.follows(w) || !w.ValidFrom.Given && !w.ValidTo.Given {
		return refusal{}
	}
	from, end := j.period(w, old, candidates)
	for _, c := range candidates {
		switch {
		case old != nil && c.Text("key") == old.Text("key") || !c.holdsWithin(from, end):
		case !w.ValidFrom.Given && w.closes() && old == nil:
			return refusal{"valid_to", fault.Conflict, "no current relationship to close"}
		case !w.ValidFrom.Given || w.ValidTo.Given && c["valid_from"] != nil && c.Moment("valid_from").After(from):
			return refusal{"valid_to", fault.Conflict, "is after the start of another relationship of this type, " + c.Text("key")}
		default:
			return refusal{"valid_from", fault.Conflict, "is before the end of another relationship of this type, " + c.Text("key")}
		}
	}
	return refusal{}
}

// period returns when the written relationship will hold. A start that is not known is the zero time.
func (j *memoryJob) period(w *RelationshipWrite, old Properties, candidates []Properties) (from time.Time, end *time.Time) {
	next := old
	if w.contradicted(old) || old == nil {
		next = Properties{}
		if !w.closes() {
			next["valid_from"] = j.now
		}
	}
	next = next.clone()
	next.set("valid_from", w.ValidFrom, nil)
	next.set("valid_to", w.ValidTo, nil)
	w.settleStart(next, candidates)
	if end = next.Moment("valid_to"); end == nil && !w.ValidTo.Given && w.contradicted(old) {
		end = nextStart(candidates, next.start(), old)
	}
	return next.start(), end
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

// extendsContainment reports whether a write would remove the end of a containment, or move its end or its start apart
// beyond now. That is refused because it could close a ring unnoticed.
func (w *RelationshipWrite) extendsContainment(old Properties, now time.Time) (field string) {
	_, kind, _, _ := w.direction()
	if w.Key != "" || !slices.Contains(containmentTypes, kind) {
		return ""
	}
	end := old.Moment("valid_to")
	switch {
	case end != nil && (w.ValidTo.Null || w.closes() && w.ValidTo.Value.Truncate(precision).After(*end)):
		return "valid_to"
	case w.ValidFrom.Given && old.start().After(now) && w.ValidFrom.Value.Truncate(precision).Before(old.start()):
		return "valid_from"
	}
	return ""
}
