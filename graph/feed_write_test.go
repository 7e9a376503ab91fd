package graph_test

import (
	"slices"
	"testing"

	"kith/cypher"
	"kith/graph"
)

// recordedByTx are the statements whose changes Tx.Record adds to the feed, as they are only known after the statement.
var recordedByTx = []string{
	"message_pop", "node_delete", "node_restore", "relationship_delete", "node_merge",
	"preference_write", "preference_delete", "statement_create", "statement_change", "statement_restore",
}

// unrecorded are the statements that change nothing of which the feed tells, with the reason.
var unrecorded = map[string]string{
	"team_commit": "is the feed, and quotas", "feed_lock": "locks the feed",
	"node_find": "locks", "node_merged": "locks", "merged_keys": "keys of what was deleted before", "statement_find": "locks", "statement_known": "locks", "statement_locate": "locks", "story_take": "a mark of sources", "system_lock": "locks; counts numbers",
	"workspace_keys": "locks", "workspace_merged_keys": "locks", "import_lock": "locks", "chat_tree_lock": "locks", "macro_storylines": "locks", "relationship_restorable": "locks",
	"relationship_restored": "keeps the version before a delete, which relationship_create restores", "former_restore": "stores former versions of an import",
	"mention_count": "counts of nodes, which make no version", "mention_recount": "counts of nodes, which make no version", "mention_restart": "times of mentions, which follow their source", "workspace_count": "counts of projects", "workspace_remove": "counts of projects", "system_save": "numbers of a system",
	"border_add": "moments, which make no version", "border_settle": "moments, which make no version", "relationship_rank": "places in contexts", "rank_renew": "places in contexts", "hub_set": "places in lists", "hub_mark": "places in lists", "name_renew": "derived", "search_renew": "derived", "message_near": "derived",
	"type_words_add": "words of relationship types, which have no version", "storyline_themes": "derived from mentions",
	"story_delete": "stories of a deleted node, which its item stands for", "story_restore": "stories of a restored node, which its item stands for",
	"duplicate_block": "derived", "duplicate_look": "derived", "duplicate_propose": "derived", "duplicate_judge": "derived", "duplicate_ends": "locks",
	"duplicate_refuse": "refusals of proposals, which make no version", "duplicate_admit": "refusals of proposals, which make no version",
	"statement_pause": "a setting", "statement_pause_source": "a setting",
	"embedding_begin": "vectors", "embedding_pause": "vectors", "embedding_postpone": "vectors", "embedding_renew": "vectors", "embedding_renewed": "vectors",
	"embedding_save": "vectors", "embedding_walk": "vectors", "embedding_walked": "vectors",
	"chat_find": "chats are not in the feed", "chat_lease_renew": "chats are not in the feed", "chat_restore": "chats are not in the feed",
	"chat_tree_change": "chats are not in the feed", "chat_tree_create": "chats are not in the feed", "chat_tree_delete": "chats are not in the feed",
	"chat_turn_change": "chats are not in the feed", "chat_turn_create": "chats are not in the feed", "chat_turn_delete": "chats are not in the feed",
	"api_key_create": "keys", "api_key_revoke": "keys", "api_key_touch": "keys",
	"idempotency_answer": "answers", "idempotency_claim": "answers", "idempotency_forget": "answers", "purge_answers": "answers",
	"import_forget": "progress of an import", "import_mark": "progress of an import",
	"lease_end": "leases", "lease_progress": "leases", "lease_take": "leases",
	"quota_count": "quotas", "quota_empty": "quotas", "quota_reads": "quotas", "quota_set": "quotas", "quota_stale": "quotas",
	"schema_version_set": "the schema", "log_fill": "the transaction log",
	"maintenance_pass": "what time changes by itself, without a version", "integrity_purge": "removes what was deleted before", "purge_nodes": "removes what was deleted before", "purge_node_relationships": "removes what was deleted before", "team_purge_node_relationships": "removes what was deleted before",
	"purge_relationships": "removes what was deleted before", "team_purge_nodes": "removes what was deleted before", "team_purge_relationships": "removes what was deleted before",
	"purge_bodies": "served contexts", "purge_events": "served contexts", "purge_served": "served contexts", "replay_keep": "served contexts", "replay_record": "served contexts",
	"replay_remove": "served contexts", "replay_trim": "served contexts", "served_record": "served contexts",
	"purge_commits": "the feed itself", "former_trim": "former versions", "purge_versions": "former versions", "thin_versions": "former versions",
	"integrity_chat_number": "a repair", "integrity_feed_count": "a repair", "integrity_key": "a repair", "integrity_label_set": "a repair", "integrity_message_link": "a repair", "integrity_relationship_repair": "a repair",
	"integrity_source_count": "a repair", "integrity_merged_delete": "a repair", "integrity_source_renumber": "a repair", "integrity_version_purge": "a repair",
	"copy_node_create": "a compaction copies the feed too", "copy_relationship_create": "a compaction copies the feed too",
	"erasure_anonymise": "an erasure", "erasure_delete": "an erasure", "erasure_detach": "an erasure", "erasure_marks_lock": "an erasure", "erasure_marks_save": "an erasure",
	"erasure_record_anonymise": "an erasure", "erasure_record_delete": "an erasure", "erasure_record_relationships": "an erasure", "erasure_record_unlink": "an erasure",
	"erasure_relationships": "an erasure", "erasure_remember": "an erasure", "erasure_unlink": "an erasure", "preference_erase": "an erasure", "preference_erase_team": "an erasure",
	"trust_set": "a setting", "trust_rule_set": "a setting", "trust_rule_delete": "a setting",
	"review_create": "reviews are not in the feed", "review_decide": "reviews are not in the feed", "purge_reviews": "reviews are not in the feed",
	"review_restore": "reviews are not in the feed", "review_delete": "reviews are not in the feed", "trust_rule_restore": "a setting",
	"withdrawal_add": "what an undo needs", "withdrawal_delete": "what an undo needs", "withdrawal_left": "what an undo needs", "purge_withdrawals": "what an undo needs",
	"webhook_change": "webhooks", "webhook_claim": "webhooks", "webhook_create": "webhooks", "webhook_dead_change": "webhooks", "webhook_dead_create": "webhooks",
	"webhook_dead_delete": "webhooks", "webhook_delete": "webhooks", "webhook_rotate": "webhooks", "webhook_save": "webhooks",
}

// TestEveryWriteIsInTheFeed checks that a new statement that writes is in the feed, or is known to change nothing of which the feed tells.
func TestEveryWriteIsInTheFeed(t *testing.T) {
	t.Parallel()
	recorded := slices.Concat(graph.RecordedStatements(), recordedByTx)
	for _, name := range cypher.Names() {
		reason, isUnrecorded := unrecorded[name]
		switch isRecorded := slices.Contains(recorded, name); {
		case !cypher.Load(name).Write && (isRecorded || isUnrecorded):
			t.Errorf("%s only reads", name)
		case cypher.Load(name).Write && isRecorded == isUnrecorded:
			t.Errorf("%s writes: it must be recorded in the feed, or be in one list here (%q)", name, reason)
		}
	}
	for _, name := range slices.Concat(recorded, keysIn(unrecorded)) {
		if !slices.Contains(cypher.Names(), name) {
			t.Errorf("there is no statement %s", name)
		}
	}
}

func keysIn(m map[string]string) (keys []string) {
	for key := range m {
		keys = append(keys, key)
	}
	return keys
}
