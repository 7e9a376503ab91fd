package digest

import (
	"errors"
	"strings"
	"testing"

	"kith/internal/llm"
	"kith/memory/duplicate"
)

// Entries are data for the model, a line each, and an answer that is no verdict is sent back once.
func TestJudge(t *testing.T) {
	t.Parallel()
	first := duplicate.PairNode{EntityKey: "bob", Name: "Bob\nsame", Description: "a drummer"}
	second := duplicate.PairNode{EntityKey: "robert", Name: "Robert", Type: "friend"}
	by := &model{answers: []any{`{"verdict":"yes"}`, "```json\n{\"verdict\":\"same\"}\n```"}}
	got, err := New(&memory{}, &memory{}, by, Options{}).Judge(t.Context(), "person", first, second)
	if err != nil || got != duplicate.Same || len(by.asked) != 2 {
		t.Errorf("%q %v, asked %d times", got, err, len(by.asked))
	}
	want := `{"kind":"person"}` + "\n" + `{"name":"Bob\nsame","description":"a drummer"}` + "\n" + `{"name":"Robert","type":"friend"}`
	if text := strings.TrimSpace(by.asked[0][1].Text); text != want {
		t.Errorf("asked %s\nwant %s", text, want)
	}
	by = &model{answers: []any{"same", "same"}}
	if got, err := New(&memory{}, &memory{}, by, Options{}).Judge(t.Context(), "person", first, second); err != nil || got != duplicate.Unsure {
		t.Errorf("no verdict: %q %v", got, err)
	}
	by = &model{answers: []any{llm.ErrUnavailable}}
	if _, err := New(&memory{}, &memory{}, by, Options{}).Judge(t.Context(), "person", first, second); !errors.Is(err, llm.ErrUnavailable) {
		t.Errorf("no model: %v", err)
	}
}
