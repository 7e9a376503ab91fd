package guard

import (
	"maps"
)

// Neo4j checks a statement's time limit between rows, not within an expression. So the work of each expression is
// bounded before it runs: the rounds of its loops, and the growth of its values.
const (
	maxSteps  = 5_000_000  // of the loops of one expression together
	maxCells  = 500_000    // values in one value, repeated ones included
	maxGrown  = 256        // stored texts in one text
	maxTexts  = 16_000_000 // characters of the texts in one value
	maxJoined = 100_000    // characters of a text that reduce makes
	maxRange  = 10_000     // elements of a list in a loop or of range
	maxDigits = 1_000      // characters of a text converted to a number: the time is quadratic
	maxSought = 4_000      // characters of a text searched for in another: the time is the product of both
	perStep   = 2_000      // characters compared in a step
	perPiece  = 20         // characters split in a step

	collected   = 50               // assumed elements of a list made by a subquery
	unknown     = 1000             // assumed elements of a list of unknown length
	fewElements = 32               // shorter lists do not count as loops
	perStored   = 64 << 10         // bytes of the longest stored text
	manyStored  = 4 * perStored    // bytes of all texts of a node
	totalMarker = float64(1 << 40) // stands for the result of reduce, to show what is added to it
)

// Maximum characters of the texts of all rounds of a loop together: texts only passed on, texts that others are made
// of, and texts searched for in others.
const (
	passedOn  = 40_000_000
	madeInto  = 16_000_000
	soughtFor = 4_000_000
)

// coster bounds the work of expressions. It refuses those known to be too large, and makes lists of unknown length fail
// when they are too long for the loops around them.
type coster struct {
	text     string
	given    map[string]any
	loops    int     // depth of loops at this place
	rounds   float64 // rounds of all of them together
	at       int     // offset of the expression
	inReduce bool

	account *account
	memory  float64        // maximum bytes of the statement's values
	stored  map[string]int // maximum characters of a property's text
	lists   []string       // names of the lists of the enclosing loops with lengths known only at run time
	fixed   float64        // rounds of the other loops together
}

func newCoster(s *scoper) *coster {
	c := &coster{text: s.text, given: s.given, rounds: 1, fixed: 1, stored: s.rules.Stored, memory: float64(s.rules.Memory)}
	if c.account = (&account{seen: map[string]bool{}}); c.memory == 0 {
		c.memory = defaultMemory
	}
	return c
}

// statement bounds all expressions of a statement together. It returns the maximum bytes of their values.
func (c *coster) statement(q *query) int64 {
	c.query(q, extents{})
	bytes, fits := c.account.share(c.memory)
	if !fits {
		c.refuse(c.account.at, "the values of the statement are too large together: its lists, maps and texts may take %.1f MB, and the most is %.1f: make shorter lists, return fewer columns, "+
			"or let UNWIND and MATCH make rows in place of lists", bytes/1e6, c.memory/1e6)
	}
	return int64(bytes)
}

func (c *coster) refuse(at int, format string, args ...any) {
	panic(refuse(c.text, at, format, args...))
}

// work is the work and the size of an expression.
type work struct {
	extent
	steps float64
	loops int     // nesting depth
	made  float64 // maximum live bytes during evaluation
	kept  float64 // bytes that live as long as its value
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
		if x = aStored; name == "" {
			return
		}
		if repeat != nil {
			x = aStored.times(sumHops)
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
