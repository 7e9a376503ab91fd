package graph

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"kith/vector"
)

// Search asks for all that words lead to. Every ask is a ranking of its own.
type Search struct {
	Asks          []Ask
	Messages      bool // by their text and that of the messages around them
	Sources       bool
	Nodes         []Kind // of these kinds, neither sources nor messages; none: no nodes
	Relationships bool
	Types         []string // of relationships; none: all
	Since, Until  *time.Time
	AsOf          *time.Time // relationships of a day; nil: the current ones
	Neighbours    bool       // messages by the words of those around them too
	Archived      bool       // also sources and nodes that were archived
	Links         bool       // what the first sources mention, and what else is said of that
	Vectors       []VectorsAfter
}

// VectorsAfter asks for the next vectors of a scope (a word of SearchScopes) after a number.
type VectorsAfter struct {
	Scope string
	After int64
}

// Ask is one query, or one text that should match names, keywords, tags and relationships.
type Ask struct {
	Words []string
	Names []string // of the words those that may be names
	Match bool     // a text to match: all of its words, of names also similar ones
}

// Bounds of what a search takes from each index and follows from there.
const (
	messageDepth      = 100
	sourceDepth       = 100
	nodeDepth         = 50
	relationshipDepth = 50
	firstSources      = 12  // of an ask, whose texts are read and whose mentions are followed
	seedMentions      = 100 // of a source
	linkDegree        = 100 // what more sources mention links nothing
	linkLimit         = 50  // sources to which further seeds lead
	VectorLimit       = 500 // of a scope in one search
	maxNames          = 10  // words that may be names of speakers
)

// Found is what words lead to; every list has the best of each ask first.
type Found struct {
	Messages      []FoundMessage
	Sources       []FoundSource
	Nodes         []FoundNode
	Relationships []FoundRelationship
	Texts         []SourceText
	Links         []Link
	Vectors       []FoundVectors // none where none were asked for
	Waiting       bool           // some texts of the team have no vector yet
	OtherModel    bool           // the vectors are of another model than that of the store's embedder
}

// FoundVectors are the next vectors of a scope after a number.
type FoundVectors struct {
	VectorsAfter
	Rows []vector.Row
	More bool // there may be others after them
}

// Hit is the place of something in the ranking of an ask. Scores of one index can be compared (BM25).
type Hit struct {
	Ask   int
	Score float64
	Key   string // entity key
}

// FoundMessage is a message that has the words.
type FoundMessage struct {
	Hit
	Source string // entity key
	Name   string // who spoke
}

// FoundSource is a source that has the words in what is said of it; its messages are found by themselves.
type FoundSource struct {
	Hit
	Name string
}

// SourceText is the beginning of what is said of one of the first sources.
type SourceText struct{ Key, Name, Text string }

// FoundNode is a node of another kind that has the words.
type FoundNode struct {
	Hit
	Kind                Kind
	Name, CanonicalName string
}

// FoundRelationship is a relationship that has the words; Key is its own.
type FoundRelationship struct {
	Hit
	FromName, ToName string
	RelationshipView
}

// Link is a node that is mentioned by the first sources, or found by its own words, with all sources that mention it.
type Link struct {
	Kind      Kind
	Key, Name string
	Degree    int64    // sources that mention it
	Seeds     []string // those of the first sources that mention it
	Sources   []LinkedSource
}

// LinkedSource is a source that mentions a node, perhaps one that is named like it (NameKey).
type LinkedSource struct {
	Key   string
	Named bool
}

// Fields by which things are found. What a field counts is in docs/recall.md, with what it was measured by.
var (
	messageFields = []wordField{{name: "text", boost: 1}, {name: "near", boost: 1}}
	sourceFields  = []wordField{{"summary", 1, false}, {"name", 0.75, true}, {"description", 1, false}, {"keywords", 0.75, true}, {"tags", 0.75, true}}
	wordsOfNodes  = []wordField{
		{"name", 2, true}, {"canonical_name", 1, true}, {"description", 1, false}, {"type", 0.5, false}, {"tags", 0.5, false}, {"notes", 0.5, false},
		{"text", 1, false}, {"content", 0.5, false}, {"goal", 0.5, false}, {"outcome", 0.5, false}, {"rationale", 0.5, false},
		{"next_step_short", 0.5, false}, {"next_step_long", 0.5, false},
	}
	relationshipFields = []wordField{{"description", 1, false}, {"relationship_type", 1, true}, {"notes", 0.5, false}}
)

// Search finds what words lead to, in one round trip.
func (s *Store) Search(ctx context.Context, scope Scope, q Search) (Found, error) {
	row, err := s.readOne(ctx, "search", q.params(scope))
	if errors.Is(err, errProcedure) && q.Relationships { // the index of relationships may be missing, or not be done yet
		if err := s.indexOtherTypes(ctx); err != nil {
			return Found{}, err
		}
		if err := s.awaitIndexes(ctx); err != nil {
			return Found{}, err
		}
		row, err = s.readOne(ctx, "search", q.params(scope))
	}
	if err != nil {
		return Found{}, err
	}
	found := foundFrom(row, s.now())
	if len(q.Vectors) > 0 {
		found.Waiting = truth(row.Values[9])
		found.OtherModel = row.Values[7] != nil && text(row.Values[7]) != s.options.Embedder.Model()
	}
	return found, nil
}

// warmSearch is the part of Warm that plans searches.
func (s *Store) warmSearch(ctx context.Context, nobody Scope) error {
	words := []string{"warm"}
	q := Search{
		Asks: []Ask{{Words: words, Names: words}}, Messages: true, Sources: true, Nodes: Kinds, Relationships: true, Links: true,
		Vectors: []VectorsAfter{{Scope: SearchScopes(nobody)[0]}},
	}
	if s.options.Embedder == nil {
		q.Vectors = nil
	}
	if _, err := s.Search(ctx, nobody, q); err != nil {
		return err
	}
	_, err := s.Details(ctx, nobody, Wanted{})
	return err
}

// foundVectors are new vectors of a scope, without those of models before the present one.
func foundVectors(l []any, base int64) FoundVectors {
	rows := vectorRows(items(l[2]))
	f := FoundVectors{VectorsAfter: VectorsAfter{text(l[0]), integer(l[1])}, More: len(rows) == VectorLimit}
	f.Rows = slices.DeleteFunc(rows, func(r vector.Row) bool { return r.Seq <= base })
	return f
}

func (q *Search) params(scope Scope) map[string]any {
	first := 0
	if q.Links {
		first = firstSources * len(q.Asks)
	}
	scopes := make([]map[string]any, len(q.Vectors))
	for i, v := range q.Vectors {
		scopes[i] = map[string]any{"token": v.Scope, "after": v.After}
	}
	said, other := scopeFilter(scope, nil, q.Since, q.Until), scopeFilter(scope, q.Nodes, nil, nil)
	linked := scopeFilter(scope, nil, nil, nil) + typeFilter(q.Types)
	return map[string]any{
		"team_id": scope.TeamID, "user_id": scope.user(),
		"message_asks": q.messageAsks(said), "message_limit": messageDepth, "neighbours": q.Neighbours, "archived": q.Archived, "nothing": nothing,
		"source_queries": q.queries(q.Sources, said, sourceFields), "source_limit": sourceDepth,
		"node_queries": q.queries(len(q.Nodes) > 0, other, wordsOfNodes), "node_limit": nodeDepth,
		"relationship_queries": q.queries(q.Relationships, linked, relationshipFields), "relationship_limit": relationshipDepth,
		"since": utc(q.Since), "until": utc(q.Until), "as_of": utc(q.AsOf),
		"scopes": scopes, "vector_limit": VectorLimit,
		"first_limit": first, "mention_limit": seedMentions, "degree_limit": linkDegree,
	}
}

// utc is a time as a parameter; null where there is none.
func utc(t *time.Time) any {
	if t == nil {
		return nil
	}
	return t.UTC()
}

// messageAsks are the asks for messages, whose queries the statement completes: it knows who speaks.
func (q *Search) messageAsks(filter string) []map[string]any {
	asks := []map[string]any{}
	if !q.Messages {
		return asks
	}
	for _, a := range q.Asks {
		ask := map[string]any{"filter": filter, "words": spelled(a.Words), "names": []string{}, "query": nil}
		switch {
		case a.Match || len(a.Words) == 0:
			ask["query"] = matchQuery(filter, messageFields, a.Words)
		default:
			names := []string{}
			for _, name := range a.Names[:min(len(a.Names), maxNames)] {
				names = append(names, filter+" +name:("+syntax.Replace(name)+")")
			}
			ask["names"] = names
		}
		asks = append(asks, ask)
	}
	return asks
}

// queries are those of all asks for one index; none where it is not wanted.
func (q *Search) queries(wanted bool, filter string, fields []wordField) []string {
	queries := []string{}
	for _, a := range q.Asks {
		switch {
		case !wanted:
		case a.Match:
			queries = append(queries, matchQuery(filter, fields, a.Words))
		default:
			queries = append(queries, wordQuery(filter, fields, a.Words))
		}
	}
	return queries
}

func foundFrom(row *neo4j.Record, now time.Time) Found {
	var f Found
	each := func(column int, read func(l []any)) {
		for _, v := range items(row.Values[column]) {
			read(items(v))
		}
	}
	each(0, func(l []any) {
		f.Messages = append(f.Messages, FoundMessage{hit(l), text(l[3]), text(l[4])})
	})
	each(1, func(l []any) { f.Sources = append(f.Sources, FoundSource{hit(l), text(l[3])}) })
	each(2, func(l []any) {
		f.Nodes = append(f.Nodes, FoundNode{
			Hit: Hit{int(integer(l[0])), number(l[1]), text(l[3])}, Kind: kindFrom(l[2]),
			Name: text(l[4]), CanonicalName: text(l[5]),
		})
	})
	each(3, func(l []any) {
		view := relationshipView(text(l[2]), text(l[4]), text(l[5]), pairsFrom(l[7]), now)
		f.Relationships = append(f.Relationships, FoundRelationship{
			Hit: Hit{int(integer(l[0])), number(l[1]), view.Key}, FromName: text(l[3]), ToName: text(l[6]), RelationshipView: view,
		})
	})
	each(4, func(l []any) { f.Texts = append(f.Texts, SourceText{text(l[0]), text(l[1]), text(l[2])}) })
	each(5, func(l []any) {
		link := Link{Kind: kindFrom(l[0]), Key: text(l[1]), Name: text(l[2]), Degree: integer(l[3]), Seeds: texts(l[4])}
		for _, other := range items(l[5]) {
			o := items(other)
			link.Sources = append(link.Sources, LinkedSource{text(o[0]), truth(o[1])})
		}
		f.Links = append(f.Links, link)
	})
	each(6, func(l []any) { f.Vectors = append(f.Vectors, foundVectors(l, integer(row.Values[8]))) })
	return f
}

func hit(l []any) Hit { return Hit{int(integer(l[0])), number(l[1]), text(l[2])} }
