// The ranked relationships of a node (relationship_rank.cypher), however many others it has.
CREATE INDEX has_relationship_with_node_rank IF NOT EXISTS
FOR ()-[r:has_relationship_with]-() ON (r.team_id, r.node_key);

CREATE INDEX thinks_about_node_rank IF NOT EXISTS
FOR ()-[r:thinks_about]-() ON (r.team_id, r.node_key);

CREATE INDEX relates_to_node_rank IF NOT EXISTS
FOR ()-[r:relates_to]-() ON (r.team_id, r.node_key);

CREATE INDEX involves_node_rank IF NOT EXISTS
FOR ()-[r:involves]-() ON (r.team_id, r.node_key);

CREATE INDEX associated_with_node_rank IF NOT EXISTS
FOR ()-[r:associated_with]-() ON (r.team_id, r.node_key);

CREATE INDEX engages_with_node_rank IF NOT EXISTS
FOR ()-[r:engages_with]-() ON (r.team_id, r.node_key);

CREATE INDEX connected_to_node_rank IF NOT EXISTS
FOR ()-[r:connected_to]-() ON (r.team_id, r.node_key);

// The relationships of hubs, in the order of their lists (hub_mark.cypher). Other types get such indexes when a hub has them.
CREATE INDEX hub_from_key_relates_to IF NOT EXISTS
FOR ()-[r:relates_to]-() ON (r.team_id, r.hub_from, r.key);

CREATE INDEX hub_from_salience_relates_to IF NOT EXISTS
FOR ()-[r:relates_to]-() ON (r.team_id, r.hub_from, r.salience, r.key);

CREATE INDEX hub_to_key_relates_to IF NOT EXISTS
FOR ()-[r:relates_to]-() ON (r.team_id, r.hub_to, r.key);

CREATE INDEX hub_to_salience_relates_to IF NOT EXISTS
FOR ()-[r:relates_to]-() ON (r.team_id, r.hub_to, r.salience, r.key);
