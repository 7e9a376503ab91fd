package handlers

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"kith/access/auth"
	"kith/graph/fence"
)

type contextKey int

const (
	requestIDKey contextKey = iota
	controllerKey
	decisionKey
)

const requestIDHeader = "X-Request-Id"

func requestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey).(string)
	return id
}

// RequestID is the id of the request that is answered with a context; empty for another one.
func RequestID(ctx context.Context) string { return requestID(ctx) }

// principal is the caller; the middleware has made sure that there is one.
func principal(ctx context.Context) auth.Principal { return auth.PrincipalOf(ctx) }

// observe sets the request id and reports the request when it ends.
func (a *API) observe(c *gin.Context) {
	start := time.Now()
	ctx, end := a.options.Trace(c.Request, method(c.Request), routeOf(c))
	defer func() { // also of an answer that breaks off
		a.observed(c, time.Since(start))
		end(c.Writer.Status())
	}()
	id := c.GetHeader(requestIDHeader)
	if !goodRequestID(id) {
		id = uuid.NewString()
	}
	c.Header(requestIDHeader, id)
	c.Request = c.Request.WithContext(context.WithValue(ctx, requestIDKey, id))
	c.Next()
}

func (a *API) observed(c *gin.Context, took time.Duration) {
	id, route := requestID(c.Request.Context()), routeOf(c)
	a.options.Observe(route, method(c.Request), c.Writer.Status(), took)
	if a.options.Log.Enabled(c.Request.Context(), slog.LevelDebug) {
		a.options.Log.Debug("request", "request_id", id, "method", method(c.Request), "route", route,
			"status", c.Writer.Status(), "bytes", c.Writer.Size(), "took", took)
	}
}

// methods lists the methods of all routes.
var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions} //nolint:gochecknoglobals // a constant table

// method is a request's method, or "other": callers without a key choose it, and metrics keep a series of each.
func method(r *http.Request) string {
	if slices.Contains(methods, r.Method) {
		return r.Method
	}
	return "other"
}

// routeOf is the template of a request's path.
func routeOf(c *gin.Context) string {
	if route := c.FullPath(); route != "" {
		return route
	}
	return "none"
}

// goodRequestID accepts a caller's id that is safe to log and to send back.
func goodRequestID(id string) bool {
	if len(id) == 0 || len(id) > 128 {
		return false
	}
	for _, r := range id {
		if r <= ' ' || r > '~' {
			return false
		}
	}
	return true
}

// recover answers for a handler that panicked.
func (a *API) recover(c *gin.Context) {
	defer func() {
		if fault := recover(); fault == http.ErrAbortHandler { //nolint:errorlint // the very same: the connection is to break
			panic(fault)
		} else if fault != nil {
			a.options.Log.Error("panic", "request_id", requestID(c.Request.Context()), "fault", fault, "stack", string(debug.Stack()))
			abort(c, problemFor(errors.New("panic")))
		}
	}()
	c.Next()
}

// readings are the requests in which a language model may be asked.
var readings = map[string]bool{ //nolint:gochecknoglobals // a constant table
	"POST /v1/sources": true, "POST /v1/conversations/:id/end": true, "POST /v1/systems/:system/memory": true, "POST " + mcpPath: true,
}

// deadline bounds the request as a whole; nothing below has one of its own.
func (a *API) deadline(c *gin.Context) {
	if isStream(c) {
		a.boundStream(c)
		return
	}
	limit := a.options.Deadline
	if a.Digests != nil && readings[c.Request.Method+" "+c.FullPath()] {
		limit += a.options.Reading
	}
	a.boundConnection(c, limit)
	ctx, cancel := context.WithTimeout(c.Request.Context(), limit)
	defer cancel()
	c.Request = c.Request.WithContext(ctx)
	c.Next()
}

// boundConnection bounds how long a caller may take to send the body and to read the answer. Without, one that sends a byte a second
// holds its connection for as long as it likes.
func (a *API) boundConnection(c *gin.Context, limit time.Duration) {
	connection, now := http.NewResponseController(c.Writer), time.Now()
	_ = connection.SetWriteDeadline(now.Add(limit + a.options.StreamPause))
	if c.Request.ContentLength != 0 {
		_ = connection.SetReadDeadline(now.Add(a.options.Deadline))
	}
}

// boundStream leaves the connection to the stream, and then bounds how long it waits for what that left unread.
func (a *API) boundStream(c *gin.Context) {
	connection := http.NewResponseController(c.Writer)
	_ = connection.SetWriteDeadline(time.Time{}) // of an earlier request
	c.Next()
	_ = connection.SetReadDeadline(time.Now().Add(a.options.Deadline))
}

// Credential is the kind of credential that a request carries.
type Credential string

// Key is an API key, or nothing that is known; Token a token, where those are good.
const (
	Key   Credential = "key"
	Token Credential = "token"
)

// caller is who shows a credential.
func (a *API) caller(ctx context.Context, credential string) (auth.Principal, error) {
	kind, verify := a.verifier(credential)
	p, err := verify(ctx, credential)
	a.options.Verified(kind, err)
	return p, err
}

func (a *API) verifier(credential string) (Credential, func(context.Context, string) (auth.Principal, error)) {
	if a.Tokens != nil && auth.IsToken(credential) {
		return Token, a.Tokens.Verify
	}
	return Key, a.Keys.Verify
}

// authenticate lets nobody into /v1 or /mcp without a credential.
func (a *API) authenticate(c *gin.Context) {
	if path := c.Request.URL.Path; path != mcpPath && !strings.HasPrefix(path, "/v1/") {
		return
	}
	key, ok := strings.CutPrefix(c.GetHeader("Authorization"), "Bearer ")
	if !ok {
		key = ""
	}
	key = strings.TrimSpace(key)
	ctx := auth.WithRemote(fence.WithBegin(c.Request.Context(), time.Now()), c.Request.RemoteAddr)
	p, err := a.caller(ctx, key)
	if err != nil {
		problem := problemFor(err)
		switch problem.Status {
		case http.StatusUnauthorized:
			c.Header("WWW-Authenticate", a.challenge(c.Request))
			c.Header("Cache-Control", "no-store") // the challenge repeats the host that the request names
		case http.StatusTooManyRequests:
		default:
			a.options.Log.Error("caller not verified", "request_id", requestID(c.Request.Context()), "error", err)
		}
		abort(c, problem)
		return
	}
	ctx = auth.WithPrincipal(ctx, p)
	if isStream(c) || c.Request.URL.Path == mcpPath {
		var done func()
		ctx, done = a.whileAuthorized(ctx, key)
		defer done()
		c.Request = c.Request.WithContext(ctx)
		c.Next()
		return
	}
	c.Request = c.Request.WithContext(ctx)
}
