package exchange

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"kith/graph"
)

// mem0Reader reads memories of mem0: a list, or an object with the lists results (or memories) and relations.
type mem0Reader struct {
	*Reader
	document *document
	known    map[string]struct{} // keys of entities written lately
	open     *mem0Memory         // whose relations are yet to be read, one at a time: they may be many
	line     int64               // its line
}

var mem0Sections = map[string]bool{"": true, "results": true, "memories": true, "relations": true}

type mem0Memory struct {
	ID             json.RawMessage `json:"id"`
	Memory         string          `json:"memory"`
	Hash           string          `json:"hash"`
	UserID         *string         `json:"user_id"`
	AgentID        string          `json:"agent_id"`
	AppID          string          `json:"app_id"`
	RunID          string          `json:"run_id"`
	ActorID        string          `json:"actor_id"`
	Role           string          `json:"role"`
	ExpirationDate string          `json:"expiration_date"`
	Categories     []string        `json:"categories"`
	Metadata       json.RawMessage `json:"metadata"`
	CreatedAt      json.RawMessage `json:"created_at"`
	UpdatedAt      json.RawMessage `json:"updated_at"`
	Entities       []mem0Entity    `json:"entities"`
	Relations      []mem0Relation  `json:"relations"`
}

type mem0Entity struct{ ID, Name, Type string }

type mem0Relation struct {
	Source          string `json:"source"`
	SourceType      string `json:"source_type"`
	Relationship    string `json:"relationship"`
	Target          string `json:"target"`
	TargetType      string `json:"target_type"`
	Destination     string `json:"destination"` // a search says so instead of target
	DestinationType string `json:"destination_type"`
}

func (r *mem0Reader) read() error {
	if r.open != nil && len(r.open.Relations) > 0 {
		next := &r.open.Relations[0]
		next.resolve(r.open.Entities)
		r.relation(r.line, r.open.user(), next)
		r.open.Relations = r.open.Relations[1:]
		return nil
	}
	r.open = nil
	section, raw, err := r.document.next()
	line := r.document.begin
	switch {
	case errors.Is(err, errElementTooLong):
		r.fault(line, section, "an element has more than %d bytes", MaxLine)
		return nil
	case err != nil:
		return err
	}
	if !r.sound(line, section, raw) {
		return nil
	}
	var memory mem0Memory
	var relation mem0Relation
	switch {
	case section == "relations" && r.decode(line, raw, &relation):
		r.relation(line, "", &relation)
	case section != "relations" && r.decode(line, raw, &memory):
		r.memory(line, &memory)
	}
	return nil
}

// sound says whether an element of a document is an object without flaw.
func (r *Reader) sound(line int64, section string, raw []byte) bool {
	flaw := Flaw(raw)
	if flaw == "" && raw[0] != '{' {
		flaw = "must be an object"
	}
	if flaw != "" {
		r.fault(line, section, "an element %s", flaw)
	}
	return flaw == ""
}

const memoryNameLength = 80

func (r *mem0Reader) memory(line int64, in *mem0Memory) {
	title, cut := firstRunes(oneLine(in.Memory), memoryNameLength)
	if title == "" {
		r.fault(line, "memory", "must not be blank")
		return
	}
	if in.UserID != nil && *in.UserID == "" {
		r.fault(line, "user_id", "must not be empty: give an id, or leave user_id out")
		return
	}
	user := r.userOf(in.user())
	id := in.id()
	hash := sha256.Sum256([]byte(id))
	n := &wireNode{
		Kind: "concept", EntityKey: key(string(Mem0), user, "memory", id), UserID: in.user(),
		Name:       strings.TrimSpace(title) + fmt.Sprintf(" #%x", hash[:4]),
		CreatedAt:  stamp(r.time(line, "created_at", in.CreatedAt)),
		UpdatedAt:  stamp(r.time(line, "updated_at", in.UpdatedAt)),
		Properties: r.memoryExtras(line, in),
	}
	if cut {
		n.Description = r.text(line, "memory", in.Memory, graph.MaxTextLength)
	}
	r.node(line, n)
	r.open, r.line = in, line
}

func (r *mem0Reader) userOf(userID string) string {
	if userID == "" {
		return r.UserID
	}
	return userID
}

// user is the id of the user whose memory it is; empty: the one the import is for.
func (in *mem0Memory) user() string {
	if in.UserID == nil {
		return ""
	}
	return *in.UserID
}

// id is that of a memory, a text or a number; what has none is known by its text.
func (in *mem0Memory) id() string {
	id := string(in.ID)
	if strings.HasPrefix(id, `"`) {
		_ = json.Unmarshal(in.ID, &id)
	}
	if id == "" || id == "null" {
		return in.Memory
	}
	return id
}

func (r *mem0Reader) memoryExtras(line int64, in *mem0Memory) json.RawMessage {
	e := r.extras(line, Mem0)
	e.put("id", in.ID)
	for _, p := range []struct{ name, value string }{
		{"hash", in.Hash}, {"agent_id", in.AgentID}, {"app_id", in.AppID}, {"run_id", in.RunID},
		{"actor_id", in.ActorID}, {"role", in.Role}, {"expiration_date", in.ExpirationDate},
	} {
		e.put(p.name, p.value)
	}
	e.put("categories", in.Categories)
	e.put("metadata", in.Metadata)
	return e.json()
}
