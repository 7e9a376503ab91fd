package auth

import (
	"context"
	"maps"
	"time"
)

const (
	useEvery = time.Minute
	useTime  = 5 * time.Second // timeout of the last write, when the service stops
)

// use records the use of a key. A key in use is looked up every two seconds, and so recorded as often.
func (k *Keys) use(keyID string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.used[keyID] = k.now()
}

// Run stores when keys were last used, once a minute until ctx is done, and then once more. After a failure the next
// run stores them.
func (k *Keys) Run(ctx context.Context) error {
	tick := time.NewTicker(useEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			k.noteUse(ctx)
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), useTime)
			defer cancel()
			k.noteUse(last)
			return nil
		}
	}
}

func (k *Keys) noteUse(ctx context.Context) {
	k.mu.Lock()
	used := k.used
	k.used = map[string]time.Time{}
	k.mu.Unlock()
	if len(used) == 0 || k.store.TouchAPIKeys(ctx, used) == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	maps.Copy(used, k.used) // later ones
	k.used = used
}
