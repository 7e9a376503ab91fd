// Nodes of any kind by their names, as texts and statements of callers name them.
CREATE INDEX memory_name IF NOT EXISTS
FOR (n:Memory) ON (n.team_id, n.search_name);
