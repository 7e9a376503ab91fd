// Sources whose part in storylines is to be looked at; only those have story_due.
CREATE INDEX source_story_due IF NOT EXISTS
FOR (n:Source) ON (n.story_due);

// Types that Kith itself writes, so that the limit on callers' types never stands in their way.
CREATE INDEX relationship_key_about IF NOT EXISTS
FOR ()-[r:about]-() ON (r.team_id, r.key);

CREATE INDEX relationship_key_includes IF NOT EXISTS
FOR ()-[r:includes]-() ON (r.team_id, r.key);

CREATE INDEX relationship_key_rooted_in IF NOT EXISTS
FOR ()-[r:rooted_in]-() ON (r.team_id, r.key);

CREATE INDEX relationship_key_groups IF NOT EXISTS
FOR ()-[r:groups]-() ON (r.team_id, r.key);
