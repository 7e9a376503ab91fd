// Ends callers' statements whose rows exceed the memory limit. Neo4j counts what sorting, grouping and collecting hold;
// it has no limit for one kind of statement.
// mode: read
// scope: server
// params: most
// returns: ended
SHOW TRANSACTIONS YIELD transactionId AS id, metaData, estimatedUsedHeapMemory AS bytes
WHERE metaData.app = 'kith' AND metaData.query = 'cypher' AND bytes > $most
TERMINATE TRANSACTIONS id YIELD transactionId AS ended
RETURN ended
LIMIT 100
