package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// Refusals of what is no message that is taken. The protocol has dropped lists, and each call is to be limited, bounded and audited by itself; names
// that are not known come back in an answer.
const (
	refusedList = "lists of messages are not taken: send each message in a request of its own"
	refusedName = "id, method and name must have at most 256 bytes, uri 4,096"
)

const (
	maxName = 256
	maxURI  = 4096
)

// Methods that the SDK knows. Over HTTP it answers others as if they were no messages.
var knownMethods = map[string]bool{ //nolint:gochecknoglobals // a constant table
	initializeMethod: true, "ping": true, "server/discover": true, listenMethod: true, "logging/setLevel": true, "completion/complete": true,
	"tools/list": true, "tools/call": true, "prompts/list": true, "prompts/get": true,
	"resources/list": true, "resources/templates/list": true, "resources/read": true, "resources/subscribe": true, "resources/unsubscribe": true,
	"notifications/initialized": true, canceledMethod: true, "notifications/progress": true, "notifications/roots/list_changed": true,
}

// statusVersion is the first version of the protocol in which the status of an answer says that a method is unknown.
const statusVersion = "2026-07-28"

// single is a handler that takes one message a request.
func single(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, "the body was not read", http.StatusBadRequest)
			return
		}
		if refused := notTaken(body); refused != "" {
			refuse(w, http.StatusBadRequest, &refusal{code: invalidRequest, text: refused})
			return
		}
		if r.Method == http.MethodPost {
			m, err := readEnvelope(bytes.TrimSpace(body))
			var refused *refusal
			if errors.As(err, &refused) {
				refuse(w, http.StatusBadRequest, refused)
				return
			}
			if m.method != "" && !knownMethods[m.method] && r.Header.Get("Mcp-Protocol-Version") < statusVersion {
				refuseMethod(w, m)
				return
			}
			body = heldOf(r.Context()).take(m)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

// refuse answers with a refusal.
func refuse(w http.ResponseWriter, status int, r *refusal) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(r.answer()) // a caller that has gone is nobody's error
}

// refuseMethod answers a call of an unknown method; a notification has no answer.
func refuseMethod(w http.ResponseWriter, m envelope) {
	if m.id == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	refuse(w, http.StatusOK, &refusal{id: m.id, code: methodNotFound, text: fmt.Sprintf("method not found: %q", m.method)})
}

// notTaken says why a body is no message that is taken; empty: it is one, or the SDK says more.
func notTaken(body []byte) string {
	if begin := bytes.TrimLeft(body, " \t\r\n"); len(begin) > 0 && begin[0] == '[' {
		return refusedList
	}
	var message struct {
		ID     json.RawMessage
		Method string
		Params struct{ Name, URI string }
	}
	_ = json.Unmarshal(body, &message)
	if max(len(message.ID), len(message.Method), len(message.Params.Name)) > maxName || len(message.Params.URI) > maxURI {
		return refusedName
	}
	return ""
}
