package chatlog

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"kith/graph/trust"
)

// claude is a conversation of conversations.json.
type claude struct {
	UUID     string          `json:"uuid"`
	Name     string          `json:"name"`
	Summary  string          `json:"summary"`
	Leaf     string          `json:"current_leaf_message_uuid"`
	Messages []claudeMessage `json:"chat_messages"`
}

type claudeMessage struct {
	UUID        string            `json:"uuid"`
	Parent      string            `json:"parent_message_uuid"`
	Sender      string            `json:"sender"`
	Text        string            `json:"text"`
	Content     content           `json:"content"`
	CreatedAt   json.RawMessage   `json:"created_at"`
	Attachments []json.RawMessage `json:"attachments"`
	Files       []json.RawMessage `json:"files"`
}

// parseClaude takes all messages; of those that name their parents, the branch to the current leaf, otherwise to the last message.
func parseClaude(raw []byte, c *Conversation) error {
	var in claude
	if err := json.Unmarshal(raw, &in); err != nil {
		return err
	}
	if in.Messages == nil {
		return errors.New("has no chat_messages: expected a conversation of Claude")
	}
	c.ID, c.Title, c.Summary = in.UUID, in.Name, in.Summary
	on, err := in.branch()
	if err != nil {
		return err
	}
	for n := range in.Messages {
		m := &in.Messages[n]
		if on != nil && !on[m.UUID] {
			c.NotTaken[OtherBranches]++
			continue
		}
		if m.UUID == "" {
			m.UUID = strconv.Itoa(n + 1)
		}
		if err := m.addTo(c); err != nil {
			return fmt.Errorf("message %d: %w", n+1, err)
		}
	}
	return nil
}

// branch returns the ids of the messages to take; nil: all.
func (in *claude) branch() (map[string]bool, error) {
	parents := map[string]string{}
	for _, m := range in.Messages {
		parents[m.UUID] = m.Parent
	}
	leaf := in.Leaf
	if _, known := parents[leaf]; !known && len(in.Messages) > 0 {
		leaf = in.Messages[len(in.Messages)-1].UUID
	}
	if parents[leaf] == "" {
		return nil, nil
	}
	ids, _, err := branch(parents, leaf) // the first message has the id of no message as its parent
	on := map[string]bool{}
	for _, id := range ids {
		on[id] = true
	}
	return on, err
}

func (m *claudeMessage) addTo(c *Conversation) error {
	role := trust.RoleOf(m.Sender)
	if role != userRole && role != assistantRole {
		return errRole("sender", "human", "assistant")
	}
	text := join(m.Content, "", c.NotTaken)
	if text == "" && len(m.Content) == 0 { // older exports
		text = m.Text
	}
	if files := len(m.Attachments) + len(m.Files); files > 0 {
		c.NotTaken[Files] += int64(files)
	}
	return c.add(m.UUID, role, text, m.CreatedAt)
}
