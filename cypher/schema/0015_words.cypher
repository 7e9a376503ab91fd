// Relationship types of a team's own. Their relationships are of the type related_to and have the word as type_word. TypeWords has
// the words of a team; who adds one holds the node until the commit.
CREATE CONSTRAINT type_words_team IF NOT EXISTS
FOR (w:TypeWords) REQUIRE w.team_id IS UNIQUE;

CREATE INDEX relationship_key_related_to IF NOT EXISTS
FOR ()-[r:related_to]-() ON (r.team_id, r.key);
