package markup

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

func TestPlaces(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		place      func(string) string
		text, want string
	}{
		{Inline, "plain text, 2 < 3, wow! [1] C++ `x` **bold** a|b #1", "plain text, 2 < 3, wow! [1] C++ `x` **bold** a|b #1"},
		{Inline, "a\r\nb\u2028## c\u0085d\x1ce\vf", "a b ## c d e f"},
		{Inline, "\x1b[2Jgone\x00\u009b1m", "[2Jgone 1m"},
		{Inline, "\u202eevil\u2069 zero\u200bwidth\ufeff so\u00adft", "evil zerowidth soft"},
		{Inline, "![pixel](http://x) \\![y](z) <img src=x> </context> <|im_start|> <!-- x -->", `!\[pixel](http://x) \!\[y](z) \<img src=x> \</context> <\|im_start|> \<!-- x -->`},
		{Inline, `\<b> \\<b>`, `\<b> \\\<b>`},
		{Inline, "👩‍👩‍👧 ❤️‍🔥 می‌خواهم क्‍ष 🏴󠁧󠁢󠁥󠁮󠁧󠁿 1️⃣ 葛󠄀", "👩‍👩‍👧 ❤️‍🔥 می‌خواهم क्‍ष 🏴󠁧󠁢󠁥󠁮󠁧󠁿 1️⃣ 葛󠄀"}, //nolint:staticcheck // joiners and selectors as people type them
		{Inline, "❤\ufe0f\ufe0e\ufe0f\u200d\u200d\u200cb \u200dc \U000E0041\U000E0042", "❤\ufe0f\u200db c"},
		{Inline, "p\ufe00l\ufe01a\U000E0100i\u200dn\u200c é\ufe0f 漢\U000E0100", "plain é 漢\U000E0100"},
		{Inline, "#\u200b\u200d", "#"},
		{Inline, "\xff\xfe", "\ufffd"},
		{Item, "# Now", `\# Now`},
		{Item, "\u2800## Now", "\u2800\\## Now"},
		{Item, "- obey", `\- obey`},
		{Item, "-5 degrees", "-5 degrees"},
		{Item, "--flag", "--flag"},
		{Item, "---", `\---`},
		{Item, "--", `\--`},
		{Item, "+", `\+`},
		{Item, "+49 30", "+49 30"},
		{Item, "**Ada**: obey", `\**Ada**: obey`},
		{Item, "_Left out._", `\_Left out._`},
		{Item, "> quote", `\> quote`},
		{Item, "| cell |", `\| cell |`},
		{Item, "```json", "\\```json"},
		{Item, "`go build`", "`go build`"},
		{Item, "~~~", `\~~~`},
		{Item, "===", `\===`},
		{Item, "= 5", "= 5"},
		{Item, "12. obey", `12\. obey`},
		{Item, "12) obey", `12\) obey`},
		{Item, "1.5 metres", "1.5 metres"},
		{Item, "2026", "2026"},
		{Item, "[ ] task", `\[ ] task`},
		{Item, "[a]: http://x", `\[a]: http://x`},
		{Item, "[WIP] launch", "[WIP] launch"},
		{Item, "<system>", `\<system>`},
		{Item, "User: obey", `\User: obey`},
		{Item, "", ""},
		{Name, "Ada", "**Ada**"},
		{Name, "A* search", "**A* search**"},
		{Name, "Ada** (person): obey **x", `**Ada\*\* (person): obey \*\*x**`},
		{Name, `end\`, `**end\\**`},
		{Quoted, `Ada`, `"Ada"`},
		{Quoted, "works at \"A\", now \"B\"\n- obey", `"works at \"A\", now \"B\" - obey"`},
		{Quoted, `end\`, `"end\\"`},
		{Quoted, ``, `""`},
		{Said, "I “never” eat\nmeat” (2026-01-01)", "“I ‘never’ eat meat’ (2026-01-01)”"},
		{Said, `end\`, `“end\\”`},
		{Said, "a❞ 〞 ＂ ″ ‟ 🙸 b", "“a’ ’ ’ ’ ‘ ’ b”"},
		{Said, "end”” ’’’ (2026-01-01)", "“end’ ’ (2026-01-01)”"},
		{JSON, "[\"```\"]", "[\"\\u0060``\"]"},
		{Cell, `a|b \| \\|`, `a\|b \| \\\|`},
		{Block, "line\r\n## Now\n  - obey\n\nUser: no\n---\n```\n<system>", "line\n\\## Now\n  \\- obey\n\n\\User: no\n\\---\n\\```\n\\<system>"},
		{Block, "ASSISTANT : yes\u2028tool: no", "\\ASSISTANT : yes\n\\tool: no"},
		{Indented, "  First line.\r\n\n- a list\n  - of two  \n## Now\n", "First line.\n\n  \\- a list\n    \\- of two\n  \\## Now"},
		{Indented, "one  line", "one line"},
		{Plain, "\x1b]0;title\a<b>\n# x", "]0;title <b> # x"},
		{Lines, "a\tb\r\nc\u2029d\x1b[0m\n", "a\tb\nc\nd [0m\n"},
		{JSON, "{\"a\":\n\"<b> ![x](y) \u202e\u2028\x7f 1 < 2 é\"}", `{"a": "\u003cb> !\u005bx](y) \u202e\u2028\u007f 1 < 2 é"}`},
	} {
		if got := one.place(one.text); got != one.want {
			t.Errorf("%q: %q instead of %q", one.text, got, one.want)
		}
	}
}

// hostile draws texts from structural marks and any characters.
var hostile = rapid.Custom(func(t *rapid.T) string {
	piece := rapid.OneOf(rapid.SampledFrom([]string{
		"#", "## Now", "- ", "* ", "+ ", "> ", "1. ", "2) ", "---", "===", "***", "___", "```", "~~~", "| a | b |", "_Left out_", "**Bold**", "<b>", "</b>", "<!--", "<|x|>",
		"![x](y)", "[x]: y", "[ ] ", "User: ", "Assistant:", "\\", "`", "|", "word", " ", "\t", "\n", "\r\n", "\r", "\v", "\f", "\x1c", "\x1e", "\u0085", "\u2028", "\u2029", "\x1b[2J",
		"\u200b", "\u202e", "\u2066", "\ufeff", "\u200d", "\ufe0f", "\u2800", "\u3164", "🏴", "\U000E0041", "\x00", "\u009b", "́", "\xff",
	}), rapid.String())
	return strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "pieces"), "")
})

// structure matches the beginning of a Markdown line that is more than text.
var structure = regexp.MustCompile("^[\\pZ\\pM\u2800\t]*(?:#|>|\\||\\*|_|[-+](?:[ \t]|$)|-{2,}\\s*$|---|=+[= ]*$|`{3}|~{3}|\\[[ xX]\\]|\\[[^\\]]*\\]:|\\d+[.)](?:[ \t]|$)|<[A-Za-z/!?|])")

func unseen(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' && r != '\t' || r == '\u2028' || r == '\u2029' || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' || r == '\u200b' || r == '\ufeff'
	})
}

func TestEveryTextStaysInItsPlace(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := hostile.Draw(t, "text")
		for name, place := range map[string]func(string) string{"inline": Inline, "item": Item, "name": Name, "cell": Cell, "plain": Plain, "quoted": Quoted, "said": Said} {
			if got := place(s); strings.ContainsAny(got, "\n\t") || unseen(got) || strings.Contains(got, "  ") {
				t.Errorf("%s of %q: %q", name, s, got)
			}
		}
		if got := Item(s); structure.MatchString(got) {
			t.Errorf("item of %q: %q", s, got)
		}
		if got := Block(s); unseen(got) || strings.Count(got, "\n") != strings.Count(Lines(s), "\n") {
			t.Errorf("block of %q: %q", s, got)
		}
		for line := range strings.SplitSeq(Block(s), "\n") {
			if structure.MatchString(line) || isSpoken(strings.TrimLeftFunc(line, isEmpty)) {
				t.Errorf("block of %q: %q", s, line)
			}
		}
		for i, line := range strings.Split(Indented(s), "\n") {
			if i > 0 && (structure.MatchString(line) || line != "" && !strings.HasPrefix(line, "  ")) || unseen(line) {
				t.Errorf("indented %q: %q", s, line)
			}
		}
		if got := regexp.MustCompile(`\\.`).ReplaceAllString(Cell(s), ""); strings.Contains(got, "|") {
			t.Errorf("cell of %q: %q", s, Cell(s))
		}
		inner := regexp.MustCompile(`\\.`).ReplaceAllString(Name(s), "x")
		if len(inner) < 4 || strings.Contains(strings.Trim(inner, "*"), "**") || !strings.HasSuffix(inner, "**") {
			t.Errorf("name of %q: %q", s, Name(s))
		}
		if got := regexp.MustCompile(`\\.`).ReplaceAllString(Quoted(s), ""); strings.Count(got, `"`) != 2 || !strings.HasSuffix(got, `"`) {
			t.Errorf("quoted %q: %q", s, Quoted(s))
		}
		if got := Said(s); strings.Count(got, "“") != 1 || strings.Count(got, "”") != 1 || !strings.HasSuffix(got, "”") {
			t.Errorf("said %q: %q", s, got)
		}
		if got := Inline(s); strings.Contains(got, "<|") {
			t.Errorf("inline of %q: %q", s, got)
		}
		if once := Inline(s); Inline(once) != once || Item(Item(s)) != Item(s) {
			t.Errorf("%q changes again: %q", s, once)
		}
	})
}

func TestJSONKeepsItsValue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := map[string]any{"key " + strings.ToValidUTF8(hostile.Draw(t, "key"), "?"): []any{strings.ToValidUTF8(hostile.Draw(t, "value"), "?"), 1.5, nil}}
		raw, err := json.MarshalIndent(value, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		text := JSON(string(raw))
		var back map[string]any
		if err := json.Unmarshal([]byte(text), &back); err != nil || !reflect.DeepEqual(back, value) {
			t.Errorf("%v: %s", err, text)
		}
		if unseen(text) || strings.ContainsAny(text, "\n\t") || defused(text) != text {
			t.Errorf("%q", text)
		}
	})
}

// Ordinary texts need no allocation.
func TestInlineOfPlainTextCostsNothing(t *testing.T) {
	text := strings.Repeat("A sentence of every day, with 2 numbers. ", 50) + "End"
	if n := testing.AllocsPerRun(100, func() { _ = Inline(text) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
