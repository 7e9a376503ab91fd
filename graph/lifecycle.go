package graph

import (
	"math"
	"time"
)

// The figures of a memory's life (docs/lifecycle.md).
const (
	DefaultSalience               = 0.5
	ownerSalience                 = 1.0
	DefaultConfidence             = 0.5
	DefaultRelationshipConfidence = 0.8

	recallRise     = 0.075 // of salience, on each recall
	baseDecay      = 0.02  // per day, without recalls: half of it is left after 34.7 days
	sureConfidence = 0.8   // from this confidence on a candidate does not decay
	coreRecalls    = 10
	archiveBelow   = 0.01 // current salience
	firstGradient  = 1.0
	wideSpacing    = 0.1  // added to the gradient when the intervals between recalls grow
	closeSpacing   = 0.05 // subtracted from it when they shrink
	leastGradient  = 0.5

	episodicLife = 30 * 24 * time.Hour // of ephemeral sources and messages
	semanticLife = 90 * 24 * time.Hour // of all other ephemeral records

	touchEvery = time.Hour // how often a write that changes nothing counts as an access
)

const day = 24 * time.Hour

// vitality decides how present a node or relationship is. Salience is its value at the time at. It only falls from there, so the
// stored value is an upper bound of the current one.
type vitality struct {
	salience   float64
	at         time.Time
	rate       float64 // of decay, per day
	state, ttl string
	confidence float64

	accesses, recalls int64
	gradient          float64
	lastAccess        *time.Time
	lastInterval      time.Duration // between the last two recalls
	expires           *time.Time    // of an ephemeral record
}

// current returns the salience at a time: the stored one, times exp(-rate × days). Statements compute the same.
func (v *vitality) current(at time.Time) float64 {
	if v.rate <= 0 || !at.After(v.at) {
		return v.salience
	}
	return v.salience * math.Exp(-v.rate*float64(at.Sub(v.at).Milliseconds())/float64(day.Milliseconds()))
}

// RoundSalience rounds a salience for answers to four decimals, so that an answer does not change every second.
func RoundSalience(salience float64) float64 { return math.Round(salience*1e4) / 1e4 }

// Lifetime has the stored values from which the salience and state of a node follow at any time. SalienceAt is in milliseconds.
type Lifetime struct {
	Salience, DecayRate float64
	SalienceAt          int64
	State               string
	EndsAt              *time.Time
}

// At returns the salience as answers show it, and the state.
func (l Lifetime) At(now time.Time) (salience float64, state string) {
	v := vitality{salience: l.Salience, rate: l.DecayRate, at: time.UnixMilli(l.SalienceAt).UTC(), state: l.State, expires: l.EndsAt}
	return RoundSalience(v.current(now)), v.stateAt(now)
}

// ended reports whether an ephemeral node is past its end, which nothing undoes.
func (v *vitality) ended(at time.Time) bool { return v.expires != nil && !at.Before(*v.expires) }

// stateAt returns the state at a time. What has decayed away or is past its end is archived, whether or not maintenance has
// stored that.
func (v *vitality) stateAt(at time.Time) string {
	if v.ended(at) || v.decayedAway(at) {
		return "archived"
	}
	return v.state
}

// decayedAway reports whether the salience has fallen below the limit for archiving.
func (v *vitality) decayedAway(at time.Time) bool {
	return v.salience >= archiveBelow && v.current(at) < archiveBelow
}

// farDays is a time after which nothing is foretold: a century.
const farDays = 36525

// archivesAt returns when the record is archived if nobody uses it, or nil if that is never or more than a century after at.
func (v *vitality) archivesAt() *time.Time {
	var end *time.Time
	if v.rate > 0 && v.salience >= archiveBelow {
		if days := math.Log(v.salience/archiveBelow) / v.rate; days < farDays {
			at := v.at.Add(time.Duration(days * float64(day)))
			end = &at
		}
	}
	if v.expires != nil && (end == nil || v.expires.Before(*end)) {
		end = v.expires
	}
	return end
}

// rebase makes the current value the stored one. It changes no value at any later time.
func (v *vitality) rebase(at time.Time) {
	if at.After(v.at) {
		v.state = v.stateAt(at)
		v.salience, v.at = v.current(at), at
	}
}

// settle sets the rate by state, confidence and recalls.
func (v *vitality) settle() {
	v.rate = baseDecay / (1 + math.Pow(float64(v.recalls), v.gradient))
	switch {
	case v.ttl == "keep_forever":
		v.rate = 0
	case v.state == "candidate" && v.confidence >= sureConfidence:
		v.rate = 0
	case v.state == "candidate":
		v.rate *= 1 + (1-v.confidence)*2
	}
}

// recall applies a recall by explore or traverse: salience rises, the state moves up, and growing intervals between recalls slow
// the decay.
func (v *vitality) recall(at time.Time) {
	if at.Before(v.at) { // reported late: the recall counts as no earlier than the stored time
		at = v.at
	}
	v.rebase(at)
	v.accesses++
	v.recalls++
	v.salience = math.Min(1, v.salience+recallRise)
	v.at = at
	switch {
	case v.ended(at):
	case v.state == "archived":
		v.state = "active"
	case v.accesses >= coreRecalls:
		v.state = "core"
	case v.state == "candidate":
		v.state = "active"
	}
	v.space(at)
	v.settle()
}

// mention applies a mention by a source that began at a time. Salience rises as by a recall. A candidate becomes active if
// another source mentions it too, and a record that was archived before the source began becomes active.
func (v *vitality) mention(began, now time.Time, another bool) {
	accessed, at := began, began
	if accessed.After(now) {
		accessed, at = now, now
	}
	late := at.Before(v.at)
	if late {
		at = v.at
	}
	v.rebase(at)
	v.salience, v.at = math.Min(1, v.salience+recallRise), at
	switch {
	case v.ended(at):
	case v.state == "candidate" && another, v.state == "archived" && !late:
		v.state = "active"
	}
	if v.lastAccess == nil || accessed.After(*v.lastAccess) {
		v.lastAccess = &accessed
	}
	v.settle()
}

// space compares the interval since the last recall with the one before.
func (v *vitality) space(at time.Time) {
	if v.recalls > 1 && v.lastAccess != nil && at.After(*v.lastAccess) { // otherwise it was written or mentioned, not recalled
		interval := at.Sub(*v.lastAccess)
		switch {
		case interval > v.lastInterval:
			v.gradient += wideSpacing
		case interval < v.lastInterval:
			v.gradient = math.Max(leastGradient, v.gradient-closeSpacing)
		}
		v.lastInterval = interval
	}
	if v.lastAccess == nil || at.After(*v.lastAccess) {
		v.lastAccess = &at
	}
}

// vitality reads the vitality from stored properties.
func (p Properties) vitality() vitality {
	v := vitality{
		salience: p.number("salience"), at: p.millis("salience_at"), rate: p.number("decay_rate"),
		state: p.Text("state"), ttl: p.Text("ttl_policy"), confidence: p.number("confidence"),
		accesses: p.integer("access_count"), recalls: p.integer("recall_frequency"), gradient: firstGradient,
		lastInterval: time.Duration(p.integer("last_recall_interval")) * time.Millisecond,
		lastAccess:   p.Moment("last_accessed_at"),
	}
	if g, ok := p["decay_gradient"].(float64); ok {
		v.gradient = g
	}
	if ms, ok := p["expires_at"].(int64); ok {
		expires := time.UnixMilli(ms).UTC()
		v.expires = &expires
	}
	return v
}

// putVitality writes the vitality into properties. Default values are not stored.
func (p Properties) putVitality(v vitality) {
	p["salience"], p["salience_at"], p["decay_rate"] = v.salience, v.at.UnixMilli(), v.rate
	p["access_count"] = v.accesses
	p.putUnless(v.state == "", "state", v.state) // relationships that Kith itself makes have no state
	p.putUnless(v.recalls == 0, "recall_frequency", v.recalls)
	p.putUnless(v.gradient == firstGradient, "decay_gradient", v.gradient)
	p.putUnless(v.lastInterval == 0, "last_recall_interval", v.lastInterval.Milliseconds())
	if v.lastAccess != nil {
		p["last_accessed_at"] = *v.lastAccess
	} else {
		delete(p, "last_accessed_at")
	}
	if v.expires != nil {
		p["expires_at"] = v.expires.UnixMilli()
	} else {
		delete(p, "expires_at")
	}
	p.putEnd()
}

// putEnd stores when the vitality ends, by decay or by the end of an ephemeral record. Until then the stored state holds.
func (p Properties) putEnd() {
	v := p.vitality()
	end := int64(math.MaxInt64)
	if v.rate > 0 && v.salience >= archiveBelow {
		days := math.Log(v.salience/archiveBelow) / v.rate
		end = v.at.UnixMilli() + int64(days*float64(day.Milliseconds())) + 1
	}
	if v.expires != nil {
		end = min(end, v.expires.UnixMilli())
	}
	p.putUnless(end == math.MaxInt64, "ends_at", end)
}
