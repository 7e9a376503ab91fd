package traverse

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"kith/internal/fault"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// What strong relationships lead to, and is salient, comes first.
func TestNeighborsAreRanked(t *testing.T) {
	t.Parallel()
	f := newFake()
	for key, salience := range map[string]float64{"weak": 1, "dull": 0, "strong": 1, "twice": 1, "faded": 1} {
		f.node("concept", key, salience)
	}
	f.link("a", "relates_to", "weak", 0.3)
	f.link("a", "relates_to", "dull", 0.8)
	f.link("a", "relates_to", "strong", 0.8)
	f.link("a", "relates_to", "twice", 0.1)
	f.link("a", "involves", "twice", 0.7)
	f.link("a", "relates_to", "faded", 0)
	f.link("other", "relates_to", "a", 1)
	got := rows(t, f, Request{Mode: Neighbors, EntityKey: "a"})
	if keys := keysOf(got); keys != "strong twice dull weak faded" || got.NextCursor != "" || got.Message != "" || got.Truncated {
		t.Errorf("got %s: %+v", keys, got)
	}
	if r := got.Rows[1].Relationship; r.Type != "involves" || r.From != "a" || r.To != "twice" {
		t.Errorf("of two relationships the weaker one is shown: %+v", r)
	}
	for i, want := range []float64{0.8, 0.7, 0.4, 0.3, 0.01} {
		if got.Rows[i].Score != want {
			t.Errorf("%s has %v", got.Rows[i].Node.EntityKey, got.Rows[i].Score)
		}
	}
}

func TestNeighborsFollow(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.node("message", "said", 0.1)
	f.node("source", "a", 1)
	f.node("person", "p", 0.2)
	f.link("a", "relates_to", "out", 0.5)
	f.link("in", "involves", "a", 0.4)
	f.link("a", "relates_to", "p", 0.3)
	f.link("p", "relates_to", "far", 0.5)
	f.link("a", "has_message", "said", 0.5)
	for what, c := range map[string]struct {
		r    Request
		want string
	}{
		"outbound is the default":   {Request{}, "out p"},
		"inbound":                   {Request{Direction: inbound}, "in"},
		"both":                      {Request{Direction: both}, "out in p"},
		"a type":                    {Request{Direction: both, RelationshipTypes: []string{"involves"}}, "in"},
		"all but a type":            {Request{Direction: both, ExcludeRelationshipTypes: []string{"involves"}}, "out p"},
		"no type is left":           {Request{RelationshipTypes: []string{"involves"}, ExcludeRelationshipTypes: []string{"involves"}}, ""},
		"a kind":                    {Request{Kinds: []string{"person"}}, "p"},
		"a kind on the way":         {Request{Kinds: []string{"concept"}, MaxHops: 2}, "out far"},
		"messages where asked for":  {Request{Kinds: []string{"message"}}, "said"},
		"messages by their type":    {Request{RelationshipTypes: []string{"has_message"}}, "said"},
		"a kind of which none is":   {Request{Kinds: []string{"task"}}, ""},
		"two steps":                 {Request{MaxHops: 2}, "out p far"},
		"two steps against arrows":  {Request{MaxHops: 2, Direction: inbound}, "in"},
		"three steps to and fro":    {Request{MaxHops: 3, Direction: both}, "out in p far"},
		"three steps, back to self": {Request{MaxHops: 3, Direction: both, RelationshipTypes: []string{"involves"}}, "in"},
	} {
		c.r.Mode, c.r.EntityKey = Neighbors, "a"
		got := rows(t, f, c.r)
		if keys := keysOf(got); keys != c.want {
			t.Errorf("%s: %s", what, keys)
		}
		if (got.Message != "") != (c.want == "") || got.Rows == nil {
			t.Errorf("%s: rows %v, message %q", what, got.Rows, got.Message)
		}
	}
}

// A node appears by the fewest steps, even if a longer way is stronger.
func TestNeighborsByTheFewestSteps(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.link("a", "relates_to", "near", 0.1)
	f.link("a", "relates_to", "b", 1)
	f.link("b", "relates_to", "near", 1)
	f.link("near", "relates_to", "far", 1)
	f.link("a", "relates_to", "c", 0.5)
	f.link("c", "relates_to", "far", 0.5)
	got := rows(t, f, Request{Mode: Neighbors, EntityKey: "a", MaxHops: 3})
	if keys := keysOf(got); keys != "b c far near" {
		t.Errorf("got %s", keys)
	}
	for _, row := range got.Rows {
		way := fmt.Sprint(row.Relationship.From, " ", row.Hops, " ", row.Score)
		if want := map[string]string{"b": "a 1 1", "c": "a 1 0.5", "far": "c 2 0.25", "near": "a 1 0.1"}[row.Node.EntityKey]; way != want {
			t.Errorf("%s: %s, not %s", row.Node.EntityKey, way, want)
		}
	}
}

// What one may not see is as what is not there.
func TestNeighborsOfNothing(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.node("concept", "alone", 1)
	if got := rows(t, f, Request{Mode: Neighbors, EntityKey: "former alone"}); len(got.Rows) != 0 {
		t.Errorf("by the key of what was taken over: %+v", got)
	}
	if _, _, err := ask(f, Request{Mode: Neighbors, EntityKey: "gone"}); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("of what is not there: %v", err)
	}
	got := rows(t, f, Request{Mode: Neighbors, EntityKey: "alone"})
	if !strings.HasPrefix(got.Message, "no linked node matches") || len(got.Rows) > 0 {
		t.Errorf("of what is linked with nothing: %+v", got)
	}
}

// A hub is not read to its end, and the answer says so. So does one where not all go on.
func TestNeighborsOfHubs(t *testing.T) {
	t.Parallel()
	hub := func(degree int) *fake {
		f := newFake()
		for i := range degree {
			f.link("hub", "relates_to", fmt.Sprintf("n%04d", i), 0.5)
			f.link(fmt.Sprintf("n%04d", i), "relates_to", fmt.Sprintf("m%04d", i), 0.5)
		}
		return f
	}
	for _, c := range []struct {
		degree, hops, rows int
		cut                bool
	}{
		{eachStart - 1, 1, eachStart - 1, false}, {eachStart + 1, 1, eachStart, true}, {frontier, 2, 2 * frontier, false}, {frontier + 1, 2, 2*frontier + 1, true},
	} {
		f, seen := hub(c.degree), 0
		r := Request{Mode: Neighbors, EntityKey: "hub", MaxHops: c.hops, Limit: 100}
		for {
			got := rows(t, f, r)
			seen += len(got.Rows)
			if got.Truncated != c.cut || strings.HasPrefix(got.Message, "too many relationships") != c.cut {
				t.Fatalf("%d in %d steps: %t %q", c.degree, c.hops, got.Truncated, got.Message)
			}
			if r.Cursor = got.NextCursor; r.Cursor == "" {
				break
			}
		}
		if seen != c.rows {
			t.Errorf("%d in %d steps: %d rows", c.degree, c.hops, seen)
		}
	}
}

// What is gone when it is read in full is left out, of the rows and of what is recalled.
func TestNeighborsThatWent(t *testing.T) {
	t.Parallel()
	f := aboutBoat()
	f.link("ada", "thinks_about", "mast", 0.4)
	f.gone = "boat"
	result, recall, err := ask(f, aWalk(Neighbors))
	if err != nil || keysOf(result.(*Rows)) != "mast" || len(recall.Nodes) != 1 || len(recall.Relationships) != 1 {
		t.Errorf("%+v, %+v, %v", result, recall, err)
	}
}

// All pages show the memory at the time of the first.
func TestPagesHaveOneTime(t *testing.T) {
	t.Parallel()
	f := aboutBoat()
	f.link("ada", "thinks_about", "mast", 0.4)
	f.clock = now.Add(3 * time.Millisecond)
	r := aWalk(Neighbors)
	r.Limit = 1
	first := rows(t, f, r)
	f.clock = now.Add(time.Hour)
	r.Cursor = first.NextCursor
	second := rows(t, f, r)
	if keysOf(first) != "boat" || keysOf(second) != "mast" || second.NextCursor != "" {
		t.Errorf("%s, %s", asJSON(t, first), asJSON(t, second))
	}
	for _, at := range f.times {
		if !at.Equal(now.Add(3 * time.Millisecond)) {
			t.Errorf("a walk at %v", at)
		}
	}
}

func TestBrokenCursors(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"skip":-1,"at":1}`, `{"skip":1,"at":0}`, `{"skip":1,"at":-5}`, `{"skip":1,"at":99999999999999}`, `{"skip":"1"}`, `{"skip":1.5}`, `[]`, ``,
		`{"skip":99999999999999999999}`, `{"skip":1}{}`, `secret`,
	} {
		r := aWalk(Neighbors)
		if r.Cursor = base64.RawURLEncoding.EncodeToString([]byte(text)); r.Cursor == "" {
			r.Cursor = "secret !"
		}
		f := aboutBoat()
		_, _, err := ask(f, r)
		if got := faultsOf(t, err); strings.Join(got, " ") != "cursor" || len(f.calls) > 0 {
			t.Errorf("%q: faults at %v, asked %v", text, got, f.calls)
		}
	}
	far := aWalk(Neighbors)
	far.Cursor = page{Skip: math.MaxInt, At: now.UnixMilli()}.cursor()
	if got := rows(t, aboutBoat(), far); len(got.Rows) > 0 || got.NextCursor != "" {
		t.Errorf("after the last page: %+v", got)
	}
}

func FuzzCursor(f *testing.F) {
	for _, seed := range []string{"", "e30", page{Skip: 20, At: now.UnixMilli()}.cursor(), "!"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, cursor string) {
		p, err := parseCursor(cursor, now)
		if errors.Is(err, fault.ErrInvalid) {
			return
		}
		if again, err2 := parseCursor(p.cursor(), now); err != nil || err2 != nil || again != p {
			t.Errorf("%q: %+v %v, again %+v %v", cursor, p, err, again, err2)
		}
	})
}

// aMemory draws a small memory of concepts and persons. Strengths are powers of two, so that products of them are exact.
func aMemory(r *rapid.T) *fake {
	f := newFake()
	n := rapid.IntRange(2, 8).Draw(r, "nodes")
	for i := range n {
		f.node(rapid.SampledFrom([]string{"concept", "person"}).Draw(r, "kind"), fmt.Sprint("n", i), rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(r, "salience"))
	}
	one := rapid.IntRange(0, n-1)
	there := map[string]bool{}
	for range rapid.IntRange(0, 16).Draw(r, "relationships") {
		from, to := fmt.Sprint("n", one.Draw(r, "from")), fmt.Sprint("n", one.Draw(r, "to"))
		l := chain{from, rapid.SampledFrom([]string{"relates_to", "involves"}).Draw(r, "type"), to, math.Pow(2, -float64(rapid.IntRange(0, 4).Draw(r, "strength")))}
		if from != to && !there[l.key()] {
			there[l.key()] = true
			f.links = append(f.links, l)
		}
	}
	return f
}

// aScope draws what all walks may be bounded by.
func aScope(r *rapid.T) Request {
	return Request{
		Direction:         rapid.SampledFrom([]string{outbound, inbound, both}).Draw(r, "direction"),
		RelationshipTypes: rapid.SampledFrom([][]string{nil, {"relates_to"}, {"relates_to", "involves"}}).Draw(r, "types"),
	}
}

// steps are the strongest steps from one node to others, found in the plainest way.
func (f *fake) steps(r *Request, from string) map[string]float64 {
	next := map[string]float64{}
	for _, l := range f.links {
		if !follows(r.walk(), l) {
			continue
		}
		if l.from == from && r.Direction != inbound {
			next[l.to] = max(next[l.to], strength(l.strength))
		}
		if l.to == from && r.Direction != outbound {
			next[l.from] = max(next[l.from], strength(l.strength))
		}
	}
	return next
}

type naiveRow struct {
	Key      string
	Hops     int
	Strength float64
	Score    float64
}

// naive walks to neighbors in the plainest way.
func (f *fake) naive(r *Request) []naiveRow {
	seen := map[string]naiveRow{r.EntityKey: {Key: r.EntityKey, Strength: 1}}
	var all []naiveRow
	for hop := 1; hop <= r.MaxHops; hop++ {
		fresh := map[string]naiveRow{}
		for _, from := range seen {
			for to, s := range f.steps(r, from.Key) {
				if _, known := seen[to]; !known && from.Hops == hop-1 && from.Strength*s > fresh[to].Strength {
					fresh[to] = naiveRow{to, hop, from.Strength * s, rounded(from.Strength * s * (1 + f.nodes[to].Salience) / 2)}
				}
			}
		}
		for key, row := range fresh {
			seen[key] = row
			if len(r.Kinds) == 0 || slices.Contains(r.Kinds, f.nodes[key].Kind) {
				all = append(all, row)
			}
		}
	}
	slices.SortFunc(all, func(a, b naiveRow) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Hops, b.Hops), cmp.Compare(a.Key, b.Key))
	})
	for i := range all {
		all[i].Strength = 0
	}
	return all
}

// All pages together equal a plain walk: each row once, in one order, for any page size.
func TestNeighborsAgainstNaive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f, r := aMemory(t), aScope(t)
		r.Mode, r.EntityKey, r.MaxHops = Neighbors, "n0", rapid.IntRange(1, 3).Draw(t, "hops")
		r.Kinds = rapid.SampledFrom([][]string{nil, {"person"}, {"concept", "task"}}).Draw(t, "kinds")
		want := f.naive(&r)
		var got []naiveRow
		for pages := 0; ; pages++ {
			r.Limit = rapid.IntRange(1, 3).Draw(t, "limit")
			result, _, err := ask(f, r)
			if err != nil || pages > len(want) {
				t.Fatalf("page %d: %v", pages, err)
			}
			found := result.(*Rows)
			for _, row := range found.Rows {
				got = append(got, naiveRow{Key: row.Node.EntityKey, Hops: row.Hops, Score: row.Score})
				if rel := row.Relationship; rel.From != row.Node.EntityKey && rel.To != row.Node.EntityKey {
					t.Fatalf("%s is shown with %+v", row.Node.EntityKey, rel)
				}
			}
			if r.Cursor = found.NextCursor; r.Cursor == "" {
				break
			}
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

// The same memory gives the same answer, in whatever order the database returns it.
func TestOneAnswer(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f, r := aMemory(t), aScope(t)
		for _, c := range []Request{
			{Mode: Neighbors, EntityKey: "n0", MaxHops: 3}, {Mode: Path, From: "n0", To: "n1", Limit: 2}, {Mode: PPR, SeedNodes: []string{"n1", "n0"}},
		} {
			c.Direction, c.RelationshipTypes = r.Direction, r.RelationshipTypes
			answers := map[string]bool{}
			for range 5 { // the fake goes on shuffling
				result, _, err := ask(f, c)
				if err != nil {
					t.Fatal(err)
				}
				answers[asJSON(t, result)] = true
			}
			if len(answers) > 1 {
				t.Fatalf("%s: %v", c.Mode, answers)
			}
		}
	})
}
