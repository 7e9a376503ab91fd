// Returns when the user or team of some names was last erased, in milliseconds; null: never.
// mode: read
// scope: server
// params: keys
// returns: erased_at
MATCH (l:Lease)
WHERE l.name IN $keys
RETURN max(l.erased_at) AS erased_at
LIMIT 1
