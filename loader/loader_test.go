package loader

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"kith/graph"
	"kith/internal/cache"
	"kith/internal/fault"
	"kith/memory/preference"
	"kith/tests/golden"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	at    = time.Date(2026, 3, 18, 14, 0, 0, 0, time.UTC) // a Wednesday
	scope = graph.Scope{TeamID: "t", UserID: "u"}
)

func fixed() time.Time { return at }

func pointer[T any](v T) *T { return &v }

func node(key, name, description string) ContextNode {
	return ContextNode{Node: graph.Node{
		EntityKey: key, UserID: pointer("u"), Name: name, Description: description, State: "active", TTLPolicy: "decay",
		Salience: 0.5, Confidence: 0.5, CreatedAt: at, UpdatedAt: at,
	}}
}

// full is a context with every limit reached.
func full() Sections {
	owner := node("p-ada", "Ada", "Keeps the tide tables of a small harbour")
	s := Sections{
		Owner:            &owner,
		Preferences:      []preference.Preference{{Key: "conversation_style", Value: []byte(`"direct"`)}, {Key: "time_zone", Value: []byte(`"Europe/Berlin"`)}},
		LastConversation: &LastConversation{StartedAt: at.Add(-16 * time.Hour), ContextType: pointer("planning")},
	}
	for i := range 10 {
		s.CoreBeliefs = append(s.CoreBeliefs, node(fmt.Sprintf("b-%d", i), fmt.Sprintf("belief %d", i), "what is held to be true, at some length"))
		n := node(fmt.Sprintf("n-%d", i), fmt.Sprintf("friend %d", i), "")
		s.Relationships = append(s.Relationships, OwnerRelationship{
			Node: n, Description: "met at the quay and has been there ever since", Salience: 1 - float64(i)/20,
			RelationshipType: "has_relationship_with", NodeType: "Person", RecentMentions: int64(i),
		})
	}
	for i := range 5 {
		s.PrimaryGoals = append(s.PrimaryGoals, node(fmt.Sprintf("g-%d", i), fmt.Sprintf("goal %d", i), "to be reached before the summer"))
	}
	for i := range 20 {
		s.Sources = append(s.Sources, RecentSource{
			EntityKey: fmt.Sprintf("s-%d", i), StartedAt: at.Add(-time.Duration(i+1) * 4 * time.Hour), ContextType: pointer("planning"),
			Summary:     fmt.Sprintf("Talked about the %dth pier and what it costs to mend it.", i),
			KeyEntities: []KeyEntity{{EntityKey: "n-1", Name: "friend 1", Type: "Person"}},
		})
	}
	return s
}

func newLoader(s store, o Options) (*Loader, *passThrough) {
	c := &passThrough{}
	o.Now = fixed
	return New(s, c, o), c
}

func decode(t *testing.T, body []byte) map[string]any {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal(body, &object); err != nil {
		t.Fatalf("not JSON: %v\n%s", err, body)
	}
	return object
}

func TestContextHasTheFourParts(t *testing.T) {
	t.Parallel()
	for name, found := range map[string]Sections{"full": full(), "empty": {}} {
		l, _ := newLoader(&fakeStore{found: found}, Options{})
		answer, err := l.Context(t.Context(), Request{Scope: scope}, nil)
		if err != nil {
			t.Fatal(err)
		}
		object := decode(t, answer.Body())
		for _, part := range Parts {
			if object[part] == nil {
				t.Errorf("%s: no %s", name, part)
			}
		}
		if _, ok := object["current_conversation"]; ok {
			t.Errorf("%s: a current conversation that nobody opened", name)
		}
	}
}

func TestEmptyListsAreNotNull(t *testing.T) {
	t.Parallel()
	l, _ := newLoader(&fakeStore{}, Options{})
	answer, err := l.Context(t.Context(), Request{Scope: scope}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"user":{"user_id":"u","owner_person_node":null,"preferences":[],"statements":[],"core_beliefs":[],"primary_goals":[]},` +
		`"relationships":[],"recent_context":{"sources":[]},` +
		`"temporal":{"time_since_last_conversation":null,"current_datetime":{"day_of_week":"Wednesday","hour":14,"date":"2026-03-18"},` +
		`"last_conversation_type":null,"time_zone":"UTC"},"warnings":["` + NothingKnown + `"]}`
	if diff := cmp.Diff(want, string(answer.Body())); diff != "" {
		t.Error(diff)
	}
}

func TestTimeZone(t *testing.T) {
	t.Parallel()
	zoned := func(value string) Sections {
		return Sections{Preferences: []preference.Preference{{Key: "time_zone", Value: []byte(value)}}}
	}
	for name, c := range map[string]struct {
		found        Sections
		request      string
		zone, date   string
		hour         float64
		day          string
		wantsWarning bool
	}{
		"none is UTC":                      {Sections{Owner: pointer(node("p", "Ada", ""))}, "", "UTC", "2026-03-18", 14, "Wednesday", false},
		"the preference":                   {zoned(`"Asia/Tokyo"`), "", "Asia/Tokyo", "2026-03-18", 23, "Wednesday", false},
		"the request before it":            {zoned(`"Asia/Tokyo"`), "Pacific/Kiritimati", "Pacific/Kiritimati", "2026-03-19", 4, "Thursday", false},
		"an unknown preference is UTC":     {zoned(`"Mars/Olympus"`), "", "UTC", "2026-03-18", 14, "Wednesday", true},
		"a preference that is no text":     {zoned(`7`), "", "UTC", "2026-03-18", 14, "Wednesday", true},
		"Local is nobody's zone":           {zoned(`"Local"`), "", "UTC", "2026-03-18", 14, "Wednesday", true},
		"the request mends the preference": {zoned(`"Mars/Olympus"`), "UTC", "UTC", "2026-03-18", 14, "Wednesday", false},
	} {
		l, _ := newLoader(&fakeStore{found: c.found}, Options{})
		answer, err := l.Context(t.Context(), Request{Scope: scope, TimeZone: c.request}, nil)
		if err != nil {
			t.Fatal(name, err)
		}
		object := decode(t, answer.Body())
		temporal := object["temporal"].(map[string]any)
		want := map[string]any{"day_of_week": c.day, "hour": c.hour, "date": c.date}
		if diff := cmp.Diff(want, temporal["current_datetime"]); diff != "" || temporal["time_zone"] != c.zone {
			t.Errorf("%s: zone %v, %s", name, temporal["time_zone"], diff)
		}
		if _, warned := object["warnings"]; warned != c.wantsWarning {
			t.Errorf("%s: warnings %v", name, object["warnings"])
		}
	}
}

func TestDuration(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "PT0S", -time.Hour: "PT0S", 59 * time.Second: "PT59S", 16 * time.Hour: "PT16H", 90 * time.Minute: "PT1H30M",
		72 * time.Hour: "P3D", 76*time.Hour + time.Second: "P3DT4H1S", 400 * 24 * time.Hour: "P400D",
	} {
		if got := duration(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

// The temporal part is computed for each answer, also for cached contexts.
func TestTimeIsToldWhenAnswering(t *testing.T) {
	t.Parallel()
	now := at
	found := full()
	var raw []byte
	keep := getFunc(func(ctx context.Context, load cache.Loader) ([]byte, error) {
		if raw == nil {
			var err error
			if raw, _, err = load(ctx); err != nil {
				return nil, err
			}
		}
		return raw, nil
	})
	from := &fakeStore{found: found}
	l := New(from, keep, Options{Now: func() time.Time { return now }})
	since := func() (any, string) {
		answer, err := l.Context(t.Context(), Request{Scope: scope}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return decode(t, answer.Body())["temporal"].(map[string]any)["time_since_last_conversation"], answer.ETag
	}
	first, firstTag := since()
	now = at.Add(20 * time.Second)
	second, secondTag := since()
	now = at.Add(time.Hour)
	third, thirdTag := since()
	if first != "PT16H" || second != "PT16H20S" || third != "PT17H" {
		t.Errorf("since: %v, %v, %v", first, second, third)
	}
	if firstTag != secondTag || firstTag == thirdTag {
		t.Errorf("ETags: %s, %s, an hour later %s", firstTag, secondTag, thirdTag)
	}
}

// TestTagOfTheFirstConversation checks that the tag changes with the last conversation, also within an hour and if no section shows it.
func TestTagOfTheFirstConversation(t *testing.T) {
	t.Parallel()
	l, _ := newLoader(&fakeStore{found: full()}, Options{})
	tags := map[string]string{}
	for what, change := range map[string]func(*cachedContext){
		"none": func(*cachedContext) {}, "one": func(k *cachedContext) { k.HasLast, k.LastStarted = true, at },
		"another": func(k *cachedContext) { k.HasLast, k.LastStarted, k.LastType = true, at, "planning" },
	} {
		k := cachedContext{Body: []byte("{"), Sum: "s", Temporal: true}
		change(&k)
		k.Whole = k.whole()
		answer, err := l.finish(Request{Scope: scope, Format: Text}, k, at, nil)
		if err != nil || tags[answer.ETag] != "" {
			t.Errorf("%s has the tag of %s: %v", what, tags[answer.ETag], err)
		}
		tags[answer.ETag] = what
	}
}

type getFunc func(ctx context.Context, load cache.Loader) ([]byte, error)

func (f getFunc) Get(ctx context.Context, _, _, _ string, load cache.Loader) ([]byte, error) {
	return f(ctx, load)
}

func TestSectionsChoose(t *testing.T) {
	t.Parallel()
	l, _ := newLoader(&fakeStore{found: full()}, Options{})
	answer, err := l.Context(t.Context(), Request{Scope: scope, Sections: []string{"temporal", "relationships"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	object := decode(t, answer.Body())
	if len(object) != 2 || object["relationships"] == nil || object["temporal"] == nil {
		t.Errorf("parts: %v", object)
	}
	if zone := object["temporal"].(map[string]any)["time_zone"]; zone != "Europe/Berlin" {
		t.Errorf("the temporal part alone does not know the user's zone: %v", zone)
	}
}

func TestASectionThatFailsIsTriedAloneThenMissing(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		mode     Mode
		combined error
		fail     func(Section, int) error
		degraded []any
	}{
		"combined mended by retry": {Combined, broken, nil, nil},
		"combined, one stays broken": {Combined, broken, func(s Section, _ int) error {
			return when(s == PreferencesSection, broken)
		}, []any{"preferences"}},
		"parallel mended by retry": {Parallel, nil, func(s Section, attempt int) error {
			return when(s == SourcesSection && attempt == 1, broken)
		}, nil},
		"parallel, two stay broken": {Parallel, nil, func(s Section, _ int) error {
			return when(s == SourcesSection || s == CoreBeliefsSection, broken)
		}, []any{"core_beliefs", "sources"}},
	} {
		l, kept := newLoader(&fakeStore{found: full(), combined: c.combined, fail: c.fail}, Options{Mode: c.mode})
		answer, err := l.Context(t.Context(), Request{Scope: scope}, nil)
		if err != nil {
			t.Fatal(name, err)
		}
		object := decode(t, answer.Body())
		got, _ := object["degraded"].([]any)
		if diff := cmp.Diff(c.degraded, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if kept.kept != (c.degraded == nil) {
			t.Errorf("%s: kept %v", name, kept.kept)
		}
		if object["user"].(map[string]any)["owner_person_node"] == nil {
			t.Errorf("%s: the owner is lost", name)
		}
	}
}

func when(is bool, err error) error {
	if is {
		return err
	}
	return nil
}

func TestIdentityFailingIsAnError(t *testing.T) {
	t.Parallel()
	for _, mode := range []Mode{Combined, Parallel} {
		s := &fakeStore{found: full(), combined: graph.ErrUnavailable, fail: func(s Section, _ int) error {
			return when(s == OwnerSection, graph.ErrUnavailable)
		}}
		l, _ := newLoader(s, Options{Mode: mode})
		if _, err := l.Context(t.Context(), Request{Scope: scope}, nil); !errors.Is(err, graph.ErrUnavailable) {
			t.Errorf("%s: %v", mode, err)
		}
	}
}

// A database that is unavailable is asked no more: a database that is slow would get slower.
func TestUnavailableDatabaseIsAskedOnce(t *testing.T) {
	t.Parallel()
	for _, mode := range []Mode{Combined, Parallel} {
		s := &fakeStore{found: full(), combined: graph.ErrUnavailable, fail: func(Section, int) error { return graph.ErrUnavailable }}
		l, _ := newLoader(s, Options{Mode: mode})
		if _, err := l.Context(t.Context(), Request{Scope: scope}, nil); !errors.Is(err, graph.ErrUnavailable) {
			t.Errorf("%s: %v", mode, err)
		}
		for section, attempts := range s.attempts {
			if mode == Combined || attempts > 1 {
				t.Errorf("%s: %s is read %d times", mode, section, attempts)
			}
		}
	}
}

func TestCombinedAndParallelAnswerTheSame(t *testing.T) {
	t.Parallel()
	var bodies []string
	for _, mode := range []Mode{Combined, Parallel} {
		l, _ := newLoader(&fakeStore{found: full()}, Options{Mode: mode})
		answer, err := l.Context(t.Context(), Request{Scope: scope}, nil)
		if err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, string(answer.Body()))
	}
	if diff := cmp.Diff(bodies[0], bodies[1]); diff != "" {
		t.Error(diff)
	}
}

func TestUnknownFocusIsNotFound(t *testing.T) {
	t.Parallel()
	l, _ := newLoader(&fakeStore{found: full()}, Options{})
	_, err := l.Context(t.Context(), Request{Scope: scope, FocusKind: "person", FocusID: "nobody"}, nil)
	if !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

func TestRequestFaultsAreLocated(t *testing.T) {
	t.Parallel()
	r := Request{
		TimeZone: "Mars/Olympus", Format: "xml", MaxTokens: 7, Sections: []string{"user", "moon"}, FocusKind: "moon",
		FocusID: strings.Repeat("x", 300),
	}
	var invalid *fault.InvalidError
	if err := r.Validate(); !errors.As(err, &invalid) {
		t.Fatalf("got %v", err)
	}
	var got []string
	for _, f := range invalid.Fields {
		got = append(got, f.Path.String())
		if strings.Contains(f.Message, "Mars") || strings.Contains(f.Message, "moon") {
			t.Errorf("%s repeats the value: %s", f.Path.String(), f.Message)
		}
	}
	want := []string{"user_id", "time_zone", "format", "max_tokens", "sections", "focus_kind", "focus_id"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestCurrentConversation(t *testing.T) {
	t.Parallel()
	l, _ := newLoader(&fakeStore{found: full()}, Options{})
	answer, err := l.Context(t.Context(), Request{Scope: scope}, &CurrentConversation{ConversationID: "c-1", Messages: []graph.Message{}, StartedAt: at})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"conversation_id": "c-1", "messages": []any{}, "started_at": "2026-03-18T14:00:00Z"}
	if diff := cmp.Diff(want, decode(t, answer.Body())["current_conversation"]); diff != "" {
		t.Error(diff)
	}
}

// The shape of the whole object, field by field, on data of our own.
func TestContextGolden(t *testing.T) {
	t.Parallel()
	found := full()
	found.CoreBeliefs, found.PrimaryGoals = found.CoreBeliefs[:1], found.PrimaryGoals[:1]
	found.Relationships, found.Sources = found.Relationships[:2], found.Sources[:1]
	found.Relationships[1].NodeType = "Entity"
	found.Relationships[1].Node.Type = "organization"
	found.Owner.IsOwner, found.Owner.CanonicalName, found.Owner.Salience = true, "ada", 1
	l, _ := newLoader(&fakeStore{found: found}, Options{})
	answer, err := l.Context(t.Context(), Request{Scope: scope}, &CurrentConversation{ConversationID: "c-1", Messages: []graph.Message{}, StartedAt: at})
	if err != nil {
		t.Fatal(err)
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, answer.Body(), "", "  "); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/context.json", indented.String()+"\n")
}
