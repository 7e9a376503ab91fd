// Sets the embedding model of a database without vectors, and returns the model that the database has.
// mode: write
// scope: server
// params: model, dimensions
// returns: model, dimensions
MERGE (e:KithSchema {name: 'embedding'})
ON CREATE SET e.model = $model, e.dimensions = $dimensions, e.seq = 0, e.base = 0, e.walked = false
RETURN e.model AS model,
  e.dimensions AS dimensions
