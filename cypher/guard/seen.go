package guard

import "maps"

// conditions splits an expression into the conditions joined by AND.
func conditions(e expr) []expr {
	if b, ok := e.(*binary); ok && b.operator == "AND" {
		return append(conditions(b.left), conditions(b.right)...)
	}
	if e == nil {
		return nil
	}
	return []expr{e}
}

func all2(a, b expr) expr {
	if a == nil {
		return b
	}
	return &binary{operator: "AND", left: a, right: b}
}

// seen returns the condition that a node with the base label and the caller's team is visible.
func (s *scoper) seen(node expr) expr {
	property := func(key string) expr { return &propertyOf{of: node, name: key} }
	return any3(&unary{operator: "IS NULL", of: property("user_id")}, equals(property("user_id"), s.own("user")),
		&binary{operator: "IN", left: s.own("user"), right: property("participants")})
}

// visibleNode returns the condition that any node is visible.
func (s *scoper) visibleNode(node expr) expr {
	return all([]expr{
		&hasLabels{of: node, labels: labelName{s.rules.Base}}, equals(&propertyOf{of: node, name: "team_id"}, s.own("team")), s.seen(node),
	})
}

func equals(a, b expr) expr { return &comparison{first: a, rest: []compared{{"=", b}}} }

func any3(a, b, c expr) expr {
	return &binary{operator: "OR", left: &binary{operator: "OR", left: a, right: b}, right: c}
}

// all joins conditions by AND; nil when there are none.
func all(conditions []expr) expr {
	var e expr
	for _, c := range conditions {
		if c != nil {
			e = all2(e, c)
		}
	}
	return e
}

// onVisible scopes a plain condition so that it is evaluated only where its nodes are visible: even a plain one takes
// longer on a long text. A condition on the key of a node stays as it is, for the index.
func (p *scopedMatch) onVisible(e expr) expr {
	if p.findsByKey(e) {
		return p.expr(e, p.known)
	}
	if q, ok := e.(*quantified); ok { // of a path: each of its nodes is checked separately
		return p.alongPath(q)
	}
	seen, nodes := p.seenBy(e)
	if len(seen) == 1 && len(nodes) == 1 {
		p.seenTo[nodes[0]] = true // its visibility is checked there
	}
	return only(seen, p.expr(e, p.known))
}

// findsByKey reports whether a condition is x.entity_key = value, or IN some values.
func (p *scopedMatch) findsByKey(e expr) bool {
	switch e := e.(type) {
	case *comparison:
		if len(e.rest) != 1 || e.rest[0].operator != "=" {
			return false
		}
		a, b := e.first, e.rest[0].value
		return isKey(a) && p.isGiven(b) || isKey(b) && p.isGiven(a)
	case *binary:
		return e.operator == "IN" && isKey(e.left)
	}
	return false
}

func isKey(e expr) bool {
	of, ok := e.(*propertyOf)
	return ok && of.name == "entity_key"
}

// isGiven reports whether a value is known before the MATCH.
func (p *scopedMatch) isGiven(e expr) bool {
	_, ok := e.(*variable)
	return ok || p.constant(e)
}

// seenBy returns the visibility conditions of the new nodes that an expression uses, and the names of those nodes.
func (p *scopedMatch) seenBy(e expr) (seen []expr, nodes []string) {
	about := map[string]bool{}
	walk(e, func(e expr) {
		v, ok := e.(*variable)
		if !ok || about[v.name] {
			return
		}
		about[v.name] = true
		_, before := p.before[v.name]
		switch sort := p.known.sort(v.name); {
		case before:
		case sort == aNode:
			nodes = append(nodes, v.name)
			seen = append(seen, p.seen(&variable{name: v.name}))
		case sort == aRelationship:
			seen = append(seen, p.endsOf(&variable{name: v.name})...)
		}
	})
	return seen, nodes
}

// endsOf returns the conditions that both ends of a relationship are visible.
func (p *scopedMatch) endsOf(r expr) []expr {
	return []expr{p.visibleNode(&call{name: "startNode", args: []expr{r}}), p.visibleNode(&call{name: "endNode", args: []expr{r}})}
}

// alongPath scopes all(x IN nodes(path) WHERE …) and similar predicates.
func (p *scopedMatch) alongPath(q *quantified) expr {
	inside := maps.Clone(p.known)
	inside[q.name] = aValue
	x := &variable{name: q.name}
	seen, sort := p.endsOf(x), aRelationship
	if c, ok := q.list.(*call); ok && c.name == "nodes" {
		seen, sort = []expr{p.visibleNode(x)}, aNode
	}
	others := &scopedMatch{scoper: p.scoper, before: p.before, known: inside}
	more, _ := others.seenBy(q.where)
	inside[q.name] = sort
	q.list, q.where = p.expr(q.list, p.known), only(append(seen, more...), p.expr(q.where, inside))
	return q
}

// only returns a condition that is evaluated only where others hold.
func only(where []expr, condition expr) expr {
	if len(where) == 0 {
		return condition
	}
	return &caseExpr{branches: [][2]expr{{all(where), condition}}, otherwise: &literal{false}}
}
