package chatlog

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"kith/graph/trust"
)

// chatGPT is a conversation of conversations.json. Its messages are a tree, as an edited question and an answer that was
// generated again are branches.
type chatGPT struct {
	ConversationID string                 `json:"conversation_id"`
	ID             string                 `json:"id"`
	Title          string                 `json:"title"`
	CurrentNode    string                 `json:"current_node"`
	Mapping        map[string]chatGPTNode `json:"mapping"`
}

type chatGPTNode struct {
	Parent  string          `json:"parent"`
	Message *chatGPTMessage `json:"message"`
}

type chatGPTMessage struct {
	Author struct {
		Role string `json:"role"`
	} `json:"author"`
	CreateTime json.RawMessage `json:"create_time"`
	Content    struct {
		ContentType string  `json:"content_type"`
		Parts       content `json:"parts"`
	} `json:"content"`
	Recipient string `json:"recipient"`
	Channel   string `json:"channel"`
	Metadata  struct {
		Hidden      bool `json:"is_visually_hidden_from_conversation"`
		Attachments []struct {
			MimeType string `json:"mime_type"`
		} `json:"attachments"`
	} `json:"metadata"`
}

// parseChatGPT takes the branch that ends in current_node: the one that the user saw last.
func parseChatGPT(raw []byte, c *Conversation) error {
	var in chatGPT
	if err := json.Unmarshal(raw, &in); err != nil {
		return err
	}
	if in.Mapping == nil {
		return errors.New("has no mapping: expected a conversation of ChatGPT")
	}
	c.ID, c.Title = cmp.Or(in.ConversationID, in.ID), in.Title
	ids, err := in.branch(c)
	if err != nil {
		return err
	}
	for n, id := range ids {
		if m := in.Mapping[id].Message; m != nil {
			if err := m.addTo(c, id); err != nil {
				return fmt.Errorf("message %d: %w", n+1, err)
			}
		}
	}
	c.ID = cmp.Or(c.ID, firstID(c))
	return nil
}

func firstID(c *Conversation) string {
	if len(c.Messages) == 0 {
		return ""
	}
	return c.Messages[0].ID
}

// branch returns the ids of the branch to take, and counts the messages of the others.
func (in *chatGPT) branch(c *Conversation) ([]string, error) {
	parents := make(map[string]string, len(in.Mapping))
	for id, node := range in.Mapping {
		parents[id] = node.Parent
	}
	leaf := in.CurrentNode
	if _, known := parents[leaf]; !known {
		var err error
		if leaf, err = onlyLeaf(parents); err != nil {
			return nil, err
		}
	}
	ids, broken, err := branch(parents, leaf)
	if broken {
		c.NotTaken[NoBeginning]++
	}
	on := map[string]bool{}
	for _, id := range ids {
		on[id] = true
	}
	for id, node := range in.Mapping {
		if !on[id] && node.Message != nil {
			c.NotTaken[OtherBranches]++
		}
	}
	return ids, err
}

// addTo adds the message to a conversation, or counts why it does not.
func (m *chatGPTMessage) addTo(c *Conversation, id string) error {
	switch role := trust.RoleOf(m.Author.Role); {
	case role == "system" || role == "developer":
		c.NotTaken[SystemMessages]++
	case role == "tool":
		c.NotTaken[ToolMessages]++
	case role != userRole && role != assistantRole:
		return errRole("author.role", userRole, assistantRole, "system", "tool")
	case m.wholeReason() != "":
		c.NotTaken[m.wholeReason()]++
	default:
		for _, a := range m.Metadata.Attachments {
			if !strings.HasPrefix(a.MimeType, "image/") { // images are parts too
				c.NotTaken[Files]++
			}
		}
		return c.add(id, role, join(m.Content.Parts, "\n", c.NotTaken), m.CreateTime)
	}
	return nil
}

// wholeReason returns why nothing of the message is taken; empty if its parts decide.
func (m *chatGPTMessage) wholeReason() Reason {
	kind := m.Content.ContentType
	switch {
	case reasonOf(kind) != "" && kind != "multimodal_text":
		return reasonOf(kind)
	case m.Metadata.Hidden:
		return Hidden
	case m.Recipient != "" && m.Recipient != "all":
		return ToolCalls
	case m.Channel == "analysis":
		return Thoughts
	}
	return ""
}

func errRole(field string, known ...string) error {
	return fmt.Errorf("%s must be one of %s", field, strings.Join(known, ", "))
}
