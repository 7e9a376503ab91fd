package demo

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	client "kith/clients/go"
	"kith/graph"
	"kith/memory/preference"
)

// nows returns times of day at which the demo may be loaded, in two seasons and on the days when clocks change.
func nows() []time.Time {
	var nows []time.Time
	for _, day := range []time.Time{
		time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), time.Date(2026, 3, 29, 0, 0, 0, 0, time.UTC),
		time.Date(2026, 7, 15, 0, 0, 0, 0, time.UTC), time.Date(2026, 10, 25, 0, 0, 0, 0, time.UTC),
	} {
		for half := range 48 {
			nows = append(nows, day.Add(time.Duration(half)*30*time.Minute))
		}
	}
	return nows
}

func readWrites(t *testing.T, now time.Time) (*dataset, *graph.MemoryWrite, []graph.SourceWrite) {
	t.Helper()
	life, err := read()
	if err != nil {
		t.Fatal(err)
	}
	memory, sources, err := life.memoryWrites(now)
	if err != nil {
		t.Fatal(err)
	}
	return life, memory, sources
}

func TestDemoIsValid(t *testing.T) {
	t.Parallel()
	for _, now := range nows() {
		life, memory, sources := readWrites(t, now)
		scope := graph.Scope{TeamID: "t", UserID: User}
		for _, write := range []*graph.MemoryWrite{memory, workspacesAt(t, now)} {
			if err := write.Validate(scope, now); err != nil {
				t.Fatalf("now %v: %v", now, err)
			}
		}
		if err := preference.Validate(life.Preferences); err != nil {
			t.Fatal(err)
		}
		for i := range sources {
			if err := sources[i].Validate(scope, now); err != nil {
				t.Fatalf("%s: %v", sources[i].EntityKey, err)
			}
		}
	}
}

func TestDemoTimes(t *testing.T) {
	t.Parallel()
	for _, now := range nows() {
		_, memory, sources := readWrites(t, now)
		lastWeek := 0
		for i, s := range sources {
			start, end := s.StartedAt.Value, s.EndedAt.Value
			if now.Sub(start) > 21*24*time.Hour || end.After(now) || i > 0 && !start.After(sources[i-1].EndedAt.Value) {
				t.Fatalf("now %v: %s is from %v to %v", now, s.EntityKey, start, end)
			}
			if last := s.Messages[len(s.Messages)-1].At.Value; last.After(end) || s.Messages[0].At.Value.Before(start) {
				t.Fatalf("%s has messages outside of it", s.EntityKey)
			}
			if now.Sub(start) < graph.Week {
				lastWeek++
			}
		}
		if age := now.Sub(sources[len(sources)-1].StartedAt.Value); age < 3*time.Hour || age > 20*time.Hour {
			t.Fatalf("now %v: the newest conversation is %v old", now, age)
		}
		if lastWeek < 9 {
			t.Fatalf("now %v: %d conversations in the last week", now, lastWeek)
		}
		for _, n := range memory.Nodes {
			if at := n.LastAccessedAt; at.Given && (at.Value.After(now) || now.Sub(at.Value) > graph.Week) {
				t.Fatalf("now %v: %s was accessed at %v", now, n.EntityKey, at.Value)
			}
		}
	}
}

func TestDemoIsRich(t *testing.T) {
	t.Parallel()
	life, memory, sources := readWrites(t, nows()[0])
	atLeast := func(what string, got, want int) {
		if got < want {
			t.Errorf("%s: %d, want at least %d", what, got, want)
		}
	}
	atLeast("persons", len(life.Persons), 16)
	atLeast("concepts", len(life.Concepts), 16)
	atLeast("entities", len(life.Entities), 13)
	atLeast("relationships", len(memory.Relationships), 60)
	atLeast("conversations", len(sources), 25)
	atLeast("preferences", len(life.Preferences), 5)
	beliefs, goals := 0, 0
	for _, c := range life.Concepts {
		if c.TTLPolicy == "keep_forever" && c.State == "core" {
			beliefs++
		}
		if c.Goal && c.State == "active" && c.Accessed != "" {
			goals++
		}
	}
	atLeast("core beliefs", beliefs, 6)
	atLeast("goals", goals, 5)
	for _, c := range life.Conversations {
		if n := len(c.Turns); n < 4 || n > 8 || c.Summary == "" || len(c.Mentions) == 0 {
			t.Errorf("%s: %d turns, %d mentions, summary %q", c.Key, n, len(c.Mentions), c.Summary)
		}
	}
	if !slices.ContainsFunc(life.Preferences, func(p preference.Preference) bool {
		return p.Key == preference.TimeZone && string(p.Value) == `"`+zone+`"`
	}) {
		t.Error("the preferences lack the time zone that the times are told in")
	}
}

// types lists the relationship types between kinds of the data model. The last one is an older name.
var types = map[[2]string][]string{
	{"person", "person"}:   {"has_relationship_with"},
	{"person", "concept"}:  {"engages_with", "thinks_about"},
	{"person", "entity"}:   {"associated_with"},
	{"concept", "concept"}: {"relates_to"},
	{"concept", "entity"}:  {"involves"},
	{"entity", "entity"}:   {"connected_to"},
}

func TestDemoHangsTogether(t *testing.T) {
	t.Parallel()
	_, memory, sources := readWrites(t, nows()[0])
	kinds, names := map[string]string{}, map[string]bool{}
	for i, n := range memory.Nodes {
		if n.IsOwner.Value != (i == 0) {
			t.Errorf("%s: the owner is the first person and no other", n.EntityKey)
		}
		name := n.Kind + "\x00" + strings.ToLower(n.Name.Value) + "\x00" + n.Type.Value
		if kinds[n.EntityKey] != "" || names[name] || n.Description.Value == "" {
			t.Errorf("%s: key or name is not the only one, or there is no description", n.EntityKey)
		}
		kinds[n.EntityKey], names[name] = n.Kind, true
	}
	linked, strongest := map[string]bool{}, map[float64]bool{}
	for _, r := range memory.Relationships {
		if !slices.Contains(types[[2]string{kinds[r.From], kinds[r.To]}], r.Type) || r.Description.Value == "" {
			t.Errorf("%s %s %s is no legal, described relationship", r.From, r.Type, r.To)
		}
		linked[r.From], linked[r.To] = true, true
		if r.From == memory.Nodes[0].EntityKey && strongest[r.Salience.Value] {
			t.Errorf("%s ties with another of the owner's", r.To)
		}
		strongest[r.Salience.Value] = strongest[r.Salience.Value] || r.From == memory.Nodes[0].EntityKey
	}
	for key := range kinds {
		if !linked[key] {
			t.Errorf("%s is linked to nothing", key)
		}
	}
	for _, s := range sources {
		for _, key := range s.Mentions {
			if kinds[key] == "" {
				t.Errorf("%s mentions %s, which is not there", s.EntityKey, key)
			}
		}
	}
}

func TestLoadDemoAgainChangesNothing(t *testing.T) {
	t.Parallel()
	var bodies []string
	properties := `{}`
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, `{"user":{"owner_person_node":{"properties":`+properties+`}}}`)
			return
		}
		bodies = append(bodies, r.URL.Path+" "+string(raw))
	}))
	defer service.Close()
	api := client.New(service.URL, "kith_secret", nil)
	now := time.Date(2026, 3, 18, 10, 0, 0, 123, time.UTC)
	if err := Load(t.Context(), api, now); err != nil {
		t.Fatal(err)
	}
	first := bodies
	bodies = nil
	var memory graph.MemoryWrite
	if err := json.Unmarshal([]byte(strings.TrimPrefix(first[0], "/v1/memory ")), &memory); err != nil {
		t.Fatal(err)
	}
	properties = string(memory.Nodes[0].Properties)
	if err := Load(t.Context(), api, now.Add(100*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, bodies); diff != "" {
		t.Errorf("the second load differs: %s", diff)
	}
}
