package mcp

import (
	"context"

	"kith/access/auth"
	"kith/internal/contract"
	"kith/memory/explore"
)

// exploreTokens is the default token budget of an answer.
const exploreTokens = 500

func (s *Server) addExplore() {
	form := contract.Input[explore.Request]("format", "evidence", "semantic_weight", "time_weight", "salience_weight", "multi_query", "return_explanations", "min_trust")
	add(s, tool{"explore", "Find something in the memory", reads, guide("explore")}, form.Describe(map[string]string{
		"user_id":         callerDoc,
		"queries":         "questions or descriptions, in the user's words",
		"text_matches":    "exact names or keywords",
		"kinds":           "person, concept, entity, source, message, project, task …; default: all but message",
		"since":           "said or changed from then on",
		"until":           "said or made until then",
		"asked_at":        "when it was asked, for times as \"last Tuesday\"; default: now",
		"conversation_id": "any id of this conversation, to count its look-ups; it is no last session",
		"granularity":     "2: storylines, 3: macros instead of single conversations",
		"limit":           "default 5",
		"expand":          "also so many neighbours",
		"max_tokens":      "default 500",
		// Taken as over HTTP, for programs.
		"relationship_filters": "", "search_relationships": "", "include_archived": "", "mode": "", "times": "", "namespace": "", "filter": "",
	}).ShowTexts("queries", "query").Rename("query", "queries"), s.explore)
}

func (s *Server) explore(ctx context.Context, in *explore.Request) (answer, error) {
	scope, err := scope(ctx, auth.Read, Caller{in.UserID})
	if err != nil {
		return answer{}, err
	}
	in.Format = explore.Keyed
	if in.MaxTokens == 0 {
		in.MaxTokens = exploreTokens
	}
	result, recall, err := s.Explorer.Explore(ctx, scope, in)
	if err != nil {
		return answer{}, err
	}
	s.Recalls.Recalled(scope, recall)
	s.options.Operations.Report(ctx, recall.Size(), in.Texts()...)
	return answer{text: result.Text() + s.lookups.hint(scope, Conversing{in.ConversationID})}, nil
}
