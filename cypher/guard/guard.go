// Package guard parses the Cypher statements that callers write, and rewrites each so that it reads only data that its
// caller may see, within bounds of rows, paths and memory. It accepts a documented part of the language and refuses the
// rest. It runs nothing and knows no driver.
package guard

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
)

// Statement is a caller's statement in the form that may be sent: it reads only data that its caller may see. Its
// parameters are Literals, filled by the guard, and those of the caller.
type Statement struct {
	Text     string
	Columns  []string
	Literals map[string]any // of the text; the runner adds team, user, cap, hidden and labels
	Used     []string       // parameters of the caller that the statement uses, sorted
	Bytes    int64          // maximum size of its values in the database, without rows, which Neo4j counts itself

	tree *query
}

// Seeking returns the statement with index hints for the nodes of some names. Without them Neo4j could scan all nodes
// with a label, whoever owns them.
func (g *Statement) Seeking(nodes map[string]bool) string { return printed(*g.tree, nodes) }

// Names of the two map parameters of a guarded statement.
const (
	guardParam  = "k"
	callerParam = "c"
)

// Rules describes the graph to the guard.
type Rules struct {
	Base   string   // the label of everything that callers may see
	Hidden []string // properties that callers may not see
	Rows   int64    // maximum number of rows of an answer

	Memory int64          // maximum bytes of a statement's values in the database; 0: 8 MiB
	Stored map[string]int // maximum characters of a property's text; other properties: 65,536

	Indexes map[string]*Index // index of the nodes of each label; there are no other labels
	Index   *Index            // index of nodes of any label

	Words *Words // types stored as words; nil: none

	// Named is the index of nodes with one of the labels of Indexes by name. NameKey returns the index value of a name:
	// nodes with one name have one key. Without an index, or with an empty key, it is not used.
	Named   *Index
	NameKey func(name string) string
}

// Index is an index of the nodes of one label that begins with team_id. Further has its other properties, whether all
// nodes have them, and the prefix of the first one.
type Index struct {
	Label   string
	Further []string
	Prefix  string
	Unnamed bool // the name index does not find nodes of this label
}

// Rewrite parses a caller's statement and rewrites it so that it reads only data that the caller may see: nodes with the
// base label and the team_id $k.team that have no user_id, or $k.user as user_id or participant. Expressions that may
// fail or take long follow after that, behind a LIMIT. Otherwise Neo4j could evaluate them on hidden nodes first.
//
// The error is a *Refusal. Nothing in it depends on stored data. The cost is linear in the length of the text. Rewrite is
// safe for concurrent use.
func Rewrite(text string, parameters map[string]any, rules Rules) (Statement, error) {
	q, refused := read(text)
	if refused != nil {
		return Statement{}, refused
	}
	s := &scoper{text: text, rules: rules, given: parameters, literals: map[any]string{}, values: map[string]any{}, used: map[string]bool{}, columns: map[string]string{}}
	columns, refused := s.statement(&q)
	if refused != nil {
		return Statement{}, refused
	}
	g := Statement{Text: printed(q, nil), tree: &q, Columns: columns, Literals: s.values, Bytes: s.bytes}
	if len(g.Text) > maxPrinted {
		return Statement{}, refuse(text, 0, "the statement is too large: ask for less at once")
	}
	for name := range s.used {
		g.Used = append(g.Used, name)
	}
	sort.Strings(g.Used)
	return g, nil
}

// scoper rewrites the tree of a statement so that it reads only data that its caller may see.
type scoper struct {
	text     string
	rules    Rules
	given    map[string]any
	literals map[any]string // names of the guard's parameters by value
	values   map[string]any // values by name
	used     map[string]bool
	columns  map[string]string // generated names of unnamed columns, by text
	made     int               // number of generated names
	hops     int64             // total of all paths of varying length
	loose    int               // patterns not joined to others
	together int               // relationships planned together
	patterns int               // total of relationships and subqueries
	within   int               // depth of subqueries in expressions
	xors     int
	bytes    int64
}

const (
	maxHops  = 6  // of one path of varying length
	sumHops  = 18 // of all of a statement
	maxLoose = 4

	maxPrinted  = 64 << 10 // bytes of what is sent
	maxTogether = 7
	maxLabels   = 16 // in one expression
	maxPatterns = 32
	maxWithin   = 4 // Neo4j's parser doubles its time with each
	maxXORs     = 4 // so does its planner
)

// sort is the kind of value of a name, as far as it is known.
type sortOf uint8

const (
	aValue sortOf = iota
	aNode
	aRelationship
	aList   // of relationships
	aPath   // of this MATCH
	aScalar // a property, or a constant
	aNumber // a whole one

	dropped sortOf = 0x80 // Neo4j no longer knows the name in patterns
)

// names holds the names in scope.
type names map[string]sortOf

func (n names) sort(name string) sortOf { return n[name] &^ dropped }

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

// live returns the names that patterns may use.
func (n names) live() []string {
	all := []string{}
	for name, sort := range n {
		if sort&dropped == 0 {
			all = append(all, name)
		}
	}
	sort.Strings(all)
	return all
}

// made returns a name that no caller can write.
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
	s.bytes = newCoster(s).statement(q)
	columns = s.query(q, names{}, nil)
	if len(q.parts) > 1 {
		*q = union(*q)
	}
	clauses := q.parts[0].clauses
	s.limitRows(clauses[len(clauses)-1].(*withClause))
	return columns, nil
}

// union wraps a statement of several parts in a subquery, so that a limit can follow.
func union(q query) query {
	first := q.parts[0].clauses
	r := &withClause{isReturn: true}
	for _, i := range first[len(first)-1].(*withClause).items {
		r.items = append(r.items, item{value: &variable{name: i.name}, name: i.name, named: true})
	}
	return query{parts: []singleQuery{{clauses: []clause{&callClause{scoped: true, body: q}, r}}}}
}

// limitRows limits the rows to one more than an answer may have, which shows whether there are more.
func (s *scoper) limitRows(w *withClause) {
	most := s.rules.Rows + 1
	if l, ok := w.limit.(*literal); ok && l.value.(int64) < most {
		return
	}
	w.limit = &literal{most}
}

// query scopes the parts of a query, and returns the columns of the first one. known are the names at its beginning,
// lasting the names that no WITH ends.
func (s *scoper) query(q *query, known, lasting names) (columns []string) {
	return s.parts(q, len(s.text), func(*singleQuery) names { return maps.Clone(known) }, lasting)
}

// parts scopes the parts of a query, each with its own copy of the names.
func (s *scoper) parts(q *query, at int, begin func(*singleQuery) names, lasting names) (columns []string) {
	loose, most := s.loose, s.loose
	defer func() { s.loose = most }()
	for i := range q.parts {
		s.loose = loose // parts are not combined with each other
		part := s.single(&q.parts[i], begin(&q.parts[i]), lasting)
		most = max(most, s.loose)
		if i == 0 {
			columns = part
		} else if !slices.Equal(columns, part) {
			s.refuse(at, "the parts of a UNION need the same columns, in the same order")
		}
	}
	return columns
}

func (s *scoper) single(q *singleQuery, known, lasting names) (columns []string) {
	together := s.together
	defer func() { s.together = together }()
	s.together = 0
	var out []clause
	for i, c := range q.clauses {
		switch c := c.(type) {
		case *matchClause:
			if n := relationships(c); s.together > 0 && s.together+n > maxTogether {
				out = append(out, s.barrier(nil)) // so that Neo4j plans the rest separately
				s.together = 0
			}
			out = append(out, s.match(c, known)...)
		case *unwindClause:
			sort := s.elements(c.list)
			c.list = s.expr(c.list, known)
			known[c.as] = sort
			out = append(out, c)
		case *callClause:
			s.call(c, known)
			out = append(out, c)
		case *withClause:
			if c.isReturn && i != len(q.clauses)-1 {
				s.refuse(c.at, "RETURN must be the last clause")
			}
			columns = s.with(c, known, lasting)
			maps.Copy(known, lasting)
			if !c.plain() {
				s.together = 0
			}
			if _, few := c.limit.(*literal); few || slices.ContainsFunc(c.items, isAggregate) {
				s.loose = 0 // few rows are left
			}
			out = append(out, c)
		}
	}
	q.clauses = out
	return columns
}
