package ontology

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"kith/loader"
	"kith/text/tokens"
)

// ontologyRequests ask for each type of context.
func ontologyRequests() []Request {
	return []Request{
		{Scope: scope, ContextType: "global"}, {Scope: scope, ContextType: "project", ProjectID: "proj-1"},
		{Scope: scope, ContextType: "ontology", FocusKind: "task", FocusID: "task-31"},
		{Scope: scope, ContextType: "project", ProjectID: "proj-1", FocusKind: "task", FocusID: "task-31"}, {Scope: scope, ContextType: "calendar"},
	}
}

func ontologyReceipt(t rapid.TB, r Request, budget int) *loader.Receipt {
	t.Helper()
	l, _ := newLoader(ontologies())
	r.Format, r.MaxTokens, r.Explain = loader.Text, budget, true
	answer, err := l.Ontology(context.Background(), r)
	var out struct{ Receipt *loader.Receipt }
	if err := errors.Join(err, json.Unmarshal(answer.Body(), &out)); err != nil {
		t.Fatal(err)
	}
	return out.Receipt
}

// checkSpans checks that spans cover a text, and that each item says what it shows and why.
func checkSpans(t rapid.TB, text string, spans []loader.Span) (sum int) {
	t.Helper()
	at := 0
	for _, s := range spans {
		if s.From != at || s.To <= s.From {
			t.Fatalf("a span from %d to %d after %d", s.From, s.To, at)
		}
		at, sum = s.To, sum+s.Tokens
		if (s.Part == loader.LinePart) != (s.Rule != "") {
			t.Fatalf("%q is a %s with the rule %q", text[s.From:s.To], s.Part, s.Rule)
		}
		if s.Part == loader.LinePart && s.Key != "" && s.Section != linkedPart && s.Related == "" && s.Kind != "project" && s.Key != "task-31" && !strings.Contains(text[s.From:s.To], s.Key) {
			t.Fatalf("%q is said to show %s", text[s.From:s.To], s.Key)
		}
	}
	if n, err := tokens.Count(text); err != nil || at != len(text) || sum != n {
		t.Fatalf("%d of %d bytes, %d of %d tokens (%v)", at, len(text), sum, n, err)
	}
	return sum
}

// The receipt is of the text without one, and covers it.
func TestOntologyReceipts(t *testing.T) {
	t.Parallel()
	for _, r := range ontologyRequests() {
		for _, budget := range []int{0, 150, 300, 600, 1200, 5000} {
			receipt := ontologyReceipt(t, r, budget)
			l, _ := newLoader(ontologies())
			plain := r
			plain.Format, plain.MaxTokens = loader.Text, budget
			answer, err := l.Ontology(t.Context(), plain)
			if err != nil {
				t.Fatal(err)
			}
			if text := string(answer.Body()); text != receipt.Text {
				t.Fatalf("%s within %d tokens: the receipt is of\n%s\nand the text is\n%s", r.ContextType, budget, receipt.Text, text)
			}
			if sum := checkSpans(t, receipt.Text, receipt.Spans); sum != receipt.Tokens {
				t.Errorf("%d tokens of %d", sum, receipt.Tokens)
			}
		}
	}
}

// What was left out of a workspace is in the text from its budget on, and not below.
func TestOntologyLinesComeBack(t *testing.T) {
	t.Parallel()
	has := func(all []loader.LeftOut, line *loader.LeftOut) bool {
		for i := range all {
			if all[i].Section == line.Section && all[i].Key == line.Key && all[i].Rank == line.Rank {
				return true
			}
		}
		return false
	}
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.SampledFrom(ontologyRequests()).Draw(t, "request")
		left := ontologyReceipt(t, r, rapid.IntRange(tokens.Least, 1500).Draw(t, "budget")).LeftOut
		if len(left) == 0 {
			t.Skip("all of it fits")
		}
		line := rapid.SampledFrom(left).Draw(t, "line")
		if line.Text == "" || line.Tokens == 0 || line.Rule == "" {
			t.Fatalf("%+v", line)
		}
		if has(ontologyReceipt(t, r, line.BackAt).LeftOut, &line) {
			t.Fatalf("%s %s does not come back at %d", line.Section, line.Key, line.BackAt)
		}
		if line.BackAt > tokens.Least && !has(ontologyReceipt(t, r, line.BackAt-1).LeftOut, &line) {
			t.Fatalf("%s %s is in the text below %d", line.Section, line.Key, line.BackAt)
		}
	})
}
