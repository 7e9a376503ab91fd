package tracing

import (
	"context"
	"errors"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"kith/internal/fault"
)

// memoryOperations maps operations of the API to the operations of OpenTelemetry's conventions for memories of generative AI
// (gen_ai.operation.name of semantic-conventions-genai 0.1.0). The other operations make no span of this sort.
var memoryOperations = map[string]string{ //nolint:gochecknoglobals // a constant table
	"get-context": "search_memory", "open-conversation": "search_memory", "explore": "search_memory", "traverse": "search_memory",
	"get-ontology": "search_memory", "get-node": "search_memory", "list-nodes": "search_memory", "list-linked": "search_memory",
	"write-memory": "upsert_memory", "write-source": "upsert_memory", "put-preference": "upsert_memory", "put-preferences": "upsert_memory",
	"merge-system-memory": "upsert_memory", "put-system-memory": "upsert_memory", "import": "upsert_memory",
	"append-messages": "create_memory", "add-node-note": "create_memory", "link": "create_memory",
	"patch-node": "update_memory", "end-conversation": "update_memory", "restore-node": "update_memory", "merge-nodes": "update_memory", "decide-review": "update_memory", "withdraw-source": "delete_memory", "change-statements": "update_memory", "change-duplicates": "update_memory",
	"delete-node": "delete_memory", "delete-relationship": "delete_memory", "pop-messages": "delete_memory", "delete-preference": "delete_memory",
	"erase-user": "delete_memory_store", "erase-team": "delete_memory_store",
}

// Memory makes the spans of operations on the memory. A nil Memory makes none.
type Memory struct {
	tracer  *Tracer
	content bool
}

// Memory returns what makes the spans of operations on the memory. With content they contain the queries of searches.
func (t *Tracer) Memory(content bool) *Memory { return &Memory{t, content} }

// Start begins the span of an operation of the API, if it is one on the memory, and returns the function that ends it.
func (m *Memory) Start(ctx context.Context, operation string) (context.Context, func(error)) {
	name := memoryOperations[operation]
	if name == "" || m == nil || m.tracer.provider == nil {
		return ctx, func(error) {}
	}
	ctx, span := m.tracer.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindInternal), trace.WithAttributes(
		attribute.String("gen_ai.operation.name", name), attribute.String("gen_ai.provider.name", "kith"),
		attribute.String("kith.operation", operation)))
	return ctx, func(err error) {
		if err != nil {
			span.SetAttributes(attribute.String("error.type", errorType(err)))
		}
		endSpan(span, err)
	}
}

// errorType returns the sort of an error in one word.
func errorType(err error) string {
	switch {
	case errors.Is(err, fault.ErrNotFound):
		return "not_found"
	case errors.Is(err, fault.ErrInvalid):
		return "invalid"
	case errors.Is(err, fault.ErrConflict):
		return "conflict"
	}
	return "_OTHER"
}

// Report adds to the operation's span how many records it found or wrote, and for what it searched.
func (m *Memory) Report(ctx context.Context, records int, queries ...string) {
	span := trace.SpanFromContext(ctx)
	if m == nil || !span.IsRecording() {
		return
	}
	span.SetAttributes(attribute.Int("gen_ai.memory.record.count", records))
	if m.content && len(queries) > 0 {
		span.SetAttributes(attribute.String("gen_ai.memory.query.text", strings.Join(queries, "\n")))
	}
}
