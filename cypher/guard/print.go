package guard

import (
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
