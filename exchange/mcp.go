package exchange

import (
	"strings"

	"kith/internal/bounds"
)

// mcpReader reads memory.jsonl of the reference MCP memory server, or what its tool read_graph returns. The server writes all
// entities before all relations.
type mcpReader struct {
	*Reader
	objects *objects
	related bool // a relation was read
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

// mcpSections are the lists of the object that read_graph returns; "" is a list of objects.
var mcpSections = []string{"", "entities", "relations"}

func (r *mcpReader) read() error {
	section, line, raw, err := r.nextObject(r.objects)
	if err != nil || raw == nil {
		return err
	}
	var in mcpLine
	if r.decode(line, raw, &in) {
		if in.Type == "" {
			in.Type = in.kind(section)
		}
		r.convertLine(line, &in)
	}
	return nil
}

// kind returns the type of an object that does not name it: by its list, or by its fields.
func (in *mcpLine) kind(section string) string {
	switch {
	case section == "entities", section == "" && in.Name != "" && in.From == "" && in.To == "":
		return "entity"
	case section == "relations", section == "" && in.Name == "" && in.RelationType != "":
		return "relation"
	}
	return ""
}

func (r *mcpReader) convertLine(line int64, in *mcpLine) {
	switch in.Type {
	case "entity":
		if r.related {
			r.warnOnce(line, "", lateNodesWarning)
		}
		r.addEntity(line, in)
	case "relation":
		r.related = true
		r.addRelation(line, in)
	default:
		r.addFault(line, "type", "must be entity or relation: the object has neither the fields of an entity (name) nor those of a relation (from, to, relationType)")
	}
}

// lateNodesWarning is the warning for a file with relationships before nodes. The import does not wait for nodes that
// may follow.
const lateNodesWarning = "follows relationships that may need it: if some of them are refused, import the file again"

// entityKey returns the key for the name of an entity, which is unique in the server's memory.
func (r *mcpReader) entityKey(name string) string {
	return EntityKey(string(MCPMemory), r.UserID, strings.TrimSpace(name))
}

func (r *mcpReader) addEntity(line int64, in *mcpLine) {
	name, ok := r.readName(line, "name", in.Name)
	if !ok {
		return
	}
	n := &wireNode{Kind: "entity", EntityKey: r.entityKey(in.Name), Name: name}
	if strings.EqualFold(in.EntityType, "person") {
		n.Kind = "person"
	} else {
		n.Type = r.cleanWord(line, "entityType", in.EntityType, maxWord)
	}
	n.Description = r.limitText(line, "observations", strings.Join(in.Observations, "\n"), bounds.TextLength)
	n.Notes = r.readNotes(line, "observations", in.Observations, "in the description alone")
	n.Properties = r.newExtras(line, MCPMemory).json()
	r.emitNode(line, n)
}

func (r *mcpReader) addRelation(line int64, in *mcpLine) {
	for _, end := range []struct{ location, name string }{{"from", in.From}, {"to", in.To}} {
		if strings.TrimSpace(end.name) == "" {
			r.addFault(line, end.location, "must not be blank")
			return
		}
	}
	e := r.newExtras(line, MCPMemory)
	w := &wireRelationship{From: r.entityKey(in.From), To: r.entityKey(in.To)}
	w.setType(in.RelationType, e)
	w.Properties = e.json()
	r.emitRelationship(line, w)
}

// setType sets a relationship's type from its name in another system, and keeps that name.
func (w *wireRelationship) setType(name string, e *extras) {
	if w.Type, w.RelationshipType, w.Qualifier = RelationshipType(name); w.RelationshipType == "" {
		e.put(RelationshipName, name)
	}
}
