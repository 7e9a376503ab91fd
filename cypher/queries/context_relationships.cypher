// Returns the nodes most strongly linked to the user, with how and how often each came up in the last week.
// Each type's index holds only the relationships between the owner and nodes that may be shown, ordered by stored
// salience, with all columns that current values are computed from (see relationship_rank.cypher). Salience decays, and
// the stored value is an upper bound of the current one. Where a first walk of ten ends above the tenth best node, the
// second walk reads everything stored above that. Where the first walks find fewer than ten nodes, as some have several
// relationships, the second walks read all.
// Only with fewer than ten nodes the user's other nodes are read: those with any relationship to the owner (at most
// 1,000 relationships), the 50 most salient active concepts, the nodes mentioned by the 20 newest conversations (at
// most 1,000 mentions), and the first 300 of each kind by name. Active nodes fill the room, then candidates, each by
// current salience; nodes with a relationship come first. Goals and permanent concepts have sections of their own. The
// same rows give counts of goals, of permanent concepts and of all other nodes: how many could be shown (for others:
// and are not), have faded, are archived.
// mode: read
// plan: kept
// params: team_id, user_id, week_ago, now, now_ms, until, prefixes
// returns: relationships
CALL () {
  MATCH (o:Person {team_id: $team_id, owner_of: $user_id})
  CALL (o) {
    MATCH ()-[r:has_relationship_with {team_id: $team_id, owner_key: o.entity_key}]->()
    USING INDEX SEEK r:has_relationship_with(team_id, owner_key, salience, node_salience, node_key, decay_rate, salience_at, node_decay_rate, node_salience_at, node_until)
    WHERE r.salience IS NOT NULL
      AND r.node_salience IS NOT NULL
      AND r.node_key IS NOT NULL
      AND r.decay_rate IS NOT NULL
      AND r.salience_at IS NOT NULL
      AND r.node_decay_rate IS NOT NULL
      AND r.node_salience_at IS NOT NULL
      AND r.node_until IS NOT NULL
      AND CASE WHEN r.node_until < 0 THEN r.node_until >= -$now_ms AND r.rank_until > $now_ms ELSE r.node_until > $now_ms END
    WITH r
    ORDER BY r.team_id DESC, r.owner_key DESC, r.salience DESC, r.node_salience DESC, r.node_key DESC, r.decay_rate DESC, r.salience_at DESC, r.node_decay_rate DESC, r.node_salience_at DESC, r.node_until DESC
    LIMIT 10
    RETURN 0 AS walk, r, r.node_key AS node_key, r.salience AS stored, r.decay_rate AS rate, r.salience_at AS since,
      r.node_salience AS node_stored, r.node_decay_rate AS node_rate, r.node_salience_at AS node_since
    UNION ALL
    MATCH ()-[r:thinks_about {team_id: $team_id, owner_key: o.entity_key}]->()
    USING INDEX SEEK r:thinks_about(team_id, owner_key, salience, node_salience, node_key, decay_rate, salience_at, node_decay_rate, node_salience_at, node_until)
    WHERE r.salience IS NOT NULL
      AND r.node_salience IS NOT NULL
      AND r.node_key IS NOT NULL
      AND r.decay_rate IS NOT NULL
      AND r.salience_at IS NOT NULL
      AND r.node_decay_rate IS NOT NULL
      AND r.node_salience_at IS NOT NULL
      AND r.node_until IS NOT NULL
      AND CASE WHEN r.node_until < 0 THEN r.node_until >= -$now_ms AND r.rank_until > $now_ms ELSE r.node_until > $now_ms END
    WITH r
    ORDER BY r.team_id DESC, r.owner_key DESC, r.salience DESC, r.node_salience DESC, r.node_key DESC, r.decay_rate DESC, r.salience_at DESC, r.node_decay_rate DESC, r.node_salience_at DESC, r.node_until DESC
    LIMIT 10
    RETURN 1 AS walk, r, r.node_key AS node_key, r.salience AS stored, r.decay_rate AS rate, r.salience_at AS since,
      r.node_salience AS node_stored, r.node_decay_rate AS node_rate, r.node_salience_at AS node_since
    UNION ALL
    MATCH ()-[r:relates_to {team_id: $team_id, owner_key: o.entity_key}]->()
    USING INDEX SEEK r:relates_to(team_id, owner_key, salience, node_salience, node_key, decay_rate, salience_at, node_decay_rate, node_salience_at, node_until)
    WHERE r.salience IS NOT NULL
      AND r.node_salience IS NOT NULL
      AND r.node_key IS NOT NULL
      AND r.decay_rate IS NOT NULL
      AND r.salience_at IS NOT NULL
      AND r.node_decay_rate IS NOT NULL
      AND r.node_salience_at IS NOT NULL
      AND r.node_until IS NOT NULL
      AND CASE WHEN r.node_until < 0 THEN r.node_until >= -$now_ms AND r.rank_until > $now_ms ELSE r.node_until > $now_ms END
    WITH r
    ORDER BY r.team_id DESC, r.owner_key DESC, r.salience DESC, r.node_salience DESC, r.node_key DESC, r.decay_rate DESC, r.salience_at DESC, r.node_decay_rate DESC, r.node_salience_at DESC, r.node_until DESC
    LIMIT 10
    RETURN 2 AS walk, r, r.node_key AS node_key, r.salience AS stored, r.decay_rate AS rate, r.salience_at AS since,
      r.node_salience AS node_stored, r.node_decay_rate AS node_rate, r.node_salience_at AS node_since
    UNION ALL
    MATCH ()-[r:involves {team_id: $team_id, owner_key: o.entity_key}]->()
    USING INDEX SEEK r:involves(team_id, owner_key, salience, node_salience, node_key, decay_rate, salience_at, node_decay_rate, node_salience_at, node_until)
    WHERE r.salience IS NOT NULL
      AND r.node_salience IS NOT NULL
      AND r.node_key IS NOT NULL
      AND r.decay_rate IS NOT NULL
      AND r.salience_at IS NOT NULL
      AND r.node_decay_rate IS NOT NULL
      AND r.node_salience_at IS NOT NULL
      AND r.node_until IS NOT NULL
      AND CASE WHEN r.node_until < 0 THEN r.node_until >= -$now_ms AND r.rank_until > $now_ms ELSE r.node_until > $now_ms END
    WITH r
    ORDER BY r.team_id DESC, r.owner_key DESC, r.salience DESC, r.node_salience DESC, r.node_key DESC, r.decay_rate DESC, r.salience_at DESC, r.node_decay_rate DESC, r.node_salience_at DESC, r.node_until DESC
    LIMIT 10
    RETURN 3 AS walk, r, r.node_key AS node_key, r.salience AS stored, r.decay_rate AS rate, r.salience_at AS since,
      r.node_salience AS node_stored, r.node_decay_rate AS node_rate, r.node_salience_at AS node_since
    UNION ALL
    MATCH ()-[r:associated_with {team_id: $team_id, owner_key: o.entity_key}]->()
    USING INDEX SEEK r:associated_with(team_id, owner_key, salience, node_salience, node_key, decay_rate, salience_at, node_decay_rate, node_salience_at, node_until)
    WHERE r.salience IS NOT NULL
      AND r.node_salience IS NOT NULL
      AND r.node_key IS NOT NULL
      AND r.decay_rate IS NOT NULL
      AND r.salience_at IS NOT NULL
      AND r.node_decay_rate IS NOT NULL
      AND r.node_salience_at IS NOT NULL
      AND r.node_until IS NOT NULL
      AND CASE WHEN r.node_until < 0 THEN r.node_until >= -$now_ms AND r.rank_until > $now_ms ELSE r.node_until > $now_ms END
    WITH r
    ORDER BY r.team_id DESC, r.owner_key DESC, r.salience DESC, r.node_salience DESC, r.node_key DESC, r.decay_rate DESC, r.salience_at DESC, r.node_decay_rate DESC, r.node_salience_at DESC, r.node_until DESC
    LIMIT 10
    RETURN 4 AS walk, r, r.node_key AS node_key, r.salience AS stored, r.decay_rate AS rate, r.salience_at AS since,
      r.node_salience AS node_stored, r.node_decay_rate AS node_rate, r.node_salience_at AS node_since
    UNION ALL
    MATCH ()-[r:engages_with {team_id: $team_id, owner_key: o.entity_key}]->()
    USING INDEX SEEK r:engages_with(team_id, owner_key, salience, node_salience, node_key, decay_rate, salience_at, node_decay_rate, node_salience_at, node_until)
    WHERE r.salience IS NOT NULL
      AND r.node_salience IS NOT NULL
      AND r.node_key IS NOT NULL
      AND r.decay_rate IS NOT NULL
      AND r.salience_at IS NOT NULL
      AND r.node_decay_rate IS NOT NULL
      AND r.node_salience_at IS NOT NULL
      AND r.node_until IS NOT NULL
      AND CASE WHEN r.node_until < 0 THEN r.node_until >= -$now_ms AND r.rank_until > $now_ms ELSE r.node_until > $now_ms END
    WITH r
    ORDER BY r.team_id DESC, r.owner_key DESC, r.salience DESC, r.node_salience DESC, r.node_key DESC, r.decay_rate DESC, r.salience_at DESC, r.node_decay_rate DESC, r.node_salience_at DESC, r.node_until DESC
    LIMIT 10
    RETURN 5 AS walk, r, r.node_key AS node_key, r.salience AS stored, r.decay_rate AS rate, r.salience_at AS since,
      r.node_salience AS node_stored, r.node_decay_rate AS node_rate, r.node_salience_at AS node_since
    UNION ALL
    MATCH ()-[r:connected_to {team_id: $team_id, owner_key: o.entity_key}]->()
    USING INDEX SEEK r:connected_to(team_id, owner_key, salience, node_salience, node_key, decay_rate, salience_at, node_decay_rate, node_salience_at, node_until)
    WHERE r.salience IS NOT NULL
      AND r.node_salience IS NOT NULL
      AND r.node_key IS NOT NULL
      AND r.decay_rate IS NOT NULL
      AND r.salience_at IS NOT NULL
      AND r.node_decay_rate IS NOT NULL
      AND r.node_salience_at IS NOT NULL
      AND r.node_until IS NOT NULL
      AND CASE WHEN r.node_until < 0 THEN r.node_until >= -$now_ms AND r.rank_until > $now_ms ELSE r.node_until > $now_ms END
    WITH r
    ORDER BY r.team_id DESC, r.owner_key DESC, r.salience DESC, r.node_salience DESC, r.node_key DESC, r.decay_rate DESC, r.salience_at DESC, r.node_decay_rate DESC, r.node_salience_at DESC, r.node_until DESC
    LIMIT 10
    RETURN 6 AS walk, r, r.node_key AS node_key, r.salience AS stored, r.decay_rate AS rate, r.salience_at AS since,
      r.node_salience AS node_stored, r.node_decay_rate AS node_rate, r.node_salience_at AS node_since
  }
  WITH o, walk, r, node_key, stored, CASE WHEN rate > 0 AND since < $now_ms THEN stored * exp(rate * (since - $now_ms) / 86400000.0) ELSE stored END AS salience,
    CASE WHEN node_rate > 0 AND node_since < $now_ms THEN node_stored * exp(node_rate * (node_since - $now_ms) / 86400000.0) ELSE node_stored END AS node_salience
  WITH o, collect([r, node_key, salience, node_salience, walk, stored]) AS first
  CALL (first) {
    UNWIND first AS found
    WITH found[1] AS node_key, max(found[2]) AS best
    ORDER BY best DESC
    LIMIT 10
    RETURN collect(best) AS bests
  }
  CALL (first) {
    UNWIND first AS found
    WITH found[4] AS walk, count(*) AS rows, min(found[5]) AS least
    WHERE rows = 10
    RETURN max(least) AS reach
  }
  WITH o, first, CASE
    WHEN reach IS NULL THEN 2.0
    WHEN size(bests) < 10 THEN -1.0
    WHEN reach <= bests[9] THEN 2.0
    ELSE bests[9]
  END AS bound
  CALL (o, bound) {
    MATCH ()-[r:has_relationship_with {team_id: $team_id, owner_key: o.entity_key}]->()
    USING INDEX SEEK r:has_relationship_with(team_id, owner_key, salience, node_salience, node_key, decay_rate, salience_at, node_decay_rate, node_salience_at, node_until)
    WHERE r.salience > bound
      AND r.node_salience IS NOT NULL
      AND r.node_key IS NOT NULL
      AND r.decay_rate IS NOT NULL
      AND r.salience_at IS NOT NULL
      AND r.node_decay_rate IS NOT NULL
      AND r.node_salience_at IS NOT NULL
      AND r.node_until IS NOT NULL
      AND CASE WHEN r.node_until < 0 THEN r.node_until >= -$now_ms AND r.rank_until > $now_ms ELSE r.node_until > $now_ms END
    RETURN r, r.node_key AS node_key, r.salience AS stored, r.decay_rate AS rate, r.salience_at AS since,
      r.node_salience AS node_stored, r.node_decay_rate AS node_rate, r.node_salience_at AS node_since
    UNION ALL
    MATCH ()-[r:thinks_about {team_id: $team_id, owner_key: o.entity_key}]->()
    USING INDEX SEEK r:thinks_about(team_id, owner_key, salience, node_salience, node_key, decay_rate, salience_at, node_decay_rate, node_salience_at, node_until)
    WHERE r.salience > bound
      AND r.node_salience IS NOT NULL
      AND r.node_key IS NOT NULL
      AND r.decay_rate IS NOT NULL
      AND r.salience_at IS NOT NULL
      AND r.node_decay_rate IS NOT NULL
      AND r.node_salience_at IS NOT NULL
      AND r.node_until IS NOT NULL
      AND CASE WHEN r.node_until < 0 THEN r.node_until >= -$now_ms AND r.rank_until > $now_ms ELSE r.node_until > $now_ms END
    RETURN r, r.node_key AS node_key, r.salience AS stored, r.decay_rate AS rate, r.salience_at AS since,
      r.node_salience AS node_stored, r.node_decay_rate AS node_rate, r.node_salience_at AS node_since
    UNION ALL
    MATCH ()-[r:relates_to {team_id: $team_id, owner_key: o.entity_key}]->()
    USING INDEX SEEK r:relates_to(team_id, owner_key, salience, node_salience, node_key, decay_rate, salience_at, node_decay_rate, node_salience_at, node_until)
    WHERE r.salience > bound
      AND r.node_salience IS NOT NULL
      AND r.node_key IS NOT NULL
      AND r.decay_rate IS NOT NULL
      AND r.salience_at IS NOT NULL
      AND r.node_decay_rate IS NOT NULL
      AND r.node_salience_at IS NOT NULL
      AND r.node_until IS NOT NULL
      AND CASE WHEN r.node_until < 0 THEN r.node_until >= -$now_ms AND r.rank_until > $now_ms ELSE r.node_until > $now_ms END
    RETURN r, r.node_key AS node_key, r.salience AS stored, r.decay_rate AS rate, r.salience_at AS since,
      r.node_salience AS node_stored, r.node_decay_rate AS node_rate, r.node_salience_at AS node_since
    UNION ALL
    MATCH ()-[r:involves {team_id: $team_id, owner_key: o.entity_key}]->()
    USING INDEX SEEK r:involves(team_id, owner_key, salience, node_salience, node_key, decay_rate, salience_at, node_decay_rate, node_salience_at, node_until)
    WHERE r.salience > bound
      AND r.node_salience IS NOT NULL
      AND r.node_key IS NOT NULL
      AND r.decay_rate IS NOT NULL
      AND r.salience_at IS NOT NULL
      AND r.node_decay_rate IS NOT NULL
      AND r.node_salience_at IS NOT NULL
      AND r.node_until IS NOT NULL
      AND CASE WHEN r.node_until < 0 THEN r.node_until >= -$now_ms AND r.rank_until > $now_ms ELSE r.node_until > $now_ms END
    RETURN r, r.node_key AS node_key, r.salience AS stored, r.decay_rate AS rate, r.salience_at AS since,
      r.node_salience AS node_stored, r.node_decay_rate AS node_rate, r.node_salience_at AS node_since
    UNION ALL
    MATCH ()-[r:associated_with {team_id: $team_id, owner_key: o.entity_key}]->()
    USING INDEX SEEK r:associated_with(team_id, owner_key, salience, node_salience, node_key, decay_rate, salience_at, node_decay_rate, node_salience_at, node_until)
    WHERE r.salience > bound
      AND r.node_salience IS NOT NULL
      AND r.node_key IS NOT NULL
      AND r.decay_rate IS NOT NULL
      AND r.salience_at IS NOT NULL
      AND r.node_decay_rate IS NOT NULL
      AND r.node_salience_at IS NOT NULL
      AND r.node_until IS NOT NULL
      AND CASE WHEN r.node_until < 0 THEN r.node_until >= -$now_ms AND r.rank_until > $now_ms ELSE r.node_until > $now_ms END
    RETURN r, r.node_key AS node_key, r.salience AS stored, r.decay_rate AS rate, r.salience_at AS since,
      r.node_salience AS node_stored, r.node_decay_rate AS node_rate, r.node_salience_at AS node_since
    UNION ALL
    MATCH ()-[r:engages_with {team_id: $team_id, owner_key: o.entity_key}]->()
    USING INDEX SEEK r:engages_with(team_id, owner_key, salience, node_salience, node_key, decay_rate, salience_at, node_decay_rate, node_salience_at, node_until)
    WHERE r.salience > bound
      AND r.node_salience IS NOT NULL
      AND r.node_key IS NOT NULL
      AND r.decay_rate IS NOT NULL
      AND r.salience_at IS NOT NULL
      AND r.node_decay_rate IS NOT NULL
      AND r.node_salience_at IS NOT NULL
      AND r.node_until IS NOT NULL
      AND CASE WHEN r.node_until < 0 THEN r.node_until >= -$now_ms AND r.rank_until > $now_ms ELSE r.node_until > $now_ms END
    RETURN r, r.node_key AS node_key, r.salience AS stored, r.decay_rate AS rate, r.salience_at AS since,
      r.node_salience AS node_stored, r.node_decay_rate AS node_rate, r.node_salience_at AS node_since
    UNION ALL
    MATCH ()-[r:connected_to {team_id: $team_id, owner_key: o.entity_key}]->()
    USING INDEX SEEK r:connected_to(team_id, owner_key, salience, node_salience, node_key, decay_rate, salience_at, node_decay_rate, node_salience_at, node_until)
    WHERE r.salience > bound
      AND r.node_salience IS NOT NULL
      AND r.node_key IS NOT NULL
      AND r.decay_rate IS NOT NULL
      AND r.salience_at IS NOT NULL
      AND r.node_decay_rate IS NOT NULL
      AND r.node_salience_at IS NOT NULL
      AND r.node_until IS NOT NULL
      AND CASE WHEN r.node_until < 0 THEN r.node_until >= -$now_ms AND r.rank_until > $now_ms ELSE r.node_until > $now_ms END
    RETURN r, r.node_key AS node_key, r.salience AS stored, r.decay_rate AS rate, r.salience_at AS since,
      r.node_salience AS node_stored, r.node_decay_rate AS node_rate, r.node_salience_at AS node_since
    UNION ALL
    WITH null AS nothing
    RETURN null AS r, null AS node_key, null AS stored, null AS rate, null AS since, null AS node_stored, null AS node_rate, null AS node_since
  }
  WITH o, first, r, node_key, CASE WHEN rate > 0 AND since < $now_ms THEN stored * exp(rate * (since - $now_ms) / 86400000.0) ELSE stored END AS salience,
    CASE WHEN node_rate > 0 AND node_since < $now_ms THEN node_stored * exp(node_rate * (node_since - $now_ms) / 86400000.0) ELSE node_stored END AS node_salience
  WITH o, first, collect(CASE WHEN r IS NOT NULL THEN [r, node_key, salience, node_salience] END) AS second
  UNWIND first + second AS found
  WITH o, found[1] AS node_key, max(found[2]) AS salience, max(found[3]) AS node_salience, collect([found[0], found[2]]) AS found
  ORDER BY salience DESC, node_salience DESC, node_key DESC
  LIMIT 10
  CALL (found, salience) {
    WITH [one IN found WHERE one[1] = salience | one[0]] AS tied
    UNWIND tied AS r
    RETURN r
    ORDER BY CASE WHEN size(tied) > 1 THEN r.key END DESC
    LIMIT 1
  }
  WITH r, salience, node_salience, CASE WHEN startNode(r) = o THEN endNode(r) ELSE startNode(r) END AS n
  ORDER BY salience DESC, node_salience DESC, n.entity_key DESC
  RETURN collect([n, r, salience, false]) AS strong
}
CALL (strong) {
  WITH [x IN strong | x[0].entity_key] AS shown
  WHERE size(strong) < 10
  CALL (shown) {
    CALL () {
      MATCH (o:Person {team_id: $team_id, owner_of: $user_id})-[r:has_relationship_with|thinks_about|relates_to|involves|associated_with|engages_with|connected_to|related_to]-(n:Memory)
      WITH r, n
      LIMIT 1000
      WHERE coalesce(r.valid_to > $now, true)
        AND (coalesce(r.valid_from <= $now, true) OR r.start_unknown)
        AND (n:Person OR n:Concept OR n:Entity)
        AND (n.user_id IS NULL OR n.user_id = $user_id)
      RETURN r, n, false AS bounded
      UNION ALL
      MATCH (n:Concept {team_id: $team_id, user_id: $user_id, state: 'active', ttl_policy: 'decay'})
      USING INDEX SEEK n:Concept(team_id, user_id, state, ttl_policy, salience, entity_key)
      WHERE n.salience IS NOT NULL
        AND n.entity_key IS NOT NULL
      WITH n
      ORDER BY n.team_id DESC, n.user_id DESC, n.state DESC, n.ttl_policy DESC, n.salience DESC, n.entity_key DESC
      LIMIT 50
      RETURN null AS r, n, false AS bounded
      UNION ALL
      MATCH (s:Source {team_id: $team_id, user_id: $user_id, content_type: 'conversation'})
      USING INDEX SEEK s:Source(team_id, user_id, content_type, started_at, entity_key)
      WHERE s.started_at <= $until
        AND s.entity_key IS NOT NULL
      WITH s
      ORDER BY s.team_id DESC, s.user_id DESC, s.content_type DESC, s.started_at DESC, s.entity_key DESC
      LIMIT 20
      MATCH (s)-[m:mentions]->(n:Memory {team_id: $team_id, user_id: $user_id})
      WITH m, n
      LIMIT 1000
      WHERE coalesce(m.valid_to > $now, true)
        AND (n:Person OR n:Concept OR n:Entity)
      RETURN DISTINCT null AS r, n, false AS bounded
      UNION ALL
      UNWIND $prefixes AS prefix
      CALL (prefix) {
        MATCH (n:Memory {team_id: $team_id})
        USING INDEX SEEK n:Memory(team_id, natural_key)
        WHERE n.natural_key STARTS WITH prefix
        WITH n
        LIMIT 300
        RETURN collect(n) AS some
      }
      UNWIND some AS n
      WITH n, size(some) = 300 AS bounded
      WHERE n.user_id = $user_id
      RETURN null AS r, n, bounded
    }
    WITH r, n, bounded
    WHERE n.owner_of IS NULL
    WITH n, r, bounded, CASE WHEN r.decay_rate > 0 AND r.salience_at < $now_ms THEN r.salience * exp(r.decay_rate * (r.salience_at - $now_ms) / 86400000.0) ELSE r.salience END AS salience
    ORDER BY salience IS NULL, salience DESC, r.key DESC
    WITH n, collect(r)[0] AS r, max(salience) AS salience, max(bounded) AS bounded
    WITH n, r, salience, bounded,
      CASE WHEN n.decay_rate > 0 AND n.salience_at < $now_ms THEN n.salience * exp(n.decay_rate * (n.salience_at - $now_ms) / 86400000.0) ELSE n.salience END AS node_salience,
      CASE WHEN n.is_goal THEN 0 WHEN n:Concept AND n.ttl_policy = 'keep_forever' THEN 1 ELSE 2 END AS kind,
      n.state <> 'archived' AND NOT coalesce(n.ends_at <= $now_ms, false) AS present
    WITH n, r, salience, bounded, node_salience, kind,
      CASE WHEN kind = 2 AND n.entity_key IN shown THEN 3 WHEN present THEN 0 WHEN coalesce(node_salience, 0.0) < 0.01 THEN 1 ELSE 2 END AS place
    ORDER BY n.state = 'candidate', r IS NULL, node_salience DESC, n.entity_key DESC
    RETURN collect([n, r, coalesce(salience, 0.0), true, kind, place, n.user_id IS NULL, bounded]) AS known
  }
  RETURN [x IN known WHERE x[4] = 2 AND x[5] = 0 | x[..4]][..10 - size(shown)] AS more,
    [kind IN range(0, 2) | [place IN range(0, 2) | size([x IN known WHERE x[4] = kind AND x[5] = place AND NOT x[6]])]] + [any(x IN known WHERE x[7])] AS counts
  UNION ALL
  WITH strong
  WHERE size(strong) = 10
  RETURN [] AS more, null AS counts
}
CALL (strong, more) {
  UNWIND strong + more AS shown
  WITH shown[0] AS n, shown[1] AS r, shown[2] AS salience, shown[3] AS filled
  CALL (n) {
    MATCH (s:Source)-[m:mentions {team_id: $team_id, user_id: $user_id, node_key: n.entity_key}]->()
    USING INDEX SEEK m:mentions(team_id, user_id, node_key, started_at)
    WHERE m.started_at > $week_ago
      AND m.started_at <= $until
      AND coalesce(m.valid_to > $now, true)
    RETURN count(m) AS recent_mentions
  }
  RETURN collect([
    [
    n.entity_key, n.user_id IS NULL, n.name, n.canonical_name, n.type, n.description, n.is_owner, n.is_goal,
    n.state, n.ttl_policy, n.salience, n.decay_rate, n.salience_at, n.expires_at, n.confidence,
    n.access_count, n.last_accessed_at.epochMillis,
    n.created_at.epochMillis, n.updated_at.epochMillis, n.properties, n.notes[..20], n.trust, n.origin
    ],
    CASE WHEN n:Person THEN 0 WHEN n:Concept THEN 1 ELSE 2 END,
    r.description, salience, coalesce(r.type_word, type(r)), recent_mentions, filled, r.trust, r.origin
  ]) AS relationships
}
RETURN [relationships, counts] AS relationships
