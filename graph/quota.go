package graph

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"
)

// Quota is how much each team may have; 0: any number.
type Quota struct {
	Nodes int64
	Text  int64 // characters of names, descriptions, summaries, messages, contents, own properties and notes
}

// OwnQuota is a team's own, as far as it differs from that of the service.
type OwnQuota struct{ Nodes, Text *int64 }

const (
	usageFull  = time.Second      // for which a team is believed to be as full as it was
	usageTime  = 10 * time.Second // for which a count is trusted, as what is deleted is not subtracted from it,
	usageShare = 100              // or for so many times what counting took
	maxFull    = 10_000           // teams that are remembered to be full
)

// quotaTexts are the properties whose characters count.
var quotaTexts = []string{"name", "description", "summary", "text", "content", "properties"}

// amount is how much of what has a quota.
type amount struct{ nodes, text int64 }

func (a amount) plus(b amount) amount { return amount{a.nodes + b.nodes, a.text + b.text} }

// full is a team that refused a write: what it had, and what it may have.
type full struct {
	has   amount
	quota Quota
}

// admit counts the rows of nodes that a write is about to create; charge asks whether the team may have them. What was refused a
// moment ago is refused at once: ErrQuota.
func (t *tx) admit(teamID string, rows []map[string]any) error {
	if t.store.options.Quota == (Quota{}) || len(rows) == 0 {
		return nil
	}
	t.added.nodes += int64(len(rows))
	for _, row := range rows {
		t.added.text += sizeOf(row["properties"])
	}
	if f, ok := t.store.full.GetIfPresent(teamID); ok {
		return f.quota.exceeded(f.has.plus(t.added))
	}
	return nil
}

// charge adds what a transaction has created to what its team has, as the last thing that it does: ErrQuota where the team may not have
// it. Those who add to a team, in whichever process, wait here for each other, so that none sees less than there is.
func (t *tx) charge() error {
	if t.added == (amount{}) {
		return nil
	}
	row, err := t.exec("quota_charge", map[string]any{"team_id": t.team, "nodes": t.added.nodes, "characters": t.added.text})
	if err != nil {
		return err
	}
	v := row[0].Values
	has := amount{integer(v[0]), integer(v[1])}
	quota := t.store.options.Quota.with(OwnQuota{optionalInteger(v[3]), optionalInteger(v[4])})
	err = quota.exceeded(has)
	if now := t.store.now(); err != nil || now.UnixMilli() >= integer(v[2]) {
		if has, err = t.count(quota, now); err != nil {
			return err
		}
		err = quota.exceeded(has)
	}
	t.store.options.ObserveQuota(quota.share(has))
	if err != nil {
		t.store.full.Set(t.team, full{amount{has.nodes - t.added.nodes, has.text - t.added.text}, quota})
	}
	return err
}

// count asks the database how much the team has, with what this transaction has added: while it holds the team's node, nobody else
// adds.
func (t *tx) count(quota Quota, now time.Time) (has amount, err error) {
	begun := time.Now()
	rows, err := t.exec("team_usage", map[string]any{"team_id": t.team, "texts": quota.Text > 0})
	if err != nil {
		return amount{}, err
	}
	has = amount{integer(rows[0].Values[0]), integer(rows[0].Values[1])}
	_, err = t.exec("quota_count", map[string]any{
		"team_id": t.team, "nodes": has.nodes, "characters": has.text,
		"fresh_until": now.Add(max(usageTime, usageShare*time.Since(begun))).UnixMilli(),
	})
	return has, err
}

// with is the quota of a team that has one of its own.
func (q Quota) with(own OwnQuota) Quota {
	if own.Nodes != nil {
		q.Nodes = *own.Nodes
	}
	if own.Text != nil {
		q.Text = *own.Text
	}
	return q
}

func (q Quota) exceeded(a amount) error {
	switch {
	case q.Nodes > 0 && a.nodes > q.Nodes:
		return fmt.Errorf("the team may have %d nodes, and would have more: delete some, or ask for a larger quota: %w", q.Nodes, ErrQuota)
	case q.Text > 0 && a.text > q.Text:
		return fmt.Errorf("the team may have %d characters of text, and would have more: delete some, or ask for a larger quota: %w", q.Text, ErrQuota)
	}
	return nil
}

// share is how much of a quota is used: more than 1 where it would be passed.
func (q Quota) share(a amount) (share float64) {
	if q.Nodes > 0 {
		share = float64(a.nodes) / float64(q.Nodes)
	}
	if q.Text > 0 {
		share = max(share, float64(a.text)/float64(q.Text))
	}
	return share
}

// sizeOf is how many characters of a new node's properties count.
func sizeOf(row any) (size int64) {
	p, ok := row.(properties)
	if !ok {
		p, _ = row.(map[string]any)
	}
	for _, name := range quotaTexts {
		size += int64(utf8.RuneCountInString(p.text(name)))
	}
	for _, note := range p.texts("notes") {
		size += int64(utf8.RuneCountInString(note))
	}
	return size
}

// TeamQuota is a team's own quota, and how many nodes and characters it has.
func (s *Store) TeamQuota(ctx context.Context, teamID string) (own OwnQuota, nodes, characters int64, err error) {
	row, err := s.readOne(ctx, "quota_get", map[string]any{"team_id": teamID})
	switch {
	case err == nil:
		own = OwnQuota{optionalInteger(row.Values[0]), optionalInteger(row.Values[1])}
	case !errors.Is(err, ErrNotFound):
		return OwnQuota{}, 0, 0, err
	}
	row, err = s.readOne(ctx, "team_usage", map[string]any{"team_id": teamID, "texts": true})
	if err != nil {
		return OwnQuota{}, 0, 0, err
	}
	return own, integer(row.Values[0]), integer(row.Values[1]), nil
}

// SetTeamQuota gives a team a quota of its own, in the place of the one it had. It holds for the next write that adds something, where
// the service bounds teams at all. ErrInvalid.
func (s *Store) SetTeamQuota(ctx context.Context, teamID string, own OwnQuota) error {
	if !ValidKey(teamID) || own.Nodes != nil && *own.Nodes < 0 || own.Text != nil && *own.Text < 0 {
		return fmt.Errorf("set quota: a team of 1 to 256 characters, and no negative numbers: %w", ErrInvalid)
	}
	return s.transaction(ctx, "quota_set", func(t *tx) error {
		_, err := t.exec("quota_set", map[string]any{"team_id": teamID, "max_nodes": optional(own.Nodes), "max_characters": optional(own.Text)})
		return err
	})
}

func optional(n *int64) any {
	if n == nil {
		return nil
	}
	return *n
}
