package guard

import (
	"maps"
	"math"
	"slices"
)

// expr scopes an expression and its parts.
func (s *scoper) expr(e expr, known names) expr {
	switch e := e.(type) {
	case nil:
		return nil
	case *literal:
		return s.literal(e)
	case *paramExpr:
		s.parameter(e)
		return &propertyOf{of: &paramExpr{name: callerParam}, name: e.name}
	case *variable:
		if _, ok := known[e.name]; !ok {
			s.undefined(e.name, e.at)
		}
		return e
	case *propertyOf:
		s.hidden(e.name, e.at)
		e.of = s.expr(e.of, known)
	case *indexOf:
		return s.element(e, known)
	case *sliceOf:
		e.of, e.from, e.to = s.expr(e.of, known), s.expr(e.from, known), s.expr(e.to, known)
	case *listExpr:
		s.exprs(e.items, known)
	case *mapExpr:
		s.exprs(e.values, known)
	case *projection:
		s.projection(e, known)
	case *unary:
		e.of = s.expr(e.of, known)
	case *binary:
		return s.binary(e, known)
	case *comparison:
		e.first = s.expr(e.first, known)
		for i := range e.rest {
			e.rest[i].value = s.expr(e.rest[i].value, known)
		}
	case *hasLabels:
		if v, ok := e.of.(*variable); ok && known.sort(v.name) == aNode {
			e.labels = s.labels(e.labels, e.at)
		} else {
			_ = s.labels(e.labels, e.at) // they may be types of relationships
			e.of = s.expr(e.of, known)
			return s.hasType(e)
		}
		e.of = s.expr(e.of, known)
	case *call:
		return s.function(e, known)
	case *caseExpr:
		e.of, e.otherwise = s.expr(e.of, known), s.expr(e.otherwise, known)
		for i := range e.branches {
			e.branches[i] = [2]expr{s.expr(e.branches[i][0], known), s.expr(e.branches[i][1], known)}
		}
	default:
		return s.inner(e, known)
	}
	return e
}

func (s *scoper) exprs(all []expr, known names) {
	for i := range all {
		all[i] = s.expr(all[i], known)
	}
}

// inner scopes the expressions that declare names.
func (s *scoper) inner(e expr, known names) expr {
	with := func(name string, sort sortOf) names {
		inside := maps.Clone(known)
		inside[name] = sort
		return inside
	}
	switch e := e.(type) {
	case *comprehension:
		inside := with(e.name, s.elements(e.list))
		e.list = s.expr(e.list, known)
		e.where, e.value = s.expr(e.where, inside), s.expr(e.value, inside)
	case *quantified:
		inside := with(e.name, s.elements(e.list))
		e.list = s.expr(e.list, known)
		e.where = s.expr(e.where, inside)
	case *reduction:
		inside := with(e.name, s.elements(e.list))
		e.start, e.list = s.expr(e.start, known), s.expr(e.list, known)
		inside[e.total] = aValue
		e.result = s.expr(e.result, inside)
	case *patternList:
		return s.collected(e, known)
	case *subquery:
		s.subquery(e, known)
	}
	return e
}

// literal replaces a number or a text by a parameter, the same one for the same value.
func (s *scoper) literal(e *literal) expr {
	switch e.value.(type) {
	case int64, float64, string:
	default:
		return e
	}
	key := e.value
	if f, ok := key.(float64); ok {
		key = floatBits(math.Float64bits(f)) // 0.0 and -0.0 are equal, but not the same
	}
	name, ok := s.literals[key]
	if !ok {
		name = "v" + itoa(len(s.literals)+1)
		s.literals[key], s.values[name] = name, e.value
	}
	return s.own(name)
}

// floatBits is the key of a float: it distinguishes 0.0 from -0.0.
type floatBits uint64

// hidden refuses the name of a hidden property.
func (s *scoper) hidden(name string, at int) {
	if slices.Contains(s.rules.Hidden, name) {
		s.refuse(at, "the property %s is not for reading. GET /v1/schema tells which are", name)
	}
}

// elements returns the sort of a list's elements.
func (s *scoper) elements(list expr) sortOf {
	if c, ok := list.(*call); ok && c.name == "range" {
		return aNumber
	}
	if s.constantList(list) {
		return aScalar
	}
	return aValue
}

// isNumber reports whether an expression returns a number or fails.
func (s *scoper) isNumber(e expr, known names) bool {
	switch e := e.(type) {
	case *literal:
		_, ok := e.value.(int64)
		return ok
	case *paramExpr:
		_, ok := wholeNumber(s.given[e.name])
		return ok
	case *variable:
		return known.sort(e.name) == aNumber
	case *call:
		return e.name == "size" || e.name == "length" || e.name == "tointeger" || e.name == "count"
	case *unary:
		return e.operator == "-" && s.isNumber(e.of, known)
	case *binary:
		return slices.Contains([]string{"+", "-", "*", "/", "%"}, e.operator) && s.isNumber(e.left, known) && s.isNumber(e.right, known)
	}
	return false
}

// element scopes x[i]. i is known only at run time: the name of a hidden property gives null.
func (s *scoper) element(e *indexOf, known names) expr {
	number := s.isNumber(e.index, known)
	e.of = s.expr(e.of, known)
	_, isLiteral := e.index.(*literal)
	key, isKey := constantOf(e.index, s.given).(string)
	if isKey {
		s.hidden(key, e.at)
	}
	if e.index = s.expr(e.index, known); number || isKey || isLiteral {
		return e
	}
	return once(e.index, func(index expr) expr {
		e.index = index
		return &caseExpr{
			branches:  [][2]expr{{&binary{operator: "IN", left: index, right: s.own("hidden")}, &literal{nil}}},
			otherwise: e,
		}
	})
}

// once evaluates an expression a single time for its uses in another one. Written twice it would be evaluated twice,
// and doubled again by each expression around it.
func once(e expr, in func(expr) expr) expr {
	if v, ok := e.(*variable); ok {
		return in(v)
	}
	x := &variable{name: "#x"}
	return &call{name: "head", args: []expr{&comprehension{name: x.name, list: &listExpr{[]expr{e}}, value: in(x)}}}
}

// projection scopes a map projection. In one of all properties the hidden ones get a constant value.
func (s *scoper) projection(e *projection, known names) {
	if _, ok := known[e.of]; !ok {
		s.undefined(e.of, e.at)
	}
	all := false
	for i := range e.items {
		item := &e.items[i]
		if all = all || item.all; item.all {
			continue
		}
		if item.value != nil {
			item.value = s.expr(item.value, known)
		} else {
			s.hidden(item.name, e.at)
		}
	}
	if all {
		e.items = append(e.items, s.masks()...)
	}
}

// masks overrides the hidden properties in a map of all. Their value is the same in every map, so that equal maps stay
// equal. The reader of the answer removes them.
func (s *scoper) masks() []projected {
	masks := make([]projected, len(s.rules.Hidden))
	for i, name := range s.rules.Hidden {
		masks[i] = projected{name: name, value: s.own("mask")}
	}
	return masks
}

func (s *scoper) binary(e *binary, known names) expr {
	if e.operator == "XOR" {
		if s.xors++; s.xors > maxXORs {
			s.refuse(e.at, "more than %d XOR are not allowed: write a <> b", maxXORs)
		}
	}
	if e.operator == "=~" {
		return s.pattern(e, known)
	}
	e.left, e.right = s.expr(e.left, known), s.expr(e.right, known)
	return e
}

// collected turns a pattern list into a subquery, which can contain a barrier.
func (s *scoper) collected(e *patternList, known names) expr {
	m := &matchClause{patterns: []pathPattern{e.pattern}, where: e.where, at: e.at}
	r := &withClause{isReturn: true, items: []item{{value: e.value, name: s.make(), named: true, at: e.at}}, at: e.at}
	q := &subquery{kind: "COLLECT", body: query{parts: []singleQuery{{clauses: []clause{m, r}}}}, at: e.at}
	s.subquery(q, known)
	return q
}

// subquery scopes EXISTS, COUNT and COLLECT { … }.
func (s *scoper) subquery(e *subquery, known names) {
	s.planned(e.at)
	if s.within++; s.within > maxWithin {
		s.refuse(e.at, "more than %d subqueries stand within each other: use MATCH and WITH in place of some", maxWithin)
	}
	inside := maps.Clone(known)
	for name, sort := range inside {
		if sort&dropped != 0 {
			delete(inside, name)
		}
	}
	loose := s.loose
	columns := s.query(&e.body, inside, inside)
	s.loose = loose
	s.within--
	if e.kind == "COLLECT" && len(columns) != 1 {
		s.refuse(e.at, "COLLECT { … } needs a RETURN of one column at its end")
	}
	for i := range e.body.parts {
		part := &e.body.parts[i]
		if w, ok := part.clauses[len(part.clauses)-1].(*withClause); ok && w.isReturn || len(part.clauses) == 1 && !ok {
			continue
		}
		part.clauses = append(part.clauses, &withClause{isReturn: true, items: []item{{value: &literal{true}, name: s.make(), named: true}}})
	}
}
