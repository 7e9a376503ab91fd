package exchange

import (
	"encoding/json"
	"fmt"
	"strings"

	"kith/internal/bounds"
	"kith/text/clip"
)

// mem0Reader reads memories of mem0: a list, or an object with the lists results (or memories) and relations.
type mem0Reader struct {
	*Reader
	document *document
	known    map[string]struct{} // keys of recently written entities
	current  *mem0Memory         // with relations left to read, one at a time: there may be many
	line     int64               // of current
	within   string              // its place
	relation int                 // the number of the next relation
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
	Destination     string `json:"destination"` // used by searches instead of target
	DestinationType string `json:"destination_type"`
}

func (r *mem0Reader) read() error {
	if r.current != nil && len(r.current.Relations) > 0 {
		next := &r.current.Relations[0]
		r.place = fmt.Sprintf("%s.relations[%d]", r.within, r.relation)
		r.relation++
		next.resolve(r.current.Entities)
		r.addRelation(r.line, r.current.user(), next)
		r.current.Relations = r.current.Relations[1:]
		return nil
	}
	r.current = nil
	section, line, raw, err := r.nextElement(r.document)
	if err != nil || raw == nil {
		return err
	}
	var memory mem0Memory
	var relation mem0Relation
	switch {
	case section == "relations" && r.decode(line, raw, &relation):
		r.addRelation(line, "", &relation)
	case section != "relations" && r.decode(line, raw, &memory):
		r.addMemory(line, &memory)
	}
	return nil
}

const memoryNameLength = 80

func (r *mem0Reader) addMemory(line int64, in *mem0Memory) {
	if oneLine(in.Memory) == "" {
		r.addFault(line, "memory", "must not be blank")
		return
	}
	if in.UserID != nil && *in.UserID == "" {
		r.addFault(line, "user_id", "must not be empty: give an id, or leave user_id out")
		return
	}
	user := r.userOf(in.user())
	id := in.id()
	name, cut := memoryName(in.Memory, id)
	n := &wireNode{
		Kind: "concept", EntityKey: EntityKey(string(Mem0), user, "memory", id), UserID: in.user(),
		Name:       name,
		CreatedAt:  formatTime(r.readTime(line, "created_at", in.CreatedAt)),
		UpdatedAt:  formatTime(r.readTime(line, "updated_at", in.UpdatedAt)),
		Properties: r.memoryExtras(line, in),
	}
	if cut {
		n.Description = r.limitText(line, "memory", in.Memory, bounds.TextLength)
	}
	r.emitNode(line, n)
	r.current, r.line, r.within, r.relation = in, line, r.place, 0
}

// memoryName returns a name for a text that has none: its beginning, and a short hash of its id, because names of
// concepts are unique. cut reports whether the name lacks some of the text.
func memoryName(text, id string) (name string, cut bool) {
	title, cut := clip.Runes(oneLine(text), memoryNameLength)
	return strings.TrimSpace(title) + " " + suffixOf(id), cut
}

func (r *mem0Reader) userOf(userID string) string {
	if userID == "" {
		return r.UserID
	}
	return userID
}

// user returns the id of the memory's user; empty: the user of the import.
func (in *mem0Memory) user() string {
	if in.UserID == nil {
		return ""
	}
	return *in.UserID
}

// id returns the id of a memory, which is a text or a number. Without one it returns the memory's text.
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
	e := r.newExtras(line, Mem0)
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
