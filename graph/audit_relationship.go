package graph

import (
	"context"
	"slices"

	"kith/cypher"
)

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
func (a *auditor) relationships(ctx context.Context, p auditedPage) error {
	for range auditTries {
		rows, err := a.rows(ctx, "audit_relationships", map[string]any{
			"team_id": p.team, "entity_keys": p.keys(""), "records": recordsLinked, "plain": plainTypes, "scopes": p.scopes(),
		})
		if err != nil {
			return err
		}
		before := a.result.Repaired
		for _, row := range rows {
			v := row
			fault := text(v[5])
			f := Finding{Check: fault, TeamID: p.team, Kind: text(v[4]), Key: relationshipName(text(v[3]), text(v[0])), Detail: relationshipFaults[fault].detail}
			if err := a.report(ctx, f, a.repairRelationship(p.team, v)); err != nil {
				return err
			}
		}
		if a.result.Repaired == before {
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
func (p *auditedPage) scopes() map[string]any {
	scopes := map[string]any{"": scopeToken(p.team, "")}
	for i := range p.nodes {
		scopes[p.nodes[i].user()] = scopeToken(p.team, p.nodes[i].user())
	}
	return scopes
}

func (a *auditor) repairRelationship(team string, row []any) func(context.Context) error {
	from, to, id, fault := text(row[0]), text(row[1]), text(row[2]), text(row[5])
	if fault == "search_scope" {
		return func(ctx context.Context) error {
			return a.store.transaction(ctx, "relationship_update", func(t *tx) error {
				scope := relationshipScope(team, text(row[6]), text(row[4]))
				return t.rows("relationship_update", team, []map[string]any{
					relationshipRow(from, text(row[4]), to, text(row[3]), properties{"search_scope": scope}),
				})
			})
		}
	}
	return func(ctx context.Context) error {
		return a.store.transaction(ctx, "audit_relationship_repair", func(t *tx) error {
			_, err := t.exec("audit_relationship_repair", map[string]any{
				"team_id": team, "entity_key": from, "id": id, "repair": relationshipFaults[fault].repair, "now": a.store.now(),
			})
			if err != nil || fault != "rank" {
				return err
			}
			_, err = t.exec("relationship_rank", map[string]any{
				"team_id": team, "entity_keys": []string{}, "pairs": []map[string]any{{"from": from, "to": to}},
			})
			return err
		})
	}
}

// duplicates reports current relationships that have a newer one of the same type between the same nodes.
func (a *auditor) duplicates(ctx context.Context, p auditedPage) error {
	rows, err := a.rows(ctx, "audit_duplicates", map[string]any{"team_id": p.team, "entity_keys": p.keys("")})
	for _, row := range rows {
		v := row
		f := Finding{Check: "current", TeamID: p.team, Kind: text(v[3]), Key: text(v[2]),
			Detail: "is current although a newer one of its type connects the same nodes"}
		repair := a.run("audit_relationship_repair", map[string]any{
			"team_id": p.team, "entity_key": text(v[0]), "id": text(v[1]), "repair": "close", "now": a.store.now(),
		})
		if err := a.report(ctx, f, repair); err != nil {
			return err
		}
	}
	return err
}

// keyed reports relationships whose key another relationship has.
func (a *auditor) keyed(ctx context.Context, p auditedPage) error {
	indexed, err := a.store.indexedTypes(ctx)
	if err != nil {
		return err
	}
	told := map[string]bool{}
	for some := range slices.Chunk(indexed, typesAtOnce) {
		q := cypher.ForTypes(a.store.queries["audit_relationship_keys"], some)
		rows, err := a.store.read(ctx, q, map[string]any{"team_id": p.team, "entity_keys": p.keys("")})
		if err != nil {
			return err
		}
		for _, row := range rows {
			from, id := text(row[0]), text(row[1])
			if told[id] { // one of three or more with the same key
				continue
			}
			told[id] = true
			f := Finding{Check: "relationship_key", TeamID: p.team, Kind: text(row[3]), Key: text(row[2]), Detail: "has the key of another relationship"}
			repair := a.run("audit_relationship_repair", map[string]any{
				"team_id": p.team, "entity_key": from, "id": id, "repair": "key", "now": a.store.now(),
			})
			if err := a.report(ctx, f, repair); err != nil {
				return err
			}
		}
	}
	return nil
}
