package words

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"kith/tests/hostile"

	"github.com/google/go-cmp/cmp"
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
		if diff := cmp.Diff(c.want, Of(c.text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
	}
}

var gershayim = regexp.MustCompile(`(\p{Hebrew}\p{M}*\p{Cf}*)"`)

// A query contains a limited number of words of limited length, and nothing that Lucene reads as syntax.
func FuzzWords(f *testing.F) {
	for _, text := range hostile.Queries {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list := Of(text)
		if len(list) > MaxWords {
			t.Errorf("%d words", len(list))
		}
		for i, w := range list {
			if w == "" || !utf8.ValidString(w) || utf8.RuneCountInString(w) > maxLength || slices.Contains(list[:i], w) {
				t.Errorf("%q", w)
			}
			if strings.ContainsAny(gershayim.ReplaceAllString(w, "$1"), "\x00 \t\r\n\u3000"+`\+-!(){}[]^"~*?/&|<>=`) || w != strings.ToLower(w) {
				t.Errorf("%q has signs", w)
			}
		}
		if again := Of(strings.Join(list, " ")); !slices.Equal(list, again) && !strings.Contains(strings.Join(list, " "), "'s") { // one 's of a's's is removed
			t.Errorf("the words of %q are %q, and theirs %q", text, list, again)
		}
		name := NameText(text)
		if again := NameText(name); name != again || strings.IndexFunc(name, unicode.IsControl) >= 0 {
			t.Errorf("the name of %q is %q, and its own %q", text, name, again)
		}
	})
}

func TestStem(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"caresses": "caress", "ponies": "poni", "ties": "ti", "cats": "cat", "feed": "feed", "agreed": "agr" + "e", "plastered": "plaster", "motoring": "motor",
		"sing": "sing", "conflated": "conflat", "hopping": "hop", "falling": "fall", "filing": "file", "happy": "happi", "sky": "sky",
		"relational": "relat", "rational": "ration", "vietnamization": "vietnam", "radically": "radic", "archaeology": "archaeolog",
		"adoption": "adopt", "probate": "probat",
		"rate": "rate", "controlling": "control", "roll": "roll", "generalizations": "gener", "is": "is", "as": "as", "ies": "i", "s": "s",
		"o'brien": "o'brien", "node.js": "node.j", "straße": "straße", "日": "日",
	} {
		if got := Stem(word); got != want {
			t.Errorf("%s: %s, want %s", word, got, want)
		}
	}
}
