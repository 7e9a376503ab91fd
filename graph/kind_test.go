package graph

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"
)

// get returns a node as a user of the team sees it. It must exist.
func (e *env) get(user, kind, key string) NodeView {
	e.Helper()
	k, ok := KindOf(kind)
	if !ok {
		e.Fatalf("there is no kind %q", kind)
	}
	n, err := e.store.Node(e.Context(), e.as(user), k, key, NodeQuery{Relationships: 100})
	if err != nil {
		e.Fatalf("%s %s: %v", kind, key, err)
	}
	return n
}

// ownOfKinds are the fields that only some kinds have, for each kind that callers write.
var ownOfKinds = map[string]string{
	"person": `{}`, "concept": `{}`, "entity": `{}`,
	"source": `{"content_type":"meeting","context_type":"planning","source_type":"voice-memo","sensitivity":"high","started_at":"2026-03-01T08:00:00Z",
		"ended_at":"2026-03-01T09:00:00Z","summary":"We met.","keywords":["k"],"tags":["t"],"participants":["u1","u2"]}`,
	"project": `{"state_key":"running","type_key":"p.works","facet_context":"c","facet_scale":"s","facet_stage":"g","next_step_short":"go",
		"next_step_long":"go on","start_at":"2026-03-01T08:00:00Z","end_at":"2026-04-01T08:00:00Z"}`,
	"task": `{"project_id":"p","state_key":"todo","type_key":"t","facet_scale":"small","start_at":"2026-03-01T08:00:00Z","due_at":"2026-03-02T08:00:00Z",
		"completed_at":"2026-03-03T08:00:00Z","priority":5}`,
	"plan":          `{"project_id":"p","state_key":"active","type_key":"plan.phase.works","facet_context":"c","facet_scale":"s","facet_stage":"g"}`,
	"goal":          `{"project_id":"p","state_key":"active","type_key":"g","goal":"A dry pier.","target_date":"2026-12-01T00:00:00Z","completed_at":"2026-03-03T08:00:00Z"}`,
	"milestone":     `{"project_id":"p","state_key":"active","type_key":"m","due_at":"2026-03-02T08:00:00Z","completed_at":"2026-03-03T08:00:00Z"}`,
	"document":      `{"project_id":"p","state_key":"draft","type_key":"d","content":"Tide tables."}`,
	"output":        `{"project_id":"p","state_key":"draft","type_key":"o","facet_stage":"g","source_document_id":"doc","source_event_id":"ev"}`,
	"risk":          `{"project_id":"p","state_key":"open","type_key":"r","content":"Storm.","impact":"critical","probability":0.25,"mitigated_at":"2026-03-03T08:00:00Z"}`,
	"decision":      `{"project_id":"p","state_key":"made","outcome":"Oak.","rationale":"It lasts.","decision_at":"2026-03-03T08:00:00Z"}`,
	"requirement":   `{"project_id":"p","type_key":"r","text":"It bears ten tons.\nAlways.","priority":1}`,
	"signal":        `{"project_id":"p","channel":"gauge","ts":"2026-03-03T08:00:00Z","payload":{"level":[1,2.5]}}`,
	"insight":       `{"project_id":"p","derived_from_signal_id":"s-1","props":{"a":{"b":null}}}`,
	"system_entity": `{"system":"harbour","tags":["x","y"]}`,
}

// oneOf returns a new node of a kind with all of its own fields.
func oneOf(t *testing.T, kind string) NodeWrite {
	t.Helper()
	w := NodeWrite{Kind: kind, EntityKey: "the-" + kind, Description: Some("described"), OwnFields: &OwnFields{}}
	if kind == "system_entity" {
		w.UserID = Null[string]()
	}
	if kind != "source" {
		w.Name = Some("a " + kind)
	}
	if err := json.Unmarshal([]byte(ownOfKinds[kind]), w.OwnFields); err != nil {
		t.Fatal(err)
	}
	return w
}

// fieldsOf returns the own fields as a caller sees them, without those that were not given.
func fieldsOf(t *testing.T, own *OwnFields, without ...string) map[string]any {
	t.Helper()
	raw, err := json.Marshal(own)
	if err != nil {
		t.Fatal(err)
	}
	fields := map[string]any{}
	if own != nil {
		if err := json.Unmarshal(raw, &fields); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range without {
		delete(fields, name)
	}
	return fields
}

func TestEveryKindKeepsItsOwnFields(t *testing.T) {
	e := fresh(t)
	e.same("kinds", len(WritableKinds()), len(ownOfKinds)+1) // and messages
	for kind := range ownOfKinds {
		w := oneOf(t, kind)
		e.same(kind, []Status{Created}, statuses(e.write("u1", []NodeWrite{w})))
		n := e.get("u1", kind, w.EntityKey)
		var want map[string]any
		if err := json.Unmarshal([]byte(ownOfKinds[kind]), &want); err != nil {
			t.Fatal(err)
		}
		e.same(kind+" own fields", want, fieldsOf(t, n.OwnFields, "title", "message_count", "seq"))
		e.same(kind+" common fields", []any{kind, w.Name.Value, "described", int64(1)}, []any{n.Kind, n.Name, n.Description, n.Version})
		e.same(kind+" again", []Status{Unchanged}, statuses(e.write("u1", []NodeWrite{w})))
	}
}

// TestUnknownStateKeysBringAWarning checks that an unknown state_key is stored with a warning, and that kinds with the field have
// known ones.
func TestUnknownStateKeysBringAWarning(t *testing.T) {
	e := fresh(t)
	node := func(kind, state string) NodeWrite {
		return NodeWrite{Kind: kind, EntityKey: kind, Name: Some("n"), OwnFields: &OwnFields{StateKey: Some(state)}}
	}
	odd := e.write("u1", []NodeWrite{node("task", "in-progress"), node("goal", "active")})
	e.same("an odd one", []Status{Created, Created}, statuses(odd))
	e.same("is warned of", []string{"nodes[0].state_key: is not one of todo, in_progress, blocked, done: it is stored, but lists and scores ignore it"}, odd.Warnings)
	e.same("and stored", "in-progress", e.get("u1", "task", "task").StateKey.Value)
	for _, kind := range Kinds {
		var known []NodeWrite
		for _, state := range StateKeys(kind) {
			w := node(kind.Name, state)
			w.EntityKey += state
			known = append(known, w)
		}
		field := slices.ContainsFunc(OwnProperties(kind), func(p PropertyType) bool { return p.Name == "state_key" })
		e.same(kind.Name+" has known ones", field, len(known) > 0)
		if field {
			e.same(kind.Name, []string{}, e.write("u1", known).Warnings)
		}
	}
}

// TestOwnFieldsOfOtherKindsAreRefused checks that a field of one kind is refused at every other kind, with its location.
func TestOwnFieldsOfOtherKindsAreRefused(t *testing.T) {
	e := fresh(t)
	before := e.stored()
	values := map[string]json.RawMessage{}
	kinds := map[string][]string{}
	for kind, raw := range ownOfKinds {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal([]byte(raw), &fields); err != nil {
			t.Fatal(err)
		}
		for name, value := range fields {
			values[name], kinds[name] = value, append(kinds[name], kind)
		}
	}
	for _, kind := range WritableKinds() {
		w := NodeWrite{Kind: kind, EntityKey: "k", Name: Some("n"), OwnFields: &OwnFields{}}
		var want []string
		for name, value := range values {
			if slices.Contains(kinds[name], kind) || kind == "message" && name == "text" || kind == "insight" && name == "title" {
				continue
			}
			want = append(want, "nodes[0]."+name)
			if err := json.Unmarshal(fmt.Appendf(nil, `{%q:%s}`, name, value), w.OwnFields); err != nil {
				t.Fatal(err)
			}
		}
		if kind == "message" {
			w.SourceKey = Some("s")
		}
		slices.Sort(want)
		_, err := e.store.Write(t.Context(), e.as("u1"), &MemoryWrite{Nodes: []NodeWrite{w}})
		e.same(kind, want, locations(err))
	}
	e.same("stored", before, e.stored())
}

func TestBadOwnFieldsAreRefused(t *testing.T) {
	e := fresh(t)
	before := e.stored()
	for _, c := range []struct{ kind, field, value string }{
		{"source", "content_type", `"talk"`}, {"source", "context_type", `"x"`}, {"source", "source_type", `"x"`}, {"source", "sensitivity", `"x"`},
		{"source", "message_count", `3`}, {"source", "started_at", `"1800-01-01T00:00:00Z"`}, {"source", "tags[0]", `[" "]`},
		{"task", "priority", `0`}, {"task", "priority", `6`}, {"risk", "probability", `1.01`}, {"risk", "probability", `-0.1`}, {"risk", "impact", `"huge"`},
		{"signal", "payload", `[1]`}, {"insight", "props", `"x"`}, {"task", "project_id", `""`}, {"task", "state_key", `"a\nb"`},
		{"message", "seq", `7`}, {"system_entity", "seq", `7`}, {"concept", "source_count", `7`}, {"person", "first_mentioned_at", `"2026-03-01T08:00:00Z"`},
	} {
		w := NodeWrite{Kind: c.kind, EntityKey: "k", Name: Some("n"), OwnFields: &OwnFields{}}
		if c.kind == "message" {
			w.SourceKey = Some("s")
		}
		name, _, _ := cutIndex(c.field)
		if err := json.Unmarshal(fmt.Appendf(nil, `{%q:%s}`, name, c.value), w.OwnFields); err != nil {
			t.Fatal(err)
		}
		_, err := e.store.Write(t.Context(), e.as("u1"), &MemoryWrite{Nodes: []NodeWrite{w}})
		e.same(c.kind+" "+c.field+" "+c.value, []string{"nodes[0]." + c.field}, locations(err))
	}
	e.same("stored", before, e.stored())
}

func cutIndex(field string) (name, rest string, found bool) {
	for i, r := range field {
		if r == '[' {
			return field[:i], field[i:], true
		}
	}
	return field, "", false
}

// TestTitlesTextsAndChannelsAreNames checks that a title, text or channel is the name of its node.
func TestTitlesTextsAndChannelsAreNames(t *testing.T) {
	e := fresh(t)
	own := func(kind string, own OwnFields) NodeWrite {
		return NodeWrite{Kind: kind, EntityKey: kind, OwnFields: &own}
	}
	kinds := []string{"task", "milestone", "risk", "document", "decision", "insight"}
	for _, kind := range kinds {
		e.write("u1", []NodeWrite{own(kind, OwnFields{Title: Some("Inspect pier 4")})})
		n := e.get("u1", kind, kind)
		e.same(kind, []any{"Inspect pier 4", Some("Inspect pier 4")}, []any{n.Name, n.Title})
		e.write("u1", []NodeWrite{{Kind: kind, EntityKey: kind, Name: Some("Pier 5")}})
		n = e.get("u1", kind, kind)
		e.same(kind+" by its name", []any{"Pier 5", Some("Pier 5")}, []any{n.Name, n.Title})
		e.write("u1", []NodeWrite{own(kind, OwnFields{Title: Some("Pier 6")})})
		e.same(kind+" by its title", "Pier 6", e.get("u1", kind, kind).Name)
	}
	e.write("u1", []NodeWrite{own("requirement", OwnFields{Text: Some("\n It bears ten tons.\nAlways.")}), own("signal", OwnFields{Channel: Some("gauge")})})
	r, s := e.get("u1", "requirement", "requirement"), e.get("u1", "signal", "signal")
	e.same("requirement", []any{"It bears ten tons.", Some("\n It bears ten tons.\nAlways.")}, []any{r.Name, r.Text})
	e.same("signal", []any{"gauge", Some("gauge")}, []any{s.Name, s.Channel})
	_, err := e.store.Write(t.Context(), e.as("u1"), &MemoryWrite{Nodes: []NodeWrite{{Kind: "requirement", OwnFields: &OwnFields{Text: Some(" \n")}}}})
	e.same("a blank text is no name", []string{"nodes[0].name"}, locations(err))
}

func TestOwnFieldsLeftOutStayAndNullClears(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{oneOf(t, "task")})
	e.now = noon.Add(time.Hour)
	result := e.write("u1", []NodeWrite{{Kind: "task", EntityKey: "the-task", OwnFields: &OwnFields{DueAt: Null[time.Time](), Priority: Some(int64(2))}}})
	e.same("result", NodeResult{EntityKey: "the-task", Status: Updated, Version: 2}, result.Nodes[0])
	n := e.get("u1", "task", "the-task")
	e.same("changed", []any{false, Some(int64(2)), Some("todo"), e.now}, []any{n.DueAt.Given, n.Priority, n.StateKey, n.UpdatedAt})
}

// TestNodeIsReadInItsScope checks that a node is invisible under another kind, user or team.
func TestNodeIsReadInItsScope(t *testing.T) {
	e := fresh(t)
	for kind := range ownOfKinds {
		e.write("u1", []NodeWrite{oneOf(t, kind)})
		k, _ := KindOf(kind)
		user := map[bool]string{true: "u3", false: "u1"}
		for name, ask := range map[string]struct {
			scope Scope
			kind  Kind
		}{
			"another user": {e.as("u3"), k}, "another team": {Scope{TeamID: e.team + "-x", UserID: user[false]}, k}, "another kind": {e.as("u1"), MacroKind},
		} {
			_, err := e.store.Node(t.Context(), ask.scope, ask.kind, "the-"+kind, NodeQuery{})
			if seen := err == nil; seen != (kind == "system_entity" && name == "another user") || err != nil && !errors.Is(err, ErrNotFound) {
				t.Errorf("%s, %s: %v", kind, name, err)
			}
		}
	}
}

// TestSystemEntitiesAreFoundByTheirNaturalKey checks that a system entity is found by its system and name in every kind of write.
func TestSystemEntitiesAreFoundByTheirNaturalKey(t *testing.T) {
	e := fresh(t)
	in := func(system, name string) NodeWrite {
		return NodeWrite{Kind: "system_entity", Name: Some(name), OwnFields: &OwnFields{System: Some(system)}}
	}
	first := e.write("u1", []NodeWrite{in("s", "a"), in("s", "b"), in("t", "a")})
	again := e.write("u2", []NodeWrite{in("s", "a"), in("s", "b"), in("t", "a")})
	for i := range first.Nodes {
		e.same("found again", NodeResult{EntityKey: first.Nodes[i].EntityKey, Status: Unchanged, Version: 1}, again.Nodes[i])
	}
	e.same("the same as by its system", first.Nodes[0].EntityKey, e.systemEntity("s", "a").EntityKey)
	e.same("numbers", []any{Some(int64(0)), Some(int64(1)), Some(int64(0))}, []any{
		e.get("", "system_entity", first.Nodes[0].EntityKey).Seq, e.get("", "system_entity", first.Nodes[1].EntityKey).Seq,
		e.get("", "system_entity", first.Nodes[2].EntityKey).Seq,
	})
	e.same("shared", []string{""}, e.changedUsers())
	_, err := e.store.Write(t.Context(), e.as("u1"), &MemoryWrite{Nodes: []NodeWrite{
		{Kind: "system_entity", Name: Some("x")}, {Kind: "system_entity", Name: Some("x"), UserID: Some("u1"), OwnFields: &OwnFields{System: Some("s")}},
	}})
	e.same("faults", []string{"nodes[0].system", "nodes[1].user_id"}, locations(err))
}

func TestSourcesAndMessagesThroughMemory(t *testing.T) {
	e := fresh(t)
	message := func(key, source, text string) NodeWrite {
		return NodeWrite{Kind: "message", EntityKey: key, OwnFields: &OwnFields{SourceKey: Some(source), Role: Some("user"), Text: Some(text)}}
	}
	source := NodeWrite{Kind: "source", EntityKey: "s", OwnFields: &OwnFields{SourceType: Some("email")}}
	first := e.write("u1", []NodeWrite{message("m-0", "s", "zero"), source, message("", "s", "one")})
	e.same("the source may follow its messages", []Status{Created, Created, Created}, statuses(first))
	again := e.write("u1", []NodeWrite{message("m-0", "s", "zero"), message("m-2", "s", "two"), {Kind: "source", EntityKey: "other"},
		message("o-0", "other", "0")})
	e.same("again", []Status{Unchanged, Created, Created, Created}, statuses(again))
	e.same("order", []string{"zero", "one", "two"}, e.messages("s"))
	e.same("count", int64(3), e.see("u1", "s").MessageCount)
	n := e.get("u1", "message", "m-2")
	e.same("a message", []any{Some(int64(2)), Some("s"), Some("two"), Some("user"), Some(noon)}, []any{n.Seq, n.SourceKey, n.Text, n.Role, n.At})

	refused := e.try("u1", []NodeWrite{
		message("m-0", "s", "changed"), message("m-0b", "gone", "x"), message("o-0", "s", "0"), message("other", "s", "x"),
		{Kind: "message", OwnFields: &OwnFields{SourceKey: Some("s"), Text: Some("x")}}, message("m-3", "s", "three"),
		{Kind: "source", EntityKey: "s", OwnFields: &OwnFields{SourceType: Some("meeting")}}, {Kind: "source", EntityKey: "third",
			OwnFields: &OwnFields{SourceType: Some("meeting")}},
	})
	e.same("statuses", []Status{Refused, Refused, Refused, Refused, Refused, Created, Refused, Created}, statuses(refused))
	var at []string
	for _, w := range refused.Warnings {
		at = append(at, w[:slices.Index([]byte(w), ':')])
	}
	e.same("warnings", []string{
		"nodes[6].source_type", "nodes[0].text", "nodes[1].source_key", "nodes[2].entity_key", "nodes[3].entity_key", "nodes[4].role",
	}, at)
	e.same("texts", []string{"zero", "one", "two", "three"}, e.messages("s"))
	e.same("another user's source", Refused, e.try("u2", []NodeWrite{message("x", "s", "x")}).Nodes[0].Status)
	e.same("type", "email", e.see("u1", "s").SourceType)
	e.same("null is another type", Refused, e.try("u1", []NodeWrite{{Kind: "source", EntityKey: "s",
		OwnFields: &OwnFields{SourceType: Null[string]()}}}).Nodes[0].Status)
}

// TestAMessageThatIsWrittenAgain checks that a message never changes, and that other fields are refused.
func TestAMessageThatIsWrittenAgain(t *testing.T) {
	e := fresh(t)
	again := func(change ...func(*NodeWrite)) NodeWrite {
		w := NodeWrite{Kind: "message", EntityKey: "m", OwnFields: &OwnFields{SourceKey: Some("s")}}
		for _, c := range change {
			c(&w)
		}
		return w
	}
	e.write("u1", []NodeWrite{{Kind: "source", EntityKey: "s"}, again(func(w *NodeWrite) {
		w.Role, w.Text, w.Name, w.At = Some("user"), Some("hello"), Some("Ada"), Some(noon)
	})})
	before := e.stored()
	e.same("the same", Unchanged, e.try("u1", []NodeWrite{again(func(w *NodeWrite) {
		w.Role, w.Text, w.Name, w.At = Some("user"), Some("hello"), Some("Ada"), Some(noon.Add(time.Microsecond))
	})}).Nodes[0].Status)
	e.same("nothing", Unchanged, e.try("u1", []NodeWrite{again()}).Nodes[0].Status)
	for field, w := range map[string]NodeWrite{
		"text": again(func(w *NodeWrite) { w.Text = Some("bye") }), "role": again(func(w *NodeWrite) { w.Role = Some("tool") }),
		"name": again(func(w *NodeWrite) { w.Name = Null[string]() }), "at": again(func(w *NodeWrite) { w.At = Some(noon.Add(-time.Hour)) }),
	} {
		result := e.try("u1", []NodeWrite{w})
		e.same(field, []any{Refused, []string{"nodes[0]." + field + ": cannot be changed: append another message"}}, []any{result.Nodes[0].Status, result.Warnings})
	}
	for field, w := range map[string]NodeWrite{
		"description": again(described("x")), "state": again(inState("core")), "salience": again(func(w *NodeWrite) { w.Salience = Some(0.9) }),
		"ttl_policy": again(func(w *NodeWrite) { w.TTLPolicy = Some("keep_forever") }), "confidence": again(func(w *NodeWrite) { w.Confidence = Some(1.0) }),
		"created_at": again(func(w *NodeWrite) { w.CreatedAt = Some(noon) }), "updated_at": again(func(w *NodeWrite) { w.UpdatedAt = Some(noon) }),
		"last_accessed_at": again(accessed(noon)), "properties": again(func(w *NodeWrite) { w.Properties = json.RawMessage(`{}`) }),
		"notes": again(func(w *NodeWrite) { w.Notes = []NoteWrite{{Content: "x"}} }),
	} {
		for _, key := range []string{"m", "new"} {
			w.EntityKey = key
			_, err := e.store.Write(t.Context(), e.as("u1"), &MemoryWrite{Nodes: []NodeWrite{w}})
			e.same(field, []string{"nodes[0]." + field}, locations(err))
		}
	}
	e.same("stored", before, e.stored())
}

func TestASourceTellsOfMessagesThatItHasOtherwise(t *testing.T) {
	e := fresh(t)
	m := MessageWrite{EntityKey: "m", Role: "user", Name: "Ada", Text: "hello", At: Some(noon)}
	write := func(m MessageWrite) SourceResult {
		return e.source("u1", SourceWrite{EntityKey: "s", Messages: []MessageWrite{said("", "x"), m}})
	}
	e.same("new", []string{}, write(m).Warnings)
	e.same("again", []string{}, write(m).Warnings)
	e.same("without a name", []string{}, write(MessageWrite{EntityKey: "m", Role: "user", Text: "hello"}).Warnings)
	for field, c := range map[string]func(*MessageWrite){
		"text": func(m *MessageWrite) { m.Text = "" }, "role": func(m *MessageWrite) { m.Role = "tool" }, "name": func(m *MessageWrite) { m.Name = "Bob" },
		"at": func(m *MessageWrite) { m.At = Some(noon.Add(-time.Second)) },
	} {
		other := m
		c(&other)
		want := []string{"messages[1]." + field + ": cannot be changed: the stored value differs"}
		result := write(other)
		e.same(field, []any{Unchanged, want}, []any{result.Messages[1].Status, result.Warnings})
		appended, err := e.store.AppendMessages(t.Context(), e.as("u1"), "s", []MessageWrite{said("", "y"), other})
		e.same(field, []any{nil, want}, []any{err, appended.Warnings})
	}
}
