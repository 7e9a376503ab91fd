package explore

import (
	"maps"
	"slices"

	"kith/text/words"
)

// rankings holds the rankings of each ask, and the seeds that are still to be followed.
type rankings struct {
	messages, sources, nodes []ranking
	seeds                    []Seed // not yet followed by the search
	texts                    []seedText
	titles                   []string            // possible names of sources
	said                     map[string][]string // by source, the messages found
	timed                    []map[string]bool   // of each ask that times filter, the sources of its times; nil for others
}

// seedText is the text of a seed, in which names are searched.
type seedText struct {
	Seed
	text string
}

// fusedRankings holds the fused ranking of messages, sources and nodes.
type fusedRankings struct{ messages, sources, nodes fused }

func (l *rankings) fuse(w *tuning) fusedRankings {
	return fusedRankings{fuse(l.messages, w), fuse(l.sources, w), fuse(l.nodes, w)}
}

// merge appends the rankings of a second search, whose asks come after those of the first.
func (l *rankings) merge(second *rankings) *rankings {
	first := len(l.sources)
	for i := range second.seeds {
		second.seeds[i].Ask += first
	}
	for i := range second.texts {
		second.texts[i].Ask += first
	}
	for source, keys := range second.said {
		l.said[source] = append(l.said[source], keys...)
	}
	return &rankings{
		append(l.messages, second.messages...), append(l.sources, second.sources...), append(l.nodes, second.nodes...),
		append(l.seeds, second.seeds...), append(l.texts, second.texts...), append(l.titles, second.titles...), l.said,
		append(l.timed, second.timed...),
	}
}

// rank ranks the hits of some asks.
func (p *plan) rank(f *Found, asks []ask, units [][]float32, near []nearest, m *meaning) *rankings {
	l := &rankings{said: map[string][]string{}}
	for i := range f.Messages {
		l.said[f.Messages[i].Source] = append(l.said[f.Messages[i].Source], f.Messages[i].Key)
	}
	texts := map[string]SourceText{}
	named := false
	for _, t := range f.Texts {
		texts[t.Key] = t
		named = named || t.Name != ""
	}
	for i := range asks {
		a := &asks[i]
		timed := timedSources(f, i, a, near[i])
		near[i] = near[i].during(timed)
		messages, sources, nodes := rankMessages(f, i, a, p.tuning.speaker), rankSources(f, i, a), rankNodes(f, i, a)
		var said *vectorEvidence
		weight := 0.0
		if p.messages || p.sources {
			said = m.vectorEvidence(near[i].messages, units[i], slices.Collect(maps.Keys(messages)))
			ofSources := m.vectorEvidence(near[i].sources, units[i], slices.Collect(maps.Keys(sources))).addMessages(said, f.Messages, i)
			said.addTo(messages, a.threshold, p.tuning)
			weight = ofSources.addTo(sources, a.threshold, p.tuning)
		}
		m.vectorEvidence(near[i].nodes, units[i], slices.Collect(maps.Keys(nodes))).addTo(nodes, a.threshold, p.tuning)
		if a.Match && p.uses(byLinks) {
			p.addMentions(f, sources, nodes)
		}
		if !a.Match && p.uses(byLinks) {
			seeds := sources.seeds(i, p.tuning)
			spreadLinks(f, seeds, a, sources, nodes)
			for _, s := range seeds {
				t, known := texts[s.Key]
				if !known {
					l.seeds = append(l.seeds, s)
				}
				if known && named && len(l.titles) < titleLimit { // if not named, no source has a name
					l.texts = append(l.texts, seedText{s, t.Text})
					l.titles = append(l.titles, titleCandidates(t.Text)...)
				}
			}
		}
		if said != nil {
			for _, h := range said.addToSources(near[i].messages.Hits, messages, sources, weight, a.threshold) {
				l.said[h.Parent] = append(l.said[h.Parent], h.Key)
			}
		}
		if timed != nil {
			maps.DeleteFunc(sources, func(key string, _ *evidence) bool { return !timed[key] })
		}
		l.timed = append(l.timed, timed)
		l.messages, l.sources, l.nodes = append(l.messages, messages), append(l.sources, sources), append(l.nodes, nodes)
	}
	return l
}

// allows reports whether a source is at the times of an ask, if times filter it.
func (l *rankings) allows(ask int, source string) bool {
	return l.timed[ask] == nil || l.timed[ask][source]
}

// addDetails adds the evidence of the details: the sources that seeds lead to, and those whose name is in the text of a
// seed.
func (l *rankings) addDetails(d *Details) {
	for _, linked := range d.Linked {
		if !l.allows(linked.Ask, linked.Key) {
			continue
		}
		e := l.sources[linked.Ask].entry(linked.Key)
		e.links += linked.Gain
		e.via = append(e.via, linked.Via...)
	}
	names, byName := map[string]bool{}, map[string][]string{}
	for _, t := range d.Titled {
		name := words.NameText(t.Name)
		names[name] = true
		byName[name] = append(byName[name], t.Key)
	}
	for _, t := range l.texts {
		seen := map[string]bool{}
		for _, name := range findTitles(t.text, names) {
			if seen[name] {
				continue
			}
			seen[name] = true
			for _, key := range byName[name] {
				if key != t.Key && l.allows(t.Ask, key) {
					e := l.sources[t.Ask].entry(key)
					e.links += 2 * t.Weight
					e.via = append(e.via, name)
				}
			}
		}
	}
}

// secondNames is the most names that a second search adds to a query.
const secondNames = 3

// secondAsks returns the asks of a second search in deep mode: each query with the names of the best nodes found for
// it, except names that the query contains.
func (p *plan) secondAsks(f *Found, l *rankings) []ask {
	if !p.deep {
		return nil
	}
	names := map[string]string{}
	for i := range f.Nodes {
		names[f.Nodes[i].Key] = f.Nodes[i].Name
	}
	for i := range f.Links {
		names[f.Links[i].Key] = f.Links[i].Name
	}
	var asks []ask
	for i, a := range p.asks {
		added := 0
		next := a
		next.text = a.text
		for _, key := range fuse(l.nodes[i:i+1], p.tuning).keys {
			words := words.Of(names[key])
			if added == secondNames || a.Match || containsAll(words, a.all) || len(words) == 0 {
				continue
			}
			added++
			next.text += " " + names[key]
		}
		if added > 0 {
			asks = append(asks, p.newAsk(next.text, a.threshold))
		}
	}
	return asks
}
