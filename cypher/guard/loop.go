package guard

import (
	"maps"
	"math"
	"slices"
)

// loopsAllowed holds the maximum elements of a list for each depth of nested loops.
var loopsAllowed = []int64{maxRange, maxRange, 300, 60}

// loop bounds an expression that iterates over a list. A list of unknown length is made to fail when it is too long.
// whole is the expression, inner the parts of its body. Values kept by each round live until the end.
func (c *coster) loop(whole, list *expr, known extents, at int, body func(element extent, inside extents) work, inner ...expr) work {
	w := c.expr(list, known)
	n, shows := w.length, !w.isOpen && !math.IsInf(w.length, 1)
	if math.IsInf(n, 1) {
		most := c.loopsAllowed(at, inner)
		*list, n = atMost(*list, most), float64(most)
	}
	long, outer, watches, inside := w.length > fewElements, *c, len(c.account.watches), *list
	name := c.enter(n, long, shows)
	each := body(w.element(), maps.Clone(known))
	if !shows && c.rounds*each.kept > c.memory/16 {
		inside = c.short(name, each.kept)
		each.kept = 0
	}
	*c = outer
	if !shows && len(c.account.watches) > watches {
		if inside == *list {
			inside = &variable{name: name}
		}
		makeBound(whole, list, name, inside)
	}
	return w.through(each, n, long)
}

// loopsAllowed returns the maximum elements of a list of unknown length.
func (c *coster) loopsAllowed(at int, inner []expr) int64 {
	together := c.loops + 1 + deepest(inner)
	if together >= len(loopsAllowed) {
		c.refuse(at, "there are more than %d loops within each other: use UNWIND and MATCH in place of some", len(loopsAllowed)-1)
	}
	return loopsAllowed[together]
}

// enter records a loop around the following expressions. It returns the name that its list may get.
func (c *coster) enter(n float64, long, shows bool) (name string) {
	if c.rounds *= max(1, n); long {
		c.loops++
	}
	if shows {
		c.fixed *= max(1, n)
		return ""
	}
	name = "#l" + itoa(len(c.lists)+1)
	c.lists = append(slices.Clip(c.lists), name)
	return name
}

// short returns a list that fails when the values kept by its rounds exceed their share of the account.
func (c *coster) short(name string, kept float64) expr {
	return c.watched(nil, kept, &variable{name: name})
}

// makeBound gives the list of a loop a name, so that its length is available inside.
func makeBound(whole, list *expr, name string, inside expr) {
	of := *list
	*list = inside
	*whole = &call{name: "head", args: []expr{&comprehension{name: name, list: &listExpr{[]expr{of}}, value: *whole}}}
}

// through returns the work of iterating over a list of so many elements.
func (w work) through(each work, n float64, long bool) work {
	mine := each.loops
	if long {
		mine++
	}
	x := each.times(min(w.elements(), n))
	x.isOpen = w.isOpen || math.IsInf(w.length, 1)
	kept := w.kept + listBytes + n*each.kept
	return work{extent: x, steps: w.steps + n*(1+each.steps), loops: max(w.loops, mine), made: max(w.made, kept+each.made), kept: kept}
}

// deepest returns the nesting depth of loops in some expressions.
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

// atMost returns a list that fails, by a range with a step of 0, when it is longer.
func atMost(list expr, most int64) expr {
	return once(list, func(list expr) expr {
		return failing(&call{name: "size", args: []expr{list}}, &literal{most}, list)
	})
}

// failing returns an expression that fails, by a range with a step of 0, when a size exceeds its maximum.
func failing(size expr, most *literal, otherwise expr) expr {
	zero := &literal{int64(0)}
	large := &comparison{first: size, rest: []compared{{">", most}}}
	return &caseExpr{branches: [][2]expr{{large, &call{name: "range", args: []expr{zero, zero, zero}}}}, otherwise: otherwise}
}

func (c *coster) comprehension(whole *expr, e *comprehension, known extents) work {
	return c.loop(whole, &e.list, known, e.at, func(element extent, inside extents) work {
		inside[e.name] = element
		w := c.expr(&e.where, inside)
		w.kept = 0
		value := work{extent: element}
		if value.texts = 0; e.value != nil { // otherwise they exist already
			value = c.passed(&e.value, inside)
		}
		w = c.joined(w, value)
		w.extent = value.extent
		w.kept += cellBytes
		return w
	}, e.where, e.value)
}

// reduction bounds reduce(…): each element may add to its result, but not multiply it.
func (c *coster) reduction(whole *expr, e *reduction, known extents) work {
	start := c.expr(&e.start, known)
	if nests(e.result, e.total) {
		c.refuse(e.at, "reduce may not put its result into a list or a map: what it makes would stand within itself. Write list + x")
	}
	if c.inReduce {
		c.refuse(e.at, "reduce may not stand in reduce: use UNWIND and WITH … sum(…) or collect(…)")
	}
	var added extent
	w := c.loop(whole, &e.list, known, e.at, func(element extent, inside extents) work {
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
	if added.grown > 0 { // copies the current text each time
		e.result = notLonger(e.total, e.result)
	}
	n := w.length
	steps := start.steps + w.steps
	w = start.then(w)
	w.steps = steps
	w.extent = extent{math.Inf(1), start.cells + n*added.cells, start.grown + 2*math.Ceil(added.grown), start.texts + n*added.texts, false, true, false}
	if added.grown > 0 {
		return w.makes(bytesOf(2*maxJoined), true)
	}
	return w
}

// nests reports whether a list or map in an expression contains a name as a value.
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

// notLonger returns a result that fails, by a range with a step of 0, when its text is too long.
func notLonger(total string, result expr) expr {
	text := &call{name: "tostringornull", args: []expr{&variable{name: total}}}
	return failing(&call{name: "size", args: []expr{text}}, &literal{int64(maxJoined)}, result)
}
