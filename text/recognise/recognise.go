// Package recognise finds statements of users in their messages: standing instructions, preferences, facts about themselves and
// plans with a date. It goes by the forms of sentences, which forms/*.txt lists for each language, and by a linear classifier of their
// words. It needs no language model, parser or dictionary.
//
// What somebody else said, questions, suppositions, code and quotations count as no statement.
package recognise

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"unicode/utf8"

	"kith/text/steps"
)

// Kind is the kind of a statement.
type Kind string

// The kinds of statements. Forget and End are none themselves: Forget takes others back, and End tells what no longer holds.
const (
	Instruction Kind = "instruction" // what the agent should always or never do
	Preference  Kind = "preference"
	Fact        Kind = "fact" // about the user
	Plan        Kind = "plan" // of the user, with a date
	Forget      Kind = "forget"
	End         Kind = "end"
)

// Statement is a statement of a user. Its text is a sentence of the message, or a part of one.
type Statement struct {
	Kind       Kind
	Text       string
	From, To   int     // where the text is in the message, in code points
	Negative   bool    // a dislike, or something that should not be done
	About      string  // what it is about, or ends, of facts and of what a user has one of: name, home, job …; empty for others
	Single     bool    // a user has one of what it is about
	Subject    string  // the stems of the words with content, in their order
	Confidence float64 // 0–1

	// Instead is the sentence of End as a statement of its own, if it can be one: what holds since. Alone it is worth keeping from the
	// confidence Worthy.
	Instead *Statement

	ending *ending // of End
}

// MaxBytes is the size of the largest statement: no sentence has a word of so many bytes.
const MaxBytes = 3_000

const (
	maxStatements = 20     // of a message
	maxText       = 300    // code points of a statement, if the sentence is longer
	maxSteps      = 10_000 // of matching a sentence
)

// Statements returns the statements in a message of a user, at most 20, in the order of the text. It takes time in proportion to the
// length of the message. It returns the context's error if that is done before the reading is.
func Statements(ctx context.Context, message string) ([]Statement, error) {
	c := steps.Begin(ctx)
	all := statements(c, message)
	if c.Stopped() {
		return nil, ctx.Err()
	}
	return all, nil
}

func statements(c *steps.Counter, message string) (all []Statement) {
	counted, points := 0, 0 // code points before a byte
	at := func(i int) int {
		points += utf8.RuneCountInString(message[counted:i])
		counted = i
		return points
	}
	found := sentences(c, message)
	for i := range found {
		finds, ending := findIn(c, &found[i], message)
		if ending != nil {
			if i > 0 {
				ending.continues(&found[i-1])
			}
			all = append(all, ending.statement(message, at))
		}
		for _, f := range finds {
			if all = append(all, f.statement(message, at)); len(all) == maxStatements {
				return all
			}
		}
	}
	return all
}

// statement returns a find as a Statement. at returns the number of code points before a byte.
func (f *find) statement(message string, at func(int) int) Statement {
	s := Statement{
		Kind: f.kind, Text: message[f.from:f.to], From: at(f.from), Negative: f.isNegative, Confidence: f.confidence, About: f.about,
		Single: isSingle(f.about), Subject: f.subject(),
	}
	if f.kind == Forget {
		s.ending = f.ending()
	}
	s.To = s.From + utf8.RuneCountInString(s.Text)
	return s
}

// isBare reports whether a preference says nothing alone: "I like it", "I don't eat that", "I prefer this version".
func (f *find) isBare() bool {
	if f.kind != Preference || f.language.characters() {
		return false
	}
	tokens := f.sentence.tokens
	content := f.language.stems(tokens, func(_ int, t *token) bool { return t.from >= f.from && t.to <= f.to })
	for i := f.end - 1; i < min(f.end+1, len(tokens)); i++ {
		if f.language.points[tokens[i].word] && len(content) < leastContent {
			return true
		}
	}
	return len(content) == 0
}

// leastContent is how many words of content let a preference say something that points at something: "I prefer it over … because …".
const leastContent = 6

// find is a pattern that a sentence matches.
type find struct {
	*pattern
	about      string
	isNegative bool
	sentence   *sentence
	start, end int // tokens of the match
	from, to   int // bytes of the statement
	confidence float64
}

// findIn returns the statements of a sentence, and what it ends.
func findIn(c *steps.Counter, s *sentence, text string) (says []find, ends *ending) {
	m := matcher{Counter: c, sentence: s, text: text, steps: maxSteps}
	found, ends := m.findForms()
	l := m.language()
	before := len(s.tokens) // a question
	if m.question {
		before = s.beforeQuestion(l, 0)
	}
	judged := m
	if before < len(s.tokens) {
		judged.sentence = &sentence{tokens: s.tokens[:before]}
	}
	worth, kind := judge(judged.features(l, found, ends != nil), l.hasDate(&judged))
	switch {
	case len(found) > 0:
		says = slices.DeleteFunc(found, func(f find) bool { return f.isBare() || f.kind != Forget && worth < leastOfForm })
	case ends == nil && !judged.question && isWorthy(worth, kind) && (!m.question || worth >= leastOfPreference):
		says = judged.whole(l, worth, kind)
	}
	for i := range says {
		says[i].confidence = (2*says[i].pattern.confidence + worth) / 3
		m.finish(&says[i])
	}
	if ends != nil && len(found) == 0 && worth >= leastOfForm {
		for _, f := range m.whole(l, worth, kind) {
			m.finish(&f)
			ends.instead = &f
		}
	}
	return says, ends
}

// whole returns the sentence as a statement that has no form, nothing if it supposes, is too long, says nothing alone, or
// wants something only once.
func (m *matcher) whole(l *language, worth float64, kind Kind) []find {
	f := find{
		pattern: &pattern{kind: kind, confidence: worth, language: l}, sentence: m.sentence, confidence: worth,
		from: m.tokens[0].from, to: m.tokens[len(m.tokens)-1].to,
	}
	if utf8.RuneCountInString(m.text[f.from:f.to]) > maxText || l.excludes(m.of(l), f) || l.isPointing(m.sentence) || kind == Instruction && m.of(l).anyOf(l.once, len(m.tokens)) {
		return nil
	}
	return []find{f}
}

// isPointing reports whether a sentence says no more than a word about something that it only points at: "I don't like this".
func (l *language) isPointing(s *sentence) bool {
	stems := l.stems(s.tokens, func(int, *token) bool { return true })
	return len(stems) == 0 || len(stems) == 1 && slices.ContainsFunc(s.tokens, func(t token) bool { return l.points[t.word] })
}

// findForms returns what has a form: the surest statements, those that have no word in common with them, and what ends others.
func (m *matcher) findForms() (chosen []find, ends *ending) {
	c, s := m.Counter, m.sentence
	known := forms()
	starts := make([][]bool, len(known.languages))
	var likely []bool // languages
	for at := range s.tokens {
		if s.tokens[at].mark {
			continue
		}
		if !c.Take(1) {
			return nil, nil
		}
		for p := range known.beginWith(s.tokens[at].word) {
			if likely == nil {
				likely = known.likely(s)
			}
			if !likely[p.language.number] {
				continue
			}
			m.forms = p.language
			if starts[p.language.number] == nil {
				starts[p.language.number] = s.clauses(p.language)
			}
			m.starts = starts[p.language.number]
			m.match(p.elements, at, func(end int) bool {
				f := find{pattern: p, about: p.about, sentence: s, start: at, end: end}
				switch {
				case p.kind == End && ends != nil || p.language.excludes(m, f):
				case p.kind == End:
					ends = m.ending(f)
				default:
					if f.from, f.to = f.extent(p.language); f.to-f.from <= MaxBytes {
						chosen = insert(chosen, f)
					}
				}
				return true
			})
		}
	}
	return chosen, ends
}

// insert adds a find, unless a better one has a part of its text.
func insert(chosen []find, f find) []find {
	for i := range chosen {
		if old := &chosen[i]; f.from < old.to && old.from < f.to {
			if f.isBetter(old) {
				*old = f
			}
			return chosen
		}
	}
	return append(chosen, f)
}

// isBetter reports whether a find takes the place of another one in the same text: the surer one, but in "forget that I live in
// Lyon" the one that takes back, which learns from the other what it is about.
func (f *find) isBetter(old *find) bool {
	switch {
	case f.kind == Forget && old.kind != Forget && f.start <= old.start:
		f.about = old.about
		return true
	case old.kind == Forget && f.kind != Forget && old.start <= f.start:
		old.about = cmp.Or(old.about, f.about)
		return false
	}
	return f.pattern.confidence > old.pattern.confidence
}

// clauses reports for each token whether a clause begins with it.
func (s *sentence) clauses(l *language) []bool {
	starts := make([]bool, len(s.tokens)+1)
	for i := range s.tokens {
		starts[i] = i == 0 || s.tokens[i-1].mark || l.joins[s.tokens[i-1].word]
		if l.characters() { // of which several are a word
			before := ""
			for j := i - 1; j >= max(i-4, 0) && !starts[i]; j-- {
				before = s.tokens[j].word + before
				starts[i] = l.joins[before]
			}
		}
	}
	return starts
}

// eachClause yields the tokens of each clause, without the mark or the word that joins it.
func (s *sentence) eachClause(l *language) iter.Seq[[]token] {
	return func(yield func([]token) bool) {
		starts, from := s.clauses(l), 0
		for i := 1; i <= len(s.tokens); i++ {
			if i < len(s.tokens) && !starts[i] {
				continue
			}
			if !yield(s.tokens[from:i]) {
				return
			}
			from = i
		}
	}
}

// extent returns the bytes of a statement: the sentence or, if that is long, the clauses around the match without a question at
// their end.
func (f *find) extent(l *language) (from, to int) {
	tokens := f.sentence.tokens
	begin, last := 0, len(tokens)
	if tokens[last-1].to-tokens[0].from > maxText {
		if f.sentence.question {
			last = f.sentence.beforeQuestion(l, f.end)
		}
		begin, last = f.around(last)
	}
	return tokens[begin].from, tokens[last-1].to
}

// beforeQuestion returns the number of tokens before a question at the end of the sentence that begins at a token or later.
func (s *sentence) beforeQuestion(l *language, at int) int {
	for i := at; i < len(s.tokens); i++ {
		if s.tokens[i].mark && l.asksAfter(s.tokens, i+1) {
			return i
		}
	}
	return len(s.tokens)
}

// around returns the clauses around a match that are within the length of a statement.
func (f *find) around(last int) (begin, end int) {
	tokens := f.sentence.tokens
	begin = f.start
	for begin > 0 && !tokens[begin-1].mark {
		begin--
	}
	for i := begin - 1; i >= 0; i-- { // the clause before, which may name what the match points at
		if i == 0 || tokens[i-1].mark {
			if tokens[f.end-1].to-tokens[i].from <= maxText/2 {
				begin = i
			}
			break
		}
	}
	end = f.end
	for i := f.end; i <= last; i++ {
		if i == last || tokens[i].mark {
			if tokens[i-1].to-tokens[begin].from > maxText && end > f.end {
				break
			}
			end = i
		}
	}
	for end-1 > f.end && tokens[end-1].to-tokens[begin].from > 2*maxText { // one clause of many words
		end--
	}
	return begin, end
}
