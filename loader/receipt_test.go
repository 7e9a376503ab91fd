package loader

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"kith/text/tokens"
)

func receipt(t rapid.TB, found Sections, maxTokens int) *Receipt {
	t.Helper()
	l, _ := newLoader(&fakeStore{found: found}, Options{})
	answer, err := l.Context(context.Background(), Request{Scope: scope, Format: Text, MaxTokens: maxTokens, Explain: true}, nil)
	var out struct{ Receipt *Receipt }
	if err := errors.Join(err, json.Unmarshal(answer.Body(), &out)); err != nil {
		t.Fatal(err)
	}
	return out.Receipt
}

// randomSections returns sections with random texts and lengths.
func randomSections(t *rapid.T) Sections {
	found := full()
	word := rapid.StringMatching(`[a-z🛶ÄЖ漢 \n#*./-]{0,40}`)
	found.Owner.Description = word.Draw(t, "owner")
	for i := range found.Relationships {
		found.Relationships[i].Description = word.Draw(t, "description")
	}
	for i := range found.Sources {
		found.Sources[i].Summary = word.Draw(t, "summary")
	}
	found.Relationships = found.Relationships[:rapid.IntRange(0, len(found.Relationships)).Draw(t, "relationships")]
	found.Sources = found.Sources[:rapid.IntRange(0, len(found.Sources)).Draw(t, "sources")]
	return found
}

// The spans are the text, and their tokens are those of the text.
func TestReceiptCoversTheText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		found := randomSections(t)
		r := receipt(t, found, rapid.SampledFrom([]int{0, 200, 400, 800, 5000}).Draw(t, "budget"))
		at, sum := 0, 0
		for _, s := range r.Spans {
			if s.From != at || s.To <= s.From {
				t.Fatalf("a span from %d to %d after %d", s.From, s.To, at)
			}
			at, sum = s.To, sum+s.Tokens
			text := r.Text[s.From:s.To]
			if isItem := strings.HasPrefix(text, "- "); isItem != (s.Part == LinePart) || isItem != (s.Rule != "" && s.Rank > 0) {
				t.Fatalf("%q is a %s with the rule %q", text, s.Part, s.Rule)
			}
		}
		n, err := tokens.Count(r.Text)
		if err != nil || at != len(r.Text) || sum != n || r.Tokens != n {
			t.Fatalf("%d of %d bytes, %d and %d of %d tokens (%v)", at, len(r.Text), sum, r.Tokens, n, err)
		}
	})
}

// A line that was left out is in the text from its budget on, and not below.
func TestLeftOutLinesComeBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		found := randomSections(t)
		left := receipt(t, found, rapid.IntRange(tokens.Least, 600).Draw(t, "budget")).LeftOut
		if len(left) == 0 {
			t.Skip("all of it fits")
		}
		line := rapid.SampledFrom(left).Draw(t, "line")
		for _, r := range receipt(t, found, line.BackAt).LeftOut {
			if r.Section == line.Section && r.Rank == line.Rank {
				t.Fatalf("%s %d does not come back at %d", line.Section, line.Rank, line.BackAt)
			}
		}
		if line.BackAt == tokens.Least {
			return
		}
		for _, r := range receipt(t, found, line.BackAt-1).LeftOut {
			if r.Section == line.Section && r.Rank == line.Rank {
				return
			}
		}
		t.Fatalf("%s %d is in the text below %d", line.Section, line.Rank, line.BackAt)
	})
}

func TestReceiptIsOfTheText(t *testing.T) {
	t.Parallel()
	for _, budget := range []int{0, 150, 400, 1000} {
		if text, r := contextText(t, full(), budget), receipt(t, full(), budget); r.Text != text {
			t.Errorf("within %d tokens the receipt is of\n%s\nand the text is\n%s", budget, r.Text, text)
		}
	}
}
