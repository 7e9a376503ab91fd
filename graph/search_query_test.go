package graph_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"kith/graph"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{" \t\n\x00 ?! ", nil},
		{"What does Ada play?", []string{"what", "does", "ada", "play"}},
		{"ada ADA Ada", []string{"ada"}},
		{`"quoted" AND name:* OR NOT foo AND (`, []string{"quoted", "and", "name", "or", "not", "foo"}},
		{`\ \\ + - && || ! ( ) { } [ ] ^ " ~ * ? / <= =`, nil},
		{`a\b c/d e^2 f~1 g-h`, []string{"a", "b", "c", "d", "e", "2", "f", "1", "g", "h"}},
		{"'tis O'Brien’s dogs'", []string{"tis", "o'brien", "dogs"}},
		{"node.js, v1.2.3. p.m. 3,000 a.1 1.", []string{"node.js", "v1.2.3", "p.m", "3,000", "a", "1"}},
		{"snake_case a:b c: 12:30", []string{"snake_case", "a:b", "c", "12", "30"}},
		{"日本語です", []string{"日", "本", "語", "で", "す"}},
		{"カタカナ漢字abc", []string{"カタカナ", "漢", "字", "abc"}},
		{"か\u3099", []string{"か\u3099"}},
		{"สวัสดี มาก", []string{"สวัสดี", "มาก"}},
		{"می\u200cخواهم", []string{"می\u200cخواهم"}},
		{"Ä e\u0301 ÉCOLE", []string{"ä", "e\u0301", "école"}},
		{"party🎉🎉 👍🏽ok", []string{"party", "🎉", "👍🏽", "ok"}},
		{"👨‍👩‍👧 🇩🇪🇫🇷", []string{"👨‍👩‍👧", "🇩🇪", "🇫🇷"}},
		{"\xff\xfeok\xff", []string{"ok"}},
		{`צה"ל ג'ז רח' 5 "שלום" ש"5`, []string{`צה"ל`, "ג'ז", "רח'", "5", "שלום", "ש"}},
	} {
		if diff := cmp.Diff(c.want, graph.Words(c.text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
	}
}

func TestNameKey(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"":                        "",
		"?!":                      "",
		"(draft)":                 "",
		"Ada  Lovelace":           "ada lovelace",
		"Orn (lighthouse)":        "orn",
		"Orn (a) (b)":             "orn a",
		"Ada's Engine":            "ada engine",
		"the ’90s":                "the 90s",
		"O’Brien":                 "o'brien",
		"ÉCOLE, normale-sup.":     "école normale sup",
		"日本":                      "日本",
		"say \"AND\" (or NOT) * ": "say and or not",
	} {
		if got := graph.NameKey(name); got != want {
			t.Errorf("%q: %q, not %q", name, got, want)
		}
	}
}

var gershayim = regexp.MustCompile(`(\p{Hebrew}\p{M}*\p{Cf}*)"`)

// A query contains a limited number of words of limited length, and nothing that Lucene reads as syntax.
func FuzzWords(f *testing.F) {
	for _, text := range hostileTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words := graph.Words(text)
		if len(words) > graph.MaxWordsForTest {
			t.Errorf("%d words", len(words))
		}
		for i, w := range words {
			if w == "" || !utf8.ValidString(w) || utf8.RuneCountInString(w) > graph.MaxWordLength || slices.Contains(words[:i], w) {
				t.Errorf("%q", w)
			}
			if strings.ContainsAny(gershayim.ReplaceAllString(w, "$1"), "\x00 \t\r\n\u3000"+`\+-!(){}[]^"~*?/&|<>=`) || w != strings.ToLower(w) {
				t.Errorf("%q has signs", w)
			}
		}
		if again := graph.Words(strings.Join(words, " ")); !slices.Equal(words, again) && !strings.Contains(strings.Join(words, " "), "'s") { // one 's of a's's is removed
			t.Errorf("the words of %q are %q, and theirs %q", text, words, again)
		}
		key := graph.NameKey(text)
		if again := graph.NameKey(graph.NameText(text)); key != again || strings.IndexFunc(key, unicode.IsControl) >= 0 {
			t.Errorf("the name of %q is %q, and its own %q", text, key, again)
		}
	})
}

// hostileTexts are texts that Lucene could read as more than words.
var hostileTexts = []string{
	"", " ", "\x01\x02\x7f\u0085\u2028\ufeff", `\`, `\\`, `"`, `""`, `"a`, "'", "''", "`", "(", ")", "()", "foo AND (", "AND", "NOT", "OR", "a OR", "TO", "to",
	"name:*", "*", "*:*", "?", "a*", "*a", "a~", "a~99", "a^", "a^99", "[a TO b]", "{a TO b}", "[", "a [", ">5", "<=5", "+", "-", "+a -b", "&&",
	"||", "!", "/", "/a/", "/[/",
	"search_scope:k0", "_exists_:a", "the", "the and of", "it is to be", "x AND NOT y", `a\`, `a\:b`, "a:b:c", "a::b", ":", ":a", "a:", "1:2", "a.b",
	"a..b", ".", "1,2;3", "_", "__init__", "a_b_", "🎉", "👍🏽", "👨‍👩‍👧", "🇩🇪", "1️⃣",
	"日本語", "สวัสดีครับ", "مرحبا بالعالم", "می\u200cخواهم", "שלום\u200f", "नमस्ते", "é", "e\u0301\u0301", "\u0301", "İI", "ǅ", "ß", "ﬁ", "𐌰𐌱", "Ａ：Ｂ",
	"ＡＮＤ", "'s", "a's", "’", "\xff\xfe", "\U000e0001",
	"${jndi:ldap://x}", "'; DROP", "MATCH (n) DETACH DELETE n", "<script>", "%00", "a\u3000b", "a\u00a0b", "a\u200bb", "a\u00adb", "©", "™x", "½", "x²",
	strings.Repeat("(", 10_000), strings.Repeat(`\`, 10_000), strings.Repeat("a ", 5_000), strings.Repeat("a.", 5_000),
	strings.Repeat("a:b_", 4_000), strings.Repeat("x", 16_384), strings.Repeat("🎉", 16_384),
	strings.Repeat("日", 16_384), strings.Repeat("ก", 16_384), strings.Repeat("م", 16_384), strings.Repeat("\u0301", 16_384),
	strings.Repeat("a\u0301", 8_000), strings.Repeat("\x01", 16_384), strings.Repeat("\u200d", 16_384), strings.Repeat("🇩", 16_384),
	runes(0x4e00, 16_384), runes(0x0e01, 16_384), runes(0x0621, 16_384), runes(0x1f300, 16_384), runes(0x0300, 16_384), runes(1, 16_384),
	runes(0x10000, 16_384), spaced(0x4e00), spaced(0x61), spaced(0x1f300),
}

// runes returns count characters, beginning with from.
func runes(from rune, count int) string {
	var b strings.Builder
	for i := range rune(count) {
		b.WriteRune(from + i%0x1000)
	}
	return b.String()
}

// spaced returns many words of some letters.
func spaced(from rune) string {
	var b strings.Builder
	for i := range rune(4_000) {
		b.WriteRune(from + i%20)
		b.WriteRune(from + i/20%20)
		b.WriteRune(from + i/400)
		b.WriteString("zzzzzzz ")
	}
	return b.String()
}

// askAll searches all indexes, in both modes.
func askAll(text string) graph.Search {
	words := graph.Words(text)
	return graph.Search{
		Asks:     []graph.Ask{{Words: words, Names: words}, {Words: words, Match: true}},
		Messages: true, Sources: true, Nodes: graph.Kinds, Relationships: true, Neighbours: true, Links: true,
	}
}

func (e *env) search(user string, q graph.Search) graph.Found {
	e.Helper()
	found, err := e.Store.Search(e.Context(), e.As(user), q)
	if err != nil {
		e.Fatalf("%.200s: %v", fmt.Sprint(q.Asks), err)
	}
	return found
}

// Every query is treated as words: it never breaks a search, and finds nothing if it has no words.
func TestSearchHostileTexts(t *testing.T) {
	e := fresh(t)
	e.Source("u", graph.SourceWrite{EntityKey: "s", Summary: graph.Some("plain"), Messages: []graph.MessageWrite{said("m", "plain")}})
	e.Write("u", []graph.NodeWrite{node("concept", "c", 0.5), node("task", "t", 0.5)}, link("c", "relates_to", "t", 0.5))
	for _, text := range hostileTexts {
		found := e.search("u", askAll(text))
		e.Same("found by "+text[:min(len(text), 40)], 0, len(found.Messages)+len(found.Sources))
		if graph.Words(text) == nil {
			e.Same("found by nothing", 0, len(found.Nodes)+len(found.Relationships))
		}
	}
}

// A word may have both kinds of apostrophe.
func TestSearchFindsMixedApostrophes(t *testing.T) {
	e := fresh(t)
	stored := e.Source("u", graph.SourceWrite{Messages: []graph.MessageWrite{said("", "rock’n'roll at the quay")}})
	for _, text := range []string{"rock’n'roll", "rock'n’roll", "rock'n'roll"} {
		found := e.search("u", graph.Search{Asks: askAll(text).Asks, Messages: true})
		if len(found.Messages) == 0 || found.Messages[0].Key != stored.Messages[0].EntityKey {
			t.Errorf("%s: %v", text, found.Messages)
		}
	}
}

// A text is found by itself: the words of a query are the words of the index.
func TestSearchFindsTextsByThemselves(t *testing.T) {
	pieces := rapid.SampledFrom([]string{
		"ada", "Node", "x", "7", "42", "é", "ö", "日", "本", "か", "カナ", "한국", "สวัสดี", "مرحبا", "नम", "שלום", "🎉", "👍🏽", "👨‍👩‍👧", "🇩🇪", "❤️",
		" ", " ", ".", ",", ":", ";", "_", "'", "’", "-", "/", "\u200c", "\u00ad", "\u0301", "\n", "(", `"`, `צה"ל`, "׳", "״", "+", "#", "@", "\u3000",
	})
	twice(t, func(r *rapid.T, e *env) {
		list := rapid.SliceOfN(rapid.Map(rapid.SliceOfN(pieces, 1, 8), func(p []string) string { return "kith " + strings.Join(p, "") }), 4, 4).Draw(r, "texts")
		var messages []graph.MessageWrite
		for _, text := range list {
			messages = append(messages, said("", text))
		}
		result := e.Source("u", graph.SourceWrite{Messages: messages})
		for i, text := range list {
			for n, m := range askAll(text).Asks {
				found := e.search("u", graph.Search{Asks: []graph.Ask{m}, Messages: true})
				if !slices.ContainsFunc(found.Messages, func(f graph.FoundMessage) bool { return f.Key == result.Messages[i].EntityKey }) {
					r.Errorf("%q is not found by itself (%d): %q", text, n, m.Words)
				}
			}
		}
	})
}
