package feed

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// commit is a row of commit_list.
type commit struct {
	Seq     int64
	At      time.Time
	UserID  *string
	Written string
	Items   []string
}

const (
	separator = "\x1f" // between the fields of an item
	fields    = 7      // op, kind, key, version, type, from, to
)

// change returns one change of the commit. Of what a team shares it omits the source, which is private.
func (c *commit) change(item int) Change {
	f := append(strings.SplitN(c.Items[item], separator, fields), make([]string, fields)...)
	by := append(strings.SplitN(c.Written, " ", 3), "", "")
	version, _ := strconv.ParseInt(f[3], 10, 64) // empty: the record has none
	change := Change{
		At: c.At, UserID: c.UserID, Op: f[0], Kind: f[1], Key: f[2], Version: version, Type: f[4], From: f[5], To: f[6],
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
