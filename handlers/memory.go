package handlers

import (
	"context"
	"fmt"

	"kith/access/auth"
	"kith/graph"
)

// memoryStore stores nodes and relationships.
type memoryStore interface {
	Write(ctx context.Context, scope graph.Scope, w *graph.MemoryWrite) (graph.MemoryResult, error)
}

// MemoryInput writes nodes and relationships.
type MemoryInput struct {
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"256" doc:"for a day, the same key and body get the same answer; another body a 409"`
	Body           graph.MemoryWrite
}

// MemoryOutput has a result for each item. Repeated reports that the response repeats that to an earlier request.
type MemoryOutput struct {
	Repeated string `header:"Idempotency-Replayed" doc:"true: the answer of an earlier request with the same idempotency key"`
	Body     graph.MemoryResult
}

func (a *API) writeMemory(ctx context.Context, in *MemoryInput) (*MemoryOutput, error) {
	caller := principal(ctx)
	scope, err := caller.For(auth.Write, in.Body.UserID)
	if err != nil {
		return nil, err
	}
	if err := boundTo(caller, in.Body.Nodes); err != nil {
		return nil, err
	}
	if in.Body.IdempotencyKey, err = chooseIdempotencyKey(in.IdempotencyKey, in.Body.IdempotencyKey); err != nil {
		return nil, err
	}
	result, err := a.Memory.Write(ctx, scope, &in.Body)
	if err != nil {
		return nil, located("body", err)
	}
	a.options.Operations.Report(ctx, result.Written())
	return &MemoryOutput{Repeated: replayedHeader(result.Repeated), Body: result}, nil
}

// boundTo makes sure that a key bound to a user writes nothing into another's memory.
func boundTo(caller auth.Principal, nodes []graph.NodeWrite) error {
	if caller.UserID == "" {
		return nil
	}
	for i := range nodes {
		if user := nodes[i].UserID; user.Given && !user.Null && user.Value != caller.UserID {
			return fmt.Errorf("the key is bound to another user than that of body.nodes[%d]: %w", i, auth.ErrForbidden)
		}
	}
	return nil
}
