package exchange

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"kith/graph"
	"kith/internal/bounds"
	"kith/internal/fault"
)

// The wire forms of items from other systems' files. They have the fields of graph's NodeWrite and RelationshipWrite that
// the readers set, in the order of the goldens.
type (
	wireNode struct {
		Kind        string          `json:"kind"`
		EntityKey   string          `json:"entity_key"`
		UserID      string          `json:"user_id,omitempty"`
		Name        string          `json:"name,omitempty"`
		Type        string          `json:"type,omitempty"`
		Description string          `json:"description,omitempty"`
		ContentType string          `json:"content_type,omitempty"`
		SourceType  string          `json:"source_type,omitempty"`
		SourceKey   string          `json:"source_key,omitempty"`
		Role        string          `json:"role,omitempty"`
		Text        string          `json:"text,omitempty"`
		At          string          `json:"at,omitempty"`
		Namespace   []string        `json:"namespace,omitempty"`
		Value       json.RawMessage `json:"value,omitempty"`
		StartedAt   string          `json:"started_at,omitempty"`
		EndedAt     string          `json:"ended_at,omitempty"`
		Summary     string          `json:"summary,omitempty"`
		CreatedAt   string          `json:"created_at,omitempty"`
		UpdatedAt   string          `json:"updated_at,omitempty"`
		Notes       []wireNote      `json:"notes,omitempty"`
		Properties  json.RawMessage `json:"properties,omitempty"`
	}
	wireNote struct {
		Content  string `json:"content"`
		Lifetime string `json:"lifetime"`
	}
	wireRelationship struct {
		Key              string          `json:"key,omitempty"`
		From             string          `json:"from"`
		To               string          `json:"to"`
		Type             string          `json:"type"`
		Qualifier        string          `json:"qualifier,omitempty"`
		Description      string          `json:"description,omitempty"`
		RelationshipType string          `json:"relationship_type,omitempty"`
		ValidFrom        string          `json:"valid_from,omitempty"`
		ValidTo          string          `json:"valid_to,omitempty"`
		Properties       json.RawMessage `json:"properties,omitempty"`
	}
)

// emitNode adds a node. One that has the name of another node of the file is kept apart from it.
func (r *Reader) emitNode(line int64, n *wireNode) {
	if err := r.distinguish(line, n); err != nil {
		r.failed = err
	}
	r.emit(line, NodeItem, n)
}

// emitUser adds the person who is the user.
func (r *Reader) emitUser(line int64, n *wireNode) {
	n.Kind = "person"
	r.emitNode(line, n)
	if last := &r.pending[len(r.pending)-1]; last.fault == nil {
		last.item.User = true
	}
}

func (r *Reader) emitRelationship(line int64, w *wireRelationship) { r.emit(line, RelationshipItem, w) }

func (r *Reader) emit(line int64, kind ItemKind, v any) {
	raw, err := marshal(v)
	if err != nil {
		r.addFault(line, "", "cannot be written as a line")
		return
	}
	r.addItem(line, kind, raw)
}

// marshal encodes v like json.Marshal, without escapes for HTML.
func marshal(v any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// EntityKey returns an entity key for an id in another system. It is a UUID of version 8 (RFC 9562) over the
// parts, so that importing a file again finds the same nodes.
func EntityKey(parts ...string) string {
	hash := sha256.New()
	for _, part := range parts {
		_, _ = fmt.Fprintf(hash, "%d:%s", len(part), part)
	}
	b := hash.Sum(nil)[:16]
	b[6], b[8] = b[6]&0x0f|0x80, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// extras builds the properties of a node or relationship.
type extras struct {
	reader *Reader
	line   int64
	values map[string]json.RawMessage
	size   int
}

// newExtras returns properties with the system that the item comes from.
func (r *Reader) newExtras(line int64, format Format) *extras {
	e := &extras{reader: r, line: line, values: map[string]json.RawMessage{}, size: 2}
	e.put("imported_from", string(format))
	return e
}

// put adds a value that is not empty. If the properties would be too large or too deep, it warns instead.
func (e *extras) put(name string, value any) {
	raw, err := marshal(value)
	if isEmpty(raw) {
		return
	}
	c := &e.reader.checker
	flaw := c.check(raw)
	size := e.size + len(raw) + len(name) + len(`"":,`)
	if err != nil || flaw != "" || size > bounds.PropertiesSize || c.deepest >= bounds.PropertiesDepth {
		e.reader.addWarning(e.line, "properties."+name, "was ignored: the properties would be too large or too deep")
		return
	}
	e.values[name], e.size = raw, size
}

// isEmpty reports whether a JSON value says nothing.
func isEmpty(raw json.RawMessage) bool {
	return slices.Contains([]string{"", "null", `""`, "[]", "{}"}, string(raw))
}

func (e *extras) json() json.RawMessage {
	raw, _ := marshal(e.values) // valid JSON
	return raw
}

// RelationshipType returns the type of a relationship in Kith for its name in another system. word is the name itself
// if it can be a relationship_type. qualifier tells it from those of other names that have the same type.
func RelationshipType(name string) (kind, word, qualifier string) {
	if isWord(name) {
		word = name
	}
	return relationType(name), word, qualifierOf(name)
}

// qualifierOf returns a name or id as a qualifier: itself, or a hash of one that cannot be a qualifier.
func qualifierOf(name string) string {
	if name == "" || fault.ValidKey(name) {
		return name
	}
	return EntityKey("qualifier", name)
}

// RelationshipName is the property for the name of a relationship that cannot be its relationship_type.
const RelationshipName = "relationship_name"

// relationType converts a name to a relationship type: lower case with underscores, matching ^[a-z][a-z0-9_]{0,63}$.
func relationType(name string) string {
	var out strings.Builder
	gap, lower := false, false // a gap precedes this rune; the last rune was a lower-case letter or a digit
	for _, c := range name {
		upper := c >= 'A' && c <= 'Z'
		plain := upper || c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
		if plain && (gap || upper && lower) && out.Len() > 0 {
			out.WriteByte('_')
		}
		if gap, lower = !plain, plain && !upper; plain {
			out.WriteRune(c | 0x20) // digits already have that bit
		}
	}
	return startWithLetter(out.String())
}

const maxTypeLength = 64

// reservedTypes are types that nodes of other systems cannot have between them.
var reservedTypes = []string{graph.HasMessageType, graph.SystemRelationshipType, "mentions"}

func startWithLetter(name string) string {
	switch {
	case name == "":
		return "related_to"
	case name[0] < 'a' || slices.Contains(reservedTypes, name):
		name = "r_" + name
	}
	return strings.TrimRight(name[:min(len(name), maxTypeLength)], "_")
}
