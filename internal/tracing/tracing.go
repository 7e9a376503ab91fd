// Package tracing sends spans of requests, loads and statements to a collector. Spans have the names of routes, sections
// and files, and never an id, a text or a parameter.
package tracing

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"kith/internal/fault"
)

// Tracer makes the spans. The zero Tracer makes none.
type Tracer struct {
	provider *sdktrace.TracerProvider // nil: tracing is disabled
	tracer   trace.Tracer
	incoming propagation.TraceContext
}

const flushTime = 5 * time.Second // for sending the last spans at shutdown

// Open returns a Tracer that sends a share of the requests, 0 to 1, to the collector at endpoint. Empty: it makes no spans.
// Open does not connect yet. If the collector is unavailable, spans are lost and nothing else fails.
func Open(ctx context.Context, endpoint string, share float64, version string, log *slog.Logger) (*Tracer, error) {
	if endpoint == "" {
		return &Tracer{}, nil
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(endpoint))
	if err != nil {
		return nil, err
	}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(loggingExporter{exporter, log}),
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(share))),
		sdktrace.WithResource(resource.NewSchemaless(
			attribute.String("service.name", "kith"), attribute.String("service.version", version))),
	)
	return &Tracer{provider: provider, tracer: provider.Tracer("kith")}, nil
}

// loggingExporter logs failed exports. The SDK would report them to a global error handler.
type loggingExporter struct {
	sdktrace.SpanExporter
	log *slog.Logger
}

// ExportSpans sends spans. It logs an error and returns nil.
func (r loggingExporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if err := r.SpanExporter.ExportSpans(ctx, spans); err != nil {
		r.log.Warn("sending spans failed", "spans", len(spans), "error", err)
	}
	return nil
}

// Close sends the remaining spans.
func (t *Tracer) Close(ctx context.Context) {
	if t.provider == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTime)
	defer cancel()
	_ = t.provider.Shutdown(ctx) // the exporter logs errors
}

// Of returns a function that traces one kind of operation: statements, loads or tools. It is nil if tracing is disabled.
func (t *Tracer) Of(kind string) func(ctx context.Context, name string) (context.Context, func(error)) {
	if t.provider == nil {
		return nil
	}
	return func(ctx context.Context, name string) (context.Context, func(error)) {
		ctx, span := t.tracer.Start(ctx, name, trace.WithAttributes(attribute.String("kith."+kind, name)))
		return ctx, func(err error) {
			endSpan(span, err)
		}
	}
}

func endSpan(span trace.Span, err error) {
	if err != nil && !errors.Is(err, fault.ErrNotFound) && !errors.Is(err, fault.ErrInvalid) {
		span.SetStatus(codes.Error, "failed") // not the error's text, which may contain values
	}
	span.End()
}

// Request returns a function that traces a request within the caller's trace, nil if tracing is disabled.
func (t *Tracer) Request() func(r *http.Request, method, route string) (context.Context, func(int)) {
	if t.provider == nil {
		return nil
	}
	return func(r *http.Request, method, route string) (context.Context, func(int)) {
		ctx := t.incoming.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
		ctx, span := t.tracer.Start(ctx, method+" "+route, trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(
			attribute.String("http.request.method", method), attribute.String("http.route", route)))
		return ctx, func(status int) {
			span.SetAttributes(attribute.Int("http.response.status_code", status))
			if status >= http.StatusInternalServerError {
				span.SetStatus(codes.Error, "")
			}
			span.End()
		}
	}
}
