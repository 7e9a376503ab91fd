// Package exchange defines the NDJSON lines in which a team is exported and imported, and readers that convert other
// systems' files into them. It knows nothing of HTTP and Neo4j: the importer applies the lines to a team.
//
// A line is one JSON object with one key, its kind:
//
//	{"kith":{"version":1,"statements":true}}                the first line of an export
//	{"node":{"kind":"person","entity_key":"p-ada",…}}       as POST /v1/memory takes it
//	{"relationship":{"from":"p-ada","to":"c-3",…}}          likewise
//	{"statement":{"user_id":"u1","key":"m-1#0","text":…}}   what a user said to remember
//	{"pause":{"user_id":"u1"}}                              the search for statements is paused; of a null user_id, for the team
//	{"refusal":{"first":"p-ada","second":"p-adam"}}         two nodes that look like one and are not
//	{"review":{"user_id":"u1","key":…,"state":"waiting",…}} a write that waits for a decision, or about which one was made
//	{"trust_rule":{"user_id":"u1","origin":"external",…}}   a decision about all further writes of an origin and author
//	{"preference":{"user_id":"u1","key":"tone","value":…}}
//	{"chat_tree":{"id":"t-1","name":"Knots",…}}
//	{"chat_turn":{"id":"c-1","tree_id":"t-1","user_prompt":…}}
//	{"version":{"kind":"person","of":"p-ada","until":…}}    a former version of a record
//	{"end":{"nodes":2,"relationships":1,"preferences":1,…}} the last line of an export
package exchange

import (
	"encoding/json"
	"fmt"
)

// Bounds of a Reader's input.
const (
	MaxLine  = 2 << 20 // bytes of a line, or of one element of a document
	MaxDepth = 32      // levels of JSON

	lineDepth = 40 // levels of a line of Kith's own: the 32 of an item's value, and those around it

	MaxValues = 300_000 // values of JSON in a line or element, members and items among them: an item's value alone may have 131,072
)

// Version is the version of the lines that this package writes and reads.
const Version = 1

// ItemKind is the kind of a line, and its only key.
type ItemKind string

// The kinds of lines.
const (
	HeaderItem       ItemKind = "kith"
	NodeItem         ItemKind = "node"
	RelationshipItem ItemKind = "relationship"
	StatementItem    ItemKind = "statement"
	PauseItem        ItemKind = "pause"
	RefusalItem      ItemKind = "refusal"
	ReviewItem       ItemKind = "review"
	TrustRuleItem    ItemKind = "trust_rule"
	PreferenceItem   ItemKind = "preference"
	ChatTreeItem     ItemKind = "chat_tree"
	ChatTurnItem     ItemKind = "chat_turn"
	VersionItem      ItemKind = "version"
	EndItem          ItemKind = "end"
	IncompleteItem   ItemKind = "incomplete" // ends an export that broke off, instead of EndItem
)

// itemKinds lists all kinds.
var itemKinds = []ItemKind{
	HeaderItem, NodeItem, RelationshipItem, StatementItem, PauseItem, RefusalItem, ReviewItem, TrustRuleItem, PreferenceItem, ChatTreeItem,
	ChatTurnItem, VersionItem, EndItem,
}

// Item is one line, or the conversion of an element of another system's file. Raw is a JSON object that has passed
// Flaw. It is valid until the next call of Next.
type Item struct {
	Line  int64  // number of its first line, from 1
	Place string // in a document, such as edges[3]; empty: the line
	Seq   int64  // number in the file, from 1; the same for every reader of the same bytes
	Kind  ItemKind
	Raw   json.RawMessage
	User  bool // the node is the person who is the user
}

// Fault is a fault of a line, or of a document's element that begins there, which Location begins with. It never quotes the
// input. A warning reports something that was changed or skipped, while the rest was read.
type Fault struct {
	Line              int64
	Location, Message string // Location may be empty: the whole line
	Warning           bool
}

// Header is the value of a header line. Statements reports that the file has the statements of its messages, so that an import does
// not search the messages for them: what it found would differ from what the file says.
type Header struct {
	Version    int  `json:"version"`
	Statements bool `json:"statements,omitempty"`
}

// End is the value of the last line: how many lines of each kind precede it, and whether they are what a team had at one moment. Exports of
// earlier versions do not say so.
type End struct {
	Nodes         int64 `json:"nodes"`
	Relationships int64 `json:"relationships"`
	Statements    int64 `json:"statements,omitempty"`
	Pauses        int64 `json:"pauses,omitempty"`
	Refusals      int64 `json:"refusals,omitempty"`
	Reviews       int64 `json:"reviews,omitempty"`
	TrustRules    int64 `json:"trust_rules,omitempty"`
	Preferences   int64 `json:"preferences"`
	ChatTrees     int64 `json:"chat_trees,omitempty"`
	ChatTurns     int64 `json:"chat_turns,omitempty"`
	Versions      int64 `json:"versions,omitempty"`
	Consistent    *bool `json:"consistent,omitempty"`
}

// IsTorn reports whether the export says that its lines are of several moments.
func (e *End) IsTorn() bool { return e.Consistent != nil && !*e.Consistent }

// count counts a line, and reports whether its kind is one that is counted.
func (e *End) count(kind ItemKind) bool {
	switch kind {
	case NodeItem:
		e.Nodes++
	case RelationshipItem:
		e.Relationships++
	case StatementItem:
		e.Statements++
	case PauseItem:
		e.Pauses++
	case RefusalItem:
		e.Refusals++
	case ReviewItem:
		e.Reviews++
	case TrustRuleItem:
		e.TrustRules++
	case PreferenceItem:
		e.Preferences++
	case ChatTreeItem:
		e.ChatTrees++
	case ChatTurnItem:
		e.ChatTurns++
	case VersionItem:
		e.Versions++
	default:
		return false
	}
	return true
}

// ParseEnd parses a last line. For other lines ok is false.
func ParseEnd(line []byte) (end End, ok bool) {
	var c checker
	if len(line) > MaxLine || c.check(line) != "" || c.members != 1 || ItemKind(c.key) != EndItem {
		return End{}, false
	}
	return end, json.Unmarshal(c.value, &end) == nil
}

// AppendLine appends a line with its newline to out. Value is a Header, an End, or any value that encoding/json
// encodes as an object.
func AppendLine(out []byte, kind ItemKind, value any) ([]byte, error) {
	raw, err := marshal(value)
	if err != nil {
		return out, fmt.Errorf("append line: %w", err)
	}
	out = append(append(append(out, `{"`...), kind...), `":`...)
	return append(append(out, raw...), "}\n"...), nil
}

// Format is the format of a file.
type Format string

// The formats that a Reader reads.
const (
	Kith      Format = "kith"
	MCPMemory Format = "mcp-memory" // memory.jsonl of the reference MCP memory server
	Graphiti  Format = "graphiti"   // a JSON document of nodes and edges
	Mem0      Format = "mem0"       // a JSON list of memories
	Zep       Format = "zep"        // a JSON document of users, threads, messages, episodes, nodes and edges
	Letta     Format = "letta"      // an agent file: a JSON document of agents with their messages, and blocks
	Cognee    Format = "cognee"     // a JSON document of nodes and edges
	LangGraph Format = "langgraph"  // items of a store, one JSON object a line
)

// Formats lists all formats.
var Formats = []Format{Kith, MCPMemory, Graphiti, Mem0, Zep, Letta, Cognee, LangGraph}

// DocumentError means that the rest of a file cannot be read. Column counts bytes, from 1.
type DocumentError struct {
	Line, Column int64
	Message      string
}

// Error returns the position and the message.
func (e *DocumentError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}
