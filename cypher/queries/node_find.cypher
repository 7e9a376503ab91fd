// The nodes that a write is about to touch, by key or natural key, and the owners of users; locks them until the transaction ends, so that
// two writers of one node or of one pair of nodes follow each other.
// mode: write
// params: team_id, entity_keys, natural_keys, owner_users
// returns: node, labels, natural_key, is_goal_given, content_type, context_type, source_type, sensitivity, started_at, ended_at, summary, keywords, tags, participants, message_count, source_key, user_id
CALL () {
  UNWIND $entity_keys AS key
  MATCH (n:Memory {team_id: $team_id, entity_key: key})
  RETURN n
  UNION
  UNWIND $natural_keys AS key
  MATCH (n:Memory {team_id: $team_id, natural_key: key})
  RETURN n
  UNION
  UNWIND $owner_users AS user
  MATCH (n:Person {team_id: $team_id, owner_of: user})
  RETURN n
}
SET n.team_id = $team_id
RETURN [
  n.entity_key, n.user_id IS NULL, n.name, n.canonical_name, n.type, n.description, n.is_owner, n.is_goal,
  n.state, n.ttl_policy, n.salience, n.confidence, n.access_count, n.last_accessed_at.epochMillis,
  n.created_at.epochMillis, n.updated_at.epochMillis, n.properties
  ] AS node,
  labels(n) AS labels,
  n.natural_key AS natural_key,
  n.is_goal_given AS is_goal_given,
  n.content_type AS content_type,
  n.context_type AS context_type,
  n.source_type AS source_type,
  n.sensitivity AS sensitivity,
  n.started_at AS started_at,
  n.ended_at AS ended_at,
  n.summary AS summary,
  n.keywords AS keywords,
  n.tags AS tags,
  n.participants AS participants,
  n.message_count AS message_count,
  n.source_key AS source_key,
  n.user_id AS user_id
LIMIT 100000
