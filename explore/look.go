package explore

import (
	"maps"
	"slices"

	"kith/graph"
)

// look is what was found for some asks: the rankings of each, and what is still to be followed from them.
type look struct {
	messages, sources, nodes []ranking
	seeds                    []graph.Seed // that the search has not followed
	texts                    []seedText
	titles                   []string            // that may be names of sources
	said                     map[string][]string // the messages found of each source
}

// seedText is the text of a seed whose names are to be looked up.
type seedText struct {
	graph.Seed
	text string
}

// best are the rankings of each sort, fused.
type best struct{ messages, sources, nodes fused }

func (l *look) fuse(w *tuning) best {
	return best{fuse(l.messages, w), fuse(l.sources, w), fuse(l.nodes, w)}
}

// with adds a second look, whose asks come after those of the first.
func (l *look) with(second *look) *look {
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
	return &look{
		append(l.messages, second.messages...), append(l.sources, second.sources...), append(l.nodes, second.nodes...),
		append(l.seeds, second.seeds...), append(l.texts, second.texts...), append(l.titles, second.titles...), l.said,
	}
}

// look ranks what was found for some asks.
func (p *plan) look(f *graph.Found, asks []ask, units [][]float32, near []nearest, m *meaning) *look {
	l := &look{said: map[string][]string{}}
	for i := range f.Messages {
		l.said[f.Messages[i].Source] = append(l.said[f.Messages[i].Source], f.Messages[i].Key)
	}
	texts := map[string]graph.SourceText{}
	named := false
	for _, t := range f.Texts {
		texts[t.Key] = t
		named = named || t.Name != ""
	}
	for i := range asks {
		a := &asks[i]
		messages, sources, nodes := rankMessages(f, i, a, p.tuning.speaker), rankSources(f, i), rankNodes(f, i, a)
		var said *sense
		weight := 0.0
		if p.messages || p.sources {
			said = m.sense(near[i].messages, units[i], slices.Collect(maps.Keys(messages)))
			told := m.sense(near[i].sources, units[i], slices.Collect(maps.Keys(sources))).toSources(said, f.Messages, i)
			said.add(messages, a.threshold, p.tuning)
			weight = told.add(sources, a.threshold, p.tuning)
		}
		m.sense(near[i].nodes, units[i], slices.Collect(maps.Keys(nodes))).add(nodes, a.threshold, p.tuning)
		if a.Match && p.uses(byLinks) {
			p.mention(f, sources, nodes)
		}
		if !a.Match && p.uses(byLinks) {
			seeds := sources.seeds(i, p.tuning)
			spread(f, seeds, a, sources, nodes)
			for _, s := range seeds {
				t, known := texts[s.Key]
				if !known {
					l.seeds = append(l.seeds, s)
				}
				if known && named && len(l.titles) < titleLimit { // else no source has a name
					l.texts = append(l.texts, seedText{s, t.Text})
					l.titles = append(l.titles, titles(t.Text)...)
				}
			}
		}
		if said != nil {
			for _, h := range said.speak(near[i].messages.Hits, messages, sources, weight, a.threshold) {
				l.said[h.Parent] = append(l.said[h.Parent], h.Key)
			}
		}
		l.messages, l.sources, l.nodes = append(l.messages, messages), append(l.sources, sources), append(l.nodes, nodes)
	}
	return l
}

// complete adds what the details tell: the sources to which seeds lead, and those whose name is in the text of one.
func (l *look) complete(d *graph.Details) {
	for _, linked := range d.Linked {
		e := l.sources[linked.Ask].of(linked.Key)
		e.links += linked.Gain
		e.via = append(e.via, linked.Via...)
	}
	names, byName := map[string]bool{}, map[string][]string{}
	for _, t := range d.Titled {
		name := graph.NameText(t.Name)
		names[name] = true
		byName[name] = append(byName[name], t.Key)
	}
	for _, t := range l.texts {
		seen := map[string]bool{}
		for _, name := range naming(t.text, names) {
			if seen[name] {
				continue
			}
			seen[name] = true
			for _, key := range byName[name] {
				if key != t.Key {
					e := l.sources[t.Ask].of(key)
					e.links += 2 * t.Weight
					e.via = append(e.via, name)
				}
			}
		}
	}
}

// secondNames is how many names of what was found a second look adds to a query.
const secondNames = 3

// second are the asks of a second look: each query with the names of the nodes that the first has found for it, but for
// those that it has.
func (p *plan) second(f *graph.Found, l *look) []ask {
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
			words := graph.Words(names[key])
			if added == secondNames || a.Match || within(words, a.all) || len(words) == 0 {
				continue
			}
			added++
			next.text += " " + names[key]
		}
		if added > 0 {
			asks = append(asks, newAsk(next.text, a.threshold))
		}
	}
	return asks
}
