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
	maxWordLength = 64
)

// Words are the words of a text as full-text queries take them: lower case, each once, in their order, at most 64 of 64
// characters. What Lucene reads as syntax is in none of them, so that a query made of them finds words and does nothing
// else. Ideographs and emoji are words of their own, as they are in the index.
func Words(text string) []string {
	var words []string
	seen := map[string]bool{}
	add := func(word string) {
		word = strings.Trim(strings.TrimSuffix(strings.Trim(word, "'"), "'s"), "'")
		if word != "" && !seen[word] && len(words) < maxWords {
			seen[word] = true
			words = append(words, word)
		}
	}
	var word []rune
	flush := func() {
		add(string(word))
		word = word[:0]
	}
	for _, r := range strings.ToLower(strings.ToValidUTF8(text, " ")) {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana) || unicode.Is(unicode.So, r):
			flush()
			add(string(r))
		case r == '’':
			word = append(word, '\'')
		case r == '\'' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			if len(word) < maxWordLength {
				word = append(word, r)
			}
		default:
			flush()
		}
	}
	flush()
	return words
}

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
	if len(words) == 0 {
		return nothing
	}
	var q strings.Builder
	q.WriteString(filter)
	q.WriteString(" +(")
	for _, f := range fields {
		q.WriteString(f.name + ":(" + strings.Join(words, " ") + ")^" + strconv.FormatFloat(f.boost, 'g', -1, 64) + " ")
	}
	q.WriteByte(')')
	return q.String()
}

// matchQuery is a query for all of some words in one field; of names similar words will do.
func matchQuery(filter string, fields []wordField, words []string) string {
	if len(words) == 0 {
		return nothing
	}
	var q strings.Builder
	q.WriteString(filter)
	q.WriteString(" +(")
	for _, f := range fields {
		q.WriteString(f.name + ":(+" + strings.Join(words, " +") + ")^" + strconv.FormatFloat(f.boost, 'g', -1, 64) + " ")
		if f.similar {
			q.WriteString(f.name + ":(" + strings.Join(similar(words), " ") + ")^" + strconv.FormatFloat(f.boost/2, 'g', -1, 64) + " ")
		}
	}
	q.WriteByte(')')
	return q.String()
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
	return strings.ToLower(NameText(name))
}

// scopeFilter lets through what the caller may see, of the kinds given (none: all) and of the days from since until until.
func scopeFilter(scope Scope, kinds []Kind, since, until *time.Time) string {
	filter := "+search_scope:(" + strings.Join(searchTokens(scope), " ") + ")^0"
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
