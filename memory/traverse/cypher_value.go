package traverse

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"kith/cypher"
	"kith/graph"
	"kith/graph/neo"
)

// mask is the value that the database sends for a hidden property in a map of all properties.
const mask = "\ue000masked\ue000"

// tableReader makes a table of the values that the database sends.
type tableReader struct {
	store  *Store
	scope  graph.Scope
	table  Records
	recall graph.Recall
	bytes  int
	keys   map[string]string // of the row's nodes, by the database's ids
}

func (t *tableReader) read(ctx context.Context, tx neo4j.ExplicitTransaction, text string, parameters map[string]any) error {
	result, err := tx.Run(ctx, cypher.Language+text, parameters)
	if err != nil {
		return err
	}
	now := t.store.Now()
	for result.Next(ctx) {
		if len(t.table.Rows) == cypherRows {
			t.table.Truncated = true
			return nil
		}
		row, err := t.row(result.Record().Values, now)
		if err != nil {
			return err
		}
		if t.bytes > cypherBytes && len(t.table.Rows) == 0 {
			return invalidCypher("the first row has more than %d bytes: return fewer properties", cypherBytes)
		}
		if t.bytes > cypherBytes {
			t.table.Truncated = true
			return nil
		}
		t.table.Rows = append(t.table.Rows, row)
	}
	return result.Err()
}

func (t *tableReader) row(values []any, now time.Time) ([]json.RawMessage, error) {
	t.keys = map[string]string{}
	left := cypherBytes
	for _, v := range values {
		if left = fits(v, left); left < 0 { // it is not even written
			t.bytes += cypherBytes + 1
			return nil, nil
		}
		if err := t.nodes(v); err != nil {
			return nil, err
		}
	}
	row := make([]json.RawMessage, len(values))
	for i, v := range values {
		raw, err := json.Marshal(t.value(v, now))
		if err != nil {
			return nil, fmt.Errorf("write a value: %w", err)
		}
		row[i] = raw
		t.bytes += len(raw) + 1
	}
	return row, nil
}

// fits returns the bytes left after a value has taken its least size; less than 0: it does not fit.
func fits(v any, left int) int {
	switch v := v.(type) {
	case string:
		return left - len(v)
	case []any:
		for i := 0; i < len(v) && left >= 0; i++ {
			left = fits(v[i], left-1)
		}
	case map[string]any:
		for key, value := range v {
			if left = fits(value, left-len(key)); left < 0 {
				break
			}
		}
	case neo4j.Path:
		return left - 100*len(v.Nodes)
	}
	return left
}

// nodes records the nodes in a value. It checks again that the scope may see them, which the guard has ensured.
func (t *tableReader) nodes(v any) error {
	switch v := v.(type) {
	case neo4j.Node:
		if !t.sees(v) {
			return errUnscoped
		}
		key := neo.Text(v.Props["entity_key"])
		if _, seen := t.keys[v.ElementId]; !seen {
			t.recall.Nodes = append(t.recall.Nodes, key)
		}
		t.keys[v.ElementId] = key
	case neo4j.Path:
		for _, n := range v.Nodes {
			if err := t.nodes(n); err != nil {
				return err
			}
		}
	case []any:
		for _, item := range v {
			if err := t.nodes(item); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, item := range v {
			if err := t.nodes(item); err != nil {
				return err
			}
		}
	}
	return nil
}

var errUnscoped = fmt.Errorf("cypher: the result has a node that the caller may not see")

// sees reports whether the scope may see a node.
func (t *tableReader) sees(n neo4j.Node) bool {
	if !slices.Contains(n.Labels, graph.MemoryLabel) || n.Props["team_id"] != t.scope.TeamID {
		return false
	}
	user, private := n.Props["user_id"]
	if !private || user == t.scope.UserID {
		return true
	}
	return t.scope.UserID != "" && slices.Contains(neo.List(n.Props["participants"]), any(t.scope.UserID))
}

// relationshipValue is a relationship in a table. Its ends are set if the row has them.
type relationshipValue struct {
	graph.RelationshipView
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
}

// value returns a value of the database in its JSON form, without what callers may not see.
func (t *tableReader) value(v any, now time.Time) any {
	switch v := v.(type) {
	case neo4j.Node:
		return graph.NewNodeView(graph.KindOfLabel(graph.KindLabel(v.Labels)), propertiesOf(v.Props), now)
	case neo4j.Relationship:
		from, to := t.keys[v.StartElementId], t.keys[v.EndElementId]
		return relationshipValue{graph.NewRelationshipView(from, v.Type, to, propertiesOf(v.Props), now), from, to}
	case neo4j.Path:
		list := make([]any, 0, len(v.Nodes)+len(v.Relationships))
		for i, n := range v.Nodes {
			if list = append(list, t.value(n, now)); i < len(v.Relationships) {
				list = append(list, t.value(v.Relationships[i], now))
			}
		}
		return list
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = t.value(v[i], now)
		}
		return list
	case map[string]any:
		m := make(map[string]any, len(v))
		for key := range v {
			if v[key] != mask {
				m[key] = t.value(v[key], now)
			}
		}
		return m
	case time.Time:
		return v.Format(time.RFC3339Nano)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Sprint(v) // JSON has no number for it
		}
	case neo4j.Point2D:
		return map[string]any{"x": v.X, "y": v.Y, "srid": v.SpatialRefId}
	case neo4j.Point3D:
		return map[string]any{"x": v.X, "y": v.Y, "z": v.Z, "srid": v.SpatialRefId}
	case neo4j.Date, neo4j.LocalDateTime, neo4j.LocalTime, neo4j.Time, neo4j.Duration:
		return fmt.Sprint(v)
	}
	return v
}

// propertiesOf returns the properties of a node or relationship of the driver.
func propertiesOf(m map[string]any) graph.Properties {
	p := make(graph.Properties, len(m))
	for name, value := range m {
		p[name] = graph.AsKept(value)
	}
	return p
}
