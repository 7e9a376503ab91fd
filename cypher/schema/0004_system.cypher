// Knowledge of systems. A System is what writers of one system lock, so that they follow each other.
CREATE CONSTRAINT system_name IF NOT EXISTS
FOR (s:System) REQUIRE (s.team_id, s.name) IS UNIQUE;

CREATE CONSTRAINT system_relationship_ends IF NOT EXISTS
FOR ()-[r:system_relationship]-() REQUIRE (r.team_id, r.from_key, r.to_key, r.relationship_type) IS UNIQUE;

CREATE INDEX system_entity_seq IF NOT EXISTS
FOR (n:SystemEntity) ON (n.team_id, n.system, n.seq);

CREATE INDEX system_relationship_seq IF NOT EXISTS
FOR ()-[r:system_relationship]-() ON (r.team_id, r.system, r.seq);
