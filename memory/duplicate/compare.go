// Package duplicate proposes nodes that may be one thing, without a language model: it compares names and other fields of nodes of one
// kind and user, gives each pair a probability and reasons, and remembers the pairs that somebody refused.
//
// A Worker follows the feed of each team and compares only what has changed. It finds candidates by the hashes of blocks, words by which
// nodes that may be one are likely to meet, so it never compares all with all. Reads list what it stored.
package duplicate

import (
	_ "embed"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
)

// Node has the parts of a node that are compared.
type Node struct {
	Kind       string // person, concept or entity
	Names      []string
	Type       string
	Properties map[string]any
	Neighbours map[string]int // how many relationships each has, by key
}

// Reason is why two nodes may be one, or may not: a code of reasonWords.
type Reason struct {
	Code   string  `json:"code" enum:"same_name,nickname,initials,sounds_alike,spelling,swapped_names,part_of_name,other_name,same_email,similar_email,other_email,same_date,similar_date,other_date,same_number,similar_number,other_number,same_detail,other_detail,same_type,other_type,shared_neighbours,model_same,model_other"`
	Text   string  `json:"text" doc:"the code in words"`
	Weight float64 `json:"weight" doc:"what it adds to the logarithm of the odds; less than 0: it speaks against"`
}

// Match is the result of a comparison.
type Match struct {
	Probability float64
	Reasons     []Reason // the strongest first
}

// profile is a node, prepared for comparisons.
type profile struct {
	kind       string
	names      []name
	emails     []string
	fields     map[string]field
	typ        string
	neighbours map[string]int

	words, sounds []string // the distinct words of the names' cores, and how these sound
}

func (p *profile) isPerson() bool { return p.kind == "person" }

// newProfile prepares a node.
func newProfile(n Node) *profile {
	p := &profile{kind: n.Kind, fields: map[string]field{}, typ: strings.Join(splitWords(n.Type), " "), neighbours: n.Neighbours}
	for _, text := range n.Names[:min(len(n.Names), maxNames)] {
		if local, domain, found := strings.Cut(text, "@"); found && local != "" && strings.Contains(domain, ".") && !strings.Contains(text, " ") {
			p.emails = append(p.emails, strings.ToLower(text))
			continue
		}
		read := thingName
		if p.isPerson() {
			read = personName
		}
		if n := read(text); len(n.words) > 0 && !slices.ContainsFunc(p.names, func(o name) bool { return slices.Equal(o.words, n.words) }) {
			p.names = append(p.names, p.prepared(n))
		}
	}
	p.readFields(n.Properties)
	slices.Sort(p.emails)
	p.emails = slices.Compact(p.emails)
	return p
}

// prepared returns a name with what each comparison needs of it.
func (p *profile) prepared(n name) name {
	n.whole = strings.Join(n.core, "")
	n.sound, n.before, n.numbers = sound(n.whole), n.head(), numbers(n.core)
	for _, words := range [][]string{n.words, n.core} {
		if len(words) > 1 {
			n.letters = append(n.letters, firstLetters(words))
		}
	}
	for _, word := range n.core {
		id := slices.Index(p.words, word)
		if id < 0 {
			id = len(p.words)
			p.words, p.sounds = append(p.words, word), append(p.sounds, sound(word))
		}
		n.ids = append(n.ids, id)
	}
	return n
}

func firstLetters(words []string) string {
	var letters strings.Builder
	for _, w := range words {
		letters.WriteByte(w[0])
	}
	return letters.String()
}

// features are the findings of a comparison, each with its size.
type features map[string]float64

// weights has what each feature adds to the logarithm of the odds.
type weights map[string]float64

//go:embed weights.json
var storedWeights []byte

// modelWeights are the weights of persons and of other kinds.
type modelWeights struct{ Person, Thing weights }

var model = func() modelWeights {
	var m modelWeights
	if err := json.Unmarshal(storedWeights, &m); err != nil {
		panic(err)
	}
	return m
}()

func (m *modelWeights) of(p *profile) weights {
	if p.isPerson() {
		return m.Person
	}
	return m.Thing
}

const bias = "bias"

func (w weights) score(f features) float64 {
	sum := w[bias]
	for _, name := range slices.Sorted(maps.Keys(f)) { // a sum in another order differs in its last digits
		sum += w[name] * f[name]
	}
	return sum
}

// Compare compares two nodes of one kind.
func Compare(a, b Node) Match { return compare(newProfile(a), newProfile(b)) }

func compare(a, b *profile) Match {
	w := model.of(a)
	f := compareAll(a, b, w)
	m := Match{Probability: 1 / (1 + math.Exp(-w.score(f)))}
	byCode := map[string]float64{}
	for _, name := range slices.Sorted(maps.Keys(f)) {
		byCode[codes[name]] += w[name] * f[name]
	}
	for code, weight := range byCode {
		if text := reasonWords[code]; text != "" && math.Abs(weight) >= 0.1 {
			m.Reasons = append(m.Reasons, Reason{code, text, math.Round(weight*100) / 100})
		}
	}
	m.sort()
	return m
}

// sort sorts the reasons, the strongest first.
func (m *Match) sort() {
	slices.SortFunc(m.Reasons, func(x, y Reason) int {
		if x.Weight != y.Weight && math.Abs(x.Weight) != math.Abs(y.Weight) {
			if math.Abs(x.Weight) > math.Abs(y.Weight) {
				return -1
			}
			return 1
		}
		return strings.Compare(x.Code, y.Code)
	})
}

func (m *Match) codes() []string {
	codes := make([]string, len(m.Reasons))
	for i, r := range m.Reasons {
		codes[i] = r.Code
	}
	return codes
}

func (m *Match) weights() []float64 {
	weights := make([]float64, len(m.Reasons))
	for i, r := range m.Reasons {
		weights[i] = r.Weight
	}
	return weights
}

// compareAll returns the features of two nodes; of their names those of the two that fit best with the weights. The result does not
// depend on which node is the first.
func compareAll(a, b *profile, w weights) features {
	if comesAfter(a, b) {
		a, b = b, a
	}
	c := newComparison(a, b)
	best, found := features{}, false
	for sum := range len(a.names) + len(b.names) { // the first names come first: the steps may not last for all
		for i := max(0, sum-len(b.names)+1); i <= min(sum, len(a.names)-1); i++ {
			for _, f := range c.names(a.names[i], b.names[sum-i]) {
				if !found || w.score(f) > w.score(best) {
					best, found = f, true
				}
			}
		}
	}
	f := best
	compareEmails(f, a, b)
	c.fields(f)
	switch {
	case a.typ == "" || b.typ == "":
	case a.typ == b.typ:
		f["type_same"] = 1
	default:
		f["type_other"] = 1
	}
	if shared := sharedNeighbours(a, b); shared > 0 && !f.differ() {
		f["neighbours"] = shared
	}
	return f
}

// comesAfter reports whether the names of one node come after those of the other.
func comesAfter(a, b *profile) bool {
	return slices.CompareFunc(a.names, b.names, func(x, y name) int { return slices.Compare(x.words, y.words) }) > 0
}

// differ reports whether names differ so that shared neighbours say nothing: members of a family and branches of a company have these
// too.
func (f features) differ() bool {
	return f["given_other"]+f["middle_other"]+f["number_in_name"]+f["name_begins_otherwise"] > 0
}

// sharedNeighbours weighs the nodes that both are linked with: one that few are linked with says more. It is at most
// mostShared: a person of whom only the family name is known shares the neighbours of the whole family.
func sharedNeighbours(a, b *profile) (sum float64) {
	for _, key := range slices.Sorted(maps.Keys(a.neighbours)) { // a sum in another order differs in its last digits
		if other, shared := b.neighbours[key]; shared {
			sum += 1 / math.Log2(2+float64(max(a.neighbours[key], other)))
		}
	}
	return min(sum, mostShared)
}

const mostShared = 0.5

// MergeFrom is the probability from which the measurements say how good merges without a person would be.
const MergeFrom = 0.95
