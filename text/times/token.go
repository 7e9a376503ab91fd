package times

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// token is a word, a number in digits, a Chinese or Japanese character, or a punctuation mark of a text.
type token struct {
	word       int32 // its number in the vocabulary; 0: unknown
	number     int32 // -1 if it is not one, or too long
	digits     int32
	start, end int32 // bytes
	kind       kind
	glued      bool // no blank is before it
	upper      bool // the first letter is a capital
}

type kind uint8

const (
	mark kind = iota
	word
	number
	character // Chinese and Japanese have no blanks between words
)

const (
	maxDigits   = 6
	maxWord     = 48 // bytes; no word of the forms is longer
	unknownWord = 0
	numberWord  = 1 // stands for all numbers in digits
)

// split splits a text into tokens. Words are compared without case and diacritics.
func split(text string, vocabulary map[string]int32) []token {
	tokens := make([]token, 0, len(text)/5+4)
	glued := false
	for at := 0; at < len(text); {
		r, size := decode(text[at:])
		if unicode.IsSpace(r) || r == '\u200b' {
			at += size
			glued = false
			continue
		}
		t := token{start: int32(at), number: -1, glued: glued, upper: unicode.IsUpper(r)} //nolint:gosec // texts are shorter than 2 GB
		switch t.kind = kindOf(r); t.kind {
		case number:
			at = t.readDigits(text, at)
		case word:
			at = endOfWord(text, at)
		default:
			at += size
		}
		if t.end = int32(at); t.kind != number { //nolint:gosec // the same
			var folded [maxWord]byte
			t.word = vocabulary[string(fold(text[t.start:t.end], folded[:0]))]
		}
		tokens = append(tokens, t)
		glued = true
	}
	return tokens
}

// decode returns the first character of a text; a full-width form as the ordinary one.
func decode(text string) (rune, int) {
	if text[0] < utf8.RuneSelf {
		return rune(text[0]), 1
	}
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case r >= '！' && r <= '～':
		return r - '！' + '!', size
	case r == '　':
		return ' ', size
	}
	return r, size
}

func kindOf(r rune) kind {
	switch {
	case r >= '0' && r <= '9':
		return number
	case r < utf8.RuneSelf:
		if r|0x20 >= 'a' && r|0x20 <= 'z' || r == '_' {
			return word
		}
		return mark
	case r >= 0x2e80 && (r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)):
		return character
	case unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r):
		return word
	}
	return mark
}

// sameMark returns one sign for those that are written for each other.
func sameMark(r rune) rune {
	switch r {
	case '’', '‘', 'ʼ', '`':
		return '\''
	case '–', '—', '−', '‐', '‑', '~', '〜', '～':
		return '-'
	case '、', '，':
		return ','
	}
	return r
}

func (t *token) readDigits(text string, at int) int {
	t.word, t.number = numberWord, 0
	for at < len(text) {
		r, size := decode(text[at:])
		if r < '0' || r > '9' {
			break
		}
		if t.digits++; t.digits <= maxDigits {
			t.number = t.number*10 + r - '0'
		}
		at += size
	}
	if t.digits > maxDigits {
		t.word, t.number = unknownWord, -1
	}
	return at
}

func endOfWord(text string, at int) int {
	for at < len(text) {
		r, size := decode(text[at:])
		if kindOf(r) != word {
			break
		}
		at += size
	}
	return at
}

// fold appends a word in lower case and without diacritics, or a sign. Nothing is appended of a word that is too long.
func fold(text string, key []byte) []byte {
	for at := 0; at < len(text); {
		r, size := decode(text[at:])
		at += size
		switch r = sameMark(r); {
		case len(key) > maxWord-utf8.UTFMax:
			return key[:0]
		case r < utf8.RuneSelf:
			key = append(key, byte(unicode.ToLower(r)))
		case int(r) < len(folds):
			key = append(key, folds[r]...)
		case !unicode.IsMark(r):
			key = utf8.AppendRune(key, unicode.ToLower(r))
		}
	}
	return key
}

// folds has the Latin letters with diacritics, in lower case, without them.
var folds = latinFolds() //nolint:gochecknoglobals // made once, never changed

func latinFolds() (folds [0x250]string) {
	for r := range folds {
		var kept []rune
		for _, d := range norm.NFD.String(string(unicode.ToLower(rune(r)))) { //nolint:gosec // below 0x250
			if !unicode.IsMark(d) {
				kept = append(kept, d)
			}
		}
		folds[r] = string(kept)
	}
	folds['ß'], folds['æ'], folds['Æ'], folds['œ'], folds['Œ'] = "ss", "ae", "ae", "oe", "oe"
	return folds
}
