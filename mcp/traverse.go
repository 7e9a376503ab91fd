package mcp

import (
	"context"

	"kith/access/auth"
	"kith/graph"
	"kith/internal/contract"
	"kith/internal/fault"
	"kith/memory/traverse"
)

// traverseTokens is how long an answer is unless the caller says.
const traverseTokens = 1000

type traverseInput struct {
	traverse.Request
	Conversing
}

func (s *Server) addTraverse() {
	form := contract.Input[traverseInput]("format")
	add(s, tool{"traverse", "Walk from something in the memory", reads, guide("traverse")}, form.Describe(map[string]string{
		"user_id":            callerDoc,
		"mode":               "neighbors, path, ppr or cypher",
		"entity_key":         "neighbors: entity key or name",
		"from":               "path: entity key or name",
		"to":                 "path: entity key or name",
		"seed_nodes":         "ppr: entity keys or names",
		"direction":          "outbound (default of neighbors), inbound or both",
		"relationship_types": "only these",
		"kinds":              "neighbors, ppr: only these",
		"max_hops":           "default 1; path: 6",
		"limit":              "neighbors: default 20; path: default 1",
		"cursor":             "next_cursor of the previous page",
		"cypher":             "the statement",
		"parameters":         "of the statement, without $",
		"max_tokens":         "default 1,000",
		// Taken as over HTTP, for programs.
		"exclude_relationship_types": "", "max_depth": "", "damping": "", "top_k": "", "verbose": "",
	}), s.traverse)
}

func (s *Server) traverse(ctx context.Context, in *traverseInput) (answer, error) {
	scope, err := scope(ctx, auth.Read, Caller{in.UserID})
	if err != nil {
		return answer{}, err
	}
	in.Format = traverse.Text
	if in.MaxTokens == 0 {
		in.MaxTokens = traverseTokens
	}
	type found struct {
		traverse.Result
		graph.Recall
	}
	where := append(places(fault.At("seed_nodes"), in.SeedNodes), place{fault.At("entity_key"), &in.EntityKey, ""}, place{fault.At("from"), &in.From, ""}, place{fault.At("to"), &in.To, ""})
	walked, err := byName(ctx, s, scope, where, func() (found, error) {
		result, recall, err := s.Traverser.Traverse(ctx, scope, &in.Request)
		return found{result, recall}, err
	})
	if err != nil {
		return answer{}, err
	}
	s.Recalls.Recalled(scope, walked.Recall)
	if table, ok := walked.Result.(*traverse.Table); ok {
		table.Message = toolNames.Replace(table.Message)
	}
	return answer{text: walked.Text() + s.lookups.hint(scope, in.Conversing)}, nil
}
