package graph

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Bounds of a search's words. Lucene takes 1,024 clauses a query: as many words in each of the fields of a node stay below.
const (
	maxWords      = 64
	maxWordLength = 255 // Lucene cuts longer ones there
	maxSimilar    = 8   // of more words none is looked for in other spellings
)

// Words are the words of a text as full-text queries take them: lower case, each once, in their order, at most 64. They
// are those by which the index knows the text: ideographs and emoji are words of their own, node.js, 3,000, snake_case and
// צה"ל are one. What Lucene reads as syntax is in none of them, but for the signs of a:b and צה"ל, which queries escape, so
// that a query made of them finds words and does nothing else.
func Words(text string) []string {
	s := wordSplitter{seen: map[string]bool{}}
	text = strings.ReplaceAll(strings.ToLower(strings.ToValidUTF8(text, " ")), "’", "'")
	before := rune(0)
	for i, r := range text {
		if extends(r) {
			s.extend(r)
			continue
		}
		next, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(text[i+utf8.RuneLen(r):], extends))
		s.add(before, r, next)
		before = r
	}
	s.flush()
	return s.words
}

// wordSplitter splits a text as Lucene's standard tokenizer does (Unicode's word boundaries, UAX #29).
type wordSplitter struct {
	words []string
	seen  map[string]bool
	word  []rune
	alone bool // the word is an ideograph or an emoji: what follows it begins another
}

func (s *wordSplitter) flush() {
	word := strings.TrimSuffix(string(s.word[:min(len(s.word), maxWordLength)]), "'s") // as English analysis does
	if word != "" && !s.seen[word] && len(s.words) < maxWords {
		s.seen[word] = true
		s.words = append(s.words, word)
	}
	s.word, s.alone = s.word[:0], false
}

// extends says whether a character belongs to what it follows: accents, joiners, the colour of an emoji.
func extends(r rune) bool {
	return unicode.IsMark(r) || unicode.Is(unicode.Cf, r) && r != '\u200b' || r >= '\U0001f3fb' && r <= '\U0001f3ff'
}

func (s *wordSplitter) extend(r rune) {
	if len(s.word) > 0 {
		s.word = append(s.word, r)
	}
}

func (s *wordSplitter) add(before, r, next rune) {
	switch {
	case unicode.In(r, unicode.Han, unicode.Hiragana) || unicode.Is(unicode.So, r):
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

// joins says whether a sign is part of the word around it.
func joins(before, sign, next rune) bool {
	switch {
	case unicode.Is(unicode.Hebrew, before) && (sign == '\'' || sign == '"' && unicode.Is(unicode.Hebrew, next) && letter(next)):
		return true // of a number, or of an abbreviation
	case unicode.IsDigit(before) && unicode.IsDigit(next):
		return strings.ContainsRune(".,;'", sign)
	case letter(before) && letter(next):
		return strings.ContainsRune(".:'״", sign)
	}
	return false
}

// letter says whether a character is one: the geresh counts as one.
func letter(r rune) bool { return unicode.IsLetter(r) || r == '׳' }

// flag says whether a letter is half of a flag.
func flag(r rune) bool { return r >= '\U0001f1e6' && r <= '\U0001f1ff' }

// wordField is an indexed property, and how much finding a word in it counts.
type wordField struct {
	name    string
	boost   float64
	similar bool // a text to match may differ in letters
}

// nothing is a query that finds nothing: the words of an ask may all be signs.
const nothing = "search_scope:nothing"

// wordQuery is a query for any of some words in fields, among what a filter lets through.
func wordQuery(filter string, fields []wordField, words []string) string {
	return query(filter, fields, words, func(f wordField) string {
		return f.ask(strings.Join(spelled(words), " "), f.boost)
	})
}

// matchQuery is a query for all of some words in one field; of names similar words will do.
func matchQuery(filter string, fields []wordField, words []string) string {
	return query(filter, fields, words, func(f wordField) string {
		var all string
		for _, w := range escaped(words) {
			if c := curled(w); c != w {
				w = "(" + w + " " + c + ")"
			}
			all += "+" + w + " "
		}
		asked := f.ask(all, f.boost)
		if f.similar && len(words) <= maxSimilar {
			asked += f.ask(strings.Join(similar(escaped(words)), " "), f.boost/2)
		}
		return asked
	})
}

// query asks for some words in each of some fields. Without the part that finds nothing, words that the index leaves out
// ("the") would ask for nothing more than the filter does.
func query(filter string, fields []wordField, words []string, ask func(wordField) string) string {
	if len(words) == 0 {
		return nothing
	}
	var q strings.Builder
	q.WriteString(filter + " +(" + nothing + " ")
	for _, f := range fields {
		q.WriteString(ask(f))
	}
	q.WriteByte(')')
	return q.String()
}

func (f wordField) ask(words string, boost float64) string {
	return f.name + ":(" + words + ")^" + strconv.FormatFloat(boost, 'g', -1, 64) + " "
}

var syntax = strings.NewReplacer(":", `\:`, `"`, `\"`)

// escaped are words without what Lucene reads as the end of a field's name, or as a quote.
func escaped(words []string) []string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = syntax.Replace(w)
	}
	return all
}

// curled is a word with the other apostrophe, which texts have too.
func curled(word string) string { return strings.ReplaceAll(word, "'", "’") }

// spelled are words with those that texts may have in their place: node.js may be told of as node js. They are as bounded
// as words.
func spelled(words []string) []string {
	all := escaped(words)
	for _, w := range words {
		others := strings.FieldsFunc(w, func(r rune) bool { return strings.ContainsRune(`.,:;_"`, r) })
		if len(others) == 1 {
			others = nil
		}
		if c := curled(w); c != w {
			others = append(others, escaped([]string{c})...)
		}
		if len(all)+len(others) <= maxWords {
			all = append(all, others...)
		}
	}
	return all
}

// similar asks for words that differ in a letter, or in two where they are long.
func similar(words []string) []string {
	all := make([]string, len(words))
	for i, w := range words {
		switch n := utf8.RuneCountInString(w); {
		case n >= 8:
			w += "~2"
		case n >= 4:
			w += "~1"
		}
		all[i] = w
	}
	return all
}

// NameTokens are the words of a text in their order and case, as names in it are compared: without signs, and without
// the 's of English.
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

// NameText is a name as it stands in texts: its words, without what stands in brackets at its end.
func NameText(name string) string {
	return strings.Join(NameTokens(trailing.ReplaceAllString(name, "")), " ")
}

// NameKey is a name as it is compared with others: its words in lower case, without what stands in brackets at its end.
func NameKey(name string) string {
	return strings.ToLower(NameText(PlainName(name)))
}

// scopeFilter lets through what the caller may see, of the kinds given (none: all) and of the days from since until until.
func scopeFilter(scope Scope, kinds []Kind, since, until *time.Time) string {
	filter := "+search_scope:(" + strings.Join(SearchScopes(scope), " ") + ")^0"
	if len(kinds) > 0 {
		tokens := make([]string, len(kinds))
		for i, k := range kinds {
			tokens[i] = kindToken(k)
		}
		filter += " +search_scope:(" + strings.Join(tokens, " ") + ")^0"
	}
	if since != nil || until != nil {
		from, to := dayToken(earliest), dayToken(latest)
		if since != nil {
			from = dayToken(*since)
		}
		if until != nil {
			to = dayToken(*until)
		}
		filter += " +search_scope:[" + from + " TO " + to + "]^0"
	}
	return filter
}

// typeFilter lets through relationships of the types given; none: all.
func typeFilter(types []string) string {
	if len(types) == 0 {
		return ""
	}
	tokens := make([]string, len(types))
	for i, t := range types {
		tokens[i] = typeToken(t)
	}
	return " +search_scope:(" + strings.Join(tokens, " ") + ")^0"
}
