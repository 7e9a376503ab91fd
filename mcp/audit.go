package mcp

import (
	"context"
	"errors"
	"net/http"
	"time"

	"kith/access/audit"
	"kith/access/auth"
	"kith/graph"
	"kith/internal/fault"
)

// writeAudit writes a line for a call that changed something, or may have, as a request over HTTP has one.
func (s *Server) writeAudit(ctx context.Context, tool string, trail *audit.Trail, err error) {
	users, ids := trail.Changes()
	failed := err != nil && !isRefusal(err)
	if s.Audit == nil || len(ids) == 0 && (!failed || s.needs[tool] == auth.Read) {
		return
	}
	status := http.StatusOK
	if failed {
		status = http.StatusInternalServerError
	}
	caller := auth.PrincipalOf(ctx)
	err = s.Audit.Write(audit.Entry{
		At: time.Now().UTC(), Operation: "mcp " + tool, Status: status, RequestID: s.options.RequestID(ctx),
		KeyID: caller.KeyID, TeamID: caller.TeamID, Users: users, IDs: ids,
	})
	if err != nil { // what was done is done
		s.options.Log.ErrorContext(ctx, "write audit log failed", "tool", tool, "error", err)
	}
}

// isRefusal reports whether a call failed without storing anything.
func isRefusal(err error) bool {
	for _, refusal := range []error{
		fault.ErrInvalid, fault.ErrNotFound, fault.ErrConflict, graph.ErrQuota, graph.ErrTooLarge, graph.ErrBusy, auth.ErrForbidden, auth.ErrUnauthorized,
	} {
		if errors.Is(err, refusal) {
			return true
		}
	}
	return false
}
