// Returns the open write transactions of Kith. Those of earlier versions have no id of their own.
// mode: read
// scope: server
// params:
// returns: ids
SHOW TRANSACTIONS YIELD transactionId, metaData
WHERE metaData.app = 'kith' AND metaData.writes
RETURN collect(coalesce(metaData.id, transactionId)) AS ids
LIMIT 1
