package replay

import (
	"context"
	"time"

	"kith/graph"
	"kith/graph/pack"
	"kith/internal/sleep"
)

// foundRow is a row of replay_find.
type foundRow struct {
	Sum     string
	Encoded any
	Digest  string
}

// Found has what is known of a moment.
type Found struct {
	Raw    []byte // nil: what was served is not known
	Digest string // of the answer of that moment, in hex; empty: not noted
	Erased bool   // the user or the team was erased since
}

const (
	settle     = 3 * time.Second // in which other instances store what they served
	settleLook = 100 * time.Millisecond
)

// Find returns what was served of a view at a moment. If an instance answered at that moment, it returns what that instance served;
// otherwise what any instance served last in the five minutes before.
func (r *Recorder) Find(ctx context.Context, scope graph.Scope, view string, moment time.Time) (Found, error) {
	at := nanos(moment)
	r.settle(ctx, at)
	found, err := r.look(ctx, scope, view, at)
	for err == nil && found.Raw == nil && r.isPending(at) && sleep.For(ctx, settleLook) {
		found, err = r.look(ctx, scope, view, at)
	}
	if err != nil || found.Raw != nil {
		return found, err
	}
	erased, err := r.store.graph.Fence().LastErasure(ctx, scope.TeamID, scope.UserID)
	found.Erased = erased.After(moment)
	return found, err
}

// settle stores what this instance served, if the moment is not before. It does not wait longer than ctx; the work goes on.
func (r *Recorder) settle(ctx context.Context, at int64) {
	r.mu.Lock()
	mine := numberOf(at) == r.number || numberOf(at) == 0
	r.mu.Unlock()
	if mine && at > r.flushed.Load() {
		select {
		case <-r.startFlush(ctx, context.WithoutCancel(ctx)):
		case <-ctx.Done():
		}
	}
}

// isPending reports whether another instance answered at a moment, and may not have stored that yet.
func (r *Recorder) isPending(at int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	number := numberOf(at)
	return number != 0 && number != r.number && r.options.Now().UnixNano()-at < int64(settle)
}

// look reads what is stored.
func (r *Recorder) look(ctx context.Context, scope graph.Scope, view string, at int64) (Found, error) {
	params := map[string]any{
		"team_id": scope.TeamID, "user_id": scope.UserID, "view": hashOf(view), "at": at, "since": at - int64(maxRecord), "until": at,
		"instance": nil,
	}
	if number := numberOf(at); number != 0 {
		params["instance"] = number
	} else {
		params["since"], params["until"] = at-int64(maxRecord+maxPause), at-int64(maxPause)
	}
	row, err := findServed.ReadOne(ctx, r.store.db, params)
	if err != nil {
		return Found{}, err
	}
	if packed, ok := row.Encoded.([]byte); ok {
		raw, err := pack.Unpack(packed)
		if err == nil {
			return Found{Raw: raw, Digest: row.Digest}, nil
		}
		r.options.Log.Warn("served context cannot be read", "error", err)
	}
	return Found{Digest: row.Digest}, nil
}
