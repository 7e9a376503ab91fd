// Package duplicate proposes nodes that may be one thing, without a language model: it compares names and other fields of nodes of one
// kind and user, gives each pair a probability and reasons, and remembers the pairs that somebody refused.
//
// A Worker follows the feed of each team and compares only what has changed. It finds candidates by the hashes of blocks, words by which
// nodes that may be one are likely to meet, so it never compares all with all. Reads list what it stored.
package duplicate

import (
	_ "embed"
	"encoding/json"
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
			p.names = append(p.names, n)
		}
	}
	p.readFields(n.Properties)
	slices.Sort(p.emails)
	p.emails = slices.Compact(p.emails)
	return p
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
	for name, size := range f {
		sum += w[name] * size
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
	for name, size := range f {
		byCode[codes[name]] += w[name] * size
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

// compareAll returns the features of two nodes; of their names those of the two that fit best with the weights.
func compareAll(a, b *profile, w weights) features {
	best, found := features{}, false
	for _, x := range a.names {
		for _, y := range b.names {
			for _, f := range compareNames(a.isPerson(), x, y) {
				if !found || w.score(f) > w.score(best) {
					best, found = f, true
				}
			}
		}
	}
	f := best
	compareEmails(f, a, b)
	compareFields(f, a, b)
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

// differ reports whether names differ so that shared neighbours say nothing: members of a family and branches of a company have these
// too.
func (f features) differ() bool {
	return f["given_other"]+f["middle_other"]+f["number_in_name"]+f["name_begins_otherwise"] > 0
}

func compareNames(person bool, a, b name) []features {
	if person {
		return comparePersons(a, b)
	}
	return []features{compareThings(a, b)}
}

// comparePersons compares two names of persons, with each way to read which of their words is the family name.
func comparePersons(a, b name) []features {
	x, y := a.core, b.core
	lastX, lastY := x[len(x)-1], y[len(y)-1]
	switch {
	case len(x) == 1 && len(y) == 1:
		f := features{"alone": 1}
		f["given_"+compareGiven(lastX, lastY)] = 1
		return []features{f}
	case len(x) == 1:
		return []features{
			{"family_missing": 1, "given_" + compareGiven(lastX, y[0]): 1},
			{"given_missing": 1, "family_" + compareWords(lastX, lastY): 1},
		}
	case len(y) == 1:
		return comparePersons(b, a)
	}
	straight := features{"given_" + compareGiven(x[0], y[0]): 1, "family_" + compareWords(lastX, lastY): 1}
	if len(x) > 2 && len(y) > 2 && compareGiven(x[1], y[1]) == "other" {
		straight["middle_other"] = 1
	}
	swapped := features{"swapped": 1, "given_" + compareGiven(x[0], lastY): 1, "family_" + compareWords(lastX, y[0]): 1}
	return []features{straight, swapped}
}

// compareGiven returns how two given names compare.
func compareGiven(a, b string) string {
	switch {
	case a == b && len(a) > 1:
		return "same"
	case (len(a) == 1 || len(b) == 1) && a[0] == b[0]:
		return "initial"
	case len(a) > 1 && len(b) > 1 && sameNickname(a, b):
		return "nickname"
	}
	return compareWords(a, b)
}

func compareWords(a, b string) string {
	switch {
	case a == b:
		return "same"
	case misspelt(a, b):
		return "spelling"
	case len(a) > 2 && len(b) > 2 && sound(a) == sound(b):
		return "sound"
	}
	return "other"
}

// compareThings compares two names of other kinds.
func compareThings(a, b name) features {
	x, y := a.joined(), b.joined()
	f := features{}
	if x == y {
		f["name_same"] = 1
		return f
	}
	if head := a.head(); head != "" && head == b.head() { // what follows is a place or an address
		f["name_head"] = 1
	} else if differInNumbers(a.core, b.core) {
		f["number_in_name"] = 1
	}
	switch {
	case isAcronym(x, b) || isAcronym(y, a):
		f["acronym"] = 1
	case f["number_in_name"] == 0 && min(len(x), len(y)) >= 5 && similar(x, y) >= 0.93:
		f["name_spelling"] = 1
		if oneMistake(x, y) {
			f["name_mistake"] = 1
		}
	default:
		common := commonWords(a.core, b.core)
		all := float64(len(a.core)+len(b.core)) - common
		f["name_overlap"] = common / all
		if common >= float64(min(len(a.core), len(b.core))) {
			f["name_part"] = 1
		}
		if a.core[0] != b.core[0] && !misspelt(a.core[0], b.core[0]) {
			f["name_begins_otherwise"] = 1
		}
		if sound(x) == sound(y) && len(sound(x)) > 2 {
			f["name_sound"] = 1
		}
	}
	return f
}

// commonWords returns how many words two names have in common; a misspelt one counts a little less.
func commonWords(a, b []string) (common float64) {
	used := make([]bool, len(b))
	for _, x := range a {
		for j, y := range b {
			if used[j] {
				continue
			}
			if x == y {
				common, used[j] = common+1, true
				break
			}
			if misspelt(x, y) {
				common, used[j] = common+0.8, true
				break
			}
		}
	}
	return common
}

// differInNumbers reports whether two names have other numbers: phase 1 is not phase 2.
func differInNumbers(a, b []string) bool {
	numbers := func(words []string) string {
		var all []string
		for _, w := range words {
			if digits := strings.Trim(w, "abcdefghijklmnopqrstuvwxyz"); digits != "" {
				all = append(all, digits)
			}
		}
		return strings.Join(all, " ")
	}
	return numbers(a) != numbers(b)
}

// isAcronym reports whether a short text has the first letters of a name's words.
func isAcronym(short string, long name) bool {
	for _, words := range [][]string{long.words, long.core} {
		var letters strings.Builder
		for _, w := range words {
			letters.WriteByte(w[0])
		}
		if len(words) > 1 && len(short) > 1 && letters.String() == short {
			return true
		}
	}
	return false
}

// sharedNeighbours weighs the nodes that both are linked with: one that few are linked with says more. It is at most
// mostShared: a person of whom only the family name is known shares the neighbours of the whole family.
func sharedNeighbours(a, b *profile) (sum float64) {
	for key, links := range a.neighbours {
		if other, shared := b.neighbours[key]; shared {
			sum += 1 / math.Log2(2+float64(max(links, other)))
		}
	}
	return min(sum, mostShared)
}

const mostShared = 0.5

// MergeFrom is the probability from which the measurements say how good merges without a person would be.
const MergeFrom = 0.95
