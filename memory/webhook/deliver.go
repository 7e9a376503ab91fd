package webhook

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"

	"kith/graph/neo"
	"kith/memory/feed"
)

// deliver makes an attempt at the next delivery of a webhook. What a delivery has is stored before its first attempt, so that every
// attempt has the same id and the same changes, less those that were erased meanwhile.
func (d *Deliverer) deliver(ctx context.Context, j job, h *claimed) error {
	if h.BatchID == "" {
		if planned, err := d.plan(ctx, j, h); err != nil || !planned {
			return err
		}
	}
	changes, err := d.store.feeds.ReadRange(ctx, h.scope(j.team), h.batch(), h.filter())
	var gone *feed.GoneError
	switch {
	case errors.As(err, &gone):
		return d.lose(ctx, j, h)
	case err != nil:
		return d.release(ctx, j, h, err)
	case len(changes) == 0:
		return d.pass(ctx, j, h, nil)
	}
	body, err := encode(h.ID, changes, h.batch().To.Cursor(j.team))
	if err != nil {
		return d.release(ctx, j, h, err)
	}
	result := d.send(ctx, h, h.BatchID, body)
	lag := d.store.graph.Now().Sub(changes[0].At)
	switch {
	case ctx.Err() != nil && result != resultDelivered: // Kith stops: the attempt does not count
		return d.release(ctx, j, h, nil)
	case result == resultDelivered:
		return d.observe(Delivered, lag, d.pass(ctx, j, h, map[string]any{"last_result": result, "last_at": d.store.graph.Now().UnixMilli()}))
	}
	return d.fail(ctx, j, h, result, lag)
}

func (d *Deliverer) observe(o Outcome, lag time.Duration, err error) error {
	d.options.Observe(o, lag)
	return err
}

// plan stores what the next delivery has. It reports false if there is nothing to deliver.
func (d *Deliverer) plan(ctx context.Context, j job, h *claimed) (bool, error) {
	batch, err := d.store.feeds.Read(ctx, h.scope(j.team), feed.Range{From: h.next()}, h.filter(), maxChanges)
	var gone *feed.GoneError
	if errors.As(err, &gone) {
		return false, d.lose(ctx, j, h)
	}
	count := 0
	if err == nil {
		count, err = fit(batch.Changes)
	}
	if err != nil {
		return false, d.release(ctx, j, h, err)
	}
	now, end := d.store.graph.Now(), batch.Next
	if count == 0 {
		_, err := d.store.save(ctx, d.saving(j, h, map[string]any{"next_seq": end.Seq, "next_item": end.Item, "due_at": now.Add(lookEvery).UnixMilli()}))
		return false, err
	}
	if count < len(batch.Changes) {
		end = batch.Changes[count-1].Behind
	}
	id := "msg_" + uuid.Must(uuid.NewV7()).String()
	v := d.saving(j, h, map[string]any{"batch_id": id, "batch_seq": end.Seq, "batch_item": end.Item, "first_at": now.UnixMilli(), "attempts": 0})
	v.keep(now)
	saved, err := d.store.save(ctx, v)
	h.BatchID, h.BatchSeq, h.BatchItem, h.FirstAt, h.Attempts = id, end.Seq, end.Item, &now, 0
	return saved, err
}

func (d *Deliverer) saving(j job, h *claimed, properties map[string]any) saving {
	return saving{job: j, holder: d.holder, batch: h.BatchID, properties: properties}
}

// release gives the lease back and returns err. The webhook is due again in a moment.
func (d *Deliverer) release(ctx context.Context, j job, h *claimed, err error) error {
	_, saveErr := d.store.save(ctx, d.saving(j, h, map[string]any{"due_at": d.store.graph.Now().Add(lookEvery).UnixMilli()}))
	return errors.Join(err, saveErr)
}

// pass moves a webhook behind its delivery.
func (d *Deliverer) pass(ctx context.Context, j job, h *claimed, properties map[string]any) error {
	_, err := d.store.save(ctx, d.saving(j, h, d.passed(h.batch().To, properties)))
	return err
}

// passed adds to properties those of a webhook that is due behind a position.
func (d *Deliverer) passed(to feed.Position, properties map[string]any) map[string]any {
	all := map[string]any{
		"next_seq": to.Seq, "next_item": to.Item, "batch_id": nil, "batch_seq": nil, "batch_item": nil, "first_at": nil, "attempts": 0,
		"due_at": d.store.graph.Now().UnixMilli(),
	}
	for name, value := range properties {
		all[name] = value
	}
	return all
}

// fail stores a failed attempt: when the next one is due, or that there is none.
func (d *Deliverer) fail(ctx context.Context, j job, h *claimed, result string, lag time.Duration) error {
	now := d.store.graph.Now()
	properties := map[string]any{"last_result": result, "last_at": now.UnixMilli()}
	v := d.saving(j, h, properties)
	outcome := Failed
	switch {
	case result == resultGone:
		outcome = Disabled
		properties["active"], properties["disabled"] = false, "gone"
	case h.FirstAt != nil && now.Sub(*h.FirstAt) >= giveUp && h.Attempts+1 >= leastTries:
		outcome = Exhausted
		v.properties = d.passed(h.batch().To, properties)
		v.and = func(t *neo.Tx) error {
			return addDead(t, j.team, h.ID, h.BatchID, undelivered, result, h.Attempts+1, h.batch(), now)
		}
	default:
		properties["attempts"], properties["due_at"] = h.Attempts+1, now.Add(retryAfter(h.Attempts)).UnixMilli()
	}
	_, err := d.store.save(ctx, v)
	d.options.Log.Info("webhook not delivered", "team_id", j.team, "webhook_id", h.ID, "delivery_id", h.BatchID, "attempts", h.Attempts+1,
		"result", result, "outcome", string(outcome))
	return d.observe(outcome, lag, err)
}

// retryAfter returns the pause after a number of failed attempts: it doubles up to an hour, less up to half of it by chance, so that
// those that failed together do not come back together.
func retryAfter(attempts int64) time.Duration {
	pause := min(firstRetry<<min(attempts, 20), lastRetry)
	return pause - rand.N(pause/2) //nolint:gosec // no secret
}

// lose moves a webhook to the oldest changes that are kept, and records that it missed some.
func (d *Deliverer) lose(ctx context.Context, j job, h *claimed) error {
	oldest, err := d.store.feeds.Start(ctx, j.team, "")
	if err != nil {
		return d.release(ctx, j, h, err)
	}
	id := h.BatchID
	if id == "" {
		id = "msg_" + uuid.Must(uuid.NewV7()).String()
	}
	v := d.saving(j, h, d.passed(oldest, nil))
	v.and = func(t *neo.Tx) error {
		return addDead(t, j.team, h.ID, id, notKept, "", h.Attempts, feed.Range{From: h.next(), To: oldest}, d.store.graph.Now())
	}
	_, err = d.store.save(ctx, v)
	return d.observe(Lost, 0, err)
}

// redeliver makes an attempt at a delivery that had failed for good. It is forgotten when it succeeds.
func (d *Deliverer) redeliver(ctx context.Context, j job, h *claimed) error {
	defer func() { _, _ = d.store.save(ctx, d.saving(j, h, map[string]any{})) }() // the lease
	params := map[string]any{"team_id": j.team, "webhook_id": j.webhook, "id": j.dead}
	dead, err := readDead.ReadOne(ctx, d.store.db, params)
	if err != nil {
		return err
	}
	changes, err := d.store.feeds.ReadRange(ctx, h.scope(j.team), dead.within(), h.filter())
	var gone *feed.GoneError
	if errors.As(err, &gone) {
		return d.saveDead(ctx, j, map[string]any{"reason": notKept, "due_at": nil})
	}
	if err != nil {
		return err
	}
	result := resultDelivered
	if len(changes) > 0 {
		body, err := encode(h.ID, changes, dead.within().To.Cursor(j.team))
		if err != nil {
			return err
		}
		result = d.send(ctx, h, j.dead, body)
		d.options.Observe(map[bool]Outcome{true: Delivered, false: Failed}[result == resultDelivered], d.store.graph.Now().Sub(changes[0].At))
	}
	switch {
	case result == resultDelivered:
		return d.store.db.Write(context.WithoutCancel(ctx), deleteDead.Name, func(t *neo.Tx) error { return deleteDead.Run(t, params) })
	case ctx.Err() != nil: // Kith stops: the attempt does not count
		return nil
	}
	return d.saveDead(ctx, j, map[string]any{"attempts": dead.Attempts + 1, "last_result": result, "due_at": nil})
}

func (d *Deliverer) saveDead(ctx context.Context, j job, properties map[string]any) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTime)
	defer cancel()
	return d.store.db.Write(ctx, changeDead.Name, func(t *neo.Tx) error {
		return changeDead.Run(t, map[string]any{"team_id": j.team, "webhook_id": j.webhook, "id": j.dead, "properties": properties})
	})
}
