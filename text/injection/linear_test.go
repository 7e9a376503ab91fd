package injection

import (
	"context"
	"encoding/base64"
	"strings"
	"testing"

	"kith/tests/hostile/shapes"
	"kith/text/steps"
)

// signs has what the readers of this package treat in a way of its own.
var signs = []string{ //nolint:gochecknoglobals // a constant table
	"a", "a-", "b ", "a.b", "i_g_", "A1", "é", "ß", "1", "ignore ", "ignore all ", "previous instructions", "the user ", "send ", "told me to ", "system", "System: ", "User: ", "assistant:", "memory update:",
	"-", "*", "#", "# ", "## Goals", "> ", "|", "_", "_Warning:", "=", "==", "--", "“", "”", "” (2026-01-01)", "\"", "`", "'", "(", ")", "「", "」", "：", "。", "，", ".", "!", "?", "…", ",", ";", ":",
	"<", ">", "</", "<a", "<b ", "<b hidden>", "</b>", "<b style='display:none'>", "<img alt=", "<img src=//a/?b={c}>", "<!--", "-->", "--", "<|", "|>", "<system", "<tool_call", "<user>", "[", "]", "[inst]", "[/", "!", "![", "](", "](http://a?b={c})", ")", "{", "//", "?",
	"\u202e", "\u202d", "\u202c", "\u200b", "\u200d", "\ufeff", "\u00ad", "\ufe0f", "\U000e0041", "\U0001f3f4", "\u0301", "\u2028", "\xff", "\xf0", "\x00",
	" ", "\t", "\r", "\n", "\r\n", "YWJj", "YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXo", "=", "+", "/", "记住", "用户", "忽略", "を", "ー", "ユーザー", "и", "ｉ", "𝐢", "🅰",
}

// endings has what ends a word of single letters otherwise than it began, and what closes all that a sign may open.
var endings = []string{"", "yz-->></b>\u202c)”\"|>\n"} //nolint:gochecknoglobals // a constant table

// stepsOf returns the steps that the marks of a text take.
func stepsOf(text string) int {
	c := steps.Begin(context.Background())
	marks(c, text, false)
	return c.Taken()
}

const enough = 32 << 10 // bytes: more than all that has a bound takes

func TestMarksTakeStepsInProportionToTheText(t *testing.T) { //nolint:paralleltest // it measures the memory of the process
	for s := range shapes.All(signs, endings, 1, 60) {
		if fault := s.Fault(enough, stepsOf); fault != "" {
			t.Error(fault)
		}
	}
}

// A text in base64 may be one in base64 again.
func TestMarksOfNestedBase64TakeStepsInProportion(t *testing.T) {
	t.Parallel()
	nested := func(n int) string {
		text := strings.Repeat("ab", n/2)
		for range 8 {
			text = base64.RawStdEncoding.EncodeToString([]byte(text))
		}
		return text
	}
	if once, twice := stepsOf(nested(1<<11)), stepsOf(nested(1<<12)); 2*twice > 5*once {
		t.Errorf("%d steps, and %d for twice the text", once, twice)
	}
}

func FuzzMarksTakeStepsInProportionToTheText(f *testing.F) {
	for s := range shapes.All(signs, endings, 2, 50) {
		f.Add(s.Begin, s.Piece, s.End)
	}
	f.Fuzz(func(t *testing.T, begin, piece, end string) {
		if piece == "" || len(begin)+len(piece)+len(end) > 1<<10 {
			t.Skip()
		}
		if fault := (shapes.Shape{Begin: begin, Piece: piece, End: end}).Fault(enough, stepsOf); fault != "" {
			t.Error(fault)
		}
	})
}
