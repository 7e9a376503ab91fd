package eval

import (
	"context"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	client "kith/clients/go"
	"kith/cmd/kith/internal/terminal"
	"kith/internal/sleep"
)

// asker sends the questions of a loaded set.
type asker struct {
	api      *client.Client
	set      *dataset
	limit    int
	progress *terminal.Progress
	evidence []string // that explore may use; empty: all
}

// answer holds the ids of the passages found for a question, best first.
type answer struct {
	ids      []string
	semantic string
	sure     float64 // the confidence of the service
	took     time.Duration
	err      error
}

// response is the part of a response of POST /v1/explore that is used.
type response struct {
	Meta struct {
		Semantic   string  `json:"semantic"` // on, off, partial, unavailable or loading
		Confidence float64 `json:"confidence"`
	} `json:"meta"`
	Episodic struct {
		Sources  []hit `json:"sources"`
		Messages []hit `json:"messages"`
	} `json:"episodic"`
}

type hit struct {
	EntityKey string `json:"entity_key"`
}

func (a *asker) ask(ctx context.Context, q *question) answer {
	user, kind := reader, "source"
	if a.set.dialogue {
		user, kind = q.Conversation, "message"
	}
	request := map[string]any{
		"user_id": user, "queries": []map[string]any{{"query": q.Question, "threshold": 0}}, "text_matches": []string{},
		"limit": a.limit, "kinds": []string{kind},
	}
	if q.Asked != "" {
		request["asked_at"] = q.Asked
	}
	if len(a.evidence) > 0 {
		request["evidence"] = a.evidence
	}
	var found response
	begun := time.Now()
	err := a.api.Call(ctx, http.MethodPost, "/v1/explore", request, &found)
	answer := answer{semantic: found.Meta.Semantic, sure: found.Meta.Confidence, took: time.Since(begun), err: err, ids: []string{}}
	for _, hit := range append(found.Episodic.Sources, found.Episodic.Messages...) { // one of them is empty
		answer.ids = append(answer.ids, hit.EntityKey)
	}
	return answer
}

// embeddingPollInterval is the interval of polling whether everything is embedded.
const embeddingPollInterval = time.Second

// maxEmbeddingWait is how long an embedder may be unavailable before it is measured as it is.
const maxEmbeddingWait = 10 * time.Minute

// waitForEmbeddings sends a question per conversation until the service reports that vector search is ready or disabled.
func (a *asker) waitForEmbeddings(ctx context.Context) error {
	ready := map[string]bool{}
	begun := time.Now()
	for i := 0; i < len(a.set.questions); {
		q := &a.set.questions[i]
		if ready[q.Conversation] {
			i++
			continue
		}
		answer := a.ask(ctx, q)
		if answer.err != nil {
			return answer.err
		}
		switch answer.semantic {
		case "loading", "partial":
		case "unavailable": // measured as it is when it stays unavailable
			ready[q.Conversation] = time.Since(begun) >= maxEmbeddingWait
		default:
			ready[q.Conversation] = true
		}
		if ready[q.Conversation] {
			continue
		}
		a.progress.Update("waiting for embeddings: " + time.Since(begun).Round(time.Second).String())
		if !sleep.For(ctx, embeddingPollInterval) {
			return ctx.Err()
		}
	}
	return nil
}

// askAll sends all questions, at most atOnce at the same time. It fails only if ctx ends.
func (a *asker) askAll(ctx context.Context, atOnce int) ([]answer, error) {
	var (
		answers = make([]answer, len(a.set.questions))
		asked   = terminal.NewCounter(a.progress, "asked", len(answers))
		mu      sync.Mutex
		group   errgroup.Group
	)
	group.SetLimit(atOnce)
	for i := range answers {
		group.Go(func() error {
			answers[i] = a.ask(ctx, &a.set.questions[i])
			mu.Lock()
			defer mu.Unlock()
			asked.Add(1, 0, time.Now())
			return ctx.Err()
		})
	}
	return answers, group.Wait()
}
