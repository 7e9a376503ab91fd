package graph

import (
	"context"
	"slices"

	"kith/graph/neo"
	"kith/internal/bounds"
	"kith/internal/fault"
)

var popMessages = neo.Load[[]Message]("message_pop")

// PopMessages deletes the last messages of an open conversation, at most limit, and returns them, oldest first. Each can be
// restored for some days. It returns ErrNotFound for an unknown or foreign conversation, ErrConflict for an ended one.
func (s *Store) PopMessages(ctx context.Context, scope Scope, key string, limit int64) (popped []Message, err error) {
	f := &Faults{}
	f.Between(fault.At("count"), limit, 1, bounds.PoppedMessages)
	if err := f.Err(); err != nil {
		return nil, err
	}
	err = s.Transaction(ctx, "message_pop", func(t *Tx) error {
		found, err := t.find(scope.TeamID, lookups{entityKeys: []string{key}})
		if err != nil {
			return err
		}
		source, err := openConversation(found, scope, key)
		if err != nil {
			return err
		}
		user := source.user()
		if popped, err = popMessages.ExecOne(t, map[string]any{
			"team_id": scope.TeamID, "source_key": key, "limit": limit, "now": s.Now(), "user_id": scope.User(),
		}); err != nil {
			return err
		}
		slices.Reverse(popped)
		keys := []string{}
		for _, m := range popped {
			keys = append(keys, m.EntityKey)
			t.Record(user, FeedItem{Op: DeletedOp, Kind: MessageKind.Name, Key: m.EntityKey, Version: 1})
		}
		t.Changes([]string{user}, keys...)
		if len(popped) == 0 {
			return nil
		}
		return t.renewNear(scope.TeamID, numbered(key, numbersFrom(popped[0].Seq-nearby, nearby)))
	})
	return popped, err
}
