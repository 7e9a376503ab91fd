// The order of an owner's relationships, with all that their current values are computed from: the walk reads nothing but
// the index. owner_key and what begins with node_ stand only on the relationships that count for the owner's context
// (relationship_rank.cypher).
DROP INDEX has_relationship_with_rank IF EXISTS;

CREATE INDEX has_relationship_with_ranked IF NOT EXISTS
FOR ()-[r:has_relationship_with]-() ON (r.team_id, r.owner_key, r.salience, r.node_salience, r.node_key, r.decay_rate, r.salience_at, r.node_decay_rate, r.node_salience_at, r.node_until);

DROP INDEX thinks_about_rank IF EXISTS;

CREATE INDEX thinks_about_ranked IF NOT EXISTS
FOR ()-[r:thinks_about]-() ON (r.team_id, r.owner_key, r.salience, r.node_salience, r.node_key, r.decay_rate, r.salience_at, r.node_decay_rate, r.node_salience_at, r.node_until);

DROP INDEX relates_to_rank IF EXISTS;

CREATE INDEX relates_to_ranked IF NOT EXISTS
FOR ()-[r:relates_to]-() ON (r.team_id, r.owner_key, r.salience, r.node_salience, r.node_key, r.decay_rate, r.salience_at, r.node_decay_rate, r.node_salience_at, r.node_until);

DROP INDEX involves_rank IF EXISTS;

CREATE INDEX involves_ranked IF NOT EXISTS
FOR ()-[r:involves]-() ON (r.team_id, r.owner_key, r.salience, r.node_salience, r.node_key, r.decay_rate, r.salience_at, r.node_decay_rate, r.node_salience_at, r.node_until);

DROP INDEX associated_with_rank IF EXISTS;

CREATE INDEX associated_with_ranked IF NOT EXISTS
FOR ()-[r:associated_with]-() ON (r.team_id, r.owner_key, r.salience, r.node_salience, r.node_key, r.decay_rate, r.salience_at, r.node_decay_rate, r.node_salience_at, r.node_until);

DROP INDEX engages_with_rank IF EXISTS;

CREATE INDEX engages_with_ranked IF NOT EXISTS
FOR ()-[r:engages_with]-() ON (r.team_id, r.owner_key, r.salience, r.node_salience, r.node_key, r.decay_rate, r.salience_at, r.node_decay_rate, r.node_salience_at, r.node_until);

DROP INDEX connected_to_rank IF EXISTS;

CREATE INDEX connected_to_ranked IF NOT EXISTS
FOR ()-[r:connected_to]-() ON (r.team_id, r.owner_key, r.salience, r.node_salience, r.node_key, r.decay_rate, r.salience_at, r.node_decay_rate, r.node_salience_at, r.node_until);
