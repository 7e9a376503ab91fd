package guard

import (
	"maps"
	"slices"
)

// safe reports whether a condition can be evaluated on any value: it can neither fail nor take long.
func (s *scoper) safe(e expr, known names) bool {
	switch e := e.(type) {
	case *binary:
		switch e.operator {
		case "AND", "OR", "XOR":
			return s.safe(e.left, known) && s.safe(e.right, known)
		case "STARTS WITH", "ENDS WITH", "CONTAINS":
			return s.plain(e.left, known) && s.constant(e.right) && s.short(e.right)
		case "IN":
			return s.plain(e.left, known) && s.constantList(e.right)
		}
	case *unary:
		switch e.operator {
		case "NOT":
			return s.safe(e.of, known)
		case "IS NULL", "IS NOT NULL":
			return s.plain(e.of, known)
		}
	case *comparison:
		ok := s.plain(e.first, known)
		for _, c := range e.rest {
			ok = ok && s.plain(c.value, known)
		}
		return ok
	case *hasLabels:
		v, ok := e.of.(*variable)
		return ok && hasProperties(known.sort(v.name))
	case *quantified: // of a path: all(r IN relationships(path) WHERE …)
		c, isCall := e.list.(*call)
		ok := isCall
		if ok = ok && len(c.args) == 1 && (c.name == "nodes" || c.name == "relationships"); ok {
			v, isName := c.args[0].(*variable)
			ok = isName && known.sort(v.name) == aPath
		}
		if v, isList := e.list.(*variable); isList {
			ok = known.sort(v.name) == aList
		}
		inside := maps.Clone(known)
		if inside[e.name] = aRelationship; isCall && c.name == "nodes" {
			inside[e.name] = aNode
		}
		return ok && s.safe(e.where, inside)
	}
	return false
}

func hasProperties(sort sortOf) bool { return sort == aNode || sort == aRelationship }

// plain reports whether a value needs no work: a constant, or a property of a node or a relationship.
func (s *scoper) plain(e expr, known names) bool {
	switch e := e.(type) {
	case *variable:
		sort := known.sort(e.name)
		return hasProperties(sort) || sort == aScalar || sort == aNumber
	case *propertyOf:
		v, ok := e.of.(*variable)
		return ok && hasProperties(known.sort(v.name))
	case *call: // type(r), length(path)
		if len(e.args) == 1 {
			v, ok := e.args[0].(*variable)
			return ok && (e.name == "type" && known.sort(v.name) == aRelationship || e.name == "length" && known.sort(v.name) == aPath)
		}
	}
	return s.constant(e)
}

// constant reports whether a value is a literal or a scalar parameter.
func (s *scoper) constant(e expr) bool {
	switch e := e.(type) {
	case *literal:
		return true
	case *paramExpr:
		return isScalar(s.given[e.name])
	}
	return false
}

// short reports whether searching for a text in another is cheap.
func (s *scoper) short(e expr) bool {
	text, _ := constantOf(e, s.given).(string)
	return len(text) <= 256
}

func isScalar(v any) bool {
	switch v.(type) {
	case nil, bool, string, int, int64, float64:
		return true
	}
	return false
}

func (s *scoper) constantList(e expr) bool {
	switch e := e.(type) {
	case *listExpr:
		return !slices.ContainsFunc(e.items, func(item expr) bool { return !s.constant(item) })
	case *paramExpr:
		list, ok := s.given[e.name].([]any)
		return ok && !slices.ContainsFunc(list, func(v any) bool { return !isScalar(v) })
	}
	return false
}

// mayFail reports whether an expression may divide by 0, or take an element by something else than a number, and where.
func mayFail(e expr) (at int, fails bool) {
	walk(e, func(e expr) {
		switch e := e.(type) {
		case *binary:
			if e.operator == "/" || e.operator == "%" {
				if l, ok := e.right.(*literal); !ok || l.value == int64(0) {
					at, fails = e.at, true
				}
			}
		case *indexOf:
			if _, ok := e.index.(*literal); !ok {
				at, fails = e.at, true
			}
		}
	})
	return at, fails
}

// mentions reports whether an expression uses one of some names.
func mentions(e expr, any map[string]bool) bool {
	found := false
	walk(e, func(e expr) {
		switch e := e.(type) {
		case *variable:
			found = found || any[e.name]
		case *projection:
			found = found || any[e.of]
		case *subquery, *patternList:
			found = true // whatever it contains
		}
	})
	return found
}

// walk visits an expression and its parts, without those in subqueries.
func walk(e expr, visit func(expr)) {
	if e == nil {
		return
	}
	visit(e)
	for _, part := range partsOf(e) {
		walk(part, visit)
	}
}

func partsOf(e expr) []expr {
	switch e := e.(type) {
	case *propertyOf:
		return []expr{e.of}
	case *indexOf:
		return []expr{e.of, e.index}
	case *sliceOf:
		return []expr{e.of, e.from, e.to}
	case *listExpr:
		return e.items
	case *mapExpr:
		return e.values
	case *projection:
		var all []expr
		for _, item := range e.items {
			all = append(all, item.value)
		}
		return all
	case *unary:
		return []expr{e.of}
	case *binary:
		return []expr{e.left, e.right}
	case *comparison:
		all := []expr{e.first}
		for _, c := range e.rest {
			all = append(all, c.value)
		}
		return all
	case *hasLabels:
		return []expr{e.of}
	case *call:
		return e.args
	case *caseExpr:
		all := []expr{e.of, e.otherwise}
		for _, b := range e.branches {
			all = append(all, b[0], b[1])
		}
		return all
	case *comprehension:
		return []expr{e.list, e.where, e.value}
	case *quantified:
		return []expr{e.list, e.where}
	case *reduction:
		return []expr{e.start, e.list, e.result}
	}
	return nil
}
