package guard

import (
	"maps"
	"math"
	"slices"
)

// whole bounds one expression of a clause.
func (c *coster) whole(e *expr, known extents, at int) extent {
	if *e == nil {
		return oneValue
	}
	c.at = at
	w := c.expr(e, known)
	c.account.add(w, at)
	return w.extent
}

// expr bounds one expression, which it may replace.
func (c *coster) expr(e *expr, known extents) work {
	w := c.bounded(e, known)
	switch {
	case w.steps > maxSteps && w.steps < totalMarker:
		c.refuse(c.at, "an expression goes through too many elements at once: its loops would take more than %d steps. Use shorter lists, or UNWIND and MATCH in place of loops within each other", maxSteps)
	case w.cells > maxCells && w.cells < totalMarker, w.grown > maxGrown && w.grown < totalMarker, w.texts > maxTexts && w.texts < totalMarker:
		c.refuse(c.at, "a value can become too large here: it is made of itself, or of too many others. Ask for less at once")
	}
	return w
}

// all bounds several expressions whose values are parts of one value.
func (c *coster) all(es []expr, known extents) work {
	w := work{extent: extent{length: float64(len(es)), isList: true}}
	for i := range es {
		w = w.holding(c.passed(&es[i], known))
	}
	return w.makes(listBytes+cellBytes*float64(len(es)), true)
}

// holding returns the work of a value with one more part.
func (w work) holding(x work) work {
	both := w.then(x)
	both.extent = extent{length: w.length, cells: w.cells + x.cells, grown: max(w.grown, x.grown), texts: w.texts + x.texts, isList: w.isList}
	return both
}

func (c *coster) bounded(e *expr, known extents) work {
	switch x := (*e).(type) {
	case nil:
		return work{}
	case *literal:
		return work{extent: constantExtent(x.value)}
	case *paramExpr:
		c.account.parameter(x.name, c.given[x.name])
		return work{extent: constantExtent(c.given[x.name])}
	case *variable:
		return work{extent: known.of(x.name)}
	case *propertyOf:
		return c.property(x, known)
	case *unary:
		return c.scalar(c.expr(&x.of, known))
	case *binary:
		return c.binary(x, known)
	case *comparison:
		w := c.expr(&x.first, known)
		w.steps += w.effort()
		for i := range x.rest {
			value := c.expr(&x.rest[i].value, known)
			value.steps += value.effort()
			w = c.joined(w, value)
		}
		return c.scalar(w)
	case *hasLabels:
		return c.scalar(c.expr(&x.of, known))
	case *caseExpr:
		return c.caseOf(x, known)
	case *call:
		w := c.function(x, known)
		if functions[x.name] == "split" {
			return c.cut(e, w)
		}
		return w
	default:
		return c.container(e, known)
	}
}

// container bounds values with several parts, and loops over them.
func (c *coster) container(e *expr, known extents) work {
	switch x := (*e).(type) {
	case *indexOf:
		of := c.expr(&x.of, known)
		w := c.joined(of, c.expr(&x.index, known))
		w.extent = of.element()
		if _, ok := wholeNumber(constantOf(x.index, c.given)); ok {
			return w
		}
		return w.makes(bytesOf(w.texts), true)
	case *sliceOf:
		of := c.expr(&x.of, known)
		w := c.joined(c.joined(of, c.expr(&x.from, known)), c.expr(&x.to, known))
		w.extent = of.extent
		return w.makes(viewBytes, true)
	case *listExpr:
		return c.all(x.items, known)
	case *mapExpr:
		w := c.all(x.values, known)
		w.isList = false
		return w.makes(mapBytes+entryBytes*float64(len(x.keys)), true)
	case *projection:
		return c.projection(x, known)
	case *comprehension:
		return c.comprehension(e, x, known)
	case *quantified:
		w := c.loop(e, &x.list, known, x.at, func(element extent, inside extents) work {
			inside[x.name] = element
			each := c.expr(&x.where, inside)
			each.kept = 0
			return each
		}, x.where)
		return c.scalar(w)
	case *reduction:
		return c.reduction(e, x, known)
	case *patternList:
		inside := maps.Clone(known)
		c.match([]pathPattern{x.pattern}, inside)
		value := c.expr(&x.value, inside)
		w := c.joined(c.expr(&x.where, inside), value)
		w.extent = value.collected(collected)
		w.texts = min(w.texts, passedOn/c.rounds)
		w.kept = 0 // Neo4j counts the memory
		return w
	case *subquery:
		w := work{extent: oneValue}
		for _, column := range c.query(&x.body, known) {
			if x.kind == "COLLECT" {
				w.extent = column.collected(collected)
				w.texts = min(w.texts, passedOn/c.rounds) // Neo4j counts the memory
			}
		}
		return w
	}
	return work{extent: anyStored}
}

// joined returns the work of both; the value is not known yet.
func (c *coster) joined(a, b work) work { return a.then(b) }

// scalar returns the work of a number or boolean.
func (c *coster) scalar(w work) work {
	w.extent = oneValue
	return w.makes(cellBytes, false)
}

// property bounds a property of a node, a relationship or a map.
func (c *coster) property(e *propertyOf, known extents) work {
	w := c.expr(&e.of, known)
	w.length = math.Inf(1)
	if most, ok := c.stored[e.name]; ok && w.isNode {
		w.texts, w.grown = float64(most), float64(most)/perStored
	}
	w.isNode = false
	return w.makes(bytesOf(w.texts), true)
}

// projection bounds a map of some properties.
func (c *coster) projection(e *projection, known extents) work {
	of := work{extent: known.of(e.of)}
	w := of
	w.cells += float64(len(e.items)) * w.cells
	w.texts = 0
	for i := range e.items {
		item := &e.items[i]
		if item.all {
			w = w.holding(c.allOf(of))
			continue
		}
		if item.value == nil { // a property: bounded as one
			item.value = &propertyOf{of: &variable{name: e.of, at: e.at}, name: item.name, at: e.at}
		}
		w = w.holding(c.passed(&item.value, known))
	}
	return w.makes(mapBytes+entryBytes*float64(len(e.items)), true)
}

// allOf returns the work of reading all properties.
func (c *coster) allOf(of work) work {
	of.cells, of.texts = of.cells+200, max(of.texts, manyStored)
	return of.makes(nodeBytes+charBytes*of.texts, true)
}

func (c *coster) binary(e *binary, known extents) work {
	left, right := c.expr(&e.left, known), work{}
	if e.operator == "IN" && c.loops > 0 { // scans the list each time
		right = c.loop(nil, &e.right, known, e.at, func(extent, extents) work { return work{} })
	} else {
		right = c.expr(&e.right, known)
	}
	switch e.operator {
	case "+", "||":
		left, right = c.handled(&e.left, left), c.handled(&e.right, right)
		return c.sum(e, left, right)
	case "CONTAINS", "STARTS WITH", "ENDS WITH":
		left, right = c.handled(&e.left, left), c.sought(&e.right, right)
		w := c.joined(left, right)
		w.steps += left.effort() + right.effort() + left.texts*right.texts/perStep
		return c.scalar(w)
	}
	w := c.joined(left, right)
	w.steps += left.effort() + right.effort()
	return c.scalar(w)
}

// sum bounds a + b.
func (c *coster) sum(e *binary, left, right work) work {
	for _, of := range []expr{e.left, e.right} {
		if text, ok := constantOf(of, c.given).(string); ok && float64(len(text))*c.fixed > c.memory {
			c.refuse(e.at, "a value can become too large here: a long text is added to each element. Use shorter lists")
		}
	}
	if c.inReduce { // the result may contain them
		left, right = c.weighed(&e.left, left), c.weighed(&e.right, right)
	}
	w := c.joined(left, right)
	w.extent = left.plus(right.extent)
	if left.isList || right.isList {
		return w.makes(viewBytes+listBytes, true)
	}
	return w.makes(bytesOf(w.texts)+viewBytes, c.inReduce)
}

// passed bounds a part of a value.
func (c *coster) passed(e *expr, known extents) work {
	w := c.expr(e, known)
	if p, ok := (*e).(*projection); ok && !slices.ContainsFunc(p.items, func(i projected) bool { return i.all }) {
		return w
	}
	switch (*e).(type) {
	case *propertyOf, *indexOf, *variable, *call, *caseExpr, *binary, *projection:
		return c.weighed(e, w)
	}
	return w
}

// isStored reports whether a value may be of any length. Other values are made of bounded parts.
func isStored(e expr) bool {
	switch e.(type) {
	case *propertyOf, *indexOf, *variable, *call, *caseExpr:
		return true
	}
	return false
}

// handled bounds a text or list that is scanned or used for another value.
func (c *coster) handled(e *expr, w work) work {
	if c.rounds <= fewElements {
		return w
	}
	if v, ok := (*e).(*variable); ok && w.isList && math.IsInf(w.length, 1) {
		*e = atMost(v, unknown)
		return w
	}
	if !isStored(*e) {
		return w
	}
	return c.limited(e, w, madeInto/c.rounds)
}

// sought bounds a text searched for in another.
func (c *coster) sought(e *expr, w work) work {
	return c.limited(e, w, min(maxSought, soughtFor/c.rounds))
}

// limited returns a value that fails when it is a longer text, as stored texts may have any length.
func (c *coster) limited(e *expr, w work, most float64) work {
	if w.texts <= most || w.cells >= totalMarker || constantOf(*e, c.given) != nil || isAggregate(item{value: *e}) {
		return w
	}
	most = max(16, math.Floor(most))
	*e = once(*e, func(x expr) expr {
		return failing(&call{name: "size", args: []expr{&call{name: "tostringornull", args: []expr{x}}}}, &literal{int64(most)}, x)
	})
	w.texts, w.grown = most, most/perStored
	w.kept = min(w.kept, max(nodeBytes, bytesOf(most)))
	return w
}

func (c *coster) caseOf(e *caseExpr, known extents) work {
	value := c.passed(&e.otherwise, known)
	w := c.joined(work{}, c.expr(&e.of, known))
	for i := range e.branches {
		w = c.joined(w, c.expr(&e.branches[i][0], known))
		value = value.either(c.passed(&e.branches[i][1], known))
	}
	w.kept = 0
	w = c.joined(w, value)
	w.extent = value.extent
	return w
}
