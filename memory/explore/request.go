package explore

import (
	"encoding/json"
	"slices"
	"time"
	"unicode/utf8"

	"kith/graph"
	"kith/internal/fault"
	"kith/text/tokens"
)

// Bounds of a request.
const (
	MaxQueries     = 8
	MaxTextMatches = 16
	MaxTextLength  = 16_384 // characters of a query or text match
	MaxLimit       = 100
	MaxExpand      = 30
)

// Mode says how far a search goes.
type Mode string

// Fast queries the database twice. Deep searches a second time, with the names of the nodes found first, and queries it
// three times.
const (
	Fast Mode = "fast"
	Deep Mode = "deep"
)

// Whether times in queries count.
const (
	ReadTimes   = "read"
	IgnoreTimes = "ignore"
)

// Format is how an answer is written.
type Format string

// JSON is the Result; Text is Markdown for a prompt; Keyed is Text with entity keys, for an agent that continues from the hits.
const (
	JSON  Format = "json"
	Text  Format = "text"
	Keyed Format = "keyed"
)

// Request asks a memory about something.
type Request struct {
	UserID              string                    `json:"user_id,omitempty" minLength:"1" maxLength:"256" doc:"whose memory, with what the team shares; default: the user of the key, or only what the team shares"`
	Queries             []Query                   `json:"queries,omitempty" maxItems:"8" doc:"questions or descriptions, searched by words and by meaning; this or text_matches is required"`
	TextMatches         []string                  `json:"text_matches,omitempty" maxItems:"16" word:"filled" doc:"names or words: names (also similar ones), keywords, tags, relationships and texts that have all the words; each of at most 16,384 characters"`
	Kinds               []string                  `json:"kinds,omitempty" oneof:"person concept entity source message project task plan goal milestone document output risk decision requirement signal insight system_entity item storyline macro" doc:"only these kinds of nodes; message: messages as a list of their own. Default: all except messages, which come with their sources"`
	Namespace           []string                  `json:"namespace,omitempty" word:"true" maxItems:"16" doc:"only items of this namespace, and of those within it"`
	Filter              json.RawMessage           `json:"filter,omitempty" doc:"only nodes whose value (items) or properties (others) have these fields with these values; {\"n\":{\"$gt\":3}} compares with $eq, $ne, $gt, $gte, $lt or $lte; tested on the best 100 nodes. An object; at most 4,096 bytes"`
	RelationshipFilters RelationshipFilters       `json:"relationship_filters,omitzero" doc:"which relationships count; applied before anything is ranked"`
	SearchRelationships graph.Optional[bool]      `json:"search_relationships,omitzero" doc:"default true"`
	Since               graph.Optional[time.Time] `json:"since,omitzero" doc:"what was said, or changed, from then on"`
	Until               graph.Optional[time.Time] `json:"until,omitzero" doc:"what was said, or made, until then; not before since"`
	AskedAt             graph.Optional[time.Time] `json:"asked_at,omitzero" doc:"when the queries were asked: times in them, as \"last Tuesday\", are read from there, in its time zone; default: now"`
	ConversationID      string                    `json:"conversation_id,omitempty" maxLength:"256" doc:"the conversation that is open now: \"our last session\" is the one before it"`
	Times               string                    `json:"times,omitempty" oneof:"read ignore" doc:"read (default): times in queries count, and meta.times says how; ignore: they are words like others"`
	Granularity         int                       `json:"granularity,omitempty" minimum:"1" maximum:"3" doc:"1 (default): sources; 2: storylines with some of their sources; 3: macros with their storylines"`
	IncludeArchived     bool                      `json:"include_archived,omitempty" doc:"also what is archived: faded, ended or put away; it is always found by its key"`
	Evidence            []string                  `json:"evidence,omitempty" oneof:"words neighbours links meaning" doc:"evidence that counts: words, neighbours (the words of the messages around one), links, meaning; default: all"`
	SemanticWeight      graph.Optional[float64]   `json:"semantic_weight,omitzero" min:"0" max:"1" doc:"of relevance; default 0.3. The three weights are not all 0"`
	TimeWeight          graph.Optional[float64]   `json:"time_weight,omitzero" min:"0" max:"1" doc:"of recency; default 0.3"`
	SalienceWeight      graph.Optional[float64]   `json:"salience_weight,omitzero" min:"0" max:"1" doc:"of salience; default 0.4"`
	MinTrust            graph.Optional[float64]   `json:"min_trust,omitzero" min:"0" max:"1" doc:"leaves out what has less trust, and counts it in meta.distrusted; default 0.2: mails and tool outputs that read like instructions to the agent are left out. Below 0.6, trust weighs the relevance"`
	Limit               int                       `json:"limit,omitempty" minimum:"1" maximum:"100" doc:"of nodes in all, of sources and of messages; default 5. Relationships are up to twice as many; storylines and macros, unless it is given, 3 and 2 (of granularity 1), 5 and 2, none and 5"`
	Expand              int                       `json:"expand,omitempty" minimum:"0" maximum:"30" doc:"so many neighbours of the nodes found; default none"`
	MaxTokens           int                       `json:"max_tokens,omitempty" minimum:"100" maximum:"100000" doc:"o200k tokens of the answer, 100 to 100,000; the lowest-ranked hits go first, and meta.cut says how many went"`
	Mode                Mode                      `json:"mode,omitempty" oneof:"fast deep" doc:"fast (default), or deep: a second look with what the first has found"`
	MultiQuery          bool                      `json:"multi_query,omitempty" doc:"the same as mode deep"`
	ReturnExplanations  bool                      `json:"return_explanations,omitempty" doc:"with each hit, what its score is made of"`
	Format              Format                    `json:"format,omitempty" oneof:"json text keyed" doc:"json (default), text, or keyed: text with entity keys, to go on from"`
}

// Query is one question.
type Query struct {
	Query     string  `json:"query" max:"16384" word:"filled" doc:"at most 16,384 characters"`
	Threshold float64 `json:"threshold,omitempty" min:"0" max:"1" doc:"0 (default) to 1: the least cosine of what is found by meaning alone"`
}

// RelationshipFilters select relationships. A relationship without a grade does not match a filter by grade.
type RelationshipFilters struct {
	MinAttitude              graph.Optional[int64] `json:"min_attitude,omitzero" min:"1" max:"5" doc:"1 to 5"`
	MaxAttitude              graph.Optional[int64] `json:"max_attitude,omitzero" min:"1" max:"5" doc:"1 to 5; not below min_attitude"`
	MinProximity             graph.Optional[int64] `json:"min_proximity,omitzero" min:"1" max:"5" doc:"1 to 5"`
	MaxProximity             graph.Optional[int64] `json:"max_proximity,omitzero" min:"1" max:"5" doc:"1 to 5; not below min_proximity"`
	RelationshipTypes        []string              `json:"relationship_types,omitempty" matches:"^[a-z][a-z0-9_]{0,63}$" maxItems:"64" doc:"only these"`
	ExcludeRelationshipTypes []string              `json:"exclude_relationship_types,omitempty" matches:"^[a-z][a-z0-9_]{0,63}$" maxItems:"64" doc:"all but these"`
}

// selectsMore reports whether the filters select by more than the types that count, which the search by words knows.
func (r *RelationshipFilters) selectsMore() bool {
	return len(r.ExcludeRelationshipTypes) > 0 || isPresent(r.MinAttitude) || isPresent(r.MaxAttitude) || isPresent(r.MinProximity) || isPresent(r.MaxProximity)
}

// Texts returns the queries and text matches of the request.
func (r *Request) Texts() []string {
	texts := make([]string, 0, len(r.Queries)+len(r.TextMatches))
	for _, q := range r.Queries {
		texts = append(texts, q.Query)
	}
	return append(texts, r.TextMatches...)
}

// Validate checks the request. The error lists every fault with its location.
func (r *Request) Validate() error {
	f := &fault.List{}
	r.validateTexts(f)
	r.validateChoices(f)
	r.validateWeights(f)
	r.validateItems(f)
	r.RelationshipFilters.validate(f, fault.At("relationship_filters"))
	return f.Err()
}

// validateItems checks what selects items and other nodes by their fields.
func (r *Request) validateItems(f *fault.List) {
	items := &graph.Faults{}
	items.Namespace(fault.At("namespace"), r.Namespace)
	items.Filter(fault.At("filter"), r.Filter)
	f.Append(items.Fields()...)
	if len(r.Namespace) > 0 && !slices.Equal(r.Kinds, []string{graph.ItemKind.Name}) {
		f.Add(fault.At("namespace"), fault.NotAllowed, "is only for kinds: [\"item\"]")
	}
}

func checkText(f *fault.List, place fault.Path, text string) {
	switch {
	case !utf8.ValidString(text):
		f.NotUTF8(place)
	case utf8.RuneCountInString(text) > MaxTextLength:
		f.Add(place, fault.TooLong, "must have at most %d characters", MaxTextLength)
	default:
		f.NotBlank(place, text)
	}
}

func checkTime(f *fault.List, place fault.Path, t graph.Optional[time.Time]) {
	if isPresent(t) {
		f.Time(place, t.Value)
	}
}

func (r *Request) validateTexts(f *fault.List) {
	if len(r.Queries)+len(r.TextMatches) == 0 {
		f.Add(fault.At("queries"), fault.Required, "queries or text_matches is required")
	}
	f.OptionalKey(fault.At("user_id"), r.UserID)
	f.Between(fault.At("queries"), int64(len(r.Queries)), 0, MaxQueries)
	f.Between(fault.At("text_matches"), int64(len(r.TextMatches)), 0, MaxTextMatches)
	for i, q := range r.Queries {
		at := fault.At("queries").Index(i)
		checkText(f, at.Field("query"), q.Query)
		f.Share(at.Field("threshold"), q.Threshold)
	}
	for i, text := range r.TextMatches {
		checkText(f, fault.At("text_matches").Index(i), text)
	}
}

// Kinds of evidence.
const (
	byWords      = "words"
	byNeighbours = "neighbours"
	byLinks      = "links"
	byMeaning    = "meaning"
)

// uses reports whether some kind of evidence counts.
func (r *Request) uses(evidence string) bool {
	return len(r.Evidence) == 0 || slices.Contains(r.Evidence, evidence)
}

func (r *Request) validateChoices(f *fault.List) {
	for i, evidence := range r.Evidence {
		f.OneOf(fault.At("evidence").Index(i), evidence, byWords, byNeighbours, byLinks, byMeaning)
	}
	for i, name := range r.Kinds {
		if _, ok := graph.KindOf(name); !ok {
			f.NotOneOf(fault.At("kinds").Index(i), graph.KindNames())
		}
	}
	f.Between(fault.At("granularity"), int64(r.Granularity), 0, 3)
	f.Between(fault.At("limit"), int64(r.Limit), 0, MaxLimit)
	f.Between(fault.At("expand"), int64(r.Expand), 0, MaxExpand)
	f.OptionalBetween(fault.At("max_tokens"), int64(r.MaxTokens), tokens.Least, tokens.Most)
	f.OptionalOneOf(fault.At("times"), r.Times, ReadTimes, IgnoreTimes)
	f.OptionalOneOf(fault.At("mode"), string(r.Mode), string(Fast), string(Deep))
	f.OptionalOneOf(fault.At("format"), string(r.Format), string(JSON), string(Text), string(Keyed))
	f.OptionalKey(fault.At("conversation_id"), r.ConversationID)
	checkTime(f, fault.At("since"), r.Since)
	checkTime(f, fault.At("until"), r.Until)
	checkTime(f, fault.At("asked_at"), r.AskedAt)
	if isPresent(r.Since) && isPresent(r.Until) && r.Until.Value.Before(r.Since.Value) {
		f.Add(fault.At("until"), fault.Contrary, "must not be before since")
	}
}

func isPresent[T any](o graph.Optional[T]) bool { return o.Given && !o.Null }

// valueOr returns the value of an optional field, or other if it is omitted or null.
func valueOr[T any](o graph.Optional[T], other T) T {
	if isPresent(o) {
		return o.Value
	}
	return other
}

func (r *Request) validateWeights(f *fault.List) {
	w := r.weights()
	f.Share(fault.At("min_trust"), r.leastTrust())
	f.Share(fault.At("semantic_weight"), w.relevance)
	f.Share(fault.At("time_weight"), w.time)
	f.Share(fault.At("salience_weight"), w.salience)
	if w == (weighting{}) {
		f.Add(fault.At("semantic_weight"), fault.Contrary, "must not be 0 with time_weight and salience_weight")
	}
}

func (r *RelationshipFilters) validate(f *fault.List, place fault.Path) {
	grade := func(name string, o graph.Optional[int64]) {
		if isPresent(o) {
			f.Between(place.Field(name), o.Value, 1, 5)
		}
	}
	grade("min_attitude", r.MinAttitude)
	grade("max_attitude", r.MaxAttitude)
	grade("min_proximity", r.MinProximity)
	grade("max_proximity", r.MaxProximity)
	if valueOr(r.MinAttitude, 1) > valueOr(r.MaxAttitude, 5) {
		f.Add(place.Field("max_attitude"), fault.Contrary, "must not be below min_attitude")
	}
	if valueOr(r.MinProximity, 1) > valueOr(r.MaxProximity, 5) {
		f.Add(place.Field("max_proximity"), fault.Contrary, "must not be below min_proximity")
	}
	checkTypes(f, place.Field("relationship_types"), r.RelationshipTypes)
	checkTypes(f, place.Field("exclude_relationship_types"), r.ExcludeRelationshipTypes)
}

func checkTypes(f *fault.List, place fault.Path, types []string) {
	f.Between(place, int64(len(types)), 0, 64)
	for i, t := range types {
		if !graph.ValidType(t) {
			f.Add(place.Index(i), fault.Malformed, "must be a relationship type")
		}
	}
}

// weighting holds the weights of relevance, recency and salience.
type weighting struct{ relevance, time, salience float64 }

// weights returns the weights of the request, or their defaults.
func (r *Request) weights() weighting {
	return weighting{valueOr(r.SemanticWeight, 0.3), valueOr(r.TimeWeight, 0.3), valueOr(r.SalienceWeight, 0.4)}
}
