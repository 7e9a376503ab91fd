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

// loopsAllowed is how many elements a list may have that is gone through in so many loops within each other.
var loopsAllowed = []int64{maxRange, maxRange, 300, 60}

// What the texts of all rounds of a loop may have together, in characters: those that are only passed on, those of which
// others are made, and those that are sought in others.
const (
	passedOn  = 40_000_000
	madeInto  = 16_000_000
	soughtFor = 4_000_000
)

// extent is how large a value can be.
type extent struct {
	length float64 // elements of a list; +Inf when nothing is known
	cells  float64 // values in it, at all depths
	grown  float64 // stored texts that the longest text in it is made of
	texts  float64 // characters of all texts in it
	isList bool    // for certain
}

var (
	oneValue  = extent{length: 1, cells: 1}
	anyStored = extent{length: math.Inf(1), cells: 1, grown: 1, texts: perStored}
)

// text is a text of so many stored ones.
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
	return extent{length: math.Inf(1), cells: max(1, x.cells/x.elements()), grown: x.grown, texts: min(x.texts, x.grown*perStored)}
}

func (x extent) plus(y extent) extent {
	return extent{x.length + y.length, x.cells + y.cells, x.grown + y.grown, x.texts + y.texts, x.isList || y.isList}
}

func (x extent) or(y extent) extent {
	return extent{max(x.length, y.length), max(x.cells, y.cells), max(x.grown, y.grown), max(x.texts, y.texts), x.isList && y.isList}
}

// times is a list of so many of it.
func (x extent) times(n float64) extent { return extent{n, n * x.cells, x.grown, n * x.texts, true} }

// collected is a list of which Neo4j counts the memory: so many are reckoned with.
func (x extent) collected(n float64) extent {
	return extent{length: math.Inf(1), cells: n * x.cells, grown: x.grown, texts: x.texts, isList: true}
}

// extents are those of the names that can be used at a place.
type extents map[string]extent

func (known extents) of(name string) extent {
	if x, ok := known[name]; ok {
		return x
	}
	return anyStored
}

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

// effort is what going through all of a value takes, in steps.
func (x extent) effort() float64 {
	if x.cells >= totalMarker { // of the result of reduce: counted there
		return 1
	}
	return x.cells + 100*x.grown
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

// argument bounds one of the values that a function gets.
func (c *coster) argument(e *call, i int, known extents) work {
	w := c.expr(&e.args[i], known)
	switch functions[e.name] {
	case "toInteger", "toIntegerOrNull", "toFloat", "toFloatOrNull":
		if text, ok := constantOf(e.args[i], c.given).(string); ok && len(text) > maxDigits {
			c.refuse(e.at, "a number has at most %d digits", maxDigits)
		}
		return c.limited(&e.args[i], w, min(maxDigits, soughtFor/c.rounds))
	case "split", "replace":
		if i > 0 || functions[e.name] == "split" && c.rounds > fewElements {
			return c.sought(&e.args[i], w)
		}
	case "coalesce", "head", "last", "nullIf":
		if _, isList := e.args[i].(*variable); isList && w.isList {
			return w
		}
		if c.rounds > fewElements {
			return c.limited(&e.args[i], w, passedOn/c.rounds)
		}
		return w
	case "type", "nodes", "relationships", "startNode", "endNode", "labels", "keys", "properties", "range":
		return w
	}
	if isAggregate(item{value: e}) {
		return w
	}
	return c.handled(&e.args[i], w)
}

// function bounds what a call makes.
func (c *coster) function(e *call, known extents) work {
	var w work
	args := make([]extent, max(len(e.args), 3))
	for i := range e.args {
		x := c.argument(e, i, known)
		w, args[i] = c.joined(w, x), x.extent
	}
	largest, first := w.extent, args[0]
	switch functions[e.name] {
	case "head", "last", "coalesce", "type", "nodes", "relationships", "startNode", "endNode", "collect", "count":
	case "size", "length":
		w.steps += 100 * largest.grown // of a text its characters are counted
	case "split", "replace":
		w.steps += largest.effort() + first.texts*args[1].texts/perStep + first.texts/perPiece
	case "normalize":
		w.steps += 10 * largest.effort()
	default:
		w.steps += largest.effort() // goes through what it gets
	}
	switch functions[e.name] {
	case "labels":
		w.extent = oneValue.times(10)
	case "keys":
		w.extent = oneValue.times(200)
	case "properties":
		w.extent = extent{math.Inf(1), first.cells + 200, first.grown, 4 * perStored, false}
	case "nodes", "relationships":
		w.extent = extent{sumHops + 1, sumHops + 1, 1, perStored, true}
	case "collect":
		w.extent = first.collected(unknown)
	case "split":
		pieces := first.texts
		if by, ok := constantOf(e.args[min(1, len(e.args)-1)], c.given).(string); ok && by != "" {
			pieces /= 10 // mostly
		}
		w.extent = extent{math.Inf(1), max(unknown, pieces), first.grown, first.texts, true}
	case "range":
		n := c.rangeLength(e.args)
		if n > maxRange {
			c.refuse(e.at, "the range has more than %d numbers: ask for fewer", maxRange)
		}
		w.extent = oneValue.times(n)
	case "replace":
		w.extent = text(first.grown * c.replaced(e.args))
	case "tail", "reverse", "toStringList", "toBooleanList":
		w.extent = first
	case "head", "last", "coalesce", "nullIf", "min", "max":
		w.extent = extent{math.Inf(1), largest.cells, largest.grown, largest.texts, false}
	case "normalize":
		w.extent = text(10 * first.grown)
	case "toString", "toStringOrNull", "toLower", "toUpper", "lower", "upper", "trim", "btrim", "lTrim", "rTrim", "substring", "left", "right":
		w.extent = text(first.grown)
	default:
		w.extent = oneValue
	}
	return w
}

// replaced is how many times longer replace can make a text.
func (c *coster) replaced(args []expr) float64 {
	if len(args) < 3 {
		return 1
	}
	by, ok := constantOf(args[2], c.given).(string)
	if !ok {
		return 1
	}
	of, _ := constantOf(args[1], c.given).(string)
	return max(1, float64(len(by))/float64(max(1, len(of)))+1)
}

// constantOf is the value of a literal or a parameter; nil when it is neither.
func constantOf(e expr, given map[string]any) any {
	switch e := e.(type) {
	case *literal:
		return e.value
	case *paramExpr:
		return given[e.name]
	}
	return nil
}

// rangeLength is how many numbers range(…) makes: the most that it may, when that is not known.
func (c *coster) rangeLength(args []expr) float64 {
	if len(args) < 2 {
		return 0
	}
	from, ok := wholeNumber(constantOf(args[0], c.given))
	to, also := wholeNumber(constantOf(args[1], c.given))
	step, third := int64(1), true
	if len(args) > 2 {
		step, third = wholeNumber(constantOf(args[2], c.given))
	}
	if !ok || !also || !third || step == 0 {
		return maxRange
	}
	return max(0, math.Floor((float64(to)-float64(from))/float64(step))+1)
}

// constantExtent is that of a literal or a parameter.
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
