package cache

import (
	"context"
	"encoding/binary"
	"sync"
	"time"
)

// entry is what is cached for a key.
type entry struct {
	value []byte
	until time.Time // from then on it is another answer; zero: until it is dropped
}

func (e entry) holds(now time.Time) bool { return e.until.IsZero() || now.Before(e.until) }

// endMark stands in the checksum of an entry in Redis that has an end, and so tells it from one that has none.
const endMark = "\x00until"

// seal returns the entry as it is kept in Redis: with a checksum, and its end in milliseconds before the value.
func (e entry) seal(key string) []byte {
	if e.until.IsZero() {
		return seal(key, e.value)
	}
	ending := binary.BigEndian.AppendUint64(make([]byte, 0, 8+len(e.value)), uint64(e.until.UnixMilli())) //nolint:gosec // after 1970
	return seal(key+endMark, append(ending, e.value...))
}

// unsealEntry returns the entry that was sealed, and whether its checksum is right.
func unsealEntry(key string, sealed []byte) (entry, bool) {
	if value, ok := unseal(key, sealed); ok {
		return entry{value: value}, true
	}
	ending, ok := unseal(key+endMark, sealed)
	if !ok || len(ending) < 8 {
		return entry{}, false
	}
	return entry{ending[8:], time.UnixMilli(int64(binary.BigEndian.Uint64(ending)))}, true //nolint:gosec // as it was sealed
}

// loadEnd collects the end of what a load computes.
type loadEnd struct {
	mu    sync.Mutex
	until time.Time
}

type loadEndKey struct{}

func withEnd(ctx context.Context) (context.Context, *loadEnd) {
	end := &loadEnd{}
	return context.WithValue(ctx, loadEndKey{}, end), end
}

func (l *loadEnd) at() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.until
}

// Until says that what the load with this context computes is right only before a time. The earliest counts. Where
// nothing is cached it has no effect.
func Until(ctx context.Context, at time.Time) {
	end, ok := ctx.Value(loadEndKey{}).(*loadEnd)
	if !ok {
		return
	}
	end.mu.Lock()
	defer end.mu.Unlock()
	if end.until.IsZero() || at.Before(end.until) {
		end.until = at
	}
}
