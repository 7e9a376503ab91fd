package graph

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"kith/cypher"
)

// The bounds of a statement that a caller writes.
const (
	cypherRows = 1000
	cypherTime = 2 * time.Second
)

// hiddenProperties are those that callers may not read: whose something is, and what Kith keeps to find and rank it.
var hiddenProperties = []string{
	"team_id", "vector", "vector_scope", "vector_seq", "embed_due", "search_scope", "search_name", "near", "natural_key", "node_key",
	"owner_key", "owner_of", "salience_at", "decay_rate", "node_salience", "node_salience_at", "node_decay_rate", "node_until", "ranked",
	"next_seq", "story_due", "notes_expire_at", "mention_weight", "source_key", "expires_at",
}

// Table is what a statement of a caller found.
type Table struct {
	Columns   []string `json:"columns" doc:"names, as the statement gives them"`
	Rows      [][]any  `json:"rows" doc:"one value for each column; nodes and relationships are maps of their properties"`
	Truncated bool     `json:"truncated" doc:"there are more rows than an answer may have"`
}

// Cypher runs a statement that a caller wrote, within what the scope may see. Errors: *cypher.Refusal for what may not be
// asked, InvalidError for what fails, ErrUnavailable.
func (s *Store) Cypher(ctx context.Context, scope Scope, text string, parameters map[string]any) (Table, error) {
	g, err := cypher.Guard(text, parameters, cypher.Rules{Base: "Memory", Hidden: hiddenProperties, Rows: cypherRows})
	if err != nil {
		return Table{}, err
	}
	labels := []string{"Memory"}
	for _, k := range Kinds {
		labels = append(labels, k.Label)
	}
	g.Guard["team"], g.Guard["user"], g.Guard["cap"] = scope.TeamID, scope.user(), int64(math.MaxInt64)
	g.Guard["hidden"], g.Guard["labels"] = hiddenProperties, labels
	given := map[string]any{}
	for _, name := range g.Used {
		given[name] = parameters[name]
	}
	ctx, cancel := context.WithTimeout(ctx, cypherTime)
	defer cancel()
	session := s.session(ctx, neo4j.AccessModeRead)
	defer func() { _ = session.Close(context.WithoutCancel(ctx)) }()
	tx, err := session.BeginTransaction(ctx, neo4j.WithTxTimeout(cypherTime), neo4j.WithTxMetadata(metadata("cypher")))
	if err != nil {
		return Table{}, translate("cypher", err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	result, err := tx.Run(ctx, g.Text, map[string]any{"k": g.Guard, "c": given})
	if err != nil {
		return Table{}, cypherFault(err)
	}
	table := Table{Columns: g.Columns, Rows: [][]any{}}
	for result.Next(ctx) {
		if len(table.Rows) == cypherRows {
			table.Truncated = true
			break
		}
		row := make([]any, len(g.Columns))
		for i, v := range result.Record().Values {
			row[i] = shown(v)
		}
		table.Rows = append(table.Rows, row)
	}
	return table, cypherFault(result.Err())
}

// cypherFault tells what went wrong, in words that no data has a part in.
func cypherFault(err error) error {
	var db *neo4j.Neo4jError
	if err == nil || !errors.As(err, &db) {
		return translate("cypher", err)
	}
	return fmt.Errorf("cypher: %s: %s", db.Code, db.Msg)
}

// shown is a value without what callers may not see.
func shown(v any) any {
	switch v := v.(type) {
	case neo4j.Node:
		return shownMap(v.Props)
	case neo4j.Relationship:
		m := shownMap(v.Props)
		m["type"] = v.Type
		return m
	case neo4j.Path:
		list := make([]any, 0, len(v.Nodes)+len(v.Relationships))
		for i, n := range v.Nodes {
			if list = append(list, shown(n)); i < len(v.Relationships) {
				list = append(list, shown(v.Relationships[i]))
			}
		}
		return list
	case []any:
		for i := range v {
			v[i] = shown(v[i])
		}
	case map[string]any:
		return shownMap(v)
	}
	return v
}

func shownMap(m map[string]any) map[string]any {
	shownOf := map[string]any{}
	for key, v := range m {
		shownOf[key] = shown(v)
	}
	for _, key := range hiddenProperties {
		delete(shownOf, key)
	}
	return shownOf
}
