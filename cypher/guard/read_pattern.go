package guard

import "strings"

// path reads a path of a MATCH, or of a pattern expression, which has neither name nor selector.
func (p *reader) path(inMatch bool) pathPattern {
	defer p.deeper()()
	path := pathPattern{at: p.peek().start}
	if p.isName(p.peek()) && p.ahead(1).is("=") {
		path.name = p.name("the path")
		p.at++
	}
	if inMatch {
		path.selector = p.selector()
	}
	switch function := path.selector.kind; function {
	case shortestPathFunction, allShortestPathsFunction:
		path.parts = p.parts(false)
		p.expect(")", "")
	default:
		path.parts = p.parts(inMatch)
	}
	return path
}

// selector reads a path selector such as shortestPath(.
func (p *reader) selector() selector {
	t := p.peek()
	function := func(kind selectorKind) selector {
		p.at += 2
		return selector{kind: kind}
	}
	counted := func(kind selectorKind) selector {
		s := selector{kind: kind, count: 1}
		if n := p.peek(); n.kind == intToken {
			if p.at++; n.num < 1 || n.num > 1000 {
				p.refuse(n.start, "the number of paths must be 1 to 1000")
			}
			s.count = n.num
		}
		if !p.take("PATHS") {
			p.take("PATH")
		}
		if kind == shortestPaths && (p.take("GROUPS") || p.take("GROUP")) {
			s.kind = shortestGroups
		}
		return s
	}
	switch {
	case p.words("shortestPath", "("):
		return function(shortestPathFunction)
	case p.words("allShortestPaths", "("):
		return function(allShortestPathsFunction)
	case p.take("ALL", "SHORTEST"):
		return counted(allShortest)
	case p.take("ANY", "SHORTEST"), p.take("SHORTEST"):
		return counted(shortestPaths)
	case p.take("ANY"):
		return counted(anyPaths)
	case p.take("ALL"):
		if !p.take("PATHS") {
			p.take("PATH")
		}
		return selector{}
	case p.isName(t):
		p.refuse(t.start, "a pattern is expected here, such as (n:Person)-[r:thinks_about]->(c:Concept)")
	}
	return selector{}
}

// parts reads alternating nodes and relationships.
func (p *reader) parts(groups bool) []pathPart {
	var all []pathPart
	for {
		t := p.peek()
		switch {
		case groups && p.groupNext():
			all = append(all, p.group())
			if p.groupNext() || p.words("(") {
				continue
			}
			return all
		case t.is("("):
			all = append(all, p.node())
		default:
			p.refuse(t.start, "a node is expected here, such as (n:Person)")
		}
		switch {
		case p.relationshipNext(p.at):
			all = append(all, p.relationship())
		case groups && p.groupNext():
		default:
			return all
		}
	}
}

// groupNext reports whether a group is next: a path in brackets that may be repeated.
func (p *reader) groupNext() bool {
	if !p.words("(") {
		return false
	}
	next := p.ahead(1)
	return next.is("(") || p.isName(next) && p.ahead(2).is("=") && p.ahead(3).is("(")
}

func (p *reader) group() *groupPattern {
	defer p.deeper()()
	g := &groupPattern{at: p.peek().start}
	p.at++
	if t := p.peek(); p.isName(t) {
		p.refuse(t.start, "a path in brackets may not have a name of its own: name the whole path")
	}
	g.parts = p.parts(false)
	g.where = p.where()
	p.expect(")", "")
	t := p.peek()
	r := p.quantifier()
	if r == nil {
		p.refuse(t.start, "a path in brackets needs how often it repeats, such as {1,3}")
	}
	g.repeat = *r
	return g
}

// relationshipNext reports whether a relationship begins at a token.
func (p *reader) relationshipNext(at int) bool {
	t, next := &p.tokens[at], &p.tokens[min(at+1, len(p.tokens)-1)]
	switch {
	case t.is("--", "-->", "<--", "<-->"):
		return next.is("(") || next.is("{", "+", "*")
	case t.is("-"), t.is("<-"):
		return next.is("[")
	}
	return false
}

func (p *reader) node() *nodePattern {
	n := &nodePattern{at: p.peek().start}
	p.expect("(", "")
	if p.named(")", ":", "{", "WHERE") {
		n.name = p.name("the node")
	}
	if p.take(":") || p.take("IS") {
		n.labels = p.labels(false)
	}
	n.properties = p.patternProperties()
	n.where = p.where()
	p.expect(")", " after the node")
	return n
}

// named reports whether a bracket begins with a name. WHERE is a name if followed by what may follow a name.
func (p *reader) named(after ...string) bool {
	t := p.peek()
	if t.is("WHERE") {
		return p.ahead(1).is(after...)
	}
	return p.isName(t) && !t.is("IS")
}

func (p *reader) patternProperties() *mapExpr {
	t := p.peek()
	if t.kind == paramToken {
		p.refuse(t.start, "the properties of a pattern cannot be a parameter: write {name: $name}")
	}
	if !t.is("{") {
		return nil
	}
	return p.mapLiteral()
}

func (p *reader) relationship() *relPattern {
	r := &relPattern{at: p.peek().start}
	t := p.peek()
	p.at++
	left, right := strings.HasPrefix(t.text, "<"), strings.HasSuffix(t.text, ">")
	if t.text == "-" || t.text == "<-" {
		p.expect("[", "")
		p.inBrackets(r)
		p.expect("]", " after the relationship")
		if end := p.peek(); !p.take("->") && !p.take("-") {
			p.refuse(end.start, "- or -> is expected after the relationship")
		} else {
			right = end.text == "->"
		}
	}
	switch {
	case left && !right:
		r.direction = incoming
	case right && !left:
		r.direction = outgoing
	}
	if q := p.quantifier(); q != nil {
		if r.repeat != nil {
			p.refuse(q.at, "the relationship says twice how often it repeats")
		}
		r.repeat = q
	}
	return r
}

func (p *reader) inBrackets(r *relPattern) {
	if p.named("]", ":", "{", "*", "WHERE") {
		r.name = p.name("the relationship")
	}
	if p.take(":") || p.take("IS") {
		r.types = p.labels(true)
	}
	if t := p.peek(); p.take("*") {
		r.repeat = p.stars(t.start)
	}
	r.properties = p.patternProperties()
	r.where = p.where()
}

// stars reads the bounds after the * of a relationship: nothing, 2, 1..3, ..3 or 1...
func (p *reader) stars(at int) *repeat {
	r := &repeat{least: 1, most: -1, stars: true, at: at}
	if t := p.peek(); t.kind == intToken {
		p.at++
		r.least, r.most = t.num, t.num
	}
	if p.take("..") {
		r.most = -1
		if t := p.peek(); t.kind == intToken {
			p.at++
			r.most = t.num
		}
	}
	return r
}

// quantifier reads {1,3}, {2}, + or *, if it is next.
func (p *reader) quantifier() *repeat {
	t := p.peek()
	r := &repeat{at: t.start, most: -1}
	number := func() (int64, bool) {
		n := p.peek()
		if n.kind != intToken {
			return 0, false
		}
		p.at++
		return n.num, true
	}
	switch {
	case p.take("+"):
		r.least = 1
	case p.take("*"):
	case p.take("{"):
		least, given := number()
		if r.least = least; p.take(",") {
			if most, ok := number(); ok {
				r.most = most
			}
		} else if given {
			r.most = least
		} else {
			p.refuse(t.start, "how often it repeats is expected here, such as {1,3}")
		}
		p.expect("}", "")
	default:
		return nil
	}
	return r
}

// labels reads an expression of labels, or of types: A, A|B, A&!B, A:B, %.
func (p *reader) labels(types bool) labelExpr {
	defer p.deeper()()
	l := labelOr{of: []labelExpr{p.labelAnd(types)}}
	for !p.inList && p.take("|") {
		p.take(":") // the older way to write types: A|:B
		l.of = append(l.of, p.labelAnd(types))
	}
	if len(l.of) == 1 {
		return l.of[0]
	}
	return l
}

func (p *reader) labelAnd(types bool) labelExpr {
	l := labelAnd{of: []labelExpr{p.labelNot(types)}}
	for p.take("&") || !types && p.take(":") {
		l.of = append(l.of, p.labelNot(types))
	}
	if len(l.of) == 1 {
		return l.of[0]
	}
	return l
}

func (p *reader) labelNot(types bool) labelExpr {
	defer p.deeper()()
	switch t := p.peek(); {
	case p.take("!"):
		return labelNot{p.labelNot(types)}
	case p.take("%"):
		return labelAny{}
	case p.take("("):
		was := p.inList
		p.inList = false
		l := p.labels(types)
		p.inList = was
		p.expect(")", "")
		return l
	case t.is("$") || t.kind == paramToken:
		p.refuse(t.start, "labels and types cannot be parameters: write their names")
	}
	if types {
		return labelName{p.name("a relationship type")}
	}
	return labelName{p.name("a label")}
}
