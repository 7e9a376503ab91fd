package graph

import (
	"context"
	"slices"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
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
	Links         bool       // what the first sources mention, and what else is said of that
}

// Ask is one query, or one text that should match names, keywords, tags and relationships.
type Ask struct {
	Words []string
	Match bool // a text to match: all of its words, of names also similar ones
}

// Bounds of what a search takes from each index and follows from there.
const (
	messageDepth      = 300
	sourceDepth       = 200
	nodeDepth         = 50
	relationshipDepth = 50
	linkSeeds         = 20 // sources
	seedMentions      = 30 // of a source, the least mentioned first
	linkSources       = 30 // of what is mentioned
)

// Found is what words lead to; every list has the best of each ask first.
type Found struct {
	Messages      []FoundMessage
	Sources       []FoundSource
	Nodes         []FoundNode
	Relationships []FoundRelationship
	Links         []Link
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
	Seq    int64
	Name   string // who spoke
	At     time.Time
}

// FoundSource is a source that has the words in what is said of it; its messages are found by themselves.
type FoundSource struct {
	Hit
	StartedAt time.Time
}

// FoundNode is a node of another kind that has the words.
type FoundNode struct {
	Hit
	Kind                Kind
	Name, CanonicalName string
	Sources             int64 // that mention it
}

// FoundRelationship is a relationship that has the words; Key is its own.
type FoundRelationship struct {
	Hit
	FromName, ToName string
	RelationshipView
}

// Link is a node to which the first sources lead, or that is found by its own words, with sources that mention it.
type Link struct {
	Kind    Kind
	Key     string
	Name    string
	Degree  int64    // sources that mention it
	Seeds   []string // those of the first sources that mention it
	Sources []FoundSource
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
	if err != nil {
		return Found{}, err
	}
	return foundFrom(row, s.now()), nil
}

func (q *Search) params(scope Scope) map[string]any {
	moment := func(t *time.Time) any {
		if t == nil {
			return nil
		}
		return t.UTC()
	}
	seeds := 0
	if q.Links {
		seeds = linkSeeds
	}
	said, other := scopeFilter(scope, nil, q.Since, q.Until), scopeFilter(scope, q.Nodes, nil, nil)
	linked := scopeFilter(scope, nil, nil, nil) + typeFilter(q.Types)
	return map[string]any{
		"team_id": scope.TeamID, "user_id": scope.user(),
		"message_queries": q.queries(q.Messages, said, messageFields), "message_limit": messageDepth,
		"source_queries": q.queries(q.Sources, said, sourceFields), "source_limit": sourceDepth,
		"node_queries": q.queries(len(q.Nodes) > 0, other, wordsOfNodes), "node_limit": nodeDepth,
		"relationship_queries": q.queries(q.Relationships, linked, relationshipFields), "relationship_limit": relationshipDepth,
		"known_types": slices.Concat(Vocabulary, plainTypes), "type_pattern": typePattern.String(),
		"since": moment(q.Since), "until": moment(q.Until), "as_of": moment(q.AsOf),
		"seeds": seeds, "seed_mentions": seedMentions, "link_sources": linkSources,
	}
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
	for _, v := range items(row.Values[0]) {
		l := items(v)
		f.Messages = append(f.Messages, FoundMessage{hit(l), text(l[3]), integer(l[4]), text(l[5]), millis(l[6])})
	}
	for _, v := range items(row.Values[1]) {
		l := items(v)
		f.Sources = append(f.Sources, FoundSource{hit(l), millis(l[3])})
	}
	for _, v := range items(row.Values[2]) {
		l := items(v)
		f.Nodes = append(f.Nodes, FoundNode{
			Hit: Hit{int(integer(l[0])), number(l[1]), text(l[3])}, Kind: kindOfLabel(kindLabel(texts(l[2]))),
			Name: text(l[4]), CanonicalName: text(l[5]), Sources: integer(l[6]),
		})
	}
	for _, v := range items(row.Values[3]) {
		l := items(v)
		view := relationshipView(text(l[2]), text(l[4]), text(l[5]), pairsFrom(l[7]), now)
		f.Relationships = append(f.Relationships, FoundRelationship{
			Hit: Hit{int(integer(l[0])), number(l[1]), view.Key}, FromName: text(l[3]), ToName: text(l[6]), RelationshipView: view,
		})
	}
	for _, v := range items(row.Values[4]) {
		l := items(v)
		link := Link{
			Kind: kindOfLabel(kindLabel(texts(l[0]))), Key: text(l[1]), Name: text(l[2]), Degree: integer(l[3]), Seeds: texts(l[4]),
		}
		for _, other := range items(l[5]) {
			o := items(other)
			link.Sources = append(link.Sources, FoundSource{Hit{Key: text(o[0])}, millis(o[1])})
		}
		f.Links = append(f.Links, link)
	}
	return f
}

func hit(l []any) Hit { return Hit{int(integer(l[0])), number(l[1]), text(l[2])} }
