package mcp

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
)

// Refusals of what is no message. The protocol has dropped lists, and each call is to be limited, bounded and audited by itself; names
// that are not known come back in an answer.
const (
	refusedList = "lists of messages are not taken: send each message in a request of its own"
	refusedName = "id, method and name must have at most 256 bytes, uri 4,096"
)

const (
	maxName = 256
	maxURI  = 4096
)

// single is a handler that takes one message a request.
func single(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, "the body was not read", http.StatusBadRequest)
			return
		}
		if refused := notTaken(body); refused != "" {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"`+refused+`"}}`) // a caller that has gone is nobody's error
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
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
