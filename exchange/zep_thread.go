package exchange

import (
	"cmp"
	"encoding/json"
	"strings"

	"kith/graph/trust"
	"kith/internal/bounds"
)

type zepThread struct {
	UUID      string          `json:"uuid"`
	ThreadID  string          `json:"thread_id"`
	UserUUID  string          `json:"user_uuid"`
	CreatedAt json.RawMessage `json:"created_at"`
	UpdatedAt json.RawMessage `json:"updated_at"`
}

// zepText is a message, an episode, or the summary of a thread.
type zepText struct {
	UUID              string          `json:"uuid"`
	ThreadUUID        string          `json:"thread_uuid"`
	UserUUID          string          `json:"user_uuid"`
	GraphUUID         string          `json:"graph_uuid"`
	Content           string          `json:"content"`
	Summary           string          `json:"summary"`
	Role              string          `json:"role"`
	Name              string          `json:"name"`
	RoleName          string          `json:"role_name"`
	Source            string          `json:"source"`
	SourceDescription string          `json:"source_description"`
	DocumentID        string          `json:"document_id"`
	Metadata          json.RawMessage `json:"metadata"`
	CreatedAt         json.RawMessage `json:"created_at"`
	ReferenceTime     json.RawMessage `json:"reference_time"`
}

// addThread adds a conversation, and remembers its user.
func (r *zepReader) addThread(line int64, in *zepThread) error {
	if in.UUID == "" {
		r.addFault(line, "uuid", "is required")
		return nil
	}
	user, ok, err := r.userOf(line, in.UserUUID)
	if err != nil || !ok {
		return err
	}
	if user == "" {
		r.addFault(line, "user_uuid", "is required, or a user of the import: a conversation belongs to a user")
		return nil
	}
	if err := r.seen.Put("thread "+in.UUID, user); err != nil {
		return err
	}
	e := r.newExtras(line, Zep)
	e.put("uuid", in.UUID)
	e.put("thread_id", in.ThreadID)
	begun := formatTime(r.readTime(line, "created_at", in.CreatedAt))
	r.emitNode(line, &wireNode{
		Kind: "source", EntityKey: r.key(user, in.UUID), UserID: user, Name: r.cleanWord(line, "thread_id", in.ThreadID, bounds.NameLength),
		ContentType: "conversation", StartedAt: begun, EndedAt: formatTime(r.readTime(line, "updated_at", in.UpdatedAt)), CreatedAt: begun,
		Properties: e.json(),
	})
	return nil
}

// threadOf returns the user of a thread. It adds a fault if the thread is unknown.
func (r *zepReader) threadOf(line int64, uuid string) (user string, ok bool, err error) {
	user, ok, err = r.seen.Get("thread " + uuid)
	if err == nil && !ok {
		r.addFault(line, "thread_uuid", "must be a thread that comes before it in the file")
	}
	return user, ok, err
}

func (r *zepReader) addMessage(line int64, in *zepText) error {
	user, ok, err := r.threadOf(line, in.ThreadUUID)
	if err != nil || !ok {
		return err
	}
	if strings.TrimSpace(in.Content) == "" {
		r.warnOnce(line, "content", "is blank: such messages are not imported")
		return nil
	}
	if in.UUID == "" {
		r.addFault(line, "uuid", "is required")
		return nil
	}
	r.emitNode(line, &wireNode{
		Kind: "message", EntityKey: r.key(user, in.UUID), UserID: user, SourceKey: r.key(user, in.ThreadUUID), Role: trust.RoleOf(in.Role),
		Name: r.cleanWord(line, "name", in.Name, bounds.NameLength), Text: r.limitText(line, "content", in.Content, bounds.MessageLength),
		At: formatTime(r.readTime(line, "reference_time", firstTime(in.ReferenceTime, in.CreatedAt))),
	})
	if !isEmpty(in.Metadata) {
		r.warnOnce(line, "metadata", "metadata of messages are not imported")
	}
	return nil
}

func (r *zepReader) addThreadSummary(line int64, in *zepText) error {
	user, ok, err := r.threadOf(line, in.ThreadUUID)
	if err != nil || !ok || in.Summary == "" {
		return err
	}
	r.emitNode(line, &wireNode{
		Kind: "source", EntityKey: r.key(user, in.ThreadUUID), UserID: user, Summary: r.limitText(line, "summary", in.Summary, bounds.TextLength),
	})
	return nil
}

// addEpisode remembers the source of an episode. A message of a thread is an episode, too; any other becomes a source.
func (r *zepReader) addEpisode(line int64, in *zepText) error {
	if in.UUID == "" {
		r.addFault(line, "uuid", "is required")
		return nil
	}
	if in.ThreadUUID != "" {
		user, found, err := r.seen.Get("thread " + in.ThreadUUID)
		if err == nil && found {
			err = r.seen.Put("episode "+in.UUID, r.key(user, in.ThreadUUID))
		}
		if err != nil || found {
			return err
		}
	}
	user, ok, err := r.userOf(line, in.UserUUID)
	if err != nil || !ok {
		return err
	}
	key := r.key(user, in.UUID)
	r.emitNode(line, r.readEpisode(line, key, user, in))
	return r.seen.Put("episode "+in.UUID, key)
}

func (r *zepReader) readEpisode(line int64, key, user string, in *zepText) *wireNode {
	at := formatTime(r.readTime(line, "reference_time", firstTime(in.ReferenceTime, in.CreatedAt)))
	e := r.newExtras(line, Zep)
	for _, p := range []struct{ name, value string }{
		{"uuid", in.UUID}, {"graph_uuid", in.GraphUUID}, {"source", in.Source}, {"source_description", in.SourceDescription},
		{"document_id", in.DocumentID}, {"role", in.Role}, {"role_name", in.RoleName},
	} {
		e.put(p.name, p.value)
	}
	e.put("metadata", in.Metadata)
	return &wireNode{
		Kind: "source", EntityKey: key, UserID: user, ContentType: "text-note", SourceType: "text-import",
		Name:    r.cleanWord(line, "source_description", cmp.Or(in.SourceDescription, in.RoleName), bounds.NameLength),
		Summary: r.limitText(line, "content", in.Content, bounds.TextLength), StartedAt: at, EndedAt: at,
		CreatedAt: formatTime(r.readTime(line, "created_at", in.CreatedAt)), Properties: e.json(),
	}
}
