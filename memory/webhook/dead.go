package webhook

import (
	"context"
	"fmt"
	"strings"
	"time"

	"kith/graph/cursors"
	"kith/graph/neo"
	"kith/memory/feed"
)

var (
	createDead = neo.Load[string]("webhook_dead_create")
	listDead   = neo.Load[storedDead]("webhook_dead_list")
	readDead   = neo.Load[storedDead]("webhook_dead_read")
	changeDead = neo.Load[string]("webhook_dead_change")
	deleteDead = neo.Load[int64]("webhook_dead_delete")
)

// FailedDelivery is a delivery that failed for good. It has no changes, but where they are in GET /v1/changes.
type FailedDelivery struct {
	ID         string    `json:"id" doc:"the webhook-id of the delivery"`
	FailedAt   time.Time `json:"failed_at"`
	Attempts   int64     `json:"attempts"`
	Reason     string    `json:"reason" enum:"undelivered,not_kept" doc:"undelivered: no attempt succeeded for a day; not_kept: the changes were removed before they could be delivered"`
	LastResult string    `json:"last_result,omitempty" doc:"of the last attempt, as that of the webhook"`
	After      string    `json:"after" doc:"cursor before the changes"`
	Until      string    `json:"until" doc:"cursor behind the changes"`
	Requested  bool      `json:"requested" doc:"it is about to be sent again"`
}

// storedDead is a row of webhook_dead_read.
type storedDead struct {
	ID                               string
	FailedAt                         time.Time
	Attempts                         int64
	Reason, LastResult               string
	DueAt                            *time.Time
	FromSeq, FromItem, ToSeq, ToItem int64
}

func (d *storedDead) within() feed.Range {
	return feed.Range{From: feed.Position{Seq: d.FromSeq, Item: d.FromItem}, To: feed.Position{Seq: d.ToSeq, Item: d.ToItem}}
}

func (d *storedDead) dead(team string) FailedDelivery {
	r := d.within()
	return FailedDelivery{
		ID: d.ID, FailedAt: d.FailedAt, Attempts: d.Attempts, Reason: d.Reason, LastResult: d.LastResult, Requested: d.DueAt != nil,
		After: r.From.Cursor(team), Until: r.To.Cursor(team),
	}
}

const (
	undelivered = "undelivered"
	notKept     = "not_kept"
)

// DeadPage is a page of failed deliveries, with the cursor of the next one; empty after the last.
type DeadPage struct {
	Dead []FailedDelivery
	Next string
}

const deadCursor = "webhook_dead "

// Dead lists the failed deliveries of a webhook, the oldest first. It returns ErrNotFound for an unknown webhook, or an InvalidError
// for an invalid cursor.
func (s *Store) Dead(ctx context.Context, team, id, cursor string, limit int) (DeadPage, error) {
	after, err := cursors.Decode(cursor)
	if err != nil {
		return DeadPage{}, err
	}
	after, ok := strings.CutPrefix(after, deadCursor)
	if cursor != "" && !ok {
		return DeadPage{}, cursors.Invalid()
	}
	if _, err := s.Webhook(ctx, team, id); err != nil {
		return DeadPage{}, err
	}
	rows, err := listDead.Read(ctx, s.db, map[string]any{"team_id": team, "webhook_id": id, "after": after, "limit": limit + 1})
	page := DeadPage{Dead: []FailedDelivery{}}
	for i := range rows[:min(len(rows), limit)] {
		page.Dead = append(page.Dead, rows[i].dead(team))
	}
	if len(rows) > limit {
		page.Next = cursors.Encode(deadCursor + rows[limit-1].ID)
	}
	return page, err
}

// Redeliver has a failed delivery sent again, once, with the same id. It returns ErrNotFound.
func (s *Store) Redeliver(ctx context.Context, team, id, dead string) error {
	properties := map[string]any{"due_at": s.graph.Now().UnixMilli()}
	return s.change(ctx, changeDead, id, map[string]any{"team_id": team, "webhook_id": id, "id": dead, "properties": properties})
}

// DeleteDead deletes a failed delivery. It returns ErrNotFound.
func (s *Store) DeleteDead(ctx context.Context, team, id, dead string) error {
	return s.delete(ctx, deleteDead, id, map[string]any{"team_id": team, "webhook_id": id, "id": dead})
}

// addDead records in a transaction that a delivery failed for good.
func addDead(t *neo.Tx, team, id, delivery, reason, result string, attempts int64, r feed.Range, now time.Time) error {
	err := createDead.Run(t, map[string]any{"team_id": team, "webhook_id": id, "id": delivery, "properties": map[string]any{
		"failed_at": now.UnixMilli(), "attempts": attempts, "reason": reason, "last_result": result,
		"from_seq": r.From.Seq, "from_item": r.From.Item, "to_seq": r.To.Seq, "to_item": r.To.Item,
	}})
	if err != nil {
		return fmt.Errorf("webhook: %w", err)
	}
	return nil
}
