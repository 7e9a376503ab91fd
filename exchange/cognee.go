package exchange

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"kith/internal/bounds"
)

// cogneeReader reads the JSON document of nodes and edges that Cognee exports. All nodes come before all edges.
type cogneeReader struct {
	*Reader
	document *document
}

var cogneeSections = map[string]bool{"nodes": true, "edges": true}

type cogneeNode struct {
	ID               string          `json:"id"`
	Type             string          `json:"type"`
	Name             string          `json:"name"`
	Text             string          `json:"text"`
	Description      string          `json:"description"`
	ChunkIndex       json.RawMessage `json:"chunk_index"`
	MimeType         string          `json:"mime_type"`
	ExternalMetadata json.RawMessage `json:"external_metadata"`
	CreatedAt        json.RawMessage `json:"created_at"`
}

type cogneeEdge struct {
	Source       string          `json:"source"`
	Target       string          `json:"target"`
	Relationship string          `json:"relationship_name"`
	Text         string          `json:"edge_text"`
	ValidAt      json.RawMessage `json:"valid_at"`
	InvalidAt    json.RawMessage `json:"invalid_at"`
}

// What a node became, remembered for its edges.
const (
	cogneeSource  = "source"
	cogneeKnown   = "node"
	cogneeSkipped = "skipped"
)

func (r *cogneeReader) read() error {
	section, line, raw, err := r.nextElement(r.document)
	if err != nil || raw == nil {
		return err
	}
	if section == "edges" {
		return readAs(r.Reader, line, raw, r.addEdge)
	}
	return readAs(r.Reader, line, raw, r.addNode)
}

func (r *cogneeReader) key(id string) string { return EntityKey(string(Cognee), r.UserID, id) }

func (r *cogneeReader) addNode(line int64, in *cogneeNode) error {
	if in.ID == "" {
		r.addFault(line, "id", "is required")
		return nil
	}
	became := cogneeKnown
	switch {
	case in.Type == "TextSummary":
		r.warnOnce(line, "type", "summaries of chunks are not imported: the chunks are")
		became = cogneeSkipped
	case in.Type == "DocumentChunk" || strings.HasSuffix(in.Type, "Document"):
		r.addSource(line, in)
		became = cogneeSource
	case !r.addKnown(line, in):
		became = cogneeSkipped
	}
	return r.seen.Put(in.ID, became)
}

// newNode returns a node with what all have in common, and its properties.
func (r *cogneeReader) newNode(line int64, in *cogneeNode) (*wireNode, *extras) {
	e := r.newExtras(line, Cognee)
	e.put("id", in.ID)
	e.put("type", in.Type)
	e.put("chunk_index", in.ChunkIndex)
	e.put("mime_type", in.MimeType)
	e.put("external_metadata", in.ExternalMetadata)
	return &wireNode{EntityKey: r.key(in.ID), CreatedAt: formatTime(r.readTime(line, "created_at", milliseconds(in.CreatedAt)))}, e
}

// addSource adds a chunk of a document, or a document.
func (r *cogneeReader) addSource(line int64, in *cogneeNode) {
	n, e := r.newNode(line, in)
	n.Kind, n.ContentType, n.SourceType = "source", "text-note", "text-import"
	n.Name = r.cleanWord(line, "name", in.Name, bounds.NameLength)
	n.Summary = r.firstText(line, e, "text", in.Text, "description", in.Description)
	n.StartedAt, n.EndedAt = n.CreatedAt, n.CreatedAt
	r.emitWith(line, n, e)
}

// addKnown adds an entity, or a set of nodes or a text as a concept. It reports whether the node has a name or a text.
func (r *cogneeReader) addKnown(line int64, in *cogneeNode) bool {
	if in.Name == "" && oneLine(in.Text) != "" {
		r.addText(line, in)
		return true
	}
	n, e := r.newNode(line, in)
	name, ok := r.readName(line, "name", in.Name)
	if !ok {
		return false
	}
	n.Kind, n.Name = "entity", name
	n.Description = r.firstText(line, e, "description", in.Description, "text", in.Text)
	switch in.Type {
	case "NodeSet":
		n.Kind = "concept"
	case "Entity":
	default:
		n.Type = r.cleanWord(line, "type", in.Type, maxWord)
	}
	r.emitWith(line, n, e)
	return true
}

// addText adds a text without a name.
func (r *cogneeReader) addText(line int64, in *cogneeNode) {
	n, e := r.newNode(line, in)
	n.Kind = "concept"
	name, cut := memoryName(in.Text, in.ID)
	if n.Name = name; cut {
		n.Description = r.firstText(line, e, "text", in.Text, "description", in.Description)
	} else {
		n.Description = r.limitText(line, "description", in.Description, bounds.TextLength)
	}
	r.emitWith(line, n, e)
}

// firstText returns the first of two texts that a node of Kith has one field for. A second one becomes a property.
func (r *cogneeReader) firstText(line int64, e *extras, field, text, otherField, other string) string {
	if strings.TrimSpace(text) == "" {
		return r.limitText(line, otherField, other, bounds.TextLength)
	}
	e.put(otherField, other)
	return r.limitText(line, field, text, bounds.TextLength)
}

func (r *cogneeReader) emitWith(line int64, n *wireNode, e *extras) {
	n.Properties = e.json()
	r.emitNode(line, n)
}

// addEdge adds a relationship. A source only mentions nodes: its other edges, and those to it, say how the file was
// processed.
func (r *cogneeReader) addEdge(line int64, in *cogneeEdge) error {
	source, _, err := r.seen.Get(in.Source)
	if err != nil {
		return err
	}
	target, _, err := r.seen.Get(in.Target)
	if err != nil {
		return err
	}
	switch {
	case in.Source == "" || in.Target == "":
		r.addFault(line, "", "must have a source and a target")
	case source == "" || target == "":
		r.addFault(line, "", "must lead between nodes that come before it in the file")
	case slices.Contains([]string{source, target}, cogneeSkipped):
		r.warnOnce(line, "", "edges of nodes that are not imported are not imported")
	case source == cogneeSource && target == cogneeKnown:
		r.emitRelationship(line, &wireRelationship{From: r.key(in.Source), To: r.key(in.Target), Type: "mentions"})
	case source == cogneeSource || target == cogneeSource:
		r.warnOnce(line, "", "edges between documents and their chunks, and edges to them, are not imported")
	default:
		r.addFact(line, in)
	}
	return nil
}

func (r *cogneeReader) addFact(line int64, in *cogneeEdge) {
	e := r.newExtras(line, Cognee)
	edge := fact{Name: cmp.Or(in.Relationship, "related_to"), Fact: in.Text, ValidAt: milliseconds(in.ValidAt), InvalidAt: milliseconds(in.InvalidAt)}
	w := edge.relationship(r.Reader, line, e)
	w.From, w.To = r.key(in.Source), r.key(in.Target)
	w.Properties = e.json()
	r.emitRelationship(line, w)
}

// milliseconds returns a time of Cognee, whose numbers are milliseconds since 1970, also before 2001.
func milliseconds(raw json.RawMessage) json.RawMessage {
	number, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		return raw
	}
	text, _ := marshal(time.UnixMilli(number).UTC().Format(time.RFC3339Nano))
	return text
}
