package bench

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"kith/graph"
	"kith/internal/llm"
	"kith/memory/embedding"
	"kith/tests/testenv"
)

// BenchmarkEmbedding measures how fast pending messages of thirty words get their vectors: read from the database,
// embedded by a static model, and stored. It also measures how long a single message waits.
func BenchmarkEmbedding(b *testing.B) {
	model, err := llm.OpenStaticEmbedder("../../internal/llm/testdata/plain")
	if err != nil {
		b.Fatal(err)
	}
	store := openStore(b, testenv.StartNeo4j(b).Database(), graph.Options{Embedder: model})
	vectors := embedding.NewStore(store, model)
	if err := vectors.Prepare(b.Context()); err != nil {
		b.Fatal(err)
	}
	scope := graph.Scope{TeamID: testenv.Team(b), UserID: "u1"}
	messages := sizeFromEnv("KITH_BENCH_MESSAGES", 10_000)
	finish := func() {
		if err := embedding.NewWorker(vectors, embedding.Options{}).Finish(b.Context(), func() {}); err != nil {
			b.Fatal(err)
		}
	}
	say := func(source string, count int) {
		w := &graph.SourceWrite{EntityKey: source, Messages: make([]graph.MessageWrite, count)}
		for i := range w.Messages {
			w.Messages[i] = graph.MessageWrite{Role: "user", Text: fmt.Sprintf("%d %s", i, strings.Repeat("the boat in the rain ", 6))}
		}
		if _, err := store.WriteSource(b.Context(), scope, w); err != nil {
			b.Fatal(err)
		}
	}
	say("warm", 2_000)
	finish()
	say("source", messages)
	begun := time.Now()
	finish()
	b.ReportMetric(float64(messages)/time.Since(begun).Seconds(), "messages/s")

	ctx, stop := context.WithCancel(b.Context())
	done := make(chan error, 1)
	go func() { done <- embedding.NewWorker(vectors, embedding.Options{}).Run(ctx) }()
	var waited []time.Duration
	for i := range 50 {
		say(fmt.Sprint(i), 1)
		waited = append(waited, measureCall(b, func() error {
			for {
				if backlog, err := vectors.Backlog(b.Context()); err != nil || backlog.Due == 0 {
					return err
				}
			}
		}))
	}
	b.ReportMetric(milliseconds(median(waited)), "ms/one")
	stop()
	if err := <-done; err != nil {
		b.Fatal(err)
	}
}
