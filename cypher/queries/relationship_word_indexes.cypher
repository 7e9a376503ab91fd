// Returns the full-text indexes of relationships, each with its types.
// mode: read
// scope: server
// params:
// returns: indexes
SHOW FULLTEXT INDEXES YIELD name, labelsOrTypes
WHERE name STARTS WITH 'relationship_words'
RETURN collect([name, labelsOrTypes]) AS indexes
LIMIT 1
