package mcp

import (
	"bytes"
	"io"
	"net/http"
)

// refusedBatch answers a list of messages. The protocol has dropped them, and each call is to be limited, bounded and audited by itself.
const refusedBatch = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"lists of messages are not taken: send each message in a request of its own"}}`

// single is a handler that takes one message a request.
func single(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, "the body was not read", http.StatusBadRequest)
			return
		}
		if begin := bytes.TrimLeft(body, " \t\r\n"); len(begin) > 0 && begin[0] == '[' {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, refusedBatch) // a caller that has gone is nobody's error
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}
