package handlers

import (
	"context"
	"net/http"
	"slices"
	"sync"

	"github.com/gin-gonic/gin"

	"kith/audit"
)

// trail records the users and ids that a request changed.
type trail struct {
	mu         sync.Mutex
	users, ids []string
}

// readOnlyPosts are the POST routes that usually change nothing. Package mcp writes a line of its own for each tool call that does.
var readOnlyPosts = []string{"/v1/explore", "/v1/prompt", "/v1/traverse", mcpPath} //nolint:gochecknoglobals // a constant table

// writeAudit writes a line for each request that changed something: the caller, and what changed. Refused requests change nothing.
func (a *API) writeAudit(c *gin.Context) {
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
	asks := c.Request.Method == http.MethodGet || slices.Contains(readOnlyPosts, c.FullPath())
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
		a.options.Log.Error("write audit log failed", "request_id", requestID(ctx), "error", err)
	}
}

// noteChange adds users and ids to the trail of a request.
func noteChange(ctx context.Context, users []string, ids ...string) {
	if t, _ := ctx.Value(trailKey).(*trail); t != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.users, t.ids = append(t.users, users...), append(t.ids, ids...)
	}
}
