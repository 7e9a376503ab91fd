package explore

import (
	"time"

	"kith/graph"
	"kith/graph/neo"
	"kith/graph/trust"
	"kith/internal/vector"
)

// Found is the result of a search; every list has the best of each ask first.
type Found struct {
	Messages      []FoundMessage
	Sources       []FoundSource
	Nodes         []FoundNode
	Relationships []FoundRelationship
	Texts         []SourceText
	Links         []Link
	Timed         []TimedSource
	Vectors       []FoundVectors // empty unless requested
	Doubted       int64          // messages with too little trust that have the words, at most 100
	Waiting       bool           // some texts of the team have no vector yet
	OtherModel    bool           // the vectors are of another model than the store's embedder
}

// FoundVectors has the next vectors of a scope after a number.
type FoundVectors struct {
	VectorsAfter
	Rows []vector.Row
	More bool // there may be more after them
}

// Hit is the rank of a result in an ask. Scores of one index can be compared (BM25 over what the caller may see).
type Hit struct {
	Ask   int
	Score float64
	Key   string  // entity key
	Cover float64 // share of the words of the ask that it has, by their rarity
}

// FoundMessage is a message that contains the words, or was said at the time.
type FoundMessage struct {
	Hit
	Source string // entity key
	Name   string // the speaker
	Role   string // user, assistant …
	Timed  bool   // said at a time of the ask

	length int // bytes of the text, or of its beginning
}

// FoundSource is a source whose own texts contain the words; its messages are found separately.
type FoundSource struct {
	Hit
	Name string
}

// TimedSource is a source at a time of an ask.
type TimedSource struct {
	Ask int
	Key string
}

// SourceText is the beginning of the text of one of the first sources, in the order of search.
type SourceText struct{ Key, Name, Text string }

// FoundNode is a node of another kind that contains the words.
type FoundNode struct {
	Hit
	Kind                graph.Kind
	Name, CanonicalName string
	Aliases             []string
}

// FoundRelationship is a relationship that contains the words, with what an answer shows of it; Key is its key.
type FoundRelationship struct {
	Hit
	FromName, ToName string
	Ends             trust.Told // of the less believed end
	graph.RelationshipView
}

// found returns the results of a search, the best of each ask first.
func (r *searchRow) found(asks *searchAsks, now time.Time) Found {
	f := Found{Texts: r.Texts, Timed: r.Timed, Doubted: r.Doubted}
	for _, s := range scored(asks.messages, r.Messages, r.Counts, r.Speakers) {
		m := s.match
		f.Messages = append(f.Messages, FoundMessage{
			Hit: s.weighed(trust.Told{Trust: m.Trust}), Source: m.Source, Name: m.Name, Role: m.Role, Timed: m.Timed, length: len(neo.Text(m.Values[0])),
		})
	}
	for _, s := range scored(asks.sources, r.Sources, r.Counts, nil) {
		f.Sources = append(f.Sources, FoundSource{s.weighed(trust.Told{Trust: s.match.Trust}), neo.Text(s.match.Values[1])})
	}
	for _, s := range scored(asks.nodes, r.Nodes, r.Counts, nil) {
		values := s.match.Values
		f.Nodes = append(f.Nodes, FoundNode{
			Hit: s.weighed(trust.Told{Trust: s.match.Trust}), Kind: graph.KindOfLabel(s.match.Label), Name: neo.Text(values[0]), CanonicalName: neo.Text(values[1]), Aliases: neo.Texts(values[2]),
		})
	}
	for _, s := range scored(asks.relationships, r.Relationships, r.Counts, nil) {
		l := s.match
		view := graph.NewRelationshipView(l.From, l.Type, l.To, graph.NamedProperties(relationshipNames, l.Values), now)
		view.Key = l.Key
		f.Relationships = append(f.Relationships, FoundRelationship{
			Hit: s.weighed(trust.Told{Trust: view.Trust}), FromName: l.FromName, ToName: l.ToName, Ends: l.Ends, RelationshipView: view,
		})
	}
	f.weighRoles(len(asks.messages))
	f.addSaid(r.Said)
	for _, l := range r.Links {
		f.Links = append(f.Links, Link{
			Kind: l.Labels.Kind(), Key: l.Key, Name: l.Name, Aliases: l.Aliases, Degree: l.Degree, Newest: l.Degree > linkDegree, Seeds: l.Seeds, Sources: l.sources(),
		})
	}
	for i := range r.Vectors {
		f.Vectors = append(f.Vectors, r.Vectors[i].found(r.Base))
	}
	return f
}

// Link is a node that the first sources mention, or that the search found, with all sources that mention it.
type Link struct {
	Kind      graph.Kind
	Key, Name string
	Aliases   []string
	Degree    int64    // sources that mention it
	Newest    bool     // too many to be a link: only the newest are listed
	Seeds     []string // the first sources that mention it
	Sources   []LinkedSource
}

// LinkedSource is a source that mentions a node, or a node with the same name (NameKey), in the order of search.
type LinkedSource struct {
	Key   string
	Named bool
	At    time.Time // when it began
}
