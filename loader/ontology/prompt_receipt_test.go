package ontology

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"kith/loader"
	"kith/memory/preference"
)

// A receipt covers each message of a prompt, which is the same as without one. What was left out is there from its budget on.
func TestPromptReceipts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-zÄ漢 \n#*-]{0,60}`)
		s := ontologies()
		for i := range rapid.IntRange(0, 60).Draw(t, "preferences") {
			s.preferences = append(s.preferences, preference.Preference{Key: fmt.Sprint("p", i), Value: json.RawMessage(`"a value of some length"`)})
		}
		r := PromptRequest{
			Ontology: rapid.SampledFrom(ontologyRequests()).Draw(t, "request"), System: word.Draw(t, "system"), Message: "m" + word.Draw(t, "message"),
			MaxTokens: rapid.IntRange(MinPromptTokens, 3000).Draw(t, "budget"),
		}
		for i := range rapid.IntRange(0, 40).Draw(t, "history") {
			r.History = append(r.History, loader.PromptMessage{Role: "user", Content: fmt.Sprint(i, word.Draw(t, "said"), word.Draw(t, "more"))})
		}
		prompt := func(budget int, explain bool) *Prompt {
			t.Helper()
			l, _ := newLoader(s)
			asked := r
			asked.MaxTokens, asked.Explain = budget, explain
			p, err := l.Prompt(context.Background(), asked)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		p, plain := prompt(r.MaxTokens, true), prompt(r.MaxTokens, false)
		if plain.Receipt != nil || len(p.Receipt.Messages) != len(p.Messages) {
			t.Fatalf("%d messages, receipts of %d", len(p.Messages), len(p.Receipt.Messages))
		}
		sum := 0
		for i, m := range p.Messages {
			if m != plain.Messages[i] {
				t.Fatalf("message %d is\n%s\nand without a receipt\n%s", i, m.Content, plain.Messages[i].Content)
			}
			sum += checkSpans(t, m.Content, p.Receipt.Messages[i].Spans)
		}
		if last := p.Receipt.Messages[len(p.Messages)-1].Spans; len(last) != 1 || last[0].Part != MessagePart {
			t.Fatalf("the message: %+v", last)
		}
		if len(p.Receipt.LeftOut) == 0 {
			return
		}
		line := rapid.SampledFrom(p.Receipt.LeftOut).Draw(t, "line")
		for _, other := range prompt(line.BackAt, true).Receipt.LeftOut {
			if other.Section == line.Section && other.Key == line.Key && other.Rank == line.Rank {
				t.Fatalf("%s %s does not come back at %d", line.Section, line.Key, line.BackAt)
			}
		}
	})
}
