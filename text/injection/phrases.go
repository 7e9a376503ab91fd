package injection

import (
	"cmp"
	"slices"
	"sync"

	"kith/text/steps"
)

// span is a part of a text, in bytes.
type span struct{ from, to int }

// scratch has the buffers of a scan. They are reused.
type scratch struct {
	*steps.Counter

	text   string
	found  []found
	unseen []span // parts that people do not see, in order
	lines  lineSigns

	active, following []thread
	seenState         []int32 // by state: the last word at which it was added
	seenClass         []int32 // by class: the last word that is of it
	voids             []span
	quotes            []quote
}

// thread is a match that has begun.
type thread struct {
	state  int32
	from   int32
	quoted bool
}

// quote is a find within quotation marks: it is void if its sentence is about such phrases.
type quote struct {
	index    int
	sentence int32
}

var scratches = sync.Pool{New: func() any { return &scratch{} }} //nolint:gochecknoglobals // a pool

func (s *scratch) reset(c *steps.Counter, text string) {
	s.Counter, s.text = c, text
	s.found, s.unseen, s.voids, s.quotes = s.found[:0], s.unseen[:0], s.voids[:0], s.quotes[:0]
	s.lines = lineSigns{}
}

// maxFound bounds the finds of a text; more of them say nothing new.
const maxFound = 1000

// phrases adds the phrases that the forms describe.
func (s *scratch) phrases() {
	a := forms()
	if len(s.seenState) < len(a.states) {
		s.seenState, s.seenClass = make([]int32, len(a.states)), make([]int32, len(a.classes))
	}
	clear(s.seenState)
	clear(s.seenClass)
	s.active = s.active[:0]
	var discussed []int32 // sentences
	l := lexer{text: s.text, clause: true}
	sentence, number := int32(0), int32(0)
	for {
		t, ok := l.next()
		if !ok || !s.Take(l.takeSteps()+len(s.active)) {
			break
		}
		number++
		if t.sentence != sentence {
			s.active, sentence = s.active[:0], t.sentence
		}
		s.following = s.following[:0]
		begin := func(class int32) {
			if s.seenClass[class] == number {
				return
			}
			s.seenClass[class] = number
			if _, is := a.discuss[class]; is && (len(discussed) == 0 || discussed[len(discussed)-1] != sentence) {
				discussed = append(discussed, sentence)
			}
		}
		a.classesOf(l.word, begin)
		if len(l.alt) > 0 {
			a.classesOf(l.alt, begin)
		}
		for _, th := range s.active {
			s.step(a, th, t, number)
		}
		start := func(class int32) {
			for _, state := range a.begins[class] {
				if !a.clauses[state] || t.clause {
					s.step(a, thread{state, int32(t.from), t.quoted}, t, number)
				}
			}
		}
		a.classesOf(l.word, start)
		if len(l.alt) > 0 {
			a.classesOf(l.alt, start)
		}
		s.active, s.following = s.following, s.active
	}
	s.void(discussed)
}

// classesOf calls found with the classes of a word.
func (a *automaton) classesOf(word []byte, found func(class int32)) {
	for _, c := range a.byWord[string(word)] {
		found(c)
	}
	if len(word) < prefixLength {
		return
	}
	for _, p := range a.byPrefix[string(word[:prefixLength])] {
		if len(word) >= len(p.text) && string(word[:len(p.text)]) == p.text {
			found(p.class)
		}
	}
}

// step takes a word from a state to those after it.
func (s *scratch) step(a *automaton, th thread, t token, number int32) {
	state := &a.states[th.state]
	if state.class != anyWord && s.seenClass[state.class] != number {
		return
	}
	for _, next := range state.next {
		if next < 0 {
			s.match(a.rules[^next], th, t)
			continue
		}
		if s.seenState[next] != number {
			s.seenState[next] = number
			s.following = append(s.following, thread{next, th.from, th.quoted})
		}
	}
}

func (s *scratch) match(r rule, th thread, t token) {
	if r.kind == "" {
		if len(s.voids) < maxFound {
			s.voids = append(s.voids, span{int(th.from), t.to})
		}
		return
	}
	if len(s.found) >= maxFound {
		return
	}
	if th.quoted {
		s.quotes = append(s.quotes, quote{len(s.found), t.sentence})
	}
	s.found = append(s.found, found{Mark: Mark{r.kind, int(th.from), t.to}, weak: r.weak})
}

// void removes finds that other forms except, and those that are quoted in a sentence about such phrases.
func (s *scratch) void(discussed []int32) {
	const gone = Kind("")
	for _, q := range s.quotes {
		if _, is := slices.BinarySearch(discussed, q.sentence); is {
			s.found[q.index].Kind = gone
		}
	}
	s.voids = joined(s.voids)
	for i := range s.found {
		f := &s.found[i]
		if f.Kind != gone && s.voided(f.Mark) {
			f.Kind = gone
		}
	}
	s.found = slices.DeleteFunc(s.found, func(f found) bool { return f.Kind == gone })
}

// voided reports whether an exception overlaps a mark, or ends right before it. The exceptions are in order, and none overlaps another.
func (s *scratch) voided(m Mark) bool {
	i, _ := slices.BinarySearchFunc(s.voids, m.From, func(v span, at int) int { return cmp.Compare(v.to+1, at) })
	return i < len(s.voids) && s.voids[i].from < m.To
}

// joined sorts spans, and joins those that overlap.
func joined(all []span) []span {
	slices.SortFunc(all, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	kept := all[:0]
	for _, p := range all {
		if n := len(kept); n > 0 && p.from <= kept[n-1].to {
			kept[n-1].to = max(kept[n-1].to, p.to)
			continue
		}
		kept = append(kept, p)
	}
	return kept
}
