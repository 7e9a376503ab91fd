package graph

import (
	"slices"
	"time"
)

// live puts the given fields of the lifecycle onto a node. Salience decays from the moment for which it is given.
func (w *NodeWrite) live(p properties, old *stored, now time.Time, wakes []string) {
	l := liveWrite{w.Salience, w.Confidence, w.State, w.TTLPolicy, asOf(now, w.UpdatedAt, w.LastAccessedAt), wakes}
	before := p.vitality()
	if old == nil {
		before.at = l.asOf
	}
	w.LastAccessedAt.set(p, "last_accessed_at", nil)
	v := l.apply(before, old == nil, now, 0)
	v.lastAccess = p.moment("last_accessed_at")
	p["confidence"], p["ttl_policy"] = v.confidence, v.ttl
	v.expires = nil
	if v.ttl == "ephemeral" {
		v.expires = expiry(p)
	}
	p.putVitality(v)
}

// expiry is when an ephemeral node ends.
func expiry(p properties) *time.Time {
	created := p.moment("created_at")
	if created == nil {
		return nil
	}
	life := semanticLife
	if p["content_type"] != nil || p["source_key"] != nil {
		life = episodicLife
	}
	end := created.Add(life)
	return &end
}

// asOf is the latest of the given times, or now where none is given.
func asOf(now time.Time, times ...Optional[time.Time]) time.Time {
	var found time.Time
	for _, t := range times {
		if t.Given && !t.Null && t.Value.After(found) {
			found = t.Value.UTC().Truncate(precision)
		}
	}
	if found.IsZero() {
		return now
	}
	return found
}

// liveWrite is what a write says of a lifecycle.
type liveWrite struct {
	salience, confidence Optional[float64]
	state, ttl           Optional[string]
	asOf                 time.Time // when salience was so
	wakes                []string  // states that become active where the write names none
}

// apply is the vitality as it will be. Where nothing of it changes, the stored value and its time stay.
func (l liveWrite) apply(v vitality, isNew bool, now time.Time, confidence float64) vitality {
	next := v
	if l.confidence.Given {
		next.confidence = l.confidence.or(confidence)
	}
	if l.state.Given {
		next.state = l.state.or("active")
	}
	if l.ttl.Given {
		next.ttl = l.ttl.Value
	}
	said := l.salience.Given && !l.stands(v, now)
	woken := !isNew && l.wakesUp(&v, now)
	moved := next.confidence != v.confidence || next.ttl != v.ttl || l.moves(&v, now) || woken
	if !isNew && (said || moved) {
		v.rebase(now)
		next.salience, next.at = v.salience, v.at
		if !l.state.Given {
			next.state = v.state
		}
		if woken {
			next.state = "active"
		}
	}
	if said || isNew && l.salience.Given {
		next.salience, next.at = l.salience.or(0), l.asOf
	}
	if isNew || said || moved {
		next.settle()
	}
	return next
}

// wakesUp reports whether a write that names no state makes what is stored active. The end of what is ephemeral is the end.
func (l liveWrite) wakesUp(v *vitality, now time.Time) bool {
	return !l.state.Given && !v.ended(now) && slices.Contains(l.wakes, v.stateAt(now))
}

// wakes are the states that become active where the write names none. What a language model proposes wakes nothing; an import,
// which may be sent again, only what was never stated.
func (w *MemoryWrite) wakes(h *History) []string {
	switch {
	case !w.stated(h):
		return nil
	case w.restoring:
		return []string{"candidate"}
	}
	return []string{"candidate", "archived"}
}

// stated reports whether an item of the write is what a caller says: no proposal of a language model, and no line of an
// export, which is stored as it was.
func (w *MemoryWrite) stated(h *History) bool { return w.author != proposalAuthor && h == nil }

// tell records in a stored node or relationship that a caller has written it now. A write that changes nothing records it at most
// once an hour, so that one which is sent twice changes nothing the second time.
func (p properties) tell(changed properties, now time.Time) (touched bool) {
	last := p.moment("last_accessed_at")
	if last != nil && (!now.After(*last) || len(changed) == 0 && now.Sub(*last) < touchEvery) {
		return false
	}
	changed["last_accessed_at"] = now
	return true
}

// moves says whether the state given is another one than that of now. What has decayed away is archived, also where
// maintenance has not written that down; the end of what is ephemeral is no state that a write could move it from.
func (l liveWrite) moves(v *vitality, now time.Time) bool {
	state := l.state.or("active")
	return l.state.Given && state != v.stateAt(now) && (state != v.state || v.decayedAway(now))
}

// freshness is how much of a salience may have decayed before saying it again makes it new.
const freshness = 0.01

// stands says whether the salience given is the one that is stored: for the same time, or as good as undecayed. A write
// that is sent twice changes nothing the second time.
func (l liveWrite) stands(v vitality, now time.Time) bool {
	given := l.salience.or(0)
	if given != v.salience {
		return false
	}
	return l.asOf.Equal(v.at) || l.asOf.Equal(now) && v.current(now) >= (1-freshness)*given
}
