package transfer

import (
	"encoding/json"
	"io"
	"slices"

	"kith/exchange/chatlog"
)

// maxGuessBytes is how much of a file is read to detect its format.
const maxGuessBytes = 1 << 20

// formatKeys lists fields of the first object of a file that identify its format.
var formatKeys = map[string][]string{
	"mcp-memory": {"entityType", "relationType", "entities"},
	"graphiti": {
		"nodes", "entity_nodes", "episodic_nodes", "episodes",
		"edges", "entity_edges", "episodic_edges", "community_nodes", "community_edges", "sagas",
	},
	"mem0":  {"results", "memories"},
	"zep":   {"users", "threads", "observations", "thread_summaries"},
	"letta": {"agents", "core_memory"},

	"langgraph": {"namespace", "prefix"},

	conversationsFormat: {"conversation", "speaker"},

	string(chatlog.ClaudeCode): {"parentUuid", "sessionId", "leafUuid", "isSnapshotUpdate"},
	string(chatlog.OpenAI):     logKeys,
}

// elementKeys lists fields of the first element of a list that identify its format.
var elementKeys = map[string][]string{
	"mem0":       {"memory"},
	"mcp-memory": {"entityType", "relationType"},
	"langgraph":  {"namespace", "prefix"},

	string(chatlog.ChatGPT): {"mapping", "current_node"},
	string(chatlog.Claude):  {"chat_messages"},
	string(chatlog.OpenAI):  logKeys,
}

// logKeys are fields of the logs of message APIs. Their content decides which one it is.
var logKeys = []string{"messages", "choices", "request", "response", "custom_id"}

// conversationsFormat is the format of kith import conversations. POST /v1/import does not read it.
const conversationsFormat = "conversations"

// guessFormat detects the format of a file by its beginning. The default is an export of Kith: the service says which formats there are
// if it is none.
func guessFormat(file io.ReaderAt, size int64) (string, error) {
	in, err := chatlog.Content(file, size)
	if err != nil {
		return "", err
	}
	defer func() { _ = in.Close() }()
	decoder := json.NewDecoder(io.LimitReader(in, maxGuessBytes))
	const otherwise = "kith"
	keys := formatKeys
	first, _ := decoder.Token()
	begin := int64(0)
	if first == json.Delim('[') {
		keys = elementKeys
		begin = decoder.InputOffset()
		if !decoder.More() {
			return "mem0", nil // no memories
		}
		first, _ = decoder.Token()
	}
	if first != json.Delim('{') {
		return otherwise, nil
	}
	format := findKey(decoder, keys)
	switch format {
	case "":
		return otherwise, nil
	case string(chatlog.OpenAI):
		return logFormat(file, size, begin)
	}
	return format, nil
}

// findKey returns the format that a field of the object identifies.
func findKey(decoder *json.Decoder, formats map[string][]string) string {
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			break
		}
		for format, keys := range formats {
			if name, _ := key.(string); slices.Contains(keys, name) {
				return orCognee(format, decoder)
			}
		}
		var value json.RawMessage
		if decoder.Decode(&value) != nil {
			break
		}
	}
	return ""
}

// logFormat returns the message API of a log whose first object begins at an offset.
func logFormat(file io.ReaderAt, size, offset int64) (string, error) {
	in, err := chatlog.Content(file, size)
	if err != nil {
		return "", err
	}
	defer func() { _ = in.Close() }()
	if _, err := io.CopyN(io.Discard, in, offset); err != nil {
		return "", err
	}
	var raw json.RawMessage
	_ = json.NewDecoder(io.LimitReader(in, maxGuessBytes)).Decode(&raw) // what is longer has the default format
	return string(chatlog.LogFormat(raw)), nil
}

// orCognee returns a format, or that of Cognee if the first element of the list that follows has an id instead of a UUID.
func orCognee(format string, decoder *json.Decoder) string {
	if begin, _ := decoder.Token(); format != "graphiti" || begin != json.Delim('[') || !decoder.More() {
		return format
	}
	var first struct{ UUID, ID string }
	if decoder.Decode(&first) == nil && first.UUID == "" && first.ID != "" {
		return "cognee"
	}
	return format
}
