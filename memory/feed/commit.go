package feed

import (
	"slices"
	"strings"
	"time"

	"kith/graph"
)

// commit is a row of commit_list.
type commit struct {
	Seq     int64
	At      time.Time
	UserID  *string
	Written string
	Items   []string
	Packed  any // bytes
}

// change returns the change of an item of the commit. Of what a team shares it omits the source, which is private.
func (c *commit) change(i graph.FeedItem) Change {
	by := append(strings.SplitN(c.Written, " ", 3), "", "")
	change := Change{
		At: c.At, UserID: c.UserID, Op: string(i.Op), Kind: i.Kind, Key: i.Key, Version: i.Version, Type: i.Type, From: i.From, To: i.To,
		By: by[0], Through: by[1],
	}
	if c.UserID != nil {
		change.Source = by[2]
	}
	return change
}

// selects reports whether the filter selects a change.
func (q Filter) selects(c *Change) bool {
	return (len(q.Kinds) == 0 || slices.Contains(q.Kinds, c.Kind)) && (len(q.Ops) == 0 || slices.Contains(q.Ops, c.Op))
}
