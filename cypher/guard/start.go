package guard

import "slices"

// indexOf returns the index for nodes with some labels: the index of a label that all of them have.
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

// nothing is an index that finds nothing.
func nothing(base string) *Index {
	return &Index{Label: base, Further: []string{"natural_key"}, Prefix: "\x00", Unnamed: true}
}

// joined sorts the patterns of a MATCH into groups with common nodes. Unjoined groups must be few: all their
// combinations are returned. In each group without a known node, one node is chosen as the start of the walk.
func (p *scopedMatch) joined(m *matchClause) {
	groups := map[string]int{} // group of each name; 0: known names
	for i := range m.patterns {
		mine := i + 1
		if p.followsBound(&m.patterns[i]) {
			mine = 0
		}
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

// followsBound reports whether a path has a relationship that is already known: Neo4j begins there.
func (p *scopedMatch) followsBound(path *pathPattern) bool {
	return slices.ContainsFunc(path.parts, func(part pathPart) bool {
		r, ok := part.(*relPattern)
		if !ok || r.name == "" {
			return false
		}
		_, bound := p.before[r.name]
		return bound
	})
}

// byName adds the index key to a node with a required name.
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

// Selectivity of a pattern's nodes.
const (
	byNothing = iota
	byKind
	byValue // of a property
	byKey   // Neo4j seeks it without a hint
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

// promised records the selectivity that a condition promises for its nodes: x.name = 'a'.
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
