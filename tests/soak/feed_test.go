//go:build soak && linux

package soak

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// feedChange is a change of the feed.
type feedChange struct {
	Cursor string  `json:"cursor"`
	UserID *string `json:"user_id"`
	Op     string  `json:"op"`
	Kind   string  `json:"kind"`
	Key    string  `json:"key"`
}

// reader reads the feed of changes all the time, also while what it reads from is killed.
type reader struct {
	*client

	after string
	read  []feedChange
}

// next reads the next page, and reports whether there is more.
func (r *reader) next() (more, ok bool) {
	status, answer := r.call(http.MethodGet, "/v1/changes?limit=200&after="+url.QueryEscape(r.after), "")
	if status != http.StatusOK {
		return false, false
	}
	var page struct {
		Changes []feedChange `json:"changes"`
		Next    string       `json:"next"`
		More    bool         `json:"more"`
	}
	if err := json.Unmarshal(answer, &page); err != nil {
		r.Error(err)
		return false, false
	}
	r.read, r.after = append(r.read, page.Changes...), page.Next
	return page.More, true
}

func (r *reader) run(ctx context.Context) {
	for ctx.Err() == nil {
		if more, ok := r.next(); !more || !ok {
			<-time.After(100 * time.Millisecond)
		}
	}
}

// finish reads the rest.
func (r *reader) finish() {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		if more, ok := r.next(); ok && !more {
			return
		}
	}
	r.Error("the feed does not end")
}

// verify compares what was read during the faults with the feed as it is now, which lacks what was erased, and with what clients know.
func (r *reader) verify(all []*client) {
	r.finish()
	again := &reader{client: r.client}
	again.finish()
	seen, created := map[string]bool{}, map[string]int{}
	left := again.read
	for _, c := range r.read {
		if seen[c.Cursor] {
			r.Errorf("read twice: %+v", c)
		}
		seen[c.Cursor] = true
		if c.Op == "created" {
			created[c.Kind+" "+c.Key]++
		}
		switch erased := c.UserID != nil && strings.Contains(*c.UserID, "-"); {
		case len(left) > 0 && left[0].Cursor == c.Cursor:
			left = left[1:]
		case !erased:
			r.Errorf("was read, and is not in the feed any more: %+v", c)
		}
	}
	if len(left) > 0 {
		r.Errorf("%d changes were not read in time, or in another order: %+v", len(left), left[0])
	}
	for _, c := range all {
		for _, k := range append(c.concepts, c.deleted...) {
			if n := created["concept "+k.key]; n != 1 {
				r.Errorf("%s was acknowledged, and the feed has it %d times", k.key, n)
			}
		}
	}
	r.changes += len(r.read)
}
