package limit

import (
	"encoding/json"
	"maps"
)

// costs holds the cost of calls by operation. MCP tools cost the same as their operations. A lookup costs one: in CPU
// time of Kith and Neo4j together, an explore took six times as much as reading a node, a write and the schema two to
// three times.
var costs = map[string]int64{ //nolint:gochecknoglobals // a constant table
	// Contexts
	"get-context": 1, "explain-node": 2, "get-ontology": 2, "make-prompt": 2, "get-schema": 3,
	"open-conversation": 2, "get-conversation": 1, "append-messages": 2, "pop-messages": 2, "set-focus": 1, "end-conversation": 2,
	"list-conversations": 1,
	// Search and walks; further queries, and Cypher, cost more
	"explore": 5, "traverse": 2,
	// Memory; large bodies cost more
	"write-memory": 2, "write-source": 2, "list-nodes": 1, "list-namespaces": 1, "get-node": 1, "patch-node": 2, "delete-node": 2, "restore-node": 2, "merge-nodes": 10,
	"list-node-relationships": 1, "list-linked": 1, "list-node-mentions": 2, "list-node-versions": 2, "list-node-changes": 2, "list-preference-versions": 2, "list-statement-versions": 2, "list-relationship-versions": 2, "list-relationship-mentions": 2, "list-node-notes": 1, "add-node-note": 2, "delete-node-note": 2, "link": 2, "unlink": 2,
	"get-relationship": 1, "delete-relationship": 2, "restore-relationship": 2, "list-relationship-notes": 1, "add-relationship-note": 2,
	"delete-relationship-note": 2, "list-consolidation": 2, "consolidate": 2, "list-duplicates": 2, "change-duplicates": 5,
	"get-preferences": 1, "put-preferences": 1, "put-preference": 1, "delete-preference": 1,
	"list-changes": 1, "create-webhook": 2, "list-webhooks": 1, "get-webhook": 1, "patch-webhook": 2, "delete-webhook": 2,
	"rotate-webhook-secret": 2, "list-failed-deliveries": 1, "redeliver": 2, "delete-failed-delivery": 2, "list-statements": 1, "change-statements": 2, "pause-team-statements": 1, "list-reviews": 1, "get-review": 1, "decide-review": 2, "list-trust-rules": 1, "delete-trust-rule": 1,
	"get-team-trust": 1, "set-team-trust": 1, "withdraw-source": 50, "export": 50, "import": 50, "get-import-progress": 1,
	// Systems
	"list-systems": 1, "delete-system": 10, "get-system-memory": 10, "put-system-memory": 10, "merge-system-memory": 2, "get-system-text": 10,
	"list-system-entities": 1, "get-system-entity": 1, "change-system-entity": 2, "delete-system-entity": 2, "rename-system-entity": 2,
	"find-system-relationships": 1, "delete-system-relationship": 2,
	// Chats; calls of a language model cost more
	"create-tree": 2, "list-trees": 1, "get-tree": 1, "change-tree": 2, "delete-tree": 2, "list-turns": 1, "submit-turn": 10, "get-turn": 1,
	"answer-turn": 2, "delete-turn": 2, "retry-turn": 10, "cancel-turn": 2, "get-turn-path": 1, "list-turn-descendants": 1, "get-turn-prompt": 2,
	"watch-turn": 1, "explain": 10,
	// Users, teams and keys
	"list-served": 1,
	"get-me":      1, "list-users": 10, "erase-user": 50, "erase-team": 50, "create-key": 1, "list-keys": 1, "revoke-key": 1,
	// Any other message over MCP
	MCP: 1,
}

// MCP is the operation of an MCP message, which costs as much as the tool that it calls.
const MCP = "mcp"

// tools maps MCP tools to their operations.
var tools = map[string]string{ //nolint:gochecknoglobals // a constant table
	"get_context": "get-context", "explore": "explore", "traverse": "traverse", "get_linked_entities": "list-linked",
	"get_entity_relationships": "list-node-relationships", "get_ontology": "get-ontology", "remember": "write-memory",
	"add_conversation": "write-source", "forget": "delete-node", "get_node": "get-node", "what_changed": "list-node-changes", "list_nodes": "list-nodes",
	"set_preference": "put-preference", "review_statements": "change-statements", "review_writes": "decide-review", "get_system": "get-system-text", "merge_system": "merge-system-memory",
	"create_entities": "write-memory", "create_relations": "write-memory", "add_observations": "write-memory",
	"delete_entities": "delete-node", "delete_observations": "delete-node", "delete_relations": "delete-node",
	"read_graph": "get-system-memory", "search_nodes": "explore", "open_nodes": "get-node",
}

// byCypher is the cost of traverse with a caller's statement. Small ones take less, but the guard allows some that take
// seconds.
const byCypher = 10

// piece is the number of bytes of a body that cost one more.
const piece = 16 << 10

// Least returns the minimum cost of a call, without its body. An unknown operation costs one.
func Least(operation string) int64 { return max(costs[operation], 1) }

// Costs returns the minimum costs by operation, for documents and tests.
func Costs() map[string]int64 { return maps.Clone(costs) }

// Tools returns the operations by MCP tool.
func Tools() map[string]string { return maps.Clone(tools) }

// OperationOf returns the operation of an MCP tool; empty if it has none.
func OperationOf(tool string) string { return tools[tool] }

// Cost returns the cost of a call with its body, which must be bounded and checked.
func Cost(operation string, body []byte) int64 {
	cost := Least(operation) + int64(len(body)/piece)
	switch operation {
	case "explore":
		return cost + queriesBeyondOne(body)
	case "traverse":
		if modeOf(body) == "cypher" {
			return max(cost, byCypher)
		}
	case "delete-node": // a tool that may merge the nodes instead
		return max(cost, merges(body)*costs["merge-nodes"])
	case MCP:
		return max(cost, called(body))
	}
	return cost
}

// called returns the cost of the tool, resource or prompt of a message.
func called(message []byte) int64 {
	var call struct {
		Method string `json:"method"`
		Params struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"params"`
	}
	_ = json.Unmarshal(message, &call) // malformed messages are refused by the handler
	switch call.Method {
	case "tools/call":
		return Cost(tools[call.Params.Name], call.Params.Arguments)
	case "resources/read", "prompts/get":
		return Least("get-ontology")
	}
	return 1
}

// queriesBeyondOne returns the number of searches of a request after the first.
func queriesBeyondOne(body []byte) int64 {
	var request struct {
		Queries []json.RawMessage `json:"queries"`
		Matches []json.RawMessage `json:"text_matches"`
	}
	_ = json.Unmarshal(body, &request)
	return max(int64(len(request.Queries)+len(request.Matches))-1, 0)
}

// merges returns the number of nodes that a call of forget merges into another one.
func merges(body []byte) int64 {
	var request struct {
		EntityKeys []json.RawMessage `json:"entity_keys"`
		MergeInto  string            `json:"merge_into"`
	}
	_ = json.Unmarshal(body, &request)
	if request.MergeInto == "" {
		return 0
	}
	return int64(len(request.EntityKeys))
}

func modeOf(body []byte) string {
	var request struct {
		Mode string `json:"mode"`
	}
	_ = json.Unmarshal(body, &request)
	return request.Mode
}
