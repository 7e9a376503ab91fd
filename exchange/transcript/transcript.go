// Package transcript reads the files in which coding agents keep their sessions: JSON lines of Claude Code
// (~/.claude/projects/*/*.jsonl), Codex (~/.codex/sessions/**/rollout-*.jsonl) and Cursor. It returns what the user and the
// agent said to each other. Tool calls and their output, thoughts, subagents, bookkeeping and texts that the program itself
// inserted are left out, and so is everything that looks like a key or password. It stores nothing.
//
// None of the three formats is documented by its maker as stable. The package was checked with files that Claude Code 2.1
// and Codex 0.169 wrote; lines of unknown types are skipped.
package transcript

import "time"

// The roles of messages.
const (
	User      = "user"
	Assistant = "assistant"
)

// The agents, as they appear in keys of conversations.
const (
	ClaudeCode = "claude-code"
	Codex      = "codex"
	Cursor     = "cursor"
)

// ConversationKey returns the key under which a session is stored. A message has the key of its conversation, a slash and
// its ID. So what a hook stores and what an import stores is the same.
func ConversationKey(agent, session string) string { return agent + "/" + session }

// Message is a text of the user or the agent.
type Message struct {
	ID      string    // the id of the line, or one made of its offset and checksum if the agent gives none
	Session string    // the session of the line; empty if neither it nor a line before it names one
	Role    string    // User or Assistant
	Text    string    // valid UTF-8 without control characters, secrets removed; never blank
	At      time.Time // zero if the line has no time, or one before 1970
	Line    int       // number of the line, counted from where the Reader began
	Parent  string    // the id of the line that it follows; empty if the agent gives none
}

// Fault says what is wrong with a line.
type Fault struct {
	Line    int
	Message string
	Time    bool // only its time is wrong: the message of the line is returned, without a time
}
