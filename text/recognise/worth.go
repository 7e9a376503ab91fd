package recognise

import (
	_ "embed"
	"math"
	"slices"
	"unicode"
	"unicode/utf8"
)

// A model tells how likely a sentence is worth keeping, and of what kind it is, whatever its form: a linear classifier of its words, pairs of
// words, beginnings and endings of words, and forms. TestCorpus trains it with the corpus in testdata.
//
// It has a weight for each output and bucket of features.
//
//go:embed worth.bin
var trained []byte

const (
	buckets     = 1 << 16
	weightScale = 24 // of a stored weight
)

// The kinds that the model tells apart, by their letters in the corpus. What happened is a fact.
const letters = "IPFLE"

var modelKinds = []Kind{Instruction, Preference, Fact, Plan, Fact} //nolint:gochecknoglobals // a constant table

// outputs is how many outputs the model has: the worth, then one for each of modelKinds.
const outputs = 1 + len(letters)

// How likely a sentence must be worth keeping to be a statement: more if it has no form. Preferences stand before facts, so less sure ones
// would take their place.
const (
	leastOfForm       = 0.1
	Worthy            = 0.5
	leastOfPreference = 0.65 // without a form
)

// isWorthy reports whether a sentence without a form is a statement of a kind.
func isWorthy(worth float64, kind Kind) bool {
	return worth >= Worthy && (kind != Preference || worth >= leastOfPreference)
}

// judge returns how likely a sentence with some features is worth keeping, 0 to 1, and its kind. What has a date is a plan, unless it rather
// happened.
func judge(features []uint32, dated bool) (worth float64, kind Kind) {
	best, plan, event := math.Inf(-1), 0.0, 0.0
	for i, k := range modelKinds {
		z := sum(i+1, features)
		if z > best {
			best, kind = z, k
		}
		switch letters[i] {
		case 'L':
			plan = z
		case 'E':
			event = z
		}
	}
	switch {
	case kind == Plan && !dated:
		kind = Fact
	case kind == Fact && dated && plan > event:
		kind = Plan
	}
	return 1 / (1 + math.Exp(-sum(0, features))), kind
}

// sum returns the sum of the weights of features for an output.
func sum(output int, features []uint32) float64 {
	total := 0
	for _, f := range features {
		total += int(int8(trained[output*buckets+int(f)])) //nolint:gosec // bytes are signed weights
	}
	return float64(total) / weightScale
}

// features returns the buckets of what a sentence has, each once, with the forms that were found in it.
func (m *matcher) features(l *language, found []find, ends bool) []uint32 {
	b := make(bag, 0, 8*len(m.tokens)+16)
	b.add("bias")
	previous, names, numbers, words := "^", 0, 0, 0
	for i := range m.tokens {
		t := &m.tokens[i]
		b.add("w", t.word)
		b.add("b", previous, t.word)
		previous = t.word
		if t.mark {
			continue
		}
		if words++; words <= 2 {
			b.add("first", t.word)
		}
		if beginning, end, ok := endsOf(t.word); ok {
			b.add("p", beginning)
			b.add("s", end)
		}
		first, _ := utf8.DecodeRuneInString(m.text[t.from:])
		switch {
		case unicode.IsDigit(first):
			numbers++
		case i > 0 && unicode.IsUpper(first):
			names++
		}
		if l.own[t.word] {
			b.add("own")
		}
		if l.mine[t.word] {
			b.add("mine")
		}
	}
	b.add("end", previous)
	b.count("names", names)
	b.count("numbers", numbers)
	b.count("length", words/3)
	if m.question {
		b.add("question")
	}
	if ends {
		b.add("ends")
	}
	if len(found) == 0 {
		b.add("no form")
	}
	for i := range found {
		b.add("form", string(found[i].kind))
		b.add("form", string(found[i].kind), found[i].about)
	}
	slices.Sort(b)
	return slices.Compact(b)
}

// endsOf returns the first four and the last three characters of a word that has more than four.
func endsOf(word string) (beginning, end string, ok bool) {
	if utf8.RuneCountInString(word) <= 4 {
		return "", "", false
	}
	first, last := 0, len(word)
	for range 4 {
		_, size := utf8.DecodeRuneInString(word[first:])
		first += size
	}
	for range 3 {
		_, size := utf8.DecodeLastRuneInString(word[:last])
		last -= size
	}
	return word[:first], word[last:], true
}

// bag collects the buckets of features.
type bag []uint32

func (b *bag) add(parts ...string) { *b = append(*b, uint32(fnv(parts)%buckets)) }

// count adds that there are some of something, up to six.
func (b *bag) count(what string, n int) {
	b.add(what, string(rune('0'+min(n, 6))))
}

// fnv hashes texts with FNV-1a. http://www.isthe.com/chongo/tech/comp/fnv/
func fnv(parts []string) uint64 {
	h := uint64(14695981039346656037)
	for _, part := range parts {
		for i := range len(part) {
			h = (h ^ uint64(part[i])) * 1099511628211
		}
		h = (h ^ 0xff) * 1099511628211
	}
	return h
}
