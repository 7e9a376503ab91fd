package cache

import (
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/maypok86/otter/v2"
)

// maxVersions bounds how many users' versions a process remembers; a forgotten one costs a miss.
const maxVersions = 100_000

// versions are the numbers of what was last written, for each user of a team, and for what a team shares.
type versions struct {
	known *otter.Cache[string, int64]
	next  atomic.Int64
}

func newVersions() *versions {
	return &versions{known: otter.Must(&otter.Options[string, int64]{MaximumSize: maxVersions})}
}

func versionKey(team, user string) string { return join(team, user) }

// join makes one key of several parts, another one for any other parts, whatever characters they have.
func join(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(strconv.Itoa(len(p)))
		b.WriteByte(':')
		b.WriteString(p)
	}
	return b.String()
}

// of is the process's own version of a user; a new number where none is known, so that nothing older is found.
func (v *versions) of(team, user string) string {
	n, _ := v.known.ComputeIfAbsent(versionKey(team, user), func() (int64, bool) { return v.next.Add(1), false })
	return strconv.FormatInt(n, 36)
}

func (v *versions) raise(team, user string) {
	v.known.Set(versionKey(team, user), v.next.Add(1))
}
