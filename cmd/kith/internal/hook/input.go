// Package hook answers the hooks of coding agents from a memory, and stores their sessions there. It knows the formats of
// Claude Code, Codex and Cursor, and detects them from the input. How a Kith is found is up to its caller.
//
// The formats were checked against the type declarations of Claude Code 2.1.332 (@anthropic-ai/claude-agent-sdk 0.3.332) and
// runs of Claude Code 2.1.197, and against the JSON schemas in Codex 0.169.0 and runs of it. Cursor cannot be run without an
// account: its format is that of the documentation for Cursor 3.20, which accepts additional_context of beforeSubmitPrompt
// although its documentation does not name that field.
package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"kith/exchange/transcript"
	"kith/internal/jsonline"
)

// maxInput is the longest input in bytes. A prompt with pasted files is the largest part.
const maxInput = 1 << 20

// Event names what happened in the agent.
type Event string

// The events.
const (
	SessionStart Event = "session-start"
	Prompt       Event = "prompt"
	Stop         Event = "stop"
	Compact      Event = "compact"
)

// names are the names of the events in the agents. A session that ends is stored like one whose turn ends.
var names = map[Event][]string{
	SessionStart: {"SessionStart", "sessionStart"},
	Prompt:       {"UserPromptSubmit", "beforeSubmitPrompt"},
	Stop:         {"Stop", "stop", "SessionEnd", "sessionEnd"},
	Compact:      {"PreCompact", "preCompact"},
}

// Input has what an agent writes to the standard input of a hook.
type Input struct {
	Name           string   `json:"hook_event_name"`
	SessionID      string   `json:"session_id"`
	ConversationID string   `json:"conversation_id"` // Cursor
	TranscriptPath string   `json:"transcript_path"`
	Folder         string   `json:"cwd"`
	Roots          []string `json:"workspace_roots"` // Cursor
	CursorVersion  string   `json:"cursor_version"`
	TurnID         string   `json:"turn_id"`  // Codex, except when a session starts
	AgentID        string   `json:"agent_id"` // of a subagent
	Source         string   `json:"source"`   // why a session starts, or who wrote a prompt
	Prompt         string   `json:"prompt"`
}

// Read reads the input of an event. Its errors say what the agent or its configuration does wrong.
func Read(in io.Reader, event Event) (*Input, error) {
	raw, err := io.ReadAll(io.LimitReader(in, maxInput+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the input of the hook: %w", err)
	case len(raw) > maxInput:
		return nil, fmt.Errorf("the input of the hook exceeds %d bytes", maxInput)
	}
	if raw = bytes.TrimSpace(bytes.TrimPrefix(raw, []byte("\ufeff"))); len(raw) == 0 {
		return nil, errors.New("the hook got no input: a coding agent must call it, with a JSON object on standard input")
	}
	input := &Input{}
	if wrong, fault := jsonline.Decode(raw, input); fault != "" {
		return nil, errors.New("the input of the hook " + fault)
	} else if wrong != nil {
		return nil, errors.New("the input of the hook has a wrong type at " + wrong.Field)
	}
	return input, input.check(event)
}

func (i *Input) check(event Event) error {
	for other, theirs := range names {
		if other != event && slices.Contains(theirs, i.Name) {
			return fmt.Errorf("the input is that of %s: its command is kith hook %s", i.Name, other)
		}
	}
	switch id := i.session(); {
	case !slices.Contains(names[event], i.Name):
		return fmt.Errorf("unknown hook_event_name %.40q: %s is expected", i.Name, names[event][0])
	case id == "":
		return errors.New("the input of the hook has no session_id")
	case len(id) > 128 || strings.ContainsFunc(id, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) || r == '/' }):
		return errors.New("session_id must have at most 128 bytes, without blanks, slashes and control characters")
	}
	return nil
}

// WithoutPrompt returns the input without what the user typed.
func (i *Input) WithoutPrompt() *Input {
	copied := *i
	copied.Prompt = ""
	return &copied
}

// session returns the agent's id of the session.
func (i *Input) session() string {
	if i.ConversationID != "" {
		return i.ConversationID
	}
	return i.SessionID
}

// agent returns the agent that wrote the input.
func (i *Input) agent() string {
	switch {
	case i.CursorVersion != "" || i.ConversationID != "" || unicode.IsLower(rune(i.Name[0])):
		return transcript.Cursor
	case i.TurnID != "":
		return transcript.Codex
	}
	return transcript.ClaudeCode
}

// Conversation returns the key of the session in the memory.
func (i *Input) Conversation() string { return transcript.ConversationKey(i.agent(), i.session()) }

// Project returns the folder in which the agent works, or "".
func (i *Input) Project() string {
	if i.Folder == "" && len(i.Roots) > 0 {
		return i.Roots[0]
	}
	return i.Folder
}

// Answer returns what a hook writes to standard output so that the agent gets a text and the user a notice. Both may be
// empty; without both nothing is written.
func (i *Input) Answer(text, notice string) []byte {
	if i.agent() == transcript.Cursor {
		return i.cursorAnswer(text)
	}
	type specific struct {
		Name    string `json:"hookEventName"`
		Context string `json:"additionalContext"`
	}
	answer := struct {
		Notice   string    `json:"systemMessage,omitempty"`
		Specific *specific `json:"hookSpecificOutput,omitempty"`
	}{Notice: notice}
	if text != "" {
		answer.Specific = &specific{i.Name, text}
	}
	return line(answer, text == "" && notice == "")
}

// cursorAnswer is Answer for Cursor, which shows notices only of prompts that are refused.
func (i *Input) cursorAnswer(text string) []byte {
	answer := struct {
		Continue bool   `json:"continue,omitempty"`
		Context  string `json:"additional_context"`
	}{i.Name == "beforeSubmitPrompt", text}
	return line(answer, text == "")
}

func line(answer any, isEmpty bool) []byte {
	if isEmpty {
		return nil
	}
	raw, err := json.Marshal(answer)
	if err != nil {
		panic(err) // strings and booleans
	}
	return append(raw, '\n')
}
