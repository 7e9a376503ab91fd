package loader

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kith/graph"
	"kith/memory/preference"
	"kith/text/tokens"
)

// filled is a context with room that is filled, notes, and more that is known.
func filled() Sections {
	owner := node("p-ada", "Ada", "Keeps the tide tables")
	owner.Notes = []graph.Note{{ID: "1", Content: "allergic to nuts", DateAdded: at}, {ID: "3", Content: "the tide tables", DateAdded: at}}
	old, candidate, belief := node("g-old", "learn to sail", "in spring"), node("g-new", "buy a boat", ""), node("b", "salt is cheap", "")
	old.Filled, old.IsGoal, candidate.Filled, candidate.IsGoal, belief.Filled, belief.TTLPolicy = true, true, true, true, true, "keep_forever"
	candidate.State = "candidate"
	jon, quay, eve := node("jon", "Jon", "a pilot"), node("quay", "Quay", ""), node("eve", "Eve", "")
	jon.Notes = []graph.Note{{ID: "2", Content: strings.Repeat("long ", 100), DateAdded: at}}
	eve.State = "candidate"
	return Sections{
		Owner: &owner, CoreBeliefs: []ContextNode{belief}, PrimaryGoals: []ContextNode{old, candidate},
		Relationships: []OwnerRelationship{
			{Node: jon, NodeType: "Person", Filled: true},
			{Node: quay, NodeType: "Entity", Filled: true, RelationshipType: "prefers", Description: "where she moors"},
			{Node: eve, NodeType: "Person", Filled: true, RelationshipType: "thinks_about", Description: "met once"},
		},
		Known: &Known{
			Goals: KnownCounts{Present: 2, Archived: 1}, Beliefs: KnownCounts{Present: 1}, Others: KnownCounts{Present: 1, Faded: 9, Archived: 2},
		},
		OlderConversations: 4,
	}
}

func TestFilledGolden(t *testing.T) {
	t.Parallel()
	want := `# About Ada

Keeps the tide tables

## Core beliefs

- **salt is cheap** (not yet core)

## Goals

- **learn to sail**: in spring (not used lately)
- **buy a boat** (new, unconfirmed)

## Relationships

- **Jon** (Person): a pilot (no relationship stated)
- **Quay** (Entity): where she moors (prefers)
- **Eve** (Person): met once (new, unconfirmed)

## Notes

- **Ada**: allergic to nuts
- **Jon**: ` + strings.TrimSpace(strings.Repeat("long ", 60)) + `...

_Also known: 13 more memories (1 without room here, 9 faded, 3 archived) and 4 older conversations; explore finds them, faded and archived ones with include_archived._

## Now

Wednesday 2026-03-18, 14:00 (UTC). This is the first conversation.
`
	if diff := cmp.Diff(want, contextText(t, filled(), 0)); diff != "" {
		t.Error(diff)
	}
}

func contextObject(t *testing.T, found Sections, r Request) AgentContext {
	t.Helper()
	l, _ := newLoader(&fakeStore{found: found}, Options{})
	r.Scope = scope
	answer, err := l.Context(t.Context(), r, nil)
	if err != nil {
		t.Fatal(err)
	}
	var object struct {
		AgentContext
		Temporal json.RawMessage `json:"temporal"`
	}
	if err := json.Unmarshal(answer.Body(), &object); err != nil {
		t.Fatal(err)
	}
	return object.AgentContext
}

func TestWhatIsNotShownIsCounted(t *testing.T) {
	t.Parallel()
	got := contextObject(t, filled(), Request{})
	want := []NotShown{
		{"primary_goals", 1, false, "archived"}, {"relationships", 1, false, "no_room"}, {"relationships", 9, false, "faded"},
		{"relationships", 2, false, "archived"}, {"recent_context", 4, false, "older_than_7_days"},
	}
	if diff := cmp.Diff(want, got.Meta.NotShown); diff != "" {
		t.Error(diff)
	}
	if !got.User.PrimaryGoals[0].Filled || !got.Relationships[0].Filled || len(got.User.Owner.Notes) != 2 || len(got.Relationships[0].Node.Notes) != 1 {
		t.Errorf("filled or notes are missing: %+v", got)
	}

	// A goal that the relationships show is not one without room, and a bounded count says so.
	found := filled()
	linked := node("g-linked", "row", "")
	linked.IsGoal = true
	found.Relationships = append(found.Relationships, OwnerRelationship{Node: linked, NodeType: "Concept"})
	found.Known = &Known{Goals: KnownCounts{Present: 5}, AtLeast: true}
	found.OlderConversations = 0
	if diff := cmp.Diff([]NotShown{{"primary_goals", 2, true, "no_room"}}, contextObject(t, found, Request{}).Meta.NotShown); diff != "" {
		t.Error(diff)
	}
	if line := notShownLine([]NotShown{{"primary_goals", 1, true, "no_room"}}); line != "_Also known: at least 1 more memory (1 without room here); explore finds them._" {
		t.Error(line)
	}
	if m := contextObject(t, full(), Request{}).Meta; m != nil {
		t.Errorf("a full context explains %+v", m)
	}
}

func TestAUserOfWhomNothingIsKnown(t *testing.T) {
	t.Parallel()
	warned := func(found Sections, r Request) bool {
		object := contextObject(t, found, r)
		return len(object.Warnings) == 1 && object.Warnings[0] == NothingKnown
	}
	if !warned(Sections{Known: &Known{}}, Request{}) {
		t.Error("no warning of a user without memory")
	}
	for name, found := range map[string]Sections{
		"an owner":            {Owner: pointer(node("p", "Ada", ""))},
		"a preference":        {Preferences: []preference.Preference{{Key: "a", Value: []byte(`1`)}}},
		"a last conversation": {LastConversation: &LastConversation{StartedAt: at}},
		"an archived memory":  {Known: &Known{Others: KnownCounts{Archived: 1}}},
	} {
		if warned(found, Request{}) {
			t.Errorf("%s is nothing", name)
		}
	}
	if warned(Sections{}, Request{Sections: []string{"user"}}) || warned(Sections{}, Request{AsOf: pointer(at)}) {
		t.Error("a part of a context, or a day of the past, is taken for all")
	}
}

// Notes are the first lines to go.
func TestNotesAreCutFirst(t *testing.T) {
	t.Parallel()
	found := full()
	for i := range found.Relationships {
		found.Relationships[i].Node.Notes = []graph.Note{{Content: "said at the quay that the boat needs paint", DateAdded: at}}
	}
	whole, err := tokens.Count(contextText(t, found, 0))
	if err != nil {
		t.Fatal(err)
	}
	text := contextText(t, found, whole-100)
	if strings.Count(text, "needs paint") == 0 || strings.Count(text, "needs paint") == 10 || !strings.Contains(text, "the 19th pier") || !strings.Contains(text, "notes._") {
		t.Errorf("something else than notes was cut:\n%s", text)
	}
	if text := contextText(t, found, 700); strings.Contains(text, "needs paint") || strings.Contains(text, "the 19th pier") {
		t.Errorf("a note outlives other lines:\n%s", text)
	}
}

// The open conversation is part of the request, of what is asked of the store, and of the key in the cache.
func TestTheOpenConversationIsAskedFor(t *testing.T) {
	t.Parallel()
	store := &asking{fakeStore: &fakeStore{found: full()}}
	l, _ := newLoader(store, Options{})
	if _, err := l.Context(t.Context(), Request{Scope: scope, ConversationID: "c-1"}, nil); err != nil || store.asked.ConversationID != "c-1" {
		t.Errorf("%v, asked %+v", err, store.asked)
	}
	a, b := Request{ConversationID: "c-1"}, Request{}
	if a.view() == b.view() {
		t.Error("contexts with and without an open conversation share a place in the cache")
	}
}

type asking struct {
	*fakeStore
	asked SectionQuery
}

func (a *asking) ReadSections(ctx context.Context, s graph.Scope, sections []Section, q SectionQuery) (*Sections, error) {
	a.asked = q
	return a.fakeStore.ReadSections(ctx, s, sections, q)
}

func TestTextOfAnOpenedConversation(t *testing.T) {
	t.Parallel()
	current := &CurrentConversation{ConversationID: "c-1", StartedAt: at.Add(-time.Hour)}
	for range 30 {
		current.Messages = append(current.Messages, graph.Message{Role: "user", Name: "Ada", Text: "Is the boat dry?"}, graph.Message{Role: "assistant", Text: "It is."})
	}
	open := func(maxTokens int) string {
		l, _ := newLoader(&fakeStore{found: full()}, Options{})
		answer, err := l.Context(t.Context(), Request{Scope: scope, Format: Text, MaxTokens: maxTokens}, current)
		if err != nil {
			t.Fatal(err)
		}
		return string(answer.Body())
	}
	whole := open(0)
	_, end, found := strings.Cut(whole, "\n## This conversation\n\nc-1, since 2026-03-18 13:00Z.\n\n- **user** (Ada): Is the boat dry?\n- **assistant**: It is.\n")
	if !found || strings.Count(end, "\n") != 58 {
		t.Errorf("the conversation is not at the end:\n%s", whole)
	}
	for _, budget := range []int{100, 200, 400, 1300} {
		text := open(budget)
		if n, err := tokens.Count(text); err != nil || n > budget {
			t.Errorf("%d tokens for a budget of %d (%v):\n%s", n, budget, err, text)
		}
		if budget >= 400 && (!strings.HasSuffix(text, "It is.\n") || !strings.Contains(text, "earlier messages._")) {
			t.Errorf("with %d tokens:\n%s", budget, text)
		}
	}
}

// Preferences that are not in the graph are read without a statement where nothing else is wanted.
func TestNoStatementOfNoSection(t *testing.T) {
	t.Parallel()
	g := newGraphWithout()
	g.combined, g.fail = graph.ErrUnavailable, func(Section, int) error { return graph.ErrUnavailable }
	l, _ := newLoader(g, Options{Preferences: preferencesFunc(func(context.Context, int64) ([]preference.Preference, error) {
		return full().Preferences, nil
	}).counting()})
	found, degraded, err := l.load(t.Context(), scope, []Section{PreferencesSection}, SectionQuery{Now: at})
	if err != nil || len(degraded) > 0 || len(found.Preferences) != 2 || g.asked.Load() != nil {
		t.Errorf("%v, %v, %+v, asked %v", err, degraded, found, g.asked.Load())
	}
}
