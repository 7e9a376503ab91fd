// Nodes whose text waits for its vector; only those have embed_due.
CREATE INDEX memory_embed_due IF NOT EXISTS
FOR (n:Memory) ON (n.embed_due);

CREATE INDEX memory_team_embed_due IF NOT EXISTS
FOR (n:Memory) ON (n.team_id, n.embed_due);

// The vectors of one user, or of what a team shares, in the order in which they were stored.
CREATE INDEX memory_vector_seq IF NOT EXISTS
FOR (n:Memory) ON (n.vector_scope, n.vector_seq);
