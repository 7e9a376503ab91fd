package chat

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"kith/graph"
	"kith/internal/fault"
	"kith/internal/llm"
	"kith/internal/sleep"
)

const (
	maxDuration      = 10 * time.Minute // of a generation
	maxErrorBytes    = 1000             // of a stored error
	maxProviderBytes = 200              // of the stored name of a provider
	shutdownTimeout  = 5 * time.Second  // to store the interrupted generations at shutdown
	storeRetryPause  = time.Second      // between attempts to store an answer
	renewalsPerLease = 6
)

var (
	errUnwanted    = errors.New("the answer is no longer wanted")
	errInterrupted = errors.New(InterruptedText)
	errTooLong     = errors.New("the answer has more than 256 KiB")
	errTooSlow     = errors.New("there was no answer within 10 minutes")
	errPromptRead  = errors.New("the prompt could not be read")
)

// Run generates answers until ctx is done. It renews the leases of its own generations, and interrupts those of dead
// processes. Generations that are running or waiting at the end are interrupted.
func (s *Service) Run(ctx context.Context) error {
	var all sync.WaitGroup
	all.Go(func() { s.runLeases(ctx) })
	for ctx.Err() == nil || len(s.queue) > 0 {
		select {
		case g := <-s.queue:
			all.Go(func() { s.generate(ctx, g) })
		case <-ctx.Done():
		}
	}
	all.Wait()
	return nil
}

// startGeneration hands a generation to Run. release frees its slot.
func (s *Service) startGeneration(scope graph.Scope, turn string, attempt int64, release func()) {
	g := newGeneration(scope, turn, attempt, release)
	s.mu.Lock()
	previous := s.live[liveKey(scope.TeamID, turn)]
	s.live[liveKey(scope.TeamID, turn)] = g
	s.mu.Unlock()
	if previous != nil {
		previous.stop()
	}
	s.queue <- g
}

// stopGenerations stops the generations of turns in this process.
func (s *Service) stopGenerations(team string, turns ...string) {
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

// release removes a generation and frees its slot.
func (s *Service) release(g *generation) {
	s.mu.Lock()
	if key := liveKey(g.TeamID, g.TurnID); s.live[key] == g {
		delete(s.live, key)
	}
	s.mu.Unlock()
	g.finish()
	g.release()
}

// generate waits for a worker, asks the model for an answer, and stores the outcome.
func (s *Service) generate(ctx context.Context, g *generation) {
	defer s.release(g)
	outcome := Dropped
	defer func() { s.options.Observe(outcome, time.Since(g.since)) }()
	wantedCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	if !g.attach(cancel) {
		return
	}
	select {
	case s.running <- struct{}{}:
		defer func() { <-s.running }()
	case <-wantedCtx.Done():
	}
	askCtx, cancel := context.WithTimeout(wantedCtx, maxDuration)
	defer cancel()
	answer, err := s.askModel(askCtx, g)
	if errors.Is(err, errUnwanted) || !g.isWanted() {
		return
	}
	outcome = s.storeOutcome(ctx, g, answer, failureReason(ctx, askCtx, err))
}

// askModel assembles the prompt and asks the model.
func (s *Service) askModel(ctx context.Context, g *generation) (llm.Answer, error) {
	if err := ctx.Err(); err != nil {
		return llm.Answer{}, err
	}
	a, err := s.assemble(ctx, g.scope, g.TurnID, s.options.PromptTokens)
	switch {
	case errors.Is(err, fault.ErrNotFound):
		return llm.Answer{}, errUnwanted
	case err != nil:
		s.options.Log.Warn("reading a prompt failed", "turn", g.TurnID, "error", err)
		return llm.Answer{}, errPromptRead
	case a.status != StatusGenerating || a.attempt != g.Attempt:
		return llm.Answer{}, errUnwanted
	}
	return s.generator.Generate(ctx, a.model, a.messages(), g.appendText)
}

// failureReason returns the error that a turn shows when it has no answer.
func failureReason(ctx, askCtx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return errInterrupted
	case errors.Is(askCtx.Err(), context.DeadlineExceeded):
		return errTooSlow
	case askCtx.Err() != nil: // only a too long answer cancels a wanted generation
		return errTooLong
	}
	return err
}

// storeOutcome stores an answer or the reason of a failure. While the database is unavailable it tries again until
// the lease ends.
func (s *Service) storeOutcome(ctx context.Context, g *generation, answer llm.Answer, failed error) Outcome {
	a, outcome := newAnswer(answer, failed)
	patience := s.options.Lease
	if ctx.Err() != nil {
		patience = shutdownTimeout
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	for {
		stored, err := s.store.FinishChatTurn(ctx, g.scope, g.TurnID, g.Attempt, a)
		switch {
		case err == nil && stored:
			return outcome
		case err == nil || errors.Is(err, fault.ErrNotFound):
			return Dropped
		case !errors.Is(err, graph.ErrUnavailable) || !sleep.For(ctx, storeRetryPause):
			s.options.Log.Error("storing an answer failed, it is lost", "turn", g.TurnID, "attempt", g.Attempt, "error", err)
			return Interrupted // because the lease ends
		}
	}
}

// newAnswer returns the stored form of an answer or of a failure.
func newAnswer(answer llm.Answer, failed error) (*Answer, Outcome) {
	if failed == nil && len(sanitizeText(answer.Text)) > MaxChatAnswer {
		failed = errTooLong
	}
	switch {
	case failed == nil:
		provider := answer.ProviderID[:min(len(answer.ProviderID), maxProviderBytes)]
		return &Answer{AssistantText: graph.Some(sanitizeText(answer.Text)), ProviderID: graph.Some(sanitizeText(provider))}, Completed
	case errors.Is(failed, errInterrupted):
		return &Answer{Error: graph.Some(InterruptedText)}, Interrupted
	}
	why := failed.Error()
	return &Answer{Error: graph.Some(sanitizeText(why[:min(len(why), maxErrorBytes)]))}, Failed
}

// sanitizeText removes what the store does not accept: NUL and invalid UTF-8.
func sanitizeText(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}

// runLeases renews the leases of this process's generations, and interrupts the generations of dead processes.
func (s *Service) runLeases(ctx context.Context) {
	tick := time.NewTicker(s.options.Lease / renewalsPerLease)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := errors.Join(s.renewLeases(ctx), s.interruptExpired(ctx)); err != nil && ctx.Err() == nil {
			s.options.Log.Warn("renewing leases of generations failed", "error", err)
		}
	}
}

// renewLeases renews the leases of this process's generations. It stops those whose lease is gone: another process
// has cancelled or deleted them.
func (s *Service) renewLeases(ctx context.Context) error {
	s.mu.Lock()
	local := make([]*generation, 0, len(s.live))
	for _, g := range s.live {
		local = append(local, g)
	}
	s.mu.Unlock()
	if len(local) == 0 {
		return nil
	}
	renewed, err := s.store.RenewChatLeases(ctx, s.lease)
	if err != nil {
		return err
	}
	for _, g := range local {
		if !renewed[g.AttemptID] {
			g.stop()
		}
	}
	return nil
}

// interruptExpired ends the generations whose lease has expired.
func (s *Service) interruptExpired(ctx context.Context) error {
	interrupted, err := s.store.InterruptChatTurns(ctx)
	if interrupted > 0 {
		s.options.Log.Warn("interrupted generations of a dead process", "turns", interrupted)
	}
	return err
}
