// Package chat holds branching conversations with a language model. It assembles a turn and the turns above it into a
// prompt, generates answers in a bounded number of workers, and sends events while they are generated. Trees and turns are
// stored beside the memory, see Store. The package knows nothing of HTTP.
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
	"kith/internal/llm"
	"kith/internal/shares"
)

// store has the methods of Store that a Service uses.
type store interface {
	DeleteChatTree(ctx context.Context, scope graph.Scope, id string) ([]string, error)
	AddChatTurn(ctx context.Context, scope graph.Scope, treeID string, w TurnWrite) (Turn, bool, error)
	ChatTurn(ctx context.Context, scope graph.Scope, id string) (Turn, error)
	ChatBranch(ctx context.Context, scope graph.Scope, id string) (*Branch, error)
	ReadChatTexts(ctx context.Context, scope graph.Scope, ids, keys []string) ([]Text, map[string]Entity, error)
	RetryChatTurn(ctx context.Context, scope graph.Scope, id string, lease Lease) (int64, bool, error)
	CancelChatTurn(ctx context.Context, scope graph.Scope, id string) error
	FinishChatTurn(ctx context.Context, scope graph.Scope, id string, attempt int64, a *Answer) (bool, error)
	DeleteChatTurn(ctx context.Context, scope graph.Scope, id string) ([]string, error)
	RenewChatLeases(ctx context.Context, lease Lease) (map[AttemptID]bool, error)
	InterruptChatTurns(ctx context.Context) (int, error)
}

// users returns what an agent should know of a user, as text of at most so many tokens.
type users interface {
	UserText(ctx context.Context, scope graph.Scope, maxTokens int) (string, error)
}

// projects returns the same of a project. Error: fault.ErrNotFound.
type projects interface {
	ProjectText(ctx context.Context, scope graph.Scope, projectID, focusKind, focusID string, maxTokens int) (string, error)
}

// Generator asks a language model. An empty model name means the configured model. It calls delta with the pieces of
// the answer in their order. Its errors are shown to callers: they contain no keys, addresses or prompts. It returns
// soon after ctx ends.
type Generator interface {
	Generate(ctx context.Context, model string, messages []llm.Message, delta func(text string)) (llm.Answer, error)
	Availability() llm.Availability
}

var (
	// ErrNoModel means that no language model is configured, so nothing can be generated.
	ErrNoModel = errors.New("no language model is configured: set generate=false and send the answer of your own model")
	// ErrFull means that the workers and the queue are full, or that the team has its half of them.
	ErrFull = errors.New("too many generations")
)

// Options configure a Service.
type Options struct {
	Workers      int           // concurrent generations; default 8
	Queue        int           // waiting generations; default 64
	PromptTokens int           // most tokens (o200k) of a prompt; default 16,000
	Lease        time.Duration // how long a generation stays valid without a renewal by its process; default 30 s
	Log          *slog.Logger
	Observe      func(outcome Outcome, took time.Duration)
}

// Outcome is the result of a generation.
type Outcome string

// The outcomes of generations. Dropped: the turn was cancelled or deleted, or has a newer attempt.
const (
	Completed   Outcome = "complete"
	Failed      Outcome = "error"
	Interrupted Outcome = "interrupted"
	Dropped     Outcome = "dropped"
	Refused     Outcome = "refused" // the queue was full
)

// Service generates answers. It is safe for concurrent use; call Run.
type Service struct {
	store     store
	generator Generator
	users     users
	projects  projects
	options   Options
	lease     Lease
	slots     *shares.Shares   // each running or waiting generation has one
	queue     chan *generation // as long as there are slots
	running   chan struct{}    // each running generation holds one

	mu   sync.Mutex
	live map[string]*generation // by team and turn: the generations of this process
}

// New returns a Service. Without a generator nothing is generated, and everything else works.
func New(s store, g Generator, u users, p projects, o Options) *Service {
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
		store: s, generator: g, users: u, projects: p, options: o, lease: Lease{Holder: uuid.NewString(), Life: o.Lease},
		slots: shares.New(o.Workers + o.Queue), queue: make(chan *generation, o.Workers+o.Queue), running: make(chan struct{}, o.Workers),
		live: map[string]*generation{},
	}
}

// Availability returns whether answers can be generated now.
func (s *Service) Availability() llm.Availability {
	if s.generator == nil {
		return llm.Unavailable
	}
	return s.generator.Availability()
}

// Generations returns how many generations of this process are running and how many are waiting for a worker.
func (s *Service) Generations() (running, waiting int) {
	running = len(s.running)
	return running, max(0, s.slots.Used()-running)
}

// Prompt is a new turn. Its answer is generated, or the caller sends it: then the turn is pending.
type Prompt struct {
	ID       string // generated where empty
	ParentID string // empty: a root
	Text     string
	Model    string // the model that answers; empty: the configured one
	Pending  bool
}

// Submit adds a turn to a tree and starts generating its answer. Submitting the same turn again changes nothing, and
// created is false. Errors: those of graph.Store.AddChatTurn, ErrNoModel, ErrFull.
func (s *Service) Submit(ctx context.Context, scope graph.Scope, treeID string, p Prompt) (turn Turn, created bool, err error) {
	w := TurnWrite{ID: p.ID, ParentID: p.ParentID, UserPrompt: p.Text, Model: p.Model, PromptVersion: PromptVersion}
	if p.Pending {
		return s.store.AddChatTurn(ctx, scope, treeID, w)
	}
	return s.submit(ctx, scope, treeID, w)
}

// submit adds a turn whose answer this process generates.
func (s *Service) submit(ctx context.Context, scope graph.Scope, treeID string, w TurnWrite) (turn Turn, created bool, err error) {
	release, err := s.acquireSlot(scope.TeamID)
	if err != nil {
		return Turn{}, false, err
	}
	w.Lease = &s.lease
	turn, created, err = s.store.AddChatTurn(ctx, scope, treeID, w)
	if err != nil || !created {
		release()
		return turn, false, err
	}
	s.startGeneration(scope, turn.ID, turn.Attempt, release)
	return turn, true, nil
}

// Retry generates the answer of a turn in error again. It does not change a turn in any other state. Errors:
// fault.ErrNotFound, ErrNoModel, ErrFull.
func (s *Service) Retry(ctx context.Context, scope graph.Scope, id string) (turn Turn, retried bool, err error) {
	release, err := s.acquireSlot(scope.TeamID)
	if err != nil {
		turn, unknown := s.store.ChatTurn(ctx, scope, id)
		if unknown == nil && turn.Status == StatusError {
			unknown = err
		}
		return turn, false, unknown
	}
	attempt, retried, err := s.store.RetryChatTurn(ctx, scope, id, s.lease)
	if err != nil || !retried {
		release()
	} else {
		s.startGeneration(scope, id, attempt, release)
	}
	if err != nil {
		return Turn{}, false, err
	}
	turn, err = s.store.ChatTurn(ctx, scope, id)
	return turn, retried, err
}

// Cancel ends a turn that is waiting for its answer. Errors: fault.ErrNotFound, fault.ErrConflict.
func (s *Service) Cancel(ctx context.Context, scope graph.Scope, id string) (Turn, error) {
	if err := s.store.CancelChatTurn(ctx, scope, id); err != nil {
		return Turn{}, err
	}
	s.stopGenerations(scope.TeamID, id)
	return s.store.ChatTurn(ctx, scope, id)
}

// Delete deletes a turn and all turns below it, and returns their ids. Error: fault.ErrNotFound.
func (s *Service) Delete(ctx context.Context, scope graph.Scope, id string) ([]string, error) {
	removed, err := s.store.DeleteChatTurn(ctx, scope, id)
	s.stopGenerations(scope.TeamID, removed...)
	return removed, err
}

// DeleteTree deletes a tree with all its turns, and returns their ids. Error: fault.ErrNotFound.
func (s *Service) DeleteTree(ctx context.Context, scope graph.Scope, id string) ([]string, error) {
	removed, err := s.store.DeleteChatTree(ctx, scope, id)
	s.stopGenerations(scope.TeamID, removed...)
	return removed, err
}

// acquireSlot reserves a slot for a generation of a team until release is called. Errors: ErrNoModel, ErrFull.
func (s *Service) acquireSlot(team string) (release func(), err error) {
	if s.generator == nil {
		return nil, ErrNoModel
	}
	release, ok := s.slots.Take(team, "")
	if !ok {
		s.options.Observe(Refused, 0)
		return nil, fmt.Errorf("generate: %w", ErrFull)
	}
	return release, nil
}
