package explore

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"kith/graph"
	"kith/graph/neo"
	"kith/graph/searchscope"
	"kith/graph/trust"
	"kith/internal/vector"
)

// searchIndexes finds what matches the asks.
var searchIndexes = neo.Load[searchRow]("search")

// searchRow is the result of a search.
type searchRow struct {
	Messages      []messageMatch
	Sources       []sourceMatch
	Nodes         []nodeMatch
	Relationships []relationshipMatch
	Texts         []SourceText
	Links         []searchLink
	Vectors       []searchVectors
	Model         *string // of the stored vectors
	Base          int64   // the last number of vectors of earlier models
	Waiting       bool
	Counts        [][]float64
	Speakers      [][]string
	Timed         []TimedSource
	Said          []saidRow
	Doubted       int64
}

// messageMatch is a message that the index found for an ask.
type messageMatch struct {
	Ask                     int
	Key, Source, Name, Role string
	Timed                   bool // said at a time of the ask
	Trust                   *float64
	Values                  []any // of messageFields
}

// sourceMatch is a source that the index found for an ask.
type sourceMatch struct {
	Ask    int
	Key    string
	Trust  *float64
	Values []any // of sourceFields
}

// nodeMatch is a node that the index found for an ask.
type nodeMatch struct {
	Ask        int
	Key, Label string
	Trust      *float64
	Values     []any // of wordsOfNodes
}

// relationshipMatch is a relationship that the index found for an ask.
type relationshipMatch struct {
	Ask                                   int
	Key, From, FromName, Type, To, ToName string
	Ends                                  trust.Told // of the less believed end
	Values                                []any      // of relationshipNames
}

func (r messageMatch) hit() Hit           { return Hit{Ask: r.Ask, Key: r.Key} }
func (r messageMatch) values() []any      { return r.Values }
func (r sourceMatch) hit() Hit            { return Hit{Ask: r.Ask, Key: r.Key} }
func (r sourceMatch) values() []any       { return r.Values }
func (r nodeMatch) hit() Hit              { return Hit{Ask: r.Ask, Key: r.Key} }
func (r nodeMatch) values() []any         { return r.Values }
func (r relationshipMatch) hit() Hit      { return Hit{Ask: r.Ask, Key: r.Key} }
func (r relationshipMatch) values() []any { return r.Values }

// saidRow is a message at a time of an ask.
type saidRow struct {
	Ask               int64
	Key, Source, Name string
}

// searchLink is a node with the sources that mention it, in the order of search.
type searchLink struct {
	Labels    graph.Labels
	Key, Name string
	Aliases   []string
	Degree    int64
	Seeds     []string
	Sources   string
}

// sources returns the sources of a link. The statement sends them as one text, because the driver allocates an object for each value.
func (l *searchLink) sources() []LinkedSource {
	all := make([]LinkedSource, 0, strings.Count(l.Sources, graph.KeySeparator)/2)
	for rest := l.Sources; rest != ""; {
		var s LinkedSource
		var value, millis string
		s.Key, rest, _ = strings.Cut(rest, graph.KeySeparator)
		value, rest, _ = strings.Cut(rest, graph.KeySeparator)
		millis, s.Named = strings.CutPrefix(value, "+")
		if ms, err := strconv.ParseInt(millis, 10, 64); err == nil {
			s.At = time.UnixMilli(ms).UTC()
		}
		all = append(all, s)
	}
	return all
}

// searchVectors has the next vectors of a scope.
type searchVectors struct {
	Scope string
	After int64
	Rows  []vectorRow
}

// Search selects what a search returns. Each Ask has its own ranking.
type Search struct {
	Asks          []Ask
	Messages      bool // by their text and the text of the messages around them
	Sources       bool
	Nodes         []graph.Kind // of these kinds, except sources and messages; empty: no nodes
	Relationships bool
	Types         []string // of relationships; empty: all
	Namespace     []string // of items, and those within it; empty: all
	Since, Until  *time.Time
	Neighbours    bool // find messages by the words of the messages around them too
	Archived      bool // also archived sources and nodes
	Doubted       bool // also messages and sources with little trust
	Graded        bool // relationships are selected by more than their types
	Links         bool // what the first sources mention, and the other sources that mention it
	Vectors       []VectorsAfter

	ConversationID string // the open conversation, which is not counted among the sessions; empty: none
}

// VectorsAfter asks for the next vectors of a scope (an owner token) after a number.
type VectorsAfter struct {
	Scope string
	After int64
}

// Ask is one query, or one text to match with names, keywords, tags and relationships.
type Ask struct {
	Words []string
	Names []string // the words that may be names
	Match bool     // a text to match: all of its words, of names also similar words

	timing
}

// Limits of what a search reads from each index and follows from there.
const (
	messageDepth      = 200
	answerDepth       = 100 // of messages in all, from which on those of assistants, which are long, are left out
	sourceDepth       = 100
	nodeDepth         = 50
	relationshipDepth = 50
	gradedDepth       = 500 // if grades and types to leave out decide too
	firstSources      = 12  // per ask: sources whose texts are read and whose mentions are followed
	seedMentions      = 100 // per source
	linkDegree        = 100 // a node with more sources is not a link, and a matched text takes only the newest ones
	linkLimit         = 50  // sources that the seeds lead to
	VectorLimit       = 500 // per scope in one search
	maxNames          = 10  // words that may be names of speakers
	doubtedLimit      = 100 // messages with too little trust that are counted
	nameLimit         = 25  // messages whose speakers are checked for each name
)

// The searched fields: of sources, the name is the second; of nodes, the names are the first three. docs/recall.md has their weights and
// the measurements behind them.
var (
	messageFields = []wordField{{name: "text", boost: 1}, {name: "near", boost: 1}}
	sourceFields  = []wordField{{"summary", 1, false}, {"name", 0.75, true}, {"description", 1, false}, {"keywords", 0.75, true}, {"tags", 0.75, true}}
	wordsOfNodes  = []wordField{
		{"name", 2, true}, {"canonical_name", 1, true}, {"aliases", 2, true}, {"description", 1, false}, {"type", 0.5, false}, {"tags", 0.5, false}, {"notes", 0.5, false},
		{"text", 1, false}, {"content", 0.5, false}, {"goal", 0.5, false}, {"outcome", 0.5, false}, {"rationale", 0.5, false},
		{"next_step_short", 0.5, false}, {"next_step_long", 0.5, false},
	}
	relationshipFields = []wordField{{"description", 1, false}, {"relationship_type", 1, true}, {"notes", 0.5, false}}
)

// relationshipNames are the properties of relationships that are scored or shown, the searched fields first. All properties of
// hundreds of hits would take longer to send and to read than everything else.
var relationshipNames = append(fieldNames(relationshipFields),
	"type_word", "trust", "origin", "attitude", "proximity", "recorded_at", "state", "salience", "salience_at", "decay_rate", "expires_at")

// Search returns what matches the asks, in one round trip.
func (s *Store) Search(ctx context.Context, scope graph.Scope, q Search) (Found, error) {
	asks := q.indexAsks(scope)
	params := q.params(scope, asks)
	params["now"] = s.graph.Now()
	row, err := searchIndexes.ReadOne(ctx, s.db, params)
	if errors.Is(err, neo.ErrProcedure) && q.Relationships { // the index of relationships may be missing or not populated yet
		if err := s.graph.IndexWords(ctx); err != nil {
			return Found{}, err
		}
		if err := s.graph.AwaitIndexes(ctx); err != nil {
			return Found{}, err
		}
		if err := s.graph.AwaitMembers(ctx); err != nil {
			return Found{}, err
		}
		row, err = searchIndexes.ReadOne(ctx, s.db, params)
	}
	if err != nil {
		return Found{}, err
	}
	found := row.found(asks, s.graph.Now())
	if len(q.Vectors) > 0 {
		found.Waiting = row.Waiting
		found.OtherModel = row.Model != nil && *row.Model != s.embedder.Model()
	}
	return found, nil
}

// Warm plans the statements with queries for a user that does not exist.
func (s *Store) Warm(ctx context.Context) error {
	nobody := graph.Nobody()
	words := []string{"warm"}
	q := Search{
		Asks: []Ask{{Words: words, Names: words}}, Messages: true, Sources: true, Nodes: graph.Kinds, Relationships: true, Links: true,
		Vectors: []VectorsAfter{{Scope: searchscope.Visible(nobody.TeamID, nobody.UserID)[0]}},
	}
	if s.embedder == nil {
		q.Vectors = nil
	}
	if _, err := s.Search(ctx, nobody, q); err != nil {
		return err
	}
	_, err := s.Details(ctx, nobody, Wanted{})
	return err
}

// found returns new vectors of a scope, without those of earlier models.
func (v *searchVectors) found(base int64) FoundVectors {
	rows := vectorsOf(v.Rows)
	f := FoundVectors{VectorsAfter: VectorsAfter{v.Scope, v.After}, More: len(rows) == VectorLimit}
	f.Rows = slices.DeleteFunc(rows, func(r vector.Row) bool { return r.Seq <= base })
	return f
}

func (q *Search) params(scope graph.Scope, asks *searchAsks) map[string]any {
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
	times := make([][]map[string]any, len(q.Asks))
	for i, a := range q.Asks {
		times[i] = a.params(q.ConversationID)
	}
	scopes := make([]map[string]any, len(q.Vectors))
	for i, v := range q.Vectors {
		scopes[i] = map[string]any{"token": v.Scope, "after": v.After}
	}
	return map[string]any{
		"team_id": scope.TeamID, "user_id": scope.User(), "counted": asks.counted(), "count_limit": countLimit, "name_limit": nameLimit,
		"message_asks": q.messageAsks(asks.messages), "message_limit": messageDepth, "answer_limit": answerDepth, "neighbours": q.Neighbours, "archived": q.Archived,
		"source_asks": askParams(asks.sources), "source_limit": sourceDepth,
		"node_asks": askParams(asks.nodes), "node_limit": nodeDepth,
		"relationship_asks": askParams(asks.relationships), "relationship_limit": q.relationshipDepth(), "relationship_names": relationshipNames,
		"since": utc(q.Since), "until": utc(q.Until),
		"scopes": scopes, "vector_limit": VectorLimit,
		"times": times, "session_limit": sessionLimit, "timed_messages": timedMessages, "timed_hits": timedHits,
		"doubted": q.doubtedQueries(scope), "doubted_limit": doubtedLimit, "first_limit": first, "mention_limit": seedMentions, "degree_limit": linkDegree, "matches": matches,
	}
}

func (q *Search) relationshipDepth() int {
	if q.Graded {
		return gradedDepth
	}
	return relationshipDepth
}

// searchAsks has the asks of a search for each index; empty if an index is not searched.
type searchAsks struct{ messages, sources, nodes, relationships []indexAsk }

func (q *Search) indexAsks(scope graph.Scope) *searchAsks {
	all := &searchAsks{}
	visible := searchscope.Visible(scope.TeamID, scope.UserID)
	if q.Doubted {
		visible = searchscope.AllVisible(scope.TeamID, scope.UserID)
	}
	said, other := searchscope.Filter(visible, q.Since, q.Until), searchscope.Filter(visible, nil, nil)
	kinds, types := kindFilter(q.Nodes)+namespaceFilter(q.Namespace), typeFilter(q.Types)
	fields := messageFields
	if !q.Neighbours {
		fields = messageFields[:1]
	}
	for _, a := range q.Asks {
		if q.Messages {
			all.messages = append(all.messages, newIndexAsk("message_words", said, a.dayFilter(), fields, a))
		}
		if q.Sources {
			all.sources = append(all.sources, newIndexAsk("source_words", said, "", sourceFields, a))
		}
		if len(q.Nodes) > 0 {
			all.nodes = append(all.nodes, newIndexAsk("memory_texts", other, kinds, wordsOfNodes, a))
		}
		if q.Relationships {
			all.relationships = append(all.relationships, newIndexAsk("relationship_words", other, types, relationshipFields, a))
		}
	}
	return all
}

// counted returns the node indexes with the filter of the caller's memory in each, and the words of each ask. The
// largest index decides how common a word is.
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

// doubtedQueries returns the queries that count the messages with too little trust; none if they are found.
func (q *Search) doubtedQueries(scope graph.Scope) []string {
	all := []string{}
	if q.Doubted || !q.Messages {
		return all
	}
	filter := searchscope.Filter(searchscope.AllVisible(scope.TeamID, scope.UserID)[len(searchscope.Visible(scope.TeamID, scope.UserID)):], q.Since, q.Until)
	for _, a := range q.Asks {
		p := newIndexAsk("message_words", filter, "", messageFields[:1], a).params()
		all = append(all, p["head"].(string)+strings.Join(p["clauses"].([]string), " ")+")") //nolint:forcetypeassert // see params
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

// utc returns a time as a parameter; null for nil.
func utc(t *time.Time) any {
	if t == nil {
		return nil
	}
	return t.UTC()
}

// messageAsks returns the asks for messages, with queries for possible speakers.
func (q *Search) messageAsks(asks []indexAsk) []map[string]any {
	all := askParams(asks)
	for i, a := range asks {
		names := []string{}
		for _, name := range q.Asks[i].Names {
			if !a.match && len(names) < maxNames {
				names = append(names, a.memory+" +name:("+syntax.Replace(name)+")^0")
			}
		}
		all[i]["names"] = names
	}
	return all
}
