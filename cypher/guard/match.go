package guard

import (
	"maps"
	"slices"
	"strings"
)

// match scopes a MATCH: every new node gets the base label and the caller's team, and must be visible. The caller's own
// conditions follow behind a barrier, unless they can neither fail nor take long.
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

// shortest scopes a MATCH with shortestPath(…) as two: one of its ends, and one of the path between them. Neo4j fails
// when both ends are one node, and must not do so on hidden nodes. Conditions on the path itself decide which path is
// the shortest, and stay with it.
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
	p.shortestEnds = true
	path.parts = []pathPart{&nodePattern{name: from.name, at: from.at}, r, &nodePattern{name: to.name, at: to.at}}
	inner := &matchClause{at: m.at, patterns: []pathPattern{path}}
	p.declare(&inner.patterns[0])
	p.path(&inner.patterns[0])
	if r.repeat == nil {
		p.visible = nil // it has only its ends
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

// scopedMatch is a MATCH in the course of scoping.
type scopedMatch struct {
	*scoper
	before names // names known before it
	known  names // names known in its conditions

	met     map[string]bool   // nodes already counted for the planner
	scoped  map[string]bool   // nodes with their scope
	wanted  map[string]int    // selectivity promised by conditions, by node
	names   map[string]string // required names of nodes
	nodes   []string          // nodes that must be visible
	seenTo  map[string]bool   // those whose visibility a condition ensures
	visible []expr            // visibility conditions
	safe    []expr            // caller's conditions that may be evaluated on any node
	unsafe  []expr            // caller's conditions that may be evaluated only on visible nodes

	shortestEnds bool // its nodes were scoped by the preceding MATCH
}

func (s *scoper) newMatch(known names) *scopedMatch {
	return &scopedMatch{
		scoper: s, before: maps.Clone(known), known: maps.Clone(known), met: map[string]bool{}, scoped: map[string]bool{},
		wanted: map[string]int{}, seenTo: map[string]bool{}, names: map[string]string{},
	}
}

// leave adds the names of the MATCH to the scope. Later conditions on a path no longer belong to its search.
func (p *scopedMatch) leave(known names) {
	for name, sort := range p.known {
		if known[name] = sort; sort == aPath {
			known[name] = aValue
		}
	}
}

// declare adds the names of a path to the scope, and names unnamed parts that need a name.
func (p *scopedMatch) declare(path *pathPattern) {
	for _, part := range path.parts {
		switch part := part.(type) {
		case *nodePattern:
			if part.name == "" {
				part.name = p.make()
			}
			p.name(part.name, aNode, part.at)
		case *relPattern:
			if part.name == "" && (part.properties != nil || part.where != nil || part.varies() && len(path.parts) > 3 || p.named(part)) {
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

func equalTo(name, key string, value expr, at int) expr {
	return &comparison{first: &propertyOf{of: &variable{name: name, at: at}, name: key, at: at}, rest: []compared{{"=", value}}, at: at}
}

// wishes holds the caller's conditions on a node or relationship.
func (p *scopedMatch) wishes(name string, m *mapExpr, where expr) {
	for _, e := range wantedOf(name, m, where) {
		p.wish(e)
	}
}

// wantedOf returns the conditions within the brackets of a node or relationship.
func wantedOf(name string, m *mapExpr, where expr) []expr {
	var wanted []expr
	if m != nil {
		for i, key := range m.keys {
			wanted = append(wanted, equalTo(name, key, m.values[i], m.at))
		}
	}
	return append(wanted, conditions(where)...)
}

// wish splits a condition: each part goes before or behind the barrier.
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

// clauses returns the clauses that replace the MATCH.
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

// barrier returns a WITH that passes everything on. Neo4j evaluates its condition only on the resulting rows.
func (s *scoper) barrier(condition expr) *withClause {
	return &withClause{star: true, limit: s.cap(), where: condition}
}

// optional returns an OPTIONAL MATCH made of several clauses.
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
	return &callClause{optional: true, scoped: true, imports: p.before.live(), body: query{parts: []singleQuery{{clauses: append(clauses, w)}}}}
}
