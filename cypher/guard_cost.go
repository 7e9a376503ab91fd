package cypher

import (
	"maps"
	"math"
)

// Neo4j looks for the end of a statement's time between rows, not within one expression. So what one expression can do is
// bounded before it runs: how often its loops go round, and how much its values can grow.
const (
	maxSteps  = 5_000_000  // of the loops of one expression together
	maxCells  = 10_000_000 // values in one value
	maxGrown  = 256        // stored texts in one text
	maxTexts  = 50_000_000 // characters of the texts in one value
	maxJoined = 100_000    // characters of a text that reduce makes
	maxRange  = 10_000     // elements that one loop goes through, or range makes
	maxDigits = 1_000      // characters of a text that becomes a number: its time grows with their square
	maxSought = 4_000      // characters of a text that is sought in another: the time grows with the product of both
	perStep   = 2_000      // characters that are compared in a step
	perPiece  = 20         // characters that are cut into pieces in one

	collected   = 50               // elements that are counted for a list that a subquery makes
	unknown     = 1000             // elements that are counted for a list of which nothing is known
	fewElements = 32               // shorter lists do not count as loops
	perStored   = 64 << 10         // bytes of the longest text that is stored
	totalMarker = float64(1 << 40) // stands for the result of reduce, so that what is added to it shows
)

// What the texts of all rounds of a loop may have together, in characters: those that are only passed on, those of which
// others are made, and those that are sought in others.
const (
	passedOn  = 40_000_000
	madeInto  = 16_000_000
	soughtFor = 4_000_000
)

// coster bounds what expressions do: it refuses what is known to be too much, and has lists of unknown length fail when they
// are too long for the loops that they stand in.
type coster struct {
	text     string
	given    map[string]any
	loops    int     // around the place
	rounds   float64 // of all of them together
	at       int     // where the expression stands
	inReduce bool
}

func (c *coster) refuse(at int, format string, args ...any) {
	panic(refuse(c.text, at, format, args...))
}

// work is what an expression makes and takes.
type work struct {
	extent
	steps float64
	loops int // within each other
}

func (c *coster) query(q *query, outer extents) (columns extents) {
	columns = extents{}
	for i := range q.parts {
		for name, x := range c.single(&q.parts[i], maps.Clone(outer)) {
			columns[name] = columns[name].or(x)
		}
	}
	return columns
}

func (c *coster) single(q *singleQuery, known extents) extents {
	for _, clause := range q.clauses {
		switch clause := clause.(type) {
		case *matchClause:
			c.match(clause.patterns, known)
			c.whole(&clause.where, known, clause.at)
		case *unwindClause:
			known[clause.as] = c.whole(&clause.list, known, clause.at).element()
		case *callClause:
			maps.Copy(known, c.query(&clause.body, known))
		case *withClause:
			known = c.with(clause, known)
		}
	}
	return known
}

func (c *coster) with(w *withClause, known extents) extents {
	after := extents{}
	if w.star {
		after = maps.Clone(known)
	}
	for i := range w.items {
		after[w.items[i].name] = c.whole(&w.items[i].value, known, w.items[i].at)
	}
	both := maps.Clone(known)
	maps.Copy(both, after)
	for i := range w.orderBy {
		c.whole(&w.orderBy[i].value, both, w.at)
	}
	c.whole(&w.where, both, w.at)
	return after
}

func (c *coster) match(patterns []pathPattern, known extents) {
	for i := range patterns {
		if patterns[i].name != "" {
			known[patterns[i].name] = extent{length: 1, cells: 2*sumHops + 1, grown: 1, texts: perStored}
		}
		c.parts(patterns[i].parts, known, oneValue.plus(oneValue))
	}
}

func (c *coster) parts(parts []pathPart, known extents, x extent) {
	properties := func(m *mapExpr, where *expr, at int) {
		if m != nil {
			for i := range m.values {
				c.whole(&m.values[i], known, at)
			}
		}
		c.whole(where, known, at)
	}
	name := func(name string, repeat *repeat) {
		if x = anyStored; name == "" {
			return
		}
		if repeat != nil {
			x = anyStored.times(sumHops)
		}
		known[name] = x
	}
	for _, part := range parts {
		switch part := part.(type) {
		case *nodePattern:
			name(part.name, nil)
			properties(part.properties, &part.where, part.at)
		case *relPattern:
			name(part.name, part.repeat)
			properties(part.properties, &part.where, part.at)
		case *groupPattern:
			c.parts(part.parts, known, x)
			c.whole(&part.where, known, part.at)
			for _, inner := range part.parts {
				switch inner := inner.(type) {
				case *nodePattern:
					name(inner.name, &part.repeat)
				case *relPattern:
					name(inner.name, &part.repeat)
				}
			}
		}
	}
}

// whole bounds one expression of a clause.
func (c *coster) whole(e *expr, known extents, at int) extent {
	if *e == nil {
		return oneValue
	}
	c.at = at
	return c.expr(e, known).extent
}

// expr bounds one expression. It may put another in its place.
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

// all bounds several expressions, of which one value is made that holds them all.
func (c *coster) all(es []expr, known extents) work {
	w := work{extent: extent{length: float64(len(es)), isList: true}}
	for i := range es {
		x := c.passed(&es[i], known)
		w.cells, w.grown, w.texts = w.cells+x.cells, max(w.grown, x.grown), w.texts+x.texts
		w.steps, w.loops = w.steps+x.steps, max(w.loops, x.loops)
	}
	return w
}

func (c *coster) bounded(e *expr, known extents) work {
	switch x := (*e).(type) {
	case nil:
		return work{}
	case *literal:
		return work{extent: constantExtent(x.value)}
	case *paramExpr:
		return work{extent: constantExtent(c.given[x.name])}
	case *variable:
		return work{extent: known.of(x.name)}
	case *propertyOf:
		w := c.expr(&x.of, known)
		w.length = math.Inf(1)
		return w
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
		return c.function(x, known)
	default:
		return c.container(e, known)
	}
}

// container bounds what has several values, and what goes through them.
func (c *coster) container(e *expr, known extents) work {
	switch x := (*e).(type) {
	case *indexOf:
		of := c.expr(&x.of, known)
		w := c.joined(of, c.expr(&x.index, known))
		w.extent = of.element()
		return w
	case *sliceOf:
		of := c.expr(&x.of, known)
		w := c.joined(c.joined(of, c.expr(&x.from, known)), c.expr(&x.to, known))
		w.extent = of.extent
		return w
	case *listExpr:
		return c.all(x.items, known)
	case *mapExpr:
		w := c.all(x.values, known)
		w.isList = false
		return w
	case *projection:
		w := work{extent: known.of(x.of)}
		w.cells += float64(len(x.items)) * w.cells
		w.texts = 0
		for i := range x.items {
			item := &x.items[i]
			if item.value == nil && !item.all { // a property: it is looked at as one
				item.value = &propertyOf{of: &variable{name: x.of, at: x.at}, name: item.name, at: x.at}
			}
			v := c.passed(&item.value, known)
			w.cells, w.grown, w.texts = w.cells+v.cells, max(w.grown, v.grown), w.texts+v.texts
			w.steps, w.loops = w.steps+v.steps, max(w.loops, v.loops)
		}
		return w
	case *comprehension:
		return c.comprehension(x, known)
	case *quantified:
		w := c.loop(&x.list, known, x.at, func(element extent, inside extents) work {
			inside[x.name] = element
			return c.expr(&x.where, inside)
		}, x.where)
		return c.scalar(w)
	case *reduction:
		return c.reduction(x, known)
	case *patternList:
		inside := maps.Clone(known)
		c.match([]pathPattern{x.pattern}, inside)
		value := c.expr(&x.value, inside)
		w := c.joined(c.expr(&x.where, inside), value)
		w.extent = value.collected(collected)
		w.texts = min(w.texts, passedOn/c.rounds)
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

// joined is the work of both, of which the value is not yet known.
func (c *coster) joined(a, b work) work {
	return work{extent: a.or(b.extent), steps: a.steps + b.steps, loops: max(a.loops, b.loops)}
}

// scalar is the work of what makes a number or a truth value.
func (c *coster) scalar(w work) work {
	w.extent = oneValue
	return w
}

func (c *coster) binary(e *binary, known extents) work {
	left, right := c.expr(&e.left, known), work{}
	if e.operator == "IN" && c.loops > 0 { // goes through the list, each time
		right = c.loop(&e.right, known, e.at, func(extent, extents) work { return work{} })
	} else {
		right = c.expr(&e.right, known)
	}
	switch e.operator {
	case "+", "||":
		left, right = c.handled(&e.left, left), c.handled(&e.right, right)
		w := c.joined(left, right)
		w.extent = left.plus(right.extent)
		return w
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

// passed bounds what becomes a part of a value.
func (c *coster) passed(e *expr, known extents) work {
	w := c.expr(e, known)
	if c.rounds > fewElements && isStored(*e) {
		w = c.limited(e, w, passedOn/c.rounds)
	}
	return w
}

// isStored says whether a value may be one of any length; others are made of what is bounded itself.
func isStored(e expr) bool {
	switch e.(type) {
	case *propertyOf, *indexOf, *variable, *call, *caseExpr:
		return true
	}
	return false
}

// handled bounds what a text or list is made of, or that is gone through.
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

// sought bounds what is sought in a text.
func (c *coster) sought(e *expr, w work) work {
	return c.limited(e, w, min(maxSought, soughtFor/c.rounds))
}

// limited is a value that fails when it is a text that is longer: what is stored may be of any length.
func (c *coster) limited(e *expr, w work, most float64) work {
	if w.texts <= most || w.cells >= totalMarker || constantOf(*e, c.given) != nil || isAggregate(item{value: *e}) {
		return w
	}
	most = max(16, math.Floor(most))
	*e = once(*e, func(x expr) expr {
		return failing(&call{name: "size", args: []expr{&call{name: "tostringornull", args: []expr{x}}}}, int64(most), x)
	})
	w.texts, w.grown = most, most/perStored
	return w
}

func (c *coster) caseOf(e *caseExpr, known extents) work {
	w := c.passed(&e.otherwise, known)
	value := w.extent
	w = c.joined(w, c.expr(&e.of, known))
	for i := range e.branches {
		when, then := c.expr(&e.branches[i][0], known), c.passed(&e.branches[i][1], known)
		w, value = c.joined(c.joined(w, when), then), value.or(then.extent)
	}
	w.extent = value
	return w
}
