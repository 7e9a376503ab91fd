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
	linkDegree        = 100 // what more sources mention links nothing, and to what a text matches only the newest
	linkLimit         = 50  // sources to which further seeds lead
	VectorLimit       = 500 // of a scope in one search
	maxNames          = 10  // words that may be names of speakers
	nameLimit         = 25  // messages of which the speakers are looked at for each
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

// Hit is the place of something in the ranking of an ask. Scores of one index can be compared (BM25, with what the caller
// may see as all there is).
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
	Newest    bool     // they are too many to link anything: here are the newest
	Seeds     []string // those of the first sources that mention it
	Sources   []LinkedSource
}

// LinkedSource is a source that mentions a node, perhaps one that is named like it (NameKey).
type LinkedSource struct {
	Key   string
	Named bool
	At    time.Time // when it began
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
	asks := q.indexAsks(scope)
	params := q.params(scope, asks)
	row, err := s.readOne(ctx, "search", params)
	if errors.Is(err, errProcedure) && q.Relationships { // the index of relationships may be missing, or not be done yet
		if err := s.indexOtherTypes(ctx); err != nil {
			return Found{}, err
		}
		if err := s.awaitIndexes(ctx); err != nil {
			return Found{}, err
		}
		row, err = s.readOne(ctx, "search", params)
	}
	if err != nil {
		return Found{}, err
	}
	found := foundFrom(row, asks, s.now())
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

func (q *Search) params(scope Scope, asks *searchAsks) map[string]any {
	first := 0
	if q.Links {
		first = firstSources * len(q.Asks)
	}
	matches := []int64{}
	for i, a := range q.Asks {
		if a.Match {
			matches = append(matches, int64(i))
		}
	}
	scopes := make([]map[string]any, len(q.Vectors))
	for i, v := range q.Vectors {
		scopes[i] = map[string]any{"token": v.Scope, "after": v.After}
	}
	return map[string]any{
		"team_id": scope.TeamID, "user_id": scope.user(), "counted": asks.counted(), "count_limit": countLimit, "name_limit": nameLimit,
		"message_asks": q.messageAsks(asks.messages), "message_limit": messageDepth, "neighbours": q.Neighbours, "archived": q.Archived,
		"source_asks": askParams(asks.sources), "source_limit": sourceDepth,
		"node_asks": askParams(asks.nodes), "node_limit": nodeDepth,
		"relationship_asks": askParams(asks.relationships), "relationship_limit": relationshipDepth,
		"since": utc(q.Since), "until": utc(q.Until), "as_of": utc(q.AsOf),
		"scopes": scopes, "vector_limit": VectorLimit,
		"first_limit": first, "mention_limit": seedMentions, "degree_limit": linkDegree, "matches": matches,
	}
}

// searchAsks are the asks of a search as each index gets them; none where it is not wanted.
type searchAsks struct{ messages, sources, nodes, relationships []indexAsk }

func (q *Search) indexAsks(scope Scope) *searchAsks {
	all := &searchAsks{}
	said, other := scopeFilter(scope, q.Since, q.Until), scopeFilter(scope, nil, nil)
	kinds, types := kindFilter(q.Nodes), typeFilter(q.Types)
	fields := messageFields
	if !q.Neighbours {
		fields = messageFields[:1]
	}
	for _, a := range q.Asks {
		if q.Messages {
			all.messages = append(all.messages, newIndexAsk("message_words", said, "", fields, a))
		}
		if q.Sources {
			all.sources = append(all.sources, newIndexAsk("source_words", said, "", sourceFields, a))
		}
		if len(q.Nodes) > 0 {
			all.nodes = append(all.nodes, newIndexAsk("node_words", other, kinds, wordsOfNodes, a))
		}
		if q.Relationships {
			all.relationships = append(all.relationships, newIndexAsk("relationship_words", other, types, relationshipFields, a))
		}
	}
	return all
}

// counted are the indexes of nodes with what counts a memory in each, and the words of each ask: the largest tells how
// common a word is.
func (a *searchAsks) counted() []map[string]any {
	all := []map[string]any{}
	for _, asks := range [][]indexAsk{a.messages, a.sources, a.nodes} {
		counts := make([][]string, len(asks))
		for i, q := range asks {
			counts[i] = q.counts()
		}
		if len(asks) > 0 {
			all = append(all, map[string]any{"index": asks[0].index, "filter": asks[0].memory, "asks": counts})
		}
	}
	return all
}

func askParams(asks []indexAsk) []map[string]any {
	all := make([]map[string]any, len(asks))
	for i, a := range asks {
		all[i] = a.params()
	}
	return all
}

// utc is a time as a parameter; null where there is none.
func utc(t *time.Time) any {
	if t == nil {
		return nil
	}
	return t.UTC()
}

// messageAsks are the asks for messages, with queries for those who may speak.
func (q *Search) messageAsks(asks []indexAsk) []map[string]any {
	all := askParams(asks)
	for i, a := range asks {
		names := []string{}
		for _, name := range q.Asks[i].Names {
			if !a.match && len(names) < maxNames {
				names = append(names, a.filter+" +name:("+syntax.Replace(name)+")^0")
			}
		}
		all[i]["names"] = names
	}
	return all
}

func foundFrom(row *neo4j.Record, asks *searchAsks, now time.Time) Found {
	var f Found
	each := func(column int, read func(l []any)) {
		for _, v := range items(row.Values[column]) {
			read(items(v))
		}
	}
	counts := items(row.Values[10])
	var speakers [][]string
	for _, names := range items(row.Values[11]) {
		speakers = append(speakers, texts(names))
	}
	scored(asks.messages, items(row.Values[0]), counts, speakers, func(l []any, score float64) {
		f.Messages = append(f.Messages, FoundMessage{hit(l, score), text(l[2]), text(l[3])})
	})
	scored(asks.sources, items(row.Values[1]), counts, nil, func(l []any, score float64) {
		f.Sources = append(f.Sources, FoundSource{hit(l, score), text(l[2])})
	})
	scored(asks.nodes, items(row.Values[2]), counts, nil, func(l []any, score float64) {
		f.Nodes = append(f.Nodes, FoundNode{Hit: hit(l, score), Kind: kindFrom(l[2]), Name: text(l[3]), CanonicalName: text(l[4])})
	})
	scored(asks.relationships, items(row.Values[3]), counts, nil, func(l []any, score float64) {
		view := relationshipView(text(l[2]), text(l[4]), text(l[5]), pairsFrom(l[7]), now)
		f.Relationships = append(f.Relationships, FoundRelationship{Hit: hit(l, score), FromName: text(l[3]), ToName: text(l[6]), RelationshipView: view})
	})
	each(4, func(l []any) { f.Texts = append(f.Texts, SourceText{text(l[0]), text(l[1]), text(l[2])}) })
	each(5, func(l []any) {
		link := Link{Kind: kindFrom(l[0]), Key: text(l[1]), Name: text(l[2]), Degree: integer(l[3]), Newest: integer(l[3]) > linkDegree, Seeds: texts(l[4])}
		for _, other := range items(l[5]) {
			o := items(other)
			link.Sources = append(link.Sources, LinkedSource{text(o[0]), truth(o[1]), millis(o[2])})
		}
		f.Links = append(f.Links, link)
	})
	each(6, func(l []any) { f.Vectors = append(f.Vectors, foundVectors(l, integer(row.Values[8]))) })
	return f
}

func hit(l []any, score float64) Hit { return Hit{int(integer(l[0])), score, text(l[1])} }
