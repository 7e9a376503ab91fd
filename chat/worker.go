package chat

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"kith/graph"
	"kith/internal/sleep"
	"kith/llm"
)

const (
	longest      = 10 * time.Minute // that a generation may take
	longError    = 1000             // bytes of an error that are kept
	longProvider = 200              // bytes of the name of a provider that are kept
	leaving      = 5 * time.Second  // to note at the end that generations were interrupted
	storeTry     = time.Second      // between attempts to store an answer
	signs        = 6                // of a process in the time of a lease
)

var (
	errUnwanted    = errors.New("the answer is not wanted any more")
	errInterrupted = errors.New(graph.Interrupted)
	errTooLong     = errors.New("the answer has more than 256 KiB")
	errTooSlow     = errors.New("there was no answer within 10 minutes")
	errMemory      = errors.New("what the model is to be told could not be read")
)

// Run generates answers until ctx is done, and looks after leases: those of its own generations, and those of processes that
// have died. What runs or waits at the end is interrupted.
func (s *Service) Run(ctx context.Context) error {
	var all sync.WaitGroup
	all.Go(func() { s.watchLeases(ctx) })
	for ctx.Err() == nil || len(s.started) > 0 {
		select {
		case g := <-s.started:
			all.Go(func() { s.generate(ctx, g) })
		case <-ctx.Done():
		}
	}
	all.Wait()
	return nil
}

// start hands a generation that has a slot to Run.
func (s *Service) start(scope graph.Scope, turn string, attempt int64) {
	g := newGeneration(scope, turn, attempt)
	s.mu.Lock()
	before := s.live[liveKey(scope.TeamID, turn)]
	s.live[liveKey(scope.TeamID, turn)] = g
	s.mu.Unlock()
	if before != nil {
		before.stop()
	}
	s.started <- g
}

// stop ends the generations of turns that are here.
func (s *Service) stop(team string, turns ...string) {
	for _, turn := range turns {
		if g := s.generationOf(team, turn); g != nil {
			g.stop()
		}
	}
}

func (s *Service) generationOf(team, turn string) *generation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.live[liveKey(team, turn)]
}

func liveKey(team, turn string) string { return team + "\x1f" + turn }

// forget gives back what a generation holds.
func (s *Service) forget(g *generation) {
	s.mu.Lock()
	if key := liveKey(g.TeamID, g.TurnID); s.live[key] == g {
		delete(s.live, key)
	}
	s.mu.Unlock()
	g.end()
	<-s.slots
}

// generate asks the model for an answer when its turn has come, and stores what came of it.
func (s *Service) generate(ctx context.Context, g *generation) {
	defer s.forget(g)
	outcome := Dropped
	defer func() { s.options.Observe(outcome, time.Since(g.since)) }()
	wanted, cancel := context.WithCancel(ctx)
	defer cancel()
	if !g.begin(cancel) {
		return
	}
	select {
	case s.running <- struct{}{}:
		defer func() { <-s.running }()
	case <-wanted.Done():
	}
	asking, cancel := context.WithTimeout(wanted, longest)
	defer cancel()
	answer, err := s.ask(asking, g)
	if errors.Is(err, errUnwanted) || !g.wanted() {
		return
	}
	outcome = s.conclude(ctx, g, answer, failure(ctx, asking, err))
}

// ask puts together what the model is told, and asks it.
func (s *Service) ask(ctx context.Context, g *generation) (llm.Answer, error) {
	if err := ctx.Err(); err != nil {
		return llm.Answer{}, err
	}
	a, err := s.assemble(ctx, g.scope, g.TurnID, s.options.PromptTokens)
	switch {
	case errors.Is(err, graph.ErrNotFound):
		return llm.Answer{}, errUnwanted
	case err != nil:
		s.options.Log.Warn("a prompt could not be read", "turn", g.TurnID, "error", err)
		return llm.Answer{}, errMemory
	case a.status != graph.ChatGenerating || a.attempt != g.Attempt:
		return llm.Answer{}, errUnwanted
	}
	return s.generator.Generate(ctx, a.model, a.messages(), g.add)
}

// failure is what a turn says of why there is no answer.
func failure(ctx, asking context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return errInterrupted
	case errors.Is(asking.Err(), context.DeadlineExceeded):
		return errTooSlow
	case asking.Err() != nil: // nobody else cancels what is wanted
		return errTooLong
	}
	return err
}

// conclude stores an answer, or why there is none. A database that is away is waited for while the lease lasts.
func (s *Service) conclude(ctx context.Context, g *generation, answer llm.Answer, failed error) Outcome {
	a, outcome := conclusion(answer, failed)
	patience := s.options.Lease
	if ctx.Err() != nil {
		patience = leaving
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	for {
		stored, err := s.store.FinishChatTurn(ctx, g.scope, g.TurnID, g.Attempt, a)
		switch {
		case err == nil && stored:
			return outcome
		case err == nil || errors.Is(err, graph.ErrNotFound):
			return Dropped
		case !errors.Is(err, graph.ErrUnavailable) || !sleep.For(ctx, storeTry):
			s.options.Log.Error("an answer is lost", "turn", g.TurnID, "attempt", g.Attempt, "error", err)
			return Interrupted // as the lease will be over
		}
	}
}

// conclusion is what is stored of an answer, or of why there is none.
func conclusion(answer llm.Answer, failed error) (*graph.ChatAnswer, Outcome) {
	if failed == nil && len(storable(answer.Text)) > graph.MaxChatAnswer {
		failed = errTooLong
	}
	switch {
	case failed == nil:
		provider := answer.ProviderID[:min(len(answer.ProviderID), longProvider)]
		return &graph.ChatAnswer{AssistantText: graph.Some(storable(answer.Text)), ProviderID: graph.Some(storable(provider))}, Completed
	case errors.Is(failed, errInterrupted):
		return &graph.ChatAnswer{Error: graph.Some(graph.Interrupted)}, Interrupted
	}
	why := failed.Error()
	return &graph.ChatAnswer{Error: graph.Some(storable(why[:min(len(why), longError)]))}, Failed
}

// storable is a text without what the store does not take.
func storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}

// watchLeases keeps the leases of what runs and waits here, and ends the generations of processes that have died.
func (s *Service) watchLeases(ctx context.Context) {
	tick := time.NewTicker(s.options.Lease / signs)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := errors.Join(s.renew(ctx), s.interrupt(ctx)); err != nil && ctx.Err() == nil {
			s.options.Log.Warn("leases of generations", "error", err)
		}
	}
}

// renew keeps the leases of the generations here. One that is not held any more was cancelled or deleted by another process.
func (s *Service) renew(ctx context.Context) error {
	s.mu.Lock()
	here := make([]*generation, 0, len(s.live))
	for _, g := range s.live {
		here = append(here, g)
	}
	s.mu.Unlock()
	if len(here) == 0 {
		return nil
	}
	held, err := s.store.RenewChatLeases(ctx, s.lease)
	if err != nil {
		return err
	}
	for _, g := range here {
		if !held[g.ChatAttempt] {
			g.stop()
		}
	}
	return nil
}

func (s *Service) interrupt(ctx context.Context) error {
	interrupted, err := s.store.InterruptChatTurns(ctx)
	if interrupted > 0 {
		s.options.Log.Warn("generations of a process that has died are interrupted", "turns", interrupted)
	}
	return err
}
