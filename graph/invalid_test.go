package graph

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"kith/internal/fault"
)

// secret is part of bad values: no error may repeat it.
const secret = "Xyzzy"

var (
	badTexts = map[string]string{"NUL": secret + "\x00", "invalid UTF-8": secret + "\xff"}
	badWords = map[string]string{
		"NUL": secret + "\x00", "invalid UTF-8": secret + "\xff", "control": secret + "\n", "separator": secret + "\x1f", "blank": " \u00a0 ",
	}
	tooLate  = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)
	tooEarly = time.Date(1899, 12, 31, 23, 59, 59, 0, time.UTC)
)

// wrong is an input and the expected locations of its faults.
type wrong struct {
	name  string
	at    []string
	write MemoryWrite
}

func wrongNodes() (all []wrong) {
	add := func(name, field string, change func(*NodeWrite)) {
		w := node("concept", "c", 0.5)
		change(&w)
		all = append(all, wrong{"node " + field + " " + name, []string{"nodes[0]." + field}, MemoryWrite{Nodes: []NodeWrite{w}}})
	}
	long := func(n int) string { return strings.Repeat("é", n+1) }
	words := func(field string, limit int, set func(*NodeWrite, string)) {
		for name, text := range badWords {
			add(name, field, func(w *NodeWrite) { set(w, text) })
		}
		add("too long", field, func(w *NodeWrite) { set(w, long(limit)) })
	}
	words("entity_key", MaxKeyLength, func(w *NodeWrite, s string) { w.EntityKey = s })
	words("user_id", MaxKeyLength, func(w *NodeWrite, s string) { w.UserID = Some(s) })
	words("name", MaxNameLength, func(w *NodeWrite, s string) { w.Name = Some(s) })
	words("canonical_name", MaxNameLength, func(w *NodeWrite, s string) { w.Kind, w.CanonicalName = "person", Some(s) })
	words("type", 128, func(w *NodeWrite, s string) { w.Kind, w.Type = "entity", Some(s) })
	add("null", "name", func(w *NodeWrite) { w.Name = Null[string]() })
	add("empty", "user_id", func(w *NodeWrite) { w.UserID = Some("") })
	add("missing, as the key is", "name", func(w *NodeWrite) { w.EntityKey, w.Name = "", Optional[string]{} })
	for name, text := range badTexts {
		add(name, "description", func(w *NodeWrite) { w.Description = Some(text) })
	}
	add("too long", "description", func(w *NodeWrite) { w.Description = Some(long(MaxTextLength)) })
	for _, kind := range []string{"", "Person", secret, "storyline", "macro"} {
		add(kind, "kind", func(w *NodeWrite) { w.Kind = kind })
	}
	add(secret, "state", func(w *NodeWrite) { w.State = Some(secret) })
	add("null", "state", func(w *NodeWrite) { w.State = Null[string]() })
	add(secret, "ttl_policy", func(w *NodeWrite) { w.TTLPolicy = Some(secret) })
	for _, n := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -0.001, 1.001} {
		add(fmt.Sprint(n), "salience", func(w *NodeWrite) { w.Salience = Some(n) })
		add(fmt.Sprint(n), "confidence", func(w *NodeWrite) { w.Confidence = Some(n) })
	}
	for field, set := range map[string]func(*NodeWrite, Optional[time.Time]){
		"created_at":       func(w *NodeWrite, o Optional[time.Time]) { w.CreatedAt = o },
		"updated_at":       func(w *NodeWrite, o Optional[time.Time]) { w.UpdatedAt = o },
		"last_accessed_at": func(w *NodeWrite, o Optional[time.Time]) { w.LastAccessedAt = o },
	} {
		for _, at := range []time.Time{tooEarly, tooLate, noon.Add(24*time.Hour + time.Second)} {
			add(at.String(), field, func(w *NodeWrite) { set(w, Some(at)) })
		}
		if field != "last_accessed_at" {
			add("null", field, func(w *NodeWrite) { set(w, Null[time.Time]()) })
		}
	}
	for name, raw := range badProperties() {
		add(name, "properties", func(w *NodeWrite) { w.Properties = raw })
	}
	add("of a person", "canonical_name", func(w *NodeWrite) { w.CanonicalName = Some("x") })
	add("of a person", "is_owner", func(w *NodeWrite) { w.IsOwner = Some(true) })
	add("of an entity", "type", func(w *NodeWrite) { w.Type = Some("x") })
	add("of a concept", "is_goal", func(w *NodeWrite) { w.Kind, w.IsGoal = "person", Some(true) })
	return all
}

func badProperties() map[string]json.RawMessage {
	return map[string]json.RawMessage{
		"null": json.RawMessage(`null`), "list": json.RawMessage(`["` + secret + `"]`), "text": json.RawMessage(`"` + secret + `"`),
		"empty": {}, "no JSON": json.RawMessage(`{"` + secret + `"`), "two": json.RawMessage(`{}{}`), "invalid UTF-8": json.RawMessage("{\"a\":\"\xff\"}"),
		"deep":      json.RawMessage(strings.Repeat(`{"a":`, MaxPropertiesDeep) + `[]` + strings.Repeat(`}`, MaxPropertiesDeep)),
		"very deep": json.RawMessage(`{"a":` + strings.Repeat(`[`, 7000) + strings.Repeat(`]`, 7000) + `}`),
		"huge":      json.RawMessage(`{"a":"` + strings.Repeat("x", MaxPropertiesSize) + `"}`),
	}
}

func wrongRelationships() (all []wrong) {
	add := func(name, field string, change func(*RelationshipWrite)) {
		w := link("a", "relates_to", "b", 0.5)
		change(&w)
		all = append(all, wrong{"relationship " + field + " " + name, []string{"relationships[0]." + field}, MemoryWrite{Relationships: []RelationshipWrite{w}}})
	}
	for name, text := range badWords {
		add(name, "from", func(w *RelationshipWrite) { w.From = text })
		add(name, "to", func(w *RelationshipWrite) { w.To = text })
		add(name, "relationship_type", func(w *RelationshipWrite) { w.RelationshipType = Some(text) })
		add(name, "recorded_by", func(w *RelationshipWrite) { w.RecordedBy = Some(text) })
	}
	add("missing", "from", func(w *RelationshipWrite) { w.From = "" })
	for _, bad := range []string{"", "RELATES_TO", "1a", "_a", "relates to", "a-b", "a`b", secret, "a}]->() DELETE", "é", strings.Repeat("a", 65), "a\n",
		"has_message"} {
		add(bad, "type", func(w *RelationshipWrite) { w.Type = bad })
	}
	for name, text := range badTexts {
		add(name, "description", func(w *RelationshipWrite) { w.Description = Some(text) })
	}
	for _, n := range []float64{math.NaN(), math.Inf(1), -1, 2} {
		add(fmt.Sprint(n), "salience", func(w *RelationshipWrite) { w.Salience = Some(n) })
		add(fmt.Sprint(n), "confidence", func(w *RelationshipWrite) { w.Confidence = Some(n) })
	}
	for _, n := range []int64{0, 6, -1, math.MaxInt64} {
		add(fmt.Sprint(n), "attitude", func(w *RelationshipWrite) { w.Attitude = Some(n) })
		add(fmt.Sprint(n), "proximity", func(w *RelationshipWrite) { w.Proximity = Some(n) })
	}
	add("unknown", "state", func(w *RelationshipWrite) { w.State = Some(secret) })
	add("null", "valid_from", func(w *RelationshipWrite) { w.ValidFrom = Null[time.Time]() })
	add("early", "valid_from", func(w *RelationshipWrite) { w.ValidFrom = Some(tooEarly) })
	add("late", "valid_to", func(w *RelationshipWrite) { w.ValidTo = Some(tooLate) })
	add("not after valid_from", "valid_to", func(w *RelationshipWrite) { w.ValidFrom, w.ValidTo = Some(noon), Some(noon) })
	for name, raw := range badProperties() {
		add(name, "properties", func(w *RelationshipWrite) { w.Properties = raw })
	}
	return all
}

func wrongRequests() []wrong {
	many := make([]NodeWrite, MaxItems)
	faulty := make([]NodeWrite, 2*fault.MaxFaults)
	var first100 []string
	for i := range faulty {
		faulty[i] = NodeWrite{Kind: secret, Name: Some("x")}
		if i < fault.MaxFaults {
			first100 = append(first100, fault.At("nodes").Index(i).Field("kind").String())
		}
	}
	slices.Sort(first100)
	same := node("concept", "c", 0.5)
	return []wrong{
		{"10,001 items", []string{"nodes"}, MemoryWrite{Nodes: many, Relationships: make([]RelationshipWrite, 1)}},
		{"one key twice", []string{"nodes[1].entity_key"}, MemoryWrite{Nodes: []NodeWrite{same, same}}},
		{"one triple twice", []string{"relationships[2]"}, MemoryWrite{Relationships: []RelationshipWrite{
			link("a", "relates_to", "b", 1), link("b", "relates_to", "a", 1), link("a", "relates_to", "b", 0),
		}}},
		{"every fault", []string{"nodes[0].kind", "nodes[0].name", "nodes[1].salience", "relationships[0].type"}, MemoryWrite{
			Nodes: []NodeWrite{{Kind: secret}, node("concept", "c", 2)}, Relationships: []RelationshipWrite{{From: "a", To: "b"}},
		}},
		{"a hundred faults are enough", first100, MemoryWrite{Nodes: faulty}},
	}
}

func TestBadMemoryIsRefusedBeforeItIsStored(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)})
	before := e.stored()
	for _, c := range slices.Concat(wrongNodes(), wrongRelationships(), wrongRequests()) {
		_, err := e.store.Write(t.Context(), e.as("u1"), &c.write)
		e.same(c.name, c.at, locations(err))
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("%s: the error repeats the value: %v", c.name, err)
		}
	}
	_, err := e.store.Write(t.Context(), e.as("u\x00"), &MemoryWrite{})
	e.same("the user", []string{"user_id"}, locations(err))
	e.same("stored", before, e.stored())
}

func TestBadSourcesAreRefusedBeforeTheyAreStored(t *testing.T) {
	e := fresh(t)
	before := e.stored()
	many := make([]string, MaxListLength+1)
	for at, w := range map[string]SourceWrite{
		"entity_key":             {EntityKey: "a\n"},
		"content_type":           {ContentType: Some(secret)},
		"context_type":           {ContextType: Some(secret)},
		"source_type":            {SourceType: Some(secret)},
		"sensitivity":            {Sensitivity: Some(secret)},
		"started_at":             {StartedAt: Some(noon.Add(25 * time.Hour))},
		"ended_at":               {StartedAt: Some(noon), EndedAt: Some(weekAgo)},
		"summary":                {Summary: Some(secret + "\x00")},
		"keywords":               {Keywords: many},
		"tags[0]":                {Tags: []string{""}},
		"participants[1]":        {Participants: []string{"u2", "\xff"}},
		"mentions":               {Mentions: make([]string, MaxMentions+1)},
		"mentions[1]":            {Mentions: []string{"c", "c"}},
		"messages":               {Messages: make([]MessageWrite, MaxMessages+1)},
		"messages[0].role":       {Messages: []MessageWrite{{Text: "x"}}},
		"messages[0].name":       {Messages: []MessageWrite{{Role: "user", Name: strings.Repeat("x", MaxNameLength+1)}}},
		"messages[0].text":       {Messages: []MessageWrite{{Role: "user", Text: strings.Repeat("x", MaxMessageLength+1)}}},
		"messages[0].at":         {Messages: []MessageWrite{{Role: "user", At: Some(tooEarly)}}},
		"messages[1].entity_key": {Messages: []MessageWrite{said("m", "x"), said("m", "y")}},
	} {
		_, err := e.store.WriteSource(t.Context(), e.as("u1"), &w)
		e.same(at, []string{at}, locations(err))
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("%s: the error repeats the value: %v", at, err)
		}
	}
	_, err := e.store.WriteSource(t.Context(), e.as(""), &SourceWrite{})
	e.same("no user", []string{"user_id"}, locations(err))
	_, err = e.store.AppendMessages(t.Context(), e.as("u1"), "s", nil)
	e.same("no messages", []string{"messages"}, locations(err))
	_, err = e.store.EndConversation(t.Context(), e.as("u1"), "s", &ConversationEnd{Summary: Some("\x00"), EndedAt: Some(tooLate), Mentions: []string{""}})
	e.same("a bad end", []string{"ended_at", "mentions[0]", "summary"}, locations(err))
	e.same("stored", before, e.stored())
}

func TestBadPreferencesAreRefused(t *testing.T) {
	e := fresh(t)
	kept := []Preference{{"kept", []byte(`1`)}}
	if err := e.store.ReplacePreferences(t.Context(), e.as("u1"), kept); err != nil {
		t.Fatal(err)
	}
	one := func(key, value string) []Preference { return []Preference{{key, []byte(value)}} }
	for name, c := range map[string]struct {
		at string
		p  []Preference
	}{
		"too many":      {"preferences", make([]Preference, MaxPreferences+1)},
		"no key":        {"preferences[0].key", one("", `1`)},
		"long key":      {"preferences[0].key", one(strings.Repeat("k", 129), `1`)},
		"twice":         {"preferences[1].key", append(one("k", `1`), one("k", `2`)...)},
		"null":          {"preferences[0].value", one("k", ` null `)},
		"no JSON":       {"preferences[0].value", one("k", secret)},
		"nothing":       {"preferences[0].value", one("k", ``)},
		"invalid UTF-8": {"preferences[0].value", one("k", "\"\xff\"")},
		"large":         {"preferences[0].value", one("k", `"`+strings.Repeat("x", maxPreferenceSize)+`"`)},
		"deep":          {"preferences[0].value", one("k", strings.Repeat("[", 9)+strings.Repeat("]", 9))},
	} {
		e.same(name, []string{c.at}, locations(e.store.ReplacePreferences(t.Context(), e.as("u1"), c.p)))
	}
	e.same("stored", kept, e.sections("u1").Preferences)
}

// TestLimitsAreInclusive checks that inputs at the limits are accepted.
func TestLimitsAreInclusive(t *testing.T) {
	e := fresh(t)
	w := node("person", strings.Repeat("k", MaxKeyLength), 1, described(strings.Repeat("x", MaxTextLength)), accessed(noon.Add(24*time.Hour)))
	w.CreatedAt, w.UpdatedAt = Some(tooEarly.Add(time.Second)), Some(noon)
	w.Properties = json.RawMessage(`{"a":` + strings.Repeat("[", MaxPropertiesDeep-1) + strings.Repeat("]", MaxPropertiesDeep-1) +
		`,"b":"` + strings.Repeat("x", MaxPropertiesSize-2*MaxPropertiesDeep-12) + `"}`)
	deepest := RelationshipWrite{
		From: w.EntityKey, Type: "r" + strings.Repeat("_", 63), To: "other", Salience: Some(0.0), Attitude: Some(int64(1)), Proximity: Some(int64(5)),
		ValidFrom: Some(tooEarly.Add(time.Second)), ValidTo: Some(tooLate.Add(-time.Second)),
	}
	e.same("statuses", []Status{Created, Created, Created}, statuses(e.write("u1", []NodeWrite{w, node("concept", "other", 1)}, deepest)))
	if n := len(w.Properties); n > MaxPropertiesSize || n < MaxPropertiesSize-3 {
		t.Errorf("the properties have %d bytes", n)
	}
	e.same("text", Created, e.source("u1", SourceWrite{Messages: []MessageWrite{{Role: "user", Text: strings.Repeat("⛵", MaxMessageLength)}}}).Messages[0].Status)
}
