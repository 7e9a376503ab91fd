package transcript

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"regexp"
	"strings"
	"time"

	"kith/internal/jsonline"
)

// record has the fields of a line that matter, of all three agents.
type record struct {
	Type      string
	Timestamp string

	// Claude Code.
	UUID              string
	ParentUUID        json.RawMessage
	SessionID         string
	IsSidechain       bool // of a subagent
	IsMeta            bool // inserted by the program
	IsCompactSummary  bool
	IsAPIErrorMessage bool
	Message           json.RawMessage // also Cursor

	Role    string   // Cursor
	Payload *payload // Codex
}

// payload is the content of a line of Codex.
type payload struct {
	Type    string
	ID      string          // of session_meta
	Message json.RawMessage // of user_message and agent_message, which older versions write
	Item    struct {        // of item_completed
		Type    string
		Content json.RawMessage
	}
}

// spoken is a message as Claude Code and Cursor write it.
type spoken struct {
	Role    string
	Content json.RawMessage
}

// plainID is an id that can be a part of a key.
var plainID = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,100}$`)

// parse parses a line that begins at an offset. It returns false for a line without a message, and the fault of a line that
// is none of a transcript.
func (r *Reader) parse(raw []byte, start int64) (m Message, known bool, fault string) {
	if len(raw) == 0 {
		return Message{}, false, ""
	}
	var line record
	if wrong, fault := jsonline.Decode(raw, &line); fault != "" {
		return Message{}, false, fault
	} else if wrong != nil {
		return Message{}, false, strings.ToLower(wrong.Field) + " has a wrong type"
	}
	parent := ""
	_ = json.Unmarshal(line.ParentUUID, &parent) // of the first line it is null
	if r.Follows != nil && line.UUID != "" && parent != "" {
		r.Follows(line.UUID, parent)
	}
	role, content, fault := r.content(&line)
	if fault != "" || content == nil || line.IsSidechain || line.IsMeta || line.IsCompactSummary || line.IsAPIErrorMessage {
		return Message{}, false, fault
	}
	text, fault := textOf(content)
	if text = clean(text); fault != "" || text == "" {
		return Message{}, false, fault
	}
	if !plainID.MatchString(line.UUID) {
		line.UUID = fmt.Sprintf("at-%d-%08x", start, crc32.ChecksumIEEE(raw))
	}
	return Message{ID: line.UUID, Session: r.session, Role: role, Text: text, At: r.time(line.Timestamp), Line: r.lines.Number, Parent: parent}, true, ""
}

// content returns who said what in a line; nothing for a line without a message.
func (r *Reader) content(line *record) (role string, content json.RawMessage, fault string) {
	switch {
	case line.Payload != nil:
		return r.codexContent(line)
	case line.Type == User, line.Type == Assistant, line.Type == "" && line.Role != "":
		r.session = cmp.Or(line.SessionID, r.session)
		said := spoken{Role: line.Role}
		if len(line.Message) == 0 || json.Unmarshal(line.Message, &said) != nil {
			return "", nil, "message must be an object with role and content"
		}
		return knownRole(said.Role, said.Content)
	case line.Type == "" && len(line.Message) == 0:
		return "", nil, "is no line of a transcript: it has neither type nor message"
	}
	return "", nil, "" // bookkeeping
}

// codexContent returns who said what in a line of Codex. What the user typed and what the agent answered are events; the
// items of the model's input beside them also have what the program inserted.
func (r *Reader) codexContent(line *record) (role string, content json.RawMessage, fault string) {
	p := line.Payload
	switch {
	case line.Type == "session_meta":
		r.session = cmp.Or(p.ID, r.session)
	case line.Type != "event_msg":
	case p.Type == "user_message":
		return User, p.Message, ""
	case p.Type == "agent_message":
		return Assistant, p.Message, ""
	case p.Type == "item_completed" && p.Item.Type == "UserMessage":
		return User, p.Item.Content, ""
	case p.Type == "item_completed" && p.Item.Type == "AgentMessage":
		return Assistant, p.Item.Content, ""
	}
	return "", nil, ""
}

// knownRole returns the content of a message by the user or the agent, nothing of one by a tool or the program.
func knownRole(role string, content json.RawMessage) (string, json.RawMessage, string) {
	switch role {
	case User, Assistant:
		return role, content, ""
	case "tool", "system", "developer":
		return "", nil, ""
	}
	return "", nil, fmt.Sprintf("unknown role %.40q: user or assistant is expected", role)
}

// textOf returns the text of a content, which is a string or a list of blocks. Blocks of other kinds are left out.
func textOf(content json.RawMessage) (text, fault string) {
	if json.Unmarshal(content, &text) == nil {
		return text, ""
	}
	var blocks []struct{ Type, Text string }
	if json.Unmarshal(content, &blocks) != nil {
		return "", "content must be a string or a list of blocks"
	}
	var texts []string
	for _, b := range blocks {
		if strings.EqualFold(b.Type, "text") && b.Text != "" { // Codex writes text and Text
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n\n"), ""
}

// time returns the time of a line, zero if it has none that can be right.
func (r *Reader) time(written string) time.Time {
	if written == "" {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339, written)
	switch {
	case err != nil:
		r.report(Fault{r.lines.Number, "timestamp is not a time of RFC 3339: it is ignored", true})
	case at.Unix() < 0:
		r.report(Fault{r.lines.Number, "timestamp is before 1970: it is ignored", true})
	default:
		return at.UTC()
	}
	return time.Time{}
}
