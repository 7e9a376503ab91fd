package recognise

import (
	"slices"
	"strings"
)

// single has the facts of which a user has one.
var single = []string{"name", "birthday", "age", "home"} //nolint:gochecknoglobals // a constant table

// SlotSign begins the name of what a user has one of in Statement.About. No stem has it.
const SlotSign = ":"

const favourite = "favourite"

// isSingle reports whether a user has one of what a statement is about.
func isSingle(about string) bool {
	return slices.Contains(single, about) || strings.HasPrefix(about, SlotSign)
}

// finish sets the polarity of a find, and what it is about if the user has one of it.
func (m *matcher) finish(f *find) {
	l := f.language
	f.isNegative = f.negative
	if f.kind == Instruction {
		f.isNegative = l.negated(f)
	}
	if f.about != "" && f.about != "job" && f.about != "family" || f.isNegative && f.kind != Instruction || f.kind == Forget || f.kind == Plan {
		return
	}
	if slot := m.slotOf(l, func(kind Kind) bool { return kind == f.kind }); slot != "" && !m.of(l).anyOf(l.limits, len(m.tokens)) && !m.of(l).anyOf(l.once, len(m.tokens)) {
		f.about = slot
	}
}

// of returns a matcher of the patterns of a language with the same sentence.
func (m *matcher) of(l *language) *matcher {
	starts := m.starts
	if m.forms != l {
		starts = m.clauses(l)
	}
	return &matcher{Counter: m.Counter, sentence: m.sentence, text: m.text, forms: l, starts: starts, steps: maxSteps}
}

// slotOf returns what the sentence is about if a user has one of it: the first slot of some kinds.
func (m *matcher) slotOf(l *language, among func(Kind) bool) (name string) {
	with := m.of(l)
	for _, s := range l.slots {
		if !among(s.kind) {
			continue
		}
		for at := range m.tokens {
			if with.match(s.elements, at, func(end int) bool {
				name = SlotSign + s.name
				if s.name == favourite {
					last := min(end+1, len(m.tokens))
					name += " " + strings.Join(l.stems(m.tokens, func(i int, _ *token) bool { return i >= at && i < last }), " ")
				}
				return true
			}) {
				return name
			}
		}
	}
	return ""
}

// negated reports whether an instruction says what should not be done: an odd number of words in its clause turn it into its opposite. In
// "always stop at …" none does.
func (l *language) negated(f *find) bool {
	tokens := f.sentence.tokens
	end := f.end
	for end < len(tokens) && !tokens[end].mark {
		end++
	}
	count := 0
	if l.characters() {
		var clause strings.Builder
		for _, t := range tokens[f.start:end] {
			clause.WriteString(t.word)
		}
		for _, words := range []map[string]bool{l.not, l.halt} {
			for word := range words {
				count += strings.Count(clause.String(), word)
			}
		}
		return count%2 == 1
	}
	always := false
	for i, t := range tokens[f.start:end] {
		if l.not[t.word] || l.halt[t.word] && !always && f.start+i < f.end {
			count++
		}
		always = always || l.always[t.word]
	}
	return count%2 == 1
}
