package graph

import "unicode/utf8"

// callers are the transactions that store data of callers. The quota does not refuse others, which form stories,
// expire notes or store vectors; their data is included in the next count of the team.
var callers = map[string]bool{
	"memory_write": true, "source_write": true, "message_append": true, "conversation_end": true, "conversation_focus": true,
	"node_change": true, "relationship_change": true, "node_undo": true, "relationship_undo": true, "source_digest": true, "system_write": true, "import": true, "import_chats": true,
	"chat_tree_create": true, "chat_tree_change": true, "chat_turn_create": true, "chat_turn_answer": true, "preference_write": true,
	"duplicate_refuse": true, "import_reviews": true,
}

// meter describes what a statement stores: a number of nodes or relationships for each of its rows, or once, and the
// texts of some parameters.
type meter struct {
	nodes, relationships int64
	rows                 []string // parameters with a row for each node or relationship
	texts                []string // parameters whose texts count; empty: those of the rows
}

// stores has the statements that store data.
var stores = map[string]meter{
	"node_create": {nodes: 1, rows: []string{"rows"}}, "node_update": {rows: []string{"rows"}},
	"relationship_create": {relationships: 1, rows: []string{"rows"}}, "relationship_update": {rows: []string{"rows"}},
	"message_append": {nodes: 1, rows: []string{"rows"}}, "message_restore": {nodes: 1, rows: []string{"rows"}},
	"system_lock": {texts: []string{"system"}}, "system_entity_create": {nodes: 1, rows: []string{"rows"}}, "system_entity_update": {rows: []string{"rows"}},
	"system_relationship_create": {relationships: 1, rows: []string{"rows"}}, "system_relationship_update": {rows: []string{"rows"}},
	"chat_tree_create": {nodes: 1, texts: []string{"id", "properties"}}, "chat_tree_change": {texts: []string{"properties"}},
	"chat_turn_create": {nodes: 1, texts: []string{"id", "tree_id", "parent_id", "properties"}}, "chat_turn_change": {texts: []string{"properties"}},
	"chat_restore":      {nodes: 1, rows: []string{"trees", "turns"}},
	"statement_create":  {nodes: 1, rows: []string{"rows"}},
	"statement_restore": {nodes: 1, rows: []string{"rows"}},
	"duplicate_refuse":  {nodes: 1, rows: []string{"rows"}},
	"review_create":     {nodes: 1, texts: []string{"user_id", "key", "state", "properties"}}, "review_restore": {nodes: 1, rows: []string{"rows"}},
	"trust_rule_set":     {nodes: 1, texts: []string{"user_id", "origin", "author", "decision"}},
	"trust_rule_restore": {nodes: 1, rows: []string{"rows"}},
	"preference_write":   {texts: []string{"user_id", "rows"}},
	"former_restore":     {rows: []string{"rows"}},
	"idempotency_claim":  {texts: []string{"key", "hash", "user_id"}}, "idempotency_answer": {texts: []string{"answer", "user_id"}},
	"import_mark": {texts: []string{"import_id", "report", "user_id"}},
}

// formerText is the field of a row with the characters of the version that it replaces, which the history keeps.
const formerText = "former_text"

// formerOf returns what the history keeps of the records that a statement changes.
func formerOf(params map[string]any) (a amount) {
	eachRow(params, func(row, _ Properties) {
		if size, ok := row[formerText].(int64); ok && row["replaced_at"] != nil {
			a.text += size
		}
	})
	return a
}

// Replaced counts the characters of former versions that a statement has kept, for a statement whose rows do not have them.
func (t *Tx) Replaced(text int64) {
	if t.metered {
		t.former.text += text
	}
}

// amount is a number of nodes, relationships and characters.
type amount struct{ nodes, relationships, text int64 }

func (a amount) plus(b amount) amount {
	return amount{a.nodes + b.nodes, a.relationships + b.relationships, a.text + b.text}
}

func (a amount) negative() amount { return amount{-a.nodes, -a.relationships, -a.text} }

// row returns a row of team_commit.
func (a amount) row() map[string]any {
	return map[string]any{"nodes": a.nodes, "relationships": a.relationships, "characters": a.text}
}

func (a amount) creates() bool { return a.nodes+a.relationships > 0 }

// of returns an upper bound of what the statement stores with these parameters: replaced data is not subtracted.
func (m meter) of(params map[string]any) (a amount) {
	for _, name := range m.rows {
		rows, _ := params[name].([]map[string]any)
		n := int64(len(rows))
		a = a.plus(amount{m.nodes * n, m.relationships * n, TextIn(rows)})
	}
	if len(m.rows) == 0 {
		a.nodes = m.nodes
	}
	for _, name := range m.texts {
		a.text += TextIn(params[name])
	}
	return a
}

// derived are the properties that Kith computes from others; their texts do not count. team_usage.cypher omits the
// same ones.
var derived = map[string]bool{"team_id": true, "near": true, "search_scope": true, "vector_scope": true, "label": true, "written": true, "restored_at": true,
	"hub_key": true, "hub_types": true, "hub_from": true, "hub_to": true}

// TextIn returns the number of characters of the texts in a parameter, at any depth. A byte of compressed texts counts as one.
func TextIn(v any) (size int64) {
	switch v := v.(type) {
	case string:
		return int64(utf8.RuneCountInString(v))
	case []byte:
		return int64(len(v))
	case *string:
		if v != nil {
			return TextIn(*v)
		}
	case []string:
		for _, text := range v {
			size += TextIn(text)
		}
	case []any:
		for _, item := range v {
			size += TextIn(item)
		}
	case []map[string]any:
		for _, row := range v {
			size += TextIn(row)
		}
	case Properties:
		return TextIn(map[string]any(v))
	case map[string]any:
		for name, value := range v {
			if !derived[name] {
				size += TextIn(value)
			}
		}
	}
	return size
}
