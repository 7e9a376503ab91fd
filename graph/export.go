package graph

import (
	"context"
	"encoding/json"
	"time"

	"kith/graph/neo"
)

var (
	exportNodes         = neo.Load[exportedNode]("export_nodes")
	exportRelationships = neo.Load[exportedRelationship]("export_relationships")
	exportHub           = neo.Load[exportedRelationship]("export_hub")
	exportDegree        = neo.Load[int64]("export_degree")
)

// exportedNode is a node as it is stored.
type exportedNode struct {
	Labels     Labels
	Properties Properties
	Merged     []string // keys of merged nodes
}

// exportedRelationship is a relationship as it is stored, or without a type a node that has none.
type exportedRelationship struct {
	From, Type, To string
	Properties     Properties
}

// exportBatch bounds the nodes of one read.
const exportBatch = 1000

// exportSizes bounds one read of relationships.
type exportSizes struct {
	nodes, rows int
	hub         int64 // relationships of a node of which no read goes through all
}

// ExportNodes reads all nodes of a team in the form in which they are imported: sources before their messages, otherwise by key.
// Memory use is bounded whatever the team stores. It stops at the first error of visit and returns it. What is written meanwhile
// may be included or not.
func (s *Store) ExportNodes(ctx context.Context, teamID string, visit func(*NodeWrite) error) error {
	for _, messages := range []bool{false, true} {
		after := ""
		for {
			rows, err := exportNodes.Read(ctx, s.db, map[string]any{
				"team_id": teamID, "after": after, "messages": messages, "limit": exportBatch,
			})
			if err != nil {
				return err
			}
			for _, row := range rows {
				after = row.Properties.Text("entity_key")
				if err := visit(row.line()); err != nil {
					return err
				}
			}
			if len(rows) < exportBatch {
				break
			}
		}
	}
	return nil
}

// ExportRelationships reads all relationships of a team, current and past, in the form in which they are imported, by the keys of
// their ends. Memory use is bounded however many relationships a node has.
func (s *Store) ExportRelationships(ctx context.Context, teamID string, visit func(*RelationshipWrite) error) error {
	return s.exportRelationships(ctx, teamID, exportSizes{nodes: exportBatch, rows: 4_000, hub: 100_000}, visit)
}

func (s *Store) exportRelationships(ctx context.Context, teamID string, size exportSizes, visit func(*RelationshipWrite) error) error {
	e := relationshipExport{store: s, team: teamID, size: size, visit: visit}
	for {
		before := e.from
		more, err := e.read(ctx, exportRelationships, func(r *exportedRelationship) string { return r.From })
		if err != nil || !more {
			return err
		}
		if e.from != before {
			continue
		}
		degree, err := exportDegree.ReadOne(ctx, s.db, map[string]any{"team_id": teamID, "entity_key": e.from})
		if err != nil {
			return err
		}
		for more = degree >= size.hub; more; {
			if more, err = e.read(ctx, exportHub, func(r *exportedRelationship) string { return r.To }); err != nil {
				return err
			}
		}
	}
}

// relationshipExport reads the relationships of a team, from the last one on.
type relationshipExport struct {
	store *Store
	team  string
	size  exportSizes
	visit func(*RelationshipWrite) error

	from, to, kind, key string // of the last one
}

// read reads the next relationships. It reports whether there may be more: rows, or nodes, which end returns of a row.
func (e *relationshipExport) read(ctx context.Context, query neo.Query[exportedRelationship], end func(*exportedRelationship) string) (more bool, err error) {
	rows, err := query.Read(ctx, e.store.db, map[string]any{
		"team_id": e.team, "from": e.from, "to": e.to, "type": e.kind, "key": e.key, "limit": e.size.nodes, "row_limit": e.size.rows,
	})
	if err != nil {
		return false, err
	}
	nodes := 1 // the last one read may have no more
	for i := range rows {
		row := &rows[i]
		if end(row) != end(&exportedRelationship{From: e.from, To: e.to}) {
			nodes++
		}
		e.from, e.to, e.kind, e.key = row.From, row.To, row.Type, row.Properties.Text("key")
		if e.kind == "" {
			continue
		}
		if err := e.visit(relationshipLine(e.from, e.kind, e.to, row.Properties)); err != nil {
			return false, err
		}
	}
	return len(rows) == e.size.rows || nodes >= e.size.nodes, nil
}

// line returns the write that restores the node.
func (n *exportedNode) line() *NodeWrite {
	if n.Properties["merged_keys"] != nil {
		n.Properties["merged_keys"] = n.Merged
	}
	return nodeLine(n.Labels.Kind(), n.Properties)
}

// nodeLine returns the write that restores a node.
func nodeLine(kind Kind, p Properties) *NodeWrite {
	w := &NodeWrite{
		Kind: kind.Name, EntityKey: p.Text("entity_key"), UserID: Null[string](), OwnFields: ownOf(kind, p), History: historyOf(p),
		Name: someText(p, "name"), CanonicalName: someText(p, "canonical_name"), Type: someText(p, "type"), Description: someText(p, "description"),
		State: someText(p, "state"), TTLPolicy: someText(p, "ttl_policy"), Salience: someNumber(p, "salience"), Confidence: someNumber(p, "confidence"),
		CreatedAt: someTime(p, "created_at"), UpdatedAt: someTime(p, "updated_at"), LastAccessedAt: someTime(p, "last_accessed_at"),
		Properties: rawOf(p),
	}
	if user := p.Text("user_id"); user != "" {
		w.UserID = Some(user)
	}
	if neo.Bool(p["is_owner"]) {
		w.IsOwner = Some(true)
	}
	w.History.System, w.History.Seq = Optional[string]{}, Optional[int64]{} // nodes have fields of their own for them
	if kind == SourceKind && p.integer("next_seq") <= p.integer("message_count") {
		w.History.NextSeq = Optional[int64]{} // as in every source without gaps
	}
	if w.OwnFields != nil {
		w.Title = Optional[string]{} // it is the name
	}
	w.dropNUL()
	return w
}

// relationshipLine returns the write that restores a relationship.
func relationshipLine(from, kind, to string, p Properties) *RelationshipWrite {
	w := &RelationshipWrite{
		From: from, To: to, Type: kind, Qualifier: p.Text("qualifier"), Key: p.Text("key"), History: historyOf(p), Properties: rawOf(p),
		Description: someText(p, "description"), State: someText(p, "state"),
		Salience: someNumber(p, "salience"), Confidence: someNumber(p, "confidence"),
		Attitude: someInteger(p, "attitude"), Proximity: someInteger(p, "proximity"),
		ValidFrom: someTime(p, "valid_from"), ValidTo: someTime(p, "valid_to"), RecordedBy: someText(p, "recorded_by"),
		RecordedAt: someTime(p, "recorded_at"), UpdatedAt: someTime(p, "updated_at"), LastAccessedAt: someTime(p, "last_accessed_at"),
	}
	if given := p.typeText(); given != "" {
		w.RelationshipType = Some(given)
	}
	return w
}

func rawOf(p Properties) json.RawMessage {
	if raw := p.Text("properties"); raw != "" {
		return json.RawMessage(raw)
	}
	return nil
}

func someText(p Properties, name string) Optional[string] {
	v, ok := p[name].(string)
	return Optional[string]{Given: ok, Value: v}
}

func someNumber(p Properties, name string) Optional[float64] {
	_, ok := p[name]
	return Optional[float64]{Given: ok, Value: p.number(name)}
}

func someInteger(p Properties, name string) Optional[int64] {
	v, ok := p[name].(int64)
	return Optional[int64]{Given: ok, Value: v}
}

func someTime(p Properties, name string) Optional[time.Time] {
	if t := p.Moment(name); t != nil {
		return Some(*t)
	}
	return Optional[time.Time]{}
}
