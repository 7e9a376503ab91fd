package cypher

import "math"

// Bytes that values of expressions take in Neo4j 5.26, measured as what stays alive in its heap (rounded up). A text has
// besides so many for each character.
const (
	cellBytes   = 32  // a number, or a place in a list
	timeBytes   = 160 // a date, a time, a duration, a point
	textBytes   = 80
	listBytes   = 112
	storedBytes = 256 // of a stored text, or list of texts, without what is in it
	viewBytes   = 112 // a part of a list, or two lists as one
	mapBytes    = 208
	entryBytes  = 40
	nodeBytes   = 4096 // of all properties of a node
	charBytes   = 2
)

// The account of a statement.
const (
	defaultMemory = 8 << 20 // bytes, where the rules say nothing
	leastShare    = 32 << 10
	fewAlive      = 4 // rounds of a loop whose texts are counted at their longest
)

// bytesOf is what a text of so many characters takes, or several together.
func bytesOf(characters float64) float64 {
	if characters >= totalMarker { // the result of reduce: counted there
		return textBytes
	}
	return textBytes + charBytes*characters
}

// bytesOfValue is what a parameter takes.
func bytesOfValue(v any) float64 {
	switch v := v.(type) {
	case string:
		return bytesOf(float64(len(v)))
	case []any:
		sum := float64(listBytes)
		for _, item := range v {
			sum += cellBytes + bytesOfValue(item)
		}
		return sum
	case map[string]any:
		sum := float64(mapBytes)
		for key, item := range v {
			sum += entryBytes + bytesOf(float64(len(key))) + bytesOfValue(item)
		}
		return sum
	}
	return cellBytes
}

// then is the work of two, of which the first keeps what it made while the second runs. Of the value nothing is known yet.
func (w work) then(next work) work {
	return work{
		extent: w.or(next.extent), steps: w.steps + next.steps, loops: max(w.loops, next.loops),
		made: max(w.made, w.kept+next.made), kept: w.kept + next.kept,
	}
}

// either is the work of which only one is kept.
func (w work) either(other work) work {
	both := w.then(other)
	both.kept = max(w.kept, other.kept)
	return both
}

// makes is the work with a new value of so many bytes; what it was made of stays alive when the value holds it.
func (w work) makes(bytes float64, holds bool) work {
	w.made = max(w.made, w.kept+bytes)
	if !holds {
		w.kept = 0
	}
	w.kept += bytes
	return w
}

// account is what the values of a statement take together: those that stay while it runs, the largest that is only made on
// the way, and a share for each place where Neo4j itself is to look how large a value becomes.
type account struct {
	kept    float64
	made    float64
	at      int // of the largest
	most    float64
	watches []watch
	seen    map[string]bool // parameters that are counted
}

// watch is a literal that becomes the number of things that fit into a share of the account.
type watch struct {
	most *literal
	each float64 // bytes
}

func (a *account) add(w work, at int) {
	a.kept += w.kept
	a.made = max(a.made, w.made-w.kept)
	if w.made > a.most {
		a.most, a.at = w.made, at
	}
}

func (a *account) parameter(name string, v any) {
	if !a.seen[name] {
		a.seen[name] = true
		a.kept += bytesOfValue(v)
	}
}

// share divides what is left among the places. It returns how many bytes the statement may take; false: too many.
func (a *account) share(memory float64) (bytes float64, fits bool) {
	bytes = a.kept + a.made
	if len(a.watches) == 0 {
		return bytes, bytes <= memory
	}
	share := min(memory/2, (memory-bytes)/float64(len(a.watches)))
	if share < leastShare {
		return bytes, false
	}
	for _, p := range a.watches {
		p.most.value = int64(share / p.each)
	}
	return bytes + share*float64(len(a.watches)), true
}

// watched is a value that fails where so many bytes for each of its size, in all rounds of the loops around it, are more than
// its share. Without a size the rounds are counted.
func (c *coster) watched(size expr, bytes float64, otherwise expr) expr {
	for _, list := range c.lists {
		length := &call{name: "size", args: []expr{&variable{name: list}}}
		if size == nil {
			size = length
			continue
		}
		size = &binary{operator: "*", left: size, right: length}
	}
	most := &literal{int64(0)}
	c.account.watches = append(c.account.watches, watch{most, bytes * c.fixed})
	return failing(size, most, otherwise)
}

// inLoop says whether a value is made often.
func (c *coster) inLoop() bool { return len(c.lists) > 0 || c.fixed > fewAlive }

// weighed is a value whose texts are watched in a loop: what is stored may be long.
func (c *coster) weighed(e *expr, w work) work {
	if !c.inLoop() || w.cells >= totalMarker || constantOf(*e, c.given) != nil || isAggregate(item{value: *e}) {
		return w
	}
	if w.texts*charBytes*c.rounds <= c.memory/64 {
		return w
	}
	*e = once(*e, func(x expr) expr { return c.watched(characters(*e, x), charBytes, x) })
	w.kept = max(min(w.kept, storedBytes), w.kept-charBytes*w.texts)
	w.texts = min(w.texts, math.Floor(c.memory/2/charBytes/c.rounds))
	w.grown = min(w.grown, w.texts/perStored)
	return w
}

// cut bounds the pieces that split makes of a text.
func (c *coster) cut(whole *expr, w work) work {
	pieces := w.cells * (cellBytes + textBytes)
	if pieces*c.rounds <= c.memory/16 || w.cells >= totalMarker {
		return w
	}
	*whole = once(*whole, func(x expr) expr {
		return c.watched(&call{name: "size", args: []expr{x}}, cellBytes+textBytes, x)
	})
	w.kept -= pieces
	return w
}

// characters is the expression that counts those of a text or of a list of texts, and of a map where e makes one.
func characters(e, x expr) expr {
	if c, ok := e.(*call); ok && c.name == "properties" {
		return charactersOfMap(x)
	} else if _, ok := e.(*projection); ok {
		return charactersOfMap(x)
	}
	return charactersOf(x)
}

// maxStoredList is how many elements are looked at: what is stored has no more.
const maxStoredList = 128

func charactersOf(x expr) expr {
	const item, sum = "#y", "#s"
	few := &sliceOf{of: x, from: &literal{int64(0)}, to: &literal{int64(maxStoredList)}}
	return &caseExpr{
		branches:  [][2]expr{{&unary{operator: "IS :: LIST<ANY>", of: x}, summed(sum, item, few, &binary{operator: "+", left: sizeOf(&variable{name: item}), right: &literal{int64(textBytes / charBytes)}})}},
		otherwise: sizeOf(x),
	}
}

func charactersOfMap(x expr) expr {
	const key, sum = "#k", "#t"
	return summed(sum, key, &call{name: "keys", args: []expr{x}}, once(&indexOf{of: x, index: &variable{name: key}}, charactersOf))
}

func sizeOf(x expr) expr {
	return &call{name: "size", args: []expr{&call{name: "tostringornull", args: []expr{x}}}}
}

// summed adds what an expression makes of each element; null counts as 0.
func summed(sum, name string, list, each expr) expr {
	zero := &literal{int64(0)}
	each = &call{name: "coalesce", args: []expr{each, zero}}
	return &reduction{total: sum, name: name, start: zero, list: list, result: &binary{operator: "+", left: &variable{name: sum}, right: each}}
}
