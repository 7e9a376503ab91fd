package graph

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/maypok86/otter/v2"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

const (
	maxMarked = 100_000 // teams whose bookmarks a process remembers
	maxMarks  = 16      // of a team: the last ones

	maxMarkLength = 256 // bytes of a bookmark: they have some 40

	markTTL = 5 * time.Minute // no member of a cluster that answers is as far behind
)

// Bookmarks are how far the memory of each team was written, as far as this process knows: in a cluster a member answers a read of a
// team only when it has come as far. The driver's own manager knows one place for all that is written, so that every read would wait
// for every write, and keeps any number of bookmarks of what others wrote. A nil one, of a server that is none of several, knows
// nothing. It is safe for concurrent use.
type Bookmarks struct {
	known *otter.Cache[string, neo4j.Bookmarks] // by the name of the team; all: of what was written last at all
}

// all stands for the teams together: for reads that name none.
const all = ""

func newBookmarks(uri string) *Bookmarks {
	if !strings.HasPrefix(uri, "neo4j") { // neo4j://, neo4j+s://, neo4j+ssc://: the driver asks which members there are
		return nil
	}
	return &Bookmarks{otter.Must(&otter.Options[string, neo4j.Bookmarks]{
		MaximumSize: maxMarked, ExpiryCalculator: otter.ExpiryWriting[string, neo4j.Bookmarks](markTTL),
	})}
}

func (b *Bookmarks) close() {
	if b != nil {
		b.known.StopAllGoroutines()
	}
}

// Mark is what others have to know of a team before they read what this process wrote, and a name for the team by which nobody
// knows it. An empty mark: nothing was written for some minutes.
func (b *Bookmarks) Mark(team string) (name, mark string) {
	return nameOf(team), strings.Join(b.of(team), " ")
}

// Receive takes in the mark of another process. What cannot be a bookmark is passed over.
func (b *Bookmarks) Receive(name, mark string) {
	marks := slices.DeleteFunc(strings.Fields(mark), func(m string) bool { return !strings.HasPrefix(m, "FB:") || len(m) > maxMarkLength })
	b.advance(name, nil, marks)
	b.advance(all, nil, marks)
}

// of is what a read of a team waits for.
func (b *Bookmarks) of(team string) neo4j.Bookmarks {
	if b == nil {
		return nil
	}
	known, _ := b.known.GetIfPresent(nameOf(team))
	return known
}

// wrote takes in where a transaction ended: behind all that was known when it began, of its team and of all.
func (b *Bookmarks) wrote(team string, before, beforeAll, after neo4j.Bookmarks) {
	if b == nil {
		return
	}
	if team != all {
		b.advance(nameOf(team), before, after)
	}
	b.advance(all, beforeAll, after)
}

// read takes in where a read ended that waited for some bookmarks: one that stands for them.
func (b *Bookmarks) read(team string, waited, after neo4j.Bookmarks) {
	if len(waited) > 1 {
		b.advance(nameOf(team), waited, after)
	}
}

// advance puts bookmarks in the place of those that they are behind.
func (b *Bookmarks) advance(name string, before, after neo4j.Bookmarks) {
	if len(after) == 0 {
		return
	}
	b.known.Compute(name, func(known neo4j.Bookmarks, _ bool) (neo4j.Bookmarks, otter.ComputeOp) {
		left := make(neo4j.Bookmarks, 0, maxMarks)
		for _, k := range slices.Concat(known, after) {
			if !slices.Contains(before, k) && !slices.Contains(left, k) {
				left = append(left, k)
			}
		}
		return left[max(0, len(left)-maxMarks):], otter.WriteOp
	})
}

// forget knows nothing any more.
func (b *Bookmarks) forget() {
	if b != nil {
		b.known.InvalidateAll()
	}
}

// nameOf is a name of a team from which it cannot be read.
func nameOf(team string) string {
	if team == all {
		return all
	}
	sum := sha256.Sum256([]byte("bookmarks\x00" + team))
	return hex.EncodeToString(sum[:16])
}

// teamOf is the team that a statement names: all where it names none.
func teamOf(params map[string]any) string {
	team, _ := params["team_id"].(string)
	return team
}
