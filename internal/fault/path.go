package fault

import (
	"iter"
	"slices"
	"strconv"
	"strings"
)

// Path is a place in an input: nodes[3].name. It is a value that can be compared, and making one allocates nothing. The zero
// Path is the input itself.
type Path struct {
	steps [maxSteps]step
	count int
}

// maxSteps is how many names a Path holds one by one. The names of deeper places become one text with the last.
const maxSteps = 5

// step is a field, and the item of its list.
type step struct {
	name string
	item int // one above the index of the item; 0: the field itself
}

// At returns the place of a field of the input. The name is not read: a text of several names stays one.
func At(name string) Path { return Path{}.Field(name) }

// Parse reads a place as String writes it, from the faults of a library. What it cannot read is a part of a name.
func Parse(location string) Path {
	var p Path
	if location == "" {
		return p
	}
	for name := range strings.SplitSeq(location, ".") {
		bare, item := cutItem(name)
		p = p.Field(bare)
		if item > 0 {
			p.steps[p.count-1].item = item
		}
	}
	return p
}

// cutItem returns a name without its index, and the number above that index; 0 if it has none.
func cutItem(name string) (bare string, item int) {
	begin := strings.LastIndexByte(name, '[')
	if begin < 0 || !strings.HasSuffix(name, "]") {
		return name, 0
	}
	digits := name[begin+1 : len(name)-1]
	i, err := strconv.ParseUint(digits, 10, 31)
	if err != nil || strconv.FormatUint(i, 10) != digits {
		return name, 0
	}
	return name[:begin], int(i) + 1
}

// Steps returns the names of the fields that lead to the place, each with the index of its item; -1: the field itself.
func (p Path) Steps() iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for _, s := range p.steps[:p.count] {
			if !yield(s.name, s.item-1) {
				return
			}
		}
	}
}

// Field returns the place of a field within this place.
func (p Path) Field(name string) Path {
	if p.count == maxSteps {
		last := &p.steps[maxSteps-1]
		last.name, last.item = last.text()+"."+name, 0
		return p
	}
	p.steps[p.count] = step{name: name}
	p.count++
	return p
}

// Index returns the place of an item of the list at this place.
func (p Path) Index(i int) Path {
	if p.count == 0 {
		p = p.Field("")
	}
	last := &p.steps[p.count-1]
	if last.item != 0 { // a list of lists
		last.name = last.text()
	}
	last.item = i + 1
	return p
}

// Under returns this place, in a part of an input, as a place in the whole that has the part at another place.
func (p Path) Under(whole Path) Path {
	for _, s := range p.steps[:p.count] {
		whole = whole.Field(s.name)
		whole.steps[whole.count-1].item = s.item
	}
	return whole
}

// Cut returns the place within another one, and true; the place itself and false, if it is not within.
func (p Path) Cut(within Path) (rest Path, found bool) {
	if p.count < within.count || !slices.Equal(p.steps[:within.count], within.steps[:within.count]) {
		return p, false
	}
	rest.count = copy(rest.steps[:], p.steps[within.count:p.count])
	return rest, true
}

// Item returns the index in the list that the place begins with, and the place within the item; false, if it does not lead to
// an item of that list.
func (p Path) Item(list string) (i int, rest Path, found bool) {
	if p.count == 0 || p.steps[0].name != list || p.steps[0].item == 0 {
		return 0, p, false
	}
	i = p.steps[0].item - 1
	rest, found = p.Cut(At(list).Index(i))
	return i, rest, found
}

// Rename returns the place with other names for some fields.
func (p Path) Rename(names map[string]string) Path {
	for i := range p.steps[:p.count] {
		if other, ok := names[p.steps[i].name]; ok {
			p.steps[i].name = other
		}
	}
	return p
}

// Equal reports whether two places are the same, as == does.
func (p Path) Equal(other Path) bool { return p == other }

// String writes the place as callers read it; the input itself is the empty text.
func (p Path) String() string {
	switch p.count {
	case 0:
		return ""
	case 1:
		return p.steps[0].text()
	}
	var b strings.Builder
	for i := range p.steps[:p.count] {
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(p.steps[i].text())
	}
	return b.String()
}

// MarshalText writes the place as String does.
func (p Path) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

func (s step) text() string {
	if s.item == 0 {
		return s.name
	}
	return s.name + "[" + strconv.Itoa(s.item-1) + "]"
}
