package main

import (
	"encoding/json"
	"io"
	"slices"
)

// guessed is how far a file is looked at for its format, in bytes.
const guessed = 1 << 20

// formatKeys are fields by which the first object of a file shows what wrote it.
var formatKeys = map[string][]string{
	"mcp-memory": {"entityType", "relationType"},
	"graphiti":   {"nodes", "entity_nodes", "episodic_nodes", "episodes", "edges", "entity_edges", "episodic_edges", "community_nodes", "community_edges", "sagas"},
	"mem0":       {"results", "memories"},

	conversations: {"conversation", "speaker"},
}

// conversations are the lines that kith import conversations reads; POST /v1/import does not.
const conversations = "conversations"

// guessFormat returns the format of a file by its beginning: an export of Kith where nothing shows another one.
func guessFormat(in io.Reader) string {
	decoder := json.NewDecoder(io.LimitReader(in, guessed))
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
