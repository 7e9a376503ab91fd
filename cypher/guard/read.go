package guard

import (
	"slices"
	"strings"
)

// reader parses a statement by recursive descent. It gives up by a panic with a *Refusal, which read catches.
type reader struct {
	text   string
	tokens []token
	at     int
	depth  int
	inList bool // in the condition of a comprehension: a bar ends it
}

// setInList sets inList, and returns a function that restores it.
func (p *reader) setInList(in bool) (restore func()) {
	was := p.inList
	p.inList = in
	return func() { p.inList = was }
}

// read returns the tree of a text.
func read(text string) (q query, refused *Refusal) {
	tokens, refused := lex(text)
	if refused != nil {
		return query{}, refused
	}
	p := &reader{text: text, tokens: tokens}
	defer func() {
		if fault := recover(); fault != nil {
			r, ok := fault.(*Refusal)
			if !ok {
				panic(fault)
			}
			refused = r
		}
	}()
	q = p.query()
	p.take(";")
	if t := p.peek(); t.kind != endToken {
		if p.tokens[p.at-1].text == ";" && p.tokens[p.at-1].kind == signToken {
			p.refuse(t.start, "only one statement is allowed. Send the others by themselves")
		}
		p.unknownClause()
	}
	return q, nil
}

func (p *reader) refuse(offset int, format string, args ...any) {
	panic(refuse(p.text, offset, format, args...))
}

func (p *reader) peek() *token { return &p.tokens[p.at] }

func (p *reader) ahead(n int) *token { return &p.tokens[min(p.at+n, len(p.tokens)-1)] }

// is reports whether a token is one of some signs, or words in any case.
func (t *token) is(any ...string) bool {
	switch t.kind {
	case signToken:
		return slices.Contains(any, t.text)
	case nameToken:
		return slices.ContainsFunc(any, func(word string) bool { return strings.EqualFold(word, t.text) })
	}
	return false
}

// words reports whether some words are next.
func (p *reader) words(words ...string) bool {
	for i, word := range words {
		if !p.ahead(i).is(word) {
			return false
		}
	}
	return true
}

// take skips some words or signs if they are next.
func (p *reader) take(words ...string) bool {
	if !p.words(words...) {
		return false
	}
	p.at += len(words)
	return true
}

// expect skips a word or a sign that must be next.
func (p *reader) expect(word, why string) {
	if !p.take(word) {
		p.refuse(p.peek().start, "%s is expected here%s", word, why)
	}
}

// name reads a name, which may be a keyword.
func (p *reader) name(what string) string {
	t := p.peek()
	if t.kind != nameToken && t.kind != quotedToken {
		p.refuse(t.start, "the name of %s is expected here", what)
	}
	p.at++
	return t.text
}

func (p *reader) isName(t *token) bool { return t.kind == nameToken || t.kind == quotedToken }

// deeper limits the nesting of expressions.
func (p *reader) deeper() func() {
	if p.depth++; p.depth > 4*maxDepth {
		p.refuse(p.peek().start, "too much stands within each other. Split the statement with WITH")
	}
	return func() { p.depth-- }
}

// query reads parts with UNION between them.
func (p *reader) query() query {
	defer p.deeper()()
	q := query{parts: []singleQuery{p.singleQuery()}}
	for p.take("UNION") {
		all := p.take("ALL")
		if !all {
			p.take("DISTINCT")
		}
		q.parts = append(q.parts, p.singleQuery())
		q.all = append(q.all, all)
	}
	return q
}

func (p *reader) singleQuery() singleQuery {
	var s singleQuery
	for {
		t := p.peek()
		switch {
		case p.words("OPTIONAL", "MATCH"), p.words("MATCH"):
			s.clauses = append(s.clauses, p.match())
		case p.words("OPTIONAL", "CALL"), p.words("CALL"):
			s.clauses = append(s.clauses, p.call())
		case p.words("UNWIND"):
			s.clauses = append(s.clauses, p.unwind())
		case p.words("WITH"):
			p.at++
			s.clauses = append(s.clauses, p.with(t.start, false))
		case p.words("RETURN"):
			p.at++
			s.clauses = append(s.clauses, p.with(t.start, true))
			return s
		case t.kind == endToken, t.is("}", ";", "UNION"):
			if len(s.clauses) == 0 {
				p.refuse(t.start, "a clause is expected here, such as MATCH or RETURN")
			}
			return s
		default:
			p.unknownClause()
		}
	}
}

// advice holds the advice for clauses that are not allowed.
var advice = map[string]string{
	"CREATE": noWrites, "MERGE": noWrites, "SET": noWrites, "DELETE": noWrites, "DETACH": noWrites, "NODETACH": noWrites, "REMOVE": noWrites,
	"FOREACH": noWrites, "INSERT": noWrites, "DROP": noWrites, "ALTER": noAdmin, "GRANT": noAdmin, "DENY": noAdmin, "REVOKE": noAdmin,
	"SHOW": noAdmin, "TERMINATE": noAdmin, "START": noAdmin, "STOP": noAdmin, "RENAME": noAdmin, "ENABLE": noAdmin, "DEALLOCATE": noAdmin,
	"LOAD": "nothing is read from files or addresses", "USE": "there is one graph; leave USE out",
	"EXPLAIN": "plans are not shown; leave the word out", "PROFILE": "plans are not shown; leave the word out",
	"CYPHER": "the version and the planner are fixed; leave CYPHER out",
	"USING":  "hints are not allowed; leave USING out", "YIELD": "procedures are not allowed",
	"FILTER": "write WITH * WHERE …", "LET": "write WITH *, … AS name", "WHEN": "write CASE WHEN … THEN … END", "FINISH": "write RETURN",
	"NEXT": "write WITH", "FOR": "write UNWIND list AS name", "OFFSET": "write SKIP", "INTERSECT": onlyUnion, "EXCEPT": onlyUnion, "IN": "CALL { … } IN TRANSACTIONS is not allowed; leave IN … out",
}

const (
	noWrites  = "only reading is allowed here; write with POST /v1/memory"
	noAdmin   = "only reading the memory is allowed here; see GET /v1/schema for what is in it"
	onlyUnion = "only UNION and UNION ALL join statements"
)

func (p *reader) unknownClause() {
	t := p.peek()
	if t.kind == nameToken {
		if what := advice[strings.ToUpper(t.text)]; what != "" {
			p.refuse(t.start, "%s is not allowed: %s", strings.ToUpper(t.text), what)
		}
	}
	if t.kind == endToken {
		p.refuse(t.start, "the statement ends too early")
	}
	p.refuse(t.start, "this is not expected here. Statements are made of MATCH, OPTIONAL MATCH, WHERE, WITH, UNWIND, CALL { … }, UNION and RETURN … ORDER BY … SKIP … LIMIT")
}

func (p *reader) match() clause {
	m := &matchClause{at: p.peek().start, optional: p.take("OPTIONAL")}
	p.expect("MATCH", "")
	if t := p.peek(); p.words("REPEATABLE", "ELEMENTS") || p.words("DIFFERENT", "RELATIONSHIPS") || p.words("REPEATABLE", "ELEMENT") || p.words("DIFFERENT", "RELATIONSHIP") {
		p.refuse(t.start, "%s is not allowed: leave it out", strings.ToUpper(t.text))
	}
	m.patterns = p.patterns()
	m.where = p.where()
	return m
}

func (p *reader) patterns() []pathPattern {
	all := []pathPattern{p.path(true)}
	for p.take(",") {
		all = append(all, p.path(true))
	}
	return all
}

func (p *reader) where() expr {
	if !p.take("WHERE") {
		return nil
	}
	return p.expression()
}

func (p *reader) unwind() clause {
	u := &unwindClause{at: p.peek().start}
	p.at++
	u.list = p.expression()
	p.expect("AS", ", then a name: UNWIND list AS x")
	u.as = p.name("what each element is called")
	return u
}

func (p *reader) with(at int, isReturn bool) clause {
	w := &withClause{at: at, isReturn: isReturn, distinct: p.take("DISTINCT")}
	if !w.distinct && !p.ahead(1).is("(", ",", ".", "[", "AS", "ORDER", "SKIP", "LIMIT", "UNION", "}", ";") && p.ahead(1).kind != endToken {
		p.take("ALL")
	}
	if w.star = p.take("*"); !w.star || p.take(",") {
		w.items = p.items(isReturn)
	}
	if p.take("ORDER", "BY") {
		w.orderBy = p.orders()
	}
	if p.take("SKIP") || p.take("OFFSET") {
		w.skip = p.expression()
	}
	if p.take("LIMIT") {
		w.limit = p.expression()
	}
	if !isReturn {
		w.where = p.where()
	}
	return w
}

func (p *reader) items(isReturn bool) []item {
	var all []item
	for {
		start := p.peek().start
		i := item{at: start, value: p.expression()}
		if i.named = p.take("AS"); i.named {
			i.name = p.name("the column")
		} else if v, ok := i.value.(*variable); ok {
			i.name, i.named = v.name, true
		} else if m, ok := i.value.(*projection); ok {
			i.name, i.named = m.of, true
		} else if i.name = p.text[start:p.tokens[p.at-1].end]; !isReturn {
			p.refuse(start, "what WITH passes on needs a name: write … AS name")
		}
		if all = append(all, i); !p.take(",") {
			return all
		}
	}
}

func (p *reader) orders() []order {
	var all []order
	for {
		o := order{value: p.expression()}
		if o.descending = p.take("DESC") || p.take("DESCENDING"); !o.descending && !p.take("ASC") {
			p.take("ASCENDING")
		}
		if all = append(all, o); !p.take(",") {
			return all
		}
	}
}

func (p *reader) call() clause {
	c := &callClause{at: p.peek().start, optional: p.take("OPTIONAL")}
	p.expect("CALL", "")
	if t := p.peek(); p.isName(t) {
		p.refuse(t.start, "procedures are not allowed. GET /v1/schema tells what is in the memory, POST /v1/explore searches it")
	}
	if c.scoped = p.take("("); c.scoped {
		p.imports(c)
	}
	p.expect("{", ": a subquery is CALL { … }")
	c.body = p.query()
	p.expect("}", "")
	if t := p.peek(); p.words("IN") {
		p.refuse(t.start, "CALL { … } IN TRANSACTIONS is not allowed: leave IN … out")
	}
	return c
}

func (p *reader) imports(c *callClause) {
	switch {
	case p.take("*"):
		c.star = true
	case !p.words(")"):
		for {
			c.imports = append(c.imports, p.name("a variable"))
			if !p.take(",") {
				break
			}
		}
	}
	p.expect(")", "")
}
