package graph_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"kith/graph"
	"kith/loader"
	"kith/memory/statement"
	"kith/tests/graphtest"
	"kith/tests/testenv"
)

var utterances = []string{
	"Always answer in French when I ask about cooking.", "Never suggest meat.", "I prefer short answers.", "My sister Ada lives in Ghent.",
	"I work as a carpenter.", "What is the weather?", "I don't like olives.", "I am flying to Oslo on 3 May.",
}

// randomMemory stores a user with relationships, conversations and what was said in them, and returns the keys of the conversations and of the other nodes.
func randomMemory(r *rapid.T, e *graphtest.Env) (sources, keys []string) {
	nodes, links := []graph.NodeWrite{graphtest.Owner("me")}, []graph.RelationshipWrite{}
	for i := range rapid.IntRange(0, 8).Draw(r, "nodes") {
		key := fmt.Sprintf("n-%d", i)
		state := rapid.SampledFrom([]string{"active", "core", "candidate"}).Draw(r, "state")
		n := graphtest.Node(rapid.SampledFrom([]string{"person", "concept", "entity"}).Draw(r, "kind"), key, rapid.Float64Range(0.1, 1).Draw(r, "salience"), graphtest.InState(state))
		if rapid.Bool().Draw(r, "for ever") {
			n.TTLPolicy = graph.Some("keep_forever")
		}
		if n.Kind == "concept" {
			n.IsGoal = graph.Some(rapid.Bool().Draw(r, "goal"))
		}
		nodes, keys = append(nodes, n), append(keys, key)
		if rapid.Bool().Draw(r, "related") {
			links = append(links, graph.RelationshipWrite{From: "me", Type: "thinks_about", To: key, Salience: graph.Some(rapid.Float64Range(0.1, 1).Draw(r, "strength"))})
		}
	}
	e.Write("u1", nodes, links...)
	for i := range rapid.IntRange(1, 6).Draw(r, "sources") {
		w := graph.SourceWrite{EntityKey: fmt.Sprintf("s-%d", i), StartedAt: graph.Some(graphtest.Noon.Add(-time.Duration(rapid.IntRange(1, 240).Draw(r, "hours")) * time.Hour))}
		for range rapid.IntRange(0, 3).Draw(r, "messages") {
			w.Messages = append(w.Messages, graph.MessageWrite{Role: "user", Text: rapid.SampledFrom(utterances).Draw(r, "said"), At: w.StartedAt})
		}
		for _, key := range keys {
			if rapid.Bool().Draw(r, "mentioned") {
				w.Mentions = append(w.Mentions, key)
			}
		}
		e.Source("u1", w)
		sources = append(sources, w.EntityKey)
	}
	return sources, keys
}

// receipt returns the account of a context.
func receipt(r *rapid.T, l *loader.Loader, request loader.Request) *loader.Receipt {
	request.Explain = true
	answer, err := l.Context(context.Background(), request, nil)
	var out struct{ Receipt *loader.Receipt }
	if err := errors.Join(err, json.Unmarshal(answer.Body(), &out)); err != nil {
		r.Fatal(err)
	}
	return out.Receipt
}

// parts are the parts of a text that show something, by what they show, without those that source holds.
func parts(out *loader.Receipt, source string) (others, held map[string]string) {
	others, held = map[string]string{}, map[string]string{}
	for i, s := range out.Spans {
		if s.Part == loader.HeadingPart || s.Part == loader.NoticePart {
			continue
		}
		to, name := others, fmt.Sprint(s.Part, " ", s.Section, " ", s.Key)
		if s.Part == loader.NowPart {
			name = "now"
		}
		for _, p := range out.Spans[i].Provenance {
			if p.Holds && p.Source == source {
				to = held
			}
		}
		to[name] = strings.TrimSpace(out.Text[s.From:s.To])
		if s.Part == loader.NowPart { // "2 hours ago" may be said of another conversation too
			to[name] += " " + s.Key
		}
	}
	return others, held
}

// Without a source, those parts of a context are different that its receipt says the source holds, and no others.
func TestReceiptForetellsADeletion(t *testing.T) {
	t.Parallel()
	e := graphtest.AloneWith(t, graph.Options{Said: statement.Listener()})
	rapid.Check(t, func(r *rapid.T) {
		e.Team, e.Now = testenv.Team(t), graphtest.Noon
		sources, _ := randomMemory(r, e)
		source := rapid.SampledFrom(sources).Draw(r, "source")
		l := loader.New(loader.NewStore(e.Store), nil, loader.Options{Now: func() time.Time { return e.Now }})
		read := func() *loader.Receipt {
			return receipt(r, l, loader.Request{Scope: e.As("u1")})
		}
		before := read()
		others, held := parts(before, source)
		e.Remove("u1", "source", source)
		after, _ := parts(read(), "")
		for name, text := range held {
			if after[name] == text {
				r.Errorf("without %s the context still has %q", source, text)
			}
			delete(after, name)
		}
		if diff := cmp.Diff(others, after); diff != "" {
			r.Errorf("other parts without %s (-before +after):\n%s\nbefore:\n%s", source, diff, before.Text)
		}
	})
}

// A context shows a node if, and only if, all conditions of one of its sections hold.
func TestWhyAgreesWithTheContext(t *testing.T) {
	t.Parallel()
	e := graphtest.AloneWith(t, graph.Options{Said: statement.Listener()})
	rapid.Check(t, func(r *rapid.T) {
		e.Team, e.Now = testenv.Team(t), graphtest.Noon
		sources, keys := randomMemory(r, e)
		l := loader.New(loader.NewStore(e.Store), nil, loader.Options{Now: func() time.Time { return e.Now }})
		budget := rapid.SampledFrom([]int{0, 150, 400}).Draw(r, "budget")
		text := receipt(r, l, loader.Request{Scope: e.As("u1"), MaxTokens: budget})
		for _, key := range append(sources, keys...) {
			why, err := l.Why(t.Context(), loader.WhyRequest{Scope: e.As("u1"), Key: key, MaxTokens: budget})
			if err != nil {
				r.Fatal(err)
			}
			holds := slices.ContainsFunc(why.Sections, func(s loader.WhySection) bool { return s.Shown })
			if shown := slices.ContainsFunc(text.Spans, func(s loader.Span) bool { return s.Key == key && s.Kind != "note" && s.Part != loader.NowPart }); shown != holds {
				r.Errorf("%s is shown: %v, but the conditions are %+v\n%s", key, shown, why.Sections, text.Text)
			}
		}
	})
}
