package chat

import (
	"context"
	"errors"
	"fmt"

	"kith/graph"
	"kith/graph/neo"
	"kith/internal/bounds"
	"kith/internal/fault"
)

var (
	updateChatTurn   = neo.Load[changedChatTurn]("chat_turn_change")
	renewChatLeases  = neo.Load[[]AttemptID]("chat_lease_renew")
	findLostChatTurn = neo.Load[lostChatTurn]("chat_lease_over")
)

// changedChatTurn is the state of a turn before a change, whether it was changed, and its attempt.
type changedChatTurn struct {
	Status  Status
	Changed bool
	Attempt int64
}

// lostChatTurn is a generation whose lease has expired.
type lostChatTurn struct {
	TeamID, UserID, ID string
	Attempt            int64
}

// chatChange is a change of a turn that applies only in some states and, if attempt is not zero, in that attempt.
type chatChange struct {
	from       []Status
	attempt    int64
	next       int // by how much the attempt grows
	properties graph.Properties
	answered   bool  // by the caller, whose quota counts the answer
	result     *Turn // set to the changed turn; nil: not read
}

// changeChatTurn compares and changes a turn at once. It returns the state before, whether the turn was changed, and its attempt.
func (s *Store) changeChatTurn(ctx context.Context, scope graph.Scope, id string, c chatChange) (was Status, changed bool, attempt int64, err error) {
	statuses := make([]string, len(c.from))
	for i := range c.from {
		statuses[i] = string(c.from[i])
	}
	params := map[string]any{
		"team_id": scope.TeamID, "owners": owners(scope), "id": id, "statuses": statuses, "attempt": nil, "next": c.next,
		"properties": map[string]any(c.properties), "now": s.now().UnixMilli(),
	}
	if c.attempt != 0 {
		params["attempt"] = c.attempt
	}
	name := "chat_turn_change"
	if c.answered {
		name = "chat_turn_answer"
	}
	err = s.transaction(ctx, name, func(t *tx) error {
		turn, err := updateChatTurn.ExecOne(t, params)
		was, changed, attempt = turn.Status, turn.Changed, turn.Attempt
		if err != nil || !changed || c.result == nil {
			return err
		}
		rows, err := findChatTurns.ExecOne(t, turnParams(scope, []string{id})) // afterwards a read may fail
		if err == nil && len(rows) > 0 {
			*c.result = rows[0].turn(s.now())
		}
		return err
	})
	if was == chatInterrupted {
		was = StatusError
	}
	return was, changed, attempt, err
}

// withoutLease adds the end of the lease to the properties.
func withoutLease(p graph.Properties) graph.Properties {
	p["lease_holder"], p["lease_until"] = nil, nil
	return p
}

// RetryChatTurn starts a new attempt at the generation of a failed turn. In any other state it changes nothing, and retried is
// false. It returns ErrNotFound for an unknown turn.
func (s *Store) RetryChatTurn(ctx context.Context, scope graph.Scope, id string, lease Lease) (attempt int64, retried bool, err error) {
	p := graph.Properties{"error": nil, "provider_id": nil}
	lease.put(p, s.now())
	_, retried, attempt, err = s.changeChatTurn(ctx, scope, id, chatChange{from: []Status{StatusError, chatInterrupted}, next: 1, properties: p})
	return attempt, retried, err
}

// CancelChatTurn cancels a turn that waits for its answer. It returns ErrNotFound, or ErrConflict for a turn that has ended.
func (s *Store) CancelChatTurn(ctx context.Context, scope graph.Scope, id string) error {
	was, changed, _, err := s.changeChatTurn(ctx, scope, id, chatChange{
		from: []Status{StatusPending, StatusGenerating}, properties: withoutLease(graph.Properties{"status": string(StatusCancelled)}),
	})
	if err == nil && !changed {
		err = fmt.Errorf("cancel: the turn has ended (%s): %w", was, fault.ErrConflict)
	}
	return err
}

// AnswerChatTurn stores the answer of the caller's model to a pending turn. It returns an InvalidError, ErrNotFound, or
// ErrConflict for a turn that is not pending.
func (s *Store) AnswerChatTurn(ctx context.Context, scope graph.Scope, id string, a *Answer) (turn Turn, err error) {
	if err := a.check(); err != nil {
		return Turn{}, err
	}
	was, changed, _, err := s.changeChatTurn(ctx, scope, id, chatChange{from: []Status{StatusPending}, properties: a.properties(), answered: true, result: &turn})
	if err == nil && !changed {
		err = fmt.Errorf("answer: the turn is not pending (%s): %w", was, fault.ErrConflict)
	}
	if err != nil {
		return Turn{}, err
	}
	return turn, nil
}

// FinishChatTurn stores the result of an attempt at a generation. It drops a result that comes after a cancel, a delete, another
// attempt or the end of the lease; then stored is false.
func (s *Store) FinishChatTurn(ctx context.Context, scope graph.Scope, id string, attempt int64, a *Answer) (stored bool, err error) {
	p := withoutLease(a.properties())
	p["source"] = fromLLM
	_, stored, _, err = s.changeChatTurn(ctx, scope, id, chatChange{from: []Status{StatusGenerating}, attempt: attempt, properties: p})
	return stored, err
}

func (a *Answer) check() error {
	f := &graph.Faults{}
	answered, failed := a.AssistantText.Given && !a.AssistantText.Null, a.Error.Given && !a.Error.Null
	if answered == failed {
		f.Add(fault.At("assistant_text"), fault.Required, "is required, or error, but not both")
	}
	checkBytes(f, fault.At("assistant_text"), a.AssistantText.Value, MaxChatAnswer)
	if failed {
		f.Text(fault.At("error"), a.Error.Value, maxChatError)
		if a.Error.Value == "" {
			f.Add(fault.At("error"), fault.Required, "must not be empty")
		}
	}
	f.OptionalWord(fault.At("provider_id"), a.ProviderID, bounds.KeyLength)
	checkModel(f, a.ProviderConfig.Value.Model)
	return f.Err()
}

func (a *Answer) properties() graph.Properties {
	p := graph.Properties{"provider_id": graph.OrNil(a.ProviderID.Or(""))}
	if a.ProviderConfig.Given {
		p["model"] = graph.OrNil(a.ProviderConfig.Value.Model)
	}
	if a.Error.Given && !a.Error.Null {
		p["status"], p["error"] = string(StatusError), a.Error.Value
	} else {
		p["status"], p["answer"], p["answer_size"] = string(StatusComplete), a.AssistantText.Value, len(a.AssistantText.Value)
	}
	return p
}

// AttemptID is an attempt at the generation of a turn.
type AttemptID struct {
	TeamID, TurnID string
	Attempt        int64
}

// RenewChatLeases extends the leases of a process, and returns the generations that it still holds. The others were cancelled or
// deleted, or were given up when their lease ended.
func (s *Store) RenewChatLeases(ctx context.Context, lease Lease) (held map[AttemptID]bool, err error) {
	now := s.now()
	err = s.transaction(ctx, "chat_lease_renew", func(t *tx) error {
		attempts, err := renewChatLeases.ExecOne(t, map[string]any{
			"holder": lease.Holder, "now": now.UnixMilli(), "until": now.Add(lease.Life).UnixMilli(),
		})
		if err != nil {
			return err
		}
		held = map[AttemptID]bool{}
		for _, attempt := range attempts {
			held[attempt] = true
		}
		return nil
	})
	return held, err
}

// leasesAtOnce is the most generations that one call ends.
const leasesAtOnce = 100

// InterruptChatTurns ends generations whose leases have expired as errors, and returns their number. Reads report them as errors
// even before.
func (s *Store) InterruptChatTurns(ctx context.Context) (interrupted int, err error) {
	rows, err := findLostChatTurn.Read(ctx, s.db, map[string]any{"now": s.now().UnixMilli(), "limit": leasesAtOnce})
	if err != nil {
		return 0, err
	}
	for _, row := range rows {
		scope := graph.Scope{TeamID: row.TeamID, UserID: row.UserID}
		_, changed, _, err := s.changeChatTurn(ctx, scope, row.ID, chatChange{
			from: []Status{chatInterrupted}, attempt: row.Attempt,
			properties: withoutLease(graph.Properties{"status": string(StatusError), "error": InterruptedText}),
		})
		if err != nil && !errors.Is(err, fault.ErrNotFound) {
			return interrupted, err
		}
		if changed {
			interrupted++
		}
	}
	return interrupted, nil
}
