// Adds characters to what a team keeps of its reads; less than none if some were removed. counted is false if the team's were not counted
// before.
// mode: write
// params: team_id, characters
// returns: characters, max_characters, counted
MERGE (q:Quota {team_id: $team_id})
WITH q, q.reads IS NOT NULL AS counted
SET q.reads = coalesce(q.reads, 0) + $characters
RETURN q.reads AS characters,
  q.max_characters AS max_characters,
  counted
