package injection

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word of a text, or a character of a script without blanks between words.
type token struct {
	from, to int // in bytes
	clause   bool
	quoted   bool // within quotation marks
	sentence int32
}

// lexer reads the words of a text, folded: in lower case, without accents and invisible characters, with look-alikes of other
// scripts as Latin letters.
type lexer struct {
	text     string
	at       int
	word     []byte // of the last token
	alt      []byte // the same with digits read as letters; empty if that makes no difference
	clause   bool
	quoted   bool
	sentence int32
	joined   int // no word with a sign between its letters begins before it
	steps    int // since takeSteps
}

// takeSteps returns the bytes that were looked at since it was called before.
func (l *lexer) takeSteps() int {
	n := l.steps
	l.steps = 0
	return n
}

// next reads a word. It returns false at the end of the text.
func (l *lexer) next() (t token, ok bool) {
	for l.at < len(l.text) {
		r, size := utf8.DecodeRuneInString(l.text[l.at:])
		l.steps += size
		switch {
		case isIgnored(r):
			l.at += size
		case isWord(r):
			return l.read(r), true
		default:
			l.separate(r, size)
		}
	}
	return token{}, false
}

// separate reads a character between words: it may end a clause or a sentence, or begin or end a quotation.
func (l *lexer) separate(r rune, size int) {
	rest := l.text[l.at+size:]
	l.at += size
	switch r {
	case '.', '!', '?', '…':
		if rest == "" || !startsWord(rest) {
			l.end()
		}
	case '。', '！', '？', '．', '\u2028', '\u2029':
		l.end()
	case '\n':
		blank := len(rest)
		rest = strings.TrimLeft(rest, " \t\r")
		l.steps += blank - len(rest)
		if rest == "" || strings.ContainsRune("\n-*•#>|", rune(rest[0])) {
			l.end()
		}
	case ',', ';', ':', '(', ')', '[', ']', '-', '–', '—', '*', '_', '#', '>', '<', '/', '|', '、', '，', '：', '；', '（', '）', '·', '•':
		l.clause = true
	case '"', '“', '”', '„', '«', '»', '`', '「', '」', '『', '』', '‘':
		l.quoted, l.clause = !l.quoted, true
	}
}

func (l *lexer) end() { l.sentence, l.clause, l.quoted = l.sentence+1, true, false }

// maxWord is the length of the longest word, in bytes: no form has such a long one.
const maxWord = 48

// read reads a word that begins with a character.
func (l *lexer) read(r rune) token {
	t := token{from: l.at, clause: l.clause, quoted: l.quoted, sentence: l.sentence}
	l.word, l.alt, l.clause = l.word[:0], l.alt[:0], false
	if isCharacter(r) {
		l.at += utf8.RuneLen(r)
		l.word = utf8.AppendRune(l.word, r)
		t.to = l.at
		return t
	}
	if l.spaced() {
		t.to = l.at
		return t
	}
	for l.at < len(l.text) {
		r, size := rune(l.text[l.at]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(l.text[l.at:])
		}
		if isIgnored(r) {
			l.at += size
			continue
		}
		if !isWord(r) || isCharacter(r) {
			break
		}
		l.at += size
		if len(l.word) < maxWord {
			l.word = appendFolded(l.word, r)
		}
	}
	t.to = l.at
	l.steps += t.to - t.from
	l.digits()
	return t
}

// spaced reads a word that is written with a sign between its letters: i g n o r e.
func (l *lexer) spaced() bool {
	text := l.text[l.at:]
	if l.at < l.joined || len(text) < 7 || !isLetter(text[0]) || isLetter(text[1]) || text[1] >= utf8.RuneSelf || isWord(rune(text[1])) || text[1] == '\n' {
		return false
	}
	sign, n := text[1], 1
	for ; 2*n < len(text) && text[2*n-1] == sign && isLetter(text[2*n]); n++ {
	}
	l.steps += n
	if end := 2*n - 1; n < 4 || end < len(text) && (isLetter(text[end]) || text[end] >= '0' && text[end] <= '9') {
		l.joined = l.at + end - 1 // all letters of the row but the last lead to the same end
		return false
	}
	for i := range min(n, maxWord) {
		l.word = append(l.word, text[2*i]|0x20)
	}
	l.at += 2*n - 1
	return true
}

func isLetter(c byte) bool { c |= 0x20; return c >= 'a' && c <= 'z' }

// digits reads the digits of a word with letters as the letters that they look like.
func (l *lexer) digits() {
	digits, letters := 0, 0
	for _, c := range l.word {
		if c >= '0' && c <= '9' {
			digits++
		} else {
			letters++
		}
	}
	if digits == 0 || letters < 2 || digits > letters {
		return
	}
	for _, c := range l.word {
		if c >= '0' && c <= '9' {
			c = "oizeasgtbg"[c-'0']
		}
		l.alt = append(l.alt, c)
	}
}

func startsWord(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return isWord(r) && !isCharacter(r)
}

func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r >= 0x1f130 && r <= 0x1f189
}

// isIgnored reports whether a character within a word does not count: a combining accent, or an invisible one.
func isIgnored(r rune) bool {
	return r >= 0xad && (unicode.Is(unicode.Mn, r) || isInvisible(r))
}

// isCharacter reports whether a character is a token of its own: Chinese and Japanese have no blanks between words.
func isCharacter(r rune) bool {
	return r >= 0x2e80 && r < 0xff00 && (unicode.Is(unicode.Han, r) || unicode.Is(unicode.Hiragana, r) || unicode.Is(unicode.Katakana, r) || r == 'ー')
}

// appendFolded appends a letter in lower case and without accent.
func appendFolded(word []byte, r rune) []byte {
	switch {
	case r >= 'A' && r <= 'Z':
		return append(word, byte(r)|0x20)
	case r < utf8.RuneSelf:
		return append(word, byte(r))
	case r == 'ß':
		return append(word, "ss"...)
	case r == 'æ', r == 'Æ':
		return append(word, "ae"...)
	case r == 'œ', r == 'Œ':
		return append(word, "oe"...)
	}
	if c := plainLetter(r); c != 0 {
		return append(word, c)
	}
	return utf8.AppendRune(word, unicode.ToLower(r))
}

// accented has Latin letters with accents, in groups that begin with the plain letter.
var accented = letters("aàáâãäåāăąǎạả", "cçćĉċč", "dďđ", "eèéêëēĕėęěẹẽ", "gĝğġģ", "hĥħ", "iìíîïĩīĭįıị", "jĵ", "kķ", "lĺļľŀł", "nñńņňŋ", "oòóôõöøōŏőọ", "rŕŗř",
	"sśŝşšș", "tţťŧț", "uùúûüũūŭůűųụ", "wŵ", "yýÿŷ", "zźżž",
	// Look-alikes in Cyrillic, Greek, Armenian and others.
	"aаαɑ", "bЬв", "cсϲ", "dԁ", "eеεҽ", "gɡ", "hһн", "iіιӏ", "jј", "kкκ", "mм", "nոп", "oоοօσ", "pрρ", "qԛ", "rг", "sѕ", "tтτ", "uυս", "vѵν", "wԝѡ", "xхχ", "yуγ", "zᴢ")

func letters(groups ...string) map[rune]byte {
	all := map[rune]byte{}
	for _, group := range groups {
		for _, r := range group[1:] {
			all[r], all[unicode.ToUpper(r)] = group[0], group[0]
		}
	}
	return all
}

// plainLetter returns the Latin letter or digit that a character is a form of, or looks like; 0 for others.
func plainLetter(r rune) byte {
	switch {
	case r >= 0xff21 && r <= 0xff3a: // full width
		return byte(r-0xff21) + 'a'
	case r >= 0xff41 && r <= 0xff5a:
		return byte(r-0xff41) + 'a'
	case r >= 0xff10 && r <= 0xff19:
		return byte(r-0xff10) + '0'
	case r >= 0x1d400 && r <= 0x1d6a3: // mathematical letters: alphabets of 26 capitals and 26 small ones
		return byte((r-0x1d400)%26) + 'a'
	case r >= 0x24b6 && r <= 0x24e9: // in circles
		return byte((r-0x24b6)%26) + 'a'
	case r >= 0x1f130 && r <= 0x1f149: // in squares
		return byte(r-0x1f130) + 'a'
	}
	if r > 0x1f00 {
		return 0
	}
	return accented[r]
}
