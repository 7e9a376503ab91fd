package recognise

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"kith/text/steps"
)

// ending is a sentence that tells what no longer holds: "I'm no longer vegetarian", "my flight was cancelled", "back to English please".
type ending struct {
	find

	slot    string   // what a user has one of that it is about, if any
	words   []string // stems of the sentence
	cue     []string // of these, the ones that tell of the end
	instead *find    // what the sentence says, if it says it only by the end
	others  []string // stems of those whose doing it tells of: of the uncle in "my uncle gave up his pipe"
}

// How much of the content of a statement a sentence must name to end it: less if it says "cancelled" or "quit" than if it says "now".
const (
	shareOfEnd  = 0.2
	shareOfTurn = 0.35

	// Or of the content of its first clause, if that has so much.
	shareOfClause = 0.5
	leastOfClause = 1.3
)

// The weights of words in what is named; that of others is 1.
const (
	lightWeight = 0.3 // of words that many statements share, such as a verb of living or working
	nameWeight  = 2   // of names, and of what is somebody's: of the exam in "my exam"
)

// ending returns what a match ends; nil if it tells of this one time, or asks.
func (m *matcher) ending(f find) *ending {
	l := f.language
	if f.sentence.question || m.of(l).anyOf(l.once, len(m.tokens)) {
		return nil
	}
	from, to := m.about(&f)
	e := &ending{find: f, words: l.stems(m.tokens[from:to], func(int, *token) bool { return true })}
	e.cue = l.stems(m.tokens, func(i int, t *token) bool { return i == f.end-1 && !m.isUpper(t) })
	if to-from <= longestTurn {
		e.slot = m.slotOf(l, func(Kind) bool { return true })
	}
	if len(e.words) == 0 && e.slot == "" {
		return nil
	}
	for i := f.start - 1; i >= 0 && !m.tokens[i].mark; i-- {
		if m.starts[i] && l.theirs[m.tokens[i].word] {
			return nil
		}
		if m.starts[i] && l.mine[m.tokens[i].word] {
			e.others = append(e.others, l.stems(m.tokens, func(j int, _ *token) bool { return j == i+1 })...)
		}
	}
	return e
}

// ending returns what "forget that …" may end beside what it names exactly.
func (f *find) ending() *ending {
	return &ending{find: *f, words: f.language.stems(f.sentence.tokens, func(_ int, t *token) bool { return t.from >= f.from && t.to <= f.to })}
}

// A sentence of at most so many tokens is all about what it ends. Of a longer one that is the clause, and not much around the words that tell
// of the end.
const (
	longestTurn = 18
	around      = 8
)

// continues adds what the sentence before is about, if the one that ends something begins by pointing at it: "Alun rang. He isn't coming".
func (e *ending) continues(before *sentence) {
	if l := e.language; l.points[e.sentence.tokens[0].word] && len(before.tokens) <= longestTurn {
		e.words = append(e.words, l.stems(before.tokens, func(int, *token) bool { return true })...)
	}
}

// about returns the tokens that name what a match ends.
func (m *matcher) about(f *find) (from, to int) {
	if len(m.tokens) <= longestTurn {
		return 0, len(m.tokens)
	}
	from, to = f.start, f.end
	for from > max(0, f.start-around) && !m.tokens[from-1].mark && !m.starts[from] {
		from--
	}
	for to < min(len(m.tokens), f.end+around) && !m.tokens[to].mark && !m.starts[to] {
		to++
	}
	return from, to
}

// statement returns the ending as a Statement of the whole sentence. at returns the number of code points before a byte.
func (e *ending) statement(message string, at func(int) int) Statement {
	tokens := e.sentence.tokens
	from, to := tokens[0].from, tokens[len(tokens)-1].to
	s := Statement{Kind: End, Text: message[from:to], From: at(from), About: e.slot, Single: e.slot != "", ending: e}
	s.To = s.From + utf8.RuneCountInString(s.Text)
	if e.instead != nil {
		s.Instead = new(e.instead.statement(message, at))
	}
	return s
}

// isUpper reports whether a word begins with a letter in upper case.
func (m *matcher) isUpper(t *token) bool {
	first, _ := utf8.DecodeRuneInString(m.text[t.from:])
	return unicode.IsUpper(first)
}

// Ending reports whether the Statement may end earlier ones: one of the kind End or Forget.
func (s *Statement) Ending() bool { return s.ending != nil }

// Ends returns how much of what an earlier statement with some text is about a Statement names that may end it, 0 to 1. It is 0 if that is too
// little to end it, or if the Statement is about somebody else.
func (s *Statement) Ends(text string) float64 {
	e := s.ending
	if e == nil {
		return 0
	}
	var whole share
	var known []string
	named := false // so much that it may end it
	for _, old := range sentences(steps.Begin(context.Background()), text) {
		for clause := range old.eachClause(e.language) {
			part, stems := e.shareOf(clause, text, clause[0].from > old.tokens[0].from)
			if whole.all < leastOfClause { // the first clause that says something
				named = e.about != turn && part.heavy && part.all >= leastOfClause && part.of() >= shareOfClause
			}
			whole.add(part)
			known = append(known, stems...)
		}
	}
	least := shareOfEnd
	if e.about == turn {
		least = shareOfTurn
	}
	has := func(stem string) bool { return slices.Contains(known, stem) }
	if !whole.heavy || !named && whole.of() < least || slices.ContainsFunc(e.cue, has) || slices.ContainsFunc(e.others, func(other string) bool { return !has(other) }) {
		return 0
	}
	return whole.of()
}

// SaysMoreThan reports whether a Statement of the kind End says more than the end of an earlier one with some text: a word of content, or a number.
func (s *Statement) SaysMoreThan(text string) bool {
	e := s.ending
	var known []string
	numbers := map[string]bool{}
	for _, old := range sentences(steps.Begin(context.Background()), text) {
		known = append(known, e.language.stems(old.tokens, func(int, *token) bool { return true })...)
		for _, t := range old.tokens {
			numbers[t.word] = true
		}
	}
	return slices.ContainsFunc(e.sentence.tokens, func(t token) bool { return isNumber(t.word) && !numbers[t.word] }) ||
		slices.ContainsFunc(e.language.stems(e.sentence.tokens, func(int, *token) bool { return true }), func(stem string) bool {
			return !e.language.light[stem] && !slices.Contains(e.cue, stem) && !slices.ContainsFunc(known, func(old string) bool { return related(old, stem) })
		})
}

// share is how much of a text's content a sentence names, by weight.
type share struct {
	all, named float64
	heavy      bool // a word of it weighs
}

func (s *share) add(other share) {
	s.all += other.all
	s.named += other.named
	s.heavy = s.heavy || other.heavy
}

func (s *share) of() float64 { return s.named / max(s.all, 1) }

// heads returns the stems of the first words of content after words like "my": what a clause is about.
func (l *language) heads(tokens []token) (heads []string) {
	for i := range tokens {
		if !l.mine[tokens[i].word] {
			continue
		}
		for j := i + 1; j < len(tokens) && !tokens[j].mark; j++ {
			if stems := l.stems(tokens[j:j+1], func(int, *token) bool { return true }); len(stems) > 0 {
				heads = append(heads, stems[0])
				break
			}
		}
	}
	return heads
}

// shareOf returns how much of some tokens of a text the sentence names, and their stems. The first word is in upper case because of its place,
// unless the tokens are within a sentence.
func (e *ending) shareOf(tokens []token, text string, within bool) (s share, stems []string) {
	upper := map[string]bool{}
	for i, t := range tokens {
		if first, _ := utf8.DecodeRuneInString(text[t.from:]); (i > 0 || within) && unicode.IsUpper(first) {
			for _, stem := range e.language.stems(tokens[i:i+1], func(int, *token) bool { return true }) {
				upper[stem] = true
			}
		}
	}
	stems = e.language.stems(tokens, func(int, *token) bool { return true })
	heads := e.language.heads(tokens)
	for _, stem := range stems {
		weight := 1.0
		switch {
		case e.language.light[stem]:
			weight = lightWeight
		case isNumber(stem):
			continue
		case upper[stem], slices.Contains(heads, stem):
			weight = nameWeight
		}
		s.all += weight
		if e.names(stem) {
			s.named += weight
			s.heavy = s.heavy || weight >= 1
		}
	}
	return s, stems
}

func isNumber(word string) bool {
	return strings.IndexFunc(word, func(r rune) bool { return !unicode.IsDigit(r) }) < 0
}

// turn marks forms that tell of a change, and not of an end.
const turn = "turn"

// names reports whether the sentence has a word with a stem, or nearly so.
func (e *ending) names(stem string) bool {
	return slices.ContainsFunc(e.words, func(word string) bool { return related(word, stem) })
}

const (
	leastRoot = 5 // characters with which related words begin alike
	leastEnd  = 4 // of each part of a compound
)

// related reports whether two stems are the same, or begin alike, as "vegana" and "veganismo", or whether one ends with the other, as
// "Kirchenchor" with "Chor".
func related(a, b string) bool {
	if a == b {
		return true
	}
	short, long := []rune(folded(a)), []rune(folded(b))
	if len(short) > len(long) {
		short, long = long, short
	}
	same := 0
	for same < len(short) && short[same] == long[same] {
		same++
	}
	if len(short) >= leastEnd && len(long) >= len(short)+leastEnd && slices.Equal(long[len(long)-len(short):], short) {
		return true // of a compound
	}
	return same >= leastRoot && (same == len(short) || 5*same >= 3*len(long)) || same == len(long)
}

// folded returns a word without accents.
func folded(word string) string {
	for i := range len(word) {
		if word[i] >= utf8.RuneSelf {
			return norm.NFC.String(strings.Map(func(r rune) rune {
				if unicode.Is(unicode.Mn, r) {
					return -1
				}
				return r
			}, norm.NFD.String(word)))
		}
	}
	return word
}
