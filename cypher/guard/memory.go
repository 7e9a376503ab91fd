package guard

import "math"

// Bytes that values of expressions take in Neo4j 5.26, measured as live heap (rounded up). Texts add bytes for each
// character.
const (
	cellBytes   = 32  // a number, or a place in a list
	timeBytes   = 160 // a date, a time, a duration, a point
	textBytes   = 80
	listBytes   = 112
	storedBytes = 256 // of a stored text, or list of texts, without its content
	viewBytes   = 112 // a part of a list, or two lists joined
	mapBytes    = 208
	entryBytes  = 40
	nodeBytes   = 4096 // of all properties of a node
	charBytes   = 2
)

// Limits of a statement's account.
const (
	defaultMemory = 8 << 20 // bytes, unless the rules set another maximum
	leastShare    = 32 << 10
	fewAlive      = 4 // rounds of a loop whose texts count at their maximum length
)

// bytesOf returns the bytes of a text with so many characters, or of several texts together.
func bytesOf(characters float64) float64 {
	if characters >= totalMarker { // the result of reduce: counted there
		return textBytes
	}
	return textBytes + charBytes*characters
}

// bytesOfValue returns the bytes of a parameter.
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

// then returns the work of two expressions, the first of which keeps its result while the second runs. The value is not
// known yet.
func (w work) then(next work) work {
	return work{
		extent: w.or(next.extent), steps: w.steps + next.steps, loops: max(w.loops, next.loops),
		made: max(w.made, w.kept+next.made), kept: w.kept + next.kept,
	}
}

// either returns the work of two expressions, of which one result is kept.
func (w work) either(other work) work {
	both := w.then(other)
	both.kept = max(w.kept, other.kept)
	return both
}

// makes returns the work with a new value of so many bytes. Its parts stay alive if the value holds them.
func (w work) makes(bytes float64, holds bool) work {
	w.made = max(w.made, w.kept+bytes)
	if !holds {
		w.kept = 0
	}
	w.kept += bytes
	return w
}

// account adds up the values of a statement: those that live while it runs, the largest temporary one, and a share for
// each place where Neo4j itself checks the size of a value.
type account struct {
	kept    float64
	made    float64
	at      int // offset of the largest
	most    float64
	watches []watch
	seen    map[string]bool // parameters already counted
}

// watch is a literal that is set to the number of items that fit into a share of the account.
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

// share divides the remaining bytes among the places. It returns the maximum bytes of the statement; false: too many.
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

// watched returns a value that fails when its size, times the bytes of an item, in all rounds of the loops around it,
// exceeds its share. Without a size the rounds are counted.
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

// inLoop reports whether a value is made repeatedly.
func (c *coster) inLoop() bool { return len(c.lists) > 0 || c.fixed > fewAlive }

// weighed returns a value whose texts are watched in a loop, as stored texts may be long.
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

// cut bounds the parts that split makes of a text.
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

// characters returns the expression that counts the characters of a text or list of texts, or of a map if e is one.
func characters(e, x expr) expr {
	if c, ok := e.(*call); ok && c.name == "properties" {
		return charactersOfMap(x)
	} else if _, ok := e.(*projection); ok {
		return charactersOfMap(x)
	}
	return charactersOf(x)
}

// maxStoredList is the number of elements counted: stored lists have no more.
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

// summed adds up the result of an expression for each element; null counts as 0.
func summed(sum, name string, list, each expr) expr {
	zero := &literal{int64(0)}
	each = &call{name: "coalesce", args: []expr{each, zero}}
	return &reduction{total: sum, name: name, start: zero, list: list, result: &binary{operator: "+", left: &variable{name: sum}, right: each}}
}
