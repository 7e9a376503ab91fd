package guard

// list reads a list in square brackets, or one made of another list or of a pattern.
func (p *reader) list() expr {
	t := p.peek()
	first := p.ahead(1)
	if p.isName(first) && p.ahead(2).is("IN") {
		p.at++
		return p.comprehension(t.start)
	}
	if first.is("(") && p.afterPattern(p.at+1).is("|", "WHERE") || p.isName(first) && p.ahead(2).is("=") && p.ahead(3).is("(") && p.relationshipNext(p.ahead(3).match+1) {
		return p.patternList()
	}
	p.at++
	l := &listExpr{}
	if !p.words("]") {
		l.items = p.expressions()
	}
	p.expect("]", "")
	return l
}

// condition reads a condition that a bar may follow.
func (p *reader) condition() expr {
	defer p.setInList(true)()
	return p.expression()
}

func (p *reader) comprehension(at int) expr {
	c := &comprehension{at: at, name: p.name("an element")}
	p.expect("IN", "")
	c.list = p.condition()
	if p.take("WHERE") {
		c.where = p.condition()
	}
	if p.take("|") {
		c.value = p.expression()
	}
	p.expect("]", "")
	return c
}

// afterPattern returns the token after the pattern that begins at a token, or that token when it has no relationship.
func (p *reader) afterPattern(at int) *token {
	token := func(at int) *token { return &p.tokens[min(at, len(p.tokens)-1)] }
	start := token(at)
	at = start.match + 1
	for at < len(p.tokens) && p.relationshipNext(at) {
		if at++; token(at).is("[") { // -[…]- or -[…]->
			at = token(at).match + 2
		}
		if token(at).is("+", "*") {
			at++
		} else if token(at).is("{") {
			at = token(at).match + 1
		}
		if !token(at).is("(") {
			return start
		}
		at = token(at).match + 1
	}
	return token(at)
}

// patternList reads [(a)-->(b) WHERE p | e].
func (p *reader) patternList() expr {
	l := &patternList{at: p.peek().start}
	p.at++
	l.pattern = p.path(false)
	if p.take("WHERE") {
		l.where = p.condition()
	}
	p.expect("|", " and what is wanted of each path: [(a)-->(b) | b.name]")
	l.value = p.expression()
	p.expect("]", "")
	return l
}

func (p *reader) mapLiteral() *mapExpr {
	m := &mapExpr{at: p.peek().start}
	p.expect("{", "")
	for !p.words("}") {
		m.keys = append(m.keys, p.name("a property"))
		p.expect(":", " after the name of a property")
		m.values = append(m.values, p.expression())
		if !p.take(",") {
			break
		}
	}
	p.expect("}", "")
	return m
}

func (p *reader) projection(of string, at int) expr {
	defer p.setInList(false)()
	m := &projection{of: of, at: at}
	p.expect("{", "")
	for !p.words("}") {
		t := p.peek()
		switch {
		case p.take(".", "*"):
			m.items = append(m.items, projected{all: true})
		case p.take("."):
			m.items = append(m.items, projected{name: p.name("a property")})
		default:
			i := projected{name: p.name("a property")}
			if p.take(":") {
				i.value = p.expression()
			} else {
				i.value = &variable{name: i.name, at: t.start}
			}
			m.items = append(m.items, i)
		}
		if !p.take(",") {
			break
		}
	}
	p.expect("}", "")
	return m
}

func (p *reader) caseOf() expr {
	p.at++
	c := &caseExpr{}
	if !p.words("WHEN") {
		c.of = p.expression()
	}
	for p.take("WHEN") {
		when := p.expression()
		if t := p.peek(); c.of != nil && t.is(",") {
			p.refuse(t.start, "one value after each WHEN: write WHEN for each of them")
		}
		p.expect("THEN", " after the condition of WHEN")
		c.branches = append(c.branches, [2]expr{when, p.expression()})
	}
	if len(c.branches) == 0 {
		p.refuse(p.peek().start, "WHEN is expected here")
	}
	if p.take("ELSE") {
		c.otherwise = p.expression()
	}
	p.expect("END", " after CASE")
	return c
}

func (p *reader) quantified(kind string) expr {
	q := &quantified{kind: kind, at: p.peek().start}
	p.at += 2
	defer p.setInList(false)()
	q.name = p.name("an element")
	p.expect("IN", "")
	q.list = p.expression()
	p.expect("WHERE", ": write "+kind+"(x IN list WHERE …)")
	q.where = p.expression()
	p.expect(")", "")
	return q
}

func (p *reader) reduction() expr {
	r := &reduction{at: p.peek().start}
	p.at += 2
	defer p.setInList(false)()
	r.total = p.name("the result")
	p.expect("=", "")
	r.start = p.expression()
	p.expect(",", "")
	r.name = p.name("an element")
	p.expect("IN", "")
	r.list = p.condition()
	p.expect("|", "")
	r.result = p.expression()
	p.expect(")", "")
	return r
}

// subquery reads EXISTS, COUNT or COLLECT { … }, whose body is a query or a pattern.
func (p *reader) subquery(kind string) expr {
	s := &subquery{kind: kind, at: p.peek().start}
	p.at += 2
	defer p.setInList(false)()
	if t := p.peek(); t.is("(") || p.isName(t) && p.ahead(1).is("=") {
		m := &matchClause{at: t.start, patterns: p.patterns()}
		m.where = p.where()
		s.body = query{parts: []singleQuery{{clauses: []clause{m}}}}
	} else {
		s.body = p.query()
	}
	p.expect("}", "")
	return s
}

// negative returns a value with the other sign.
func negative(e expr, at int) expr {
	if l, ok := e.(*literal); ok {
		switch n := l.value.(type) {
		case int64:
			return &literal{-n}
		case float64:
			return &literal{-n}
		}
	}
	return &unary{operator: "-", of: e, at: at}
}
