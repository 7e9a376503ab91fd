// Forgets what was counted of a team whose data is erased. The team's own quota stays.
// mode: write
// params: team_id
// returns: teams
MATCH (q:Quota {team_id: $team_id})
REMOVE q.nodes, q.relationships, q.characters, q.reads
SET q.fresh_until = 0
FOREACH (x IN CASE WHEN coalesce(q.max_nodes, q.max_relationships, q.max_characters) IS NULL THEN [q] ELSE [] END | DELETE x)
RETURN count(*) AS teams
