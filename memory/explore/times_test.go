package explore

import (
	"slices"
	"strings"
	"testing"
	"time"

	"kith/graph"
)

// talks stores five conversations of a user, ten days apart; the last was yesterday. Each has three messages.
func talks(t *testing.T) (*beside, graph.Scope) {
	t.Helper()
	b := newBeside(t)
	scope := graph.Scope{TeamID: b.teams[0], UserID: "u"}
	for i, about := range []string{"boats", "lanterns", "harbours", "boats", "winters"} {
		at := now.AddDate(0, 0, 10*i-41)
		w := &graph.SourceWrite{EntityKey: "s" + string(rune('1'+i)), StartedAt: graph.Some(at)}
		for m, text := range []string{"Hello.", "I thought of " + about + " all night.", "Tell me more."} {
			w.Messages = append(w.Messages, graph.MessageWrite{
				EntityKey: w.EntityKey + "." + string(rune('1'+m)), Role: []string{"user", "assistant"}[m/2], Text: text, At: graph.Some(at.Add(time.Duration(m) * time.Minute)),
			})
		}
		b.source(scope, w)
	}
	b.source(graph.Scope{TeamID: b.teams[0], UserID: "other"}, &graph.SourceWrite{
		EntityKey: "theirs", StartedAt: graph.Some(now.AddDate(0, 0, -1)), Messages: []graph.MessageWrite{{EntityKey: "theirs.1", Role: "user", Text: "I thought of boats.", At: graph.Some(now.AddDate(0, 0, -1))}},
	})
	return b, scope
}

func (b *beside) source(scope graph.Scope, w *graph.SourceWrite) {
	b.Helper()
	if _, err := b.store.WriteSource(b.Context(), scope, w); err != nil {
		b.Fatal(err)
	}
}

// ask returns the keys of the messages found, sorted, and what was understood.
func (b *beside) ask(scope graph.Scope, r *Request) (string, Meta) {
	b.Helper()
	r.Kinds, r.Limit = []string{"message"}, 20
	result, _, err := New(NewStore(b.store, nil), Options{Now: func() time.Time { return now }}).Explore(b.Context(), scope, r)
	if err != nil {
		b.Fatal(err)
	}
	var keys []string
	for i := range result.Episodic.Messages {
		keys = append(keys, result.Episodic.Messages[i].EntityKey)
	}
	slices.Sort(keys)
	return strings.Join(keys, " "), result.Meta
}

func TestTimesFilter(t *testing.T) {
	t.Parallel()
	b, scope := talks(t) // on March 21 and 31, April 10, 20 and 30; now is May 1
	for query, want := range map[string]string{
		"What did we discuss yesterday?":                                "s5.1 s5.2 s5.3",
		"What did we talk about 11 days ago?":                           "s4.1 s4.2 s4.3",
		"What did we discuss in our second session?":                    "s2.1 s2.2 s2.3",
		"What did we discuss 2 sessions ago?":                           "s4.1 s4.2 s4.3",
		"What did we discuss in the second conversation in April?":      "s4.1 s4.2 s4.3",
		"What did we chat about between March 20 and April 1?":          "s1.1 s1.2 s1.3 s2.1 s2.2 s2.3",
		"What did I say about boats in March?":                          "s1.1 s1.2 s1.3 s2.1 s2.2 s2.3",
		"What did we discuss in our first and third sessions?":          "s1.1 s1.2 s1.3 s3.1 s3.2 s3.3",
		"What did we discuss in our ninth session?":                     "",
		"What did we discuss on April 11th?":                            "",
		"Worüber haben wir gestern gesprochen?":                         "s5.1 s5.2 s5.3",
		"De quoi avons-nous parlé hier ?":                               "s5.1 s5.2 s5.3",
		"What did we discuss in our 99999999999999999999999th session?": "",
	} {
		got, meta := b.ask(scope, &Request{Queries: []Query{{Query: query}}})
		if got != want || len(meta.Times) > 1 || want != "" && (len(meta.Times) != 1 || meta.Times[0].Use != TimeFilter || !meta.Enough) {
			t.Errorf("%s: found %q, not %q, with %+v", query, got, want, meta)
		}
	}
}

func TestTimesOfLongTexts(t *testing.T) {
	t.Parallel()
	question := "What did we discuss yesterday? "
	if t1, _ := readTimes(question, now); len(t1.understood) != 1 {
		t.Errorf("%+v", t1)
	}
	if t2, rest := readTimes(strings.Repeat(question, 500), now); len(t2.understood) != 0 || len(rest) != 500*len(question) {
		t.Errorf("%+v", t2)
	}
}

func TestTimesOfTheMomentOfAsking(t *testing.T) {
	t.Parallel()
	b, scope := talks(t)
	yesterday := []Query{{Query: "What did we discuss yesterday?"}}
	for want, r := range map[string]*Request{
		"s4.1 s4.2 s4.3": {AskedAt: graph.Some(now.AddDate(0, 0, -10))},
		"":               {Times: IgnoreTimes},
	} {
		r.Queries = yesterday
		if got, _ := b.ask(scope, r); got != want {
			t.Errorf("%+v: %q, not %q", r, got, want)
		}
	}
	east := time.FixedZone("", 14*3600) // there it is May 2, and the talk of April 30 was on May 1
	if got, meta := b.ask(scope, &Request{Queries: yesterday, AskedAt: graph.Some(now.In(east))}); got != "s5.1 s5.2 s5.3" || meta.Times[0].From.Day() != 1 {
		t.Errorf("in the east: %q %+v", got, meta)
	}
}

func TestTheOpenConversationIsNoLastSession(t *testing.T) {
	t.Parallel()
	b, scope := talks(t)
	last := []Query{{Query: "What did we discuss in our last session?"}}
	for open, want := range map[string]string{"": "s5.1 s5.2 s5.3", "s5": "s4.1 s4.2 s4.3", "unknown": "s5.1 s5.2 s5.3"} {
		if got, _ := b.ask(scope, &Request{Queries: last, ConversationID: open}); got != want {
			t.Errorf("with %q open: %q, not %q", open, got, want)
		}
	}
}

// TestTimesWeigh checks that a time that may be what a query is about leaves nothing out.
func TestTimesWeigh(t *testing.T) {
	t.Parallel()
	b, scope := talks(t)
	r := &Request{Queries: []Query{{Query: "Which boats sank in March?"}}, ReturnExplanations: true}
	got, meta := b.ask(scope, r)
	if !strings.Contains(got, "s1.2") || !strings.Contains(got, "s4.2") || len(meta.Times) != 1 || meta.Times[0].Use != TimeWeight {
		t.Fatalf("%q %+v", got, meta)
	}
	result, _, err := New(NewStore(b.store, nil), Options{Now: func() time.Time { return now }}).Explore(t.Context(), scope, r)
	if err != nil || result.Episodic.Messages[0].EntityKey != "s1.2" || result.Episodic.Messages[0].Explanation.Time == 0 {
		t.Errorf("%v: the first is %+v", err, result.Episodic.Messages)
	}
}

// TestTimesOfSources checks that sources are found by their time too, without other ones that links lead to.
func TestTimesOfSources(t *testing.T) {
	t.Parallel()
	b, scope := talks(t)
	result, _, err := New(NewStore(b.store, nil), Options{Now: func() time.Time { return now }}).Explore(t.Context(), scope, &Request{
		Queries: []Query{{Query: "What did we discuss on April 20?"}},
	})
	if err != nil || len(result.Episodic.Sources) != 1 || result.Episodic.Sources[0].EntityKey != "s4" || len(result.Episodic.Sources[0].Messages) != 3 {
		t.Errorf("%v: %+v", err, result.Episodic.Sources)
	}
}

// TestTimesOfSharedSources checks that a time in a question does not hide what a team shares, or where the user took part.
func TestTimesOfSharedSources(t *testing.T) {
	t.Parallel()
	b, scope := talks(t)
	then := time.Date(2026, 4, 20, 10, 0, 0, 0, time.UTC)
	team := graph.Scope{TeamID: scope.TeamID}
	b.source(team, &graph.SourceWrite{EntityKey: "shared", ContentType: graph.Some("meeting"), StartedAt: graph.Some(then), Summary: graph.Some("The lighthouse."),
		Messages: []graph.MessageWrite{{EntityKey: "shared.1", Role: "user", Text: "The lighthouse is white.", At: graph.Some(then)}}})
	b.source(graph.Scope{TeamID: scope.TeamID, UserID: "other"}, &graph.SourceWrite{
		EntityKey: "joined", ContentType: graph.Some("meeting"), StartedAt: graph.Some(then), Summary: graph.Some("The lighthouse again."), Participants: []string{scope.UserID},
	})
	b.source(team, &graph.SourceWrite{EntityKey: "later", ContentType: graph.Some("meeting"), StartedAt: graph.Some(then.AddDate(0, 0, 3)), Summary: graph.Some("The lighthouse.")})
	for who, c := range map[string]struct {
		scope graph.Scope
		want  []string
	}{"the user": {scope, []string{"joined", "s4", "shared"}}, "nobody": {team, []string{"shared"}}} {
		result, _, err := New(NewStore(b.store, nil), Options{Now: func() time.Time { return now }}).Explore(t.Context(), c.scope, &Request{
			Queries: []Query{{Query: "What did we say about the lighthouse on April 20?"}}, Kinds: []string{"source"},
		})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i := range result.Episodic.Sources {
			got = append(got, result.Episodic.Sources[i].EntityKey)
		}
		if slices.Sort(got); !slices.Equal(got, c.want) || result.Meta.Times[0].Use != TimeFilter {
			t.Errorf("%s finds %v, want %v (%+v)", who, got, c.want, result.Meta.Times)
		}
	}
}

// TestTimesAsText checks that a reader of the text sees how a time was understood.
func TestTimesAsText(t *testing.T) {
	t.Parallel()
	b, scope := talks(t)
	result, _, err := New(NewStore(b.store, nil), Options{Now: func() time.Time { return now }}).Explore(t.Context(), scope, &Request{
		Queries: []Query{{Query: "What did we discuss on April 11th?"}}, Format: Text,
	})
	const want = "\nNothing was found.\n\n_Time: on April 11th, from 2026-04-11T00:00:00Z, until 2026-04-12T00:00:00Z; only what was said then._\n"
	if err != nil || !strings.Contains(result.Text(), want) {
		t.Errorf("%v: %s", err, result.Text())
	}
}

func TestWeighRoles(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		answer int // length of what the assistant said; the user said 100
		want   float64
	}{"people": {140, 1}, "a talkative assistant": {225, 1.5}, "an assistant that lectures": {2000, 2}} {
		f := Found{Messages: []FoundMessage{
			{Hit: Hit{Key: "a", Score: 3}, Role: "assistant", length: c.answer}, {Hit: Hit{Key: "u", Score: 2}, Role: "user", length: 100}, {Hit: Hit{Key: "t", Score: 1}, Role: "tool", length: 9},
		}}
		f.weighRoles(1)
		scores := map[string]float64{}
		for _, m := range f.Messages {
			scores[m.Key] = m.Score
		}
		if scores["u"] != 2*c.want || scores["a"] != 3 || scores["t"] != 1 || !slices.IsSortedFunc(f.Messages, func(a, b FoundMessage) int { return int(b.Score*10 - a.Score*10) }) {
			t.Errorf("%s: %v", what, f.Messages)
		}
	}
}

func TestConfidence(t *testing.T) {
	t.Parallel()
	b, scope := talks(t)
	for query, want := range map[string][2]float64{"zebras": {0, 0}, "boats": {0.89, 0.9}, "boats zebras quagga okapi": {0.25, 0.5}} {
		_, meta := b.ask(scope, &Request{Queries: []Query{{Query: query}}})
		if meta.Confidence < want[0] || meta.Confidence > want[1] || meta.Enough != (meta.Confidence >= enough) {
			t.Errorf("%s: %+v", query, meta)
		}
	}
	if _, meta := b.ask(scope, &Request{Queries: []Query{{Query: "boats"}, {Query: "zebras"}}}); meta.Confidence != 0 {
		t.Errorf("two queries: %+v", meta)
	}
}
