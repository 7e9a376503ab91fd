package graph_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"kith/graph"
	"kith/internal/bounds"
	"kith/internal/fault"
	"kith/memory/preference"
	"kith/tests/graphtest"
)

// secret is part of bad values: no error may repeat it.
const secret = "Xyzzy"

var (
	badTexts = map[string]string{"NUL": secret + "\x00", "invalid UTF-8": secret + "\xff"}
	badWords = map[string]string{
		"NUL": secret + "\x00", "invalid UTF-8": secret + "\xff", "control": secret + "\n", "separator": secret + "\x1f", "blank": " \u00a0 ",
	}
	tooLate  = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)
	tooEarly = time.Date(999, 12, 31, 23, 59, 59, 0, time.UTC)
)

// wrong is an input and the expected locations of its faults.
type wrong struct {
	name  string
	at    []string
	write graph.MemoryWrite
}

func wrongNodes() (all []wrong) {
	add := func(name, field string, change func(*graph.NodeWrite)) {
		w := node("concept", "c", 0.5)
		change(&w)
		all = append(all, wrong{"node " + field + " " + name, []string{"nodes[0]." + field}, graph.MemoryWrite{Nodes: []graph.NodeWrite{w}}})
	}
	long := func(n int) string { return strings.Repeat("é", n+1) }
	words := func(field string, limit int, set func(*graph.NodeWrite, string)) {
		for name, text := range badWords {
			add(name, field, func(w *graph.NodeWrite) { set(w, text) })
		}
		add("too long", field, func(w *graph.NodeWrite) { set(w, long(limit)) })
	}
	words("entity_key", bounds.KeyLength, func(w *graph.NodeWrite, s string) { w.EntityKey = s })
	words("user_id", bounds.KeyLength, func(w *graph.NodeWrite, s string) { w.UserID = graph.Some(s) })
	words("name", bounds.NameLength, func(w *graph.NodeWrite, s string) { w.Name = graph.Some(s) })
	words("canonical_name", bounds.NameLength, func(w *graph.NodeWrite, s string) { w.Kind, w.CanonicalName = "person", graph.Some(s) })
	words("type", 128, func(w *graph.NodeWrite, s string) { w.Kind, w.Type = "entity", graph.Some(s) })
	add("null", "name", func(w *graph.NodeWrite) { w.Name = graph.Null[string]() })
	add("empty", "user_id", func(w *graph.NodeWrite) { w.UserID = graph.Some("") })
	add("missing, as the key is", "name", func(w *graph.NodeWrite) { w.EntityKey, w.Name = "", graph.Optional[string]{} })
	for name, text := range badTexts {
		add(name, "description", func(w *graph.NodeWrite) { w.Description = graph.Some(text) })
	}
	add("too long", "description", func(w *graph.NodeWrite) { w.Description = graph.Some(long(bounds.TextLength)) })
	for _, kind := range []string{"", "Person", secret, "storyline", "macro"} {
		add(kind, "kind", func(w *graph.NodeWrite) { w.Kind = kind })
	}
	add(secret, "state", func(w *graph.NodeWrite) { w.State = graph.Some(secret) })
	add("null", "state", func(w *graph.NodeWrite) { w.State = graph.Null[string]() })
	add(secret, "ttl_policy", func(w *graph.NodeWrite) { w.TTLPolicy = graph.Some(secret) })
	for _, n := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -0.001, 1.001} {
		add(fmt.Sprint(n), "salience", func(w *graph.NodeWrite) { w.Salience = graph.Some(n) })
		add(fmt.Sprint(n), "confidence", func(w *graph.NodeWrite) { w.Confidence = graph.Some(n) })
	}
	for field, set := range map[string]func(*graph.NodeWrite, graph.Optional[time.Time]){
		"created_at":       func(w *graph.NodeWrite, o graph.Optional[time.Time]) { w.CreatedAt = o },
		"updated_at":       func(w *graph.NodeWrite, o graph.Optional[time.Time]) { w.UpdatedAt = o },
		"last_accessed_at": func(w *graph.NodeWrite, o graph.Optional[time.Time]) { w.LastAccessedAt = o },
	} {
		for _, at := range []time.Time{tooEarly, tooLate, noon.Add(24*time.Hour + time.Second)} {
			add(at.String(), field, func(w *graph.NodeWrite) { set(w, graph.Some(at)) })
		}
		if field != "last_accessed_at" {
			add("null", field, func(w *graph.NodeWrite) { set(w, graph.Null[time.Time]()) })
		}
	}
	for name, raw := range badProperties() {
		add(name, "properties", func(w *graph.NodeWrite) { w.Properties = raw })
	}
	add("of a person", "canonical_name", func(w *graph.NodeWrite) { w.CanonicalName = graph.Some("x") })
	add("of a person", "is_owner", func(w *graph.NodeWrite) { w.IsOwner = graph.Some(true) })
	add("of an entity", "type", func(w *graph.NodeWrite) { w.Type = graph.Some("x") })
	add("of a concept", "is_goal", func(w *graph.NodeWrite) { w.Kind, w.IsGoal = "person", graph.Some(true) })
	return all
}

func badProperties() map[string]json.RawMessage {
	return map[string]json.RawMessage{
		"null": json.RawMessage(`null`), "list": json.RawMessage(`["` + secret + `"]`), "text": json.RawMessage(`"` + secret + `"`),
		"empty": {}, "no JSON": json.RawMessage(`{"` + secret + `"`), "two": json.RawMessage(`{}{}`), "invalid UTF-8": json.RawMessage("{\"a\":\"\xff\"}"),
		"deep":      json.RawMessage(strings.Repeat(`{"a":`, bounds.PropertiesDepth) + `[]` + strings.Repeat(`}`, bounds.PropertiesDepth)),
		"very deep": json.RawMessage(`{"a":` + strings.Repeat(`[`, 7000) + strings.Repeat(`]`, 7000) + `}`),
		"huge":      json.RawMessage(`{"a":"` + strings.Repeat("x", bounds.PropertiesSize) + `"}`),
	}
}

func wrongRelationships() (all []wrong) {
	add := func(name, field string, change func(*graph.RelationshipWrite)) {
		w := link("a", "relates_to", "b", 0.5)
		change(&w)
		all = append(all, wrong{"relationship " + field + " " + name, []string{"relationships[0]." + field}, graph.MemoryWrite{Relationships: []graph.RelationshipWrite{w}}})
	}
	for name, text := range badWords {
		add(name, "from", func(w *graph.RelationshipWrite) { w.From = text })
		add(name, "to", func(w *graph.RelationshipWrite) { w.To = text })
		add(name, "relationship_type", func(w *graph.RelationshipWrite) { w.RelationshipType = graph.Some(text) })
		add(name, "recorded_by", func(w *graph.RelationshipWrite) { w.RecordedBy = graph.Some(text) })
	}
	add("missing", "from", func(w *graph.RelationshipWrite) { w.From = "" })
	for _, bad := range []string{"", "RELATES_TO", "1a", "_a", "relates to", "a-b", "a`b", secret, "a}]->() DELETE", "é", strings.Repeat("a", 65), "a\n",
		"has_message"} {
		add(bad, "type", func(w *graph.RelationshipWrite) { w.Type = bad })
	}
	for name, text := range badTexts {
		add(name, "description", func(w *graph.RelationshipWrite) { w.Description = graph.Some(text) })
	}
	for _, n := range []float64{math.NaN(), math.Inf(1), -1, 2} {
		add(fmt.Sprint(n), "salience", func(w *graph.RelationshipWrite) { w.Salience = graph.Some(n) })
		add(fmt.Sprint(n), "confidence", func(w *graph.RelationshipWrite) { w.Confidence = graph.Some(n) })
	}
	for _, n := range []int64{0, 6, -1, math.MaxInt64} {
		add(fmt.Sprint(n), "attitude", func(w *graph.RelationshipWrite) { w.Attitude = graph.Some(n) })
		add(fmt.Sprint(n), "proximity", func(w *graph.RelationshipWrite) { w.Proximity = graph.Some(n) })
	}
	add("unknown", "state", func(w *graph.RelationshipWrite) { w.State = graph.Some(secret) })
	add("null", "valid_from", func(w *graph.RelationshipWrite) { w.ValidFrom = graph.Null[time.Time]() })
	add("early", "valid_from", func(w *graph.RelationshipWrite) { w.ValidFrom = graph.Some(tooEarly) })
	add("late", "valid_to", func(w *graph.RelationshipWrite) { w.ValidTo = graph.Some(tooLate) })
	add("not after valid_from", "valid_to", func(w *graph.RelationshipWrite) { w.ValidFrom, w.ValidTo = graph.Some(noon), graph.Some(noon) })
	for name, raw := range badProperties() {
		add(name, "properties", func(w *graph.RelationshipWrite) { w.Properties = raw })
	}
	return all
}

func wrongRequests() []wrong {
	many := make([]graph.NodeWrite, bounds.Items)
	faulty := make([]graph.NodeWrite, 2*fault.MaxFaults)
	var first100 []string
	for i := range faulty {
		faulty[i] = graph.NodeWrite{Kind: secret, Name: graph.Some("x")}
		if i < fault.MaxFaults {
			first100 = append(first100, fault.At("nodes").Index(i).Field("kind").String())
		}
	}
	slices.Sort(first100)
	same := node("concept", "c", 0.5)
	return []wrong{
		{"10,001 items", []string{"nodes"}, graph.MemoryWrite{Nodes: many, Relationships: make([]graph.RelationshipWrite, 1)}},
		{"one key twice", []string{"nodes[1].entity_key"}, graph.MemoryWrite{Nodes: []graph.NodeWrite{same, same}}},
		{"one triple twice", []string{"relationships[2]"}, graph.MemoryWrite{Relationships: []graph.RelationshipWrite{
			link("a", "relates_to", "b", 1), link("b", "relates_to", "a", 1), link("a", "relates_to", "b", 0),
		}}},
		{"every fault", []string{"nodes[0].kind", "nodes[0].name", "nodes[1].salience", "relationships[0].type"}, graph.MemoryWrite{
			Nodes: []graph.NodeWrite{{Kind: secret}, node("concept", "c", 2)}, Relationships: []graph.RelationshipWrite{{From: "a", To: "b"}},
		}},
		{"a hundred faults are enough", first100, graph.MemoryWrite{Nodes: faulty}},
	}
}

func TestBadMemoryIsRefusedBeforeItIsStored(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)})
	before := e.Stored()
	for _, c := range slices.Concat(wrongNodes(), wrongRelationships(), wrongRequests()) {
		_, err := e.Store.Write(t.Context(), e.As("u1"), &c.write)
		e.Same(c.name, c.at, graphtest.Locations(err))
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("%s: the error repeats the value: %v", c.name, err)
		}
	}
	_, err := e.Store.Write(t.Context(), e.As("u\x00"), &graph.MemoryWrite{})
	e.Same("the user", []string{"user_id"}, graphtest.Locations(err))
	e.Same("stored", before, e.Stored())
}

// A node makes no user whose id looks like another's, nor does the line of an import. What was exported has the users that there were.
func TestNodesOfUsersWhoLookAlike(t *testing.T) {
	e := fresh(t)
	for _, id := range []string{"u1 ", "\u00a0u1", "u\u200b1"} {
		n := graph.NodeWrite{Kind: "concept", Name: graph.Some("Tea"), UserID: graph.Some(id)}
		_, err := e.Store.Write(t.Context(), e.As(""), &graph.MemoryWrite{Nodes: []graph.NodeWrite{n}})
		e.Same(id, []string{"nodes[0].user_id"}, graphtest.Locations(err))
		if fields := e.Store.CheckNode(&n, e.As("")); len(fields) != 1 || fields[0].Path.String() != "user_id" {
			t.Errorf("%q imported: %+v", id, fields)
		}
		n.History = &graph.History{}
		if fields := e.Store.CheckNode(&n, e.As("")); len(fields) != 0 {
			t.Errorf("%q exported: %+v", id, fields)
		}
	}
}

func TestBadSourcesAreRefusedBeforeTheyAreStored(t *testing.T) {
	e := fresh(t)
	before := e.Stored()
	many := make([]string, bounds.ListLength+1)
	for at, w := range map[string]graph.SourceWrite{
		"entity_key":             {EntityKey: "a\n"},
		"content_type":           {ContentType: graph.Some(secret)},
		"context_type":           {ContextType: graph.Some(secret)},
		"source_type":            {SourceType: graph.Some(secret)},
		"sensitivity":            {Sensitivity: graph.Some(secret)},
		"started_at":             {StartedAt: graph.Some(noon.Add(25 * time.Hour))},
		"ended_at":               {StartedAt: graph.Some(noon), EndedAt: graph.Some(weekAgo)},
		"summary":                {Summary: graph.Some(secret + "\x00")},
		"keywords":               {Keywords: many},
		"tags[0]":                {Tags: []string{""}},
		"participants[1]":        {Participants: []string{"u2", "\xff"}},
		"mentions":               {Mentions: make([]string, bounds.Mentions+1)},
		"mentions[1]":            {Mentions: []string{"c", "c"}},
		"messages":               {Messages: make([]graph.MessageWrite, bounds.Messages+1)},
		"messages[0].role":       {Messages: []graph.MessageWrite{{Text: "x"}}},
		"messages[0].name":       {Messages: []graph.MessageWrite{{Role: "user", Name: strings.Repeat("x", bounds.NameLength+1)}}},
		"messages[0].text":       {Messages: []graph.MessageWrite{{Role: "user", Text: strings.Repeat("x", bounds.MessageLength+1)}}},
		"messages[0].at":         {Messages: []graph.MessageWrite{{Role: "user", At: graph.Some(tooEarly)}}},
		"messages[1].entity_key": {Messages: []graph.MessageWrite{said("m", "x"), said("m", "y")}},
	} {
		_, err := e.Store.WriteSource(t.Context(), e.As("u1"), &w)
		e.Same(at, []string{at}, graphtest.Locations(err))
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("%s: the error repeats the value: %v", at, err)
		}
	}
	_, err := e.Store.WriteSource(t.Context(), e.As(""), &graph.SourceWrite{})
	e.Same("no user", []string{"user_id"}, graphtest.Locations(err))
	_, err = e.Store.AppendMessages(t.Context(), e.As("u1"), "s", nil)
	e.Same("no messages", []string{"messages"}, graphtest.Locations(err))
	_, err = e.Store.EndConversation(t.Context(), e.As("u1"), "s", &graph.ConversationEnd{Summary: graph.Some("\x00"), EndedAt: graph.Some(tooLate), Mentions: []string{""}})
	e.Same("a bad end", []string{"ended_at", "mentions[0]", "summary"}, graphtest.Locations(err))
	e.Same("stored", before, e.Stored())
}

func TestBadPreferencesAreRefused(t *testing.T) {
	e := fresh(t)
	kept := []preference.Preference{{Key: "kept", Value: []byte(`1`)}}
	if err := preference.NewStore(e.Store).ReplacePreferences(t.Context(), e.As("u1"), kept); err != nil {
		t.Fatal(err)
	}
	one := func(key, value string) []preference.Preference {
		return []preference.Preference{{Key: key, Value: []byte(value)}}
	}
	for name, c := range map[string]struct {
		at string
		p  []preference.Preference
	}{
		"too many":      {"preferences", make([]preference.Preference, bounds.Preferences+1)},
		"no key":        {"preferences[0].key", one("", `1`)},
		"long key":      {"preferences[0].key", one(strings.Repeat("k", 129), `1`)},
		"twice":         {"preferences[1].key", append(one("k", `1`), one("k", `2`)...)},
		"null":          {"preferences[0].value", one("k", ` null `)},
		"no JSON":       {"preferences[0].value", one("k", secret)},
		"nothing":       {"preferences[0].value", one("k", ``)},
		"invalid UTF-8": {"preferences[0].value", one("k", "\"\xff\"")},
		"large":         {"preferences[0].value", one("k", `"`+strings.Repeat("x", 4096)+`"`)},
		"deep":          {"preferences[0].value", one("k", strings.Repeat("[", 9)+strings.Repeat("]", 9))},
	} {
		e.Same(name, []string{c.at}, graphtest.Locations(preference.NewStore(e.Store).ReplacePreferences(t.Context(), e.As("u1"), c.p)))
	}
	e.Same("stored", kept, e.sections("u1").Preferences)
}

// TestLimitsAreInclusive checks that inputs at the limits are accepted.
func TestLimitsAreInclusive(t *testing.T) {
	e := fresh(t)
	w := node("person", strings.Repeat("k", bounds.KeyLength), 1, described(strings.Repeat("x", bounds.TextLength)), accessed(noon.Add(24*time.Hour)))
	w.CreatedAt, w.UpdatedAt = graph.Some(tooEarly.Add(time.Second)), graph.Some(noon)
	w.Properties = json.RawMessage(`{"a":` + strings.Repeat("[", bounds.PropertiesDepth-1) + strings.Repeat("]", bounds.PropertiesDepth-1) +
		`,"b":"` + strings.Repeat("x", bounds.PropertiesSize-2*bounds.PropertiesDepth-12) + `"}`)
	deepest := graph.RelationshipWrite{
		From: w.EntityKey, Type: "r" + strings.Repeat("_", 63), To: "other", Salience: graph.Some(0.0), Attitude: graph.Some(int64(1)), Proximity: graph.Some(int64(5)),
		ValidFrom: graph.Some(tooEarly.Add(time.Second)), ValidTo: graph.Some(tooLate.Add(-time.Second)),
	}
	e.Same("statuses", []graph.Status{graph.Created, graph.Created, graph.Created}, statuses(e.Write("u1", []graph.NodeWrite{w, node("concept", "other", 1)}, deepest)))
	if n := len(w.Properties); n > bounds.PropertiesSize || n < bounds.PropertiesSize-3 {
		t.Errorf("the properties have %d bytes", n)
	}
	e.Same("text", graph.Created, e.Source("u1", graph.SourceWrite{Messages: []graph.MessageWrite{{Role: "user", Text: strings.Repeat("⛵", bounds.MessageLength)}}}).Messages[0].Status)
}
