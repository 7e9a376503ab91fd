package graph

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Quota is how much each team may have; 0: any number. What is deleted counts until it is purged.
type Quota struct {
	Nodes         int64 // nodes of all kinds with messages and entities of systems, chat trees and turns
	Relationships int64 // current and past ones
	Text          int64 // characters of all that callers give: names, texts, properties, keys, lists, prompts, answers, preferences
}

// OwnQuota is a team's own, as far as it differs from that of the service.
type OwnQuota struct{ Nodes, Relationships, Text *int64 }

// Usage is what a team has, with what is deleted and can be restored; Deleted says how many nodes and relationships those are.
type Usage struct{ Nodes, Relationships, Text, Deleted int64 }

const (
	usageFull  = time.Second      // for which a team is believed to be as full as it was
	usageTime  = 10 * time.Second // for which a count is trusted, as what is purged is not subtracted from it,
	usageShare = 100              // or for so many times what counting took
	maxFull    = 10_000           // teams that are remembered to be full
)

func (u Usage) plus(a amount) Usage {
	u.Nodes, u.Relationships, u.Text = u.Nodes+a.nodes, u.Relationships+a.relationships, u.Text+a.text
	return u
}

// full is a team that refused a write: what it had, and what it may have.
type full struct {
	has   Usage
	quota Quota
}

// meter counts what a statement of a caller's write is about to store; charge asks whether the team may have it. A team that was full a
// moment ago is refused at once what creates something: ErrQuota.
func (t *tx) meter(name string, params map[string]any) error {
	if !t.metered {
		return nil
	}
	more := stores[name].of(params)
	t.added = t.added.plus(more)
	if !more.creates() {
		return nil
	}
	if f, ok := t.store.full.GetIfPresent(t.team); ok {
		return f.quota.exceeded(f.has.plus(t.added))
	}
	return nil
}

// charge adds what a transaction has stored to what its team has, as the last thing that it does: ErrQuota where the team may not have
// it. Those who add to a team, in whichever process, wait here for each other, so that none sees less than there is.
func (t *tx) charge() error {
	if t.added == (amount{}) {
		return nil
	}
	row, err := t.exec("quota_charge", map[string]any{
		"team_id": t.team, "nodes": t.added.nodes, "relationships": t.added.relationships, "characters": t.added.text, "elsewhere": t.elsewhere,
	})
	if err != nil {
		return err
	}
	v := row[0].Values
	has := Usage{Nodes: integer(v[0]), Relationships: integer(v[1]), Text: integer(v[2])}
	quota := t.store.options.Quota.with(OwnQuota{optionalInteger(v[4]), optionalInteger(v[5]), optionalInteger(v[6])})
	had := has.Text - t.added.text
	err = quota.exceeded(has)
	if now := t.store.now(); err != nil || now.UnixMilli() >= integer(v[3]) {
		if has, err = t.count(quota, now); err != nil {
			return err
		}
		if err = quota.exceeded(has); !t.added.creates() && has.Text <= had {
			err = nil // a team that has too much may still make it less
		}
	}
	t.store.options.ObserveQuota(quota.share(has))
	if err != nil {
		t.store.full.Set(t.team, full{has.plus(t.added.negative()), quota})
	}
	return err
}

// StoreElsewhere has the quota of a team count texts that work stores in another database, beside so many others that the
// team has there. Those who store anything for the team wait until work is done: ErrQuota, and work is not called.
func (s *Store) StoreElsewhere(ctx context.Context, teamID string, text int64, others func(context.Context) (int64, error), work func(context.Context) error) error {
	if s.options.Quota == (Quota{}) {
		return work(ctx)
	}
	return s.transaction(ctx, "quota_charge", func(t *tx) error {
		_, err := t.exec("quota_charge", map[string]any{"team_id": teamID, "nodes": 0, "relationships": 0, "characters": 0, "elsewhere": nil})
		if err != nil { // else nobody else adds from here on
			return err
		}
		before, err := others(ctx)
		if err != nil {
			return err
		}
		t.added, t.elsewhere = amount{text: text}, before+text
		if err := t.charge(); err != nil {
			return err
		}
		t.added = amount{}
		return work(ctx)
	})
}

// count asks the database how much the team has, with what this transaction has added: while it holds the team's node, nobody else
// adds.
func (t *tx) count(quota Quota, now time.Time) (has Usage, err error) {
	begun := time.Now()
	rows, err := t.exec("team_usage", map[string]any{
		"team_id": t.team, "texts": quota.Text > 0, "relationships": quota.Text > 0 || quota.Relationships > 0,
	})
	if err != nil {
		return Usage{}, err
	}
	has = usageFrom(rows[0].Values)
	_, err = t.exec("quota_count", map[string]any{
		"team_id": t.team, "nodes": has.Nodes, "relationships": has.Relationships, "characters": has.Text,
		"fresh_until": now.Add(max(usageTime, usageShare*time.Since(begun))).UnixMilli(),
	})
	return has, err
}

func usageFrom(v []any) Usage {
	return Usage{Nodes: integer(v[0]), Relationships: integer(v[1]), Text: integer(v[2]), Deleted: integer(v[3])}
}

// with is the quota of a team that has one of its own.
func (q Quota) with(own OwnQuota) Quota {
	for _, bound := range []struct {
		of  *int64
		own *int64
	}{{&q.Nodes, own.Nodes}, {&q.Relationships, own.Relationships}, {&q.Text, own.Text}} {
		if bound.own != nil {
			*bound.of = *bound.own
		}
	}
	return q
}

// bounds are what a quota bounds, and how much of that a team has.
func (q Quota) bounds(u Usage) []bound {
	return []bound{{q.Nodes, u.Nodes, "nodes"}, {q.Relationships, u.Relationships, "relationships"}, {q.Text, u.Text, "characters of text"}}
}

type bound struct {
	may, has int64
	what     string
}

func (q Quota) exceeded(u Usage) error {
	for _, b := range q.bounds(u) {
		if b.may > 0 && b.has > b.may {
			return fmt.Errorf("the team may have %d %s, and would have more%s: ask for a larger quota, or erase a user: %w", b.may, b.what, u.deleted(), ErrQuota)
		}
	}
	return nil
}

// deleted says how much of what counts is deleted.
func (u Usage) deleted() string {
	if u.Deleted == 0 {
		return "; what is deleted counts until it is purged"
	}
	return fmt.Sprintf("; %d of its nodes and relationships are deleted, and count until KITH_KEEP_DELETED has passed or kith team purge takes them away", u.Deleted)
}

// share is how much of a quota is used: more than 1 where it would be passed.
func (q Quota) share(u Usage) (share float64) {
	for _, b := range q.bounds(u) {
		if b.may > 0 {
			share = max(share, float64(b.has)/float64(b.may))
		}
	}
	return share
}

// QuotaShare is how much of one thing a team may have, and has.
type QuotaShare struct {
	Limit *int64 `json:"limit" doc:"null: any number"`
	Used  *int64 `json:"used" doc:"with what is deleted and not purged yet; what was purged may count for some seconds. null: not counted, as the service bounds no team"`
}

// QuotaShares are the parts of a team's quota.
type QuotaShares struct {
	Nodes         QuotaShare `json:"nodes"`
	Relationships QuotaShare `json:"relationships"`
	Characters    QuotaShare `json:"characters"`
}

// QuotaOf returns what a team may have and what it had at its last write, without counting it.
func (s *Store) QuotaOf(ctx context.Context, teamID string) (QuotaShares, error) {
	own, counted, err := s.ownQuota(ctx, teamID)
	if err != nil || s.options.Quota == (Quota{}) { // then own bounds do not hold either
		return QuotaShares{}, err
	}
	may := s.options.Quota.with(own)
	return QuotaShares{
		QuotaShare{nonZero(may.Nodes), counted[0]}, QuotaShare{nonZero(may.Relationships), counted[1]}, QuotaShare{nonZero(may.Text), counted[2]},
	}, nil
}

func nonZero(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}

// ownQuota is a team's own quota, and how many nodes, relationships and characters were last counted of it; nil where they were not.
func (s *Store) ownQuota(ctx context.Context, teamID string) (own OwnQuota, counted [3]*int64, err error) {
	row, err := s.readOne(ctx, "quota_get", map[string]any{"team_id": teamID})
	if errors.Is(err, ErrNotFound) {
		return own, counted, nil
	} else if err != nil {
		return own, counted, err
	}
	v := row.Values
	own = OwnQuota{optionalInteger(v[0]), optionalInteger(v[1]), optionalInteger(v[2])}
	return own, [3]*int64{optionalInteger(v[3]), optionalInteger(v[4]), optionalInteger(v[5])}, nil
}

// TeamQuota is a team's own quota, and how much it has.
func (s *Store) TeamQuota(ctx context.Context, teamID string) (own OwnQuota, has Usage, err error) {
	own, _, err = s.ownQuota(ctx, teamID)
	if err != nil {
		return OwnQuota{}, Usage{}, err
	}
	row, err := s.readOne(ctx, "team_usage", map[string]any{"team_id": teamID, "texts": true, "relationships": true})
	if err != nil {
		return OwnQuota{}, Usage{}, err
	}
	return own, usageFrom(row.Values), nil
}

// SetTeamQuota gives a team a quota of its own, in the place of the one it had. It holds for the next write that adds something, where
// the service bounds teams at all. ErrInvalid.
func (s *Store) SetTeamQuota(ctx context.Context, teamID string, own OwnQuota) error {
	params := map[string]any{"team_id": teamID}
	for name, bound := range map[string]*int64{"max_nodes": own.Nodes, "max_relationships": own.Relationships, "max_characters": own.Text} {
		if !ValidKey(teamID) || bound != nil && *bound < 0 {
			return fmt.Errorf("set quota: a team of 1 to 256 characters, and no negative numbers: %w", ErrInvalid)
		}
		params[name] = optional(bound)
	}
	return s.transaction(ctx, "quota_set", func(t *tx) error {
		_, err := t.exec("quota_set", params)
		return err
	})
}

// PurgeTeam takes what a team has deleted away for good, before its time, and says how many nodes and relationships that were.
func (s *Store) PurgeTeam(ctx context.Context, teamID string) (purged int64, err error) {
	for _, name := range []string{"team_purge_nodes", "team_purge_relationships"} {
		for more := true; more; {
			err = s.transaction(ctx, name, func(t *tx) error {
				rows, err := t.exec(name, map[string]any{"team_id": teamID, "limit": purgeBatch})
				if err == nil {
					more = integer(first(rows)) > 0
					purged += integer(first(rows))
				}
				return err
			})
			if err != nil {
				return purged, err
			}
		}
	}
	return purged, s.recountLater(ctx, teamID)
}

// recountLater has a team counted anew by the next write that adds something.
func (s *Store) recountLater(ctx context.Context, teamID string) error {
	s.full.Invalidate(teamID)
	return s.transaction(ctx, "quota_stale", func(t *tx) error {
		_, err := t.exec("quota_stale", map[string]any{"team_id": teamID})
		return err
	})
}

func optional(n *int64) any {
	if n == nil {
		return nil
	}
	return *n
}
