// Package chat is branching conversations with a language model: it puts a turn and those above it together for the model,
// generates answers in a bounded number of workers, and tells of them while they come. Trees and turns are package graph's.
// It knows nothing of HTTP.
package chat

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"kith/graph"
	"kith/llm"
	"kith/loader"
)

type store interface {
	DeleteChatTree(ctx context.Context, scope graph.Scope, id string) ([]string, error)
	AddChatTurn(ctx context.Context, scope graph.Scope, treeID string, w graph.ChatTurnWrite) (graph.ChatTurn, bool, error)
	ChatTurn(ctx context.Context, scope graph.Scope, id string) (graph.ChatTurn, error)
	ChatBranch(ctx context.Context, scope graph.Scope, id string) (*graph.ChatBranch, error)
	ReadChatTexts(ctx context.Context, scope graph.Scope, ids, keys []string) ([]graph.ChatText, map[string]graph.ChatEntity, error)
	RetryChatTurn(ctx context.Context, scope graph.Scope, id string, lease graph.ChatLease) (int64, bool, error)
	CancelChatTurn(ctx context.Context, scope graph.Scope, id string) error
	FinishChatTurn(ctx context.Context, scope graph.Scope, id string, attempt int64, a *graph.ChatAnswer) (bool, error)
	DeleteChatTurn(ctx context.Context, scope graph.Scope, id string) ([]string, error)
	RenewChatLeases(ctx context.Context, lease graph.ChatLease) (map[graph.ChatAttempt]bool, error)
	InterruptChatTurns(ctx context.Context) (int, error)
}

// contexts tells what an agent should know of a user or a project.
type contexts interface {
	Context(ctx context.Context, r loader.Request, current *loader.CurrentConversation) (loader.Answer, error)
	Ontology(ctx context.Context, r loader.OntologyRequest) (loader.Answer, error)
}

// Generator asks a language model; an empty name: the one that is configured. The texts that it gives to delta, in their order, are what has come of the answer so far.
// Its errors are told to callers: they hold no keys, addresses or prompts. It ends soon after ctx.
type Generator interface {
	Generate(ctx context.Context, model string, messages []llm.Message, delta func(text string)) (llm.Answer, error)
	Availability() llm.Availability
}

var (
	// ErrNoModel says: no language model is configured, so nothing can be generated.
	ErrNoModel = errors.New("no language model is configured: a turn with generate=false takes the answer of a model that the caller asks")
	// ErrFull says: as many generations run and wait as may.
	ErrFull = errors.New("as many generations run and wait as may")
)

// Options are what a Service may be given.
type Options struct {
	Workers      int           // generations at the same time; default 8
	Queue        int           // generations that may wait; default 64
	PromptTokens int           // that the model is given, in o200k tokens; default 16,000
	Lease        time.Duration // how long a generation is believed to go on without a sign of its process; default 30 s
	Log          *slog.Logger
	Observe      func(outcome Outcome, took time.Duration)
}

// Outcome is what became of a generation.
type Outcome string

// The outcomes of generations. Dropped: the turn was cancelled or deleted, or another attempt is on.
const (
	Completed   Outcome = "complete"
	Failed      Outcome = "error"
	Interrupted Outcome = "interrupted"
	Dropped     Outcome = "dropped"
	Refused     Outcome = "refused" // there was no room
)

// Service generates answers. It is safe for concurrent use; call Run.
type Service struct {
	store     store
	generator Generator
	contexts  contexts
	options   Options
	lease     graph.ChatLease
	slots     chan struct{}    // one is taken by each generation that runs or waits
	started   chan *generation // has room for as many as there are slots
	running   chan struct{}    // as many as may run

	mu   sync.Mutex
	live map[string]*generation // by team and turn: those that run or wait here
}

// New makes a service. Without a generator nothing is generated, and all else works.
func New(s store, g Generator, c contexts, o Options) *Service {
	if o.Workers <= 0 {
		o.Workers = 8
	}
	if o.Queue <= 0 {
		o.Queue = 64
	}
	if o.PromptTokens <= 0 {
		o.PromptTokens = 16_000
	}
	if o.Lease <= 0 {
		o.Lease = 30 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Observe == nil {
		o.Observe = func(Outcome, time.Duration) {}
	}
	return &Service{
		store: s, generator: g, contexts: c, options: o, lease: graph.ChatLease{Holder: uuid.NewString(), Life: o.Lease},
		slots: make(chan struct{}, o.Workers+o.Queue), started: make(chan *generation, o.Workers+o.Queue), running: make(chan struct{}, o.Workers),
		live: map[string]*generation{},
	}
}

// Availability says whether answers can be generated now.
func (s *Service) Availability() llm.Availability {
	if s.generator == nil {
		return llm.Unavailable
	}
	return s.generator.Availability()
}

// Generations are how many run here, and how many wait for a worker.
func (s *Service) Generations() (running, waiting int) {
	running = len(s.running)
	return running, max(0, len(s.slots)-running)
}

// Prompt is a new turn. Its answer is generated, or comes from the caller: then the turn is pending.
type Prompt struct {
	ID       string // generated where empty
	ParentID string // empty: a root
	Text     string
	Model    string // that is asked, or that the caller asks; empty: the one that is configured
	Pending  bool
}

// Submit adds a turn to a tree, and has its answer generated. The same turn again changes nothing: then created is false.
// Errors: those of graph.Store.AddChatTurn, ErrNoModel, ErrFull.
func (s *Service) Submit(ctx context.Context, scope graph.Scope, treeID string, p Prompt) (turn graph.ChatTurn, created bool, err error) {
	w := graph.ChatTurnWrite{ID: p.ID, ParentID: p.ParentID, UserPrompt: p.Text, Model: p.Model, PromptVersion: PromptVersion}
	if p.Pending {
		return s.store.AddChatTurn(ctx, scope, treeID, w)
	}
	return s.submit(ctx, scope, treeID, w)
}

// submit adds a turn whose answer is generated here.
func (s *Service) submit(ctx context.Context, scope graph.Scope, treeID string, w graph.ChatTurnWrite) (turn graph.ChatTurn, created bool, err error) {
	if err := s.take(); err != nil {
		return graph.ChatTurn{}, false, err
	}
	w.Lease = &s.lease
	turn, created, err = s.store.AddChatTurn(ctx, scope, treeID, w)
	if err != nil || !created {
		<-s.slots
		return turn, false, err
	}
	s.start(scope, turn.ID, turn.Attempt)
	return turn, true, nil
}

// Retry has the answer of a turn in error generated again; a turn in any other state stays as it is. Errors: graph.ErrNotFound,
// ErrNoModel, ErrFull.
func (s *Service) Retry(ctx context.Context, scope graph.Scope, id string) (turn graph.ChatTurn, retried bool, err error) {
	if err := s.take(); err != nil {
		turn, unknown := s.store.ChatTurn(ctx, scope, id)
		if unknown == nil && turn.Status == graph.ChatError {
			unknown = err
		}
		return turn, false, unknown
	}
	attempt, retried, err := s.store.RetryChatTurn(ctx, scope, id, s.lease)
	if err != nil || !retried {
		<-s.slots
	} else {
		s.start(scope, id, attempt)
	}
	if err != nil {
		return graph.ChatTurn{}, false, err
	}
	turn, err = s.store.ChatTurn(ctx, scope, id)
	return turn, retried, err
}

// Cancel ends a turn that waits for its answer. Errors: graph.ErrNotFound, graph.ErrConflict.
func (s *Service) Cancel(ctx context.Context, scope graph.Scope, id string) (graph.ChatTurn, error) {
	if err := s.store.CancelChatTurn(ctx, scope, id); err != nil {
		return graph.ChatTurn{}, err
	}
	s.stop(scope.TeamID, id)
	return s.store.ChatTurn(ctx, scope, id)
}

// Delete deletes a turn with all below it, and returns their ids. graph.ErrNotFound.
func (s *Service) Delete(ctx context.Context, scope graph.Scope, id string) ([]string, error) {
	removed, err := s.store.DeleteChatTurn(ctx, scope, id)
	s.stop(scope.TeamID, removed...)
	return removed, err
}

// DeleteTree deletes a tree with all its turns, whose ids it returns. graph.ErrNotFound.
func (s *Service) DeleteTree(ctx context.Context, scope graph.Scope, id string) ([]string, error) {
	removed, err := s.store.DeleteChatTree(ctx, scope, id)
	s.stop(scope.TeamID, removed...)
	return removed, err
}

// take makes room for a generation.
func (s *Service) take() error {
	if s.generator == nil {
		return ErrNoModel
	}
	select {
	case s.slots <- struct{}{}:
		return nil
	default:
		s.options.Observe(Refused, 0)
		return fmt.Errorf("generate: %w", ErrFull)
	}
}
