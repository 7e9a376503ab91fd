package graph

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// read returns a node of the team through the store's own lookup; nil if it does not exist.
func (e *env) read(key string) *Node {
	e.Helper()
	var n *Node
	err := e.store.Transaction(e.Context(), "test", func(t *Tx) error {
		found, err := t.find(e.team, lookups{entityKeys: []string{key}})
		if s := found.byKey[key]; s != nil {
			view := nodeView(s.kind, s.Properties, e.now).Node
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
	result := e.write("u1", []NodeWrite{
		{Kind: "concept", Name: Some("tides")},
		{Kind: "person", Name: Some(" Jon  SNOW "), IsOwner: Some(true)},
		{Kind: "entity", Name: Some("Tern"), Type: Some("boat"), UserID: Null[string]()},
	})
	user := "u1"
	e.same("statuses", []Status{Created, Created, Created}, statuses(result))
	e.same("users", []string{"", "u1"}, e.changedUsers())
	e.same("concept", &Node{
		EntityKey: result.Nodes[0].EntityKey, UserID: &user, Name: "tides", State: "active", TTLPolicy: "decay",
		Salience: 0.5, Confidence: 0.5, LastAccessedAt: &noon, CreatedAt: noon, UpdatedAt: noon,
	}, e.read(result.Nodes[0].EntityKey))
	owner := e.read(result.Nodes[1].EntityKey)
	e.same("owner", []any{1.0, "jon snow", true}, []any{owner.Salience, owner.CanonicalName, owner.IsOwner})
	entity := e.read(result.Nodes[2].EntityKey)
	e.same("shared", []any{(*string)(nil), "boat"}, []any{entity.UserID, entity.Type})
	for _, n := range result.Nodes {
		if len(n.EntityKey) != 36 || n.EntityKey[14] != '7' {
			t.Errorf("the generated key %q is no UUIDv7", n.EntityKey)
		}
	}
}

func TestNodesAreFoundByTheirNaturalKey(t *testing.T) {
	e := fresh(t)
	named := func(kind, name string, c ...func(*NodeWrite)) NodeWrite {
		w := NodeWrite{Kind: kind, Name: Some(name)}
		for _, f := range c {
			f(&w)
		}
		return w
	}
	typed := func(t string) func(*NodeWrite) { return func(w *NodeWrite) { w.Type = Some(t) } }
	writes := []NodeWrite{
		named("person", "Ada Quay"), named("concept", "Ada Quay"), named("entity", "Ada Quay"), named("entity", "Ada Quay", typed("boat")),
		named("concept", "ada quay"), named("concept", "Ada Quay", shared), named("concept", "Ada Quay", of("u2")),
	}
	first := e.write("u1", writes)
	for i, s := range statuses(first) {
		e.same(writes[i].Name.Value, Created, s)
	}
	e.changedUsers()
	again := e.write("u1", append(writes, named("person", "ADA   quay")))
	for i := range writes {
		e.same("again", NodeResult{EntityKey: first.Nodes[i].EntityKey, Status: Unchanged, Version: 1}, again.Nodes[i])
	}
	e.same("a person in another spelling", NodeResult{EntityKey: first.Nodes[0].EntityKey, Status: Updated, Version: 2}, again.Nodes[len(writes)])
	e.same("users", []string{"u1"}, e.changedUsers())
}

func TestFieldsLeftOutStay(t *testing.T) {
	e := fresh(t)
	full := NodeWrite{
		Kind: "person", EntityKey: "p", Name: Some("Jon"), CanonicalName: Some("Jon Snow"), Description: Some("A sailor."),
		State: Some("core"), TTLPolicy: Some("ephemeral"), Salience: Some(0.7), Confidence: Some(0.9), IsOwner: Some(true),
		CreatedAt: Some(weekAgo), LastAccessedAt: Some(weekAgo), Properties: json.RawMessage(`{"a":[1,2.50,"\u00e9"]}`),
	}
	e.write("u1", []NodeWrite{full})
	before := e.read("p")
	e.now = noon.Add(time.Hour)
	for _, w := range []NodeWrite{full, {Kind: "person", EntityKey: "p"}, {Kind: "person", EntityKey: "p", Name: Some("Jon")}} {
		result := e.write("u1", []NodeWrite{w})
		e.same("status", Unchanged, result.Nodes[0].Status)
		e.now = noon                 // when before was read: its salience decays
		if !w.LastAccessedAt.Given { // it was written now
			accessed := noon.Add(time.Hour)
			before.LastAccessedAt = &accessed
		}
		e.same("node", before, e.read("p"))
		e.now = noon.Add(time.Hour)
	}

	want := *before
	want.UpdatedAt, want.Description, want.Salience, want.Confidence, want.LastAccessedAt = e.now, "", 0, 0, nil
	want.IsOwner = false
	result := e.write("u1", []NodeWrite{{
		Kind: "person", EntityKey: "p", Description: Null[string](), Salience: Null[float64](), Confidence: Null[float64](),
		LastAccessedAt: Null[time.Time](), IsOwner: Null[bool](),
	}})
	e.same("status", Updated, result.Nodes[0].Status)
	e.same("cleared", &want, e.read("p"))

	e.write("u1", []NodeWrite{{Kind: "person", EntityKey: "p", UpdatedAt: Some(weekAgo), Properties: json.RawMessage(`{}`)}})
	want.UpdatedAt, want.LastAccessedAt, want.Properties = weekAgo, &e.now, json.RawMessage(`{}`)
	e.same("updated_at given", &want, e.read("p"))
}

func TestCanonicalNameFollowsANameOnlyIfNobodyGaveIt(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{
		{Kind: "person", EntityKey: "given", Name: Some("Jon"), CanonicalName: Some("Jon Snow")},
		{Kind: "person", EntityKey: "derived", Name: Some("Ada")},
	})
	e.write("u1", []NodeWrite{change("person", "given", func(w *NodeWrite) { w.Name = Some("Jonny") }),
		change("person", "derived", func(w *NodeWrite) { w.Name = Some("Ada Quay") })})
	e.same("given", "jon snow", e.read("given").CanonicalName)
	e.same("derived", "ada quay", e.read("derived").CanonicalName)
}

func TestTakenNamesAndKeysAreRefused(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{
		node("concept", "c-1", 0.5), node("concept", "c-2", 0.5), node("person", "p-1", 0.5), node("person", "p-2", 0.5),
		{Kind: "entity", EntityKey: "e-1", Name: Some("Tern"), Type: Some("boat")}, {Kind: "entity", EntityKey: "e-2", Name: Some("Tern"), Type: Some("bird")},
		{Kind: "entity", EntityKey: "e-3", Name: Some("Gull"), Type: Some("bird")}, node("concept", "u2-c", 0.5, of("u2")),
		node("concept", "s-1", 0.5, shared), node("concept", "s-2", 0.5, shared),
	})
	e.source("u1", SourceWrite{EntityKey: "source", Messages: []MessageWrite{{EntityKey: "message", Role: "user"}}})
	named := func(kind, key, name string) NodeWrite { return NodeWrite{Kind: kind, EntityKey: key, Name: Some(name)} }
	for name, c := range map[string]struct {
		write NodeWrite
		at    string
	}{
		"a new key for a name":      {named("concept", "c-9", "the c-1"), "name"},
		"a name of another":         {named("concept", "c-2", "the c-1"), "name"},
		"a canonical name":          {NodeWrite{Kind: "person", EntityKey: "p-2", CanonicalName: Some("THE P-1")}, "name"},
		"a type":                    {NodeWrite{Kind: "entity", EntityKey: "e-2", Type: Some("boat")}, "name"},
		"a name, with its type":     {named("entity", "e-3", "Tern"), "name"},
		"a name among the shared":   {named("concept", "s-2", "the s-1"), "name"},
		"another kind":              {named("person", "c-1", "c"), "entity_key"},
		"another user's":            {named("concept", "u2-c", "mine now"), "entity_key"},
		"a shared one as one's own": {change("concept", "s-1", of("u1"), described("d")), "entity_key"},
		"one's own as a shared one": {change("concept", "c-1", shared, described("d")), "entity_key"},
		"a source":                  {named("concept", "source", "x"), "entity_key"},
		"a message":                 {named("concept", "message", "x"), "entity_key"},
		"no name for a new one":     {NodeWrite{Kind: "concept", EntityKey: "new"}, "name"},
	} {
		t.Run(name, func(t *testing.T) {
			e := &env{T: t, store: e.store, team: e.team, now: noon}
			before := e.stored()
			e.changedUsers()
			result := e.try("u1", []NodeWrite{c.write})
			r := result.Nodes[0]
			if r.Status != Refused || r.Error == nil || r.EntityKey != c.write.EntityKey || len(e.changedUsers()) != 0 {
				t.Fatalf("got %+v", result)
			}
			e.same("warnings", []string{"nodes[0]." + c.at + ": " + *r.Error}, result.Warnings)
			_, err := e.store.Write(t.Context(), e.as("u1"), &MemoryWrite{Strict: true, Nodes: []NodeWrite{node("concept", "fine", 1), c.write}})
			e.same("faults", []string{"nodes[1]." + c.at}, locations(err))
			e.same("stored", before, e.stored())
			if strings.Contains(err.Error(), "Tern") || strings.Contains(err.Error(), "the c-1") {
				t.Errorf("the error reveals stored data: %v", err)
			}
		})
	}
}

func TestTheTeamDoesNotChangeWhatIsPrivate(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{node("concept", "c", 0.5)})
	e.same("by key", Refused, e.try("", []NodeWrite{change("concept", "c", described("d"))}).Nodes[0].Status)
	e.same("by name", Created, e.try("", []NodeWrite{{Kind: "concept", Name: Some("the c")}}).Nodes[0].Status)
	e.same("a user what is shared", Updated, e.write("", []NodeWrite{node("concept", "s", 0.5), change("concept", "c", of("u1"), described("d"))}).Nodes[1].Status)
}

// In one write each item sees the items before it.
func TestItemsOfOneWriteFollowEachOther(t *testing.T) {
	e := fresh(t)
	named := func(key, name string, c ...func(*NodeWrite)) NodeWrite {
		w := NodeWrite{Kind: "concept", EntityKey: key, Name: Some(name)}
		for _, f := range c {
			f(&w)
		}
		return w
	}
	result := e.write("u1", []NodeWrite{named("", "twice"), named("", "twice", described("more")), named("", "twice")})
	e.same("statuses", []Status{Created, Updated, Unchanged}, statuses(result))
	e.same("one node", result.Nodes[0].EntityKey, result.Nodes[2].EntityKey)
	e.same("description", "more", e.read(result.Nodes[0].EntityKey).Description)

	e.write("u1", []NodeWrite{named("k-1", "A"), named("k-2", "B")})
	result = e.write("u1", []NodeWrite{named("k-1", "C"), named("k-2", "A"), named("k-3", "B"), named("", "C", described("d"))})
	e.same("names handed on", []Status{Updated, Updated, Created, Updated}, statuses(result))
	e.same("the one found by its new name", "k-1", result.Nodes[3].EntityKey)
	e.same("names", []string{"C", "A", "B"}, []string{e.read("k-1").Name, e.read("k-2").Name, e.read("k-3").Name})

	refused := e.try("u1", []NodeWrite{named("k-3", "A"), named("k-2", "D"), named("k-3b", "A")})
	e.same("not before it is free", []Status{Refused, Updated, Created}, statuses(refused))
}

func TestTextsComeBackAsTheyWent(t *testing.T) {
	e := fresh(t)
	for i, text := range []string{
		`"quotes" 'single' \back\slash \u0041 $param ${x} {a: 1} ; // DROP`, "é e\u0301 ⛵🏴‍☠️ 日本語 \u202eolleh", "tab\tnew\nline\r\n",
		strings.Repeat("⛵", MaxTextLength), " blanks ",
	} {
		key := string(rune('a' + i))
		e.write("u1", []NodeWrite{node("concept", key, 0.5, described(text))})
		if got := e.read(key).Description; got != text {
			t.Errorf("text %d came back changed", i)
		}
		e.same("again", Unchanged, e.write("u1", []NodeWrite{node("concept", key, 0.5, described(text))}).Nodes[0].Status)
	}
	name, key := strings.Repeat("🏴", MaxNameLength), strings.Repeat("鍵", MaxKeyLength)
	e.write(key, []NodeWrite{{Kind: "entity", EntityKey: key, Name: Some(name), Type: Some(strings.Repeat("型", 128))}})
	e.same("the longest names", name, e.read(key).Name)
}

func TestTimesAreStoredInUTC(t *testing.T) {
	e := fresh(t)
	kolkata := time.FixedZone("", 5*3600+1800)
	at := time.Date(2026, 3, 1, 2, 3, 4, 567_000_000, kolkata)
	write := change("concept", "c", func(w *NodeWrite) {
		w.Name, w.CreatedAt, w.UpdatedAt, w.LastAccessedAt = Some("c"), Some(at), Some(at), Some(at)
	})
	e.write("u1", []NodeWrite{write})
	n := e.read("c")
	utc := time.Date(2026, 2, 28, 20, 33, 4, 567_000_000, time.UTC)
	e.same("times", []time.Time{utc, utc, utc}, []time.Time{n.CreatedAt, n.UpdatedAt, *n.LastAccessedAt})
	write.CreatedAt = Some(utc)
	e.same("the same moment in another zone", Unchanged, e.write("u1", []NodeWrite{write}).Nodes[0].Status)
	e.same("as the database has it", "2026-02-28T20:33:04.567Z", strings.Replace(e.raw(
		`MATCH (n:Concept {team_id: $team, entity_key: 'c'}) RETURN toString(n.last_accessed_at)`)[0][0].(string), "[UTC]", "", 1))
}
