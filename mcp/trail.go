package mcp

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"kith/audit"
	"kith/auth"
	"kith/graph"
)

// trail records the changes of one call.
type trail struct {
	mu         sync.Mutex
	users, ids []string
	unsure     bool // a write failed in such a way that it may have been stored
}

type trailKey struct{}

// noted puts what a call has changed on its trail.
func noted(ctx context.Context, users []string, ids ...string) {
	if t, _ := ctx.Value(trailKey{}).(*trail); t != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.users, t.ids = append(t.users, users...), append(t.ids, ids...)
	}
}

// notedUnsure puts on the trail of a call that a write failed, unless nothing can have come of it.
func notedUnsure(ctx context.Context, err error, users []string) {
	for _, nothing := range []error{
		graph.ErrInvalid, graph.ErrNotFound, graph.ErrConflict, graph.ErrQuota, graph.ErrBusy, auth.ErrForbidden, auth.ErrUnauthorized,
	} {
		if errors.Is(err, nothing) {
			return
		}
	}
	if t, _ := ctx.Value(trailKey{}).(*trail); t != nil {
		noted(ctx, users)
		t.mu.Lock()
		defer t.mu.Unlock()
		t.unsure = true
	}
}

// audited gives a call its trail, and done writes a line if the call changed something, or may have: as a request over HTTP has one.
func (s *Server) audited(ctx context.Context, tool string) (inner context.Context, done func()) {
	if s.Audit == nil {
		return ctx, func() {}
	}
	t := &trail{}
	return context.WithValue(ctx, trailKey{}, t), func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if len(t.ids) == 0 && !t.unsure {
			return
		}
		if err := s.Audit.Write(t.entry(ctx, s.options.RequestID(ctx), tool)); err != nil { // what was done is done
			s.options.Log.ErrorContext(ctx, "not audited", "tool", tool, "error", err)
		}
	}
}

func (t *trail) entry(ctx context.Context, request, tool string) audit.Entry {
	caller, status := auth.PrincipalOf(ctx), http.StatusOK
	if t.unsure {
		status = http.StatusInternalServerError
	}
	slices.Sort(t.users)
	return audit.Entry{
		At: time.Now().UTC(), Operation: "mcp " + tool, Status: status, RequestID: request,
		KeyID: caller.KeyID, TeamID: caller.TeamID, Users: slices.Compact(t.users), IDs: slices.Compact(t.ids),
	}
}
