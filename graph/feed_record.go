package graph

import (
	"kith/graph/neo"
)

// recorders add the changes of a statement to a feed, by the statement's parameters. Statements that need what was stored before
// are recorded where they run, see Tx.Record.
var recorders = map[string]func(f *feed, params map[string]any){ //nolint:gochecknoglobals // a constant table
	"node_create": func(f *feed, params map[string]any) {
		eachRow(params, func(row, p Properties) {
			f.record(p.Text("user_id"), FeedItem{Op: CreatedOp, Kind: KindOfLabel(row.Text("label")).Name, Key: row.Text("entity_key"), Version: version(p)})
		})
	},
	"node_update": func(f *feed, params map[string]any) {
		eachRow(params, func(row, p Properties) {
			if row["replaced_at"] != nil {
				f.record(row.Text("user_id"), FeedItem{Op: UpdatedOp, Kind: row.Text("kind"), Key: row.Text("entity_key"), Version: version(p)})
			}
		})
	},
	"relationship_create": func(f *feed, params map[string]any) {
		eachRow(params, func(row, p Properties) {
			op := CreatedOp
			if p["restored_at"] != nil {
				op = RestoredOp
			}
			f.record(p.Text("user_id"), relationshipItem(op, row, p))
		})
	},
	"relationship_update": func(f *feed, params map[string]any) {
		eachRow(params, func(row, p Properties) {
			if row["replaced_at"] != nil {
				f.record(row.Text("user_id"), relationshipItem(UpdatedOp, row, p))
			}
		})
	},
	"relationship_remove": func(f *feed, params map[string]any) { // only what the same transaction created
		eachRow(params, func(row, _ Properties) { f.drop(row.Text("key")) })
	},
	"message_append": recordMessages, "message_restore": recordMessages,
	"system_entity_create":       recordEntities(CreatedOp),
	"system_entity_update":       recordEntities(UpdatedOp),
	"system_relationship_create": recordSystemRelationships(CreatedOp),
	"system_relationship_update": recordSystemRelationships(UpdatedOp),
	"system_relationship_delete": recordSystemRelationships(DeletedOp),
	"system_entity_delete": func(f *feed, params map[string]any) {
		keys, _ := params["entity_keys"].([]string)
		for _, key := range keys {
			f.record("", FeedItem{Op: DeletedOp, Kind: SystemEntityKind.Name, Key: key})
		}
	},
	"system_delete": func(f *feed, params map[string]any) {
		f.record("", FeedItem{Op: DeletedOp, Kind: SystemRecord, Key: neo.Text(params["system"])})
	},
}

// eachRow calls visit with the rows of a statement and the properties that each writes.
func eachRow(params map[string]any, visit func(row, properties Properties)) {
	rows, _ := params["rows"].([]map[string]any)
	for _, row := range rows {
		p, _ := row["properties"].(map[string]any)
		visit(row, p)
	}
}

func relationshipItem(op Op, row, p Properties) FeedItem {
	return relationshipChange(op, row.Text("key"), row.Text("type"), row.Text("from"), row.Text("to"), p)
}

// relationshipChange is the item of a relationship of a stored type, of the memory or within a system.
func relationshipChange(op Op, key, kind, from, to string, p Properties) FeedItem {
	i := FeedItem{Op: op, Kind: RelationshipRecord, Key: key, Version: version(p), Type: p.shownType(kind), From: from, To: to}
	if kind == SystemRelationshipType {
		i.Kind = SystemRelationshipRecord
	}
	return i
}

func recordMessages(f *feed, params map[string]any) {
	eachRow(params, func(row, p Properties) {
		f.record(p.Text("user_id"), FeedItem{Op: CreatedOp, Kind: MessageKind.Name, Key: row.Text("entity_key"), Version: version(p)})
	})
}

func recordEntities(op Op) func(f *feed, params map[string]any) {
	return func(f *feed, params map[string]any) {
		eachRow(params, func(row, p Properties) {
			if p["version"] != nil { // otherwise it only has another place in its system
				f.record("", FeedItem{Op: op, Kind: SystemEntityKind.Name, Key: row.Text("entity_key"), Version: version(p)})
			}
		})
	}
}

func recordSystemRelationships(op Op) func(f *feed, params map[string]any) {
	return func(f *feed, params map[string]any) {
		eachRow(params, func(row, p Properties) {
			if op == DeletedOp || p["updated_at"] != nil {
				f.record("", FeedItem{
					Op: op, Kind: SystemRelationshipRecord, Key: row.Text("key"), Version: version(row),
					Type: row.Text("relationship_type"), From: row.Text("from_key"), To: row.Text("to_key"),
				})
			}
		})
	}
}
