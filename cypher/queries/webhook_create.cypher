// Adds a webhook in the first free place of a team. It returns no row if all are taken.
// mode: write
// params: team_id, id, places, properties
// returns: id
OPTIONAL MATCH (o:Webhook {team_id: $team_id})
WITH collect(o.place) AS taken
WITH head([place IN range(1, $places) WHERE NOT place IN taken]) AS place
WHERE place IS NOT NULL
CREATE (w:Webhook {team_id: $team_id, id: $id, place: place})
SET w += $properties
RETURN w.id AS id
