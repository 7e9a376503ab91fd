package graph_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"kith/graph"
	"kith/internal/fault"
	"kith/memory/system"
	"kith/memory/traverse"
	"kith/tests/graphtest"
)

// get returns a node as a user of the team sees it. It must exist.
func (e *env) get(user, kind, key string) graph.NodeView {
	e.Helper()
	k, ok := graph.KindOf(kind)
	if !ok {
		e.Fatalf("there is no kind %q", kind)
	}
	n, err := e.Store.Node(e.Context(), e.As(user), k, key, graph.NodeQuery{Relationships: 100})
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
	"item":          `{"namespace":["a","b"],"value":{"a":[1,"b"]}}`,
	"insight":       `{"project_id":"p","derived_from_signal_id":"s-1","props":{"a":{"b":null}}}`,
	"system_entity": `{"system":"harbour","tags":["x","y"]}`,
}

// oneOf returns a new node of a kind with all of its own fields.
func oneOf(t *testing.T, kind string) graph.NodeWrite {
	t.Helper()
	w := graph.NodeWrite{Kind: kind, EntityKey: "the-" + kind, Description: graph.Some("described"), OwnFields: &graph.OwnFields{}}
	if kind == "system_entity" {
		w.UserID = graph.Null[string]()
	}
	if kind != "source" {
		w.Name = graph.Some("a " + kind)
	}
	if err := json.Unmarshal([]byte(ownOfKinds[kind]), w.OwnFields); err != nil {
		t.Fatal(err)
	}
	return w
}

// fieldsOf returns the own fields as a caller sees them, without those that were not given.
func fieldsOf(t *testing.T, own *graph.OwnFields, without ...string) map[string]any {
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
	e.Same("kinds", len(graph.WritableKinds()), len(ownOfKinds)+1) // and messages
	for kind := range ownOfKinds {
		w := oneOf(t, kind)
		e.Same(kind, []graph.Status{graph.Created}, statuses(e.Write("u1", []graph.NodeWrite{w})))
		n := e.get("u1", kind, w.EntityKey)
		var want map[string]any
		if err := json.Unmarshal([]byte(ownOfKinds[kind]), &want); err != nil {
			t.Fatal(err)
		}
		e.Same(kind+" own fields", want, fieldsOf(t, n.OwnFields, "title", "message_count", "seq"))
		e.Same(kind+" common fields", []any{kind, w.Name.Value, "described", int64(1)}, []any{n.Kind, n.Name, n.Description, n.Version})
		e.Same(kind+" again", []graph.Status{graph.Unchanged}, statuses(e.Write("u1", []graph.NodeWrite{w})))
	}
}

// TestUnknownStateKeysBringAWarning checks that an unknown state_key is stored with a warning, and that kinds with the field have
// known ones.
func TestUnknownStateKeysBringAWarning(t *testing.T) {
	e := fresh(t)
	node := func(kind, state string) graph.NodeWrite {
		return graph.NodeWrite{Kind: kind, EntityKey: kind, Name: graph.Some("n"), OwnFields: &graph.OwnFields{StateKey: graph.Some(state)}}
	}
	odd := e.Write("u1", []graph.NodeWrite{node("task", "in-progress"), node("goal", "active")})
	e.Same("an odd one", []graph.Status{graph.Created, graph.Created}, statuses(odd))
	e.Same("is warned of", []string{"nodes[0].state_key: is not one of todo, in_progress, blocked, done: it is stored, but lists and scores ignore it"}, odd.Warnings)
	e.Same("and stored", "in-progress", e.get("u1", "task", "task").StateKey.Value)
	for _, kind := range graph.Kinds {
		var known []graph.NodeWrite
		for _, state := range graph.StateKeys(kind) {
			w := node(kind.Name, state)
			w.EntityKey += state
			known = append(known, w)
		}
		field := slices.ContainsFunc(traverse.OwnProperties(kind), func(p traverse.PropertyType) bool { return p.Name == "state_key" })
		e.Same(kind.Name+" has known ones", field, len(known) > 0)
		if field {
			e.Same(kind.Name, []string{}, e.Write("u1", known).Warnings)
		}
	}
}

// TestOwnFieldsOfOtherKindsAreRefused checks that a field of one kind is refused at every other kind, with its location.
func TestOwnFieldsOfOtherKindsAreRefused(t *testing.T) {
	e := fresh(t)
	before := e.Stored()
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
	for _, kind := range graph.WritableKinds() {
		w := graph.NodeWrite{Kind: kind, EntityKey: "k", Name: graph.Some("n"), OwnFields: &graph.OwnFields{}}
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
			w.SourceKey = graph.Some("s")
		}
		slices.Sort(want)
		_, err := e.Store.Write(t.Context(), e.As("u1"), &graph.MemoryWrite{Nodes: []graph.NodeWrite{w}})
		e.Same(kind, want, graphtest.Locations(err))
	}
	e.Same("stored", before, e.Stored())
}

func TestBadOwnFieldsAreRefused(t *testing.T) {
	e := fresh(t)
	before := e.Stored()
	for _, c := range []struct{ kind, field, value string }{
		{"source", "content_type", `"talk"`}, {"source", "context_type", `"x"`}, {"source", "source_type", `"x"`}, {"source", "sensitivity", `"x"`},
		{"source", "message_count", `3`}, {"source", "started_at", `"0999-01-01T00:00:00Z"`}, {"source", "tags[0]", `[" "]`},
		{"task", "priority", `0`}, {"task", "priority", `6`}, {"risk", "probability", `1.01`}, {"risk", "probability", `-0.1`}, {"risk", "impact", `"huge"`},
		{"signal", "payload", `[1]`}, {"insight", "props", `"x"`}, {"task", "project_id", `""`}, {"task", "state_key", `"a\nb"`},
		{"message", "seq", `7`}, {"system_entity", "seq", `7`}, {"concept", "source_count", `7`}, {"person", "first_mentioned_at", `"2026-03-01T08:00:00Z"`},
	} {
		w := graph.NodeWrite{Kind: c.kind, EntityKey: "k", Name: graph.Some("n"), OwnFields: &graph.OwnFields{}}
		if c.kind == "message" {
			w.SourceKey = graph.Some("s")
		}
		name, _, _ := cutIndex(c.field)
		if err := json.Unmarshal(fmt.Appendf(nil, `{%q:%s}`, name, c.value), w.OwnFields); err != nil {
			t.Fatal(err)
		}
		_, err := e.Store.Write(t.Context(), e.As("u1"), &graph.MemoryWrite{Nodes: []graph.NodeWrite{w}})
		e.Same(c.kind+" "+c.field+" "+c.value, []string{"nodes[0]." + c.field}, graphtest.Locations(err))
	}
	e.Same("stored", before, e.Stored())
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
	own := func(kind string, own graph.OwnFields) graph.NodeWrite {
		return graph.NodeWrite{Kind: kind, EntityKey: kind, OwnFields: &own}
	}
	kinds := []string{"task", "milestone", "risk", "document", "decision", "insight"}
	for _, kind := range kinds {
		e.Write("u1", []graph.NodeWrite{own(kind, graph.OwnFields{Title: graph.Some("Inspect pier 4")})})
		n := e.get("u1", kind, kind)
		e.Same(kind, []any{"Inspect pier 4", graph.Some("Inspect pier 4")}, []any{n.Name, n.Title})
		e.Write("u1", []graph.NodeWrite{{Kind: kind, EntityKey: kind, Name: graph.Some("Pier 5")}})
		n = e.get("u1", kind, kind)
		e.Same(kind+" by its name", []any{"Pier 5", graph.Some("Pier 5")}, []any{n.Name, n.Title})
		e.Write("u1", []graph.NodeWrite{own(kind, graph.OwnFields{Title: graph.Some("Pier 6")})})
		e.Same(kind+" by its title", "Pier 6", e.get("u1", kind, kind).Name)
	}
	e.Write("u1", []graph.NodeWrite{own("requirement", graph.OwnFields{Text: graph.Some("\n It bears ten tons.\nAlways.")}), own("signal", graph.OwnFields{Channel: graph.Some("gauge")})})
	r, s := e.get("u1", "requirement", "requirement"), e.get("u1", "signal", "signal")
	e.Same("requirement", []any{"It bears ten tons.", graph.Some("\n It bears ten tons.\nAlways.")}, []any{r.Name, r.Text})
	e.Same("signal", []any{"gauge", graph.Some("gauge")}, []any{s.Name, s.Channel})
	_, err := e.Store.Write(t.Context(), e.As("u1"), &graph.MemoryWrite{Nodes: []graph.NodeWrite{{Kind: "requirement", OwnFields: &graph.OwnFields{Text: graph.Some(" \n")}}}})
	e.Same("a blank text is no name", []string{"nodes[0].name"}, graphtest.Locations(err))
}

func TestOwnFieldsLeftOutStayAndNullClears(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{oneOf(t, "task")})
	e.Now = noon.Add(time.Hour)
	result := e.Write("u1", []graph.NodeWrite{{Kind: "task", EntityKey: "the-task", OwnFields: &graph.OwnFields{DueAt: graph.Null[time.Time](), Priority: graph.Some(int64(2))}}})
	e.Same("result", graph.NodeResult{EntityKey: "the-task", Status: graph.Updated, Version: 2}, result.Nodes[0])
	n := e.get("u1", "task", "the-task")
	e.Same("changed", []any{false, graph.Some(int64(2)), graph.Some("todo"), e.Now}, []any{n.DueAt.Given, n.Priority, n.StateKey, n.UpdatedAt})
}

// TestNodeIsReadInItsScope checks that a node is invisible under another kind, user or team.
func TestNodeIsReadInItsScope(t *testing.T) {
	e := fresh(t)
	for kind := range ownOfKinds {
		e.Write("u1", []graph.NodeWrite{oneOf(t, kind)})
		k, _ := graph.KindOf(kind)
		user := map[bool]string{true: "u3", false: "u1"}
		for name, ask := range map[string]struct {
			scope graph.Scope
			kind  graph.Kind
		}{
			"another user": {e.As("u3"), k}, "another team": {graph.Scope{TeamID: e.Team + "-x", UserID: user[false]}, k}, "another kind": {e.As("u1"), graph.MacroKind},
		} {
			_, err := e.Store.Node(t.Context(), ask.scope, ask.kind, "the-"+kind, graph.NodeQuery{})
			if seen := err == nil; seen != (kind == "system_entity" && name == "another user") || err != nil && !errors.Is(err, fault.ErrNotFound) {
				t.Errorf("%s, %s: %v", kind, name, err)
			}
		}
	}
}

// TestSystemEntitiesAreFoundByTheirNaturalKey checks that a system entity is found by its system and name in every kind of write.
func TestSystemEntitiesAreFoundByTheirNaturalKey(t *testing.T) {
	e := fresh(t)
	in := func(system, name string) graph.NodeWrite {
		return graph.NodeWrite{Kind: "system_entity", Name: graph.Some(name), OwnFields: &graph.OwnFields{System: graph.Some(system)}}
	}
	first := e.Write("u1", []graph.NodeWrite{in("s", "a"), in("s", "b"), in("t", "a")})
	again := e.Write("u2", []graph.NodeWrite{in("s", "a"), in("s", "b"), in("t", "a")})
	for i := range first.Nodes {
		e.Same("found again", graph.NodeResult{EntityKey: first.Nodes[i].EntityKey, Status: graph.Unchanged, Version: 1}, again.Nodes[i])
	}
	entity, err := system.NewStore(e.Store).SystemEntity(t.Context(), e.As(""), "s", "a")
	e.Same("the same as by its system", []any{first.Nodes[0].EntityKey, nil}, []any{entity.EntityKey, err})
	e.Same("numbers", []any{graph.Some(int64(0)), graph.Some(int64(1)), graph.Some(int64(0))}, []any{
		e.get("", "system_entity", first.Nodes[0].EntityKey).Seq, e.get("", "system_entity", first.Nodes[1].EntityKey).Seq,
		e.get("", "system_entity", first.Nodes[2].EntityKey).Seq,
	})
	e.Same("shared", []string{""}, e.ChangedUsers())
	_, err = e.Store.Write(t.Context(), e.As("u1"), &graph.MemoryWrite{Nodes: []graph.NodeWrite{
		{Kind: "system_entity", Name: graph.Some("x")}, {Kind: "system_entity", Name: graph.Some("x"), UserID: graph.Some("u1"), OwnFields: &graph.OwnFields{System: graph.Some("s")}},
	}})
	e.Same("faults", []string{"nodes[0].system", "nodes[1].user_id"}, graphtest.Locations(err))
}

func TestSourcesAndMessagesThroughMemory(t *testing.T) {
	e := fresh(t)
	message := func(key, source, text string) graph.NodeWrite {
		return graph.NodeWrite{Kind: "message", EntityKey: key, OwnFields: &graph.OwnFields{SourceKey: graph.Some(source), Role: graph.Some("user"), Text: graph.Some(text)}}
	}
	source := graph.NodeWrite{Kind: "source", EntityKey: "s", OwnFields: &graph.OwnFields{SourceType: graph.Some("email")}}
	first := e.Write("u1", []graph.NodeWrite{message("m-0", "s", "zero"), source, message("", "s", "one")})
	e.Same("the source may follow its messages", []graph.Status{graph.Created, graph.Created, graph.Created}, statuses(first))
	again := e.Write("u1", []graph.NodeWrite{message("m-0", "s", "zero"), message("m-2", "s", "two"), {Kind: "source", EntityKey: "other"},
		message("o-0", "other", "0")})
	e.Same("again", []graph.Status{graph.Unchanged, graph.Created, graph.Created, graph.Created}, statuses(again))
	e.Same("order", []string{"zero", "one", "two"}, e.messages("s"))
	e.Same("count", int64(3), e.see("u1", "s").MessageCount)
	n := e.get("u1", "message", "m-2")
	e.Same("a message", []any{graph.Some(int64(2)), graph.Some("s"), graph.Some("two"), graph.Some("user"), graph.Some(noon)}, []any{n.Seq, n.SourceKey, n.Text, n.Role, n.At})

	refused := e.Try("u1", []graph.NodeWrite{
		message("m-0", "s", "changed"), message("m-0b", "gone", "x"), message("o-0", "s", "0"), message("other", "s", "x"),
		{Kind: "message", OwnFields: &graph.OwnFields{SourceKey: graph.Some("s"), Text: graph.Some("x")}}, message("m-3", "s", "three"),
		{Kind: "source", EntityKey: "s", OwnFields: &graph.OwnFields{SourceType: graph.Some("meeting")}}, {Kind: "source", EntityKey: "third",
			OwnFields: &graph.OwnFields{SourceType: graph.Some("meeting")}},
	})
	e.Same("statuses", []graph.Status{graph.Refused, graph.Refused, graph.Refused, graph.Refused, graph.Refused, graph.Created, graph.Refused, graph.Created}, statuses(refused))
	var at []string
	for _, w := range refused.Warnings {
		at = append(at, w[:slices.Index([]byte(w), ':')])
	}
	e.Same("warnings", []string{
		"nodes[6].source_type", "nodes[0].text", "nodes[1].source_key", "nodes[2].entity_key", "nodes[3].entity_key", "nodes[4].role",
	}, at)
	e.Same("texts", []string{"zero", "one", "two", "three"}, e.messages("s"))
	e.Same("another user's source", graph.Refused, e.Try("u2", []graph.NodeWrite{message("x", "s", "x")}).Nodes[0].Status)
	e.Same("type", "email", e.see("u1", "s").SourceType)
	e.Same("null is another type", graph.Refused, e.Try("u1", []graph.NodeWrite{{Kind: "source", EntityKey: "s",
		OwnFields: &graph.OwnFields{SourceType: graph.Null[string]()}}}).Nodes[0].Status)
}

// TestAMessageThatIsWrittenAgain checks that a message never changes, and that other fields are refused.
func TestAMessageThatIsWrittenAgain(t *testing.T) {
	e := fresh(t)
	again := func(change ...func(*graph.NodeWrite)) graph.NodeWrite {
		w := graph.NodeWrite{Kind: "message", EntityKey: "m", OwnFields: &graph.OwnFields{SourceKey: graph.Some("s")}}
		for _, c := range change {
			c(&w)
		}
		return w
	}
	e.Write("u1", []graph.NodeWrite{{Kind: "source", EntityKey: "s"}, again(func(w *graph.NodeWrite) {
		w.Role, w.Text, w.Name, w.At = graph.Some("user"), graph.Some("hello"), graph.Some("Ada"), graph.Some(noon)
	})})
	before := e.Stored()
	e.Same("the same", graph.Unchanged, e.Try("u1", []graph.NodeWrite{again(func(w *graph.NodeWrite) {
		w.Role, w.Text, w.Name, w.At = graph.Some("user"), graph.Some("hello"), graph.Some("Ada"), graph.Some(noon.Add(time.Microsecond))
	})}).Nodes[0].Status)
	e.Same("nothing", graph.Unchanged, e.Try("u1", []graph.NodeWrite{again()}).Nodes[0].Status)
	for field, w := range map[string]graph.NodeWrite{
		"text": again(func(w *graph.NodeWrite) { w.Text = graph.Some("bye") }), "role": again(func(w *graph.NodeWrite) { w.Role = graph.Some("tool") }),
		"name": again(func(w *graph.NodeWrite) { w.Name = graph.Null[string]() }), "at": again(func(w *graph.NodeWrite) { w.At = graph.Some(noon.Add(-time.Hour)) }),
	} {
		result := e.Try("u1", []graph.NodeWrite{w})
		e.Same(field, []any{graph.Refused, []string{"nodes[0]." + field + ": cannot be changed: append another message"}}, []any{result.Nodes[0].Status, result.Warnings})
	}
	for field, w := range map[string]graph.NodeWrite{
		"description": again(described("x")), "state": again(inState("core")), "salience": again(func(w *graph.NodeWrite) { w.Salience = graph.Some(0.9) }),
		"ttl_policy": again(func(w *graph.NodeWrite) { w.TTLPolicy = graph.Some("keep_forever") }), "confidence": again(func(w *graph.NodeWrite) { w.Confidence = graph.Some(1.0) }),
		"created_at": again(func(w *graph.NodeWrite) { w.CreatedAt = graph.Some(noon) }), "updated_at": again(func(w *graph.NodeWrite) { w.UpdatedAt = graph.Some(noon) }),
		"last_accessed_at": again(accessed(noon)), "properties": again(func(w *graph.NodeWrite) { w.Properties = json.RawMessage(`{}`) }),
		"notes": again(func(w *graph.NodeWrite) { w.Notes = []graph.NoteWrite{{Content: "x"}} }),
	} {
		for _, key := range []string{"m", "new"} {
			w.EntityKey = key
			_, err := e.Store.Write(t.Context(), e.As("u1"), &graph.MemoryWrite{Nodes: []graph.NodeWrite{w}})
			e.Same(field, []string{"nodes[0]." + field}, graphtest.Locations(err))
		}
	}
	e.Same("stored", before, e.Stored())
}

func TestASourceTellsOfMessagesThatItHasOtherwise(t *testing.T) {
	e := fresh(t)
	m := graph.MessageWrite{EntityKey: "m", Role: "user", Name: "Ada", Text: "hello", At: graph.Some(noon)}
	write := func(m graph.MessageWrite) graph.SourceResult {
		return e.Source("u1", graph.SourceWrite{EntityKey: "s", Messages: []graph.MessageWrite{said("", "x"), m}})
	}
	e.Same("new", []string{}, write(m).Warnings)
	e.Same("again", []string{}, write(m).Warnings)
	e.Same("without a name", []string{}, write(graph.MessageWrite{EntityKey: "m", Role: "user", Text: "hello"}).Warnings)
	for field, c := range map[string]func(*graph.MessageWrite){
		"text": func(m *graph.MessageWrite) { m.Text = "" }, "role": func(m *graph.MessageWrite) { m.Role = "tool" }, "name": func(m *graph.MessageWrite) { m.Name = "Bob" },
		"at": func(m *graph.MessageWrite) { m.At = graph.Some(noon.Add(-time.Second)) },
	} {
		other := m
		c(&other)
		want := []string{"messages[1]." + field + ": cannot be changed: the stored value differs"}
		result := write(other)
		e.Same(field, []any{graph.Unchanged, want}, []any{result.Messages[1].Status, result.Warnings})
		appended, err := e.Store.AppendMessages(t.Context(), e.As("u1"), "s", []graph.MessageWrite{said("", "y"), other})
		e.Same(field, []any{nil, want}, []any{err, appended.Warnings})
	}
}

func TestNameKey(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"":                        "",
		"?!":                      "",
		"(draft)":                 "",
		"Ada  Lovelace":           "ada lovelace",
		"Orn (lighthouse)":        "orn",
		"Orn (a) (b)":             "orn a",
		"Ada's Engine":            "ada engine",
		"the ’90s":                "the 90s",
		"O’Brien":                 "o'brien",
		"ÉCOLE, normale-sup.":     "école normale sup",
		"日本":                      "日本",
		"say \"AND\" (or NOT) * ": "say and or not",
	} {
		if got := graph.NameKey(name); got != want {
			t.Errorf("%q: %q, not %q", name, got, want)
		}
	}
}
