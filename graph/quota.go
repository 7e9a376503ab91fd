package graph

import (
	"context"
	"errors"
	"fmt"
	"time"

	"kith/graph/neo"
	"kith/internal/fault"
)

// Quota is how much each team may store; 0 means no limit. Deleted data counts until it is purged.
type Quota struct {
	Nodes         int64 // nodes of all kinds, including messages, system entities, chat trees and turns
	Relationships int64 // current and past ones
	Text          int64 // characters of all texts that callers give: names, texts, properties, keys, lists, prompts, answers, preferences
}

// OwnQuota overrides the service's quota for one team; a nil field keeps the service's limit.
type OwnQuota struct {
	Nodes         *int64 `neo:"max_nodes"`
	Relationships *int64 `neo:"max_relationships"`
	Text          *int64 `neo:"max_characters"`
}

// Usage is how much a team stores, including deleted data that can be restored. Deleted is the number of deleted
// nodes and relationships.
type Usage struct {
	Nodes, Relationships int64
	Text                 int64 `neo:"characters"`
	Deleted              int64
}

const (
	usageFull  = time.Second      // how long a full team counts as full
	usageTime  = 10 * time.Second // how long a count is trusted, because purged data is not subtracted from it,
	usageShare = 100              // or for this multiple of the time that counting took
	maxFull    = 10_000           // full teams that are remembered
)

var (
	ownQuota           = neo.Load[countedQuota]("quota_get")
	setOwnQuota        = neo.Load[neo.None]("quota_set")
	setCountedUsage    = neo.Load[neo.None]("quota_count")
	setUsageStale      = neo.Load[neo.None]("quota_stale")
	teamUsage          = neo.Load[Usage]("team_usage")
	purgeNodes         = neo.Load[int64]("team_purge_nodes")
	purgeNodeLinks     = neo.Load[int64]("team_purge_node_relationships")
	purgeRelationships = neo.Load[int64]("team_purge_relationships")
)

// chargedQuota is a team's usage after a write was added to it.
type chargedQuota struct {
	OwnQuota

	Nodes, Relationships, Characters int64
	FreshUntil                       time.Time // when the usage must be counted again
}

// countedQuota is a team's usage when last counted; nil: never.
type countedQuota struct {
	OwnQuota

	Nodes, Relationships, Characters *int64
}

func (u Usage) plus(a amount) Usage {
	u.Nodes, u.Relationships, u.Text = u.Nodes+a.nodes, u.Relationships+a.relationships, u.Text+a.text
	return u
}

// full is a team whose write was refused: its usage and its quota.
type full struct {
	has   Usage
	quota Quota
}

// meter counts what a statement of a caller's write is about to store; check checks it against the quota. If the
// team was full a moment ago, statements that create something are refused at once with ErrQuota.
func (t *Tx) meter(name string, params map[string]any) error {
	if !t.metered {
		return nil
	}
	more := stores[name].of(params)
	t.added, t.former = t.added.plus(more), t.former.plus(formerOf(params))
	if !more.creates() {
		return nil
	}
	team, _ := params["team_id"].(string) // of the first statement, the transaction does not know it yet
	if f, ok := t.store.full.GetIfPresent(team); ok {
		return f.quota.exceeded(f.has.plus(t.added))
	}
	return nil
}

// check returns ErrQuota if a team's usage with what the transaction added exceeds its quota. It counts the usage anew if it is not
// trusted any more.
func (t *Tx) check(charged chargedQuota) error {
	all := t.added.plus(t.former)
	has := Usage{Nodes: charged.Nodes, Relationships: charged.Relationships, Text: charged.Characters}
	quota := t.store.options.Quota.with(charged.OwnQuota)
	had := has.Text - all.text
	err := quota.exceeded(has)
	if now := t.store.Now(); err != nil || !now.Before(charged.FreshUntil) {
		if has, err = t.count(quota, now); err != nil {
			return err
		}
		if err = quota.exceeded(has); !t.added.creates() && has.Text-t.former.text <= had {
			err = nil // a team over its quota may still store less; the history of what it replaces is bounded
		}
	}
	t.store.options.ObserveQuota(quota.share(has))
	if err != nil {
		t.store.full.Set(t.Team(), full{has.plus(all.negative()), quota})
	}
	return err
}

// count counts the team's data in the database, including what this transaction added. The transaction holds the
// team's node, so that no other writer adds.
func (t *Tx) count(quota Quota, now time.Time) (has Usage, err error) {
	begun := time.Now()
	has, err = teamUsage.ExecOne(t, map[string]any{
		"team_id": t.Team(), "texts": quota.Text > 0, "relationships": quota.Text > 0 || quota.Relationships > 0,
	})
	if err != nil {
		return Usage{}, err
	}
	err = setCountedUsage.Run(t, map[string]any{
		"team_id": t.Team(), "nodes": has.Nodes, "relationships": has.Relationships, "characters": has.Text,
		"fresh_until": now.Add(max(usageTime, usageShare*time.Since(begun))).UnixMilli(),
	})
	return has, err
}

// with returns the quota with the limits of a team's own quota.
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

// bounds returns the limits of a quota with the team's usage of each.
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
			return fmt.Errorf("the quota of the team is %d %s, and this write would exceed it%s: ask for a larger quota, or erase a user: %w", b.may,
				b.what, u.deleted(), ErrQuota)
		}
	}
	return nil
}

// deleted describes how much of the usage is deleted.
func (u Usage) deleted() string {
	if u.Deleted == 0 {
		return "; deleted data counts until it is purged"
	}
	return fmt.Sprintf("; %d of its nodes and relationships are deleted and count until KITH_KEEP_DELETED has passed or kith team purge erases them", u.Deleted)
}

// share returns how much of a quota is used; more than 1 if it would be exceeded.
func (q Quota) share(u Usage) (share float64) {
	for _, b := range q.bounds(u) {
		if b.may > 0 {
			share = max(share, float64(b.has)/float64(b.may))
		}
	}
	return share
}

// QuotaShare is the limit and usage of one part of a quota.
type QuotaShare struct {
	Limit *int64 `json:"limit" doc:"null: no limit"`
	Used  *int64 `json:"used" doc:"including deleted data that is not purged yet; purged data may count for some more seconds. null: not counted, because the service has no quotas"`
}

// QuotaShares holds the parts of a team's quota.
type QuotaShares struct {
	Nodes         QuotaShare `json:"nodes"`
	Relationships QuotaShare `json:"relationships"`
	Characters    QuotaShare `json:"characters"`
}

// QuotaOf returns the quota of a team and its usage at the last write, without counting.
func (s *Store) QuotaOf(ctx context.Context, teamID string) (QuotaShares, error) {
	own, counted, err := s.ownQuota(ctx, teamID)
	if err != nil || s.options.Quota == (Quota{}) { // then teams' own quotas do not apply either
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

// ownQuota returns a team's own quota and its last counted nodes, relationships and characters; nil where not
// counted.
func (s *Store) ownQuota(ctx context.Context, teamID string) (own OwnQuota, counted [3]*int64, err error) {
	row, err := ownQuota.ReadOne(ctx, s.db, map[string]any{"team_id": teamID})
	if errors.Is(err, fault.ErrNotFound) {
		return own, counted, nil
	} else if err != nil {
		return own, counted, err
	}
	return row.OwnQuota, [3]*int64{row.Nodes, row.Relationships, row.Characters}, nil
}

// TeamQuota returns a team's own quota and its usage.
func (s *Store) TeamQuota(ctx context.Context, teamID string) (own OwnQuota, has Usage, err error) {
	own, _, err = s.ownQuota(ctx, teamID)
	if err != nil {
		return OwnQuota{}, Usage{}, err
	}
	has, err = teamUsage.ReadOne(ctx, s.db, map[string]any{"team_id": teamID, "texts": true, "relationships": true})
	return own, has, err
}

// SetTeamQuota sets a team's own quota and replaces the previous one. It applies from the next write that adds
// something, provided that the service has quotas. Error: ErrInvalid.
func (s *Store) SetTeamQuota(ctx context.Context, teamID string, own OwnQuota) error {
	params := map[string]any{"team_id": teamID}
	for name, bound := range map[string]*int64{"max_nodes": own.Nodes, "max_relationships": own.Relationships, "max_characters": own.Text} {
		if !fault.ValidKey(teamID) || bound != nil && *bound < 0 {
			return fmt.Errorf("set quota: the team must have 1 to 256 characters, and limits must not be negative: %w", fault.ErrInvalid)
		}
		params[name] = orNull(bound)
	}
	return s.Transaction(ctx, "quota_set", func(t *Tx) error {
		return setOwnQuota.Run(t, params)
	})
}

// PurgeTeam erases the deleted data of a team before its time and returns the number of nodes and relationships.
func (s *Store) PurgeTeam(ctx context.Context, teamID string) (purged int64, err error) {
	left := error(nil)
	p := pieces{s, purgeBatch, func(_ string, n int64) error { purged += n; return nil }, func(_ string, err error) { left = err }}
	params := map[string]any{"team_id": teamID}
	if err = p.runNodes(ctx, purgeNodes, purgeNodeLinks, params); err != nil {
		return purged, err
	}
	if err = p.run(ctx, purgeRelationships, params, nil); err != nil {
		return purged, err
	}
	return purged, errors.Join(left, s.recountLater(ctx, teamID))
}

// recountLater makes the next write that adds something count the team again.
func (s *Store) recountLater(ctx context.Context, teamID string) error {
	s.full.Invalidate(teamID)
	return s.Transaction(ctx, "quota_stale", func(t *Tx) error {
		return setUsageStale.Run(t, map[string]any{"team_id": teamID})
	})
}

func orNull(n *int64) any {
	if n == nil {
		return nil
	}
	return *n
}
