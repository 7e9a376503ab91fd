package guard

import (
	"maps"
	"math"
	"slices"
)

// relationships returns the number of relationships in the patterns of a MATCH.
func relationships(m *matchClause) (n int) {
	for i := range m.patterns {
		n += len(m.patterns[i].parts) - len(m.patterns[i].nodes())
	}
	return n
}

// plain reports whether it only passes names on: Neo4j then plans both sides of it together.
func (w *withClause) plain() bool {
	computes := slices.ContainsFunc(w.items, func(i item) bool { _, ok := i.value.(*variable); return !ok })
	return !computes && !w.distinct && w.orderBy == nil && w.skip == nil && w.limit == nil
}

// with scopes WITH and RETURN, and sets known to the names in scope after it.
func (s *scoper) with(w *withClause, known, lasting names) (columns []string) {
	s.expandStar(w, known, lasting)
	groups := w.distinct || slices.ContainsFunc(w.items, isAggregate)
	after := names{}
	for i := range w.items {
		item := &w.items[i]
		sort := s.sortOf(item.value, known)
		item.value = s.expr(item.value, known)
		columns = append(columns, item.name)
		if !item.named {
			item.name, item.named = s.column(item.name), true
		}
		if _, twice := after[item.name]; twice {
			s.refuse(item.at, "two columns have the same name: write … AS name")
		}
		if sort == aPath {
			sort = aValue // its conditions no longer belong to its MATCH
		}
		after[item.name] = sort
	}
	both := maps.Clone(known)
	for name := range both {
		if groups {
			both[name] |= dropped
		}
	}
	maps.Copy(both, after)
	for i := range w.orderBy {
		w.orderBy[i].value = s.expr(w.orderBy[i].value, both)
	}
	w.skip, w.limit = s.count(w.skip, "SKIP", w.at), s.count(w.limit, "LIMIT", w.at)
	if w.where != nil {
		if w.limit == nil {
			w.limit = s.cap()
		}
		w.where = s.expr(w.where, both)
	}
	clear(known)
	maps.Copy(known, after)
	return columns
}

// expandStar replaces the * of a WITH or RETURN by the known names.
func (s *scoper) expandStar(w *withClause, known, lasting names) {
	if !w.star {
		return
	}
	var all []item
	for _, name := range known.sorted() {
		if _, there := lasting[name]; there {
			continue // it is in scope anyway, and must not be listed
		}
		all = append(all, item{value: &variable{name: name, at: w.at}, name: name, named: true, at: w.at})
	}
	if len(all) == 0 && len(w.items) == 0 && (w.isReturn || len(lasting) == 0) {
		s.refuse(w.at, "* stands for nothing here: no name is known")
	}
	if len(all)+len(w.items) == 0 { // all known names are lasting
		all = []item{{value: &literal{true}, name: s.make(), named: true}}
	}
	w.star, w.items = false, append(all, w.items...)
}

// sortOf returns what a column has in it.
func (s *scoper) sortOf(column expr, known names) sortOf {
	switch v := column.(type) {
	case *variable:
		return known.sort(v.name)
	case *propertyOf:
		if of, ok := v.of.(*variable); ok && hasProperties(known.sort(of.name)) {
			return aScalar
		}
	default:
		if s.constant(v) {
			return aScalar
		}
	}
	return aValue
}

// column returns a name for an unnamed column, as the caller's text may be anything.
func (s *scoper) column(text string) string {
	name, ok := s.columns[text]
	if !ok {
		name = "#c" + itoa(len(s.columns)+1)
		s.columns[text] = name
	}
	return name
}

// cap returns a limit that keeps Neo4j from evaluating later clauses before earlier ones. No number of rows reaches it.
func (s *scoper) cap() expr { return s.own("cap") }

// own returns a parameter of the guard.
func (s *scoper) own(name string) expr {
	return &propertyOf{of: &paramExpr{name: guardParam}, name: name}
}

// count scopes the value of SKIP or LIMIT: a number, or a calculation with parameters.
func (s *scoper) count(e expr, word string, at int) expr {
	if e == nil {
		return nil
	}
	n, ok := s.folded(e)
	if !ok || n < 0 {
		s.refuse(at, "%s needs a whole number of 0 or more, or a parameter that is one", word)
	}
	return &literal{n}
}

// folded returns the value of a small integer calculation.
func (s *scoper) folded(e expr) (int64, bool) {
	switch e := e.(type) {
	case *literal:
		return wholeNumber(e.value)
	case *paramExpr:
		s.parameter(e)
		return wholeNumber(s.given[e.name])
	case *call:
		if e.name == "tointeger" && len(e.args) == 1 {
			return s.folded(e.args[0])
		}
	case *binary:
		left, ok := s.folded(e.left)
		right, also := s.folded(e.right)
		if !ok || !also || max(left, right) > math.MaxInt32 || min(left, right) < math.MinInt32 {
			return 0, false
		}
		switch {
		case e.operator == "+":
			return left + right, true
		case e.operator == "-":
			return left - right, true
		case e.operator == "*":
			return left * right, true
		case e.operator == "/" && right != 0:
			return left / right, true
		}
	}
	return 0, false
}

func wholeNumber(v any) (int64, bool) {
	switch n := v.(type) {
	case int64:
		return n, true
	case int:
		return int64(n), true
	case float64:
		if n == float64(int64(n)) {
			return int64(n), true
		}
	}
	return 0, false
}

// call scopes a subquery. A bracketed import list holds for all of its body. In the older form each part imports by a
// WITH at its beginning.
func (s *scoper) call(c *callClause, known names) {
	for i := range c.body.parts {
		clauses := c.body.parts[i].clauses
		if last, ok := clauses[len(clauses)-1].(*withClause); !ok || !last.isReturn {
			s.refuse(c.at, "the subquery needs a RETURN at its end")
		} else if i := slices.IndexFunc(last.items, func(i item) bool { return !i.named }); i >= 0 {
			s.refuse(last.items[i].at, "what a subquery returns needs a name: write … AS name")
		}
	}
	loose := s.loose
	var columns []string
	if c.scoped {
		if c.star { // in an expression, Neo4j's own * omits the names around it
			c.star, c.imports = false, known.live()
		}
		inside := names{}
		for _, name := range c.imports {
			sort, ok := known[name]
			if !ok {
				s.undefined(name, c.at)
			}
			inside[name] = sort
		}
		columns = s.query(&c.body, inside, inside)
	} else {
		columns = s.importing(c, known)
	}
	if groups(&c.body) {
		s.loose = loose // it returns one row
	}
	for _, name := range columns {
		if _, twice := known[name]; twice {
			s.refuse(c.at, "the subquery returns a name that is there already: write … AS another")
		}
		known[name] = aValue
	}
}

// groups reports whether each part of a query returns a single row.
func groups(q *query) bool {
	return !slices.ContainsFunc(q.parts, func(part singleQuery) bool {
		w, ok := part.clauses[len(part.clauses)-1].(*withClause)
		return !ok || slices.ContainsFunc(w.items, func(i item) bool { return !isAggregate(i) })
	})
}

// importing scopes a subquery in the older form.
func (s *scoper) importing(c *callClause, known names) (columns []string) {
	for i := range c.body.parts {
		w, ok := c.body.parts[i].clauses[0].(*withClause)
		if !ok || w.isReturn {
			continue
		}
		plain := w.plain() && w.where == nil
		for _, item := range w.items {
			v, ok := item.value.(*variable)
			if !ok || item.name != v.name {
				plain = false
				break
			}
			if _, there := known[v.name]; !there {
				s.undefined(v.name, w.at)
			}
		}
		if !plain {
			s.refuse(w.at, "the WITH at the beginning of a subquery only names what it takes: write CALL (a, b) { … }")
		}
	}
	return s.parts(&c.body, c.at, func(part *singleQuery) names {
		if w, ok := part.clauses[0].(*withClause); ok && !w.isReturn {
			return maps.Clone(known) // its WITH imports the names it lists
		}
		return names{}
	}, nil)
}

func (s *scoper) undefined(name string, at int) {
	s.refuse(at, "%s is not known here: names come from MATCH, UNWIND, WITH … AS and CALL, and end at the next WITH that leaves them out", name)
}

// parameter requires that a parameter is given.
func (s *scoper) parameter(p *paramExpr) {
	if _, ok := s.given[p.name]; !ok {
		s.refuse(p.at, "the parameter %s is not given: put it into parameters", p.name)
	}
	s.used[p.name] = true
}
