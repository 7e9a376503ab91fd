package main

import (
	"context"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"kith/internal/sleep"
)

// evalAsker asks the questions of a set that is loaded.
type evalAsker struct {
	api      *apiClient
	set      *evalSet
	limit    int
	progress *progress
	evidence []string // that may speak for hits; none: all
}

// evalAnswer is what was found for a question: ids of passages, best first.
type evalAnswer struct {
	ids      []string
	semantic string
	took     time.Duration
	err      error
}

// evalFound is what is read of an answer of POST /v1/explore.
type evalFound struct {
	Meta struct {
		Semantic string `json:"semantic"` // on, off, partial, unavailable or loading
	} `json:"meta"`
	Episodic struct {
		Sources  []evalHit `json:"sources"`
		Messages []evalHit `json:"messages"`
	} `json:"episodic"`
}

type evalHit struct {
	EntityKey string `json:"entity_key"`
}

func (a *evalAsker) ask(ctx context.Context, q *evalQuestion) evalAnswer {
	user, kind := evalReader, "source"
	if a.set.dialogue {
		user, kind = q.Conversation, "message"
	}
	request := map[string]any{
		"user_id": user, "queries": []map[string]any{{"query": q.Question, "threshold": 0}}, "text_matches": []string{},
		"limit": a.limit, "kinds": []string{kind},
	}
	if len(a.evidence) > 0 {
		request["evidence"] = a.evidence
	}
	var found evalFound
	begun := time.Now()
	err := a.api.call(ctx, http.MethodPost, "/v1/explore", request, &found)
	answer := evalAnswer{semantic: found.Meta.Semantic, took: time.Since(begun), err: err, ids: []string{}}
	for _, hit := range append(found.Episodic.Sources, found.Episodic.Messages...) { // of one kind there are none
		answer.ids = append(answer.ids, hit.EntityKey)
	}
	return answer
}

// evalWait is between two looks at whether everything is embedded.
const evalWait = time.Second

// evalPatience is how long an embedder may be away, or too busy with what was loaded to answer for questions.
const evalPatience = 10 * time.Minute

// wait asks a question for each conversation until the service says that search by meaning is ready, or that there is none.
func (a *evalAsker) wait(ctx context.Context) error {
	ready := map[string]bool{}
	begun, told := time.Now(), time.Now()
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
		case "unavailable": // an embedder that stays away is measured as it is
			ready[q.Conversation] = time.Since(begun) >= evalPatience
		default:
			ready[q.Conversation] = true
		}
		if ready[q.Conversation] {
			continue
		}
		text := "waiting for embeddings: " + time.Since(begun).Round(time.Second).String()
		if a.progress.terminal {
			a.progress.show(text)
		} else if time.Since(told) >= lineEvery {
			told = time.Now()
			a.progress.line(text)
		}
		if !sleep.For(ctx, evalWait) {
			return ctx.Err()
		}
	}
	return nil
}

// askAll asks all questions, so many at a time. It fails only when it is told to stop.
func (a *evalAsker) askAll(ctx context.Context, atOnce int) ([]evalAnswer, error) {
	var (
		answers = make([]evalAnswer, len(a.set.questions))
		asked   = newCounter(a.progress, "asked", len(answers))
		telling sync.Mutex
		group   errgroup.Group
	)
	group.SetLimit(atOnce)
	for i := range answers {
		group.Go(func() error {
			answers[i] = a.ask(ctx, &a.set.questions[i])
			telling.Lock()
			defer telling.Unlock()
			asked.add(1, 0, time.Now())
			return ctx.Err()
		})
	}
	return answers, group.Wait()
}
