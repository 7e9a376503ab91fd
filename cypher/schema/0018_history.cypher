// The history of writes.
CREATE INDEX former_team IF NOT EXISTS
FOR (f:Former) ON (f.team_id);
