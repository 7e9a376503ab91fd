// Records that all vectors are of the model.
// mode: write
// scope: server
// params: model
// returns: renewed
MATCH (e:KithSchema {name: 'embedding', model: $model})
SET e.renewing = null
RETURN count(e) AS renewed
