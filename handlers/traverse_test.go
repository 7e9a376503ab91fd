package handlers

import (
	"context"
	"encoding/json"
	"time"

	"kith/graph"
)

// What a memory answers to walks that has a concept with one neighbor.

func (m memory) Around(_ context.Context, scope graph.Scope, w graph.Walk, keys []string, kinds []graph.Kind, each int, _ time.Time) ([]graph.Around, error) {
	m.ask("neighbors of %v in %s for %q: %+v, %d kinds, %d each", keys, scope.TeamID, scope.UserID, w, len(kinds), each)
	return []graph.Around{{Key: "c", Links: []graph.WalkLink{{To: "d", Key: "r", Outgoing: true, Strength: 0.5, Salience: 1, Wanted: true}}}}, m.err
}

func (m memory) Edges(_ context.Context, scope graph.Scope, w graph.Walk, keys []string, _ int, _ time.Time) ([]graph.Edges, error) {
	m.ask("edges of %v in %s for %q: %+v", keys, scope.TeamID, scope.UserID, w)
	return []graph.Edges{{Key: "c", Ends: []string{"d"}, Strengths: []float64{0.5}}}, m.err
}

func (m memory) Steps(_ context.Context, _ graph.Scope, _ graph.Walk, wishes []graph.Wish, _ time.Time) ([]*graph.Step, error) {
	steps := make([]*graph.Step, len(wishes))
	for i, w := range wishes {
		steps[i] = &graph.Step{
			Relationship: graph.RelationshipView{Key: "r", From: w.From, To: w.To, Type: "relates_to"},
			Node:         graph.NodeView{Kind: "concept", Node: graph.Node{EntityKey: w.To, Name: "Dinghy"}},
		}
	}
	return steps, m.err
}

func (m memory) NodesByKey(_ context.Context, _ graph.Scope, keys []string) ([]graph.NodeView, error) {
	nodes := make([]graph.NodeView, len(keys))
	for i, key := range keys {
		nodes[i] = graph.NodeView{Kind: "concept", Node: graph.Node{EntityKey: key, Name: "Boat"}}
	}
	return nodes, m.err
}

func (m memory) Cypher(_ context.Context, scope graph.Scope, _ string, parameters map[string]any) (graph.Table, graph.Recall, error) {
	m.ask("cypher in %s for %q with %v", scope.TeamID, scope.UserID, parameters)
	return graph.Table{Columns: []string{"x"}, Rows: [][]json.RawMessage{{json.RawMessage("1")}}}, graph.Recall{}, m.err
}

func (m memory) Census(_ context.Context, scope graph.Scope) (graph.Census, error) {
	m.ask("census of %s for %q", scope.TeamID, scope.UserID)
	return graph.Census{Nodes: map[string]int64{"concept": 2}, Relationships: []graph.RelationshipCount{{From: "concept", Type: "relates_to", To: "concept", Count: 1}}}, m.err
}

func (memory) Now() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) }
