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

// splitWords calls a function with each word of a text, in lower case, until that returns false.
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

// wordSplitter splits a text as Lucene's standard tokenizer does (Unicode's word boundaries, UAX #29).
type wordSplitter struct {
	each  func(word string) bool
	done  bool // no more words are wanted
	word  []rune
	alone bool // the word is an ideograph or an emoji: what follows it begins another
}

func (s *wordSplitter) flush() {
	word := strings.TrimSuffix(string(s.word[:min(len(s.word), maxWordLength)]), "'s") // as English analysis does
	if word != "" && !s.done {
		s.done = !s.each(word)
	}
	s.word, s.alone = s.word[:0], false
}

// extends says whether a character belongs to what it follows: accents, joiners, the colour of an emoji.
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

// term is a word as the full-text indexes know it.
type term struct {
	stem      string
	word      string   // as Words has it
	spellings []string // escaped; with another apostrophe, which texts have too
}

// fewTerms is how many terms are asked for by what each field counts; of more all fields count the same. Lucene takes 1,024
// clauses a query.
const fewTerms = 32

// terms are those of some words, each once, and those that texts may have in the place of one: node.js may be written
// node js. Words that the indexes leave out are none. They are as bounded as words.
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
		if len(parts) > 1 && !match { // of which all words are required
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

// within asks some fields for the term, at no score.
func (t term) within(fields ...wordField) string {
	all := nothing // of a word that the index leaves out there is nothing else
	for _, f := range fields {
		all += " " + f.name + ":(" + strings.Join(t.spellings, " ") + ")"
	}
	return "(" + all + ")^0"
}

// worth is a query that gives a score to all that a clause lets through. Lucene's own scores tell of what everybody
// stores, so that they count nothing here: all that is found has the same score of *:*.
func worth(boost float64, clause string) string {
	return "(+" + clause + " +*:*)^" + strconv.FormatFloat(boost, 'f', -1, 64)
}

// indexAsk is an ask as one index gets it: a query for what is found, of which the statement completes the weights.
type indexAsk struct {
	index  string
	fields []wordField
	memory string // lets through what the caller may see
	filter string // lets through what is asked for, of that
	terms  []term
	match  bool
}

// newIndexAsk asks for any of the words, or for all of them in one field.
func newIndexAsk(index, memory, narrower string, fields []wordField, a Ask) indexAsk {
	return indexAsk{index, fields, memory, memory + narrower, terms(a.Words, a.Match), a.Match}
}

// params are those of the ask: the beginning of the query, and a clause for each word that is weighed.
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

// anywhere asks for a term in all fields, by what each counts.
func (q indexAsk) anywhere(t term) string {
	groups := map[float64][]wordField{}
	for _, f := range q.fields {
		worth := f.boost
		if len(q.terms) > fewTerms { // else Lucene refuses the query for its clauses
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

// counts ask for each of the terms that are weighed, in the fields that speak for themselves. Of nodes all kinds are counted.
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

// matches asks for all terms in one field; of names similar words will do, for less.
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

// similar asks a field for words that differ from the term in a letter, or in two where it is long. Lucene's own similar
// words (~) are the fifty nearest of the whole index: what others store would displace a caller's own. A pattern has no
// such bound.
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
	leastSimilar   = 4  // shorter ones have no similar ones
	twiceSimilar   = 8  // these may differ twice
	longestSimilar = 32 // of longer ones a pattern would take long
)

// misspelt is a pattern of all words that differ from one in at most one letter: another, none or one more in its place, or two
// in each other's. It grows little faster than the word, as each half is in it once by itself.
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

// plain are letters as a pattern has them.
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

// scopeFilter lets through what the caller may see, of the days from since to until.
func scopeFilter(scope Scope, since, until *time.Time) string {
	filter := "+search_scope:(" + strings.Join(SearchScopes(scope), " ") + ")^0"
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

// kindFilter lets through nodes of the kinds given, of those in node_words; none: all. It names whichever are fewer, those or the
// others, as every name costs time.
func kindFilter(kinds []Kind) string {
	var given, others []string
	for _, k := range Kinds {
		switch {
		case k == sourceKind || k == messageKind: // have indexes of their own
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
