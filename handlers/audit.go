package handlers

import (
	"net/http"
	"slices"

	"github.com/gin-gonic/gin"

	"kith/access/audit"
)

// readOnlyPosts are the POST routes that usually change nothing. Package mcp writes a line of its own for each tool call that does.
var readOnlyPosts = []string{"/v1/explore", "/v1/prompt", "/v1/traverse", mcpPath} //nolint:gochecknoglobals // a constant table

// writeAudit writes a line for each request that changed something: the caller, and what changed. Refused requests change nothing.
func (a *API) writeAudit(c *gin.Context) {
	if a.Audit == nil {
		return
	}
	ctx, trail := audit.WithTrail(c.Request.Context())
	c.Request = c.Request.WithContext(ctx)
	c.Next()
	status := c.Writer.Status()
	if status >= http.StatusBadRequest && status < http.StatusInternalServerError {
		return
	}
	users, ids := trail.Changes()
	asks := c.Request.Method == http.MethodGet || slices.Contains(readOnlyPosts, c.FullPath())
	if asks && len(users)+len(ids) == 0 {
		return
	}
	for _, p := range c.Params {
		if p.Key != "kind" && p.Key != "name" { // which is a text
			ids = append(slices.DeleteFunc(ids, func(id string) bool { return id == p.Value }), p.Value)
		}
	}
	ctx = c.Request.Context()
	caller := principal(ctx)
	err := a.Audit.Write(audit.Entry{
		At: a.options.Now().UTC(), Operation: c.Request.Method + " " + c.FullPath(), Status: status, RequestID: requestID(ctx),
		KeyID: caller.KeyID, TeamID: caller.TeamID, Users: users, IDs: ids,
	})
	if err != nil { // what was done is done
		a.options.Log.Error("write audit log failed", "request_id", requestID(ctx), "error", err)
	}
}
