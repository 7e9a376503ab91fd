package handlers

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"kith/graph"
	"kith/memory/webhook"
)

// webhookStore keeps the webhooks of teams.
type webhookStore interface {
	Create(ctx context.Context, scope graph.Scope, w webhook.Write) (created webhook.Webhook, secret string, err error)
	Webhooks(ctx context.Context, team string) ([]webhook.Webhook, error)
	Webhook(ctx context.Context, team, id string) (webhook.Webhook, error)
	Patch(ctx context.Context, team, id string, p webhook.Patch) (webhook.Webhook, error)
	Rotate(ctx context.Context, team, id string) (secret string, err error)
	Delete(ctx context.Context, team, id string) error
	Dead(ctx context.Context, team, id, cursor string, limit int) (webhook.DeadPage, error)
	Redeliver(ctx context.Context, team, id, dead string) error
	DeleteDead(ctx context.Context, team, id, dead string) error
}

// CreateWebhookInput describes a new webhook.
type CreateWebhookInput struct {
	Body struct {
		URL    string   `json:"url" minLength:"1" maxLength:"2048" doc:"where changes are sent: https:// or http://, of a public address"`
		UserID *string  `json:"user_id,omitempty" minLength:"1" maxLength:"256" nullable:"true" doc:"only changes of this user's memory and of what the team shares; default: all of the team"`
		Kinds  []string `json:"kinds,omitempty" maxItems:"50" doc:"only changes of these kinds; default: all"`
		Ops    []string `json:"ops,omitempty" maxItems:"4" doc:"only created, updated, deleted or restored; default: all"`
		Active *bool    `json:"active,omitempty" doc:"default: true"`
	}
}

// CreatedWebhook is a new webhook with its secret.
type CreatedWebhook struct {
	webhook.Webhook

	Secret string `json:"secret" doc:"signs the deliveries; it is not shown again"`
}

// CreatedWebhookOutput shows the secret, this once.
type CreatedWebhookOutput struct{ Body CreatedWebhook }

func (a *API) createWebhook(ctx context.Context, in *CreateWebhookInput) (*CreatedWebhookOutput, error) {
	team, err := adminOf(ctx, "")
	if err != nil {
		return nil, err
	}
	scope := graph.Scope{TeamID: team}
	if in.Body.UserID != nil {
		scope.UserID = *in.Body.UserID
	}
	w := webhook.Write{URL: in.Body.URL, Kinds: in.Body.Kinds, Ops: in.Body.Ops, Active: in.Body.Active == nil || *in.Body.Active}
	made, secret, err := a.Webhooks.Create(ctx, scope, w)
	if err != nil {
		return nil, located("body", err)
	}
	return &CreatedWebhookOutput{CreatedWebhook{made, secret}}, nil
}

// WebhookListOutput has all webhooks of a team.
type WebhookListOutput struct {
	Body struct {
		Webhooks []webhook.Webhook `json:"webhooks"`
	}
}

func (a *API) listWebhooks(ctx context.Context, _ *struct{}) (*WebhookListOutput, error) {
	team, err := adminOf(ctx, "")
	if err != nil {
		return nil, err
	}
	out := &WebhookListOutput{}
	out.Body.Webhooks, err = a.Webhooks.Webhooks(ctx, team)
	return out, err
}

// WebhookPath names a webhook.
type WebhookPath struct {
	ID string `path:"id" minLength:"1" maxLength:"64"`
}

// WebhookOutput is a webhook without its secret.
type WebhookOutput struct{ Body webhook.Webhook }

func (a *API) getWebhook(ctx context.Context, in *WebhookPath) (*WebhookOutput, error) {
	team, err := adminOf(ctx, "")
	if err != nil {
		return nil, err
	}
	w, err := a.Webhooks.Webhook(ctx, team, in.ID)
	return &WebhookOutput{w}, err
}

// PatchWebhookInput changes what is given of a webhook.
type PatchWebhookInput struct {
	WebhookPath
	Body struct {
		URL    *string                  `json:"url,omitempty" minLength:"1" maxLength:"2048"`
		Kinds  graph.Optional[[]string] `json:"kinds,omitzero" maxItems:"50" doc:"empty or null: all"`
		Ops    graph.Optional[[]string] `json:"ops,omitzero" maxItems:"4" doc:"empty or null: all"`
		Active *bool                    `json:"active,omitempty" doc:"true: what waits is due at once"`
	}
}

func (a *API) patchWebhook(ctx context.Context, in *PatchWebhookInput) (*WebhookOutput, error) {
	team, err := adminOf(ctx, "")
	if err != nil {
		return nil, err
	}
	p := webhook.Patch{URL: in.Body.URL, Active: in.Body.Active, Kinds: listOrNil(in.Body.Kinds), Ops: listOrNil(in.Body.Ops)}
	w, err := a.Webhooks.Patch(ctx, team, in.ID, p)
	if err != nil {
		return nil, located("body", err)
	}
	return &WebhookOutput{w}, nil
}

// listOrNil returns nil for a list that was omitted.
func listOrNil(list graph.Optional[[]string]) *[]string {
	if !list.Given {
		return nil
	}
	return &list.Value
}

func (a *API) deleteWebhook(ctx context.Context, in *WebhookPath) (*struct{}, error) {
	team, err := adminOf(ctx, "")
	if err != nil {
		return nil, err
	}
	return nil, a.Webhooks.Delete(ctx, team, in.ID)
}

// RotatedSecretOutput shows a new secret, this once.
type RotatedSecretOutput struct {
	Body struct {
		Secret string `json:"secret" doc:"signs the deliveries from now on; the one before signs too for 24 hours"`
	}
}

func (a *API) rotateWebhook(ctx context.Context, in *WebhookPath) (*RotatedSecretOutput, error) {
	team, err := adminOf(ctx, "")
	if err != nil {
		return nil, err
	}
	out := &RotatedSecretOutput{}
	out.Body.Secret, err = a.Webhooks.Rotate(ctx, team, in.ID)
	return out, err
}

// ListDeadInput asks for failed deliveries of a webhook.
type ListDeadInput struct {
	WebhookPath
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Cursor string `query:"cursor" maxLength:"4096" doc:"next of the page before"`
}

// FailedDeliveryPage is a page of failed deliveries, the oldest first. Next is null after the last.
type FailedDeliveryPage struct {
	Dead []webhook.FailedDelivery `json:"dead"`
	Next *string                  `json:"next"`
}

// FailedDeliveryPageOutput is the answer with the page.
type FailedDeliveryPageOutput struct{ Body FailedDeliveryPage }

func (a *API) listDead(ctx context.Context, in *ListDeadInput) (*FailedDeliveryPageOutput, error) {
	team, err := adminOf(ctx, "")
	if err != nil {
		return nil, err
	}
	page, err := a.Webhooks.Dead(ctx, team, in.ID, in.Cursor, in.Limit)
	if err != nil {
		return nil, located("query", err)
	}
	return &FailedDeliveryPageOutput{FailedDeliveryPage{page.Dead, stringOrNil(page.Next)}}, nil
}

// DeadPath names a failed delivery of a webhook.
type DeadPath struct {
	WebhookPath
	Delivery string `path:"delivery" minLength:"1" maxLength:"64" doc:"its webhook-id"`
}

func (a *API) redeliver(ctx context.Context, in *DeadPath) (*struct{}, error) {
	team, err := adminOf(ctx, "")
	if err != nil {
		return nil, err
	}
	return nil, a.Webhooks.Redeliver(ctx, team, in.ID, in.Delivery)
}

func (a *API) deleteDead(ctx context.Context, in *DeadPath) (*struct{}, error) {
	team, err := adminOf(ctx, "")
	if err != nil {
		return nil, err
	}
	return nil, a.Webhooks.DeleteDead(ctx, team, in.ID, in.Delivery)
}

// webhookRoutes adds the routes of webhooks.
func (a *API) webhookRoutes(api huma.API) {
	const hooks, hook, dead = "/v1/webhooks", "/v1/webhooks/{id}", "/v1/webhooks/{id}/dead"
	route(a, api, http.MethodPost, hooks, "create-webhook", "Have the changes of the team sent to an address", a.createWebhook, created)
	route(a, api, http.MethodGet, hooks, "list-webhooks", "The webhooks of the team, without their secrets", a.listWebhooks)
	route(a, api, http.MethodGet, hook, "get-webhook", "A webhook, and how its deliveries go", a.getWebhook)
	route(a, api, http.MethodPatch, hook, "patch-webhook", "Change what is given of a webhook", a.patchWebhook)
	route(a, api, http.MethodDelete, hook, "delete-webhook", "Delete a webhook with its failed deliveries", a.deleteWebhook)
	route(a, api, http.MethodPost, hook+"/rotate", "rotate-webhook-secret", "Give a webhook a new secret", a.rotateWebhook)
	route(a, api, http.MethodGet, dead, "list-failed-deliveries", "A page of the deliveries of a webhook that failed for good", a.listDead)
	route(a, api, http.MethodPost, dead+"/{delivery}/redeliver", "redeliver", "Have a failed delivery sent again, once", a.redeliver)
	route(a, api, http.MethodDelete, dead+"/{delivery}", "delete-failed-delivery", "Delete a failed delivery", a.deleteDead)
}
