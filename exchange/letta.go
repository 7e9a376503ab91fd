package exchange

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"kith/internal/bounds"
)

// lettaReader reads an agent file of Letta (.af): a document of agents with their messages, blocks, and what an agent
// runs with. kith migrate adds passages, the archival memory, which agent files lack.
type lettaReader struct {
	*Reader
	document *document
	agent    lettaAgent // the last one
	flawed   bool       // it has a fault
	source   string     // the key of its conversation, when that has been added
}

var lettaSections = map[string]bool{
	"agents": true, "blocks": true, "passages": true,
	"tools": true, "mcp_servers": true, "groups": true, "files": true, "sources": true, "skills": true, "core_memory": true,
}

// lettaSkipped says why sections are not imported.
var lettaSkipped = map[string]string{
	"tools":       "tools are not imported: they are not memory",
	"mcp_servers": "MCP servers are not imported: they are not memory",
	"groups":      "groups of agents are not imported: they are not memory",
	"files":       "files are not imported: the agent file may lack their text; give the documents to Kith as sources",
	"sources":     "folders of files are not imported: the agent file may lack their text",
	"skills":      "skills are not imported: they are not memory",
}

type lettaAgent struct {
	ID          string          `json:"id"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	AgentType   string          `json:"agent_type"`
	BlockIDs    []string        `json:"block_ids"`
	Tags        []string        `json:"tags"`
	CreatedAt   json.RawMessage `json:"created_at"`
	Metadata    json.RawMessage `json:"metadata"`
}

func (r *lettaReader) read() error {
	section, line, raw, err := r.nextImported(r.document, lettaSkipped)
	if section == "agents" {
		r.agent, r.flawed, r.source = lettaAgent{}, raw == nil, ""
	}
	if err != nil || raw == nil {
		return err
	}
	switch section {
	case "agents", "agents.rest":
		return r.readAgent(line, section, raw)
	case "agents.messages":
		return readAs(r.Reader, line, raw, r.addMessage)
	case "blocks":
		return readAs(r.Reader, line, raw, r.addBlock)
	case "passages":
		return readAs(r.Reader, line, raw, r.addPassage)
	}
	r.addFault(line, "", "is of Letta's former format: export the agent again, without use_legacy_format")
	return nil
}

func (r *lettaReader) key(kind, id string) string {
	return EntityKey(string(Letta), r.UserID, kind, id)
}

// readAgent reads the members of an agent before its messages, or the rest, and adds the agent if they say something new.
func (r *lettaReader) readAgent(line int64, section string, raw []byte) error {
	before := r.agent
	if !r.decode(line, raw, &r.agent) {
		return nil
	}
	more := section == "agents" && r.document.listRead // the rest follows
	switch {
	case r.agent.ID == "" && !more && !r.flawed:
		r.addFault(line, "id", "is required")
	case r.agent.ID != "" && !reflect.DeepEqual(before, r.agent):
		return r.addAgent(line)
	}
	return nil
}

// addAgent adds an agent, and remembers its name for its blocks.
func (r *lettaReader) addAgent(line int64) error {
	in := &r.agent
	for _, block := range in.BlockIDs {
		if err := r.seen.Put("block "+block, in.Name); err != nil {
			return err
		}
	}
	name, ok := r.readName(line, "name", in.Name)
	if !ok {
		return nil
	}
	e := r.newExtras(line, Letta)
	e.put("id", in.ID)
	e.put("agent_type", in.AgentType)
	e.put("tags", in.Tags)
	e.put("metadata", in.Metadata)
	r.emitNode(line, &wireNode{
		Kind: "entity", EntityKey: r.key("agent", in.ID), Name: name, Type: "agent",
		Description: r.limitText(line, "description", in.Description, bounds.TextLength),
		CreatedAt:   formatTime(r.readTime(line, "created_at", in.CreatedAt)), Properties: e.json(),
	})
	return nil
}

type lettaBlock struct {
	ID          string          `json:"id"`
	Label       string          `json:"label"`
	Value       string          `json:"value"`
	Description string          `json:"description"`
	Metadata    json.RawMessage `json:"metadata"`
	Tags        []string        `json:"tags"`
}

// humanLabel is Letta's label for the block about the user.
const humanLabel = "human"

// addBlock adds a block of core memory: about the user as notes on the person who it is, others as concepts.
func (r *lettaReader) addBlock(line int64, in *lettaBlock) error {
	switch {
	case in.ID == "":
		r.addFault(line, "id", "is required")
		return nil
	case strings.TrimSpace(in.Value) == "":
		r.warnOnce(line, "value", "is blank: such blocks are not imported")
		return nil
	case in.Label == humanLabel && r.UserID != "":
		r.emitUser(line, &wireNode{
			EntityKey: r.key("user", ""), Name: r.UserID, Notes: r.readNotes(line, "value", paragraphs(in.Value), "not imported"),
			Properties: r.newExtras(line, Letta).json(),
		})
		return nil
	}
	agent, _, err := r.seen.Get("block " + in.ID)
	if err != nil {
		return err
	}
	title := in.Label
	if agent != "" {
		title += " of " + agent
	}
	name, _ := memoryName(title, in.ID)
	e := r.newExtras(line, Letta)
	e.put("id", in.ID)
	e.put("label", in.Label)
	e.put("block_description", in.Description)
	e.put("tags", in.Tags)
	e.put("metadata", in.Metadata)
	r.emitNode(line, &wireNode{
		Kind: "concept", EntityKey: r.key("block", in.ID), Name: name,
		Description: r.limitText(line, "value", in.Value, bounds.TextLength), Properties: e.json(),
	})
	return nil
}

// paragraphs splits a text at blank lines.
func paragraphs(text string) []string {
	parts := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return slices.DeleteFunc(parts, func(part string) bool { return part == "" })
}

type lettaPassage struct {
	ID        string          `json:"id"`
	Text      string          `json:"text"`
	Tags      []string        `json:"tags"`
	ArchiveID string          `json:"archive_id"`
	Metadata  json.RawMessage `json:"metadata"`
	CreatedAt json.RawMessage `json:"created_at"`
}

// addPassage adds a passage of archival memory.
func (r *lettaReader) addPassage(line int64, in *lettaPassage) error {
	if oneLine(in.Text) == "" {
		r.addFault(line, "text", "must not be blank")
		return nil
	}
	if in.ID == "" {
		r.addFault(line, "id", "is required")
		return nil
	}
	e := r.newExtras(line, Letta)
	e.put("id", in.ID)
	e.put("archive_id", in.ArchiveID)
	e.put("tags", in.Tags)
	e.put("metadata", in.Metadata)
	name, cut := memoryName(in.Text, in.ID)
	n := &wireNode{
		Kind: "concept", EntityKey: r.key("passage", in.ID), Name: name,
		CreatedAt:  formatTime(r.readTime(line, "created_at", in.CreatedAt)),
		Properties: e.json(),
	}
	if cut {
		n.Description = r.limitText(line, "text", in.Text, bounds.TextLength)
	}
	r.emitNode(line, n)
	return nil
}
