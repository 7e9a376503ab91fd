package mcp

import (
	"context"
	"encoding/json"

	"kith/auth"
	"kith/internal/contract"
	"kith/traverse"
)

type traverseInput struct {
	traverse.Request
	Conversing
}

// walked is what a walk found: what is there depends on the mode.
type walked struct {
	Mode       traverse.Mode   `json:"mode"`
	Rows       json.RawMessage `json:"rows,omitempty" doc:"neighbors, ppr: a node each, with how it was reached; cypher: lists of values"`
	Paths      []traverse.Way  `json:"paths,omitempty" doc:"path: the strongest first"`
	Columns    []string        `json:"columns,omitempty" doc:"cypher: the names of the values"`
	Message    string          `json:"message,omitempty"`
	Truncated  bool            `json:"truncated" doc:"there is more than was looked at"`
	NextCursor string          `json:"next_cursor,omitempty"`
}

func (s *Server) addTraverse() {
	add(s, tool{"traverse", "Walk from something in the memory", reads, contract.Output[walked](), guide("traverse")},
		contract.Input[traverseInput]("format"), s.traverse)
}

func (s *Server) traverse(ctx context.Context, in *traverseInput) (answer, error) {
	scope, err := scope(ctx, auth.Read, Caller{in.UserID})
	if err != nil {
		return answer{}, err
	}
	result, recall, err := s.Traverser.Traverse(ctx, scope, &in.Request)
	if err != nil {
		return answer{}, err
	}
	s.Recalls.Recalled(scope, recall)
	return answer{text: result.Text() + s.lookups.hint(scope, in.Conversing), object: result}, nil
}
