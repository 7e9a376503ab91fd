// Sets the least trust of a team's writes.
// mode: write
// params: team_id, min_trust, now
// returns: min_trust
MERGE (s:TrustSetting {team_id: $team_id})
SET s.min_trust = $min_trust, s.updated_at = $now
RETURN s.min_trust AS min_trust
