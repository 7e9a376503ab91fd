package graph_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"kith/graph"
	"kith/internal/fault"
)

// pastModel is a plain model of what a memory was: for each record, what it said from when on; empty means that it was not there.
type pastModel struct {
	*rapid.T
	*env
	said   map[string][]pastState
	ends   map[string]string      // of relationships, by their keys
	erased map[string][]pastState // what records said that were erased
}

type pastState struct {
	from time.Time
	text string
}

// TestThePastIsWhatItWas writes, deletes, restores and erases at random with a clock that jumps, and compares each record at and right before
// every change with the model.
func TestThePastIsWhatItWas(t *testing.T) {
	twice(t, func(r *rapid.T, e *env) {
		m := &pastModel{T: r, env: e, said: map[string][]pastState{}, ends: map[string]string{}, erased: map[string][]pastState{}}
		for range rapid.IntRange(1, 25).Draw(r, "steps") {
			e.Now = e.Now.Add(rapid.SampledFrom([]time.Duration{time.Millisecond, time.Hour, 40 * time.Hour, 0, -time.Millisecond, -3 * time.Hour}).Draw(r, "later"))
			m.step()
		}
		m.compare()
	})
}

// step does one thing at random. What the store refuses changes nothing.
func (m *pastModel) step() {
	keys := []string{"a", "b", "c"}
	key := rapid.SampledFrom(keys).Draw(m.T, "key")
	text := rapid.StringMatching("[a-z]{1,6}").Draw(m.T, "text")
	ctx, scope := m.Context(), m.As("u")
	switch rapid.SampledFrom([]string{"write", "write", "write", "delete", "restore", "link", "link", "unlink", "relink", "erase"}).Draw(m.T, "step") {
	case "write":
		if states := m.said[key]; len(states) > 0 && states[len(states)-1].text == "" {
			return // deleted: another node of the same key has no relationships of the first
		}
		m.Write("u", []graph.NodeWrite{{Kind: "concept", EntityKey: key, Name: graph.Some("the " + key), Description: graph.Some(text)}})
		m.says(key, text)
	case "erase":
		if rapid.IntRange(0, 19).Draw(m.T, "erase") == 11 {
			m.erase()
		}
	case "delete":
		if _, err := m.Store.DeleteNode(ctx, scope, graph.ConceptKind, key, 0); err == nil {
			m.says(key, "")
		}
	case "restore":
		if n, err := m.Store.RestoreNode(ctx, scope, graph.ConceptKind, key); err == nil {
			m.says(key, n.Description)
		}
	case "link":
		other := rapid.SampledFrom(slices.DeleteFunc(keys, func(k string) bool { return k == key })).Draw(m.T, "other")
		l := link(key, "relates_to", other, 0.5)
		l.Description = graph.Some(text)
		result, err := m.Store.Write(ctx, scope, &graph.MemoryWrite{Relationships: []graph.RelationshipWrite{l}})
		if err != nil {
			m.Fatal(err)
		}
		if r := result.Relationships[0]; r.Status != graph.Refused {
			m.ends[r.Key] = key + other
			m.says(r.Key, text)
		}
	case "unlink":
		for _, k := range m.linkKeys() {
			if _, err := m.Store.DeleteRelationship(ctx, scope, k, 0); err == nil {
				m.says(k, "")
				return
			}
		}
	case "relink":
		for _, k := range m.linkKeys() {
			if r, err := m.Store.RestoreRelationship(ctx, scope, k); err == nil {
				m.says(k, r.Description)
				return
			}
		}
	}
}

// erase erases the user: nothing was ever there.
func (m *pastModel) erase() {
	if _, err := m.eraseUser(m.Context(), "u"); err != nil {
		m.Fatal(err)
	}
	for key, states := range m.said {
		m.erased[key] = append(m.erased[key], states...)
	}
	m.said, m.ends = map[string][]pastState{}, map[string]string{}
}

func (m *pastModel) linkKeys() []string {
	keys := []string{}
	for key := range m.ends {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// says adds what a record says from now on, or, if the clock was set back, from its last change on.
func (m *pastModel) says(key, text string) {
	states := m.said[key]
	switch n := len(states); {
	case n > 0 && states[n-1].text == text:
	case n > 0 && !states[n-1].from.Before(m.Now):
		states[n-1].text = text
	default:
		states = append(states, pastState{m.Now, text})
	}
	m.said[key] = states
}

// at returns what a record said at a time.
func (m *pastModel) at(key string, at time.Time) string {
	text := ""
	for _, s := range m.said[key] {
		if !s.from.After(at) {
			text = s.text
		}
	}
	return text
}

func (m *pastModel) compare() {
	times := []time.Time{}
	keys := map[string]bool{}
	for _, all := range []map[string][]pastState{m.said, m.erased} {
		for key, states := range all {
			keys[key] = true
			for _, s := range states {
				times = append(times, s.from, s.from.Add(-time.Millisecond))
			}
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	times = slices.CompactFunc(times, time.Time.Equal)
	if len(times) > 0 {
		m.Now = times[len(times)-1] // the clock may have been set back
	}
	for _, at := range times {
		for key := range keys {
			want, got := m.at(key, at), m.read(key, at)
			if ends := m.ends[key]; ends != "" && (m.at(ends[:1], at) == "" || m.at(ends[1:], at) == "") {
				want = ""
			}
			if got != want {
				m.Fatalf("%s as of %s: %q, want %q; it said %v", key, at.Format(time.RFC3339Nano), got, want, m.said[key])
			}
		}
		m.compareLinks(at)
	}
}

// read returns what the store says a record was.
func (m *pastModel) read(key string, at time.Time) string {
	var text string
	var err error
	if len(key) == 1 {
		var n graph.NodeView
		n, err = m.Store.Node(m.Context(), m.As("u"), graph.ConceptKind, key, graph.NodeQuery{AsOf: &at, Relationships: 100})
		text = n.Description
	} else {
		var r graph.RelationshipView
		r, err = m.Store.Relationship(m.Context(), m.As("u"), key, &at)
		text = r.Description
	}
	if err != nil && !errors.Is(err, fault.ErrNotFound) {
		m.Fatal(err)
	}
	return text
}

// compareLinks compares the relationships of each node that was there.
func (m *pastModel) compareLinks(at time.Time) {
	for _, node := range []string{"a", "b", "c"} {
		if m.at(node, at) == "" {
			continue
		}
		want := []string{}
		for key, ends := range m.ends {
			if text := m.at(key, at); text != "" && (ends[:1] == node || ends[1:] == node) && m.at(ends[:1], at) != "" && m.at(ends[1:], at) != "" {
				want = append(want, fmt.Sprintf("%s→%s %s", ends[:1], ends[1:], text))
			}
		}
		page, err := m.Store.Relationships(m.Context(), m.As("u"), graph.RelationshipList{Kind: graph.ConceptKind, Key: node, AsOf: &at, Limit: 100})
		if err != nil {
			m.Fatalf("%s as of %s: %v", node, at, err)
		}
		got := []string{}
		for _, r := range page.Relationships {
			got = append(got, fmt.Sprintf("%s→%s %s", r.From, r.To, r.Description))
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			m.Fatalf("relationships of %s as of %s (-want +got):\n%s", node, at.Format(time.RFC3339Nano), diff)
		}
	}
}

// TestVersionsOfANode reads the versions page by page: who wrote each, through what, and what changed.
func TestVersionsOfANode(t *testing.T) {
	e := fresh(t)
	ctx := graph.WithWriter(t.Context(), graph.Writer{KeyID: "k1", Through: "write-memory"})
	for i, text := range []string{"works at A", "works at B", "works at C"} {
		e.Now = noon.Add(time.Duration(i) * time.Hour)
		w := graph.NodeWrite{Kind: "person", EntityKey: "ada", Name: graph.Some("Ada"), Description: graph.Some(text)}
		if _, err := e.Store.Write(ctx, e.As("u"), &graph.MemoryWrite{Nodes: []graph.NodeWrite{w}}); err != nil {
			t.Fatal(err)
		}
	}
	first, err := e.Store.NodeVersions(t.Context(), e.As("u"), graph.PersonKind, "ada", "", 2)
	if err != nil {
		t.Fatal(err)
	}
	rest, err := e.Store.NodeVersions(t.Context(), e.As("u"), graph.PersonKind, "ada", first.Next, 2)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range slices.Concat(first.Versions, rest.Versions) {
		until := "now"
		if v.Until != nil {
			until = v.Until.Format("15:04")
		}
		line := fmt.Sprintf("%d %s–%s %s %s %q", v.Version, v.From.Format("15:04"), until, v.By, v.Through, v.Node.Description)
		for _, c := range v.Changes {
			line += fmt.Sprintf(" %s: %s → %s", c.Field, c.Was, c.Is)
		}
		got = append(got, line)
	}
	e.Same("versions", []string{
		`3 14:00–now k1 write-memory "works at C" description: "works at B" → "works at C"`,
		`2 13:00–14:00 k1 write-memory "works at B" description: "works at A" → "works at B"`,
		`1 12:00–13:00 k1 write-memory "works at A"`,
	}, got)
	e.Same("last page", "", rest.Next)

	for _, who := range []graph.Scope{e.As("other"), e.As(""), e.neighbour().As("u")} {
		if page, err := e.Store.NodeVersions(t.Context(), who, graph.PersonKind, "ada", "", 2); !errors.Is(err, fault.ErrNotFound) {
			t.Errorf("%+v sees %+v, %v", who, page, err)
		}
	}
	if _, err := e.Store.NodeVersions(t.Context(), e.As("u"), graph.ConceptKind, "ada", "", 2); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("as another kind: %v", err)
	}
	if _, err := e.Store.NodeVersions(t.Context(), e.As("u"), graph.PersonKind, "ada", "nonsense", 2); !errors.Is(err, fault.ErrInvalid) {
		t.Errorf("cursor: %v", err)
	}
	if _, err := e.Store.DeleteNode(t.Context(), e.As("u"), graph.PersonKind, "ada", 0); err != nil {
		t.Fatal(err)
	}
	deleted, err := e.Store.NodeVersions(t.Context(), e.As("u"), graph.PersonKind, "ada", "", 10)
	if err != nil || len(deleted.Versions) != 3 || !deleted.Versions[0].Deleted {
		t.Errorf("deleted: %+v, %v", deleted, err)
	}
}

// TestHistoryIsBounded keeps the last 200 versions of a node, of a day long ago the first and the last, and none after the history's time.
func TestHistoryIsBounded(t *testing.T) {
	e := alone(t)
	kept := func() int64 {
		return e.Raw(`MATCH (f:Former {team_id: $team}) RETURN count(f)`)[0][0].(int64)
	}
	purge := func() {
		if err := graph.NewMaintenance(e.Store, graph.MaintenanceOptions{}).PurgeForTest(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	write := func(key string, times int, later time.Duration) {
		for i := range times {
			e.Now = e.Now.Add(later)
			e.Write("u", []graph.NodeWrite{{Kind: "concept", EntityKey: key, Name: graph.Some(key), Description: graph.Some(fmt.Sprint(i, e.Now.UnixMilli()))}})
		}
	}
	write("often", 230, time.Second)
	e.Same("versions of a node", int64(200), kept())
	e.Remove("u", "concept", "often")
	write("daily", 7, time.Minute)
	e.Now = e.Now.Add(40 * 24 * time.Hour)
	purge()
	e.Same("of a day long ago, and none of what was purged", int64(2), kept())
	write("daily", 2, time.Minute)
	e.Now = e.Now.Add(380 * 24 * time.Hour)
	purge()
	e.Same("after the history's time", int64(2), kept())
	e.Same("of the feed", [][]any{{true, int64(2)}}, e.Raw(`MATCH (f:Feed {team_id: $team}) MATCH (c:Commit {team_id: $team}) WITH f.pruned AS pruned, min(c.seq) AS first, count(c) AS commits
		RETURN pruned < first, commits`))
}

// A purge of a team takes the former versions of a deleted relationship along.
func TestTeamPurgeTakesVersionsAlong(t *testing.T) {
	e := fresh(t)
	l := link("a", "relates_to", "b", 0.5)
	e.Write("u", []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)}, l)
	l.Description = graph.Some("changed")
	e.Write("u", nil, l)
	if _, err := e.Store.DeleteRelationship(t.Context(), e.As("u"), e.relationshipKey("a"), 0); err != nil {
		t.Fatal(err)
	}
	former := `MATCH (f:Former {team_id: $team}) RETURN count(f)`
	e.Same("versions before", [][]any{{int64(1)}}, e.Raw(former))
	if _, err := e.Store.PurgeTeam(t.Context(), e.Team); err != nil {
		t.Fatal(err)
	}
	e.Same("versions then", [][]any{{int64(0)}}, e.Raw(former))
}
