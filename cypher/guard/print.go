package guard

import (
	"math"
	"strconv"
	"strings"
)

// printer writes a tree as text. Every name stands in backticks and every operator in brackets, so that the text means
// the same as the tree under any precedence or reserved words of Neo4j.
type printer struct {
	strings.Builder
	seek map[string]bool // nodes with an index hint
}

func printed(q query, seek map[string]bool) string {
	p := &printer{seek: seek}
	p.query(q)
	return p.String()
}

func (p *printer) write(all ...string) {
	for _, s := range all {
		p.WriteString(s)
	}
}

// name writes a name in backticks. No name from the lexer or the guard has a character that could end it: Neo4j reads
// \u0060 as a backtick.
func (p *printer) name(name string) {
	if strings.ContainsAny(name, "`\\") {
		panic("cypher: a name cannot be written")
	}
	p.write("`", name, "`")
}

func (p *printer) query(q query) {
	for i, part := range q.parts {
		if i > 0 {
			p.write(" UNION ")
			if q.all[i-1] {
				p.write("ALL ")
			}
		}
		for j, c := range part.clauses {
			if j > 0 {
				p.write(" ")
			}
			p.clause(c)
		}
	}
}

func (p *printer) clause(c clause) {
	switch c := c.(type) {
	case *matchClause:
		if c.optional {
			p.write("OPTIONAL ")
		}
		p.write("MATCH ")
		for i := range c.patterns {
			p.comma(i)
			p.path(&c.patterns[i])
		}
		p.where(all([]expr{p.hints(c), c.where}))
	case *unwindClause:
		p.write("UNWIND ")
		p.expr(c.list)
		p.write(" AS ")
		p.name(c.as)
	case *withClause:
		p.with(c)
	case *callClause:
		p.call(c)
	}
}

// hints writes the hints of a MATCH. It returns the conditions on these nodes that Neo4j needs in the WHERE, because it
// ignores patterns that choose among paths.
func (p *printer) hints(m *matchClause) expr {
	var needed []expr
	for i := range m.patterns {
		for _, part := range m.patterns[i].parts {
			n, ok := part.(*nodePattern)
			if !ok || !p.seeks(n) {
				continue
			}
			p.write(" USING INDEX SEEK ")
			p.name(n.name)
			p.write(":")
			p.name(n.index.Label)
			p.write("(`team_id`")
			for _, property := range n.index.Further {
				p.write(", ")
				p.name(property)
			}
			p.write(")")
			if m.patterns[i].selector.selects() {
				v := &variable{name: n.name}
				team := equals(&propertyOf{of: v, name: "team_id"}, n.properties.values[0])
				needed = append(needed, &hasLabels{of: v, labels: labelName{n.index.Label}}, team, indexed(n))
			}
		}
	}
	return all(needed)
}

func (p *printer) seeks(n *nodePattern) bool { return n.index != nil && (n.start || p.seek[n.name]) }

// indexed returns the conditions of a node's index besides the team.
func indexed(n *nodePattern) expr {
	var needed []expr
	for i, property := range n.index.Further {
		of := &propertyOf{of: &variable{name: n.name}, name: property}
		switch {
		case n.key != nil:
			needed = append(needed, equals(of, n.key))
		case i == 0 && n.index.Prefix != "":
			needed = append(needed, &binary{operator: "STARTS WITH", left: of, right: n.prefix})
		default:
			needed = append(needed, &unary{operator: "IS NOT NULL", of: of})
		}
	}
	return all(needed)
}

func (p *printer) comma(i int) {
	if i > 0 {
		p.write(", ")
	}
}

func (p *printer) where(e expr) {
	if e != nil {
		p.write(" WHERE ")
		p.expr(e)
	}
}

func (p *printer) with(c *withClause) {
	word := "WITH "
	if c.isReturn {
		word = "RETURN "
	}
	p.write(word)
	if c.distinct {
		p.write("DISTINCT ")
	}
	if c.star {
		p.write("*")
	}
	for i, item := range c.items {
		if i > 0 || c.star {
			p.write(", ")
		}
		if p.expr(item.value); item.named {
			p.write(" AS ")
			p.name(item.name)
		}
	}
	for i, o := range c.orderBy {
		if i == 0 {
			p.write(" ORDER BY ")
		}
		p.comma(i)
		p.expr(o.value)
		if o.descending {
			p.write(" DESC")
		}
	}
	if c.skip != nil {
		p.write(" SKIP ")
		p.expr(c.skip)
	}
	if c.limit != nil {
		p.write(" LIMIT ")
		p.expr(c.limit)
	}
	p.where(c.where)
}

func (p *printer) call(c *callClause) {
	if c.optional {
		p.write("OPTIONAL ")
	}
	p.write("CALL ")
	if c.scoped {
		p.write("(")
		if c.star {
			p.write("*")
		}
		for i, name := range c.imports {
			p.comma(i)
			p.name(name)
		}
		p.write(") ")
	}
	p.write("{ ")
	p.query(c.body)
	p.write(" }")
}

func (p *printer) path(path *pathPattern) {
	if path.name != "" {
		p.name(path.name)
		p.write(" = ")
	}
	count := strconv.FormatInt(path.selector.count, 10)
	switch path.selector.kind {
	case shortestPathFunction:
		p.write("shortestPath(")
	case allShortestPathsFunction:
		p.write("allShortestPaths(")
	case anyPaths:
		p.write("ANY ", count, " ")
	case shortestPaths:
		p.write("SHORTEST ", count, " ")
	case allShortest:
		p.write("ALL SHORTEST ")
	case shortestGroups:
		p.write("SHORTEST ", count, " GROUPS ")
	}
	p.parts(path.parts)
	if k := path.selector.kind; k == shortestPathFunction || k == allShortestPathsFunction {
		p.write(")")
	}
}

func (p *printer) parts(parts []pathPart) {
	for _, part := range parts {
		switch part := part.(type) {
		case *nodePattern:
			p.write("(")
			where := part.where
			if p.seeks(part) {
				where = all([]expr{indexed(part), where})
			}
			p.inPattern(part.name, part.labels, part.properties, where, nil)
			p.write(")")
		case *relPattern:
			p.relationship(part)
		case *groupPattern:
			p.write("(")
			p.parts(part.parts)
			p.where(part.where)
			p.write(")")
			p.repeat(&part.repeat)
		}
	}
}

func (p *printer) relationship(r *relPattern) {
	if r.direction == incoming {
		p.write("<")
	}
	p.write("-[")
	p.inPattern(r.name, r.types, r.properties, r.where, r.repeat)
	p.write("]-")
	if r.direction == outgoing {
		p.write(">")
	}
	if r.repeat != nil && !r.repeat.stars {
		p.repeat(r.repeat)
	}
}

// inPattern writes the content of the brackets of a node or a relationship.
func (p *printer) inPattern(name string, labels labelExpr, properties *mapExpr, where expr, r *repeat) {
	if name != "" {
		p.name(name)
	}
	if labels != nil {
		p.write(":")
		p.labels(labels)
	}
	if r != nil && r.stars {
		p.repeat(r)
	}
	if properties != nil {
		p.write(" ")
		p.expr(properties)
	}
	p.where(where)
}

func (p *printer) repeat(r *repeat) {
	least, most := strconv.FormatInt(r.least, 10), ""
	if r.most >= 0 {
		most = strconv.FormatInt(r.most, 10)
	}
	if r.stars {
		p.write("*", least, "..", most)
		return
	}
	p.write("{", least, ",", most, "}")
}

func (p *printer) labels(l labelExpr) {
	list := func(all []labelExpr, sign string) {
		p.write("(")
		for i, of := range all {
			if i > 0 {
				p.write(sign)
			}
			p.labels(of)
		}
		p.write(")")
	}
	switch l := l.(type) {
	case labelName:
		p.name(l.name)
	case labelAny:
		p.write("%")
	case labelNot:
		p.write("!")
		p.labels(l.of)
	case labelAnd:
		list(l.of, "&")
	case labelOr:
		list(l.of, "|")
	}
}

func (p *printer) expr(e expr) {
	switch e := e.(type) {
	case *literal:
		p.literal(e.value)
	case *paramExpr:
		p.write("$")
		p.name(e.name)
	case *variable:
		p.name(e.name)
	case *propertyOf:
		p.operand(e.of)
		p.write(".")
		p.name(e.name)
	case *indexOf:
		p.operand(e.of)
		p.write("[")
		p.expr(e.index)
		p.write("]")
	case *sliceOf:
		p.operand(e.of)
		p.write("[")
		p.maybe(e.from)
		p.write("..")
		p.maybe(e.to)
		p.write("]")
	case *listExpr:
		p.write("[")
		p.exprs(e.items)
		p.write("]")
	case *mapExpr:
		p.mapOf(e)
	case *projection:
		p.projection(e)
	case *unary:
		p.unary(e)
	case *binary:
		p.write("(")
		p.expr(e.left)
		p.write(" ", e.operator, " ")
		p.expr(e.right)
		p.write(")")
	case *comparison:
		p.write("(")
		p.expr(e.first)
		for _, c := range e.rest {
			p.write(" ", c.operator, " ")
			p.expr(c.value)
		}
		p.write(")")
	case *hasLabels:
		p.write("(")
		p.operand(e.of)
		p.write(":")
		p.labels(e.labels)
		p.write(")")
	case *call:
		p.function(e)
	case *caseExpr:
		p.caseOf(e)
	default:
		p.scoped(e)
	}
}

// scoped writes the expressions that declare names.
func (p *printer) scoped(e expr) {
	switch e := e.(type) {
	case *comprehension:
		p.write("[")
		p.element(e.name, e.list, e.where)
		if e.value != nil {
			p.write(" | ")
			p.expr(e.value)
		}
		p.write("]")
	case *quantified:
		p.write(e.kind, "(")
		p.element(e.name, e.list, e.where)
		p.write(")")
	case *reduction:
		p.write("reduce(")
		p.name(e.total)
		p.write(" = ")
		p.expr(e.start)
		p.write(", ")
		p.element(e.name, e.list, nil)
		p.write(" | ")
		p.expr(e.result)
		p.write(")")
	case *patternList:
		p.write("[")
		p.path(&e.pattern)
		p.where(e.where)
		p.write(" | ")
		p.expr(e.value)
		p.write("]")
	case *subquery:
		p.write(e.kind, " { ")
		p.query(e.body)
		p.write(" }")
	}
}

func (p *printer) element(name string, list, where expr) {
	p.name(name)
	p.write(" IN ")
	p.expr(list)
	p.where(where)
}

func (p *printer) exprs(all []expr) {
	for i, e := range all {
		p.comma(i)
		p.expr(e)
	}
}

// maybe writes an optional expression.
func (p *printer) maybe(e expr) {
	if e != nil {
		p.expr(e)
	}
}

// operand writes the operand of a property or an element. Only names and bracketed expressions may stand alone.
func (p *printer) operand(e expr) {
	switch e.(type) {
	case *variable, *paramExpr, *propertyOf, *indexOf, *sliceOf, *call:
		p.expr(e)
	default:
		p.write("(")
		p.expr(e)
		p.write(")")
	}
}

func (p *printer) unary(e *unary) {
	p.write("(")
	if strings.HasPrefix(e.operator, "IS") {
		p.expr(e.of)
		p.write(" ", e.operator)
	} else {
		p.write(e.operator, " ")
		p.expr(e.of)
	}
	p.write(")")
}

func (p *printer) mapOf(e *mapExpr) {
	p.write("{")
	for i, key := range e.keys {
		p.comma(i)
		p.name(key)
		p.write(": ")
		p.expr(e.values[i])
	}
	p.write("}")
}

func (p *printer) projection(e *projection) {
	p.name(e.of)
	p.write(" {")
	for i, item := range e.items {
		p.comma(i)
		switch {
		case item.all:
			p.write(".*")
		case item.value == nil:
			p.write(".")
			p.name(item.name)
		default:
			p.name(item.name)
			p.write(": ")
			p.expr(item.value)
		}
	}
	p.write("}")
}

func (p *printer) function(e *call) {
	p.write(e.name, "(")
	if e.distinct {
		p.write("DISTINCT ")
	}
	if e.star {
		p.write("*")
	}
	p.exprs(e.args)
	p.write(")")
}

func (p *printer) caseOf(e *caseExpr) {
	p.write("CASE ")
	if e.of != nil {
		p.expr(e.of)
		p.write(" ")
	}
	for _, b := range e.branches {
		p.write("WHEN ")
		p.expr(b[0])
		p.write(" THEN ")
		p.expr(b[1])
		p.write(" ")
	}
	if e.otherwise != nil {
		p.write("ELSE ")
		p.expr(e.otherwise)
		p.write(" ")
	}
	p.write("END")
}

func (p *printer) literal(value any) {
	switch v := value.(type) {
	case nil:
		p.write("null")
	case bool:
		p.write(strconv.FormatBool(v))
	case int64:
		p.write(strconv.FormatInt(v, 10))
	case float64:
		p.float(v)
	case string:
		p.text(v)
	}
}

func (p *printer) float(f float64) {
	switch {
	case math.IsNaN(f):
		p.write("NaN")
	case math.IsInf(f, 1):
		p.write("INF")
	case math.IsInf(f, -1):
		p.write("-INF")
	default:
		text := strconv.FormatFloat(f, 'g', -1, 64)
		if !strings.ContainsAny(text, ".e") {
			text += ".0"
		}
		p.write(text)
	}
}

// text writes a string, with everything but letters, digits and spaces escaped.
func (p *printer) text(s string) {
	p.write("'")
	for _, c := range s {
		switch {
		case c == '\'' || c == '\\':
			p.write("\\", string(c))
		case c < ' ' || c == 0x7f:
			p.write(`\u`, strings.ToUpper(strconv.FormatInt(0x10000+int64(c), 16)[1:]))
		default:
			p.WriteRune(c)
		}
	}
	p.write("'")
}
