package exchange

import (
	"encoding/json"
	"slices"
	"strings"
)

// graphitiReader reads a document of Graphiti's nodes and edges, which is a JSON dump of its objects.
type graphitiReader struct {
	*Reader
	document *document
	related  bool // an edge has been read
}

var graphitiSections = map[string]bool{
	"nodes": true, "entity_nodes": true, "episodic_nodes": true, "episodes": true, "episode": true,
	"edges": true, "entity_edges": true, "episodic_edges": true,
	"communities": true, "community_nodes": true, "community_edges": true, "sagas": true,
}

type graphitiNode struct {
	UUID              string          `json:"uuid"`
	Name              string          `json:"name"`
	GroupID           string          `json:"group_id"`
	Labels            []string        `json:"labels"`
	Type              string          `json:"type"`
	Summary           string          `json:"summary"`
	CreatedAt         json.RawMessage `json:"created_at"`
	Attributes        json.RawMessage `json:"attributes"`
	Content           *string         `json:"content"`
	Source            string          `json:"source"`
	SourceDescription string          `json:"source_description"`
	ValidAt           json.RawMessage `json:"valid_at"`
}

type graphitiEdge struct {
	fact
	Type     string   `json:"type"`
	Episodes []string `json:"episodes"`
}

func (r *graphitiReader) read() error {
	section, line, raw, err := r.nextImported(r.document, graphitiSkipped)
	switch {
	case err != nil || raw == nil:
		return err
	case strings.HasSuffix(section, "edges"):
		r.readEdge(line, section, raw)
	default:
		r.readNode(line, section, raw)
	}
	return nil
}

// graphitiSkipped says why sections are not imported.
var graphitiSkipped = map[string]string{
	"communities": skippedWarning, "community_nodes": skippedWarning, "community_edges": skippedWarning, "sagas": skippedWarning,
}

const skippedWarning = "communities and sagas are not imported: Kith makes its own from the imported memory"

func (r *graphitiReader) readNode(line int64, section string, raw []byte) {
	var in graphitiNode
	if !r.decode(line, raw, &in) {
		return
	}
	if in.UUID == "" {
		r.addFault(line, "uuid", "is required")
		return
	}
	if r.related {
		r.warnOnce(line, "", lateNodesWarning)
	}
	has := func(label string) bool { return strings.EqualFold(in.Type, label) || slices.Contains(in.Labels, label) }
	switch {
	case has("Community") || has("Saga"):
		r.warnOnce(line, "", skippedWarning)
	case strings.HasPrefix(section, "epis") || has("Episodic") || in.Content != nil:
		r.addEpisode(line, &in)
	default:
		r.addEntity(line, &in)
	}
}

func (r *graphitiReader) entityKey(uuid string) string {
	return EntityKey(string(Graphiti), r.UserID, uuid)
}

func (r *graphitiReader) readEdge(line int64, section string, raw []byte) {
	var in graphitiEdge
	if !r.decode(line, raw, &in) {
		return
	}
	if !r.checkEnds(line, &in.fact) {
		return
	}
	r.related = true
	is := func(name string) bool { return strings.EqualFold(in.Type, name) || in.Fact == "" && in.Name == name }
	switch {
	case is("HAS_MEMBER") || is("HAS_EPISODE") || is("NEXT_EPISODE"):
		r.warnOnce(line, "", skippedWarning)
	case section == "episodic_edges" || is("MENTIONS"):
		r.addMention(line, &in)
	default:
		r.addFact(line, &in)
	}
}
