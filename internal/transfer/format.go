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
	"mem0": {"results", "memories"},

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
				return format
			}
		}
		var value json.RawMessage
		if decoder.Decode(&value) != nil {
			break
		}
	}
	return "kith"
}
