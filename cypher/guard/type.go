package guard

import (
	"maps"
	"slices"
)

// Words describes how relationships with types of the team's own are stored: with the type Type, and the word in their
// property Property. A type that is not Fixed may be such a word, or a real type in an older database.
type Words struct {
	Type     string
	Property string
	Fixed    func(name string) bool
}

// typing is a resolved type expression: the real types that a relationship may have, and, unless these suffice, the
// included types (or, with but, the excluded ones).
type typing struct {
	types  labelExpr
	listed []string
	but    bool
	whole  bool // the real types suffice
}

// typing resolves a type expression, written with the types that callers see.
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

// matches reports whether an expression includes a type; an empty name stands for a type that it does not name.
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

// widened returns an expression of real types that includes every possible match; within a negation, only certain ones.
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

// typeOf returns the type of a relationship as callers see it.
func (s *scoper) typeOf(r expr) expr {
	own := &call{name: "type", args: []expr{r}}
	if s.rules.Words == nil {
		return own
	}
	return once(r, func(r expr) expr {
		return &call{name: "coalesce", args: []expr{&propertyOf{of: r, name: s.rules.Words.Property}, &call{name: "type", args: []expr{r}}}}
	})
}

// lets returns the condition that a relationship with a real type of the typing has an included type. It can neither
// fail nor take long, and so may be evaluated on any relationship.
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

// named reports whether a condition has to check the types of a relationship, which then needs a name.
func (s *scoper) named(r *relPattern) bool { return !s.typing(r.types).whole }

// types sets the real types of a relationship's pattern, and returns the condition on its type, or nil.
func (s *scoper) types(r *relPattern) func(x expr) expr {
	t := s.typing(r.types)
	if t.whole {
		return nil
	}
	r.types = t.types
	return func(x expr) expr { return s.lets(t, s.typeOf(x)) }
}

// typed scopes the types of a relationship of a path: they are evaluated where Neo4j chooses the path.
func (p *scopedMatch) typed(path *pathPattern, r *relPattern) {
	if r.repeat != nil && !r.varies() {
		return // it becomes a group, which is scoped there
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

// hasType is x:a where x may be a relationship; a node, or a relationship of another type, has no word.
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
