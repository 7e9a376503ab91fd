package graph

import (
	"cmp"
	"math"
	"slices"

	"kith/graph/neo"
	"kith/internal/fault"
)

var (
	findMessageNumbers = neo.Load[messageNumbers]("message_numbers")
	storeMessages      = neo.Load[neo.None]("message_restore")
)

// messageNumbers are the next free number of a source's messages, and taken ones.
type messageNumbers struct {
	SourceKey string
	Next      int64
	Taken     []int64
}

// MaxNumber is the highest number that an import may set: the next one is still exact in JSON.
const MaxNumber = 1<<53 - 1

// Number checks a number from 0 to limit that may be omitted or null.
func (f *Faults) Number(at fault.Path, o Optional[int64], limit int64) {
	if o.Given && !o.Null {
		f.Between(at, o.Value, 0, limit)
	}
}

// numbers keeps an import from reusing numbers of a list, such as messages of a source. When two stores are merged,
// an item whose number is taken gets the next free one, as a new item would.
type numbers struct {
	next  int64
	taken map[int64]bool
}

func numbersTaken(next int64, taken []int64) *numbers {
	n := &numbers{next: next, taken: map[int64]bool{}}
	for _, number := range taken {
		n.taken[number] = true
	}
	return n
}

// settle keeps the numbers of the items or assigns new ones, in the order of their old numbers. An item never
// precedes one that it followed. Items without a number come last, in the order of the file.
func (n *numbers) settle(all []Properties) {
	last := int64(-1)
	for _, p := range byNumber(all) {
		seq := p.integer("seq")
		if p["seq"] == nil || seq <= last || n.taken[seq] {
			seq = n.next
			p["seq"] = seq
		}
		last = seq
		n.next = max(n.next, seq+1)
	}
}

func byNumber(all []Properties) []Properties {
	number := func(p Properties) int64 {
		if p["seq"] == nil {
			return math.MaxInt64
		}
		return p.integer("seq")
	}
	return slices.SortedStableFunc(slices.Values(all), func(a, b Properties) int { return cmp.Compare(number(a), number(b)) })
}

// numbersOf returns the numbers of the items that have one.
func numbersOf(all []Properties) []int64 {
	given := []int64{}
	for _, p := range all {
		if p["seq"] != nil {
			given = append(given, p.integer("seq"))
		}
	}
	return given
}

// numberMessages settles the numbers of messages that an import adds to sources, by their keys. A source that a dry run only
// assumes has no known numbers.
func (j *memoryJob) numberMessages(added map[string][]Properties) error {
	var sources []map[string]any
	for key, all := range added {
		sources = append(sources, numbered(key, numbersOf(all)))
	}
	found, err := findMessageNumbers.Exec(j.tx, map[string]any{"team_id": j.scope.TeamID, "sources": sources})
	for _, source := range found {
		numbersTaken(source.Next, source.Taken).settle(added[source.SourceKey])
	}
	return err
}
