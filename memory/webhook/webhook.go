// Package webhook sends the changes of a team to the addresses that it names, in order, signed as the Standard Webhooks specification
// says. A delivery may come twice, with the same webhook-id; none is omitted without a record of it.
package webhook

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"kith/graph"
	"kith/graph/neo"
	"kith/internal/fault"
	"kith/memory/feed"
)

var (
	createWebhook = neo.Load[string]("webhook_create")
	listWebhooks  = neo.Load[stored]("webhook_list")
	readWebhook   = neo.Load[stored]("webhook_read")
	changeWebhook = neo.Load[string]("webhook_change")
	rotateSecret  = neo.Load[string]("webhook_rotate")
	deleteWebhook = neo.Load[int64]("webhook_delete")
)

// MaxWebhooks is how many webhooks a team may have.
const MaxWebhooks = 10

// overlap is how long the secret before a rotation signs as well.
const overlap = 24 * time.Hour

// Webhook is an address that gets the changes of a team, without its secret.
type Webhook struct {
	ID        string    `json:"id"`
	URL       string    `json:"url"`
	UserID    *string   `json:"user_id" doc:"it gets the changes of this user's memory and of what the team shares; null: all of the team"`
	Kinds     []string  `json:"kinds" doc:"of the changes that it gets; empty: all"`
	Ops       []string  `json:"ops" doc:"of the changes that it gets; empty: all"`
	Active    bool      `json:"active" doc:"false: nothing is sent; it continues where it stopped when it is active again"`
	CreatedAt time.Time `json:"created_at"`

	Disabled    *string    `json:"disabled" doc:"why Kith made it inactive: gone, the receiver answered with 410; else null"`
	Cursor      string     `json:"cursor" doc:"of GET /v1/changes: behind what was delivered"`
	Attempts    int64      `json:"attempts" doc:"failed attempts of the delivery that is being retried"`
	NextAt      *time.Time `json:"next_attempt_at" doc:"earliest time of the next attempt, if there is anything to deliver; null: inactive"`
	LastAt      *time.Time `json:"last_attempt_at"`
	LastResult  *string    `json:"last_result" doc:"of the last attempt: delivered, status and a number, redirect, timeout, or no connection, also to an address that is not public"`
	SecretUntil *time.Time `json:"previous_secret_until" doc:"until when the secret before the last rotation signs too"`
}

// stored is a row of webhook_read.
type stored struct {
	ID                string
	URL               string
	UserID            *string
	Kinds, Ops        []string
	Active            bool
	CreatedAt         time.Time
	Disabled          *string
	NextSeq, NextItem int64
	Attempts          int64
	DueAt, LastAt     *time.Time
	LastResult        *string
	SecretBeforeUntil *time.Time
}

func (r *stored) webhook(team string, now time.Time) Webhook {
	w := Webhook{
		ID: r.ID, URL: r.URL, UserID: r.UserID, Kinds: append([]string{}, r.Kinds...), Ops: append([]string{}, r.Ops...), Active: r.Active,
		CreatedAt: r.CreatedAt, Disabled: r.Disabled, Cursor: feed.Position{Seq: r.NextSeq, Item: r.NextItem}.Cursor(team),
		Attempts: r.Attempts, NextAt: r.DueAt, LastAt: r.LastAt, LastResult: r.LastResult,
	}
	if r.SecretBeforeUntil != nil && r.SecretBeforeUntil.After(now) {
		w.SecretUntil = r.SecretBeforeUntil
	}
	return w
}

// Store keeps the webhooks of teams. It is safe for concurrent use.
type Store struct {
	db      *neo.DB
	graph   *graph.Store
	feeds   *feed.Store
	private bool
}

// NewStore returns the store of the webhooks in a memory's database. With private, addresses of private networks are allowed.
func NewStore(g *graph.Store, feeds *feed.Store, private bool) *Store {
	return &Store{db: g.DB(), graph: g, feeds: feeds, private: private}
}

// Create stores a webhook that gets the changes from now on, and returns its secret, which is not shown again. It returns an
// InvalidError, or ErrConflict if the team has as many webhooks as it may.
func (s *Store) Create(ctx context.Context, scope graph.Scope, w Write) (created Webhook, secret string, err error) {
	if err := s.checkNew(&w, scope); err != nil {
		return Webhook{}, "", err
	}
	end, err := s.feeds.Start(ctx, scope.TeamID, feed.Now)
	if err != nil {
		return Webhook{}, "", err
	}
	id, secret, now := uuid.Must(uuid.NewV7()).String(), newSecret(), s.graph.Now().UnixMilli()
	properties := map[string]any{
		"url": w.URL, "kinds": orNil(w.Kinds), "ops": orNil(w.Ops), "active": w.Active, "created_at": now, "next_seq": end.Seq,
		"next_item": end.Item, "attempts": 0, "secret": secret, "due_at": nil, "user_id": nil,
	}
	if scope.UserID != "" {
		properties["user_id"] = scope.UserID
	}
	if w.Active {
		properties["due_at"] = now
	}
	err = s.graph.Transaction(ctx, createWebhook.Name, func(t *graph.Tx) error {
		t.Changes(nil, id)
		made, err := createWebhook.Exec(t, map[string]any{"team_id": scope.TeamID, "id": id, "places": MaxWebhooks, "properties": properties})
		if err == nil && len(made) == 0 {
			err = fmt.Errorf("a team has at most %d webhooks: %w", MaxWebhooks, fault.ErrConflict)
		}
		return err
	})
	if err != nil {
		return Webhook{}, "", err
	}
	created, err = s.Webhook(ctx, scope.TeamID, id)
	return created, secret, err
}

// Webhooks returns the webhooks of a team, the oldest first.
func (s *Store) Webhooks(ctx context.Context, team string) ([]Webhook, error) {
	rows, err := listWebhooks.Read(ctx, s.db, map[string]any{"team_id": team, "limit": MaxWebhooks})
	all := make([]Webhook, len(rows))
	for i := range rows {
		all[i] = rows[i].webhook(team, s.graph.Now())
	}
	return all, err
}

// Webhook returns a webhook of a team, or ErrNotFound.
func (s *Store) Webhook(ctx context.Context, team, id string) (Webhook, error) {
	row, err := readWebhook.ReadOne(ctx, s.db, map[string]any{"team_id": team, "id": id})
	return row.webhook(team, s.graph.Now()), err
}

// Patch changes a webhook. It returns an InvalidError, or ErrNotFound.
func (s *Store) Patch(ctx context.Context, team, id string, p Patch) (Webhook, error) {
	if err := s.checkPatch(&p); err != nil {
		return Webhook{}, err
	}
	properties := map[string]any{}
	if p.URL != nil {
		properties["url"], properties["attempts"] = *p.URL, 0
	}
	if p.Active != nil {
		properties["active"], properties["attempts"] = *p.Active, 0
	}
	if p.Kinds != nil {
		properties["kinds"] = orNil(*p.Kinds)
	}
	if p.Ops != nil {
		properties["ops"] = orNil(*p.Ops)
	}
	err := s.change(ctx, changeWebhook, id, map[string]any{
		"team_id": team, "id": id, "properties": properties, "now_ms": s.graph.Now().UnixMilli(),
		"anew": p.Kinds != nil || p.Ops != nil, // the same delivery would have other changes
	})
	if err != nil {
		return Webhook{}, err
	}
	return s.Webhook(ctx, team, id)
}

// Rotate gives a webhook a new secret and returns it. The one before signs too for a day. It returns ErrNotFound.
func (s *Store) Rotate(ctx context.Context, team, id string) (secret string, err error) {
	secret = newSecret()
	until := s.graph.Now().Add(overlap).UnixMilli()
	return secret, s.change(ctx, rotateSecret, id, map[string]any{"team_id": team, "id": id, "secret": secret, "until_ms": until})
}

// change runs a statement that returns the id of the changed webhook.
func (s *Store) change(ctx context.Context, q neo.Query[string], id string, params map[string]any) error {
	return s.graph.Transaction(ctx, q.Name, func(t *graph.Tx) error {
		t.Changes(nil, id)
		_, err := q.ExecOne(t, params)
		return err
	})
}

// Delete deletes a webhook with its failed deliveries. It returns ErrNotFound.
func (s *Store) Delete(ctx context.Context, team, id string) error {
	return s.delete(ctx, deleteWebhook, id, map[string]any{"team_id": team, "id": id})
}

func (s *Store) delete(ctx context.Context, q neo.Query[int64], id string, params map[string]any) error {
	return s.graph.Transaction(ctx, q.Name, func(t *graph.Tx) error {
		t.Changes(nil, id)
		deleted, err := q.ExecOne(t, params)
		if err == nil && deleted == 0 {
			err = fmt.Errorf("webhook: %w", fault.ErrNotFound)
		}
		return err
	})
}

// orNil returns nil for an empty list.
func orNil(list []string) any {
	if len(list) == 0 {
		return nil
	}
	return list
}
