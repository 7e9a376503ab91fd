package handlers

import (
	"context"
	"errors"
	"sync"
	"time"

	"kith/access/auth"
)

// lookEvery is the time between two looks at the credential of a stream. A look costs a statement in two seconds at most.
const lookEvery = time.Second

// whileAuthorized returns a context that ends when the credential of its request is revoked or expires, or when its user or team is erased: its
// cause is auth.ErrUnauthorized then. A database or an issuer that does not answer ends nothing. Call done at the end.
func (a *API) whileAuthorized(ctx context.Context, credential string) (_ context.Context, done func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	_, verify := a.verifier(credential)
	var looking sync.WaitGroup
	looking.Go(func() {
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if _, err := verify(ctx, credential); errors.Is(err, auth.ErrUnauthorized) {
				cancel(auth.ErrUnauthorized)
				return
			}
		}
	})
	return ctx, func() {
		cancel(context.Canceled)
		looking.Wait()
	}
}

// isRefused says whether the credential of a request stopped being good while it was answered.
func isRefused(ctx context.Context) bool { return errors.Is(context.Cause(ctx), auth.ErrUnauthorized) }
