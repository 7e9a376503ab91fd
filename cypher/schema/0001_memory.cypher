// Keys, natural keys and the order of every read of the agent context.
// Uniqueness is by team throughout: nothing here lets one tenant collide with another.
CREATE CONSTRAINT memory_entity_key IF NOT EXISTS
FOR (n:Memory) REQUIRE (n.team_id, n.entity_key) IS UNIQUE;

CREATE CONSTRAINT memory_natural_key IF NOT EXISTS
FOR (n:Memory) REQUIRE (n.team_id, n.natural_key) IS UNIQUE;

// One owner a user: owner_of holds the user id, and only the owner has it.
CREATE CONSTRAINT person_owner_of IF NOT EXISTS
FOR (n:Person) REQUIRE (n.team_id, n.owner_of) IS UNIQUE;

CREATE CONSTRAINT preference_key IF NOT EXISTS
FOR (p:Preference) REQUIRE (p.team_id, p.user_id, p.key) IS UNIQUE;

// One row for the schema's version, however many instances start at once.
CREATE CONSTRAINT kith_schema_name IF NOT EXISTS
FOR (s:KithSchema) REQUIRE s.name IS UNIQUE;

CREATE CONSTRAINT api_key_id IF NOT EXISTS
FOR (k:ApiKey) REQUIRE k.key_id IS UNIQUE;

CREATE INDEX concept_belief IF NOT EXISTS
FOR (n:Concept) ON (n.team_id, n.user_id, n.state, n.ttl_policy, n.salience, n.entity_key);

CREATE INDEX concept_goal IF NOT EXISTS
FOR (n:Concept) ON (n.team_id, n.user_id, n.is_goal, n.state, n.salience, n.entity_key);

CREATE INDEX source_started IF NOT EXISTS
FOR (n:Source) ON (n.team_id, n.user_id, n.content_type, n.started_at, n.entity_key);

CREATE INDEX message_seq IF NOT EXISTS
FOR (n:Message) ON (n.team_id, n.source_key, n.seq);

CREATE INDEX mentions_started IF NOT EXISTS
FOR ()-[r:mentions]-() ON (r.team_id, r.user_id, r.node_key, r.started_at);

// owner_key, node_salience and node_key stand only on the relationships that count for the owner's
// context (see relationship_rank.cypher), so that the first ten of each index are the answer.
CREATE INDEX has_relationship_with_rank IF NOT EXISTS
FOR ()-[r:has_relationship_with]-() ON (r.team_id, r.owner_key, r.salience, r.node_salience, r.node_key);

CREATE INDEX thinks_about_rank IF NOT EXISTS
FOR ()-[r:thinks_about]-() ON (r.team_id, r.owner_key, r.salience, r.node_salience, r.node_key);

CREATE INDEX relates_to_rank IF NOT EXISTS
FOR ()-[r:relates_to]-() ON (r.team_id, r.owner_key, r.salience, r.node_salience, r.node_key);

CREATE INDEX involves_rank IF NOT EXISTS
FOR ()-[r:involves]-() ON (r.team_id, r.owner_key, r.salience, r.node_salience, r.node_key);

CREATE INDEX associated_with_rank IF NOT EXISTS
FOR ()-[r:associated_with]-() ON (r.team_id, r.owner_key, r.salience, r.node_salience, r.node_key);

CREATE INDEX engages_with_rank IF NOT EXISTS
FOR ()-[r:engages_with]-() ON (r.team_id, r.owner_key, r.salience, r.node_salience, r.node_key);

CREATE INDEX connected_to_rank IF NOT EXISTS
FOR ()-[r:connected_to]-() ON (r.team_id, r.owner_key, r.salience, r.node_salience, r.node_key);

