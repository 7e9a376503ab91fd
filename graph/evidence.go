package graph

import "kith/internal/trust"

// mergeEvidence sets what a node rests on after it took over another one: what the node that gave the texts rests on. Texts that both
// had rest on both, and of texts from both the less believed counts.
func (s *stored) mergeEvidence(n, other *stored) {
	from, own, taken := n, n.tells(s.Properties), other.tells(s.Properties)
	switch less := TrustIn(n.Properties) < TrustIn(other.Properties); {
	case own && taken && n.Properties["evidence"] != nil && other.Properties["evidence"] != nil:
		s.putEvidence(n.evidenceWith(other.Texts("evidence")))
		return
	case own && taken && less, taken && !own, !own && !taken && TrustIn(other.Properties) < TrustIn(n.Properties):
		from = other
	}
	s.keepTrust(from.Properties)
	s.putUnless(from.Properties["evidence"] == nil, "evidence", from.Properties["evidence"])
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
