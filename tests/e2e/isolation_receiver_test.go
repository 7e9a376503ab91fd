package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kith/handlers"
)

// receiver gets what webhooks deliver. It wants no more at /gone.
type receiver struct {
	*httptest.Server
	compared int

	mu  sync.Mutex
	got map[string][]received // by the id of the webhook
}

// received is a request of a delivery.
type received struct {
	id, body   string
	signatures int
}

func startReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{got: map[string][]received{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		var delivery struct {
			ID string `json:"webhook_id"`
		}
		_ = json.Unmarshal(body, &delivery)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.got[delivery.ID] = append(r.got[delivery.ID], received{
			request.Header.Get("webhook-id"), request.Header.Get("webhook-timestamp") + " " + string(body), len(strings.Fields(request.Header.Get("webhook-signature"))),
		})
		if request.URL.Path == "/gone" {
			w.WriteHeader(http.StatusGone)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// deliveries delivers what is due to the webhooks of a team, and returns what the receiver got of each, and what became of it.
func (r *receiver) deliveries(t *testing.T, k *isolated) reply {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var delivering sync.WaitGroup
	delivering.Go(func() {
		_ = k.instance.Deliver(ctx)
	})
	defer delivering.Wait()
	defer cancel()
	var after reply
	var ids []string
	for begun, all := time.Now(), false; !all; time.Sleep(100 * time.Millisecond) {
		after = k.call(ctx, handlers.Operation{Method: http.MethodGet, Path: "/v1/webhooks"})
		if ids, all = k.settled(ctx, t, after); !all && time.Since(begun) > 5*time.Minute {
			t.Fatalf("at %v some webhooks still have something to deliver: %s", k.instance.Store.Now(), after.body)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var all bytes.Buffer
	for _, id := range ids {
		got := r.got[id]
		slices.SortStableFunc(got, func(a, b received) int { return strings.Compare(a.body, b.body) }) // redeliveries come when they may
		for _, one := range got {
			fmt.Fprintf(&all, "%s %d %s\n", one.id, one.signatures, one.body)
		}
		r.compared += len(got)
		delete(r.got, id)
	}
	all.Write(after.body)
	return reply{after.status, nil, k.numbered(all.Bytes())}
}

// settled returns the webhooks of a list, and reports whether none of them has anything left to deliver.
func (k *isolated) settled(ctx context.Context, t *testing.T, list reply) (ids []string, settled bool) {
	t.Helper()
	var end struct{ Next string }
	var found struct {
		Webhooks []struct {
			ID, Cursor string
			Active     bool
			NextAt     *time.Time `json:"next_attempt_at"`
		}
	}
	changes := k.call(ctx, handlers.Operation{Method: http.MethodGet, Path: "/v1/changes?after=now"})
	if err := errors.Join(json.Unmarshal(list.body, &found), json.Unmarshal(changes.body, &end)); err != nil {
		t.Fatalf("%v: %s, %s", err, list.body, changes.body)
	}
	settled = true
	for _, each := range found.Webhooks {
		ids = append(ids, each.ID)
		settled = settled && (!each.Active || each.Cursor == end.Next || each.NextAt != nil && each.NextAt.After(k.instance.Store.Now()))
	}
	return ids, settled
}
