package graph

import "kith/graph/neo"

// readShare is the part of a team's quota of text that it may have besides for what it keeps of its reads.
const readShare = 10

var chargeReads = neo.Load[chargedReads]("quota_reads")

// chargedReads is what a team keeps of its reads, after some was added.
type chargedReads struct {
	Characters    int64
	MaxCharacters *int64
	Counted       bool
}

// Reads is how many characters a team keeps of its reads, and may keep; 0 means no limit. Unless it was counted, Has has only what was
// added lately.
type Reads struct {
	Has, Most int64
	Counted   bool
}

// Exceeded reports whether a team keeps too much of its reads, or may do so.
func (r Reads) Exceeded() bool { return r.Most > 0 && (r.Has > r.Most || !r.Counted) }

// ChargeReads adds to what a team keeps of its reads; less than none if some of that was removed. This does not count towards the
// quota: whoever may only read would use it up, and writers would be refused. Other transactions of the team wait for the end of this
// one, so it is the last step.
func (t *Tx) ChargeReads(team string, characters int64) (Reads, error) {
	quota := t.store.options.Quota
	if quota == (Quota{}) {
		return Reads{}, nil
	}
	row, err := chargeReads.ExecOne(t, map[string]any{"team_id": team, "characters": characters})
	if err != nil {
		return Reads{}, err
	}
	reads := Reads{Has: row.Characters, Counted: row.Counted}
	if text := quota.with(OwnQuota{Text: row.MaxCharacters}).Text; text > 0 {
		reads.Most = max(text/readShare, 1)
	}
	return reads, nil
}
