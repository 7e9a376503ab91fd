package guard

import (
	"math"
	"slices"
	"strings"
)

// expression reads an expression; each method below reads operators that bind tighter than those before.
func (p *reader) expression() expr {
	defer p.deeper()()
	return p.chain([]string{"OR"}, func() expr {
		return p.chain([]string{"XOR"}, func() expr {
			return p.chain([]string{"AND"}, p.not)
		})
	})
}

// chain reads operands with operators between them, from the left.
func (p *reader) chain(operators []string, operand func() expr) expr {
	left := operand()
	for {
		if t := p.peek(); t.is("--") && slices.Contains(operators, "-") && !p.relationshipNext(p.at) { // 3--3: minus a negative
			p.tokens[p.at] = token{kind: signToken, text: "-", start: t.start + 1, end: t.end}
			left = &binary{operator: "-", left: left, right: operand(), at: t.start}
			p.long(left)
			continue
		}
		if !p.peek().is(operators...) {
			return left
		}
		t := p.peek()
		p.at++
		left = &binary{operator: strings.ToUpper(t.text), left: left, right: operand(), at: t.start}
		p.long(left)
	}
}

// long limits chains of operators, which are as deep as they are long.
func (p *reader) long(e expr) {
	depth := 0
	for {
		b, ok := e.(*binary)
		if !ok {
			return
		}
		if depth++; depth > 8*maxDepth {
			p.refuse(b.at, "too many operators follow each other. Write x IN [ … ], or split the statement with WITH")
		}
		e = b.left
	}
}

func (p *reader) not() expr {
	defer p.deeper()()
	if t := p.peek(); p.take("NOT") {
		return &unary{operator: "NOT", of: p.not(), at: t.start}
	}
	return p.compare()
}

func (p *reader) compare() expr {
	c := &comparison{first: p.predicate(), at: p.peek().start}
	for p.peek().is("=", "==", "<>", "!=", "<", ">", "<=", ">=") {
		t := p.peek()
		if p.at++; t.text == "==" {
			p.refuse(t.start, "== is not Cypher: write =")
		}
		if t.text == "!=" {
			p.refuse(t.start, "!= is not Cypher: write <>")
		}
		c.rest = append(c.rest, compared{t.text, p.predicate()})
	}
	if len(c.rest) == 0 {
		return c.first
	}
	return c
}

func (p *reader) predicate() expr {
	left := p.sum()
	for {
		t := p.peek()
		operator := ""
		switch {
		case p.take("=~"):
			operator = "=~"
		case p.take("IN"):
			operator = "IN"
		case p.take("CONTAINS"):
			operator = "CONTAINS"
		case p.take("STARTS", "WITH"):
			operator = "STARTS WITH"
		case p.take("ENDS", "WITH"):
			operator = "ENDS WITH"
		case p.take("IS", "NOT", "NULL"):
			left = &unary{operator: "IS NOT NULL", of: left, at: t.start}
			continue
		case p.take("IS", "NULL"):
			left = &unary{operator: "IS NULL", of: left, at: t.start}
			continue
		case p.words("IS"), p.words("::"):
			p.refuse(t.start, "only IS NULL and IS NOT NULL are allowed. What has a type is in GET /v1/schema")
		default:
			return left
		}
		left = &binary{operator: operator, left: left, right: p.sum(), at: t.start}
		p.long(left)
	}
}

func (p *reader) sum() expr {
	return p.chain([]string{"+", "-", "||"}, func() expr {
		return p.chain([]string{"*", "/", "%"}, func() expr {
			return p.chain([]string{"^"}, p.signed)
		})
	})
}

func (p *reader) signed() expr {
	defer p.deeper()()
	t := p.peek()
	switch {
	case p.take("--"):
		p.at-- // the two signs are one token
		p.tokens[p.at] = token{kind: signToken, text: "-", start: t.start + 1, end: t.end}
		return negative(p.signed(), t.start)
	case p.take("-"):
		return negative(p.signed(), t.start)
	case p.take("+"):
		return &unary{operator: "+", of: p.signed(), at: t.start}
	}
	return p.postfix()
}

// postfix reads the suffixes of a value: properties, elements, labels.
func (p *reader) postfix() expr {
	e := p.atom()
	for n := 0; ; n++ {
		t := p.peek()
		if n > 8*maxDepth {
			p.refuse(t.start, "too many properties and elements follow each other")
		}
		switch {
		case p.take("."):
			e = &propertyOf{of: e, name: p.name("a property"), at: t.start}
		case p.take("["):
			e = p.element(e, t.start)
		case p.words(":") && p.isName(p.ahead(1)), p.words(":") && p.ahead(1).is("!", "(", "%"):
			p.at++
			return &hasLabels{of: e, labels: p.labels(false), at: t.start}
		default:
			return e
		}
	}
}

func (p *reader) element(of expr, at int) expr {
	defer p.setInList(false)()
	var from expr
	if !p.words("..") {
		from = p.expression()
	}
	if !p.take("..") {
		p.expect("]", "")
		return &indexOf{of: of, index: from, at: at}
	}
	s := &sliceOf{of: of, from: from}
	if !p.words("]") {
		s.to = p.expression()
	}
	p.expect("]", "")
	return s
}

func (p *reader) atom() expr {
	t := p.peek()
	switch t.kind {
	case stringToken:
		p.at++
		return &literal{t.text}
	case intToken:
		p.at++
		return &literal{t.num}
	case floatToken:
		p.at++
		return &literal{t.float}
	case paramToken:
		p.at++
		return &paramExpr{name: t.text, at: t.start}
	case signToken:
		return p.bracketed()
	case nameToken:
		if e := p.special(); e != nil {
			return e
		}
	case endToken:
		p.refuse(t.start, "the statement ends too early: a value is expected")
	}
	if e := p.function(); e != nil {
		return e
	}
	name := p.name("a variable")
	if p.words("{") {
		return p.projection(name, t.start)
	}
	return &variable{name: name, at: t.start}
}

// bracketed reads an expression that begins with a bracket.
func (p *reader) bracketed() expr {
	defer p.setInList(false)()
	t := p.peek()
	switch {
	case t.text == "(" && p.relationshipNext(t.match+1):
		return p.patternCondition()
	case p.take("("):
		e := p.expression()
		p.expect(")", "")
		return e
	case t.text == "[":
		return p.list()
	case t.text == "{":
		return p.mapLiteral()
	}
	p.refuse(t.start, "a value is expected here")
	return nil
}

// patternCondition reads a pattern used as a condition.
func (p *reader) patternCondition() expr {
	at := p.peek().start
	return exists(p.path(false), at)
}

func exists(path pathPattern, at int) expr {
	m := &matchClause{patterns: []pathPattern{path}, at: at}
	return &subquery{kind: "EXISTS", body: query{parts: []singleQuery{{clauses: []clause{m}}}}, pattern: true, at: at}
}

// special reads an expression that begins with a keyword; nil when the word is none here.
func (p *reader) special() expr {
	t := p.peek()
	next := p.ahead(1)
	switch word := strings.ToUpper(t.text); word {
	case "TRUE", "FALSE":
		if !next.is("(", ".") {
			p.at++
			return &literal{word == "TRUE"}
		}
	case "NULL":
		p.at++
		return &literal{nil}
	case "INF", "INFINITY", "NAN":
		if !next.is("(", ".") {
			p.at++
			if word == "NAN" {
				return &literal{math.NaN()}
			}
			return &literal{math.Inf(1)}
		}
	case "CASE":
		return p.caseOf()
	case "EXISTS", "COUNT", "COLLECT":
		if next.is("{") {
			return p.subquery(word)
		}
		if word == "EXISTS" && next.is("(") && p.ahead(2).is("(") && p.relationshipNext(p.ahead(2).match+1) {
			p.at += 2
			e := p.patternCondition()
			p.expect(")", "")
			return e
		}
	case "ALL", "ANY", "NONE", "SINGLE":
		if next.is("(") {
			return p.quantified(strings.ToLower(word))
		}
	case "REDUCE":
		if next.is("(") {
			return p.reduction()
		}
	case "SHORTESTPATH", "ALLSHORTESTPATHS":
		if next.is("(") {
			p.refuse(t.start, "%s is only allowed in MATCH: MATCH path = %s(…)", t.text, t.text)
		}
	}
	return nil
}

// function reads a call; nil when no call is next.
func (p *reader) function() expr {
	t := p.peek()
	n := 1
	for p.ahead(n).is(".") && p.isName(p.ahead(n+1)) {
		n += 2
	}
	if !p.ahead(n).is("(") {
		return nil
	}
	parts := make([]string, 0, 2)
	for i := 0; i < n; i += 2 {
		if p.ahead(i).kind == quotedToken {
			p.refuse(p.ahead(i).start, "the name of a function may not stand in backticks")
		}
		parts = append(parts, strings.ToLower(p.ahead(i).text))
	}
	p.at += n + 1
	defer p.setInList(false)()
	c := &call{name: strings.Join(parts, "."), at: t.start}
	if p.words("*", ")") {
		p.at += 2
		if c.star = true; c.name != "count" {
			p.refuse(t.start, "only count(*) takes a *")
		}
		return c
	}
	if c.distinct = p.take("DISTINCT"); !c.distinct && !p.words("ALL", "(") && !p.ahead(1).is(",", ")", ".") {
		p.take("ALL")
	}
	if !p.words(")") {
		c.args = p.expressions()
	}
	p.expect(")", "")
	return c
}

func (p *reader) expressions() []expr {
	all := []expr{p.expression()}
	for p.take(",") {
		all = append(all, p.expression())
	}
	return all
}
