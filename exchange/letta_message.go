package exchange

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"kith/graph/trust"
	"kith/internal/bounds"
)

// lettaMessage is a message of an agent file, or one of Letta's API, which has a message type and a date.
type lettaMessage struct {
	ID          string          `json:"id"`
	Role        string          `json:"role"`
	MessageType string          `json:"message_type"`
	Content     json.RawMessage `json:"content"`
	Name        string          `json:"name"`
	CreatedAt   json.RawMessage `json:"created_at"`
	Date        json.RawMessage `json:"date"`
	ToolCalls   []struct {
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// lettaRoles has the roles in Kith of Letta's roles and types of messages; empty for those that are not imported.
var lettaRoles = map[string]string{
	"user": "user", "assistant": "assistant", "user_message": "user", "assistant_message": "assistant",
	"system": "", "tool": "", "function": "", "approval": "", "summary": "",
	"system_message": "", "tool_call_message": "", "tool_return_message": "", "reasoning_message": "", "hidden_reasoning_message": "",
	"approval_request_message": "", "approval_response_message": "", "summary_message": "", "event_message": "",
}

const lettaWorkWarning = "messages of the system, of tools, and an agent's reasoning are not imported: they are not what was said"

// addMessage adds a message to the conversation of the agent, which begins with the first one.
func (r *lettaReader) addMessage(line int64, in *lettaMessage) error {
	role, known := lettaRoles[cmp.Or(in.MessageType, trust.RoleOf(in.Role))]
	switch {
	case r.agent.ID == "":
		r.warnOnce(line, "", "messages of an agent whose id does not precede them are not imported")
		return nil
	case r.UserID == "":
		r.warnOnce(line, "agents", "messages are not imported without a user: a conversation belongs to a user")
		return nil
	case !known:
		r.addFault(line, "role", "must be user, assistant, system, tool, function, approval or summary")
		return nil
	case in.ID == "":
		r.addFault(line, "id", "is required")
		return nil
	}
	text := r.textOf(line, in, role)
	if role == "" || text == "" {
		r.warnOnce(line, "agents", lettaWorkWarning)
		return nil
	}
	at := formatTime(r.readTime(line, "created_at", firstTime(in.CreatedAt, in.Date)))
	if r.source == "" {
		r.source = r.key("conversation", r.agent.ID)
		e := r.newExtras(line, Letta)
		e.put("agent_id", r.agent.ID)
		r.emitNode(line, &wireNode{
			Kind: "source", EntityKey: r.source, ContentType: "conversation", Name: r.cleanWord(line, "name", r.agent.Name, bounds.NameLength),
			StartedAt: at, Properties: e.json(),
		})
	}
	r.emitNode(line, &wireNode{
		Kind: "message", EntityKey: r.key("message", in.ID), SourceKey: r.source, Role: role, At: at,
		Name: r.cleanWord(line, "name", in.Name, bounds.NameLength), Text: r.limitText(line, "content", text, bounds.MessageLength),
	})
	return nil
}

// lettaEvents are the types of the JSON objects with which Letta tells an agent about events, as messages of the user.
var lettaEvents = []string{"heartbeat", "login", "system_alert"}

// textOf returns what was said. Agents say it in a message or with the tool send_message, and the text of a user may be
// within a JSON object; nobody said Letta's events.
func (r *lettaReader) textOf(line int64, in *lettaMessage, role string) string {
	if text, sent := in.sentText(); sent {
		return text
	}
	text := r.contentText(line, in.Content)
	var packed struct{ Type, Message string }
	switch {
	case role != "user" || !strings.HasPrefix(text, "{") || json.Unmarshal([]byte(text), &packed) != nil:
		return text
	case packed.Type == "user_message":
		return strings.TrimSpace(packed.Message)
	case slices.Contains(lettaEvents, packed.Type):
		return ""
	}
	return text
}

// sentText returns the texts that were sent with the tool send_message, and whether it was called.
func (in *lettaMessage) sentText() (text string, sent bool) {
	var texts []string
	for _, call := range in.ToolCalls {
		var said struct {
			Message string `json:"message"`
		}
		if call.Function.Name == "send_message" && json.Unmarshal([]byte(call.Function.Arguments), &said) == nil {
			texts = append(texts, said.Message)
		}
	}
	return strings.TrimSpace(strings.Join(texts, "\n\n")), texts != nil
}

// contentText returns a content that is a text, or the texts among its parts.
func (r *lettaReader) contentText(line int64, content json.RawMessage) string {
	var text string
	if len(content) == 0 || json.Unmarshal(content, &text) == nil {
		return strings.TrimSpace(text)
	}
	var parts []struct{ Type, Text string }
	if json.Unmarshal(content, &parts) != nil {
		r.addWarning(line, "content", "was ignored: it must be a text or a list of parts")
		return ""
	}
	var texts []string
	for _, part := range parts {
		switch part.Type {
		case "text":
			texts = append(texts, part.Text)
		case "image":
			r.warnOnce(line, "content", "images are not imported: Kith stores texts")
		}
	}
	return strings.TrimSpace(strings.Join(texts, "\n"))
}
