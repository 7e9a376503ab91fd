package cypher

import (
	"maps"
	"slices"
)

// Words says how relationships are stored whose types are words of their teams: they are of the type Type, and their property
// Property has the word. A type that is not Fixed may be such a word, or a type of its own in an older database.
type Words struct {
	Type     string
	Property string
	Fixed    func(name string) bool
}

// typing is what a type expression becomes: the real types that a relationship may have, and, unless these say it all, the
// types that are let through (or, with but, those that are not).
type typing struct {
	types  labelExpr
	listed []string
	but    bool
	whole  bool // the real types say it all
}

// typing reads a type expression as one of the types that callers see.
func (s *scoper) typing(types labelExpr) typing {
	named := namesOf(types, map[string]bool{})
	if !slices.ContainsFunc(slices.Collect(maps.Keys(named)), s.mayBeWord) {
		return typing{types: types, whole: true}
	}
	t := typing{types: s.widened(types, false), but: matches(types, "")}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		if matches(types, name) != t.but {
			t.listed = append(t.listed, name)
		}
	}
	return t
}

func (s *scoper) mayBeWord(name string) bool {
	return s.rules.Words != nil && !s.rules.Words.Fixed(name)
}

// namesOf collects the names in an expression.
func namesOf(l labelExpr, names map[string]bool) map[string]bool {
	switch l := l.(type) {
	case labelName:
		names[l.name] = true
	case labelNot:
		namesOf(l.of, names)
	case labelAnd:
		for _, of := range l.of {
			namesOf(of, names)
		}
	case labelOr:
		for _, of := range l.of {
			namesOf(of, names)
		}
	}
	return names
}

// matches says whether an expression lets a type through; an empty name is that of none of its names.
func matches(l labelExpr, name string) bool {
	lets := func(of labelExpr) bool { return matches(of, name) }
	switch l := l.(type) {
	case labelName:
		return l.name == name
	case labelNot:
		return !matches(l.of, name)
	case labelAnd:
		return !slices.ContainsFunc(l.of, func(of labelExpr) bool { return !lets(of) })
	case labelOr:
		return slices.ContainsFunc(l.of, lets)
	}
	return true
}

// widened is an expression of real types that lets through whatever may be meant; within a negation, only what certainly is.
func (s *scoper) widened(l labelExpr, certain bool) labelExpr {
	each := func(of []labelExpr) (all []labelExpr) {
		for _, l := range of {
			l = s.widened(l, certain)
			if or, nested := l.(labelOr); nested && !certain {
				all = append(all, or.of...)
				continue
			}
			all = append(all, l)
		}
		return all
	}
	switch l := l.(type) {
	case labelName:
		switch own := s.rules.Words.Type; {
		case l.name == own && certain:
			return labelNot{labelAny{}}
		case l.name != own && !certain && s.mayBeWord(l.name):
			return labelOr{[]labelExpr{l, labelName{own}}}
		}
	case labelNot:
		return labelNot{s.widened(l.of, !certain)}
	case labelAnd:
		all := make([]labelExpr, len(l.of))
		for i := range l.of {
			all[i] = s.widened(l.of[i], certain)
		}
		return labelAnd{all}
	case labelOr:
		return labelOr{each(l.of)}
	}
	return l
}

// typeOf is the type of a relationship as callers see it.
func (s *scoper) typeOf(r expr) expr {
	own := &call{name: "type", args: []expr{r}}
	if s.rules.Words == nil {
		return own
	}
	return once(r, func(r expr) expr {
		return &call{name: "coalesce", args: []expr{&propertyOf{of: r, name: s.rules.Words.Property}, &call{name: "type", args: []expr{r}}}}
	})
}

// lets is the condition that a relationship, whose real type is one of those of the typing, is of a type that is let through. It
// can neither fail nor take long, and so may be tried on anything.
func (s *scoper) lets(t typing, kind expr) expr {
	list := &listExpr{}
	for _, name := range t.listed {
		list.items = append(list.items, s.literal(&literal{name}))
	}
	var in expr = &binary{operator: "IN", left: kind, right: list}
	if t.but {
		in = &unary{operator: "NOT", of: in}
	}
	return in
}

// named says whether the types of a relationship are to be looked at by a condition, which needs its name.
func (s *scoper) named(r *relPattern) bool { return !s.typing(r.types).whole }

// types puts the real types into a relationship's pattern, and returns the condition of its type; nil: there is none.
func (s *scoper) types(r *relPattern) func(x expr) expr {
	t := s.typing(r.types)
	if t.whole {
		return nil
	}
	r.types = t.types
	return func(x expr) expr { return s.lets(t, s.typeOf(x)) }
}

// typed scopes the types of a relationship of a path: they are tried where Neo4j chooses it.
func (p *scopedMatch) typed(path *pathPattern, r *relPattern) {
	if r.repeat != nil && !r.varies() {
		return // it becomes a group, which sees to it
	}
	condition := p.types(r)
	switch {
	case condition == nil:
	case r.varies(), p.shortestEnds:
		var list expr = &variable{name: r.name}
		if p.shortestEnds {
			list = &call{name: "relationships", args: []expr{&variable{name: path.name}}}
		}
		x := p.make()
		p.safe = append(p.safe, &quantified{kind: "all", name: x, list: list, where: condition(&variable{name: x})})
	case path.selector.selects():
		r.where = all2(r.where, condition(&variable{name: r.name}))
	default:
		p.safe = append(p.safe, condition(&variable{name: r.name}))
	}
}

// hasType is x:a where x may be a relationship: a node, or one of another type, has no word.
func (s *scoper) hasType(e *hasLabels) expr {
	t := s.typing(e.labels)
	if t.whole {
		return e
	}
	return once(e.of, func(x expr) expr {
		own := &hasLabels{of: x, labels: labelName{s.rules.Words.Type}, at: e.at}
		word := &call{name: "coalesce", args: []expr{&propertyOf{of: x, name: s.rules.Words.Property}, s.literal(&literal{s.rules.Words.Type})}}
		other := &unary{operator: "NOT", of: own}
		return all2(&hasLabels{of: x, labels: t.types, at: e.at}, &binary{operator: "OR", left: other, right: s.lets(t, word)})
	})
}
