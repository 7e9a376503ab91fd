package handlers

import (
	"context"
	"net/http"
	"slices"
	"sync"

	"github.com/gin-gonic/gin"

	"kith/audit"
)

// trail is what a request has changed.
type trail struct {
	mu         sync.Mutex
	users, ids []string
}

// asking are the routes of POST that change nothing, unless they say so. Over MCP each call of a tool that changes something has its own
// line, which package mcp writes.
var asking = []string{"/v1/explore", "/v1/prompt", "/v1/traverse", mcpPath} //nolint:gochecknoglobals // a constant table

// audited writes of each request that changed something who made it, and what it changed. What is refused changes nothing.
func (a *API) audited(c *gin.Context) {
	if a.Audit == nil {
		return
	}
	t := &trail{}
	c.Request = c.Request.WithContext(context.WithValue(c.Request.Context(), trailKey, t))
	c.Next()
	status := c.Writer.Status()
	if status >= http.StatusBadRequest && status < http.StatusInternalServerError {
		return
	}
	asks := c.Request.Method == http.MethodGet || slices.Contains(asking, c.FullPath())
	if asks && len(t.users)+len(t.ids) == 0 {
		return
	}
	for _, p := range c.Params {
		if p.Key != "kind" && p.Key != "name" { // which is a text
			t.ids = append(t.ids, p.Value)
		}
	}
	ctx := c.Request.Context()
	caller := principal(ctx)
	slices.Sort(t.users)
	err := a.Audit.Write(audit.Entry{
		At: a.options.Now().UTC(), Operation: c.Request.Method + " " + c.FullPath(), Status: status, RequestID: requestID(ctx),
		KeyID: caller.KeyID, TeamID: caller.TeamID, Users: slices.Compact(t.users), IDs: t.ids,
	})
	if err != nil { // what was done is done
		a.options.Log.Error("not audited", "request_id", requestID(ctx), "error", err)
	}
}

// noted puts what a request has changed on its trail.
func noted(ctx context.Context, users []string, ids ...string) {
	if t, _ := ctx.Value(trailKey).(*trail); t != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.users, t.ids = append(t.users, users...), append(t.ids, ids...)
	}
}
