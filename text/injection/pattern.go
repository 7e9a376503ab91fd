package injection

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A pattern is a sequence of words with alternatives. All patterns together are one automaton, which reads each word of a text once.
//
//	word      this word               word%     a word that begins like this
//	(a b|c)   one of these            x?  x*    x once or not; up to three times
//	~  ~8     up to four words, eight <         a clause begins; only at the beginning
//	$name     what "define name:" says
//
// In Chinese and Japanese each character is a word.

type nodeKind byte

const (
	wordNode nodeKind = iota
	seqNode
	altNode
	optNode // up to count times
	gapNode // up to count words
)

type node struct {
	kind   nodeKind
	words  []string // of a wordNode: alternatives; a prefix ends with %
	of     []node
	repeat int
}

// rule gives the meaning of a match of a pattern.
type rule struct {
	kind   Kind // empty: it voids what it overlaps
	weak   bool
	clause bool
}

// state of the automaton takes one word of a class and leads to others. A target below zero is the end of a rule: ^rule.
type state struct {
	class int32 // anyWord: each word
	next  []int32
}

const anyWord = -1

type prefix struct {
	text  string
	class int32
}

// automaton has all patterns.
type automaton struct {
	rules    []rule
	states   []state
	classes  map[string]int32
	byWord   map[string][]int32  // classes of a word
	byPrefix map[string][]prefix // by the first prefixLength bytes
	begins   [][]int32           // by class: states with which patterns begin
	clauses  []bool              // by state: it begins a pattern, and only where a clause begins
	discuss  map[int32]struct{}  // classes of words of those who write about such phrases
}

const prefixLength = 3

func newAutomaton() *automaton {
	return &automaton{classes: map[string]int32{}, byWord: map[string][]int32{}, byPrefix: map[string][]prefix{}, discuss: map[int32]struct{}{}}
}

// add adds a pattern.
func (a *automaton) add(r rule, text string) error {
	text = strings.TrimSpace(text)
	if rest, found := strings.CutPrefix(text, "<"); found {
		r.clause, text = true, rest
	}
	p := &patternParser{text: text}
	n, err := p.alternatives()
	if err == nil && p.text != "" {
		err = fmt.Errorf("a ) without (")
	}
	if err != nil {
		return fmt.Errorf("pattern %q: %w", text, err)
	}
	a.rules = append(a.rules, r)
	for _, s := range a.build(&n, []int32{^int32(len(a.rules) - 1)}) {
		if s < 0 || a.states[s].class == anyWord {
			return fmt.Errorf("pattern %q begins with any word", text)
		}
		class := a.states[s].class
		for int(class) >= len(a.begins) {
			a.begins = append(a.begins, nil)
		}
		own := s // a state of its own where only a clause may begin
		if r.clause {
			a.states = append(a.states, state{class, a.states[s].next})
			own = int32(len(a.states) - 1)
		}
		for len(a.clauses) < len(a.states) {
			a.clauses = append(a.clauses, false)
		}
		a.clauses[own] = r.clause
		a.begins[class] = append(a.begins[class], own)
	}
	return nil
}

// build adds the states of a node before some targets, and returns its own.
func (a *automaton) build(n *node, follow []int32) []int32 {
	switch n.kind {
	case wordNode:
		a.states = append(a.states, state{a.class(n.words), follow})
		return []int32{int32(len(a.states) - 1)}
	case seqNode:
		for i := len(n.of) - 1; i >= 0; i-- {
			follow = a.build(&n.of[i], follow)
		}
		return follow
	case altNode:
		var all []int32
		for i := range n.of {
			all = union(all, a.build(&n.of[i], follow))
		}
		return all
	case optNode:
		all := follow
		for range n.repeat {
			all = union(a.build(&n.of[0], all), follow)
		}
		return all
	case gapNode:
		all := follow
		for range n.repeat {
			a.states = append(a.states, state{anyWord, all})
			all = union([]int32{int32(len(a.states) - 1)}, follow)
		}
		return all
	}
	return follow
}

func union(a, b []int32) []int32 {
	all := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// class returns the number of a set of words.
func (a *automaton) class(words []string) int32 {
	words = slices.Compact(slices.Sorted(slices.Values(words)))
	key := strings.Join(words, " ")
	if c, known := a.classes[key]; known {
		return c
	}
	c := int32(len(a.classes))
	a.classes[key] = c
	for _, word := range words {
		if begin, is := strings.CutSuffix(word, "%"); is {
			key := begin[:prefixLength]
			a.byPrefix[key] = append(a.byPrefix[key], prefix{begin, c})
			continue
		}
		a.byWord[word] = append(a.byWord[word], c)
	}
	return c
}

// patternParser reads a pattern.
type patternParser struct{ text string }

// alternatives reads up to the end or a closing bracket. Alternatives of one word become one node.
func (p *patternParser) alternatives() (node, error) {
	all, seq := []node{}, []node{}
	words := []string{}
	flush := func() {
		if len(seq) == 1 && seq[0].kind == wordNode {
			words = append(words, seq[0].words...)
		} else {
			all = append(all, node{kind: seqNode, of: seq})
		}
		seq = nil
	}
	for {
		p.text = strings.TrimLeft(p.text, " ")
		if p.text == "" || p.text[0] == ')' {
			break
		}
		if p.text[0] == '|' {
			p.text = p.text[1:]
			flush()
			continue
		}
		n, err := p.element()
		if err != nil {
			return node{}, err
		}
		seq = append(seq, n...)
	}
	flush()
	if len(words) > 0 {
		all = append(all, node{kind: wordNode, words: words})
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return node{kind: altNode, of: all}, nil
}

func (p *patternParser) element() ([]node, error) {
	var of []node
	switch p.text[0] {
	case '(':
		p.text = p.text[1:]
		n, err := p.alternatives()
		if err != nil {
			return nil, err
		}
		if p.text == "" {
			return nil, fmt.Errorf("a ( without )")
		}
		p.text, of = p.text[1:], []node{n}
	case '~':
		digits := len(p.text[1:]) - len(strings.TrimLeft(p.text[1:], "0123456789"))
		n := 4
		if digits > 0 {
			n, _ = strconv.Atoi(p.text[1 : 1+digits])
		}
		p.text = p.text[1+digits:]
		return []node{{kind: gapNode, repeat: n}}, nil
	default:
		end := strings.IndexAny(p.text+" ", " |()?*~")
		word := p.text[:end]
		p.text = p.text[end:]
		var err error
		if of, err = wordNodes(word); err != nil {
			return nil, err
		}
	}
	if p.text != "" && (p.text[0] == '?' || p.text[0] == '*') {
		repeat := 1
		if p.text[0] == '*' {
			repeat = 3
		}
		p.text = p.text[1:]
		of = []node{{kind: optNode, repeat: repeat, of: []node{{kind: seqNode, of: of}}}}
	}
	return of, nil
}

// wordNodes returns the words of a text as the lexer reads them.
func wordNodes(text string) ([]node, error) {
	text, isPrefix := strings.CutSuffix(text, "%")
	var all []node
	for l := (lexer{text: text}); ; {
		if _, ok := l.next(); !ok {
			break
		}
		all = append(all, node{words: []string{string(l.word)}})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%q is no word", text)
	}
	if last := &all[len(all)-1].words[0]; isPrefix {
		if len(*last) < prefixLength {
			return nil, fmt.Errorf("%q is too short for the beginning of words", text)
		}
		*last += "%"
	}
	return all, nil
}
