package chatlog

import (
	"cmp"
	"encoding/json"
	"fmt"

	"kith/graph/trust"
)

// call is a line of a log of a message API, or a part of it: a request with messages (or input), a response, or an object with both.
type call struct {
	// Of a request.
	System       content   `json:"system"`
	Instructions content   `json:"instructions"`
	Messages     []apiItem `json:"messages"`
	Input        apiItems  `json:"input"`

	// Of a response.
	Choices []struct {
		Message *apiItem `json:"message"`
	} `json:"choices"`
	Output     []apiItem `json:"output"`
	StopReason string    `json:"stop_reason"` // Anthropic
	apiItem

	// Around them.
	Request  *call `json:"request"`
	Response *call `json:"response"`
	Body     *call `json:"body"`

	Created   json.RawMessage `json:"created"`
	CreatedAt json.RawMessage `json:"created_at"`
	Timestamp json.RawMessage `json:"timestamp"`
	Time      json.RawMessage `json:"time"`
}

// apiItem is a message, or another item of a conversation with a model.
type apiItem struct {
	Type         string            `json:"type"`
	Role         string            `json:"role"`
	Content      content           `json:"content"`
	Refusal      string            `json:"refusal"`
	ToolCalls    []json.RawMessage `json:"tool_calls"`
	FunctionCall json.RawMessage   `json:"function_call"`
	Thinking     string            `json:"reasoning_content"`
	Audio        json.RawMessage   `json:"audio"`
}

// apiItems are items, or the text of the user.
type apiItems []apiItem

// UnmarshalJSON decodes a text or a list of items.
func (a *apiItems) UnmarshalJSON(raw []byte) error {
	text := ""
	if json.Unmarshal(raw, &text) == nil {
		*a = nil
		if text != "" {
			*a = apiItems{{Role: userRole, Content: content{{text: text}}}}
		}
		return nil
	}
	return json.Unmarshal(raw, (*[]apiItem)(a))
}

// calls returns the call and those in it, requests before responses.
func (c *call) calls() []*call {
	if c == nil {
		return nil
	}
	all := append(c.Request.calls(), c.Body.calls()...)
	return append(append([]*call{c}, all...), c.Response.calls()...)
}

// items returns all items in their order, and how many answers beyond the first there are.
func (c *call) items() (items []*apiItem, others int64) {
	for _, in := range c.calls() {
		for n := range in.Messages {
			items = append(items, &in.Messages[n])
		}
		for n := range in.Input {
			items = append(items, &in.Input[n])
		}
		for n := range in.Choices {
			if n > 0 {
				others++
			} else if in.Choices[n].Message != nil {
				items = append(items, in.Choices[n].Message)
			}
		}
		for n := range in.Output {
			items = append(items, &in.Output[n])
		}
		if in.Role != "" { // a response of Anthropic is a message
			items = append(items, &in.apiItem)
		}
	}
	return items, others
}

// at returns the time of the call.
func (c *call) at() json.RawMessage {
	var at json.RawMessage
	for _, in := range c.calls() {
		for _, written := range []json.RawMessage{in.Timestamp, in.Time, in.CreatedAt, in.Created} {
			if len(at) == 0 && string(written) != "null" {
				at = written
			}
		}
	}
	return at
}

// hasSystem reports whether there is a prompt of the system beside the messages.
func (c *call) hasSystem() bool {
	for _, in := range c.calls() {
		if len(in.System)+len(in.Instructions) > 0 {
			return true
		}
	}
	return false
}

// parts returns the parts of an item with its calls of tools.
func (i *apiItem) parts() []part {
	parts := append(content(nil), i.Content...)
	if i.Thinking != "" {
		parts = append(parts, part{reason: Thoughts})
	}
	if i.Refusal != "" {
		parts = append(parts, part{text: i.Refusal})
	}
	if len(i.Audio) > 0 && string(i.Audio) != "null" {
		parts = append(parts, part{reason: Audio})
	}
	calls := len(i.ToolCalls)
	if len(i.FunctionCall) > 0 && string(i.FunctionCall) != "null" {
		calls++
	}
	for range calls {
		parts = append(parts, part{reason: ToolCalls})
	}
	return parts
}

// read returns the role and the text of an item; an empty role for one of the system, a tool or none of a message.
func (i *apiItem) read(notTaken map[Reason]int64) (role, text string, err error) {
	if i.Type != "" && i.Type != "message" {
		notTaken[cmp.Or(reasonOf(i.Type), UnknownContent)]++
		return "", "", nil
	}
	switch role := trust.RoleOf(i.Role); role {
	case userRole, assistantRole:
		return role, join(i.parts(), "", notTaken), nil
	case "system", "developer":
		notTaken[SystemMessages]++
	case "tool", "function":
		notTaken[ToolMessages]++
	default:
		return "", "", errRole("role", "user", "assistant", "system", "developer", "tool", "function")
	}
	return "", "", nil
}

// decodeCall decodes a line of a log.
func decodeCall(raw []byte) (*call, error) {
	c := &call{}
	if err := json.Unmarshal(raw, c); err != nil {
		return nil, err
	}
	if items, _ := c.items(); len(items) == 0 {
		return nil, fmt.Errorf("has no messages: expected messages, input, choices, output or content, also within request, response or body")
	}
	return c, nil
}

// LogFormat returns whose message API wrote a line of a log. The default is OpenAI.
func LogFormat(raw []byte) Format {
	c := &call{}
	if json.Unmarshal(raw, c) != nil {
		return OpenAI
	}
	for _, in := range c.calls() {
		if len(in.System) > 0 || in.StopReason != "" {
			return Anthropic
		}
	}
	return OpenAI
}
