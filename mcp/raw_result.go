package mcp

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// held are values of the answers to one request over HTTP. The SDK encodes an answer into a result and that into a message, and each
// time reads through all that is encoded already. So it is given a name for what is long, which takes the place of its name
// when the message is sent.
type held struct {
	http.ResponseWriter
	prefix string          // of names: nobody can guess it, so nothing that a memory says is taken for one
	id     json.RawMessage // of the call that is answered, as it came; nil: it is not known
	posted bool            // it answers a message
	plain  bool            // what is written is the text of a refusal

	mu     sync.Mutex
	values []json.RawMessage
}

type heldKey struct{}

// holding is a handler whose answers are sent with what is held for them.
func holding(next http.Handler) http.Handler {
	prefix := rand.Text() + "-"
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := &held{ResponseWriter: w, prefix: prefix, posted: r.Method == http.MethodPost}
		next.ServeHTTP(h, r.WithContext(context.WithValue(r.Context(), heldKey{}, h)))
	})
}

// heldOf returns the holder of values of a request; nil for one that did not come over HTTP.
func heldOf(ctx context.Context) *held {
	h, _ := ctx.Value(heldKey{}).(*held)
	return h
}

// hold keeps a value, which is JSON, until the answer is sent, and gives its name.
func (h *held) hold(value json.RawMessage) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.values = append(h.values, value)
	return h.name(len(h.values) - 1)
}

func (h *held) name(place int) string { return h.prefix + strconv.Itoa(place) }

// idName takes the place of an id that the SDK would not answer as it came.
func (h *held) idName() []byte { return strconv.AppendQuote(nil, h.prefix+"id") }

// take notes the id of a message, and returns the message as the SDK gets it. The SDK reads numbers as float64 and cuts them to whole ones.
func (h *held) take(m envelope) []byte {
	h.id = m.id
	if m.id == nil {
		return m.raw
	}
	return m.withID(h.idName())
}

// WriteHeader makes a refusal that is only a text one of the protocol.
func (h *held) WriteHeader(status int) {
	if h.plain = status >= http.StatusBadRequest && h.posted && strings.HasPrefix(h.Header().Get("Content-Type"), "text/plain"); h.plain {
		h.Header().Set("Content-Type", "application/json")
	}
	h.ResponseWriter.WriteHeader(status)
}

// Write sends a message, or several, in one piece, as the SDK hands it over.
func (h *held) Write(message []byte) (int, error) {
	h.mu.Lock()
	values := h.values
	h.values = nil
	h.mu.Unlock()
	whole := message
	if h.plain {
		whole = (&refusal{id: h.id, code: invalidRequest, text: string(bytes.TrimSpace(message))}).answer()
	}
	if h.id != nil {
		whole = bytes.Replace(whole, h.idName(), h.id, 1)
	}
	for place, value := range values {
		whole = bytes.Replace(whole, strconv.AppendQuote(nil, h.name(place)), value, 1)
	}
	if len(values) > 0 || h.Header().Get("Content-Length") != "" {
		h.Header().Set("Content-Length", strconv.Itoa(len(whole)))
	}
	if _, err := h.ResponseWriter.Write(whole); err != nil {
		return 0, err
	}
	return len(message), nil
}

// Unwrap is for http.ResponseController.
func (h *held) Unwrap() http.ResponseWriter { return h.ResponseWriter }
