package explore

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"kith/text/words"
)

// maxSimilar is the number of words above which similar spellings are not searched.
const maxSimilar = 8

// wordField is an indexed property and its weight.
type wordField struct {
	name    string
	boost   float64
	similar bool // a text to match may be spelled differently
}

func fieldNames(fields []wordField) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	return names
}

// nothing is a query without results, for asks without words.
const nothing = "search_scope:nothing"

// term is a word as the full-text indexes store it.
type term struct {
	stem      string
	word      string   // as returned by words.Of
	spellings []string // escaped; also with the other apostrophe, which texts may have
}

// fewTerms is the maximum number of terms that are searched with field weights; with more, all fields count the same.
// Lucene allows 1,024 clauses per query.
const fewTerms = 32

// terms returns the terms of some words without duplicates, and their alternatives in texts: node.js may be written
// node js. Words that the indexes omit have no terms. The number of terms has the same limit as words.
func terms(list []string, match bool) []term {
	var all []term
	asked := 0
	add := func(word string) {
		t := newTerm(word)
		known := slices.ContainsFunc(all, func(other term) bool { return other.stem == t.stem })
		if !known && asked+len(t.spellings) <= words.MaxWords && !words.IsStopWord(word) {
			all, asked = append(all, t), asked+len(t.spellings)
		}
	}
	for _, w := range list {
		add(w)
	}
	for _, w := range list {
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
	t := term{stem: words.Stem(word), word: word, spellings: []string{syntax.Replace(word)}}
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
	timed  bool // only what was said at the times of the ask
}

// newIndexAsk returns an ask for any of the words, or for all of them in one field.
func newIndexAsk(index, memory, narrower string, fields []wordField, a Ask) indexAsk {
	return indexAsk{index, fields, memory, memory + narrower, terms(a.Words, a.Match), a.Match, a.isFilter()}
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
	return map[string]any{"head": head, "clauses": clauses, "words": words, "filters": q.timed}
}

// anywhere returns a query for a term in all fields with their weights.
func (q indexAsk) anywhere(t term) string {
	groups := map[float64][]wordField{}
	for _, f := range q.fields {
		worth := f.boost
		if len(q.terms) > fewTerms { // Lucene would refuse the query for its number of clauses
			if f.name == "canonical_name" { // nearly always the words of the name
				continue
			}
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
