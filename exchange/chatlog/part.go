package chatlog

import (
	"encoding/json"
	"strings"
)

// part is a piece of a message's content. Only texts are taken: the reason says why another piece is not.
type part struct {
	text   string
	reason Reason // empty: a text
}

// join returns the text of a message, and counts the other parts. It is the one place where parts become a text. Glue is between
// texts that follow each other; a part that is not taken leaves a blank line.
func join(parts []part, glue string, notTaken map[Reason]int64) string {
	var text strings.Builder
	gap := ""
	for _, p := range parts {
		switch {
		case p.reason != "":
			notTaken[p.reason]++
			gap = "\n\n"
		case p.text != "":
			if text.Len() > 0 {
				text.WriteString(gap)
			}
			text.WriteString(p.text)
			gap = glue
		}
	}
	return strings.TrimSpace(text.String())
}

// partReasons says for the types of parts in all formats why they are not taken. Texts have none.
var partReasons = map[string]Reason{
	"text": "", "input_text": "", "output_text": "", "audio_transcription": "", "voice_note": "", // what was said aloud, as a text

	"image": Images, "image_url": Images, "input_image": Images, "image_asset_pointer": Images, "image_generation_call": Images,

	"audio": Audio, "input_audio": Audio, "audio_asset_pointer": Audio, "video_container_asset_pointer": Audio,
	"real_time_user_audio_video_asset_pointer": Audio,

	"file": Files, "input_file": Files, "document": Files, "container_upload": Files, "search_result": Files,

	"tool_use": ToolCalls, "server_tool_use": ToolCalls, "mcp_tool_use": ToolCalls, "function_call": ToolCalls, "custom_tool_call": ToolCalls,
	"web_search_call": ToolCalls, "file_search_call": ToolCalls, "code_interpreter_call": ToolCalls, "computer_call": ToolCalls,
	"local_shell_call": ToolCalls, "shell_call": ToolCalls, "apply_patch_call": ToolCalls, "mcp_call": ToolCalls, "mcp_list_tools": ToolCalls,
	"mcp_approval_request": ToolCalls, "code": ToolCalls,

	"execution_output": ToolResults, "tether_browsing_display": ToolResults, "tether_quote": ToolResults, "system_error": ToolResults,
	"computer_output": ToolResults, "mcp_approval_response": ToolResults,

	"thinking": Thoughts, "redacted_thinking": Thoughts, "reasoning": Thoughts, "thoughts": Thoughts, "reasoning_recap": Thoughts,

	"user_editable_context": Instructions, "model_editable_context": Instructions,
}

// reasonOf returns why a part of a type is not taken; empty for a text.
func reasonOf(kind string) Reason {
	reason, known := partReasons[kind]
	switch {
	case known:
		return reason
	case strings.HasSuffix(kind, "tool_result") || strings.HasSuffix(kind, "_output"):
		return ToolResults
	}
	return UnknownContent
}

// block is a part as the message APIs and the exports write it.
type block struct {
	Type        string `json:"type"`
	ContentType string `json:"content_type"` // ChatGPT
	Text        string `json:"text"`
	Refusal     string `json:"refusal"`
}

// content is the content of a message: a text, a list of blocks, or null.
type content []part

// UnmarshalJSON decodes a text, or a list of texts and blocks. Content of another form counts as unknown.
func (c *content) UnmarshalJSON(raw []byte) error {
	*c = nil
	var list []json.RawMessage
	switch raw[0] {
	case '[':
		if err := json.Unmarshal(raw, &list); err != nil {
			return err
		}
	case 'n': // null
	default:
		list = []json.RawMessage{raw}
	}
	for _, raw := range list {
		*c = append(*c, decodePart(raw))
	}
	return nil
}

func decodePart(raw json.RawMessage) part {
	var b block
	text := ""
	switch {
	case json.Unmarshal(raw, &text) == nil:
		return part{text: text}
	case json.Unmarshal(raw, &b) != nil:
		return part{reason: UnknownContent}
	}
	kind := b.Type
	if kind == "" {
		kind = b.ContentType
	}
	if kind == "voice_note" && b.Text == "" {
		return part{reason: Audio}
	}
	if kind == "refusal" { // what the assistant said instead of an answer
		return part{text: b.Refusal}
	}
	return part{text: b.Text, reason: reasonOf(kind)}
}
