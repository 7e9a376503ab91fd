package webhook

import (
	"context"
	"errors"
	"time"

	"kith/graph"
	"kith/graph/neo"
	"kith/internal/fault"
	"kith/memory/feed"
)

var (
	findDue     = neo.Load[due]("webhook_due")
	findDeadDue = neo.Load[deadDue]("webhook_dead_due")
	claim       = neo.Load[claimed]("webhook_claim")
	save        = neo.Load[int64]("webhook_save")
)

// due is a row of webhook_due.
type due struct{ Team, ID string }

// deadDue is a row of webhook_dead_due.
type deadDue struct{ Team, WebhookID, ID string }

// job is a webhook that is due, or a failed delivery of it that is to be sent again.
type job struct {
	team, webhook string
	dead          string // empty: none
}

// findJobs returns what is due: failed deliveries first, then webhooks, those that wait the longest first.
func (s *Store) findJobs(ctx context.Context, limit int) ([]job, error) {
	params := map[string]any{"now_ms": s.graph.Now().UnixMilli(), "limit": limit}
	dead, err := findDeadDue.Read(ctx, s.db, params)
	if err != nil {
		return nil, err
	}
	hooks, err := findDue.Read(ctx, s.db, params)
	jobs := make([]job, 0, len(dead)+len(hooks))
	for _, d := range dead {
		jobs = append(jobs, job{d.Team, d.WebhookID, d.ID})
	}
	for _, h := range hooks {
		jobs = append(jobs, job{team: h.Team, webhook: h.ID})
	}
	return jobs, err
}

// claimed is a webhook whose lease is held: a row of webhook_claim. Its delivery is planned if it has a batch_id.
type claimed struct {
	ID, URL             string
	UserID              *string
	Kinds, Ops          []string
	NextSeq, NextItem   int64
	BatchID             string
	BatchSeq, BatchItem int64
	FirstAt             *time.Time
	Attempts            int64
	Secret              string
	SecretBefore        string
	SecretBeforeUntil   *time.Time
}

func (h *claimed) next() feed.Position { return feed.Position{Seq: h.NextSeq, Item: h.NextItem} }

func (h *claimed) batch() feed.Range {
	return feed.Range{From: h.next(), To: feed.Position{Seq: h.BatchSeq, Item: h.BatchItem}}
}

func (h *claimed) filter() feed.Filter { return feed.Filter{Kinds: h.Kinds, Ops: h.Ops} }

func (h *claimed) scope(team string) graph.Scope {
	scope := graph.Scope{TeamID: team}
	if h.UserID != nil {
		scope.UserID = *h.UserID
	}
	return scope
}

// secrets returns the secrets that sign at a time, the newest first.
func (h *claimed) secrets(now time.Time) []string {
	if h.SecretBefore == "" || h.SecretBeforeUntil == nil || !h.SecretBeforeUntil.After(now) {
		return []string{h.Secret}
	}
	return []string{h.Secret, h.SecretBefore}
}

// leaseTime is far more than an attempt takes.
const leaseTime = time.Minute

// claim takes the lease of a webhook. It returns nil if another process has it, or nothing is due any more.
func (s *Store) claim(ctx context.Context, j job, holder string) (h *claimed, err error) {
	now := s.graph.Now()
	err = s.db.Write(ctx, claim.Name, func(t *neo.Tx) error {
		row, err := claim.ExecOne(t, map[string]any{
			"team_id": j.team, "id": j.webhook, "holder": holder, "due": j.dead == "", "now_ms": now.UnixMilli(),
			"until_ms": now.Add(leaseTime).UnixMilli(),
		})
		h = &row
		return err
	})
	if errors.Is(err, fault.ErrNotFound) {
		return nil, nil //nolint:nilnil // as documented
	}
	return h, err
}

// saving has the values that the holder of a lease stores.
type saving struct {
	job        job
	holder     string
	batch      string         // the delivery that must be planned still; empty: none
	properties map[string]any // to set
	and        func(*neo.Tx) error
}

// keep makes the holder keep the lease.
func (v *saving) keep(now time.Time) {
	v.properties["lease_holder"], v.properties["lease_until"] = v.holder, now.Add(leaseTime).UnixMilli()
}

// save gives the lease back and stores what its holder found, also while Kith stops. It reports false, and stores nothing, if the
// lease was lost or the delivery forgotten.
func (s *Store) save(ctx context.Context, v saving) (saved bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTime)
	defer cancel()
	err = s.db.Write(ctx, save.Name, func(t *neo.Tx) error {
		n, err := save.ExecOne(t, map[string]any{
			"team_id": v.job.team, "id": v.job.webhook, "holder": v.holder, "batch_id": v.batch, "properties": v.properties,
		})
		if saved = n > 0; err == nil && saved && v.and != nil {
			err = v.and(t)
		}
		return err
	})
	return saved && err == nil, err
}

const saveTime = 5 * time.Second
