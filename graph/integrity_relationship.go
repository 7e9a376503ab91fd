package graph

import (
	"context"
	"slices"

	"kith/cypher"
	"kith/graph/neo"
	"kith/graph/searchscope"
)

var (
	findFaultyRelationships   = neo.Load[faultyRelationship]("integrity_relationships")
	findRepeatedRelationships = neo.Load[repeatedRelationship]("integrity_duplicates")
	findRepeatedKeys          = neo.Load[repeatedRelationship]("integrity_relationship_keys")
	repairRelationship        = neo.Load[neo.None]("integrity_relationship_repair")
)

// faultyRelationship is a relationship from a node to another one, and its fault.
type faultyRelationship struct {
	EntityKey, OtherKey string
	ID, Key, Type       string // ID is the element id
	Fault               string
	UserID              string
	Evidence            []string
	SearchScope         string
}

// scope returns the property search_scope that the relationship should have.
func (r *faultyRelationship) scope(team string) string {
	p := Properties{"evidence": r.Evidence}
	p.putRelationshipScope(team, r.UserID, r.Type)
	return p.Text("search_scope")
}

// repeatedRelationship is a relationship from a node that has the ends or the key of another one.
type repeatedRelationship struct {
	EntityKey     string
	ID, Key, Type string // ID is the element id
}

// recordsLinked are the labels of nodes outside the memory to which its relationships may lead.
var recordsLinked = []string{"System", "ChatTree", "ChatTurn"}

// relationshipFaults describes each fault and names its repair.
var relationshipFaults = map[string]struct{ detail, repair string }{
	"across_teams": {"leads to another team", "delete"},
	"dangling":     {"leads to a node outside the memory", "delete"},
	"without_team": {"does not name its team", "team"},
	"two_users":    {"connects the private nodes of two users", "delete"},
	"wrong_user":   {"is private to a different user than its ends", "user"},
	"salience":     {"has a salience outside 0 to 1", "salience"},
	"rank":         {"has a wrong rank in its owner's context", "unrank"},
	"search_scope": {"has a wrong search_scope", ""},
}

// relationships reports the faults of the relationships of a page's nodes. After a repair it checks again.
func (c *checker) relationships(ctx context.Context, p checkedPage) error {
	for range checkTries {
		rows, err := findFaultyRelationships.Read(ctx, c.store.db, map[string]any{
			"team_id": p.team, "entity_keys": p.keys(""), "records": recordsLinked, "plain": PlainTypes, "scopes": p.scopes(), "now": c.store.Now(),
		})
		if err != nil {
			return err
		}
		before := c.result.Repaired
		for _, row := range rows {
			if row.Fault == "search_scope" && row.SearchScope == row.scope(p.team) {
				continue
			}
			f := Finding{
				Check: row.Fault, TeamID: p.team, Kind: row.Type, Key: relationshipName(row.Key, row.EntityKey), Detail: relationshipFaults[row.Fault].detail,
			}
			if err := c.report(ctx, f, c.repairRelationship(p.team, row)); err != nil {
				return err
			}
		}
		if c.result.Repaired == before {
			return nil
		}
	}
	return nil
}

// relationshipName returns a relationship's key, or its start if it has none.
func relationshipName(key, from string) string {
	if key == "" {
		return "from " + from
	}
	return key
}

// scopes returns the scope tokens of the users of a page's nodes. The empty name stands for the shared part of the team.
func (p *checkedPage) scopes() map[string]any {
	scopes := map[string]any{"": searchscope.Owner(p.team, "")}
	for i := range p.nodes {
		scopes[p.nodes[i].user()] = searchscope.Owner(p.team, p.nodes[i].user())
	}
	return scopes
}

func (c *checker) repairRelationship(team string, row faultyRelationship) func(context.Context) error {
	from, to := row.EntityKey, row.OtherKey
	if row.Fault == "search_scope" {
		return func(ctx context.Context) error {
			return c.store.Transaction(ctx, "relationship_update", func(t *Tx) error {
				return t.writeRows(updateRelationships, team, []map[string]any{relationshipRow(from, row.Type, to, row.Key, Properties{"search_scope": row.scope(team)})})
			})
		}
	}
	return func(ctx context.Context) error {
		return c.store.Transaction(ctx, repairRelationship.Name, func(t *Tx) error {
			err := repairRelationship.Run(t, map[string]any{
				"team_id": team, "entity_key": from, "id": row.ID, "repair": relationshipFaults[row.Fault].repair, "now": c.store.Now(),
			})
			if err != nil || row.Fault != "rank" {
				return err
			}
			return (&ranks{pairs: []map[string]any{{"from": from, "to": to}}}).renew(t, team, c.store.Now())
		})
	}
}

// duplicates reports current relationships that have a newer one of the same type between the same nodes.
func (c *checker) duplicates(ctx context.Context, p checkedPage) error {
	rows, err := findRepeatedRelationships.Read(ctx, c.store.db, map[string]any{"team_id": p.team, "entity_keys": p.keys("")})
	for _, row := range rows {
		f := Finding{Check: "current", TeamID: p.team, Kind: row.Type, Key: row.Key,
			Detail: "is current although a newer one of its type connects the same nodes"}
		repair := c.run(repairRelationship, map[string]any{
			"team_id": p.team, "entity_key": row.EntityKey, "id": row.ID, "repair": "close", "now": c.store.Now(),
		})
		if err := c.report(ctx, f, repair); err != nil {
			return err
		}
	}
	return err
}

// keyed reports relationships whose key another relationship has.
func (c *checker) keyed(ctx context.Context, p checkedPage) error {
	indexed, err := c.store.IndexedTypes(ctx)
	if err != nil {
		return err
	}
	told := map[string]bool{}
	for some := range slices.Chunk(indexed, typesAtOnce) {
		find := findRepeatedKeys
		find.Query = cypher.ForTypes(find.Query, some)
		rows, err := find.Read(ctx, c.store.db, map[string]any{"team_id": p.team, "entity_keys": p.keys("")})
		if err != nil {
			return err
		}
		for _, row := range rows {
			if told[row.ID] { // one of three or more with the same key
				continue
			}
			told[row.ID] = true
			f := Finding{Check: "relationship_key", TeamID: p.team, Kind: row.Type, Key: row.Key, Detail: "has the key of another relationship"}
			repair := c.run(repairRelationship, map[string]any{
				"team_id": p.team, "entity_key": row.EntityKey, "id": row.ID, "repair": "key", "now": c.store.Now(),
			})
			if err := c.report(ctx, f, repair); err != nil {
				return err
			}
		}
	}
	return nil
}
