// Package chatlog reads the conversations that other programs keep or export: the exports of ChatGPT and Claude, sessions of
// Claude Code, and logs of the message APIs of OpenAI and Anthropic. It takes what the user and the assistant wrote to each
// other, counts everything else by the reason why it is not taken, and writes the conversations as lines of an import (package
// exchange). It sends and stores nothing. It holds one conversation in memory, however large the file; of sessions all
// messages, which may have 256 MiB.
package chatlog

import (
	"fmt"
	"io"
	"time"
)

// Format is the format of a file.
type Format string

// The formats that are read.
const (
	ChatGPT    Format = "chatgpt"     // the zip of an export, or conversations.json in it
	Claude     Format = "claude"      // likewise
	ClaudeCode Format = "claude-code" // a session (JSON lines)
	OpenAI     Format = "openai"      // requests and responses, one JSON object a line or a list of them
	Anthropic  Format = "anthropic"   // likewise
)

// Formats lists all formats.
var Formats = []Format{ChatGPT, Claude, ClaudeCode, OpenAI, Anthropic}

// Bounds of a file.
const (
	maxConversation  = 64 << 20 // bytes of a conversation, or of a line of a log
	maxDepth         = 64
	maxValues        = 1_000_000 // values of JSON in a conversation
	maxConversations = 1_000_000 // with messages; lines that continue one do not count
	maxUnpacked      = 16 << 30  // bytes of the conversations in a zip
)

// The roles of messages that are taken.
const (
	userRole      = "user"
	assistantRole = "assistant"
)

// Conversation is a conversation, or further messages of one that was returned before.
type Conversation struct {
	Place          string // where it is in the file
	ID             string // unique within the format
	Title, Summary string
	Messages       []Message
	Continues      bool             // the messages follow those of an earlier Conversation with this ID
	NotTaken       map[Reason]int64 // what is not in Messages

	parents []string // of a session: the ids of the lines that its messages follow
}

// Message is a message of the user or the assistant.
type Message struct {
	ID   string // unique within the conversation
	Role string
	Text string    // never blank
	At   time.Time // zero if unknown
}

// Fault is the reason why a conversation or line is refused. It never quotes the file.
type Fault struct{ Place, Message string }

// Error returns the place and the message.
func (f *Fault) Error() string { return f.Place + ": " + f.Message }

// Reader reads the conversations of a file. It is not safe for concurrent use.
type Reader struct {
	read     parse
	seen     map[[16]byte]seen // by id
	notTaken map[Reason]int64  // beside the conversations
}

// parse returns the next conversation.
type parse func() (*Conversation, error)

// Open returns a reader of a file, which may be the zip of an export. Times after now are faults.
func Open(file io.ReaderAt, size int64, format Format, now time.Time) (*Reader, error) {
	r := &Reader{seen: map[[16]byte]seen{}, notTaken: map[Reason]int64{}}
	zipped, err := openArchive(file, size)
	switch {
	case err != nil:
		return nil, err
	case zipped == nil:
		r.read, err = newParser(io.NewSectionReader(file, 0, size), format, now, "")
		return r, err
	case format != ChatGPT && format != Claude:
		return nil, fmt.Errorf("files of the format %s are not in a zip", format)
	}
	zipped.parser = func(in io.Reader, place string) (parse, error) { return newParser(in, format, now, place) }
	r.read, r.notTaken = zipped.next, map[Reason]int64{OtherFiles: zipped.others}
	return r, nil
}

// NotTaken counts what is not taken beside the conversations.
func (r *Reader) NotTaken() map[Reason]int64 { return r.notTaken }

// newParser returns the parser of a file. The places of its conversations begin with place.
func newParser(in io.Reader, format Format, now time.Time, place string) (parse, error) {
	if format == ClaudeCode {
		return newSessions(in, now).next, nil
	}
	values, err := newValues(in, place)
	if err != nil {
		return nil, err
	}
	switch format {
	case ChatGPT:
		return (&documents{values, now, parseChatGPT}).next, nil
	case Claude:
		return (&documents{values, now, parseClaude}).next, nil
	case OpenAI, Anthropic:
		return newThreads(values, now).next, nil
	}
	return nil, fmt.Errorf("unknown format %q", format)
}

var errTooMany = fmt.Errorf("the file has more than %d conversations: split it", maxConversations)

// Next returns the next conversation with messages that were not returned before. It returns a *Fault for one that is refused,
// after which reading continues, and io.EOF after the last. Another error means that the rest cannot be read.
//
// A conversation without messages has only NotTaken.
func (r *Reader) Next() (*Conversation, error) {
	c, err := r.read()
	if err != nil {
		return nil, err
	}
	if err := r.compare(c); err != nil {
		return nil, err
	}
	return c, nil
}
