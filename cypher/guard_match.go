package cypher

import (
	"maps"
	"slices"
	"strings"
)

// match scopes a MATCH: every node that is new gets the base label and the caller's team, and must be visible. What the
// caller wants of them comes after a barrier, unless it can neither fail nor take long.
func (s *scoper) match(m *matchClause, known names) []clause {
	if at, fails := mayFail(m.where); fails && m.optional {
		s.refuse(at, "what may fail, such as a division or an element by a computed number, is not allowed in the WHERE of OPTIONAL MATCH: write WITH *, CASE WHEN … END AS x after it")
	}
	if i := slices.IndexFunc(m.patterns, isFunction); i >= 0 {
		return s.shortest(m, i, known)
	}
	for i := range m.patterns {
		m.patterns[i].repeatAsStars()
	}
	p := s.newMatch(known)
	for i := range m.patterns {
		p.declare(&m.patterns[i])
	}
	for i := range m.patterns {
		p.path(&m.patterns[i])
	}
	p.wish(m.where)
	p.joined(m)
	clauses := p.clauses(m)
	p.leave(known)
	if m.optional && len(clauses) > 1 {
		return []clause{p.optional(clauses)}
	}
	return clauses
}

func isFunction(path pathPattern) bool {
	return path.selector.kind == shortestPathFunction || path.selector.kind == allShortestPathsFunction
}

// shortest scopes a MATCH with shortestPath(…), as one of its ends and one of the path between them: Neo4j fails when both
// ends are one node, and must not do so on what is hidden. What is wanted of the path itself decides which is the shortest,
// and must stay with it.
func (s *scoper) shortest(m *matchClause, at int, known names) []clause {
	path := m.patterns[at]
	if len(path.parts) != 3 {
		s.refuse(path.at, "shortestPath(…) takes two nodes and one relationship between them: shortestPath((a)-[*..6]-(b))")
	}
	r, ok := path.parts[1].(*relPattern)
	from, also := path.parts[0].(*nodePattern)
	to, too := path.parts[2].(*nodePattern)
	if !ok || !also || !too || r.repeat != nil && !r.repeat.stars {
		s.refuse(path.at, "shortestPath(…) takes two nodes and one relationship between them: shortestPath((a)-[*..6]-(b))")
	}
	for _, n := range []*nodePattern{from, to} {
		if n.name == "" {
			n.name = s.make()
		}
	}
	if path.name == "" {
		path.name = s.make()
	}
	ends := &matchClause{at: m.at, patterns: slices.Concat(m.patterns[:at], m.patterns[at+1:], []pathPattern{
		{parts: []pathPart{from}, at: path.at}, {parts: []pathPart{to}, at: path.at},
	})}
	ofPath := map[string]bool{path.name: true, r.name: r.name != ""}
	var wanted []expr
	for _, e := range conditions(m.where) {
		if mentions(e, ofPath) {
			wanted = append(wanted, e)
		} else {
			ends.where = all2(ends.where, e)
		}
	}
	s.loose-- // its ends are joined
	before := maps.Clone(known)
	clauses := s.match(ends, known)
	clauses = append(clauses, s.barrier(nil))

	p := s.newMatch(known)
	path.parts = []pathPart{&nodePattern{name: from.name, at: from.at}, r, &nodePattern{name: to.name, at: to.at}}
	inner := &matchClause{at: m.at, patterns: []pathPattern{path}}
	p.declare(&inner.patterns[0])
	p.path(&inner.patterns[0])
	if r.repeat == nil {
		p.visible = nil // its ends are all that it has
	}
	for _, e := range wanted {
		p.wish(e)
	}
	if len(p.unsafe) > 0 {
		s.refuse(path.at, "what is wanted of a shortest path must be plain, such as all(r IN relationships(path) WHERE r.state = 'active'): put the rest after it, as WITH path WHERE …")
	}
	inner.where = all(append(p.visible, p.safe...))
	p.leave(known)
	if clauses = append(clauses, inner); m.optional {
		p.before = before
		return []clause{p.optional(clauses)}
	}
	return clauses
}

// conditions are those that AND joins.
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

// scopedMatch is a MATCH that is being scoped.
type scopedMatch struct {
	*scoper
	before names // what is known before it
	known  names // and what in its conditions

	met     map[string]bool   // the nodes that were planned
	scoped  map[string]bool   // the nodes that have their scope
	wanted  map[string]int    // what conditions promise for nodes
	names   map[string]string // the names that nodes must have
	nodes   []string          // those that must be visible
	seenTo  map[string]bool   // of these those that a condition sees to
	visible []expr            // what makes the nodes visible
	safe    []expr            // conditions of the caller that may be tried on anything
	unsafe  []expr            // and those that may be tried only on what is visible
}

func (s *scoper) newMatch(known names) *scopedMatch {
	return &scopedMatch{
		scoper: s, before: maps.Clone(known), known: maps.Clone(known), met: map[string]bool{}, scoped: map[string]bool{},
		wanted: map[string]int{}, seenTo: map[string]bool{}, names: map[string]string{},
	}
}

// leave makes known what the MATCH has found. What is wanted of a path after it is no longer part of its search.
func (p *scopedMatch) leave(known names) {
	for name, sort := range p.known {
		if known[name] = sort; sort == aPath {
			known[name] = aValue
		}
	}
}

// declare makes the names of a path known, and gives names to what needs one.
func (p *scopedMatch) declare(path *pathPattern) {
	for _, part := range path.parts {
		switch part := part.(type) {
		case *nodePattern:
			if part.name == "" {
				part.name = p.make()
			}
			p.name(part.name, aNode, part.at)
		case *relPattern:
			if part.name == "" && (part.properties != nil || part.where != nil || part.varies() && len(path.parts) > 3) {
				part.name = p.make()
			}
			if part.name != "" && part.repeat == nil {
				p.name(part.name, aRelationship, part.at)
			} else if part.name != "" {
				p.name(part.name, aList, part.at)
			}
		case *groupPattern:
			for _, inner := range part.parts {
				switch inner := inner.(type) {
				case *nodePattern:
					p.group(inner.name, inner.at)
				case *relPattern:
					p.group(inner.name, inner.at)
				}
			}
		}
	}
	if alone(path) && path.name == "" {
		path.name = p.make()
	}
	if path.name != "" {
		p.name(path.name, aPath, path.at)
	}
}

func (p *scopedMatch) name(name string, sort sortOf, at int) {
	if was, ok := p.known[name]; ok && was&^dropped != sort && was&^dropped != aValue {
		p.refuse(at, "%s stands for something else already: choose another name", name)
	} else if !ok {
		p.known[name] = sort
	}
}

func (p *scopedMatch) group(name string, at int) {
	if name == "" {
		return
	}
	if _, ok := p.known[name]; ok {
		p.refuse(at, "%s is known already: what repeats needs a name of its own", name)
	}
	p.known[name] = aValue
}

// repeatAsStars writes -[:a]->{1,3} as -[:a*1..3]->, which Neo4j plans better, where the two mean the same.
func (path *pathPattern) repeatAsStars() {
	for _, part := range path.parts {
		if r, ok := part.(*relPattern); ok && r.repeat != nil && r.where == nil && plainTypes(r.types) && !path.selector.selects() {
			r.repeat.stars = true
		}
	}
}

// plainTypes says whether types are only names: Neo4j takes no others in a relationship of varying length.
func plainTypes(l labelExpr) bool {
	if or, ok := l.(labelOr); ok {
		return !slices.ContainsFunc(or.of, func(of labelExpr) bool { return !plainTypes(of) })
	}
	_, ok := l.(labelName)
	return ok || l == nil
}

// varies says whether it is a relationship of varying length as Neo4j has long had them, whose inner nodes have no pattern.
func (r *relPattern) varies() bool { return r.repeat != nil && r.repeat.stars }

// alone says whether a path is only a relationship that varies in length.
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
				part.repeat.stars = false // its inner nodes must be looked at before Neo4j chooses
			} else {
				p.relationship(part, path.selector.selects())
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

// selects says whether Neo4j chooses among paths before it looks at the WHERE of the MATCH.
func (s selector) selects() bool { return s.kind > allShortestPathsFunction }

// between scopes the inner nodes of relationships of varying length, in the two forms that Neo4j tries at every step.
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

// planned counts what Neo4j has to plan in all.
func (s *scoper) planned(at int) {
	if s.patterns++; s.patterns > maxPatterns {
		s.refuse(at, "the statement matches more than %d relationships: ask for less at once", maxPatterns)
	}
}

// plannedTogether counts the relationships of a path that Neo4j plans together with those before it, one that closes a ring
// twice: its time for that doubles with each, and cannot be ended.
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

// bound holds that paths of varying length are not long.
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

// seen is the condition that a node with the base label and the caller's team is visible.
func (s *scoper) seen(node expr) expr {
	property := func(key string) expr { return &propertyOf{of: node, name: key} }
	return any3(&unary{operator: "IS NULL", of: property("user_id")}, equals(property("user_id"), s.own("user")),
		&binary{operator: "IN", left: s.own("user"), right: property("participants")})
}

// visibleNode is the condition that any node is visible.
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

// node scopes one that stands on the path itself.
func (p *scopedMatch) node(n *nodePattern) {
	p.wishes(n.name, n.properties, n.where)
	n.properties, n.where = nil, nil
	if _, bound := p.before[n.name]; bound {
		return // it was scoped where it came from
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

// innerNode scopes one within a path that is chosen among others: what is hidden, or not wanted, must not be chosen.
func (p *scopedMatch) innerNode(n *nodePattern) {
	if _, bound := p.before[n.name]; bound || p.scoped[n.name] {
		p.node(n)
		return
	}
	p.scoped[n.name] = true
	n.where = all(append([]expr{p.seen(&variable{name: n.name})}, p.inline(n.name, n.properties, n.where, n.at)...))
	n.labels, n.properties = p.based(p.labels(n.labels, n.at)), p.team()
}

// inline scopes conditions that stay where they are, and so may be tried on anything.
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

// indexOf is the index that finds nodes with some labels: that of a label that all of them have.
func (s *scoper) indexOf(labels labelExpr) *Index {
	switch l := labels.(type) {
	case labelName:
		if i := s.rules.Indexes[l.name]; i != nil {
			return i
		}
		if l.name != s.rules.Base {
			return nothing(s.rules.Base)
		}
	case labelAnd:
		for _, of := range l.of {
			if i := s.indexOf(of); i != s.rules.Index {
				return i
			}
		}
	}
	return s.rules.Index
}

// nothing is an index by which nothing is found.
func nothing(base string) *Index {
	return &Index{Label: base, Further: []string{"natural_key"}, Prefix: "\x00", Unnamed: true}
}

// labels is a label expression in which nothing has the labels that the rules do not know.
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

// relationship takes what is wanted of one out of its pattern, unless paths are chosen by it.
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

// asGroup is a relationship that repeats as a group, so that the nodes between can be scoped.
func (p *scopedMatch) asGroup(r *relPattern) *groupPattern {
	from, to := &nodePattern{name: p.make(), at: r.at}, &nodePattern{name: p.make(), at: r.at}
	g := &groupPattern{parts: []pathPart{from, r, to}, where: r.where, repeat: *r.repeat, at: r.at}
	r.repeat, r.where = nil, nil
	p.inGroup(g)
	return g
}

// inGroup scopes what repeats. Its conditions stand where nothing keeps them from being tried on what is hidden.
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
			if part.name == "" && (part.properties != nil || part.where != nil) {
				part.name = p.make()
			}
			if part.name != "" {
				inside[part.name] = aRelationship
			}
			wishes = append(wishes, wantedOf(part.name, part.properties, part.where)...)
			part.properties, part.where = nil, nil
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

func equalTo(name, key string, value expr, at int) expr {
	return &comparison{first: &propertyOf{of: &variable{name: name, at: at}, name: key, at: at}, rest: []compared{{"=", value}}, at: at}
}

// wishes are what the caller wants of a node or relationship.
func (p *scopedMatch) wishes(name string, m *mapExpr, where expr) {
	for _, e := range wantedOf(name, m, where) {
		p.wish(e)
	}
}

// wantedOf are the conditions that stand within the brackets of a node or relationship.
func wantedOf(name string, m *mapExpr, where expr) []expr {
	var wanted []expr
	if m != nil {
		for i, key := range m.keys {
			wanted = append(wanted, equalTo(name, key, m.values[i], m.at))
		}
	}
	return append(wanted, conditions(where)...)
}

// onVisible scopes a plain condition so that it is tried only where the nodes that it is about are visible: even a plain one
// takes longer on a long text. What finds a node by its key stays as it is, for the index.
func (p *scopedMatch) onVisible(e expr) expr {
	if p.findsByKey(e) {
		return p.expr(e, p.known)
	}
	if q, ok := e.(*quantified); ok { // of a path: each of its nodes is looked at by itself
		return p.alongPath(q)
	}
	seen, nodes := p.seenBy(e)
	if len(seen) == 1 && len(nodes) == 1 {
		p.seenTo[nodes[0]] = true // who may see it is looked at there
	}
	return only(seen, p.expr(e, p.known))
}

// findsByKey says whether a condition is x.entity_key = value, or IN some values.
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

// isGiven says whether a value is there before the MATCH.
func (p *scopedMatch) isGiven(e expr) bool {
	_, ok := e.(*variable)
	return ok || p.constant(e)
}

// seenBy are the conditions under which the new nodes are visible that an expression is about, and which nodes it names.
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

// endsOf are the conditions that both ends of a relationship are visible.
func (p *scopedMatch) endsOf(r expr) []expr {
	return []expr{p.visibleNode(&call{name: "startNode", args: []expr{r}}), p.visibleNode(&call{name: "endNode", args: []expr{r}})}
}

// alongPath scopes all(x IN nodes(path) WHERE …) and its like.
func (p *scopedMatch) alongPath(q *quantified) expr {
	inside := maps.Clone(p.known)
	inside[q.name] = aValue
	x := &variable{name: q.name}
	seen := p.endsOf(x)
	if c, ok := q.list.(*call); ok && c.name == "nodes" {
		seen = []expr{p.visibleNode(x)}
	}
	others := &scopedMatch{scoper: p.scoper, before: p.before, known: inside}
	more, _ := others.seenBy(q.where)
	inside[q.name] = aNode
	q.list, q.where = p.expr(q.list, p.known), only(append(seen, more...), p.expr(q.where, inside))
	return q
}

// only is a condition that is tried only where others hold.
func only(where []expr, condition expr) expr {
	if len(where) == 0 {
		return condition
	}
	return &caseExpr{branches: [][2]expr{{all(where), condition}}, otherwise: &literal{false}}
}

// wish takes a condition apart: each part goes before or behind the barrier.
func (p *scopedMatch) wish(e expr) {
	for _, e := range conditions(e) {
		if p.scoper.safe(e, p.known) {
			p.promised(e)
			p.safe = append(p.safe, p.onVisible(e))
			continue
		}
		p.unsafe = append(p.unsafe, p.expr(e, p.known))
	}
}

// joined sorts the patterns of a MATCH into groups that have nodes in common. Groups that nothing joins must be few: all their
// combinations come back. In each group that does not begin with what is known one node is chosen at which the walk starts.
func (p *scopedMatch) joined(m *matchClause) {
	groups := map[string]int{} // by name: to which group of patterns it belongs; 0 is what is known
	for i := range m.patterns {
		mine := i + 1
		for _, n := range m.patterns[i].nodes() {
			if _, bound := p.before[n.name]; bound {
				groups[n.name] = 0
			}
			if other, ok := groups[n.name]; ok && other != mine {
				from, to := max(other, mine), min(other, mine)
				for name, g := range groups {
					if g == from {
						groups[name] = to
					}
				}
				mine = to
			}
			groups[n.name] = mine
		}
	}
	starts := map[int]*nodePattern{}
	for i := range m.patterns {
		nodes := m.patterns[i].nodes()
		if m.patterns[i].selector.selects() {
			nodes[0].start, nodes[len(nodes)-1].start = true, true // Neo4j needs both
		}
		for _, n := range nodes {
			if g := groups[n.name]; g > 0 && (starts[g] == nil || p.promise(n) > p.promise(starts[g])) {
				starts[g] = n
			}
		}
	}
	for _, n := range starts {
		n.start = p.promise(n) < byKey
		p.byName(n)
	}
	if p.loose += len(starts); p.loose > maxLoose {
		p.refuse(m.at, "more than %d patterns have nothing in common, so that all their combinations come back: join them by relationships, or ask one by one", maxLoose)
	}
}

// byName lets a node that must have a certain name be found by it.
func (p *scopedMatch) byName(n *nodePattern) {
	name, ok := p.names[n.name]
	if !ok || p.rules.Named == nil || n.index == nil || n.index == p.rules.Index || n.index.Unnamed || n.index.Label != p.rules.Base {
		return
	}
	if key := p.rules.NameKey(name); key != "" {
		n.index, n.key = p.rules.Named, p.literal(&literal{key})
	}
}

func (path *pathPattern) nodes() []*nodePattern {
	var all []*nodePattern
	for _, part := range path.parts {
		if n, ok := part.(*nodePattern); ok {
			all = append(all, n)
		}
	}
	return all
}

// How few nodes a pattern promises to find.
const (
	byNothing = iota
	byKind
	byValue // of a property
	byKey   // Neo4j finds it by itself
)

func (p *scopedMatch) promise(n *nodePattern) int {
	if least := p.wanted[n.name]; least > 0 {
		return least
	}
	if n.index != nil && n.index != p.rules.Index {
		return byKind
	}
	return byNothing
}

// promised notes what a condition promises for the nodes that it is about: x.name = 'a'.
func (p *scopedMatch) promised(e expr) {
	c, ok := e.(*comparison)
	if !ok || len(c.rest) != 1 || c.rest[0].operator != "=" {
		return
	}
	for i, side := range []expr{c.first, c.rest[0].value} {
		of, ok := side.(*propertyOf)
		if !ok {
			continue
		}
		v, ok := of.of.(*variable)
		switch {
		case !ok:
		case of.name == "entity_key":
			p.wanted[v.name] = byKey
		default:
			p.wanted[v.name] = max(p.wanted[v.name], byValue)
		}
		if other := []expr{c.rest[0].value, c.first}[i]; ok && of.name == "name" {
			if name, ok := constantOf(other, p.given).(string); ok {
				p.names[v.name] = name
			}
		}
	}
}

// clauses are what the MATCH becomes.
func (p *scopedMatch) clauses(m *matchClause) []clause {
	for i := len(p.nodes) - 1; i >= 0; i-- {
		if !p.seenTo[p.nodes[i]] {
			p.visible = append([]expr{p.seen(&variable{name: p.nodes[i]})}, p.visible...)
		}
	}
	m.where = all(append(p.visible, p.safe...))
	if len(p.unsafe) == 0 {
		return []clause{m}
	}
	return []clause{m, p.barrier(all(p.unsafe))}
}

// barrier passes on everything. Neo4j tries its condition only on what comes through.
func (s *scoper) barrier(condition expr) *withClause {
	return &withClause{star: true, limit: s.cap(), where: condition}
}

// optional is an OPTIONAL MATCH of several clauses.
func (p *scopedMatch) optional(clauses []clause) clause {
	clauses[0].(*matchClause).optional = false
	w := &withClause{isReturn: true}
	for name := range p.known {
		if _, before := p.before[name]; !before {
			w.items = append(w.items, item{value: &variable{name: name}, name: name, named: true})
		}
	}
	if len(w.items) == 0 {
		w.items = []item{{value: &literal{true}, name: p.make(), named: true}}
	}
	slices.SortFunc(w.items, func(a, b item) int { return strings.Compare(a.name, b.name) })
	return &callClause{optional: true, scoped: true, star: true, body: query{parts: []singleQuery{{clauses: append(clauses, w)}}}}
}
