// Package words splits texts into words as the full-text indexes do, and compares names.
package words

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of a search's words. Lucene allows 1,024 clauses per query: this many words in each field of a node stay
// below.
const (
	MaxWords  = 64
	maxLength = 255 // Lucene cuts longer words there
)

// Of returns the words of a text for full-text queries: lower case, without duplicates, in order, at most 64. They
// are the tokens of the index: ideographs and emoji are words of their own, and node.js, 3,000, snake_case and צה"ל
// are one word each. They contain no Lucene syntax except the signs in a:b and צה"ל, which queries escape. A query
// made of them finds words and does nothing else.
func Of(text string) []string {
	var words []string
	seen := map[string]bool{}
	split(text, func(word string) bool {
		if !seen[word] {
			seen[word] = true
			words = append(words, word)
		}
		return len(words) < MaxWords
	})
	return words
}

// split calls each with the words of a text in lower case until it returns false.
func split(text string, each func(word string) bool) {
	s := wordSplitter{each: each}
	text = strings.ReplaceAll(strings.ToLower(strings.ToValidUTF8(text, " ")), "’", "'")
	before := rune(0)
	for i, r := range text {
		if s.done {
			return
		}
		if extends(r) {
			s.extend(r)
			continue
		}
		next, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(text[i+utf8.RuneLen(r):], extends))
		s.add(before, r, next)
		before = r
	}
	s.flush()
}

// wordSplitter splits a text like Lucene's standard tokenizer (Unicode word boundaries, UAX #29).
type wordSplitter struct {
	each  func(word string) bool
	done  bool // no more words are wanted
	word  []rune
	alone bool // the word is an ideograph or emoji: the next character begins another
}

func (s *wordSplitter) flush() {
	word := strings.TrimSuffix(string(s.word[:min(len(s.word), maxLength)]), "'s") // like English analysis
	if word != "" && !s.done {
		s.done = !s.each(word)
	}
	s.word, s.alone = s.word[:0], false
}

// extends reports whether a character belongs to the one before it: accents, joiners, the color of an emoji.
func extends(r rune) bool {
	if r < utf8.RuneSelf {
		return false
	}
	return unicode.IsMark(r) || unicode.Is(unicode.Cf, r) && r != '\u200b' || r >= '\U0001f3fb' && r <= '\U0001f3ff'
}

func (s *wordSplitter) extend(r rune) {
	if len(s.word) > 0 {
		s.word = append(s.word, r)
	}
}

func (s *wordSplitter) add(before, r, next rune) {
	switch {
	case r >= utf8.RuneSelf && (unicode.In(r, unicode.Han, unicode.Hiragana) || unicode.Is(unicode.So, r)):
		joined := len(s.word) > 0 && s.word[len(s.word)-1] == '\u200d' || flag(r) && flag(before) && len(s.word) == 1
		if !joined {
			s.flush()
		}
		s.word, s.alone = append(s.word, r), true
	case letter(r) || unicode.IsDigit(r) || r == '_':
		if s.alone {
			s.flush()
		}
		s.word = append(s.word, r)
	case len(s.word) > 0 && !s.alone && joins(before, r, next):
		s.word = append(s.word, r)
	default:
		s.flush()
	}
}

// joins reports whether a sign is part of the word around it.
func joins(before, sign, next rune) bool {
	switch {
	case unicode.Is(unicode.Hebrew, before) && (sign == '\'' || sign == '"' && unicode.Is(unicode.Hebrew, next) && letter(next)):
		return true // in a number or an abbreviation
	case unicode.IsDigit(before) && unicode.IsDigit(next):
		return strings.ContainsRune(".,;'", sign)
	case letter(before) && letter(next):
		return strings.ContainsRune(".:'״", sign)
	}
	return false
}

// letter reports whether a character is a letter; the geresh counts as one.
func letter(r rune) bool { return unicode.IsLetter(r) || r == '׳' }

// flag reports whether a character is half of a flag.
func flag(r rune) bool { return r >= '\U0001f1e6' && r <= '\U0001f1ff' }

// NameTokens returns the words of a text in order and case, for the comparison of names: without punctuation and
// without the English 's.
func NameTokens(text string) []string {
	tokens := strings.FieldsFunc(strings.ReplaceAll(text, "’", "'"), func(r rune) bool {
		return r != '\'' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
	kept := tokens[:0]
	for _, t := range tokens {
		if t = strings.Trim(strings.TrimSuffix(strings.Trim(t, "'"), "'s"), "'"); t != "" {
			kept = append(kept, t)
		}
	}
	return kept
}

var trailing = regexp.MustCompile(`\s*\([^()]*\)\s*$`)

// NameText returns a name as texts contain it: its words, without a final part in brackets.
func NameText(name string) string {
	return strings.Join(NameTokens(trailing.ReplaceAllString(name, "")), " ")
}
