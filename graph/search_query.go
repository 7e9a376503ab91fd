package graph

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"kith/internal/fault"
)

// Limits of a search's words. Lucene allows 1,024 clauses per query: this many words in each field of a node stay
// below.
const (
	maxWords      = 64
	maxWordLength = 255 // Lucene cuts longer words there
	maxSimilar    = 8   // with more words, similar spellings are not searched
)

// Words returns the words of a text for full-text queries: lower case, without duplicates, in order, at most 64. They
// are the tokens of the index: ideographs and emoji are words of their own, and node.js, 3,000, snake_case and צה"ל
// are one word each. They contain no Lucene syntax except the signs in a:b and צה"ל, which queries escape. A query
// made of them finds words and does nothing else.
func Words(text string) []string {
	var words []string
	seen := map[string]bool{}
	splitWords(text, func(word string) bool {
		if !seen[word] {
			seen[word] = true
			words = append(words, word)
		}
		return len(words) < maxWords
	})
	return words
}

// splitWords calls each with the words of a text in lower case until it returns false.
func splitWords(text string, each func(word string) bool) {
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
	word := strings.TrimSuffix(string(s.word[:min(len(s.word), maxWordLength)]), "'s") // like English analysis
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

// wordField is an indexed property and its weight.
type wordField struct {
	name    string
	boost   float64
	similar bool // a text to match may be spelled differently
}

// nothing is a query without results, for asks without words.
const nothing = "search_scope:nothing"

// term is a word as the full-text indexes store it.
type term struct {
	stem      string
	word      string   // as returned by Words
	spellings []string // escaped; also with the other apostrophe, which texts may have
}

// fewTerms is the maximum number of terms that are searched with field weights; with more, all fields count the same.
// Lucene allows 1,024 clauses per query.
const fewTerms = 32

// terms returns the terms of some words without duplicates, and their alternatives in texts: node.js may be written
// node js. Words that the indexes omit have no terms. The number of terms has the same limit as words.
func terms(words []string, match bool) []term {
	var all []term
	asked := 0
	add := func(word string) {
		t := newTerm(word)
		known := slices.ContainsFunc(all, func(other term) bool { return other.stem == t.stem })
		if !known && asked+len(t.spellings) <= maxWords && !slices.Contains(stopWords, word) {
			all, asked = append(all, t), asked+len(t.spellings)
		}
	}
	for _, w := range words {
		add(w)
	}
	for _, w := range words {
		parts := strings.FieldsFunc(w, func(r rune) bool { return strings.ContainsRune(`.,:;_"`, r) })
		if len(parts) > 1 && !match { // all of its words are required
			for _, part := range parts {
				add(part)
			}
		}
	}
	return all
}

func newTerm(word string) term {
	t := term{stem: stem(word), word: word, spellings: []string{syntax.Replace(word)}}
	if curled := strings.ReplaceAll(word, "'", "’"); curled != word {
		t.spellings = append(t.spellings, syntax.Replace(curled))
	}
	if parts := strings.Split(syntax.Replace(t.stem), "'"); len(parts) > 2 { // a text may have both kinds in one word; patterns are not stemmed
		t.spellings = append(t.spellings, strings.Join(parts, "?"))
	}
	return t
}

// within returns a query for the term in some fields, with score 0.
func (t term) within(fields ...wordField) string {
	all := nothing // the index has nothing for a word that it omits
	for _, f := range fields {
		all += " " + f.name + ":(" + strings.Join(t.spellings, " ") + ")"
	}
	return "(" + all + ")^0"
}

// worth returns a query that gives the same score to everything that a clause matches. Lucene's own scores depend on
// the data of all teams, so they are not used: every match gets the score of *:*.
func worth(boost float64, clause string) string {
	return "(+" + clause + " +*:*)^" + strconv.FormatFloat(boost, 'f', -1, 64)
}

// indexAsk is an ask for one index: a query for matches, whose weights the statement completes.
type indexAsk struct {
	index  string
	fields []wordField
	memory string // matches what the caller may see
	filter string // matches the requested part of it
	terms  []term
	match  bool
}

// newIndexAsk returns an ask for any of the words, or for all of them in one field.
func newIndexAsk(index, memory, narrower string, fields []wordField, a Ask) indexAsk {
	return indexAsk{index, fields, memory, memory + narrower, terms(a.Words, a.Match), a.Match}
}

// params returns the parameters of the ask: the beginning of the query, and a clause for each weighted word.
func (q indexAsk) params() map[string]any {
	head, clauses, words := q.filter+" +("+nothing+" ", []string{}, []string{}
	switch {
	case len(q.terms) == 0:
	case q.match:
		head += q.matches()
	default:
		for _, t := range q.terms {
			clauses, words = append(clauses, q.anywhere(t)), append(words, t.word)
		}
	}
	return map[string]any{"head": head, "clauses": clauses, "words": words}
}

// anywhere returns a query for a term in all fields with their weights.
func (q indexAsk) anywhere(t term) string {
	groups := map[float64][]wordField{}
	for _, f := range q.fields {
		worth := f.boost
		if len(q.terms) > fewTerms { // Lucene would refuse the query for its number of clauses
			worth = 1
		}
		groups[worth] = append(groups[worth], f)
	}
	var all []string
	for _, boost := range slices.Sorted(maps.Keys(groups)) {
		all = append(all, worth(boost, t.within(groups[boost]...)))
	}
	return "(" + strings.Join(all, " ") + ")"
}

// counts returns a query for each weighted term in the primary fields. For nodes, all kinds are counted.
func (q indexAsk) counts() []string {
	own := slices.DeleteFunc(slices.Clone(q.fields), func(f wordField) bool { return f.name == "near" })
	counts := []string{}
	for _, t := range q.terms {
		if !q.match {
			counts = append(counts, q.memory+" +"+t.within(own...))
		}
	}
	return counts
}

// matches returns a query for all terms in one field; in names, similar words match with a lower weight.
func (q indexAsk) matches() string {
	var all []string
	for _, f := range q.fields {
		clause := "(" + nothing + " " + f.name + ":("
		for _, t := range q.terms {
			clause += "+(" + strings.Join(t.spellings, " ") + ") "
		}
		all = append(all, worth(f.boost, clause+"))^0"))
		for _, t := range q.terms {
			if f.similar && len(q.terms) <= maxSimilar {
				all = append(all, worth(f.boost/2, t.similar(f)))
			}
		}
	}
	return strings.Join(all, " ")
}

var syntax = strings.NewReplacer(":", `\:`, `"`, `\"`)

// similar returns a query for words in a field that differ from the term in one letter, or in two if it is long.
// Lucene's fuzzy search (~) takes the fifty nearest words of the whole index, so that other teams' data would
// displace the caller's. A pattern has no such limit.
func (t term) similar(f wordField) string {
	letters := []rune(t.stem)
	switch n := utf8.RuneCountInString(t.word); {
	case n < leastSimilar || len(letters) > longestSimilar:
		return t.within(f)
	case n < twiceSimilar || len(letters) < 3:
		return f.name + ":/" + misspelt(letters) + "/"
	}
	third := len(letters) / 3
	return f.name + ":/" + misspelt(letters[:third]) + misspelt(letters[third:]) + "|" + misspelt(letters[:2*third]) + misspelt(letters[2*third:]) + "/"
}

// Lengths of words in letters.
const (
	leastSimilar   = 4  // shorter words have no similar ones
	twiceSimilar   = 8  // longer words may differ twice
	longestSimilar = 32 // a pattern for longer words would be slow
)

// misspelt returns a pattern of all words that differ from w in at most one letter: replaced, missing, inserted, or
// two swapped. The pattern grows little faster than the word, because it contains each half once.
func misspelt(w []rune) string {
	switch len(w) {
	case 0:
		return ".?"
	case 1:
		return "(.?|" + plain(w) + ".|." + plain(w) + ")"
	}
	a, b := w[:len(w)/2], w[len(w)/2:]
	swapped := plain(a[:len(a)-1]) + plain(b[:1]) + plain(a[len(a)-1:]) + plain(b[1:])
	return "(" + misspelt(a) + plain(b) + "|" + plain(a) + misspelt(b) + "|" + swapped + ")"
}

// plain returns letters escaped for a pattern.
func plain(w []rune) string {
	var s strings.Builder
	for _, r := range w {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			s.WriteByte('\\')
		}
		s.WriteRune(r)
	}
	return s.String()
}

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

// NameKey returns a name for comparison: its words in lower case, without a final part in brackets.
func NameKey(name string) string {
	return strings.ToLower(NameText(PlainName(name)))
}

// scopeFilter returns a clause that matches what the caller may see, from the day since to the day until.
func scopeFilter(scope Scope, since, until *time.Time) string {
	filter := "+search_scope:(" + strings.Join(SearchScopes(scope), " ") + ")^0"
	if since != nil || until != nil {
		from, to := dayToken(fault.Earliest), dayToken(fault.Latest)
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

// kindFilter returns a clause that matches nodes of the given kinds among those in node_words; none means all. It
// lists these kinds or the others, whichever are fewer, because every name costs time.
func kindFilter(kinds []Kind) string {
	var given, others []string
	for _, k := range Kinds {
		switch {
		case k == SourceKind || k == MessageKind: // they have their own indexes
		case slices.Contains(kinds, k):
			given = append(given, kindToken(k))
		default:
			others = append(others, kindToken(k))
		}
	}
	switch {
	case len(kinds) == 0 || len(others) == 0:
		return ""
	case len(others) < len(given):
		return " -search_scope:(" + strings.Join(others, " ") + ")"
	case len(given) == 0:
		return " +" + nothing
	}
	return " +search_scope:(" + strings.Join(given, " ") + ")^0"
}

// typeFilter returns a clause that matches relationships of the given types; none means all.
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
