package explore

import (
	"encoding/json"
	"time"

	"kith/graph"
	"kith/graph/trust"
)

// Result is the answer of a search. It has the same form at every granularity; lists that were not requested are empty.
type Result struct {
	Meta     Meta     `json:"meta"`
	Semantic Semantic `json:"semantic"`
	Episodic Episodic `json:"episodic"`

	keyed bool // Text has entity keys
}

// Meta describes how the answer was made.
type Meta struct {
	Granularity int              `json:"granularity"`
	Mode        Mode             `json:"mode"`
	QueryUsed   []string         `json:"query_used" doc:"the queries and text matches, and in deep mode what was added"`
	Semantic    Meaning          `json:"semantic" enum:"on,partial,loading,unavailable,off" doc:"search by meaning; partial: some memories have no vector yet; loading: vectors are being read, try again; unavailable: the embedder timed out or failed; off: no embedder"`
	Enough      bool             `json:"enough" doc:"whether the first few hits should do; false: ask otherwise, or say that it is not known"`
	Confidence  float64          `json:"confidence" doc:"0 to 1: how likely what was asked is among the first five hits, by the words and times of the queries; of several queries the least"`
	Times       []UnderstoodTime `json:"times" doc:"times that the queries name"`
	Cut         int              `json:"cut" doc:"hits that max_tokens left out"`
	Distrusted  int64            `json:"distrusted,omitempty" doc:"hits left out because their trust is below min_trust; at most 100"`
}

// Meaning is the status of the search by meaning.
type Meaning string

// The values of Meaning.
const (
	MeaningOn          Meaning = "on"
	MeaningPartial     Meaning = "partial"
	MeaningLoading     Meaning = "loading"
	MeaningUnavailable Meaning = "unavailable"
	MeaningOff         Meaning = "off"
)

// Semantic holds nodes and relationships.
type Semantic struct {
	People        []NodeHit         `json:"people"`
	Concepts      []NodeHit         `json:"concepts"`
	Entities      []NodeHit         `json:"entities"`
	Others        []NodeHit         `json:"others" doc:"of projects and systems"`
	Relationships []RelationshipHit `json:"relationships"`
	Neighbours    []Neighbour       `json:"neighbours" doc:"of the nodes found, where expand asks for them"`
}

// Episodic holds conversations and documents.
type Episodic struct {
	Sources    []SourceHit    `json:"sources"`
	Messages   []MessageHit   `json:"messages" doc:"where kinds asks for them"`
	Storylines []StorylineHit `json:"storylines"`
	Macros     []MacroHit     `json:"macros"`
	Artifacts  []ArtifactHit  `json:"artifacts" doc:"documents and outputs"`
}

// Explanation holds the parts of a score. Each part is from 0 to 1, and omitted if 0.
type Explanation struct {
	Words    float64  `json:"words,omitempty" doc:"how well the words fit, against the best hit"`
	Meaning  float64  `json:"meaning,omitempty" doc:"what the meaning counted, against the best hit"`
	Cosine   *float64 `json:"cosine,omitempty" doc:"of the query's vector and the hit's"`
	Links    float64  `json:"links,omitempty" doc:"how much the best hits link it, against the most linked"`
	Time     float64  `json:"time,omitempty" doc:"how sure it is that it was said at a time that the query names"`
	Named    float64  `json:"named,omitempty" doc:"how much what the query names links it, against the most linked"`
	Via      []string `json:"via,omitempty" doc:"the names of what links it"`
	Recency  float64  `json:"recency" doc:"exp(-0.02 × days)"`
	Salience float64  `json:"salience"`
	Trust    float64  `json:"trust,omitempty" doc:"what the relevance was multiplied with, as its trust is low"`
	Marks    []string `json:"marks,omitempty" doc:"of messages: what reads like an instruction to the agent"`
	Rank     int      `json:"rank" doc:"by relevance alone, from 1"`
}

// Scored is embedded in every hit.
type Scored struct {
	RelevanceScore float64 `json:"relevance_score" doc:"0 to 1"`
	trust.Told
	Explanation *Explanation `json:"explanation,omitempty"`
}

// NodeHit is a node.
type NodeHit struct {
	EntityKey      string          `json:"entity_key"`
	NodeType       string          `json:"node_type" doc:"the kind as a label: Person, Concept, Task …"`
	Name           string          `json:"name"`
	Description    string          `json:"description"`
	NotesSnippets  []string        `json:"notes_snippets,omitempty" doc:"unexpired notes, the newest 10: 500 characters of each, 5,000 of all"`
	Namespace      []string        `json:"namespace,omitempty" doc:"items only"`
	Value          json.RawMessage `json:"value,omitempty" contract:"any" doc:"of items, if kinds asks for them"`
	CreatedAt      *time.Time      `json:"created_at,omitempty" doc:"items only"`
	UpdatedAt      *time.Time      `json:"updated_at,omitempty" doc:"items only"`
	Salience       float64         `json:"salience"`
	State          string          `json:"state"`
	LastAccessedAt *time.Time      `json:"last_accessed_at"`
	Anchors        []graph.NodeRef `json:"anchors,omitempty" doc:"at granularity 2 and 3: storylines about it"`
	Scored

	Noted trust.Told `json:"-"` // of the least believed note
}

// RelationshipHit is a relationship.
type RelationshipHit struct {
	Key              string   `json:"key"`
	FromEntityKey    string   `json:"from_entity_key"`
	FromName         string   `json:"from_name"`
	ToEntityKey      string   `json:"to_entity_key"`
	ToName           string   `json:"to_name"`
	RelationshipKind string   `json:"relationship_kind" doc:"its type"`
	RelationshipType string   `json:"relationship_type,omitempty" doc:"in the caller's own words"`
	Description      string   `json:"description"`
	Attitude         *int64   `json:"attitude,omitempty"`
	Proximity        *int64   `json:"proximity,omitempty"`
	NotesSnippets    []string `json:"notes_snippets,omitempty"`
	Salience         float64  `json:"salience"`
	State            string   `json:"state,omitempty"`
	Scored

	Ends trust.Told `json:"-"` // of the less believed end
}

// Neighbour is a node that is linked to one that was found.
type Neighbour struct {
	EntityKey   string `json:"entity_key"`
	NodeType    string `json:"node_type"`
	Name        string `json:"name"`
	Description string `json:"description"`
	trust.Told
}

// SourceHit is a conversation, mail, meeting or note, with the messages that made it a hit.
type SourceHit struct {
	EntityKey      string          `json:"entity_key"`
	UserID         string          `json:"user_id,omitempty" doc:"whose source it is, where it is another user's, of which the asking user is a participant"`
	Name           string          `json:"name,omitempty"`
	Summary        string          `json:"summary"`
	ContentType    string          `json:"content_type"`
	ContextType    string          `json:"context_type,omitempty"`
	SourceType     string          `json:"source_type,omitempty"`
	StartedAt      time.Time       `json:"started_at"`
	EndedAt        *time.Time      `json:"ended_at"`
	MentionedNodes []graph.NodeRef `json:"mentioned_nodes" doc:"the ten most salient"`
	StorylineRefs  []string        `json:"storyline_refs,omitempty"`
	MacroRefs      []string        `json:"macro_refs,omitempty"`
	Messages       []MessageHit    `json:"messages" doc:"the best three, the best first; of each what is around the words found"`
	Scored
}

// MessageHit is a message. A long text is cut.
type MessageHit struct {
	EntityKey string    `json:"entity_key"`
	SourceKey string    `json:"source_key"`
	Seq       int64     `json:"seq"`
	Role      string    `json:"role"`
	Name      string    `json:"name,omitempty"`
	Text      string    `json:"text"`
	At        time.Time `json:"at"`
	Score     float64   `json:"score" doc:"0 to 1"`
	trust.Told

	Explanation *Explanation `json:"explanation,omitempty"`
}

// StorylineHit is a storyline. At granularity 1 it has its key and name only.
type StorylineHit struct {
	StorylineID    string          `json:"storyline_id"`
	Name           string          `json:"name"`
	Description    string          `json:"description,omitempty"`
	RelevanceScore float64         `json:"relevance_score,omitempty"`
	SourceCount    int64           `json:"source_count,omitempty"`
	StartedAt      *time.Time      `json:"started_at,omitempty"`
	LastSourceAt   *time.Time      `json:"last_source_at,omitempty"`
	Anchor         *graph.NodeRef  `json:"anchor,omitempty"`
	TopPeople      []graph.NodeRef `json:"top_people,omitempty"`
	TopEntities    []graph.NodeRef `json:"top_entities,omitempty"`
	TopConcepts    []graph.NodeRef `json:"top_concepts,omitempty"`
	PreviewSources []SourcePreview `json:"preview_sources,omitempty"`
	Told           trust.Told      `json:"-"` // of the name, which is the anchor's
}

// SourcePreview is a source of a storyline.
type SourcePreview struct {
	EntityKey string    `json:"entity_key"`
	Summary   string    `json:"summary"`
	StartedAt time.Time `json:"started_at"`
	trust.Told
}

// MacroHit is a macro. At granularity 1 and 2 it has its key and name only.
type MacroHit struct {
	MacroID          string           `json:"macro_id"`
	Name             string           `json:"name"`
	Description      string           `json:"description,omitempty"`
	RelevanceScore   float64          `json:"relevance_score,omitempty"`
	StorylineCount   int64            `json:"storyline_count,omitempty"`
	TotalSourceCount int64            `json:"total_source_count,omitempty"`
	StartedAt        *time.Time       `json:"started_at,omitempty"`
	LastEventAt      *time.Time       `json:"last_event_at,omitempty"`
	Anchor           *graph.NodeRef   `json:"anchor,omitempty"`
	Storylines       []MacroStoryline `json:"storylines,omitempty"`
	Told             trust.Told       `json:"-"` // as that of a storyline
}

// MacroStoryline is a storyline of a macro.
type MacroStoryline struct {
	StorylineID string     `json:"storyline_id"`
	Name        string     `json:"name"`
	OneLiner    string     `json:"one_liner"`
	SourceCount int64      `json:"source_count"`
	Told        trust.Told `json:"-"` // as that of a storyline
}

// ArtifactHit is a document or output.
type ArtifactHit struct {
	EntityKey    string          `json:"entity_key"`
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	ContentType  string          `json:"content_type" doc:"document or output"`
	CreatedAt    time.Time       `json:"created_at"`
	RelatedNodes []graph.NodeRef `json:"related_nodes"`
	Scored
}
