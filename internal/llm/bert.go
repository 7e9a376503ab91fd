package llm

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// bertNormalizer is the BertNormalizer of tokenizer.json files. It changes characters like the tokenizers library,
// whose tables are those of Unicode 8: later marks and punctuation may differ.
type bertNormalizer struct {
	cleanText, chineseChars, stripAccents, lowercase bool
}

func (n *bertNormalizer) normalize(text string) string {
	if n == nil {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + 16)
	ascii := true
	for _, r := range text {
		switch {
		case r < utf8.RuneSelf:
			if n.cleanText {
				if r = cleanASCII(r); r == 0 {
					continue
				}
			}
			if n.lowercase && 'A' <= r && r <= 'Z' {
				r += 'a' - 'A'
			}
			b.WriteByte(byte(r))
			continue
		case n.cleanText && (r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co)):
			continue
		case n.cleanText && unicode.IsSpace(r):
			b.WriteByte(' ')
			continue
		case n.chineseChars && unicode.Is(chinese, r):
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
		ascii = false
	}
	if ascii {
		return b.String()
	}
	return n.foldCase(n.dropMarks(b.String()))
}

// cleanASCII returns the character, a space for white space, or 0 for a control character.
func cleanASCII(r rune) rune {
	switch {
	case r == '\t', r == '\n', r == '\r':
		return ' '
	case r < ' ', r == 0x7f:
		return 0
	default:
		return r
	}
}

func (n *bertNormalizer) dropMarks(text string) string {
	if !n.stripAccents {
		return text
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(text))
}

func (n *bertNormalizer) foldCase(text string) string {
	if !n.lowercase {
		return text
	}
	// Only this letter has a lower case of two characters. All others map one to one, also a final sigma.
	text = strings.ReplaceAll(text, "İ", "i\u0307")
	return strings.Map(unicode.ToLower, text)
}

// chinese has the blocks of CJK ideographs that BERT separates.
var chinese = &unicode.RangeTable{
	R16: []unicode.Range16{{0x3400, 0x4dbf, 1}, {0x4e00, 0x9fff, 1}, {0xf900, 0xfaff, 1}},
	R32: []unicode.Range32{
		{0x20000, 0x2a6df, 1}, {0x2a700, 0x2b73f, 1}, {0x2b740, 0x2b81f, 1}, {0x2b920, 0x2ceaf, 1}, {0x2f800, 0x2fa1f, 1},
	},
}

// eachWord calls each with the words of a normalized text: the parts between white space, and each punctuation mark.
func eachWord(text string, each func(word string)) {
	begin := 0
	for i, r := range text {
		space := unicode.IsSpace(r)
		if !space && !isBERTPunctuation(r) {
			continue
		}
		if begin < i {
			each(text[begin:i])
		}
		begin = i + utf8.RuneLen(r)
		if !space {
			each(text[i:begin])
		}
	}
	if begin < len(text) {
		each(text[begin:])
	}
}

func isBERTPunctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return '!' <= r && r <= '/' || ':' <= r && r <= '@' || '[' <= r && r <= '`' || '{' <= r && r <= '~'
	}
	return unicode.IsPunct(r)
}
