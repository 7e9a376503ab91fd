package graph

import (
	"slices"

	"kith/graph/trust"
)

// mergeEvidence sets what a node rests on after it took over another one: what the node that gave the texts rests on. Texts that both
// had rest on both, and of texts from both the less believed counts. Aliases have a mark of their own, so that the other's names do
// not make the whole node one that is believed less.
func (s *stored) mergeEvidence(n, other *stored) {
	texts := s.clone()
	delete(texts, "aliases")
	whole := func(of *stored) bool { return len(of.gives(texts)) == len(texts.texts()) }
	from, rest, own, taken := n, other, whole(n), whole(other)
	less := TrustIn(n.Properties) < TrustIn(other.Properties)
	if own && taken && less || taken && !own || !own && !taken && TrustIn(other.Properties) < TrustIn(n.Properties) {
		from, rest = other, n
	}
	s.keepTrust(from.Properties)
	s.putUnless(from.Properties["evidence"] == nil, "evidence", from.Properties["evidence"])
	if own && taken && n.Properties["evidence"] != nil && other.Properties["evidence"] != nil {
		s.putEvidence(n.evidenceWith(other.Texts("evidence")))
	}
	vouched := slices.DeleteFunc(texts.texts(), func(name string) bool { return !n.vouchesFor(name, texts) && !other.vouchesFor(name, texts) })
	switch {
	case s.Properties["trust"] == nil:
	case containsAll(vouched, texts.texts()):
		s.dropBelief()
	default:
		if !own && !taken {
			for _, e := range trust.Parse(rest.Texts("evidence")) {
				s.restIn(e.Sources, rest.gives(texts))
			}
		}
		s.vouch(vouched)
	}
	s.doubtAliases(n, other)
}

// vouchesFor reports whether the node gives a text of a fact, and that is believed.
func (s *stored) vouchesFor(name string, fact Properties) bool {
	return Same(s.Properties[name], fact[name]) && s.vouches(name)
}

// doubtAliases marks the aliases that came only from nodes that are believed less than this one.
func (s *stored) doubtAliases(from ...*stored) {
	var doubted, believed []string
	for _, n := range from {
		t := TrustIn(n.Properties)
		for field, names := range map[string][]string{"name": {n.Text("name")}, "aliases": n.Texts("aliases")} {
			less := t < trust.Plain && t < TrustIn(s.Properties) && !n.vouches(field)
			for _, name := range names {
				if less || field == "aliases" && slices.Contains(n.Texts("doubted_aliases"), name) {
					doubted = append(doubted, name)
				} else {
					believed = append(believed, name)
				}
			}
		}
	}
	s.keepDoubt(slices.DeleteFunc(doubted, func(name string) bool { return slices.Contains(believed, name) }))
}

// keepDoubt marks those of some names that are aliases of the node as believed less.
func (s *stored) keepDoubt(names []string) {
	doubted := slices.DeleteFunc(slices.Clone(s.Texts("aliases")), func(alias string) bool { return !slices.Contains(names, alias) })
	s.putUnless(len(doubted) == 0, "doubted_aliases", doubted)
}

// restsOn returns the keys of the sources from which a fact was derived. Of what a team shares it returns none, because sources are
// private.
func (p Properties) restsOn() []string {
	if p.Text("user_id") == "" {
		return nil
	}
	var keys []string
	for _, e := range trust.Parse(p.Texts("evidence")) {
		keys = append(keys, e.Sources...)
	}
	return Distinct(keys)
}

// withoutSource returns the evidence of a fact that does not rest on a source, and the rest.
func (p Properties) withoutSource(source string) (left, gone []trust.Evidence) {
	for _, e := range trust.Parse(p.Texts("evidence")) {
		if e.RestsOn(source) {
			gone = append(gone, e)
		} else {
			left = append(left, e)
		}
	}
	return left, gone
}

// putEvidence sets what a fact rests on, and its trust.
func (p Properties) putEvidence(evidence []trust.Evidence) {
	t, origin := trust.Combine(evidence)
	p["trust"], p["evidence"] = t, trust.Texts(evidence)
	p.putUnless(origin == "", "origin", origin)
}

// evidenceWith returns the evidence of a fact with more.
func (p Properties) evidenceWith(more []string) []trust.Evidence {
	all := trust.Parse(p.Texts("evidence"))
	for _, e := range trust.Parse(more) {
		all = trust.Add(all, e)
	}
	return all
}
