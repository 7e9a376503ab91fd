package exchange

import (
	"cmp"
	"encoding/json"

	"kith/internal/bounds"
)

// zepReader reads a document of Zep's users, threads, messages, episodes, nodes and edges, which is a JSON dump of the
// objects of its SDK. What others refer to comes first: users, then threads, messages, episodes, nodes, edges.
type zepReader struct {
	*Reader
	document *document
	only     string // the file's user, if the import names a user
}

var zepSections = map[string]bool{
	"users": true, "threads": true, "messages": true, "thread_summaries": true, "episodes": true,
	"nodes": true, "observations": true, "edges": true,
	"hyperedges": true, "document_summaries": true, "context_templates": true, "ontology": true, "agents": true,
}

// zepSkipped says why sections are not imported.
var zepSkipped = map[string]string{
	"hyperedges":         "hyperedges are not imported: each of their edges is, with the same fact",
	"document_summaries": "summaries of documents are not imported: their episodes are",
	"context_templates":  "context templates are not imported: they are not memory",
	"ontology":           "ontologies are not imported: the types of relationships are defined as they occur",
	"agents":             "agents and their skills are not imported: they are not a user's memory",
}

func (r *zepReader) read() error {
	section, line, raw, err := r.nextImported(r.document, zepSkipped)
	if err != nil || raw == nil {
		return err
	}
	switch section {
	case "users":
		return readAs(r.Reader, line, raw, r.addUser)
	case "threads":
		return readAs(r.Reader, line, raw, r.addThread)
	case "messages":
		return readAs(r.Reader, line, raw, r.addMessage)
	case "thread_summaries":
		return readAs(r.Reader, line, raw, r.addThreadSummary)
	case "episodes":
		return readAs(r.Reader, line, raw, r.addEpisode)
	case "nodes":
		return readAs(r.Reader, line, raw, r.addNode)
	case "observations":
		return readAs(r.Reader, line, raw, r.addObservation)
	}
	return readAs(r.Reader, line, raw, r.addEdge)
}

type zepUser struct {
	UUID      string          `json:"uuid"`
	UserID    string          `json:"user_id"`
	FirstName string          `json:"first_name"`
	LastName  string          `json:"last_name"`
	Email     string          `json:"email"`
	TimeZone  string          `json:"time_zone"`
	CreatedAt json.RawMessage `json:"created_at"`
	Metadata  json.RawMessage `json:"metadata"`
}

// addUser remembers a user, and adds the person who it is, with the user_id in place of a name if it has none. Zep's graph may have
// the name.
func (r *zepReader) addUser(line int64, in *zepUser) error {
	if in.UUID == "" {
		r.addFault(line, "uuid", "is required")
		return nil
	}
	if err := r.seen.Put("user "+in.UUID, cmp.Or(in.UserID, in.UUID)); err != nil {
		return err
	}
	user, ok, err := r.userOf(line, in.UUID)
	if err != nil || !ok {
		return err
	}
	name := r.cleanWord(line, "first_name", in.FirstName+" "+in.LastName, bounds.NameLength)
	if name == "" {
		name = r.cleanWord(line, "user_id", in.UserID, bounds.NameLength)
	}
	if name == "" {
		if in.Email != "" || in.TimeZone != "" || !isEmpty(in.Metadata) {
			r.warnOnce(line, "user_id", "a user with neither a name nor a user_id: its email, time_zone and metadata are not imported")
		}
		return nil
	}
	e := r.newExtras(line, Zep)
	e.put("uuid", in.UUID)
	e.put("user_id", in.UserID)
	e.put("email", in.Email)
	e.put("time_zone", in.TimeZone)
	e.put("metadata", in.Metadata)
	r.emitUser(line, &wireNode{
		EntityKey: r.personKey(user), UserID: user, Name: name,
		CreatedAt: formatTime(r.readTime(line, "created_at", in.CreatedAt)), Properties: e.json(),
	})
	return nil
}

func (r *zepReader) key(user, uuid string) string { return EntityKey(string(Zep), user, uuid) }

// personKey returns the key of the person who a user is.
func (r *zepReader) personKey(user string) string { return EntityKey(string(Zep), user, "", "user") }

// userOf returns the user of an element: the import's user, or that of the file; empty for a graph that is nobody's. It
// adds a fault if the import is for one user, and the file has several.
func (r *zepReader) userOf(line int64, uuid string) (user string, ok bool, err error) {
	switch {
	case uuid == "":
		return r.UserID, true, nil
	case r.UserID == "":
		user, found, err := r.seen.Get("user " + uuid)
		if !found {
			user = uuid
		}
		return user, true, err
	}
	if r.only = cmp.Or(r.only, uuid); r.only != uuid {
		r.addFault(line, "user_uuid", "is another user than that of the first element: import each user's file, or leave the user of the import out")
		return "", false, nil
	}
	return r.UserID, true, nil
}

// nodeKey returns the key of a node of the file. One may be the person who the user is.
func (r *zepReader) nodeKey(user, uuid string) (string, error) {
	key, found, err := r.seen.Get("node " + uuid)
	if found {
		return key, err
	}
	return r.key(user, uuid), err
}
