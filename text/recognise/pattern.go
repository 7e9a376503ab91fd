package recognise

import (
	"fmt"
	"maps"
	"strings"

	"kith/text/steps"
)

// pattern is a form of statements: a sequence of words with alternatives.
//
//	word         this word          word%      a word that begins like this
//	%word        a word that ends like this
//	(a b|c)      one of these       x?  x*     x once or not; any number of times
//	!x           not x here         ~          up to eight words of one clause, or "gap"
//	<            a clause begins    >          the sentence ends
//	^            the sentence begins
//	@date @name @number             a time, a word in upper case, a number
type pattern struct {
	elements   []element
	kind       Kind
	negative   bool
	confidence float64
	about      string // of a fact: what it is about
	language   *language
}

type element struct {
	alternatives [][]element     // of a group
	words        map[string]bool // alternatives of one word
	begin        map[string]bool // words with which the others begin; nil if one may begin otherwise
	word         string
	prefix       bool
	suffix       bool
	optional     bool
	repeated     bool
	not          bool
	class        byte // '~', '<', '>', '^', 'd', 'n', '#'; 0: a word or a group
}

const gap = 8 // words that ~ may stand for, unless a language has another number

// parser reads a pattern.
type parser struct{ text string }

func parsePattern(text string) (elements []element, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			elements, err = nil, fmt.Errorf("pattern %q: %v", text, problem)
		}
	}()
	p := &parser{text}
	alternatives := p.alternatives()
	if p.text != "" {
		panic("has a ) without (")
	}
	if len(alternatives) > 1 {
		return []element{{alternatives: alternatives}}, nil
	}
	return alternatives[0], nil
}

// alternatives reads up to the end or a closing bracket.
func (p *parser) alternatives() (all [][]element) {
	sequence := []element{}
	for {
		p.text = strings.TrimLeft(p.text, " ")
		switch {
		case p.text == "" || p.text[0] == ')':
			return append(all, sequence)
		case p.text[0] == '|':
			p.text = p.text[1:]
			all, sequence = append(all, sequence), []element{}
		default:
			sequence = append(sequence, p.element()...)
		}
	}
}

func (p *parser) element() []element {
	var e element
	if p.text[0] == '!' {
		e.not, p.text = true, p.text[1:]
	}
	var more []element
	switch c := p.text[0]; c {
	case '(':
		p.text = p.text[1:]
		e.group(p.alternatives())
		if p.text == "" {
			panic("has a ( without )")
		}
		p.text = p.text[1:]
	case '~', '<', '>', '^':
		e.class, p.text = c, p.text[1:]
	default:
		end := strings.IndexAny(p.text+" ", " |()?*")
		word := p.text[:end]
		p.text = p.text[end:]
		switch word {
		case "@date":
			e.class = 'd'
		case "@name":
			e.class = 'n'
		case "@number":
			e.class = '#'
		default:
			word, e.prefix = strings.CutSuffix(word, "%")
			if word, e.suffix = strings.CutPrefix(word, "%"); e.suffix {
				e.word = word
				break
			}
			if e.prefix && strings.HasSuffix(word, "'") { // of a contraction
				e.word = word
				break
			}
			for at := 0; at < len(word); { // characters are tokens of their own
				t := nextToken(word, at, len(word))
				more = append(more, element{word: t.word})
				at = t.to
			}
			more[len(more)-1].prefix = e.prefix
			if len(more) == 1 {
				e.word = more[0].word
			} else {
				e.group([][]element{more})
				e.prefix = false
			}
		}
	}
	if p.text != "" && (p.text[0] == '?' || p.text[0] == '*') {
		e.optional, e.repeated = true, p.text[0] == '*'
		p.text = p.text[1:]
	}
	return []element{e}
}

// group makes the element match one of some sequences.
func (e *element) group(alternatives [][]element) {
	e.alternatives, e.words = [][]element{}, map[string]bool{}
	begin, known := map[string]bool{}, true
	for _, a := range alternatives {
		if len(a) == 1 && a[0].plain() {
			e.words[a[0].word] = true
			continue
		}
		e.alternatives = append(e.alternatives, a)
		known = addBegin(begin, a) && known
	}
	if known {
		e.begin = begin
	}
}

// plain reports whether the element is one certain word.
func (e *element) plain() bool {
	return e.word != "" && !e.prefix && !e.suffix && !e.optional && !e.not
}

// addBegin adds the words with which a sequence begins. It returns false if it may begin otherwise.
func addBegin(words map[string]bool, sequence []element) bool {
	if len(sequence) == 0 {
		return false
	}
	e := &sequence[0]
	if e.plain() {
		words[e.word] = true
		return true
	}
	if e.words == nil || e.optional || e.not || e.begin == nil {
		return false
	}
	maps.Copy(words, e.words)
	maps.Copy(words, e.begin)
	return true
}

// first calls add with each word that may begin the sequence. It returns false if a match may begin with any word.
func first(elements []element, add func(word string, prefix bool)) bool {
	for _, e := range elements {
		if e.not || e.class == '<' || e.class == '^' {
			continue
		}
		if e.class != 0 || e.suffix {
			return false
		}
		if e.word != "" {
			add(e.word, e.prefix)
		}
		for word := range e.words {
			add(word, false)
		}
		for _, a := range e.alternatives {
			if !first(a, add) {
				return false
			}
		}
		if !e.optional {
			return true
		}
	}
	return false
}

// matcher matches patterns with a sentence.
type matcher struct {
	*steps.Counter
	*sentence

	text   string // in which upper case is kept
	forms  *language
	starts []bool // where clauses begin
	steps  int    // that are left for the sentence
}

// match calls found with each end of a match at a token, until it returns true.
func (m *matcher) match(elements []element, at int, found func(end int) bool) bool {
	if m.steps--; m.steps < 0 || !m.Take(1) {
		return false
	}
	if len(elements) == 0 {
		return found(at)
	}
	e, rest := &elements[0], elements[1:]
	if e.not {
		positive := *e
		positive.not = false
		return !m.match([]element{positive}, at, func(int) bool { return true }) && m.match(rest, at, found)
	}
	next := func(end int) bool {
		if e.repeated && end > at {
			return m.match(elements, end, found)
		}
		return m.match(rest, end, found)
	}
	if m.once(e, at, next) {
		return true
	}
	return e.optional && m.match(rest, at, found)
}

// once matches an element once.
func (m *matcher) once(e *element, at int, next func(end int) bool) bool {
	if e.words != nil {
		return m.oneOf(e, at, next)
	}
	switch e.class {
	case '<':
		return at < len(m.starts) && m.starts[at] && next(at)
	case '^':
		return at == 0 && next(at)
	case '>':
		return m.over(at) && next(at)
	case '~':
		for end := at; end <= min(at+m.forms.gap, len(m.tokens)); end++ {
			if next(end) {
				return true
			}
			if end < len(m.tokens) && m.tokens[end].mark {
				break
			}
		}
		return false
	}
	if at >= len(m.tokens) {
		return false
	}
	t := &m.tokens[at]
	switch e.class {
	case 'd':
		end := m.forms.date(m.Counter, m.tokens, at)
		return end > at && next(end)
	case 'n':
		c := m.text[t.from]
		return !t.mark && (c >= 'A' && c <= 'Z' || c >= 0x80) && next(at+1)
	case '#':
		c := t.word[0]
		return c >= '0' && c <= '9' && next(at+1)
	}
	return (t.word == e.word || e.suffix && strings.HasSuffix(t.word, e.word) || e.prefix && strings.HasPrefix(t.word, e.word)) && next(at+1)
}

// oneOf matches one of the alternatives of a group.
func (m *matcher) oneOf(e *element, at int, next func(end int) bool) bool {
	if at < len(m.tokens) && e.words[m.tokens[at].word] && next(at+1) {
		return true
	}
	if e.begin != nil && (at >= len(m.tokens) || !e.begin[m.tokens[at].word]) {
		return false
	}
	for _, a := range e.alternatives {
		if len(a) > 0 && a[0].plain() && (at >= len(m.tokens) || m.tokens[at].word != a[0].word) {
			continue
		}
		if m.match(a, at, next) {
			return true
		}
	}
	return false
}

// over reports whether only marks follow.
func (m *matcher) over(at int) bool {
	for ; at < len(m.tokens); at++ {
		if !m.tokens[at].mark {
			return false
		}
	}
	return true
}
