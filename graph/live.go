package graph

import (
	"cmp"
	"slices"
	"time"
)

// live writes the given lifecycle fields to a node. Salience decays from the time for which it is given.
func (w *NodeWrite) live(p Properties, old *stored, now time.Time, wakes []string) {
	l := liveWrite{w.Salience, w.Confidence, w.State, w.TTLPolicy, asOf(now, w.UpdatedAt, w.LastAccessedAt), wakes}
	before := p.vitality()
	if old == nil {
		before.at = l.asOf
	}
	p.set("last_accessed_at", w.LastAccessedAt, nil)
	v := l.apply(before, old == nil, now, 0)
	v.lastAccess = p.Moment("last_accessed_at")
	p["confidence"], p["ttl_policy"] = v.confidence, v.ttl
	v.expires = nil
	if v.ttl == "ephemeral" {
		v.expires = nextExpiry(p, old)
	}
	p.putVitality(v)
}

// nextExpiry returns when an ephemeral node ends after a write. The stored end stays, which may be that of a node that was merged into
// it, unless the write changes from what it is computed.
func nextExpiry(p Properties, old *stored) *time.Time {
	end := expiry(p)
	if old == nil || old.Text("ttl_policy") != "ephemeral" {
		return end
	}
	if before := expiry(old.Properties); end == nil || before == nil || !end.Equal(*before) {
		return end
	}
	return cmp.Or(old.vitality().expires, end)
}

// expiry returns when a new ephemeral node ends.
func expiry(p Properties) *time.Time {
	created := p.Moment("created_at")
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

// asOf returns the latest of the given times, or now if none is given.
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

// liveWrite holds the lifecycle fields of a write.
type liveWrite struct {
	salience, confidence Optional[float64]
	state, ttl           Optional[string]
	asOf                 time.Time // the time of the salience
	wakes                []string  // states that become active if the write gives no state
}

// apply returns the vitality after the write. If nothing of it changes, the stored value and its time stay.
func (l liveWrite) apply(v vitality, isNew bool, now time.Time, confidence float64) vitality {
	next := v
	if l.confidence.Given {
		next.confidence = l.confidence.Or(confidence)
	}
	if l.state.Given {
		next.state = l.state.Or("active")
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
		next.salience, next.at = l.salience.Or(0), l.asOf
	}
	if isNew || said || moved {
		next.settle()
	}
	return next
}

// wakesUp reports whether a write without a state makes a stored record active. An ephemeral record that has ended stays ended.
func (l liveWrite) wakesUp(v *vitality, now time.Time) bool {
	return !l.state.Given && !v.ended(now) && slices.Contains(l.wakes, v.stateAt(now))
}

// wakes returns the states that become active if the write gives none. A proposal of a language model changes no state. An
// import, which may be sent again, only changes records that no caller has written.
func (w *batch) wakes(h *History) []string {
	switch {
	case !w.stated(h):
		return nil
	case w.restoring:
		return []string{"candidate"}
	}
	return []string{"candidate", "archived"}
}

// stated reports whether an item of the write is a statement of a caller: neither a proposal of a language model nor a line of an
// export, which is stored as it was.
func (w *batch) stated(h *History) bool { return w.author != proposalAuthor && h == nil }

// tell stores that a caller has written a node or relationship now. A write that changes nothing records it at most once an
// hour, so that repeating it changes nothing.
func (p Properties) tell(changed Properties, now time.Time) (touched bool) {
	last := p.Moment("last_accessed_at")
	if last != nil && (!now.After(*last) || len(changed) == 0 && now.Sub(*last) < touchEvery) {
		return false
	}
	changed["last_accessed_at"] = now
	return true
}

// moves reports whether the given state differs from the current one. What has decayed away counts as archived, even if
// maintenance has not stored that. A write cannot change the state of an ephemeral record that has ended.
func (l liveWrite) moves(v *vitality, now time.Time) bool {
	state := l.state.Or("active")
	return l.state.Given && state != v.stateAt(now) && (state != v.state || v.decayedAway(now))
}

// freshness is how much of a salience may have decayed before the same value counts as new.
const freshness = 0.01

// stands reports whether the given salience equals the stored one: for the same time, or with hardly any decay. Repeating a write
// changes nothing.
func (l liveWrite) stands(v vitality, now time.Time) bool {
	given := l.salience.Or(0)
	if given != v.salience {
		return false
	}
	return l.asOf.Equal(v.at) || l.asOf.Equal(now) && v.current(now) >= (1-freshness)*given
}
