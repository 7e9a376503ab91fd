package cache

import (
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/maypok86/otter/v2"
)

// maxVersions bounds how many users' versions a process remembers. A dropped one costs a miss.
const maxVersions = 100_000

// versions holds the number of the last write for each user of a team and for the memory that a team shares.
type versions struct {
	known *otter.Cache[string, int64]
	next  atomic.Int64
}

func newVersions() *versions {
	return &versions{known: otter.Must(&otter.Options[string, int64]{MaximumSize: maxVersions})}
}

func versionKey(team, user string) string { return join(team, user) }

// join returns one key for several parts. Different parts have different keys, whatever characters they contain.
func join(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(strconv.Itoa(len(p)))
		b.WriteByte(':')
		b.WriteString(p)
	}
	return b.String()
}

// current returns the process's version of a user. An unknown version gets a new number, so that no older entry is
// found.
func (v *versions) current(team, user string) string {
	n, _ := v.known.ComputeIfAbsent(versionKey(team, user), func() (int64, bool) { return v.next.Add(1), false })
	return strconv.FormatInt(n, 36)
}

func (v *versions) increment(team, user string) {
	v.known.Set(versionKey(team, user), v.next.Add(1))
}
