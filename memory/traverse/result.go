package traverse

import (
	"time"

	"kith/graph"
	"kith/graph/trust"
	"kith/text/clip"
)

// Result is the answer of a walk: *Rows for neighbors and ppr, *Paths, or *Table for cypher.
type Result interface {
	// Text is the result as Markdown for a prompt, with times to the day.
	Text() string
	outcome() Outcome
	size() int                              // items: rows or paths
	first(n int) Result                     // the result without further items
	recalled(all graph.Recall) graph.Recall // the part of it that the result shows
}

// Rows are nodes, the best first.
type Rows struct {
	Mode       Mode   `json:"mode"`
	Rows       []Row  `json:"rows" doc:"the best first"`
	Message    string `json:"message,omitempty" doc:"when nothing was found, or not all was read"`
	Truncated  bool   `json:"truncated" doc:"not all relationships were read, or not all rows fit into max_tokens"`
	NextCursor string `json:"next_cursor,omitempty" doc:"neighbors: of the next page"`

	page page // neighbors: where this one begins
}

// Paths are the shortest paths, the strongest first.
type Paths struct {
	Mode      Mode   `json:"mode"`
	Paths     []Way  `json:"paths" doc:"the strongest first"`
	Message   string `json:"message,omitempty" doc:"when nothing was found, or not all was read"`
	Truncated bool   `json:"truncated" doc:"not all relationships were read: there may be a path, or a shorter one"`
}

// Table is the result of a statement.
type Table struct {
	Mode Mode `json:"mode"`
	Records
	Message string `json:"message,omitempty" doc:"when nothing was found, or not all came"`
}

// Row is a node and how it was reached.
type Row struct {
	Score        float64       `json:"score" doc:"neighbors: the strengths of the relationships to it, multiplied, with its own salience, 0 to 1; ppr: the rank, of which all together have 1"`
	Hops         int           `json:"hops,omitempty"`
	Relationship *Relationship `json:"relationship,omitempty" doc:"neighbors: the last one on the way"`
	Node         Node          `json:"node"`
}

// Way is one path.
type Way struct {
	Length        int            `json:"length" doc:"relationships"`
	Nodes         []Node         `json:"nodes"`
	Relationships []Relationship `json:"relationships" doc:"one between each node and the next"`
}

// Relationship is a relationship that was followed.
type Relationship struct {
	Key              string  `json:"key,omitempty"`
	From             string  `json:"from"`
	To               string  `json:"to"`
	Type             string  `json:"type"`
	RelationshipType string  `json:"relationship_type,omitempty" doc:"in the caller's own words"`
	Description      string  `json:"description"`
	Attitude         *int64  `json:"attitude,omitempty"`
	Proximity        *int64  `json:"proximity,omitempty"`
	Salience         float64 `json:"salience"`
	trust.Told
}

// Node is a node that was reached.
type Node struct {
	EntityKey   string    `json:"entity_key"`
	NodeType    string    `json:"node_type" doc:"the kind as a label: Person, Concept, Task …"`
	UserID      string    `json:"user_id,omitempty" doc:"whose source it is, where it is another user's, of which the asking user is a participant"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Notes       []string  `json:"notes,omitempty" doc:"the newest 10 that are not expired"`
	Salience    float64   `json:"salience"`
	State       string    `json:"state,omitempty"`
	Confidence  float64   `json:"confidence"`
	AccessCount int64     `json:"access_count"`
	UpdatedAt   time.Time `json:"updated_at"`
	trust.Told

	Noted trust.Told `json:"-"` // of the least believed note
}

// textShown is how many characters of a text come unless all are asked for; notesShown how many notes.
const (
	textShown  = 200
	notesShown = 10
)

// shorten cuts a text, unless the request is verbose.
func (r *Request) shorten(text string) string {
	if r.Verbose {
		return text
	}
	short, cut := clip.Runes(text, textShown)
	if cut {
		return short + "..."
	}
	return short
}

func (r *Request) node(v *graph.NodeView) Node {
	kind, _ := graph.KindOf(v.Kind)
	n := Node{
		EntityKey: v.EntityKey, NodeType: kind.Label, Name: r.shorten(v.Name), Description: r.shorten(describe(v)), Salience: v.Salience, State: v.State,
		Confidence: v.Confidence, AccessCount: v.AccessCount, UpdatedAt: v.UpdatedAt, Told: v.Told(),
	}
	if v.UserID != nil && *v.UserID != r.UserID {
		n.UserID = *v.UserID
	}
	for _, note := range v.Notes[:min(len(v.Notes), notesShown)] {
		n.Notes, n.Noted = append(n.Notes, r.shorten(note.Content)), n.Noted.Least(note.Told)
	}
	return n
}

// describe returns the description of a node: of a source the summary, of a message the text.
func describe(v *graph.NodeView) string {
	if v.Description == "" && v.OwnFields != nil {
		for _, text := range []graph.Optional[string]{v.Summary, v.Text, v.Content, v.Goal} {
			if text.Value != "" {
				return text.Value
			}
		}
	}
	return v.Description
}

func (r *Request) relationship(v *graph.RelationshipView) Relationship {
	return Relationship{
		Key: v.Key, From: v.From, To: v.To, Type: v.Type, RelationshipType: v.RelationshipType, Description: r.shorten(v.Description),
		Attitude: v.Attitude, Proximity: v.Proximity, Salience: v.Salience, Told: v.Told(),
	}
}

func outcomeOf(found int, truncated bool) Outcome {
	switch {
	case truncated:
		return Truncated
	case found == 0:
		return Nothing
	}
	return Found
}

func (r *Rows) outcome() Outcome  { return outcomeOf(len(r.Rows), r.Truncated) }
func (p *Paths) outcome() Outcome { return outcomeOf(len(p.Paths), p.Truncated) }
func (t *Table) outcome() Outcome { return outcomeOf(len(t.Rows), t.Truncated) }
