package graph

import (
	"context"
	"fmt"
	"slices"
	"time"

	"kith/graph/trust"
	"kith/internal/bounds"
	"kith/internal/fault"
)

// ConversationEnd closes a conversation. Ending it again changes the given fields.
type ConversationEnd struct {
	UserID   string              `json:"user_id,omitempty" minLength:"1" maxLength:"256"`
	Summary  Optional[string]    `json:"summary,omitzero" max:"16384" doc:"one or two sentences; at most 16,384 characters"`
	EndedAt  Optional[time.Time] `json:"ended_at,omitzero" doc:"default: now; not before the start"`
	Mentions []string            `json:"mentions,omitempty" maxItems:"1000" unique:"true" doc:"entity keys of persons, concepts and entities"`
}

// AppendMessages adds messages to an open conversation; they are on disk when it returns. It returns ErrNotFound for an unknown
// or foreign conversation, ErrConflict for an ended one.
func (s *Store) AppendMessages(ctx context.Context, scope Scope, key string, messages []MessageWrite) (SourceResult, error) {
	now := s.Now()
	f := &Faults{}
	if len(messages) == 0 {
		f.Add(fault.At("messages"), fault.WrongCount, "must have at least one item")
	}
	checkMessages(f, messages, now)
	if err := f.Err(); err != nil {
		return SourceResult{}, err
	}
	ctx, err := s.read(ctx, s.textsOf(messages, trust.User, WriterOf(ctx).Limit))
	if err != nil {
		return SourceResult{}, err
	}
	all, keys := withKeys(messages)
	var result SourceResult
	err = s.Transaction(ctx, "message_append", func(t *Tx) error {
		sought := lookups{entityKeys: append(slices.Clone(keys), key)}
		sought.lookUpOwn(scope.UserID, keys...)
		found, err := t.find(scope.TeamID, sought)
		if err != nil {
			return err
		}
		source, err := openConversation(found, scope, key)
		if err != nil {
			return err
		}
		asUser := Scope{TeamID: scope.TeamID, UserID: source.user()}
		result = newSourceResult(asUser.UserID, key)
		result.Status = Updated
		for i := range all {
			all[i].EntityKey = found.storedKey(all[i].EntityKey, asUser.UserID, role{made: true})
		}
		result.Messages, result.Warnings, err = t.append(asUser, key, all, found, now)
		t.Changes([]string{result.UserID}, result.changed()...)
		return err
	})
	return result, err
}

// EndConversation closes a conversation with its summary and mentions. It returns ErrNotFound for an unknown or foreign one.
func (s *Store) EndConversation(ctx context.Context, scope Scope, key string, end *ConversationEnd) (SourceResult, error) {
	now := s.Now()
	f := &Faults{}
	f.Text(fault.At("summary"), end.Summary.Value, bounds.TextLength)
	f.optionalPast(fault.At("ended_at"), end.EndedAt, now)
	checkMentions(f, end.Mentions)
	if err := f.Err(); err != nil {
		return SourceResult{}, err
	}
	ctx, err := s.read(ctx, []toRead{{text: end.Summary.Value}})
	if err != nil {
		return SourceResult{}, err
	}
	var result SourceResult
	err = s.Transaction(ctx, "conversation_end", func(t *Tx) error {
		found, err := t.find(scope.TeamID, lookups{entityKeys: []string{key}, ends: slices.Clone(end.Mentions)})
		if err != nil {
			return err
		}
		source, err := conversation(found, scope, key)
		if err != nil {
			return err
		}
		asUser := Scope{TeamID: scope.TeamID, UserID: source.user()}
		job := &sourceJob{tx: t, scope: asUser, now: now, write: &SourceWrite{
			Summary: end.Summary, EndedAt: endTime(end, source, now), Mentions: end.Mentions,
		}}
		job.result = newSourceResult(asUser.UserID, key)
		if err := job.writeSource(key, found); err != nil {
			return err
		}
		err = job.mention(key, found)
		result = job.result
		t.Changes([]string{result.UserID}, result.changed()...)
		return err
	})
	return result, err
}

// endTime returns the given end, or else the end of the conversation, or else now.
func endTime(end *ConversationEnd, source *stored, now time.Time) Optional[time.Time] {
	if end.EndedAt.Given && !end.EndedAt.Null {
		return end.EndedAt
	}
	if ended := source.Moment("ended_at"); ended != nil {
		return Some(*ended)
	}
	return Some(now)
}

// openConversation does the same as conversation, and returns ErrConflict for one that has ended.
func openConversation(found known, scope Scope, key string) (*stored, error) {
	s, err := conversation(found, scope, key)
	if err == nil && s.Moment("ended_at") != nil {
		err = fmt.Errorf("the conversation has ended: %w", fault.ErrConflict)
	}
	return s, err
}

// conversation returns the found source of a key if it is a conversation of the scope's user. A scope without a user finds the
// conversations of all users of its team, and acts as their user.
func conversation(found known, scope Scope, key string) (*stored, error) {
	s := found.byKey[key]
	if s == nil || s.kind != SourceKind || s.Text("content_type") != Conversation ||
		s.user() == "" || (scope.UserID != "" && s.user() != scope.UserID) {
		return nil, fmt.Errorf("conversation: %w", fault.ErrNotFound)
	}
	return s, nil
}
