package terminal

import (
	"strings"
	"testing"
)

// A terminal gets emphasis, and no control characters of stored texts.
func TestMarkdownOnATerminal(t *testing.T) {
	t.Parallel()
	text := "# About \x1b[2JAda\n- **Grace**: her friend\n_Left out: 3._"
	if got := (Paint{}).Markdown(text); got != strings.ReplaceAll(text, "\x1b", "·") {
		t.Errorf("without a terminal: %q", got)
	}
	want := "\x1b[1mAbout ·[2JAda\x1b[0m\n- \x1b[1mGrace\x1b[0m: her friend\n\x1b[2mLeft out: 3.\x1b[0m"
	if got := (Paint{on: true}).Markdown(text); got != want {
		t.Errorf("%q", got)
	}
}
