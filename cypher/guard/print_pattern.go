package guard

import "strconv"

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
