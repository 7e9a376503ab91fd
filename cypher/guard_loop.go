package cypher

import (
	"maps"
	"math"
)

// loopsAllowed is how many elements a list may have that is gone through in so many loops within each other.
var loopsAllowed = []int64{maxRange, maxRange, 300, 60}

// loop bounds what goes through a list. Where the length of the list is not known, it is made to fail when it is too long.
// Inner is what the body is made of.
func (c *coster) loop(list *expr, known extents, at int, body func(element extent, inside extents) work, inner ...expr) work {
	w := c.expr(list, known)
	n, long := w.length, w.length > fewElements
	if math.IsInf(n, 1) {
		together := c.loops + 1 + deepest(inner)
		if together >= len(loopsAllowed) {
			c.refuse(at, "there are more than %d loops within each other: use UNWIND and MATCH in place of some", len(loopsAllowed)-1)
		}
		most := loopsAllowed[together]
		*list, n = atMost(*list, most), float64(most)
	}
	loops, rounds := c.loops, c.rounds
	if c.rounds *= max(1, n); long {
		c.loops++
	}
	each := body(w.element(), maps.Clone(known))
	c.loops, c.rounds = loops, rounds
	mine := each.loops
	if long {
		mine++
	}
	return work{extent: each.times(min(w.elements(), n)), steps: w.steps + n*(1+each.steps), loops: max(w.loops, mine)}
}

// deepest is how many loops stand within each other in some expressions.
func deepest(all []expr) (deep int) {
	for _, e := range all {
		if e == nil {
			continue
		}
		var list expr
		switch e := e.(type) {
		case *comprehension:
			list = e.list
		case *quantified:
			list = e.list
		case *reduction:
			list = e.list
		}
		mine := deepest(partsOf(e))
		if items, ok := list.(*listExpr); list != nil && (!ok || len(items.items) > fewElements) {
			mine++
		}
		deep = max(deep, mine)
	}
	return deep
}

// atMost is a list that fails, as a range with a step of 0 does, when it is longer.
func atMost(list expr, most int64) expr {
	return once(list, func(list expr) expr {
		return failing(&call{name: "size", args: []expr{list}}, most, list)
	})
}

// failing is an expression that fails, as a range with a step of 0 does, where a size is larger than it may be.
func failing(size expr, most int64, otherwise expr) expr {
	zero := &literal{int64(0)}
	large := &comparison{first: size, rest: []compared{{">", &literal{most}}}}
	return &caseExpr{branches: [][2]expr{{large, &call{name: "range", args: []expr{zero, zero, zero}}}}, otherwise: otherwise}
}

func (c *coster) comprehension(e *comprehension, known extents) work {
	return c.loop(&e.list, known, e.at, func(element extent, inside extents) work {
		inside[e.name] = element
		w := c.expr(&e.where, inside)
		value := work{extent: element}
		if value.texts = 0; e.value != nil { // else they are there already
			value = c.passed(&e.value, inside)
		}
		w = c.joined(w, value)
		w.extent = value.extent
		return w
	}, e.where, e.value)
}

// reduction bounds reduce(…): its result may grow by what each element adds, but not by a multiple of itself.
func (c *coster) reduction(e *reduction, known extents) work {
	start := c.expr(&e.start, known)
	if nests(e.result, e.total) {
		c.refuse(e.at, "reduce may not put its result into a list or a map: what it makes would stand within itself. Write list + x")
	}
	if c.inReduce {
		c.refuse(e.at, "reduce may not stand in reduce: use UNWIND and WITH … sum(…) or collect(…)")
	}
	var added extent
	w := c.loop(&e.list, known, e.at, func(element extent, inside extents) work {
		inside[e.name] = element
		inside[e.total] = extent{length: math.Inf(1), cells: totalMarker, grown: totalMarker, texts: totalMarker}
		c.inReduce = true
		each := c.expr(&e.result, inside)
		c.inReduce = false
		if each.cells >= 2*totalMarker || each.grown >= 2*totalMarker {
			c.refuse(e.at, "reduce uses its result more than once, so that it can double each time: use it once")
		}
		added = extent{cells: math.Mod(each.cells, totalMarker), grown: math.Mod(each.grown, totalMarker), texts: math.Mod(each.texts, totalMarker)}
		each.texts = added.texts
		return each
	}, e.result)
	if added.grown > 0 { // copies the text so far each time
		e.result = notLonger(e.total, e.result)
	}
	n := w.length
	w.steps += start.steps
	w.extent = extent{math.Inf(1), start.cells + n*added.cells, start.grown + 2*math.Ceil(added.grown), start.texts + n*added.texts, false}
	return w
}

// nests says whether a list or map in an expression has a name as one of its values.
func nests(e expr, name string) bool {
	found := false
	walk(e, func(e expr) {
		var values []expr
		switch e := e.(type) {
		case *listExpr:
			values = e.items
		case *mapExpr:
			values = e.values
		}
		for _, v := range values {
			v, ok := v.(*variable)
			found = found || ok && v.name == name
		}
	})
	return found
}

// notLonger is a result that fails, as a range with a step of 0 does, when the text so far is long.
func notLonger(total string, result expr) expr {
	text := &call{name: "tostringornull", args: []expr{&variable{name: total}}}
	return failing(&call{name: "size", args: []expr{text}}, maxJoined, result)
}
