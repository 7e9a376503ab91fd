// Nodes that may be one. A pair is found by its keys, by one of its nodes, and in the order in which proposals are
// listed, or in which a model is asked about them.
CREATE CONSTRAINT duplicate_pair IF NOT EXISTS
FOR (d:Duplicate) REQUIRE (d.team_id, d.pair) IS UNIQUE;

CREATE INDEX duplicate_rank IF NOT EXISTS
FOR (d:Duplicate) ON (d.team_id, d.of_user, d.probability, d.pair);

CREATE INDEX duplicate_judge IF NOT EXISTS
FOR (d:Duplicate) ON (d.judge_from);

CREATE INDEX duplicate_first IF NOT EXISTS
FOR (d:Duplicate) ON (d.team_id, d.first_key);

CREATE INDEX duplicate_second IF NOT EXISTS
FOR (d:Duplicate) ON (d.team_id, d.second_key);

// Pairs that somebody has said are two.
CREATE CONSTRAINT duplicate_refusal_pair IF NOT EXISTS
FOR (d:DuplicateRefusal) REQUIRE (d.team_id, d.pair) IS UNIQUE;

CREATE INDEX duplicate_refusal_user IF NOT EXISTS
FOR (d:DuplicateRefusal) ON (d.team_id, d.of_user, d.pair);

// The words by which nodes meet those that may be the same, as hashes.
CREATE CONSTRAINT duplicate_blocks_key IF NOT EXISTS
FOR (b:DuplicateBlocks) REQUIRE (b.team_id, b.entity_key) IS UNIQUE;

CREATE FULLTEXT INDEX duplicate_blocks IF NOT EXISTS
FOR (b:DuplicateBlocks) ON EACH [b.blocks]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}};

// How far a team was looked through.
CREATE CONSTRAINT duplicate_look_team IF NOT EXISTS
FOR (l:DuplicateLook) REQUIRE l.team_id IS UNIQUE;

// For erasures.
CREATE INDEX duplicate_team IF NOT EXISTS
FOR (d:Duplicate) ON (d.team_id);

CREATE INDEX duplicate_refusal_team IF NOT EXISTS
FOR (d:DuplicateRefusal) ON (d.team_id);

CREATE INDEX duplicate_blocks_team IF NOT EXISTS
FOR (b:DuplicateBlocks) ON (b.team_id);
