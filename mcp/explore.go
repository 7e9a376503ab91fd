package mcp

import (
	"context"

	"kith/auth"
	"kith/explore"
	"kith/internal/contract"
)

// exploreTokens is how long an answer is unless the caller says (S1-16).
const exploreTokens = 500

type exploreInput struct {
	explore.Request
	Conversing
}

func (s *Server) addExplore() {
	add(s, tool{"explore", "Find something in the memory", reads, contract.Output[explore.Result](), guide("explore")},
		contract.Input[exploreInput]("format", "evidence", "semantic_weight", "time_weight", "salience_weight", "multi_query", "return_explanations"),
		s.explore)
}

func (s *Server) explore(ctx context.Context, in *exploreInput) (answer, error) {
	scope, err := scope(ctx, auth.Read, Caller{in.UserID})
	if err != nil {
		return answer{}, err
	}
	in.Format = explore.Keyed
	if in.MaxTokens == 0 {
		in.MaxTokens = exploreTokens
	}
	result, recall, err := s.Explorer.Explore(ctx, scope, &in.Request)
	if err != nil {
		return answer{}, err
	}
	s.Recalls.Recalled(scope, recall)
	return answer{text: result.Text() + s.lookups.hint(scope, in.Conversing), object: result}, nil
}
