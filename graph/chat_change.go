package graph

import (
	"context"
	"errors"
	"fmt"
)

// chatChange is a change of a turn that is in one of some states, and in an attempt where that is not zero.
type chatChange struct {
	from       []ChatStatus
	attempt    int64
	next       int // by how much the attempt grows
	properties properties
	answered   bool // by the caller, whose quota counts it
}

// changeChatTurn compares and changes at once. It says in which state the turn was, whether it was changed, and which
// attempt it is in.
func (s *Store) changeChatTurn(ctx context.Context, scope Scope, id string, c chatChange) (was ChatStatus, changed bool, attempt int64, err error) {
	statuses := make([]string, len(c.from))
	for i := range c.from {
		statuses[i] = string(c.from[i])
	}
	params := map[string]any{
		"team_id": scope.TeamID, "owners": scope.owners(), "id": id, "statuses": statuses, "attempt": nil, "next": c.next,
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
		rows, err := t.exec("chat_turn_change", params)
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			return fmt.Errorf("change turn: %w", ErrNotFound)
		}
		v := rows[0].Values
		was, changed, attempt = ChatStatus(text(v[0])), truth(v[1]), integer(v[2])
		return nil
	})
	if was == chatInterrupted {
		was = ChatError
	}
	return was, changed, attempt, err
}

// withoutLease takes the lease off what a turn becomes.
func withoutLease(p properties) properties {
	p["lease_holder"], p["lease_until"] = nil, nil
	return p
}

// RetryChatTurn makes a turn in error one that is generated again, in a next attempt. In any other state it stays as it is:
// then retried is false. ErrNotFound.
func (s *Store) RetryChatTurn(ctx context.Context, scope Scope, id string, lease ChatLease) (attempt int64, retried bool, err error) {
	p := properties{"error": nil, "provider_id": nil}
	lease.put(p, s.now())
	_, retried, attempt, err = s.changeChatTurn(ctx, scope, id, chatChange{from: []ChatStatus{ChatError, chatInterrupted}, next: 1, properties: p})
	return attempt, retried, err
}

// CancelChatTurn ends a turn that waits for its answer. ErrNotFound; ErrConflict for one that has ended.
func (s *Store) CancelChatTurn(ctx context.Context, scope Scope, id string) error {
	was, changed, _, err := s.changeChatTurn(ctx, scope, id, chatChange{
		from: []ChatStatus{ChatPending, ChatGenerating}, properties: withoutLease(properties{"status": string(ChatCancelled)}),
	})
	if err == nil && !changed {
		err = fmt.Errorf("cancel: the turn has ended (%s): %w", was, ErrConflict)
	}
	return err
}

// AnswerChatTurn ends a pending turn with what its caller's model said. Errors: InvalidError; ErrNotFound; ErrConflict for a
// turn that is not pending.
func (s *Store) AnswerChatTurn(ctx context.Context, scope Scope, id string, a *ChatAnswer) (ChatTurn, error) {
	if err := a.check(); err != nil {
		return ChatTurn{}, err
	}
	was, changed, _, err := s.changeChatTurn(ctx, scope, id, chatChange{from: []ChatStatus{ChatPending}, properties: a.properties(), answered: true})
	if err == nil && !changed {
		err = fmt.Errorf("answer: the turn is not pending (%s): %w", was, ErrConflict)
	}
	if err != nil {
		return ChatTurn{}, err
	}
	return s.ChatTurn(ctx, scope, id)
}

// FinishChatTurn ends an attempt at a generation. What comes too late, after a cancel, a delete, another attempt or the end of
// its lease, is dropped: then stored is false.
func (s *Store) FinishChatTurn(ctx context.Context, scope Scope, id string, attempt int64, a *ChatAnswer) (stored bool, err error) {
	p := withoutLease(a.properties())
	p["source"] = fromLLM
	_, stored, _, err = s.changeChatTurn(ctx, scope, id, chatChange{from: []ChatStatus{ChatGenerating}, attempt: attempt, properties: p})
	return stored, err
}

func (a *ChatAnswer) check() error {
	f := &faults{}
	answered, failed := a.AssistantText.Given && !a.AssistantText.Null, a.Error.Given && !a.Error.Null
	if answered == failed {
		f.add("assistant_text", "is needed, or an error, and not both")
	}
	f.bytes("assistant_text", a.AssistantText.Value, MaxChatAnswer)
	if failed {
		f.text("error", a.Error.Value, maxChatError)
		if a.Error.Value == "" {
			f.add("error", "must not be empty")
		}
	}
	f.optionalWord("provider_id", a.ProviderID, MaxKeyLength)
	checkModel(f, a.ProviderConfig.Value.Model)
	return f.err()
}

func (a *ChatAnswer) properties() properties {
	p := properties{"provider_id": orNil(a.ProviderID.or(""))}
	if a.ProviderConfig.Given {
		p["model"] = orNil(a.ProviderConfig.Value.Model)
	}
	if a.Error.Given && !a.Error.Null {
		p["status"], p["error"] = string(ChatError), a.Error.Value
	} else {
		p["status"], p["answer"], p["answer_size"] = string(ChatComplete), a.AssistantText.Value, len(a.AssistantText.Value)
	}
	return p
}

// ChatAttempt is an attempt at the generation of a turn.
type ChatAttempt struct {
	TeamID, TurnID string
	Attempt        int64
}

// RenewChatLeases keeps a process's leases for longer, and says of which generations it has them: the others were cancelled,
// deleted, or given up as the lease was over.
func (s *Store) RenewChatLeases(ctx context.Context, lease ChatLease) (held map[ChatAttempt]bool, err error) {
	now := s.now()
	err = s.transaction(ctx, "chat_lease_renew", func(t *tx) error {
		rows, err := t.exec("chat_lease_renew", map[string]any{
			"holder": lease.Holder, "now": now.UnixMilli(), "until": now.Add(lease.Life).UnixMilli(),
		})
		if err != nil {
			return err
		}
		held = map[ChatAttempt]bool{}
		for _, v := range items(rows[0].Values[0]) {
			l := items(v)
			held[ChatAttempt{text(l[0]), text(l[1]), integer(l[2])}] = true
		}
		return nil
	})
	return held, err
}

// leasesAtOnce bounds how many generations one look ends.
const leasesAtOnce = 100

// InterruptChatTurns ends generations whose leases are over as errors, and says how many. Reads tell of them so before.
func (s *Store) InterruptChatTurns(ctx context.Context) (interrupted int, err error) {
	rows, err := s.read(ctx, s.queries["chat_lease_over"], map[string]any{"now": s.now().UnixMilli(), "limit": leasesAtOnce})
	if err != nil {
		return 0, err
	}
	for _, row := range rows {
		scope := Scope{TeamID: text(row.Values[0]), UserID: text(row.Values[1])}
		_, changed, _, err := s.changeChatTurn(ctx, scope, text(row.Values[2]), chatChange{
			from: []ChatStatus{chatInterrupted}, attempt: integer(row.Values[3]),
			properties: withoutLease(properties{"status": string(ChatError), "error": Interrupted}),
		})
		if err != nil && !errors.Is(err, ErrNotFound) {
			return interrupted, err
		}
		if changed {
			interrupted++
		}
	}
	return interrupted, nil
}
