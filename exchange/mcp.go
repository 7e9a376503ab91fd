package exchange

import (
	"errors"
	"strings"

	"kith/graph"
)

// mcpReader reads memory.jsonl of the reference MCP memory server. The server writes all entities before all relations.
type mcpReader struct {
	*Reader
	lines   *lineReader
	checker checker
	related bool // a relation has been read
}

type mcpLine struct {
	Type         string   `json:"type"`
	Name         string   `json:"name"`
	EntityType   string   `json:"entityType"`
	Observations []string `json:"observations"`
	From         string   `json:"from"`
	To           string   `json:"to"`
	RelationType string   `json:"relationType"`
}

func (r *mcpReader) read() error {
	raw, err := r.lines.read()
	line := r.lines.number
	switch {
	case errors.Is(err, errLineTooLong):
		r.fault(line, "", "has more than %d bytes", MaxLine)
		return nil
	case err != nil || len(raw) == 0:
		return err
	}
	var in mcpLine
	switch flaw := r.checker.check(raw); {
	case flaw != "" && r.checker.cut && !r.lines.ended:
		r.fault(line, "", "is cut: the file ends in the middle of it, at byte %d", r.lines.offset)
	case flaw != "":
		r.fault(line, "", "%s", flaw)
	case raw[0] != '{':
		r.fault(line, "", "must be an object")
	case r.decode(line, raw, &in):
		r.convert(line, &in)
	}
	return nil
}

func (r *mcpReader) convert(line int64, in *mcpLine) {
	switch in.Type {
	case "entity":
		if r.related {
			r.warnOnce(line, "", lateNodes)
		}
		r.entity(line, in)
	case "relation":
		r.related = true
		r.relation(line, in)
	default:
		r.fault(line, "type", "must be entity or relation")
	}
}

// lateNodes is told where a file has its relationships first: nothing is held back for nodes that may come.
const lateNodes = "stands behind relationships that may need it: if some of them are refused, import the file once more"

// entityKey is the key of an entity by its name, which is unique in the server's memory.
func (r *mcpReader) entityKey(name string) string {
	return key(string(MCPMemory), r.UserID, strings.TrimSpace(name))
}

func (r *mcpReader) entity(line int64, in *mcpLine) {
	name, ok := r.name(line, "name", in.Name)
	if !ok {
		return
	}
	n := &wireNode{Kind: "entity", EntityKey: r.entityKey(in.Name), Name: name}
	if strings.EqualFold(in.EntityType, "person") {
		n.Kind = "person"
	} else {
		n.Type = r.word(line, "entityType", in.EntityType, maxWord)
	}
	n.Description = r.text(line, "observations", strings.Join(in.Observations, "\n"), graph.MaxTextLength)
	n.Notes = r.notes(line, in.Observations)
	n.Properties = r.extras(line, MCPMemory).json()
	r.node(line, n)
}

func (r *mcpReader) notes(line int64, observations []string) []wireNote {
	var notes []wireNote
	for _, o := range observations {
		if strings.TrimSpace(o) == "" {
			continue
		}
		if len(notes) == maxNotes {
			r.warn(line, "observations", "has more than %d: the others are in the description alone", maxNotes)
			break
		}
		notes = append(notes, wireNote{Content: r.text(line, "observations", o, maxNoteLength), Lifetime: "forever"})
	}
	return notes
}

func (r *mcpReader) relation(line int64, in *mcpLine) {
	for _, end := range []struct{ location, name string }{{"from", in.From}, {"to", in.To}} {
		if strings.TrimSpace(end.name) == "" {
			r.fault(line, end.location, "must not be blank")
			return
		}
	}
	e := r.extras(line, MCPMemory)
	w := &wireRelationship{From: r.entityKey(in.From), To: r.entityKey(in.To)}
	w.name(in.RelationType, e)
	w.Properties = e.json()
	r.relationship(line, w)
}

// name gives a relationship its type, and keeps the name that it had.
func (w *wireRelationship) name(name string, e *extras) {
	if w.Type, w.RelationshipType = RelationshipType(name); w.RelationshipType == "" {
		e.put(RelationshipName, name)
	}
}
