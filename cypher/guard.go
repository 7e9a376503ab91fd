package cypher

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// Guarded is a statement of a caller as it may be sent: it reads only what its caller may see. Its parameters are Guard,
// which the guard fills, and Caller, the parameters that were given.
type Guarded struct {
	Text    string
	Columns []string
	Guard   map[string]any // literals; team, user, cap, hidden and labels are the runner's to add
	Used    []string       // parameters of the caller that the statement uses, sorted

	tree *query
}

// Seeking is the statement with hints: the nodes of some names are to be found by the indexes of the rules. Neo4j would
// else be free to go through all nodes with a label, whoever they belong to.
func (g *Guarded) Seeking(nodes map[string]bool) string { return printed(*g.tree, nodes) }

// The names of the two parameters of a guarded statement, each a map.
const (
	guardParam  = "k"
	callerParam = "c"
)

// Rules is what the guard knows of the graph.
type Rules struct {
	Base   string   // the label that everything has that callers may see
	Hidden []string // properties that they may not
	Rows   int64    // the most rows of an answer

	Indexes map[string]*Index // by which the nodes of a label are found; there are no other labels
	Index   *Index            // by which those of any label are
}

// Index is one that begins with team_id, of nodes of one label. Further has its other properties; that all nodes have them
// is known, and what the first of them begins with.
type Index struct {
	Label   string
	Further []string
	Prefix  string
}

// Guard reads a statement of a caller and writes it anew, so that it reads only what the caller may see: the nodes with
// the base label and the team_id $k.team that have no user_id, or $k.user, or have that among their participants. What may
// fail or take long comes after that, behind a LIMIT: Neo4j would otherwise be free to try it first on what is hidden.
//
// The error is a *Refusal. Nothing in it depends on what is stored. Its cost is linear in the length of the text. It is safe
// for concurrent use.
func Guard(text string, parameters map[string]any, rules Rules) (Guarded, error) {
	q, refused := read(text)
	if refused != nil {
		return Guarded{}, refused
	}
	s := &scoper{text: text, rules: rules, given: parameters, literals: map[any]string{}, used: map[string]bool{}}
	columns, refused := s.statement(&q)
	if refused != nil {
		return Guarded{}, refused
	}
	g := Guarded{Text: printed(q, nil), tree: &q, Columns: columns, Guard: map[string]any{}}
	for value, name := range s.literals {
		g.Guard[name] = value
	}
	for name := range s.used {
		g.Used = append(g.Used, name)
	}
	sort.Strings(g.Used)
	return g, nil
}

// scoper turns the tree of a statement into one that reads only what its caller may see.
type scoper struct {
	text     string
	rules    Rules
	given    map[string]any
	literals map[any]string // the names of the guard's parameters by their values
	used     map[string]bool
	made     int   // names
	hops     int64 // of all paths of varying length together
	loose    int   // patterns that nothing joins to others
	together int   // relationships that are planned together
	patterns int   // relationships and subqueries in all
	within   int   // subqueries in expressions around the place
	xors     int
}

const (
	maxHops  = 6  // of one path of varying length
	sumHops  = 18 // of all of a statement
	maxLoose = 4

	maxTogether = 7
	maxLabels   = 16 // in one expression
	maxPatterns = 32
	maxWithin   = 4 // Neo4j's parser takes twice as long for each
	maxXORs     = 4 // its planner, too
)

// sort of what a name stands for, as far as it is known.
type sortOf uint8

const (
	aValue sortOf = iota
	aNode
	aRelationship
	aList // of relationships
)

// names are those that can be used at a place.
type names map[string]sortOf

func (n names) clone() names {
	c := make(names, len(n))
	for name, sort := range n {
		c[name] = sort
	}
	return c
}

func (n names) sorted() []string {
	all := make([]string, 0, len(n))
	for name := range n {
		if !isMade(name) {
			all = append(all, name)
		}
	}
	sort.Strings(all)
	return all
}

// made is a name that no caller can write.
func (s *scoper) make() string {
	s.made++
	return fmt.Sprintf("#%d", s.made)
}

func isMade(name string) bool { return strings.HasPrefix(name, "#") }

func (s *scoper) refuse(at int, format string, args ...any) {
	panic(refuse(s.text, at, format, args...))
}

func (s *scoper) statement(q *query) (columns []string, refused *Refusal) {
	defer func() {
		if fault := recover(); fault != nil {
			r, ok := fault.(*Refusal)
			if !ok {
				panic(fault)
			}
			refused = r
		}
	}()
	for i := range q.parts {
		last, ok := q.parts[i].clauses[len(q.parts[i].clauses)-1].(*withClause)
		if !ok || !last.isReturn {
			s.refuse(len(s.text), "the statement needs a RETURN at its end")
		}
	}
	(&coster{text: s.text, given: s.given}).query(q, extents{})
	columns = s.query(q, names{}, false)
	for i := range q.parts {
		clauses := q.parts[i].clauses
		s.limitRows(clauses[len(clauses)-1].(*withClause))
	}
	return columns, nil
}

// limitRows has one row more come back than an answer may have: then it is known that there are more.
func (s *scoper) limitRows(w *withClause) {
	most := s.rules.Rows + 1
	if l, ok := w.limit.(*literal); ok && l.value.(int64) < most {
		return
	}
	w.limit = &literal{most}
}

// query scopes the parts of a query, and returns the columns of the first.
func (s *scoper) query(q *query, outer names, inner bool) (columns []string) {
	loose, most := s.loose, s.loose
	defer func() { s.loose = most }()
	for i := range q.parts {
		s.loose = loose // parts are not combined with each other
		part := s.single(&q.parts[i], outer.clone(), inner)
		most = max(most, s.loose)
		if i == 0 {
			columns = part
		} else if !slices.Equal(columns, part) {
			s.refuse(len(s.text), "the parts of a UNION need the same columns, in the same order")
		}
	}
	return columns
}

func (s *scoper) single(q *singleQuery, known names, inner bool) (columns []string) {
	together := s.together
	defer func() { s.together = together }()
	s.together = 0
	var out []clause
	for i, c := range q.clauses {
		switch c := c.(type) {
		case *matchClause:
			if n := relationships(c); s.together > 0 && s.together+n > maxTogether {
				out = append(out, s.barrier(nil)) // so that Neo4j plans what follows by itself
				s.together = 0
			}
			out = append(out, s.match(c, known)...)
		case *unwindClause:
			c.list = s.expr(c.list, known)
			known[c.as] = aValue
			out = append(out, c)
		case *callClause:
			s.call(c, known)
			out = append(out, c)
		case *withClause:
			if c.isReturn && i != len(q.clauses)-1 {
				s.refuse(c.at, "RETURN must be the last clause")
			}
			columns = s.with(c, known)
			if !c.plain() {
				s.together = 0
			}
			if c.limit != nil || slices.ContainsFunc(c.items, isAggregate) {
				s.loose = 0 // few rows are left
			}
			out = append(out, c)
		}
	}
	q.clauses = out
	return columns
}

// relationships is how many the patterns of a MATCH have.
func relationships(m *matchClause) (n int) {
	for i := range m.patterns {
		n += len(m.patterns[i].parts) - len(m.patterns[i].nodes())
	}
	return n
}

// plain says whether it only passes names on: Neo4j then plans what is before it and after it together.
func (w *withClause) plain() bool {
	computes := slices.ContainsFunc(w.items, func(i item) bool { _, ok := i.value.(*variable); return !ok })
	return !computes && !w.distinct && w.orderBy == nil && w.skip == nil && w.limit == nil
}

// with scopes WITH and RETURN: known becomes what can be used after it.
func (s *scoper) with(w *withClause, known names) (columns []string) {
	if w.star {
		var all []item
		for _, name := range known.sorted() {
			all = append(all, item{value: &variable{name: name, at: w.at}, name: name, at: w.at})
		}
		if len(all) == 0 && len(w.items) == 0 {
			s.refuse(w.at, "* stands for nothing here: no name is known")
		}
		w.star, w.items = false, append(all, w.items...)
	}
	after, computed := names{}, map[string]bool{}
	for i := range w.items {
		item := &w.items[i]
		sort := aValue
		if v, ok := item.value.(*variable); ok {
			sort = known[v.name]
		} else {
			computed[item.name] = true
		}
		item.value = s.expr(item.value, known)
		if _, twice := after[item.name]; twice {
			s.refuse(item.at, "two columns have the same name: write … AS name")
		}
		after[item.name] = sort
		columns = append(columns, item.name)
	}
	both := known.clone()
	for name, sort := range after {
		both[name] = sort
	}
	for i := range w.orderBy {
		w.orderBy[i].value = s.expr(w.orderBy[i].value, both)
	}
	w.skip, w.limit = s.count(w.skip, "SKIP", w.at), s.count(w.limit, "LIMIT", w.at)
	if w.where != nil {
		if w.limit == nil && (mentions(w.where, computed) || !s.safe(w.where, both)) {
			w.limit = s.cap()
		}
		w.where = s.expr(w.where, both)
	}
	clear(known)
	for name, sort := range after {
		known[name] = sort
	}
	return columns
}

// cap is the limit that keeps Neo4j from trying what comes after it before what comes before: no number of rows reaches it.
func (s *scoper) cap() expr { return s.own("cap") }

// own is a parameter of the guard.
func (s *scoper) own(name string) expr {
	return &propertyOf{of: &paramExpr{name: guardParam}, name: name}
}

// count scopes what stands after SKIP and LIMIT: a number.
func (s *scoper) count(e expr, word string, at int) expr {
	switch e := e.(type) {
	case nil:
		return nil
	case *literal:
		if n, ok := e.value.(int64); ok && n >= 0 {
			return e
		}
	case *paramExpr:
		s.parameter(e)
		if n, ok := wholeNumber(s.given[e.name]); ok && n >= 0 {
			return &literal{n}
		}
		s.refuse(e.at, "the parameter after %s must be a whole number of 0 or more", word)
	}
	s.refuse(at, "%s needs a whole number, or a parameter that is one", word)
	return nil
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

// call scopes a subquery. Whichever way it was written, it says in brackets what it takes from outside.
func (s *scoper) call(c *callClause, known names) {
	inside := names{}
	switch {
	case c.scoped && c.star:
		inside = known.clone()
	case c.scoped:
		for _, name := range c.imports {
			sort, ok := known[name]
			if !ok {
				s.undefined(name, c.at)
			}
			inside[name] = sort
		}
	default:
		s.importing(c, known, inside)
	}
	c.scoped, c.star, c.imports = true, false, nil
	for name := range inside {
		c.imports = append(c.imports, name)
	}
	sort.Strings(c.imports)
	for i := range c.body.parts {
		clauses := c.body.parts[i].clauses
		if last, ok := clauses[len(clauses)-1].(*withClause); !ok || !last.isReturn {
			s.refuse(c.at, "the subquery needs a RETURN at its end")
		}
	}
	for _, name := range s.query(&c.body, inside, true) {
		if _, twice := known[name]; twice {
			s.refuse(c.at, "the subquery returns a name that is there already: write … AS another")
		}
		known[name] = aValue
	}
}

// importing takes away the WITH at the beginning of each part of a subquery, the older way to say what it takes.
func (s *scoper) importing(c *callClause, known, inside names) {
	for i := range c.body.parts {
		part := &c.body.parts[i]
		w, ok := part.clauses[0].(*withClause)
		if !ok || w.isReturn {
			continue
		}
		plain := !w.distinct && w.orderBy == nil && w.skip == nil && w.limit == nil && w.where == nil
		if w.star {
			for name, sort := range known {
				inside[name] = sort
			}
		}
		for _, item := range w.items {
			v, ok := item.value.(*variable)
			sort, there := sortOf(0), false
			if ok {
				sort, there = known[v.name]
			}
			if !there || item.name != v.name {
				plain = false
				break
			}
			inside[v.name] = sort
		}
		if !plain {
			s.refuse(w.at, "the WITH at the beginning of a subquery only names what it takes: write CALL (a, b) { … }")
		}
		if part.clauses = part.clauses[1:]; len(part.clauses) == 0 {
			s.refuse(w.at, "the subquery needs a RETURN at its end")
		}
	}
}

func (s *scoper) undefined(name string, at int) {
	s.refuse(at, "%s is not known here: names come from MATCH, UNWIND, WITH … AS and CALL, and end at the next WITH that leaves them out", name)
}

// parameter holds that one is given.
func (s *scoper) parameter(p *paramExpr) {
	if _, ok := s.given[p.name]; !ok {
		s.refuse(p.at, "the parameter %s is not given: put it into parameters", p.name)
	}
	s.used[p.name] = true
}
