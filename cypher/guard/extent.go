package guard

import "math"

// extent is the maximum size of a value.
type extent struct {
	length float64 // elements of a list; +Inf when unknown
	cells  float64 // values in it, at all depths
	grown  float64 // stored texts that its longest text is made of
	texts  float64 // characters of all texts in it
	isList bool    // for certain
	isOpen bool    // it may be shorter than length
	isNode bool    // it, or each of its elements, is a node or a relationship
}

var (
	oneValue  = extent{length: 1, cells: 1}
	anyStored = extent{length: math.Inf(1), cells: 1, grown: 1, texts: perStored}
	aStored   = extent{length: math.Inf(1), cells: 1, grown: 1, texts: perStored, isNode: true} // a node or a relationship
)

// text returns the extent of a text made of so many stored ones.
func text(grown float64) extent {
	return extent{length: 1, cells: 1, grown: grown, texts: grown * perStored}
}

func (x extent) elements() float64 {
	if math.IsInf(x.length, 1) {
		return unknown
	}
	return max(x.length, 1)
}

func (x extent) element() extent {
	return extent{length: math.Inf(1), cells: max(1, x.cells/x.elements()), grown: x.grown, texts: min(x.texts, x.grown*perStored), isNode: x.isNode}
}

func (x extent) plus(y extent) extent {
	return extent{x.length + y.length, x.cells + y.cells, x.grown + y.grown, x.texts + y.texts, x.isList || y.isList, x.isOpen || y.isOpen, x.isNode && y.isNode}
}

func (x extent) or(y extent) extent {
	return extent{max(x.length, y.length), max(x.cells, y.cells), max(x.grown, y.grown), max(x.texts, y.texts), x.isList && y.isList, x.isOpen || y.isOpen, x.isNode && y.isNode}
}

// times returns the extent of a list of so many of it.
func (x extent) times(n float64) extent {
	return extent{n, n * x.cells, x.grown, n * x.texts, true, false, x.isNode}
}

// collected returns the assumed extent of a list whose memory Neo4j counts.
func (x extent) collected(n float64) extent {
	return extent{length: math.Inf(1), cells: n * x.cells, grown: x.grown, texts: x.texts, isList: true, isNode: x.isNode}
}

// extents holds the extents of the names in scope.
type extents map[string]extent

func (known extents) of(name string) extent {
	if x, ok := known[name]; ok {
		return x
	}
	return anyStored
}

// effort returns the steps of reading all of a value.
func (x extent) effort() float64 {
	if x.cells >= totalMarker { // the result of reduce: counted there
		return 1
	}
	return x.cells + 100*x.grown
}

// constantExtent returns the extent of a literal or a parameter.
func constantExtent(v any) extent {
	switch v := v.(type) {
	case string:
		return text(float64(len(v)) / perStored)
	case []any:
		x := extent{length: float64(len(v)), isList: true}
		for _, item := range v {
			of := constantExtent(item)
			x.cells, x.grown, x.texts = x.cells+of.cells, max(x.grown, of.grown), x.texts+of.texts
		}
		return x
	case map[string]any:
		x := extent{length: math.Inf(1)}
		for _, item := range v {
			of := constantExtent(item)
			x.cells, x.grown, x.texts = x.cells+of.cells, max(x.grown, of.grown), x.texts+of.texts
		}
		return x
	}
	return oneValue
}
