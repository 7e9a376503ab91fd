// Returns the open write transactions of Kith.
// mode: read
// scope: server
// params:
// returns: ids
SHOW TRANSACTIONS YIELD transactionId, metaData
WHERE metaData.app = 'kith' AND metaData.writes
RETURN collect(transactionId) AS ids
LIMIT 1
