package guard

import (
	"maps"
	"slices"
)

// repeatAsStars rewrites -[:a]->{1,3} as -[:a*1..3]->, which Neo4j plans better, where both mean the same.
func (path *pathPattern) repeatAsStars() {
	for _, part := range path.parts {
		if r, ok := part.(*relPattern); ok && r.repeat != nil && r.where == nil && plainTypes(r.types) && !path.selector.selects() {
			r.repeat.stars = true
		}
	}
}

// plainTypes reports whether types are plain names: Neo4j accepts no others in a relationship of varying length.
func plainTypes(l labelExpr) bool {
	if or, ok := l.(labelOr); ok {
		return !slices.ContainsFunc(or.of, func(of labelExpr) bool { return !plainTypes(of) })
	}
	_, ok := l.(labelName)
	return ok || l == nil
}

// varies reports whether it is a relationship of varying length in the older form, whose inner nodes have no pattern.
func (r *relPattern) varies() bool { return r.repeat != nil && r.repeat.stars }

// alone reports whether a path consists of one relationship of varying length.
func alone(path *pathPattern) bool {
	if len(path.parts) != 3 {
		return false
	}
	r, ok := path.parts[1].(*relPattern)
	return ok && r.varies()
}

// path scopes one path.
func (p *scopedMatch) path(path *pathPattern) {
	p.plannedTogether(path)
	for i, part := range path.parts {
		switch part := part.(type) {
		case *nodePattern:
			if inner := i > 0 && i < len(path.parts)-1; inner && path.selector.selects() {
				p.innerNode(part)
			} else {
				p.node(part)
			}
		case *relPattern:
			p.bound(part.repeat)
			if part.repeat != nil && path.selector.selects() {
				part.repeat.stars = false // its inner nodes must be checked before Neo4j chooses
			} else {
				p.relationship(part, path.selector.selects())
				p.typed(path, part)
			}
			if part.repeat != nil && !part.varies() {
				path.parts[i] = p.asGroup(part)
			}
		case *groupPattern:
			p.bound(&part.repeat)
			p.inGroup(part)
		}
	}
	p.between(path)
}

// selects reports whether Neo4j chooses among paths before it evaluates the WHERE of the MATCH.
func (s selector) selects() bool { return s.kind > allShortestPathsFunction }

// between scopes the inner nodes of relationships of varying length, in the two forms that Neo4j evaluates at every
// step.
func (p *scopedMatch) between(path *pathPattern) {
	x := p.make()
	if alone(path) {
		p.visible = append(p.visible, &quantified{
			kind: "all", name: x, list: &call{name: "nodes", args: []expr{&variable{name: path.name}}}, where: p.visibleNode(&variable{name: x}),
		})
		return
	}
	for _, part := range path.parts {
		r, ok := part.(*relPattern)
		if !ok || !r.varies() {
			continue
		}
		p.visible = append(p.visible, &quantified{
			kind: "all", name: x, list: &variable{name: r.name}, where: all(p.endsOf(&variable{name: x})),
		})
	}
}

// planned counts all relationships and subqueries that Neo4j has to plan.
func (s *scoper) planned(at int) {
	if s.patterns++; s.patterns > maxPatterns {
		s.refuse(at, "the statement matches more than %d nodes and relationships: ask for less at once", maxPatterns)
	}
}

// plannedTogether counts the relationships of a path that Neo4j plans together with earlier ones; one that closes a
// cycle counts twice. The planning time doubles with each, and cannot be interrupted.
func (p *scopedMatch) plannedTogether(path *pathPattern) {
	known := func(part pathPart) bool {
		n, ok := part.(*nodePattern)
		if !ok {
			return false
		}
		_, before := p.before[n.name]
		return before || p.met[n.name]
	}
	attached := known(path.parts[0])
	if len(path.parts) == 1 && !attached {
		p.planned(path.at)
	}
	for i, part := range path.parts {
		if n, ok := part.(*nodePattern); ok {
			p.met[n.name] = true
			continue
		}
		p.planned(path.at)
		p.together++
		if i+1 < len(path.parts) && known(path.parts[i+1]) {
			if attached {
				p.together++
			}
			attached = true
		}
		if p.together > maxTogether {
			p.refuse(path.at, "more than %d relationships are matched together: put WITH … between some of them", maxTogether)
		}
	}
}

// bound limits the length of paths of varying length.
func (p *scopedMatch) bound(r *repeat) {
	if r == nil {
		return
	}
	if r.most < 0 {
		p.refuse(r.at, "the path has no upper bound: write *1..3 or {1,3}, at most %d", maxHops)
	}
	if r.most > maxHops {
		p.refuse(r.at, "the path is too long: at most %d relationships. POST /v1/traverse with mode path finds long ones", maxHops)
	}
	if r.least > r.most {
		p.refuse(r.at, "the path has fewer relationships than it must have")
	}
	if p.hops += r.most; p.hops > sumHops {
		p.refuse(r.at, "the paths of the statement are too long together: at most %d relationships", sumHops)
	}
}

// node scopes a node of the path itself.
func (p *scopedMatch) node(n *nodePattern) {
	p.wishes(n.name, n.properties, n.where)
	n.properties, n.where = nil, nil
	if _, bound := p.before[n.name]; bound { // it was scoped where it was bound
		if n.labels != nil {
			n.labels = p.labels(n.labels, n.at)
		}
		if p.within > 0 && !p.shortestEnds && !p.scoped[n.name] { // in case Neo4j does not know of the earlier scope there
			p.scoped[n.name] = true
			p.nodes = append(p.nodes, n.name)
			n.labels, n.properties = p.based(n.labels), p.team()
		}
		return
	}
	if p.scoped[n.name] {
		return
	}
	p.scoped[n.name] = true
	p.nodes = append(p.nodes, n.name)
	if n.index = p.indexOf(n.labels); n.index.Prefix != "" {
		n.prefix = p.literal(&literal{n.index.Prefix})
	}
	n.labels = p.based(p.labels(n.labels, n.at))
	n.properties = p.team()
}

// innerNode scopes a node within a path that Neo4j chooses: a path with hidden or unwanted nodes must not be chosen.
func (p *scopedMatch) innerNode(n *nodePattern) {
	if _, bound := p.before[n.name]; bound || p.scoped[n.name] {
		p.node(n)
		return
	}
	p.scoped[n.name] = true
	n.where = all(append([]expr{p.seen(&variable{name: n.name})}, p.inline(n.name, n.properties, n.where, n.at)...))
	n.labels, n.properties = p.based(p.labels(n.labels, n.at)), p.team()
}

// inline scopes conditions that stay in place, and so may be evaluated on any node.
func (p *scopedMatch) inline(name string, m *mapExpr, where expr, at int) []expr {
	wanted := wantedOf(name, m, where)
	for i, e := range wanted {
		if !p.scoper.safe(e, p.known) {
			p.refuse(at, "within a path that is chosen among others only plain conditions are allowed, such as x.name = 'a': put the others after it, as WITH * WHERE …")
		}
		wanted[i] = p.onVisible(e)
	}
	return wanted
}

// labels returns a label expression in which unknown labels match nothing.
func (s *scoper) labels(labels labelExpr, at int) labelExpr {
	left := maxLabels
	return s.knownLabels(labels, &left, at)
}

func (s *scoper) knownLabels(labels labelExpr, left *int, at int) labelExpr {
	all := func(of []labelExpr) []labelExpr {
		known := make([]labelExpr, len(of))
		for i := range of {
			known[i] = s.knownLabels(of[i], left, at)
		}
		return known
	}
	switch l := labels.(type) {
	case labelName:
		if *left--; *left < 0 {
			s.refuse(at, "an expression has more than %d labels", maxLabels)
		}
		if s.rules.Indexes[l.name] == nil && l.name != s.rules.Base {
			return labelNot{labelAny{}}
		}
	case labelNot:
		return labelNot{s.knownLabels(l.of, left, at)}
	case labelAnd:
		return labelAnd{all(l.of)}
	case labelOr:
		return labelOr{all(l.of)}
	}
	return labels
}

func (s *scoper) based(labels labelExpr) labelExpr {
	base := labelName{s.rules.Base}
	if labels == nil {
		return base
	}
	return labelAnd{[]labelExpr{base, labels}}
}

func (s *scoper) team() *mapExpr {
	return &mapExpr{keys: []string{"team_id"}, values: []expr{s.own("team")}}
}

// relationship moves the conditions of a relationship out of its pattern, unless they decide between paths.
func (p *scopedMatch) relationship(r *relPattern, selects bool) {
	if r.repeat == nil && selects {
		r.where, r.properties = all(p.inline(r.name, r.properties, r.where, r.at)), nil
		return
	}
	if r.repeat == nil {
		p.wishes(r.name, r.properties, r.where)
		r.properties, r.where = nil, nil
		return
	}
	if r.where != nil && r.repeat.stars {
		p.refuse(r.at, "WHERE is not allowed in a path of varying length: write WHERE all(x IN relationships(path) WHERE …)")
	}
	if r.properties == nil {
		return
	}
	x := p.make()
	for i, key := range r.properties.keys {
		p.hidden(key, r.properties.at)
		p.wish(&quantified{kind: "all", name: x, list: &variable{name: r.name, at: r.at}, at: r.at, where: &comparison{
			first: &propertyOf{of: &variable{name: x, at: r.at}, name: key, at: r.at},
			rest:  []compared{{"=", r.properties.values[i]}},
		}})
	}
	r.properties = nil
}

// asGroup returns a repeated relationship as a group, so that its inner nodes can be scoped.
func (p *scopedMatch) asGroup(r *relPattern) *groupPattern {
	from, to := &nodePattern{name: p.make(), at: r.at}, &nodePattern{name: p.make(), at: r.at}
	g := &groupPattern{parts: []pathPart{from, r, to}, where: r.where, repeat: *r.repeat, at: r.at}
	r.repeat, r.where = nil, nil
	p.inGroup(g)
	return g
}

// inGroup scopes a repeated part. Its conditions may be evaluated on hidden nodes.
func (p *scopedMatch) inGroup(g *groupPattern) {
	inside := maps.Clone(p.before)
	var nodes, wishes []expr
	for _, part := range g.parts {
		switch part := part.(type) {
		case *nodePattern:
			if part.name == "" {
				part.name = p.make()
			}
			inside[part.name] = aNode
			wishes = append(wishes, wantedOf(part.name, part.properties, part.where)...)
			part.properties, part.where, part.labels = p.team(), nil, p.based(p.labels(part.labels, part.at))
			nodes = append(nodes, p.seen(&variable{name: part.name}))
		case *relPattern:
			if part.repeat != nil {
				p.refuse(part.at, "a relationship that repeats may not stand within a path that repeats")
			}
			if part.name == "" && (part.properties != nil || part.where != nil || p.named(part)) {
				part.name = p.make()
			}
			if part.name != "" {
				inside[part.name] = aRelationship
			}
			wishes = append(wishes, wantedOf(part.name, part.properties, part.where)...)
			part.properties, part.where = nil, nil
			if condition := p.types(part); condition != nil {
				nodes = append(nodes, condition(&variable{name: part.name}))
			}
		}
	}
	wishes = append(wishes, conditions(g.where)...)
	var plain []expr
	for _, e := range wishes {
		if !p.scoper.safe(e, inside) {
			p.refuse(g.at, "within a path that repeats only plain conditions are allowed, such as x.name = 'a': put the others after it, as all(x IN … WHERE …)")
		}
		plain = append(plain, p.expr(e, inside))
	}
	if g.where = all(nodes); len(plain) > 0 {
		g.where = only(nodes, all(plain))
	}
}
