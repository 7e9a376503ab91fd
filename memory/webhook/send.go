package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"kith/graph"
	"kith/memory/feed"
)

const (
	attemptTime = 10 * time.Second // of an attempt, from the look-up of the name to the end of the answer
	maxAnswer   = 4 << 10          // bytes that are read of an answer
	maxChanges  = 100              // of a delivery
	maxBody     = 256 << 10        // bytes of a delivery

	agent = "Kith-Webhooks/1"
)

// newDialer returns a dialer that connects to public addresses only, unless private is true.
func newDialer(private bool) *net.Dialer {
	dialer := &net.Dialer{Timeout: attemptTime}
	if !private {
		dialer.Control = refusePrivate
	}
	return dialer
}

// newClient returns a client that uses no proxy and follows no redirect.
func newClient(dialer *net.Dialer) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSHandshakeTimeout: attemptTime, MaxResponseHeaderBytes: 16 << 10, DisableCompression: true,
			MaxIdleConns: mostJobs, MaxIdleConnsPerHost: 1, IdleConnTimeout: 30 * time.Second,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Results of attempts, beside "status" and a number.
const (
	resultDelivered  = "delivered"
	resultRedirect   = "redirect"
	resultTimeout    = "timeout"
	resultConnection = "no connection"
	resultGone       = "status 410"
)

// delivery is the body of a request.
type delivery struct {
	Type      string        `json:"type"`
	WebhookID string        `json:"webhook_id"`
	Changes   []feed.Change `json:"changes"`
	Next      string        `json:"next"`
}

// encode returns the body of a delivery.
func encode(webhook string, changes []feed.Change, next string) ([]byte, error) {
	body, err := json.Marshal(delivery{"memory.changed", webhook, changes, next})
	return graph.CutKeyMarks(body), err
}

// fit returns how many of the changes fit into a delivery: at least one.
func fit(changes []feed.Change) (int, error) {
	size := 1 << 10 // of what is not a change
	for i := range changes {
		raw, err := json.Marshal(&changes[i])
		if err != nil {
			return 0, err
		}
		if size += len(raw) + 1; size > maxBody && i > 0 {
			return i, nil
		}
	}
	return len(changes), nil
}

// send makes one attempt and returns its result. The answer is not kept.
func (d *Deliverer) send(ctx context.Context, h *claimed, id string, body []byte) string {
	ctx, cancel := context.WithTimeout(ctx, d.attempt)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(body))
	if err != nil {
		return resultConnection
	}
	now := d.store.graph.Now()
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", agent)
	request.Header.Set("webhook-id", id)
	request.Header.Set("webhook-timestamp", strconv.FormatInt(now.Unix(), 10))
	request.Header.Set("webhook-signature", signatures(h.secrets(now), id, now, body))
	response, err := d.client.Do(request)
	if err != nil {
		return resultOf(err)
	}
	defer func() { _ = response.Body.Close() }()
	_, _ = io.CopyN(io.Discard, response.Body, maxAnswer) // so that the connection can be used again
	switch response.StatusCode / 100 {
	case 2:
		return resultDelivered
	case 3:
		return resultRedirect
	}
	return "status " + strconv.Itoa(response.StatusCode)
}

// resultOf returns the result of a request that was not answered. The error's own text has the address.
func resultOf(err error) string {
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return resultTimeout
	}
	return resultConnection // also for an address that is not public: it would reveal which inner names there are
}
