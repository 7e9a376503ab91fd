package transfer

import (
	"encoding/json"
	"io"
	"slices"
)

// maxGuessBytes is how much of a file is read to detect its format.
const maxGuessBytes = 1 << 20

// formatKeys lists fields of the first object of a file that identify its format.
var formatKeys = map[string][]string{
	"mcp-memory": {"entityType", "relationType"},
	"graphiti": {
		"nodes", "entity_nodes", "episodic_nodes", "episodes",
		"edges", "entity_edges", "episodic_edges", "community_nodes", "community_edges", "sagas",
	},
	"mem0":  {"results", "memories"},
	"zep":   {"users", "threads", "observations", "thread_summaries"},
	"letta": {"agents", "core_memory"},

	"langgraph": {"namespace", "prefix"},

	conversationsFormat: {"conversation", "speaker"},
}

// conversationsFormat is the format of kith import conversations. POST /v1/import does not read it.
const conversationsFormat = "conversations"

// guessFormat detects the format of a file by its beginning. The default is an export of Kith.
func guessFormat(in io.Reader) string {
	decoder := json.NewDecoder(io.LimitReader(in, maxGuessBytes))
	switch first, _ := decoder.Token(); first {
	case json.Delim('['):
		return "mem0" // a list of memories
	case json.Delim('{'):
	default:
		return "kith"
	}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			break
		}
		for format, keys := range formatKeys {
			if name, _ := key.(string); slices.Contains(keys, name) {
				return orCognee(format, decoder)
			}
		}
		var value json.RawMessage
		if decoder.Decode(&value) != nil {
			break
		}
	}
	return "kith"
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
