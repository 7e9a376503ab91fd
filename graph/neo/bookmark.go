package neo

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
	maxMarked = 100_000 // teams whose bookmarks a process keeps
	maxMarks  = 64      // of a team: the latest, more than another process sends
	maxSent   = 16      // to other processes: the latest

	maxMarkLength = 256 // bytes of a bookmark; real ones have about 40

	markTTL = 5 * time.Minute // no responding member of a cluster is as far behind
)

// Bookmarks record how far the memory of each team was written, as far as this process knows. In a cluster, a member answers a
// read of a team only when it has caught up with its bookmarks. The driver's own manager keeps one list for everything that is
// written, so that every read would wait for every write. It also keeps any number of bookmarks of other writers. A nil
// Bookmarks, for a single server, records nothing. It is safe for concurrent use.
type Bookmarks struct {
	known *otter.Cache[string, neo4j.Bookmarks] // the latest last, by the hashed name of the team; all: the last writes of any team
}

// all stands for all teams together: for reads that name no team.
const all = ""

func newBookmarks(uri string) *Bookmarks {
	if !strings.HasPrefix(uri, "neo4j") { // neo4j://, neo4j+s://, neo4j+ssc://: the driver asks for the members of the cluster
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

// Mark returns what other processes need before they read what this process wrote for a team, and a hashed name of the team. An
// empty mark means that nothing was written for some minutes.
func (b *Bookmarks) Mark(team string) (name, mark string) {
	known := b.of(team)
	return nameOf(team), strings.Join(known[max(0, len(known)-maxSent):], " ")
}

// Receive records the mark of another process, the latest bookmark last. It ignores texts that cannot be bookmarks.
func (b *Bookmarks) Receive(name, mark string) {
	marks := slices.DeleteFunc(strings.Fields(mark), func(m string) bool { return !strings.HasPrefix(m, "FB:") || len(m) > maxMarkLength })
	b.advance(name, nil, marks)
	b.advance(all, nil, marks)
}

// of returns the bookmarks for which a read of a team waits.
func (b *Bookmarks) of(team string) neo4j.Bookmarks {
	if b == nil {
		return nil
	}
	known, _ := b.known.GetIfPresent(nameOf(team))
	return known
}

// wrote records the bookmarks of a finished transaction. They replace those known when it began, of its team and of all teams.
func (b *Bookmarks) wrote(team string, before, beforeAll, after neo4j.Bookmarks) {
	if b == nil {
		return
	}
	if team != all {
		b.advance(nameOf(team), before, after)
	}
	b.advance(all, beforeAll, after)
}

// read records the bookmark of a finished read, so that no later read is older. It replaces those that the read waited for. If the
// team has too many others, it is dropped: those of writes matter more.
func (b *Bookmarks) read(team string, waited, after neo4j.Bookmarks) {
	if b == nil || len(after) == 0 || slices.Equal(waited, after) {
		return
	}
	b.known.Compute(nameOf(team), func(known neo4j.Bookmarks, _ bool) (neo4j.Bookmarks, otter.ComputeOp) {
		left := replaced(known, waited, after)
		if len(left) > maxMarks {
			return nil, otter.CancelOp
		}
		return left, otter.WriteOp
	})
}

// advance replaces the bookmarks in before by those in after.
func (b *Bookmarks) advance(name string, before, after neo4j.Bookmarks) {
	if len(after) == 0 {
		return
	}
	b.known.Compute(name, func(known neo4j.Bookmarks, _ bool) (neo4j.Bookmarks, otter.ComputeOp) {
		left := replaced(known, before, after)
		return left[max(0, len(left)-maxMarks):], otter.WriteOp
	})
}

// replaced returns what is known without before, and after.
func replaced(known, before, after neo4j.Bookmarks) neo4j.Bookmarks {
	left := make(neo4j.Bookmarks, 0, maxMarks)
	for _, k := range known {
		if !slices.Contains(before, k) && !slices.Contains(after, k) {
			left = append(left, k)
		}
	}
	return append(left, after...) // one of before is there again if the transaction changed nothing
}

// forget drops all bookmarks.
func (b *Bookmarks) forget() {
	if b != nil {
		b.known.InvalidateAll()
	}
}

// nameOf returns a hash of the team's name.
func nameOf(team string) string {
	if team == all {
		return all
	}
	sum := sha256.Sum256([]byte("bookmarks\x00" + team))
	return hex.EncodeToString(sum[:16])
}

// teamOf returns the team of a statement's parameters; all if there is none.
func teamOf(params map[string]any) string {
	team, _ := params["team_id"].(string)
	return team
}
