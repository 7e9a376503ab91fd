package loader

import (
	"context"
	"fmt"
	"time"

	"kith/graph"
	"kith/internal/fault"
	"kith/memory/replay"
)

// Replay says how a context of the past was answered.
type Replay string

// Recorded: with the bytes that were answered then. Reconstructed: put together from what is stored now. If the digest of the
// answer of that moment was stored, Equal and Different say instead whether this answer has the same.
const (
	Recorded      Replay = "recorded"
	Reconstructed Replay = "reconstructed"
	Equal         Replay = "equal"
	Different     Replay = "different"
)

// Replays are all of them.
var Replays = []Replay{Recorded, Reconstructed, Equal, Different} //nolint:gochecknoglobals // a constant list

// forgetful keeps nothing.
type forgetful struct{}

func (forgetful) Served(graph.Scope, string, replay.Entry) (time.Time, bool) {
	return time.Time{}, false
}

func (forgetful) Find(context.Context, graph.Scope, string, time.Time) (replay.Found, error) {
	return replay.Found{}, nil
}

// validateAt checks a request that is answered at a time.
func (r *Request) validateAt(now time.Time) error {
	if err := r.Validate(); err != nil {
		return err
	}
	return fault.CheckAsOf(r.AsOf, now)
}

// past returns the context of a moment: what was served then, or else one put together from what is stored now.
func (l *Loader) past(ctx context.Context, r *Request) (Answer, error) {
	found, err := l.options.Replays.Find(ctx, r.Scope, r.presentView(), *r.AsOf)
	if err != nil {
		return Answer{}, fmt.Errorf("replay: %w", err)
	}
	how := Recorded
	kept, err := decodeCached(found.Raw)
	if err != nil { // not kept, or by a version with another form
		how, r.erased = Reconstructed, found.Erased
		if kept, _, err = l.loadCached(ctx, r, r.view()); err != nil {
			return Answer{}, err
		}
	}
	answer, err := l.finish(*r, kept, *r.AsOf, nil)
	if err != nil {
		return Answer{}, err
	}
	switch found.Digest {
	case "":
	case replay.Digest(answer.Head, answer.Tail):
		how = Equal
	default:
		how = Different
	}
	l.options.Replayed(how)
	answer.At, answer.Replay = *r.AsOf, how
	return answer, nil
}

// whole returns the sum of all that answers depend on.
func (k cachedContext) whole() string {
	k.Whole, k.Made = "", time.Time{}
	return sum(k.encode())
}
