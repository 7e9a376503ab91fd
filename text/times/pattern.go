package times

import (
	"fmt"
	"slices"
	"strings"
)

// pattern is a form of times: a sequence of words with alternatives.
//
//	word         this word          (a b|c)    one of these
//	x?           x once or not      !x         not x here
//	@name        a word or words of a class: @month, @unit, @number …
//	@time        what another pattern matches
//	@lead        up to three prepositions, articles and commas
type pattern struct {
	elements []element
	make     operation
	argument int
	alone    float64 // the confidence
	led      float64 // the confidence after a preposition
}

type element struct {
	alternatives [][]element // of a group
	words        []int32     // alternatives of one word, sorted
	class        class
	optional     bool
	not          bool
}

// patternParser reads a pattern.
type patternParser struct {
	text string
	word func(string) []int32 // the numbers of the tokens of a word
}

func (p *patternParser) pattern() (elements []element, err error) {
	text := p.text
	defer func() {
		if problem := recover(); problem != nil {
			elements, err = nil, fmt.Errorf("pattern %q: %v", text, problem)
		}
	}()
	alternatives := p.alternatives()
	if p.text != "" {
		panic("has a ) without (")
	}
	if len(alternatives) > 1 {
		return []element{group(alternatives)}, nil
	}
	return alternatives[0], nil
}

// alternatives reads up to the end or a closing bracket.
func (p *patternParser) alternatives() (all [][]element) {
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
			sequence = append(sequence, p.element())
		}
	}
}

func (p *patternParser) element() (e element) {
	not := p.text[0] == '!'
	if not {
		p.text = p.text[1:]
	}
	if p.text[0] == '(' {
		p.text = p.text[1:]
		e = group(p.alternatives())
		if p.text == "" {
			panic("has a ( without )")
		}
		p.text = p.text[1:]
	} else {
		end := strings.IndexAny(p.text+" ", " |()?")
		e = p.single(p.text[:end])
		p.text = p.text[end:]
	}
	if e.not = not; p.text != "" && p.text[0] == '?' {
		e.optional, p.text = true, p.text[1:]
	}
	return e
}

// single returns the element of a word or class.
func (p *patternParser) single(text string) element {
	if name, found := strings.CutPrefix(text, "@"); found {
		c, known := classes[name]
		if !known {
			panic("has an unknown class: " + name)
		}
		return element{class: c}
	}
	words := p.word(text)
	if len(words) == 1 {
		return element{words: words}
	}
	var sequence []element
	for i := range words {
		sequence = append(sequence, element{words: words[i : i+1]})
	}
	return element{alternatives: [][]element{sequence}}
}

// group returns an element that matches one of some sequences.
func group(alternatives [][]element) element {
	var words []int32
	for _, a := range alternatives {
		if len(a) != 1 || a[0].words == nil || a[0].optional || a[0].not {
			return element{alternatives: alternatives}
		}
		words = append(words, a[0].words...)
	}
	slices.Sort(words)
	return element{words: slices.Compact(words)}
}

// starts calls each with the elements that may match first, and reports whether one of them must match.
func starts(elements []element, each func(element)) bool {
	for _, e := range elements {
		if e.not {
			continue
		}
		certain := true
		if e.alternatives == nil {
			each(e)
		}
		for _, a := range e.alternatives {
			certain = starts(a, each) && certain
		}
		if certain && !e.optional {
			return true
		}
	}
	return false
}

// capture has what a class matched.
type capture struct {
	class class
	value int32
	weak  bool // the word is more often another one
	upper bool // it has a capital
	span  *span
}

const maxCaptures = 8

// matcher matches patterns at a place of a chart.
type matcher struct {
	chart    *chart
	captures [maxCaptures]capture
	captured int
	steps    int
	found    func(end int)
}

// rest matches what follows a group.
type rest struct {
	elements []element
	after    *rest
}

// match calls found with each end of a match of the elements and the rest.
func (m *matcher) match(elements []element, at int, after *rest) {
	if m.steps--; m.steps < 0 {
		return
	}
	m.chart.Take(1)
	if len(elements) == 0 {
		if after == nil {
			m.found(at)
			return
		}
		m.match(after.elements, at, after.after)
		return
	}
	e := &elements[0]
	if e.not {
		if !m.matches(e, at) {
			m.match(elements[1:], at, after)
		}
		return
	}
	switch {
	case e.alternatives != nil:
		next := rest{elements[1:], after}
		for _, a := range e.alternatives {
			m.match(a, at, &next)
		}
	case e.words != nil:
		if at < len(m.chart.tokens) && hasWord(e.words, m.chart.tokens[at].word) {
			m.match(elements[1:], at+1, after)
		}
	default:
		m.matchClass(e.class, elements[1:], at, after)
	}
	if e.optional {
		m.match(elements[1:], at, after)
	}
}

// matches reports whether an element of words and numbers matches, without captures.
func (m *matcher) matches(e *element, at int) bool {
	other := matcher{chart: m.chart, steps: 50}
	matched := false
	other.found = func(int) { matched = true }
	positive := *e
	positive.not, positive.optional = false, false
	other.match([]element{positive}, at, nil)
	return matched
}

func hasWord(words []int32, word int32) bool {
	if len(words) > 8 {
		_, found := slices.BinarySearch(words, word)
		return found
	}
	return slices.Contains(words, word)
}

// matchClass matches a class and then the other elements.
func (m *matcher) matchClass(c class, others []element, at int, after *rest) {
	switch c {
	case classTime:
		if at >= len(m.chart.tokens) {
			return
		}
		for i := range m.chart.entries[at] {
			entry := &m.chart.entries[at][i]
			m.capture(capture{class: c, weak: entry.weak, span: &entry.span}, others, entry.end, after)
		}
	case classLead:
		for n := 0; ; n++ {
			m.match(others, at, after)
			if n == maxLead || at >= len(m.chart.tokens) || !m.chart.language.leads(m.chart.tokens[at].word) {
				return
			}
			at++
		}
	default:
		if value, end := m.chart.classAt(c, at); end > at {
			m.capture(capture{class: c.captured(), value: value.number, weak: value.weak, upper: m.chart.tokens[at].upper}, others, end, after)
		}
	}
}

// capture matches the other elements with one more capture.
func (m *matcher) capture(c capture, others []element, at int, after *rest) {
	if m.captured == maxCaptures {
		return
	}
	m.captures[m.captured] = c
	m.captured++
	m.match(others, at, after)
	m.captured--
}
