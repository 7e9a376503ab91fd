package explore

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"kith/graph"
	"kith/graph/trust"
	"kith/text/injection"
)

// Bounds of what an answer shows.
const (
	previewSources = 5  // of a storyline
	previewsShown  = 10 // of all storylines
	notesShown     = 10
	noteLength     = 500   // characters
	notesLength    = 5_000 // of all notes of a hit
	snippetLength  = 1_000 // of a message of a source
	messageLength  = 4_000 // of a message in a list of its own
)

// assembly builds an answer from the hits.
type assembly struct {
	*plan
	meaning Meaning
	found   *Found
	best    *fusedRankings
	details *Details
	weighed map[string]bool // keys of hits that the search has weighed by their trust
	doubted int64           // hits left out for their trust
}

// sortByScore sorts hits, the best first, and returns at most limit of them.
func sortByScore[T any](hits []T, score func(*T) float64, key func(*T) string, limit int) []T {
	slices.SortStableFunc(hits, func(a, b T) int {
		return cmp.Or(cmp.Compare(score(&b), score(&a)), cmp.Compare(key(&a), key(&b)))
	})
	return hits[:min(limit, len(hits))]
}

// noteWeighed notes which hits the search has weighed by their trust.
func (a *assembly) noteWeighed() {
	a.weighed = map[string]bool{}
	for i := range a.found.Messages {
		a.weighed[a.found.Messages[i].Key], a.weighed[a.found.Messages[i].Source] = true, true
	}
	for i := range a.found.Sources {
		a.weighed[a.found.Sources[i].Key] = true
	}
	for i := range a.found.Nodes {
		a.weighed[a.found.Nodes[i].Key] = true
	}
	for i := range a.found.Relationships {
		a.weighed[a.found.Relationships[i].Hit.Key] = true
	}
}

// isDoubted reports whether a hit is left out because its trust is below the bound of the request, and counts it.
func (a *assembly) isDoubted(told trust.Told) bool {
	doubted := told.Believed() < a.leastTrust()
	if doubted {
		a.doubted++
	}
	return doubted
}

func (a *assembly) result() *Result {
	a.noteWeighed()
	a.doubted = a.found.Doubted
	r := &Result{Meta: Meta{Granularity: a.granularity, Mode: Fast, Semantic: a.meaning, Times: []UnderstoodTime{}}}
	if a.deep {
		r.Meta.Mode = Deep
	}
	for _, ask := range a.used {
		r.Meta.QueryUsed = append(r.Meta.QueryUsed, ask.text)
	}
	for _, ask := range a.asks {
		r.Meta.Times = append(r.Meta.Times, ask.understood...)
	}
	r.Meta.Confidence = rounded(a.confidence())
	r.Meta.Enough = r.Meta.Confidence >= enough
	nodes := a.nodes()
	r.Semantic = a.semantic(nodes)
	r.Episodic = Episodic{Sources: []SourceHit{}, Messages: []MessageHit{}, Artifacts: a.artifacts(nodes)}
	if a.messages {
		r.Episodic.Messages = a.messageHits()
	}
	sources := a.sourceHits()
	r.Episodic.Storylines, r.Episodic.Macros = a.stories(sources, nodes)
	if a.shown {
		r.Episodic.Sources = sources[:min(a.limit, len(sources))]
	}
	r.Meta.Distrusted = min(a.doubted, doubtedLimit)
	return r
}

// isHidden reports whether things in a state are omitted.
func (p *plan) isHidden(state string) bool { return state == "archived" && !p.IncludeArchived }

// lacksHits reports whether so many of the hits that were read are left out that others should take their places, and there are others.
func (a *assembly) lacksHits(w *Wanted) bool {
	read := a.limit + a.spare
	messages, sources, nodes := 0, 0, 0
	for i := range a.details.Messages {
		if m := &a.details.Messages[i]; !a.isHidden(m.SourceState) && m.Told.Believed() >= a.leastTrust() {
			messages++
		}
	}
	for i := range a.details.Sources {
		if s := &a.details.Sources[i]; !a.isHidden(s.State) && s.Believed() >= a.leastTrust() {
			sources++
		}
	}
	for i := range a.details.Nodes {
		if n := &a.details.Nodes[i]; a.shows(n) && n.Told().Believed() >= a.leastTrust() {
			nodes++
		}
	}
	return a.messages && messages < a.limit && len(a.best.messages.keys) > read ||
		a.sources && sources < a.limit && len(a.best.sources.keys) > read ||
		nodes < a.limit && len(w.Nodes) == a.nodesRead()
}

// shows reports whether the answer can have a node, whatever its trust and relevance.
func (a *assembly) shows(n *graph.NodeView) bool {
	kind, _ := graph.KindOf(n.Kind)
	return a.wantsKind(kind) && !a.isHidden(n.State) && a.selects(n) &&
		(a.since == nil || !n.UpdatedAt.Before(*a.since)) && (a.until == nil || !n.CreatedAt.After(*a.until))
}

// node is a node that was found, with its score.
type node struct {
	*graph.NodeView
	kind graph.Kind
	Scored
}

// nodes returns the nodes found, the best first.
func (a *assembly) nodes() []node {
	var all []node
	for i := range a.details.Nodes {
		n := &a.details.Nodes[i]
		if !a.shows(n) || a.isWeak(n.EntityKey) {
			continue
		}
		if told := n.Told(); !a.isDoubted(told) {
			kind, _ := graph.KindOf(n.Kind)
			all = append(all, node{n, kind, a.score(&a.best.nodes, n.EntityKey, told, n.UpdatedAt, n.Salience)})
		}
	}
	return sortByScore(all, func(n *node) float64 { return n.RelevanceScore }, func(n *node) string { return n.EntityKey }, a.limit)
}

func (a *assembly) semantic(nodes []node) Semantic {
	s := Semantic{
		People: []NodeHit{}, Concepts: []NodeHit{}, Entities: []NodeHit{}, Others: []NodeHit{}, Relationships: []RelationshipHit{}, Neighbours: []Neighbour{},
	}
	for _, n := range nodes {
		hit := NodeHit{
			EntityKey: n.EntityKey, NodeType: n.kind.Label, Name: n.Name, Description: n.Description, NotesSnippets: noteSnippets(n.Notes, n.Description),
			Salience: n.Salience, State: n.State, LastAccessedAt: n.LastAccessedAt, Scored: n.Scored,
		}
		for _, note := range n.Notes[:min(len(n.Notes), notesShown)] {
			hit.Noted = hit.Noted.Least(note.Told)
		}
		if n.kind == graph.ItemKind {
			hit.Namespace, hit.CreatedAt, hit.UpdatedAt = n.Namespace.Value, &n.CreatedAt, &n.UpdatedAt
			if slices.Contains(a.Kinds, n.Kind) {
				hit.Value = n.Value.Value
			}
		}
		if a.granularity > 1 {
			hit.Anchors = a.storiesAbout(n.EntityKey)
		}
		switch n.kind.Name {
		case "person":
			s.People = append(s.People, hit)
		case "concept":
			s.Concepts = append(s.Concepts, hit)
		case "entity":
			s.Entities = append(s.Entities, hit)
		case "document", "output":
		default:
			s.Others = append(s.Others, hit)
		}
	}
	if a.relationships {
		s.Relationships = a.relationshipHits()
	}
	s.Neighbours = a.neighbours(nodes)
	return s
}

// storiesAbout returns the storylines about a node.
func (a *assembly) storiesAbout(key string) []graph.NodeRef {
	var refs []graph.NodeRef
	for _, t := range a.details.Storylines {
		if t.Anchor != nil && t.Anchor.EntityKey == key {
			refs = append(refs, graph.NodeRef{EntityKey: t.EntityKey, Kind: "storyline", Name: t.Name})
		}
	}
	return refs
}

// relationshipHits returns the relationships found by words, and the strongest ones of the best nodes.
func (a *assembly) relationshipHits() []RelationshipHit {
	f := fused{relevance: map[string]float64{}, best: map[string]explained{}}
	views, hits := map[string]*graph.RelationshipView{}, []RelationshipHit{}
	filter := a.filter()
	add := func(v *graph.RelationshipView, from, to string, ends trust.Told, p parts) {
		if !filter.Lets(v) || a.isHidden(v.State) || views[v.Key] == nil && a.isDoubted(v.Told()) {
			return
		}
		if views[v.Key] == nil {
			views[v.Key] = v
			hits = append(hits, relationshipHit(v, from, to, ends))
		}
		if relevance := max(p.words, p.links); relevance >= f.relevance[v.Key] {
			f.relevance[v.Key], f.best[v.Key] = relevance, explained{p, &evidence{}}
		}
	}
	top := 0.0
	for i := range a.found.Relationships {
		top = max(top, a.found.Relationships[i].Score)
	}
	for i := range a.found.Relationships {
		r := &a.found.Relationships[i]
		add(&r.RelationshipView, r.FromName, r.ToName, r.Ends, parts{words: ratio(r.Score, top)})
	}
	for i := range a.details.Around {
		s := &a.details.Around[i]
		for l := range s.Links {
			v := &s.Links[l]
			from, to := s.Node.Name, v.Node.Name
			if v.Direction == "incoming" {
				from, to = to, from
			}
			add(v, from, to, s.Node.Told.Least(v.Node.Told), parts{links: linkedRelevance * a.best.nodes.relevance[s.Node.EntityKey] * v.Salience})
		}
	}
	f.keys = keysByScore(f.relevance)
	for i := range hits {
		v, at := views[hits[i].Key], a.now
		if v.RecordedAt != nil {
			at = *v.RecordedAt
		}
		hits[i].Scored = a.score(&f, v.Key, v.Told(), at, v.Salience)
	}
	return sortByScore(hits, func(h *RelationshipHit) float64 { return h.RelevanceScore }, func(h *RelationshipHit) string { return h.Key }, 2*a.limit)
}

func relationshipHit(v *graph.RelationshipView, from, to string, ends trust.Told) RelationshipHit {
	return RelationshipHit{
		Key: v.Key, FromEntityKey: v.From, FromName: from, ToEntityKey: v.To, ToName: to, RelationshipKind: v.Type,
		RelationshipType: v.RelationshipType, Description: v.Description, Attitude: v.Attitude, Proximity: v.Proximity,
		NotesSnippets: noteSnippets(v.Notes, v.Description), Salience: v.Salience, State: v.State, Ends: ends,
	}
}

// linkedRelevance is the share of its node's relevance that a relationship gets, at a salience of 1. It is below that
// of a relationship that contains the words itself.
const linkedRelevance = 0.5

// neighbours returns nodes linked to those found, by the strongest relationships.
func (a *assembly) neighbours(nodes []node) []Neighbour {
	all := []Neighbour{}
	seen := map[string]bool{}
	for _, n := range nodes {
		seen[n.EntityKey] = true
	}
	type linked struct {
		Neighbour
		salience float64
	}
	var some []linked
	for i := range a.details.Around {
		s := &a.details.Around[i]
		for l := range s.Links {
			v := &s.Links[l]
			if kind, _ := graph.KindOf(v.Node.Kind); !seen[v.Node.EntityKey] {
				seen[v.Node.EntityKey] = true
				some = append(some, linked{Neighbour{v.Node.EntityKey, kind.Label, v.Node.Name, s.Others[l].Description, s.Others[l].Told}, v.Salience})
			}
		}
	}
	for _, l := range sortByScore(some, func(l *linked) float64 { return l.salience }, func(l *linked) string { return l.EntityKey }, a.Expand) {
		all = append(all, l.Neighbour)
	}
	return all
}

func (a *assembly) artifacts(nodes []node) []ArtifactHit {
	hits := []ArtifactHit{}
	for _, n := range nodes {
		if n.kind.Name != "document" && n.kind.Name != "output" {
			continue
		}
		hit := ArtifactHit{
			EntityKey: n.EntityKey, Name: n.Name, Description: n.Description, ContentType: n.kind.Name, CreatedAt: n.CreatedAt,
			RelatedNodes: []graph.NodeRef{}, Scored: n.Scored,
		}
		for i := range a.details.Around {
			if s := &a.details.Around[i]; s.Node.EntityKey == n.EntityKey {
				for _, v := range s.Links[:min(len(s.Links), spareHits)] {
					hit.RelatedNodes = append(hit.RelatedNodes, *v.Node)
				}
			}
		}
		hits = append(hits, hit)
	}
	return hits
}

func (a *assembly) messageHit(m *SaidMessage, length int) MessageHit {
	s := a.score(&a.best.messages, m.EntityKey, m.Told, m.At, neutralSalience)
	hit := MessageHit{
		EntityKey: m.EntityKey, SourceKey: m.Source, Seq: m.Seq, Role: m.Role, Name: m.Name, Text: excerpt(m.Text, a.asks, length), At: m.At,
		Score: s.RelevanceScore, Told: s.Told, Explanation: s.Explanation,
	}
	return hit
}

// explainMarks adds to the explanations of messages what in them looks like an instruction to the agent.
func (a *assembly) explainMarks(ctx context.Context, r *Result) error {
	if !a.ReturnExplanations {
		return nil
	}
	texts := map[string]string{}
	for i := range a.details.Messages {
		texts[a.details.Messages[i].EntityKey] = a.details.Messages[i].Text
	}
	hits := [][]MessageHit{r.Episodic.Messages}
	for i := range r.Episodic.Sources {
		hits = append(hits, r.Episodic.Sources[i].Messages)
	}
	for _, hit := range slices.Concat(hits...) {
		if hit.Explanation == nil {
			continue
		}
		marks, err := injection.Marks(ctx, texts[hit.EntityKey])
		if err != nil {
			return fmt.Errorf("explain: %w", err)
		}
		var kinds []string
		for _, mark := range marks {
			kinds = append(kinds, string(mark.Kind))
		}
		hit.Explanation.Marks = distinct(kinds)
	}
	return nil
}

// neutralSalience is the salience of messages, which have none.
const neutralSalience = 0.5

func (a *assembly) messageHits() []MessageHit {
	hits := []MessageHit{}
	for i := range a.details.Messages {
		if m := &a.details.Messages[i]; a.best.messages.relevance[m.EntityKey] > 0 && !a.isHidden(m.SourceState) && !a.isDoubted(m.Told) {
			hits = append(hits, a.messageHit(m, messageLength))
		}
	}
	return sortByScore(hits, func(m *MessageHit) float64 { return m.Score }, func(m *MessageHit) string { return m.EntityKey }, a.limit)
}

// sourceHits returns all sources read, the best first.
func (a *assembly) sourceHits() []SourceHit {
	hits := []SourceHit{}
	for i := range a.details.Sources {
		s := &a.details.Sources[i]
		if a.best.sources.relevance[s.EntityKey] == 0 || a.isHidden(s.State) { // read as a candidate for a name that it does not have
			continue
		}
		if a.isDoubted(s.Told) {
			continue
		}
		hit := SourceHit{
			EntityKey: s.EntityKey, Name: s.Name, Summary: s.Summary, ContentType: s.ContentType, SourceType: s.SourceType,
			StartedAt: s.StartedAt, EndedAt: s.EndedAt, MentionedNodes: s.Mentions, Messages: []MessageHit{},
			Scored: a.score(&a.best.sources, s.EntityKey, s.Told, s.StartedAt, s.Salience),
		}
		if s.ContextType != nil {
			hit.ContextType = *s.ContextType
		}
		if s.UserID != nil && *s.UserID != a.scope.UserID {
			hit.UserID = *s.UserID
		}
		for m := range a.details.Messages {
			if said := &a.details.Messages[m]; said.Source == s.EntityKey && said.Told.Believed() >= a.leastTrust() {
				hit.Messages = append(hit.Messages, a.messageHit(said, snippetLength))
			}
		}
		hit.Messages = sortByScore(hit.Messages, func(m *MessageHit) float64 { return m.Score }, func(m *MessageHit) string { return m.EntityKey }, snippetsShown)
		for _, t := range a.details.Storylines {
			if slices.Contains(t.SourceKeys, s.EntityKey) {
				hit.StorylineRefs = append(hit.StorylineRefs, t.EntityKey)
				for _, macro := range t.Macros {
					if !slices.Contains(hit.MacroRefs, macro) {
						hit.MacroRefs = append(hit.MacroRefs, macro)
					}
				}
			}
		}
		hits = append(hits, hit)
	}
	return sortByScore(hits, func(s *SourceHit) float64 { return s.RelevanceScore }, func(s *SourceHit) string { return s.EntityKey }, len(hits))
}

// recall returns the nodes and relationships of the answer, which count as recalled.
func (a *assembly) recall(r *Result) graph.Recall {
	var recall graph.Recall
	for _, list := range [][]NodeHit{r.Semantic.People, r.Semantic.Concepts, r.Semantic.Entities, r.Semantic.Others} {
		for i := range list {
			recall.Nodes = append(recall.Nodes, list[i].EntityKey)
		}
	}
	for i := range r.Episodic.Artifacts {
		recall.Nodes = append(recall.Nodes, r.Episodic.Artifacts[i].EntityKey)
	}
	for i := range r.Episodic.Sources {
		recall.Nodes = append(recall.Nodes, r.Episodic.Sources[i].EntityKey)
	}
	for i := range r.Episodic.Storylines {
		recall.Nodes = append(recall.Nodes, r.Episodic.Storylines[i].StorylineID)
	}
	for i := range r.Episodic.Macros {
		recall.Nodes = append(recall.Nodes, r.Episodic.Macros[i].MacroID)
	}
	for i := range r.Semantic.Relationships {
		h := &r.Semantic.Relationships[i]
		recall.Relationships = append(recall.Relationships, graph.RelationshipRef{From: h.FromEntityKey, Type: h.RelationshipKind, To: h.ToEntityKey, Key: h.Key})
	}
	return recall
}
