package times

import (
	"slices"
	"time"

	"kith/text/steps"
)

// chart has the times that begin at each token. It is filled from the end of the text, so that patterns find the times in them.
type chart struct {
	*steps.Counter

	tokens   []token
	table    *table
	language *language
	asked    time.Time
	entries  [][]entry
}

// entry is a match of a pattern.
type entry struct {
	span       span
	end        int // token
	alone, led float64
	weak       bool
}

const (
	maxEntries = 8   // that begin at a token
	maxSteps   = 600 // of matching at a token
)

// read returns the best expressions that do not overlap, and how good they are together.
func (c *chart) read() (found []Expression, score float64) {
	c.entries = make([][]entry, len(c.tokens)+1)
	m := matcher{chart: c}
	for at := len(c.tokens) - 1; at >= 0; at-- {
		c.Take(1)
		patterns := c.language.patterns[c.tokens[at].word]
		if len(patterns) > 0 {
			m.steps = maxSteps
			c.fill(&m, patterns, at)
		}
	}
	return c.choose()
}

// fill adds the times that begin at a token.
func (c *chart) fill(m *matcher, patterns []*pattern, at int) {
	for _, p := range patterns {
		m.found = func(end int) { c.add(m, p, at, end) }
		m.match(p.elements, at, nil)
	}
	for i := 0; i < len(c.entries[at]); i++ {
		for _, p := range c.language.onTimes {
			e := c.entries[at][i]
			m.found = func(end int) { c.add(m, p, at, end) }
			m.captured = 0
			m.capture(capture{class: classTime, weak: e.weak, span: &e.span}, p.elements[1:], e.end, nil)
		}
	}
}

// add adds what a pattern matched, unless the same is known with a higher confidence.
func (c *chart) add(m *matcher, p *pattern, at, end int) {
	r := reading{captures: m.captures[:m.captured], argument: p.argument, asked: c.asked}
	s, ok := p.make(&r)
	if !ok || !s.valid() {
		return
	}
	e := entry{span: s, end: end, alone: p.alone, led: p.led}
	for _, captured := range r.captures {
		e.weak = e.weak || captured.weak && captured.class != classTime && (s.grain != day || !captured.upper)
	}
	for i := range c.entries[at] {
		if old := &c.entries[at][i]; old.end == end && old.span.grain == s.grain {
			if e.led > old.led {
				old.span, old.alone, old.led, old.weak = e.span, e.alone, e.led, e.weak
			}
			return
		}
	}
	if len(c.entries[at]) < maxEntries {
		c.entries[at] = append(c.entries[at], e)
	}
}

// choose returns the entries with the highest confidences for the most words.
func (c *chart) choose() (found []Expression, score float64) {
	scores := make([]float64, len(c.tokens)+1) // of the best choice from a token on
	best := make([]int, len(c.tokens))         // the entry to choose at a token, counted from 1
	for at := len(c.tokens) - 1; at >= 0; at-- {
		scores[at] = scores[at+1]
		for i := range c.entries[at] {
			e := &c.entries[at][i]
			sure := c.confidence(e, at)
			if sure < leastConfidence {
				continue
			}
			if s := sure*float64(e.end-at) - 0.05 + scores[e.end]; s > scores[at] {
				scores[at], best[at] = s, i+1
			}
		}
	}
	last := 0
	for at := 0; at < len(c.tokens); {
		if best[at] == 0 {
			at++
			continue
		}
		e := &c.entries[at][best[at]-1]
		if e.span.grain != nothing {
			found = append(found, c.expression(e, at, last))
		}
		at, last = e.end, e.end
	}
	return found, scores[0]
}

// expression returns an entry as an expression that begins at a token or its prepositions after another expression.
func (c *chart) expression(e *entry, at, last int) Expression {
	first, _ := c.lead(at)
	x := Expression{Start: int(c.tokens[max(first, last)].start), End: int(c.tokens[e.end-1].end), Sessions: e.span.sessions, Confidence: c.confidence(e, at)}
	x.From, x.Until = e.span.from, e.span.until
	if e.span.toNow && x.From.Before(c.asked) && x.Until.After(c.asked) {
		x.Until = c.asked
	}
	return x
}

// lead returns where the prepositions and articles before a token begin, and whether there is a preposition.
func (c *chart) lead(at int) (first int, led bool) {
	first = at
	for first > 0 && at-first < maxLead && !led && c.language.is(c.tokens[first-1].word, preposition|article) {
		first--
		led = c.language.is(c.tokens[first].word, preposition)
	}
	for led && first > 0 && c.language.is(c.tokens[first-1].word, opener) {
		first--
		c.Take(1)
	}
	return first, led
}

// confidence returns the confidence of an entry by the words around it; 0 if they make it something else.
func (c *chart) confidence(e *entry, at int) float64 {
	l := c.language
	first, led := c.lead(at)
	if max(e.alone, e.led) < leastConfidence || c.cut(at) || c.cut(e.end) || c.money(at, e.end) {
		return 0
	}
	if first > 0 && l.is(c.tokens[first-1].word, never) || at > 0 && l.is(c.tokens[at-1].word, never) {
		return 0
	}
	if at > 0 && !led && (l.is(c.tokens[at-1].word, title) || at > 1 && c.tokens[at-1].kind == mark && l.is(c.tokens[at-2].word, title)) {
		return 0
	}
	if e.end < len(c.tokens) && c.tokens[e.end-1].digits == 4 && l.is(c.tokens[e.end].word, counted) {
		return 0
	}
	switch {
	case e.weak && e.alone < e.led && (at == 0 || !l.is(c.tokens[at-1].word, preposition)):
		return e.alone / 2
	case led:
		return e.led
	}
	return e.alone
}

// cut reports whether a token begins within a word or a number.
func (c *chart) cut(at int) bool {
	if at == 0 || at == len(c.tokens) || !c.tokens[at].glued {
		return false
	}
	before, here := c.tokens[at-1], c.tokens[at]
	written := func(t token) bool { return t.kind == word || t.kind == number }
	if written(before) && written(here) {
		return true
	}
	joins := func(t token) bool { return t.kind == mark && slices.Contains(c.table.joining, t.word) }
	return joins(before) && here.number >= 0 && before.glued && at > 1 && c.tokens[at-2].number >= 0 ||
		joins(here) && before.number >= 0 && at+1 < len(c.tokens) && c.tokens[at+1].glued && c.tokens[at+1].number >= 0
}

// money reports whether a sign at a time makes it an amount, a share or a number in a list.
func (c *chart) money(at, end int) bool {
	is := func(i int, glued int) bool {
		return i >= 0 && i < len(c.tokens) && c.tokens[glued].glued && slices.Contains(c.table.counting, c.tokens[i].word)
	}
	return is(at-1, at) || end < len(c.tokens) && is(end, end)
}
