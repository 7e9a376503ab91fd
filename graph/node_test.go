package graph_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"kith/graph"
	"kith/internal/bounds"
	"kith/memory/system"
	"kith/tests/graphtest"
)

// read returns a node of the team through the store's own lookup; nil if it does not exist.
func (e *env) read(key string) *graph.Node {
	e.Helper()
	var n *graph.Node
	err := e.Store.Transaction(e.Context(), "test", func(t *graph.Tx) error {
		found, err := t.FindForTest(e.Team, graph.LookupKeys(key))
		if s := (*found.ByKeyField())[key]; s != nil {
			view := graph.NewNodeView((*s.KindField()), s.Properties, e.Now).Node
			n = &view
		}
		return err
	})
	if err != nil {
		e.Fatal(err)
	}
	return n
}

func TestNodeDefaults(t *testing.T) {
	e := fresh(t)
	result := e.Write("u1", []graph.NodeWrite{
		{Kind: "concept", Name: graph.Some("tides")},
		{Kind: "person", Name: graph.Some(" Jon  SNOW "), IsOwner: graph.Some(true)},
		{Kind: "entity", Name: graph.Some("Tern"), Type: graph.Some("boat"), UserID: graph.Null[string]()},
	})
	user := "u1"
	e.Same("statuses", []graph.Status{graph.Created, graph.Created, graph.Created}, statuses(result))
	e.Same("users", []string{"", "u1"}, e.ChangedUsers())
	e.Same("concept", &graph.Node{
		EntityKey: result.Nodes[0].EntityKey, UserID: &user, Name: "tides", State: "active", TTLPolicy: "decay",
		Salience: 0.5, Confidence: 0.5, LastAccessedAt: &noon, CreatedAt: noon, UpdatedAt: noon,
	}, e.read(result.Nodes[0].EntityKey))
	owner := e.read(result.Nodes[1].EntityKey)
	e.Same("owner", []any{1.0, "jon snow", true}, []any{owner.Salience, owner.CanonicalName, owner.IsOwner})
	entity := e.read(result.Nodes[2].EntityKey)
	e.Same("shared", []any{(*string)(nil), "boat"}, []any{entity.UserID, entity.Type})
	for _, n := range result.Nodes {
		if len(n.EntityKey) != 36 || n.EntityKey[14] != '7' {
			t.Errorf("the generated key %q is no UUIDv7", n.EntityKey)
		}
	}
}

func TestNodesAreFoundByTheirNaturalKey(t *testing.T) {
	e := fresh(t)
	named := func(kind, name string, c ...func(*graph.NodeWrite)) graph.NodeWrite {
		w := graph.NodeWrite{Kind: kind, Name: graph.Some(name)}
		for _, f := range c {
			f(&w)
		}
		return w
	}
	typed := func(t string) func(*graph.NodeWrite) { return func(w *graph.NodeWrite) { w.Type = graph.Some(t) } }
	writes := []graph.NodeWrite{
		named("person", "Ada Quay"), named("concept", "Ada Quay"), named("entity", "Ada Quay"), named("entity", "Ada Quay", typed("boat")),
		named("concept", "ada quay"), named("concept", "Ada Quay", shared), named("concept", "Ada Quay", of("u2")),
	}
	first := e.Write("u1", writes)
	for i, s := range statuses(first) {
		e.Same(writes[i].Name.Value, graph.Created, s)
	}
	e.ChangedUsers()
	again := e.Write("u1", append(writes, named("person", "ADA   quay")))
	for i := range writes {
		e.Same("again", graph.NodeResult{EntityKey: first.Nodes[i].EntityKey, Status: graph.Unchanged, Version: 1}, again.Nodes[i])
	}
	e.Same("a person in another spelling", graph.NodeResult{EntityKey: first.Nodes[0].EntityKey, Status: graph.Updated, Version: 2}, again.Nodes[len(writes)])
	e.Same("users", []string{"u1"}, e.ChangedUsers())
}

func TestFieldsLeftOutStay(t *testing.T) {
	e := fresh(t)
	full := graph.NodeWrite{
		Kind: "person", EntityKey: "p", Name: graph.Some("Jon"), CanonicalName: graph.Some("Jon Snow"), Description: graph.Some("A sailor."),
		State: graph.Some("core"), TTLPolicy: graph.Some("ephemeral"), Salience: graph.Some(0.7), Confidence: graph.Some(0.9), IsOwner: graph.Some(true),
		CreatedAt: graph.Some(weekAgo), LastAccessedAt: graph.Some(weekAgo), Properties: json.RawMessage(`{"a":[1,2.50,"\u00e9"]}`),
	}
	e.Write("u1", []graph.NodeWrite{full})
	before := e.read("p")
	e.Now = noon.Add(time.Hour)
	for _, w := range []graph.NodeWrite{full, {Kind: "person", EntityKey: "p"}, {Kind: "person", EntityKey: "p", Name: graph.Some("Jon")}} {
		result := e.Write("u1", []graph.NodeWrite{w})
		e.Same("status", graph.Unchanged, result.Nodes[0].Status)
		e.Now = noon                 // when before was read: its salience decays
		if !w.LastAccessedAt.Given { // it was written now
			accessed := noon.Add(time.Hour)
			before.LastAccessedAt = &accessed
		}
		e.Same("node", before, e.read("p"))
		e.Now = noon.Add(time.Hour)
	}

	want := *before
	want.UpdatedAt, want.Description, want.Salience, want.Confidence, want.LastAccessedAt = e.Now, "", 0, 0, nil
	want.IsOwner = false
	result := e.Write("u1", []graph.NodeWrite{{
		Kind: "person", EntityKey: "p", Description: graph.Null[string](), Salience: graph.Null[float64](), Confidence: graph.Null[float64](),
		LastAccessedAt: graph.Null[time.Time](), IsOwner: graph.Null[bool](),
	}})
	e.Same("status", graph.Updated, result.Nodes[0].Status)
	e.Same("cleared", &want, e.read("p"))

	e.Write("u1", []graph.NodeWrite{{Kind: "person", EntityKey: "p", UpdatedAt: graph.Some(weekAgo), Properties: json.RawMessage(`{}`)}})
	want.UpdatedAt, want.LastAccessedAt, want.Properties = weekAgo, &e.Now, json.RawMessage(`{}`)
	e.Same("updated_at given", &want, e.read("p"))
}

func TestCanonicalNameFollowsANameOnlyIfNobodyGaveIt(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{
		{Kind: "person", EntityKey: "given", Name: graph.Some("Jon"), CanonicalName: graph.Some("Jon Snow")},
		{Kind: "person", EntityKey: "derived", Name: graph.Some("Ada")},
	})
	e.Write("u1", []graph.NodeWrite{change("person", "given", func(w *graph.NodeWrite) { w.Name = graph.Some("Jonny") }),
		change("person", "derived", func(w *graph.NodeWrite) { w.Name = graph.Some("Ada Quay") })})
	e.Same("given", "jon snow", e.read("given").CanonicalName)
	e.Same("derived", "ada quay", e.read("derived").CanonicalName)
}

func TestTakenNamesAndKeysAreRefused(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{
		node("concept", "c-1", 0.5), node("concept", "c-2", 0.5), node("person", "p-1", 0.5), node("person", "p-2", 0.5),
		{Kind: "entity", EntityKey: "e-1", Name: graph.Some("Tern"), Type: graph.Some("boat")}, {Kind: "entity", EntityKey: "e-2", Name: graph.Some("Tern"), Type: graph.Some("bird")},
		{Kind: "entity", EntityKey: "e-3", Name: graph.Some("Gull"), Type: graph.Some("bird")}, node("concept", "u2-c", 0.5, of("u2")),
		node("concept", "s-1", 0.5, shared), node("concept", "s-2", 0.5, shared),
	})
	e.Source("u1", graph.SourceWrite{EntityKey: "source", Messages: []graph.MessageWrite{{EntityKey: "message", Role: "user"}}})
	named := func(kind, key, name string) graph.NodeWrite {
		return graph.NodeWrite{Kind: kind, EntityKey: key, Name: graph.Some(name)}
	}
	for name, c := range map[string]struct {
		write graph.NodeWrite
		at    string
	}{
		"a new key for a name":    {named("concept", "c-9", "the c-1"), "name"},
		"a name of another":       {named("concept", "c-2", "the c-1"), "name"},
		"a canonical name":        {graph.NodeWrite{Kind: "person", EntityKey: "p-2", CanonicalName: graph.Some("THE P-1")}, "name"},
		"a type":                  {graph.NodeWrite{Kind: "entity", EntityKey: "e-2", Type: graph.Some("boat")}, "name"},
		"a name, with its type":   {named("entity", "e-3", "Tern"), "name"},
		"a name among the shared": {named("concept", "s-2", "the s-1"), "name"},
		"another kind":            {named("person", "c-1", "c"), "entity_key"},
		"a source":                {named("concept", "source", "x"), "entity_key"},
		"a message":               {named("concept", "message", "x"), "entity_key"},
		"no name for a new one":   {graph.NodeWrite{Kind: "concept", EntityKey: "new"}, "name"},
	} {
		t.Run(name, func(t *testing.T) {
			e := e.of(t, e.Team)
			before := e.Stored()
			e.ChangedUsers()
			result := e.Try("u1", []graph.NodeWrite{c.write})
			r := result.Nodes[0]
			if r.Status != graph.Refused || r.Error == nil || r.EntityKey != c.write.EntityKey || len(e.ChangedUsers()) != 0 {
				t.Fatalf("got %+v", result)
			}
			e.Same("warnings", []string{"nodes[0]." + c.at + ": " + *r.Error}, result.Warnings)
			_, err := e.Store.Write(t.Context(), e.As("u1"), &graph.MemoryWrite{Strict: true, Nodes: []graph.NodeWrite{node("concept", "fine", 1), c.write}})
			e.Same("faults", []string{"nodes[1]." + c.at}, graphtest.Locations(err))
			e.Same("stored", before, e.Stored())
			if strings.Contains(err.Error(), "Tern") || strings.Contains(err.Error(), "the c-1") {
				t.Errorf("the error reveals stored data: %v", err)
			}
		})
	}
}

func TestTheTeamDoesNotChangeWhatIsPrivate(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("concept", "c", 0.5)})
	e.Same("by key", graph.Refused, e.Try("", []graph.NodeWrite{change("concept", "c", described("d"))}).Nodes[0].Status)
	e.Same("by name", graph.Created, e.Try("", []graph.NodeWrite{{Kind: "concept", Name: graph.Some("the c")}}).Nodes[0].Status)
	e.Same("a user what is shared", graph.Updated, e.Write("", []graph.NodeWrite{node("concept", "s", 0.5), change("concept", "c", of("u1"), described("d"))}).Nodes[1].Status)
}

// In one write each item sees the items before it.
func TestItemsOfOneWriteFollowEachOther(t *testing.T) {
	e := fresh(t)
	named := func(key, name string, c ...func(*graph.NodeWrite)) graph.NodeWrite {
		w := graph.NodeWrite{Kind: "concept", EntityKey: key, Name: graph.Some(name)}
		for _, f := range c {
			f(&w)
		}
		return w
	}
	result := e.Write("u1", []graph.NodeWrite{named("", "twice"), named("", "twice", described("more")), named("", "twice")})
	e.Same("statuses", []graph.Status{graph.Created, graph.Updated, graph.Unchanged}, statuses(result))
	e.Same("one node", result.Nodes[0].EntityKey, result.Nodes[2].EntityKey)
	e.Same("description", "more", e.read(result.Nodes[0].EntityKey).Description)

	e.Write("u1", []graph.NodeWrite{named("k-1", "A"), named("k-2", "B")})
	result = e.Write("u1", []graph.NodeWrite{named("k-1", "C"), named("k-2", "A"), named("k-3", "B"), named("", "C", described("d"))})
	e.Same("names handed on", []graph.Status{graph.Updated, graph.Updated, graph.Created, graph.Updated}, statuses(result))
	e.Same("the one found by its new name", "k-1", result.Nodes[3].EntityKey)
	e.Same("names", []string{"C", "A", "B"}, []string{e.read("k-1").Name, e.read("k-2").Name, e.read("k-3").Name})

	refused := e.Try("u1", []graph.NodeWrite{named("k-3", "A"), named("k-2", "D"), named("k-3b", "A")})
	e.Same("not before it is free", []graph.Status{graph.Refused, graph.Updated, graph.Created}, statuses(refused))
}

func TestTextsComeBackAsTheyWent(t *testing.T) {
	e := fresh(t)
	for i, text := range []string{
		`"quotes" 'single' \back\slash \u0041 $param ${x} {a: 1} ; // DROP`, "é e\u0301 ⛵🏴‍☠️ 日本語 \u202eolleh", "tab\tnew\nline\r\n",
		strings.Repeat("⛵", bounds.TextLength), " blanks ",
	} {
		key := string(rune('a' + i))
		e.Write("u1", []graph.NodeWrite{node("concept", key, 0.5, described(text))})
		if got := e.read(key).Description; got != text {
			t.Errorf("text %d came back changed", i)
		}
		e.Same("again", graph.Unchanged, e.Write("u1", []graph.NodeWrite{node("concept", key, 0.5, described(text))}).Nodes[0].Status)
	}
	name, key := strings.Repeat("🏴", bounds.NameLength), strings.Repeat("鍵", bounds.KeyLength)
	e.Write(key, []graph.NodeWrite{{Kind: "entity", EntityKey: key, Name: graph.Some(name), Type: graph.Some(strings.Repeat("型", 128))}})
	e.Same("the longest names", name, e.read(key).Name)
}

func TestTimesAreStoredInUTC(t *testing.T) {
	e := fresh(t)
	kolkata := time.FixedZone("", 5*3600+1800)
	at := time.Date(2026, 3, 1, 2, 3, 4, 567_000_000, kolkata)
	write := change("concept", "c", func(w *graph.NodeWrite) {
		w.Name, w.CreatedAt, w.UpdatedAt, w.LastAccessedAt = graph.Some("c"), graph.Some(at), graph.Some(at), graph.Some(at)
	})
	e.Write("u1", []graph.NodeWrite{write})
	n := e.read("c")
	utc := time.Date(2026, 2, 28, 20, 33, 4, 567_000_000, time.UTC)
	e.Same("times", []time.Time{utc, utc, utc}, []time.Time{n.CreatedAt, n.UpdatedAt, *n.LastAccessedAt})
	write.CreatedAt = graph.Some(utc)
	e.Same("the same moment in another zone", graph.Unchanged, e.Write("u1", []graph.NodeWrite{write}).Nodes[0].Status)
	e.Same("as the database has it", "2026-02-28T20:33:04.567Z", strings.Replace(e.Raw(
		`MATCH (n:Concept {team_id: $team, entity_key: 'c'}) RETURN toString(n.last_accessed_at)`)[0][0].(string), "[UTC]", "", 1))
}

func withName(name string) func(*graph.NodeWrite) {
	return func(w *graph.NodeWrite) { w.Name = graph.Some(name) }
}

// Names find the nodes that the scope may see, whatever their case. Stories and system entities are not found by
// name.
func TestNodesNamed(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("person", "p1", 0.5, withName("Ada (the miller)")), node("entity", "e1", 0.5, withName(" ADA "))})
	e.Write("u2", []graph.NodeWrite{node("person", "p2", 0.5, withName("Ada"))})
	e.Write("", []graph.NodeWrite{node("project", "shared", 0.5, withName("ada"))})
	if _, err := system.NewStore(e.Store).MergeSystem(t.Context(), e.As(""), "s", &system.Write{Entities: []system.EntityWrite{{Name: "ada", Type: graph.Some("service")}}}); err != nil {
		t.Fatal(err)
	}
	named := func(user string, names ...string) string {
		found, err := e.Store.NodesNamed(e.Context(), e.As(user), names)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, n := range found["ada"] {
			all = append(all, n.Kind+" "+n.EntityKey+" "+n.Name)
		}
		return fmt.Sprintf("%d: %s", len(found), strings.Join(all, ", "))
	}
	e.Same("of a user", "1: entity e1  ADA , person p1 Ada (the miller), project shared ada", named("u1", "ADA", "ada", "nobody", ""))
	e.Same("of another", "1: person p2 Ada, project shared ada", named("u2", "Ada"))
	e.Same("of the team", "1: project shared ada", named("", "Ada"))
	e.Same("of none", "0: ", named("u1"))
}
