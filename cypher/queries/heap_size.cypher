// Returns the maximum heap size of the database, in bytes.
// mode: read
// scope: server
// params:
// returns: bytes
CALL dbms.queryJmx('java.lang:type=Memory') YIELD attributes
RETURN attributes.HeapMemoryUsage.value.properties.max AS bytes
LIMIT 1
